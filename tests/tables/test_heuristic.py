"""The heuristic of pivots: never too much, for every pair of rows, and consistent."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bake.core.arrays import Int64Array
from bake.core.graph import Subgraph
from bake.search.point.estimates import LANDMARKS, LANDMARKS_DIRECTED, Estimate
from bake.search.point.space import SearchSpace
from bake.tables.heuristic import heuristic, pivot_columns
from tests.support.compare import subgraph
from tests.support.oracles import arcs_of, distances_from
from tests.support.strategies import FAMILIES, ArcList, arc_lists, seeded

pytestmark = pytest.mark.note(93, "every pair of places")

NO_PATH = np.iinfo(np.int64).max


def true_distances(sub: Subgraph) -> Int64Array:
    """(r, r) by the slow oracle."""
    n = sub.graph.node_count
    arcs = list(
        zip(sub.graph.tail().tolist(), sub.graph.head.tolist(), sub.weight.tolist(), strict=True)
    )
    told = np.full((n, n), NO_PATH)
    for start in range(n):
        for goal, ticks in distances_from(arcs_of(range(n), arcs), start).items():
            told[start, goal] = ticks
    return told


def check(sub: Subgraph, bytes_per_node: int) -> None:
    """No estimate is too large, and none falls along an arc by more than it weighs."""
    found = heuristic(sub, bytes_per_node)
    assert found.pivot.shape[1] <= max(bytes_per_node // 4, 1 if found.two_way else 2)
    kind = LANDMARKS if found.two_way else LANDMARKS_DIRECTED
    space = SearchSpace(sub.graph, sub.weight)
    true = true_distances(sub)
    tail = sub.graph.tail()
    for goal in range(sub.graph.node_count):
        h = space.estimates(Estimate("landmark", kind, table=found.pivot), goal)
        assert (h <= true[:, goal]).all()
        assert (h[tail] <= sub.weight + h[sub.graph.head]).all()


@given(graph=arc_lists(largest=12), bytes_per_node=st.integers(8, 200))
def test_never_too_much_on_any_graph(graph: ArcList, bytes_per_node: int) -> None:
    check(subgraph(*graph), bytes_per_node)


def test_pivots_bound_both_ways_and_are_consistent() -> None:
    for seed, family in enumerate(FAMILIES):
        check(subgraph(*seeded(family, seed, 30)), 16)


@given(st.integers(1, 10**6), st.integers(8, 256), st.booleans())
def test_the_budget_is_kept(rows: int, bytes_per_node: int, two_way: bool) -> None:
    columns = pivot_columns(rows, bytes_per_node, two_way=two_way)
    assert 4 * columns <= max(bytes_per_node, 8)
    assert two_way or columns % 2 == 0


@pytest.mark.parametrize(
    ("rows", "bytes_per_node", "two_way", "columns"),
    [
        (999, 20, True, 5),
        (999, 20, False, 4),
        (999, 256, True, 64),
        (3, 60, True, 3),
        (0, 8, False, 2),
    ],
)
def test_pivots_take_all_of_it(rows: int, bytes_per_node: int, two_way: bool, columns: int) -> None:
    assert pivot_columns(rows, bytes_per_node, two_way=two_way) == columns


def test_nowhere_to_stand() -> None:
    assert heuristic(subgraph(0, []), 20).pivot.shape[0] == 0
