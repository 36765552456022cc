"""Read plans off the table on top of a hierarchy's layers, without a search.

A. Botea, M. Mueller, J. Schaeffer, "Near optimal hierarchical path-finding", J. Game Development
1(1), 2004, section 3.4, where all distances and next hops of the last layer are known. Each
transition
of the first layer knows the ways to the transitions of the last layer in the same cluster there:
its *ascents*. So a start has a distance to a dozen transitions of the last layer, and so has the
goal; the table joins them, and the way across is taken apart layer by layer. All layers keep the
distances of the first, so the way found is a shortest one on the first layer.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from bake.arrays import AnyArray, Int32Array, Int64Array, UInt8Array
from bake.graph import UNREACHABLE, Graph
from bake.kernels.heap import drop_first, push
from bake.kernels.jit import kernel, separate
from bake.search.graph.partition import members
from bake.search.hierarchy.bundles import (
    ABOVE,
    ASTRAY,
    BEFORE,
    BELOW,
    BITS,
    COST,
    FIRST_NODE,
    FLOW,
    FLOW_BYTES,
    HEAD,
    OWN,
    RANK_ABOVE,
    SEEN,
    TICKS,
    TRANSITION,
    ClusteredGraph,
    LayerStack,
    QueryMemory,
)
from bake.search.hierarchy.inside import slot_at
from bake.search.hierarchy.layer import Layer

#: A first layer of fewer nodes is searched: a search takes as long as the table, within a few
#: microseconds, and of equally short plans it finds one that smooths better.
LEAST_NODES = 512

#: The most ascents there may be, at 8 bytes each. With more, a query climbs layer by layer; where
#: some arc does not lead back, it searches the first layer.
MOST_ASCENTS = 2**22

_FAR = int(UNREACHABLE)


# -- laying layers out ----------------------------------------------------------------------------


def layer_stack(
    layers: Sequence[Layer],
    top: tuple[AnyArray, Int32Array] | None,
    flow: UInt8Array,
    landmark: Int32Array,
    graph: ClusteredGraph,
    back: ClusteredGraph,
    *,
    two_way: bool,
) -> LayerStack:
    """Number layers through, and find the ways up to the last one.

    Args:
        layers: lowest first.
        top: next hops (all ones = there is none) and ticks between the nodes of the last one.
        flow: flow fields of all layers.
        landmark, two_way: of the first layer.
        graph, back: the rows, and the same with every arc turned round.
    """
    first, last = layers[0], layers[-1]
    node_first = np.cumsum([0, *(len(layer.node) for layer in layers)])
    cluster_first = np.cumsum([0, *(layer.cluster_count for layer in layers)])
    first_out, arcs, clusters = [np.zeros(1, dtype=np.int32)], [], []
    node = np.full((node_first[-1], 4), -1, dtype=np.int32)
    begun = np.zeros(4, dtype=np.int64)
    lowest = np.arange(len(first.node), dtype=np.int32)
    for i, layer in enumerate(layers):
        first_out.append(layer.first_out[1:] + first_out[-1][-1])
        arcs.append(layer.arcs + np.array([node_first[i], 0], dtype=np.int32))
        clusters.append(layer.cluster_data[:-1] + begun)
        begun[[TRANSITION, FLOW]] += layer.cluster_data[-1, [TRANSITION, FLOW]]
        mine = node[node_first[i] : node_first[i + 1]]
        mine[:, BELOW] = layer.node + (node_first[i - 1] if i else 0)
        mine[:, OWN] = layer.cluster + cluster_first[i]
        lowest = lowest[layer.node] if i else lowest
        if i + 1 < len(layers):
            above = layers[i + 1]
            mine[:, ABOVE] = above.below_cluster + cluster_first[i + 1]
            mine[:, RANK_ABOVE] = members(above.below_cluster, above.cluster_count)[2]
    last_cluster = np.arange(first.cluster_count, dtype=np.int32)
    for below, above in pairwise(layers):
        parent = np.full(below.cluster_count + 1, -1, dtype=np.int32)
        parent[below.cluster] = above.below_cluster
        last_cluster = parent[last_cluster]
    hop = distance = np.zeros((0, 0), dtype=np.int32)
    first_ascent = np.zeros(len(first.node) + 1, dtype=np.int64)
    up = down = np.zeros((0, 2), dtype=np.int32)
    # A cluster that nothing leads out of has no cluster on the last layer, and no ascents.
    each = np.append(np.diff(last.first_transition), 0)[last_cluster[first.cluster]]
    np.cumsum(each, out=first_ascent[1:])
    large = len(first.node) >= LEAST_NODES and all(layer.bits for layer in layers[1:])
    few = first_ascent[-1] <= MOST_ASCENTS
    if top is not None and large and (few or two_way):
        none = np.iinfo(top[0].dtype).max
        hop = np.where(top[0] == none, -1, top[0].astype(np.int64)).astype(np.int32)
        distance = top[1]
        if few:
            up, down = _ascents(first, last, last_cluster, lowest, first_ascent, two_way=two_way)
    cluster = np.concatenate([*clusters, begun[None, :]])
    begins = np.concatenate(first_out).astype(np.int32)
    return LayerStack(
        graph,
        back,
        cluster,
        np.ascontiguousarray(cluster[1:, TRANSITION]),
        node,
        begins[:-1],
        begins[1:],
        np.ascontiguousarray(np.concatenate(arcs)),
        flow,
        np.array([[node_first[i], layer.bits] for i, layer in enumerate(layers)], dtype=np.int64),
        landmark,
        two_way,
        last_cluster,
        last.first_transition,
        first_ascent,
        up,
        down,
        hop,
        distance,
    )


def first_alone(
    first: Layer,
    landmark: Int32Array,
    graph: ClusteredGraph,
    back: ClusteredGraph,
    *,
    two_way: bool,
) -> LayerStack:
    """Lay out the first layer alone: it changes too often for ascents and tables to pay."""
    none = np.zeros((0, 2), dtype=np.int32)
    node = np.full((len(first.row), 4), -1, dtype=np.int32)
    node[:, BELOW] = first.row
    return LayerStack(
        graph,
        back,
        first.cluster_data,
        np.ascontiguousarray(first.cluster_data[1:, TRANSITION]),
        node,
        first.first_out[:-1],
        first.first_out[1:],
        first.arcs,
        first.flow,
        np.array([[0, first.bits]], dtype=np.int64),
        landmark,
        two_way,
        last_cluster=np.zeros(first.cluster_count, dtype=np.int32),
        first_top=np.zeros(1, dtype=np.int32),
        first_ascent=np.zeros(1, dtype=np.int64),
        up=none,
        down=none,
        top_hop=none,
        top_distance=none,
    )


def _ascents(
    first: Layer,
    last: Layer,
    last_cluster: Int32Array,
    lowest: Int32Array,
    first_ascent: Int64Array,
    *,
    two_way: bool,
) -> tuple[Int32Array, Int32Array]:
    """Find ways from nodes of the first layer to nodes of the last in their clusters, and back."""

    def filled(first_in: Int32Array, arcs_in: Int32Array) -> Int32Array:
        ascent = np.empty((first_ascent[-1], 2), dtype=np.int32)
        fill_ascents(
            first_in,
            arcs_in,
            last_cluster[first.cluster],
            lowest,
            last.first_transition,
            first_ascent,
            heap,
            ascent,
        )
        return ascent

    heap = np.empty((len(first.arcs) + 1, 2), dtype=np.int64)
    down = filled(first.first_out, first.arcs)
    if two_way:
        return down, down
    graph, behind = Graph(first.first_out, np.ascontiguousarray(first.arcs[:, HEAD])).reverse()
    ticks = first.arcs[behind, TICKS]
    return filled(graph.first_out, np.stack([graph.head, ticks], axis=1)), down


@kernel
def fill_ascents(
    first_in: Int32Array,
    arcs_in: Int32Array,
    last: Int32Array,
    lowest: Int32Array,
    first_top: Int32Array,
    first_ascent: Int64Array,
    heap: Int64Array,
    ascent: Int32Array,
) -> None:
    """Search from every transition of the last layer, inside its cluster.

    Args:
        first_in, arcs_in: the first layer with every arc turned round; (t + 1) int32, (a, 2) int32
            tail and ticks. To fill the ways back, the first layer as it is.
        last: (t) int32, cluster of the last layer, numbered from 0, of each node.
        lowest: (u) int32, the node of the first layer that each node of the last layer is.
        first_top: (c + 1) int32, nodes of the last layer by cluster.
        first_ascent: (t + 1) int64, where each node's ascents begin: one to each node of the last
            layer in its cluster, in order.
        heap: room for all arcs and one more.
        ascent: (e, 2) int32, filled: ticks, and the next node of the first layer on the way; _FAR
            and -1 where there is no way inside the cluster.
    """
    ascent[:, 0] = _FAR
    ascent[:, 1] = -1
    for cluster in range(len(first_top) - 1):
        for top in range(first_top[cluster], first_top[cluster + 1]):
            rank = top - first_top[cluster]
            ascent[first_ascent[lowest[top]] + rank, 0] = 0
            size = push(heap, 0, 0, lowest[top])
            while size > 0:
                done, node = heap[0, 0], heap[0, 1]
                size = drop_first(heap, size)
                if done > ascent[first_ascent[node] + rank, 0]:
                    continue
                for arc in range(first_in[node], first_in[node + 1]):
                    other = arcs_in[arc, HEAD]
                    if last[other] != cluster:
                        continue
                    new = done + arcs_in[arc, TICKS]
                    entry = first_ascent[other] + rank
                    if new < ascent[entry, 0]:
                        ascent[entry, 0] = new
                        ascent[entry, 1] = node
                        size = push(heap, size, new, other)


# -- queries --------------------------------------------------------------------------------------


@kernel
def ascend(
    ends: Int64Array,
    count: int,
    first_ascent: Int64Array,
    ascent: Int32Array,
    raised: Int64Array,
) -> int:
    """Find how far a start, or a goal, lies from the last layer's nodes in its cluster there.

    Args:
        ends: (e, 2) int64 nodes of the first layer and ticks, ``count`` of them.
        raised: (m, 2) int64, filled: ticks (_FAR or more = no way), and the node to ascend from.

    Returns:
        How many nodes of the last layer there are.
    """
    if count == 0:
        return 0
    nodes = first_ascent[ends[0, 0] + 1] - first_ascent[ends[0, 0]]
    raised[:nodes, 0] = _FAR
    for i in range(count):
        begin = first_ascent[ends[i, 0]]
        for top in range(nodes):
            ticks = ends[i, 1] + ascent[begin + top, 0]
            if ticks < raised[top, 0]:
                raised[top, 0] = ticks
                raised[top, 1] = ends[i, 0]
    return int(nodes)


@separate
def climb(
    ends: Int64Array, count: int, stack: LayerStack, memory: QueryMemory, raised: Int64Array
) -> int:
    """Find what :func:`ascend` finds without ascents, by a search of one cluster of each layer.

    Ways may be taken in either direction. A search of a layer begins at the transitions that the
    search of the layer below has reached.

    Args:
        memory: ``state`` is filled: of each node reached, ticks and the node before, within its
            layer.
    """
    if count == 0:
        return 0
    state, heap = memory.state, memory.heap
    memory.turn[0] += 1
    turn = memory.turn[0]
    size = 0
    for i in range(count):
        node = ends[i, 0]
        state[node, SEEN] = turn
        state[node, COST] = ends[i, 1]
        state[node, BEFORE] = -1
        size = push(heap, size, ends[i, 1], node)
    cluster = np.int64(stack.node[ends[0, 0], OWN])
    for _ in range(len(stack.layer) - 1):
        if size == 0:
            return 0
        cluster = np.int64(stack.node[heap[0, 1], ABOVE])
        while size > 0:
            done, node = heap[0, 0], heap[0, 1]
            size = drop_first(heap, size)
            if done > state[node, COST]:
                continue
            for arc in range(stack.first_out[node], stack.end_out[node]):
                other = stack.arc[arc, HEAD]
                new = done + stack.arc[arc, TICKS]
                if stack.node[other, ABOVE] != cluster:
                    continue
                if state[other, SEEN] == turn and state[other, COST] <= new:
                    continue
                if size == len(heap):
                    return 0
                state[other, SEEN] = turn
                state[other, COST] = new
                state[other, BEFORE] = node
                size = push(heap, size, new, other)
        if cluster < 0:
            return 0
        for node in range(
            stack.cluster[cluster, TRANSITION], stack.cluster[cluster + 1, TRANSITION]
        ):
            below = stack.node[node, BELOW]
            if state[below, SEEN] == turn:
                state[node, SEEN] = turn
                state[node, COST] = state[below, COST]
                state[node, BEFORE] = -1
                size = push(heap, size, state[node, COST], node)
    begun = stack.cluster[cluster, TRANSITION]
    nodes = stack.cluster[cluster + 1, TRANSITION] - begun
    for top in range(nodes):
        reached = state[begun + top, SEEN] == turn
        raised[top, 0] = state[begun + top, COST] if reached else _FAR
        raised[top, 1] = -1
    return int(nodes)


@kernel
def join(
    begun: int,
    starts: Int64Array,
    start_count: int,
    ended: int,
    goals: Int64Array,
    goal_count: int,
    distance: Int32Array,
    best: int,
) -> tuple[int, int, int]:
    """Find the cheapest way from one of some nodes of the last layer to one of others.

    Args:
        begun, ended: the first of the nodes that ``starts`` and ``goals`` are about, within the
            layer.
        starts, goals: from :func:`ascend`.
        distance: (u, u) int32 ticks between nodes of the last layer.
        best: cost of the best way known.

    Returns:
        Cost of the way, or ``best``; the nodes it joins, -1 and -1 where nothing is cheaper.
    """
    near, far = -1, -1
    for start in range(start_count):
        so_far = starts[start, 0]
        if so_far >= min(best, _FAR):
            continue
        for goal in range(goal_count):
            between = np.int64(distance[begun + start, ended + goal])
            ticks = so_far + between + goals[goal, 0]
            if between != _FAR and goals[goal, 0] < _FAR and ticks < best:
                best = ticks
                near, far = begun + start, ended + goal
    return int(best), int(near), int(far)


@separate
def descend(near: int, far: int, climbed: bool, stack: LayerStack, memory: QueryMemory) -> int:
    """Find the nodes of the first layer on the way from one node of the last layer to another.

    Args:
        near, far: within the last layer.
        climbed: put the ways by which :func:`climb` reached both around it.
        memory: ``plan[0]`` is filled.

    Returns:
        How many nodes there are, or ASTRAY.
    """
    top = len(stack.layer) - 1
    first_node = stack.layer[top, FIRST_NODE]
    # The nodes of one layer go to one buffer, those of the next lower layer to the other.
    here, below = memory.plan[top % 2], memory.plan[1 - top % 2]
    node = near + first_node
    here[0] = node
    count = 1
    while node != far + first_node:
        slot = int(stack.top_hop[node - first_node, far])
        arc = stack.first_out[node] + slot
        if slot < 0 or arc >= stack.end_out[node] or count >= len(here):
            return ASTRAY
        node = np.int64(stack.arc[arc, HEAD])
        here[count] = node
        count += 1
    for layer in range(top, 0, -1):
        bits = stack.layer[layer, BITS]
        none = (1 << bits) - 1
        node = np.int64(stack.node[here[0], BELOW])
        filled = 0
        if climbed:
            while node >= 0 and filled < len(below):
                below[filled] = node
                filled += 1
                node = memory.state[node, BEFORE]
            turn_round(below, 0, filled)
            if node >= 0 or filled == len(below):
                return ASTRAY
            node = np.int64(below[filled - 1])
        else:
            below[0] = node
            filled = 1
        for i in range(1, count):
            there = np.int64(stack.node[here[i], BELOW])
            cluster = stack.node[here[i], OWN]
            if cluster != stack.node[here[i - 1], OWN]:
                if filled >= len(below):
                    return ASTRAY
                node = there
                below[filled] = node
                filled += 1
            begin = stack.cluster[cluster, FLOW] + stack.cluster[cluster, FLOW_BYTES] * (
                here[i] - stack.cluster[cluster, TRANSITION]
            )
            while node != there:
                slot = slot_at(stack.flow, begin, bits, stack.node[node, RANK_ABOVE])
                arc = stack.first_out[node] + slot
                if slot == none or arc >= stack.end_out[node] or filled >= len(below):
                    return ASTRAY
                node = np.int64(stack.arc[arc, HEAD])
                if stack.node[node, ABOVE] != cluster:
                    return ASTRAY
                below[filled] = node
                filled += 1
        if climbed:
            node = memory.state[node, BEFORE]
            while node >= 0:
                if filled >= len(below):
                    return ASTRAY
                below[filled] = node
                filled += 1
                node = memory.state[node, BEFORE]
        here, below = below, here
        count = filled
    return count


@separate
def with_ends(
    begun: int,
    start: int,
    ended: int,
    goal: int,
    stack: LayerStack,
    count: int,
    memory: QueryMemory,
) -> int:
    """Put the ways up to the first node of a plan and down from its last one around it.

    Args:
        begun, ended: the nodes of the first layer to ascend from, and to descend to.
        start, goal: which of their ascents to take.
        count: how many nodes ``memory.plan[0]`` has; more are filled in.

    Returns:
        How many nodes there are, or ASTRAY.
    """
    plan, spare = memory.plan[0], memory.plan[1]
    spare[:count] = plan[:count]
    filled = 0
    node = np.int64(begun)
    while node != spare[0]:
        if node < 0 or filled >= len(plan):
            return ASTRAY
        plan[filled] = node
        filled += 1
        node = np.int64(stack.up[stack.first_ascent[node] + start, 1])
    if filled + count > len(plan):
        return ASTRAY
    plan[filled : filled + count] = spare[:count]
    filled += count
    back = filled
    node = np.int64(ended)
    while node != spare[count - 1]:
        if node < 0 or filled >= len(plan):
            return ASTRAY
        plan[filled] = node
        filled += 1
        node = np.int64(stack.down[stack.first_ascent[node] + goal, 1])
    turn_round(plan, back, filled)
    return filled


@kernel
def turn_round(path: Int32Array, begin: int, end: int) -> None:
    """Reverse a part of a path."""
    for i in range((end - begin) // 2):
        kept = path[begin + i]
        path[begin + i] = path[end - 1 - i]
        path[end - 1 - i] = kept
