"""Answer from flat files by the reader in C, where it was compiled and numba is absent.

library: finds, compiles and calls the reader;
tables: lookups, paths and changed levels by it.

``python -m bake.runtime.native`` compiles it. A game that has neither that nor numba gets the same
answers from numpy, later.
"""
