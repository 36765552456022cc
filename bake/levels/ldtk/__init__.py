"""Projects of the LDtk editor (.ldtk), with their levels inside or in files of their own."""
