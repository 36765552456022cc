"""Update the weights of a contracted graph after an edit, reading only affected arcs.

Arcs are processed from the lowest up. An arc that became cheaper lowers the third sides of its
triangles. An arc that became more expensive makes doubtful those third sides that are no cheaper
than the path through it, and these are recomputed from the graph's own arc and their lower
triangles (J. Dibbelt, B. Strasser, D. Wagner, "Customizable Contraction Hierarchies", JEA 21, 2016,
section 7.3). The result equals a full customization, except that ``via`` may choose another of
several equally cheap lower ranks.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bake.core.arrays import Int32Array, Int64Array, offsets
from bake.core.kernels.heap import Heap, drop_first, push
from bake.core.kernels.jit import kernel
from bake.search.contraction.metric import Prices, Weights, arc_between
from bake.search.contraction.tree import Tree

#: The most arcs that one edit may affect. Above it, a full customization is as fast.
# limit: all arcs are customized again; lowered by edits
MOST_TOUCHED = 2**16

#: Bits that mark the weights of a touched arc as doubtful, by side.
DOUBT = (1, 2)

#: The two sides of an arc: up and down.
UP, DOWN = 0, 1

#: Columns of ``Lower.below`` and, after the weights up and down, of ``Lower.touched``.
LOW, ARC = 0, 1
DOUBTFUL, TOUCHED = 2, 3

#: Indices of ``Lower.counts``.
QUEUED, COUNT = 0, 1


class Lower(NamedTuple):
    """The arcs of a tree by their higher ends, and the buffers of updates."""

    #: (n + 1) int64, the offset of each rank's arcs from lower ranks.
    first: Int64Array
    #: (a, 2) int32, the lower end of each of them, ascending, and the arc itself.
    below: Int32Array
    #: (a) int32, 1 + the index of a touched arc in ``touched``; all 0 between updates.
    slot: Int32Array
    #: (t, 4) int32, of touched arcs the previous weights up and down, the doubtful sides, and the
    #: arc, in the order in which they were touched.
    touched: Int32Array
    #: (d) int32, the changed arcs of one lower end; d is the largest degree.
    group: Int32Array
    #: Arcs by their lower end.
    heap: Heap
    #: (2) int64, the number of arcs in the heap, and of touched arcs; the latter exceeds the
    #: capacity by one as soon as an arc does not fit.
    counts: Int64Array


def lower_arcs(tree: Tree) -> Lower:
    """Build the index of a tree's arcs by their higher ends."""
    n, count = len(tree.order), tree.arc_count
    first = offsets(np.bincount(tree.up, minlength=n), np.int64)
    below = np.empty((count, 2), dtype=np.int32)
    _fill_lower(tree, first[:-1].copy(), below)
    most = min(count, MOST_TOUCHED)
    return Lower(
        first,
        below,
        np.zeros(count, dtype=np.int32),
        np.empty((most, 4), dtype=np.int32),
        np.empty(int(np.diff(tree.first_up).max(initial=0)), dtype=np.int32),
        np.empty((most + 1, 2), dtype=np.int64),
        np.zeros(2, dtype=np.int64),
    )


@kernel
def _fill_lower(tree: Tree, place: Int64Array, below: Int32Array) -> None:
    for rank in range(len(tree.order)):
        for arc in range(tree.first_up[rank], tree.first_up[rank + 1]):
            high = tree.up[arc]
            below[place[high], LOW] = rank
            below[place[high], ARC] = arc
            place[high] += 1


@kernel
def reprice(
    tree: Tree,
    lower: Lower,
    prices: Prices,
    weights: Weights,
    tail: Int32Array,
    head: Int32Array,
    ticks: Int32Array,
    two_way: bool,
) -> int:
    """Change the weights of graph arcs in place, and update the weights of the tree.

    Kernels called here take arrays one by one: a bundle's references are counted at every call,
    which takes longer than the kernels themselves.

    Args:
        prices, weights: of the tree; both are updated.
        tail, head: (k) int32 nodes that an arc of the tree joins.
        ticks: (k) int32, the new weight of the cheapest arc from tail to head; INFINITY if there is
            none. Two-way trees need both directions.
        two_way: whether both directions are one array.

    Returns:
        The number of changed arcs of the tree, or -1 if the edit affects too many: then ``prices``
        are valid and ``weights`` must be customized again.
    """
    first_up, heads, rank = tree.first_up, tree.up, tree.rank
    first, below, slot, touched, group, heap, counts = lower
    price_up, price_down = prices
    up, down, via_up, via_down = weights
    counts[QUEUED] = 0
    counts[COUNT] = 0
    for i in range(len(tail)):
        a, b = rank[tail[i]], rank[head[i]]
        low = min(a, b)
        arc = arc_between(tree, low, max(a, b))
        if a < b or two_way:
            price_up[arc] = ticks[i]
            _start_update(slot, touched, heap, counts, up, down, via_up, low, arc, ticks[i], UP)
        else:
            price_down[arc] = ticks[i]
            _start_update(slot, touched, heap, counts, down, up, via_down, low, arc, ticks[i], DOWN)
    changed = 0
    while counts[QUEUED] > 0 and counts[COUNT] <= len(touched):
        # Arcs with one lower end do not depend on each other, but their third sides depend on both.
        low = heap[0, 0]
        group_size = 0
        while counts[QUEUED] > 0 and heap[0, 0] == low:
            arc = heap[0, 1]
            counts[QUEUED] = drop_first(heap, counts[QUEUED])
            place = slot[arc] - 1
            doubtful = touched[place, DOUBTFUL]
            if doubtful & DOUBT[UP] or (two_way and doubtful):
                _recompute(heads, first, below, price_up, down, up, via_up, low, arc)
            if doubtful & DOUBT[DOWN] and not two_way:
                _recompute(heads, first, below, price_down, up, down, via_down, low, arc)
            if up[arc] != touched[place, UP] or down[arc] != touched[place, DOWN]:
                group[group_size] = arc
                group_size += 1
        changed += group_size
        for i in range(group_size):
            arc = group[i]
            place = slot[arc] - 1
            old, old_down = touched[place, UP], touched[place, DOWN]
            if up[arc] != old:
                _propagate(first_up, heads, first, below, slot, touched, heap, counts,
                    up, down, via_up, via_down, low, arc, UP)  # fmt: skip
            if down[arc] != old_down and not two_way:
                _propagate(first_up, heads, first, below, slot, touched, heap, counts,
                    down, up, via_down, via_up, low, arc, DOWN)  # fmt: skip
    if counts[COUNT] > len(touched):
        slot[:] = 0
        return -1
    for place in range(counts[COUNT]):
        slot[touched[place, TOUCHED]] = 0
    return changed


@kernel
def _start_update(
    slot: Int32Array,
    touched: Int32Array,
    heap: Heap,
    counts: Int64Array,
    weight: Int32Array,
    opposite: Int32Array,
    via: Int32Array,
    low: int,
    arc: int,
    ticks: int,
    side: int,
) -> None:
    """Start an update at a tree arc whose graph arc has a new weight.

    Args:
        weight, opposite: weights of this side and of the other one.
        via: of this side.
        side: UP or DOWN.
    """
    if ticks < weight[arc]:
        if _touch(slot, touched, heap, counts, weight, opposite, low, arc, side, 0):
            weight[arc] = ticks
            via[arc] = -1
    elif ticks > weight[arc] and via[arc] < 0:
        _touch(slot, touched, heap, counts, weight, opposite, low, arc, side, DOUBT[side])


@kernel
def _touch(
    slot: Int32Array,
    touched: Int32Array,
    heap: Heap,
    counts: Int64Array,
    weight: Int32Array,
    opposite: Int32Array,
    low: int,
    arc: int,
    side: int,
    doubtful: int,
) -> bool:
    """Queue an arc before its weight changes.

    Args:
        weight, opposite: weights of one side and of the other one.
        side: UP or DOWN, the side of ``weight``.
        doubtful: bits of DOUBT.

    Returns:
        False if the buffer is full. Then no later arc fits either, because the count stays above
        the capacity.
    """
    place = slot[arc] - 1
    if place >= 0:
        touched[place, DOUBTFUL] |= doubtful
        return True
    place = counts[COUNT]
    if place >= len(touched):
        counts[COUNT] = len(touched) + 1
        return False
    slot[arc] = place + 1
    touched[place, side] = weight[arc]
    touched[place, 1 - side] = opposite[arc]
    touched[place, DOUBTFUL] = doubtful
    touched[place, TOUCHED] = arc
    counts[COUNT] = place + 1
    counts[QUEUED] = push(heap, counts[QUEUED], low, arc)
    return True


@kernel
def _first_above(first: Int64Array, below: Int32Array, high: int, least: int) -> int:
    """Return the first of a rank's arcs from below whose lower end is at least ``least``."""
    begin, end = first[high], first[high + 1]
    while begin < end:
        middle = (begin + end) >> 1
        if below[middle, LOW] < least:
            begin = middle + 1
        else:
            end = middle
    return int(begin)


@kernel
def _recompute(
    heads: Int32Array,
    first: Int64Array,
    below: Int32Array,
    price: Int32Array,
    to_corner: Int32Array,
    onward: Int32Array,
    via: Int32Array,
    low: int,
    arc: int,
) -> None:
    """Recompute one side of an arc from the graph's own arc and the lower triangles.

    Args:
        heads: the higher end of each arc of the tree.
        first, below: see :class:`Lower`.
        price: of this side.
        to_corner: weights from this side's start to the lower corner of a triangle.
        onward: weights of this side, written.
        via: of this side, written.
    """
    high = heads[arc]
    # The current weight is a lower bound, so the first path that reaches it is the cheapest.
    least = onward[arc]
    best, cheapest = int(price[arc]), -1
    begin, end = first[low], first[low + 1]
    if begin < end:
        place = _first_above(first, below, high, below[begin, LOW])
        until = first[high + 1]
        for i in range(begin, end):
            corner = below[i, LOW]
            while place < until and below[place, LOW] < corner:
                place += 1
            if place == until or best <= least:
                break
            to = int(to_corner[below[i, ARC]])
            if below[place, LOW] == corner and to < best:
                ticks = to + int(onward[below[place, ARC]])
                if ticks < best:
                    best, cheapest = ticks, int(corner)
    onward[arc] = best
    via[arc] = cheapest


@kernel
def _propagate(
    first_up: Int64Array,
    heads: Int32Array,
    first: Int64Array,
    below: Int32Array,
    slot: Int32Array,
    touched: Int32Array,
    heap: Heap,
    counts: Int64Array,
    weight: Int32Array,
    opposite: Int32Array,
    via_same: Int32Array,
    via_opposite: Int32Array,
    low: int,
    arc: int,
    side: int,
) -> None:
    """Propagate the change of one side of an arc to the third sides of its triangles.

    The path up the arc continues a path down another arc of the same lower end, and precedes a path
    up from the lower end. So third sides to the arc's higher end change on the same side, and third
    sides from it change on the other one.

    Args:
        first_up, heads: of the tree.
        first, below, slot, touched, heap, counts: see :class:`Lower`.
        weight, opposite: weights of the side that changed, and of the other one.
        via_same, via_opposite: the same for ``via``.
        side: UP or DOWN, which has changed.
    """
    high, new = heads[arc], int(weight[arc])
    increased = new > touched[slot[arc] - 1, side]
    begin, end = first_up[low], first_up[low + 1]
    place = _first_above(first, below, high, low + 1)
    for neighbor_arc in range(begin, arc):
        while below[place, LOW] < heads[neighbor_arc]:
            place += 1
        third = below[place, ARC]
        ticks = new + int(opposite[neighbor_arc])
        if ticks < weight[third]:
            if not _touch(
                slot, touched, heap, counts, weight, opposite, heads[neighbor_arc], third, side, 0
            ):
                return
            weight[third] = ticks
            via_same[third] = low
        elif increased and via_same[third] == low:
            doubt = DOUBT[side]
            if not _touch(
                slot,
                touched,
                heap,
                counts,
                weight,
                opposite,
                heads[neighbor_arc],
                third,
                side,
                doubt,
            ):
                return
    third = first_up[high]
    for neighbor_arc in range(arc + 1, end):
        while heads[third] < heads[neighbor_arc]:
            third += 1
        ticks = new + int(opposite[neighbor_arc])
        if ticks < opposite[third]:
            if not _touch(slot, touched, heap, counts, weight, opposite, high, third, side, 0):
                return
            opposite[third] = ticks
            via_opposite[third] = low
        elif increased and via_opposite[third] == low:
            doubt = DOUBT[1 - side]
            if not _touch(slot, touched, heap, counts, weight, opposite, high, third, side, doubt):
                return


#: The kernels that Python calls.
KERNELS = (_fill_lower, reprice)
