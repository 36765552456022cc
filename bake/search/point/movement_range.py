"""All nodes within a budget of a node, by a search that reads nothing beyond them.

E. W. Dijkstra, "A Note on Two Problems in Connexion with Graphs", Numerische Mathematik 1, 1959,
stopped at the first distance over the budget.
"""

from __future__ import annotations

import numpy as np

from bake.core.arrays import Int32Array
from bake.core.graph import INFINITY, UNREACHABLE, Arcs
from bake.core.kernels.heap import Heap, drop_first, push
from bake.core.kernels.jit import kernel


@kernel
def _search_range(
    arcs: Arcs, start: int, budget: int, dist: Int32Array, reached: Int32Array, heap: Heap
) -> int:
    """Write the nodes within the budget to ``reached``, and return their number.

    Args:
        arcs: the graph.
        start, budget: a node, and ticks below INFINITY.
        dist: (n) int32, filled with INFINITY; written: the ticks from the start, where they are
            within the budget.
        reached: (n) int32, written in the order of their distances.
        heap: capacity for one entry per arc, and one more.
    """
    first_out, head, weight = arcs
    dist[start] = 0
    size = push(heap, 0, 0, start)
    count = 0
    while size > 0:
        popped_ticks, node = heap[0, 0], heap[0, 1]
        size = drop_first(heap, size)
        if popped_ticks > dist[node]:
            continue
        reached[count] = node
        count += 1
        for arc in range(first_out[node], first_out[node + 1]):
            if weight[arc] == UNREACHABLE:
                continue
            new = popped_ticks + weight[arc]
            other = head[arc]
            if new <= budget and new < dist[other]:
                dist[other] = new
                size = push(heap, size, new, other)
    return count


def within(arcs: Arcs, start: int, budget: int) -> tuple[Int32Array, Int32Array]:
    """Return the nodes within a budget of a start, and their distances.

    Args:
        arcs: a graph of n nodes.
        start: a node.
        budget: ticks, 0 or more.

    Returns:
        (k) int32 nodes, including the start, and (k) int32 ticks; the nearest first, ties by node.

    >>> first_out, head = np.array([0, 1, 2, 2], np.int32), np.array([1, 2], np.int32)
    >>> nodes, ticks = within(Arcs(first_out, head, np.array([5, 7], np.int32)), 0, 10)
    >>> nodes.tolist(), ticks.tolist()
    ([0, 1], [0, 5])
    """
    nodes = len(arcs.first_out) - 1
    dist = np.full(nodes, INFINITY, dtype=np.int32)
    reached = np.empty(nodes, dtype=np.int32)
    heap = np.empty((len(arcs.head) + 1, 2), dtype=np.int64)
    count = _search_range(arcs, start, min(budget, INFINITY - 1), dist, reached, heap)
    reached = reached[:count]
    reached = reached[np.lexsort((reached, dist[reached]))]
    return reached, dist[reached]
