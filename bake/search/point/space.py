"""One profile's graph, laid out for point-to-point searches, with their scratch memory.

What a search writes about a row carries the search's stamp, so nothing is cleared between searches:
a short one costs what it looks at, however large the level.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import ceil, isfinite

import numpy as np

from bake.arrays import Int32Array, Int64Array, UInt32Array
from bake.graph import Graph
from bake.search.graph.label_correcting import with_masks
from bake.search.point.astar_buckets import search_buckets, trail
from bake.search.point.astar_heap import search_heap
from bake.search.point.bidirectional import search_from_both_ends
from bake.search.point.bucket_queue import FOUND, FULL, UNREACHED
from bake.search.point.estimate import INFLATION, Estimate, fill_estimates
from bake.search.point.greedy_best_first import search_greedily

#: Buckets of a queue. What lies beyond them waits in one more.
BUCKETS = 4096

#: A queue begins with room for this many entries and doubles.
ENTRIES = 4096

#: Where the heaviest arc is at most this many times the lightest, buckets are the faster queue.
ALIKE = 4096

_LAST_STAMP = 2**30

_NO_SUCCESSORS = np.empty(0, dtype=np.int32)


@dataclass(frozen=True)
class Found:
    """What a search found.

    Attributes:
        rows: (k) int32 from start to goal; None where there is no path.
        ticks: what the path costs; 0 without one.
        expanded: rows taken from the open list, the goal included; a row taken twice counts twice.
    """

    rows: Int32Array | None
    ticks: int
    expanded: int


class Scratch:
    """Memory of one search at a time.

    Attributes:
        stamp: of the last search.
        label, seen: (r) int64 and (r, 3) int32, what is known of each row: see
            :func:`bake.search.point.astar_buckets.search_buckets`.
        labels, both_seen: the same for two sides, (2, r) and (2, r, 2).
        entry, bucket: of a bucket queue.
        heaps: (2, e, 2) int64, open lists of the two sides; see :mod:`bake.kernels.heap`.
        path: (r) int32.
        answer: (3) int64.
    """

    def __init__(self, row_count: int) -> None:
        self.stamp = 0
        self.label = np.zeros(row_count, dtype=np.int64)
        self.seen = np.empty((row_count, 3), dtype=np.int32)
        self.entry = np.empty((ENTRIES, 3), dtype=np.int32)
        self.bucket = np.full(BUCKETS + 1, -1, dtype=np.int32)
        self.path = np.empty(row_count, dtype=np.int32)
        self.answer = np.zeros(3, dtype=np.int64)
        self._row_count = row_count
        self.heaps = np.empty((2, ENTRIES, 2), dtype=np.int64)

    @cached_property
    def labels(self) -> Int64Array:
        return np.zeros((2, self._row_count), dtype=np.int64)

    @cached_property
    def both_seen(self) -> Int32Array:
        return np.empty((2, self._row_count, 2), dtype=np.int32)

    def next_stamp(self) -> int:
        if self.stamp >= _LAST_STAMP:
            self.label[:] = 0
            self.labels[:] = 0
            self.stamp = 0
        self.stamp += 1
        return self.stamp


class SearchSpace:
    """Point-to-point searches over one profile's rows; threads may share it.

    Attributes:
        graph, weight: rows as nodes; (m) int32 ticks.
        first_out: (r + 1) int32.
        arcs: (m, 2) uint32, head and weight of each arc: unsigned, so that kernels need not look
            whether an index counts from the end.
    """

    def __init__(self, graph: Graph, weight: Int32Array) -> None:
        self.graph = graph
        self.weight = weight
        self.first_out = graph.first_out
        self.arcs = _paired(graph.head, weight)
        self._scratch: list[Scratch] = []

    @cached_property
    def bucket_width(self) -> int:
        """A bucket spans 2**this ticks: a third of the lightest arc, more or less."""
        return max(0, int(self.weight.min(initial=2**30) // 3).bit_length())

    @property
    def narrow_width(self) -> int:
        """An eighth of that: nearly perfect estimates differ by less than a third of an arc."""
        return max(0, self.bucket_width - 3)

    @cached_property
    def weights_alike(self) -> bool:
        """Whether the bucket queue is the better one here."""
        return bool(self.weight.max(initial=1) // self.weight.min(initial=2**30) < ALIKE)

    @cached_property
    def successors(self) -> Int32Array:
        """(m) int32, the masks of :class:`bake.search.graph.label_correcting.SearchArcs`."""
        return with_masks(self.first_out, self.graph.head, self.weight).masks.view(np.int32)

    @cached_property
    def both_ways(self) -> tuple[Int32Array, UInt32Array]:
        """(2, r + 1) int32 and (2, m, 2) uint32: the graph, and with every arc turned round."""
        graph, behind = self.graph.reverse()
        turned = _paired(graph.head, self.weight[behind])
        return np.stack([self.first_out, graph.first_out]), np.stack([self.arcs, turned])

    def estimates(self, estimate: Estimate, goal: int) -> Int64Array:
        """(r) int64 ticks, what a heuristic says of every row."""
        h = np.empty(self.graph.node_count, dtype=np.int64)
        fill_estimates(estimate.numbers(), estimate.at, estimate.table, goal, h)
        return h

    def astar(
        self, estimate: Estimate, start: int, goal: int, *, weight: float = 1.0, queue: str = "auto"
    ) -> Found:
        """A*; Dijkstra's algorithm with the null heuristic.

        Args:
            weight: what the heuristic is multiplied with, at least 1 (rounded up to 1024ths).
            queue: bucket, heap or auto.
        """
        if start == goal:
            return Found(np.array([start], dtype=np.int32), 0, 1)
        assert isfinite(weight)
        inflation = ceil(weight * INFLATION)
        numbers = estimate.numbers(inflation)
        buckets = queue == "bucket" or (queue == "auto" and self.weights_alike)
        prune = bool(estimate.consistent) and inflation == INFLATION
        scratch = self._borrow()
        while True:
            stamp = scratch.next_stamp()
            if buckets:
                status = search_buckets(
                    self.first_out,
                    self.arcs,
                    self.successors if prune else _NO_SUCCESSORS,
                    numbers,
                    estimate.at,
                    estimate.table,
                    scratch.label,
                    scratch.seen,
                    stamp,
                    scratch.entry,
                    scratch.bucket,
                    self.bucket_width,
                    start,
                    goal,
                    scratch.answer,
                )
            else:
                status = search_heap(
                    self.first_out,
                    self.arcs,
                    numbers,
                    estimate.at,
                    estimate.table,
                    scratch.label,
                    scratch.seen,
                    stamp,
                    scratch.heaps[0],
                    start,
                    goal,
                    scratch.answer,
                )
            if status != FULL:
                break
            self._widen(scratch, buckets=buckets)
        return self._told(scratch, status, goal)

    def by_buckets(
        self, kernel: Callable[..., int], *guide: object, start: int, goal: int
    ) -> Found:
        """A* with a queue of narrow buckets by a kernel of its own; ``start`` is not ``goal``.

        Args:
            kernel: takes ``first_out, arcs, *guide, label, seen, stamp, entry, bucket, width,
                start, goal, answer`` as :func:`bake.search.point.astar_buckets.search_buckets`
                does.
        """
        scratch = self._borrow()
        while True:
            status = kernel(
                self.first_out,
                self.arcs,
                *guide,
                scratch.label,
                scratch.seen,
                scratch.next_stamp(),
                scratch.entry,
                scratch.bucket,
                self.narrow_width,
                start,
                goal,
                scratch.answer,
            )
            if status != FULL:
                break
            self._widen(scratch, buckets=True)
        return self._told(scratch, status, goal)

    def greedy(self, estimate: Estimate, start: int, goal: int) -> Found:
        """Greedy best-first search."""
        if start == goal:
            return Found(np.array([start], dtype=np.int32), 0, 1)
        scratch = self._borrow()
        while True:
            status = search_greedily(
                self.first_out,
                self.arcs,
                estimate.numbers(),
                estimate.at,
                estimate.table,
                scratch.label,
                scratch.seen,
                scratch.next_stamp(),
                scratch.heaps[0],
                start,
                goal,
                scratch.answer,
            )
            if status != FULL:
                break
            self._widen(scratch, buckets=False)
        return self._told(scratch, status, goal)

    def bidirectional(self, estimate: Estimate, start: int, goal: int) -> Found:
        """Search from both ends; the heuristic must be consistent and not made for one goal."""
        if start == goal:
            return Found(np.array([start], dtype=np.int32), 0, 1)
        scratch = self._borrow()
        first, arcs = self.both_ways
        while True:
            status = search_from_both_ends(
                first,
                arcs,
                estimate.numbers(),
                estimate.at,
                estimate.table,
                scratch.labels,
                scratch.both_seen,
                scratch.next_stamp(),
                scratch.heaps,
                start,
                goal,
                scratch.answer,
            )
            if status != FULL:
                break
            self._widen(scratch, buckets=False)
        if status != FOUND:
            return self._told(scratch, status, goal)
        ticks, expanded, middle = (int(one) for one in scratch.answer)
        there = scratch.path[: trail(scratch.both_seen[0], middle, scratch.path)].copy()
        onward = scratch.path[: trail(scratch.both_seen[1], middle, scratch.path)]
        rows = np.concatenate([there, onward[-2::-1]])
        self._scratch.append(scratch)
        return Found(rows, ticks, expanded)

    def looked_at(self) -> tuple[Int32Array, Int64Array]:
        """Rows the last search put on an open list, and the ticks at which it knew them.

        From the start, or where a search from the goal came nearer, from there. Means something
        only while no other thread searches.
        """
        if not self._scratch or not self._scratch[-1].stamp:
            return np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int64)
        scratch = self._scratch[-1]
        sides = [scratch.label, *(scratch.labels if "labels" in vars(scratch) else [])]
        # Labels of the last search are smaller than all others.
        ticks = np.min(sides, axis=0) + (scratch.stamp << 32)
        rows = np.flatnonzero(ticks < UNREACHED).astype(np.int32)
        return rows, ticks[rows]

    def _borrow(self) -> Scratch:
        # Taking from a list is one step no other thread can come between.
        try:
            return self._scratch.pop()
        except IndexError:
            return Scratch(self.graph.node_count)

    def _widen(self, scratch: Scratch, *, buckets: bool) -> None:
        if buckets:
            scratch.entry = np.empty((2 * len(scratch.entry), 3), dtype=np.int32)
        else:
            scratch.heaps = np.empty((2, 2 * scratch.heaps.shape[1], 2), dtype=np.int64)

    def _told(self, scratch: Scratch, status: int, goal: int) -> Found:
        rows, ticks, expanded = None, 0, int(scratch.answer[1])
        if status == FOUND:
            rows = scratch.path[: trail(scratch.seen, goal, scratch.path)].copy()
            ticks, expanded = int(scratch.answer[0]), expanded + 1
        self._scratch.append(scratch)
        return Found(rows, ticks, expanded)


def _paired(head: Int32Array, weight: Int32Array) -> UInt32Array:
    return np.stack([head, weight], axis=1).astype(np.uint32)
