"""Assets: the content of levels' files, and writing them; :mod:`levelbake.file` reads them.

columns: the table of columns, of assets and of flat files; document: pages and lists made from it;
schema: the schemas of assets and flat files;
header: the header of an asset; read: the reader's file with the columns that only a bake reads;
graph, lattice, layers, doors, pairs, records, runs: decode columns;
write, partial: write an asset.
"""

from bake.store.header import header_for, sha256_of, source_digest
from bake.store.read import Asset, is_pattern_database

__all__ = [
    "Asset",
    "header_for",
    "is_pattern_database",
    "sha256_of",
    "source_digest",
]
