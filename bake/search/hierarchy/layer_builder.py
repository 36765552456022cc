"""Build layers: take over what a change has left as it was, and search the rest.

One builder makes the first layer of a hierarchy, over what a profile can use, and every further
one. After a change it takes over the clusters of the first that nothing has happened to; a bake is
treated as a change of everything. What comes out is the same to the last arc and slot.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from bake.core.arrays import BoolArray, Int32Array, Int64Array, UInt8Array, offsets
from bake.core.kernels.jit import kernel
from bake.search.graph.partition import members
from bake.search.hierarchy.arcs import (
    end_arc,
    first_arc,
    head_of,
    most_slots,
    slots_of,
    ticks_of,
)
from bake.search.hierarchy.bundles import (
    CLUSTER,
    END,
    FIRST,
    FLOW,
    HEAD,
    RANK,
    TICKS,
    ClusteredGraph,
    Members,
    Transitions,
)
from bake.search.hierarchy.clusters import join_clusters, mark_crossings
from bake.search.hierarchy.inside import (
    NO_SLOT,
    ClusterRoom,
    search_from_transitions,
    slot_bits,
    undominated,
)
from bake.search.hierarchy.layer import Layer, cluster_columns

# -- what a layer is built on ----------------------------------------------------------------------


class Base(NamedTuple):
    """What a layer is built on: a graph divided into clusters, and its nodes by cluster.

    Attributes:
        graph, members: the graph, ranks filled in, and the nodes of its clusters.
        label: (n) int32, cluster of each node, -1 for those that belong to none.
    """

    graph: ClusteredGraph
    members: Members
    label: Int32Array

    @staticmethod
    def of(graph: ClusteredGraph, label: Int32Array, count: int) -> Base:
        """Write clusters and ranks into a graph that has none yet."""
        first, node, rank = members(label, count)
        graph.node[:, CLUSTER] = label
        graph.node[:, RANK] = rank
        return Base(graph, Members(first, node), label)


@dataclass(frozen=True)
class Joined:
    """What the next layer is built on: the clusters of a layer joined two by two.

    Attributes:
        base: the layer, divided into the larger clusters.
        parent: (c) int32, the larger cluster each cluster of the layer is part of.
        tile: (d, 2) int32, squares of the larger clusters.
        chosen: (t) uint8, 1 for transitions that an arc between larger clusters leaves or enters.
    """

    base: Base
    parent: Int32Array
    tile: Int32Array
    chosen: UInt8Array

    @staticmethod
    def of(layer: Layer, tile: Int32Array) -> Joined | None:
        """Join the clusters of a layer; return None where no two join, or nothing leads across.

        Args:
            tile: (c, 2) int32, squares of the clusters.
        """
        graph = layer.graph()
        parent, wider = join_clusters(graph, tile)
        if len(wider) == len(tile):
            return None
        base = Base.of(graph, parent[layer.cluster], len(wider))
        chosen = np.empty(len(layer.node), dtype=np.uint8)
        mark_crossings(graph, chosen)
        return Joined(base, parent, wider, chosen) if chosen.any() else None


# -- what has changed -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Kept:
    """Which parts of two versions of a layer match.

    Attributes:
        before: (t) int32, the transition each one was in the version before, -1 for new ones.
        same: (t) bool, whether its arcs are what they were, in the same order.
    """

    before: Int32Array
    same: BoolArray


@dataclass(frozen=True)
class Before:
    """The version of a first layer before a change of its rows, which keep their numbers.

    Attributes:
        layer: that version.
        rows: int32, rows whose arcs are not what they were, and all new ones.
        origin: (c) int32, the cluster that each cluster was, -1 where a row or an arc in it is
            different.
    """

    layer: Layer
    rows: Int32Array
    origin: Int32Array

    def fits(self, graph: ClusteredGraph, bits: int) -> bool:
        """Tell whether the slots of rows whose arcs are different fit into so many bits."""
        node = graph.node[self.rows]
        return int((node[:, END] - node[:, FIRST]).max(initial=1)) <= NO_SLOT[bits]

    def matched(self, now: Transitions) -> tuple[Int32Array, Int32Array]:
        """Find the clusters and transitions that nothing has happened to.

        Returns:
            (c) int32, the cluster that each cluster was, -1 where anything in it is different; (t)
            int32, the transition that each transition was, -1 for new ones.
        """
        first, origin = self.layer.first_transition, self.origin.copy()
        came = np.full(len(now.node), -1, dtype=np.int32)
        known = now.node < len(self.layer.index)
        came[known] = self.layer.index[now.node[known]]
        count = np.diff(now.first)
        cluster = np.repeat(np.arange(len(count)), count)
        alike = first[origin[cluster]] - now.first[cluster] == came - np.arange(len(came))
        origin[cluster[~alike]] = -1
        origin[first[origin + 1] - first[origin] != count] = -1
        return origin, came


# -- building -------------------------------------------------------------------------------------


class InnerEdges(NamedTuple):
    """Distances between the transitions of clusters that were searched.

    Attributes:
        searched: (c) int32, the number of each cluster among those searched, -1 for the others.
        first: (k + 1) int64, where the square of distances of each begins.
        distance: int32 ticks, [from, to].
        keep: bool, whether each of them becomes an arc.
    """

    searched: Int32Array
    first: Int64Array
    distance: Int32Array
    keep: BoolArray


class OldArcs(NamedTuple):
    """The arcs of the version before; see :class:`Layer`."""

    first_transition: Int32Array
    first_out: Int32Array
    arcs: Int32Array


_NO_ARCS = OldArcs(
    np.zeros(1, dtype=np.int32), np.zeros(1, dtype=np.int32), np.zeros((0, 2), dtype=np.int32)
)


def build_layer(
    base: Base,
    chosen: UInt8Array,
    rows: Int32Array | None,
    *,
    before: Before | None = None,
    bits: int = 4,
    flow_limit: int | None = None,
) -> tuple[Layer, Kept, Int32Array]:
    """Build a layer, and take over what has not changed.

    Args:
        base: what it is built on.
        chosen: (n) uint8, 1 for the nodes that are transitions.
        rows: (n) int32, row of every node below; None where the nodes below are the rows.
        before: the version before; None = build the whole layer.
        bits: the least bits of a slot in a flow field; 0 = keep no flow fields.
        flow_limit: keep flow fields if they take at most so many bytes; None = there is no limit.

    Returns:
        The layer; how its nodes match those before; (k) int32, the clusters that were searched.

    Raises:
        CostError: a distance inside a cluster is too long for the scale.
    """
    graph, size = base.graph, np.diff(base.members.first)
    transitions = _transitions(base.members, chosen)
    if bits and (before is None or not before.fits(graph, bits)):
        most = most_slots(graph)
        bits, before = max(bits, slot_bits(most - 1)), None
    data = cluster_columns(transitions.first, size, bits)
    if bits and flow_limit is not None and data[-1, FLOW] > flow_limit:
        bits, data = 0, cluster_columns(transitions.first, size, 0)
    if before is None:
        origin = np.full(len(size), -1, dtype=np.int32)
        came = np.full(len(transitions.node), -1, dtype=np.int32)
        old = _NO_ARCS
    else:
        origin, came = before.matched(transitions)
        old = OldArcs(before.layer.first_transition, before.layer.first_out, before.layer.arcs)
    flow = np.empty(int(data[-1, FLOW]), dtype=np.uint8)
    if before is not None:
        _take_over_flow(origin, data, before.layer.cluster_data, before.layer.flow, flow)
    fresh = np.flatnonzero(origin < 0).astype(np.int32)
    edges = search_fresh(base, transitions, fresh, bits, data, flow)
    room = len(old.arcs) + int(np.count_nonzero(edges.keep)) + slots_of(graph, transitions.node)
    first_out = np.empty(len(came) + 1, dtype=np.int32)
    arcs = np.empty((room, 2), dtype=np.int32)
    same = np.empty(len(came), dtype=np.bool_)
    arc_count = _join_arcs(graph, transitions, origin, edges, came, old, first_out, arcs, same)
    layer = Layer(
        base.label,
        transitions.node,
        transitions.node if rows is None else rows[transitions.node],
        transitions.first,
        first_out,
        arcs[:arc_count].copy(),
        bits,
        flow,
        data,
    )
    return layer, Kept(came, same), fresh


def _transitions(members: Members, chosen: UInt8Array) -> Transitions:
    """Number the chosen nodes by cluster, and within a cluster in ascending order."""
    is_one = chosen[members.node] != 0
    before = offsets(is_one)
    node = members.node[is_one]
    number = np.full(len(chosen), -1, dtype=np.int32)
    number[node] = np.arange(len(node), dtype=np.int32)
    return Transitions(before[members.first], node, number)


def search_fresh(
    base: Base,
    transitions: Transitions,
    fresh: Int32Array,
    bits: int,
    cluster_data: Int64Array,
    flow: UInt8Array,
) -> InnerEdges:
    """Search some clusters from each of their transitions, and fill in their flow fields."""
    count = (transitions.first[fresh + 1] - transitions.first[fresh]).astype(np.int64)
    first = offsets(count * count, np.int64)
    distance = np.empty(int(first[-1]), dtype=np.int32)
    graph, members = base.graph, base.members
    room = ClusterRoom.of(graph, members, fresh)
    longest = search_from_transitions(
        graph, members, transitions, fresh, first, distance, bits, cluster_data, flow, room
    )
    keep = undominated(longest, transitions.first, fresh, first, distance)
    searched = np.full(len(cluster_data) - 1, -1, dtype=np.int32)
    searched[fresh] = np.arange(len(fresh), dtype=np.int32)
    return InnerEdges(searched, first, distance, keep)


@kernel
def _take_over_flow(
    origin: Int32Array,
    cluster_data: Int64Array,
    old_cluster_data: Int64Array,
    old_flow: UInt8Array,
    flow: UInt8Array,
) -> None:
    """Copy the flow fields of clusters that nothing has happened to."""
    for cluster in range(len(origin)):
        if origin[cluster] >= 0:
            begin, end = cluster_data[cluster, FLOW], cluster_data[cluster + 1, FLOW]
            source = old_cluster_data[origin[cluster], FLOW]
            for i in range(end - begin):
                flow[begin + i] = old_flow[source + i]


@kernel
def _join_arcs(
    graph: ClusteredGraph,
    transitions: Transitions,
    origin: Int32Array,
    edges: InnerEdges,
    came: Int32Array,
    old: OldArcs,
    first_out: Int32Array,
    over: Int32Array,
    same: BoolArray,
) -> int:
    """Write the arcs of a layer: inner edges, taken over or newly found, and crossings.

    Args:
        origin, came: from :meth:`Before.matched`.
        first_out, over: (t + 1), and room for all arcs; filled. The arcs of a transition are in the
            order of their heads; of parallel arcs only the cheapest is written.
        same: (t), filled: whether the arcs of a transition are what they were.

    Returns:
        How many arcs there are.
    """
    filled = 0
    first_out[0] = 0
    alike = len(transitions.first) == len(old.first_transition)
    for cluster in range(len(origin)):
        alike = alike and transitions.first[cluster + 1] == old.first_transition[cluster + 1]
    for one in range(len(transitions.node)):
        alike = alike and came[one] == one
    for cluster in range(len(origin)):
        first = transitions.first[cluster]
        count = transitions.first[cluster + 1] - first
        if alike and origin[cluster] >= 0:
            # All transitions are those of before, and the arcs of this cluster lead where they led.
            for one in range(first, first + count):
                for arc in range(old.first_out[one], old.first_out[one + 1]):
                    over[filled, HEAD] = old.arcs[arc, HEAD]
                    over[filled, TICKS] = old.arcs[arc, TICKS]
                    filled += 1
                first_out[one + 1] = filled
                same[one] = True
            continue
        for i in range(count):
            one = first + i
            begun = filled
            was = came[one]
            if origin[cluster] >= 0:
                low = old.first_transition[origin[cluster]]
                for arc in range(old.first_out[was], old.first_out[was + 1]):
                    other = old.arcs[arc, HEAD] - low
                    if 0 <= other < count:
                        over[filled, HEAD] = first + other
                        over[filled, TICKS] = old.arcs[arc, TICKS]
                        filled += 1
            else:
                base = edges.first[edges.searched[cluster]] + i * count
                for other in range(count):
                    if edges.keep[base + other]:
                        over[filled, HEAD] = first + other
                        over[filled, TICKS] = edges.distance[base + other]
                        filled += 1
            below = transitions.node[one]
            for arc in range(first_arc(graph, below), end_arc(graph, below)):
                head = head_of(graph, arc)
                if head < 0 or graph.node[head, CLUSTER] == cluster or transitions.number[head] < 0:
                    continue
                there, ticks = transitions.number[head], ticks_of(graph, arc)
                gap = filled
                while gap > begun and over[gap - 1, HEAD] > there:
                    gap -= 1
                if gap > begun and over[gap - 1, HEAD] == there:
                    over[gap - 1, TICKS] = min(over[gap - 1, TICKS], ticks)
                    continue
                for moved in range(filled, gap, -1):
                    over[moved, HEAD] = over[moved - 1, HEAD]
                    over[moved, TICKS] = over[moved - 1, TICKS]
                over[gap, HEAD] = there
                over[gap, TICKS] = ticks
                filled += 1
            first_out[one + 1] = filled
            equal = was >= 0 and old.first_out[was + 1] - old.first_out[was] == filled - begun
            if equal:
                start = old.first_out[was]
                for arc in range(begun, filled):
                    equal = (
                        equal
                        and came[over[arc, HEAD]] == old.arcs[start + arc - begun, HEAD]
                        and over[arc, TICKS] == old.arcs[start + arc - begun, TICKS]
                    )
            same[one] = equal
    return filled
