"""Find flow fields: every node's distance to a goal.

E. W. Dijkstra's method with the bucket queue of R. B. Dial (Algorithm 360, Comm. ACM 12(11), 1969),
label-correcting where a bucket holds more than one distance.
"""

from __future__ import annotations

import heapq

import numpy as np

from bake.core.arrays import Float64Array, Int32Array, Int64Array
from bake.core.graph import BLOCKED, INFINITY
from bake.core.kernels.jit import kernel, ready
from bake.search.graph.label_correcting import (
    ALL,
    IDLE,
    MASK_BITS,
    RING,
    NodeQueue,
    SearchArcs,
    put,
    take,
)
from bake.search.live.graph import Adjacency


@kernel
def _flow(
    arcs: SearchArcs,
    goals: Int32Array,
    shift: int,
    dist: Int32Array,
    queue: NodeQueue,
) -> None:
    """Fill ``dist``, (r) int32, as :func:`nearest_field` returns it."""
    begin, end, to, weight, masks = arcs
    bucket, follower, leader, pending, first = queue
    dist[:] = INFINITY
    bucket[:] = IDLE
    first[:] = -1
    queued = 0
    for i in range(len(goals)):
        goal = goals[i]
        dist[goal] = 0
        pending[goal] = ALL
        queued += put(bucket, follower, leader, first, goal, 0)
    current = 0
    while queued > 0:
        node = take(bucket, follower, leader, first, current)
        if node < 0:
            current += 1
            continue
        queued -= 1
        start = begin[node]
        mask = pending[node]
        crowded = end[node] - start > MASK_BITS
        so_far = dist[node]
        for arc in range(start, end[node]):
            if not crowded and not (mask >> np.uint32(arc - start)) & np.uint32(1):
                continue
            cost = weight[arc]
            if cost == BLOCKED:
                continue
            other = to[arc]
            new = np.int32(so_far + cost)
            if new >= dist[other]:
                continue
            dist[other] = new
            # Any other way to it was longer, so only this arc's successors matter now.
            pending[other] = masks[arc]
            key = min(max(int(new) >> shift, current), current + RING - 1)
            queued += put(bucket, follower, leader, first, other, key)


def flow_field(into: Adjacency, goal: int, shift: int) -> Int32Array:
    """Find every node's distance to a goal.

    Args:
        into: arcs into each node.
        goal: a node.
        shift: log2 of the width of one bucket in ticks.

    Returns:
        (r) int32 ticks, INFINITY where there is no path.
    """
    return nearest_field(into, np.array([goal], dtype=np.int32), shift)


def nearest_field(into: Adjacency, goals: Int32Array, shift: int) -> Int32Array:
    """Find the flow field toward the nearest of several goals, each given once.

    Given the arcs out of each node instead, distances are those from the nearest goal.
    """
    dist = np.empty(into.row_count, dtype=np.int32)
    if ready(_flow):
        _flow(into.arcs, goals, shift, dist, NodeQueue.of(into.row_count))
    else:
        _flow_by_heap(into, goals, dist)
    return dist


def as_ticks(dist: Int32Array | Int64Array) -> Float64Array:
    """Return distances as float64 ticks; inf where there is no path."""
    return np.where(dist >= INFINITY, np.inf, dist.astype(np.float64))


def _flow_by_heap(into: Adjacency, goals: Int32Array, dist: Int32Array) -> None:
    """Do the same in plain Python, where lists and a heap are faster than arrays."""
    begin, end = into.begin.tolist(), into.end.tolist()
    to, weight = into.to.tolist(), into.weight.tolist()
    blocked = int(BLOCKED)
    best = [INFINITY] * len(begin)
    heap = [(0, goal) for goal in goals.tolist()]
    for _, goal in heap:
        best[goal] = 0
    while heap:
        so_far, node = heapq.heappop(heap)
        if so_far > best[node]:
            continue
        for arc in range(begin[node], end[node]):
            cost = weight[arc]
            if cost == blocked:
                continue
            new, other = so_far + cost, to[arc]
            if new < best[other]:
                best[other] = new
                heapq.heappush(heap, (new, other))
    dist[:] = best


#: The kernels that Python calls.
KERNELS = (_flow,)
