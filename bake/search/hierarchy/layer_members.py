"""Clusters of what a layer stands on: their members, their transitions, and which are unchanged.

What a layer stands on is told by ``data`` (n, 4) int32: cluster of each node below (-1 = it is part
of none), its place among the cluster's nodes, its first arc and one past its last; and by ``arcs``
(m, 2) int32: the node an arc leads to, -1 where it may not be taken, and its ticks. Rows of a
profile come in this form (:mod:`bake.search.hierarchy.inside`), and so do layers themselves.
"""

from __future__ import annotations

import numpy as np

from bake.arrays import BoolArray, Int32Array, UInt8Array
from bake.kernels.jit import kernel
from bake.search.hierarchy.inside import CLUSTER, END, FIRST, PLACE


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
    chosen: UInt8Array,
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
    same: BoolArray,
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
def mark_crossings(data: Int32Array, arcs: Int32Array, chosen: UInt8Array) -> None:
    """Mark both ends of every arc between two clusters in ``chosen`` (n)."""
    chosen[:] = 0
    for node in range(len(data)):
        for arc in range(data[node, FIRST], data[node, END]):
            other = arcs[arc, 0]
            if other >= 0 and data[other, CLUSTER] != data[node, CLUSTER]:
                chosen[node] = 1
                chosen[other] = 1
