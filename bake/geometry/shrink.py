"""Shrink a region: what is left lies at least some way inside its outline.

GEOS compares each outline that has grown with all others, to say which lies in which, and that
takes the square of their number. Outlines that lie too far apart to meet as they grow do not depend
on one another, so of a region with many outlines those that lie near each other are grown
together, and what is left is put together from all of them. No corner comes to lie elsewhere.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import shapely

from bake.arrays import AnyArray, Float64Array, Int64Array
from bake.geometry.area import Region

#: Regions with no more outlines are shrunk at once.
# limit: another algorithm gives the same answer; lowered by grown_shapes
MANY_OUTLINES = 1024


def shrunk(region: Region, away: float, quarter: int) -> Region:
    """Return what of a region lies at least so far inside.

    Args:
        region: (Multi)Polygon with holes, in steps of the grid.
        away: the distance from the outline, in steps of the grid.
        quarter: segments of a quarter of a circle.

    Returns:
        (Multi)Polygon, the corners of which need not lie on the grid.
    """
    rings, owner = shapely.get_rings(shapely.get_parts(region), return_index=True)
    if len(rings) <= MANY_OUTLINES:
        return shapely.buffer(region, -away, quad_segs=quarter)
    group = _groups(rings, away + 1)
    order = np.argsort(group, kind="stable")
    begins = np.flatnonzero(np.diff(group[order], prepend=-1))
    is_shell = np.diff(owner, prepend=-1) != 0
    cut = [_cut_out(rings, owner, is_shell, each, away) for each in np.split(order, begins[1:])]
    pieces = np.array([piece for piece, _ in cut], dtype=object)
    left = shapely.buffer(pieces, -away, quad_segs=quarter)
    return _put_together(left, np.array([framed for _, framed in cut]))


def _groups(rings: AnyArray, reach: float) -> Int64Array:
    """Return (k) int64, equal for rings that others lead to from one another.

    Each is the lowest of its group. Two rings are joined where boxes around their segments meet,
    which are larger by ``reach`` on every side.
    """
    corner, own = shapely.get_coordinates(rings, return_index=True)
    along = own[1:] == own[:-1]
    low = np.minimum(corner[1:], corner[:-1])[along] - reach
    high = np.maximum(corner[1:], corner[:-1])[along] + reach
    boxes = shapely.box(low[:, 0], low[:, 1], high[:, 0], high[:, 1])
    one, other = own[:-1][along][shapely.STRtree(boxes).query(boxes)]
    pairs = np.unique(np.stack([one, other])[:, one < other], axis=1)
    group = np.arange(len(rings))
    while True:
        before = group.copy()
        for here, there in (pairs, pairs[::-1]):
            np.minimum.at(group, here, before[there])
        group = group[group]
        if np.array_equal(group, before):
            return group


def _cut_out(
    rings: AnyArray, owner: Int64Array, is_shell: AnyArray, members: Int64Array, away: float
) -> tuple[Any, bool]:
    """Return the part of a region that some rings are the outline of, and whether it is framed.

    Holes of a polygon whose outer ring is elsewhere get a frame around them, too far for anything
    to grow there.
    """
    parts, framed = [], False
    for polygon in np.unique(owner[members]).tolist():
        own = members[owner[members] == polygon]
        holes = rings[own[~is_shell[own]]]
        shell = rings[own[is_shell[own]]]
        if len(shell):
            parts.append(shapely.polygons(shell[0], holes=holes))
        else:
            parts.append(shapely.polygons(_frame(holes, 4 * away + 4), holes=holes))
            framed = True
    return shapely.multipolygons(parts), framed


def _frame(rings: AnyArray, wide: float) -> Any:
    left, top, right, bottom = shapely.total_bounds(rings) + np.array([-wide, -wide, wide, wide])
    return shapely.linearrings([(left, top), (right, top), (right, bottom), (left, bottom)])


def _put_together(left: AnyArray, framed: AnyArray) -> Region:
    """Return one region from what is left of the parts that a region was cut into.

    What is left inside of frames is everywhere but in the obstacles there: their outlines are holes
    of the smallest area around them.
    """
    parts, piece = shapely.get_parts(left, return_index=True)
    extent: Float64Array = shapely.area(shapely.envelope(parts))
    order = np.lexsort((-extent, piece))
    largest = order[np.flatnonzero(np.diff(piece[order], prepend=-1))]
    in_frame = np.zeros(len(parts), dtype=np.bool_)
    in_frame[largest[framed[piece[largest]]]] = True
    outlines, areas = _holes(parts[in_frame]), parts[~in_frame]
    around, inside = shapely.STRtree(shapely.get_point(outlines, 0)).query(areas, "contains")
    home = np.full(len(outlines), -1)
    # Of several areas around an outline the last one that is written stays: the smallest.
    down = np.argsort(-shapely.area(areas)[around], kind="stable")
    home[inside[down]] = around[down]
    assert (home >= 0).all(), "an obstacle lies in what is left of the polygon that it is a hole of"
    for each in np.unique(home).tolist():
        holes = [*shapely.get_rings(areas[each])[1:], *outlines[home == each]]
        areas[each] = shapely.polygons(shapely.get_exterior_ring(areas[each]), holes=holes)
    return shapely.multipolygons(areas)


def _holes(polygons: AnyArray) -> AnyArray:
    """Return the inner rings of polygons."""
    rings, owner = shapely.get_rings(polygons, return_index=True)
    found: AnyArray = rings[np.diff(owner, prepend=-1) == 0]
    return found
