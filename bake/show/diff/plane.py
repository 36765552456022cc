"""Match the nodes of two divisions of a plane by position, as node numbers change."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import shapely

from bake.core.arrays import AnyArray, BoolArray, Float64Array, Int32Array, Int64Array
from bake.play.mesh.polygons import GRID, MeshPolygons
from bake.play.reader.columns import ProfileColumns

#: The least width of an overlap of polygons in grid steps; less is a rounding error.
_NARROWEST = 4.0


@dataclass(frozen=True)
class Overlaps:
    """The parts of the plane in which a profile can be, before and after.

    A part is the intersection of an old and a new shape. Shapes are the
    polygons of a mesh, or the regions between walls.
    """

    #: old_row, new_row: (k) int32, rows of a node of either shape, ascending by new row
    old_row: Int32Array
    new_row: Int32Array
    same: BoolArray  #: (k) bool, True if both rows are nodes at the same position
    closed: Int32Array  #: rows of the old bake without a counterpart in the new bake
    opened: Int32Array  #: rows of the new bake without a counterpart in the old bake


def overlap(old: ProfileColumns, new: ProfileColumns) -> Overlaps:
    """Match the nodes of two divisions of a plane by position, and the shapes around them.

    Both levels are navigation meshes, or neither is.
    """
    shapes_of = _polygons if old.places.asset.has("/mesh_vertex") else _regions
    before, after = shapes_of(old), shapes_of(new)
    first, second = shapely.STRtree(after.shape).query(before.shape, predicate="intersects")
    on_one_floor = before.floor[first] == after.floor[second]
    first, second = first[on_one_floor], second[on_one_floor]
    shared = shapely.intersection(before.shape[first], after.shape[second])
    wide = _is_wide(shared)
    in_old, in_new, closed, opened = match_positions(old, new)
    rows = np.column_stack([after.row[second[wide]], before.row[first[wide]]])
    parts = np.unique(rows, axis=0)
    exact = np.unique(np.column_stack([in_new, in_old]), axis=0)
    # A node at the same position in both bakes is a part of its own, even between shapes.
    parts = np.concatenate([exact, parts[~_are_in(parts, exact)]])
    same = np.arange(len(parts)) < len(exact)
    order = np.lexsort([parts[:, 1], parts[:, 0]])
    if shapes_of is _polygons:
        closed = before.rows_beyond(first, shapely.area(shared))
        opened = after.rows_beyond(second, shapely.area(shared))
    return Overlaps(
        parts[order, 1].astype(np.int32),
        parts[order, 0].astype(np.int32),
        same[order],
        closed,
        opened,
    )


def match_positions(
    old: ProfileColumns, new: ProfileColumns
) -> tuple[Int64Array, Int64Array, Int32Array, Int32Array]:
    """Match nodes by position and floor, except nodes that share their position.

    Returns:
        The rows of the matched nodes in the old and in the new bake, and the rows of nodes whose
        position exists only in the old or only in the new bake.
    """
    before, after = _positions(old), _positions(new)
    _, inverse, count = np.unique(
        np.concatenate([before, after]), axis=0, return_inverse=True, return_counts=True
    )
    inverse = inverse.reshape(-1)
    keys = inverse[: len(before)], inverse[len(before) :]
    many = [np.bincount(key, minlength=len(count)) for key in keys]
    single = (many[0] == 1) & (many[1] == 1)
    rows = [np.flatnonzero(single[key]) for key in keys]
    in_old, in_new = (row[np.argsort(key[row])] for row, key in zip(rows, keys, strict=True))
    closed, opened = (
        np.flatnonzero(other[key] == 0).astype(np.int32)
        for key, other in zip(keys, many[::-1], strict=True)
    )
    return in_old, in_new, closed, opened


def _positions(columns: ProfileColumns) -> Int64Array:
    """Return (r, 3) int64, the position of each row in grid steps, and its floor."""
    asset = columns.places.asset
    steps = np.rint(columns.places.known_position()[columns.node] * GRID).astype(np.int64)
    floor = np.zeros(len(columns.places.names), dtype=np.int64)
    if asset.has("/mesh_vertex"):
        mesh = MeshPolygons(columns.places)
        owner = np.repeat(np.arange(len(mesh)), np.diff(mesh.first_node))
        floor[mesh.node] = np.array(mesh.floor)[owner]
    else:
        floor = _wall_floors(columns)[asset.read("/wall_area")]
    return np.column_stack([steps, floor[columns.node]])


@dataclass(frozen=True)
class _Shapes:
    """Connected parts of the plane for a profile."""

    shape: AnyArray  #: (p) shapely polygons, in steps of the grid
    row: Int64Array  #: (p) int64, the row of one node in each
    floor: Int64Array  #: (p) int64, the floor of each

    def rows_beyond(self, shape: Int64Array, area: Float64Array) -> Int32Array:
        """Return the rows of shapes that are larger than their shared parts together.

        Args:
            shape: (k) the shape of each shared part.
            area: (k) the area of each shared part.
        """
        covered = np.bincount(shape, weights=area, minlength=len(self.row))
        left = shapely.area(self.shape) - covered
        is_larger = left > _NARROWEST / 2 * shapely.length(self.shape)
        rows: Int32Array = np.unique(self.row[is_larger]).astype(np.int32)
        return rows


def _polygons(columns: ProfileColumns) -> _Shapes:
    """Return the polygons of a mesh in which a profile can stand."""
    mesh = MeshPolygons(columns.places)
    row_of = np.full(len(columns.places.names), -1, dtype=np.int64)
    row_of[columns.node] = np.arange(columns.row_count)
    # Any node of a polygon represents all of them, as they are connected.
    row = np.maximum.reduceat(row_of[mesh.node], mesh.first_node[:-1])
    usable = np.flatnonzero(row >= 0)
    owner = np.repeat(np.arange(len(mesh)), np.diff(mesh.first))
    rings = shapely.linearrings(mesh.ring.astype(np.float64), indices=owner)
    return _Shapes(shapely.polygons(rings)[usable], row[usable], np.array(mesh.floor)[usable])


def _regions(columns: ProfileColumns) -> _Shapes:
    """Return the regions between walls whose nodes are all connected."""
    asset = columns.places.asset
    corner = asset.read("/wall_corner").astype(np.float64)
    after, first = asset.read("/wall_after"), asset.read("/wall_first_corner")
    floors, area_of = _wall_floors(columns), asset.read("/wall_area")[columns.node]
    component = columns.component[columns.node]
    points = shapely.points(_positions(columns)[:, :2].astype(np.float64))
    shapes: list[AnyArray] = []
    rows: list[int] = []
    levels: list[int] = []
    for area in np.unique(area_of).tolist():
        walls = slice(int(first[area]), int(first[area + 1]))
        begin, end = corner[walls], corner[after[walls]]
        lines = shapely.linestrings(np.stack([begin, end], axis=1))
        faces = shapely.get_parts(shapely.polygonize([shapely.union_all(lines)]))
        faces = faces[_are_between(faces, begin, end)]
        inside = np.flatnonzero(area_of == area)
        node, face = shapely.STRtree(faces).query(points[inside], predicate="intersects")
        # A node at a point where two regions meet may be in either.
        single = np.bincount(node, minlength=len(inside))[node] == 1
        for number in np.unique(face[single]).tolist():
            face_nodes = inside[node[single & (face == number)]]
            if len(np.unique(component[face_nodes])) == 1:
                shapes.append(faces[number])
                rows.append(int(face_nodes[0]))
                levels.append(int(floors[area]))
    return _Shapes(
        np.array(shapes, dtype=object),
        np.array(rows, dtype=np.int64),
        np.array(levels, dtype=np.int64),
    )


def _wall_floors(columns: ProfileColumns) -> AnyArray:
    """Return the floor of each area between walls."""
    asset = columns.places.asset
    if asset.has("/wall_floor"):
        return asset.read("/wall_floor")
    return np.zeros(len(asset.read("/wall_first_corner")) - 1, dtype=np.uint8)


def _are_between(faces: AnyArray, begin: Float64Array, end: Float64Array) -> BoolArray:
    """Return whether faces are on the inner side of the walls around them, by winding numbers."""
    point = shapely.point_on_surface(faces)
    x, y = shapely.get_x(point)[:, None], shapely.get_y(point)[:, None]
    (ax, ay), (bx, by) = begin.T, end.T
    crosses = (ay <= y) != (by <= y)
    slope = np.divide(bx - ax, by - ay, out=np.zeros(len(ax)), where=ay != by)
    to_the_right = ax + (y - ay) * slope > x
    winding = (np.where(by > ay, 1, -1) * (crosses & to_the_right)).sum(axis=1)
    inner: BoolArray = winding != 0
    return inner


def _is_wide(shape: AnyArray) -> BoolArray:
    """Return whether shapes are too wide to be rounding errors along a common border."""
    wide: BoolArray = shapely.area(shape) > _NARROWEST / 2 * shapely.length(shape)
    return wide


def _are_in(pairs: Int64Array, others: Int64Array) -> BoolArray:
    """Return whether each of (k, 2) pairs is among other pairs."""
    wide = 1 + int(max(pairs.max(initial=0), others.max(initial=0)))
    return np.isin(pairs[:, 0] * wide + pairs[:, 1], others[:, 0] * wide + others[:, 1])
