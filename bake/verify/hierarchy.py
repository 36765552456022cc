"""A proof of clusters and hierarchies, by scipy's searches inside one cluster after another.

For every layer: an arc inside a cluster costs the least there is inside; arcs inside together keep
every distance between the cluster's transitions; arcs between clusters are arcs of the layer below
at their own weight, and none of those from the second layer on (and from the first, in mode exact)
is missing; every slot of a field begins a shortest way inside. Distances from landmarks and the
table of the last layer are those of their layer. Hence every plan is a real way of the cost it
says, and the shortest over the first layer's transitions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bake.arrays import AnyArray, BoolArray, Float64Array, Int64Array

if TYPE_CHECKING:
    from scipy.sparse import csr_array


#: Nodes times transitions that are searched of one layer; beyond, every so-manieth cluster is.
MOST_SEARCHED = 2 * 10**8

_NO_PATH = 2**31 - 1

#: Says what is wrong where something is: (is it right, what it is if not).
Require = Callable[[bool, str], None]
#: One of the profile's columns by its short name.
Column = Callable[[str], AnyArray]


@dataclass(frozen=True)
class Below:
    """The graph a layer stands on.

    Attributes:
        tail, head, weight, slot: of every arc, (m) int64.
        count: nodes.
    """

    tail: Int64Array
    head: Int64Array
    weight: Int64Array
    slot: Int64Array
    count: int

    def cheapest(self, keep: BoolArray) -> csr_array:
        """(n, n) float64 ticks of the cheapest of parallel arcs, of those kept."""
        from scipy.sparse import csr_array

        order = np.lexsort((self.weight[keep], self.head[keep], self.tail[keep]))
        tail, head = self.tail[keep][order], self.head[keep][order]
        once = np.ones(len(order), dtype=np.bool_)
        once[1:] = (np.diff(tail) != 0) | (np.diff(head) != 0)
        values = self.weight[keep][order][once].astype(np.float64)
        shape = (self.count, self.count)
        return csr_array((values, (tail[once], head[once])), shape=shape)


def prove_clusters(below: Below, label: Int64Array, require: Require) -> None:
    """Clusters are numbered without gaps, and each is connected."""
    from scipy.sparse.csgraph import connected_components

    require(len(label) == below.count, "cluster does not fit the rows")
    count = int(label.max(initial=-1)) + 1
    require(len(np.unique(label)) == count, "a cluster has no rows")
    inside = below.cheapest(label[below.tail] == label[below.head])
    parts, _ = connected_components(inside, directed=False) if below.count else (0, None)
    require(parts == count, "a cluster is not connected")


def prove_hierarchy(
    rows: Below, label: Int64Array, column: Column, mode: str, two_way: bool, require: Require
) -> int:
    """Prove all layers of one profile; returns how many inner arcs were compared."""
    nodes, counts, bits = (
        column(name).tolist() for name in ("layer_nodes", "layer_clusters", "layer_bits")
    )
    both = rows.cheapest(np.ones(len(rows.tail), dtype=np.bool_))
    require(two_way == (abs(both - both.T).nnz == 0), "two_way is wrong")
    node, degree, head, weight = (
        column(f"layer_{name}").astype(np.int64) for name in ("node", "degree", "head", "weight")
    )
    parent, field = column("layer_parent").astype(np.int64), column("layer_field")
    require(sum(nodes) == len(node) == len(degree), "layer_nodes does not count the transitions")
    require(int(degree.sum()) == len(head) == len(weight), "layer_degree does not count the arcs")
    below, compared, first_layer = rows, 0, None
    begin = [0, 0, 0, 0]
    for number, count in enumerate(nodes):
        own = node[begin[0] : begin[0] + count]
        out = degree[begin[0] : begin[0] + count]
        arcs = slice(begin[1], begin[1] + int(out.sum()))
        tail = np.repeat(np.arange(count), out)
        slot = np.arange(len(tail)) - np.repeat(np.cumsum(out) - out, out)
        require(bool((head[arcs] < count).all()), "layer_head lies outside its layer")
        layer = Below(tail, head[arcs], weight[arcs], slot, count)
        require(bool((own < below.count).all()), "layer_node lies outside the layer below")
        every = number > 0 or mode == "exact"
        _prove_crossings(below, label, own, layer, every, require)
        fields = _Fields(field, begin[3], bits[number])
        compared += _prove_inside(below, label, own, layer, fields, require)
        begin[3] = fields.begin
        first_layer = first_layer or layer
        begin[0], begin[1] = begin[0] + count, arcs.stop
        if number + 1 < len(nodes):
            up = parent[begin[2] : begin[2] + counts[number]]
            begin[2] += counts[number]
            require(len(up) > int(label.max(initial=-1)), "layer_parent does not fit the clusters")
            label = up[label[own]]
        below = layer
    require(begin[3] == len(field), "layer_field does not fit the clusters")
    if first_layer is not None:
        _prove_landmarks(first_layer, column("layer_landmark"), require)
    _prove_top(below, column("layer_hop"), column("layer_distance"), require)
    return compared


def _prove_crossings(
    below: Below, label: Int64Array, own: Int64Array, layer: Below, every: bool, require: Require
) -> None:
    crosses = label[below.tail] != label[below.head]
    if every:
        ends = np.union1d(below.tail[crosses], below.head[crosses])
        require(bool(np.isin(ends, own).all()), "a crossing is no transition")
    real = below.cheapest(crosses)[own][:, own]
    layer_crosses = label[own[layer.tail]] != label[own[layer.head]]
    stored = layer.cheapest(layer_crosses)
    require(abs(real - stored).nnz == 0, "an arc between clusters is not one of the layer below")


class _Fields:
    """Reads the fields of one layer, cluster by cluster."""

    def __init__(self, data: AnyArray, begin: int, bits: int) -> None:
        self.data, self.begin, self.bits = data, begin, bits

    def next(self, transitions: int, nodes: int) -> Int64Array:
        """(transitions, nodes) slots, -1 = none."""
        each = (nodes * self.bits + 7) // 8
        part = self.data[self.begin : self.begin + transitions * each].reshape(transitions, each)
        self.begin += transitions * each
        if self.bits == 4:
            slots = np.stack([part & 15, part >> 4], axis=2).reshape(transitions, 2 * each)
            slots = slots[:, :nodes]
        elif self.bits == 8:
            slots = part
        else:
            slots = np.ascontiguousarray(part).view("<u2")
        wide = slots.astype(np.int64)
        return np.where(wide == (1 << self.bits) - 1, -1, wide)


def _prove_inside(
    below: Below,
    label: Int64Array,
    own: Int64Array,
    layer: Below,
    fields: _Fields,
    require: Require,
) -> int:
    from scipy.sparse.csgraph import dijkstra

    inside = below.cheapest(label[below.tail] == label[below.head])
    layer_inside = layer.cheapest(label[own[layer.tail]] == label[own[layer.head]])
    order = np.argsort(label, kind="stable")
    first = np.searchsorted(label[order], np.arange(int(label.max(initial=-1)) + 2))
    own_first = np.searchsorted(label[own], np.arange(len(first)))
    require(bool((np.diff(label[own]) >= 0).all()), "layer_node is not in the order of clusters")
    arc_order = np.lexsort((below.slot, below.tail))
    arc_first = np.searchsorted(below.tail[arc_order], np.arange(below.count + 1))
    work = int((np.diff(first) * np.diff(own_first)).sum())
    step = max(1, -(-work // MOST_SEARCHED))
    compared = 0
    for cluster in range(len(first) - 1):
        members = order[first[cluster] : first[cluster + 1]]
        ends = slice(int(own_first[cluster]), int(own_first[cluster + 1]))
        here = np.searchsorted(members, own[ends])
        slots = fields.next(len(here), len(members)) if fields.bits else None
        if not len(here) or cluster % step:
            continue
        # Toward each transition: rows of the result are transitions, columns nodes.
        toward = dijkstra(inside[members][:, members].T.tocsr(), indices=here)
        real = toward[:, here].T
        stored = layer_inside[ends][:, ends]
        arcs = stored.tocoo()
        require(
            bool((arcs.data == real[arcs.row, arcs.col]).all()),
            "an arc inside a cluster is not as long as the shortest way there",
        )
        compared += len(arcs.data)
        require(
            bool((dijkstra(stored) == real).all()),
            "arcs inside a cluster do not keep the distances there",
        )
        if slots is not None:
            _prove_fields(below, members, here, toward, slots, arc_order, arc_first, require)
    return compared


def _prove_fields(
    below: Below,
    members: Int64Array,
    here: Int64Array,
    toward: Float64Array,
    slots: Int64Array,
    arc_order: Int64Array,
    arc_first: Int64Array,
    require: Require,
) -> None:
    some = np.isfinite(toward)
    some[np.arange(len(here)), here] = False
    wrong = "a field does not lead along a shortest way"
    require(bool(((slots >= 0) == some).all()), wrong)
    transition, place = np.nonzero(some)
    want, node = slots[transition, place], members[place]
    # Slots ascend within a node but may have gaps, where a profile may not take an arc.
    low, high = arc_first[node], arc_first[node + 1]
    found = np.full(len(node), -1)
    for gap in range(int((high - low).max(initial=0))):
        arc = np.minimum(low + gap, len(arc_order) - 1)
        hit = (low + gap < high) & (below.slot[arc_order[arc]] == want)
        found[hit] = arc_order[arc[hit]]
    require(bool((found >= 0).all()), wrong)
    to = below.head[found]
    at = np.minimum(np.searchsorted(members, to), len(members) - 1)
    require(bool((members[at] == to).all()), "a field leaves its cluster")
    length = below.weight[found] + toward[transition, at]
    require(bool((length == toward[transition, place]).all()), wrong)


def _prove_landmarks(layer: Below, landmark: AnyArray, require: Require) -> None:
    from scipy.sparse.csgraph import dijkstra

    require(len(landmark) == layer.count, "layer_landmark does not fit the first layer")
    graph = layer.cheapest(np.ones(len(layer.tail), dtype=np.bool_))
    for column in landmark.T:
        origin = np.flatnonzero(column == 0)
        require(len(origin) == 1, "a landmark is not one transition")
        real = dijkstra(graph, indices=origin)[0]
        stored = np.where(column == _NO_PATH, np.inf, column.astype(np.float64))
        require(bool((real == stored).all()), "a distance from a landmark is wrong")


def _prove_top(layer: Below, hop: AnyArray, distance: AnyArray, require: Require) -> None:
    from scipy.sparse.csgraph import dijkstra

    if not hop.size and not distance.size:
        return
    square = (layer.count, layer.count)
    require(hop.shape == square and distance.shape == square, "layer_hop is not square")
    real = dijkstra(layer.cheapest(np.ones(len(layer.tail), dtype=np.bool_)))
    stored = np.where(distance == _NO_PATH, np.inf, distance.astype(np.float64))
    require(bool((real == stored).all()), "a distance of the last layer is wrong")
    some = np.isfinite(real) & ~np.eye(layer.count, dtype=np.bool_)
    source, target = np.nonzero(some)
    first = np.searchsorted(layer.tail, np.arange(layer.count + 1))
    arc = first[source] + hop[source, target].astype(np.int64)
    require(bool((arc < first[source + 1]).all()), "a hop of the last layer leads nowhere")
    length = layer.weight[arc] + real[layer.head[arc], target]
    require(bool((length == real[source, target]).all()), "a hop of the last layer is wrong")
