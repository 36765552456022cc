"""A profile's hierarchy built from scratch on the changed graph, to hold a live one against."""

import numpy as np

from bake.arrays import Int32Array, Int64Array
from bake.graph import Graph, Subgraph
from bake.runtime.hierarchy.paths import HierarchyPaths
from bake.runtime.live.moment import Moment
from bake.search.graph.connectivity import is_two_way
from bake.search.graph.partition import connected_parts
from bake.search.hierarchy.inside import slot_at
from bake.search.hierarchy.layer_rebuild import RebuiltLayer
from bake.search.live.hierarchy import LiveHierarchy
from bake.tables.clusters import Clusters
from bake.tables.hierarchy import Hierarchy, hierarchy
from bake.tables.layers import Layer

FAR = 2**31 - 1


def standing_graph(moment: Moment) -> tuple[Subgraph, Int32Array]:
    """What can be used now, rows that can be stood on numbered anew; and the new numbers."""
    state = moment.state
    stand = np.flatnonzero(state.standing).astype(np.int32)
    number = np.full(state.row_count, -1, dtype=np.int32)
    number[stand] = np.arange(len(stand), dtype=np.int32)
    graph, weight = state.graph.out.compact()
    sub, order = Graph.from_arcs(len(stand), number[graph.tail()], number[graph.head])
    slot = np.arange(sub.arc_count) - np.repeat(sub.first_out[:-1], sub.out_degree())
    return Subgraph(sub, weight[order], stand, slot.astype(np.int32)), number


def built_anew(moment: Moment, live: LiveHierarchy) -> tuple[Clusters, Hierarchy | None]:
    """Clusters and layers, by what bakes use."""
    state = moment.state
    assert state.clusters is not None
    line = state.clusters.line
    layout = line.layout(state.spot_of_row[line.tables.row_count :])
    sub, _ = standing_graph(moment)
    label, count = connected_parts(sub.graph.first_out, sub.graph.head, layout.key[sub.node])
    lowest = np.empty(count, dtype=np.int64)
    lowest[label[::-1]] = np.arange(len(label))[::-1]
    clusters = Clusters(sub, label, count, layout.tile[sub.node][lowest])
    if not live.most_layers:
        return clusters, None
    found = hierarchy(
        clusters,
        None if layout.at is None else np.ascontiguousarray(layout.at[sub.node]),
        square=live.square,
        mode="hpa" if line.mode == "hpa" else "exact",
        spacing=live.spacing or 1,
        levels=live.most_layers,
        keep_paths=True,
        budget=2**31,
    )
    return clusters, found


def check_hierarchy(moment: Moment) -> int:
    """Whether the live hierarchy is the one built anew; returns how many transitions it has."""
    assert moment.state.clusters is not None
    live = moment.state.clusters.made()
    clusters, found = built_anew(moment, live)
    sub, number = standing_graph(moment)
    assert live.partition.label[sub.node].tolist() == clusters.label.tolist()
    assert live.ground.count == clusters.count
    if found is None:
        return 0
    graph = sub.graph
    assert live.rows.two_way == is_two_way(graph.first_out, graph.head, sub.weight)
    assert len(live.layers) == len(found.layers)
    below: Layer | None = None
    for layer, anew in zip(live.layers, found.layers, strict=True):
        node = number[layer.node] if below is None else layer.node
        assert node.tolist() == anew.node.tolist()
        assert layer.first_transition.tolist() == anew.first_transition.tolist()
        assert layer.first_out.tolist() == anew.graph.first_out.tolist()
        assert layer.arcs[:, 0].tolist() == anew.graph.head.tolist()
        assert layer.arcs[:, 1].tolist() == anew.weight.tolist()
        if layer.bits and anew.bits:
            check_fields(
                layer, anew, graph if below is None else below.graph, number, below is None
            )
        below = anew
    check_landmarks(live)
    check_runs(moment)
    return len(live.layers[0].node)


def check_fields(
    layer: RebuiltLayer, anew: Layer, below: Graph, number: Int32Array, rows: bool
) -> None:
    """Every slot leads to the same node."""
    data, arcs = layer.ground.data, layer.ground.arcs
    for cluster in range(layer.ground.count):
        span = slice(layer.ground.first_member[cluster], layer.ground.first_member[cluster + 1])
        nodes = layer.ground.member[span].tolist()
        first, last = layer.first_transition[cluster : cluster + 2].tolist()
        for place in range(last - first):
            begin = layer.cluster_data[cluster, 2] + place * layer.cluster_data[cluster, 3]
            begin_anew = anew.first_field[first + place]
            for rank, node in enumerate(nodes):
                slot = slot_at(layer.field, begin, layer.bits, rank)
                wanted = slot_at(anew.field, begin_anew, anew.bits, rank)
                none = slot == (1 << layer.bits) - 1
                assert none == (wanted == (1 << anew.bits) - 1)
                if not none:
                    other = arcs[data[node, 2] + slot, 0]
                    at = number[node] if rows else node
                    there = number[other] if rows else other
                    assert there == below.head[below.first_out[at] + wanted]


def check_landmarks(live: LiveHierarchy) -> None:
    """Bounds rise along no arc by more than its weight."""
    layer = live.layers[0]
    tail = np.repeat(np.arange(len(layer.node)), np.diff(layer.first_out))
    landmark: Int64Array = live.landmark.astype(np.int64)
    known = landmark[tail] < FAR
    most = landmark[tail] + layer.arcs[:, 1:2]
    assert (landmark[layer.arcs[:, 0]][known] <= most[known]).all()


def check_runs(moment: Moment) -> None:
    """What paths are smoothed by is what it would be if made anew."""
    paths = moment.searches.hierarchy
    live, anew = paths.ground, HierarchyPaths.ground.func(paths)
    if live is None or anew is None:
        assert live is anew
        return
    # As it was baked, rows that came later are of no account.
    rows = len(live.at)
    assert (live.weight == anew.weight[:rows]).all()
    assert anew.even or not live.even
    assert live.form == anew.form
    spot, wanted = (each.at[:, 1] * each.width + each.at[:, 0] for each in (live, anew))
    assert (live.run[spot] == anew.run[wanted[:rows]]).all()
