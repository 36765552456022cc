"""This package holds the schema of assets, one HDF5 file for each level, and all code that knows
HDF5.
"""

from bake.asset.header import Header, damaged, header_for, read_header, sha256_of
from bake.asset.read import Asset, is_pattern_database

__all__ = [
    "Asset",
    "Header",
    "damaged",
    "header_for",
    "is_pattern_database",
    "read_header",
    "sha256_of",
]
