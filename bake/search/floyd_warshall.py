"""All-pairs distances by dynamic programming over intermediate nodes.

R. W. Floyd, "Algorithm 97: shortest path", Comm. ACM 5(6), 1962. Next hops are not tracked on the
way: they follow from the distances afterwards (`first_moves`), which keeps the inner loop to one
minimum and makes ties the same as with any other method.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bake.graph import Graph, Int32Array
from bake.search.batch import INFINITY, check_scale
from bake.search.jit import kernel


@kernel
def _initialise(
    first_out: Int32Array, head: Int32Array, weight: Int32Array, dist: Int32Array
) -> None:
    dist[:, :] = INFINITY
    for node in range(len(first_out) - 1):
        for arc in range(first_out[node], first_out[node + 1]):
            dist[node, head[arc]] = min(dist[node, head[arc]], weight[arc])
        dist[node, node] = 0


@kernel
def _close(dist: Int32Array, start: int, stop: int) -> None:
    n = dist.shape[0]
    for via in range(start, stop):
        for source in range(n):
            to_via = dist[source, via]
            if to_via >= INFINITY or source == via:
                continue
            for target in range(n):
                new = np.int32(to_via + dist[via, target])
                old = dist[source, target]
                dist[source, target] = new if new < old else old


#: Intermediate nodes between two reports of progress.
STRIDE = 64


def floyd_warshall(graph: Graph, weight: Int32Array, dist: Int32Array) -> Iterator[int]:
    """Fill ``dist`` with all-pairs distances, a stride of intermediate nodes at a time.

    Args:
        graph: n nodes, m arcs.
        weight: (m) int32 ticks in [1, MAX_WEIGHT].
        dist: (n, n) int32, overwritten; INFINITY where there is no path.

    Yields:
        How many of the n intermediate nodes are done.

    Raises:
        CostError: a distance comes too near the end of the scale to be told from no path.
    """
    _initialise(graph.first_out, graph.head, weight, dist)
    n = graph.node_count
    for start in range(0, n, STRIDE):
        _close(dist, start, min(start + STRIDE, n))
        yield min(start + STRIDE, n)
    if graph.arc_count:
        check_scale(dist, int(weight.max()))
