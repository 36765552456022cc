"""The only HDF5 code: one file per level."""

from bake.asset.header import Header, damaged, header_for, read_header, sha256_of
from bake.asset.read import Asset

__all__ = ["Asset", "Header", "damaged", "header_for", "read_header", "sha256_of"]
