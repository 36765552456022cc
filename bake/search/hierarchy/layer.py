"""Describe layers of a hierarchy: transitions between clusters, joined across borders and inside.

The layer above a graph and a partition of its nodes is again a graph: its nodes are transitions,
its arcs the crossing arcs between them and *inner edges*, shortest paths inside one cluster. The
next layer is built on it once its clusters are joined two by two.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bake.core.arrays import Int32Array, Int64Array, UInt8Array, offsets
from bake.search.graph.partition import connected_parts
from bake.search.hierarchy.bundles import (
    CLUSTER,
    END,
    FIRST,
    FLOW,
    FLOW_BYTES,
    HEAD,
    SIZE,
    TRANSITION,
    ClusteredGraph,
)


@dataclass(frozen=True)
class Layer:
    """A graph of transitions above another graph.

    Attributes:
        below_cluster: (n) int32, cluster in this layer of every node below (rows, for the first);
            -1 for those that belong to none.
        node: (t) int32, the node below that each transition is; ascending within a cluster,
            clusters ascending.
        row: (t) int32, the row of each transition.
        first_transition: (c + 1) int32, transitions by cluster.
        first_out: (t + 1) int32, arcs of each transition.
        arcs: (a, 2) int32, the transition an arc leads to and its ticks, in the order of the
            transitions. An arc between transitions of one cluster stands for a shortest way in it.
        bits: of a slot in a flow field: 4, 8 or 16; 0 = no flow fields are kept.
        flow: uint8, flow fields: see :mod:`bake.search.hierarchy.inside`.
        cluster_data: (c + 1, 4) int64, by cluster: first transition, nodes below, first byte of its
            flow fields, bytes of each.
    """

    below_cluster: Int32Array
    node: Int32Array
    row: Int32Array
    first_transition: Int32Array
    first_out: Int32Array
    arcs: Int32Array
    bits: int
    flow: UInt8Array
    cluster_data: Int64Array

    @staticmethod
    def stored(
        below_cluster: Int32Array,
        held: Int64Array,
        size: Int64Array,
        node: Int32Array,
        row: Int32Array,
        degree: Int32Array,
        arcs: Int32Array,
        bits: int,
        flow: UInt8Array,
    ) -> Layer:
        """Make a layer of what an asset keeps of it.

        Args:
            below_cluster: only what asks for the cluster of a node below needs it.
            held, size: (c) int64, transitions, and nodes below, of each cluster.
            degree: (t) int32, how many arcs leave each transition.
            flow: flow fields of this layer, and perhaps more.
        """
        first_transition = offsets(held)
        first_out = offsets(degree)
        data = cluster_columns(first_transition, size, bits)
        return Layer(
            below_cluster,
            node,
            row,
            first_transition,
            first_out,
            arcs,
            bits,
            flow[: data[-1, FLOW]],
            data,
        )

    @cached_property
    def index(self) -> Int32Array:
        """(n) int32, the transition that each node below is, -1 where it is none."""
        index = np.full(len(self.below_cluster), -1, dtype=np.int32)
        index[self.node] = np.arange(len(self.node), dtype=np.int32)
        return index

    @property
    def cluster_count(self) -> int:
        return len(self.first_transition) - 1

    @property
    def flow_size(self) -> int:
        """Return how many bytes all flow fields take."""
        return int(self.cluster_data[-1, FLOW])

    @cached_property
    def cluster(self) -> Int32Array:
        """(t) int32, cluster of each transition in this layer."""
        each = np.diff(self.first_transition)
        return np.repeat(np.arange(len(each), dtype=np.int32), each)

    @cached_property
    def group(self) -> Int32Array:
        """(t) int32, equal numbers for transitions that are connected, whichever way arcs lead."""
        heads = np.ascontiguousarray(self.arcs[:, HEAD])
        everyone = np.zeros(len(self.node), dtype=np.int32)
        return connected_parts(self.first_out, heads, everyone)[0]

    def apart(self, here: int, there: int) -> bool:
        """Tell whether no path leads from one cluster to another, where every arc leads back."""
        if here == there:
            return False
        begin = self.first_transition
        if begin[here] == begin[here + 1] or begin[there] == begin[there + 1]:
            return True
        # A cluster is connected, so any of its transitions stands for all of it.
        return bool(self.group[begin[here]] != self.group[begin[there]])

    def graph(self) -> ClusteredGraph:
        """Lay the layer out for another one to be built on, in its own clusters; ranks are 0."""
        node = np.zeros((len(self.node), 4), dtype=np.int32)
        node[:, CLUSTER] = self.cluster
        node[:, FIRST] = self.first_out[:-1]
        node[:, END] = self.first_out[1:]
        return ClusteredGraph(node, self.arcs)


def cluster_columns(first_transition: Int32Array, size: Int64Array, bits: int) -> Int64Array:
    """Make ``Layer.cluster_data`` for clusters with so many transitions and nodes."""
    data = np.zeros((len(first_transition), 4), dtype=np.int64)
    data[:, TRANSITION] = first_transition
    data[:-1, SIZE] = size
    data[:-1, FLOW_BYTES] = (data[:-1, SIZE] * bits + 7) // 8
    np.cumsum(np.diff(data[:, TRANSITION]) * data[:-1, FLOW_BYTES], out=data[1:, FLOW])
    return data
