"""Answers for one profile of a level as it is at one moment, changed or not.

While a level is as it was baked, the tables answer. Once it has changed, a baked path still holds
as long as each arc on it costs what it did, and nothing that became cheaper can lead to a shorter
one. Otherwise the goal is searched from, once, and that is kept for whoever asks next.

Of several shortest paths each way finds the same one (decision 74): of the places one arc away that
begin one, the next is the one baked, if it is among them, and otherwise that of the first arc.
"""

from __future__ import annotations

import threading
from functools import cached_property
from heapq import heapify, heappop, heappush
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from levelbake.errors import MissingTableError
from levelbake.hops import Hops, view_of
from levelbake.steps import BLOCKED, AnyArray, BoolArray, Float64Array, Int32Array, Int64Array

#: The most places whose level is searched when it has no next hops; bake.play takes larger ones.
# limit: a one-line error; tests/reader/test_level.py
MOST_SEARCHED = 2**17
#: The most ends of cheaper arcs, on either side, from which a baked path is proved.
# limit: the level is searched; tests/reader/test_stateful.py
MOST_PORTALS = 16
#: The most goals of which something is kept, and about how many places all of it may describe.
# limit: the oldest results are dropped and recomputed; tests/reader/test_stateful.py
MOST_GOALS, MOST_KEPT = 512, 2**23
#: Of how many places that ask for one goal at once each is proved by itself.
_FEW = 4


class ProfileVersion:
    """One profile of a level at one moment. It never changes, and threads may share it.

    Attributes:
        hops: what was baked.
        standing: (locations) bool, True where the profile can stand.
        plain: (m) int32 ticks, what every arc would cost without a price of its own.
        ticks: (m) int32 ticks, what every arc costs; BLOCKED = not to be taken.
    """

    def __init__(self, hops: Hops, **changed: AnyArray) -> None:
        """Take what has become of standing, plain and ticks; without these it is as baked."""
        self.hops, self._is_changed = hops, bool(changed)
        vars(self).update(changed)
        self._goals: dict[int, KnownGoal] = {}
        self._keeping = threading.Lock()

    @cached_property
    def standing(self) -> BoolArray:
        return self.hops.row_at >= 0

    @cached_property
    def plain(self) -> Int32Array:
        return self.hops.pricing.plain

    @cached_property
    def ticks(self) -> Int32Array:
        return self.hops.ticks

    @cached_property
    def as_baked(self) -> bool:
        """Tell whether the profile stands where it did, and every arc costs what it did."""
        return not self._is_changed or (
            np.array_equal(self.ticks, self.hops.ticks)
            and np.array_equal(self.standing, self.hops.row_at >= 0)
        )

    @cached_property
    def by_table(self) -> bool:
        """Tell whether baked next hops answer."""
        return self.hops.has_hops and self.as_baked

    @cached_property
    def _has_distances(self) -> bool:
        """Tell whether baked tables say distances."""
        return self.by_table or (self.as_baked and self.hops.labels is not None)

    @cached_property
    def cheaper(self) -> Int64Array:
        """Return the arcs that cost less than when the level was baked."""
        return np.flatnonzero(self.ticks < self.hops.ticks)

    @cached_property
    def ticks_view(self) -> memoryview[int]:
        """Return the ticks as a view, which plain Python reads several times as fast."""
        return view_of(self.ticks)

    @cached_property
    def portals(self) -> tuple[AnyArray, Float64Array, AnyArray] | None:
        """Return where paths go through what became cheaper, as rows; None where they are many.

        These are the tails of cheaper arcs, the least ticks of one from each, and the heads. Places
        where nobody could stand before lie behind other cheaper arcs, and need not be among them.
        """
        arcs, row_at, cheaper = self.hops.arcs, self.hops.row_at, self.cheaper
        tail, head = row_at[arcs.tail[cheaper]], row_at[arcs.head[cheaper]]
        heads, tails = np.unique(head[head >= 0]), np.unique(tail[tail >= 0])
        if max(len(heads), len(tails)) > MOST_PORTALS:
            return None
        least = np.full(len(tails), np.inf)
        known = tail >= 0
        np.minimum.at(least, np.searchsorted(tails, tail[known]), self.ticks[cheaper[known]])
        return tails, least, heads

    def toward(self, goal: int) -> KnownGoal:
        """Return what is known of a goal.

        Raises:
            MissingTableError: there are no next hops, and the level is too large to search.
        """
        found = self._goals.get(goal)
        if found is None:
            if not self.hops.has_hops and np.count_nonzero(self.standing) > MOST_SEARCHED:
                said = f"the file holds no next_hops for profile {self.hops.profile!r}"
                remedy = "add next_hops to tables in bake.toml, or open it with bake.play"
                raise MissingTableError(said, file=self.hops.arcs.file.path, remedy=remedy)
            most = max(2, min(MOST_GOALS, MOST_KEPT // max(1, self.hops.arcs.count)))
            with self._keeping:
                found = self._goals.setdefault(goal, KnownGoal(self, goal))
                while len(self._goals) > most:
                    del self._goals[next(iter(self._goals))]
        return found

    # -- answers by location ----------------------------------------------------------------------

    def hop(self, at: int, goal: int) -> int:
        """Return the next location; the goal itself at the goal, -1 where there is no path."""
        if at == goal:
            return goal
        if self.by_table:
            return self._baked_hop(at, goal)
        return self.toward(goal).hop(at)

    def _baked_hop(self, at: int, goal: int) -> int:
        """Return where the baked next hop leads; -1 where there is none."""
        row_at, head = self.hops.views
        row, goal_row = row_at[at], row_at[goal]
        if row < 0 or goal_row < 0:
            return -1
        arc = self.hops.arc_of(row, goal_row)
        return -1 if arc < 0 else head[arc]

    def all_hops(self, at: Int32Array, goals: Int32Array) -> Int32Array:
        """Return (k) int32, the next location of each pair; -1 where there is no path."""
        hops = self.hops
        if self.by_table:
            arc = hops.arcs_of(hops.row_at[at], hops.row_at[goals])
            ahead = hops.arcs.head[np.maximum(arc, 0)] if len(hops.arcs.head) else at.copy()
            return np.where(at == goals, at, np.where(arc < 0, -1, ahead)).astype(np.int32)
        found = at.copy()
        for goal, mine in _by_goal(goals):
            found[mine] = self.toward(goal).all(at[mine], 1)
        return found

    def path(self, at: int, goal: int) -> list[int] | None:
        """Return the locations of a shortest path, both ends included; None where there is none."""
        if self.by_table:
            row_at = self.hops.views[0]
            arcs = self.hops.walk(row_at[at], row_at[goal])
            return None if arcs is None else [at, *self.hops.arcs.head[arcs].tolist()]
        known, found = self.toward(goal), [at]
        while at != goal:
            at = known.hop(at)
            if at < 0:
                return None
            found.append(at)
        return found

    def paths(self, at: Int32Array, goals: Int32Array) -> tuple[Int64Array, Int32Array]:
        """Return where each path begins, (k + 1), and the locations of all; none without a path."""
        if self.by_table:
            hops = self.hops
            pair, arcs = hops.walks(hops.row_at[at], hops.row_at[goals])
            begins = np.union1d(pair, np.flatnonzero(at == goals))
            pair = np.concatenate([begins, pair])
            every = np.concatenate([at[begins], hops.arcs.head[arcs]])
            every = every[np.argsort(pair, kind="stable")]
            count = np.bincount(pair, minlength=len(at))
        else:
            ends = zip(at.tolist(), goals.tolist(), strict=True)
            each = [self.path(*pair) or [] for pair in ends]
            every = np.array([one for path in each for one in path])
            count = np.array([*map(len, each)])
        return np.append(0, np.cumsum(count)).astype(np.int64), every.astype(np.int32)

    def between(self, at: int, goal: int) -> float:
        """Return the ticks of a shortest path; inf where there is none."""
        if self._has_distances:
            row_at = self.hops.views[0]
            return self.hops.between(row_at[at], row_at[goal])
        return self.toward(goal).ticks(at)

    def all_between(self, at: Int32Array, goals: Int32Array) -> Float64Array:
        """Return (k) float64 ticks of shortest paths; inf where there is none."""
        if self._has_distances:
            return self.hops.all_between(self.hops.row_at[at], self.hops.row_at[goals])
        found = np.empty(len(at), dtype=np.float64)
        for goal, mine in _by_goal(goals):
            found[mine] = self.toward(goal).all(at[mine], 0)
        return found

    def step(self, tail: int, head: int) -> int:
        """Return the ticks of the cheapest arc between two locations; BLOCKED where there is none.

        A path that was found earlier is walked by such arcs.
        """
        every = self.hops.arcs.between(tail, head)
        return min((self.ticks_view[arc] for arc in every), default=_BLOCKED)

    def reaches(self, at: int, goal: int) -> bool:
        """Tell whether there is a path."""
        hops = self.hops
        if not self.as_baked:
            return self.hop(at, goal) >= 0
        ends = hops.row_at[[at, goal]]
        joined = bool(hops.joined(ends[:1], ends[1:])[0])
        return joined or (hops.one_way and hops.reach is None and self.hop(at, goal) >= 0)

    def ticks_to(self, goal: int) -> Float64Array:
        """Return (locations) float64 ticks of the paths to a goal; inf where there is none."""
        return self.hops.tree(goal)[2] if self.by_table else self.toward(goal).field[0]

    def hops_to(self, goal: int) -> Int32Array:
        """Return (locations) int32, the next locations toward a goal; -1 where there is no path."""
        if not self.by_table:
            return self.toward(goal).field[1]
        arc, ahead, _ = self.hops.tree(goal)
        arc[goal] = 0  # It leads nowhere, so the goal is ahead of itself.
        return np.where(arc < 0, -1, ahead).astype(np.int32)


def _by_goal(goals: AnyArray) -> list[tuple[int, Int64Array]]:
    """Return each goal, and (k) int64 which of the questions ask for it."""
    order = np.argsort(goals, kind="stable")
    bounds = np.flatnonzero(np.diff(goals[order], prepend=-1))
    parts = pairwise([*bounds.tolist(), len(goals)])
    return [(int(goals[order[a]]), order[a:b]) for a, b in parts]


class KnownGoal:
    """What is known of one goal in one version: the baked paths that hold, or a search from it."""

    def __init__(self, version: ProfileVersion, goal: int) -> None:
        self._version, self._goal, self._hops = version, goal, version.hops
        self._proved: dict[int, float] = {goal: 0.0}
        self._given_up = not version.hops.has_hops or version.hops.row_at[goal] < 0

    @property
    def is_searched(self) -> bool:
        """Tell whether the goal has been searched from."""
        return "field" in self.__dict__

    def hop(self, at: int) -> int:
        """Return the next location, at the goal the goal itself; -1 where there is no path."""
        if at == self._goal:
            return at
        if not self.is_searched and self._prove(at) is not None:
            return self._version._baked_hop(at, self._goal)
        return self._field_views[1][at]

    def ticks(self, at: int) -> float:
        """Return the ticks of a shortest path; inf where there is none."""
        proved = None if self.is_searched else self._prove(at)
        return self._field_views[0][at] if proved is None else proved

    def all(self, at: Int32Array, part: Literal[0, 1]) -> AnyArray:
        """Return (k), the ticks (part 0) or the next locations (part 1) from some places."""
        if len(at) > _FEW or self.is_searched:
            return self.field[part][at]
        return np.array([*map((self.ticks, self.hop)[part], at.tolist())])

    @cached_property
    def _field_views(self) -> tuple[memoryview[Any], memoryview[int]]:
        return view_of(self.field[0]), view_of(self.field[1])

    # -- baked paths that hold --------------------------------------------------------------------

    def _prove(self, at: int) -> float | None:
        """Return the ticks of the baked path if it still is a shortest one; None = not known."""
        proved = self._proved.get(at)
        if proved is not None or self._given_up:
            return proved
        hops, (row_at, head) = self._hops, self._hops.views
        row, goal = row_at[at], row_at[self._goal]
        if row < 0:
            return None
        now, baked, rows = self._version.ticks_view, hops.ticks_view, len(hops.location)
        walked: list[tuple[int, int]] = []
        place = at
        while (left := self._proved.get(place)) is None:
            arc = hops.arc_of(row_at[place], goal)
            if arc < 0 and not walked:
                left = np.inf
                break
            if arc < 0 or len(walked) > rows:
                raise hops.astray()
            if now[arc] != baked[arc]:
                return None
            walked.append((place, baked[arc]))
            place = head[arc]
        found = left + sum(ticks for _, ticks in walked)
        if len(self._version.cheaper) and found > self._bound(at):
            return None
        for place, ticks in reversed(walked):
            left += ticks
            self._proved[place] = left
        return found

    def _bound(self, at: int) -> float:
        """Return a lower bound of the ticks of all paths that take an arc which became cheaper.

        Before the first such arc and after the last one, no path takes less than a baked one.
        """
        if self._version.portals is None:
            return -1
        tails, ticks, _ = self._version.portals
        there = self._hops.all_between(np.full(len(tails), self._hops.row_at[at]), tails) + ticks
        return float(there.min(initial=np.inf)) + self._left

    @cached_property
    def _left(self) -> float:
        """Return the ticks of the shortest baked path to the goal from behind a cheaper arc."""
        assert self._version.portals is not None
        heads = self._version.portals[2]
        left = self._hops.all_between(heads, np.full(len(heads), self._hops.row_at[self._goal]))
        return float(left.min(initial=np.inf))

    # -- a search from the goal -------------------------------------------------------------------

    @cached_property
    def field(self) -> tuple[Float64Array, Int32Array]:
        """Return the shortest paths to the goal from everywhere.

        Returns:
            (locations) float64 ticks, inf where there is no path; and (locations) int32, the next
            hop, at the goal the goal itself, -1 without a path.
        """
        hops, now = self._hops, self._version
        arcs, goal = hops.arcs, self._goal
        ticks = np.full(arcs.count, np.inf)
        baked_head = np.full(arcs.count, -1, dtype=np.int64)
        if hops.has_hops and hops.row_at[goal] >= 0:
            arc, ahead, baked = hops.tree(goal)
            goes = arc >= 0
            baked_head[goes] = ahead[goes]
            broken = np.zeros(arcs.count, dtype=np.bool_)
            broken[goes] = now.ticks[arc[goes]] > hops.ticks[arc[goes]]
            for _ in range(len(hops.location).bit_length()):
                broken |= broken[ahead]
                ahead = ahead[ahead]
            whole = ~broken & np.isfinite(baked) & now.standing
            ticks[whole] = baked[whole]
        ticks[goal] = 0
        self._search(ticks)
        taken = np.flatnonzero(now.ticks != BLOCKED)
        tail, head = arcs.tail[taken], arcs.head[taken]
        tight = (ticks[head] + now.ticks[taken] == ticks[tail]) & np.isfinite(ticks[tail])
        tail, head = tail[tight], head[tight]
        found = np.full(arcs.count, -1, dtype=np.int32)
        found[tail[::-1]] = head[::-1]  # Of several the first one stays.
        as_baked = head == baked_head[tail]
        found[tail[as_baked]] = head[as_baked]
        found[goal] = goal
        return ticks, found

    def _search(self, ticks: Float64Array) -> None:
        """Make ticks those of shortest paths, by Dijkstra's method from where they are not.

        G. Ramalingam, T. Reps, "An Incremental Algorithm for a Generalization of the Shortest-Path
        Problem", Journal of Algorithms 21 (1996).

        Args:
            ticks: (locations) float64, of paths that there are, and inf elsewhere.
        """
        arcs, price = self._hops.arcs, self._version.ticks
        taken = np.flatnonzero(price != BLOCKED)
        tail = arcs.tail[taken]
        reached = ticks[arcs.head[taken]] + price[taken]
        better = np.flatnonzero(reached < ticks[tail])
        heap = list(zip(reached[better].tolist(), tail[better].tolist(), strict=True))
        heapify(heap)
        first, into = map(view_of, arcs.into)
        best, cost, tails = view_of(ticks), self._version.ticks_view, view_of(arcs.tail)
        while heap:
            so_far, place = heappop(heap)
            if so_far >= best[place]:
                continue
            best[place] = so_far
            for arc in into[first[place] : first[place + 1]]:
                weight = cost[arc]
                if weight != _BLOCKED and so_far + weight < best[tails[arc]]:
                    heappush(heap, (so_far + weight, tails[arc]))


_BLOCKED = int(BLOCKED)
