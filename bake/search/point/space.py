"""Lay one profile's graph out for point-to-point searches, and keep their scratch memory.

What a search writes about a row carries the search's stamp, so nothing is cleared between searches:
a short search costs what it looks at, however large the level is.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, cast

import numpy as np

from bake.arrays import Int32Array, Int64Array, UInt32Array
from bake.graph import INFINITY, UNREACHABLE, Graph
from bake.kernels.jit import ready
from bake.search.graph.label_correcting import MasksOnDemand, mask_arcs, with_masks
from bake.search.point.astar_buckets import (
    FOUND,
    FULL,
    WHOLE,
    BucketQueue,
    Labels,
    PackedArcs,
    Slice,
    search_buckets,
    trail,
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

#: Buckets of a queue. What lies beyond them waits in one more.
# limit: the rest waits in an overflow bucket; lowered by searches
BUCKETS = 4096

#: A queue begins with room for this many entries, and doubles.
# limit: the buffer grows; lowered by searches
ENTRIES = 4096

#: Where the heaviest arc is at most this many times the lightest, buckets are the faster queue.
# limit: another algorithm gives the same answer; lowered by searches
ALIKE = 4096

# limit: labels are cleared, and epochs restart; lowered by searches
_LAST_STAMP = 2**30

#: What takes a search on, in some scratch memory, until so many rows were expanded.
GoOn = Callable[["Scratch", int], int]

#: Where arcs are not masked.
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

    rows: Int32Array | None
    ticks: int
    expanded: int
    generated: int = 0


class Scratch:
    """Memory of one search at a time.

    Attributes:
        row_count: how many rows it has room for.
        stamp: of the last search.
        label, seen: (r) int64 and (r, 3) int32, see
            :class:`bake.search.point.astar_buckets.Labels`.
        label_of_side, seen_of_side: the same for two sides, 2 r rows.
        entry, bucket: of a bucket queue.
        heaps: (2, e, 2) int64, open lists; see :mod:`bake.kernels.heap`.
        path: (r) int32.
        answer: (4) int64.
        state: (12) int64, see :class:`bake.search.point.astar_buckets.Slice`.
    """

    def __init__(self, row_count: int) -> None:
        self.row_count = row_count
        self.stamp = 0
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
        """Forget the last search."""
        if self.stamp >= _LAST_STAMP:
            self.label[:] = 0
            self.label_of_side[:] = 0
            self.stamp = 0
        self.stamp += 1
        self.state[0] = 0

    @property
    def labels(self) -> Labels:
        """Return the labels of this search."""
        return Labels(self.label, self.seen, self.stamp)

    @property
    def labels_of_sides(self) -> Labels:
        """Return the labels of this search, from both ends."""
        return Labels(self.label_of_side, self.seen_of_side, self.stamp)

    def queue(self, width: int) -> BucketQueue:
        return BucketQueue(self.entry, self.bucket, width)

    def widen(self, degree: int, *, buckets: bool) -> None:
        """Make room in the bucket queue, or in heaps, for more than the arcs out of a row."""
        if buckets:
            spare = np.empty((len(self.entry) + degree, 3), dtype=np.int32)
            self.entry = np.concatenate([self.entry, spare])
        else:
            more = np.empty((2, self.heaps.shape[1] + degree, 2), dtype=np.int64)
            self.heaps = np.concatenate([self.heaps, more], axis=1)


class ArcPool:
    """The arcs of a level as it was baked, and behind them those that changes of it need.

    What was put in never changes, so searches of any version may read it while more is put in.

    Attributes:
        arcs: (p, 2) uint32, head and weight of each, replaced where there is no more room.
    """

    def __init__(self, head: Int32Array, weight: Int32Array) -> None:
        self._baked = self._used = len(head)
        self._lock = threading.Lock()
        # Room takes no memory before it is used.
        self.arcs = np.empty((self._baked + max(self._baked, ENTRIES), 2), dtype=np.uint32)
        self.arcs[: self._baked] = _paired(head, weight)

    def put(self, own: UInt32Array) -> tuple[UInt32Array, int]:
        """Put (k, 2) arcs in, and return all arcs and where these begin."""
        with self._lock:
            if self._used + len(own) > len(self.arcs):
                # Whoever reads the arcs put in before keeps the memory that they are in.
                room = self._baked + max(self._baked, 8 * len(own), ENTRIES)
                arcs = np.empty((room, 2), dtype=np.uint32)
                arcs[: self._baked] = self.arcs[: self._baked]
                self.arcs, self._used = arcs, self._baked
            begin = self._used
            self._used += len(own)
            self.arcs[begin : self._used] = own
            return self.arcs, begin


class SearchSpace:
    """Point-to-point searches over one profile's rows; threads may share it.

    Attributes:
        packed: the graph as kernels read it.
        pool: what its arcs lie in.
        lightest, heaviest: ticks between which the weights of all arcs are.
        degree: the most arcs out of a row.
    """

    def __init__(self, graph: Graph, weight: Int32Array) -> None:
        """Lay the graph out.

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
        """Return the graph, rows as nodes."""
        return self._listed[0]

    @property
    def weight(self) -> Int32Array:
        """Return (m) int32 ticks of its arcs."""
        return self._listed[1]

    @property
    def row_count(self) -> int:
        return len(self.packed.piece)

    def arcs_of(self, row: int) -> list[tuple[int, int]]:
        """List the rows to which arcs lead from one, and the ticks of each arc."""
        begin, end = self.packed.piece[row].tolist()
        return [(head, ticks) for head, ticks in self.packed.arcs[begin:end].tolist()]

    def arcs_from(self, rows: Int32Array) -> tuple[Int64Array, Int32Array, Int64Array]:
        """List the rows to which arcs lead from each of some rows, the cheapest arc to each.

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
        fresh = np.ones(len(owner), dtype=np.bool_)
        fresh[1:] = (owner[1:] != owner[:-1]) | (head[1:] != head[:-1])
        first = np.searchsorted(owner[fresh], np.arange(len(rows) + 1))
        return first, head[fresh].astype(np.int32), ticks[fresh]

    @property
    def bucket_width(self) -> int:
        """Return log2 of the ticks a bucket spans: about a third of the lightest arc."""
        return max(0, (self.lightest // 3).bit_length())

    @property
    def weights_alike(self) -> bool:
        """Tell whether weights are alike enough for the bucket queue to be the faster one."""
        return self.heaviest // self.lightest < ALIKE

    @property
    def successors(self) -> Int32Array:
        """Return (m) int32, the masks of :class:`bake.search.graph.label_correcting.SearchArcs`.

        Searches by compiled code and by plain Python have to pass over the same arcs, as the order
        in which they expand rows depends on it.
        """
        if ready(mask_arcs):
            return self._all_masks
        # Plain Python reads single elements alone.
        return cast("Int32Array", self._masks_on_demand)

    @cached_property
    def _all_masks(self) -> Int32Array:
        arcs = with_masks(self.graph.first_out, self.graph.head, self.weight)
        return arcs.masks.view(np.int32)

    @cached_property
    def _masks_on_demand(self) -> MasksOnDemand:
        return MasksOnDemand(self.graph.first_out, self.graph.head, self.weight)

    @cached_property
    def both_ways(self) -> PackedArcs:
        """Return the graph, and behind its rows those of the graph turned round."""
        graph, behind = self.graph.reverse()
        rows, arcs = np.int32(self.row_count), np.int32(len(behind))
        head = np.concatenate([self.graph.head, graph.head + rows])
        first = np.concatenate([self.graph.first_out, graph.first_out[1:] + arcs])
        weight = np.concatenate([self.weight, self.weight[behind]])
        return PackedArcs(np.stack([first[:-1], first[1:]], axis=1), _paired(head, weight))

    def estimates(self, estimate: Estimate, goal: int) -> Int64Array:
        """Return (r) int64 ticks, what a heuristic says of every row."""
        h = np.empty(self.row_count, dtype=np.int64)
        fill_estimates(estimate.terms(), goal, 0, h)
        return h

    def exact(
        self, estimate: Estimate, start: int, goal: int, queue: str = "auto"
    ) -> tuple[bool, GoOn]:
        """Return whether a search by A* takes a bucket queue, and what takes it on.

        Args:
            queue: bucket, heap or auto, which takes a heap for heuristics that fall far along an
                arc, as fewer rows are expanded again so.
        """
        terms, toward = estimate.terms(), estimate.toward
        alike = self.weights_alike and not estimate.falls
        if queue == "heap" or (queue == "auto" and not alike):
            again = NEVER if estimate.consistent else AT_ONCE
            order = HeapOrder(1, 1, BY_ALGORITHM_B if estimate.falls else again)
            return False, self._by_heap(order, estimate, start, goal)
        successors = self.successors if estimate.consistent else NO_SUCCESSORS

        def go_on(scratch: Scratch, until: int) -> int:
            labels, buckets = scratch.labels, scratch.queue(self.bucket_width)
            answer, part = scratch.answer, Slice(until, scratch.state)
            return search_buckets(
                self.packed, successors, terms, toward, labels, buckets, start, goal, answer, part
            )

        return True, go_on

    def _by_heap(self, order: HeapOrder, estimate: Estimate, start: int, goal: int) -> GoOn:
        terms, toward = estimate.terms(), estimate.toward
        both = order is BOTH_ENDS
        graph = self.both_ways if both else self.packed

        def go_on(scratch: Scratch, until: int) -> int:
            labels = scratch.labels_of_sides if both else scratch.labels
            heaps = scratch.heaps
            answer, part = scratch.answer, Slice(until, scratch.state)
            return search_heap(
                graph, terms, toward, order, labels, heaps, start, goal, answer, part
            )

        return go_on

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

        Where f may fall along a path, buckets of the past would have to be filled again. A heap
        takes their place for every search with a weight, and by a heuristic known to be
        inadmissible. Rows are expanded again only where the bound of the cost depends on it.

        Args:
            weight: what the heuristic is multiplied with, from 0 on (rounded down to 1024ths).
            queue: bucket, heap or auto, of a search without weight.
            reopen: whether rows are expanded again by a heuristic known to be inadmissible.
        """
        unsure = estimate.admissible is not False
        if weight != 1 or not unsure:
            again = LAST if not estimate.consistent and (unsure or reopen) else NEVER
            order = weighted_order(weight, again)
            go_on = self._by_heap(order, estimate, start, goal)
            return self._search(go_on, start, goal)
        buckets, go_on = self.exact(estimate, start, goal, queue)
        return self._search(go_on, start, goal, buckets=buckets)

    def greedy(self, estimate: Estimate, start: int, goal: int) -> Found:
        """Search greedily: take the row that looks nearest first."""
        go_on = self._by_heap(GREEDY, estimate, start, goal)
        return self._search(go_on, start, goal)

    def bidirectional(self, estimate: Estimate, start: int, goal: int) -> Found:
        """Search from both ends; the heuristic must be consistent and not made for one goal."""
        go_on = self._by_heap(BOTH_ENDS, estimate, start, goal)
        return self._search(go_on, start, goal, both_ends=True)

    def looked_at(self) -> tuple[Int32Array, Int64Array]:
        """List the rows the last search put on an open list, and the ticks at which it knew them.

        Ticks count from the start, or from the goal where a search from there came nearer. The
        answer means something only while no other thread searches.
        """
        if not self._scratch or not self._scratch[-1].stamp:
            return np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int64)
        scratch = self._scratch[-1]
        sides = [
            scratch.label,
            *(scratch.label_of_side.reshape(2, -1) if "label_of_side" in vars(scratch) else []),
        ]
        # Labels of the last search are smaller than all others.
        ticks = np.min(sides, axis=0) + (scratch.stamp << 32)
        rows = np.flatnonzero(ticks < UNREACHABLE).astype(np.int32)
        return rows, ticks[rows]

    def scratch(self) -> Scratch:
        """Take scratch memory for a search: that of an earlier one, or more."""
        # Taking from a list is one step that no other thread can interrupt.
        try:
            scratch = self._scratch.pop()
        except IndexError:
            return Scratch(self.row_count)
        return scratch if scratch.row_count >= self.row_count else Scratch(self.row_count)

    def give_back(self, scratch: Scratch) -> None:
        """Keep the scratch memory of a search that is over for a later one."""
        self._scratch.append(scratch)

    def _search(
        self,
        go_on: GoOn,
        start: int,
        goal: int,
        *,
        buckets: bool = False,
        both_ends: bool = False,
    ) -> Found:
        """Search to the end, and read off the result."""
        if start == goal:
            return Found(np.array([start], dtype=np.int32), 0, 1)
        scratch = self.scratch()
        scratch.begin()
        while (status := go_on(scratch, WHOLE)) == FULL:
            scratch.widen(self.degree, buckets=buckets)
        ticks, expanded, middle, generated = scratch.answer.tolist()
        if status != FOUND:
            found = Found(None, 0, expanded, generated)
        elif both_ends:
            seen, behind = scratch.seen_of_side, np.int32(self.row_count)
            there = trail_of(seen, middle, scratch)
            onward = trail_of(seen, middle + self.row_count, scratch) - behind
            rows = np.concatenate([there, onward[-2::-1]])
            found = Found(rows, ticks, expanded, generated)
        else:
            found = Found(trail_of(scratch.seen, goal, scratch), ticks, expanded + 1, generated)
        self.give_back(scratch)
        return found


class OwnArcs(NamedTuple):
    """The arcs out of the rows near changes of a level, as they are now.

    Attributes:
        rows: (k) int32 ascending: all rows that have arcs which are not as baked, and all rows
            from which a baked arc leads to one of those.
        tail, head, weight: (m) int32, by tail.
    """

    rows: Int32Array
    tail: Int32Array
    head: Int32Array
    weight: Int32Array


class ChangedSpace(SearchSpace):
    """Searches on a level that has changed, laid out from those on it as it was baked.

    That takes as long as what differs is large, but for a copy of 8 bytes a row.

    Attributes:
        own: what differs.
    """

    def __init__(
        self,
        baked: SearchSpace,
        row_count: int,
        own: OwnArcs,
        listed: Callable[[], tuple[Graph, Int32Array]],
    ) -> None:
        """Lay out what differs.

        Args:
            baked: the level as it was baked.
            row_count: how many rows there are; those beyond the baked ones have own arcs or none.
            own: what differs.
            listed: gives the whole graph and its weights, which few questions need.
        """
        self._list = listed
        arcs, begin = baked.pool.put(_paired(own.head, own.weight))
        piece = np.zeros((row_count, 2), dtype=np.int32)
        piece[: baked.row_count] = baked.packed.piece
        first = np.searchsorted(own.tail, np.append(own.rows, np.int32(row_count))) + begin
        piece[own.rows, 0], piece[own.rows, 1] = first[:-1], first[1:]
        self.packed = PackedArcs(piece, arcs)
        # Of arcs gone since the cheapest and the dearest one still count, so nothing is looked for.
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
        """Return the masks of the baked arcs; they say nothing of arcs near changes."""
        return self._baked.successors


def trail_of(seen: Int32Array, goal: int, scratch: Scratch) -> Int32Array:
    """Return the rows from the start of a search to another row."""
    return scratch.path[: trail(seen, goal, scratch.path)].copy()


def _paired(head: Int32Array, weight: Int32Array) -> UInt32Array:
    return np.stack([head, weight], axis=1).astype(np.uint32)
