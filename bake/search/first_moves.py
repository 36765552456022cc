"""Which arcs begin a shortest path: a local test on distances, so no second search is needed.

An arc from s to h of weight w begins a shortest path to t exactly if d(h, t) + w = d(s, t).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bake.graph import Int32Array
from bake.search.batch import INFINITY
from bake.search.jit import kernel

SlotArray = npt.NDArray[np.uint8] | npt.NDArray[np.uint16] | npt.NDArray[np.uint32]


@kernel
def lowest_first_moves(
    first_out: Int32Array,
    head: Int32Array,
    weight: Int32Array,
    slot: Int32Array,
    dist: Int32Array,
    none: int,
    start: int,
    stop: int,
    hop: SlotArray,
) -> None:
    """The first arc, in arc order, that begins a shortest path to each target.

    Args:
        first_out, head, weight: the graph; (n + 1), (m), (m) int32.
        slot: (m) int32, what to store for an arc.
        dist: (n, k) int32 distances to k targets, k >= stop - start.
        none: what to store where no arc does: no path, or already there.
        start, stop: columns of ``hop`` that the targets stand for.
        hop: (n, n) unsigned; columns start to stop are filled.
    """
    lanes = stop - start
    row = np.empty(lanes, hop.dtype)
    for node in range(len(first_out) - 1):
        for lane in range(lanes):
            row[lane] = none
        # Backwards, so that the lowest of several tied arcs is written last.
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

#: Nodes it works on together, and arcs it keeps in mind for each node of the graph.
_NODES = 256
_KEPT = 256

#: Arcs of each node that it takes in turn. Where nodes have the same heads in the same places, as
#: in a complete graph, the distances from these then stay in the first cache.
_TURN = 32

#: Arcs of its innermost loop, which is written out for as many.
_ARCS = 8

#: Above every place among the arcs kept in mind, even when a place is added to it.
_NO_PLACE = np.int32(2**30)


def dense_bytes(node_count: int, most_arcs: int) -> int:
    """Working memory of one call of :func:`dense_first_moves`.

    Args:
        node_count: n.
        most_arcs: largest out-degree.
    """
    return 4 * (_KEPT * node_count + most_arcs + node_count * (_LANES + 2) + 4 * _LANES)


@kernel
def _tight_arcs(
    first_out: Int32Array,
    head: Int32Array,
    weight: Int32Array,
    dist: Int32Array,
    start: int,
    stop: int,
    tight: Int32Array,
    first_tight: Int32Array,
) -> int:
    """Arcs no longer than the distance they span, of as many nodes as there is room for.

    Each node's are made up to a multiple of _ARCS by repeating the last.

    Returns:
        The first node left out.
    """
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
def _lowest_of_eight(
    head: Int32Array,
    weight: Int32Array,
    arcs: Int32Array,
    place: int,
    strip: Int32Array,
    goal: Int32Array,
    found: Int32Array,
) -> bool:
    """Give targets to the lowest of eight arcs, the first at ``place``, that leads to each.

    Returns:
        Whether any target is still without an arc.
    """
    arc0, arc1, arc2, arc3 = arcs[0], arcs[1], arcs[2], arcs[3]
    arc4, arc5, arc6, arc7 = arcs[4], arcs[5], arcs[6], arcs[7]
    cost0, cost1, cost2, cost3 = weight[arc0], weight[arc1], weight[arc2], weight[arc3]
    cost4, cost5, cost6, cost7 = weight[arc4], weight[arc5], weight[arc6], weight[arc7]
    row0 = strip[head[arc0] * _LANES : (head[arc0] + 1) * _LANES]
    row1 = strip[head[arc1] * _LANES : (head[arc1] + 1) * _LANES]
    row2 = strip[head[arc2] * _LANES : (head[arc2] + 1) * _LANES]
    row3 = strip[head[arc3] * _LANES : (head[arc3] + 1) * _LANES]
    row4 = strip[head[arc4] * _LANES : (head[arc4] + 1) * _LANES]
    row5 = strip[head[arc5] * _LANES : (head[arc5] + 1) * _LANES]
    row6 = strip[head[arc6] * _LANES : (head[arc6] + 1) * _LANES]
    row7 = strip[head[arc7] * _LANES : (head[arc7] + 1) * _LANES]
    highest = np.int32(-1)
    for lane in range(_LANES):
        wanted = goal[lane]
        # Constants, where the arcs' own numbers would be broadcast anew for each vector.
        which = np.int32(7) if np.int32(row7[lane] + cost7) == wanted else _NO_PLACE
        which = np.int32(6) if np.int32(row6[lane] + cost6) == wanted else which
        which = np.int32(5) if np.int32(row5[lane] + cost5) == wanted else which
        which = np.int32(4) if np.int32(row4[lane] + cost4) == wanted else which
        which = np.int32(3) if np.int32(row3[lane] + cost3) == wanted else which
        which = np.int32(2) if np.int32(row2[lane] + cost2) == wanted else which
        which = np.int32(1) if np.int32(row1[lane] + cost1) == wanted else which
        which = np.int32(0) if np.int32(row0[lane] + cost0) == wanted else which
        found[lane] = min(found[lane], np.int32(which + place))
        highest = max(highest, found[lane])
    return highest >= _NO_PLACE


@kernel
def _take_strip(dist: Int32Array, left: int, right: int, strip: Int32Array) -> None:
    """Columns left to right as rows of _LANES."""
    for node in range(dist.shape[0]):
        here = dist[node, left:right]
        there = strip[node * _LANES : (node + 1) * _LANES]
        for lane in range(len(here)):
            there[lane] = here[lane]
        for lane in range(len(here), _LANES):
            there[lane] = INFINITY


@kernel
def dense_first_moves(
    first_out: Int32Array,
    head: Int32Array,
    weight: Int32Array,
    slot: Int32Array,
    dist: Int32Array,
    none: int,
    start: int,
    stop: int,
    hop: SlotArray,
) -> None:
    """:func:`lowest_first_moves` from the whole matrix of distances, for nodes with many arcs.

    An arc longer than the distance it spans begins no shortest path, which leaves few arcs of most
    dense graphs. Those left are looked at in order until every target is found.

    Args:
        first_out, head, weight: the graph; (n + 1), (m), (m) int32.
        slot: (m) int32, what to store for an arc.
        dist: (n, n) int32 distances, INFINITY where there is no path.
        none: what to store where no arc does: no path, or already there.
        start, stop: rows of ``hop`` to fill.
        hop: (n, n) unsigned.
    """
    n = dist.shape[0]
    most = 0
    for node in range(start, stop):
        most = max(most, first_out[node + 1] - first_out[node])
    tight = np.empty(_KEPT * n + most, np.int32)
    first_tight = np.empty(_NODES + 1, np.int32)
    unfinished = np.empty(_NODES, np.bool_)
    raw = np.empty((n + _NODES) * _LANES + 16, np.int32)
    line = (-raw.ctypes.data % 64) // 4
    strip = raw[line : line + n * _LANES]
    founds = raw[line + n * _LANES : line + (n + _NODES) * _LANES]
    first = start
    while first < stop:
        last = _tight_arcs(
            first_out, head, weight, dist, first, min(first + _NODES, stop), tight, first_tight
        )
        longest = 0
        for row in range(last - first):
            longest = max(longest, first_tight[row + 1] - first_tight[row])
        for left in range(0, n, _LANES):
            right = min(left + _LANES, n)
            _take_strip(dist, left, right, strip)
            for row in range(last - first):
                goal = strip[(first + row) * _LANES : (first + row + 1) * _LANES]
                found = founds[row * _LANES : (row + 1) * _LANES]
                for lane in range(_LANES):
                    sought = 0 < goal[lane] < INFINITY
                    found[lane] = _NO_PLACE if sought else np.int32(-1)
                unfinished[row] = True
            for turn in range(0, longest, _TURN):
                for row in range(last - first):
                    goal = strip[(first + row) * _LANES : (first + row + 1) * _LANES]
                    found = founds[row * _LANES : (row + 1) * _LANES]
                    begin = first_tight[row] + turn
                    for place in range(begin, min(begin + _TURN, first_tight[row + 1]), _ARCS):
                        if not unfinished[row]:
                            break
                        unfinished[row] = _lowest_of_eight(
                            head,
                            weight,
                            tight[place : place + _ARCS],
                            place,
                            strip,
                            goal,
                            found,
                        )
            for row in range(last - first):
                found = founds[row * _LANES : (row + 1) * _LANES]
                out = hop[first + row, left:right]
                for lane in range(len(out)):
                    place = found[lane]
                    out[lane] = slot[tight[place]] if place >= 0 else none
        first = last
