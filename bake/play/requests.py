"""Keep a queue of requests for paths, and search for them within so many milliseconds a frame.

Requests that are searched take turns, each getting expansions in proportion to its priority. Of
those that wait, the one with the earliest deadline is next (C. Liu, J. Layland, "Scheduling
Algorithms for Multiprogramming in a Hard-Real-Time Environment", JACM 20(1), 1973). Deadlines count
requests, not time: nobody waits for ever, however many others are more urgent.
"""

from __future__ import annotations

import heapq
import math
import time
from collections.abc import Callable
from itertools import islice
from typing import Literal

from bake.play.searching.heuristics import Given, lay_out
from bake.play.searching.under_way import (
    FIRST_PACE,
    LevelSearch,
    check_method,
)
from bake.play.snapshot import Snapshot
from bake.search.problem import Status, checked_budget
from levelbake.errors import MissingTableError, QueryError
from levelbake.places import AnyPlace, MaybeNone, Place, number_of, quoted, whole_of

#: What becomes of requests when the level changes under them.
OnChange = Literal["restart", "cancel"]

#: So many later requests a request of priority 1 lets go first, if they are urgent enough; one of
#: priority p a p-th of them.
_PATIENCE = 100

#: Each turn takes at most this share of a frame's budget.
_TURN = 1 / 8


class PathRequest:
    """A path that was asked for; get it from :meth:`RequestQueue.add`.

    Attributes:
        start, goal: the places.
        priority: how many turns it gets where a request of priority 1 gets one.
        status: RUNNING while it waits or is searched, then FOUND, NO_PATH or CANCELLED.
        path: the places from start to goal, a shortest path; None unless it was found.
        cost: what the path costs in units; infinite unless it was found.
        expanded: how many places were expanded for it.
        frames: how many frames it took so far.
        restarts: how often it began again, because the level had changed.
        reason: why it was cancelled, where the game did not do it; otherwise None.
    """

    def __init__(
        self,
        queue: RequestQueue,
        places: tuple[Place, Place],
        priority: float,
        asked: tuple[str, str | Given | None],
    ) -> None:
        self.start, self.goal = places
        self.priority = priority
        self.status: Status = Status.RUNNING
        self.path: list[AnyPlace] | MaybeNone = None
        self.cost = math.inf
        self.expanded = self.frames = self.restarts = 0
        self.reason: str | None = None
        self._queue, self._asked = queue, asked
        self._search: LevelSearch | None = None
        self._snapshot: Snapshot | None = None
        self._passed = 0.0

    @property
    def over(self) -> bool:
        """Tell whether nothing more will be done for the request."""
        return self.status.value != "running"

    def cancel(self) -> None:
        """Give the request up; do nothing where it is over already."""
        if not self.over:
            self._cancel(None)

    def moves(self, count: int = 8) -> list[AnyPlace]:
        """Return the first places after the start to go to, before the path is known.

        They come from the path where it was found, otherwise from the baked next hops, otherwise
        from HPA*, and where the asset has neither, from the way to the place nearest to the goal
        that the search has come to, which may be a wrong one.

        Args:
            count: how many places at most.

        Returns:
            The places; none where nothing is known, or where there is no way.

        Raises:
            QueryError: count is no whole number from 1 on; the level has changed, and start or goal
                cannot be stood on any more.
        """
        count = _from_one("count", count)
        if self.path is not None:
            return self.path[1 : count + 1]
        if self.over:
            return []
        now = self._queue.now()
        rows = self._hops(now, count)
        if rows is not None:
            return [now.rows.place(row) for row in rows]
        return [] if self._search is None else self._search.so_far()[1 : count + 1]

    def _hops(self, now: Snapshot, count: int) -> list[int] | None:
        """Return the first rows by next hops or HPA*; None where the asset has neither."""
        row, goal = now.ends(self.start, self.goal)
        if now.version.has_hops:
            rows: list[int] = []
            while row != goal and len(rows) < count:
                row = now.engine.hop(row, goal)
                if row < 0:
                    break
                rows.append(row)
            return rows
        try:
            pieces = now.searches.walk(row, goal)
        except MissingTableError:
            return None
        if pieces is None:
            return []
        return list(islice((each for piece in pieces for each in piece.tolist()), count))

    # -- what the queue does with it --------------------------------------------------------------

    def _begin(self, now: Snapshot) -> None:
        method, heuristic = self._asked
        row, goal = now.ends(self.start, self.goal)
        self._snapshot = now
        self._search = LevelSearch(now.searches, (row, goal), method, heuristic)
        self._take()

    def _take(self) -> None:
        """Take over what the search has come to."""
        search = self._search
        assert search is not None
        self.expanded = search.expanded
        if not search.running:
            self.status, self.path, self.cost = search.status, search.path, search.cost
            self._drop()

    def _cancel(self, reason: str | None) -> None:
        self.status, self.reason = Status.CANCELLED, reason
        self._drop()

    def _drop(self) -> None:
        if self._search is not None:
            self._search.close()
        self._search = self._snapshot = None


class RequestQueue:
    """Requests for paths of one profile, searched for within a budget of each frame.

    Get it from :meth:`bake.play.searches.Searches.requests`. It is one thread's at a time.

    Attributes:
        budget_ms: milliseconds of each frame.
        at_once: how many requests are searched in turns; each takes 24 bytes a place meanwhile.
        on_change: what becomes of requests when the level changes, "restart" or "cancel".
    """

    def __init__(
        self,
        now: Callable[[], Snapshot],
        budget_ms: float,
        at_once: int,
        on_change: OnChange,
    ) -> None:
        if checked_budget(budget_ms) is None:
            raise QueryError("the budget is None", expected="a number of milliseconds from 0 on")
        at_once = _from_one("at_once", at_once)
        if on_change not in ("restart", "cancel"):
            raise QueryError(f"on_change is {quoted(on_change)}", expected="'restart' or 'cancel'")
        lay_out(now().searches)
        self.now = now
        self.budget_ms, self.at_once = number_of(budget_ms), at_once
        self.on_change = on_change
        self._waiting: list[tuple[float, int, PathRequest]] = []
        self._searched: list[PathRequest] = []
        self._number = 0
        self._pace = FIRST_PACE

    def __len__(self) -> int:
        """Return how many requests wait or are searched."""
        return sum(not each.over for each in self._all())

    def _all(self) -> list[PathRequest]:
        return [*self._searched, *(each for _, _, each in self._waiting)]

    def add(
        self,
        start: Place,
        goal: Place,
        *,
        priority: float = 1,
        method: str = "astar",
        heuristic: str | Given | None = None,
    ) -> PathRequest:
        """Ask for a path; nothing is searched before :meth:`run`.

        Args:
            start, goal: places.
            priority: how many turns it gets where a request of priority 1 gets one, 0.001 to 1000.
            method, heuristic: as for :meth:`bake.play.searches.Searches.begin`.

        Raises:
            QueryError: as for :meth:`bake.play.searches.Searches.begin`; the priority is wrong.
        """
        turns = number_of(priority)
        if not 0.001 <= turns <= 1000:
            raise QueryError(f"priority is {quoted(priority)}", expected="a number, 0.001 to 1000")
        check_method(method)
        now = self.now()
        now.ends(start, goal)
        request = PathRequest(self, (start, goal), turns, (method, heuristic))
        self._number += 1
        deadline = self._number + _PATIENCE / turns
        heapq.heappush(self._waiting, (deadline, self._number, request))
        return request

    def run(self, budget_ms: float | None = None) -> list[PathRequest]:
        """Search for a frame's budget; call it once a frame.

        Args:
            budget_ms: milliseconds for this frame; None = those of the queue, infinity = all there
                is to do.

        Returns:
            The requests that are over now and were not after the last call, cancelled ones not
            among them unless a change of the level did it.

        Raises:
            QueryError: the budget is no number from 0 on; a method or heuristic that a request
                names does not exist, or does not fit the level. That request is cancelled.
        """
        budget = checked_budget(self.budget_ms if budget_ms is None else budget_ms)
        assert budget is not None
        until = time.perf_counter() + budget
        turn = budget * 1000 * _TURN if math.isfinite(budget) else None
        now = self.now()
        ended = self._notice(now)
        for each in self._all():
            each.frames += 1
        while True:
            self._admit(now, ended)
            if not self._searched:
                break
            one = min(self._searched, key=lambda each: each._passed)
            self._search_on(one, turn)
            if one.over:
                self._searched.remove(one)
                ended.append(one)
            if time.perf_counter() >= until:
                break
        return ended

    def _search_on(self, one: PathRequest, turn: float | None) -> None:
        search = one._search
        assert search is not None
        before, search.pace = search.expanded, self._pace
        try:
            search.run(turn)
        except QueryError:
            one._cancel("the path costs more than searches can count")
            self._searched.remove(one)
            raise
        one._passed += (1 + search.expanded - before) / one.priority
        self._pace = search.pace
        one._take()

    def _admit(self, now: Snapshot, ended: list[PathRequest]) -> None:
        """Take requests from those that wait, as long as there is room."""
        while self._waiting and len(self._searched) < self.at_once:
            _, _, request = heapq.heappop(self._waiting)
            if request.over:
                continue
            # It begins level with the others, or it would have all turns to itself at first.
            request._passed = min((each._passed for each in self._searched), default=0.0)
            if not self._begun(request, now) or request.over:
                ended.append(request)
            else:
                self._searched.append(request)

    def _begun(self, request: PathRequest, now: Snapshot) -> bool:
        """Begin to search for a request; tell whether the level still has its places."""
        try:
            now.ends(request.start, request.goal)
        except QueryError as error:
            request._cancel(f"the level has changed: {error}")
            return False
        try:
            request._begin(now)
        except QueryError:
            request._cancel("it asked for a search that there is not")
            raise
        return True

    def _notice(self, now: Snapshot) -> list[PathRequest]:
        """Drop cancelled requests, and begin again those that the level changed under."""
        ended: list[PathRequest] = []
        still: list[PathRequest] = []
        for request in self._searched:
            if request.over:
                continue
            if request._snapshot is not now:
                if self.on_change == "cancel":
                    request._cancel("the level has changed")
                else:
                    request._drop()
                    request.restarts += 1
                    self._begun(request, now)
            (ended if request.over else still).append(request)
        self._searched = still
        return ended


def _from_one(name: str, given: int) -> int:
    """Return a whole number from 1 on; raise a QueryError for anything else."""
    if whole_of(given) < 1:
        raise QueryError(f"{name} is {quoted(given)}", expected="a whole number from 1 on")
    return whole_of(given)
