"""Find shortest paths between points of the plane, by the corners that both ends see.

The arcs between corners are taut, so whatever lies between the first and the last corner of a path
is one of the baked paths. The start is joined to the corners that it sees and that a path may turn
at, and so is the goal; of all pairs of these the cheapest counts, or the straight line, if nothing
is in its way.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import repeat
from typing import Any, NamedTuple, cast

import numpy as np

from bake.core.arrays import Float64Array, Int32Array, Int64Array
from bake.core.kernels import jit
from bake.play.mesh.polygons import GRID, PlaneNodes, Point, Step, beside, step_of
from bake.play.reader.engine import Engine
from bake.play.reader.places import NodePlaces, is_point
from bake.search.plane.sight import Outline, SweepRoom, corners_seen, holds, sees
from levelbake.errors import BlockedCellError, QueryError
from levelbake.hops import view_of

#: Pairs of corners that are looked at in one go.
# limit: the work is done in parts; lowered by points
_PAIRS = 2**16


class _Area(NamedTuple):
    """One floor, for one kind of agent."""

    #: x, y: (w) int64 steps of the grid, corners of its walls
    x: Int64Array
    y: Int64Array
    #: before, after: (w) int32, the corners before and after each one along the wall
    before: Int32Array
    after: Int32Array
    node: Int32Array  #: (w) int32, the node that each corner is, -1 = none
    others: list[int]  #: nodes that are no corners, such as the ends of links


class PlaneWalls:
    """The walls of a level as they were baked; all profiles share them.

    Attributes:
        areas: one for each floor and kind of agent.
        floor: of each area.
        floors: how many floors there are.
        area: (n) int32, of each node.
        place: (n, 2) int64 steps of the grid, where each node lies.
    """

    def __init__(self, places: NodePlaces) -> None:
        """Read and check the columns.

        Raises:
            QueryError: the level has no points of visibility.
            AssetError: the columns do not fit one another.
        """
        asset = places.asset
        if not asset.has("/wall_node"):
            raise QueryError(
                f"the level {places.name!r} has no points of visibility",
                expected="a level that is divided by them",
                remedy='bake it with division = "visibility"',
            )
        self._asset = asset
        corner = asset.read("/wall_corner").astype(np.int64)
        after, first, area, node = (
            asset.read(f"/wall_{name}").astype(np.int32)
            for name in ("after", "first_corner", "area", "node")
        )
        nodes, count = places.node_count, len(first) - 1
        owner = np.repeat(np.arange(count), np.diff(first))
        self._check((owner[after] == owner).all(), "after")
        bend = np.flatnonzero(node >= 0)
        self._check((area[node[bend]] == owner[bend]).all(), "node")
        assert places.position is not None
        self.place: Int64Array = np.rint(places.position * GRID).astype(np.int64)
        self._check((self.place[node[bend]] == corner[bend]).all(), "node")
        floor = asset.read("/wall_floor") if asset.has("/wall_floor") else np.zeros(count, int)
        self.floor: list[int] = floor.tolist()
        self.floors = max(self.floor) + 1
        self.area = area
        before = np.empty_like(after)
        before[after] = np.arange(len(after), dtype=np.int32)
        is_bend = np.zeros(nodes, dtype=np.bool_)
        is_bend[node[bend]] = True
        self.areas = [
            _Area(
                np.ascontiguousarray(corner[begin:end, 0]),
                np.ascontiguousarray(corner[begin:end, 1]),
                before[begin:end] - begin,
                after[begin:end] - begin,
                node[begin:end],
                np.flatnonzero(~is_bend & (area == at)).tolist(),
            )
            for at, (begin, end) in enumerate(zip(first.tolist(), first[1:].tolist(), strict=False))
        ]

    def _check(self, fits: object, name: str) -> None:
        if not fits:
            raise self._asset.damaged(f"column /wall_{name} does not fit the walls")

    def outline(self, area: int) -> Outline:
        """Return the walls of an area as searches take them: views, where nothing is compiled."""
        if jit.ready(corners_seen):
            return Outline(*self.areas[area][:4])
        return Outline(*(cast("Any", view_of(each)) for each in self.areas[area][:4]))

    def holds(self, area: int, step: Step) -> bool:
        """Tell whether a point lies in an area or on its border; exact."""
        return bool(holds(self.outline(area), *step))

    def sees(self, area: int, one: Step, other: Step) -> bool:
        """Tell whether the straight line between two points of an area stays in it; exact."""
        return bool(sees(self.outline(area), *one, *other))

    def joined(self, area: int, step: Step) -> Int64Array:
        """Return the nodes that a path out of a point of an area may turn at first.

        These are the corners that it sees and that the line to them goes past, and all other nodes
        that it sees.
        """
        here = self.areas[area]
        seen = np.empty(len(here.x), dtype=np.int32)
        room = SweepRoom.of(len(here.x))
        count = corners_seen(self.outline(area), *step, -1, room, seen)
        corner = seen[:count]
        dx, dy = here.x[corner] - step[0], here.y[corner] - step[1]
        sides = np.ones(count, dtype=np.int64)
        for wall in (here.before[corner], here.after[corner]):
            across, down = here.x[wall] - here.x[corner], here.y[wall] - here.y[corner]
            sides *= np.sign(dx * down - dy * across)
        found = here.node[corner[sides >= 0]]
        others = [
            node
            for node in here.others
            if self.sees(area, step, cast("Step", tuple(self.place[node].tolist())))
        ]
        return np.concatenate([found[found >= 0], np.array(others, dtype=np.int64)])


class Path(NamedTuple):
    """A path in the plane."""

    points: list[Point]  #: where it turns, both ends included
    cost: float  #: in units


class PlaneWays(PlaneNodes):
    """Points between walls as one profile may walk there. Once made it never changes."""

    def __init__(self, engine: Engine, baked: PlaneWays | None = None) -> None:
        """Read the walls, or take them from the profile as it was baked.

        Raises:
            QueryError: the level has no points of visibility.
            AssetError: its columns do not fit one another.
        """
        super().__init__(engine)
        self._baked = baked
        self.walls: PlaneWalls = PlaneWalls(engine.version.places) if baked is None else baked.walls

    @property
    def floors(self) -> int:
        return self.walls.floors

    def _baked_floor(self, node: int) -> int:
        return self.walls.floor[int(self.walls.area[node])]

    @cached_property
    def _area(self) -> dict[int, int]:
        """Return the area of the profile on each floor that has one."""
        if self._baked is not None:
            return self._baked._area
        mine = np.unique(self.walls.area[self.row >= 0]).tolist()
        return {self.walls.floor[area]: area for area in reversed(mine)}

    @cached_property
    def _cost(self) -> float:
        """Return the cost of a unit of length, which is the same everywhere the level was baked."""
        if self._baked is not None:
            return self._baked._cost
        return float(self.version.row_cost.min())

    def step_at(self, point: Sequence[float]) -> tuple[Step, int] | None:
        """Return a point in whole steps of the grid, and its floor; None where nobody can be.

        Points are rounded to the grid, which may put one a step beside the area.

        Raises:
            QueryError: it is no point, or there is no such floor.
        """
        step, floor = step_of(point, self.walls.floors)
        area = self._area.get(floor)
        if area is not None:
            for near in beside(step):
                if self.walls.holds(area, near):
                    return near, floor
        return None

    def end(self, place: object) -> Sequence[float]:
        """Return the point that a place is: a point itself, or where a node lies.

        Raises:
            UnknownNodeError: it is neither.
            BlockedCellError: the profile cannot be there.
        """
        places = self.version.places
        point = place
        if not is_point(place):
            node = places.location(cast("Any", place))
            if self.row[node] < 0:
                raise self._blocked(place)
            point = self.on_plane([self.step_at_node(node)], [self.floor_of(node)])[0]
        if self.step_at(cast("Sequence[float]", point)) is None:
            raise self._blocked(place)
        return cast("Sequence[float]", point)

    def _blocked(self, place: object) -> BlockedCellError:
        shown = tuple(place.tolist()) if isinstance(place, np.ndarray) else place
        return self.version.places.blocked(self.version.profile, shown, "be at")

    def shortest(self, start: Sequence[float], goal: Sequence[float]) -> Path | None:
        """Return the shortest path between two points; None where there is none.

        Raises:
            QueryError: one of them is no point, or there is no such floor.
        """
        here, there = self.step_at(start), self.step_at(goal)
        if here is None or there is None:
            return None
        (begin, floor), (end, goal_floor) = here, there
        area, goal_area = self._area[floor], self._area[goal_floor]
        straight = None
        if area == goal_area and self.walls.sees(area, begin, end):
            points = self.on_plane([begin, end], repeat(floor))
            straight = Path(points, _far(begin, end) * self._cost / GRID)
            if not self.walls.areas[area].others:  # There is no link that could be shorter.
                return straight
        rows, out = self._joined(area, begin)
        goal_rows, back = self._joined(goal_area, end)
        ticks, one, other = self._cheapest(rows, out, goal_rows, back)
        cost = ticks / self.version.places.ticks_per_unit
        if straight is not None and straight.cost <= cost:
            return straight
        if not np.isfinite(ticks):
            return None
        way = np.array([one]) if one == other else self.engine.way(one, other)
        assert way is not None, "a distance that is finite has a path"
        nodes = self.version.location[way].tolist()
        steps = [begin, *map(self.step_at_node, nodes), end]
        floors = [floor, *map(self.floor_of, nodes), goal_floor]
        return Path(self.on_plane(steps, floors), cost)

    def line(self, one: Step, other: Step, floor: int) -> float:
        """Return the units of a straight line; infinite where a wall is in its way."""
        area = self._area.get(floor)
        if area is None or not all(self.walls.holds(area, each) for each in (one, other)):
            return np.inf
        return _far(one, other) * self._cost / GRID if self.walls.sees(area, one, other) else np.inf

    def _joined(self, area: int, step: Step) -> tuple[Int32Array, Float64Array]:
        """Return the rows of the nodes that a point is joined to, and the ticks of the way there.

        Returns:
            (k) int32, and (k) float64.
        """
        added = self._added_at(step, self.walls.floor[area])
        node = np.append(self.walls.joined(area, step), added)
        row = self.row[node]
        node, row = node[row >= 0], row[row >= 0]
        way = (self.place[node] - step) / GRID
        cost = self.version.row_cost[row] * self.version.places.ticks_per_unit
        return row, np.hypot(way[:, 0], way[:, 1]) * cost

    def _added_at(self, step: Step, floor: int) -> Int64Array:
        """Return (k) int64, the nodes that came and lie at a point."""
        added = (node.location for node in self.version.places.added.values())
        mine = [at for at in added if self.step_at_node(at) == step]
        return np.array([at for at in mine if self.floor_of(at) == floor], dtype=np.int64)

    def _cheapest(
        self, rows: Int32Array, out: Float64Array, goal_rows: Int32Array, back: Float64Array
    ) -> tuple[float, int, int]:
        """Return the ticks of the cheapest way over any pair of rows, and that pair."""
        best = np.inf, -1, -1
        width = len(goal_rows)
        for first in range(0, len(rows), max(1, _PAIRS // max(1, width))) if width else ():
            mine = slice(first, first + max(1, _PAIRS // width))
            tail, head = np.repeat(rows[mine], width), np.tile(goal_rows, len(rows[mine]))
            between = np.zeros(len(tail))
            apart = tail != head
            between[apart] = self.engine.all_ticks(tail[apart], head[apart])
            total = np.repeat(out[mine], width) + between + np.tile(back, len(rows[mine]))
            at = int(total.argmin())
            if total[at] < best[0]:
                best = float(total[at]), int(tail[at]), int(head[at])
        return best


def _far(one: Step, other: Step) -> float:
    return float(np.hypot(other[0] - one[0], other[1] - one[1]))
