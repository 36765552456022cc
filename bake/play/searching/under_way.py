"""Search a level a part at a time: so many expansions or milliseconds, and on in the next frame.

The terms are those of :mod:`bake.extras.school.spaces`: step, run, cancel, open, closed, status.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping

import numpy as np

from bake.play.searching.context import SearchContext
from bake.play.searching.heuristics import Given
from bake.play.searching.methods import Request, checked_method, estimate_for, refuse_uncounted
from bake.play.searching.result import SearchResult
from bake.search.point.astar_buckets import PAUSED
from bake.search.point.sliced import SlicedSearch
from bake.search.problem import Status, Step, checked_budget, checked_steps
from levelbake.errors import QueryError
from levelbake.places import AnyPlace, MaybeNone, Place, quoted

#: Methods that can be searched part by part.
SLICED = ("astar", "dijkstra")

#: How many places are expanded before the clock is looked at: at first, and at least. The number
#: doubles and halves, so that the clock is looked at some eight times in a budget, but not sooner
#: than after so many seconds, as each call of a kernel takes some microseconds itself.
# limit: the clock is read again; tests/play/test_requests.py
FIRST_PACE = 64
_LEAST = 8
_LOOKS = 8
_SOONEST = 1e-4


class LevelSearch:
    """A search under way on a level as it was when the search began; one thread's at a time.

    Attributes:
        status: how far it has come: RUNNING, FOUND, NO_PATH or CANCELLED.
        path: the places from start to goal; None unless a path was found.
        cost: what the path costs in units; infinite unless one was found.
        expanded: how many places were taken from the open list, the goal included.
        generated: how many steps lead out of these places, the goal not counted.
        method, heuristic: the method, and the name of the heuristic; None where there is none.
        pace: how many places are expanded before a run with a budget looks at the clock.
    """

    def __init__(
        self,
        context: SearchContext,
        ends: tuple[int, int],
        method: str,
        heuristic: str | Given | None,
        queue: str = "auto",
    ) -> None:
        """Begin a search; nothing is expanded yet. See :meth:`bake.play.Navigator.searching`."""
        check_method(method)
        if method == "astar" and heuristic is None and context.bounds.has_heuristic:
            heuristic = "maximum"
        request = Request(method, heuristic, queue=queue)
        checked_method(request)
        estimate = estimate_for(context, ends[1], request)
        if not estimate.admissible:
            raise QueryError(
                f"heuristic {estimate.name!r} is not known to be admissible here",
                expected="one that is, as a search part by part finds shortest paths",
                remedy='use nav.search, or another heuristic, such as "null"',
            )
        self._context, self._ends = context, ends
        self._units = context.version.places.ticks_per_unit
        self.pace = FIRST_PACE
        self.method = method
        self.heuristic = None if method == "dijkstra" else estimate.name
        self._consistent = estimate.consistent
        self.status = Status.RUNNING
        self.path: list[AnyPlace] | MaybeNone = None
        self.cost = math.inf
        self.expanded = self.generated = 0
        self._search: SlicedSearch | None = None
        if context.engine.known_apart(*ends):
            self.status = Status.NO_PATH
        else:
            self._search = SlicedSearch(context.space, estimate, *ends, queue)
            if ends[0] == ends[1]:
                self._ended()

    # -- going on ---------------------------------------------------------------------------------

    def run(self, budget_ms: float | None = None, steps: int | None = None) -> Status:
        """Go on until the search is over, or until a budget is spent.

        Args:
            budget_ms: milliseconds to spend. The clock is looked at between some expansions, about
                eight times in a budget.
            steps: how many places to expand at most.

        Returns:
            The status, RUNNING where there is more to do.

        Raises:
            QueryError: a budget is no number from 0; the path costs more than searches can count.
        """
        budget = checked_budget(budget_ms)
        left = checked_steps(steps)
        begun = time.perf_counter()
        while self._search is not None and self.running and left > 0:
            part = left if budget is None else min(left, self.pace)
            before = time.perf_counter()
            self._search.run(part)
            left -= part
            self._follow()
            if budget is None:
                continue
            now = time.perf_counter()
            wanted = max(budget / _LOOKS, _SOONEST)
            if now - before > wanted:
                self.pace = max(_LEAST, self.pace // 2)
            elif now - before < wanted / 4:
                self.pace *= 2
            if now - begun >= budget:
                break
        return self.status

    @property
    def running(self) -> bool:
        """Tell whether there is more to do."""
        return self.status.value == "running"

    def step(self) -> Step[AnyPlace] | MaybeNone:
        """Expand one place, or take the goal; return None where the search is over.

        Returns:
            What the step did, in units, as searches of :mod:`bake.search` report it.
        """
        search = self._search
        if search is None or not self.running:
            return None
        search.run(1)
        self._follow()
        over = not self.running
        if over and self.path is None:
            return None
        row = self._ends[1] if over else search.last
        known = search.labelled()
        at = {each: i for i, each in enumerate(known.row.tolist())}
        g, h = known.ticks / self._units, known.estimate / self._units
        opened = []
        if not over:
            for head in dict(self._context.space.arcs_of(row)):
                if head in at and known.waiting[at[head]] and search.parent(head) == row:
                    one = at[head]
                    opened.append((self._place(head), float(g[one]), float(g[one] + h[one])))
        here, parent = at[row], search.parent(row) if row != self._ends[0] else row
        f = float(g[here] + h[here])
        return Step(
            self._place(row), self._place(parent), float(g[here]), float(h[here]), f, tuple(opened)
        )

    def cancel(self) -> None:
        """End the search without a path; do nothing where it is over already."""
        if self.running:
            self.status = Status.CANCELLED
        self.close()

    def close(self) -> None:
        """Give the memory of the search back; its path stays, its open and closed lists do not."""
        if self._search is not None:
            self._search.close()

    def _follow(self) -> None:
        assert self._search is not None
        self.expanded, self.generated = self._search.expanded, self._search.generated
        if self._search.status != PAUSED:
            self._ended()

    def _ended(self) -> None:
        assert self._search is not None
        found = self._search.found
        self.expanded = found.expanded
        if found.rows is None:
            self.status = Status.NO_PATH
            if self._search.lost:
                refuse_uncounted(self._context, *self._ends)
            return
        self.status = Status.FOUND
        self.path = self._context.rows.places(found.rows)
        self.cost = found.ticks / self._units

    # -- looking at it ----------------------------------------------------------------------------

    @property
    def open(self) -> Mapping[AnyPlace, float]:
        """The places that wait to be expanded, with their f in units."""
        return self._listed(waiting=True)

    @property
    def closed(self) -> Mapping[AnyPlace, float]:
        """The places that were expanded and no shorter way was found to since, with their g."""
        return self._listed(waiting=False)

    def _listed(self, *, waiting: bool) -> dict[Place, float]:
        if self._search is None:
            return {}
        known = self._search.labelled()
        at = np.flatnonzero(known.waiting == waiting)
        ticks = known.ticks[at] + (known.estimate[at] if waiting else 0)
        places = self._context.rows.places(known.row[at])
        return dict(zip(places, (ticks / self._units).tolist(), strict=True))

    def so_far(self) -> list[AnyPlace]:
        """Return the path, or the way to the place nearest to the goal that is known so far.

        The nearest one is that of the least estimate, and of several the one with the shortest way.
        No shortest path need begin like this.
        """
        if self.path is not None:
            return self.path
        if self._search is None:
            return []
        known = self._search.labelled()
        if not len(known.row):
            return []
        best = np.lexsort((known.row, known.ticks, known.estimate))[0]
        row = int(known.row[best])
        if row == self._ends[0]:
            return [self._place(row)]
        return self._context.rows.places(self._search.way_to(row))

    def result(self) -> SearchResult:
        """Return what was found, as :meth:`bake.play.Navigator.search` does."""
        return SearchResult(
            self.path,
            self.cost,
            self.expanded,
            self.method,
            self.heuristic,
            True,
            self._consistent,
            generated=self.generated,
        )

    def _place(self, row: int) -> Place:
        return self._context.rows.place(row)


def check_method(method: str) -> None:
    """Refuse a method that there is not, or that cannot be searched part by part.

    Raises:
        QueryError: so it is.
    """
    if method not in SLICED:
        raise QueryError(
            f"the method {quoted(method)} cannot be searched part by part",
            expected=" or ".join(map(repr, SLICED)),
        )
