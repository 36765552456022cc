"""All-pairs tables against scipy and networkx, exactly, on hundreds of seeded graphs."""

import random
from collections.abc import Callable

import networkx
import numpy as np
import pytest

from bake.core.graph import UNREACHABLE, Graph, Metric, usable_subgraph
from bake.search.all_pairs.batch import LANES
from bake.tables.all_pairs import choose_algorithm, slot_dtype
from tests.support.compare import (
    Algorithm,
    assert_same,
    by_scipy,
    check_hops,
    subgraph,
    tables_of,
    ticks,
)
from tests.support.oracles import arcs_of, distances_from
from tests.support.strategies import FAMILIES, Arc, seeded

pytestmark = [
    pytest.mark.note(10, "scipy and networkx, exactly"),
    pytest.mark.note(112, "scipy and networkx, exactly"),
]

Family = Callable[[random.Random, int], list[Arc]]


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_agrees_with_scipy(family: Family) -> None:
    for seed in range(40):
        sub = subgraph(*seeded(family, seed, 90))
        pairs = tables_of(sub, "dijkstra")
        assert np.array_equal(ticks(pairs.distance), by_scipy(sub)), seed
        check_hops(sub, pairs)
        assert_same(pairs, tables_of(sub, "floyd_warshall"))


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_agrees_with_networkx(family: Family) -> None:
    for seed in range(8):
        n, arcs = seeded(family, 1000 + seed, 35)
        graph = networkx.MultiDiGraph()
        graph.add_nodes_from(range(n))
        graph.add_weighted_edges_from(arcs)
        expected = np.full((n, n), np.inf)
        for start, lengths in networkx.all_pairs_dijkstra_path_length(graph):
            for goal, length in lengths.items():
                expected[start, goal] = length
        pairs = tables_of(subgraph(n, arcs), "dijkstra")
        assert np.array_equal(ticks(pairs.distance), expected), seed


@pytest.mark.parametrize("n", [LANES - 1, LANES, LANES + 1, 5 * LANES + 3])
def test_whole_and_part_batches(n: int) -> None:
    sub = subgraph(n, FAMILIES[0](random.Random(n), n))
    pairs = tables_of(sub, "dijkstra")
    assert np.array_equal(ticks(pairs.distance), by_scipy(sub))
    check_hops(sub, pairs)
    assert_same(pairs, tables_of(sub, "floyd_warshall"))


@pytest.mark.parametrize("algorithm", ["dijkstra", "floyd_warshall"])
@pytest.mark.parametrize(("leaves", "dtype"), [(254, "uint8"), (255, "uint16"), (300, "uint16")])
def test_more_arcs_than_a_byte_counts(algorithm: Algorithm, leaves: int, dtype: str) -> None:
    """With 254 leaves the last slot is 253, so both symbols fit behind it; one more takes one."""
    out = [(0, leaf, 1) for leaf in range(1, leaves + 1)]
    back = [(leaf, 0, 1) for leaf in range(1, leaves + 1)]
    sub = subgraph(leaves + 1, out + back)
    pairs = tables_of(sub, algorithm)
    assert pairs.hop.dtype == dtype == slot_dtype(sub)
    none = np.iinfo(dtype).max
    assert pairs.hop[0].tolist() == [none, *range(leaves)]
    assert (pairs.hop[np.arange(1, leaves + 1), 0] == 0).all()
    assert pairs.hop[7, 9] == 0
    assert pairs.hop[7, 7] == none
    check_hops(sub, pairs)


def test_slots_are_those_of_the_full_graph() -> None:
    """A profile that may not use every arc still names arcs by their place among all of them."""
    graph, _ = Graph.from_arcs(3, np.array([0, 0, 1, 2]), np.array([1, 2, 2, 0]))
    weight = np.array([UNREACHABLE, 5, 1, 1], dtype=np.int32)
    sub = usable_subgraph(graph, Metric(weight, np.ones(3, dtype=np.bool_), 1))
    pairs = tables_of(sub)
    assert pairs.hop.tolist() == [[255, 255, 1], [0, 255, 0], [0, 255, 255]]
    assert pairs.distance[2].tolist() == [1, int(UNREACHABLE), 0]


@pytest.mark.parametrize("family", FAMILIES)
def test_auto_changes_no_byte(family: Family) -> None:
    for seed in range(3):
        sub = subgraph(*seeded(family, 2000 + seed, 90))
        assert_same(tables_of(sub, "auto"), tables_of(sub, "dijkstra"))


def test_auto_prefers_floyd_warshall_for_dense_graphs_and_batches_for_large_sparse_ones() -> None:
    complete, chain = (60, 60 * 59), (2_001, 2_000)
    assert choose_algorithm(*complete, "auto") == "floyd_warshall"
    assert choose_algorithm(*chain, "auto") == "dijkstra"
    assert choose_algorithm(*complete, "dijkstra") == "dijkstra"
    assert choose_algorithm(*chain, "floyd_warshall") == "floyd_warshall"
    assert choose_algorithm(64, 64, "auto") == "dijkstra"
    assert choose_algorithm(64, 65, "auto") == "floyd_warshall"
    assert choose_algorithm(0, 0, "auto") == "dijkstra"


def test_following_the_hops_walks_a_shortest_path() -> None:
    n, arcs = seeded(FAMILIES[0], 77, 60)
    sub = subgraph(n, arcs)
    pairs = tables_of(sub)
    plain = arcs_of(range(n), arcs)
    for start in range(n):
        lengths = distances_from(plain, start)
        for goal, length in lengths.items():
            walked, node = 0, start
            while node != goal:
                arc = sub.graph.first_out[node] + pairs.hop[node, goal]
                walked += int(sub.weight[arc])
                node = int(sub.graph.head[arc])
                assert walked <= length
            assert walked == length
