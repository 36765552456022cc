"""A layer of transitions after a change below it: only clusters that it touches are built anew.

What comes out is what building the whole layer would give, to the last arc and slot: see
:func:`rebuild_layer`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bake.arrays import BoolArray, Int32Array, Int64Array, UInt8Array
from bake.search.hierarchy.inner_fields import NO_SLOT, slot_bits
from bake.search.hierarchy.layer_ground import Ground
from bake.search.hierarchy.layer_inside import cluster_layout, search_fresh
from bake.search.hierarchy.layer_joins import join_arcs, join_fields
from bake.search.hierarchy.layer_members import list_transitions, match_clusters, match_transitions


@dataclass(frozen=True)
class RebuiltLayer:
    """One version of a layer.

    Attributes:
        ground: what it stands on.
        index: (n) int32, the transition each node below is, -1 where it is none.
        node: (t) int32, the node below; row: (t) int32, the row.
        first_transition: (c + 1) int32.
        first_out, arcs: (t + 1), (a, 2) int32, the layer as a graph: transition, ticks.
        bits, field: see :mod:`bake.search.hierarchy.inner_fields`.
        cluster_data: (c + 1, 4) int64, see :func:`bake.search.hierarchy.hpa.find_way`.
    """

    ground: Ground
    index: Int32Array
    node: Int32Array
    row: Int32Array
    first_transition: Int32Array
    first_out: Int32Array
    arcs: Int32Array
    bits: int
    field: UInt8Array
    cluster_data: Int64Array

    @property
    def cluster_count(self) -> int:
        return self.ground.count

    @property
    def cluster(self) -> Int32Array:
        """(t) int32, cluster of each transition in this layer."""
        own: Int32Array = self.ground.data[self.node, 0]
        return own

    @property
    def below_cluster(self) -> Int32Array:
        """(n) int32, cluster in this layer of every node below."""
        return np.ascontiguousarray(self.ground.data[:, 0])


@dataclass(frozen=True)
class Passed:
    """How two versions of a layer go together.

    Attributes:
        before: (t) int32, the transition each one was in the version before, -1 for new ones.
        same: (t) bool, whether its arcs are what they were, in the same order.
    """

    before: Int32Array
    same: BoolArray

    @property
    def nothing(self) -> bool:
        """Whether the layer is what it was."""
        every = np.arange(len(self.before), dtype=np.int32)
        return bool(self.same.all()) and np.array_equal(self.before, every)


@dataclass(frozen=True)
class Rows:
    """How two versions of the rows go together, which keep their numbers.

    Attributes:
        changed: int32, rows whose arcs are not what they were, and all new ones.
        origin: (c) int32, the cluster each one was, -1 where a row or an arc in it is different.
    """

    changed: Int32Array
    origin: Int32Array


def rebuild_layer(
    ground: Ground,
    chosen: UInt8Array,
    rows: Int32Array | None,
    passed: Passed | Rows,
    old: RebuiltLayer | None,
    bits: int,
) -> tuple[RebuiltLayer, Passed, Int32Array]:
    """Build a layer, taking over what has not changed.

    Args:
        ground: what it stands on now.
        chosen: (n) uint8, 1 for the nodes that are transitions.
        rows: (n) int32, row of every node below; None where those are the rows.
        passed: how nodes below go together with those of the version before.
        old: the version before; None = build all of it.
        bits: of a slot in a field, if the slots fit; 0 = keep no fields.

    Returns:
        The layer; how its own nodes go together with those before; (k) int32, the clusters that
        were built anew.

    Raises:
        CostError: a distance inside a cluster is too long for the scale.
    """
    count, nodes = ground.count, len(ground.data)
    first_transition = np.empty(count + 1, dtype=np.int32)
    index = np.empty(nodes, dtype=np.int32)
    node = np.empty(nodes, dtype=np.int32)
    found = list_transitions(
        ground.first_member, ground.member, chosen, first_transition, node, index
    )
    node = node[:found].copy()
    if bits and (old is None or not _fits(ground, passed, bits)):
        most = int((ground.data[:, 3] - ground.data[:, 2]).max(initial=1))
        bits, old = max(bits, slot_bits(most - 1)), None
    if old is None:
        old = _NOTHING
        origin = np.full(count, -1, dtype=np.int32)
        came = np.full(found, -1, dtype=np.int32)
    elif isinstance(passed, Rows):
        origin = passed.origin.copy()
        match_transitions(first_transition, node, old.first_transition, old.node, origin)
        came = np.full(found, -1, dtype=np.int32)
        known = node < len(old.index)
        came[known] = old.index[node[known]]
    else:
        origin = np.empty(count, dtype=np.int32)
        match_clusters(
            ground.first_member,
            ground.member,
            index,
            passed.before,
            passed.same,
            old.ground.data,
            old.ground.first_member,
            old.index,
            origin,
        )
        came = passed.before[node]
        known = came >= 0
        came[known] = old.index[came[known]]
    fresh = np.flatnonzero(origin < 0).astype(np.int32)
    rank = np.full(count, -1, dtype=np.int32)
    rank[fresh] = np.arange(len(fresh), dtype=np.int32)
    inside = search_fresh(ground, fresh, first_transition, node, bits)
    degree = ground.data[node, 3] - ground.data[node, 2]
    room = len(old.arcs) + int(np.count_nonzero(inside.keep)) + int(degree.sum())
    first_out = np.empty(found + 1, dtype=np.int32)
    arcs = np.empty((room, 2), dtype=np.int32)
    same = np.empty(found, dtype=np.bool_)
    arc_count = join_arcs(
        ground.data,
        ground.arcs,
        index,
        node,
        first_transition,
        origin,
        rank,
        inside.first_distance,
        inside.distance,
        inside.keep,
        came,
        old.first_transition,
        old.first_out,
        old.arcs,
        first_out,
        arcs,
        same,
    )
    data = cluster_layout(first_transition, ground.first_member, bits)
    field = np.empty(int(data[-1, 2]), dtype=np.uint8)
    join_fields(origin, rank, data, old.cluster_data, old.field, inside.begins, inside.field, field)
    row = node if rows is None else rows[node]
    layer = RebuiltLayer(
        ground,
        index,
        node,
        row,
        first_transition,
        first_out,
        arcs[:arc_count].copy(),
        bits,
        field,
        data,
    )
    return layer, Passed(came, same), fresh


def _fits(ground: Ground, passed: Passed | Rows, bits: int) -> bool:
    """Whether the slots of nodes whose arcs are different fit into so many bits."""
    data = ground.data[passed.changed if isinstance(passed, Rows) else ~passed.same]
    return int((data[:, 3] - data[:, 2]).max(initial=1)) <= NO_SLOT[bits]


def _nothing() -> RebuiltLayer:
    none = np.zeros(0, dtype=np.int32)
    one = np.zeros(1, dtype=np.int32)
    pairs = np.zeros((0, 2), dtype=np.int32)
    ground = Ground(np.zeros((0, 4), dtype=np.int32), pairs, one, none, 0)
    data = np.zeros((1, 4), dtype=np.int64)
    return RebuiltLayer(
        ground, none, none, none, one, one, pairs, 0, np.zeros(0, dtype=np.uint8), data
    )


_NOTHING = _nothing()
