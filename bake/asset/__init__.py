"""The only HDF5 code: one file per level."""

from bake.asset.header import Header, header_for, read_header, sha256_of
from bake.asset.read import Asset
from bake.asset.write import Contents, write_asset

__all__ = [
    "Asset",
    "Contents",
    "Header",
    "header_for",
    "read_header",
    "sha256_of",
    "write_asset",
]
