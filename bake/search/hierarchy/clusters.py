"""Lay clusters out for searches, cut them again after a change, and join them for the next layer.

Clusters are numbered as :func:`bake.search.graph.partition.connected_parts` does: by class, and
within one class by the lowest row. After a change only the clusters that it touches are cut again.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bake.core.arrays import BoolArray, Int32Array, Int64Array, UInt8Array
from bake.core.graph import Subgraph
from bake.core.kernels.jit import allocating, inlined, kernel
from bake.search.hierarchy.arcs import end_arc, first_arc, head_of
from bake.search.hierarchy.bundles import (
    CLUSTER,
    END,
    FIRST,
    HEAD,
    RANK,
    TICKS,
    ClusteredGraph,
    Members,
)


def clustered(sub: Subgraph, label: Int32Array, rank: Int32Array) -> ClusteredGraph:
    """Lay out the rows of a profile, divided into clusters.

    Each arc lies in its slot; the slots between them may not be taken.

    Args:
        sub: the rows; the slots of a row ascend.
        label, rank: (r) int32, the cluster of each row and its rank in it.
    """
    degree, slot = sub.graph.out_degree(), sub.slot
    size = np.zeros(len(label), dtype=np.int64)
    size[degree > 0] = slot[sub.graph.first_out[1:][degree > 0] - 1] + 1
    end = np.cumsum(size)
    graph = ClusteredGraph(
        np.empty((len(label), 4), dtype=np.int32),
        np.zeros((int(size.sum()), 2), dtype=np.int32),
    )
    graph.node[:, FIRST], graph.node[:, END] = end - size, end
    graph.node[:, CLUSTER], graph.node[:, RANK] = label, rank
    graph.arc[:, HEAD] = -1
    place = np.repeat(graph.node[:, FIRST], degree) + slot
    graph.arc[place, HEAD], graph.arc[place, TICKS] = sub.graph.head, sub.weight
    return graph


@allocating
def most_arcs_inside(graph: ClusteredGraph) -> int:
    """Count the arcs that leave the nodes of the cluster with the most arcs."""
    clusters = 0
    for node in range(len(graph.node)):
        clusters = max(clusters, graph.node[node, CLUSTER] + 1)
    leaving = np.zeros(clusters, np.int64)
    for node in range(len(graph.node)):
        if graph.node[node, CLUSTER] >= 0:
            leaving[graph.node[node, CLUSTER]] += end_arc(graph, node) - first_arc(graph, node)
    most = np.int64(0)
    for cluster in range(clusters):
        most = max(most, leaving[cluster])
    return int(most)


@kernel
def mark_crossings(graph: ClusteredGraph, chosen: UInt8Array) -> None:
    """Mark both ends of every arc between two clusters in ``chosen`` (n)."""
    chosen[:] = 0
    for node in range(len(graph.node)):
        for arc in range(first_arc(graph, node), end_arc(graph, node)):
            other = head_of(graph, arc)
            if other >= 0 and graph.node[other, CLUSTER] != graph.node[node, CLUSTER]:
                chosen[node] = 1
                chosen[other] = 1


# -- connected parts ------------------------------------------------------------------------------


@inlined
def root(low: Int32Array, node: int) -> int:
    """Return the lowest node that one is joined with, as far as ``low`` leads to lower ones."""
    while low[node] != node:
        low[node] = low[low[node]]
        node = low[node]
    return node


@inlined
def unite(low: Int32Array, one: int, other: int) -> None:
    """Join two nodes, and all those that they are joined with."""
    a, b = root(low, one), root(low, other)
    if a < b:
        low[b] = a
    elif b < a:
        low[a] = b


@kernel
def _unite_rows(rows: Int32Array, graph: ClusteredGraph, key: Int64Array, low: Int32Array) -> None:
    """Find the lowest row that each of some rows is joined with by arcs inside its class.

    Args:
        rows: the rows; any other has -1 in ``low``.
        low: (r), filled for the rows.
    """
    for i in range(len(rows)):
        low[rows[i]] = rows[i]
    for i in range(len(rows)):
        row = rows[i]
        for arc in range(first_arc(graph, row), end_arc(graph, row)):
            other = head_of(graph, arc)
            if other < 0 or low[other] < 0 or key[other] != key[row]:
                continue
            unite(low, row, other)
    for i in range(len(rows)):
        low[rows[i]] = root(low, rows[i])


def connected_rows(graph: ClusteredGraph, key: Int64Array) -> tuple[Int32Array, int]:
    """Cut classes of rows into connected parts; arcs count in both directions.

    Args:
        graph: the rows; clusters and ranks are not looked at.
        key: (r) int64, the class of every row, ascending.

    Returns:
        (r) int32 part of every row, and how many there are, numbered by lowest row.
    """
    every = np.arange(len(key), dtype=np.int32)
    low = np.zeros(len(key), dtype=np.int32)
    _unite_rows(every, graph, key, low)
    number = np.cumsum(low == every, dtype=np.int32)
    number -= 1
    return number[low], int(number[-1]) + 1 if len(key) else 0


@kernel
def _unite_clusters(graph: ClusteredGraph, key: Int64Array, low: Int32Array) -> None:
    """Find the lowest cluster that each one is joined with by arcs inside one class."""
    for cluster in range(len(low)):
        low[cluster] = cluster
    for node in range(len(graph.node)):
        for arc in range(first_arc(graph, node), end_arc(graph, node)):
            here = graph.node[node, CLUSTER]
            there = graph.node[head_of(graph, arc), CLUSTER]
            if here == there or key[here] != key[there]:
                continue
            unite(low, here, there)
    for cluster in range(len(low)):
        low[cluster] = root(low, cluster)


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
        """Take the partition that was baked: every row has a label, and a class by ``key`` (r)."""
        lowest = lowest_members(label, int(label.max(initial=-1)) + 1)
        return Partition(label, key[lowest], lowest)

    def edited(
        self,
        rows: Int32Array,
        members: Members,
        standing: BoolArray,
        key: Int64Array,
        graph: ClusteredGraph,
    ) -> tuple[Partition, Int32Array, Int32Array]:
        """Cut again the clusters that a change touches.

        Args:
            rows: both ends of every arc that is different, and rows that the profile can stand on
                only before or only after the change; each once.
            members: rows by cluster, of this version.
            standing: (r) bool; key: (r) int64, classes.
            graph: the arcs after the change; clusters and ranks in it are not looked at.

        Returns:
            The partition; the rows of all clusters that were cut again; (c) int32, the cluster that
            each cluster was, -1 for those cut again.
        """
        more = len(standing) - len(self.label)
        label = np.concatenate([self.label, np.full(more, -1, dtype=np.int32)])
        touched = np.unique(label[rows])
        touched = touched[touched >= 0]
        spans = [slice(members.first[c], members.first[c + 1]) for c in touched.tolist()]
        cut = np.concatenate([rows[label[rows] < 0], *(members.node[each] for each in spans)])
        label[cut] = -1
        cut = cut[standing[cut]]
        low = np.full(len(label), -1, dtype=np.int32)
        _unite_rows(cut, graph, key, low)
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
            known = label >= 0
            label[known] = number_of_cluster[label[known]]
        # A root has the number of its cluster, all others have that of their root.
        label[root] = number[len(kept) :]
        label[cut] = label[low[cut]]
        return Partition(label, keys[order], lowest[order]), cut, origin[order]


def lowest_members(label: Int32Array, count: int) -> Int32Array:
    """Return (c) int32, the lowest node of every cluster; no cluster is empty."""
    lowest = np.empty(count, dtype=np.int32)
    # Written from the last node to the first, so that the lowest of a cluster stays.
    lowest[label[::-1]] = np.arange(len(label), dtype=np.int32)[::-1]
    return lowest


def join_clusters(graph: ClusteredGraph, tile: Int32Array) -> tuple[Int32Array, Int32Array]:
    """Join the clusters of a layer two by two in either direction, where they are connected.

    Args:
        graph: the layer, divided into its own clusters; ranks are not looked at.
        tile: (c, 2) int32, the square each cluster lies in.

    Returns:
        (c) int32, the larger cluster each one is part of; (d, 2) int32, squares of the larger ones.
    """
    square = tile // 2
    key = square[:, 1].astype(np.int64) << 32
    key += square[:, 0]
    low = np.empty(len(tile), dtype=np.int32)
    _unite_clusters(graph, key, low)
    root = np.flatnonzero(low == np.arange(len(low), dtype=np.int32))
    order = np.lexsort((root, key[root]))
    parent = np.empty(len(tile), dtype=np.int32)
    parent[root[order]] = np.arange(len(root), dtype=np.int32)
    return parent[low], square[root[order]]
