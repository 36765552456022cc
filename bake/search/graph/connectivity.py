"""Find out who can reach whom: strong components, their closure, and whether arcs lead back."""

from __future__ import annotations

import numpy as np

from bake.arrays import Int32Array, Int64Array, UInt8Array
from bake.graph import UNREACHABLE, Arcs, Graph
from bake.kernels.jit import allocating, kernel, ready


@allocating
def _tarjan(first_out: Int32Array, head: Int32Array, component: Int32Array) -> int:
    """Write every node's component into (n) int32, and return how many components there are."""
    n = len(first_out) - 1
    component[:] = -1
    low = np.full(n, -1, np.int32)  # visiting number, lowered to the earliest that is reachable
    next_arc = first_out[:-1].copy()
    path = np.empty(n, np.int32)
    pending = np.empty(n, np.int32)
    index = np.empty(n, np.int32)
    visited = 0
    held = 0
    count = 0
    for root in range(n):
        if low[root] >= 0:
            continue
        path[0] = root
        depth = 1
        low[root] = index[root] = visited
        visited += 1
        pending[held] = root
        held += 1
        while depth > 0:
            node = path[depth - 1]
            if next_arc[node] < first_out[node + 1]:
                other = head[next_arc[node]]
                next_arc[node] += 1
                if low[other] < 0:
                    low[other] = index[other] = visited
                    visited += 1
                    pending[held] = other
                    held += 1
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
                    held -= 1
                    member = pending[held]
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
        labels), and how many there are.
    """
    if not ready(_tarjan) and _leads_back(graph):
        return _flooded(graph)
    component = np.empty(graph.node_count, dtype=np.int32)
    return component, int(_tarjan(graph.first_out, graph.head, component))


def _leads_back(graph: Graph) -> bool:
    """Tell whether an arc leads back wherever one leads, whatever it weighs."""
    tail, n = graph.tail().astype(np.int64), graph.node_count
    return np.array_equal(np.unique(tail * n + graph.head), np.unique(graph.head * n + tail))


def _flooded(graph: Graph) -> tuple[Int32Array, int]:
    """Do what :func:`strong_components` does where arcs lead back, without a compiler."""
    first_out, head = graph.first_out.tolist(), graph.head.tolist()
    component, count = [-1] * graph.node_count, 0
    for root in range(graph.node_count):
        if component[root] >= 0:
            continue
        component[root] = count
        waiting = [root]
        while waiting:
            node = waiting.pop()
            for other in head[first_out[node] : first_out[node + 1]]:
                if component[other] < 0:
                    component[other] = count
                    waiting.append(other)
        count += 1
    return np.array(component, dtype=np.int32), count


@kernel
def _closure(first: Int64Array, successor: Int32Array, reach: UInt8Array) -> None:
    """Fill ``reach`` in order, so that a component's row is complete before those above it."""
    for label in range(len(first) - 1):
        reach[label, label >> 3] |= np.uint8(128 >> (label & 7))
        for i in range(first[label], first[label + 1]):
            other = successor[i]
            for byte in range(reach.shape[1]):
                reach[label, byte] |= reach[other, byte]


def reachable_components(graph: Graph, component: Int32Array, count: int) -> UInt8Array:
    """Find which components can be reached from which.

    Args:
        component: (n) int32 in reverse topological order, as `strong_components` gives them.
        count: how many components.

    Returns:
        (count, ceil(count / 8)) uint8; bit 7 - j % 8 of byte j // 8 in row i says that component j
        can be reached from component i (numpy.packbits order).
    """
    ends = np.stack([component[graph.tail()], component[graph.head]], axis=1)
    ends = np.unique(ends[ends[:, 0] != ends[:, 1]], axis=0)
    first = np.searchsorted(ends[:, 0], np.arange(count + 1)).astype(np.int64)
    reach = np.zeros((count, (count + 7) // 8), dtype=np.uint8)
    _closure(first, np.ascontiguousarray(ends[:, 1]), reach)
    return reach


@kernel
def is_two_way(arcs: Arcs) -> bool:
    """Tell whether between any two nodes the cheapest arcs there and back weigh the same."""
    first_out, head, weight = arcs.first_out, arcs.head, arcs.weight
    for node in range(len(first_out) - 1):
        for arc in range(first_out[node], first_out[node + 1]):
            other = head[arc]
            back = UNREACHABLE
            for beside in range(first_out[other], first_out[other + 1]):
                if head[beside] == node:
                    back = min(back, weight[beside])
            if back == weight[arc]:
                # If a cheaper arc lies beside this one, that arc will find no equal.
                continue
            there = UNREACHABLE
            for beside in range(first_out[node], first_out[node + 1]):
                if head[beside] == other:
                    there = min(there, weight[beside])
            if there != back:
                return False
    return True
