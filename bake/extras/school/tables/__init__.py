"""Tables of the next steps between all nodes of small graphs, for lessons."""
