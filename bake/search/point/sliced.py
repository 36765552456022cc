"""Search by A* for so many expansions, and go on later: the kernels are those of whole searches.

So the path found in the end is the one that a search at one go finds, tie by tie.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bake.arrays import BoolArray, Int32Array, Int64Array
from bake.graph import UNREACHABLE
from bake.search.point.astar_buckets import FOUND, FULL, NO_PATH, PAUSED
from bake.search.point.estimates import Estimate
from bake.search.point.space import Found, SearchSpace, trail_of


@dataclass(frozen=True)
class Labelled:
    """The rows that a search knows a way to.

    Attributes:
        row: (k) int32, ascending.
        ticks: (k) int64, what the way costs.
        estimate: (k) int64 ticks from there to the goal, by the heuristic.
        waiting: (k) bool, True for rows that the search has still to expand.
    """

    row: Int32Array
    ticks: Int64Array
    estimate: Int64Array
    waiting: BoolArray


class SlicedSearch:
    """One search, part by part.

    It keeps scratch memory of its own until it is closed, 24 bytes a row. It is one thread's at a
    time.

    Attributes:
        status: PAUSED while there is more to do, then FOUND or NO_PATH.
        expanded: how often a row was taken from the open list, the goal not counted.
        generated: how many arcs lead out of these rows.
        last: the row that was expanded last.
        lost: whether a way was given up because it costs more than searches can count.
    """

    def __init__(
        self, space: SearchSpace, estimate: Estimate, start: int, goal: int, queue: str = "auto"
    ) -> None:
        """Begin a search; nothing is expanded yet.

        Args:
            space: the graph.
            estimate: an admissible heuristic.
            start, goal: rows.
            queue: bucket, heap or auto, as for :meth:`SearchSpace.astar`.
        """
        self.status, self.expanded, self.last, self.lost = PAUSED, 0, start, False
        self.generated = 0
        self._space, self._start, self._goal = space, start, goal
        self._buckets, self._go_on = space.exact(estimate, start, goal, queue)
        self._scratch = space.scratch()
        self._scratch.begin()
        self._closed = False
        #: What was found; no path while the search is not over.
        self.found = Found(None, 0, 0)
        if start == goal:
            self.status, self.found = FOUND, Found(np.array([start], dtype=np.int32), 0, 1)

    def run(self, most: int) -> int:
        """Expand so many rows at most, and return the status."""
        if self.status != PAUSED or most <= 0:
            return self.status
        scratch = self._scratch
        self.status = self._until(self.expanded + most)
        self.expanded, self.last = scratch.state[1:3].tolist()
        self.generated = int(scratch.state[11])
        if self.status == FOUND:
            rows = trail_of(scratch.seen, self._goal, scratch)
            self.found = Found(rows, int(scratch.answer[0]), self.expanded + 1)
        elif self.status == NO_PATH:
            self.lost = bool(scratch.answer[2])
            self.found = Found(None, 0, self.expanded)
        return self.status

    def _until(self, expanded: int) -> int:
        while (status := self._go_on(self._scratch, expanded)) == FULL:
            self._scratch.widen(self._space.degree, buckets=self._buckets)
        return status

    def close(self) -> None:
        """Give the memory back, and the search up, where it is not over yet."""
        if self._closed:
            return
        self._closed = True
        if self.status == PAUSED:
            self._scratch.bucket[:] = -1
            self.status, self.found = NO_PATH, Found(None, 0, self.expanded)
        self._space.give_back(self._scratch)

    # -- looking at a search under way ------------------------------------------------------------

    def labelled(self) -> Labelled:
        """Return the rows that the search knows a way to; none once it is closed.

        This looks at every row.
        """
        if self._closed:
            none = np.empty(0, dtype=np.int64)
            return Labelled(none.astype(np.int32), none, none, none.astype(np.bool_))
        label, seen, stamp = self._scratch.labels
        if self._start == self._goal:
            none = np.zeros(1, dtype=np.int64)
            return Labelled(none.astype(np.int32) + self._start, none, none, none > 0)
        if self._scratch.state[0] == 0:  # Only the start is to be labelled.
            self._until(0)
        ticks = label + (stamp << 32)
        known = np.flatnonzero(ticks < UNREACHABLE).astype(np.int32)
        waiting = np.zeros(len(label), dtype=np.bool_)
        if self.status == PAUSED:
            waiting[self._queued(ticks, known)] = True
            waiting[self._goal] = True  # It is never put into the queue.
        h = seen[known, 1].astype(np.int64)
        return Labelled(known, ticks[known], h, waiting[known])

    def _queued(self, ticks: Int64Array, known: Int32Array) -> Int32Array:
        """Return the rows that wait in the queue, by what is known of all and which are known."""
        scratch = self._scratch
        if not self._buckets:
            closed = scratch.seen[:, 2]
            key, row = scratch.heaps[1, : int(scratch.state[4])].T
            late = row[key == ticks[row] + scratch.seen[row, 1]].astype(np.int32)
            return np.concatenate([known[closed[known] == 0], late])
        found = []
        at = scratch.bucket[scratch.bucket >= 0]
        while len(at):  # One entry of each bucket at a time.
            found.append(at)
            at = scratch.entry[at, 2]
            at = at[at >= 0]
        entry = scratch.entry[np.concatenate([at, *found])]
        current: Int32Array = entry[ticks[entry[:, 0]] == entry[:, 1], 0]
        return current

    def way_to(self, row: int) -> Int32Array:
        """Return the rows of the way to one of those that the search knows a way to."""
        return trail_of(self._scratch.seen, row, self._scratch)

    def parent(self, row: int) -> int:
        """Return the row before one on the way to it; -1 at the start."""
        return int(self._scratch.seen[row, 0])
