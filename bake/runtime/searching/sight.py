"""Pull paths tight along straight lines, on grids and on graphs.

Points of a divided plane have a file of their own: :mod:`bake.runtime.mesh.lines`.
"""

from __future__ import annotations

import heapq
import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bake.arrays import BoolArray, Float64Array, Int32Array
from bake.errors import QueryError
from bake.greedy import chart
from bake.hexagons import in_rows, shoved_parity
from bake.runtime.reader.places import Place
from bake.runtime.reader.rows import Rows
from bake.runtime.reader.tables import Tables
from bake.runtime.things import ThingTables

if TYPE_CHECKING:
    from bake.search.point.visibility import SightGrid

#: Sines of angles below this are straight on.
STRAIGHT = 1e-9


class Waypoints(NamedTuple):
    """What remains of a path that was pulled tight.

    Attributes:
        places: an agent goes straight from each to the next, both ends included.
        at: for each the index in the path at which it comes; a broken number lies between two.
    """

    places: list[Place]
    at: Sequence[float]


class Sight(ABC):
    """Straight lines for one profile at one moment. Paths are those of the navigator."""

    @abstractmethod
    def smooth(self, path: Sequence[Place]) -> Waypoints:
        """Pull a path tight, so that no line costs more than what it replaces."""

    @abstractmethod
    def furthest(self, path: Sequence[Place], at: int) -> int:
        """Return the last place of a path that a line from one of its places reaches for no more.

        Raises:
            QueryError: the path has no place ``at``.
        """

    @abstractmethod
    def cost(self, waypoints: Sequence[Place]) -> float:
        """Return what going straight from each waypoint to the next costs, in units.

        Raises:
            QueryError: there is no straight way between two of them.
        """


def check_index(path: Sequence[Place], at: int) -> None:
    if not 0 <= at < len(path):
        raise QueryError(f"no place {at} in the path", expected=f"0 to {len(path) - 1}")


def no_way(tables: Tables, a: object, b: object) -> QueryError:
    return QueryError(
        f"no straight way leads from {a!r} to {b!r} for profile {tables.profile!r}",
        expected="waypoints, as smooth() returns them",
    )


class GridSight(Sight):
    """Lines over squares and hexagons.

    Raises:
        QueryError: agents of the level face headings.
    """

    def __init__(self, tables: Tables, rows: Rows) -> None:
        from bake.search.point.visibility import SightGrid

        places = tables.places
        if places.headings is not None:
            raise QueryError(
                "straight lines are for agents that do not turn",
                place=f"level {places.name!r}",
                remedy="follow the path as it is",
            )
        self._tables, self._rows, self._layout = tables, rows, places.hex_layout
        layout = self._layout
        self._grid: SightGrid = SightGrid(
            places.width,
            0 if layout is None else 1 if in_rows(layout) else 2,
            0 if layout is None else shoved_parity(layout),
            tables.row_at,
            tables.first_arc,
            tables.end_arc,
            tables.head_row,
            tables.exact_cost,
            tables.row_cost,
        )

    def _cells(self, rows: Int32Array) -> Int32Array:
        """Return (k, 2) int32, the cells of some rows as :class:`SightGrid` says them."""
        return chart(self._tables.cell_of_row[rows], self._layout)

    def _priced(self, rows: Int32Array) -> Float64Array:
        """Return (k) float64 units from the start of a path to each of its rows."""
        from bake.search.point.visibility import price_path

        so_far = np.zeros(len(rows), dtype=np.float64)
        price_path(self._grid, rows, so_far)
        wrong = np.flatnonzero(np.isinf(so_far))
        if len(wrong):
            a, b = self._rows.places(rows[wrong[0] - 1 : wrong[0] + 1])
            raise QueryError(
                f"no step leads from {a!r} to {b!r} for profile {self._tables.profile!r}",
                expected="neighbouring cells, as path() returns them",
            )
        return so_far

    def smooth(self, path: Sequence[Place]) -> Waypoints:
        from bake.search.point.visibility import pull_tight

        rows = self._rows.along(path)
        if len(rows) < 2:
            return Waypoints(self._rows.places(rows), list(range(len(rows))))
        so_far, cells = self._priced(rows), self._cells(rows)
        turn = self._turns(cells)
        best = np.empty(len(turn), dtype=np.float64)
        parent = np.empty(len(turn), dtype=np.int32)
        pull_tight(self._grid, cells, so_far, turn, best, parent)
        kept = [len(turn) - 1]
        while kept[-1] > 0:
            kept.append(int(parent[kept[-1]]))
        at = turn[kept[::-1]]
        return Waypoints(self._rows.places(rows[at]), at.tolist())

    def _turns(self, cells: Int32Array) -> Int32Array:
        """Return (t) int32, the indices at which a path turns, both ends included."""
        step = np.diff(cells, axis=0)
        jump = np.asarray(np.abs(step) > 1).max(axis=1)
        if self._layout is not None:
            jump |= np.abs(step.sum(axis=1)) > 1
        turn = np.flatnonzero((step[1:] != step[:-1]).any(axis=1) | jump[1:]) + 1
        return np.concatenate([[0], turn, [len(cells) - 1]]).astype(np.int32)

    def furthest(self, path: Sequence[Place], at: int) -> int:
        from bake.search.point.visibility import furthest_along

        check_index(path, at)
        rows = self._rows.along(path)
        return int(furthest_along(self._grid, self._cells(rows), self._priced(rows), at))

    def cost(self, waypoints: Sequence[Place]) -> float:
        from bake.search.point.visibility import line_cost, price_path

        rows = self._rows.along(waypoints)
        total = 0.0
        for here, cells in zip(pairwise(rows), pairwise(self._cells(rows).tolist()), strict=True):
            line = line_cost(self._grid, *cells[0], *cells[1])
            if np.isinf(line):
                # A jump is allowed like a line.
                so_far = np.zeros(2, dtype=np.float64)
                price_path(self._grid, np.array(here, dtype=np.int32), so_far)
                line = so_far[1]
            if np.isinf(line):
                raise no_way(self._tables, *self._rows.places(np.array(here, dtype=np.int32)))
            total += float(line)
        return total


class GraphSight(Sight):
    """Lines along the arcs of a graph, which an agent may not leave.

    Raises:
        QueryError: the nodes have no positions.
    """

    def __init__(self, tables: Tables, rows: Rows) -> None:
        self._tables, self._rows = tables, rows
        position = tables.places.position
        if position is None:
            raise QueryError(
                "the nodes of this graph have no positions, and no lines between them",
                place=f"level {tables.places.name!r}",
                remedy="give its nodes x and y, or follow the path as it is",
            )
        self._position: Float64Array = position

    @cached_property
    def _links(self) -> set[tuple[int, int]]:
        """Return the ends of all links, as locations, in both directions."""
        places, changed = self._tables.places, self._tables.changed_links
        links = ThingTables(places).links if changed is None else changed
        found = set()
        for link in links.values():
            start, goal = places.location(link.start), places.location(link.goal)
            found |= {(start, goal), (goal, start)}
        return found

    def _turns(self, rows: Int32Array) -> BoolArray:
        """Return (k) bool, where a path does not go straight on; both ends count."""
        location = self._tables.locations_of(rows)
        step = np.diff(self._position[location], axis=0)
        length = np.hypot(*step.T)
        across = step[:-1, 0] * step[1:, 1] - step[:-1, 1] * step[1:, 0]
        onward = (step[:-1] * step[1:]).sum(axis=1)
        turns = np.ones(len(rows), dtype=np.bool_)
        turns[1:-1] = (np.abs(across) > STRAIGHT * length[:-1] * length[1:]) | (onward <= 0)
        by_link = np.array([pair in self._links for pair in pairwise(location.tolist())], bool)
        turns[:-1] |= by_link
        turns[1:] |= by_link
        return turns

    def _along(self, path: Sequence[Place]) -> Int32Array:
        """Return the rows of a path, each of whose steps there is."""
        rows = self._rows.along(path)
        wrong = np.flatnonzero(np.isinf(self._tables.step_costs(rows)))
        if len(wrong):
            a, b = self._rows.places(rows[wrong[0] : wrong[0] + 2])
            raise QueryError(
                f"no step leads from {a!r} to {b!r} for profile {self._tables.profile!r}",
                expected="neighbouring nodes, as path() returns them",
            )
        return rows

    def smooth(self, path: Sequence[Place]) -> Waypoints:
        at = np.flatnonzero(self._turns(self._along(path)))
        return Waypoints([path[each] for each in at.tolist()], at.tolist())

    def furthest(self, path: Sequence[Place], at: int) -> int:
        check_index(path, at)
        turns = np.flatnonzero(self._turns(self._along(path)))
        return int(turns[turns > at].min(initial=len(path) - 1))

    def cost(self, waypoints: Sequence[Place]) -> float:
        rows = self._rows.along(waypoints).tolist()
        total = 0.0
        for ends in pairwise(rows):
            line = self._line(*ends)
            if math.isinf(line):
                raise no_way(self._tables, *self._rows.places(np.array(ends, dtype=np.int32)))
            total += line
        return total

    def _line(self, row: int, goal: int) -> float:
        """Return the units of the cheapest arcs in a row that all lie on one line."""
        tables, position = self._tables, self._position[self._tables.location]
        start, way = position[row], position[goal] - position[row]
        length = float(np.hypot(*way))
        best = {row: 0.0}
        queue = [(0.0, row)]
        while queue:
            along, here = heapq.heappop(queue)
            if here == goal:
                return best[here]
            for arc in range(tables.first_arc[here], tables.end_arc[here]):
                to, cost = int(tables.head_row[arc]), best[here] + float(tables.exact_cost[arc])
                if to < 0 or math.isinf(cost):
                    continue
                dx, dy = (position[to] - start).tolist()
                further = (dx * way[0] + dy * way[1]) / length if length else 0.0
                off = abs(dx * way[1] - dy * way[0])
                if to != goal and (
                    off > STRAIGHT * length * math.hypot(dx, dy) or not along < further < length
                ):
                    continue
                if to not in best:
                    heapq.heappush(queue, (math.inf if to == goal else further, to))
                best[to] = min(best.get(to, math.inf), cost)
        return math.inf
