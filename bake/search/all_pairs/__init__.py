"""All-pairs shortest paths: distances, first moves and their runs, as kernels over arrays."""
