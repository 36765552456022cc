"""Declare once what a flat file holds; code and docs/flat-format.md follow from it.

All numbers are little-endian. The header and each entry of the table of columns take 64 bytes, and
every column begins at a multiple of 64.
"""

from __future__ import annotations

import functools
import hashlib
import struct
from dataclasses import dataclass
from typing import Literal

import numpy as np

from bake.arrays import AnyArray, UInt8Array

#: The first bytes of every flat file, in the manner of PNG: the first is no ASCII, so that no text
#: begins like this, and line ends show whether something took the file for text.
MAGIC = b"\x8bBKE\r\n\x1a\n"

#: Version of the layout described here. Readers refuse any other.
FLAT_VERSION = 2

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
    """One of the numbers that describe the level or a profile: an element of column ``numbers``.

    Attributes:
        name: what code calls it.
        description: what it says; all its values.
    """

    name: str
    description: str


@dataclass(frozen=True)
class FlatColumn:
    """A column.

    Attributes:
        name: of at most 23 ASCII characters, unique among those of the level, or of a profile.
        dtypes: the types it may have.
        dims: name of each dimension; equal names have equal lengths within the level, or profile.
        unit: of an element.
        description: what it says, with every value that has a meaning of its own.
        optional: whether it may be absent.
        world: the worlds that have it: grids, graphs or both.
        own: whether each profile has one; otherwise the level has it.
    """

    name: str
    dtypes: tuple[str, ...]
    dims: tuple[str, ...]
    unit: str
    description: str
    optional: bool
    world: Literal["grid", "graph", "both"]
    own: bool

    def fits(self, array: AnyArray) -> bool:
        """Tell whether an array may be this column; text is an array of bytes."""
        dtype = "uint8" if self.dtypes == ("text",) else str(array.dtype)
        wanted = ("uint8",) if self.dtypes == ("text",) else self.dtypes
        return dtype in wanted and array.ndim == len(self.dims)


def _column(
    name: str,
    dtypes: str,
    dims: str,
    unit: str,
    description: str,
    *,
    optional: bool = False,
    world: Literal["grid", "graph", "both"] = "both",
    own: bool = False,
) -> FlatColumn:
    types, names = tuple(dtypes.split()), tuple(dims.split(", "))
    return FlatColumn(name, types, names, unit, description, optional, world, own)


_optional = functools.partial(_column, optional=True)
_own = functools.partial(_column, own=True)
_own_optional = functools.partial(_column, own=True, optional=True)

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
    Number("kind", "0 graph, 1 squares, 2 hexagons"),
    Number("width", "cells from west to east; 0 on graphs"),
    Number("height", "cells from north to south on all floors together; 0 on graphs"),
    Number("floors", "floors, which lie below one another in the grid, the lowest first; 1 on "
        "graphs"),
    Number("directions", "directions of steps: 4, 6 or 8; 0 on graphs"),
    Number("hex_layout", "0 no hexagons, 1 odd-r, 2 even-r, 3 odd-q, 4 even-q"),
    Number("corner_cutting", "0 never, 1 one_free, 2 always"),
    Number("cost_rule", "0 mean, 1 entered"),
    Number("ticks_per_unit", "ticks in one unit of cost"),
    Number("locations", "places of the level: width times height, or the nodes of a graph"),
    Number("nodes", "places on which some profile can stand, in some state of the doors"),
    Number("terrains", "terrains, 1 to 256"),
    Number("profiles", "profiles in this file, at least 1"),
    Number("usual_terrain", "terrain that a cell becomes if it is opened and no profile of this "
        "file can stand on what is there: the commonest on which one can"),
)

#: Elements of a profile's column ``numbers``.
PROFILE_NUMBERS: tuple[Number, ...] = (
    Number("rows", "locations on which the profile can stand"),
    Number("components", "strongly connected components"),
    Number("one_way", "1 where some arc leads from one component to another, else 0"),
    Number("says_none", "1 where next hops hold the value for \"no path\" between components, "
        "else 0: then components and reach say it, and next hops mean nothing there"),
    Number("size", "cells along one side of the footprint, 1 to 16; its north-west cell is the "
        "agent's location"),
    Number("classes", "different costs of terrain that the profile can stand on"),
    Number("two_way", "1 where every arc leads back at the same price, else 0"),
    Number("hierarchy_mode", "0 no hierarchy, 1 hpa"),
)

COLUMNS: tuple[FlatColumn, ...] = (
    _column("numbers", "int32", "level number", "number", "see above"),
    _column("name", "text", "one, byte", "text", "name of the level"),
    _column("recipe", "text", "one, byte", "text", "the recipe that took effect, as JSON"),
    _column("profile_name", "text", "profile, byte", "text",
        "name of each profile, in ascending order of their bytes; the place in it is its number"),
    _column("terrain_name", "text", "terrain, byte", "text", "name of each terrain"),
    _column("terrain_colour", "uint8", "terrain, channel", "sRGB", "colour to draw it in"),
    _column("terrain", "uint8", "location", "terrain",
        "terrain of each location, doors in the state the level is baked in"),
    _optional("barred", "uint8", "location", "bits",
        "ledges: headings (1 north, 2 east, 4 south, 8 west) in which no step onto or off the cell "
        "is made; absent: there are none", world="grid"),
    _optional("elevation", "float64", "location", "units",
        "how high the ground of each location lies; absent: the source does not say"),
    _column("node_at", "int32", "location", "node",
        "the asset's node at each location, -1: none. The Python reader alone needs it",
        world="grid"),
    # These are the arcs of a graph.
    _column("first_out", "int32", "location + 1", "arc",
        "arcs of location v are first_out[v] to first_out[v + 1] - 1", world="graph"),
    _column("head", "int32", "arc", "location", "where the arc leads", world="graph"),
    _column("length", "float64", "arc", "units", "length of the arc", world="graph"),
    _optional("position", "float64", "location, xy", "units of the source",
        "where the node lies; absent: the source does not say", world="graph"),
    _optional("node_name", "text", "location, byte", "text",
        "name of each node; absent where node_number is there", world="graph"),
    _optional("node_number", "int64", "location", "number",
        "name of each node, where names are numbers", world="graph"),
    _optional("cell", "int32", "location, cell number", "cells",
        "x, y and floor, or heading, of the cell that the node is; absent: nodes are no cells",
        world="graph"),
    # This says where cells lie.
    _optional("centre", "float64", "floor or one, xy", "units of the source",
        "middle of cell (0, 0): one for all floors, or one for each; absent: see below",
        world="grid"),
    _optional("step", "float64", "2 or 3, xy", "units of the source",
        "from the middle of a cell to that of the next one in the east, and in the south; of "
        "hexagons also along the sides that run across the lines", world="grid"),
    # These are links: arcs between cells that need not be neighbours.
    _optional("link_from", "int32", "link arc", "location",
        "where each arc of a link begins, ascending; a link that leads both ways is two arcs. "
        "All columns of links are absent where there are none", world="grid"),
    _optional("link_to", "int32", "link arc", "location", "where it leads", world="grid"),
    _optional("link_ticks", "int32", "link arc", "ticks", "what it costs", world="grid"),
    _optional("link_number", "int32", "link arc", "link", "the link it is of", world="grid"),
    _optional("link_name", "text", "link, byte", "text", "unique name", world="grid"),
    _optional("link_id", "text", "link, byte", "text",
        "id in the editor, empty where it has none; absent: none has one", world="grid"),
    _optional("link_kind", "text", "link, byte", "text", "what the level calls it", world="grid"),
    _optional("link_start", "int32", "link", "location", "where it begins", world="grid"),
    _optional("link_goal", "int32", "link", "location", "where it leads", world="grid"),
    _optional("link_cost", "float64", "link", "units", "what it costs", world="grid"),
    _optional("link_both_ways", "uint8", "link", "0 or 1", "1 where it leads back", world="grid"),
    _optional("link_first_profile", "int32", "link + 1", "link profile",
        "profiles of link i are first_profile[i] to first_profile[i + 1] - 1; none: all",
        world="grid"),
    _optional("link_profile", "text", "link profile, byte", "text", "name of a profile",
        world="grid"),
    # These are arcs with a price of their own, which a patch had set before it was baked.
    _optional("price_from", "int32", "price", "location",
        "where an arc with a price of its own begins, ascending, then by price_to; absent: none"),
    _optional("price_to", "int32", "price", "location", "where it leads"),
    _optional("price_ticks", "int32", "price", "ticks", "what it costs; 2147483647: it is closed"),
    _optional("price_units", "float64", "price", "units", "the same in units; infinite: closed"),
    # These are named cells, or nodes of a graph.
    _optional("region_name", "text", "region, byte", "text", "unique name; absent: no regions"),
    _optional("region_id", "text", "region, byte", "text", "as link_id", world="grid"),
    _optional("region_first_cell", "int32", "region + 1", "region cell",
        "cells of region i are first_cell[i] to first_cell[i + 1] - 1"),
    _optional("region_cell", "int32", "region cell", "location",
        "a cell of the region; on graphs a node, which is part of no other region"),
    _optional("spot_name", "text", "spot, byte", "text", "unique name; absent: no spots",
        world="grid"),
    _optional("spot_id", "text", "spot, byte", "text", "as link_id", world="grid"),
    _optional("spot_kind", "text", "spot, byte", "text", "what the level calls it", world="grid"),
    _optional("spot_at", "int32", "spot", "location", "where it is", world="grid"),
    _optional("spot_first_profile", "int32", "spot + 1", "spot profile", "as for links",
        world="grid"),
    _optional("spot_profile", "text", "spot profile, byte", "text", "name of a profile",
        world="grid"),
    _optional("door_name", "text", "door, byte", "text", "unique name; absent: no doors",
        world="grid"),
    _optional("door_id", "text", "door, byte", "text", "as link_id", world="grid"),
    _optional("door_first_cell", "int32", "door + 1", "door cell",
        "cells of door i are first_cell[i] to first_cell[i + 1] - 1", world="grid"),
    _optional("door_cell", "int32", "door cell", "location", "a cell of the door", world="grid"),
    _optional("door_first_state", "int32", "door + 1", "door state",
        "states of door i are first_state[i] to first_state[i + 1] - 1", world="grid"),
    _optional("door_state_name", "text", "door state, byte", "text", "unique in its door",
        world="grid"),
    _optional("door_state", "int32", "door", "door state",
        "the state the level is baked in, counted over all doors; -1: none of them", world="grid"),
    _optional("door_first_terrain", "int32", "door state + 1", "door state cell",
        "terrains of state s are first_terrain[s] to first_terrain[s + 1] - 1, one for each cell "
        "of its door", world="grid"),
    _optional("door_terrain", "uint8", "door state cell", "terrain",
        "terrain of a cell in a state", world="grid"),
    # Each profile has these.
    _own("numbers", "int32", "profile number", "number", "see above"),
    _own("cost", "float64", "terrain", "units",
        "cost of crossing a cell of the terrain; NaN: the profile cannot stand there"),
    _own("class", "uint16", "terrain", "class",
        "the terrain's place among the profile's different costs, the lowest 0; 65535: the profile "
        "cannot stand there"),
    _own("step_ticks", "int32", "length, class, class", "ticks",
        "price of a step [straight 0 or diagonal 1, class at its tail, class at its head]; "
        "2147483647: more than an arc may cost", world="grid"),
    _own_optional("slope", "float64", "slope rule", "units",
        "what each unit of rise and of fall adds to a step, then the most that one step may rise "
        "and fall; absent: nothing, and anything. Weights have it, so small readers need it not"),
    _own_optional("may_enter", "uint8", "terrain, terrain", "0 or 1",
        "[from, to]: 1 where a step from one terrain to the other is allowed; absent: all are"),
    _own("row_at", "int32", "location", "row",
        "the row of each location in the profile's tables, -1: it cannot stand there"),
    _own_optional("component", "int32", "row", "component",
        "strongly connected component of the row; absent: there is one at most"),
    _own_optional("reach", "uint8", "component, reach byte", "bits",
        "bit 7 - j % 8 of byte j // 8 in row i: component j can be reached from component i; "
        "absent: each reaches itself alone, or says_none is 1"),
    _own_optional("first_run", "uint32", "row + 1", "run",
        "runs of row r are first_run[r] to first_run[r + 1] - 1, at least one. An asset without "
        "next hops has no runs"),
    _own_optional("run_start", "uint16 uint32", "run", "row",
        "first target of the run; that of a row's first run is 0, and they ascend"),
    _own_optional("run_move", "uint8 uint16 uint32", "run", "move",
        "the move toward every target of the run; all ones: there is no path; all ones less one: "
        "the greedy move. Means nothing for the row itself, and for targets that cannot be "
        "reached where says_none is 0"),
    _own_optional("greedy_kind", "uint8 uint16 uint32", "row", "kind",
        "which row of greedy_move is the row's; absent where there are no runs", world="grid"),
    _own_optional("greedy_move", "uint8 uint16 uint32", "kind, sector", "move",
        "the greedy move in each of 18 sectors of directions; all ones: none", world="grid"),
    _own_optional("link_open", "uint8", "link arc", "0 or 1",
        "1 where the profile may take the link; absent: there are no links", world="grid"),
    _own("weight", "int32", "arc", "ticks",
        "price of the arc; 2147483647: the profile may not take it", world="graph"),
    # These are distances, where `--with distances` asks for them.
    _own_optional("label_parent", "int32", "row", "row",
        "next row on the way to the root of its tree, -1 at a root"),
    _own_optional("label_top", "int32", "row", "row",
        "the highest row of the chain of rows that it lies in, itself where it is that"),
    _own_optional("first_label", "uint32", "row + 1", "label entry",
        "entries of row r are first_label[r] to first_label[r + 1] - 1: one for each row on the "
        "way from the root to itself, so there is one more than the row is deep"),
    _own_optional("label_away", "int32", "label entry", "ticks",
        "distance from the row to the entry's; 1073741824: no way"),
    _own_optional("label_toward", "int32", "label entry", "ticks",
        "distance from the entry's row to the row; absent: the same as label_away"),
    # These are as in the asset, where `--with hierarchy` asks for them.
    _own_optional("cluster", "uint16 int32", "row", "cluster", "as in the asset"),
    *(
        _own_optional(name, dtypes, dims, unit, "as in the asset")
        for name, dtypes, dims, unit in (
            ("layer_nodes", "int32", "layer", "transitions"),
            ("layer_clusters", "int32", "layer", "clusters"),
            ("layer_bits", "uint8", "layer", "bits"),
            ("layer_parent", "uint16 int32", "lower cluster", "cluster"),
            ("layer_node", "uint16 int32", "transition", "row or transition"),
            ("layer_degree", "uint16 int32", "transition", "arcs"),
            ("layer_head", "uint16 int32", "layer arc", "transition"),
            ("layer_weight", "int32", "layer arc", "ticks"),
            ("layer_field", "uint8", "field byte", "slots"),
            ("layer_landmark", "int32", "first transition, landmark", "ticks"),
        )
    ),
)
# fmt: on

_COLUMN = {(declared.own, declared.name): declared for declared in COLUMNS}


def column(profile: int, name: str) -> FlatColumn | None:
    """Return the declaration of a column of the level or of a profile; None where there is none."""
    return _COLUMN.get((profile != LEVEL, name))


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


def texts(values: list[str]) -> UInt8Array:
    """Return (k, width) uint8, texts in UTF-8, each of which at least one zero follows."""
    encoded = [value.encode() for value in values]
    width = 1 + max(map(len, encoded), default=0)
    return np.frombuffer(
        b"".join(each.ljust(width, b"\0") for each in encoded), dtype=np.uint8
    ).reshape(len(values), width)
