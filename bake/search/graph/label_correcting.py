"""Building blocks of label-correcting searches: arcs with successor masks, and a bucket queue.

**Successors.** After a step from p to u, only some arcs of u can improve a distance. If v is
reachable from p directly for no more than through u, or in two steps for strictly less, relaxing
u's arc to v cannot improve any distance that came to u from p. On lattices this leaves about three
arcs of eight, the natural successors of D. Harabor and A. Grastien, "Online graph pruning for
pathfinding on grid maps", AAAI 2011. Here the test compares arc weights, so it holds for any
positive weights on any graph.

This is exact. Suppose some skipped arcs would still lower a distance, and take the one from u to v
with the smallest sum. d(u) came from some p, for which the arc was skipped. Then the arc from p to
v, or one of the two steps, would lower a distance too, with a smaller sum (or an equal one from a
smaller d), which contradicts the choice.

**The queue** is a ring of buckets, each a doubly linked list of nodes (R. B. Dial, "Algorithm 360:
shortest-path forest with topological ordering", Comm. ACM 12(11), 1969). Buckets are wider than one
tick, so a node may be popped before its distance is final, and is queued again.

Its operations are accessors. As separate kernels, called or inlined by numba, which then counts
references to every array, they cost a batch search 25 to 50 % and a flow field up to three times
its time (measured on den520d and lak303d); as accessors they cost nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bake.core.arrays import Int32Array, UInt32Array
from bake.core.graph import BLOCKED, UNREACHABLE
from bake.core.kernels.jit import accessor, kernel, ready

#: Bits of a mask. All arcs of a node with more arcs than this are relaxed each time.
# limit: all arcs of the node are relaxed each time; tests/search/graph/test_label_correcting.py
MASK_BITS = 32
ALL = np.uint32(0xFFFFFFFF)


class SearchArcs(NamedTuple):
    """Arcs by the node that a search expands: arcs into each node, or out of it."""

    #: (n) int32; the arcs of node v are those from ``begin[v]`` to ``end[v]``.
    begin: Int32Array
    end: Int32Array
    #: (p) int32, the node at the other end.
    to: Int32Array
    #: (p) int32 ticks, BLOCKED if an arc is blocked.
    weight: Int32Array
    #: (p) uint32, the arcs to relax after this one: bit j stands for arc ``begin[to] + j``. All
    #: bits are set if the node has more than MASK_BITS arcs.
    masks: UInt32Array


@kernel
def mask_arcs(arcs: SearchArcs, nodes: Int32Array, one: Int32Array, two: Int32Array) -> None:
    """Write the masks of some nodes' arcs; blocked arcs are skipped.

    Args:
        arcs: ``masks`` is written.
        nodes: (k) int32.
        one, two: (n) int32 scratch, all UNREACHABLE before and after: the cost of the cheapest arc,
            and of the cheapest two arcs, from a node.
    """
    begin, end, to, weight, masks = arcs
    for i in range(len(nodes)):
        p = nodes[i]
        one[p] = 0
        for arc in range(begin[p], end[p]):
            if weight[arc] == BLOCKED:
                continue
            u = to[arc]
            one[u] = min(one[u], weight[arc])
            for onward in range(begin[u], end[u]):
                if weight[onward] != BLOCKED:
                    two_steps = np.int32(weight[arc] + weight[onward])
                    two[to[onward]] = min(two[to[onward]], two_steps)
        for arc in range(begin[p], end[p]):
            u = to[arc]
            start = begin[u]
            mask = np.uint32(0)
            if end[u] - start > MASK_BITS or weight[arc] == BLOCKED:
                mask = ALL
            else:
                for onward in range(start, end[u]):
                    if weight[onward] == BLOCKED:
                        continue
                    two_steps = np.int32(weight[arc] + weight[onward])
                    if one[to[onward]] > two_steps and two[to[onward]] >= two_steps:
                        mask |= np.uint32(1) << np.uint32(onward - start)
            masks[arc] = mask
        for arc in range(begin[p], end[p]):
            u = to[arc]
            one[u] = UNREACHABLE
            for onward in range(begin[u], end[u]):
                two[to[onward]] = UNREACHABLE
        one[p] = UNREACHABLE


def build_search_arcs(first: Int32Array, to: Int32Array, weight: Int32Array) -> SearchArcs:
    """Build the arc layout of label-correcting searches, with masks.

    Args:
        first, to, weight: the graph to search; (n + 1), (m), (m) int32, weights in
            [1, MAX_WEIGHT].
    """
    arcs = SearchArcs(first[:-1], first[1:], to, weight, np.full(len(to), ALL, dtype=np.uint32))
    # Without a compiler, computing masks takes far longer than they save.
    if ready(mask_arcs):
        one, two = np.full((2, len(first) - 1), UNREACHABLE, dtype=np.int32)
        mask_arcs(arcs, np.arange(len(first) - 1, dtype=np.int32), one, two)
    return arcs


class MasksOnDemand:
    """The masks of arcs, computed node by node as searches need them; threads may share it.

    Without compiled code a search takes far less time than the masks of all arcs.
    """

    def __init__(self, first: Int32Array, to: Int32Array, weight: Int32Array) -> None:
        """Compute nothing yet; arguments are those of :func:`with_masks`."""
        self._first, self._to, self._weight = first.data, to.data, weight.data
        self._tail = np.repeat(np.arange(len(first) - 1, dtype=np.int32), np.diff(first)).data
        self._known: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._to)

    def __getitem__(self, arc: int) -> int:
        """Return the bits of the arcs worth looking at after an arc, as a signed number."""
        mask = self._known.get(arc)
        if mask is None:
            self._add_masks(self._tail[arc])
            mask = self._known[arc]
        return mask

    def _add_masks(self, node: int) -> None:
        """Add the masks of a node's arcs, as :func:`mask_arcs` computes them."""
        to, weight, blocked = self._to, self._weight, int(BLOCKED)
        one, two = {node: 0}, dict[int, int]()
        onward = {}
        for arc in range(self._first[node], self._first[node + 1]):
            head, cost = to[arc], weight[arc]
            after = range(self._first[head], self._first[head + 1])
            onward[arc] = [(to[each], cost + weight[each], weight[each]) for each in after]
            if cost == blocked:
                continue
            one[head] = min(one.get(head, cost), cost)
            for end, both, rest in onward[arc]:
                if rest != blocked:
                    two[end] = min(two.get(end, both), both)
        for arc, ends in onward.items():
            mask = 0
            for bit, (end, both, rest) in enumerate(ends):
                if rest != blocked and one.get(end, both + 1) > both and two.get(end, both) >= both:
                    mask |= 1 << bit
            if len(ends) > MASK_BITS or weight[arc] == blocked:
                mask = int(ALL)
            self._known[arc] = mask - (mask >> (MASK_BITS - 1) << MASK_BITS)


#: Buckets of the queue. What lies beyond them waits in the last one, which costs a little time.
# limit: farther nodes wait in the last bucket; lowered by batches
RING = 1024

#: ``bucket`` of a node that is not queued, and of a node that was never reached.
IDLE = -1
UNTOUCHED = -2


class NodeQueue(NamedTuple):
    """The state of a bucket queue, by node."""

    #: (n) int32, the node's bucket, IDLE or UNTOUCHED.
    bucket: Int32Array
    #: (n) int32, its neighbors in the bucket; -1 = none.
    follower: Int32Array
    leader: Int32Array
    #: (n) uint32, the arcs to relax when the node is popped.
    pending: UInt32Array
    #: (RING) int32, the first node of each bucket; -1 = none.
    first: Int32Array

    @staticmethod
    def of(node_count: int) -> NodeQueue:
        """Allocate a queue for one search at a time."""
        bucket, follower, leader = np.empty((3, node_count), dtype=np.int32)
        pending, first = np.empty(node_count, dtype=np.uint32), np.empty(RING, dtype=np.int32)
        return NodeQueue(bucket, follower, leader, pending, first)


def shift_for(weight: Int32Array) -> int:
    """Return log2 of the width in ticks of one bucket.

    Args:
        weight: (m) int32 ticks, without BLOCKED.
    """
    # About half a typical arc is best; more if the heaviest arcs would exceed the ring.
    typical = int(np.median(weight)) // 2 if len(weight) else 1
    return max(typical, int(weight.max(initial=0)) // (RING // 2), 1).bit_length() - 1


@accessor
def take(
    bucket: Int32Array, follower: Int32Array, leader: Int32Array, first: Int32Array, key: int
) -> int:
    """Remove and return the first node of a bucket; -1 if the bucket is empty."""
    node = int(first[key & (RING - 1)])
    if node >= 0:
        after = follower[node]
        first[key & (RING - 1)] = after
        if after >= 0:
            leader[after] = -1
        bucket[node] = IDLE
    return node


@accessor
def put(
    bucket: Int32Array,
    follower: Int32Array,
    leader: Int32Array,
    first: Int32Array,
    node: int,
    key: int,
) -> int:
    """Insert a node into a bucket, or move it there from a later one; return 1 if it is new.

    A node that is queued in an earlier bucket stays there, and the result is 0.
    """
    current = bucket[node]
    added = 1
    if current >= 0:
        if current <= key:
            return 0
        before = leader[node]
        after = follower[node]
        if before >= 0:
            follower[before] = after
        else:
            first[current & (RING - 1)] = after
        if after >= 0:
            leader[after] = before
        added = 0
    bucket[node] = key
    leader[node] = -1
    after = first[key & (RING - 1)]
    follower[node] = after
    if after >= 0:
        leader[after] = node
    first[key & (RING - 1)] = node
    return added


#: The kernels that Python calls.
KERNELS = (mask_arcs,)
