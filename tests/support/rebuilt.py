"""A profile's hierarchy built from scratch on the changed graph, to hold a live one against."""

from collections.abc import Callable

import numpy as np

from bake.core.arrays import Int32Array, Int64Array
from bake.core.graph import Graph, Subgraph, leads_back
from bake.play.hierarchy.layers import form_of
from bake.play.live.changed import Changed
from bake.play.live.state import ProfileState
from bake.play.snapshot import Snapshot
from bake.search.graph.partition import connected_parts
from bake.search.hierarchy.bundles import FIRST, FLOW, FLOW_BYTES, HEAD
from bake.search.hierarchy.inside import slot_at
from bake.search.hierarchy.layer import Layer
from bake.search.hierarchy.straight_runs import RunsVersion
from bake.search.live.hierarchy import LiveHierarchy
from bake.tables.clusters import Clusters
from bake.tables.hierarchy import Hierarchy, hierarchy
from levelbake.steps import chart

FAR = 2**31 - 1


def state_of(snapshot: Snapshot) -> ProfileState:
    """A profile that has changed."""
    assert isinstance(snapshot.engine, Changed)
    return snapshot.engine.state


def standing_graph(state: ProfileState) -> tuple[Subgraph, Int32Array]:
    """What can be used now, rows that can be stood on numbered anew; and the new numbers."""
    stand = np.flatnonzero(state.standing).astype(np.int32)
    number = np.full(state.row_count, -1, dtype=np.int32)
    number[stand] = np.arange(len(stand), dtype=np.int32)
    graph, weight = state.graph.out.compact()
    sub, order = Graph.from_arcs(len(stand), number[graph.tail()], number[graph.head])
    slot = np.arange(sub.arc_count) - np.repeat(sub.first_out[:-1], sub.out_degree())
    return Subgraph(sub, weight[order], stand, slot.astype(np.int32)), number


def built_anew(state: ProfileState, live: LiveHierarchy) -> tuple[Clusters, Hierarchy | None]:
    """Clusters and layers, by what bakes use."""
    assert state.clusters is not None
    layout = state.clusters.layout
    sub, _ = standing_graph(state)
    label, count = connected_parts(sub.graph.first_out, sub.graph.head, layout.key[sub.node])
    lowest = np.empty(count, dtype=np.int64)
    lowest[label[::-1]] = np.arange(len(label))[::-1]
    clusters = Clusters(sub, label, count, layout.tile[sub.node][lowest])
    if live.layer is None:
        return clusters, None
    found = hierarchy(
        clusters,
        None if layout.at is None else np.ascontiguousarray(layout.at[sub.node]),
        square=live.square,
        spacing=live.spacing or 1,
        levels=1,
        keep_paths=True,
        budget=2**31,
    )
    return clusters, found


def check_hierarchy(snapshot: Snapshot) -> int:
    """Whether the live hierarchy is the one built anew; returns how many transitions it has."""
    state = state_of(snapshot)
    assert state.clusters is not None
    live = state.clusters.made()
    clusters, found = built_anew(state, live)
    sub, number = standing_graph(state)
    assert live.partition.label[sub.node].tolist() == clusters.label.tolist()
    assert live.cluster_count == clusters.count
    if found is None or live.layer is None:
        return 0
    graph = sub.graph
    assert live.rows.two_way == leads_back(sub.graph, sub.weight)
    rows = live.rows.graph

    def head_of_row(row: int, slot: int) -> int:
        return int(number[rows.arc[rows.node[row, FIRST] + slot, HEAD]])

    def head_of_row_anew(row: int, slot: int) -> int:
        return int(graph.head[graph.first_out[number[row]] + slot])

    layer, anew = live.layer, found.layers[0]
    assert number[layer.node].tolist() == anew.node.tolist()
    assert layer.first_transition.tolist() == anew.first_transition.tolist()
    assert layer.first_out.tolist() == anew.first_out.tolist()
    assert layer.arcs.tolist() == anew.arcs.tolist()
    if layer.bits and anew.bits:
        check_flow(layer, anew, head_of_row, head_of_row_anew)
    check_landmarks(layer, live.landmark)
    check_runs(snapshot)
    return len(layer.node)


def check_flow(
    layer: Layer,
    anew: Layer,
    head: Callable[[int, int], int],
    head_anew: Callable[[int, int], int],
) -> None:
    """Every slot leads to the same node."""
    for cluster in range(layer.cluster_count):
        nodes = np.flatnonzero(layer.below_cluster == cluster).tolist()
        first, last = layer.first_transition[cluster : cluster + 2].tolist()
        for place in range(last - first):
            begin, begin_anew = (
                each.cluster_data[cluster, FLOW] + place * each.cluster_data[cluster, FLOW_BYTES]
                for each in (layer, anew)
            )
            for rank, node in enumerate(nodes):
                slot = slot_at(layer.flow, begin, layer.bits, rank)
                wanted = slot_at(anew.flow, begin_anew, anew.bits, rank)
                none = slot == (1 << layer.bits) - 1
                assert none == (wanted == (1 << anew.bits) - 1)
                assert none or head(node, slot) == head_anew(node, wanted)


def check_landmarks(layer: Layer, bounds: Int32Array) -> None:
    """Bounds rise along no arc by more than its weight."""
    tail = np.repeat(np.arange(len(layer.node)), np.diff(layer.first_out))
    landmark: Int64Array = bounds.astype(np.int64)
    known = landmark[tail] < FAR
    most = landmark[tail] + layer.arcs[:, 1:2]
    assert (landmark[layer.arcs[:, 0]][known] <= most[known]).all()


def check_runs(snapshot: Snapshot) -> None:
    """What paths are smoothed by is what it would be if made anew."""
    clusters = state_of(snapshot).clusters
    assert clusters is not None
    live, places = snapshot.searches.hierarchy.tables.runs, snapshot.version.places
    assert (live is None) == (places.cell is None)
    if live is None or places.cell is None:
        return
    # As it was baked, rows that came later are of no account.
    rows = len(live.at)
    graph = clusters.made().rows.graph
    at = chart(snapshot.version.cell_of_row, places.hex_layout)[: len(graph.node)]
    anew = RunsVersion.of(graph, at, at, form_of(places)).runs
    assert (live.ticks == anew.ticks[:rows]).all()
    assert anew.even or not live.even
    assert live.form == anew.form
    cell, wanted = (each.at[:, 1] * each.width + each.at[:, 0] for each in (live, anew))
    assert (live.length[cell] == anew.length[wanted[:rows]]).all()
