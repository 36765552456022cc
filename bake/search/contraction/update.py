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

from bake.arrays import Int32Array, Int64Array
from bake.graph import INFINITY
from bake.kernels.heap import Heap, drop_first, push
from bake.kernels.jit import kernel
from bake.search.contraction.metric import Prices, Weights, arc_between
from bake.search.contraction.tree import Tree

#: Arcs that one edit may bear upon. If there are more, customizing everything is as fast.
MOST_TOUCHED = 2**16

#: Which weights of a touched arc are doubtful: bits of a number.
UP, DOWN = 1, 2


class Lower(NamedTuple):
    """The arcs of a tree by their higher ends, and what updates keep beside them.

    Attributes:
        first: (n + 1) int64, where each rank's arcs from lower ranks begin.
        arc: (a) int32, these arcs, in the order of their lower ends.
        low: (a) int32, the lower end of each of them.
        slot: (a) int32, 1 + the place of a touched arc in ``before``; 0 throughout between updates.
        before: (t, 3) int32, what touched arcs weighed up and down before, and which of the two is
            doubtful.
        touched: (t) int32, the touched arcs, in the order in which they were touched.
        group: (d) int32, the changed arcs of one lower end; as many as any node has.
        heap: arcs by their lower end.
    """

    first: Int64Array
    arc: Int32Array
    low: Int32Array
    slot: Int32Array
    before: Int32Array
    touched: Int32Array
    group: Int32Array
    heap: Heap


def lower_arcs(tree: Tree) -> Lower:
    """Lay out the arcs of a tree by their higher ends."""
    n, count = len(tree.order), tree.arc_count
    first = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(np.bincount(tree.up, minlength=n), out=first[1:])
    arc, low = np.empty((2, count), dtype=np.int32)
    _fill_lower(tree, first[:-1].copy(), arc, low)
    most = min(count, MOST_TOUCHED)
    return Lower(
        first,
        arc,
        low,
        np.zeros(count, dtype=np.int32),
        np.empty((most, 3), dtype=np.int32),
        np.empty(most, dtype=np.int32),
        np.empty(int(np.diff(tree.first_up).max(initial=0)), dtype=np.int32),
        np.empty((most + 1, 2), dtype=np.int64),
    )


@kernel
def _fill_lower(tree: Tree, place: Int64Array, arc: Int32Array, low: Int32Array) -> None:
    for rank in range(len(tree.order)):
        for each in range(tree.first_up[rank], tree.first_up[rank + 1]):
            high = tree.up[each]
            arc[place[high]] = each
            low[place[high]] = rank
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
    size = count = 0
    for i in range(len(tail)):
        a, b = tree.rank[tail[i]], tree.rank[head[i]]
        low = min(a, b)
        arc = arc_between(tree, low, max(a, b))
        price, here, via, doubt = prices.up, weights.up, weights.via_up, UP
        if b < a and not two_way:
            price, here, via, doubt = prices.down, weights.down, weights.via_down, DOWN
        price[arc] = ticks[i]
        if count < 0:
            continue
        if ticks[i] < here[arc]:
            size, count = _touch(lower, weights, size, count, low, arc, 0)
            if count >= 0:
                here[arc] = ticks[i]
                via[arc] = -1
        elif ticks[i] > here[arc] and via[arc] < 0:
            size, count = _touch(lower, weights, size, count, low, arc, doubt)
    changed = 0
    while size > 0 and count >= 0:
        # Arcs with one lower end do not depend on each other, but their third sides on both.
        low = lower.heap[0, 0]
        same = 0
        while size > 0 and lower.heap[0, 0] == low:
            arc = lower.heap[0, 1]
            size = drop_first(lower.heap, size)
            _settle(tree, lower, prices, weights, low, arc, two_way)
            slot = lower.slot[arc] - 1
            if (
                weights.up[arc] != lower.before[slot, 0]
                or weights.down[arc] != lower.before[slot, 1]
            ):
                lower.group[same] = arc
                same += 1
        changed += same
        for i in range(same):
            arc = lower.group[i]
            if count >= 0:
                size, count = _spread(tree, lower, weights, size, count, low, arc, UP)
            if count >= 0 and not two_way:
                size, count = _spread(tree, lower, weights, size, count, low, arc, DOWN)
    if count < 0:
        lower.slot[:] = 0
        return -1
    for slot in range(count):
        lower.slot[lower.touched[slot]] = 0
    return changed


@kernel
def _settle(
    tree: Tree,
    lower: Lower,
    prices: Prices,
    weights: Weights,
    low: int,
    arc: int,
    two_way: bool,
) -> None:
    """Price the doubtful directions of an arc anew."""
    up, down = weights.up, weights.down
    doubtful = lower.before[lower.slot[arc] - 1, 2]
    if doubtful & UP or (two_way and doubtful):
        _price_anew(tree, lower, prices.up, down, up, weights.via_up, low, arc)
    if doubtful & DOWN and not two_way:
        _price_anew(tree, lower, prices.down, up, down, weights.via_down, low, arc)


@kernel
def _touch(
    lower: Lower, weights: Weights, size: int, count: int, low: int, arc: int, doubtful: int
) -> tuple[int, int]:
    """Queue an arc, before its weight changes; return how many wait, and are touched or -1."""
    slot = lower.slot[arc] - 1
    if slot >= 0:
        lower.before[slot, 2] |= doubtful
        return size, count
    if count >= len(lower.touched):
        return size, -1
    lower.slot[arc] = count + 1
    lower.touched[count] = arc
    lower.before[count, 0] = weights.up[arc]
    lower.before[count, 1] = weights.down[arc]
    lower.before[count, 2] = doubtful
    return push(lower.heap, size, low, arc), count + 1


@kernel
def _first_above(lower: Lower, high: int, least: int) -> int:
    """Return the first of a rank's arcs from below whose lower end is this one or a higher one."""
    begin, end = lower.first[high], lower.first[high + 1]
    while begin < end:
        middle = (begin + end) >> 1
        if lower.low[middle] < least:
            begin = middle + 1
        else:
            end = middle
    return int(begin)


@kernel
def _price_anew(
    tree: Tree,
    lower: Lower,
    price: Int32Array,
    to_corner: Int32Array,
    onward: Int32Array,
    via: Int32Array,
    low: int,
    arc: int,
) -> None:
    """Price one direction of an arc from the graph's own and its lower triangles.

    Args:
        price: of this direction.
        to_corner: weights from an arc's end to its lower corner, seen from where this begins.
        onward: weights of this direction, which are written.
        via: of this direction, written.
    """
    high = tree.up[arc]
    # No arc is priced above what it will cost, so the first that costs no more is the cheapest.
    least = onward[arc]
    best, cheapest = int(price[arc]), -1
    begin, end = lower.first[low], lower.first[low + 1]
    if begin < end:
        place = _first_above(lower, high, lower.low[begin])
        until = lower.first[high + 1]
        for i in range(begin, end):
            corner = lower.low[i]
            while place < until and lower.low[place] < corner:
                place += 1
            if place == until or best <= least:
                break
            to = to_corner[lower.arc[i]]
            if lower.low[place] == corner and to < best:
                ticks = int(to) + int(onward[lower.arc[place]])
                if ticks < best:
                    best, cheapest = ticks, int(corner)
    onward[arc] = best
    via[arc] = cheapest


@kernel
def _spread(
    tree: Tree,
    lower: Lower,
    weights: Weights,
    size: int,
    count: int,
    low: int,
    arc: int,
    direction: int,
) -> tuple[int, int]:
    """Let the third sides of an arc's triangles follow one of its directions; see :func:`_touch`.

    The way up the arc goes on from the way down another arc of the same lower end, and before the
    way down it comes the way up another.
    """
    high = tree.up[arc]
    slot = lower.slot[arc] - 1
    if direction == UP:
        old, new, partner = lower.before[slot, 0], weights.up[arc], weights.down
    else:
        old, new, partner = lower.before[slot, 1], weights.down[arc], weights.up
    if new == old:
        return size, count
    begin, end = tree.first_up[low], tree.first_up[low + 1]
    # Third sides lead to the higher end from between both ends, and on from it.
    place, onward = _first_above(lower, high, low + 1), tree.first_up[high]
    for other in range(begin, end):
        top = tree.up[other]
        if top == high:
            continue
        if top < high:
            while lower.low[place] < top:
                place += 1
            below, third = top, int(lower.arc[place])
        else:
            while tree.up[onward] < top:
                onward += 1
            below, third = high, int(onward)
        upward = (top < high) == (direction == UP)
        here = weights.up if upward else weights.down
        via = weights.via_up if upward else weights.via_down
        ticks = min(int(new) + int(partner[other]), INFINITY)
        if ticks < here[third]:
            size, count = _touch(lower, weights, size, count, below, third, 0)
            if count < 0:
                return size, count
            here[third] = ticks
            via[third] = low
        elif new > old and via[third] == low:
            doubt = UP if upward else DOWN
            size, count = _touch(lower, weights, size, count, below, third, doubt)
            if count < 0:
                return size, count
    return size, count
