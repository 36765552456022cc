"""The order of nodes: a permutation that keeps together what hangs together."""

import random
from collections.abc import Callable

import networkx
import numpy as np
import pytest
from hypothesis import given

from bake.search.all_pairs.batch import LANES
from bake.search.graph.cut_order import UNCUT, cut_order
from tests.support.compare import weighted
from tests.support.strategies import FAMILIES, Arc, ArcList, arc_lists, seeded


@given(graph=arc_lists())
def test_every_node_once(graph: ArcList) -> None:
    order = cut_order(weighted(*graph)[0])
    assert sorted(order.tolist()) == list(range(graph[0]))


@pytest.mark.parametrize("family", FAMILIES)
def test_parts_stay_together(family: Callable[[random.Random, int], list[Arc]]) -> None:
    """Arcs count in both directions: a part that hangs together is one stretch of the order."""
    for seed in range(10):
        n, arcs = seeded(family, 4000 + seed, 200)
        place = np.empty(n, dtype=np.int64)
        order = cut_order(weighted(n, arcs)[0])
        assert sorted(order.tolist()) == list(range(n))
        place[order] = np.arange(n)
        graph = networkx.Graph()
        graph.add_nodes_from(range(n))
        graph.add_edges_from((tail, head) for tail, head, _ in arcs)
        for part in networkx.connected_components(graph):
            places = place[list(part)]
            assert places.max() - places.min() + 1 == len(part)


def test_a_batch_of_a_lattice_lies_close_together() -> None:
    """Batches are slices of the order, so a slice must be compact: the point of the order."""
    side = 64
    graph = networkx.convert_node_labels_to_integers(networkx.grid_2d_graph(side, side))
    arcs = [arc for a, b in graph.edges for arc in ((a, b, 1), (b, a, 1))]
    order = cut_order(weighted(side * side, arcs)[0])
    x, y = order % side, order // side
    spans = [
        max(np.ptp(x[start : start + LANES]), np.ptp(y[start : start + LANES]))
        for start in range(0, side * side, LANES)
    ]
    assert np.median(spans) <= 2 * np.sqrt(LANES)


def test_a_way_is_walked_from_end_to_end() -> None:
    """By hand: each part begins beside the end of the last one."""
    n = 5 * UNCUT
    arcs = [arc for node in range(n - 1) for arc in ((node, node + 1, 1), (node + 1, node, 1))]
    assert cut_order(weighted(n, arcs)[0]).tolist() == list(range(n))


def test_a_star_is_its_hub_and_then_its_leaves() -> None:
    """By hand: no level leaves enough on both sides, so the search is cut in its middle."""
    leaves = 6 * UNCUT
    order = cut_order(weighted(leaves + 1, [(0, leaf, 1) for leaf in range(1, leaves + 1)])[0])
    assert order.tolist() == list(range(leaves + 1))


@pytest.mark.parametrize("rooms", [2, 3, 4])
def test_rooms_are_cut_at_their_doors(rooms: int) -> None:
    """By hand: between cliques there is one arc, and inside of them there are many."""
    size = UNCUT
    corner = np.random.default_rng(rooms).permutation(rooms * size)
    inside = networkx.disjoint_union_all([networkx.complete_graph(size)] * rooms)
    doors = [(room * size - 1, room * size) for room in range(1, rooms)]
    arcs = [(int(corner[a]), int(corner[b]), 1) for a, b in [*inside.edges, *doors]]
    order = cut_order(weighted(rooms * size, arcs)[0])
    room_of = np.empty(rooms * size, dtype=np.int64)
    room_of[corner] = np.arange(rooms * size) // size
    walked = room_of[order]
    assert np.count_nonzero(np.diff(walked)) == rooms - 1


def test_the_order_hangs_on_the_graph_alone() -> None:
    n, arcs = seeded(FAMILIES[0], 1, 200)
    first, second = (cut_order(weighted(n, arcs)[0]) for _ in range(2))
    assert first.tobytes() == second.tobytes()


def test_no_node_and_no_arc() -> None:
    assert cut_order(weighted(0, [])[0]).tolist() == []
    assert cut_order(weighted(3, [])[0]).tolist() == [0, 1, 2]
