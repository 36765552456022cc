"""Read projects of the LDtk editor (.ldtk), whose levels lie inside or in files of their own."""
