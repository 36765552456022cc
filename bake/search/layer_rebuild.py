"""A layer of transitions after a change below it: only clusters that it touches are built anew.

What comes out is what building the whole layer would give, to the last arc and slot: see
:func:`rebuild_layer`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bake.errors import CostError
from bake.graph import Int32Array
from bake.search.batch import INFINITY
from bake.search.inner_fields import NO_SLOT, inner_fields, keep_undominated
from bake.search.layer_kernels import (
    ByteArray,
    Int64Array,
    arcs_inside,
    join_arcs,
    join_fields,
    lay_out_inside,
    list_transitions,
    match_clusters,
    match_transitions,
    place_members,
)

BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Ground:
    """What a layer stands on, see :mod:`bake.search.layer_kernels`.

    Attributes:
        data: (n, 4) int32; arcs: (m, 2) int32.
        first_member, member: nodes by cluster, ascending within one; (c + 1), int32.
        most_arcs: the most arcs that leave the nodes of one cluster.
    """

    data: Int32Array
    arcs: Int32Array
    first_member: Int32Array
    member: Int32Array
    most_arcs: int

    @staticmethod
    def of(data: Int32Array, arcs: Int32Array, count: int) -> Ground:
        """Of ``count`` clusters; places are written into ``data``."""
        first_member = np.empty(count + 1, dtype=np.int32)
        member = np.empty(len(data), dtype=np.int32)
        most = place_members(data, first_member, member)
        return Ground(data, arcs, first_member, member[: first_member[-1]], most)

    def patched(
        self, label: Int32Array, span: Int32Array, changed: Int32Array, cut: Int32Array
    ) -> Ground:
        """Of rows of which some clusters have come to hold others; no number has moved.

        Args:
            label: (r) int32; span: (r, 2) int32, where arcs of each row are.
            changed: rows that lie elsewhere in ``arcs`` now, or in another cluster, or in none.
            cut: all rows of the clusters that are different.
        """
        more = np.zeros((len(label) - len(self.data), 4), dtype=np.int32)
        data = np.concatenate([self.data, more])
        data[changed, 2:] = span[changed]
        data[changed, 0] = label[changed]
        cut = np.sort(cut)
        own, begin, most = label[cut], 0, self.most_arcs
        data[cut, 0] = own
        size = np.diff(self.first_member)
        parts: list[Int32Array] = []
        for cluster in np.unique(own).tolist():
            rows = cut[own == cluster]
            data[rows, 1] = np.arange(len(rows), dtype=np.int32)
            most = max(most, int((span[rows, 1] - span[rows, 0]).sum()))
            parts += [self.member[begin : self.first_member[cluster]], rows]
            begin = self.first_member[cluster + 1]
            size[cluster] = len(rows)
        first_member = np.zeros_like(self.first_member)
        np.cumsum(size, out=first_member[1:])
        member = np.concatenate([*parts, self.member[begin:]])
        return Ground(data, self.arcs, first_member, member, most)

    @property
    def count(self) -> int:
        """Clusters."""
        return len(self.first_member) - 1


@dataclass(frozen=True)
class RebuiltLayer:
    """One version of a layer.

    Attributes:
        ground: what it stands on.
        index: (n) int32, the transition each node below is, -1 where it is none.
        node: (t) int32, the node below; row: (t) int32, the row.
        first_transition: (c + 1) int32.
        first_out, arcs: (t + 1), (a, 2) int32, the layer as a graph: transition, ticks.
        bits, field: see :mod:`bake.search.inner_fields`.
        cluster_data: (c + 1, 4) int64, see :func:`bake.search.hpa.find_way`.
    """

    ground: Ground
    index: Int32Array
    node: Int32Array
    row: Int32Array
    first_transition: Int32Array
    first_out: Int32Array
    arcs: Int32Array
    bits: int
    field: ByteArray
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


@dataclass(frozen=True)
class _Inside:
    """Clusters that were searched anew: see :func:`bake.search.inner_fields.inner_fields`."""

    first_distance: Int64Array
    distance: Int32Array
    keep: BoolArray
    begins: Int64Array
    field: ByteArray


def rebuild_layer(
    ground: Ground,
    chosen: ByteArray,
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
        bits, old = max(bits, bits_for(ground)), None
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
    inside = _search_inside(ground, fresh, first_transition, node, bits)
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


def bits_for(ground: Ground) -> int:
    """Bits that the slots of all nodes below fit into.

    Raises:
        CostError: a node has more arcs than fields can tell apart.
    """
    most = int((ground.data[:, 3] - ground.data[:, 2]).max(initial=1))
    for bits, none in NO_SLOT.items():
        if most <= none:
            return bits
    raise CostError(f"a node has {most:,} arcs", expected=f"at most {NO_SLOT[16]:,}")


def _fits(ground: Ground, passed: Passed | Rows, bits: int) -> bool:
    """Whether the slots of nodes whose arcs are different fit into so many bits."""
    data = ground.data[passed.changed if isinstance(passed, Rows) else ~passed.same]
    return int((data[:, 3] - data[:, 2]).max(initial=1)) <= NO_SLOT[bits]


def cluster_layout(first_transition: Int32Array, first_member: Int32Array, bits: int) -> Int64Array:
    """(c + 1, 4) int64, by cluster: first transition, nodes, first byte of its fields, of each."""
    data = np.zeros((len(first_member), 4), dtype=np.int64)
    data[:, 0] = first_transition
    data[:-1, 1] = np.diff(first_member)
    data[:-1, 3] = (data[:-1, 1] * bits + 7) // 8
    np.cumsum(np.diff(data[:, 0]) * data[:-1, 3], out=data[1:, 2])
    return data


def _search_inside(
    ground: Ground,
    fresh: Int32Array,
    first_transition: Int32Array,
    node: Int32Array,
    bits: int,
) -> _Inside:
    """Search some clusters from each of their transitions."""
    first_member = ground.first_member
    if not len(fresh):
        return _NO_INSIDE
    nodes = int((first_member[fresh + 1] - first_member[fresh]).sum())
    transitions = int((first_transition[fresh + 1] - first_transition[fresh]).sum())
    first_node, first_local = np.empty((2, len(fresh) + 1), dtype=np.int32)
    first_distance, begins = np.empty((2, len(fresh) + 1), dtype=np.int64)
    place, label, every = np.empty((3, nodes), dtype=np.int32)
    every[:] = np.arange(nodes, dtype=np.int32)
    transition = np.empty(transitions, dtype=np.int32)
    first_field = np.empty(transitions + 1, dtype=np.int64)
    room = lay_out_inside(
        ground.data,
        fresh,
        first_member,
        ground.member,
        first_transition,
        node,
        bits,
        first_node,
        first_local,
        first_distance,
        begins,
        place,
        label,
        transition,
        first_field,
    )
    first_out = np.empty(nodes + 1, dtype=np.int32)
    head, weight, slot = np.empty((3, room), dtype=np.int32)
    _, least = arcs_inside(
        ground.data,
        ground.arcs,
        fresh,
        first_member,
        ground.member,
        first_node,
        first_out,
        head,
        weight,
        slot,
    )
    distance = np.empty(int(first_distance[-1]), dtype=np.int32)
    field = np.zeros(int(begins[-1]), dtype=np.uint8)
    longest = inner_fields(
        first_out,
        head,
        weight,
        slot,
        label,
        first_node,
        every,
        place,
        first_local,
        transition,
        least.bit_length() - 1,
        first_distance,
        distance,
        bits,
        first_field,
        field,
    )
    if longest >= INFINITY - 1:
        raise CostError(
            f"distances inside a cluster reach {longest} ticks",
            expected=f"fewer than {INFINITY - 1} ticks",
            remedy="lower the costs, or ticks_per_unit",
        )
    keep = np.empty(len(distance), dtype=np.bool_)
    keep_undominated(first_local, first_distance, distance, keep)
    return _Inside(first_distance, distance, keep, begins, field)


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
_NO_INSIDE = _Inside(
    np.zeros(1, dtype=np.int64),
    np.zeros(0, dtype=np.int32),
    np.zeros(0, dtype=np.bool_),
    np.zeros(1, dtype=np.int64),
    np.zeros(0, dtype=np.uint8),
)
