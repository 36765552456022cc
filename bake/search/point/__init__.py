"""Searches between two nodes or cells, and lookups of the nearest ones."""
