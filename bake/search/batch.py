"""The narrow waist: distances from every node to a batch of targets.

One lane a target. A bucket queue holds nodes, keyed by the smallest distance that improved there
in any lane; popping a node relaxes every arc into it for all lanes in one vectorised loop. Targets
of a batch lie close together, so their frontiers nearly coincide and a node is popped little more
than once. The method is label-correcting: whatever the order, at the fixpoint every lane is exact.

The bucket queue follows R. B. Dial, "Algorithm 360: shortest-path forest with topological
ordering", Comm. ACM 12(11), 1969, with buckets wider than one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bake.errors import CostError
from bake.graph import Graph, Int32Array
from bake.search.jit import kernel
from bake.search.patch_order import PATCH

#: "No path yet". Distances stay below it, so a distance plus a weight never wraps in int32.
INFINITY = 2**30

#: Targets a batch searches for at once: one patch, four 512-bit registers of int32.
LANES = PATCH

#: Buckets in the queue's ring; keys beyond it wait in the last bucket, which is only less tidy.
RING = 1024


@kernel
def _relax_batch(
    first_in: Int32Array,
    tail: Int32Array,
    weight: Int32Array,
    targets: Int32Array,
    shift: int,
    dist: Int32Array,
    bucket: Int32Array,
    follower: Int32Array,
    leader: Int32Array,
) -> None:
    n = len(first_in) - 1
    lanes = dist.shape[1]
    for node in range(n):
        bucket[node] = -1
        for lane in range(lanes):
            dist[node, lane] = INFINITY
    first = np.full(RING, -1, np.int32)
    queued = 0
    for lane in range(len(targets)):
        node = targets[lane]
        dist[node, lane] = 0
        if bucket[node] < 0:
            bucket[node] = 0
            leader[node] = -1
            follower[node] = first[0]
            if first[0] >= 0:
                leader[first[0]] = node
            first[0] = node
            queued += 1
    current = 0
    while queued > 0:
        node = first[current & (RING - 1)]
        if node < 0:
            current += 1
            continue
        after = follower[node]
        first[current & (RING - 1)] = after
        if after >= 0:
            leader[after] = -1
        bucket[node] = -1
        queued -= 1
        for arc in range(first_in[node], first_in[node + 1]):
            other = tail[arc]
            cost = weight[arc]
            best = np.int32(INFINITY)
            for lane in range(lanes):
                new = np.int32(dist[node, lane] + cost)
                old = dist[other, lane]
                better = new < old
                dist[other, lane] = new if better else old
                gained = new if better else np.int32(INFINITY)
                best = min(best, gained)
            if best == INFINITY:
                continue
            key = min(max(int(best) >> shift, current), current + RING - 1)
            was = bucket[other]
            if was >= 0:
                if was <= key:
                    continue
                before = leader[other]
                after = follower[other]
                if before >= 0:
                    follower[before] = after
                else:
                    first[was & (RING - 1)] = after
                if after >= 0:
                    leader[after] = before
                queued -= 1
            bucket[other] = key
            leader[other] = -1
            after = first[key & (RING - 1)]
            follower[other] = after
            if after >= 0:
                leader[after] = other
            first[key & (RING - 1)] = other
            queued += 1


@dataclass(frozen=True)
class Waist:
    """A weighted graph laid out for searches toward targets.

    Attributes:
        first_in: (n + 1) int32.
        tail: (m) int32, the node each arc comes from, grouped by its head.
        weight: (m) int32 ticks, in the same order.
        shift: log2 of the width of one bucket in ticks.
        longest: largest weight.
    """

    first_in: Int32Array
    tail: Int32Array
    weight: Int32Array
    shift: int
    longest: int

    @staticmethod
    def of(graph: Graph, weight: Int32Array) -> Waist:
        """Lay out a graph whose arcs all have weights in [1, MAX_WEIGHT]."""
        backward, order = graph.reverse()
        if not graph.arc_count:
            return Waist(backward.first_out, backward.head, weight, 0, 0)
        longest = int(weight.max())
        shift = max(int(np.median(weight)), longest // (RING // 2)).bit_length() - 1
        return Waist(backward.first_out, backward.head, weight[order], shift, longest)

    @property
    def node_count(self) -> int:
        return len(self.first_in) - 1

    def scratch(self) -> Scratch:
        """Memory for one search at a time; one per thread."""
        n = self.node_count
        links = np.empty((3, n), dtype=np.int32)
        return Scratch(np.empty((n, LANES), dtype=np.int32), links)

    def distances_to(self, targets: Int32Array, scratch: Scratch) -> Int32Array:
        """Distances from every node to each of at most LANES targets.

        Args:
            targets: (k) int32 nodes, k <= LANES; close together is fast, anything is right.
            scratch: from :meth:`scratch`; the result is a view of it.

        Returns:
            (n, LANES) int32 ticks, INFINITY where there is no path; lanes past k hold no path.

        Raises:
            CostError: a distance comes too near the end of the scale to be told from no path.
        """
        _relax_batch(
            self.first_in,
            self.tail,
            self.weight,
            targets,
            self.shift,
            scratch.dist,
            scratch.links[0],
            scratch.links[1],
            scratch.links[2],
        )
        check_scale(scratch.dist, self.longest)
        return scratch.dist


@dataclass(frozen=True)
class Scratch:
    """Working memory of one batch search: distances and the queue's links."""

    dist: Int32Array
    links: Int32Array


@kernel
def largest_finite(dist: Int32Array) -> int:
    """The largest distance below INFINITY in an array of two dimensions; 0 if none."""
    largest = np.int32(0)
    for node in range(dist.shape[0]):
        for lane in range(dist.shape[1]):
            value = dist[node, lane]
            largest = max(largest, value if value < INFINITY else np.int32(0))
    return int(largest)


def check_scale(dist: npt.NDArray[np.int32], longest: int) -> None:
    """Refuse distances so long that a further step would look like no path."""
    largest = int(largest_finite(dist))
    if largest >= INFINITY - longest:
        raise CostError(
            f"distances reach {largest} ticks",
            expected=f"fewer than {INFINITY - longest} ticks",
            remedy="lower ticks_per_unit",
        )
