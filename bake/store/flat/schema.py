"""The layout of a flat file; docs/format.md describes it in words.

All numbers are little-endian. The header and each entry of the table of columns take 64 bytes, and
every column begins at a multiple of 64.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np

from bake.core.arrays import AnyArray
from levelbake.file import FLAT_VERSION, LEVEL, SIZES, FlatFile

#: The element types by name, with their numbers in the table of columns.
DTYPES = {name: number for number, name in enumerate(SIZES, 1)}


@dataclass(frozen=True)
class Field:
    """A field of the header or of a table entry: offset, type and meaning."""

    offset: int
    dtype: str
    name: str
    description: str


# One declaration reads as one entry of a table, so lines are broken by hand below.
# fmt: off
HEADER: tuple[Field, ...] = (
    Field(0, "8 bytes", "magic", "8B 42 4B 45 0D 0A 1A 0A"),
    Field(8, "uint16", "format_version", f"version of this layout: {FLAT_VERSION}"),
    Field(10, "uint16", "columns", "entries in the table of columns, which follows the header"),
    Field(12, "uint32", "bake_revision", "revision of the code that baked the asset"),
    Field(16, "uint64", "file_size", "bytes of the whole file, a multiple of 64"),
    Field(24, "32 bytes", "fingerprint", "fingerprint of the asset, which its patches name, too; "
        "where cells are nodes, sha256 of \"cells are nodes \" and its 64 hexadecimal digits"),
    Field(56, "uint32", "sum", "first half of the checksum"),
    Field(60, "uint32", "sum_of_sums", "second half of the checksum"),
)

ENTRY: tuple[Field, ...] = (
    Field(0, "24 bytes", "name", "ASCII, padded with zeros; the last byte is zero"),
    Field(24, "int32", "profile", "the profile's number; -1: the column is the level's"),
    Field(28, "uint16", "dtype", "; ".join(f"{number} {name}" for name, number in DTYPES.items())),
    Field(30, "uint16", "dimensions", "1 to 4"),
    Field(32, "4 uint32", "shape", "length of each dimension; 0 for those that are not there"),
    Field(48, "uint64", "offset", "where the first element lies, from the beginning of the file"),
    Field(56, "uint64", "size", "bytes of the column: the product of its shape and element size"),
)
# fmt: on


def fingerprint_of_nodes(fingerprint: str) -> str:
    """Return the fingerprint of a flat file in which an asset's cells are the nodes of a graph.

    Its patches number other locations than those of the asset, so the two must not be confused.
    """
    return hashlib.sha256(f"cells are nodes {fingerprint}".encode()).hexdigest()


def is_of(file: FlatFile, fingerprint: str) -> bool:
    """Return whether a flat file was exported from the asset with a fingerprint."""
    if (LEVEL, "cell") in file.entries:
        fingerprint = fingerprint_of_nodes(fingerprint)
    return file.header.fingerprint() == fingerprint


def stored(array: AnyArray) -> AnyArray:
    """Return an array in the form of flat files: little-endian, in C order.

    Texts become (k, width) uint8, each followed by at least one zero.

    >>> stored(np.array([b"ab", b"c"])).tolist()
    [[97, 98, 0], [99, 0, 0]]
    """
    if array.dtype.kind == "S":
        longest = max(map(len, array.tolist()), default=0)
        return array.astype(f"S{longest + 1}").view(np.uint8).reshape(len(array), longest + 1)
    return np.ascontiguousarray(array.astype(array.dtype.newbyteorder("<"), copy=False))
