"""Queries for one profile of a level at one moment, as baked or changed.

While a level is as baked, the tables answer. On a changed level, a baked path is still shortest if
all its arcs have their baked costs and no cheaper arc can lead to a shorter path. Otherwise one
search from the goal answers, and its result is cached for later queries.

All methods return the same one of several shortest paths (decision 74): among the next places that
start a shortest path, the baked one has priority, then the one of the first arc.
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

#: The most walkable places of a level that is searched without next hops; see bake.play for larger.
# limit: a one-line error; tests/reader/test_level.py
MOST_SEARCHED = 2**17
#: The most tails, and heads, of cheaper arcs with which to check that a baked path is shortest.
# limit: the level is searched; tests/reader/test_stateful.py
MOST_PORTALS = 16
#: The most goals with cached results, and about the most places in all cached results together.
# limit: the oldest results are dropped and recomputed; tests/reader/test_stateful.py
MOST_GOALS, MOST_KEPT = 512, 2**23
#: The most starts with one goal in a batch for which baked paths are checked one by one.
_FEW = 4


class ProfileVersion:
    """One profile of a level at one moment. Immutable; threads may share it."""

    def __init__(self, hops: Hops, **changed: AnyArray) -> None:
        """Create a version from the baked tables.

        Args:
            hops: the baked tables.
            changed: the arrays ``standing``, ``plain`` and ``ticks``; none = as baked.
        """
        #: the baked tables
        self.hops = hops
        self._is_changed = bool(changed)
        vars(self).update(changed)
        self._goals: dict[int, KnownGoal] = {}
        self._goals_lock = threading.Lock()

    @cached_property
    def standing(self) -> BoolArray:
        """Return (locations) bool, whether the profile can stand."""
        return self.hops.row_at >= 0

    @cached_property
    def plain(self) -> Int32Array:
        """Return (m) int32, the costs of arcs in ticks, without costs of single arcs."""
        return self.hops.pricing.plain

    @cached_property
    def ticks(self) -> Int32Array:
        """Return (m) int32, the costs of arcs in ticks; BLOCKED = closed."""
        return self.hops.ticks

    @cached_property
    def as_baked(self) -> bool:
        """Return whether all arc costs and all walkable places equal the baked ones."""
        return not self._is_changed or (
            np.array_equal(self.ticks, self.hops.ticks)
            and np.array_equal(self.standing, self.hops.row_at >= 0)
        )

    @cached_property
    def by_table(self) -> bool:
        """Return whether the baked next hops are valid."""
        return self.hops.has_hops and self.as_baked

    @cached_property
    def _has_distances(self) -> bool:
        """Return whether baked tables contain valid distances."""
        return self.by_table or (self.as_baked and self.hops.labels is not None)

    @cached_property
    def cheaper(self) -> Int64Array:
        """Return (k) int64, the arcs that cost less than in the bake."""
        return np.flatnonzero(self.ticks < self.hops.ticks)

    @cached_property
    def ticks_view(self) -> memoryview[int]:
        """Return a view of the costs of arcs in ticks."""
        return view_of(self.ticks)

    @cached_property
    def portals(self) -> tuple[AnyArray, Float64Array, AnyArray] | None:
        """Return the ends of cheaper arcs, as baked rows; None if there are too many.

        These are the tails, the least cost in ticks of a cheaper arc from each tail, and the heads.
        Places that were not walkable in the bake can be omitted: they lie between cheaper arcs.
        """
        arcs, row_at, cheaper = self.hops.arcs, self.hops.row_at, self.cheaper
        tail, head = row_at[arcs.tail[cheaper]], row_at[arcs.head[cheaper]]
        heads, tails = np.unique(head[head >= 0]), np.unique(tail[tail >= 0])
        if max(len(heads), len(tails)) > MOST_PORTALS:
            return None
        least = np.full(len(tails), np.inf)
        has_row = tail >= 0
        np.minimum.at(least, np.searchsorted(tails, tail[has_row]), self.ticks[cheaper[has_row]])
        return tails, least, heads

    def toward(self, goal: int) -> KnownGoal:
        """Return the cached results for a goal.

        Raises:
            MissingTableError: there are no next hops, and the level is too large to search.
        """
        known = self._goals.get(goal)
        if known is None:
            if not self.hops.has_hops and np.count_nonzero(self.standing) > MOST_SEARCHED:
                found = f"the file holds no next_hops for profile {self.hops.profile!r}"
                remedy = "add next_hops to tables in bake.toml, or open it with bake.play"
                raise MissingTableError(found, file=self.hops.arcs.file.path, remedy=remedy)
            most = max(2, min(MOST_GOALS, MOST_KEPT // max(1, self.hops.arcs.count)))
            with self._goals_lock:
                known = self._goals.setdefault(goal, KnownGoal(self, goal))
                while len(self._goals) > most:
                    del self._goals[next(iter(self._goals))]
        return known

    # -- answers by location ----------------------------------------------------------------------

    def hop(self, start: int, goal: int) -> int:
        """Return the next location; the goal at the goal, -1 without a path."""
        if start == goal:
            return goal
        if self.by_table:
            return self._baked_hop(start, goal)
        return self.toward(goal).hop(start)

    def _baked_hop(self, start: int, goal: int) -> int:
        """Return the next location of the baked path; -1 without a path."""
        row_at, head = self.hops.views
        row, goal_row = row_at[start], row_at[goal]
        if row < 0 or goal_row < 0:
            return -1
        arc = self.hops.arc_of(row, goal_row)
        return -1 if arc < 0 else head[arc]

    def all_hops(self, starts: Int32Array, goals: Int32Array) -> Int32Array:
        """Return (k) int32, the next locations of k pairs; -1 without a path."""
        hops = self.hops
        if self.by_table:
            arc = hops.arcs_of(hops.row_at[starts], hops.row_at[goals])
            ahead = hops.arcs.head[np.maximum(arc, 0)] if len(hops.arcs.head) else starts.copy()
            ahead = np.where(arc < 0, -1, ahead)
            return np.where(starts == goals, starts, ahead).astype(np.int32)
        ahead = starts.copy()
        for goal, pairs in _by_goal(goals):
            ahead[pairs] = self.toward(goal).all(starts[pairs], 1)
        return ahead

    def path(self, start: int, goal: int) -> list[int] | None:
        """Return the locations of a shortest path, both ends included; None without a path."""
        if self.by_table:
            row_at = self.hops.views[0]
            arcs = self.hops.walk(row_at[start], row_at[goal])
            return None if arcs is None else [start, *self.hops.arcs.head[arcs].tolist()]
        known, path = self.toward(goal), [start]
        while path[-1] != goal:
            location = known.hop(path[-1])
            if location < 0:
                return None
            path.append(location)
        return path

    def paths(self, starts: Int32Array, goals: Int32Array) -> tuple[Int64Array, Int32Array]:
        """Return k paths in CSR form: (k + 1) offsets, and locations; empty without a path."""
        if self.by_table:
            hops = self.hops
            pair, arcs = hops.walks(hops.row_at[starts], hops.row_at[goals])
            reached = np.union1d(pair, np.flatnonzero(starts == goals))
            pair = np.concatenate([reached, pair])
            locations = np.concatenate([starts[reached], hops.arcs.head[arcs]])
            locations = locations[np.argsort(pair, kind="stable")]
            count = np.bincount(pair, minlength=len(starts))
        else:
            ends = zip(starts.tolist(), goals.tolist(), strict=True)
            paths = [self.path(*pair) or [] for pair in ends]
            locations = np.array([location for path in paths for location in path])
            count = np.array([*map(len, paths)])
        return np.append(0, np.cumsum(count)).astype(np.int64), locations.astype(np.int32)

    def between(self, start: int, goal: int) -> float:
        """Return the distance to a goal in ticks; inf without a path."""
        if self._has_distances:
            row_at = self.hops.views[0]
            return self.hops.between(row_at[start], row_at[goal])
        return self.toward(goal).ticks(start)

    def all_between(self, starts: Int32Array, goals: Int32Array) -> Float64Array:
        """Return (k) float64, the distances of k pairs in ticks; inf without a path."""
        if self._has_distances:
            return self.hops.all_between(self.hops.row_at[starts], self.hops.row_at[goals])
        ticks = np.empty(len(starts), dtype=np.float64)
        for goal, pairs in _by_goal(goals):
            ticks[pairs] = self.toward(goal).all(starts[pairs], 0)
        return ticks

    def step(self, tail: int, head: int) -> int:
        """Return the cost of the cheapest arc between two locations in ticks; BLOCKED = no arc."""
        arcs = self.hops.arcs.between(tail, head)
        return min((self.ticks_view[arc] for arc in arcs), default=_BLOCKED)

    def reaches(self, start: int, goal: int) -> bool:
        """Return whether a path leads from one location to another."""
        hops = self.hops
        if not self.as_baked:
            return self.hop(start, goal) >= 0
        ends = hops.row_at[[start, goal]]
        joined = bool(hops.joined(ends[:1], ends[1:])[0])
        return joined or (hops.one_way and hops.reach is None and self.hop(start, goal) >= 0)

    def ticks_to(self, goal: int) -> Float64Array:
        """Return (locations) float64, the distances to a goal in ticks; inf without a path."""
        return self.hops.tree(goal)[2] if self.by_table else self.toward(goal).field[0]

    def hops_to(self, goal: int) -> Int32Array:
        """Return (locations) int32, the next locations toward a goal; -1 without a path."""
        if not self.by_table:
            return self.toward(goal).field[1]
        arc, ahead, _ = self.hops.tree(goal)
        arc[goal] = 0  # The goal has no arc, and tree() sets it as its own next location.
        return np.where(arc < 0, -1, ahead).astype(np.int32)


def _by_goal(goals: AnyArray) -> list[tuple[int, Int64Array]]:
    """Group pairs by goal: return each distinct goal, and (k) int64 the indices of its pairs."""
    order = np.argsort(goals, kind="stable")
    bounds = np.flatnonzero(np.diff(goals[order], prepend=-1))
    groups = pairwise([*bounds.tolist(), len(goals)])
    return [(int(goals[order[a]]), order[a:b]) for a, b in groups]


class KnownGoal:
    """Cached results for one goal of one version: baked paths still valid, or one search."""

    def __init__(self, version: ProfileVersion, goal: int) -> None:
        self._version, self._goal, self._hops = version, goal, version.hops
        #: ticks to the goal, by location, of baked paths that are still shortest
        self._verified: dict[int, float] = {goal: 0.0}
        self._has_no_paths = not version.hops.has_hops or version.hops.row_at[goal] < 0

    @property
    def is_searched(self) -> bool:
        """Return whether the search from the goal is done."""
        return "field" in self.__dict__

    def hop(self, start: int) -> int:
        """Return the next location; the goal at the goal, -1 without a path."""
        if start == self._goal:
            return start
        if not self.is_searched and self._verify(start) is not None:
            return self._version._baked_hop(start, self._goal)
        return self._field_views[1][start]

    def ticks(self, start: int) -> float:
        """Return the distance to the goal in ticks; inf without a path."""
        ticks = None if self.is_searched else self._verify(start)
        return self._field_views[0][start] if ticks is None else ticks

    def all(self, starts: Int32Array, part: Literal[0, 1]) -> AnyArray:
        """Return (k), the distances in ticks (part 0) or the next locations (part 1)."""
        if len(starts) > _FEW or self.is_searched:
            return self.field[part][starts]
        return np.array([*map((self.ticks, self.hop)[part], starts.tolist())])

    @cached_property
    def _field_views(self) -> tuple[memoryview[Any], memoryview[int]]:
        return view_of(self.field[0]), view_of(self.field[1])

    # -- baked paths ------------------------------------------------------------------------------

    def _verify(self, start: int) -> float | None:
        """Return the cost of the baked path in ticks if it is still shortest; None = unknown."""
        known = self._verified.get(start)
        if known is not None or self._has_no_paths:
            return known
        hops, (row_at, head) = self._hops, self._hops.views
        row, goal = row_at[start], row_at[self._goal]
        if row < 0:
            return None
        current, baked, rows = self._version.ticks_view, hops.ticks_view, len(hops.location)
        steps: list[tuple[int, int]] = []
        location = start
        while (rest := self._verified.get(location)) is None:
            arc = hops.arc_of(row_at[location], goal)
            if arc < 0 and not steps:
                rest = np.inf
                break
            if arc < 0 or len(steps) > rows:
                raise hops.astray()
            if current[arc] != baked[arc]:
                return None
            steps.append((location, baked[arc]))
            location = head[arc]
        total = rest + sum(ticks for _, ticks in steps)
        if len(self._version.cheaper) and total > self._bound(start):
            return None
        for location, ticks in reversed(steps):
            rest += ticks
            self._verified[location] = rest
        return total

    def _bound(self, start: int) -> float:
        """Return a lower bound of the cost in ticks of all paths with a cheaper arc.

        Before the first cheaper arc and after the last one, no path costs less than a baked one.
        """
        if self._version.portals is None:
            return -1
        tails, ticks, _ = self._version.portals
        row = self._hops.row_at[start]
        bounds = self._hops.all_between(np.full(len(tails), row), tails) + ticks
        return float(bounds.min(initial=np.inf)) + self._rest_bound

    @cached_property
    def _rest_bound(self) -> float:
        """Return the least baked distance to the goal from the head of a cheaper arc, in ticks."""
        assert self._version.portals is not None
        heads = self._version.portals[2]
        ticks = self._hops.all_between(heads, np.full(len(heads), self._hops.row_at[self._goal]))
        return float(ticks.min(initial=np.inf))

    # -- a search from the goal -------------------------------------------------------------------

    @cached_property
    def field(self) -> tuple[Float64Array, Int32Array]:
        """Return the shortest paths to the goal from all locations.

        Returns:
            (locations) float64, the distances in ticks, inf without a path; and (locations) int32,
            the next locations, the goal at the goal, -1 without a path.
        """
        hops, version = self._hops, self._version
        arcs, goal = hops.arcs, self._goal
        ticks = np.full(arcs.count, np.inf)
        baked_head = np.full(arcs.count, -1, dtype=np.int64)
        if hops.has_hops and hops.row_at[goal] >= 0:
            arc, ahead, baked = hops.tree(goal)
            moving = arc >= 0
            baked_head[moving] = ahead[moving]
            broken = np.zeros(arcs.count, dtype=np.bool_)
            broken[moving] = version.ticks[arc[moving]] > hops.ticks[arc[moving]]
            for _ in range(len(hops.location).bit_length()):
                broken |= broken[ahead]
                ahead = ahead[ahead]
            intact = ~broken & np.isfinite(baked) & version.standing
            ticks[intact] = baked[intact]
        ticks[goal] = 0
        self._search(ticks)
        usable = np.flatnonzero(version.ticks != BLOCKED)
        tail, head = arcs.tail[usable], arcs.head[usable]
        tight = (ticks[head] + version.ticks[usable] == ticks[tail]) & np.isfinite(ticks[tail])
        tail, head = tail[tight], head[tight]
        hop = np.full(arcs.count, -1, dtype=np.int32)
        hop[tail[::-1]] = head[::-1]  # In reverse, so that the first arc wins.
        as_baked = head == baked_head[tail]
        hop[tail[as_baked]] = head[as_baked]
        hop[goal] = goal
        return ticks, hop

    def _search(self, ticks: Float64Array) -> None:
        """Lower upper bounds to distances in place, with Dijkstra's algorithm.

        G. Ramalingam, T. Reps, "An Incremental Algorithm for a Generalization of the Shortest-Path
        Problem", Journal of Algorithms 21 (1996).

        Args:
            ticks: (locations) float64, the costs of existing paths to the goal; inf elsewhere.
        """
        arcs, cost = self._hops.arcs, self._version.ticks
        usable = np.flatnonzero(cost != BLOCKED)
        tail = arcs.tail[usable]
        reached = ticks[arcs.head[usable]] + cost[usable]
        better = np.flatnonzero(reached < ticks[tail])
        heap = list(zip(reached[better].tolist(), tail[better].tolist(), strict=True))
        heapify(heap)
        first, into = map(view_of, arcs.into)
        best, costs, tails = view_of(ticks), self._version.ticks_view, view_of(arcs.tail)
        while heap:
            distance, location = heappop(heap)
            if distance >= best[location]:
                continue
            best[location] = distance
            for arc in into[first[location] : first[location + 1]]:
                weight = costs[arc]
                if weight != _BLOCKED and distance + weight < best[tails[arc]]:
                    heappush(heap, (distance + weight, tails[arc]))


_BLOCKED = int(BLOCKED)
