"""Search the graph an asset holds, for one profile. A new method is a line in METHODS."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from bake.core.arrays import Int32Array
from bake.core.extras import find_registered, missing_extras_remedy, registered_names
from bake.core.graph import UNREACHABLE
from bake.play.searching.context import SearchContext
from bake.play.searching.heuristics import Given, fitting_norm, given_ticks, heuristic_for
from bake.play.searching.result import SearchResult
from bake.search.best_first import BestFirst
from bake.search.point.estimates import ROWS, Estimate
from bake.search.point.space import Found, SearchSpace
from levelbake.errors import QueryError
from levelbake.places import Place, number_of, quoted

QUEUES = ("auto", "bucket", "heap")

#: Methods whose heuristic may be given a weight.
WEIGHTED = ("astar", "weighted")

#: The largest weight; beyond it weighted A* is greedy best-first search.
# limit: a one-line error; lowered by weight_of_five
MOST_WEIGHT = 1000


@dataclass(frozen=True)
class Request:
    """What a search is asked for, apart from its start and goal."""

    method: str  #: a key of METHODS
    #: a key of HEURISTICS, the caller's own, or None for the one that fits best
    heuristic: str | Given | None = None
    #: what the heuristic of "astar" or "weighted" is multiplied with, 0 to MOST_WEIGHT
    weight: float = 1.0
    queue: str = "auto"  #: one of QUEUES
    looked_at: bool = False  #: whether to report which places were looked at
    #: whether "astar" and "weighted" expand places again by a heuristic that is not admissible
    reopen: bool = False
    #: further options, for methods of extras
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Outcome:
    """What a method found, in rows."""

    rows: Int32Array | None  #: (k) int32 from start to goal; None where there is no path
    ticks: int  #: what the path costs
    expanded: int  #: how many rows were taken from the open list
    generated: int = 0  #: how many arcs lead out of them, the goal not counted
    estimate: Estimate | None = None  #: the heuristic the search used; None if it used none
    bound: float = 1.0  #: the path costs at most this many times as much as a shortest one
    #: the ticks of the way to each row that a search in plain Python met
    reached: Mapping[int, float] | None = None


#: A function that searches from one row to another.
Method = Callable[[SearchContext, int, int, Request], Outcome]


def run(context: SearchContext, row: int, goal: int, request: Request) -> Outcome:
    """Search from one row to another.

    Raises:
        QueryError: there is no such method, heuristic, queue or weight, or they do not go together.
    """
    found = checked_method(request)(context, row, goal, request)
    if request.method in SEARCHES_PLACES and found.rows is None:
        refuse_uncounted(context, row, goal)
    return found


def refuse_uncounted(context: SearchContext, row: int, goal: int) -> None:
    """Refuse to call a path none where searches cannot count what it costs.

    Raises:
        QueryError: there is a path, though a search found none.
    """
    if context.version.joined(row, goal):
        raise QueryError(
            f"the path costs more than {UNREACHABLE - 1:,} ticks, and searches count no further",
            place=f"level {context.version.places.name!r}",
            remedy="bake with smaller costs, or lower ticks_per_unit",
        )


def checked_method(request: Request) -> Method:
    """Return the method that a request names.

    Raises:
        QueryError: there is no such method, queue or weight, or they do not go together.
    """
    name = str(request.method)
    method: Method | None = METHODS.get(name) or find_registered("method", name)
    if method is None:
        raise QueryError(
            f"no method {quoted(request.method)}",
            expected=" or ".join(sorted([*METHODS, *registered_names("method")])),
            remedy=missing_extras_remedy(),
        )
    if request.queue not in QUEUES:
        raise QueryError(f"no queue {quoted(request.queue)}", expected=" or ".join(QUEUES))
    weight = request.weight
    if not 0 <= number_of(weight) <= MOST_WEIGHT:
        raise QueryError(f"weight is {quoted(weight)}", expected=f"0 to {MOST_WEIGHT}")
    if weight != 1 and request.method not in WEIGHTED:
        raise QueryError(
            f"the method {request.method!r} takes no weight",
            expected=" or ".join(WEIGHTED),
            remedy="name one of these methods, or leave weight out",
        )
    if request.reopen and request.method not in WEIGHTED:
        raise QueryError(
            f"the method {request.method!r} opens nothing again",
            expected=" or ".join(WEIGHTED),
            remedy="leave reopen out",
        )
    if request.options and name in METHODS:
        refuse_options(request)
    return method


def refuse_options(request: Request, *taken: str) -> None:
    """Refuse what a method is told besides, apart from what it takes.

    Raises:
        QueryError: it is told something else.
    """
    for name in request.options:
        if name not in taken:
            raise QueryError(
                f"the method {request.method!r} takes no {name}", remedy=f"leave {name} out"
            )


def result(context: SearchContext, row: int, goal: int, request: Request) -> SearchResult:
    """Call :func:`run`, and return what it found in places and units."""
    found = run(context, row, goal, request)
    looked_at = _looked_at(context, row, goal, request, found) if request.looked_at else None
    return _in_places(context, found, request, looked_at)


def nearest_result(
    context: SearchContext, row: int, goals: Sequence[int], request: Request
) -> SearchResult:
    """Search to the goal with the cheapest path.

    Goals are searched for one by one, those first that may be nearest; one that the level's norm
    shows to be no nearer than the best so far is not searched for.
    """
    checked_method(request)
    norm = fitting_norm(context)
    least = {goal: norm.between(row, goal) if norm.admissible else 0 for goal in goals}
    best = Outcome(None, int(UNREACHABLE), 0)
    expanded, generated, bound = 0, 0, 1.0
    for goal in sorted(least, key=least.__getitem__):
        if least[goal] >= best.ticks:
            break
        found = run(context, row, goal, request)
        expanded, generated = expanded + found.expanded, generated + found.generated
        bound = max(bound, found.bound)
        if found.rows is not None and found.ticks < best.ticks:
            best = found
    best = replace(best, expanded=expanded, generated=generated, bound=bound)
    return _in_places(context, best, request, None)


def _in_places(
    context: SearchContext,
    found: Outcome,
    request: Request,
    looked_at: tuple[tuple[Place, float], ...] | None,
) -> SearchResult:
    path = None if found.rows is None else context.rows.places(found.rows)
    units = found.ticks / context.version.places.ticks_per_unit
    named = found.estimate
    return SearchResult(
        path,
        math.inf if path is None else units,
        found.expanded,
        request.method,
        None if named is None else named.name,
        True if named is None else named.admissible,
        True if named is None else named.consistent,
        found.bound,
        looked_at,
        found.generated,
    )


def _looked_at(
    context: SearchContext, row: int, goal: int, request: Request, found: Outcome
) -> tuple[tuple[Place, float], ...]:
    known = request.method in SEARCHES_PLACES or found.reached is not None
    if not known or not found.expanded:
        return ()
    if row == goal:
        return ((context.rows.place(row), 0.0),)
    if found.reached is None:
        rows, ticks = context.space.looked_at()
    else:
        rows = np.array(list(found.reached), dtype=np.int32)
        ticks = np.array(list(found.reached.values()), dtype=np.int64)
    units = ticks / context.version.places.ticks_per_unit
    return tuple(zip(context.rows.places(rows), units.tolist(), strict=True))


def _table(context: SearchContext, row: int, goal: int, request: Request) -> Outcome:
    without_heuristic(request, "the method 'table'")
    ends = np.array([row], dtype=np.int32), np.array([goal], dtype=np.int32)
    _, rows = context.engine.ways(*ends)
    if not len(rows):
        return Outcome(None, 0, 0)
    return Outcome(rows, int(context.engine.all_ticks(*ends)[0]), 0)


def without_heuristic(request: Request, who: str) -> None:
    """Refuse a heuristic where a method uses none.

    Raises:
        QueryError: the request names one.
    """
    if request.heuristic is not None:
        raise QueryError(f"{who} uses no heuristic", remedy="leave heuristic out")


def estimate_for(context: SearchContext, goal: int, request: Request) -> Estimate:
    """Return the heuristic that a request names, or the null one of Dijkstra's algorithm.

    Raises:
        QueryError: there is no such heuristic, or Dijkstra's algorithm is given one.
    """
    if request.method != "dijkstra":
        return heuristic_for(context, request.heuristic, goal)
    without_heuristic(request, "the method 'dijkstra'")
    return heuristic_for(context, "null", goal)


def _dijkstra(context: SearchContext, row: int, goal: int, request: Request) -> Outcome:
    estimate = estimate_for(context, goal, request)

    def search(space: SearchSpace) -> Found:
        return space.astar(estimate, row, goal, queue=request.queue)

    return _found(context, row, goal, search)


def _astar(context: SearchContext, row: int, goal: int, request: Request) -> Outcome:
    name = request.heuristic
    if name is None and context.bounds.has_heuristic:
        name = "maximum"
    weight = float(request.weight)

    def search(space: SearchSpace, estimate: Estimate) -> Found:
        queue, reopen = request.queue, request.reopen
        return space.astar(estimate, row, goal, weight=weight, queue=queue, reopen=reopen)

    if name is not None and not isinstance(name, str):
        return _by_given(context, row, goal, name, 1, weight)
    return _by_name(context, row, goal, name, search, max(1.0, weight))


def _greedy(context: SearchContext, row: int, goal: int, request: Request) -> Outcome:
    def search(space: SearchSpace, estimate: Estimate) -> Found:
        return space.greedy(estimate, row, goal)

    name = request.heuristic
    if name is not None and not isinstance(name, str):
        return _by_given(context, row, goal, name, 0, 1)
    return _by_name(context, row, goal, name, search, math.inf)


def _by_given(
    context: SearchContext, row: int, goal: int, given: Given, g_share: float, h_share: float
) -> Outcome:
    if context.unreachable(row, goal):
        return Outcome(None, 0, 0, 0, Estimate("given", admissible=None, consistent=None), math.inf)
    h = own_heuristic(context, given)
    search = BestFirst(RowSpace(context, row, goal), h, g_share, h_share)
    search.run()
    return plain_outcome(search, shown_by(search), math.inf)


def plain_outcome(search: BestFirst[int], estimate: Estimate | None, bound: float) -> Outcome:
    """Return what a search in plain Python found."""
    rows = None if search.path is None else np.array(search.path, dtype=np.int32)
    ticks, goal = (0, 0) if rows is None else (int(search.cost), 1)
    return Outcome(
        *(rows, ticks, search.expanded + goal, search.generated, estimate, bound),
        reached=search.reached,
    )


def _by_name(
    context: SearchContext,
    row: int,
    goal: int,
    name: str | None,
    search: Callable[[SearchSpace, Estimate], Found],
    bound: float,
) -> Outcome:
    """Search by the heuristic of a name; exact distances are worked out as they are needed."""
    if name == "exact" and (found := context.by_distances(row, goal, search)) is not None:
        return Outcome(
            found.rows, found.ticks, found.expanded, found.generated, Estimate(name), bound
        )
    estimate = heuristic_for(context, name, goal)
    bound = bound if estimate.admissible else math.inf
    return _found(context, row, goal, lambda space: search(space, estimate), estimate, bound)


def _bidirectional(context: SearchContext, row: int, goal: int, request: Request) -> Outcome:
    without_heuristic(request, "the method 'bidirectional'")
    return _from_both_ends(context, row, goal, heuristic_for(context, "null", goal), None)


def _bidirectional_astar(context: SearchContext, row: int, goal: int, request: Request) -> Outcome:
    if request.heuristic is not None and not isinstance(request.heuristic, str):
        raise QueryError(
            "a heuristic of one's own cannot guide a search from both ends",
            expected="the name of one that is consistent",
            remedy="use method 'astar'",
        )
    estimate = heuristic_for(context, request.heuristic, goal)
    if not estimate.consistent or estimate.kind >> 4 == ROWS >> 4:
        raise QueryError(
            f"heuristic {estimate.name!r} cannot guide a search from both ends",
            expected="one that is consistent and holds for every goal",
            remedy="use method 'astar'",
        )
    return _from_both_ends(context, row, goal, estimate, estimate)


def _from_both_ends(
    context: SearchContext, row: int, goal: int, estimate: Estimate, named: Estimate | None
) -> Outcome:
    return _found(context, row, goal, lambda space: space.bidirectional(estimate, row, goal), named)


def _found(
    context: SearchContext,
    row: int,
    goal: int,
    search: Callable[[SearchSpace], Found],
    named: Estimate | None = None,
    bound: float = 1.0,
) -> Outcome:
    """Search, unless it is known that there is no path."""
    if context.unreachable(row, goal):
        return Outcome(None, 0, 0, 0, named, bound)
    found = search(context.space)
    return Outcome(found.rows, found.ticks, found.expanded, found.generated, named, bound)


def _hpa(context: SearchContext, row: int, goal: int, request: Request) -> Outcome:
    without_heuristic(request, "the method 'hpa'")
    hierarchy = context.hierarchy
    if context.apart(row, goal):
        return Outcome(None, 0, 0)
    rows, ticks, expanded = hierarchy.path(row, goal)
    if rows is None:
        return Outcome(None, 0, expanded)
    return Outcome(rows, ticks, expanded, bound=math.inf)


METHODS: dict[str, Method] = {
    "table": _table,
    "dijkstra": _dijkstra,
    "astar": _astar,
    "weighted": _astar,
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


# -- in plain Python -----------------------------------------------------------------------------


class RowSpace:
    """The rows of a profile as the states of a problem, and its arcs as the steps, in ticks.

    Compiled searches cannot call functions of Python. A search of this space asks a heuristic of
    the caller's own about the places that it meets, and about no others.
    """

    def __init__(self, context: SearchContext, start: int, goal: int) -> None:
        self.start, self._goal = start, goal
        self.successors = context.space.arcs_of

    def is_goal(self, row: int) -> bool:
        return row == self._goal


def own_heuristic(context: SearchContext, given: Given) -> Callable[[int], int]:
    """Return what tells the ticks of a row by a heuristic of the caller's own.

    Raises:
        QueryError: a place that is asked about has no value, or its value is no number in range.
    """
    version = context.version
    return lambda row: given_ticks(version, given, int(version.location[row]))


def shown_by(search: BestFirst[int]) -> Estimate:
    """Return what a search that is over shows of a heuristic of the caller's own.

    It shows that one says more than the path found costs from some place on, or nothing.
    """
    says, path = search.estimates, search.path or []
    over = any(says[row] > search.cost - search.reached[row] for row in path)
    return Estimate(
        "given",
        admissible=False if over else None,
        consistent=False if over and not says[path[-1]] else None,
    )
