"""The elimination tree of an order: the shortcuts that contraction adds, whatever the weights.

Contracting a node joins all its neighbors of higher rank. The result depends on the order alone
(J. Dibbelt, B. Strasser, D. Wagner, "Customizable Contraction Hierarchies", JEA 21, 2016,
section 5). It is the pattern of a Cholesky factor, which is computed without adding a single arc
(T. Davis, "Direct Methods for Sparse Linear Systems", SIAM 2006, chapter 4).

Nodes are numbered by rank here: rank 0 is contracted first.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bake.core.arrays import Int32Array, Int64Array, UInt8Array, offsets
from bake.core.graph import Graph
from bake.core.kernels.jit import kernel


class Tree(NamedTuple):
    """A graph completed by contraction, by rank."""

    #: (n) int32, the node of each rank.
    order: Int32Array
    #: (n) int32, the rank of each node.
    rank: Int32Array
    #: (n) int32, the lowest neighbor of higher rank; -1 at a root. Every neighbor of higher rank is
    #: an ancestor.
    parent: Int32Array
    #: (n) int32, the number of ancestors.
    depth: Int32Array
    #: (n + 1) int64, the offset of each node's arcs to neighbors of higher rank.
    first_up: Int64Array
    #: (a) int32, the higher end of each of these arcs, ascending for each node.
    up: Int32Array

    @property
    def arc_count(self) -> int:
        """The number of arcs to higher ranks."""
        return len(self.up)


def both_ways(graph: Graph) -> Graph:
    """Return a graph with an arc in both directions between any two nodes that an arc joins."""
    tail = graph.tail().astype(np.int64)
    pairs = np.concatenate([tail << 32 | graph.head, graph.head.astype(np.int64) << 32 | tail])
    pairs = np.unique(pairs)
    first_out = offsets(np.bincount(pairs >> 32, minlength=graph.node_count))
    return Graph(first_out, (pairs & 0xFFFFFFFF).astype(np.int32))


def joined_pairs(
    out: tuple[Int32Array, Int32Array, Int32Array], into: tuple[Int32Array, Int32Array, Int32Array]
) -> Graph:
    """Return the graph of :func:`both_ways`, from the arcs out of and into each node.

    Args:
        out: (n), (n), (p) int32: begin and end of each node's arcs, and their other ends.
        into: the same for the arcs into each node.
    """
    n = len(out[0])
    first_out, mark = np.zeros(n + 1, dtype=np.int32), np.empty(n, dtype=np.int32)
    _join(*out, *into, first_out, mark, np.empty(0, dtype=np.int32))
    head = np.empty(int(first_out[-1]), dtype=np.int32)
    _join(*out, *into, first_out, mark, head)
    return Graph(first_out, head)


@kernel
def _join(
    begin_out: Int32Array,
    end_out: Int32Array,
    head: Int32Array,
    begin_in: Int32Array,
    end_in: Int32Array,
    tail: Int32Array,
    first: Int32Array,
    mark: Int32Array,
    other: Int32Array,
) -> None:
    """Count the neighbors of each node into ``first``; write those that fit into ``other``."""
    mark[:] = -1
    count = 0
    for node in range(len(mark)):
        first[node] = count
        mark[node] = node
        for arc in range(begin_out[node], end_out[node]):
            if mark[head[arc]] != node:
                mark[head[arc]] = node
                if count < len(other):
                    other[count] = head[arc]
                count += 1
        for arc in range(begin_in[node], end_in[node]):
            if mark[tail[arc]] != node:
                mark[tail[arc]] = node
                if count < len(other):
                    other[count] = tail[arc]
                count += 1
    first[len(mark)] = count


def elimination_order(graph: Graph, height: UInt8Array) -> Int32Array:
    """Return the nodes of a graph in the order of their contraction.

    Nodes of lower height come first, then those of lower number. Then each node moves directly
    after its descendants in the elimination tree. The tree stays the same, and subtrees become
    contiguous in memory.

    Args:
        graph: with every arc in both directions.
        height: (n) uint8.

    Returns:
        (n) int32: the node of each rank.
    """
    n = graph.node_count
    order = np.argsort(height, kind="stable").astype(np.int32)
    rank = np.empty(n, dtype=np.int32)
    rank[order] = np.arange(n, dtype=np.int32)
    parent, scratch = np.empty((2, n), dtype=np.int32)
    _find_parents(graph.first_out, graph.head, order, rank, parent, scratch)
    _postorder(parent, scratch, rank)
    postordered = np.empty(n, dtype=np.int32)
    postordered[rank] = order
    return postordered


@kernel
def _postorder(parent: Int32Array, end: Int32Array, place: Int32Array) -> None:
    """Write the postorder of a forest: each rank directly after all its descendants.

    Args:
        parent: (n) int32, of higher rank than its children; -1 at a root.
        end: (n) int32 scratch: the size of each subtree, and then where its next child ends.
        place: (n) int32, written.
    """
    end[:] = 1
    for rank in range(len(parent)):
        if parent[rank] >= 0:
            end[parent[rank]] += end[rank]
    top = len(parent)
    for rank in range(len(parent) - 1, -1, -1):
        size = end[rank]
        if parent[rank] < 0:
            last = top
            top -= size
        else:
            last = end[parent[rank]]
            end[parent[rank]] -= size
        place[rank] = last - 1
        end[rank] = last - 1


def elimination_tree(graph: Graph, order: Int32Array, *, most_arcs: int) -> Tree | None:
    """Contract a graph in a given order, without weights.

    Args:
        graph: with every arc in both directions.
        order: (n) int32, the node of each rank.
        most_arcs: the limit on the number of arcs.

    Returns:
        The tree, or None if it exceeds the limit: the graph has no small cuts.
    """
    n = graph.node_count
    rank = np.empty(n, dtype=np.int32)
    rank[order] = np.arange(n, dtype=np.int32)
    parent, shortcut, mark = np.empty((3, n), dtype=np.int32)
    _find_parents(graph.first_out, graph.head, order, rank, parent, shortcut)
    degree = np.zeros(n, dtype=np.int64)
    if not _count_arcs(graph.first_out, graph.head, order, rank, parent, mark, degree, most_arcs):
        return None
    first_up = offsets(degree, np.int64)
    up = np.empty(int(first_up[-1]), dtype=np.int32)
    tree = Tree(order, rank, parent, depths(parent), first_up, up)
    _fill_arcs(graph.first_out, graph.head, tree, mark, first_up[:-1].copy())
    return tree


def depths(parent: Int32Array) -> Int32Array:
    """Return (n) int32, the number of ancestors of each node.

    Args:
        parent: (n) int32, of higher number than its children; -1 at a root.
    """
    depth = np.empty(len(parent), dtype=np.int32)
    _find_depths(parent, depth)
    return depth


@kernel
def _find_depths(parent: Int32Array, depth: Int32Array) -> None:
    for rank in range(len(parent) - 1, -1, -1):
        depth[rank] = 0 if parent[rank] < 0 else depth[parent[rank]] + 1


@kernel
def _find_parents(
    first_out: Int32Array,
    head: Int32Array,
    order: Int32Array,
    rank: Int32Array,
    parent: Int32Array,
    shortcut: Int32Array,
) -> None:
    """Compute elimination-tree parents by Liu's algorithm, with path compression."""
    for high in range(len(order)):
        parent[high] = -1
        shortcut[high] = -1
        node = order[high]
        for arc in range(first_out[node], first_out[node + 1]):
            low = rank[head[arc]]
            while low != -1 and low < high:
                above = shortcut[low]
                shortcut[low] = high
                if above == -1:
                    parent[low] = high
                low = above


@kernel
def _count_arcs(
    first_out: Int32Array,
    head: Int32Array,
    order: Int32Array,
    rank: Int32Array,
    parent: Int32Array,
    mark: Int32Array,
    degree: Int64Array,
    most_arcs: int,
) -> bool:
    """Count each node's arcs to higher ranks; return False once they exceed the limit."""
    total = 0
    mark[:] = -1
    for high in range(len(order)):
        mark[high] = high
        node = order[high]
        for arc in range(first_out[node], first_out[node + 1]):
            low = rank[head[arc]]
            while low < high and mark[low] != high:
                mark[low] = high
                degree[low] += 1
                total += 1
                low = parent[low]
        if total > most_arcs:
            return False
    return True


@kernel
def _fill_arcs(
    first_out: Int32Array, head: Int32Array, tree: Tree, mark: Int32Array, place: Int64Array
) -> None:
    """Write every arc; the arcs of a node are in the order of their higher ends."""
    mark[:] = -1
    for high in range(len(tree.order)):
        mark[high] = high
        node = tree.order[high]
        for arc in range(first_out[node], first_out[node + 1]):
            low = tree.rank[head[arc]]
            while low < high and mark[low] != high:
                mark[low] = high
                tree.up[place[low]] = high
                place[low] += 1
                low = tree.parent[low]


#: The kernels that Python calls.
KERNELS = (_count_arcs, _fill_arcs, _find_depths, _find_parents, _join, _postorder)
