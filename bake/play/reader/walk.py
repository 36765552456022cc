"""Follow next hops: one step, many walks at once, or all walks toward one goal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bake.arrays import BoolArray, Float64Array, Int32Array, Int64Array
from bake.graph import UNREACHABLE
from bake.kernels import jit
from bake.play.reader.hops import RunHops
from bake.search.all_pairs.follow import (
    ASTRAY,
    StepIndex,
    follow_run,
    follow_runs,
    in_order,
    look_up_rows,
    measure_runs,
    step_index,
)
from levelbake.errors import CorruptAssetError

#: How many walks go in step. Measured: 3 take half the time of 1, and 4 and more no less than 3.
WALKERS = 3

#: How many rows a path has room for at first, where a single one is walked.
ROOM = 512

#: About how many steps are walked before they are put in order, while the caches still hold them.
PORTION = 2**17


@dataclass(frozen=True)
class Steps:
    """One profile's next hops, and the arcs they take.

    Attributes:
        hops: the next hops, as slots of arcs.
        first_arc, end_arc: (r) int32, where the arcs of each row begin and end.
        head_row: (m) int32, the row each arc leads to; -1 where the profile may not take it.
        weigh: gives (m) int32 ticks, UNREACHABLE where the profile may not take the arc. Whoever
            only asks where to step next needs no weights.
        damaged: makes the error for what is wrong in the asset.

    Every method raises a CorruptAssetError for hops that do not lead to their goal.
    """

    hops: RunHops
    first_arc: Int32Array
    end_arc: Int32Array
    head_row: Int32Array
    weigh: Callable[[], Int32Array]
    damaged: Callable[[str], CorruptAssetError]

    @property
    def row_count(self) -> int:
        return len(self.first_arc)

    @property
    def astray(self) -> CorruptAssetError:
        """Return the error for hops that do not lead to their goal."""
        return self.damaged("next hops do not lead to the goal")

    @cached_property
    def weight(self) -> Int32Array:
        return self.weigh()

    @cached_property
    def index(self) -> StepIndex:
        """Return runs with the rows they lead to, as compiled walks take them."""
        return step_index(self.hops.compiled, self.first_arc, self.end_arc, self.head_row)

    # -- one pair ---------------------------------------------------------------------------------

    def arc(self, row: int, goal: int) -> int:
        """Return the arc to take from a row toward a goal; -1 where there is none."""
        slot = self.hops.slot(row, goal)
        if slot < 0:
            return -1
        arc = int(self.first_arc[row]) + slot
        if arc >= self.end_arc[row] or self.head_row[arc] < 0:
            raise self.astray
        return arc

    def path(self, row: int, goal: int) -> Int32Array | None:
        """Return the rows of the path between two rows, both included; None where there is none."""
        hops = self.hops
        if not _compiled():
            arcs = self._arcs(row, goal)
            return None if arcs is None else np.append(np.int32(row), self.head_row[arcs])
        if row != goal and hops.slot(row, goal) < 0:
            return None
        path = np.full(ROOM, row, dtype=np.int32)
        end = follow_run(self.index, goal, path, 1)
        while end == len(path) and path[-1] != goal:
            path = np.concatenate([path, np.empty_like(path)])
            end = follow_run(self.index, goal, path, end)
        if end == ASTRAY:
            raise self.astray
        return path[:end]

    def ticks(self, row: int, goal: int) -> float:
        """Return the ticks along the path between two rows; inf where there is none."""
        if not _compiled():
            arcs = self._arcs(row, goal)
            return np.inf if arcs is None else float(self.weight[arcs].sum(dtype=np.int64))
        if row != goal and self.hops.slot(row, goal) < 0:
            return np.inf
        return float(self._measured(np.array([row], np.int32), np.array([goal], np.int32))[0])

    def _arcs(self, row: int, goal: int) -> list[int] | None:
        """Return the arcs of the path between two rows; None where there is no path."""
        arcs: list[int] = []
        while row != goal:
            arc = self.arc(row, goal)
            if arc < 0 and not arcs:
                return None
            if arc < 0 or len(arcs) > self.row_count:
                raise self.astray
            arcs.append(arc)
            row = int(self.head_row[arc])
        return arcs

    # -- many pairs -------------------------------------------------------------------------------

    def next_rows(self, rows: Int32Array, goals: Int32Array) -> Int32Array:
        """Return (k) int32, the rows to step to; at its goal the row itself, -1 without a path."""
        if jit.ready(look_up_rows):
            ahead = np.empty(len(rows), dtype=np.int32)
            look_up_rows(self.index, rows, goals, ahead)
            if not self.hops.stores_none and self.hops.parted:
                ahead[~self.hops.reaches(rows, goals)] = -1
            return ahead
        slot = self.hops.slots(rows, goals)
        stuck = np.flatnonzero(slot < 0)
        arc = self.first_arc.take(rows)
        arc += slot.astype(np.int32, copy=False)
        if (arc >= self.end_arc.take(rows)).any():
            raise self.astray
        arc[stuck] = 0
        ahead = self.head_row.take(arc) if len(self.head_row) else arc
        ahead[stuck] = 0
        if ahead.min(initial=0) < 0:
            raise self.astray
        ahead[stuck] = np.where(rows[stuck] == goals[stuck], rows[stuck], -1)
        return ahead

    @property
    def charted(self) -> bool:
        """Tell whether walks give chart coordinates in place of rows: see :meth:`walk_chart`."""
        return len(self.hops.at) > 0 and _compiled()

    def walk(self, rows: Int32Array, goals: Int32Array) -> tuple[Int64Array, Int32Array]:
        """Return the rows along each path, where walks are not charted.

        Args:
            rows, goals: (k) int32.

        Returns:
            (k + 1) int64 where each path begins, and (s) int32 rows, both ends included; nothing
            where there is no path.
        """
        starts = self._with_a_path(rows, goals)
        # Walks that could be charted were not, so kernels ran uncompiled when the caller asked.
        if len(self.hops.at) > 0 or not _compiled():
            return self._walk_all_at_once(starts, goals)
        first, noted = self._walk_runs(starts, goals)
        return first, noted[:, 0]

    def walk_chart(self, rows: Int32Array, goals: Int32Array) -> tuple[Int64Array, Int32Array]:
        """Return the paths where walks are charted, as (s, 2) int32 chart coordinates, not rows.

        The walking kernel writes what lies in memory beside the data it needs for the next step.
        """
        return self._walk_runs(self._with_a_path(rows, goals), goals)

    def ticks_between(self, rows: Int32Array, goals: Int32Array) -> Float64Array:
        """Return (k) float64 ticks along the path of each pair; inf where there is none."""
        starts = self._with_a_path(rows, goals)
        if not _compiled():
            return self._ticks_along(*self._walk_all_at_once(starts, goals), goals)
        ticks = self._measured(starts, goals)
        return np.where(ticks < 0, np.inf, ticks)

    def _measured(self, starts: Int32Array, goals: Int32Array) -> Int64Array:
        """Return (k) int64 ticks along the path of each pair; -1 where its row is negative."""
        goals = goals.astype(np.int32, copy=False)
        ticks = np.empty(len(starts), dtype=np.int64)
        walkers = np.empty((WALKERS, 4), dtype=np.int64)
        arcs = self.hops.compiled, self.head_row, self.weight
        if measure_runs(*arcs, starts, goals, walkers, ticks) == ASTRAY:
            raise self.astray
        return ticks

    def _ticks_along(self, first: Int64Array, path: Int32Array, goals: Int32Array) -> Float64Array:
        """Return (k) float64 ticks along each path of :meth:`walk`; inf where there is none."""
        ticks = np.where(np.diff(first) == 0, np.inf, 0.0)
        pair = np.repeat(np.arange(len(goals)), np.diff(first))
        # Every place of a path but its last one takes a step.
        step = np.ones(len(path), dtype=np.bool_)
        step[first[1:][np.diff(first) > 0] - 1] = False
        slot = self.hops.slots(path[step], goals[pair[step]])
        np.add.at(ticks, pair[step], self.weight[self.first_arc[path[step]] + slot])
        return ticks

    def _with_a_path(self, rows: Int32Array, goals: Int32Array) -> Int32Array:
        """Return (k) int32 rows, -1 where the goal cannot be reached."""
        hops = self.hops
        if not hops.stores_none:
            reached = hops.reaches(rows, goals)
        else:
            reached = (hops.slots(rows, goals) >= 0) | (rows == goals)
        return np.where(reached, rows, np.int32(-1))

    def _walk_runs(self, starts: Int32Array, goals: Int32Array) -> tuple[Int64Array, Int32Array]:
        """Return where each path begins, and (s, 2) int32 that ``row_data`` holds for each row."""
        goals = goals.astype(np.int32, copy=False)
        first = np.zeros(len(starts) + 1, dtype=np.int64)
        path = np.empty((64 * len(starts), 2), dtype=np.int32)
        places = np.empty((WALKERS, PORTION, 2), dtype=np.int32)
        walkers = np.empty((WALKERS, 4), dtype=np.int64)
        filled = np.empty(WALKERS, dtype=np.int64)
        begin, count = 0, max(1, PORTION // 256)
        while begin < len(starts):
            end = min(begin + count, len(starts))
            spans = np.empty((end - begin, 3), dtype=np.int64)
            walkers[:] = -1
            filled[:] = 0
            taken = 0
            while True:
                taken = follow_runs(
                    self.index,
                    starts[begin:end],
                    goals[begin:end],
                    taken,
                    walkers,
                    filled,
                    spans,
                    places,
                )
                if taken == ASTRAY:
                    raise self.astray
                if (walkers[:, 2] < 0).all():
                    break
                places = np.concatenate([places, np.empty_like(places)], axis=1)
            steps = int(filled.sum())
            if first[begin] + steps > len(path):
                wanted = (first[begin] + steps) * len(starts) / end
                larger = np.empty((int(wanted * 1.2), 2), dtype=np.int32)
                larger[: first[begin]] = path[: first[begin]]
                path = larger
            in_order(spans, places, first[begin : end + 1], path)
            count = max(1, min(PORTION, PORTION * (end - begin) // max(1, steps)))
            begin = end
        return first, path[: first[-1]]

    def _walk_all_at_once(
        self, starts: Int32Array, goals: Int32Array
    ) -> tuple[Int64Array, Int32Array]:
        """Walk all paths in step, by array operations: this needs no compiler, but is slower."""
        under_way = np.flatnonzero(starts >= 0)
        row = starts.copy()
        who = [under_way]
        where = [row[under_way]]
        for _ in range(self.row_count + 1):
            under_way = under_way[row[under_way] != goals[under_way]]
            if not len(under_way):
                break
            row[under_way] = self._stepped(row[under_way], goals[under_way])
            who.append(under_way)
            where.append(row[under_way])
        else:
            raise self.astray
        pair = np.concatenate(who)
        order = np.argsort(pair, kind="stable")
        first = np.zeros(len(starts) + 1, dtype=np.int64)
        np.cumsum(np.bincount(pair, minlength=len(starts)), out=first[1:])
        return first, np.concatenate(where)[order].astype(np.int32)

    def _stepped(self, rows: Int32Array, goals: Int32Array) -> Int32Array:
        slot = self.hops.slots(rows, goals)
        arc = self.first_arc[rows] + slot
        if (slot < 0).any() or (arc >= self.end_arc[rows]).any():
            raise self.astray
        ahead: Int32Array = self.head_row[arc]
        if (ahead < 0).any():
            raise self.astray
        return ahead

    # -- one goal ---------------------------------------------------------------------------------

    def toward(self, goal: int) -> tuple[Int32Array, Int64Array]:
        """Return every row's step toward one goal.

        Returns:
            (r) int32 the row stepped to, a row itself where it stays, and (r) int64 ticks of the
            step.
        """
        slot = self.hops.column(goal)
        moves = np.flatnonzero(slot >= 0)
        moves = moves[moves != goal]
        arc = self.first_arc[moves] + slot[moves]
        if (arc >= self.end_arc[moves]).any():
            raise self.astray
        head, weight = self.head_row[arc], self.weight[arc]
        if (head < 0).any() or (weight == UNREACHABLE).any():
            raise self.astray
        next_row = np.arange(self.row_count, dtype=np.int32)
        next_row[moves] = head
        ticks = np.zeros(self.row_count, dtype=np.int64)
        ticks[moves] = weight
        return next_row, ticks

    def follow_toward(
        self, goal: int, next_row: Int32Array, ticks: Int64Array
    ) -> tuple[Int64Array, BoolArray]:
        """Follow all steps to their end, twice as far each round.

        J. JáJá, "An Introduction to Parallel Algorithms", section 2.2 (pointer jumping).

        Args:
            next_row, ticks: from :meth:`toward`.

        Returns:
            (r) int64 ticks to the end, and (r) bool, True where that is the goal.
        """
        ticks, end = ticks.copy(), next_row.copy()
        for _ in range(max(1, len(next_row)).bit_length()):
            ticks += ticks[end]
            end = end[end]
        reached = end == goal
        if (~reached & (next_row != np.arange(len(next_row)))).any():
            raise self.astray
        return ticks, reached

    def ticks_toward(self, goal: int) -> Float64Array:
        """Return (r) float64 ticks from every row to one goal; inf where there is no path."""
        ticks, reached = self.follow_toward(goal, *self.toward(goal))
        return np.where(reached, ticks.astype(np.float64), np.inf)


def _compiled() -> bool:
    """Tell whether kernels run compiled; as plain Python they are slower than numpy."""
    return jit.ready(follow_run)
