"""Number the layers of a hierarchy through, climb from one to the next, and take plans apart again.

A. Botea, M. Mueller, J. Schaeffer, "Near optimal hierarchical path-finding", J. Game Development
1(1), 2004, section 3.4: a layer is connected to the one above, and a plan over it refined, as rows
are to the first and by it. All layers keep the distances of the first, so a plan over any of them
is a shortest one over the first.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from bake.core.arrays import AnyArray, Int32Array, Int64Array
from bake.core.graph import Graph
from bake.core.kernels.heap import drop_first, push
from bake.core.kernels.jit import kernel, separate
from bake.search.graph.partition import members
from bake.search.hierarchy.bundles import (
    ASTRAY,
    BEFORE,
    CLUSTER,
    COST,
    END,
    FIRST,
    FLOW,
    FROM,
    HEAD,
    NO_GRAPH,
    RANK,
    SEEN,
    TICKS,
    TRANSITION,
    ClusteredGraph,
    LayerStack,
    QueryMemory,
)
from bake.search.hierarchy.inside import search_inside
from bake.search.hierarchy.layer import Layer

# -- laying layers out ----------------------------------------------------------------------------


def layer_stack(
    layers: Sequence[Layer],
    landmark: Int32Array,
    graph: ClusteredGraph,
    back: ClusteredGraph,
    *,
    two_way: bool,
) -> LayerStack:
    """Number layers through.

    Args:
        layers: lowest first; none but the first has flow fields.
        landmark, two_way: of the first layer.
        graph, back: the rows, and the same with every arc turned round.
    """
    node_first = np.cumsum([0, *(len(layer.node) for layer in layers)])
    cluster_first = np.cumsum([0, *(layer.cluster_count for layer in layers)])
    first_out, arcs, clusters, marks = [np.zeros(1, dtype=np.int32)], [], [], []
    below = np.empty(node_first[-1], dtype=np.int32)
    begun = np.zeros(4, dtype=np.int64)
    lowest = np.arange(node_first[1], dtype=np.int32)
    for i, layer in enumerate(layers):
        first_out.append(layer.first_out[1:] + first_out[-1][-1])
        arcs.append(layer.arcs + np.array([node_first[i], 0], dtype=np.int32) if i else layer.arcs)
        clusters.append(layer.cluster_data[:-1] + begun)
        begun[[TRANSITION, FLOW]] += layer.cluster_data[-1, [TRANSITION, FLOW]]
        below[node_first[i] : node_first[i + 1]] = layer.node + (node_first[i - 1] if i else 0)
        lowest = lowest[layer.node] if i else lowest
        marks.append(landmark[lowest] if i else landmark)
    cluster = np.concatenate([*clusters, begun[None, :]])
    begins = np.concatenate(first_out).astype(np.int32)
    arc = np.ascontiguousarray(_joined(arcs))
    parent = np.full(cluster_first[-1], -1, dtype=np.int32)
    joined = joined_back = NO_GRAPH
    if len(layers) > 1:
        above = np.zeros((node_first[-1], 4), dtype=np.int32)
        above[:, CLUSTER] = -1
        for i, (lower, layer) in enumerate(pairwise(layers)):
            mine = above[node_first[i] : node_first[i + 1]]
            mine[:, CLUSTER] = layer.below_cluster + cluster_first[i + 1]
            mine[:, RANK] = members(layer.below_cluster, layer.cluster_count)[2]
            parent[cluster_first[i] + lower.cluster] = mine[:, CLUSTER]
        joined = _with_arcs(above, begins, arc)
        joined_back = joined if two_way else _turned(above, begins, arc)
    return LayerStack(
        graph,
        back,
        cluster,
        np.ascontiguousarray(cluster[1:, TRANSITION]),
        below,
        begins[:-1],
        begins[1:],
        arc,
        layers[0].flow,
        layers[0].bits,
        np.ascontiguousarray(_joined(marks)),
        two_way,
        len(layers),
        parent,
        joined,
        joined_back,
    )


def _joined(parts: Sequence[AnyArray]) -> AnyArray:
    """Put parts one after another; one alone is not copied."""
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _with_arcs(node: Int32Array, first_out: Int32Array, arc: Int32Array) -> ClusteredGraph:
    """Return nodes whose clusters and ranks are known, with their arcs."""
    node = node.copy()
    node[:, FIRST], node[:, END] = first_out[:-1], first_out[1:]
    return ClusteredGraph(node, arc)


def _turned(node: Int32Array, first_out: Int32Array, arc: Int32Array) -> ClusteredGraph:
    """Return the same with every arc turned round."""
    graph, behind = Graph(first_out, np.ascontiguousarray(arc[:, HEAD])).reverse()
    return _with_arcs(node, graph.first_out, np.stack([graph.head, arc[behind, TICKS]], axis=1))


# -- queries --------------------------------------------------------------------------------------


@separate
def climb(
    ends: Int64Array,
    count: int,
    layer: int,
    graph: ClusteredGraph,
    stack: LayerStack,
    memory: QueryMemory,
) -> int:
    """Find how far a start, or a goal, lies from the transitions of its cluster on a higher layer.

    The search of a layer stays inside one cluster of the next, and begins at the transitions that
    the search of the layer below has reached.

    Args:
        ends: transitions of the first layer and ticks, ``count`` of them (or ASTRAY, which is
            returned); replaced by those of ``layer``.
        graph: ``stack.joined``; for a goal ``stack.joined_back``.
        memory: ``state`` is filled: of each node reached, ticks and the node before, within its
            layer.

    Returns:
        How many ``ends`` there are then, or ASTRAY.
    """
    if count <= 0:
        return count
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
    for _ in range(layer):
        cluster = np.int64(graph.node[heap[0, 1], CLUSTER])
        if cluster < 0:
            return ASTRAY
        while size > 0:
            done, node = heap[0, 0], heap[0, 1]
            size = drop_first(heap, size)
            if done > state[node, COST]:
                continue
            for arc in range(graph.node[node, FIRST], graph.node[node, END]):
                other = graph.arc[arc, HEAD]
                new = done + graph.arc[arc, TICKS]
                if graph.node[other, CLUSTER] != cluster:
                    continue
                if state[other, SEEN] == turn and state[other, COST] <= new:
                    continue
                if size == len(heap):
                    return ASTRAY
                state[other, SEEN] = turn
                state[other, COST] = new
                state[other, BEFORE] = node
                size = push(heap, size, new, other)
        for node in range(stack.cluster[cluster, TRANSITION], stack.end_transition[cluster]):
            below = stack.below[node]
            if state[below, SEEN] == turn:
                state[node, SEEN] = turn
                state[node, COST] = state[below, COST]
                state[node, BEFORE] = -1
                size = push(heap, size, state[node, COST], node)
        if size == 0:
            return 0
    for i in range(size):
        ends[i, 0] = heap[i, 1]
        ends[i, 1] = heap[i, 0]
    return int(size)


@separate
def descend(count: int, layer: int, stack: LayerStack, memory: QueryMemory) -> int:
    """Find the transitions of the first layer on a way over those of a higher one.

    Args:
        count: how many transitions ``memory.plan[0]`` has; replaced by those of the first layer.
        memory: ``state`` is as :func:`climb` left it from either end.

    Returns:
        How many there are then, or ASTRAY.
    """
    plan, spare = memory.plan[0], memory.plan[1]
    for _ in range(layer):
        filled = chain(int(stack.below[plan[0]]), spare, 0, memory)
        if filled == ASTRAY:
            return ASTRAY
        turn_round(spare, 0, filled)
        for i in range(1, count):
            node, there = stack.below[plan[i - 1]], stack.below[plan[i]]
            if stack.joined.node[node, CLUSTER] == stack.joined.node[there, CLUSTER]:
                filled = found_inside(stack.joined, node, there, memory, spare, filled)
                if filled == ASTRAY:
                    return ASTRAY
            elif filled == len(spare):
                return ASTRAY
            else:
                spare[filled] = there
                filled += 1
        # The last transition is the first one of the way down from it.
        last = int(stack.below[plan[count - 1]])
        count = chain(last, spare, filled - 1, memory)
        if count == ASTRAY:
            return ASTRAY
        for i in range(count):
            plan[i] = spare[i]
    return count


@kernel
def chain(node: int, path: Int32Array, filled: int, memory: QueryMemory) -> int:
    """Append a node and those by which :func:`climb` reached it; return the count, or ASTRAY."""
    while node >= 0:
        if filled == len(path):
            return ASTRAY
        path[filled] = node
        filled += 1
        node = memory.state[node, BEFORE]
    return filled


@kernel
def found_inside(
    graph: ClusteredGraph,
    node: int,
    goal: int,
    memory: QueryMemory,
    path: Int32Array,
    filled: int,
) -> int:
    """Append the nodes of a shortest way inside a cluster; return how many there are, or ASTRAY.

    Args:
        graph: the rows, or ``LayerStack.joined``.
        node: where the way begins, which is not appended.
    """
    if search_inside(graph, node, goal, memory) < 0:
        return ASTRAY
    begun = filled
    while goal != node:
        if filled == len(path):
            return ASTRAY
        path[filled] = goal
        filled += 1
        goal = memory.local[graph.node[goal, RANK], FROM]
    turn_round(path, begun, filled)
    return filled


@kernel
def turn_round(path: Int32Array, begin: int, end: int) -> None:
    """Reverse a part of a path."""
    for i in range((end - begin) // 2):
        kept = path[begin + i]
        path[begin + i] = path[end - 1 - i]
        path[end - 1 - i] = kept
