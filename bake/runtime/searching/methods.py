"""Searches for one profile, on the graph the asset holds. A new method is a line in METHODS."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar, cast

import numpy as np

from bake.arrays import Int32Array
from bake.errors import QueryError
from bake.runtime.hierarchy.layers import HierarchyTables
from bake.runtime.hierarchy.paths import HierarchyPaths
from bake.runtime.reader.places import Place
from bake.runtime.reader.tables import Tables
from bake.runtime.reader.walk import walk, walked_ticks
from bake.runtime.searching.bounds import Bounds
from bake.runtime.searching.heuristics import (
    HEURISTICS,
    Given,
    best_name,
    given_heuristic,
    stored_guide,
)
from bake.runtime.searching.result import SearchResult, TraceStep
from bake.runtime.searching.traces import traced

if TYPE_CHECKING:
    from bake.search.point.estimates import Estimate
    from bake.search.point.space import Found, SearchSpace

T = TypeVar("T")

QUEUES = ("auto", "bucket", "heap")


@dataclass(frozen=True)
class Request:
    """What is asked of a search besides start and goal.

    Attributes:
        method: a key of METHODS.
        heuristic: a key of HEURISTICS, one's own, or None for the one that fits best.
        weight: of weighted A*, at least 1.
        queue: one of QUEUES.
        trace: whether to tell the open and closed lists step by step.
        looked_at: whether to tell which places were looked at.
    """

    method: str
    heuristic: str | Given | None = None
    weight: float = 1.0
    queue: str = "auto"
    trace: bool = False
    looked_at: bool = False


@dataclass(frozen=True)
class Outcome:
    """What a method found, in rows.

    Attributes:
        rows: (k) int32 from start to goal; None where there is no path.
        ticks: of the path.
        expanded: rows taken from the open list.
        estimate: the heuristic it went by; None without one.
        bound: at most this many times as long as a shortest path.
        steps: the trace, where asked for.
    """

    rows: Int32Array | None
    ticks: int
    expanded: int
    estimate: Estimate | None = None
    bound: float = 1.0
    steps: tuple[TraceStep, ...] | None = None


#: Searches from one row to another.
Method = Callable[["Searches", int, int, Request], Outcome]


class Searches:
    """What one profile's searches share: the graph, scratch memory, heuristics made so far.

    Attributes:
        tables: of the profile; ``tables.usable`` is the graph.
    """

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self._kept: dict[str, object] = {}

    @cached_property
    def space(self) -> SearchSpace:
        """The profile's graph, laid out for searches."""
        from bake.search.point.space import SearchSpace

        usable = self.tables.usable
        return SearchSpace(usable.graph, usable.weight)

    @cached_property
    def hierarchy(self) -> HierarchyPaths:
        """Paths over the profile's hierarchy."""
        return HierarchyPaths(HierarchyTables(self.tables))

    @cached_property
    def bounds(self) -> Bounds:
        """The profile's baked lower bounds of distances."""
        return Bounds(self.tables)

    @cached_property
    def default_heuristic(self) -> str:
        return best_name(self.tables)

    def kept(self, name: str, make: Callable[[], T]) -> T:
        """What was made under this name before, or now."""
        if name not in self._kept:
            self._kept[name] = make()
        return cast("T", self._kept[name])

    def estimate(self, heuristic: str | Given | None, goal: int) -> Estimate:
        """The heuristic a request names.

        Raises:
            QueryError: no such heuristic, or one that does not fit this level.
        """
        if heuristic is None:
            heuristic = self.default_heuristic
        if not isinstance(heuristic, str):
            return given_heuristic(self, heuristic, goal)
        if heuristic not in HEURISTICS:
            raise QueryError(
                f"no heuristic {heuristic!r}", expected=" or ".join(sorted(HEURISTICS))
            )
        return HEURISTICS[heuristic](self, goal)

    def told_by(self, heuristic: str | Given | None, row: int, goal: int) -> int:
        """Ticks a heuristic says lie between two rows.

        Raises:
            QueryError: as for :meth:`estimate`.
        """
        if heuristic == "maximum" and (guide := stored_guide(self)) is not None:
            return guide.between(row, goal)
        return int(self.space.estimates(self.estimate(heuristic, goal), goal)[row])

    def run(self, row: int, goal: int, request: Request) -> Outcome:
        """Search from one row to another.

        Raises:
            QueryError: no such method, heuristic or queue, or ones that do not go together.
        """
        method = METHODS.get(str(request.method))
        if method is None:
            raise QueryError(f"no method {request.method!r}", expected=" or ".join(sorted(METHODS)))
        if request.queue not in QUEUES:
            raise QueryError(f"no queue {request.queue!r}", expected=" or ".join(QUEUES))
        if not (isinstance(request.weight, int | float) and 1 <= request.weight <= 1000):
            raise QueryError(f"weight is {request.weight!r}", expected="1 to 1000")
        return method(self, row, goal, request)

    def places(self, rows: Int32Array) -> list[Place]:
        """Rows as cells or names."""
        if self.tables.places.is_grid:
            cell = self.tables.places.spoken(self.tables.cell_of_row[rows])
            return list(zip(*cell.T.tolist(), strict=True))
        place = self.tables.places.place
        return [place(node) for node in self.tables.node[rows].tolist()]

    def result(self, row: int, goal: int, request: Request) -> SearchResult:
        """Search, and tell it in places and units."""
        found = self.run(row, goal, request)
        path = None if found.rows is None else self.places(found.rows)
        units = found.ticks / self.tables.places.ticks_per_unit
        told = found.estimate
        return SearchResult(
            path,
            math.inf if path is None else units,
            found.expanded,
            request.method,
            None if told is None else told.name,
            True if told is None else told.admissible,
            True if told is None else told.consistent,
            found.bound,
            found.steps,
            self._looked_at(row, goal, request, found) if request.looked_at else None,
        )

    def _looked_at(
        self, row: int, goal: int, request: Request, found: Outcome
    ) -> tuple[tuple[Place, float], ...]:
        if request.method not in SEARCHES_PLACES or not found.expanded:
            return ()
        if found.steps is not None:
            return tuple((step.place, step.g) for step in found.steps)
        if row == goal:
            return ((self.places(np.array([row], dtype=np.int32))[0], 0.0),)
        rows, ticks = self.space.looked_at()
        units = ticks / self.tables.places.ticks_per_unit
        return tuple(zip(self.places(rows), units.tolist(), strict=True))


def _unreachable(searches: Searches, row: int, goal: int) -> bool:
    """Whether component labels tell that there is no path."""
    return searches.tables.joined(row, goal) is False


def _table(searches: Searches, row: int, goal: int, request: Request) -> Outcome:
    _without(request, "the method 'table'")
    ends = np.array([row], dtype=np.int32), np.array([goal], dtype=np.int32)
    _, rows = walk(searches.tables, *ends)
    if not len(rows):
        return Outcome(None, 0, 0)
    return Outcome(rows, int(walked_ticks(searches.tables, *ends)[0]), 0)


def _without(request: Request, who: str) -> None:
    if request.heuristic is not None:
        raise QueryError(f"{who} uses no heuristic", remedy="leave heuristic out")
    if request.trace:
        raise QueryError(f"{who} keeps no trace", expected=" or ".join(TRACED))


def _dijkstra(searches: Searches, row: int, goal: int, request: Request) -> Outcome:
    if request.heuristic is not None:
        raise QueryError("the method 'dijkstra' uses no heuristic", remedy="leave heuristic out")
    return _by_estimate(searches, row, goal, request, searches.estimate("null", goal), 1.0)


def _astar(searches: Searches, row: int, goal: int, request: Request) -> Outcome:
    name = request.heuristic
    if name is None and searches.bounds.has_heuristic and not request.trace:
        name = "maximum"
    if name == "maximum" and not request.trace and request.queue != "heap":
        guide = stored_guide(searches)
        if guide is not None and (request.queue == "bucket" or searches.space.weights_alike):
            if _unreachable(searches, row, goal):
                return Outcome(None, 0, 0, guide.summary)
            return _outcome(guide.astar(searches.space, row, goal), guide.summary, 1.0)
    return _by_estimate(searches, row, goal, request, searches.estimate(name, goal), 1.0)


def _weighted(searches: Searches, row: int, goal: int, request: Request) -> Outcome:
    estimate = searches.estimate(request.heuristic, goal)
    return _by_estimate(searches, row, goal, request, estimate, request.weight)


def _by_estimate(
    searches: Searches, row: int, goal: int, request: Request, estimate: Estimate, weight: float
) -> Outcome:
    bound = weight if estimate.admissible else math.inf
    told = estimate if request.method != "dijkstra" else None
    if request.trace:
        return traced(searches, row, goal, estimate, told, bound, g_share=1, h_share=weight)
    if _unreachable(searches, row, goal):
        return Outcome(None, 0, 0, told, bound)
    found = searches.space.astar(estimate, row, goal, weight=weight, queue=request.queue)
    return _outcome(found, told, bound)


def _greedy(searches: Searches, row: int, goal: int, request: Request) -> Outcome:
    estimate = searches.estimate(request.heuristic, goal)
    if request.trace:
        return traced(searches, row, goal, estimate, estimate, math.inf, g_share=0, h_share=1)
    if _unreachable(searches, row, goal):
        return Outcome(None, 0, 0, estimate, math.inf)
    return _outcome(searches.space.greedy(estimate, row, goal), estimate, math.inf)


def _bidirectional(searches: Searches, row: int, goal: int, request: Request) -> Outcome:
    _without(request, "the method 'bidirectional'")
    if _unreachable(searches, row, goal):
        return Outcome(None, 0, 0)
    null = searches.estimate("null", goal)
    return _outcome(searches.space.bidirectional(null, row, goal), None, 1.0)


def _bidirectional_astar(searches: Searches, row: int, goal: int, request: Request) -> Outcome:
    from bake.search.point.estimates import ROWS

    estimate = searches.estimate(request.heuristic, goal)
    if request.trace:
        raise QueryError(
            "the method 'bidirectional_astar' keeps no trace", expected=" or ".join(TRACED)
        )
    if not estimate.consistent or estimate.kind >> 4 == ROWS >> 4:
        raise QueryError(
            f"heuristic {estimate.name!r} cannot guide a search from both ends",
            expected="one that is consistent and holds for every goal",
            remedy="use method 'astar'",
        )
    if _unreachable(searches, row, goal):
        return Outcome(None, 0, 0, estimate)
    return _outcome(searches.space.bidirectional(estimate, row, goal), estimate, 1.0)


def _outcome(found: Found, estimate: Estimate | None, bound: float) -> Outcome:
    return Outcome(found.rows, found.ticks, found.expanded, estimate, bound)


def _hpa(searches: Searches, row: int, goal: int, request: Request) -> Outcome:
    _without(request, "the method 'hpa'")
    hierarchy = searches.hierarchy
    if _unreachable(searches, row, goal):
        return Outcome(None, 0, 0)
    rows, ticks, expanded = hierarchy.path(row, goal)
    if rows is None:
        return Outcome(None, 0, expanded)
    bound = 1.0 if hierarchy.tables.mode == "exact" else math.inf
    return Outcome(rows, ticks, expanded, bound=bound)


METHODS: dict[str, Method] = {
    "table": _table,
    "dijkstra": _dijkstra,
    "astar": _astar,
    "weighted": _weighted,
    "greedy": _greedy,
    "hpa": _hpa,
    "bidirectional": _bidirectional,
    "bidirectional_astar": _bidirectional_astar,
}

#: Methods that search the level's own places.
SEARCHES_PLACES = (
    "dijkstra",
    "astar",
    "weighted",
    "greedy",
    "bidirectional",
    "bidirectional_astar",
)

#: Methods that can tell their open and closed lists.
TRACED = ("astar", "dijkstra", "greedy", "weighted")
