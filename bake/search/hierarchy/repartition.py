"""A partition into connected parts after a change: only parts that it touches are cut anew.

The numbers are those :func:`bake.search.graph.partition.connected_parts` gives: by class, within
one by the lowest row.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bake.arrays import BoolArray, Int32Array, Int64Array
from bake.kernels.jit import inlined, kernel


@inlined
def _root(low: Int32Array, node: int) -> int:
    while low[node] != node:
        low[node] = low[low[node]]
        node = low[node]
    return node


@kernel
def _join_rows(
    rows: Int32Array,
    span: Int32Array,
    arcs: Int32Array,
    key: Int64Array,
    low: Int32Array,
) -> None:
    """Find the lowest row each of some rows is joined with by arcs inside its class.

    Args:
        rows: the rows; any other has -1 in ``low``.
        low: (r), filled for the rows.
    """
    for place in range(len(rows)):
        low[rows[place]] = rows[place]
    for place in range(len(rows)):
        row = rows[place]
        for arc in range(span[row, 0], span[row, 1]):
            other = arcs[arc, 0]
            if other < 0 or low[other] < 0 or key[other] != key[row]:
                continue
            a, b = _root(low, row), _root(low, other)
            if a < b:
                low[b] = a
            elif b < a:
                low[a] = b
    for place in range(len(rows)):
        low[rows[place]] = _root(low, rows[place])


@kernel
def _join_clusters(data: Int32Array, arcs: Int32Array, key: Int64Array, low: Int32Array) -> None:
    """The same for clusters of a graph, where arcs join clusters of one class."""
    for cluster in range(len(low)):
        low[cluster] = cluster
    for node in range(len(data)):
        for arc in range(data[node, 2], data[node, 3]):
            here, there = data[node, 0], data[arcs[arc, 0], 0]
            if here == there or key[here] != key[there]:
                continue
            a, b = _root(low, here), _root(low, there)
            if a < b:
                low[b] = a
            elif b < a:
                low[a] = b
    for cluster in range(len(low)):
        low[cluster] = _root(low, cluster)


@kernel
def _relabel(label: Int32Array, number: Int32Array) -> None:
    """New numbers for all rows that have one."""
    for row in range(len(label)):
        if label[row] >= 0:
            label[row] = number[label[row]]


@dataclass(frozen=True)
class Partition:
    """Rows by cluster.

    Attributes:
        label: (r) int32, -1 for rows nobody can stand on.
        key: (c) int64, class of each cluster; lowest: (c) int32, its lowest row.
    """

    label: Int32Array
    key: Int64Array
    lowest: Int32Array

    @staticmethod
    def of(label: Int32Array, key: Int64Array) -> Partition:
        """As baked: every row has a label; ``key`` (r) is the class of each."""
        lowest = np.empty(int(label.max(initial=-1)) + 1, dtype=np.int32)
        # Written from the last row to the first, so that the lowest of a cluster stays.
        lowest[label[::-1]] = np.arange(len(label), dtype=np.int32)[::-1]
        return Partition(label, key[lowest], lowest)

    def edited(
        self,
        rows: Int32Array,
        members: tuple[Int32Array, Int32Array],
        standing: BoolArray,
        key: Int64Array,
        span: Int32Array,
        arcs: Int32Array,
    ) -> tuple[Partition, Int32Array, Int32Array]:
        """The partition after a change.

        Args:
            rows: both ends of every arc that is different; rows that can be stood on no longer, or
                from now on; each once.
            members: first_member (c + 1), member, of this version.
            standing: (r) bool; key: (r) int64, classes.
            span, arcs: see :class:`bake.search.live.rows.LiveRows`.

        Returns:
            The partition; the rows of all clusters that were cut anew; (c) int32, the cluster
            each one was, -1 for those cut anew.
        """
        more = len(standing) - len(self.label)
        label = np.concatenate([self.label, np.full(more, -1, dtype=np.int32)])
        touched = np.unique(label[rows])
        touched = touched[touched >= 0]
        first, member = members
        spans = [slice(first[c], first[c + 1]) for c in touched.tolist()]
        cut = np.concatenate([rows[label[rows] < 0], *(member[each] for each in spans)])
        label[cut] = -1
        cut = cut[standing[cut]]
        low = np.full(len(label), -1, dtype=np.int32)
        _join_rows(cut, span, arcs, key, low)
        root = cut[low[cut] == cut]
        stays = np.ones(len(self.key), dtype=np.bool_)
        stays[touched] = False
        kept = np.flatnonzero(stays)
        keys = np.concatenate([self.key[kept], key[root]])
        lowest = np.concatenate([self.lowest[kept], root])
        order = np.lexsort((lowest, keys))
        origin = np.full(len(order), -1, dtype=np.int32)
        origin[: len(kept)] = kept
        number = np.empty(len(order), dtype=np.int32)
        number[order] = np.arange(len(order), dtype=np.int32)
        number_of_cluster = np.full(len(self.key), -1, dtype=np.int32)
        number_of_cluster[kept] = number[: len(kept)]
        if (number_of_cluster[kept] != kept).any():
            _relabel(label, number_of_cluster)
        # A root has the number of its cluster, all others have that of their root.
        label[root] = number[len(kept) :]
        label[cut] = label[low[cut]]
        return Partition(label, keys[order], lowest[order]), cut, origin[order]


def join_clusters(
    data: Int32Array, arcs: Int32Array, tile: Int32Array
) -> tuple[Int32Array, Int32Array]:
    """Larger clusters of those of a layer: two by two in either direction, in connected parts.

    Args:
        data, arcs: the layer as a graph, see :mod:`bake.search.hierarchy.layer_members`; column 0
            says the cluster of each transition.
        tile: (c, 2) int32, the square each cluster lies in.

    Returns:
        (c) int32, the larger cluster each one is part of; (d, 2) int32, squares of those.
    """
    square = tile // 2
    key = square[:, 1].astype(np.int64) << 32
    key += square[:, 0]
    low = np.empty(len(tile), dtype=np.int32)
    _join_clusters(data, arcs, key, low)
    root = np.flatnonzero(low == np.arange(len(low), dtype=np.int32))
    order = np.lexsort((root, key[root]))
    parent = np.empty(len(tile), dtype=np.int32)
    parent[root[order]] = np.arange(len(root), dtype=np.int32)
    return parent[low], square[root[order]]
