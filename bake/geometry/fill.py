"""Convert rings, even self-crossing ones, to areas by a fill rule.

The edges of all rings are snapped to the grid and cut where they cross. A face between them belongs
to the area if the winding number of a point inside satisfies the rule. So bow ties, overlapping and
doubled rings are areas like any other, and rings without area vanish.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import shapely

from bake.core.arrays import Float64Array, Int64Array
from bake.core.level import FillRule
from bake.geometry.area import Region

#: Half the width of a wall that is drawn as a line, in steps of the grid.
LINE = 1.0


def fill_rings(rings: Sequence[Float64Array], fill: FillRule) -> Region:
    """Return the area that rings enclose.

    Args:
        rings: (k, 2) float64 whole steps of the grid each.
        fill: "evenodd" or "nonzero".

    >>> square = np.array([[0, 0], [4, 0], [4, 4], [0, 4]], dtype=np.float64)
    >>> fill_rings([square, square / 2], "evenodd").area
    12.0
    """
    edges = [np.stack([ring, np.roll(ring, -1, axis=0)], axis=1) for ring in rings if len(ring)]
    if not edges:
        return shapely.MultiPolygon()
    edge = np.concatenate(edges)
    edge = edge[(edge[:, 0] != edge[:, 1]).any(axis=1)]
    faces = faces_between(shapely.linestrings(edge))
    if not len(faces):
        return shapely.MultiPolygon()
    inside = shapely.get_coordinates(shapely.point_on_surface(faces))
    winding = windings(edge, inside)
    is_inside = winding % 2 == 1 if fill == "evenodd" else winding != 0
    return shapely.union_all(faces[is_inside], grid_size=1.0)


def faces_between(lines: Region) -> Region:
    """Return an array of the polygons between lines, cut where they cross, in a fixed order.

    Args:
        lines: an array of lines in steps of the grid; all corners of the polygons are on it, too.
    """
    cut = shapely.union_all(lines, grid_size=1.0)
    faces = shapely.get_parts(shapely.polygonize(shapely.get_parts(cut)))
    box = shapely.bounds(faces).reshape(-1, 4)
    # Faces may share a box, but then one is inside a hole of the other.
    return faces[np.lexsort((shapely.area(faces), *box.T[::-1]))]


def windings(edge: Float64Array, point: Float64Array) -> Int64Array:
    """Return (n) int64, the winding numbers of closed rings around points.

    Args:
        edge: (m, 2, 2) float64, begin and end of each.
        point: (n, 2) float64, none of them on an edge.

    >>> ring = np.array([[0, 0], [4, 0], [4, 4], [0, 4]], dtype=np.float64)
    >>> edge = np.stack([ring, np.roll(ring, -1, axis=0)], axis=1)
    >>> windings(edge, np.array([[1.0, 1.0], [9.0, 1.0]])).tolist()
    [1, 0]
    """
    result = np.zeros(len(point), dtype=np.int64)
    order = np.argsort(point[:, 1], kind="stable")
    height = point[order, 1]
    low, high = edge[:, :, 1].min(axis=1), edge[:, :, 1].max(axis=1)
    first, last = np.searchsorted(height, low, side="left"), np.searchsorted(height, high, "left")
    for at in np.flatnonzero(first < last).tolist():
        (ax, ay), (bx, by) = edge[at].tolist()
        which = order[first[at] : last[at]]
        x, y = point[which].T
        side = (bx - ax) * (y - ay) - (by - ay) * (x - ax)
        # A ray to the east crosses the edge if the point lies to the west of it.
        upward = by > ay
        result[which] += ((side > 0) if upward else (side < 0)) * (1 if upward else -1)
    return result


def thicken_lines(lines: Sequence[Float64Array]) -> Region:
    """Return lines as walls, 2/1024 of a unit wide; points on them as squares."""
    shapes = [
        shapely.points(line[0]) if len(line) < 2 else shapely.linestrings(line) for line in lines
    ]
    wide = shapely.buffer(shapes, LINE, quad_segs=1, cap_style="square", join_style="mitre")
    return shapely.union_all(wide, grid_size=1.0)
