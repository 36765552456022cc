"""Some clusters of a layer searched from each of their transitions: those that are built anew."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bake.arrays import BoolArray, Int32Array, Int64Array, UInt8Array
from bake.kernels.jit import kernel
from bake.search.hierarchy.inner_fields import inner_fields, undominated
from bake.search.hierarchy.inside import CLUSTER, END, FIRST, PLACE
from bake.search.hierarchy.layer_ground import Ground


@kernel
def lay_out_inside(
    data: Int32Array,
    fresh: Int32Array,
    first_member: Int32Array,
    member: Int32Array,
    first_transition: Int32Array,
    node: Int32Array,
    bits: int,
    first_node: Int32Array,
    first_local: Int32Array,
    first_distance: Int64Array,
    begins: Int64Array,
    place: Int32Array,
    label: Int32Array,
    local: Int32Array,
    first_field: Int64Array,
) -> int:
    """Number the nodes and transitions of some clusters, for a graph of these alone.

    Args:
        fresh: (k) clusters.
        bits: of a slot in a field.
        first_node, first_local, first_distance, begins: (k + 1), filled: where nodes, transitions,
            squares of distances and fields of each cluster begin.
        place, label: by node, filled: its place in its cluster, and which of the clusters it is.
        local, first_field: by transition, filled: its number as a node, and where its field begins.

    Returns:
        How many arcs leave all the nodes.
    """
    first_node[0], first_local[0], first_distance[0], begins[0] = 0, 0, 0, 0
    room = np.int64(0)
    for rank in range(len(fresh)):
        cluster = fresh[rank]
        base, start = first_node[rank], first_member[cluster]
        nodes = first_member[cluster + 1] - start
        for one in range(nodes):
            place[base + one] = one
            label[base + one] = rank
            room += data[member[start + one], END] - data[member[start + one], FIRST]
        size = (nodes * bits + 7) // 8
        begin, low = first_local[rank], first_transition[cluster]
        count = first_transition[cluster + 1] - low
        for one in range(count):
            local[begin + one] = base + data[node[low + one], PLACE]
            first_field[begin + one] = begins[rank] + one * size
        first_node[rank + 1] = base + nodes
        first_local[rank + 1] = begin + count
        first_distance[rank + 1] = first_distance[rank] + np.int64(count) * count
        begins[rank + 1] = begins[rank] + np.int64(count) * size
    first_field[first_local[len(fresh)]] = begins[len(fresh)]
    return int(room)


@kernel
def arcs_inside(
    data: Int32Array,
    arcs: Int32Array,
    fresh: Int32Array,
    first_member: Int32Array,
    member: Int32Array,
    first_node: Int32Array,
    first_out: Int32Array,
    head: Int32Array,
    weight: Int32Array,
    slot: Int32Array,
) -> tuple[int, int]:
    """Some clusters as a graph of its own, without what lies between them.

    Args:
        fresh, first_node: as for :func:`lay_out_inside`.
        first_out: (number of nodes + 1), filled.
        head, weight, slot: room for all arcs that leave the nodes, filled; ``slot`` is the place of
            an arc among those of its node.

    Returns:
        How many arcs there are, and the smallest weight.
    """
    count = 0
    least = np.int32(2**30)
    first_out[0] = 0
    for rank in range(len(fresh)):
        cluster = fresh[rank]
        for spot in range(first_member[cluster], first_member[cluster + 1]):
            node = member[spot]
            for arc in range(data[node, FIRST], data[node, END]):
                other = arcs[arc, 0]
                if other >= 0 and data[other, CLUSTER] == cluster:
                    head[count] = first_node[rank] + data[other, PLACE]
                    weight[count] = arcs[arc, 1]
                    least = min(least, arcs[arc, 1])
                    slot[count] = arc - data[node, FIRST]
                    count += 1
            first_out[first_node[rank] + data[node, PLACE] + 1] = count
    return count, int(least)


@dataclass(frozen=True)
class Inside:
    """Clusters that were searched anew: see :mod:`bake.search.hierarchy.inner_fields`."""

    first_distance: Int64Array
    distance: Int32Array
    keep: BoolArray
    begins: Int64Array
    field: UInt8Array


def cluster_layout(first_transition: Int32Array, first_member: Int32Array, bits: int) -> Int64Array:
    """(c + 1, 4) int64, by cluster: first transition, nodes, first byte of its fields, of each."""
    data = np.zeros((len(first_member), 4), dtype=np.int64)
    data[:, 0] = first_transition
    data[:-1, 1] = np.diff(first_member)
    data[:-1, 3] = (data[:-1, 1] * bits + 7) // 8
    np.cumsum(np.diff(data[:, 0]) * data[:-1, 3], out=data[1:, 2])
    return data


def search_fresh(
    ground: Ground,
    fresh: Int32Array,
    first_transition: Int32Array,
    node: Int32Array,
    bits: int,
) -> Inside:
    """Search some clusters from each of their transitions."""
    first_member = ground.first_member
    if not len(fresh):
        return _NOTHING
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
    keep = undominated(longest, first_local, first_distance, distance)
    return Inside(first_distance, distance, keep, begins, field)


_NOTHING = Inside(
    np.zeros(1, dtype=np.int64),
    np.zeros(0, dtype=np.int32),
    np.zeros(0, dtype=np.bool_),
    np.zeros(1, dtype=np.int64),
    np.zeros(0, dtype=np.uint8),
)
