"""Landmarks of a graph of transitions: distances from a few nodes that lie far apart.

A. Goldberg, R. Werneck, "Computing point-to-point shortest paths from external memory", ALENEX
2005: each landmark is the node farthest from those before it.
"""

from __future__ import annotations

import numpy as np

from bake.arrays import Int32Array, Int64Array
from bake.graph import BLOCKED, Graph
from bake.kernels.heap import drop_first, push
from bake.kernels.jit import kernel

_FAR = int(BLOCKED)


@kernel
def _distances_from(
    first_out: Int32Array,
    head: Int32Array,
    weight: Int32Array,
    origin: int,
    dist: Int64Array,
    heap: Int64Array,
) -> None:
    dist[:] = _FAR
    dist[origin] = 0
    size = push(heap, 0, 0, origin)
    while size > 0:
        done, node = heap[0, 0], heap[0, 1]
        size = drop_first(heap, size)
        if done > dist[node]:
            continue
        for arc in range(first_out[node], first_out[node + 1]):
            new = done + weight[arc]
            if new < dist[head[arc]]:
                dist[head[arc]] = new
                size = push(heap, size, new, head[arc])


def farthest_landmarks(
    graph: Graph, weight: Int32Array, group: Int32Array, count: int
) -> Int32Array:
    """Distances from landmarks to every node.

    Args:
        graph, weight: of transitions; ticks.
        group: (t) int32, weakly connected part of each node; landmarks lie in the largest.
        count: how many landmarks at most.

    Returns:
        (t, k) int32 ticks, 2**31 - 1 where there is no way; k <= count.
    """
    nodes = graph.node_count
    if not nodes or not count:
        return np.zeros((nodes, 0), dtype=np.int32)
    heap = np.empty((graph.arc_count + 1, 2), dtype=np.int64)
    dist = np.empty(nodes, dtype=np.int64)

    def search(origin: int) -> None:
        _distances_from(graph.first_out, graph.head, weight, origin, dist, heap)

    first = int(np.flatnonzero(group == np.bincount(group).argmax())[0])
    search(first)
    nearest = np.where(dist < _FAR, dist, -1)
    columns: list[Int32Array] = []
    for _ in range(count):
        mark = int(nearest.argmax())
        if columns and nearest[mark] <= 0:
            break
        search(mark)
        columns.append(np.minimum(dist, _FAR).astype(np.int32))
        reached = np.where(dist < _FAR, dist, np.int64(-1))
        nearest = reached if len(columns) == 1 else np.minimum(nearest, reached)
    return np.ascontiguousarray(np.stack(columns, axis=1))
