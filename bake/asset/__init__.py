"""This package says what files of levels hold and reads them, and has all code that knows HDF5.

columns: the table of columns, of assets and of flat files; column: what a declaration says;
check: holds a column to its declaration;
read: reads a file, whichever kind it is; hdf5: hands out what an HDF5 file holds;
graph, lattice, layers, records, runs: make of columns what they stand for;
write, partial: write an asset.
"""

from bake.asset.header import header_for, sha256_of
from bake.asset.read import Asset, is_pattern_database

__all__ = [
    "Asset",
    "header_for",
    "is_pattern_database",
    "sha256_of",
]
