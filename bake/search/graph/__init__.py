"""Algorithms over whole graphs: components, orders, partitions, label-correcting search."""
