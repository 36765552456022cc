"""A plugin of pytest for kernels that run as plain Python: matrices are closed in small tiles.

A tile of the usual size holds all that such tests bake, and takes a second to close.
"""

from bake.search.all_pairs import floyd_warshall

floyd_warshall.SIDE, floyd_warshall.PART = 16, 4
