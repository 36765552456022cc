"""Distance labels of one profile, in the form an asset keeps them.

A label holds a node's distances to the nodes on the way to the root of an elimination tree
(:mod:`bake.search.contraction.labels`). Neighbours have much alike ones: what is kept is the
difference to the label of the next node on the way, as a number in a table of all differences
there are, which is a few thousand on a map of a game.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bake.arrays import AnyArray, Int32Array
from bake.graph import INFINITY, Subgraph
from bake.search.contraction.labels import (
    NO_WAY,
    Labels,
    differences_above,
    distance_labels,
    number_differences,
)
from bake.search.contraction.metric import customize, price_arcs
from bake.search.contraction.order import dissection_order
from bake.search.contraction.tree import both_ways, elimination_tree

#: What a distance takes while labels are made: itself, what it exceeds the parent's by, its code.
_BYTES_MADE = 12


@dataclass(frozen=True)
class StoredLabels:
    """Distance labels by rows."""

    #: (r) int32, the next row on the way to the root; -1 at a root. A row's *depth* is how many
    #: rows lie on that way.
    parent: Int32Array
    #: (u) int32 ticks, what a distance may exceed that of the parent by; the first is of no use, as
    #: its code says that there is no way
    difference: Int32Array
    #: (k) unsigned codes: for each row, one for each row on the way from the root to its parent.
    #: What the code stands for, plus the parent's distance (0 ticks for the parent itself, and
    #: where the parent knows no way), is the row's distance to it.
    away: AnyArray
    #: (k) unsigned codes of the distances back; None where they are the same
    toward: AnyArray | None
    longest: int  #: ticks of the longest distance in a label

    @property
    def size(self) -> int:
        """Bytes of all arrays before they are packed."""
        parts = [self.parent, self.difference, self.away]
        return sum(
            each.nbytes for each in (parts if self.toward is None else [*parts, self.toward])
        )


def stored_labels(
    sub: Subgraph, at: Int32Array | None, *, two_way: bool, budget: int
) -> StoredLabels | None:
    """Make the labels of what a profile can use.

    Args:
        sub: the profile's graph and weights, by rows.
        at: (r, 2) int32 coordinates of rows on a lattice; None on other graphs.
        two_way: whether every arc leads back at the same weight.
        budget: bytes that may be used meanwhile.

    Returns:
        The labels, or None where they would not fit: the graph has no small cuts.
    """
    graph = sub.graph if two_way else both_ways(sub.graph)
    order = dissection_order(graph, at)
    tree = elimination_tree(graph, order, most_arcs=budget // 32)
    if tree is None:
        return None
    entries = int(tree.depth.sum(dtype=np.int64)) + len(order)
    if bytes_made(entries, two_way=two_way) > budget:
        return None
    del graph
    weights = customize(tree, price_arcs(tree, sub.graph, sub.weight, two_way=two_way))
    labels = distance_labels(tree, weights)
    parent = np.full(len(order), -1, dtype=np.int32)
    inner = tree.parent >= 0
    parent[order[inner]] = order[tree.parent[inner]]
    codes = [_coded(labels, tree.rank, labels.away)]
    if not two_way:
        codes.append(_coded(labels, tree.rank, labels.toward))
    difference, codes = _shared(codes)
    longest = _longest(labels.away)
    if two_way:
        return StoredLabels(parent, difference, codes[0], None, longest)
    longest = max(longest, _longest(labels.toward))
    return StoredLabels(parent, difference, codes[0], codes[1], longest)


def bytes_made(entries: int, *, two_way: bool) -> int:
    """Return the bytes that making labels takes.

    Args:
        entries: the distances in the labels of one direction: for each row, one to each row on
            its way to the root, and one to itself.
        two_way: whether one direction is all there is.
    """
    return _BYTES_MADE * entries * (1 if two_way else 2)


def _longest(ticks: Int32Array) -> int:
    return int(ticks.max(initial=0, where=ticks < INFINITY))


def _coded(labels: Labels, rank: Int32Array, ticks: Int32Array) -> Int32Array:
    """Return (k) int32 differences by row, INFINITY where there is no way."""
    found = np.empty(len(ticks) - len(rank), dtype=np.int32)
    differences_above(labels, rank, ticks, found)
    return found


def _shared(differences: list[Int32Array]) -> tuple[Int32Array, list[AnyArray]]:
    """Number all differences there are, in the order in which they are met first."""
    room = 1024
    while True:
        key, code = np.zeros(4 * room, dtype=np.int32), np.zeros(4 * room, dtype=np.uint32)
        value = np.empty(room + 1, dtype=np.int32)
        value[NO_WAY], count = INFINITY, 1
        codes = []
        for each in differences:
            own = np.empty(len(each), dtype=np.uint32)
            count = number_differences(each, key, code, value, count, own)
            if count < 0:
                break
            codes.append(own)
        else:
            break
        room *= 4
    kind = np.uint8 if count <= 2**8 else np.uint16 if count <= 2**16 else np.uint32
    return value[:count].copy(), [each.astype(kind, copy=False) for each in codes]
