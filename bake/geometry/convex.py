"""Divide areas into convex polygons: a constrained Delaunay triangulation, then merged.

Triangles come from GEOS, and are verified in whole numbers: their areas sum up to that of the
region, and every edge is shared by two of them or part of the outline. Then edges are removed, the
longest first, if the angles at both ends stay convex (Hertel and Mehlhorn, "Fast triangulation of
simple polygons", 1983), which leaves at most four times as many polygons as the minimum.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import shapely

from bake.core.arrays import BoolArray, Int32Array, Int64Array
from bake.core.errors import LevelError
from bake.geometry.area import Floor, Geometry, Region
from bake.geometry.fill import faces_between

_SLIVER = "the outline is too fine for a grid of 1/1024 of a unit"


class Convex(NamedTuple):
    """Convex polygons of one floor, each within one area."""

    vertex: Int64Array  #: (v, 2) int64 steps of the grid, sorted
    first_corner: Int32Array  #: (p + 1) int32
    #: (c) int32 vertices, in the order in which cross products of consecutive edges are not
    #: negative
    corner: Int32Array
    neighbour: Int32Array  #: (c) int32, the polygon behind the edge that begins here; -1 = none
    area: Int32Array  #: (p) int32, place of its area on the floor


def convex_polygons(geometry: Geometry, floor: Floor) -> Convex:
    """Divide a floor into convex polygons.

    Raises:
        LevelError: the triangulation is invalid, so GEOS failed.
    """
    faces, area = _faces(floor)
    triangle, owner = _triangles(geometry, faces)
    vertex, corner = np.unique(triangle.reshape(-1, 2), axis=0, return_inverse=True)
    corner = _orient_left(vertex, corner.reshape(-1, 3))
    order = np.lexsort(corner.T[::-1])
    corner, area_of = corner[order], area[owner[order]]
    twin = twins(corner.reshape(-1), _after(len(corner)))
    _check(geometry, faces, vertex, corner, twin)
    return _merge_triangles(vertex, corner.reshape(-1), twin, area_of)


def _faces(floor: Floor) -> tuple[Region, Int32Array]:
    """Return the faces of a floor, with a corner wherever others touch them, and their areas."""
    regions = [area.region for area in floor.areas]
    if not regions:
        return np.zeros(0, dtype=object), np.zeros(0, dtype=np.int32)
    faces = faces_between(shapely.boundary(np.array(regions, dtype=object)))
    inside = shapely.point_on_surface(faces)
    area_of = np.full(len(faces), -1, dtype=np.int32)
    for at, region in enumerate(regions):
        shapely.prepare(region)
        area_of[shapely.contains(region, inside)] = at
    return faces[area_of >= 0], area_of[area_of >= 0]


def _triangles(geometry: Geometry, faces: Region) -> tuple[Int64Array, Int64Array]:
    """Return (t, 3, 2) int64 corners, and the face that contains each triangle."""
    if not len(faces):
        return np.zeros((0, 3, 2), dtype=np.int64), np.zeros(0, dtype=np.int64)
    try:
        triangles, owner = shapely.get_parts(
            shapely.constrained_delaunay_triangles(faces), return_index=True
        )
    except shapely.errors.GEOSException as error:
        raise LevelError(_SLIVER, file=geometry.source, place=str(error)) from None
    corner = shapely.get_coordinates(triangles).reshape(-1, 4, 2)[:, :3].astype(np.int64)
    flat = _cross(corner[:, 0], corner[:, 1], corner[:, 2]) == 0
    return corner[~flat], owner[~flat]


def _cross(a: Int64Array, b: Int64Array, c: Int64Array) -> Int64Array:
    """Return twice the areas of triangles, exact: positive if they turn from x toward y."""
    (ux, uy), (vx, vy) = (b - a).T, (c - a).T
    result: Int64Array = ux * vy - uy * vx
    return result


def _orient_left(vertex: Int64Array, corner: Int64Array) -> Int64Array:
    """Return triangles with one orientation that begin at their lowest vertex."""
    right = _cross(*(vertex[corner[:, at]] for at in range(3))) < 0
    corner = np.where(right[:, None], corner[:, ::-1], corner)
    first = np.argmin(corner, axis=1)
    return np.take_along_axis(corner, (first[:, None] + np.arange(3)) % 3, axis=1)


def _after(triangles: int) -> Int64Array:
    """Return (3 t) int64, the corner after each corner of triangles."""
    at = np.arange(3 * triangles).reshape(-1, 3)
    return np.roll(at, -1, axis=1).reshape(-1)


def twins(corner: Int64Array, after: Int64Array) -> Int64Array:
    """Return the reverse edge of each edge, or -1 unless exactly one exists.

    Args:
        corner: (c) vertex at which each edge begins.
        after: (c) edge that follows it around its polygon.
    """
    count = int(corner.max(initial=0)) + 1
    key = corner * count + corner[after]
    back = corner[after] * count + corner
    order = np.argsort(key, kind="stable")
    ranked = key[order]
    at = np.minimum(np.searchsorted(ranked, back), max(0, len(ranked) - 1))
    is_unique = np.ones(len(ranked), dtype=np.bool_)
    is_unique[1:] &= ranked[1:] != ranked[:-1]
    is_unique[:-1] &= ranked[1:] != ranked[:-1]
    if not len(ranked):
        return np.zeros(0, dtype=np.int64)
    result: Int64Array = np.where((ranked[at] == back) & is_unique[at], order[at], -1)
    # Each of both must be the other's only reverse edge.
    mutual = (result >= 0) & (result[result] == np.arange(len(result)))
    return np.where(mutual, result, -1)


def _check(
    geometry: Geometry,
    faces: Region,
    vertex: Int64Array,
    corner: Int64Array,
    twin: Int64Array,
) -> None:
    """Raise LevelError unless the triangles cover the faces exactly, without overlaps."""
    covered = int(_cross(*(vertex[corner[:, at]] for at in range(3))).sum())
    rings = shapely.get_rings(faces)
    outline, ring = shapely.get_coordinates(rings, return_index=True)
    corners = outline.astype(np.int64)
    same = ring[1:] == ring[:-1]
    begin, end = corners[:-1][same], corners[1:][same]
    # Shells and holes run in opposite directions; the area comes from GEOS, as rings lack it.
    expected_area = round(2 * float(shapely.area(faces).sum()))
    edges = {(*a, *b) for a, b in zip(begin.tolist(), end.tolist(), strict=True)}
    edges |= {(c, d, a, b) for a, b, c, d in edges}
    flat = corner.reshape(-1)
    border = np.flatnonzero(twin < 0)
    after = _after(len(corner))
    walls = np.concatenate([vertex[flat[border]], vertex[flat[after[border]]]], axis=1)
    if abs(covered - expected_area) > 1 or any((*wall,) not in edges for wall in walls.tolist()):
        raise LevelError(
            "its outlines could not be triangulated",
            file=geometry.source,
            expected="triangles that cover the walkable area exactly",
            remedy="simplify the shapes, and report this with the level",
        )


def _merge_triangles(
    vertex: Int64Array, corner: Int64Array, twin: Int64Array, area: Int32Array
) -> Convex:
    """Remove edges between triangles of one area while all angles stay convex."""
    count = len(corner)
    triangle = np.arange(count) // 3
    after = _after(count // 3)
    end = corner[after]
    inner = np.flatnonzero(twin > np.arange(count))
    inner = inner[area[triangle[inner]] == area[triangle[twin[inner]]]]
    far = vertex[end[inner]] - vertex[corner[inner]]
    order = inner[np.lexsort((inner, -(far * far).sum(axis=1)))]
    at = vertex.tolist()
    begin, onward, back = corner.tolist(), after.tolist(), np.argsort(after).tolist()
    twin_of = twin.tolist()
    is_removed = np.zeros(count, dtype=np.bool_)

    def convex(one: int, other: int) -> bool:
        """Return whether the path along one edge and then another does not turn right or back."""
        (ax, ay), (bx, by) = at[begin[one]], at[begin[onward[one]]]
        (cx, cy), (dx, dy) = at[begin[other]], at[begin[onward[other]]]
        ux, uy, vx, vy = bx - ax, by - ay, dx - cx, dy - cy
        turn = ux * vy - uy * vx
        return bool(turn > 0 or (turn == 0 and ux * vx + uy * vy > 0))

    for edge in order.tolist():
        other = twin_of[edge]
        if convex(back[edge], onward[other]) and convex(back[other], onward[edge]):
            for edge_1, edge_2 in ((edge, other), (other, edge)):
                before, behind = back[edge_1], onward[edge_2]
                onward[before], back[behind] = behind, before
            is_removed[edge] = is_removed[other] = True
    return _collect_polygons(
        vertex, corner, twin, area, np.array(onward, dtype=np.int64), is_removed
    )


def _collect_polygons(
    vertex: Int64Array,
    corner: Int64Array,
    twin: Int64Array,
    area: Int32Array,
    onward: Int64Array,
    is_removed: BoolArray,
) -> Convex:
    """Build polygons from the remaining edges, in the order of their first edges."""
    polygon = np.full(len(corner), -1, dtype=np.int64)
    around: list[int] = []
    first = [0]
    following, left = onward.tolist(), (~is_removed).tolist()
    seen = polygon.tolist()
    for begin in range(len(left)):
        if not left[begin] or seen[begin] >= 0:
            continue
        at = begin
        while seen[at] < 0:
            seen[at] = len(first) - 1
            around.append(at)
            at = following[at]
        first.append(len(around))
    polygon = np.array(seen, dtype=np.int64)
    edge = np.array(around, dtype=np.int64)
    behind = np.where(twin[edge] >= 0, polygon[twin[edge]], -1)
    first_corner = np.array(first, dtype=np.int32)
    return Convex(
        vertex,
        first_corner,
        corner[edge].astype(np.int32),
        behind.astype(np.int32),
        area[edge[first_corner[:-1]] // 3],
    )
