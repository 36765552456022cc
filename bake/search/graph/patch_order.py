"""Order nodes so that neighbours lie together: patches of nearby nodes, patch after patch.

Batches of targets are slices of this order, so their search frontiers nearly coincide, and rows of
a next-hop table change value rarely along it.
"""

from __future__ import annotations

import numpy as np

from bake.arrays import Int32Array
from bake.graph import Graph
from bake.kernels.jit import kernel

#: Nodes in a patch; also the number of targets searched for at once.
PATCH = 128


@kernel
def _depth_first_rank(first_out: Int32Array, head: Int32Array, rank: Int32Array) -> None:
    n = len(first_out) - 1
    next_arc = first_out[:-1].copy()
    stack = np.empty(n, np.int32)
    count = 0
    rank[:] = -1
    for root in range(n):
        if rank[root] >= 0:
            continue
        rank[root] = count
        count += 1
        stack[0] = root
        depth = 1
        while depth > 0:
            node = stack[depth - 1]
            if next_arc[node] == first_out[node + 1]:
                depth -= 1
                continue
            other = head[next_arc[node]]
            next_arc[node] += 1
            if rank[other] < 0:
                rank[other] = count
                count += 1
                stack[depth] = other
                depth += 1


@kernel
def _grow_patches(
    first_out: Int32Array, head: Int32Array, rank: Int32Array, patch_size: int, order: Int32Array
) -> None:
    n = len(first_out) - 1
    taken = np.zeros(n, np.bool_)
    # Every arc can offer its head as the seed of a later patch once.
    seeds = np.empty(len(head) + 1, np.int32)
    filled = 0
    for root in range(n):
        if taken[root]:
            continue
        seeds[0] = root
        waiting = 1
        while waiting > 0:
            waiting -= 1
            seed = seeds[waiting]
            if taken[seed]:
                continue
            start = filled
            order[filled] = seed
            taken[seed] = True
            filled += 1
            scan = start
            while scan < filled:
                node = order[scan]
                scan += 1
                for arc in range(first_out[node], first_out[node + 1]):
                    other = head[arc]
                    if not taken[other] and filled - start < patch_size:
                        taken[other] = True
                        order[filled] = other
                        filled += 1
            for i in range(start, filled):
                node = order[i]
                for arc in range(first_out[node], first_out[node + 1]):
                    if not taken[head[arc]]:
                        seeds[waiting] = head[arc]
                        waiting += 1
            for i in range(start + 1, filled):
                node = order[i]
                gap = i
                while gap > start and rank[order[gap - 1]] > rank[node]:
                    order[gap] = order[gap - 1]
                    gap -= 1
                order[gap] = node


def patch_order(graph: Graph) -> Int32Array:
    """Order the nodes patch by patch; arcs count in both directions.

    Returns:
        (n) int32, the nodes in that order.
    """
    tail = graph.tail()
    both, _ = Graph.from_arcs(
        graph.node_count,
        np.concatenate([tail, graph.head]),
        np.concatenate([graph.head, tail]),
    )
    rank = np.empty(graph.node_count, dtype=np.int32)
    order = np.empty(graph.node_count, dtype=np.int32)
    _depth_first_rank(both.first_out, both.head, rank)
    _grow_patches(both.first_out, both.head, rank, PATCH, order)
    return order
