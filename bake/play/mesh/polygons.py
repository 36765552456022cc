"""Read the polygons of a navigation mesh, and find the one that a point lies in."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np

from bake.core.arrays import Int32Array, Int64Array
from bake.play.reader.engine import Engine
from bake.play.reader.places import NodePlaces
from levelbake.errors import QueryError
from levelbake.places import floor_of, number_of, quoted

#: Steps of the grid that vertices lie on, in one unit of the plane.
GRID = 1024
#: The farthest a vertex may lie from the origin, in steps: products of differences fit 62 bits.
# no limit: the file declares how far vertices lie
FARTHEST = 2**28

#: A point in steps of the grid.
Step = tuple[int, int]
#: A point in units of the plane, (x, y) or (x, y, floor).
Point = tuple[float, ...]
_T = TypeVar("_T", int, float)

#: No step, then one along an axis, then one along both.
_AROUND = sorted(
    ((dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)),
    key=lambda each: (abs(each[0]) + abs(each[1]), each),
)


def turn(a: tuple[_T, _T], b: tuple[_T, _T], c: tuple[_T, _T]) -> _T:
    """Return twice the area of a triangle, exact for whole numbers: positive from x toward y."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


class PlaneNodes(ABC):
    """The nodes of a divided plane as one profile may walk there. Once made it never changes."""

    def __init__(self, engine: Engine) -> None:
        self.engine, self.version = engine, engine.version

    @property
    @abstractmethod
    def floors(self) -> int:
        """Return how many floors the plane has."""

    @abstractmethod
    def _baked_floor(self, node: int) -> int:
        """Return the floor that a node lies on which was baked."""

    @cached_property
    def row(self) -> Int32Array:
        """Return (n) int32, the row of each node, -1 where the profile cannot stand."""
        return self.version.rows_of(np.arange(len(self.version.places.names), dtype=np.int32))

    @cached_property
    def place(self) -> Int64Array:
        """Return (n, 2) int64, where each node lies, in whole steps of the grid."""
        position = self.version.places.position
        assert position is not None, "nodes of a plane have positions"
        return np.rint(position * GRID).astype(np.int64)

    def step_at_node(self, node: int) -> Step:
        """Return where a node lies."""
        x, y = self.place[node].tolist()
        return x, y

    def added_floor(self, node: int) -> int | None:
        """Return the floor that a node lies on which came; None of a baked one."""
        places = self.version.places
        if node < places.node_count:
            return None
        mine = (each.at for each in places.added.values() if each.location == node)
        at: tuple[float, ...] = next(mine, ())
        return int(at[2]) if len(at) > 2 else 0

    def floor_of(self, node: int) -> int:
        """Return the floor that a node lies on."""
        floor = self.added_floor(node)
        return self._baked_floor(node) if floor is None else floor

    def on_plane(self, steps: Iterable[Step], floors: Iterable[int]) -> list[Point]:
        """Return points in units of the plane, none of them twice in a row.

        Args:
            floors: of each, which are told where the plane has several.
        """
        found: list[Point] = []
        for (x, y), floor in zip(steps, floors, strict=False):
            tail = (floor,) if self.floors > 1 else ()
            point = (float(x / GRID), float(y / GRID), *tail)
            if not found or point != found[-1]:
                found.append(point)
        return found


class MeshPolygons:
    """The polygons of a level as they were baked; all profiles share them.

    Attributes:
        floors: how many floors there are.
        pieces: the corners of pieces that obstacles leave; see :mod:`bake.play.mesh.cut`.
    """

    pieces: Mapping[int, list[tuple[Any, Any]]] = MappingProxyType({})

    def __init__(self, places: NodePlaces) -> None:
        """Read and check the columns.

        Raises:
            QueryError: the level has no mesh.
            AssetError: the columns do not fit one another.
        """
        asset = places.asset
        self._asset = asset
        if not asset.has("/mesh_vertex"):
            raise QueryError(
                f"the level {places.name!r} has no navigation mesh",
                expected="a level that is divided into one",
                remedy='bake it with division = "mesh"',
            )
        vertex = asset.read("/mesh_vertex")
        first, corner = asset.read("/mesh_first_corner"), asset.read("/mesh_corner")
        behind, terrain = asset.read("/mesh_neighbour"), asset.read("/mesh_terrain")
        first_node, node = asset.read("/mesh_first_node"), asset.read("/mesh_node")
        count = len(terrain)
        floor = np.zeros(count, dtype=np.uint8)
        if asset.has("/mesh_floor"):
            floor = asset.read("/mesh_floor")
        self._check(count and _fit_together(vertex, first, corner, behind), "neighbour")
        self.terrain, self.node, self.first_node = terrain, node, first_node
        self.floor: list[int] = floor.tolist()
        self.floors = int(floor.max(initial=0)) + 1
        self.point: list[Step] = [(x, y) for x, y in vertex.tolist()]
        self.first: list[int] = first.tolist()
        self.corner: list[int] = corner.tolist()
        self.behind: list[int] = behind.tolist()
        self._vertex = vertex
        self._nodes: list[int] = node.tolist()
        self._first_node: list[int] = first_node.tolist()

    def _check(self, fits: object, name: str) -> None:
        if not fits:
            raise self._asset.damaged(f"column /mesh_{name} does not fit the mesh")

    def __len__(self) -> int:
        return len(self.floor)

    def edges(self, polygon: int) -> list[tuple[int, int, int]]:
        """Return begin, end and the polygon behind each edge; begin and end are vertices."""
        first, end = self.first[polygon], self.first[polygon + 1]
        around = self.corner[first:end]
        return list(zip(around, [*around[1:], around[0]], self.behind[first:end], strict=True))

    def nodes(self, polygon: int) -> list[int]:
        """Return the nodes of a polygon."""
        return self._nodes[self._first_node[polygon] : self._first_node[polygon + 1]]

    @cached_property
    def part(self) -> list[int]:
        """Return a number for each polygon, the same for those that steps join."""
        found = [-1] * len(self)
        for seed in range(len(self)):
            queue = [seed] if found[seed] < 0 else []
            for polygon in queue:
                found[polygon] = seed
                beside = [each for _, _, each in self.edges(polygon) if each >= 0]
                fresh = [each for each in beside if found[each] < 0]
                for each in fresh:
                    found[each] = seed
                queue += fresh
        return found

    @cached_property
    def of_node(self) -> list[list[int]]:
        """Return the polygons that each node lies in or on, ascending."""
        found: list[list[int]] = [[] for _ in range(int(self.node.max(initial=-1)) + 1)]
        owner = np.repeat(np.arange(len(self)), np.diff(self.first_node))
        for node, polygon in zip(self.node.tolist(), owner.tolist(), strict=True):
            found[node].append(polygon)
        return found

    def holds(self, polygon: int, point: Step) -> bool:
        """Tell whether a point lies in a polygon or on its border; exact."""
        first, end = self.first[polygon], self.first[polygon + 1]
        x, y = point
        ax, ay = self.point[self.corner[end - 1]]
        for at in range(first, end):
            bx, by = self.point[self.corner[at]]
            if (bx - ax) * (y - ay) < (by - ay) * (x - ax):
                return False
            ax, ay = bx, by
        return True

    def holding(self, point: Step, floor: int) -> list[int]:
        """Return the polygons of all profiles that a point lies in or on, ascending."""
        left, top, across, down, pitch, first, polygon = self._buckets
        x, y = (point[0] - left) // pitch, (point[1] - top) // pitch
        if not (0 <= x < across and 0 <= y < down):
            return []
        bucket = y * across + x
        return [
            each
            for each in polygon[first[bucket] : first[bucket + 1]]
            if self.floor[each] == floor and self.holds(each, point)
        ]

    @cached_property
    def ring(self) -> Int64Array:
        """Return (c, 2) int64 the corners of all polygons in steps, one after the other."""
        found: Int64Array = self._vertex[np.array(self.corner)].astype(np.int64)
        return found

    @cached_property
    def box(self) -> Int64Array:
        """Return (4, p) int64 the least x and y of each polygon in steps, and the greatest."""
        low, high = (
            least.reduceat(self.ring, self.first[:-1]) for least in (np.minimum, np.maximum)
        )
        return np.concatenate([low, high], axis=1).T.copy()

    @cached_property
    def _buckets(self) -> tuple[int, int, int, int, int, list[int], list[int]]:
        """Return squares of the plane, about as many as polygons, and the polygons near each.

        These are left and top in steps, squares across and down, their side in steps, and for each
        square where its polygons begin in the list after.
        """
        low, high = self.box[:2].T, self.box[2:].T
        left, top = (int(each) for each in low.min(axis=0))
        width, height = (int(each) + 1 for each in high.max(axis=0) - (left, top))
        pitch = max(1, math.isqrt(width * height // len(self)), max(width, height) // 4096)
        across, down = -(-width // pitch), -(-height // pitch)
        low, high = (low - (left, top)) // pitch, (high - (left, top)) // pitch
        size = (high - low + 1).prod(axis=1)
        owner = np.repeat(np.arange(len(self)), size)
        within = np.arange(len(owner)) - np.repeat(np.cumsum(size) - size, size)
        wide = (high - low + 1)[owner, 0]
        bucket = (low[owner, 1] + within // wide) * across + low[owner, 0] + within % wide
        order = np.argsort(bucket, kind="stable")
        first = np.searchsorted(bucket[order], np.arange(across * down + 1))
        return left, top, across, down, pitch, first.tolist(), owner[order].tolist()


def step_of(point: Sequence[float], floors: int) -> tuple[Step, int]:
    """Return a point in whole steps of the grid, and its floor.

    Args:
        point: as a game says it.
        floors: how many the level has.

    Raises:
        QueryError: it is not two finite numbers, or three with a floor that the level has.
    """
    expected = "(x, y), or (x, y, floor)"
    try:
        first, second, *rest = point
        x, y = number_of(first), number_of(second)
        floor = floor_of(*rest) if rest else 0
    except (TypeError, ValueError):
        raise QueryError(f"{quoted(point)} is no point", expected=expected) from None
    if isinstance(point, bytes) or not (math.isfinite(x) and math.isfinite(y)):
        raise QueryError(f"{quoted(point)} is no point", expected=expected)
    if not 0 <= floor < floors:
        raise QueryError(f"there is no floor {quoted(floor)}", expected=f"0 to {floors - 1}")
    far = float(2 * FARTHEST)
    return (
        (round(max(-far, min(far, x * GRID))), round(max(-far, min(far, y * GRID)))),
        floor,
    )


def beside(step: Step) -> list[Step]:
    """Return a point and those a step away from it, the nearest first.

    Points are rounded to the grid, which may put one beside the area that it lies in.
    """
    x, y = step
    return [(x + dx, y + dy) for dx, dy in _AROUND]


def _fit_together(
    vertex: Int32Array, first: Int32Array, corner: Int32Array, behind: Int32Array
) -> bool:
    """Tell whether polygons are convex, use all vertices, and see their neighbours back."""
    after = np.arange(1, len(corner) + 1)
    after[first[1:] - 1] = first[:-1]
    point = vertex[corner].astype(np.int64)
    side = point[after] - point
    turned = side[:, 0] * side[after, 1] - side[:, 1] * side[after, 0]
    if (turned < 0).any() or int(corner.max()) != len(vertex) - 1:
        return False
    inner = np.flatnonzero(behind >= 0)
    owner = np.repeat(np.arange(len(first) - 1), np.diff(first))[inner]
    forth = np.stack([corner[inner], corner[after[inner]], owner, behind[inner]])
    back = forth[[1, 0, 3, 2]]
    return bool((forth[:, np.lexsort(forth)] == back[:, np.lexsort(back)]).all())
