"""Find which arcs begin a shortest path by a local test on distances, without a second search.

An arc from s to h of weight w begins a shortest path to t exactly if d(h, t) + w = d(s, t).
"""

from __future__ import annotations

import numpy as np

from bake.arrays import Int32Array, UInt8Array, UInt16Array, UInt32Array
from bake.graph import INFINITY, UNREACHABLE, Arcs
from bake.kernels.jit import kernel

SlotArray = UInt8Array | UInt16Array | UInt32Array


@kernel
def lowest_first_moves(
    arcs: Arcs,
    slot: Int32Array,
    dist: Int32Array,
    none: int,
    start: int,
    stop: int,
    hop: SlotArray,
) -> None:
    """Find the first arc, in arc order, that begins a shortest path to each target.

    Args:
        arcs: of the graph.
        slot: (m) int32, what to store for an arc.
        dist: (n, k) int32 distances to k targets, k >= stop - start.
        none: what to store where no arc begins one: there is no path, or the node is the target.
        start, stop: columns of ``hop`` that the targets stand for.
        hop: (n, n) unsigned; columns start to stop are filled.
    """
    first_out, head, weight = arcs
    lanes = stop - start
    row = np.empty(lanes, hop.dtype)
    for node in range(len(first_out) - 1):
        for lane in range(lanes):
            row[lane] = none
        # This goes backwards, so that the lowest of several tied arcs is written last.
        for back in range(first_out[node + 1] - first_out[node]):
            arc = first_out[node + 1] - 1 - back
            other = head[arc]
            cost = weight[arc]
            value = slot[arc]
            for lane in range(lanes):
                begins = dist[other, lane] + cost == dist[node, lane]
                row[lane] = value if begins else row[lane]
        for lane in range(lanes):
            hop[node, start + lane] = row[lane]


#: Targets `dense_first_moves` looks at together: distances to them from all nodes stay in cache.
_LANES = 128

#: Nodes it works on together, and arcs it keeps in memory for each node of the graph.
_NODES = 1024
_KEPT = 256

#: Arcs of each node that it takes in turn. Where nodes have the same heads in the same places, as
#: in a complete graph, the distances from these then stay in the first cache.
_TURN = 64

#: Arcs of its innermost loop, which is written out for that many.
_ARCS = 4

#: More than the number of any arc.
_NO_ARC = np.int32(2**31 - 1)


def dense_bytes(node_count: int, most_arcs: int) -> int:
    """Work out the bytes that one call of :func:`dense_first_moves` takes.

    Args:
        node_count: n.
        most_arcs: largest out-degree.
    """
    rows = min(_NODES, node_count)
    return 4 * ((_KEPT + _LANES + 1) * node_count + most_arcs + rows * (_LANES + 2) + 17)


@kernel
def _tight_arcs(
    arcs: Arcs,
    dist: Int32Array,
    start: int,
    stop: int,
    tight: Int32Array,
    first_tight: Int32Array,
) -> int:
    """List arcs no longer than the distance they span, of as many nodes as there is room for.

    The last arc of each node is repeated until there are a multiple of _ARCS.

    Returns:
        The first node left out.
    """
    first_out, head, weight = arcs
    count = 0
    node = start
    while node < stop and count + first_out[node + 1] - first_out[node] + _ARCS <= len(tight):
        row = dist[node]
        first_tight[node - start] = count
        for arc in range(first_out[node], first_out[node + 1]):
            tight[count] = arc
            count += 1 if weight[arc] == row[head[arc]] else 0
        while (count - first_tight[node - start]) % _ARCS != 0:
            tight[count] = tight[count - 1]
            count += 1
        node += 1
    first_tight[node - start] = count
    return node


@kernel
def _take_strip(
    dist: Int32Array, left: int, right: int, strip: Int32Array, nearest: Int32Array
) -> None:
    """Copy columns left to right as rows of _LANES, and find the least distance in each row."""
    for node in range(dist.shape[0]):
        here = dist[node, left:right]
        there = strip[node * _LANES : (node + 1) * _LANES]
        least = UNREACHABLE
        for lane in range(len(here)):
            there[lane] = here[lane]
            least = min(least, here[lane])
        for lane in range(len(here), _LANES):
            there[lane] = INFINITY
        nearest[node] = least


@kernel
def _lowest_arcs(
    arcs: Arcs,
    sought: Int32Array,
    strip: Int32Array,
    nearest: Int32Array,
    goal: Int32Array,
    found: Int32Array,
    farthest: int,
) -> int:
    """Give each target of a strip to the lowest of a node's arcs that begins a shortest path.

    Args:
        arcs: of the graph.
        sought: int32, the node's arcs to look at, in order, a multiple of _ARCS.
        strip: (n * _LANES) int32 distances from all nodes to the targets.
        nearest: (n) int32, the least distance from each node to any of the targets.
        goal: (_LANES) int32 distances from the node to the targets.
        found: (_LANES) int32, _NO_ARC where an arc is still sought.
        farthest: largest distance to a target.

    Returns:
        The largest of ``found``.
    """
    head, weight = arcs.head, arcs.weight
    for at in range(0, len(sought), _ARCS):
        four = sought[at : at + _ARCS]
        arc0, arc1, arc2, arc3 = four[0], four[1], four[2], four[3]
        head0, head1, head2, head3 = head[arc0], head[arc1], head[arc2], head[arc3]
        cost0, cost1, cost2, cost3 = weight[arc0], weight[arc1], weight[arc2], weight[arc3]
        if (
            min(
                min(nearest[head0] + cost0, nearest[head1] + cost1),
                min(nearest[head2] + cost2, nearest[head3] + cost3),
            )
            > farthest
        ):
            continue
        row0 = strip[head0 * _LANES : (head0 + 1) * _LANES]
        row1 = strip[head1 * _LANES : (head1 + 1) * _LANES]
        row2 = strip[head2 * _LANES : (head2 + 1) * _LANES]
        row3 = strip[head3 * _LANES : (head3 + 1) * _LANES]
        for lane in range(_LANES):
            wanted = goal[lane]
            best = arc3 if np.int32(row3[lane] + cost3) == wanted else _NO_ARC
            best = arc2 if np.int32(row2[lane] + cost2) == wanted else best
            best = arc1 if np.int32(row1[lane] + cost1) == wanted else best
            best = arc0 if np.int32(row0[lane] + cost0) == wanted else best
            found[lane] = min(found[lane], best)
    highest = np.int32(-1)
    for lane in range(_LANES):
        highest = max(highest, found[lane])
    return int(highest)


@kernel
def dense_first_moves(
    arcs: Arcs,
    slot: Int32Array,
    dist: Int32Array,
    none: int,
    start: int,
    stop: int,
    hop: SlotArray,
) -> None:
    """Do what :func:`lowest_first_moves` does from a whole matrix, for nodes with many arcs.

    An arc longer than the distance it spans begins no shortest path, which leaves few arcs of most
    dense graphs. Those left are looked at in order until every target is found.

    Args:
        arcs: of the graph.
        slot: (m) int32, what to store for an arc.
        dist: (n, n) int32 distances, INFINITY where there is no path.
        none: what to store where no arc begins one: there is no path, or the node is the target.
        start, stop: rows of ``hop`` to fill.
        hop: (n, n) unsigned.
    """
    first_out = arcs.first_out
    n = dist.shape[0]
    most = 0
    for node in range(start, stop):
        most = max(most, first_out[node + 1] - first_out[node])
    tight = np.empty(_KEPT * n + most, np.int32)
    rows = min(_NODES, stop - start)
    first_tight = np.empty(rows + 1, np.int32)
    farthest = np.empty(rows, np.int32)
    nearest = np.empty(n, np.int32)
    # Both lie on cache lines, so that no vector load touches two.
    raw = np.empty((n + rows) * _LANES + 16, np.int32)
    line = (-raw.ctypes.data % 64) // 4
    strip = raw[line : line + n * _LANES]
    founds = raw[line + n * _LANES : line + (n + rows) * _LANES]
    first = start
    while first < stop:
        last = _tight_arcs(arcs, dist, first, min(first + rows, stop), tight, first_tight)
        longest = 0
        for row in range(last - first):
            longest = max(longest, first_tight[row + 1] - first_tight[row])
        for left in range(0, n, _LANES):
            right = min(left + _LANES, n)
            _take_strip(dist, left, right, strip, nearest)
            for row in range(last - first):
                goal = strip[(first + row) * _LANES : (first + row + 1) * _LANES]
                found = founds[row * _LANES : (row + 1) * _LANES]
                far = np.int32(-1)
                for lane in range(_LANES):
                    wanted = goal[lane]
                    sought = 0 < wanted < INFINITY
                    found[lane] = _NO_ARC if sought else np.int32(-1)
                    far = max(far, wanted if sought else np.int32(-1))
                farthest[row] = far
            for turn in range(0, longest, _TURN):
                for row in range(last - first):
                    begin = first_tight[row] + turn
                    end = min(begin + _TURN, first_tight[row + 1])
                    if begin >= end or farthest[row] < 0:
                        continue
                    goal = strip[(first + row) * _LANES : (first + row + 1) * _LANES]
                    found = founds[row * _LANES : (row + 1) * _LANES]
                    highest = _lowest_arcs(
                        arcs, tight[begin:end], strip, nearest, goal, found, farthest[row]
                    )
                    if highest < _NO_ARC:
                        farthest[row] = -1
            for row in range(last - first):
                found = founds[row * _LANES : (row + 1) * _LANES]
                out = hop[first + row, left:right]
                for lane in range(len(out)):
                    arc = found[lane]
                    out[lane] = slot[arc] if arc >= 0 else none
        first = last
