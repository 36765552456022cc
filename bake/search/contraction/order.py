"""Nested dissection: cut a graph in two, put the cut above both sides, go on with each.

(A. George, "Nested dissection of a regular finite element mesh", SIAM J. Numer. Anal. 10(2), 1973;
J. Dibbelt, B. Strasser, D. Wagner, "Customizable Contraction Hierarchies", JEA 21, 2016,
section 4.) A connected set of nodes is cut at the narrowest of these: a column, a row, a level of
a breadth-first search that starts at a node far out. To a column or row belongs one end of each arc
that leads across it. Each side keeps at least a fifth of the set, where there is such a cut. Any
order gives right answers; a good one gives few arcs. All of an order that matters is how high each
node's cut lies, since what is apart under a cut may be contracted in any turn.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bake.arrays import BoolArray, Int32Array, UInt8Array
from bake.graph import Graph
from bake.kernels.jit import kernel
from bake.search.contraction.tree import elimination_order
from bake.search.graph.cut_order import breadth_first

#: Sets of this many nodes and fewer are not cut.
# limit: the order differs, answers do not; lowered by contractions
UNCUT = 8

#: Each side of a cut is to keep one part in so many of the set.
# limit: the order differs, answers do not; lowered by contractions
SHARE = 5

#: Searches of a set, put together, look at no more than this many nodes for each node there is.
#: Sets that are left are not cut: hubs and cliques would be taken apart one node at a time.
# limit: the rest is not cut; the order differs, answers do not; lowered by contractions
MOST_LOOKS = 400

#: Cuts that would lie higher are taken for one.
# limit: higher cuts count as one; the order differs, answers do not; lowered by contractions
HIGHEST = 255


class _Room(NamedTuple):
    """What cutting keeps beside the order itself.

    Attributes:
        part: (n) int32, the set each node is in; ~s where it lies in the cut of set s.
        above: (n + 1) int32, the set that each set is a part of, of lower number.
        seen: (n) int32, stamp of the last search that saw a node.
        queue: (n) int32, nodes in the order a search found them.
        bound: (n + 1) int32, where each level of a search begins in the queue.
        spare: (n) int32, nodes of the set that is cut.
        on_line: (columns or rows) int32, nodes of the set in each; all 0 between cuts.
        across: (columns or rows) int32, arcs that begin to lead across each, less those that cease
            to; all 0 between cuts.
        jumps: (n) bool, nodes from which an arc leads farther than to the next column and row.
        stack: (n + 1, 2) int32, sets still to be cut, as ranges of ranks.
    """

    part: Int32Array
    above: Int32Array
    seen: Int32Array
    queue: Int32Array
    bound: Int32Array
    spare: Int32Array
    on_line: Int32Array
    across: Int32Array
    jumps: BoolArray
    stack: Int32Array


def dissection_order(graph: Graph, at: Int32Array | None) -> Int32Array:
    """Return (n) int32, the node of each rank; arguments are those of dissection_heights."""
    return elimination_order(graph, dissection_heights(graph, at))


def dissection_heights(graph: Graph, at: Int32Array | None) -> UInt8Array:
    """Return how many cuts lie below each node's own, at most.

    Args:
        graph: with every arc in both directions.
        at: (n, 2) int32 coordinates of nodes on a lattice; None on other graphs, where only
            searches tell where to cut.

    Returns:
        (n) uint8, at most HIGHEST; 0 for nodes of sets that are not cut.
    """
    n = graph.node_count
    jumps = np.zeros(n, dtype=np.bool_)
    if at is None or not n:
        at = np.empty((0, 2), dtype=np.int32)
    else:
        at = np.ascontiguousarray(at - at.min(axis=0))
        tail = graph.tail()
        jumps[tail[(np.abs(at[tail] - at[graph.head]) > 1).any(axis=1)]] = True
    on_line, across = np.zeros((2, int(at.max(initial=0)) + 2), dtype=np.int32)
    room = _Room(
        part=np.zeros(n, dtype=np.int32),
        above=np.zeros(n + 1, dtype=np.int32),
        seen=np.zeros(n, dtype=np.int32),
        queue=np.empty(n, dtype=np.int32),
        bound=np.empty(n + 1, dtype=np.int32),
        spare=np.empty(n, dtype=np.int32),
        on_line=on_line,
        across=across,
        jumps=jumps,
        stack=np.empty((n + 1, 2), dtype=np.int32),
    )
    height = np.empty(n, dtype=np.int32)
    _dissect(graph.first_out, graph.head, at, np.arange(n, dtype=np.int32), room, height)
    return np.minimum(height, HIGHEST).astype(np.uint8)


@kernel
def _narrowest_line(
    first_out: Int32Array,
    head: Int32Array,
    at: Int32Array,
    axis: int,
    node: Int32Array,
    room: _Room,
) -> tuple[int, int]:
    """Find the column (axis 0) or row (axis 1) with fewest nodes that leaves both sides enough.

    Returns:
        Its coordinate, or -1 where there is none, and how many nodes lie on it or leap over it.
    """
    part, on_line, across = room.part, room.on_line, room.across
    size = len(node)
    low = high = at[node[0], axis]
    for i in range(size):
        place = at[node[i], axis]
        low = min(low, place)
        high = max(high, place)
        on_line[place] += 1
        if room.jumps[node[i]]:
            for arc in range(first_out[node[i]], first_out[node[i] + 1]):
                other = at[head[arc], axis]
                if other > place + 1 and part[head[arc]] == part[node[i]]:
                    across[place + 1] += 1
                    across[other] -= 1
    best = -1
    fewest = size
    before = 0
    leaping = 0
    for place in range(low, high + 1):
        leaping += across[place]
        own = on_line[place] + leaping
        after = size - before - on_line[place]
        if (before - leaping) * SHARE >= size and after * SHARE >= size and own < fewest:
            fewest = own
            best = place
        before += on_line[place]
        on_line[place] = 0
        across[place] = 0
    return best, fewest


@kernel
def _cut_line(
    first_out: Int32Array,
    head: Int32Array,
    at: Int32Array,
    axis: int,
    line: int,
    node: Int32Array,
    room: _Room,
) -> None:
    """Take the nodes of a line out of their set, and those before it from which an arc leaps it."""
    part = room.part
    cut = ~part[node[0]]
    for i in range(len(node)):
        place = at[node[i], axis]
        if place == line:
            part[node[i]] = cut
        elif place < line and room.jumps[node[i]]:
            for arc in range(first_out[node[i]], first_out[node[i] + 1]):
                if at[head[arc], axis] > line and part[head[arc]] == ~cut:
                    part[node[i]] = cut
                    break


@kernel
def _narrowest_level(bound: Int32Array, levels: int, size: int) -> int:
    """Return the level of a search that is to be the cut, or -1 where none has nodes on both sides.

    Levels that leave both sides enough go first; of others, the one that leaves the smaller side
    most nodes for each node of the cut.
    """
    best = -1
    fewest = size
    other = -1
    ratio = 0.0
    for level in range(1, levels - 1):
        before, own = bound[level], bound[level + 1] - bound[level]
        after = size - bound[level + 1]
        if before * SHARE >= size and after * SHARE >= size:
            if own < fewest:
                fewest = own
                best = level
        elif min(before, after) > ratio * own:
            ratio = min(before, after) / own
            other = level
    return best if best >= 0 else other


@kernel
def _dissect(
    first_out: Int32Array,
    head: Int32Array,
    at: Int32Array,
    order: Int32Array,
    room: _Room,
    height: Int32Array,
) -> None:
    """Write how high each node lies; ``order`` has all nodes, and ends as no more than room."""
    part, seen, queue, bound = room.part, room.seen, room.queue, room.bound
    above, spare, stack = room.above, room.spare, room.stack
    n = len(order)
    looks = np.int64(MOST_LOOKS) * n
    stamp = 0
    parts = 0
    waiting = 0
    # The whole graph is the first set; its cut is empty, so that only its parts are told apart.
    begin, end, own = 0, n, np.int32(0)
    whole = True
    while whole or waiting:
        if not whole:
            waiting -= 1
            begin, end = stack[waiting, 0], stack[waiting, 1]
            own = part[order[begin]]
            size = end - begin
            if size <= UNCUT or looks < 0:
                continue
            stamp += 1
            _, levels = breadth_first(
                first_out, head, order[begin], stamp, part, seen, queue, bound
            )
            stamp += 1
            _, levels = breadth_first(
                first_out, head, queue[size - 1], stamp, part, seen, queue, bound
            )
            looks -= 2 * size
            level = _narrowest_level(bound, levels, size)
            cut = size + 1
            if level >= 0:
                cut = bound[level + 1] - bound[level]
                if min(bound[level], size - bound[level + 1]) * SHARE < size:
                    cut = size  # Any line that leaves both sides enough is better.
            axis = -1
            line = 0
            if len(at):
                for each in range(2):
                    found, own_nodes = _narrowest_line(
                        first_out, head, at, each, order[begin:end], room
                    )
                    if found >= 0 and own_nodes < cut:
                        cut, line, axis = own_nodes, found, each
            if level < 0 and axis < 0:
                continue
            if axis >= 0:
                _cut_line(first_out, head, at, axis, line, order[begin:end], room)
            else:
                for i in range(bound[level], bound[level + 1]):
                    part[queue[i]] = ~own
        whole = False
        # Each connected part goes to a range of its own.
        for i in range(begin, end):
            spare[i] = order[i]
        place = begin
        for i in range(begin, end):
            node = spare[i]
            if part[node] != own:
                continue
            stamp += 1
            size, _ = breadth_first(first_out, head, node, stamp, part, seen, queue, bound)
            looks -= size
            parts += 1
            above[parts] = own
            for k in range(size):
                order[place + k] = queue[k]
                part[queue[k]] = parts
            stack[waiting, 0] = place
            stack[waiting, 1] = place + size
            waiting += 1
            place += size
    # From here on room for how high each set lies.
    bound[:] = 0
    for each in range(parts, 0, -1):
        bound[above[each]] = max(bound[above[each]], bound[each] + 1)
    for node in range(n):
        height[node] = bound[max(part[node], ~part[node])]


#: The kernels that Python calls.
KERNELS = (_dissect,)
