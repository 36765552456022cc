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

#: Arcs, for each node of the graph, that it keeps in mind together.
_KEPT = 256

#: Arcs of its innermost loop (written out), and arcs between two looks at whether any are needed.
_ARCS = 4
_ROUND = 16

_NOBODY = np.int32(2**31 - 1)


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
def _take_strip(
    dist: Int32Array, left: int, right: int, strip: Int32Array, nearest: Int32Array
) -> None:
    """Columns left to right as rows of _LANES, and the least distance in each row."""
    for node in range(dist.shape[0]):
        here = dist[node, left:right]
        there = strip[node * _LANES : (node + 1) * _LANES]
        least = _NOBODY
        for lane in range(len(here)):
            there[lane] = here[lane]
            least = min(least, here[lane])
        for lane in range(len(here), _LANES):
            there[lane] = INFINITY
        nearest[node] = least


@kernel
def _lowest_arcs(
    head: Int32Array,
    weight: Int32Array,
    arcs: Int32Array,
    strip: Int32Array,
    nearest: Int32Array,
    goal: Int32Array,
    found: Int32Array,
) -> None:
    """The lowest of a node's tight arcs that begins a shortest path to each target of a strip."""
    farthest = np.int32(-1)
    for lane in range(_LANES):
        farthest = max(farthest, goal[lane])
    for at in range(0, len(arcs), _ARCS):
        if at % _ROUND == 0:
            highest = np.int32(-1)
            for lane in range(_LANES):
                highest = max(highest, found[lane])
            if highest < _NOBODY:
                return
        four = arcs[at : at + _ARCS]
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
            best = arc3 if np.int32(row3[lane] + cost3) == wanted else _NOBODY
            best = arc2 if np.int32(row2[lane] + cost2) == wanted else best
            best = arc1 if np.int32(row1[lane] + cost1) == wanted else best
            best = arc0 if np.int32(row0[lane] + cost0) == wanted else best
            found[lane] = min(found[lane], best)


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
    """:func:`lowest_first_moves` for nodes with many arcs, from the whole matrix of distances.

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
    first_tight = np.empty(n + 1, np.int32)
    nearest = np.empty(n, np.int32)
    raw = np.empty((n + 2) * _LANES + 16, np.int32)
    line = (-raw.ctypes.data % 64) // 4
    strip = raw[line : line + n * _LANES]
    goal = raw[line + n * _LANES : line + (n + 1) * _LANES]
    found = raw[line + (n + 1) * _LANES : line + (n + 2) * _LANES]
    first = start
    while first < stop:
        last = _tight_arcs(first_out, head, weight, dist, first, stop, tight, first_tight)
        for left in range(0, n, _LANES):
            right = min(left + _LANES, n)
            _take_strip(dist, left, right, strip, nearest)
            for node in range(first, last):
                here = strip[node * _LANES : (node + 1) * _LANES]
                for lane in range(_LANES):
                    wanted = here[lane]
                    sought = 0 < wanted < INFINITY
                    goal[lane] = wanted if sought else np.int32(-1)
                    found[lane] = _NOBODY if sought else np.int32(-1)
                arcs = tight[first_tight[node - first] : first_tight[node - first + 1]]
                _lowest_arcs(head, weight, arcs, strip, nearest, goal, found)
                out = hop[node, left:right]
                for lane in range(len(out)):
                    arc = found[lane]
                    out[lane] = slot[arc] if arc >= 0 else none
        first = last
