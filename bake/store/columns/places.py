"""Columns of the plane: navigation meshes, walls around points of visibility, and domains."""

from __future__ import annotations

from bake.store.columns.declared import column as _column
from levelbake.places import MAX_PLACE

#: No corner is farther from the center of the plane than this, so that products are exact.
_FARTHEST = 2**28

# One declaration reads as one entry of a table, so lines are broken by hand below.
# fmt: off
COLUMNS = (
    _column("mesh_vertex", "int32", "vertex, xy", "1/1024 units of the source",
        "corners of polygons",
        box="asset", optional=True, needs="position", given=True, least=-_FARTHEST, most=_FARTHEST),
    _column("mesh_first_corner", "int32", "polygon + 1", "corner",
        "corners of polygon i are first_corner[i] to first_corner[i + 1] - 1, so that cross "
        "products of its edges in turn are not negative",
        box="asset", optional=True, given=True, offsets="corner", least=3),
    _column("mesh_corner", "int32", "corner", "vertex",
        "vertex of the corner", box="asset", optional=True, given=True, refers="vertex"),
    _column("mesh_neighbour", "int32", "corner", "polygon",
        "polygon behind the edge that begins at the corner; -1: a wall",
        box="asset", optional=True, refers="polygon", none=-1),
    _column("mesh_terrain", "uint8", "polygon", "terrain",
        "terrain of the polygon", box="asset", optional=True, given=True, refers="terrain"),
    _column("mesh_floor", "uint8", "polygon", "floor",
        "floor of the polygon, from 0; absent where all are 0",
        box="asset", optional=True, given=True),
    _column("mesh_first_node", "int32", "polygon + 1", "node of a polygon",
        "nodes of polygon i are first_node[i] to first_node[i + 1] - 1",
        box="asset", optional=True, offsets="node of a polygon", least=1),
    _column("mesh_node", "int32", "node of a polygon", "node",
        "node that lies in the polygon or on its border",
        box="asset", optional=True, refers="node"),
    _column("wall_corner", "int32", "wall corner, xy", "1/1024 units of the source",
        "corners of walls, with what agents' radii add; where walls meet in a point, each part "
        "of the area that begins there has a corner of its own",
        box="asset", optional=True, needs="position", given=True, least=-_FARTHEST, most=_FARTHEST),
    _column("wall_after", "int32", "wall corner", "wall corner",
        "corner that the wall which begins at the corner leads to; the area lies to the left of"
        " it where y grows upward",
        box="asset", optional=True, given=True, refers="wall corner", order="unique"),
    _column("wall_first_corner", "int32", "area + 1", "wall corner",
        "corners of area i are first_corner[i] to first_corner[i + 1] - 1",
        box="asset", optional=True, given=True, offsets="wall corner", least=3),
    _column("wall_floor", "uint8", "area", "floor",
        "floor of the area, from 0; absent where all are 0",
        box="asset", optional=True, given=True),
    _column("wall_area", "int32", "node", "area",
        "area that the node lies in", box="asset", optional=True, given=True, refers="area"),
    _column("wall_node", "int32", "wall corner", "node",
        "node that is the corner, as ways may bend there; -1: none. Absent where nodes are no "
        "points of visibility",
        box="asset", optional=True, refers="node", none=-1, order="unique"),
    _column("domain_weight", "float64", "node", "units of the source",
        "how high the node's cone stands: a point lies in the domain of the node whose weight "
        "less the distance is greatest. Absent where nodes are no characteristic points",
        box="asset", optional=True, needs="wall_corner", given=True, least=0, most=int(MAX_PLACE),
        finite=True),
    _column("domain_corner", "int32", "domain corner, xy", "1/1024 units of the source",
        "corners of domains that were drawn by hand, one closed ring after the other: a point in "
        "a ring lies in its node's domain, whatever weights say",
        box="asset", optional=True, needs="domain_weight", given=True),
    _column("domain_node", "int32", "domain corner", "node",
        "node whose domain the corner is of; each has one ring at most",
        box="asset", optional=True, needs="domain_corner", given=True, refers="node"),
)
# fmt: on
