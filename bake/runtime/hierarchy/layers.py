"""The layers of a profile's hierarchy as searches want them, checked as they are loaded.

A *transition* is a node of a layer, numbered from 0 in its layer; its row is where it lies.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from bake.arrays import AnyArray, Int32Array
from bake.asset.schema import profile_path
from bake.runtime.hierarchy.stack import LayerStack, layer_stack
from bake.runtime.reader.tables import Tables


class ClusterTables:
    """The clusters of one profile.

    Attributes:
        cluster: (r) int32, cluster of each row.
        count: c.
    """

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        if not tables.has("cluster"):
            raise tables.missing("clusters")
        self.cluster = tables.column("cluster", np.int32)
        self.count = int(self.cluster.max(initial=-1)) + 1
        if len(self.cluster) != tables.row_count or self.cluster.min(initial=0) < 0:
            raise tables.damaged("cluster does not fit the rows")

    @cached_property
    def members(self) -> tuple[Int32Array, Int32Array, Int32Array]:
        """Rows by cluster: first (c + 1), row (r); and place (r), a row's rank in its cluster."""
        return grouped(self.cluster, self.count)

    @cached_property
    def row_data(self) -> Int32Array:
        """(r, 4) int32, by row: cluster, place in it, first arc, one past its last."""
        tables = self.tables
        return together(self.cluster, self.members[2], tables.first_arc, tables.end_arc)

    @cached_property
    def arc_data(self) -> Int32Array:
        """(m, 2) int32: row an arc leads to, -1 where the profile may not take it; ticks."""
        return together(self.tables.head_row, self.tables.weight)

    @cached_property
    def crossing(self) -> tuple[Int32Array, Int32Array]:
        """Arcs between clusters the profile may take: tail (k) and head (k) int32 rows."""
        graph = self.tables.usable.graph
        tail = graph.tail()
        crosses = np.flatnonzero(self.cluster[tail] != self.cluster[graph.head])
        return tail[crosses], graph.head[crosses]

    @cached_property
    def neighbours(self) -> tuple[Int32Array, Int32Array]:
        """Clusters an arc joins in either direction: first (c + 1) and neighbour, ascending."""
        a, b = (self.cluster[end].astype(np.int64) for end in self.crossing)
        count = max(1, self.count)
        pairs = np.unique(np.concatenate([a * count + b, b * count + a]))
        first = np.zeros(self.count + 1, dtype=np.int32)
        np.cumsum(np.bincount(pairs // count, minlength=self.count), out=first[1:])
        return first, (pairs % count).astype(np.int32)


class LayerTable:
    """One layer.

    Attributes:
        number: 1 for the first one.
        node: (t) int32, row of each transition on the first layer, else its number in the layer
            below.
        row: (t) int32, row of each transition.
        first_out: (t + 1) int32, arcs of each transition.
        arcs: (a, 2) int32, transition an arc leads to and its ticks. An arc between transitions
            of one cluster stands for a shortest way inside it.
        cluster: (t) int32, cluster of each transition in this layer.
        cluster_count: c.
        below_cluster: cluster in this layer of every node of the layer below (rows, for the first).
        first_transition: (c + 1) int32, transitions by cluster.
        bits: of a slot in ``field``; 0 = none is kept.
        field: uint8, see docs/format-searches.md.
        cluster_data: (c + 1, 4) int64, by cluster: first transition, nodes below, first byte of
            its fields, bytes of each.
    """

    def __init__(
        self,
        tables: Tables,
        number: int,
        node: Int32Array,
        row: Int32Array,
        degree: AnyArray,
        arcs: Int32Array,
        below_cluster: Int32Array,
        cluster_count: int,
        bits: int,
    ) -> None:
        self.number = number
        self.node = node
        self.row = row
        self.first_out = np.zeros(len(node) + 1, dtype=np.int32)
        np.cumsum(degree, out=self.first_out[1:])
        self.arcs = arcs
        self.below_cluster = below_cluster
        self.cluster_count = cluster_count
        self.bits = bits
        self.field = np.zeros(0, dtype=np.uint8)
        self.cluster = below_cluster[node]
        if (np.diff(self.cluster) < 0).any():
            raise tables.damaged("layer_node is not in the order of clusters")
        self.first_transition = np.zeros(cluster_count + 1, dtype=np.int32)
        np.cumsum(np.bincount(self.cluster, minlength=cluster_count), out=self.first_transition[1:])
        data = np.zeros((cluster_count + 1, 4), dtype=np.int64)
        data[:, 0] = self.first_transition
        data[:-1, 1] = np.bincount(below_cluster, minlength=cluster_count)
        data[:-1, 3] = (data[:-1, 1] * bits + 7) // 8
        data[1:, 2] = np.cumsum(np.diff(data[:, 0]) * data[:-1, 3])
        self.cluster_data = data

    @property
    def field_size(self) -> int:
        """Bytes of all fields."""
        return int(self.cluster_data[-1, 2])


class HierarchyTables:
    """All layers of one profile, and what they are searched with.

    Attributes:
        clusters: of the first layer.
        mode: "hpa" or "exact".
        two_way: whether every arc leads back at the same weight.
        layers: lowest first.
        landmark: (t, k) int32 ticks from each landmark to the transitions of the first layer.
    """

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        if not tables.has("layer_nodes"):
            raise tables.missing("hierarchy")
        self.clusters = ClusterTables(tables)
        group = f"/profiles/{tables.profile}"
        self.mode = tables.places.asset.text("hierarchy_mode", group) or ""
        self.two_way = tables.places.asset.number("two_way", group) == 1
        if self.mode not in ("hpa", "exact"):
            raise tables.damaged(f"hierarchy_mode is {self.mode!r}")
        self.layers = self._layers()
        self.landmark = tables.column("layer_landmark", np.int32)
        if len(self.landmark) != len(self.layers[0].node) or self.landmark.min(initial=0) < 0:
            raise tables.damaged("layer_landmark does not fit the first layer")

    def _layers(self) -> tuple[LayerTable, ...]:
        tables = self.tables
        nodes, clusters, bits = (
            tables.column(name, np.int64).tolist()
            for name in ("layer_nodes", "layer_clusters", "layer_bits")
        )
        node, degree, head, weight, parent = (
            tables.column(f"layer_{name}", np.int32)
            for name in ("node", "degree", "head", "weight", "parent")
        )
        if not nodes or min(nodes) < 0 or sum(nodes) != len(node):
            raise tables.damaged("layer_nodes does not count the transitions")
        if clusters[0] != self.clusters.count or min(clusters) < 0:
            raise tables.damaged("layer_clusters does not count the clusters")
        if sum(clusters[:-1]) != len(parent) or set(bits) - {0, 4, 8, 16}:
            raise tables.damaged("layer_parent or layer_bits does not fit the layers")
        if degree.min(initial=0) < 0 or degree.sum(dtype=np.int64) != len(head):
            raise tables.damaged("layer_degree does not count the arcs")
        if weight.min(initial=1) < 1:
            raise tables.damaged("layer_weight is not positive")
        field = tables.column("layer_field", np.uint8)
        layers: list[LayerTable] = []
        below_cluster = self.clusters.cluster
        used = [0, 0, 0, 0]
        for place, count in enumerate(nodes):
            own = node[used[0] : used[0] + count]
            if count and not 0 <= own.min() <= own.max() < len(below_cluster):
                raise tables.damaged("layer_node lies outside the layer below")
            out = degree[used[0] : used[0] + count]
            arc_count = int(out.sum(dtype=np.int64))
            to = head[used[1] : used[1] + arc_count]
            if arc_count and not 0 <= to.min() <= to.max() < count:
                raise tables.damaged("layer_head lies outside its layer")
            row = own if not layers else layers[-1].row[own]
            arcs = np.stack([to, weight[used[1] : used[1] + arc_count]], axis=1)
            layer = LayerTable(
                tables,
                place + 1,
                own,
                row,
                out,
                np.ascontiguousarray(arcs),
                below_cluster,
                clusters[place],
                bits[place],
            )
            layer.field = field[used[3] : used[3] + layer.field_size]
            layers.append(layer)
            used[0] += count
            used[1] += arc_count
            used[3] += layer.field_size
            if place + 1 < len(nodes):
                up = parent[used[2] : used[2] + clusters[place]]
                if len(up) and not 0 <= up.min() <= up.max() < clusters[place + 1]:
                    raise tables.damaged("layer_parent lies outside the next layer")
                used[2] += clusters[place]
                below_cluster = up[layer.cluster]
        if used[3] != len(field):
            raise tables.damaged("layer_field does not fit the clusters")
        return tuple(layers)

    @cached_property
    def stack(self) -> LayerStack:
        """All layers in one numbering, with the table on top of them."""
        field = self.tables.column("layer_field", np.uint8)
        return layer_stack(self.layers, self._top(), field, self.landmark, two_way=self.two_way)

    def _top(self) -> tuple[AnyArray, Int32Array] | None:
        """Next hops (slot in the last layer, all ones = none) and ticks; None without a table."""
        hop = self.tables.places.asset.read(profile_path(self.tables.profile, "layer_hop"))
        distance = self.tables.column("layer_distance", np.int32)
        if not hop.size and not distance.size:
            return None
        last = self.layers[-1]
        count = len(last.node)
        if hop.shape != (count, count) or distance.shape != (count, count):
            raise self.tables.damaged("layer_hop does not fit the last layer")
        if distance.min(initial=0) < 0:
            raise self.tables.damaged("layer_distance is below zero")
        return hop, distance

    @cached_property
    def row_data(self) -> Int32Array:
        """See :class:`ClusterTables`."""
        return self.clusters.row_data

    @cached_property
    def arc_data(self) -> Int32Array:
        """See :class:`ClusterTables`."""
        return self.clusters.arc_data

    @cached_property
    def backwards(self) -> tuple[Int32Array, Int32Array]:
        """The two above with every arc turned round."""
        if self.two_way:
            return self.row_data, self.arc_data
        usable = self.tables.usable
        graph, behind = usable.graph.reverse()
        row_back = together(
            self.clusters.cluster,
            self.clusters.members[2],
            graph.first_out[:-1],
            graph.first_out[1:],
        )
        return row_back, together(graph.head, usable.weight[behind])

    @cached_property
    def most_arcs_inside(self) -> int:
        """Arcs of the cluster that has most, in either direction."""
        return max(most_arcs(self.row_data), most_arcs(self.backwards[0]))


def most_arcs(row_data: Int32Array) -> int:
    """The most arcs that leave the rows of one cluster."""
    rows = row_data[row_data[:, 0] >= 0]
    arcs = np.bincount(rows[:, 0], weights=rows[:, 3] - rows[:, 2])
    return int(arcs.max(initial=0))


def grouped(label: Int32Array, count: int) -> tuple[Int32Array, Int32Array, Int32Array]:
    """Nodes by label: first (c + 1), node (n) ascending within one, and each node's rank there."""
    node = np.argsort(label, kind="stable").astype(np.int32)
    first = np.zeros(count + 1, dtype=np.int32)
    np.cumsum(np.bincount(label, minlength=count), out=first[1:])
    place = np.empty(len(label), dtype=np.int32)
    place[node] = np.arange(len(label), dtype=np.int32) - first[label[node]]
    return first, node, place


def together(*columns: Int32Array) -> Int32Array:
    """(n, k) int32, columns beside each other: what a step needs in one piece of memory."""
    parts: Sequence[Int32Array] = [column.astype(np.int32, copy=False) for column in columns]
    return np.ascontiguousarray(np.stack(parts, axis=1))
