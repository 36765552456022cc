"""Follow next hops: one step, many walks at once, or all walks toward one goal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bake.core.arrays import AnyArray, Float64Array, Int32Array, Int64Array, offsets
from bake.core.graph import UNREACHABLE
from bake.core.kernels import jit
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
# limit: the work is done in parts; lowered by walks
WALKERS = 3

#: How many rows a path has room for at first, where a single one is walked.
# limit: the buffer grows; lowered by walks
ROOM = 512

#: About how many steps are walked before they are put in order, while the caches still hold them.
# limit: the buffer grows; lowered by walks
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
        arc = self._arcs_of(rows, goals)
        ahead = np.where(rows == goals, rows, np.int32(-1))
        ahead[arc >= 0] = self.head_row[arc[arc >= 0]]
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
        pair = np.repeat(np.arange(len(goals)), np.diff(first))
        # Every place of a path but its last one takes a step.
        step = np.diff(pair, append=-1) == 0
        ticks = self.weight[self._arcs_of(path[step], goals[pair[step]])]
        found = np.bincount(pair[step], ticks, minlength=len(goals)).astype(np.float64)
        return np.where(np.diff(first) == 0, np.inf, found)

    def _arcs_of(self, rows: AnyArray, goals: Int32Array) -> Int64Array:
        """Return (k) int64, the arcs that pairs take; -1 where there is none."""
        slot = self.hops.slots(rows, goals)
        arc = np.where(slot < 0, -1, self.first_arc[rows] + slot)
        if (arc >= self.end_arc[rows]).any() or (self.head_row[arc[arc >= 0]] < 0).any():
            raise self.astray
        return arc

    def _with_a_path(self, rows: Int32Array, goals: Int32Array) -> Int32Array:
        """Return (k) int32 rows, -1 where the goal cannot be reached."""
        hops = self.hops
        if not hops.stores_none:
            reached = hops.reaches(rows, goals)
        else:
            reached = self.next_rows(rows, goals) >= 0
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
            row[under_way] = ahead = self.next_rows(row[under_way], goals[under_way])
            if (ahead < 0).any():
                raise self.astray
            who.append(under_way)
            where.append(row[under_way])
        else:
            raise self.astray
        pair = np.concatenate(who)
        order = np.argsort(pair, kind="stable")
        first = offsets(np.bincount(pair, minlength=len(starts)), np.int64)
        return first, np.concatenate(where)[order].astype(np.int32)

    # -- one goal ---------------------------------------------------------------------------------

    def toward(self, goal: int) -> tuple[Int32Array, Float64Array]:
        """Return every row's step toward one goal, and how far it is.

        Returns:
            (r) int32 the row stepped to, a row itself where it stays, and (r) float64 ticks to the
            goal; inf where there is no path.
        """
        ahead = np.arange(self.row_count, dtype=np.int32)
        arc = self._arcs_of(ahead, np.full_like(ahead, goal))
        moves = np.flatnonzero(arc >= 0)
        arc = arc[moves]
        if (self.weight[arc] == UNREACHABLE).any():
            raise self.astray
        ahead[moves] = self.head_row[arc]
        ticks = np.zeros(self.row_count, dtype=np.int64)
        ticks[moves] = self.weight[arc]
        return ahead, self.follow_toward(goal, ahead, ticks)

    def follow_toward(self, goal: int, ahead: Int32Array, ticks: Int64Array) -> Float64Array:
        """Follow all steps to their end, twice as far each round.

        J. JáJá, "An Introduction to Parallel Algorithms", section 2.2 (pointer jumping).

        Args:
            ahead, ticks: (r) the row stepped to, itself where it stays, and ticks of the step.

        Returns:
            (r) float64 ticks to the goal; inf where a row stays elsewhere.
        """
        end = ahead
        for _ in range(max(1, len(ahead)).bit_length()):
            ticks = ticks + ticks[end]
            end = end[end]
        if (end != goal)[ahead != np.arange(len(ahead))].any():
            raise self.astray
        return np.where(end == goal, ticks.astype(np.float64), np.inf)


def _compiled() -> bool:
    """Tell whether kernels run compiled; as plain Python they are slower than numpy."""
    return jit.ready(follow_run)
