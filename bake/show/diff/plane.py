"""Match the nodes of two divisions of a plane by position, as each bake numbers them again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import shapely

from bake.core.arrays import AnyArray, BoolArray, Float64Array, Int32Array, Int64Array
from bake.play.mesh.polygons import GRID, MeshPolygons
from bake.play.reader.columns import ProfileColumns

#: How wide an overlap of polygons is at least, in steps of the grid: corners are rounded to it.
_NARROWEST = 4.0


@dataclass(frozen=True)
class Overlaps:
    """The parts of the plane that a profile can be in, before and after.

    A part is what a shape of the old bake and one of the new bake have in common. Shapes are the
    polygons of a mesh, or the regions between walls.
    """

    #: old_row, new_row: (k) int32, rows of a node of either shape, ascending by new row
    old_row: Int32Array
    new_row: Int32Array
    same: BoolArray  #: (k) bool, whether both rows are of one node, at one position
    closed: Int32Array  #: rows of the old bake that have no place in the new one
    opened: Int32Array  #: rows of the new bake that have no place in the old one


def overlap(old: ProfileColumns, new: ProfileColumns) -> Overlaps:
    """Match the nodes of two divisions of a plane by position, and the shapes that they lie in.

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
    # A node that both bakes have at one position is a part of its own, even between shapes.
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
    """Match nodes by position and floor.

    Nodes that share their position with others are left out.

    Returns:
        The rows of nodes that both have, in the old and in the new bake, and the rows of nodes
        whose position only the old or only the new bake has.
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
    """Return (r, 3) int64, the place of each row in steps of the grid, and its floor."""
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
    """Parts of the plane in which a profile can go from everywhere to everywhere."""

    shape: AnyArray  #: (p) shapely polygons, in steps of the grid
    row: Int64Array  #: (p) int64, the row of a node in each
    floor: Int64Array  #: (p) int64, the floor of each

    def rows_beyond(self, shape: Int64Array, area: Float64Array) -> Int32Array:
        """Return the rows of shapes that are larger than the parts they share.

        Args:
            shape: (k) the shape of each shared part.
            area: (k) its area.
        """
        covered = np.bincount(shape, weights=area, minlength=len(self.row))
        left = shapely.area(self.shape) - covered
        beyond = left > _NARROWEST / 2 * shapely.length(self.shape)
        rows: Int32Array = np.unique(self.row[beyond]).astype(np.int32)
        return rows


def _polygons(columns: ProfileColumns) -> _Shapes:
    """Return the polygons of a mesh that a profile can stand in."""
    mesh = MeshPolygons(columns.places)
    row_of = np.full(len(columns.places.names), -1, dtype=np.int64)
    row_of[columns.node] = np.arange(columns.row_count)
    # Of the nodes of a polygon any one stands for all, as each leads to the others.
    row = np.maximum.reduceat(row_of[mesh.node], mesh.first_node[:-1])
    usable = np.flatnonzero(row >= 0)
    owner = np.repeat(np.arange(len(mesh)), np.diff(mesh.first))
    rings = shapely.linearrings(mesh.ring.astype(np.float64), indices=owner)
    return _Shapes(shapely.polygons(rings)[usable], row[usable], np.array(mesh.floor)[usable])


def _regions(columns: ProfileColumns) -> _Shapes:
    """Return the regions between walls whose nodes all lead to one another."""
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
        # Where two regions meet in a point, a node there may lie in either.
        single = np.bincount(node, minlength=len(inside))[node] == 1
        for number in np.unique(face[single]).tolist():
            here = inside[node[single & (face == number)]]
            if len(np.unique(component[here])) == 1:
                shapes.append(faces[number])
                rows.append(int(here[0]))
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
    """Return whether faces lie on the inner side of the walls around them: by winding numbers."""
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
    """Return whether shapes are wider than what rounding makes of a common border."""
    wide: BoolArray = shapely.area(shape) > _NARROWEST / 2 * shapely.length(shape)
    return wide


def _are_in(pairs: Int64Array, others: Int64Array) -> BoolArray:
    """Return whether each of (k, 2) pairs is among others."""
    wide = 1 + int(max(pairs.max(initial=0), others.max(initial=0)))
    return np.isin(pairs[:, 0] * wide + pairs[:, 1], others[:, 0] * wide + others[:, 1])
