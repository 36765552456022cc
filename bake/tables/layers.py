"""One layer of a hierarchy: transitions between clusters, joined across borders and inside.

The layer above a graph and a partition of its nodes is again a graph: its nodes are transitions,
its arcs the crossing arcs between them and *inner edges*, shortest paths inside one cluster. The
same function builds the first layer, over what a profile can use, and every further one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bake.arrays import Int32Array, Int64Array, UInt8Array
from bake.graph import Graph
from bake.search.graph.partition import members
from bake.search.hierarchy.inner_fields import inner_fields, slot_bits, undominated


@dataclass(frozen=True)
class Layer:
    """A graph of transitions above another graph.

    Attributes:
        node: (t) int32, the node of the graph below that each transition is; ascending within a
            cluster, clusters ascending.
        first_transition: (c + 1) int32, transitions by cluster.
        graph: transitions as nodes; arcs of one are in the order of their heads.
        weight: (a) int32 ticks.
        bits: of one slot in a field: 4, 8 or 16; 0 = there are none.
        first_field: (t + 1) int64, byte of ``field`` each transition's begins at.
        field: uint8, see :mod:`bake.search.hierarchy.inner_fields`.
    """

    node: Int32Array
    first_transition: Int32Array
    graph: Graph
    weight: Int32Array
    bits: int
    first_field: Int64Array
    field: UInt8Array


def field_bytes(first_transition: Int32Array, first_member: Int32Array, bits: int) -> Int64Array:
    """(t + 1) int64, where each transition's field begins; the last is the size of all."""
    nodes = np.diff(first_member).astype(np.int64)
    each = np.repeat((nodes * bits + 7) // 8, np.diff(first_transition))
    first = np.zeros(len(each) + 1, dtype=np.int64)
    np.cumsum(each, out=first[1:])
    return first


def build_layer(
    below: Graph,
    weight: Int32Array,
    slot: Int32Array,
    label: Int32Array,
    count: int,
    transition: Int32Array,
    crossing: tuple[Int32Array, Int32Array],
    *,
    field_limit: int,
) -> Layer:
    """Build the layer of given transitions above a graph.

    Args:
        below, weight: the graph; weights in ticks, no BLOCKED.
        slot: (m) int32, what a field says where an arc of ``below`` is to be taken.
        label: (n) int32, cluster of each node.
        count: clusters.
        transition: nodes of ``below``, each once.
        crossing: tails and numbers of arcs between clusters; those between transitions are kept.
        field_limit: keep fields if they take at most so many bytes.

    Raises:
        CostError: a distance inside a cluster is too long for the scale.
    """
    node = transition[np.lexsort((transition, label[transition]))].astype(np.int32)
    first_transition = np.zeros(count + 1, dtype=np.int32)
    np.cumsum(np.bincount(label[node], minlength=count), out=first_transition[1:])
    first_member, member, place = members(label, count)
    bits = slot_bits(int(slot.max(initial=0)))
    first_field = field_bytes(first_transition, first_member, bits)
    if first_field[-1] > field_limit:
        bits, first_field = 0, np.zeros(len(node) + 1, dtype=np.int64)
    field = np.zeros(int(first_field[-1]), dtype=np.uint8)
    transitions = np.diff(first_transition).astype(np.int64)
    first_distance = np.zeros(count + 1, dtype=np.int64)
    np.cumsum(transitions * transitions, out=first_distance[1:])
    distance = np.empty(int(first_distance[-1]), dtype=np.int32)
    longest = inner_fields(
        below.first_out,
        below.head,
        weight,
        slot,
        label,
        first_member,
        member,
        place,
        first_transition,
        node,
        max(0, int(weight.min(initial=1)).bit_length() - 1),
        first_distance,
        distance,
        bits,
        first_field,
        field,
    )
    kept = np.flatnonzero(undominated(longest, first_transition, first_distance, distance))
    cluster = np.searchsorted(first_distance, kept, side="right") - 1
    within = kept - first_distance[cluster]
    inner_tail = first_transition[cluster] + within // transitions[cluster]
    inner_head = first_transition[cluster] + within % transitions[cluster]
    index = np.full(len(label), -1, dtype=np.int32)
    index[node] = np.arange(len(node), dtype=np.int32)
    tail, arc = crossing
    both = (index[tail] >= 0) & (index[below.head[arc]] >= 0)
    tail, arc = tail[both], arc[both]
    all_tail = np.concatenate([inner_tail, index[tail]]).astype(np.int32)
    all_head = np.concatenate([inner_head, index[below.head[arc]]]).astype(np.int32)
    all_weight = np.concatenate([distance[kept], weight[arc]])
    order = np.lexsort((all_weight, all_head, all_tail))
    all_tail, all_head, all_weight = all_tail[order], all_head[order], all_weight[order]
    # Of parallel arcs the cheapest.
    once = np.ones(len(order), dtype=np.bool_)
    once[1:] = (np.diff(all_tail) != 0) | (np.diff(all_head) != 0)
    graph, _ = Graph.from_arcs(len(node), all_tail[once], all_head[once])
    return Layer(node, first_transition, graph, all_weight[once], bits, first_field, field)
