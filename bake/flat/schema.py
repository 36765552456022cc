"""Say how a flat file is laid out, and what its numbers mean; docs/format.md has it in words.

All numbers are little-endian. The header and each entry of the table of columns take 64 bytes, and
every column begins at a multiple of 64.
"""

from __future__ import annotations

import hashlib
import struct
from dataclasses import dataclass

import numpy as np

from bake.arrays import AnyArray
from bake.asset.column import PROFILE, Attribute
from bake.asset.columns import COLUMNS as ALL_COLUMNS
from bake.asset.schema import ATTRIBUTES, Schema
from bake.hexagons import HEX_LAYOUTS
from bake.movement.rules import CORNER_CUTTING, COST_RULES, MAX_SIZE

#: The first bytes of every flat file, in the manner of PNG: the first is no ASCII, so that no text
#: begins like this, and line ends show whether something took the file for text.
MAGIC = b"\x8bBKE\r\n\x1a\n"

#: Version of the layout described here. Readers refuse any other.
FLAT_VERSION = 3

#: Columns begin at multiples of this, and it is the size of the header and of each table entry.
BORDER = 64

#: Which words of 32 bits are the checksum.
CHECKSUM_WORDS = slice(14, 16)

#: The profile of a column that belongs to the level.
LEVEL = -1

#: Bytes of a column's name in the table; the last is always zero.
NAME_BYTES = 24
#: Most dimensions of a column.
DIMENSIONS = 4

#: The number of each element type in the table of columns.
DTYPES: dict[str, int] = {
    "uint8": 1,
    "uint16": 2,
    "uint32": 3,
    "int32": 4,
    "int64": 5,
    "float64": 6,
    "text": 7,
}
#: Bytes of one element; of text that is one byte of it.
SIZES = {"uint8": 1, "uint16": 2, "uint32": 4, "int32": 4, "int64": 8, "float64": 8, "text": 1}


@dataclass(frozen=True)
class Field:
    """A field of the header or of a table entry: where it lies, its type, and what it says."""

    offset: int
    dtype: str
    name: str
    description: str


@dataclass(frozen=True)
class Number:
    """One of the numbers that describe the level or a profile: an element of column ``numbers``."""

    name: str
    description: str  #: what it says; all its values
    least: int = 0
    most: int = 2**31 - 1
    attribute: str = ""  #: what assets call it, where that is another name
    values: tuple[str | None, ...] = ()  #: the attribute where the number is 0, 1, and so on
    absent: int | None = None  #: the number where there is no such attribute

    def decoded(self, number: int) -> str | int | None:
        """Return the attribute that a number stands for; None where there is none."""
        if self.values:
            return self.values[number]
        return None if number == self.absent else number

    def encoded(self, attribute: str | int | None) -> int:
        """Return the number that stands for an attribute."""
        if self.values:
            return self.values.index(None if attribute is None else str(attribute))
        return int((self.absent or 0) if attribute is None else attribute)


#: The header, and an entry of the table of columns: see the schema.
HEADER_LAYOUT = struct.Struct("<8sHHIQ32sII")
ENTRY_LAYOUT = struct.Struct(f"<{NAME_BYTES}siHH{DIMENSIONS}IQQ")


@dataclass(frozen=True)
class Entry:
    """An entry of the table of columns; ``shape`` has the dimensions that are there."""

    name: str
    profile: int
    dtype: str
    shape: tuple[int, ...]
    offset: int
    size: int

    def to_bytes(self) -> bytes:
        """Return the 64 bytes of the entry."""
        shape = (*self.shape, *[0] * (DIMENSIONS - len(self.shape)))
        return ENTRY_LAYOUT.pack(
            self.name.encode("ascii"),
            self.profile,
            DTYPES[self.dtype],
            len(self.shape),
            *shape,
            self.offset,
            self.size,
        )


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

#: Elements of the level's column ``numbers``.
LEVEL_NUMBERS: tuple[Number, ...] = (
    Number("kind", "0 graph, 1 squares, 2 hexagons", most=2, values=("graph", "square", "hex")),
    Number("width", "cells from west to east; 0 on graphs", absent=0),
    Number("height", "cells from north to south on all floors together; 0 on graphs", absent=0),
    Number("floors", "floors, which lie below one another in the grid, the lowest first; 1 on "
        "graphs", least=1),
    Number("directions", "directions of steps: 4, 6 or 8; 0 on graphs",
        attribute="connectivity", absent=0),
    Number("hex_layout", "0 no hexagons, 1 odd-r, 2 even-r, 3 odd-q, 4 even-q", most=4,
        values=(None, *HEX_LAYOUTS)),
    Number("corner_cutting", "0 never, 1 one_free, 2 always", most=2, values=CORNER_CUTTING),
    Number("cost_rule", "0 mean, 1 entered", most=1, values=COST_RULES),
    Number("ticks_per_unit", "ticks in one unit of cost", least=1),
    Number("locations", "places of the level: width times height, or the nodes of a graph"),
    Number("nodes", "places on which some profile can stand, in some state of the doors"),
    Number("terrains", "terrains, 1 to 256", least=1, most=256),
    Number("profiles", "profiles in this file, at least 1", least=1),
    Number("usual_terrain", "terrain that a cell becomes if it is opened and no profile of this "
        "file can stand on what is there: the commonest on which one can"),
)

#: Elements of a profile's column ``numbers``.
PROFILE_NUMBERS: tuple[Number, ...] = (
    Number("rows", "locations on which the profile can stand"),
    Number("components", "strongly connected components", attribute="component_count"),
    Number("one_way", "1 where some arc leads from one component to another, else 0", most=1),
    Number("says_none", "1 where next hops hold the value for \"no path\" between components, "
        "else 0: then components and reach say it, and next hops mean nothing there", most=1),
    Number("size", "cells along one side of the footprint, 1 to 16; its north-west cell is the "
        "agent's location", least=1, most=MAX_SIZE, absent=1),
    Number("classes", "different costs of terrain that the profile can stand on"),
    Number("two_way", "1 where every arc leads back at the same price, else 0", most=1),
    Number("hierarchy_mode", "0 no hierarchy, 1 hpa", most=1, values=(None, "hpa")),
)
# fmt: on


#: The columns of flat files, in no particular order.
COLUMNS = tuple(each for each in ALL_COLUMNS if each.box != "asset")


def _only_in_flat_files() -> tuple[Attribute, ...]:
    """Return the numbers that are no attributes of assets, declared as such."""
    known = {each.name for each in ATTRIBUTES}
    groups = (("/", LEVEL_NUMBERS), (f"/profiles/{PROFILE}", PROFILE_NUMBERS))
    return tuple(
        Attribute(group, one.name, "integer", one.description, least=one.least, most=one.most)
        for group, numbers in groups
        for one in numbers
        if (one.attribute or one.name) not in known
    )


#: What flat files hold, as attributes and columns.
FLAT = Schema(
    (*ATTRIBUTES, *_only_in_flat_files()),
    COLUMNS,
    {
        **{"location": (False, "locations"), "node": (False, "nodes")},
        **{"terrain": (False, "terrains"), "profile": (False, "profiles")},
        **{"row": (True, "rows"), "class": (True, "classes")},
        "component": (True, "component_count"),
    },
)


def fingerprint_of_nodes(fingerprint: str) -> str:
    """Return the fingerprint of a flat file in which an asset's cells are the nodes of a graph.

    Its patches count other places than those of the asset, so neither may pass for the other.
    """
    return hashlib.sha256(f"cells are nodes {fingerprint}".encode()).hexdigest()


def checksum(words: AnyArray) -> tuple[int, int]:
    """Return both halves of the checksum: sums of all words, and of all sums on the way.

    This is J. Fletcher, "An Arithmetic Checksum for Serial Transmissions" (1982), on words of 32
    bits and modulo 2**32, which any language can do.

    Args:
        words: (k) uint32, the whole file; the checksum in it counts as zeros.

    Returns:
        a and b after ``a = 1; b = 0; for word in words: a += word; b += a`` modulo 2**32.
    """
    a, b = 1, 0
    for first in range(0, len(words), 2**20):
        piece = words[first : first + 2**20].astype(np.uint64)
        count = len(piece)
        if not first:
            piece[CHECKSUM_WORDS] = 0
        weighted = int((piece * np.arange(count, 0, -1, dtype=np.uint64)).sum(dtype=np.uint64))
        b = (b + a * count + weighted) & 0xFFFFFFFF
        a = (a + int(piece.sum())) & 0xFFFFFFFF
    return a, b


def stored(array: AnyArray) -> AnyArray:
    """Return an array as flat files hold it: little-endian, in C order.

    Texts become (k, width) uint8, each of which at least one zero follows.
    """
    if array.dtype.kind == "S":
        longest = max(map(len, array.tolist()), default=0)
        return array.astype(f"S{longest + 1}").view(np.uint8).reshape(len(array), longest + 1)
    return np.ascontiguousarray(array.astype(array.dtype.newbyteorder("<"), copy=False))
