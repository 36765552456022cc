"""Shrink a region to the points at a given distance inside its outline.

GEOS compares each grown outline with all others to decide which contains which, in quadratic time.
Outlines that are too far apart to meet when they grow are independent. So in a region with many
outlines, only outlines near each other are grown together, and the results are merged. The corners
are the same as without groups.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import shapely

from bake.core.arrays import AnyArray, Float64Array, Int64Array
from bake.geometry.area import Region

#: Regions with at most this many outlines are shrunk at once.
# limit: another algorithm gives the same answer; lowered by grown_shapes
MANY_OUTLINES = 1024


def shrink_region(region: Region, away: float, quarter: int) -> Region:
    """Return the part of a region at least a given distance inside its outline.

    Args:
        region: (Multi)Polygon with holes, in steps of the grid.
        away: the distance from the outline, in steps of the grid.
        quarter: segments of a quarter of a circle.

    Returns:
        (Multi)Polygon, whose corners need not be on the grid.
    """
    rings, owner = shapely.get_rings(shapely.get_parts(region), return_index=True)
    if len(rings) <= MANY_OUTLINES:
        return shapely.buffer(region, -away, quad_segs=quarter)
    group = _group_rings(rings, away + 1)
    order = np.argsort(group, kind="stable")
    begins = np.flatnonzero(np.diff(group[order], prepend=-1))
    is_shell = np.diff(owner, prepend=-1) != 0
    cut = [
        _cut_out(rings, owner, is_shell, group_rings, away)
        for group_rings in np.split(order, begins[1:])
    ]
    pieces = np.array([piece for piece, _ in cut], dtype=object)
    remaining = shapely.buffer(pieces, -away, quad_segs=quarter)
    return _merge_parts(remaining, np.array([framed for _, framed in cut]))


def _group_rings(rings: AnyArray, reach: float) -> Int64Array:
    """Return (k) int64 group numbers; rings that are connected by neighbors share theirs.

    Each number is the lowest ring of its group. Two rings are neighbors if boxes around their
    segments intersect, which are larger by ``reach`` on every side.
    """
    corner, ring_of = shapely.get_coordinates(rings, return_index=True)
    along = ring_of[1:] == ring_of[:-1]
    low = np.minimum(corner[1:], corner[:-1])[along] - reach
    high = np.maximum(corner[1:], corner[:-1])[along] + reach
    boxes = shapely.box(low[:, 0], low[:, 1], high[:, 0], high[:, 1])
    one, other = ring_of[:-1][along][shapely.STRtree(boxes).query(boxes)]
    pairs = np.unique(np.stack([one, other])[:, one < other], axis=1)
    group = np.arange(len(rings))
    while True:
        before = group.copy()
        for first, second in (pairs, pairs[::-1]):
            np.minimum.at(group, first, before[second])
        group = group[group]
        if np.array_equal(group, before):
            return group


def _cut_out(
    rings: AnyArray, owner: Int64Array, is_shell: AnyArray, members: Int64Array, away: float
) -> tuple[Any, bool]:
    """Return the part of a region with given outline rings, and whether it is framed.

    Holes of a polygon whose outer ring is in another group get a frame around them, at a distance
    that no hole grows to.
    """
    parts, framed = [], False
    for polygon in np.unique(owner[members]).tolist():
        polygon_rings = members[owner[members] == polygon]
        holes = rings[polygon_rings[~is_shell[polygon_rings]]]
        shell = rings[polygon_rings[is_shell[polygon_rings]]]
        if len(shell):
            parts.append(shapely.polygons(shell[0], holes=holes))
        else:
            parts.append(shapely.polygons(_frame(holes, 4 * away + 4), holes=holes))
            framed = True
    return shapely.multipolygons(parts), framed


def _frame(rings: AnyArray, wide: float) -> Any:
    remaining, top, right, bottom = shapely.total_bounds(rings) + np.array(
        [-wide, -wide, wide, wide]
    )
    return shapely.linearrings(
        [(remaining, top), (right, top), (right, bottom), (remaining, bottom)]
    )


def _merge_parts(remaining: AnyArray, framed: AnyArray) -> Region:
    """Merge the shrunk parts of a region.

    Inside a frame everything except the obstacles remains: their outlines are holes of the smallest
    area around them.
    """
    parts, piece = shapely.get_parts(remaining, return_index=True)
    extent: Float64Array = shapely.area(shapely.envelope(parts))
    order = np.lexsort((-extent, piece))
    largest = order[np.flatnonzero(np.diff(piece[order], prepend=-1))]
    in_frame = np.zeros(len(parts), dtype=np.bool_)
    in_frame[largest[framed[piece[largest]]]] = True
    outlines, areas = _holes(parts[in_frame]), parts[~in_frame]
    around, inside = shapely.STRtree(shapely.get_point(outlines, 0)).query(areas, "contains")
    home = np.full(len(outlines), -1)
    # Later writes win, so the smallest of several areas around an outline comes last.
    down = np.argsort(-shapely.area(areas)[around], kind="stable")
    home[inside[down]] = around[down]
    assert (home >= 0).all(), "every obstacle is inside the shrunk polygon that it is a hole of"
    for area in np.unique(home).tolist():
        holes = [*shapely.get_rings(areas[area])[1:], *outlines[home == area]]
        areas[area] = shapely.polygons(shapely.get_exterior_ring(areas[area]), holes=holes)
    return shapely.multipolygons(areas)


def _holes(polygons: AnyArray) -> AnyArray:
    """Return the inner rings of polygons."""
    rings, owner = shapely.get_rings(polygons, return_index=True)
    inner: AnyArray = rings[np.diff(owner, prepend=-1) == 0]
    return inner
