"""The graph of one profile in the layout of point-to-point searches, and their scratch memory.

What a search writes about a row carries the epoch of the search, so nothing is cleared between
searches: the cost of a short search does not depend on the size of the level.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, cast

import numpy as np

from bake.core.arrays import Int32Array, Int64Array, UInt32Array
from bake.core.graph import INFINITY, UNREACHABLE, Graph
from bake.core.kernels.jit import ready
from bake.search.graph.label_correcting import MasksOnDemand, build_search_arcs, mask_arcs
from bake.search.point.astar_buckets import (
    FOUND,
    FULL,
    WHOLE,
    BucketQueue,
    Labels,
    PackedArcs,
    Slice,
    search_buckets,
    trace_path,
)
from bake.search.point.estimates import (
    Estimate,
    fill_estimates,
)
from bake.search.point.heap_searches import (
    AT_ONCE,
    BOTH_ENDS,
    BY_ALGORITHM_B,
    GREEDY,
    LAST,
    NEVER,
    HeapOrder,
    search_heap,
    weighted_order,
)

#: Buckets of a queue. Entries beyond them wait in one more.
# limit: the rest waits in an overflow bucket; lowered by searches
BUCKETS = 4096

#: The initial capacity of a queue, which doubles.
# limit: the buffer grows; lowered by searches
ENTRIES = 4096

#: If the heaviest arc is at most this many times the lightest, buckets are the faster queue.
# limit: another algorithm gives the same answer; lowered by searches
ALIKE = 4096

# limit: labels are cleared, and epochs restart; lowered by searches
_LAST_STAMP = 2**30

#: Runs a search in some scratch memory, until a number of expansions.
Advance = Callable[["Scratch", int], int]

#: The masks of arcs without masks.
NO_SUCCESSORS = np.empty(0, dtype=np.int32)


@dataclass(frozen=True)
class Found:
    """What a search found.

    Attributes:
        rows: (k) int32 from start to goal; None where there is no path.
        ticks: what the path costs; 0 without one.
        expanded: rows taken from the open list, the goal included; a row taken twice counts twice.
        generated: arcs out of these rows, the goal's not counted, whether or not the search looked
            at them. It may pass over those that cannot shorten any path.
    """

    #: (k) int32 from start to goal; None if there is no path.
    rows: Int32Array | None
    #: The cost of the path; 0 without one.
    ticks: int
    #: Rows popped from the open list, including the goal; a row popped twice counts twice.
    expanded: int
    #: Arcs read out of these rows.
    generated: int = 0


class Scratch:
    """Scratch memory for one search at a time.

    Attributes:
        row_count: the largest number of rows it serves.
        epoch: the epoch of the last search.
        label, seen: (r) int64 and (r, 3) int32, see
            :class:`bake.search.point.astar_buckets.Labels`.
        label_of_side, seen_of_side: the same for two sides, 2 r rows.
        entry, bucket: of a bucket queue.
        heaps: (2, e, 2) int64, open lists; see :mod:`bake.core.kernels.heap`.
        path: (r) int32.
        answer: (4) int64.
        state: (12) int64, see :class:`bake.search.point.astar_buckets.Slice`.
    """

    def __init__(self, row_count: int) -> None:
        self.row_count = row_count
        self.epoch = 0
        self.label = np.zeros(row_count, dtype=np.int64)
        self.seen = np.empty((row_count, 3), dtype=np.int32)
        self.entry = np.empty((ENTRIES, 3), dtype=np.int32)
        self.bucket = np.full(BUCKETS + 1, -1, dtype=np.int32)
        self.heaps = np.empty((2, 1 + ENTRIES, 2), dtype=np.int64)
        self.path = np.empty(row_count, dtype=np.int32)
        self.answer = np.zeros(4, dtype=np.int64)
        self.state = np.zeros(12, dtype=np.int64)

    @cached_property
    def label_of_side(self) -> Int64Array:
        return np.zeros(2 * self.row_count, dtype=np.int64)

    @cached_property
    def seen_of_side(self) -> Int32Array:
        return np.empty((2 * self.row_count, 3), dtype=np.int32)

    def begin(self) -> None:
        """Start a new epoch, which invalidates the labels of the last search."""
        if self.epoch >= _LAST_STAMP:
            self.label[:] = 0
            self.label_of_side[:] = 0
            self.epoch = 0
        self.epoch += 1
        self.state[0] = 0

    @property
    def labels(self) -> Labels:
        """The labels of this search."""
        return Labels(self.label, self.seen, self.epoch)

    @property
    def labels_of_sides(self) -> Labels:
        """The labels of this search, from both ends."""
        return Labels(self.label_of_side, self.seen_of_side, self.epoch)

    def queue(self, width: int) -> BucketQueue:
        return BucketQueue(self.entry, self.bucket, width)

    def widen(self, degree: int, *, buckets: bool) -> None:
        """Enlarge the bucket queue, or the heaps, by at least the arcs of one row."""
        if buckets:
            spare = np.empty((len(self.entry) + degree, 3), dtype=np.int32)
            self.entry = np.concatenate([self.entry, spare])
        else:
            more = np.empty((2, self.heaps.shape[1] + degree, 2), dtype=np.int64)
            self.heaps = np.concatenate([self.heaps, more], axis=1)


class ArcPool:
    """The baked arcs of a level, followed by arcs of its changed versions.

    Stored arcs never change, so searches of any version may read them while others are added.

    Attributes:
        arcs: (p, 2) uint32, head and weight of each; replaced when the capacity is exceeded.
    """

    def __init__(self, head: Int32Array, weight: Int32Array) -> None:
        self._baked = self._used = len(head)
        self._lock = threading.Lock()
        # Unused capacity takes no physical memory.
        self.arcs = np.empty((self._baked + max(self._baked, ENTRIES), 2), dtype=np.uint32)
        self.arcs[: self._baked] = _pair_arcs(head, weight)

    def append(self, added: UInt32Array) -> tuple[UInt32Array, int]:
        """Append (k, 2) arcs, and return all arcs and the index of the first one."""
        with self._lock:
            if self._used + len(added) > len(self.arcs):
                # Readers of earlier arcs hold a reference to the previous array.
                capacity = self._baked + max(self._baked, 8 * len(added), ENTRIES)
                arcs = np.empty((capacity, 2), dtype=np.uint32)
                arcs[: self._baked] = self.arcs[: self._baked]
                self.arcs, self._used = arcs, self._baked
            begin = self._used
            self._used += len(added)
            self.arcs[begin : self._used] = added
            return self.arcs, begin


class SearchSpace:
    """Point-to-point searches over the rows of one profile; threads may share it.

    Attributes:
        packed: the graph in the layout of kernels.
        pool: the storage of its arcs.
        lightest, heaviest: bounds of the weights of all arcs, in ticks.
        degree: the largest number of arcs out of a row.

    >>> from bake.search.point.estimates import Estimate
    >>> graph, order = Graph.from_arcs(3, np.array([0, 1]), np.array([1, 2]))
    >>> space = SearchSpace(graph, np.array([5, 7], dtype=np.int32)[order])
    >>> result = space.astar(Estimate("null"), 0, 2)
    >>> result.rows.tolist(), result.ticks
    ([0, 1, 2], 12)
    """

    def __init__(self, graph: Graph, weight: Int32Array) -> None:
        """Build the layout of a graph.

        Args:
            graph, weight: rows as nodes; (m) int32 ticks.
        """
        self._listed = graph, weight
        first = graph.first_out
        piece = np.stack([first[:-1], first[1:]], axis=1)
        self.pool = ArcPool(graph.head, weight)
        self.packed = PackedArcs(piece, self.pool.arcs)
        self.lightest = int(weight.min(initial=INFINITY))
        self.heaviest = int(weight.max(initial=1))
        self.degree = int(graph.out_degree().max(initial=1))
        self._scratch: list[Scratch] = []

    @property
    def graph(self) -> Graph:
        """The graph, rows as nodes."""
        return self._listed[0]

    @property
    def weight(self) -> Int32Array:
        """(m) int32 ticks of the graph's arcs."""
        return self._listed[1]

    @property
    def row_count(self) -> int:
        return len(self.packed.piece)

    def arcs_of(self, row: int) -> list[tuple[int, int]]:
        """Return the heads of the arcs out of a row, and the ticks of each arc."""
        begin, end = self.packed.piece[row].tolist()
        return [(head, ticks) for head, ticks in self.packed.arcs[begin:end].tolist()]

    def arcs_from(self, rows: Int32Array) -> tuple[Int64Array, Int32Array, Int64Array]:
        """Return the heads of the arcs out of each of some rows, with the cheapest arc to each.

        Returns:
            first: (k + 1) int64; those of the i-th row are ``head[first[i]:first[i + 1]]``,
            ascending; and ticks: (a) int64 of each.
        """
        begin, end = self.packed.piece[rows].T.astype(np.int64)
        count = end - begin
        owner = np.repeat(np.arange(len(rows)), count)
        arcs = self.packed.arcs[np.arange(len(owner)) + np.repeat(end - np.cumsum(count), count)]
        head, ticks = arcs.astype(np.int64).T
        order = np.lexsort((ticks, head, owner))
        owner, head, ticks = owner[order], head[order], ticks[order]
        is_first = np.ones(len(owner), dtype=np.bool_)
        is_first[1:] = (owner[1:] != owner[:-1]) | (head[1:] != head[:-1])
        first = np.searchsorted(owner[is_first], np.arange(len(rows) + 1))
        return first, head[is_first].astype(np.int32), ticks[is_first]

    @property
    def bucket_width(self) -> int:
        """log2 of the ticks a bucket spans: about a third of the lightest arc."""
        return max(0, (self.lightest // 3).bit_length())

    @property
    def weights_alike(self) -> bool:
        """Whether weights are alike enough for the bucket queue to be the faster one."""
        return self.heaviest // self.lightest < ALIKE

    @property
    def successors(self) -> Int32Array:
        """(m) int32, the masks of :class:`bake.search.graph.label_correcting.SearchArcs`.

        Compiled code and plain Python must skip the same arcs, because the order in which they
        expand rows depends on it.
        """
        if ready(mask_arcs):
            return self._all_masks
        # Plain Python reads single elements alone.
        return cast("Int32Array", self._masks_on_demand)

    @cached_property
    def _all_masks(self) -> Int32Array:
        arcs = build_search_arcs(self.graph.first_out, self.graph.head, self.weight)
        return arcs.masks.view(np.int32)

    @cached_property
    def _masks_on_demand(self) -> MasksOnDemand:
        return MasksOnDemand(self.graph.first_out, self.graph.head, self.weight)

    @cached_property
    def both_ways(self) -> PackedArcs:
        """The graph, followed by its reversed graph."""
        graph, reverse_order = self.graph.reverse()
        rows, arcs = np.int32(self.row_count), np.int32(len(reverse_order))
        head = np.concatenate([self.graph.head, graph.head + rows])
        first = np.concatenate([self.graph.first_out, graph.first_out[1:] + arcs])
        weight = np.concatenate([self.weight, self.weight[reverse_order]])
        return PackedArcs(np.stack([first[:-1], first[1:]], axis=1), _pair_arcs(head, weight))

    def estimates(self, estimate: Estimate, goal: int) -> Int64Array:
        """Return (r) int64 ticks, the estimate of every row."""
        h = np.empty(self.row_count, dtype=np.int64)
        fill_estimates(estimate.terms(), goal, 0, h)
        return h

    def exact(
        self, estimate: Estimate, start: int, goal: int, queue: str = "auto"
    ) -> tuple[bool, Advance]:
        """Return whether A* uses a bucket queue here, and a function that runs the search.

        Args:
            queue: bucket, heap or auto. Auto uses a heap for heuristics that fall far along an arc,
                which reduces repeated expansions.
        """
        terms, toward = estimate.terms(), estimate.toward
        alike = self.weights_alike and not estimate.falls
        if queue == "heap" or (queue == "auto" and not alike):
            again = NEVER if estimate.consistent else AT_ONCE
            order = HeapOrder(1, 1, BY_ALGORITHM_B if estimate.falls else again)
            return False, self._by_heap(order, estimate, start, goal)
        successors = self.successors if estimate.consistent else NO_SUCCESSORS

        def advance(scratch: Scratch, until: int) -> int:
            labels, buckets = scratch.labels, scratch.queue(self.bucket_width)
            answer, part = scratch.answer, Slice(until, scratch.state)
            return search_buckets(
                self.packed, successors, terms, toward, labels, buckets, start, goal, answer, part
            )

        return True, advance

    def _by_heap(self, order: HeapOrder, estimate: Estimate, start: int, goal: int) -> Advance:
        terms, toward = estimate.terms(), estimate.toward
        bidirectional = order is BOTH_ENDS
        graph = self.both_ways if bidirectional else self.packed

        def advance(scratch: Scratch, until: int) -> int:
            labels = scratch.labels_of_sides if bidirectional else scratch.labels
            heaps = scratch.heaps
            answer, part = scratch.answer, Slice(until, scratch.state)
            return search_heap(
                graph, terms, toward, order, labels, heaps, start, goal, answer, part
            )

        return advance

    def astar(
        self,
        estimate: Estimate,
        start: int,
        goal: int,
        *,
        weight: float = 1.0,
        queue: str = "auto",
        reopen: bool = False,
    ) -> Found:
        """Search by A*; with the null heuristic this is Dijkstra's algorithm.

        If f may fall along a path, processed buckets would have to be filled again. Therefore a
        heap serves every search with a weight, and every heuristic known to be inadmissible. Rows
        are expanded again only if the bound of the cost depends on it.

        Args:
            weight: the factor of the heuristic, from 0 on (rounded down to 1024ths).
            queue: bucket, heap or auto, for a search without weight.
            reopen: whether rows are expanded again by a heuristic known to be inadmissible.
        """
        may_be_admissible = estimate.admissible is not False
        if weight != 1 or not may_be_admissible:
            again = LAST if not estimate.consistent and (may_be_admissible or reopen) else NEVER
            order = weighted_order(weight, again)
            advance = self._by_heap(order, estimate, start, goal)
            return self._search(advance, start, goal)
        buckets, advance = self.exact(estimate, start, goal, queue)
        return self._search(advance, start, goal, buckets=buckets)

    def greedy(self, estimate: Estimate, start: int, goal: int) -> Found:
        """Search greedily: expand the row with the smallest estimate first."""
        advance = self._by_heap(GREEDY, estimate, start, goal)
        return self._search(advance, start, goal)

    def bidirectional(self, estimate: Estimate, start: int, goal: int) -> Found:
        """Search from both ends; the heuristic must be consistent and not computed for one goal."""
        advance = self._by_heap(BOTH_ENDS, estimate, start, goal)
        return self._search(advance, start, goal, both_ends=True)

    def looked_at(self) -> tuple[Int32Array, Int64Array]:
        """Return the rows that the last search put on an open list, and their ticks.

        Ticks count from the start, or from the goal if the search from there came nearer. The
        result is valid only while no other thread searches.
        """
        if not self._scratch or not self._scratch[-1].epoch:
            return np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int64)
        scratch = self._scratch[-1]
        sides = [
            scratch.label,
            *(scratch.label_of_side.reshape(2, -1) if "label_of_side" in vars(scratch) else []),
        ]
        # Labels of the last search are smaller than all others.
        ticks = np.min(sides, axis=0) + (scratch.epoch << 32)
        rows = np.flatnonzero(ticks < UNREACHABLE).astype(np.int32)
        return rows, ticks[rows]

    def scratch(self) -> Scratch:
        """Return scratch memory for a search, reused or new."""
        # `list.pop` is atomic: no other thread can interrupt it.
        try:
            scratch = self._scratch.pop()
        except IndexError:
            return Scratch(self.row_count)
        return scratch if scratch.row_count >= self.row_count else Scratch(self.row_count)

    def give_back(self, scratch: Scratch) -> None:
        """Return scratch memory to the pool after a search."""
        self._scratch.append(scratch)

    def _search(
        self,
        advance: Advance,
        start: int,
        goal: int,
        *,
        buckets: bool = False,
        both_ends: bool = False,
    ) -> Found:
        """Run a search to the end, and build its result."""
        if start == goal:
            return Found(np.array([start], dtype=np.int32), 0, 1)
        scratch = self.scratch()
        scratch.begin()
        while (status := advance(scratch, WHOLE)) == FULL:
            scratch.widen(self.degree, buckets=buckets)
        ticks, expanded, middle, generated = scratch.answer.tolist()
        if status != FOUND:
            result = Found(None, 0, expanded, generated)
        elif both_ends:
            seen, reverse_order = scratch.seen_of_side, np.int32(self.row_count)
            from_start = path_to(seen, middle, scratch)
            onward = path_to(seen, middle + self.row_count, scratch) - reverse_order
            rows = np.concatenate([from_start, onward[-2::-1]])
            result = Found(rows, ticks, expanded, generated)
        else:
            result = Found(path_to(scratch.seen, goal, scratch), ticks, expanded + 1, generated)
        self.give_back(scratch)
        return result


class OwnArcs(NamedTuple):
    """The current arcs out of the rows near changes of a level."""

    #: (k) int32 ascending: all rows whose arcs differ from the baked ones, and all rows from which
    #: a baked arc leads to one of those.
    rows: Int32Array
    #: (m) int32, by tail.
    tail: Int32Array
    head: Int32Array
    weight: Int32Array


class ChangedSpace(SearchSpace):
    """Searches on a changed level, derived from those on the baked one.

    Building it takes time in proportion to the changes, apart from a copy of 8 bytes a row.

    Attributes:
        own: the current arcs near changes.
    """

    def __init__(
        self,
        baked: SearchSpace,
        row_count: int,
        own: OwnArcs,
        listed: Callable[[], tuple[Graph, Int32Array]],
    ) -> None:
        """Build the layout of the changed rows.

        Args:
            baked: the searches on the baked level.
            row_count: the number of rows; those beyond the baked ones have own arcs or none.
            own: the current arcs near changes.
            listed: returns the whole graph and its weights, which few queries need.
        """
        self._list = listed
        arcs, begin = baked.pool.append(_pair_arcs(own.head, own.weight))
        piece = np.zeros((row_count, 2), dtype=np.int32)
        piece[: baked.row_count] = baked.packed.piece
        first = np.searchsorted(own.tail, np.append(own.rows, np.int32(row_count))) + begin
        piece[own.rows, 0], piece[own.rows, 1] = first[:-1], first[1:]
        self.packed = PackedArcs(piece, arcs)
        # Removed arcs still count for these bounds, so no search for the extremes is needed.
        self.lightest = min(baked.lightest, int(own.weight.min(initial=INFINITY)))
        self.heaviest = max(baked.heaviest, int(own.weight.max(initial=1)))
        self.degree = max(baked.degree, int(np.diff(first).max(initial=1)))
        self.own = own
        self._baked, self._scratch = baked, baked._scratch

    @cached_property
    def _listed(self) -> tuple[Graph, Int32Array]:  # type: ignore[override]
        return self._list()

    @property
    def successors(self) -> Int32Array:
        """The masks of the baked arcs; arcs near changes have none."""
        return self._baked.successors


def path_to(seen: Int32Array, goal: int, scratch: Scratch) -> Int32Array:
    """Return the rows from the start of a search to another row."""
    return scratch.path[: trace_path(seen, goal, scratch.path)].copy()


def _pair_arcs(head: Int32Array, weight: Int32Array) -> UInt32Array:
    return np.stack([head, weight], axis=1).astype(np.uint32)
