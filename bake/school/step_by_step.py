"""Search a level by textbook A*, and report every step in places and units."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from bake.arrays import Int32Array
from bake.play.headings import ends
from bake.play.navigator import Navigator
from bake.play.searching.heuristics import Given
from bake.play.searching.methods import Request, checked_method, estimate_for
from bake.play.searching.result import SearchResult
from bake.school.textbook import Order, trace
from levelbake.errors import QueryError
from levelbake.places import Place

#: Methods that can report their open and closed lists.
TRACED = ("astar", "dijkstra", "greedy", "weighted")


@dataclass(frozen=True)
class Opened:
    """A place put on the open list, or to which a shorter way was found while it lay there."""

    place: Place
    g: float  #: the cost of the way to the place, in units
    f: float  #: the number the open list is ordered by


@dataclass(frozen=True)
class TraceStep:
    """One place taken from the open list."""

    place: Place
    parent: Place | None  #: the place it was reached from; None at the start
    g: float  #: the cost of the way to the place, in units
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
    """Search as :meth:`bake.play.Navigator.search` does, in plain Python, and note every step.

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
    if method not in TRACED:
        raise QueryError(f"the method {method!r} keeps no trace", expected=" or ".join(TRACED))
    now = nav._now
    row, goal_row = ends(now.engine, now.rows, start, goal)
    context, version = now.searches, now.version
    estimate = estimate_for(context, goal_row, request)
    greedy = method == "greedy"
    reopens = estimate.admissible is not False and not (weight > 1 and estimate.consistent)
    order = Order(0, 1, reopens=False) if greedy else Order(1, float(weight), reopens)
    h = context.space.estimates(estimate, goal_row).tolist()
    steps, path, ticks = trace(version.usable.graph, version.usable.weight, h, row, goal_row, order)
    place = context.rows.places(np.arange(version.row_count, dtype=np.int32))
    unit = version.places.ticks_per_unit
    shown: list[TraceStep] = []
    for number, step in enumerate(steps):
        parent = None if step.parent < 0 else place[step.parent]
        opened = tuple(Opened(place[one], g / unit, f / unit) for one, g, f in step.opened)
        g, estimated, f = step.g / unit, step.h / unit, step.f / unit
        shown.append(TraceStep(place[step.row], parent, g, estimated, f, opened, shown, number))
    named = None if method == "dijkstra" else estimate
    rows: Int32Array | None = None if path is None else np.array(path, dtype=np.int32)
    return TracedResult(
        None if rows is None else context.rows.places(rows),
        math.inf if rows is None else ticks / unit,
        len(steps),
        method,
        None if named is None else named.name,
        True if named is None else named.admissible,
        True if named is None else named.consistent,
        math.inf if greedy or not estimate.admissible else float(weight),
        trace=tuple(shown),
    )
