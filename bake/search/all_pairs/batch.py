"""Distances from every node to a batch of targets, the search behind all-pairs tables.

Each target has a lane, a column of the result. A bucket queue holds nodes, keyed by the largest
distance that improved there in any lane; popping a node relaxes the arcs into it for all lanes in
one vectorized loop. Targets of a batch are close together, so their frontiers nearly coincide. A
node that waits for the last of them is popped 1.4 to 1.7 times on game maps. The method is
label-correcting (:mod:`bake.search.graph.label_correcting`): at the fixpoint every lane is exact,
whatever the order.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bake.core.arrays import Int32Array
from bake.core.errors import CostError
from bake.core.graph import INFINITY, Graph
from bake.core.kernels.jit import kernel
from bake.search.graph.label_correcting import (
    ALL,
    IDLE,
    MASK_BITS,
    RING,
    UNTOUCHED,
    NodeQueue,
    SearchArcs,
    build_search_arcs,
    put,
    shift_for,
    take,
)

#: Targets of a batch: a node's distances fill eight cache lines of int32.
# limit: more targets take another batch; lowered by all_pairs
LANES = 128


@kernel
def _relax_batch(
    arcs: SearchArcs,
    targets: Int32Array,
    lanes: Int32Array,
    shift: int,
    dist: Int32Array,
    queue: NodeQueue,
) -> int:
    """Relax arcs until no lane of any node gets shorter, and return the largest distance.

    The arguments are those of :meth:`BatchSearch.distances_to_sets` and :class:`BatchSearch`.
    """
    begin, end, tail, weight, masks = arcs
    bucket, follower, leader, pending, first = queue
    n = len(begin)
    bucket[:] = UNTOUCHED
    pending[:] = 0
    first[:] = -1
    queued = 0
    longest = np.int32(0)
    for i in range(len(targets)):
        node = targets[i]
        if bucket[node] == UNTOUCHED:
            dist[node, :] = INFINITY
            pending[node] = ALL
            bucket[node] = IDLE
        dist[node, lanes[i]] = 0
    for i in range(len(targets)):
        if bucket[targets[i]] == IDLE:
            queued += put(bucket, follower, leader, first, targets[i], 0)
    current = 0
    while queued > 0:
        node = take(bucket, follower, leader, first, current)
        if node < 0:
            current += 1
            continue
        queued -= 1
        start = begin[node]
        mask = pending[node]
        pending[node] = 0
        crowded = end[node] - start > MASK_BITS
        for arc in range(start, end[node]):
            if not crowded and not (mask >> np.uint32(arc - start)) & np.uint32(1):
                continue
            other = tail[arc]
            cost = weight[arc]
            gain = np.int32(-1)
            if bucket[other] == UNTOUCHED:
                for lane in range(LANES):
                    new = min(np.int32(dist[node, lane] + cost), np.int32(INFINITY))
                    dist[other, lane] = new
                    gain = max(gain, new if new < INFINITY else np.int32(-1))
                bucket[other] = IDLE
            else:
                for lane in range(LANES):
                    new = np.int32(dist[node, lane] + cost)
                    old = dist[other, lane]
                    better = new < old
                    dist[other, lane] = new if better else old
                    gain = max(gain, new if better else np.int32(-1))
            if gain < 0:
                continue
            longest = max(longest, gain)
            pending[other] |= masks[arc]
            key = min(max(int(gain) >> shift, current), current + RING - 1)
            queued += put(bucket, follower, leader, first, other, key)
    for node in range(n):
        if bucket[node] == UNTOUCHED:
            dist[node, :] = INFINITY
    return int(longest)


@dataclass(frozen=True)
class BatchScratch:
    """Buffers for one batch search at a time."""

    #: (n, LANES) int32; each row starts on a cache line.
    dist: Int32Array
    queue: NodeQueue
    #: (1) int32, an upper bound of the distances that the last search found.
    longest: Int32Array

    #: Bytes for each node of the graph.
    BYTES = LANES * 4 + 4 * 4


@dataclass(frozen=True)
class BatchSearch:
    """A weighted graph in the layout that searches toward targets need."""

    #: The arcs into each node.
    arcs: SearchArcs
    #: log2 of the width of one bucket in ticks.
    shift: int
    #: The largest weight in ticks.
    heaviest: int

    @staticmethod
    def build(graph: Graph, weight: Int32Array) -> BatchSearch:
        """Build the layout of a graph whose weights all lie in [1, MAX_WEIGHT]."""
        backward, order = graph.reverse()
        arcs = build_search_arcs(backward.first_out, backward.head, weight[order])
        return BatchSearch(arcs, shift_for(weight), int(weight.max(initial=0)))

    @property
    def node_count(self) -> int:
        return len(self.arcs.begin)

    def scratch(self) -> BatchScratch:
        """Allocate the buffers of one search at a time; each thread needs its own."""
        queue, longest = NodeQueue.of(self.node_count), np.zeros(1, dtype=np.int32)
        return BatchScratch(_allocate_lanes(self.node_count), queue, longest)

    def distances_to(self, targets: Int32Array, scratch: BatchScratch) -> Int32Array:
        """Compute the distances from every node to at most LANES targets.

        Args:
            targets: (k) int32 nodes, k <= LANES; the closer together, the faster.
            scratch: from :meth:`scratch`; the result is a view of it.

        Returns:
            (n, LANES) int32 ticks, INFINITY where there is no path; lanes past k hold no path.

        Raises:
            CostError: a distance is too close to INFINITY.

        >>> graph, order = Graph.from_arcs(3, np.array([0, 1]), np.array([1, 2]))
        >>> search = BatchSearch.build(graph, np.array([5, 7], dtype=np.int32)[order])
        >>> search.distances_to(np.array([2], dtype=np.int32), search.scratch())[:, 0].tolist()
        [12, 7, 0]
        """
        lanes = np.arange(len(targets), dtype=np.int32)
        return self.distances_to_sets(targets, lanes, scratch)

    def distances_to_sets(
        self, targets: Int32Array, lanes: Int32Array, scratch: BatchScratch
    ) -> Int32Array:
        """Compute the distances from every node to at most LANES sets of targets.

        Args:
            targets: (k) int32 nodes; one may be in several sets.
            lanes: (k) int32 in [0, LANES), the set of each target.
            scratch: from :meth:`scratch`; the result is a view of it.

        Returns:
            (n, LANES) int32 ticks: the smallest distance to a target of the lane; INFINITY where
            there is no path.

        Raises:
            CostError: as for :meth:`distances_to`.
        """
        longest = _relax_batch(self.arcs, targets, lanes, self.shift, scratch.dist, scratch.queue)
        scratch.longest[0] = longest
        if longest >= INFINITY - self.heaviest:
            check_scale(scratch.dist, self.heaviest)
        return scratch.dist


def _allocate_lanes(rows: int) -> Int32Array:
    """Allocate (rows, LANES) int32 whose rows start on cache lines, for aligned vector loads."""
    line = 64
    raw = np.empty(rows * LANES * 4 + line, dtype=np.uint8)
    start = -raw.ctypes.data % line
    return raw[start : start + rows * LANES * 4].view(np.int32).reshape(rows, LANES)


def check_scale(dist: Int32Array, heaviest: int) -> None:
    """Raise CostError if one more arc could carry a finite distance to INFINITY."""
    # In bands: the comparison allocates a quarter of the bytes it compares.
    bands = (dist[top : top + 64] for top in range(0, len(dist), 64))
    largest = max((int(band.max(initial=0, where=band < INFINITY)) for band in bands), default=0)
    if largest >= INFINITY - heaviest:
        raise too_long(largest, heaviest)


def too_long(ticks: int, heaviest: int, remedy: str = "lower ticks_per_unit") -> CostError:
    """Build the error for a distance that one more arc could carry to INFINITY."""
    return CostError(
        f"distances reach {ticks} ticks",
        expected=f"fewer than {INFINITY - heaviest} ticks",
        remedy=remedy,
    )
