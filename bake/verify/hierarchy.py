"""Verify clusters and hierarchies with scipy's searches inside one cluster after another.

The following is verified for every layer. An arc inside a cluster costs as much as a shortest path
inside the cluster, and the arcs inside preserve every distance between the cluster's transitions.
Arcs between clusters are arcs of the layer below at the same weight, and from the second layer on
(on graphs from the first) none is missing. Every slot of a field begins a shortest path inside.
Distances from landmarks are those of the first layer. Therefore every plan is a real path of the
stated cost, and the shortest one over the first layer's transitions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from bake.core.arrays import BoolArray, Float64Array, Int64Array
from bake.core.graph import UNREACHABLE
from bake.store.layers import stored_layers
from bake.verify.profile import Arcs, FileProfile, search_distances
from bake.verify.stated import Recipe

#: The most products of nodes and transitions that are searched in one layer. In a larger layer only
#: every second cluster is searched, or every third, and so on.
MOST_SEARCHED = 2 * 10**8


@dataclass(frozen=True)
class _Layer:
    """A layer and the one below it."""

    below: Arcs  #: arcs of the layer below, or of the profile's graph
    label: Int64Array  #: cluster of each node of the layer below
    own: Int64Array  #: the node of the layer below that each transition is
    arcs: Arcs  #: arcs of the layer itself


class _Fields:
    """A reader of the fields of the first layer, cluster by cluster."""

    def __init__(self, profile: FileProfile) -> None:
        self._profile = profile
        self._data = profile.column("layer_field")
        self._begin = 0

    def next(self, transitions: int, nodes: int, bits: int) -> Int64Array:
        """Return (transitions, nodes), the slots of the next cluster; -1 = none."""
        width = (nodes * bits + 7) // 8
        part = self._data[self._begin : self._begin + transitions * width]
        self._begin += transitions * width
        self._fit(len(part) == transitions * width)
        part = part.reshape(transitions, width)
        if bits == 4:
            part = np.stack([part & 15, part >> 4], axis=2).reshape(transitions, 2 * width)
        elif bits != 8:
            part = np.ascontiguousarray(part).view("<u2")
        slots = part[:, :nodes].astype(np.int64)
        return np.where(slots == (1 << bits) - 1, -1, slots)

    def end(self) -> None:
        """Raise unless the whole column has been read."""
        self._fit(self._begin == len(self._data))

    def _fit(self, fits: bool) -> None:
        self._profile.require(fits, "layer_field does not fit the clusters")


def verify_clusters(profile: FileProfile) -> None:
    """Verify that each cluster is connected."""
    arcs, label = profile.arcs, profile.int_column("cluster")
    count = int(label.max(initial=-1)) + 1
    parts, _ = arcs.where(label[arcs.tail] == label[arcs.head]).components("weak")
    profile.require(parts == count, "a cluster is not connected")


def verify_hierarchy(profile: FileProfile) -> None:
    """Verify all layers of one profile."""
    mode, stated = profile.text("hierarchy_mode"), Recipe(profile.asset).at("hierarchy", "mode")
    profile.require(mode and stated in (None, mode), "hierarchy_mode is not the one in the recipe")
    fields, thinned = _Fields(profile), profile.asset.text("kind") != "graph"
    for number, (layer, bits) in enumerate(_read_layers(profile)):
        _verify_crossings(profile, layer, every=number > 0 or not thinned)
        _verify_inside(profile, layer, fields, bits)
        if not number:
            _verify_landmarks(profile, layer.arcs)
    fields.end()


def _read_layers(profile: FileProfile) -> Iterator[tuple[_Layer, int]]:
    """Yield the layers and the bits of a slot in their fields, lowest first."""
    below, label = profile.arcs, profile.int_column("cluster")
    clusters = int(label.max(initial=-1)) + 1
    for stored in stored_layers(
        profile.asset, profile.name, profile.int_column, profile.rows, clusters
    ):
        arcs = Arcs.of_slots(stored.degree, stored.head, stored.weight)
        yield _Layer(below, label, stored.node, arcs), stored.bits
        if len(stored.parent):
            below, label = arcs, stored.parent[label[stored.node]]


def _verify_crossings(profile: FileProfile, layer: _Layer, *, every: bool) -> None:
    """Verify that arcs between clusters equal the layer below, between transitions."""
    below, label, own, arcs = layer.below, layer.label, layer.own, layer.arcs
    crossing = below.where(label[below.tail] != label[below.head])
    if every:
        ends = np.union1d(crossing.tail, crossing.head)
        profile.require(np.isin(ends, own).all(), "the end of a crossing is not a transition")
    real = crossing.cheapest()[own][:, own]
    stored = arcs.where(label[own[arcs.tail]] != label[own[arcs.head]]).cheapest()
    same = abs(real - stored).nnz == 0
    profile.require(same, "an arc between clusters is not one of the layer below")


def _verify_inside(profile: FileProfile, layer: _Layer, fields: _Fields, bits: int) -> None:
    """Verify that arcs and fields inside clusters follow shortest paths inside."""
    below, label, own, arcs = layer.below, layer.label, layer.own, layer.arcs
    layer_inside = arcs.where(label[own[arcs.tail]] == label[own[arcs.head]]).cheapest()
    order = np.argsort(label, kind="stable")
    clusters = np.arange(int(label.max(initial=-1)) + 2)
    first = np.searchsorted(label[order], clusters)
    own_first = np.searchsorted(label[own], clusters)
    inward = below.where(label[below.tail] == label[below.head]).cheapest().T.tocsr()
    inward = inward[order][:, order]
    in_order = (np.diff(label[own]) >= 0).all()
    profile.require(in_order, "layer_node is not in the order of clusters")
    work = int((np.diff(first) * np.diff(own_first)).sum())
    step = max(1, -(-work // MOST_SEARCHED))
    for cluster in clusters[:-1]:
        inside = slice(*first[cluster : cluster + 2])
        members = order[inside]
        ends = slice(*own_first[cluster : cluster + 2])
        targets = np.searchsorted(members, own[ends])
        slots = fields.next(len(targets), len(members), bits) if bits else None
        if not len(targets) or cluster % step:
            continue
        # Search toward each transition: rows of the result are transitions, columns nodes.
        toward = search_distances(inward[inside, inside], indices=targets)
        real = toward[:, targets].T
        stored = layer_inside[ends, ends]
        profile.require(
            (stored.data == real[stored.nonzero()]).all(),
            "an arc inside a cluster does not cost as much as a shortest path there",
        )
        is_preserved = (search_distances(stored) == real).all()
        profile.require(is_preserved, "arcs inside a cluster do not preserve the distances there")
        if slots is not None:
            _verify_fields(profile, below, members, toward, slots)


def _verify_fields(
    profile: FileProfile, below: Arcs, members: Int64Array, toward: Float64Array, slots: Int64Array
) -> None:
    """Verify that the slots of one cluster's fields begin shortest paths inside it.

    Args:
        profile: the profile of the fields.
        below: arcs of the layer below.
        members: (n) nodes of the layer below that are in the cluster.
        toward: (t, n) ticks from each node to each of the cluster's transitions.
        slots: (t, n) of the fields.
    """
    wrong = "a field does not follow a shortest path"
    has_path: BoolArray = np.isfinite(toward) & (toward > 0)
    profile.require(((slots >= 0) == has_path).all(), wrong)
    transition, place = np.nonzero(has_path)
    want, node = slots[transition, place], members[place]
    # Slots ascend within a node, with gaps for blocked arcs.
    low, high = below.first[node], below.first[node + 1]
    arc_of = np.full(len(node), -1)
    for gap in range(int((high - low).max(initial=0))):
        arc = np.minimum(low + gap, len(below.slot) - 1)
        hit = (low + gap < high) & (below.slot[arc] == want)
        arc_of[hit] = arc[hit]
    to = below.head[arc_of]
    at = np.minimum(np.searchsorted(members, to), len(members) - 1)
    length = below.weight[arc_of] + toward[transition, at]
    right = (arc_of >= 0) & (members[at] == to) & (length == toward[transition, place])
    profile.require(right.all(), wrong)


def _verify_landmarks(profile: FileProfile, layer: Arcs) -> None:
    landmark = profile.column("layer_landmark")
    graph = layer.cheapest()
    parts, part = layer.components("weak")
    for column in landmark.T:
        origin = np.flatnonzero(column == 0)
        single = (np.bincount(part[origin], minlength=parts) == 1).all()
        profile.require(single, "a connected part has no landmark of its own, or several")
        real = search_distances(graph, indices=origin, min_only=True)
        stored = np.where(column == UNREACHABLE, np.inf, column)
        profile.require((real == stored).all(), "a distance from a landmark is wrong")
