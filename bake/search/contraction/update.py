"""Weights of a contracted graph after an edit: only arcs that an edit bears upon are looked at.

From the lowest changed arc up, each is priced anew from the graph's own arc and its lower
triangles. Where that gives another weight, the third sides of its triangles follow that took it,
or that it improves (J. Dibbelt, B. Strasser, D. Wagner, "Customizable Contraction Hierarchies", JEA
21, 2016, section 7.3). What comes out is what customizing everything would give, to the last bit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bake.arrays import BoolArray, Int32Array, Int64Array
from bake.graph import INFINITY
from bake.kernels.heap import Heap, drop_first, push
from bake.kernels.jit import kernel
from bake.search.contraction.metric import Prices, Weights, arc_between
from bake.search.contraction.tree import Tree

#: Arcs that may wait at once. An edit that bears upon more is as well made by customizing anew.
MOST_WAITING = 2**16


class Lower(NamedTuple):
    """The arcs of a tree by their higher ends, and what updates keep beside them.

    Attributes:
        first: (n + 1) int64, where each rank's arcs from lower ranks begin.
        arc: (a) int64, these arcs, in the order of their lower ends.
        low: (a) int32, the lower end of each of them.
        waiting: (a) bool, arcs in the queue; all False between updates.
        heap: arcs by their lower end.
    """

    first: Int64Array
    arc: Int64Array
    low: Int32Array
    waiting: BoolArray
    heap: Heap


def lower_arcs(tree: Tree) -> Lower:
    """Lay out the arcs of a tree by their higher ends."""
    n, count = len(tree.order), tree.arc_count
    arc = np.argsort(tree.up, kind="stable")
    first = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(np.bincount(tree.up, minlength=n), out=first[1:])
    low = np.repeat(np.arange(n, dtype=np.int32), np.diff(tree.first_up))[arc]
    heap = np.empty((min(count, MOST_WAITING) + 1, 2), dtype=np.int64)
    return Lower(first, arc, low, np.zeros(count, dtype=np.bool_), heap)


@kernel
def reprice(
    tree: Tree,
    lower: Lower,
    prices: Prices,
    weights: Weights,
    tail: Int32Array,
    head: Int32Array,
    ticks: Int32Array,
) -> int:
    """Give arcs of the graph new weights, in place.

    Args:
        prices, weights: of the tree; both follow.
        tail, head: (k) int32 nodes that an arc of the tree joins.
        ticks: (k) int32, what the cheapest arc from tail to head weighs from now on; INFINITY
            where there is none. In two-way trees both directions are to be given.

    Returns:
        How many arcs of the tree changed, or -1 where too many wait: then ``prices`` are right and
        ``weights`` must be customized anew.
    """
    size = 0
    overflow = False
    for i in range(len(tail)):
        a, b = tree.rank[tail[i]], tree.rank[head[i]]
        low = min(a, b)
        arc = arc_between(tree, low, max(a, b))
        if a < b:
            prices.up[arc] = ticks[i]
        else:
            prices.down[arc] = ticks[i]
        if not lower.waiting[arc]:
            if size + 1 >= len(lower.heap):
                overflow = True
                continue
            lower.waiting[arc] = True
            size = push(lower.heap, size, low, arc)
    changed = 0
    while size > 0 and not overflow:
        low, arc = lower.heap[0, 0], lower.heap[0, 1]
        size = drop_first(lower.heap, size)
        lower.waiting[arc] = False
        if not _price_anew(tree, lower, prices, weights, low, arc):
            continue
        changed += 1
        high = tree.up[arc]
        for other in range(tree.first_up[low], tree.first_up[low + 1]):
            if other == arc:
                continue
            top = tree.up[other]
            third = arc_between(tree, min(high, top), max(high, top))
            if lower.waiting[third]:
                continue
            # The arcs of the triangle as they lead from the lower of both ends to the higher one.
            here, there = (arc, other) if high < top else (other, arc)
            if (
                weights.via_up[third] == low
                or weights.via_down[third] == low
                or int(weights.down[here]) + int(weights.up[there]) <= weights.up[third]
                or int(weights.down[there]) + int(weights.up[here]) <= weights.down[third]
            ):
                if size + 1 >= len(lower.heap):
                    overflow = True
                    break
                lower.waiting[third] = True
                size = push(lower.heap, size, min(high, top), third)
    if overflow:
        lower.waiting[:] = False
        return -1
    return changed


@kernel
def _price_anew(
    tree: Tree, lower: Lower, prices: Prices, weights: Weights, low: int, arc: int
) -> bool:
    """Price one arc from the graph's own and its lower triangles; whether its weight changed."""
    high = tree.up[arc]
    up, down = int(prices.up[arc]), int(prices.down[arc])
    via_up = via_down = -1
    for i in range(lower.first[low], lower.first[low + 1]):
        corner, one = lower.low[i], lower.arc[i]
        other = arc_between(tree, corner, high)
        if other < 0:
            continue
        to, back = int(weights.up[one]), int(weights.down[one])
        if back < INFINITY and back + int(weights.up[other]) < up:
            up = back + int(weights.up[other])
            via_up = corner
        if to < INFINITY and int(weights.down[other]) + to < down:
            down = int(weights.down[other]) + to
            via_down = corner
    differs = bool(weights.up[arc] != up or weights.down[arc] != down)
    weights.down[arc] = down
    weights.via_down[arc] = via_down
    weights.up[arc] = up
    weights.via_up[arc] = via_up
    return differs
