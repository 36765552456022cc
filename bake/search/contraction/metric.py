"""Weights of a contracted graph: the cost of each shortcut, for all of them or around an edit.

Customization lowers the third side of every triangle, from the lowest corner up (J. Dibbelt,
B. Strasser, D. Wagner, "Customizable Contraction Hierarchies", JEA 21, 2016, sections 6 and 7). An
arc then costs as much as the shortest path between its ends through lower ranks.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bake.core.arrays import Int32Array
from bake.core.graph import INFINITY, Graph
from bake.core.kernels.jit import kernel
from bake.search.contraction.tree import Tree


class Prices(NamedTuple):
    """The weights of the graph's own arcs, by tree arc; INFINITY where there is no arc."""

    #: (a) int32 ticks from the lower end to the higher one.
    up: Int32Array
    #: (a) int32 ticks back; the same array if every arc has a reverse arc of the same weight.
    down: Int32Array


class Weights(NamedTuple):
    """The weights of the arcs of a tree, including shortcuts."""

    #: (a) int32 ticks from the lower end to the higher one; INFINITY where there is no path.
    up: Int32Array
    #: (a) int32 ticks back; the same array if every arc has a reverse arc of the same weight.
    down: Int32Array
    #: (a) int32, the lower rank on the cheapest path, -1 if an arc of the graph itself is as cheap;
    #: the same array if ``up`` and ``down`` are.
    via_up: Int32Array
    via_down: Int32Array

    @property
    def two_way(self) -> bool:
        """Whether both directions are one array."""
        return self.up is self.down


def price_arcs(tree: Tree, graph: Graph, weight: Int32Array, *, two_way: bool) -> Prices:
    """Assign each arc of a tree the weight of the cheapest graph arc between its ends.

    Args:
        graph, weight: arcs of the graph and their ticks; arcs of INFINITY and more are omitted.
        two_way: whether every arc has a reverse arc of the same weight.
    """
    up = np.full(tree.arc_count, INFINITY, dtype=np.int32)
    prices = Prices(up, up if two_way else up.copy())
    _price(tree, graph.first_out, graph.head, weight, prices)
    return prices


def customize(tree: Tree, prices: Prices) -> Weights:
    """Compute the weight of every arc: the cost of the shortest path through lower ranks."""
    up, via = prices.up.copy(), np.full(tree.arc_count, -1, dtype=np.int32)
    if prices.down is prices.up:
        weights = Weights(up, up, via, via)
    else:
        weights = Weights(up, prices.down.copy(), via, via.copy())
    _customize(tree, weights, weights.two_way)
    return weights


@kernel
def arc_between(tree: Tree, low: int, high: int) -> int:
    """Return the arc from a rank to a higher one, by binary search, or -1."""
    begin, end = tree.first_up[low], tree.first_up[low + 1]
    while begin < end:
        middle = (begin + end) >> 1
        if tree.up[middle] < high:
            begin = middle + 1
        else:
            end = middle
    if begin < tree.first_up[low + 1] and tree.up[begin] == high:
        return int(begin)
    return -1


@kernel
def _price(
    tree: Tree, first_out: Int32Array, head: Int32Array, weight: Int32Array, prices: Prices
) -> None:
    for tail in range(len(tree.order)):
        a = tree.rank[tail]
        for out in range(first_out[tail], first_out[tail + 1]):
            b = tree.rank[head[out]]
            if a < b:
                arc = arc_between(tree, a, b)
                prices.up[arc] = min(prices.up[arc], weight[out])
            elif b < a:
                arc = arc_between(tree, b, a)
                prices.down[arc] = min(prices.down[arc], weight[out])


@kernel
def _customize(tree: Tree, weights: Weights, two_way: bool) -> None:
    first_up, up = tree.first_up, tree.up
    rise, fall = weights.up, weights.down
    for low in range(len(tree.order)):
        end = first_up[low + 1]
        for one in range(first_up[low], end):
            to, back = rise[one], fall[one]
            if to >= INFINITY and back >= INFINITY:
                continue
            third = first_up[up[one]]
            for other in range(one + 1, end):
                # Every higher neighbor of `low` above `one` is also a higher neighbor of `one`'s
                # head.
                while up[third] < up[other]:
                    third += 1
                if back < INFINITY and back + rise[other] < rise[third]:
                    rise[third] = back + rise[other]
                    weights.via_up[third] = low
                if not two_way and to < INFINITY and fall[other] + to < fall[third]:
                    fall[third] = fall[other] + to
                    weights.via_down[third] = low


#: The kernels that Python calls.
KERNELS = (_customize, _price)
