"""Strongly connected components of a graph, and the closure of reachability between them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bake.core.arrays import Int32Array, UInt8Array
from bake.core.graph import Graph
from bake.core.kernels.jit import kernel, ready


class _Visits(NamedTuple):
    """The state of a depth-first search; (n) int32 each."""

    #: Visiting number, lowered to the earliest reachable one; -1 = not visited.
    low: Int32Array
    #: The next arc to follow.
    next_arc: Int32Array
    #: The stack of the search, and nodes without a component yet.
    path: Int32Array
    pending: Int32Array
    #: Visiting number.
    number: Int32Array


@kernel
def _tarjan(first_out: Int32Array, head: Int32Array, component: Int32Array, visits: _Visits) -> int:
    """Write every node's component to (n) int32, and return the number of components."""
    n = len(first_out) - 1
    low, next_arc, path, pending, index = visits
    component[:] = -1
    low[:] = -1
    for node in range(n):
        next_arc[node] = first_out[node]
    visited = 0
    pending_count = 0
    count = 0
    for root in range(n):
        if low[root] >= 0:
            continue
        path[0] = root
        depth = 1
        low[root] = index[root] = visited
        visited += 1
        pending[pending_count] = root
        pending_count += 1
        while depth > 0:
            node = path[depth - 1]
            if next_arc[node] < first_out[node + 1]:
                other = head[next_arc[node]]
                next_arc[node] += 1
                if low[other] < 0:
                    low[other] = index[other] = visited
                    visited += 1
                    pending[pending_count] = other
                    pending_count += 1
                    path[depth] = other
                    depth += 1
                elif component[other] < 0:
                    low[node] = min(low[node], index[other])
                continue
            depth -= 1
            if depth > 0:
                above = path[depth - 1]
                low[above] = min(low[above], low[node])
            if low[node] == index[node]:
                while True:
                    pending_count -= 1
                    member = pending[pending_count]
                    component[member] = count
                    if member == node:
                        break
                count += 1
    return count


def strong_components(graph: Graph) -> tuple[Int32Array, int]:
    """Label nodes so that two share a label exactly if each reaches the other.

    R. Tarjan, "Depth-first search and linear graph algorithms", SIAM J. Comput. 1(2), 1972, in the
    one-stack form without recursion.

    Returns:
        (n) int32 labels in reverse topological order (arcs between components lead to smaller
        labels), and the number of labels.

    >>> graph, _ = Graph.from_arcs(3, np.array([0, 1, 1]), np.array([1, 0, 2]))
    >>> label, count = strong_components(graph)
    >>> label.tolist(), count
    ([1, 1, 0], 2)
    """
    if not ready(_tarjan) and _is_symmetric(graph):
        return _label_by_flooding(graph)
    component, *buffers = np.empty((6, graph.node_count), dtype=np.int32)
    return component, int(_tarjan(graph.first_out, graph.head, component, _Visits(*buffers)))


def _is_symmetric(graph: Graph) -> bool:
    """Return whether every arc has a reverse arc, of any weight."""
    tail, n = graph.tail().astype(np.int64), graph.node_count
    return np.array_equal(np.unique(tail * n + graph.head), np.unique(graph.head * n + tail))


def _label_by_flooding(graph: Graph) -> tuple[Int32Array, int]:
    """Label the components of a symmetric graph by flooding, for use without a compiler."""
    first_out, head = graph.first_out.tolist(), graph.head.tolist()
    component, count = [-1] * graph.node_count, 0
    for root in range(graph.node_count):
        if component[root] >= 0:
            continue
        component[root] = count
        stack = [root]
        while stack:
            node = stack.pop()
            for other in head[first_out[node] : first_out[node + 1]]:
                if component[other] < 0:
                    component[other] = count
                    stack.append(other)
        count += 1
    return np.array(component, dtype=np.int32), count


def reachable_components(graph: Graph, component: Int32Array, count: int) -> UInt8Array:
    """Compute the closure of reachability between components.

    Args:
        component: (n) int32 in reverse topological order, from :func:`strong_components`.
        count: the number of components.

    Returns:
        (count, ceil(count / 8)) uint8; bit 7 - j % 8 of byte j // 8 in row i is set if component j
        can be reached from component i (numpy.packbits order).
    """
    ends = np.stack([component[graph.tail()], component[graph.head]], axis=1)
    ends = np.unique(ends[ends[:, 0] != ends[:, 1]], axis=0)
    reach = np.zeros((count, (count + 7) // 8), dtype=np.uint8)
    index = np.arange(count)
    reach[index, index >> 3] = 128 >> (index & 7)
    # In ascending order, so that a component's row is complete before those above it.
    for label, other in ends.tolist():
        reach[label] |= reach[other]
    return reach
