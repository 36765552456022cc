"""Textbook A* on a level, with every step in places and units."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from bake.play.navigator import Navigator
from bake.play.searching.heuristics import Given
from bake.play.searching.methods import (
    Request,
    RowSpace,
    checked_method,
    estimate_for,
    own_heuristic,
    shown_by,
)
from bake.play.searching.result import SearchResult
from bake.search.best_first import BestFirst
from levelbake.errors import QueryError
from levelbake.places import Place, number_of

#: Methods that can report their open and closed lists.
TRACED = ("astar", "dijkstra", "greedy", "weighted")


@dataclass(frozen=True)
class Opened:
    """A place added to the open list, or updated there by a shorter path."""

    place: Place
    g: float  #: the cost of the path to the place, in units
    f: float  #: the number the open list is ordered by


@dataclass(frozen=True)
class TraceStep:
    """One place taken from the open list."""

    place: Place
    parent: Place | None  #: the place it was reached from; None at the start
    g: float  #: the cost of the path to the place, in units
    h: float  #: the heuristic's estimate from the place to the goal, in units
    f: float  #: the number the open list is ordered by: g + h in A*
    opened: tuple[Opened, ...]  #: what the step put on the open list
    _before: Sequence[TraceStep] = field(repr=False, compare=False)
    _number: int = field(repr=False, compare=False)

    @property
    def open(self) -> tuple[tuple[Place, float], ...]:
        """Return the open list after the step: place and f, best first."""
        waiting: dict[Place, Opened] = {}
        for step in self._before[: self._number + 1]:
            waiting.pop(step.place, None)
            waiting.update((one.place, one) for one in step.opened)
        order = sorted(waiting.values(), key=lambda one: (one.f, -one.g))
        return tuple((one.place, one.f) for one in order)

    @property
    def closed(self) -> tuple[Place, ...]:
        """Return the closed list after the step, in order."""
        closed: dict[Place, None] = {}
        for step in self._before[: self._number + 1]:
            closed[step.place] = None
            for one in step.opened:
                closed.pop(one.place, None)
        return tuple(closed)


@dataclass(frozen=True)
class TracedResult(SearchResult):
    """A path, and every step that led to it."""

    #: the steps, the last of which takes the goal if it can be reached
    trace: tuple[TraceStep, ...] = ()


def traced_search(
    nav: Navigator,
    start: Place,
    goal: Place,
    method: str = "astar",
    heuristic: str | Given | None = None,
    *,
    weight: float = 1.0,
) -> TracedResult:
    """Search like :meth:`bake.play.Navigator.search`, in plain Python, and record every step.

    It is the textbook's search: where several places are equally good, it may take another one than
    the compiled one, and without a heuristic it takes that of the level's movement.

    Args:
        nav: a profile of a level.
        start, goal: places.
        method: "astar", "dijkstra", "greedy" or "weighted".
        heuristic, weight: as for :meth:`bake.play.Navigator.search`.

    Raises:
        QueryError: as for :meth:`bake.play.Navigator.search`, or the method keeps no trace.
    """
    request = Request(method, heuristic, weight)
    checked_method(request)
    weight = number_of(weight)
    if method not in TRACED:
        raise QueryError(f"the method {method!r} keeps no trace", expected=" or ".join(TRACED))
    now = nav._now
    row, goal_row = now.ends(start, goal)
    context, version = now.searches, now.version
    greedy, reopens, estimate = method == "greedy", True, None
    if heuristic is None or isinstance(heuristic, str):
        estimate = estimate_for(context, goal_row, request)
        reopens = estimate.admissible is not False and not (weight > 1 and estimate.consistent)
        h = context.space.estimates(estimate, goal_row).tolist().__getitem__
    else:
        h = own_heuristic(context, heuristic)
    shares = (0, 1) if greedy else (1, weight)
    space = RowSpace(context, row, goal_row)
    search = BestFirst(space, h, *shares, reopens=reopens and not greedy)
    unit, place = version.places.ticks_per_unit, context.rows.place
    shown: list[TraceStep] = []
    while (step := search.step()) is not None:
        parent = place(step.parent) if shown else None
        opened = tuple(Opened(place(one), g / unit, f / unit) for one, g, f in step.opened)
        g, estimated, f = step.g / unit, step.h / unit, step.f / unit
        here = place(step.state)
        shown.append(TraceStep(here, parent, g, estimated, f, opened, shown, len(shown)))
    if estimate is None:
        estimate = shown_by(search)
    named = None if method == "dijkstra" else estimate
    return TracedResult(
        None if search.path is None else [place(each) for each in search.path],
        search.cost / unit,
        len(shown),
        method,
        None if named is None else named.name,
        True if named is None else named.admissible,
        True if named is None else named.consistent,
        math.inf if greedy or not estimate.admissible else max(1.0, weight),
        generated=search.generated,
        trace=tuple(shown),
    )
