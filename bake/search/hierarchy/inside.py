"""Find ways inside one cluster: all at once when layers are built, or one by one for queries.

A builder searches from every transition of a cluster, backwards and bounded by the cluster, with a
bucket queue as in :mod:`bake.search.all_pairs.batch`, on arcs renumbered so that those of a cluster
stay in the cache. The ways to a transition are kept as a *flow field*: for every node of the
cluster the slot of the first arc of a shortest path, the lowest one of several. Flow fields follow
from distances alone, and the paths of all inner edges lie in them.

A query follows flow fields where there are any, and searches its cluster where there are none.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bake.core.arrays import BoolArray, Int32Array, Int64Array, UInt8Array
from bake.core.errors import CostError
from bake.core.graph import INFINITY
from bake.core.kernels.heap import drop_first, push
from bake.core.kernels.jit import inlined, kernel, separate
from bake.search.graph.label_correcting import IDLE, RING, put, take
from bake.search.hierarchy.arcs import SLOTS, end_arc, first_arc, head_of, slots_of, ticks_of
from bake.search.hierarchy.bundles import (
    ASTRAY,
    CLUSTER,
    DISTANCE,
    FLOW,
    FLOW_BYTES,
    FROM,
    NO_WAY,
    RANK,
    TURN,
    ClusteredGraph,
    Members,
    QueryMemory,
    Transitions,
)

#: The slot of a node from which the transition of a flow field cannot be reached, by bits a slot.
NO_SLOT = {4: 15, 8: 255, 16: 65535}


def slot_bits(largest: int) -> int:
    """Choose the bits of a slot in a flow field where ``largest`` is the highest.

    Raises:
        CostError: a node has more arcs than flow fields can tell apart.
    """
    for bits, none in NO_SLOT.items():
        if largest < none:
            return bits
    raise CostError(
        f"a node has {largest + 1:,} arcs", expected=f"at most {NO_SLOT[16]:,} for a hierarchy"
    )


@inlined
def slot_at(flow: UInt8Array, begin: int, bits: int, rank: int) -> int:
    """Read what the flow field that begins at a byte says of a node of its cluster."""
    if bits == 4:
        slot = np.int64((flow[begin + (rank >> 1)] >> (4 * (rank & 1))) & 15)
    elif bits == 8:
        slot = np.int64(flow[begin + rank])
    else:
        slot = np.int64(flow[begin + 2 * rank]) | np.int64(flow[begin + 2 * rank + 1]) << 8
    return int(slot)


# -- building layers ------------------------------------------------------------------------------


@kernel
def _write_flow(flow: UInt8Array, begin: int, bits: int, slot: Int32Array, count: int) -> None:
    """Write the slots of the nodes of a cluster, the first in the lower bits of a byte."""
    if bits == 4:
        for rank in range(0, count - 1, 2):
            flow[begin + (rank >> 1)] = slot[rank] | (slot[rank + 1] << 4)
        if count & 1:
            flow[begin + (count >> 1)] = slot[count - 1] | 240
    elif bits == 8:
        for rank in range(count):
            flow[begin + rank] = slot[rank]
    else:
        for rank in range(count):
            flow[begin + 2 * rank] = slot[rank] & 255
            flow[begin + 2 * rank + 1] = slot[rank] >> 8


@kernel
def _beyond(
    first_in: Int32Array, tail: Int32Array, cost: Int32Array, dist: Int32Array, count: int
) -> int:
    """Return the longest distance of a node that has a way, but one too long to be noted; or 0."""
    longest = 0
    for here in range(count):
        if dist[here] < INFINITY:
            for arc in range(first_in[here], first_in[here + 1]):
                if dist[tail[arc]] >= INFINITY:
                    longest = max(longest, int(dist[here]) + int(cost[arc]))
    return longest


class ClusterRoom(NamedTuple):
    """What clusters are searched in, one after the other: its arcs by head, and a queue.

    Attributes:
        first_in: (n + 1) int32, the first arc into each node of the largest cluster.
        tail, cost, taken: (m) int32 of each arc: the rank it leaves, its ticks and its slot.
        listed: (m, 4) int32, the same in the order of tails, and the rank that each leads to.
        dist, step: (n) int32, the distance of each node, and the slot of its first arc.
        bucket, follower, leader: (n) int32, see :class:`NodeQueue`.
        first: (RING) int32, -1 throughout, and so again afterwards.
    """

    first_in: Int32Array
    tail: Int32Array
    cost: Int32Array
    taken: Int32Array
    listed: Int32Array
    dist: Int32Array
    step: Int32Array
    bucket: Int32Array
    follower: Int32Array
    leader: Int32Array
    first: Int32Array

    @staticmethod
    def of(graph: ClusteredGraph, members: Members, clusters: Int32Array) -> ClusterRoom:
        """Allocate memory for the search of some clusters."""
        first, end = members.first[clusters], members.first[clusters + 1]
        nodes = int((end - first).max(initial=0))
        arcs = nodes * SLOTS
        if not graph.lattice.width:
            spans = zip(first.tolist(), end.tolist(), strict=True)
            arcs = max((slots_of(graph, members.node[a:b]) for a, b in spans), default=0)
        tail, cost, taken = np.empty((3, arcs), dtype=np.int32)
        dist, step, bucket, follower, leader = np.empty((5, nodes), dtype=np.int32)
        return ClusterRoom(
            np.empty(nodes + 1, dtype=np.int32),
            tail,
            cost,
            taken,
            np.empty((arcs, 4), dtype=np.int32),
            dist,
            step,
            bucket,
            follower,
            leader,
            np.full(RING, -1, dtype=np.int32),
        )


@kernel
def search_from_transitions(
    graph: ClusteredGraph,
    members: Members,
    transitions: Transitions,
    fresh: Int32Array,
    first_distance: Int64Array,
    distance: Int32Array,
    bits: int,
    cluster_data: Int64Array,
    flow: UInt8Array,
    room: ClusterRoom,
) -> int:
    """Search some clusters from each of their transitions.

    Args:
        graph, members, transitions: the graph, its clusters, and the nodes chosen as transitions.
        fresh: (k) int32, the clusters to be searched.
        first_distance: (k + 1) int64, where the square of distances of each of them begins.
        distance: filled: [from, to] between the transitions of a cluster, INFINITY = there is no
            way inside it.
        bits: of a slot in a flow field: 4, 8 or 16; 0 = make none.
        cluster_data: (c + 1, 4) int64, says where flow fields begin: see :class:`LayerStack`.
        flow: filled with the flow fields of the clusters searched.
        room: for these clusters, from :meth:`ClusterRoom.of`.

    Returns:
        The longest distance found.
    """
    first_in, tail, cost, taken, listed, dist, step, bucket, follower, leader, first = room
    none = (1 << bits) - 1
    longest = 0
    for i in range(len(fresh)):
        cluster = fresh[i]
        start = members.first[cluster]
        n = members.first[cluster + 1] - start
        low = transitions.first[cluster]
        count = transitions.first[cluster + 1] - low
        if count == 0:
            continue
        for here in range(n + 1):
            first_in[here] = 0
        total = 0
        least = np.int32(INFINITY)
        for here in range(n):
            node = members.node[start + here]
            begin = first_arc(graph, node)
            for arc in range(begin, end_arc(graph, node)):
                other = head_of(graph, arc)
                if other >= 0 and graph.node[other, CLUSTER] == cluster:
                    there, ticks = graph.node[other, RANK], np.int32(ticks_of(graph, arc))
                    listed[total, 0], listed[total, 1] = here, there
                    listed[total, 2], listed[total, 3] = ticks, arc - begin
                    first_in[there + 1] += 1
                    least = min(least, ticks)
                    total += 1
        # A bucket is as wide as the largest power of two that is no longer than any arc.
        shift = 0
        while least >> (shift + 1):
            shift += 1
        for here in range(n):
            first_in[here + 1] += first_in[here]
        for arc in range(total - 1, -1, -1):
            there = listed[arc, 1]
            first_in[there + 1] -= 1
            entry = first_in[there + 1]
            tail[entry], cost[entry], taken[entry] = listed[arc, 0], listed[arc, 2], listed[arc, 3]
        # Filling from behind has moved every end to its beginning: first_in[i + 1] is i's first.
        for here in range(n):
            first_in[here] = first_in[here + 1]
        first_in[n] = total
        for goal in range(count):
            origin = graph.node[transitions.node[low + goal], RANK]
            for here in range(n):
                dist[here] = INFINITY
                step[here] = none
                bucket[here] = IDLE
            dist[origin] = 0
            queued = put(bucket, follower, leader, first, origin, 0)
            current = 0
            beyond = False
            while queued > 0:
                here = take(bucket, follower, leader, first, current)
                if here < 0:
                    current += 1
                    continue
                queued -= 1
                for arc in range(first_in[here], first_in[here + 1]):
                    other = tail[arc]
                    new = np.int32(dist[here] + cost[arc])
                    if new >= INFINITY:
                        beyond = True
                        continue
                    if new > dist[other]:
                        continue
                    if new == dist[other]:
                        step[other] = min(step[other], taken[arc]) if other != origin else none
                        continue
                    dist[other] = new
                    step[other] = taken[arc]
                    longest = max(longest, int(new))
                    key = min(max(int(new) >> shift, current), current + RING - 1)
                    queued += put(bucket, follower, leader, first, other, key)
            if beyond:
                longest = max(longest, _beyond(first_in, tail, cost, dist, n))
            base = first_distance[i]
            for source in range(count):
                rank = graph.node[transitions.node[low + source], RANK]
                distance[base + source * count + goal] = dist[rank]
            if bits > 0:
                begin_flow = cluster_data[cluster, FLOW] + goal * cluster_data[cluster, FLOW_BYTES]
                _write_flow(flow, begin_flow, bits, step, n)
    return longest


@kernel
def _keep_undominated(
    first_transition: Int32Array,
    fresh: Int32Array,
    first_distance: Int64Array,
    distance: Int32Array,
    keep: BoolArray,
) -> None:
    for i in range(len(fresh)):
        count = first_transition[fresh[i] + 1] - first_transition[fresh[i]]
        base = first_distance[i]
        for source in range(count):
            distance[base + source * count + source] = INFINITY - 1
        for source in range(count):
            own = base + source * count
            for goal in range(count):
                keep[own + goal] = distance[own + goal] < INFINITY - 1
            for via in range(count):
                begun = distance[own + via]
                if via == source or begun >= INFINITY - 1:
                    continue
                other = base + via * count
                for goal in range(count):
                    keep[own + goal] &= begun + distance[other + goal] != distance[own + goal]
        for source in range(count):
            distance[base + source * count + source] = 0


def undominated(
    longest: int,
    first_transition: Int32Array,
    fresh: Int32Array,
    first_distance: Int64Array,
    distance: Int32Array,
) -> BoolArray:
    """Find the inner edges that no two others make up for, so that those keep all distances.

    Dropping an edge whose length two shorter ones add up to is safe even if those are dropped in
    their turn: weights are positive, so what replaces an edge is always made of shorter ones.

    Args:
        longest: what :func:`search_from_transitions` returned.
        first_transition: (c + 1) int32, transitions by cluster.
        fresh, first_distance, distance: as for :func:`search_from_transitions`.

    Returns:
        One bool for each distance.

    Raises:
        CostError: a distance inside a cluster is too long for the scale.
    """
    if longest >= INFINITY - 1:
        raise CostError(
            f"distances inside a cluster reach {longest} ticks",
            expected=f"fewer than {INFINITY - 1} ticks",
            remedy="lower ticks_per_unit, or make clusters smaller",
        )
    keep = np.empty(len(distance), dtype=np.bool_)
    _keep_undominated(first_transition, fresh, first_distance, distance, keep)
    return keep


# -- queries --------------------------------------------------------------------------------------


@kernel
def flow_distance(
    graph: ClusteredGraph, flow: UInt8Array, begin: int, bits: int, row: int, goal: int
) -> int:
    """Return the ticks along a flow field from a row to its transition, NO_WAY or ASTRAY."""
    none = (1 << bits) - 1
    total = np.int64(0)
    cluster = graph.node[row, CLUSTER]
    steps = 0
    while row != goal:
        slot = slot_at(flow, begin, bits, graph.node[row, RANK])
        if slot == none:
            return NO_WAY
        arc = first_arc(graph, row) + slot
        if arc >= end_arc(graph, row) or steps > len(graph.node):
            return ASTRAY
        row = head_of(graph, arc)
        if row < 0 or graph.node[row, CLUSTER] != cluster:
            return ASTRAY
        total += ticks_of(graph, arc)
        steps += 1
    return int(total)


@kernel
def flow_path(
    graph: ClusteredGraph,
    flow: UInt8Array,
    begin: int,
    bits: int,
    row: int,
    goal: int,
    path: Int32Array,
    filled: int,
) -> int:
    """Append the rows after ``row`` up to ``goal``; return how many there are then, or ASTRAY.

    ``path`` needs room for as many rows as the cluster has.
    """
    none = (1 << bits) - 1
    while row != goal:
        slot = slot_at(flow, begin, bits, graph.node[row, RANK])
        arc = first_arc(graph, row) + slot
        if slot == none or arc >= end_arc(graph, row) or filled >= len(path):
            return ASTRAY
        row = head_of(graph, arc)
        if row < 0:
            return ASTRAY
        path[filled] = row
        filled += 1
    return filled


@separate
def search_inside(graph: ClusteredGraph, origin: int, goal: int, memory: QueryMemory) -> int:
    """Search from a row over the arcs inside its cluster by Dijkstra's algorithm.

    Args:
        goal: stop when its distance is known; -1 = search the whole cluster.
        memory: ``local`` is filled as of a new turn; ``heap`` needs room for the arcs of a cluster.

    Returns:
        The distance of the goal, or NO_WAY.
    """
    local, heap = memory.local, memory.heap
    memory.turn[0] += 1
    turn = memory.turn[0]
    cluster = graph.node[origin, CLUSTER]
    rank = graph.node[origin, RANK]
    local[rank, TURN] = turn
    local[rank, DISTANCE] = 0
    local[rank, FROM] = -1
    size = push(heap, 0, 0, origin)
    while size > 0:
        done, row = heap[0, 0], heap[0, 1]
        size = drop_first(heap, size)
        if row == goal:
            return int(done)
        if done > local[graph.node[row, RANK], DISTANCE]:
            continue
        for arc in range(first_arc(graph, row), end_arc(graph, row)):
            other = head_of(graph, arc)
            if other < 0 or graph.node[other, CLUSTER] != cluster:
                continue
            new = done + ticks_of(graph, arc)
            rank = graph.node[other, RANK]
            if local[rank, TURN] == turn and local[rank, DISTANCE] <= new:
                continue
            local[rank, TURN] = turn
            local[rank, DISTANCE] = new
            local[rank, FROM] = row
            size = push(heap, size, new, other)
    return NO_WAY
