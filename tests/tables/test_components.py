"""Components and reachability against networkx."""

import random
import tracemalloc
from collections.abc import Callable
from itertools import pairwise

import networkx
import numpy as np
import pytest
from hypothesis import given

from bake.core.graph import UNREACHABLE, Metric, usable_subgraph
from bake.tables.components import MAX_CLOSURE, Components, components
from tests.support.compare import subgraph, weighted
from tests.support.strategies import FAMILIES, Arc, ArcList, arc_lists, seeded


def check(n: int, arcs: list[Arc]) -> Components:
    """Compare every label and every pair with networkx."""
    found = components(subgraph(n, arcs), n)
    graph = networkx.DiGraph()
    graph.add_nodes_from(range(n))
    graph.add_edges_from((tail, head) for tail, head, _ in arcs)
    expected = sorted(sorted(part) for part in networkx.strongly_connected_components(graph))
    assert found.count == len(expected)
    labels = np.empty(n, dtype=np.int32)
    for label, part in enumerate(expected):  # sorted by their lowest nodes
        labels[part] = label
    assert found.component.tolist() == labels.tolist()
    assert found.one_way == any(labels[tail] != labels[head] for tail, head, _ in arcs)
    if not found.one_way:
        assert found.reach is None
        return found
    assert found.reach is not None
    assert found.reach.shape == (found.count, (found.count + 7) // 8)
    bits = np.unpackbits(found.reach, axis=1)
    assert not bits[:, found.count :].any()
    for start in range(n):
        reached = networkx.descendants(graph, start) | {start}
        for goal in range(n):
            assert bits[labels[start], labels[goal]] == (goal in reached)
    return found


@given(graph=arc_lists())
def test_any_graph(graph: ArcList) -> None:
    check(*graph)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family(family: Callable[[random.Random, int], list[Arc]]) -> None:
    for seed in range(10):
        check(*seeded(family, 3000 + seed, 60))


def test_a_one_way_street_is_a_component_a_node() -> None:
    found = check(20, [(node, node + 1, 1) for node in range(19)])
    assert found.count == 20


def test_a_ring_is_one_component_however_long() -> None:
    """Long enough that a recursive search would run out of stack."""
    n = 50_000
    nodes = np.arange(n)
    arcs = np.stack([nodes, (nodes + 1) % n, np.ones(n, dtype=np.int64)], axis=1)
    found = components(subgraph(n, arcs.tolist()), n)
    assert found.count == 1
    assert not found.one_way


def test_a_closure_is_made_in_a_few_times_its_own_memory() -> None:
    n = 3_000
    sub = subgraph(n, [(node, node + 1, 1) for node in range(n - 1)])
    components(sub, n)  # compiles
    tracemalloc.start()
    try:
        found = components(sub, n)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert found.reach is not None
    assert peak < 5 * found.reach.nbytes


@pytest.mark.parametrize("block_bits", [1, 8, 2_500, 2**18])
def test_a_closure_put_into_order_block_by_block(
    block_bits: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A chain through shuffled nodes: each reaches what comes after it, whatever its number."""
    monkeypatch.setattr("bake.tables.components.BLOCK_BITS", block_bits)
    n = 1_001
    chain = np.random.default_rng(11).permutation(n)
    found = components(subgraph(n, [(a, b, 1) for a, b in pairwise(chain.tolist())]), n)
    assert found.reach is not None
    place = np.argsort(chain)
    expected = place[:, None] <= place[None, :]
    assert np.array_equal(found.reach, np.packbits(expected, axis=1))


def test_closures_are_kept_up_to_their_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    count = 23_168
    assert count * ((count + 7) // 8) <= MAX_CLOSURE < (count + 1) * ((count + 8) // 8)
    monkeypatch.setattr("bake.tables.components.MAX_CLOSURE", 64 * 8)
    for n, kept in ((64, True), (65, False)):
        found = components(subgraph(n, [(node, node + 1, 1) for node in range(n - 1)]), n)
        assert found.one_way
        assert (found.reach is not None) == kept


def test_no_node_at_all() -> None:
    found = components(subgraph(0, []), 0)
    assert (found.count, found.reach, found.one_way) == (0, None, False)


def test_nodes_a_profile_cannot_stand_on_have_no_component() -> None:
    graph, weight = weighted(5, [(0, 1, 1), (1, 0, 1), (3, 4, 1), (1, 2, 1), (2, 3, 1)])
    weight[[2, 4]] = UNREACHABLE  # both arcs of node 2, which is a wall
    blocked = np.flatnonzero((graph.tail() == 2) | (graph.head == 2))
    weight[:] = 1
    weight[blocked] = UNREACHABLE
    passable = np.array([True, True, False, True, True])
    found = components(usable_subgraph(graph, Metric(weight, passable, 1)), 5)
    assert found.component.tolist() == [0, 0, -1, 1, 2]
    assert found.one_way
    assert found.reach is not None
    assert np.unpackbits(found.reach, axis=1, count=3).tolist() == [
        [1, 0, 0],
        [0, 1, 1],
        [0, 0, 1],
    ]
