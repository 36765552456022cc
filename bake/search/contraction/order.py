"""Nested dissection: cut a graph in two, rank the cut above both sides, and recurse.

(A. George, "Nested dissection of a regular finite element mesh", SIAM J. Numer. Anal. 10(2), 1973;
J. Dibbelt, B. Strasser, D. Wagner, "Customizable Contraction Hierarchies", JEA 21, 2016,
section 4.) A connected set of nodes is cut at the narrowest of these: a column, a row, or a level
of a breadth-first search from a peripheral node. A column or row also contains one end of each arc
that jumps across it. Each side keeps at least a fifth of the set, if there is such a cut. Any order
gives exact answers; a good one gives few arcs. Only the height of each node's cut matters, since
sets that a cut separates may be contracted in any order.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bake.core.arrays import BoolArray, Int32Array, UInt8Array
from bake.core.graph import Graph
from bake.core.kernels.jit import kernel
from bake.search.contraction.tree import elimination_order
from bake.search.graph.cut_order import breadth_first

#: Sets of this many nodes and fewer are not cut.
# limit: the order differs, answers do not; lowered by contractions
UNCUT = 8

#: Each side of a cut keeps at least one part in SHARE of the set, if possible.
# limit: the order differs, answers do not; lowered by contractions
SHARE = 5

#: The searches of all sets together visit at most this many nodes for each node of the graph. The
#: remaining sets are not cut: in hubs and cliques each cut would remove a single node.
# limit: the rest is not cut; the order differs, answers do not; lowered by contractions
MOST_LOOKS = 400

#: Greater heights are stored as this one.
# limit: higher cuts count as one; the order differs, answers do not; lowered by contractions
HIGHEST = 255


class _Buffers(NamedTuple):
    """Buffers of a dissection."""

    #: (n) int32, the set that contains each node; ~s for nodes in the cut of set s.
    part: Int32Array
    #: (n + 1) int32, the set that contains each set, of lower number.
    above: Int32Array
    #: (n) int32, the epoch of the last search that visited each node.
    seen: Int32Array
    #: (n) int32, nodes in the order in which a search visits them.
    queue: Int32Array
    #: (n + 1) int32, where each level of a search begins in the queue.
    bound: Int32Array
    #: (n) int32, nodes of the set being cut.
    spare: Int32Array
    #: (columns or rows) int32, nodes of the set in each; all 0 between cuts.
    on_line: Int32Array
    #: (columns or rows) int32, the change in the number of arcs that cross each; all 0 between
    #: cuts.
    across: Int32Array
    #: (n) bool, nodes with an arc that ends beyond the next column or row.
    jumps: BoolArray
    #: (n + 1, 2) int32, sets still to be cut, as ranges of ranks.
    stack: Int32Array


def dissection_order(graph: Graph, at: Int32Array | None) -> Int32Array:
    """Return (n) int32, the node of each rank; for the arguments see `dissection_heights`."""
    return elimination_order(graph, dissection_heights(graph, at))


def dissection_heights(graph: Graph, at: Int32Array | None) -> UInt8Array:
    """Return the height of each node's cut: the number of cuts nested below it, at most.

    Args:
        graph: with every arc in both directions.
        at: (n, 2) int32 coordinates of nodes on a lattice; None on other graphs, which are cut by
            breadth-first searches alone.
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
    buffers = _Buffers(
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
    _dissect(graph.first_out, graph.head, at, np.arange(n, dtype=np.int32), buffers, height)
    return np.minimum(height, HIGHEST).astype(np.uint8)


@kernel
def _narrowest_line(
    first_out: Int32Array,
    head: Int32Array,
    at: Int32Array,
    axis: int,
    node: Int32Array,
    buffers: _Buffers,
) -> tuple[int, int]:
    """Find the column (axis 0) or row (axis 1) with the fewest nodes that leaves both sides enough.

    Returns:
        Its coordinate, or -1 if there is none, and the number of nodes on it or with arcs across
        it.
    """
    part, on_line, across = buffers.part, buffers.on_line, buffers.across
    size = len(node)
    low = high = at[node[0], axis]
    for i in range(size):
        place = at[node[i], axis]
        low = min(low, place)
        high = max(high, place)
        on_line[place] += 1
        if buffers.jumps[node[i]]:
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
    buffers: _Buffers,
) -> None:
    """Move the nodes of a line into the cut, and those before it with an arc across it."""
    part = buffers.part
    cut = ~part[node[0]]
    for i in range(len(node)):
        place = at[node[i], axis]
        if place == line:
            part[node[i]] = cut
        elif place < line and buffers.jumps[node[i]]:
            for arc in range(first_out[node[i]], first_out[node[i] + 1]):
                if at[head[arc], axis] > line and part[head[arc]] == ~cut:
                    part[node[i]] = cut
                    break


@kernel
def _narrowest_level(bound: Int32Array, levels: int, size: int) -> int:
    """Return the level of a search that becomes the cut, or -1 if none has nodes on both sides.

    Levels that leave both sides enough nodes are preferred; otherwise the ratio of the smaller side
    to the cut is maximized.
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
    buffers: _Buffers,
    height: Int32Array,
) -> None:
    """Write the height of each node's cut; ``order`` holds all nodes, and is scratch afterwards."""
    part, seen, queue, bound = buffers.part, buffers.seen, buffers.queue, buffers.bound
    above, spare, stack = buffers.above, buffers.spare, buffers.stack
    n = len(order)
    visits_left = np.int64(MOST_LOOKS) * n
    epoch = 0
    parts = 0
    stacked = 0
    # The whole graph is the first set; its cut is empty, which only separates its components.
    begin, end, own = 0, n, np.int32(0)
    is_first = True
    while is_first or stacked:
        if not is_first:
            stacked -= 1
            begin, end = stack[stacked, 0], stack[stacked, 1]
            own = part[order[begin]]
            size = end - begin
            if size <= UNCUT or visits_left < 0:
                continue
            epoch += 1
            _, levels = breadth_first(
                first_out, head, order[begin], epoch, part, seen, queue, bound
            )
            epoch += 1
            _, levels = breadth_first(
                first_out, head, queue[size - 1], epoch, part, seen, queue, bound
            )
            visits_left -= 2 * size
            level = _narrowest_level(bound, levels, size)
            cut = size + 1
            if level >= 0:
                cut = bound[level + 1] - bound[level]
                if min(bound[level], size - bound[level + 1]) * SHARE < size:
                    cut = size  # Any line that leaves both sides enough is better.
            axis = -1
            line = 0
            if len(at):
                for direction in range(2):
                    candidate, candidate_size = _narrowest_line(
                        first_out, head, at, direction, order[begin:end], buffers
                    )
                    if candidate >= 0 and candidate_size < cut:
                        cut, line, axis = candidate_size, candidate, direction
            if level < 0 and axis < 0:
                continue
            if axis >= 0:
                _cut_line(first_out, head, at, axis, line, order[begin:end], buffers)
            else:
                for i in range(bound[level], bound[level + 1]):
                    part[queue[i]] = ~own
        is_first = False
        # Each connected part becomes a range of its own.
        for i in range(begin, end):
            spare[i] = order[i]
        place = begin
        for i in range(begin, end):
            node = spare[i]
            if part[node] != own:
                continue
            epoch += 1
            size, _ = breadth_first(first_out, head, node, epoch, part, seen, queue, bound)
            visits_left -= size
            parts += 1
            above[parts] = own
            for k in range(size):
                order[place + k] = queue[k]
                part[queue[k]] = parts
            stack[stacked, 0] = place
            stack[stacked, 1] = place + size
            stacked += 1
            place += size
    # From here on `bound` holds the height of each set.
    bound[:] = 0
    for inner in range(parts, 0, -1):
        bound[above[inner]] = max(bound[above[inner]], bound[inner] + 1)
    for node in range(n):
        height[node] = bound[max(part[node], ~part[node])]


#: The kernels that Python calls.
KERNELS = (_dissect,)
