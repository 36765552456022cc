"""Layers put together of clusters nothing happened to and clusters built anew.

See :mod:`bake.search.hierarchy.layer_members` for what they stand on.
"""

from __future__ import annotations

from bake.arrays import BoolArray, Int32Array, Int64Array, UInt8Array
from bake.kernels.jit import kernel
from bake.search.hierarchy.inside import CLUSTER, END, FIRST


@kernel
def join_arcs(
    data: Int32Array,
    arcs: Int32Array,
    index: Int32Array,
    node: Int32Array,
    first_transition: Int32Array,
    origin: Int32Array,
    rank: Int32Array,
    first_distance: Int64Array,
    distance: Int32Array,
    keep: BoolArray,
    came: Int32Array,
    old_first_transition: Int32Array,
    old_first_out: Int32Array,
    old_arcs: Int32Array,
    first_out: Int32Array,
    over: Int32Array,
    same: BoolArray,
) -> int:
    """Write the arcs of a layer: inner edges as they were or as found anew, and crossings.

    Args:
        data, arcs: what the layer stands on.
        index, node, first_transition: from :func:`list_transitions`.
        origin: from :func:`match_clusters`; rank: (c), the place of a cluster among those built
            anew.
        first_distance, distance, keep: of clusters built anew, see
            :func:`bake.search.hierarchy.inner_fields.inner_fields`.
        came: (t), the transition each one was, -1 for new ones.
        old_first_transition, old_first_out, old_arcs: the layer before.
        first_out: (t + 1), over: room for all, filled; arcs of one are in the order of their heads,
            of parallel ones the cheapest.
        same: (t), filled: whether the arcs of a transition are what they were.

    Returns:
        How many arcs there are.
    """
    filled = 0
    first_out[0] = 0
    alike = len(first_transition) == len(old_first_transition)
    for cluster in range(len(origin)):
        alike = alike and first_transition[cluster + 1] == old_first_transition[cluster + 1]
    for one in range(len(node)):
        alike = alike and came[one] == one
    for cluster in range(len(origin)):
        first = first_transition[cluster]
        count = first_transition[cluster + 1] - first
        if alike and origin[cluster] >= 0:
            # All transitions are those of before, and those of this cluster lead where they led.
            for one in range(first, first + count):
                for arc in range(old_first_out[one], old_first_out[one + 1]):
                    over[filled, 0] = old_arcs[arc, 0]
                    over[filled, 1] = old_arcs[arc, 1]
                    filled += 1
                first_out[one + 1] = filled
                same[one] = True
            continue
        for place in range(count):
            one = first + place
            begun = filled
            was = came[one]
            if origin[cluster] >= 0:
                low = old_first_transition[origin[cluster]]
                for arc in range(old_first_out[was], old_first_out[was + 1]):
                    other = old_arcs[arc, 0] - low
                    if 0 <= other < count:
                        over[filled, 0] = first + other
                        over[filled, 1] = old_arcs[arc, 1]
                        filled += 1
            else:
                base = first_distance[rank[cluster]] + place * count
                for other in range(count):
                    if keep[base + other]:
                        over[filled, 0] = first + other
                        over[filled, 1] = distance[base + other]
                        filled += 1
            below = node[one]
            for arc in range(data[below, FIRST], data[below, END]):
                other = arcs[arc, 0]
                if other < 0 or index[other] < 0 or data[other, CLUSTER] == cluster:
                    continue
                there, ticks = index[other], arcs[arc, 1]
                spot = filled
                while spot > begun and over[spot - 1, 0] > there:
                    spot -= 1
                if spot > begun and over[spot - 1, 0] == there:
                    over[spot - 1, 1] = min(over[spot - 1, 1], ticks)
                    continue
                for moved in range(filled, spot, -1):
                    over[moved, 0] = over[moved - 1, 0]
                    over[moved, 1] = over[moved - 1, 1]
                over[spot, 0] = there
                over[spot, 1] = ticks
                filled += 1
            first_out[one + 1] = filled
            equal = was >= 0 and old_first_out[was + 1] - old_first_out[was] == filled - begun
            if equal:
                old = old_first_out[was]
                for arc in range(begun, filled):
                    equal = (
                        equal
                        and came[over[arc, 0]] == old_arcs[old + arc - begun, 0]
                        and over[arc, 1] == old_arcs[old + arc - begun, 1]
                    )
            same[one] = equal
    return filled


@kernel
def join_fields(
    origin: Int32Array,
    rank: Int32Array,
    cluster_data: Int64Array,
    old_cluster_data: Int64Array,
    old_field: UInt8Array,
    begins: Int64Array,
    fresh_field: UInt8Array,
    field: UInt8Array,
) -> None:
    """Write the fields of a layer: those of clusters nothing happened to, and those made anew.

    Args:
        cluster_data, old_cluster_data: see :func:`bake.search.hierarchy.hpa.find_way`.
        begins: (k + 1), where fields of each cluster built anew begin in ``fresh_field``.
        field: filled.
    """
    for cluster in range(len(origin)):
        begin, end = cluster_data[cluster, 2], cluster_data[cluster + 1, 2]
        if origin[cluster] >= 0:
            source = old_cluster_data[origin[cluster], 2]
            field[begin:end] = old_field[source : source + end - begin]
        else:
            source = begins[rank[cluster]]
            field[begin:end] = fresh_field[source : source + end - begin]
