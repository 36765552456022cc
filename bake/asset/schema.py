"""Declare once what an asset holds; code and docs/format-columns.md follow from it."""

from __future__ import annotations

import functools
import hashlib
from dataclasses import dataclass
from typing import Literal

import numpy as np

from bake.arrays import AnyArray

FORMAT_NAME = "levelbake asset"

#: Version of the layout described here. Readers refuse other versions, each with its own error.
FORMAT_VERSION = 4
OLDEST_READABLE = 4

#: Revision of the baking code. It is raised whenever the same source and recipe give other bytes,
#: which makes every asset stale. CHANGELOG.md names each revision.
BAKE_REVISION = 8

#: The kind of an asset that is a pattern database, and no level.
PATTERNS_KIND = "patterns"

#: What stands for the profile's name in paths.
PROFILE = "{profile}"


@dataclass(frozen=True)
class Attribute:
    """A scalar on a group.

    Attributes:
        group: path of the group it sits on.
        name: its name.
        kind: "text", "integer" or "flag".
        description: what it says, with its unit.
        optional: whether it may be absent.
        values: the only values it may have; none = any of its kind.
    """

    group: str
    name: str
    kind: Literal["text", "integer", "flag"]
    description: str
    optional: bool = False
    values: tuple[str | int, ...] = ()


@dataclass(frozen=True)
class Column:
    """An array.

    Attributes:
        path: where it lies; `{profile}` stands for a profile's name.
        dtypes: allowed element types, little-endian; "S" is fixed-length UTF-8 text.
        dims: name of each dimension; equal names have equal lengths within an asset (or profile).
        unit: unit of one element.
        description: what it says.
        optional: whether it may be absent.
        shuffle: whether bytes of equal weight are brought together before deflating, which makes
            columns larger in which whole elements repeat.
        given: whether the level alone says it, so that nothing else in the asset proves it.
    """

    path: str
    dtypes: tuple[str, ...]
    dims: tuple[str, ...]
    unit: str
    description: str
    optional: bool = False
    shuffle: bool = True
    given: bool = False

    def fits(self, dtype: np.dtype[np.generic], shape: tuple[int, ...] | None) -> bool:
        """Tell whether an array of this element type and shape may be this column."""
        kind = "S" if dtype.kind == "S" else dtype.name
        return kind in self.dtypes and shape is not None and len(shape) == len(self.dims)


_OWN = f"/profiles/{PROFILE}"


def _always(
    path: str,
    dtypes: str,
    dims: str,
    unit: str,
    description: str,
    *,
    optional: bool = False,
    shuffle: bool = True,
    given: bool = False,
) -> Column:
    """Declare a column every asset has; a path without a slash is that of a profile's column."""
    full = path if path.startswith("/") else f"{_OWN}/{path}"
    types, names = tuple(dtypes.split()), tuple(dims.split(", "))
    return Column(full, types, names, unit, description, optional, shuffle, given)


_optional = functools.partial(_always, optional=True)


# One declaration reads as one entry of a table, so lines are broken by hand below.
# fmt: off
ATTRIBUTES: tuple[Attribute, ...] = (
    Attribute("/", "format", "text", f"always {FORMAT_NAME!r}", values=(FORMAT_NAME,)),
    Attribute("/", "format_version", "integer", "version of this layout"),
    Attribute("/", "bake_revision", "integer", "revision of the code that baked it"),
    Attribute("/", "name", "text", "name of the level: its file name without extension"),
    Attribute("/", "kind", "text", "square, hex or graph", values=("square", "hex", "graph")),
    Attribute("/", "width", "integer", "cells from west to east", optional=True),
    Attribute("/", "height", "integer", "cells from north to south", optional=True),
    Attribute("/", "hex_layout", "text", "odd-r, even-r, odd-q or even-q", optional=True,
        values=("odd-r", "even-r", "odd-q", "even-q")),
    Attribute("/", "connectivity", "integer", "neighbours of a cell: 4, 6 or 8", optional=True,
        values=(4, 6, 8)),
    Attribute("/", "corner_cutting", "text", "never, one_free or always",
        values=("never", "one_free", "always")),
    Attribute("/", "cost_rule", "text", "mean or entered", values=("mean", "entered")),
    Attribute("/", "ticks_per_unit", "integer", "ticks in one unit of cost"),
    Attribute("/", "recipe", "text", "the recipe that took effect, as canonical JSON"),
    Attribute("/", "node_name_type", "text", "str or int", optional=True, values=("str", "int")),
    Attribute(_OWN, "component_count", "integer", "strongly connected components"),
    Attribute(_OWN, "one_way", "flag",
        "1 where some arc leads from one component to another, else 0", values=(0, 1)),
    Attribute(_OWN, "hierarchy_mode", "text",
        "hpa: some crossings of an entrance are transitions, on graphs all", optional=True,
        values=("hpa",)),
    Attribute(_OWN, "two_way", "flag",
        "1 where every arc leads back at the same weight, else 0", optional=True, values=(0, 1)),
    Attribute("/", "floor_height", "integer",
        "rows of one floor, where several lie below one another in the grid, the "
        "lowest first", optional=True),
    Attribute("/", "headings", "integer",
        "ways an agent can face: 4, 6 or 8; each floor is the level as faced one of these ways, "
        "clockwise from the east (of hexagons in columns, from the south)", optional=True,
        values=(4, 6, 8)),
    Attribute(_OWN, "size", "integer",
        "cells along one side of the square footprint, whose north-west cell is "
        "where the agent is; absent where it is 1", optional=True),
    Attribute("/", "block", "integer",
        "of a large lattice: cells along one side of a square; nodes are numbered square by "
        "square, row by row in each. Columns first_out, head, length, node_terrain, cell and "
        "weight are absent then, as they follow from is_node, steps and step_ticks", optional=True),
    Attribute(_OWN, "pivot_two_way", "flag",
        "1 where every arc can be taken back at the same cost: then pivot and "
        "basin columns hold for both directions", optional=True, values=(0, 1)),
    Attribute(_OWN, "field_shift", "integer",
        "slopes of fields are in 1 / 2**field_shift ticks", optional=True),
)

#: All columns, in the order in which they are written into the file.
COLUMNS: tuple[Column, ...] = (
    _always("/terrain/name", "S", "terrain", "text", "names of the terrains", given=True),
    _always("/terrain/colour", "uint8", "terrain, channel", "sRGB, 0 to 255",
        "colour to draw a terrain in", given=True),
    _optional("/terrain/grid", "uint8", "y, x", "terrain",
        "terrain of every cell, blocked ones too"),
    _always("/world/first_out", "int32", "node + 1", "arc",
        "arcs of node v are first_out[v] to first_out[v + 1] - 1; an arc's place among them is "
        "its slot"),
    _always("/world/head", "int32", "arc", "node", "node the arc leads to"),
    _always("/world/length", "float64", "arc", "units",
        "length of the step: 1, the square root of 2, or the length given by a graph"),
    _always("/world/node_terrain", "uint8", "node", "terrain", "terrain of the node"),
    _optional("/world/cell", "int32", "node, xy", "cells",
        "x from the west and y from the north of the node's cell"),
    _optional("/world/is_node", "uint8", "y, line byte", "bits",
        "bit 7 - x % 8 of byte x // 8 in line y: the cell is a node; only where block is there"),
    _optional("/world/centre", "float64", "floor, xy", "units of the source",
        "the middle of cell (0, 0): one row for all floors, or one for each. It and step are "
        "absent where the source does not say where cells lie", given=True),
    _optional("/world/step", "float64", "step, xy", "units of the source",
        "from the middle of a cell to that of the next one in the east, and in the south (y runs "
        "to the south); of hexagons also along the sides that run across the lines", given=True),
    _optional("/world/position", "float64", "node, xy", "units of the source",
        "where a graph's node lies", given=True),
    _optional("/world/node_name", "S int64", "node", "text or number", "name of a graph's node",
        given=True),
    _optional("/world/node_region", "int32", "node", "region",
        "region that a graph's node is part of, -1: of none; absent where there are none",
        given=True),
    # These are the convex polygons of a navigation mesh.
    _optional("/mesh/vertex", "int32", "vertex, xy", "1/1024 units of the source",
        "corners of polygons", given=True),
    _optional("/mesh/first_corner", "int32", "polygon + 1", "corner",
        "corners of polygon i are first_corner[i] to first_corner[i + 1] - 1, so that cross "
        "products of its edges in turn are not negative", given=True),
    _optional("/mesh/corner", "int32", "corner", "vertex", "vertex of the corner", given=True),
    _optional("/mesh/neighbour", "int32", "corner", "polygon",
        "polygon behind the edge that begins at the corner; -1: a wall"),
    _optional("/mesh/terrain", "uint8", "polygon", "terrain", "terrain of the polygon",
        given=True),
    _optional("/mesh/floor", "uint8", "polygon", "floor",
        "floor of the polygon, from 0; absent where all are 0", given=True),
    _optional("/mesh/first_node", "int32", "polygon + 1", "node of a polygon",
        "nodes of polygon i are first_node[i] to first_node[i + 1] - 1"),
    _optional("/mesh/node", "int32", "node of a polygon", "node",
        "node that lies in the polygon or on its border"),
    # These are the walls around points of visibility and Dirichlet domains.
    _optional("/walls/corner", "int32", "wall corner, xy", "1/1024 units of the source",
        "corners of walls, with what agents' radii add; where walls meet in a point, each part of "
        "the area that begins there has a corner of its own", given=True),
    _optional("/walls/after", "int32", "wall corner", "wall corner",
        "corner that the wall which begins at the corner leads to; the area lies to the left of "
        "it where y grows upward", given=True),
    _optional("/walls/first_corner", "int32", "area + 1", "wall corner",
        "corners of area i are first_corner[i] to first_corner[i + 1] - 1", given=True),
    _optional("/walls/floor", "uint8", "area", "floor",
        "floor of the area, from 0; absent where all are 0", given=True),
    _optional("/walls/area", "int32", "node", "area", "area that the node lies in", given=True),
    _optional("/walls/node", "int32", "wall corner", "node",
        "node that is the corner, as ways may bend there; -1: none. Absent where nodes are no "
        "points of visibility"),
    _optional("/domains/weight", "float64", "node", "units of the source",
        "how high the node's cone stands: a point lies in the domain of the node whose weight less "
        "the distance is greatest. Absent where nodes are no characteristic points", given=True),
    # These say what each profile pays, and hold its tables.
    _always("cost", "float64", "terrain", "units",
        "cost of crossing one cell; NaN where the profile cannot go"),
    _always("weight", "int32", "arc", "ticks",
        "cost of taking the arc; 2147483647 where the profile may not"),
    # These three hold the arcs of large lattices, in place of columns that name each.
    _optional("steps", "uint8", "y, x", "bits",
        "bit s is set where the profile may take the step of slot s from the cell: straight steps "
        "clockwise from the east, then diagonal ones clockwise from the south-east; on hexagonal "
        "grids clockwise from the east or south"),
    _optional("step_ticks", "int32", "terrain, terrain, slant", "ticks",
        "[from, to]: cost of a straight step, and of a diagonal one, from a cell of one terrain to "
        "a cell of another; 2147483647 where there is none"),
    _optional("dearest", "uint8", "y, x", "terrain or 255",
        "terrain of the dearest cell under the footprint of an agent of several cells; 255 where "
        "it does not fit"),
    _always("component", "int32", "node", "component",
        "strongly connected component; -1 where the profile cannot stand. The profile's rows are "
        "the other nodes, in order"),
    _optional("reach", "uint8", "component, byte", "bits",
        "bit 7 - j % 8 of byte j // 8 in row i: component j can be reached from component i"),
    _optional("run_length", "uint8", "length byte", "targets",
        "how many targets each run has, row after row, and 0 for a row's last run, which ends with "
        "the table. LEB128: seven bits of a length a byte, the lowest ones first, and 128 added to "
        "all of its bytes but the last. This and the next column are next hops"),
    _optional("run_slot", "uint8 uint16 uint32", "run", "slot",
        "slot of the arc to take toward every target of the run; all ones: no path; all ones less "
        "one: the greedy move. Means nothing for the row itself and for targets that component "
        "and reach say cannot be reached"),
    # These are distances, by labels.
    _optional("label_parent", "int32", "row", "row",
        "next row on the way to the root of its tree; -1 at a root. A row's label has an entry for "
        "each row on the way from the root to its parent, in this order"),
    _optional("label_difference", "int32", "label difference", "ticks",
        "what entries stand for; the first is of no use"),
    _optional("label_away", "uint8 uint16 uint32", "label entry", "label difference",
        "label after label: what to add to the parent's distance (0 for the parent itself, and "
        "where it knows no way) for the distance from the row to the entry's; 0: no way"),
    _optional("label_toward", "uint8 uint16 uint32", "label entry", "label difference",
        "the same for the distance from the entry's row to the row; absent where the two are "
        "always equal"),
    _optional("cluster", "uint16 int32", "row", "cluster",
        "cluster of the row, from 0; rows of one are connected"),
    # These say where on a large lattice clusters begin, so that a reader need not read all of it.
    _optional("square_clusters", "int32", "square", "clusters",
        "clusters in each square of the grid, in reading order; only where block is there"),
    _optional("cluster_rows", "uint16 int32", "first cluster", "rows",
        "rows of each cluster; only where block is there"),
    _optional("cluster_transitions", "uint16 int32", "first cluster", "transitions",
        "transitions of the first layer in each cluster; only where block is there"),
    _optional("step_range", "int32", "slant, bound", "ticks",
        "of straight steps, and of diagonal ones (on hexagonal grids: in the coordinates in which "
        "runs are straight), the cost of the cheapest and of the dearest; 0 = there is none; only "
        "where block is there"),
    # These hold layers of transitions, one after another, the lowest first.
    _optional("layer_nodes", "int32", "layer", "transitions",
        "transitions of each layer, lowest layer first; columns by transition or layer arc hold "
        "those of one layer after another"),
    _optional("layer_clusters", "int32", "layer", "clusters",
        "clusters of each layer; the first layer's are those of column cluster"),
    _optional("layer_bits", "uint8", "layer", "bits",
        "bits of a slot in the first layer's fields: 4, 8 or 16; 0 = it has none, as all other "
        "layers have"),
    _optional("layer_parent", "uint16 int32", "lower cluster", "cluster",
        "cluster of the next layer that each cluster of all layers but the last is part of"),
    _optional("layer_node", "uint16 int32", "transition", "row or transition",
        "row of a transition of the first layer; of any other layer its number in the layer "
        "below, from 0. By cluster, within one ascending"),
    _optional("layer_degree", "uint16 int32", "transition", "arcs",
        "arcs that leave the transition in its layer"),
    _optional("layer_head", "uint16 int32", "layer arc", "transition",
        "transition the arc leads to, numbered from 0 in its layer; ascending. An arc inside a "
        "cluster stands for a shortest path in there, one between clusters for an arc below"),
    _optional("layer_weight", "int32", "layer arc", "ticks", "cost of the arc"),
    _optional("layer_field", "uint8", "field byte", "slots",
        "for each transition of the first layer, for each row of its cluster in order: slot of the "
        "arc to take toward it, all ones = no way or there. Fields begin at whole bytes, lower "
        "bits first", shuffle=False),
    _optional("layer_landmark", "int32", "first transition, landmark", "ticks",
        "cost of the way to every transition of the first layer from each landmark of the "
        "connected part that it lies in; 2147483647 where there is none"),
    # These are rules of movement that weights do not show; only updates need them.
    _optional("/terrain/barred", "uint8", "y, x", "bits",
        "headings (1 north, 2 east, 4 south, 8 west) in which no step onto or off the cell is "
        "made; absent where there are none", given=True),
    _optional("/terrain/elevation", "float64", "y, x", "units",
        "how high the ground of the cell lies; absent where the source does not say", given=True),
    _optional("/world/elevation", "float64", "node", "units",
        "how high a graph's node lies; absent where the source does not say", given=True),
    _optional("turn", "float64", "one", "units",
        "what turning by one heading costs; only where headings is there"),
    _optional("slope", "float64", "slope rule", "units",
        "what each unit of rise adds to the price of a step, and each of fall; the most that a "
        "step may rise, and fall (infinite: any). Absent where none of it matters"),
    _optional("may_enter", "uint8", "terrain, terrain", "0 or 1",
        "[from, to]: 1 where a step from one terrain to the other is allowed; absent where all "
        "are"),
    # These are links, regions, spots and doors. Their cells are those of the whole grid, in which
    # floors lie below one another.
    _optional("/world/link", "int32", "arc", "link",
        "link the arc is, -1 for a step; of a link, length is its whole cost"),
    _optional("/world/own_price", "float64", "arc", "units",
        "what a patch made the arc cost, in place of what terrain says; infinite: it is closed; "
        "NaN: it costs what terrain says"),
    _optional("/links/name", "S", "link", "text", "name of the link, unique among them",
        given=True),
    _optional("/links/id", "S", "link", "text",
        "id of the object or entity in the editor; empty where it has none", given=True),
    _optional("/links/kind", "S", "link", "text", "what the level calls the link", given=True),
    _optional("/links/start", "int32", "link, xy", "cells", "x and y of where it begins"),
    _optional("/links/goal", "int32", "link, xy", "cells", "x and y of where it leads"),
    _optional("/links/cost", "float64", "link", "units", "cost of taking it"),
    _optional("/links/both_ways", "uint8", "link", "0 or 1", "1 where it leads back, too"),
    _optional("/links/first_profile", "int32", "link + 1", "link profile",
        "profiles of link i are first_profile[i] to first_profile[i + 1] - 1; none: all"),
    _optional("/links/profile", "S", "link profile", "text", "name of a profile the link is for"),
    _optional("/links/first_via", "int32", "link + 1", "via cell",
        "cells that link i passes through are first_via[i] to first_via[i + 1] - 1. This, via and "
        "over are absent where no link passes through any", given=True),
    _optional("/links/via", "int32", "via cell, xy", "cells",
        "x and y of a cell that the link passes through, from its start to its goal",
        given=True),
    _optional("/links/over", "uint8", "link, terrain", "0 or 1",
        "1 where the link passes over the terrain though nobody can stand on it; any other such "
        "terrain in a cell of via closes it", given=True),
    _optional("/regions/name", "S", "region", "text", "name of the region, unique among them",
        given=True),
    _optional("/regions/id", "S", "region", "text",
        "id of the object or entity in the editor; empty where it has none", given=True),
    _optional("/regions/first_cell", "int32", "region + 1", "region cell",
        "cells of region i are first_cell[i] to first_cell[i + 1] - 1; absent on graphs",
        given=True),
    _optional("/regions/cell", "int32", "region cell, xy", "cells",
        "x and y of the region's cells; absent on graphs", given=True),
    _optional("/spots/name", "S", "spot", "text", "name of the spot, unique among them",
        given=True),
    _optional("/spots/id", "S", "spot", "text",
        "id of the object or entity in the editor; empty where it has none", given=True),
    _optional("/spots/kind", "S", "spot", "text", "what the level calls the spot", given=True),
    _optional("/spots/cell", "int32", "spot, xy", "cells", "x and y of where it is", given=True),
    _optional("/spots/first_profile", "int32", "spot + 1", "spot profile",
        "profiles of spot i are first_profile[i] to first_profile[i + 1] - 1; none: all",
        given=True),
    _optional("/spots/profile", "S", "spot profile", "text", "name of a profile the spot is for",
        given=True),
    _optional("/doors/name", "S", "door", "text", "name of the door, unique among them",
        given=True),
    _optional("/doors/id", "S", "door", "text",
        "id of the object or entity in the editor; empty where it has none", given=True),
    _optional("/doors/first_cell", "int32", "door + 1", "door cell",
        "cells of door i are first_cell[i] to first_cell[i + 1] - 1", given=True),
    _optional("/doors/cell", "int32", "door cell, xy", "cells", "x and y of the door's cells",
        given=True),
    _optional("/doors/first_state", "int32", "door + 1", "door state",
        "states of door i are first_state[i] to first_state[i + 1] - 1", given=True),
    _optional("/doors/state_name", "S", "door state", "text", "name of the state", given=True),
    _optional("/doors/state", "int32", "door", "door state",
        "the state the level is baked in; -1: none of them, as a patch was folded in"),
    _optional("/doors/terrain", "uint8", "door state cell", "terrain",
        "state after state, terrain of each of its door's cells", given=True),
    # These say what the level is built of, if it is built of prototypes.
    _optional("/prototypes/name", "S", "prototype", "text",
        "name of the prototype, unique among them", given=True),
    _optional("/prototypes/size", "int32", "prototype, xy", "cells",
        "width and height as it is drawn", given=True),
    _optional("/instances/prototype", "int32", "instance", "prototype",
        "the prototype that stands there", given=True),
    _optional("/instances/at", "int32", "instance, xy", "cells",
        "x and y of the north-west corner of what it covers, in the whole grid", given=True),
    _optional("/instances/turn", "uint8", "instance", "turn",
        "quarter turns clockwise; and 4 more where east and west are swapped first", given=True),
    # These are lower bounds of distances.
    _optional("cluster_distance", "int32", "cluster, cluster", "ticks",
        "[from, to]: the smallest distance from a row of one cluster to a row of the other; "
        "2147483647 where there is no path"),
    _optional("pivot_distance", "int32", "row, pivot column", "ticks",
        "distance between the row and a pivot; where pivot_two_way is 0 the first half of the "
        "columns are distances to pivots, the second half distances from the same pivots. Where "
        "there is no path stands the largest distance of the column"),
    _optional("basin", "uint8 uint16 int32", "row", "basin", "basin the row belongs to"),
    _optional("basin_anchor", "int32", "basin", "row",
        "row of the basin where its fields are zero"),
    _optional("basin_distance", "int32", "basin pair", "ticks",
        "smallest distance less both fields from a row of one basin to a row of another; "
        "2147483647 where there is no path. Where pivot_two_way is 1 the pair a <= b stands at b "
        "* (b + 1) / 2 + a, else from a to b at a * basins + b"),
    _optional("basin_fields", "uint8", "basin pair", "field",
        "16 times the field of basin a plus that of basin b"),
    _optional("field", "int32", "field, part", "ticks a step; sign",
        "slope along x and along y of the row's coordinates, then the sign with which each pivot "
        "column counts"),
)

#: The tables: name in a recipe (or of a part), what it is, and the columns it is made of.
TABLES: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("components", "connected components", ("component",)),
    ("reach", "reachability between components", ("reach",)),
    ("next_hops", "all-pairs next hops, compressed", ("run_length", "run_slot")),
    ("distances", "all-pairs distances, by labels each way",
        ("label_parent", "label_difference", "label_toward", "label_away")),
    ("distances", "all-pairs distances, by labels",
        ("label_parent", "label_difference", "label_away")),
    ("clusters", "connected groups of places", ("cluster",)),
    ("hierarchy", "layers of transitions between clusters",
        ("layer_nodes", "layer_clusters", "layer_bits", "layer_parent", "layer_head",
         "layer_weight", "layer_landmark", "layer_degree", "layer_field", "layer_node")),
    ("cluster_distances", "distances between clusters", ("cluster_distance",)),
    ("heuristic", "distances to pivots, and between basins corrected by fields",
        ("basin", "pivot_distance", "basin_anchor", "field", "basin_fields", "basin_distance")),
    ("heuristic", "distances to pivots", ("pivot_distance",)),
)
# fmt: on


class Schema:
    """What one kind of asset holds.

    Attributes:
        attributes: in no particular order.
        columns: in the order in which they are written into the file.
    """

    def __init__(self, attributes: tuple[Attribute, ...], columns: tuple[Column, ...]) -> None:
        self.attributes = attributes
        self.columns = columns
        self._column = {declared.path: declared for declared in columns}
        self._attribute = {(declared.group, declared.name): declared for declared in attributes}
        self._along: dict[str, list[Column]] = {}
        for declared in columns:
            for dim in {name.removesuffix(" + 1") for name in declared.dims}:
                self._along.setdefault(dim, []).append(declared)

    def column(self, path: str) -> Column:
        """Return the declaration of a column by its path or path pattern.

        Raises:
            KeyError: the schema has no such column.
        """
        return self._column[pattern_of(path)]

    def columns_along(self, dim: str) -> list[Column]:
        """Return the declarations of the columns with a dimension, as long or longer by one."""
        return self._along.get(dim, [])

    def attribute(self, group: str, name: str) -> Attribute:
        """Return the declaration of an attribute by its group or the group's pattern, and its name.

        Raises:
            KeyError: the schema has no such attribute.
        """
        pattern = pattern_of(f"{group}/x").rsplit("/", 1)[0] or "/"
        return self._attribute[pattern, name]


#: What the asset of a level holds.
LEVELS = Schema(ATTRIBUTES, COLUMNS)


def column(path: str) -> Column:
    """Return the declaration of a column of levels; see :meth:`Schema.column`."""
    return LEVELS.column(path)


def attribute(group: str, name: str) -> Attribute:
    """Return the declaration of an attribute of levels; see :meth:`Schema.attribute`."""
    return LEVELS.attribute(group, name)


def profile_path(profile: str, name: str) -> str:
    """Return the path of one of a profile's columns."""
    return f"/profiles/{profile}/{name}"


def pattern_of(path: str) -> str:
    """Return the path pattern behind a concrete path."""
    parts = path.split("/")
    if len(parts) == 4 and parts[1] == "profiles":
        parts[2] = PROFILE
    return "/".join(parts)


def digest_of(array: AnyArray) -> str:
    """Return sha256 of a column: of its elements in C order, little-endian."""
    little = array.astype(array.dtype.newbyteorder("<"), order="C", copy=False)
    return hashlib.sha256(np.ascontiguousarray(little).data).hexdigest()
