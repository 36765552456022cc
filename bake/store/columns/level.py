"""Columns of the level itself: terrains, nodes, the arcs between them, and their positions."""

from __future__ import annotations

from bake.store.columns.declared import MOST_ELEVATION, MOST_UNITS
from bake.store.columns.declared import column as _column
from levelbake.places import MAX_CELL, MAX_PLACE

# One declaration reads as one entry of a table, so lines are broken by hand below.
# fmt: off
COLUMNS = (
    _column("numbers", "int32", "level number", "number",
        "see above", box="flat", least=0),
    _column("name", "text", "one", "text",
        "name of the level", box="flat"),
    _column("recipe", "text", "one", "text",
        "attribute recipe of the asset", box="flat"),
    _column("profile_name", "text", "profile", "text",
        "name of each profile, in ascending order of their bytes; the place in it is its number",
        box="flat", order="ascending"),
    _column("terrain_name", "text", "terrain", "text",
        "names of the terrains", given=True, order="unique"),
    _column("terrain_colour", "uint8", "terrain, channel", "sRGB, 0 to 255",
        "colour to draw a terrain in", given=True),
    _column("terrain", "uint8", "location", "terrain",
        "terrain of each location, doors in the state the level is baked in; large lattices have "
        "ground in its place", refers="terrain"),
    _column("barred", "uint8", "location", "bits",
        "ledges: headings (1 north, 2 east, 4 south, 8 west) in which no step onto or off the "
        "cell is made; absent: there are none",
        world="grid", optional=True, given=True, least=0, most=15),
    _column("elevation", "float64", "location", "units",
        "how high the ground of each location lies; absent: the source does not say",
        optional=True, given=True, least=-MOST_ELEVATION, most=MOST_ELEVATION, finite=True),
    _column("ground", "uint8", "y, x", "terrain",
        "terrain of every cell, blocked ones too; only where block is there",
        box="asset", world="lattice", given=True, refers="terrain"),
    _column("is_node", "uint8", "y, line byte", "bits",
        "whether the cell is a node: bit 7 - x % 8 of byte x // 8 in line y; only where block is "
        "there",
        box="asset", world="lattice", bits="x", encoding="packed bits"),
    _column("node_location", "int32", "node", "location",
        "location of each node of a grid, y * width + x of its cell; absent where block is there",
        box="asset", world="grid", optional=True, refers="location", order="unique"),
    _column("node_at", "int32", "location", "node",
        "the asset's node at each location, -1: none. `bake` alone needs it",
        box="flat", world="grid", refers="node", none=-1),
    _column("first_out", "int32", "node + 1", "arc",
        "arcs of node v are first_out[v] to first_out[v + 1] - 1; an arc's place among them is "
        "its slot", world="graph", offsets="arc"),
    _column("head", "int32", "arc", "node", "node the arc leads to", world="graph", refers="node"),
    _column("length", "float64", "arc", "units",
        "length of the arc",
        world="graph", above=0, most=MOST_UNITS, finite=True),
    _column("cell", "int32", "location, cell number", "cells",
        "x, y and floor, or heading, of the cell that the node is; absent: nodes are no cells",
        box="flat", world="graph", optional=True, least=0),
    _column("centre", "float64", "floor or one, xy", "units of the source",
        "the middle of cell (0, 0): one row for all floors, or one for each. It and step are "
        "absent where the source does not say where cells lie",
        world="grid", optional=True, given=True, finite=True,
        least=-int(MAX_PLACE), most=int(MAX_PLACE)),
    _column("step", "float64", "2 or 3, xy", "units of the source",
        "from the middle of a cell to that of the next one in the east, and in the south (y "
        "runs to the south); of hexagons also along the sides that run across the lines",
        world="grid", optional=True, given=True, finite=True,
        least=-int(MAX_CELL), most=int(MAX_CELL)),
    _column("node_name", "text", "node", "text",
        "name of each node of a graph; absent where node_number is there",
        world="graph", optional=True, given=True, order="unique"),
    _column("node_number", "int64", "node", "number",
        "name of each node, where names are numbers",
        world="graph", optional=True, given=True, order="unique"),
    _column("position", "float64", "node, xy", "units of the source",
        "where the node lies; absent: the source does not say",
        world="graph", optional=True, given=True, finite=True),
)
# fmt: on
