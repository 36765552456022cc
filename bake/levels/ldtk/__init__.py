"""Read projects of the LDtk editor (.ldtk), with levels inside or in separate files."""
