"""The order of nodes: a permutation, in patches that hang together."""

import random
from collections.abc import Callable

import networkx
import numpy as np
import pytest
from hypothesis import given, settings

from bake.search.graph.patch_order import PATCH, patch_order
from tests.support.compare import weighted
from tests.support.strategies import FAMILIES, Arc, ArcList, arc_lists, seeded


@given(graph=arc_lists())
@settings(deadline=None, max_examples=60)
def test_every_node_once(graph: ArcList) -> None:
    order = patch_order(weighted(*graph)[0])
    assert sorted(order.tolist()) == list(range(graph[0]))


@pytest.mark.parametrize("family", FAMILIES)
def test_parts_stay_together(family: Callable[[random.Random, int], list[Arc]]) -> None:
    """Arcs count in both directions: a part that hangs together is one stretch of the order."""
    for seed in range(10):
        n, arcs = seeded(family, 4000 + seed, 200)
        place = np.empty(n, dtype=np.int64)
        order = patch_order(weighted(n, arcs)[0])
        assert sorted(order.tolist()) == list(range(n))
        place[order] = np.arange(n)
        graph = networkx.Graph()
        graph.add_nodes_from(range(n))
        graph.add_edges_from((tail, head) for tail, head, _ in arcs)
        for part in networkx.connected_components(graph):
            places = place[list(part)]
            assert places.max() - places.min() + 1 == len(part)


def test_a_batch_of_a_lattice_lies_close_together() -> None:
    """Batches are slices of the order, so a slice must be compact: the point of patches."""
    side = 64
    graph = networkx.convert_node_labels_to_integers(networkx.grid_2d_graph(side, side))
    arcs = [arc for a, b in graph.edges for arc in ((a, b, 1), (b, a, 1))]
    order = patch_order(weighted(side * side, arcs)[0])
    x, y = order % side, order // side
    spans = [
        max(np.ptp(x[start : start + PATCH]), np.ptp(y[start : start + PATCH]))
        for start in range(0, side * side, PATCH)
    ]
    assert np.median(spans) <= 2 * np.sqrt(PATCH)


def test_a_star_fills_one_patch_and_its_other_leaves_are_one_each() -> None:
    """By hand: seeds wait on a stack, so the leaves that did not fit come from the last one on."""
    leaves = PATCH + 40
    order = patch_order(weighted(leaves + 1, [(0, leaf, 1) for leaf in range(1, leaves + 1)])[0])
    assert order.tolist() == [*range(PATCH), *range(leaves, PATCH - 1, -1)]


def test_the_order_hangs_on_the_graph_alone() -> None:
    n, arcs = seeded(FAMILIES[0], 1, 200)
    first, second = (patch_order(weighted(n, arcs)[0]) for _ in range(2))
    assert first.tobytes() == second.tobytes()


def test_no_node_and_no_arc() -> None:
    assert patch_order(weighted(0, [])[0]).tolist() == []
    assert patch_order(weighted(3, [])[0]).tolist() == [0, 1, 2]
