"""Tables of small graphs against plain Python. These also run with kernels left uncompiled."""

import pytest
from hypothesis import given

from bake.core.graph import UNREACHABLE
from tests.support.compare import Algorithm, assert_same, subgraph, tables_of
from tests.support.oracles import arcs_of, floyd_warshall, lengths_of, optimal_slots
from tests.support.strategies import Arc, ArcList, arc_lists

ALGORITHMS: tuple[Algorithm, ...] = ("dijkstra", "floyd_warshall")


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@given(graph=arc_lists())
def test_tables_of_any_graph(algorithm: Algorithm, graph: ArcList) -> None:
    n, arc_list = graph
    arcs = arcs_of(range(n), arc_list)
    pairs = tables_of(subgraph(n, arc_list), algorithm)
    lengths = lengths_of(arcs)
    for start in range(n):
        for goal in range(n):
            assert pairs.distance[start, goal] == lengths[start].get(goal, UNREACHABLE)
            best = optimal_slots(arcs, start, goal, lengths)
            assert pairs.hop[start, goal] in (best or [255])


@given(graph=arc_lists(largest=9, heaviest=5))
def test_hops_are_those_of_the_textbook_or_tied_with_them(graph: ArcList) -> None:
    n, arc_list = graph
    dist, following = floyd_warshall(arcs_of(range(n), arc_list))
    sub = subgraph(n, arc_list)
    pairs = tables_of(sub, "floyd_warshall")
    for start in range(n):
        for goal in range(n):
            slot = pairs.hop[start, goal]
            if following[start][goal] is None:
                assert slot == 255
                continue
            arc = sub.graph.first_out[start] + slot
            assert dist[start][goal] == sub.weight[arc] + dist[sub.graph.head[arc]][goal]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_one_node(algorithm: Algorithm) -> None:
    pairs = tables_of(subgraph(1, []), algorithm)
    assert pairs.hop.tolist() == [[255]]
    assert pairs.distance.tolist() == [[0]]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_no_node(algorithm: Algorithm) -> None:
    pairs = tables_of(subgraph(0, []), algorithm)
    assert pairs.hop.shape == pairs.distance.shape == (0, 0)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_cheapest_of_parallel_arcs_counts_and_the_first_of_equal_ones(
    algorithm: Algorithm,
) -> None:
    arcs: list[Arc] = [(0, 1, 9), (0, 1, 4), (0, 1, 4), (1, 0, 2)]
    pairs = tables_of(subgraph(2, arcs), algorithm)
    assert pairs.distance.tolist() == [[0, 4], [2, 0]]
    assert pairs.hop.tolist() == [[255, 1], [0, 255]]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_self_loop_is_never_taken(algorithm: Algorithm) -> None:
    pairs = tables_of(subgraph(2, [(0, 0, 1), (0, 1, 5), (1, 1, 1)]), algorithm)
    assert pairs.distance.tolist() == [[0, 5], [int(UNREACHABLE), 0]]
    assert pairs.hop.tolist() == [[255, 1], [255, 255]]


def test_two_runs_are_equal_to_the_byte() -> None:
    sub = subgraph(4, [(0, 1, 1), (1, 2, 1), (2, 3, 1), (3, 0, 1), (0, 2, 2)])
    assert_same(tables_of(sub, "dijkstra"), tables_of(sub, "dijkstra"))
    assert_same(tables_of(sub, "floyd_warshall"), tables_of(sub, "floyd_warshall"))
