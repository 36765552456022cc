"""This package says what files of levels hold, and writes them; :mod:`levelbake.file` reads them.

columns: the table of columns, of assets and of flat files; document: makes pages and lists of it;
header: says what every asset states first; read: adds to the reader's file what only a bake asks;
schema: tells which columns there are;
graph, lattice, layers, doors, pairs, records, runs: make of columns what they stand for;
write, partial: write an asset.
"""

from bake.asset.header import header_for, sha256_of, source_digest
from bake.asset.read import Asset, is_pattern_database

__all__ = [
    "Asset",
    "header_for",
    "is_pattern_database",
    "sha256_of",
    "source_digest",
]
