"""All layers of a hierarchy in one numbering of nodes, arcs and clusters, for planning."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bake.arrays import AnyArray, Int32Array, Int64Array, UInt8Array
from bake.graph import Graph

if TYPE_CHECKING:
    from bake.runtime.hierarchy.layers import LayerTable

#: A first layer of fewer nodes is searched: that takes as long, within a few microseconds, and of
#: equally short plans it finds one that smooths better.
LEAST_NODES = 512

#: Ascents there may be, at 8 bytes each; beyond, the first layer is searched.
MOST_ASCENTS = 2**22


class LayerStack(NamedTuple):
    """What :func:`~bake.search.hierarchy.hpa.find_way` plans by; layers lie lowest first.

    Attributes:
        cluster_data: (c + 1, 4) int64, of the clusters of all layers.
        over_row: (t) int32, row of each node of the first layer.
        field: uint8, of all layers.
        bits: of a slot in the first layer's fields.
        over_first, over_arc: (n + 1) int32, (a, 2) int32 head and ticks, of all layers.
        landmark: (t, k) int32 ticks.
        two_way: whether every arc leads back at the same cost.
        node_data: (n, 4) int32; layer_data: (k, 2) int64; see :mod:`bake.search.hierarchy.ascent`.
        last_cluster: (c) int32, for the clusters of the first layer that of the last, or -1.
        first_top: (d + 1) int32, nodes of the last layer by cluster.
        first_ascent: (t + 1) int64, where each node's ascents begin.
        up, down: (e, 2) int32 ascents, and ways back; the same array where ``two_way``.
        top_hop, top_distance: (u, u) int32 between nodes of the last layer; (0, 0) without a table.
    """

    cluster_data: Int64Array
    over_row: Int32Array
    field: UInt8Array
    bits: int
    over_first: Int32Array
    over_arc: Int32Array
    landmark: Int32Array
    two_way: bool
    node_data: Int32Array
    layer_data: Int64Array
    last_cluster: Int32Array
    first_top: Int32Array
    first_ascent: Int64Array
    up: Int32Array
    down: Int32Array
    top_hop: Int32Array
    top_distance: Int32Array

    @property
    def most_raised(self) -> int:
        """Nodes of the last layer in the cluster that has most."""
        return int(np.diff(self.first_top).max(initial=0))


def layer_stack(
    layers: Sequence[LayerTable],
    top: tuple[AnyArray, Int32Array] | None,
    field: UInt8Array,
    landmark: Int32Array,
    *,
    two_way: bool,
) -> LayerStack:
    """Number layers through, and find the ways up to the last one.

    Args:
        layers: lowest first.
        top: next hops, all ones = none, and ticks between the nodes of the last one.
        field: of all layers.
        landmark, two_way: of the first layer.
    """
    first, last = layers[0], layers[-1]
    node_first = np.cumsum([0, *(len(layer.node) for layer in layers)])
    cluster_first = np.cumsum([0, *(layer.cluster_count for layer in layers)])
    first_out, arcs, clusters = [np.zeros(1, dtype=np.int32)], [], []
    node_data = np.full((node_first[-1], 4), -1, dtype=np.int32)
    begun = np.zeros(4, dtype=np.int64)
    lowest = np.arange(len(first.node), dtype=np.int32)
    for place, layer in enumerate(layers):
        first_out.append(layer.first_out[1:] + first_out[-1][-1])
        arcs.append(layer.arcs + np.array([node_first[place], 0], dtype=np.int32))
        clusters.append(layer.cluster_data[:-1] + begun)
        begun[[0, 2]] += layer.cluster_data[-1, [0, 2]]
        mine = node_data[node_first[place] : node_first[place + 1]]
        mine[:, 0] = layer.node + (node_first[place - 1] if place else 0)
        mine[:, 1] = layer.cluster + cluster_first[place]
        lowest = lowest[layer.node] if place else lowest
        if place + 1 < len(layers):
            above = layers[place + 1]
            mine[:, 2] = above.below_cluster + cluster_first[place + 1]
            mine[:, 3] = _ranks(above.below_cluster, above.cluster_count)
    last_cluster = np.arange(first.cluster_count, dtype=np.int32)
    for below, above in pairwise(layers):
        parent = np.full(below.cluster_count + 1, -1, dtype=np.int32)
        parent[below.cluster] = above.below_cluster
        last_cluster = parent[last_cluster]
    hop = distance = np.zeros((0, 0), dtype=np.int32)
    first_ascent = np.zeros(len(first.node) + 1, dtype=np.int64)
    up = down = np.zeros((0, 2), dtype=np.int32)
    # A cluster nothing leads out of has no cluster on the last layer, and no ascents.
    each = np.append(np.diff(last.first_transition), 0)[last_cluster[first.cluster]]
    np.cumsum(each, out=first_ascent[1:])
    large = len(first.node) >= LEAST_NODES and all(layer.bits for layer in layers[1:])
    if top is not None and large and first_ascent[-1] <= MOST_ASCENTS:
        none = np.iinfo(top[0].dtype).max
        hop = np.where(top[0] == none, -1, top[0].astype(np.int64)).astype(np.int32)
        distance = top[1]
        up, down = _ascents(first, last, last_cluster, lowest, first_ascent, two_way=two_way)
    return LayerStack(
        np.concatenate([*clusters, begun[None, :]]),
        first.row,
        field,
        first.bits,
        np.concatenate(first_out).astype(np.int32),
        np.ascontiguousarray(np.concatenate(arcs)),
        landmark,
        two_way,
        node_data,
        np.array([[node_first[i], layer.bits] for i, layer in enumerate(layers)], dtype=np.int64),
        last_cluster,
        last.first_transition,
        first_ascent,
        up,
        down,
        hop,
        distance,
    )


def first_alone(first: LayerTable, landmark: Int32Array, *, two_way: bool) -> LayerStack:
    """The first layer, to be searched: where it changes too often for what else is known of it."""
    none, numbers = np.zeros((0, 2), dtype=np.int32), np.zeros(1, dtype=np.int32)
    return LayerStack(
        first.cluster_data,
        first.row,
        first.field,
        first.bits,
        first.first_out,
        first.arcs,
        landmark,
        two_way,
        node_data=np.zeros((0, 4), dtype=np.int32),
        layer_data=np.zeros((1, 2), dtype=np.int64),
        last_cluster=numbers,
        first_top=numbers,
        first_ascent=np.zeros(1, dtype=np.int64),
        up=none,
        down=none,
        top_hop=none,
        top_distance=none,
    )


def _ascents(
    first: LayerTable,
    last: LayerTable,
    last_cluster: Int32Array,
    lowest: Int32Array,
    first_ascent: Int64Array,
    *,
    two_way: bool,
) -> tuple[Int32Array, Int32Array]:
    """Ways from nodes of the first layer to those of the last in their clusters, and back."""
    from bake.search.hierarchy.ascent import fill_ascents

    heap = np.empty((len(first.arcs) + 1, 2), dtype=np.int64)

    def filled(first_in: Int32Array, arcs_in: Int32Array) -> Int32Array:
        ascent = np.empty((first_ascent[-1], 2), dtype=np.int32)
        fill_ascents(
            first_in,
            arcs_in,
            last_cluster[first.cluster],
            lowest,
            last.first_transition,
            first_ascent,
            heap,
            ascent,
        )
        return ascent

    down = filled(first.first_out, first.arcs)
    if two_way:
        return down, down
    graph, behind = Graph(first.first_out, np.ascontiguousarray(first.arcs[:, 0])).reverse()
    ticks = first.arcs[behind, 1]
    return filled(graph.first_out, np.stack([graph.head, ticks], axis=1)), down


def _ranks(label: Int32Array, count: int) -> Int32Array:
    """(n) int32, how many nodes of the same label come before each."""
    order = np.argsort(label, kind="stable")
    first = np.zeros(count + 1, dtype=np.int32)
    np.cumsum(np.bincount(label, minlength=count), out=first[1:])
    rank = np.empty(len(label), dtype=np.int32)
    rank[order] = np.arange(len(label), dtype=np.int32) - first[label[order]]
    return rank
