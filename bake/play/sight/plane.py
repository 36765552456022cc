"""Pull paths tight between points of a plane that is divided into polygons, or by walls.

Points lie on the grid of 1/1024 of a unit, as those of :mod:`bake.play.mesh` do. What is decided
there is decided in whole numbers, and only lengths are rounded.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple, cast

import numpy as np

from bake.core.arrays import Float64Array, Int64Array
from bake.play.mesh.funnel import without_repeats
from bake.play.mesh.polygons import GRID, PlaneNodes, Step, beside, step_of, turn
from bake.play.mesh.ways import MeshWays
from bake.play.reader.places import is_point
from bake.play.reader.rows import Rows
from bake.play.sight.lines import Sight, Waypoints, checked_index, no_way
from bake.play.walls import PlaneWays
from levelbake.places import Place

#: By what part sums of the same lengths may differ in floating point.
_ROUNDING = 1e-9

#: How many steps of the grid a line may be longer than one between points that lie on none.
_OFF_GRID = 2

#: A whole line, in the unit of its parts. Where it crosses a side is a fraction of two numbers of
#: at most 61 bits, so that two fractions that are not the same lie more than one unit apart.
_WHOLE = 2**124


class _End(NamedTuple):
    """An end of a line."""

    step: Step  #: in whole steps of the grid
    floor: int
    rows: tuple[int, ...]  #: the nodes that lie there; for a place said by its name that one alone


class PlaneSight(Sight):
    """Lines between points of the plane, where links join points as well as lines do."""

    def __init__(self, rows: Rows, ways: PlaneNodes) -> None:
        self._version, self._rows, self._nodes = ways.version, rows, ways

    @abstractmethod
    def _line(self, one: Step, other: Step, floor: int) -> float:
        """Return the units a straight line costs; infinite where it may not be taken."""

    def _route(self, path: Sequence[Place], ends: list[_End]) -> list[_End]:
        """Return points that a path leads over, among them those where it may turn when tight."""
        return ends

    @cached_property
    def _rows_at(self) -> dict[tuple[Step, int], tuple[int, ...]]:
        """Return the rows of the nodes that lie at each step of each floor."""
        found: dict[tuple[Step, int], tuple[int, ...]] = {}
        for row, node in enumerate(self._version.location.tolist()):
            end = self._node_end(node, row)
            key = end.step, end.floor
            found[key] = (*found.get(key, ()), row)
        return found

    def _node_end(self, node: int, row: int) -> _End:
        return _End(self._nodes.step_at_node(node), self._nodes.floor_of(node), (row,))

    def _end(self, place: Place) -> _End:
        """Return the end of a line that a node or a point is.

        Raises:
            BlockedCellError, UnknownNodeError, QueryError: the profile cannot be there.
        """
        if not is_point(place):
            row = self._rows.row(place)
            return self._node_end(int(self._version.location[row]), row)
        step, floor = step_of(cast("Sequence[float]", place), self._nodes.floors)
        rows = self._rows_at.get((step, floor), ())
        if not rows and math.isinf(self._line(step, step, floor)):
            # Rounding may put a point a step beside the area.
            near = [each for each in beside(step) if math.isfinite(self._line(each, each, floor))]
            if not near:
                raise self._version.places.blocked(self._version.profile, place, "be at")
            step = near[0]
        return _End(step, floor, rows)

    def _leg(self, one: _End, other: _End) -> float:
        """Return the units of the cheapest straight way: by a line, or by an arc or a link."""
        line = math.inf
        if one.floor == other.floor:
            line = self._line(one.step, other.step, one.floor)
        for row in one.rows:
            for to in other.rows:
                if row != to:
                    arc = self._version.step_costs(np.array([row, to], dtype=np.int32))[0]
                    line = min(line, float(arc))
        return line

    def _legs(self, path: Sequence[Place], ends: list[_End]) -> Float64Array:
        """Return (k) float64 units from the start of a path to each of its places."""
        costs = [0.0]
        for at, (one, other) in enumerate(pairwise(ends)):
            if one.rows and other.rows and not (is_point(path[at]) or is_point(path[at + 1])):
                rows = np.array([one.rows[0], other.rows[0]], dtype=np.int32)
                cost = float(self._version.step_costs(rows)[0]) if rows[0] != rows[1] else 0.0
            else:
                cost = self._leg(one, other)
            if math.isinf(cost):
                raise self._version.no_step(path[at], path[at + 1])
            costs.append(costs[-1] + cost)
        return np.array(costs)

    def smooth(self, path: Sequence[Place]) -> Waypoints:
        ends = [self._end(place) for place in path]
        so_far = self._legs(path, ends)
        if len(path) < 2:
            return Waypoints([self._point(end) for end in ends], list(range(len(ends))))
        kept, cost = self._pulled(self._route(path, ends))
        if cost > so_far[-1] + self._slack(len(kept)):
            # Prices that changed node by node: the places themselves, which are told apart.
            kept, cost = self._pulled(ends)
        points = [self._point(end) for end in kept]
        return Waypoints(points, _along(points, [self._point(end) for end in ends]))

    def _slack(self, lines: int) -> float:
        """Return by how many units lines may cost more because their ends are rounded."""
        dearest = float(np.fmax.reduce(self._version.row_cost, initial=0.0))
        return lines * _OFF_GRID / GRID * dearest

    def _pulled(self, route: list[_End]) -> tuple[list[_End], float]:
        """Find the cheapest way along some points by straight lines."""
        least = float(np.fmin.reduce(self._version.row_cost, initial=math.inf))
        best, parent = [0.0], [-1]
        for i in range(1, len(route)):
            best.append(best[i - 1] + self._leg(route[i - 1], route[i]))
            parent.append(i - 1)
            for earlier in range(i - 1):
                limit = best[i] - best[earlier]
                far = math.dist(route[earlier].step, route[i].step) / GRID
                # Lines are looked at only where they would pay.
                if route[earlier].floor != route[i].floor or far * least > limit:
                    continue
                line = self._line(route[earlier].step, route[i].step, route[i].floor)
                if line <= limit:
                    best[i], parent[i] = best[earlier] + line, earlier
        kept = [len(route) - 1]
        while kept[-1] > 0:
            kept.append(parent[kept[-1]])
        return [route[each] for each in kept[::-1]], best[-1]

    def furthest(self, path: Sequence[Place], at: int) -> int:
        at = checked_index(path, at)
        ends = [self._end(place) for place in path]
        so_far = self._legs(path, ends)
        for other in range(len(path) - 1, at + 1, -1):
            if ends[other].floor == ends[at].floor:
                line = self._line(ends[at].step, ends[other].step, ends[at].floor)
                limit = float(so_far[other] - so_far[at])
                if line <= limit * (1 + _ROUNDING) + self._slack(1):
                    return other
        return min(at + 1, len(path) - 1)

    def cost(self, waypoints: Sequence[Place]) -> float:
        ends = [self._end(place) for place in waypoints]
        total = 0.0
        for at, (one, other) in enumerate(pairwise(ends)):
            leg = self._leg(one, other)
            if math.isinf(leg):
                raise no_way(self._version, waypoints[at], waypoints[at + 1])
            total += leg
        return total

    def _point(self, end: _End) -> Place:
        return cast("Place", self._nodes.on_plane([end.step], [end.floor])[0])


class WallSight(PlaneSight):
    """Lines past walls, on levels that are divided by points of visibility."""

    def __init__(self, rows: Rows, ways: PlaneWays) -> None:
        super().__init__(rows, ways)
        self._ways = ways

    def _line(self, one: Step, other: Step, floor: int) -> float:
        return self._ways.line(one, other, floor)


class MeshSight(PlaneSight):
    """Lines over the polygons of a navigation mesh."""

    def __init__(self, rows: Rows, ways: MeshWays) -> None:
        super().__init__(rows, ways)
        self._ways, self._mesh = ways, ways.mesh

    @cached_property
    def _price(self) -> list[float]:
        """Return the units of a unit of length in each polygon; where nodes differ the dearest."""
        row, cost = self._ways.row, self._version.row_cost
        of_node = np.where(row >= 0, cost[row], 0.0)
        begin = self._mesh.first_node[:-1]
        found: list[float] = np.maximum.reduceat(of_node[self._mesh.node], begin).tolist()
        return found

    @cached_property
    def _rings(self) -> tuple[Int64Array, Int64Array, Int64Array]:
        """Return (p) int64 the floor of each open polygon, -1 for others; and where corners begin.

        These are (p + 1) int64, as in the mesh; and last (c, 2) int64 the way from each corner to
        the next one of its polygon.
        """
        first, ring = np.array(self._mesh.first), self._mesh.ring
        after = np.arange(1, len(ring) + 1)
        after[first[1:] - 1] = first[:-1]
        floors = np.where(self._ways.open, self._mesh.floor, -1)[: len(first) - 1]
        return floors, first, ring[after] - ring

    def _line(self, one: Step, other: Step, floor: int) -> float:
        """Return the units of a line, along borders by the cheaper side.

        What lies in each polygon is cut out, and the cheapest polygons that follow one another by
        shared edges count; so a line does not slip through where two meet in one point.
        """
        parts = self._parts(one, other, floor)
        cuts = sorted({cut for _, enter, leave in parts for cut in (enter, leave)})
        if not cuts or cuts[0] > 0 or cuts[-1] < _WHOLE:
            return math.inf
        length = math.dist(one, other) / GRID
        best = {polygon: 0.0 for polygon, enter, _ in parts if enter == 0}
        for at, cut in enumerate(cuts):
            here = {polygon for polygon, enter, leave in parts if enter <= cut <= leave}
            self._share(best, here)
            if cut == _WHOLE or not best:
                break
            after = cuts[at + 1]
            through = [
                polygon for polygon, enter, leave in parts if enter <= cut and after <= leave
            ]
            best = {
                polygon: best[polygon] + (after - cut) / _WHOLE * length * self._price[polygon]
                for polygon in through
                if polygon in best
            }
        return min(best.values(), default=math.inf)

    def _share(self, best: dict[int, float], here: set[int]) -> None:
        """Let polygons around one point of a line have the costs of those they share edges with."""
        queue = sorted((polygon for polygon in best if polygon in here), key=best.__getitem__)
        for polygon in queue:
            for _, _, behind in self._mesh.edges(polygon):
                if behind in here and best.get(behind, math.inf) > best[polygon]:
                    best[behind] = best[polygon]
                    queue.append(behind)

    def _parts(self, one: Step, other: Step, floor: int) -> list[tuple[int, int, int]]:
        """Cut a line into parts that lie in open polygons: polygon, begin and end, of _WHOLE."""
        (floors, begin, side), (xs, ys) = self._rings, zip(one, other, strict=True)
        left, top, right, bottom = self._mesh.box
        near = (left <= max(xs)) & (right >= min(xs)) & (top <= max(ys)) & (bottom >= min(ys))
        polygon = np.flatnonzero(near & (floors == floor))
        size = begin[polygon + 1] - begin[polygon]
        owner = np.repeat(np.arange(len(polygon)), size)
        at = np.arange(len(owner)) + np.repeat(begin[polygon + 1] - np.cumsum(size), size)
        (sx, sy), (cx, cy) = side[at].T, self._mesh.ring[at].T
        first, last = (sx * (y - cy) - sy * (x - cx) for x, y in (one, other))
        meets = np.ones(len(polygon), dtype=np.bool_)
        meets[owner[(first < 0) & (last < 0)]] = False
        found = {each: [0, _WHOLE] for each in np.flatnonzero(meets).tolist()}
        crossed = np.flatnonzero(((first < 0) != (last < 0)) & meets[owner])
        for each, here, there in np.stack([owner, first, last])[:, crossed].T.tolist():
            cut, part = here * _WHOLE // (here - there), found[each]
            part[here >= 0] = min(part[1], cut) if here >= 0 else max(part[0], cut)
        parts = [(int(polygon[each]), enter, leave) for each, (enter, leave) in found.items()]
        for piece, ring in self._mesh.pieces.items():
            if self._ways.open[piece] and self._mesh.floor[piece] == floor:
                enter, leave = _part_of(ring, one, other)
                parts.append((piece, enter, leave))
        return [part for part in parts if part[1] <= part[2]]

    def _route(self, path: Sequence[Place], ends: list[_End]) -> list[_End]:
        """Return where strings turn that are pulled through polygons of one price in a row."""
        if any(map(is_point, path)):
            return ends
        nodes = [int(self._version.location[end.rows[0]]) for end in ends]
        steps = [end.step for end in ends]
        found: list[_End] = []
        for polygons, first, last, floor in self._ways.stretches(nodes):
            begin, piece = first, polygons[:1]
            turns: list[Step] = []
            for one, other in pairwise(polygons):
                if self._price[one] != self._price[other]:
                    cut = self._crossing(one, other, steps)
                    turns += self._ways.string(begin, cut, piece)
                    begin, piece = cut, []
                piece.append(other)
            turns += self._ways.string(begin, last, piece)
            for step in without_repeats(turns):
                found.append(_End(step, floor, self._rows_at.get((step, floor), ())))
        found[0], found[-1] = ends[0], ends[-1]
        return found

    def _crossing(self, one: int, other: int, steps: list[Step]) -> Step:
        """Return where a path crosses a portal: at one of its own places, or in the middle."""
        (ax, ay), (bx, by) = self._ways.portal(one, other)
        for x, y in steps:
            # Rounding may put a place up to a step beside the portal it lies in.
            off = abs(turn((ax, ay), (bx, by), (x, y)))
            along = (x - ax) * (bx - ax) + (y - ay) * (by - ay)
            square = (bx - ax) ** 2 + (by - ay) ** 2
            if off * off <= square and 0 <= along <= square:
                return x, y
        return (ax + bx) // 2, (ay + by) // 2


def _part_of(ring: Sequence[tuple[Any, Any]], one: Step, other: Step) -> tuple[int, int]:
    """Return where a line enters a convex polygon and leaves it; 1 and 0 where it lies beside."""
    enter, leave = 0, _WHOLE
    for a, b in zip(ring, [*ring[1:], ring[0]], strict=True):
        here, there = turn(a, b, one), turn(a, b, other)
        if here < 0 and there < 0:
            return 1, 0
        if (here < 0) != (there < 0):
            cut = here * _WHOLE // (here - there)
            enter, leave = (enter, min(leave, cut)) if here >= 0 else (max(enter, cut), leave)
    return enter, leave


def _along(points: Sequence[Place], path: Sequence[Place]) -> list[float]:
    """Return where along a path each of some waypoints comes: by the share of the length."""
    lengths = []
    for line in (points, path):
        at = np.array([cast("Sequence[float]", each)[:2] for each in line], dtype=np.float64)
        lengths.append(np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(at, axis=0).T))]))
    mine, whole = lengths
    if mine[-1] == 0 or whole[-1] == 0:
        share = np.linspace(0, 1, len(points))
    else:
        share = mine / mine[-1]
    found: list[float] = np.interp(
        share * whole[-1], whole, np.arange(len(path), dtype=np.float64)
    ).tolist()
    found[-1] = float(len(path) - 1)
    return found
