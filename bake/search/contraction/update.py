"""Weights of a contracted graph after an edit: only arcs that an edit bears upon are looked at.

Arcs are taken from the lowest up. One that became cheaper lowers the third sides of its triangles;
one that became dearer makes those doubtful that are no cheaper than the way through it, and these
are priced anew from the graph's own arc and their lower triangles (J. Dibbelt, B. Strasser,
D. Wagner, "Customizable Contraction Hierarchies", JEA 21, 2016, section 7.3). What comes out is
what customizing everything would give. Of several lower ranks that are as cheap to pass, ``via``
may name another one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bake.arrays import Int32Array, Int64Array, offsets
from bake.kernels.heap import Heap, drop_first, push
from bake.kernels.jit import kernel
from bake.search.contraction.metric import Prices, Weights, arc_between
from bake.search.contraction.tree import Tree

#: Arcs that one edit may bear upon. If there are more, customizing everything is as fast.
# limit: all arcs are customized again; lowered by edits
MOST_TOUCHED = 2**16

#: Which weights of a touched arc are doubtful: bits of a number, by the side.
DOUBT = (1, 2)

#: The two sides of an arc: up it, and down it.
UP, DOWN = 0, 1

#: Columns of ``Lower.below`` and, after the weights up and down, of ``Lower.touched``.
LOW, ARC = 0, 1
DOUBTFUL, TOUCHED = 2, 3

#: Places of ``Lower.counts``.
WAITING, COUNT = 0, 1


class Lower(NamedTuple):
    """The arcs of a tree by their higher ends, and what updates keep beside them.

    Attributes:
        first: (n + 1) int64, where each rank's arcs from lower ranks begin.
        below: (a, 2) int32, the lower end of each of them, ascending, and the arc itself.
        slot: (a) int32, 1 + the place of a touched arc in ``touched``; 0 throughout between
            updates.
        touched: (t, 4) int32, what touched arcs weighed up and down before, which of the two is
            doubtful, and the arc, in the order in which they were touched.
        group: (d) int32, the changed arcs of one lower end; as many as any node has.
        heap: arcs by their lower end.
        counts: (2) int64, how many arcs wait in the heap, and how many are touched, which is one
            more than there is room for from the first one on that finds no room.
    """

    first: Int64Array
    below: Int32Array
    slot: Int32Array
    touched: Int32Array
    group: Int32Array
    heap: Heap
    counts: Int64Array


def lower_arcs(tree: Tree) -> Lower:
    """Lay out the arcs of a tree by their higher ends."""
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
    """Give arcs of the graph new weights, in place.

    Kernels called here take arrays one by one: each bundle they would take is counted reference by
    reference at every call, which takes longer than they do.

    Args:
        prices, weights: of the tree; both follow.
        tail, head: (k) int32 nodes that an arc of the tree joins.
        ticks: (k) int32, what the cheapest arc from tail to head weighs from now on; INFINITY
            where there is none. In two-way trees both directions are to be given.
        two_way: whether both directions are one array.

    Returns:
        How many arcs of the tree changed, or -1 where an edit bears upon too many: then ``prices``
        are right and ``weights`` must be customized anew.
    """
    first_up, heads, rank = tree.first_up, tree.up, tree.rank
    first, below, slot, touched, group, heap, counts = lower
    price_up, price_down = prices
    up, down, via_up, via_down = weights
    counts[WAITING] = 0
    counts[COUNT] = 0
    for i in range(len(tail)):
        a, b = rank[tail[i]], rank[head[i]]
        low = min(a, b)
        arc = arc_between(tree, low, max(a, b))
        if a < b or two_way:
            price_up[arc] = ticks[i]
            _begin(slot, touched, heap, counts, up, down, via_up, low, arc, ticks[i], UP)
        else:
            price_down[arc] = ticks[i]
            _begin(slot, touched, heap, counts, down, up, via_down, low, arc, ticks[i], DOWN)
    changed = 0
    while counts[WAITING] > 0 and counts[COUNT] <= len(touched):
        # Arcs with one lower end do not depend on each other, but their third sides on both.
        low = heap[0, 0]
        same = 0
        while counts[WAITING] > 0 and heap[0, 0] == low:
            arc = heap[0, 1]
            counts[WAITING] = drop_first(heap, counts[WAITING])
            place = slot[arc] - 1
            doubtful = touched[place, DOUBTFUL]
            if doubtful & DOUBT[UP] or (two_way and doubtful):
                _price_anew(heads, first, below, price_up, down, up, via_up, low, arc)
            if doubtful & DOUBT[DOWN] and not two_way:
                _price_anew(heads, first, below, price_down, up, down, via_down, low, arc)
            if up[arc] != touched[place, UP] or down[arc] != touched[place, DOWN]:
                group[same] = arc
                same += 1
        changed += same
        for i in range(same):
            arc = group[i]
            place = slot[arc] - 1
            old, old_down = touched[place, UP], touched[place, DOWN]
            if up[arc] != old:
                _spread(first_up, heads, first, below, slot, touched, heap, counts,
                    up, down, via_up, via_down, low, arc, UP)  # fmt: skip
            if down[arc] != old_down and not two_way:
                _spread(first_up, heads, first, below, slot, touched, heap, counts,
                    down, up, via_down, via_up, low, arc, DOWN)  # fmt: skip
    if counts[COUNT] > len(touched):
        slot[:] = 0
        return -1
    for place in range(counts[COUNT]):
        slot[touched[place, TOUCHED]] = 0
    return changed


@kernel
def _begin(
    slot: Int32Array,
    touched: Int32Array,
    heap: Heap,
    counts: Int64Array,
    mine: Int32Array,
    other: Int32Array,
    via: Int32Array,
    low: int,
    arc: int,
    ticks: int,
    side: int,
) -> None:
    """Let an arc follow the new weight of the graph's own.

    Args:
        mine, other: weights of this side and of the other one.
        via: of this side.
        side: UP or DOWN.
    """
    if ticks < mine[arc]:
        if _touch(slot, touched, heap, counts, mine, other, low, arc, side, 0):
            mine[arc] = ticks
            via[arc] = -1
    elif ticks > mine[arc] and via[arc] < 0:
        _touch(slot, touched, heap, counts, mine, other, low, arc, side, DOUBT[side])


@kernel
def _touch(
    slot: Int32Array,
    touched: Int32Array,
    heap: Heap,
    counts: Int64Array,
    mine: Int32Array,
    other: Int32Array,
    low: int,
    arc: int,
    side: int,
    doubtful: int,
) -> bool:
    """Queue an arc, before its weight changes.

    Args:
        mine, other: weights of one side and of the other one.
        side: UP or DOWN, the side of ``mine``.
        doubtful: bits of DOUBT.

    Returns:
        False where there is no room for it. Then there is none for any later arc either, because
        the count stays beyond the room.
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
    touched[place, side] = mine[arc]
    touched[place, 1 - side] = other[arc]
    touched[place, DOUBTFUL] = doubtful
    touched[place, TOUCHED] = arc
    counts[COUNT] = place + 1
    counts[WAITING] = push(heap, counts[WAITING], low, arc)
    return True


@kernel
def _first_above(first: Int64Array, below: Int32Array, high: int, least: int) -> int:
    """Return the first of a rank's arcs from below whose lower end is this one or a higher one."""
    begin, end = first[high], first[high + 1]
    while begin < end:
        middle = (begin + end) >> 1
        if below[middle, LOW] < least:
            begin = middle + 1
        else:
            end = middle
    return int(begin)


@kernel
def _price_anew(
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
    """Price one side of an arc from the graph's own and its lower triangles.

    Args:
        heads: the higher end of each arc of the tree.
        first, below: see :class:`Lower`.
        price: of this side.
        to_corner: weights from an arc's end to its lower corner, seen from where this begins.
        onward: weights of this side, which are written.
        via: of this side, written.
    """
    high = heads[arc]
    # No arc is priced above what it will cost, so the first that costs no more is the cheapest.
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
def _spread(
    first_up: Int64Array,
    heads: Int32Array,
    first: Int64Array,
    below: Int32Array,
    slot: Int32Array,
    touched: Int32Array,
    heap: Heap,
    counts: Int64Array,
    mine: Int32Array,
    other: Int32Array,
    via_mine: Int32Array,
    via_other: Int32Array,
    low: int,
    arc: int,
    side: int,
) -> None:
    """Let the third sides of an arc's triangles follow a change of one of its sides.

    The way up the arc goes on from the way down another arc of the same lower end, and before the
    way down it comes the way up another. So third sides to the arc's higher end change on the same
    side, and those on from it on the other one.

    Args:
        first_up, heads: of the tree.
        first, below, slot, touched, heap, counts: see :class:`Lower`.
        mine, other: weights of the side that changed, and of the other one.
        via_mine, via_other: likewise.
        side: UP or DOWN, which has changed.
    """
    high, new = heads[arc], int(mine[arc])
    dearer = new > touched[slot[arc] - 1, side]
    begin, end = first_up[low], first_up[low + 1]
    place = _first_above(first, below, high, low + 1)
    for each in range(begin, arc):
        while below[place, LOW] < heads[each]:
            place += 1
        third = below[place, ARC]
        ticks = new + int(other[each])
        if ticks < mine[third]:
            if not _touch(slot, touched, heap, counts, mine, other, heads[each], third, side, 0):
                return
            mine[third] = ticks
            via_mine[third] = low
        elif dearer and via_mine[third] == low:
            doubt = DOUBT[side]
            if not _touch(
                slot, touched, heap, counts, mine, other, heads[each], third, side, doubt
            ):
                return
    third = first_up[high]
    for each in range(arc + 1, end):
        while heads[third] < heads[each]:
            third += 1
        ticks = new + int(other[each])
        if ticks < other[third]:
            if not _touch(slot, touched, heap, counts, mine, other, high, third, side, 0):
                return
            other[third] = ticks
            via_other[third] = low
        elif dearer and via_other[third] == low:
            doubt = DOUBT[1 - side]
            if not _touch(slot, touched, heap, counts, mine, other, high, third, side, doubt):
                return


#: The kernels that Python calls.
KERNELS = (_fill_lower, reprice)
