"""Arrays, graphs, levels, errors and processes that every room uses."""
