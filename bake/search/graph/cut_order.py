"""Order nodes so that neighbours lie together: cut a graph at narrow places, again and again.

A connected set of nodes is cut in two where the fewest arcs lead across between two levels of a
breadth-first search, and what hangs together on either side is cut on. Each set begins beside the
nodes that were ordered last, and small ones are ordered depth first.

Batches of targets are slices of this order, so their search frontiers nearly coincide. Seen from
afar, most of the nodes behind a narrow place want the same first move, so runs of targets are long.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bake.arrays import BoolArray, Int32Array
from bake.graph import Graph
from bake.kernels.jit import kernel

#: Sets of this many nodes and fewer are not cut.
# limit: the order differs, answers do not; lowered by orders
UNCUT = 128

#: Each side of a cut keeps one part in so many of the set.
# limit: the order differs, answers do not; lowered by orders
SHARE = 4

#: Searches that look for a narrow place, each from where the one before ended. Larger sets are
#: searched through once, which takes long enough.
# limit: the order differs, answers do not; lowered by orders
SWEEPS = 3
# limit: the order differs, answers do not; lowered by orders
SWEPT = 2**18

#: Arcs looked at to find where in a set to begin.
# limit: the order differs, answers do not; lowered by orders
LOOKS = 2**10


class _Room(NamedTuple):
    """What cutting keeps beside the order itself.

    Attributes:
        part: (n) int32, the set each node is in.
        seen: (n) int32, stamp of the last search that saw a node.
        queue: (n) int32, nodes in the order a search found them.
        bound: (n + 1) int32, where each level of a search begins in the queue.
        rank: (n) int32, each node's place in the queue; the way back, depth first.
        far: (n) bool, nodes behind the cut.
        next_arc: (n) int32, the next arc to follow, depth first.
        spare: (n) int32, nodes of the set that is cut.
        stack: (n, 2) int32, sets still to be cut, as ranges of the order.
    """

    part: Int32Array
    seen: Int32Array
    queue: Int32Array
    bound: Int32Array
    rank: Int32Array
    far: BoolArray
    next_arc: Int32Array
    spare: Int32Array
    stack: Int32Array


def cut_order(graph: Graph) -> Int32Array:
    """Order the nodes by cuts; arcs count in both directions.

    Returns:
        (n) int32, the nodes in that order. Nodes that hang together are one stretch of it.
    """
    n = graph.node_count
    tail = graph.tail()
    both, _ = Graph.from_arcs(
        n,
        np.concatenate([tail, graph.head]),
        np.concatenate([graph.head, tail]),
    )
    part, seen, bound, rank = np.zeros((4, n + 1), dtype=np.int32)
    queue, next_arc, spare, order = np.empty((4, n), dtype=np.int32)
    far = np.zeros(n, dtype=np.bool_)
    stack = np.empty((n + 1, 2), dtype=np.int32)
    room = _Room(part, seen, queue, bound, rank, far, next_arc, spare, stack)
    order_by_cuts(both.first_out, both.head, order, room)
    return order


@kernel
def breadth_first(
    first_out: Int32Array,
    head: Int32Array,
    start: int,
    stamp: int,
    part: Int32Array,
    seen: Int32Array,
    queue: Int32Array,
    bound: Int32Array,
) -> tuple[int, int]:
    """Search breadth first from a node through the set it is in.

    Args:
        first_out, head: of a graph with every arc in both directions.
        start: the node.
        stamp: a number that is not in ``seen`` yet.
        part: (n) int32, the set each node is in.
        seen: (n) int32, ``stamp`` is written for each node found.
        queue: (n) int32, filled with the nodes in the order in which they were found.
        bound: (n + 1) int32, filled with the place in the queue where each level begins, and with
            how many nodes were found.

    Returns:
        How many nodes were found, and on how many levels.
    """
    own = part[start]
    seen[start] = stamp
    queue[0] = start
    found, done, levels = 1, 0, 0
    while done < found:
        bound[levels] = done
        levels += 1
        end = found
        while done < end:
            node = queue[done]
            done += 1
            for arc in range(first_out[node], first_out[node + 1]):
                other = head[arc]
                if part[other] == own and seen[other] != stamp:
                    seen[other] = stamp
                    queue[found] = other
                    found += 1
    bound[levels] = found
    return found, levels


@kernel
def _depth_first(
    first_out: Int32Array, head: Int32Array, start: int, stamp: int, room: _Room
) -> None:
    """Write the nodes of a set into the queue, depth first from one of them."""
    part, seen, queue, next_arc = room.part, room.seen, room.queue, room.next_arc
    stack = room.rank
    own = part[start]
    seen[start] = stamp
    queue[0] = start
    next_arc[start] = first_out[start]
    found = 1
    stack[0] = start
    depth = 1
    while depth > 0:
        node = stack[depth - 1]
        if next_arc[node] == first_out[node + 1]:
            depth -= 1
            continue
        other = head[next_arc[node]]
        next_arc[node] += 1
        if part[other] == own and seen[other] != stamp:
            seen[other] = stamp
            queue[found] = other
            next_arc[other] = first_out[other]
            found += 1
            stack[depth] = other
            depth += 1


@kernel
def _narrowest(
    first_out: Int32Array, head: Int32Array, levels: int, size: int, room: _Room
) -> tuple[int, int]:
    """Find the level of a search that the fewest arcs lead into and that leaves both sides enough.

    Returns:
        Where it begins in the queue, and how many arcs lead there from the level before. Where no
        level will do it is the middle of the queue, at the price of all arcs there could be.
    """
    part, queue, bound, rank = room.part, room.queue, room.bound, room.rank
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
def _beside(
    first_out: Int32Array, head: Int32Array, order: Int32Array, begin: int, part: Int32Array
) -> int:
    """Return the node of the set at ``begin`` that is next to the last node ordered before it."""
    own = part[order[begin]]
    looks = LOOKS
    before = begin - 1
    while before >= 0 and looks > 0:
        node = order[before]
        for arc in range(first_out[node], min(first_out[node + 1], first_out[node] + looks)):
            if part[head[arc]] == own:
                return int(head[arc])
        looks -= first_out[node + 1] - first_out[node] + 1
        before -= 1
    return int(order[begin])


@kernel
def order_by_cuts(first_out: Int32Array, head: Int32Array, order: Int32Array, room: _Room) -> None:
    """Fill in the nodes by cuts, of a graph with every arc in both directions."""
    part, seen, queue, bound = room.part, room.seen, room.queue, room.bound
    far, spare, stack = room.far, room.spare, room.stack
    stamp = 0
    parts = 0
    filled = 0
    for root in range(len(order)):
        if seen[root] > 0:
            continue
        # What hangs together is a set to begin with; all of it is in part 0.
        stamp += 1
        size, _ = breadth_first(first_out, head, root, stamp, part, seen, queue, bound)
        parts += 1
        for i in range(size):
            order[filled + i] = queue[i]
            part[queue[i]] = parts
        stack[0, 0], stack[0, 1] = filled, filled + size
        filled += size
        waiting = 1
        while waiting > 0:
            waiting -= 1
            begin, end = stack[waiting, 0], stack[waiting, 1]
            size = end - begin
            if size == 1:
                continue
            entry = _beside(first_out, head, order, begin, part)
            if size <= UNCUT:
                stamp += 1
                _depth_first(first_out, head, entry, stamp, room)
                for i in range(size):
                    order[begin + i] = queue[i]
                continue
            start = entry
            fewest = len(head) + 2
            for _ in range(SWEEPS if size <= SWEPT else 1):
                stamp += 1
                _, levels = breadth_first(first_out, head, start, stamp, part, seen, queue, bound)
                cut, arcs = _narrowest(first_out, head, levels, size, room)
                if arcs < fewest:
                    fewest = arcs
                    for i in range(size):
                        far[queue[i]] = i >= cut
                start = queue[size - 1]
            # The side that begins beside what is ordered already comes first, and in it the part
            # that does. The stack is taken from its end.
            for i in range(begin, end):
                spare[i] = order[i]
            near, own, other = far[entry], part[entry], np.int32(-1)
            for i in range(begin, end):
                if far[spare[i]] != near:
                    part[spare[i]] = other
            place = begin
            below = waiting
            for turn in range(-1, 2 * size):
                node = entry if turn < 0 else spare[begin + turn % size]
                if part[node] != (own if turn < size else other):
                    continue
                stamp += 1
                count, _ = breadth_first(first_out, head, node, stamp, part, seen, queue, bound)
                parts += 1
                for i in range(count):
                    order[place + i] = queue[i]
                    part[queue[i]] = parts
                stack[waiting, 0], stack[waiting, 1] = place, place + count
                waiting += 1
                place += count
            for i in range((waiting - below) // 2):
                low, high = below + i, waiting - 1 - i
                stack[low, 0], stack[high, 0] = stack[high, 0], stack[low, 0]
                stack[low, 1], stack[high, 1] = stack[high, 1], stack[low, 1]
