"""Search by A* for so many expansions, and go on later: the kernels are those of whole searches.

So the path found in the end is the one that a search at one go finds, tie by tie.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bake.arrays import BoolArray, Int32Array, Int64Array
from bake.graph import UNREACHABLE
from bake.search.point.astar_buckets import FOUND, NO_PATH, PAUSED, Slice, search_buckets
from bake.search.point.estimates import Estimate
from bake.search.point.heap_searches import search_heap
from bake.search.point.space import NO_SUCCESSORS, Found, SearchSpace, trail_of

#: How many entries a queue may have to grow by for one call of a kernel.
_ROOM = 2**18


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
        self._space, self._estimate = space, estimate
        self._start, self._goal = start, goal
        self._buckets = queue == "bucket" or (queue == "auto" and space.weights_alike)
        self._scratch = space.scratch()
        self._labels = self._scratch.labels()
        self._closed = False
        self._pause = np.zeros(11, dtype=np.int64)
        self._degree = max(1, space.degree)
        #: What was found; no path while the search is not over.
        self.found = Found(None, 0, 0)
        if start == goal:
            self.status, self.found = FOUND, Found(np.array([start], dtype=np.int32), 0, 1)

    def run(self, most: int) -> int:
        """Expand so many rows at most, and return the status."""
        while self.status == PAUSED and most > 0:
            part = min(most, max(1, _ROOM // self._degree))
            most -= part
            self._make_room(part * self._degree)
            status = self._go_on(Slice(part, self._pause))
            self.last = int(self._pause[2])
            if status == PAUSED:
                self.expanded = int(self._pause[1])
                continue
            self.status = status
            ticks, self.expanded, lost = (int(each) for each in self._scratch.answer)
            self.lost = lost > 0
            if status == FOUND:
                rows = trail_of(self._scratch.seen, self._goal, self._scratch)
                self.found = Found(rows, ticks, self.expanded + 1)
            else:
                self.found = Found(None, 0, self.expanded)
        return self.status

    def _go_on(self, part: Slice) -> int:
        scratch, terms, graph = self._scratch, self._estimate.terms(), self._space.packed
        ends = self._start, self._goal
        if not self._buckets:
            heap = scratch.heaps[0]
            return search_heap(graph, terms, self._labels, heap, *ends, scratch.answer, part)
        successors = self._space.successors if self._estimate.consistent else NO_SUCCESSORS
        queue = scratch.queue(self._space.bucket_width)
        return search_buckets(
            graph, successors, terms, self._labels, queue, *ends, scratch.answer, part
        )

    def _make_room(self, more: int) -> None:
        """Let the queue have room for more entries, so that no call of a kernel runs out of it."""
        scratch, pause = self._scratch, self._pause
        if self._buckets:
            short = int(pause[4]) + more + 1 - len(scratch.entry)
            if short > 0:
                spare = np.empty((max(short, len(scratch.entry)), 3), dtype=np.int32)
                scratch.entry = np.concatenate([scratch.entry, spare])
        else:
            short = int(pause[3]) + more + 1 - scratch.heaps.shape[1]
            if short > 0:
                spare = np.empty((2, max(short, scratch.heaps.shape[1]), 2), dtype=np.int64)
                scratch.heaps = np.concatenate([scratch.heaps, spare], axis=1)

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
        label, seen, stamp = self._labels
        if self._start == self._goal:
            none = np.zeros(1, dtype=np.int64)
            return Labelled(none.astype(np.int32) + self._start, none, none, none > 0)
        if self._pause[0] == 0 and self.status == PAUSED:  # Only the start is to be labelled.
            self._make_room(1)
            self._go_on(Slice(0, self._pause))
        ticks = label + (stamp << 32)
        known = np.flatnonzero(ticks < UNREACHABLE).astype(np.int32)
        waiting = np.zeros(len(label), dtype=np.bool_)
        if self.status == PAUSED:
            row, g = self._entries()
            waiting[row[ticks[row] == g]] = True
            waiting[self._goal] = True  # It is never put into the queue.
        h = seen[known, 1].astype(np.int64)
        return Labelled(known, ticks[known], h, waiting[known])

    def _entries(self) -> tuple[Int32Array, Int64Array]:
        """Return the rows in the queue, and the ticks at which each was put in."""
        scratch, pause = self._scratch, self._pause
        if not self._buckets:
            heap = scratch.heaps[0, : int(pause[3])]
            return heap[:, 1].astype(np.int32), 2**31 - 1 - (heap[:, 0] & 0xFFFFFFFF)
        found = []
        at = scratch.bucket[scratch.bucket >= 0]
        while len(at):  # One entry of each bucket at a time.
            found.append(at)
            at = scratch.entry[at, 2]
            at = at[at >= 0]
        entry = scratch.entry[np.concatenate([at, *found])]
        return entry[:, 0], entry[:, 1].astype(np.int64)

    def way_to(self, row: int) -> Int32Array:
        """Return the rows of the way to one of those that the search knows a way to."""
        return trail_of(self._scratch.seen, row, self._scratch)

    def parent(self, row: int) -> int:
        """Return the row before one on the way to it; -1 at the start."""
        return int(self._scratch.seen[row, 0])
