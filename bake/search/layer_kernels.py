"""Kernels that build a layer of transitions anew only where what lies below it has changed.

What a layer stands on is told by ``data`` (n, 4) int32: cluster of each node below (-1 = it is part
of none), its place among the cluster's nodes, its first arc and one past its last; and by ``arcs``
(m, 2) int32: the node an arc leads to, -1 where it may not be taken, and its ticks. Rows of a
profile come in this form (:mod:`bake.search.inside`), and so do layers themselves.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bake.graph import Int32Array
from bake.search.inside import CLUSTER, END, FIRST, PLACE
from bake.search.jit import kernel

Int64Array = npt.NDArray[np.int64]
ByteArray = npt.NDArray[np.uint8]


@kernel
def place_members(data: Int32Array, first_member: Int32Array, member: Int32Array) -> int:
    """List nodes by cluster, and write each one's place into ``data``.

    Args:
        data: clusters given.
        first_member: (c + 1), filled.
        member: (n), filled: ascending within a cluster.

    Returns:
        The most arcs that leave the nodes of one cluster.
    """
    count = len(first_member) - 1
    leaving = np.zeros(count, np.int64)
    first_member[:] = 0
    for node in range(len(data)):
        cluster = data[node, CLUSTER]
        if cluster >= 0:
            first_member[cluster + 1] += 1
            leaving[cluster] += data[node, END] - data[node, FIRST]
    most = np.int64(0)
    for cluster in range(count):
        first_member[cluster + 1] += first_member[cluster]
        most = max(most, leaving[cluster])
    filled = np.zeros(count, np.int32)
    for node in range(len(data)):
        cluster = data[node, CLUSTER]
        if cluster >= 0:
            place = filled[cluster]
            data[node, PLACE] = place
            member[first_member[cluster] + place] = node
            filled[cluster] = place + 1
    return int(most)


@kernel
def lay_out_rows(label: Int32Array, span: Int32Array, data: Int32Array) -> None:
    """Write clusters and pieces of arcs of all rows into ``data``."""
    for row in range(len(label)):
        data[row, CLUSTER] = label[row]
        data[row, FIRST] = span[row, 0]
        data[row, END] = span[row, 1]


@kernel
def list_transitions(
    first_member: Int32Array,
    member: Int32Array,
    chosen: ByteArray,
    first_transition: Int32Array,
    node: Int32Array,
    index: Int32Array,
) -> int:
    """Number the chosen nodes: by cluster, within one ascending.

    Args:
        chosen: (n), 1 for transitions.
        first_transition: (c + 1), filled.
        node: room for all of them, filled; index: (n), filled, -1 for the others.

    Returns:
        How many there are.
    """
    index[:] = -1
    count = 0
    for cluster in range(len(first_member) - 1):
        first_transition[cluster] = count
        for spot in range(first_member[cluster], first_member[cluster + 1]):
            if chosen[member[spot]]:
                node[count] = member[spot]
                index[member[spot]] = count
                count += 1
    first_transition[len(first_member) - 1] = count
    return count


@kernel
def match_clusters(
    first_member: Int32Array,
    member: Int32Array,
    index: Int32Array,
    before: Int32Array,
    same: npt.NDArray[np.bool_],
    old_data: Int32Array,
    old_first_member: Int32Array,
    old_index: Int32Array,
    origin: Int32Array,
) -> None:
    """Find the clusters that nothing has happened to.

    Args:
        index: (n), at least 0 for transitions.
        before: (n), the node each one was, -1 for new ones.
        same: (n), whether a node's arcs are what they were.
        old_data, old_first_member, old_index: of the version before.
        origin: (c), filled: the cluster each one was, -1 where anything in it is different.
    """
    for cluster in range(len(first_member) - 1):
        first, last = first_member[cluster], first_member[cluster + 1]
        origin[cluster] = -1
        if first == last or before[member[first]] < 0:
            continue
        was = old_data[before[member[first]], CLUSTER]
        if was < 0 or old_first_member[was + 1] - old_first_member[was] != last - first:
            continue
        origin[cluster] = was
        previous = -1
        for spot in range(first, last):
            node = member[spot]
            old = before[node]
            if (
                old <= previous
                or not same[node]
                or old_data[old, CLUSTER] != was
                or (index[node] >= 0) != (old_index[old] >= 0)
            ):
                origin[cluster] = -1
                break
            previous = old


@kernel
def match_transitions(
    first_transition: Int32Array,
    node: Int32Array,
    old_first_transition: Int32Array,
    old_node: Int32Array,
    origin: Int32Array,
) -> None:
    """:func:`match_clusters` where clusters are known to be what they were, but for transitions.

    Args:
        origin: (c), the cluster each one was, -1 for none; becomes -1 where transitions differ.
    """
    for cluster in range(len(origin)):
        was = origin[cluster]
        if was < 0:
            continue
        first, old = first_transition[cluster], old_first_transition[was]
        count = first_transition[cluster + 1] - first
        alike = old_first_transition[was + 1] - old == count
        place = 0
        while alike and place < count:
            alike = node[first + place] == old_node[old + place]
            place += 1
        if not alike:
            origin[cluster] = -1


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
    keep: npt.NDArray[np.bool_],
    came: Int32Array,
    old_first_transition: Int32Array,
    old_first_out: Int32Array,
    old_arcs: Int32Array,
    first_out: Int32Array,
    over: Int32Array,
    same: npt.NDArray[np.bool_],
) -> int:
    """Write the arcs of a layer: inner edges as they were or as found anew, and crossings.

    Args:
        data, arcs: what the layer stands on.
        index, node, first_transition: from :func:`list_transitions`.
        origin: from :func:`match_clusters`; rank: (c), the place of a cluster among those built
            anew.
        first_distance, distance, keep: of clusters built anew, see
            :func:`bake.search.inner_fields.inner_fields`.
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
    old_field: ByteArray,
    begins: Int64Array,
    fresh_field: ByteArray,
    field: ByteArray,
) -> None:
    """Write the fields of a layer: those of clusters nothing happened to, and those made anew.

    Args:
        cluster_data, old_cluster_data: see :func:`bake.search.hpa.find_way`.
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


@kernel
def mark_crossings(data: Int32Array, arcs: Int32Array, chosen: ByteArray) -> None:
    """Mark both ends of every arc between two clusters in ``chosen`` (n)."""
    chosen[:] = 0
    for node in range(len(data)):
        for arc in range(data[node, FIRST], data[node, END]):
            other = arcs[arc, 0]
            if other >= 0 and data[other, CLUSTER] != data[node, CLUSTER]:
                chosen[node] = 1
                chosen[other] = 1
