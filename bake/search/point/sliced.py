"""A* that runs for a number of expansions at a time, with the kernels of uninterrupted searches.

The path is the one that an uninterrupted search finds, including ties.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bake.core.arrays import BoolArray, Int32Array, Int64Array
from bake.core.graph import UNREACHABLE
from bake.search.point.astar_buckets import FOUND, FULL, NO_PATH, PAUSED
from bake.search.point.estimates import Estimate
from bake.search.point.space import Found, SearchSpace, path_to


@dataclass(frozen=True)
class Labelled:
    """The rows that a search has reached."""

    #: (k) int32, ascending.
    row: Int32Array
    #: (k) int64, the cost of the path to each.
    ticks: Int64Array
    #: (k) int64 ticks from there to the goal, by the heuristic.
    estimate: Int64Array
    #: (k) bool, True for rows on the open list.
    waiting: BoolArray


class SlicedSearch:
    """One search that runs in slices.

    It owns scratch memory until it is closed, 24 bytes a row. Only one thread at a time may use it.

    Attributes:
        status: PAUSED while there is more to do, then FOUND or NO_PATH.
        expanded: how often a row was taken from the open list, the goal not counted.
        generated: how many arcs lead out of these rows.
        last: the row that was expanded last.
        lost: whether a path was dropped because its cost exceeds the integer range.
    """

    def __init__(
        self, space: SearchSpace, estimate: Estimate, start: int, goal: int, queue: str = "auto"
    ) -> None:
        """Prepare a search; nothing is expanded yet.

        Args:
            space: the graph.
            estimate: an admissible heuristic.
            start, goal: rows.
            queue: bucket, heap or auto, as for :meth:`SearchSpace.astar`.
        """
        self.status, self.expanded, self.last, self.lost = PAUSED, 0, start, False
        self.generated = 0
        self._space, self._start, self._goal = space, start, goal
        self._buckets, self._advance = space.exact(estimate, start, goal, queue)
        self._scratch = space.scratch()
        self._scratch.begin()
        self._closed = False
        #: The result; no path before the search ends.
        self.found = Found(None, 0, 0)
        if start == goal:
            self.status, self.found = FOUND, Found(np.array([start], dtype=np.int32), 0, 1)

    def run(self, most: int) -> int:
        """Expand at most ``most`` rows, and return the status."""
        if self.status != PAUSED or most <= 0:
            return self.status
        scratch = self._scratch
        self.status = self._run_until(self.expanded + most)
        self.expanded, self.last = scratch.state[1:3].tolist()
        self.generated = int(scratch.state[11])
        if self.status == FOUND:
            rows = path_to(scratch.seen, self._goal, scratch)
            self.found = Found(rows, int(scratch.answer[0]), self.expanded + 1)
        elif self.status == NO_PATH:
            self.lost = bool(scratch.answer[2])
            self.found = Found(None, 0, self.expanded)
        return self.status

    def _run_until(self, expanded: int) -> int:
        while (status := self._advance(self._scratch, expanded)) == FULL:
            self._scratch.widen(self._space.degree, buckets=self._buckets)
        return status

    def close(self) -> None:
        """Return the scratch memory, and end the search without a path if it is still running."""
        if self._closed:
            return
        self._closed = True
        if self.status == PAUSED:
            self._scratch.bucket[:] = -1
            self.status, self.found = NO_PATH, Found(None, 0, self.expanded)
        self._space.give_back(self._scratch)

    # -- inspecting a running search
    # ----------------------------------------------------------------------

    def labelled(self) -> Labelled:
        """Return the rows that the search has reached; none once it is closed.

        This takes time linear in the number of rows.
        """
        if self._closed:
            none = np.empty(0, dtype=np.int64)
            return Labelled(none.astype(np.int32), none, none, none.astype(np.bool_))
        label, seen, stamp = self._scratch.labels
        if self._start == self._goal:
            none = np.zeros(1, dtype=np.int64)
            return Labelled(none.astype(np.int32) + self._start, none, none, none > 0)
        if self._scratch.state[0] == 0:  # Only the start is labeled.
            self._run_until(0)
        ticks = label + (stamp << 32)
        known = np.flatnonzero(ticks < UNREACHABLE).astype(np.int32)
        waiting = np.zeros(len(label), dtype=np.bool_)
        if self.status == PAUSED:
            waiting[self._queued(ticks, known)] = True
            waiting[self._goal] = True  # The goal never enters the queue.
        h = seen[known, 1].astype(np.int64)
        return Labelled(known, ticks[known], h, waiting[known])

    def _queued(self, ticks: Int64Array, known: Int32Array) -> Int32Array:
        """Return the rows in the queue, given the ticks of all rows and the rows reached."""
        scratch = self._scratch
        if not self._buckets:
            closed = scratch.seen[:, 2]
            key, row = scratch.heaps[1, : int(scratch.state[4])].T
            set_aside = row[key == ticks[row] + scratch.seen[row, 1]].astype(np.int32)
            return np.concatenate([known[closed[known] == 0], set_aside])
        slots = []
        at = scratch.bucket[scratch.bucket >= 0]
        while len(at):  # One entry of each bucket at a time.
            slots.append(at)
            at = scratch.entry[at, 2]
            at = at[at >= 0]
        entry = scratch.entry[np.concatenate([at, *slots])]
        current: Int32Array = entry[ticks[entry[:, 0]] == entry[:, 1], 0]
        return current

    def way_to(self, row: int) -> Int32Array:
        """Return the rows of the path to a row that the search has reached."""
        return path_to(self._scratch.seen, row, self._scratch)

    def parent(self, row: int) -> int:
        """Return the row before another one on the path to it; -1 at the start."""
        return int(self._scratch.seen[row, 0])
