"""Distance labels of one profile, in the form in which an asset stores them.

A label holds a node's distances to its ancestors in an elimination tree
(:mod:`bake.search.contraction.labels`). Labels of neighbors are much alike. An asset stores how a
label differs from that of the node's parent, as indices into a table of all distinct differences;
a game map has a few thousand of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bake.core.arrays import AnyArray, Int32Array
from bake.core.graph import INFINITY, Subgraph
from bake.search.contraction.labels import (
    NO_PATH,
    Labels,
    differences_above,
    distance_labels,
    number_differences,
)
from bake.search.contraction.metric import customize, price_arcs
from bake.search.contraction.order import dissection_order
from bake.search.contraction.tree import both_ways, elimination_tree

#: Bytes of a distance during the computation: the distance, its difference and its code.
_ENTRY_BYTES = 12


@dataclass(frozen=True)
class StoredLabels:
    """Distance labels by row."""

    #: (r) int32, the parent of each row in the elimination tree; -1 at a root. A row's *depth* is
    #: the number of its ancestors.
    parent: Int32Array
    #: (u) int32 ticks, the distinct differences to the parent's distance; the first is unused, as
    #: its code means "no path"
    difference: Int32Array
    #: (k) unsigned codes: for each row, one for each ancestor, from the root to its parent. The
    #: difference with that code plus the parent's distance (0 ticks for the parent itself, and
    #: where the parent has no path) is the row's distance to the ancestor.
    away: AnyArray
    #: (k) unsigned codes of the distances from the ancestors; None if the distances are the same
    toward: AnyArray | None
    longest: int  #: ticks of the longest distance in a label

    @property
    def size(self) -> int:
        """The bytes of all arrays before compression."""
        arrays = [self.parent, self.difference, self.away]
        return sum(
            array.nbytes for array in (arrays if self.toward is None else [*arrays, self.toward])
        )


def stored_labels(
    sub: Subgraph, at: Int32Array | None, *, two_way: bool, budget: int
) -> StoredLabels | None:
    """Compute the labels of a profile.

    Args:
        sub: the profile's graph and weights, by rows.
        at: (r, 2) int32 coordinates of rows on a lattice; None on other graphs.
        two_way: whether every arc has a reverse arc of the same weight.
        budget: bytes of memory the computation may use.

    Returns:
        The labels, or None if they exceed the budget: the graph has no small cuts.
    """
    graph = sub.graph if two_way else both_ways(sub.graph)
    order = dissection_order(graph, at)
    tree = elimination_tree(graph, order, most_arcs=budget // 32)
    if tree is None:
        return None
    entries = int(tree.depth.sum(dtype=np.int64)) + len(order)
    if label_bytes(entries, two_way=two_way) > budget:
        return None
    del graph
    weights = customize(tree, price_arcs(tree, sub.graph, sub.weight, two_way=two_way))
    labels = distance_labels(tree, weights)
    parent = np.full(len(order), -1, dtype=np.int32)
    inner = tree.parent >= 0
    parent[order[inner]] = order[tree.parent[inner]]
    codes = [_compute_differences(labels, tree.rank, labels.away)]
    if not two_way:
        codes.append(_compute_differences(labels, tree.rank, labels.toward))
    difference, codes = _number_differences(codes)
    longest = _longest(labels.away)
    if two_way:
        return StoredLabels(parent, difference, codes[0], None, longest)
    longest = max(longest, _longest(labels.toward))
    return StoredLabels(parent, difference, codes[0], codes[1], longest)


def label_bytes(entries: int, *, two_way: bool) -> int:
    """Return the bytes of memory that the computation of labels takes.

    Args:
        entries: the distances in the labels of one direction: for each row, one to each ancestor
            and one to itself.
        two_way: whether one direction serves for both.
    """
    return _ENTRY_BYTES * entries * (1 if two_way else 2)


def _longest(ticks: Int32Array) -> int:
    return int(ticks.max(initial=0, where=ticks < INFINITY))


def _compute_differences(labels: Labels, rank: Int32Array, ticks: Int32Array) -> Int32Array:
    """Return (k) int32 differences by row, INFINITY where there is no path."""
    result = np.empty(len(ticks) - len(rank), dtype=np.int32)
    differences_above(labels, rank, ticks, result)
    return result


def _number_differences(differences: list[Int32Array]) -> tuple[Int32Array, list[AnyArray]]:
    """Number all distinct differences in the order of their first occurrence."""
    capacity = 1024
    while True:
        key, code = np.zeros(4 * capacity, dtype=np.int32), np.zeros(4 * capacity, dtype=np.uint32)
        value = np.empty(capacity + 1, dtype=np.int32)
        value[NO_PATH], count = INFINITY, 1
        codes = []
        for values in differences:
            code_of = np.empty(len(values), dtype=np.uint32)
            count = number_differences(values, key, code, value, count, code_of)
            if count < 0:
                break
            codes.append(code_of)
        else:
            break
        capacity *= 4
    kind = np.uint8 if count <= 2**8 else np.uint16 if count <= 2**16 else np.uint32
    return value[:count].copy(), [code_of.astype(kind, copy=False) for code_of in codes]
