"""A node order in which neighbors are close: cut the graph at narrow places, recursively.

A connected set of nodes is cut in two between the two levels of a breadth-first search with the
fewest arcs across, and the connected parts of both sides are cut again. Each set begins next to the
nodes ordered last, and small sets are ordered depth first.

Batches of targets are slices of this order, so their search frontiers nearly coincide. Seen from a
distance, most nodes behind a narrow place need the same first move, so runs of targets are long.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bake.core.arrays import BoolArray, Int32Array
from bake.core.graph import Graph
from bake.core.kernels.jit import kernel

#: Sets of this many nodes and fewer are not cut.
# limit: the order differs, answers do not; lowered by orders
UNCUT = 128

#: Each side of a cut keeps at least one part in SHARE of the set.
# limit: the order differs, answers do not; lowered by orders
SHARE = 4

#: Searches for a narrow place, each from where the one before ended. Sets above SWEPT nodes are
#: searched only once, which takes long enough.
# limit: the order differs, answers do not; lowered by orders
SWEEPS = 3
# limit: the order differs, answers do not; lowered by orders
SWEPT = 2**18

#: Arcs that are read to find the first node of a set.
# limit: the order differs, answers do not; lowered by orders
LOOKS = 2**10


class _Buffers(NamedTuple):
    """Buffers of the cuts."""

    #: (n) int32, the set that contains each node.
    part: Int32Array
    #: (n) int32, the epoch of the last search that visited each node.
    seen: Int32Array
    #: (n) int32, nodes in the order in which a search visits them.
    queue: Int32Array
    #: (n + 1) int32, where each level of a search begins in the queue.
    bound: Int32Array
    #: (n) int32, each node's index in the queue; in depth-first searches, the stack.
    rank: Int32Array
    #: (n) bool, nodes behind the cut.
    far: BoolArray
    #: (n) int32, the next arc to follow in a depth-first search.
    next_arc: Int32Array
    #: (n) int32, nodes of the set being cut.
    spare: Int32Array
    #: (n, 2) int32, sets still to be cut, as ranges of the order.
    stack: Int32Array


def cut_order(graph: Graph) -> Int32Array:
    """Return the nodes of a graph ordered by recursive cuts; arcs count in both directions.

    Returns:
        (n) int32 nodes. The nodes of each connected component are contiguous.

    >>> graph, _ = Graph.from_arcs(4, np.array([0, 1]), np.array([2, 3]))
    >>> cut_order(graph).tolist()
    [0, 2, 1, 3]
    """
    n = graph.node_count
    tail = graph.tail()
    symmetric, _ = Graph.from_arcs(
        n,
        np.concatenate([tail, graph.head]),
        np.concatenate([graph.head, tail]),
    )
    part, seen, bound, rank = np.zeros((4, n + 1), dtype=np.int32)
    queue, next_arc, spare, order = np.empty((4, n), dtype=np.int32)
    far = np.zeros(n, dtype=np.bool_)
    stack = np.empty((n + 1, 2), dtype=np.int32)
    buffers = _Buffers(part, seen, queue, bound, rank, far, next_arc, spare, stack)
    order_by_cuts(symmetric.first_out, symmetric.head, order, buffers)
    return order


@kernel
def breadth_first(
    first_out: Int32Array,
    head: Int32Array,
    start: int,
    epoch: int,
    part: Int32Array,
    seen: Int32Array,
    queue: Int32Array,
    bound: Int32Array,
) -> tuple[int, int]:
    """Search breadth first from a node through its set.

    Args:
        first_out, head: of a graph with every arc in both directions.
        start: the node.
        epoch: a number that is not in ``seen`` yet.
        part: (n) int32, the set that contains each node.
        seen: (n) int32, ``epoch`` is written for each node visited.
        queue: (n) int32, written: the nodes in the order of the search.
        bound: (n + 1) int32, written: where each level begins in the queue, and then the number of
            nodes.

    Returns:
        The number of nodes and of levels.
    """
    own = part[start]
    seen[start] = epoch
    queue[0] = start
    visited, done, levels = 1, 0, 0
    while done < visited:
        bound[levels] = done
        levels += 1
        end = visited
        while done < end:
            node = queue[done]
            done += 1
            for arc in range(first_out[node], first_out[node + 1]):
                other = head[arc]
                if part[other] == own and seen[other] != epoch:
                    seen[other] = epoch
                    queue[visited] = other
                    visited += 1
    bound[levels] = visited
    return visited, levels


@kernel
def _depth_first(
    first_out: Int32Array, head: Int32Array, start: int, epoch: int, buffers: _Buffers
) -> None:
    """Write the nodes of a set to the queue, depth first from one of them."""
    part, seen, queue, next_arc = buffers.part, buffers.seen, buffers.queue, buffers.next_arc
    stack = buffers.rank
    own = part[start]
    seen[start] = epoch
    queue[0] = start
    next_arc[start] = first_out[start]
    visited = 1
    stack[0] = start
    depth = 1
    while depth > 0:
        node = stack[depth - 1]
        if next_arc[node] == first_out[node + 1]:
            depth -= 1
            continue
        other = head[next_arc[node]]
        next_arc[node] += 1
        if part[other] == own and seen[other] != epoch:
            seen[other] = epoch
            queue[visited] = other
            next_arc[other] = first_out[other]
            visited += 1
            stack[depth] = other
            depth += 1


@kernel
def _narrowest(
    first_out: Int32Array, head: Int32Array, levels: int, size: int, buffers: _Buffers
) -> tuple[int, int]:
    """Find the level of a search that the fewest arcs lead into and that leaves both sides enough.

    Returns:
        Where it begins in the queue, and the number of arcs into it from the level before. If no
        level qualifies, the middle of the queue and one more than the number of arcs.
    """
    part, queue, bound, rank = buffers.part, buffers.queue, buffers.bound, buffers.rank
    own = part[queue[0]]
    for i in range(size):
        rank[queue[i]] = i
    best, fewest = size // 2, len(head) + 1
    for level in range(1, levels):
        begin, end = bound[level], bound[level + 1]
        if begin * SHARE < size or (size - begin) * SHARE < size:
            continue
        arcs = 0
        for i in range(begin, end):
            for arc in range(first_out[queue[i]], first_out[queue[i] + 1]):
                other = head[arc]
                if part[other] == own and rank[other] < begin:
                    arcs += 1
        if arcs < fewest:
            best, fewest = begin, arcs
    return best, fewest


@kernel
def _find_adjacent(
    first_out: Int32Array, head: Int32Array, order: Int32Array, begin: int, part: Int32Array
) -> int:
    """Return the node of the set at ``begin`` that is adjacent to the node ordered last."""
    own = part[order[begin]]
    reads_left = LOOKS
    before = begin - 1
    while before >= 0 and reads_left > 0:
        node = order[before]
        for arc in range(first_out[node], min(first_out[node + 1], first_out[node] + reads_left)):
            if part[head[arc]] == own:
                return int(head[arc])
        reads_left -= first_out[node + 1] - first_out[node] + 1
        before -= 1
    return int(order[begin])


@kernel
def order_by_cuts(
    first_out: Int32Array, head: Int32Array, order: Int32Array, buffers: _Buffers
) -> None:
    """Write the nodes ordered by cuts, for a graph with every arc in both directions."""
    part, seen, queue, bound = buffers.part, buffers.seen, buffers.queue, buffers.bound
    far, spare, stack = buffers.far, buffers.spare, buffers.stack
    epoch = 0
    parts = 0
    filled = 0
    for root in range(len(order)):
        if seen[root] > 0:
            continue
        # Each connected component is a set; unordered nodes are in part 0.
        epoch += 1
        size, _ = breadth_first(first_out, head, root, epoch, part, seen, queue, bound)
        parts += 1
        for i in range(size):
            order[filled + i] = queue[i]
            part[queue[i]] = parts
        stack[0, 0], stack[0, 1] = filled, filled + size
        filled += size
        stacked = 1
        while stacked > 0:
            stacked -= 1
            begin, end = stack[stacked, 0], stack[stacked, 1]
            size = end - begin
            if size == 1:
                continue
            entry = _find_adjacent(first_out, head, order, begin, part)
            if size <= UNCUT:
                epoch += 1
                _depth_first(first_out, head, entry, epoch, buffers)
                for i in range(size):
                    order[begin + i] = queue[i]
                continue
            start = entry
            fewest = len(head) + 2
            for _ in range(SWEEPS if size <= SWEPT else 1):
                epoch += 1
                _, levels = breadth_first(first_out, head, start, epoch, part, seen, queue, bound)
                cut, arcs = _narrowest(first_out, head, levels, size, buffers)
                if arcs < fewest:
                    fewest = arcs
                    for i in range(size):
                        far[queue[i]] = i >= cut
                start = queue[size - 1]
            # The side next to the ordered nodes comes first, and in it the part next to them. The
            # stack is popped from its end.
            for i in range(begin, end):
                spare[i] = order[i]
            near, own, other = far[entry], part[entry], np.int32(-1)
            for i in range(begin, end):
                if far[spare[i]] != near:
                    part[spare[i]] = other
            place = begin
            below = stacked
            for step in range(-1, 2 * size):
                node = entry if step < 0 else spare[begin + step % size]
                if part[node] != (own if step < size else other):
                    continue
                epoch += 1
                count, _ = breadth_first(first_out, head, node, epoch, part, seen, queue, bound)
                parts += 1
                for i in range(count):
                    order[place + i] = queue[i]
                    part[queue[i]] = parts
                stack[stacked, 0], stack[stacked, 1] = place, place + count
                stacked += 1
                place += count
            for i in range((stacked - below) // 2):
                low, high = below + i, stacked - 1 - i
                stack[low, 0], stack[high, 0] = stack[high, 0], stack[low, 0]
                stack[low, 1], stack[high, 1] = stack[high, 1], stack[low, 1]
