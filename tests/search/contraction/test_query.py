"""Distances and paths by climbing the elimination tree."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given

from bake.graph import INFINITY
from bake.search.contraction.query import distance, path, room_to_climb
from tests.support.contraction import contracted
from tests.support.oracles import arcs_of, distances_from
from tests.support.strategies import FAMILIES, ArcList, arc_lists, seeded


def check(arcs: ArcList, *, two_way: bool) -> None:
    n, each = arcs
    tree, weights = contracted(arcs, two_way=two_way)
    climb = room_to_climb(tree)
    cheapest: dict[tuple[int, int], int] = {}
    for tail, head, weight in each:
        cheapest[tail, head] = min(weight, cheapest.get((tail, head), weight))
    known = arcs_of(range(n), each)
    nodes = np.empty(n, dtype=np.int32)
    for start in range(n):
        away = distances_from(known, start)
        for goal in range(n):
            ticks = distance(tree, weights, start, goal, climb)
            assert ticks == away.get(goal, INFINITY)
            count = path(tree, weights, start, goal, climb, nodes)
            if goal not in away:
                assert count == 0
                continue
            found = nodes[:count].tolist()
            assert (found[0], found[-1]) == (start, goal)
            assert sum(cheapest[step] for step in pairwise(found)) == ticks


@given(arc_lists(largest=12, heaviest=2**24))
def test_any_graph(arcs: ArcList) -> None:
    check(arcs, two_way=False)


@given(arc_lists(largest=12))
def test_any_two_way_graph(arcs: ArcList) -> None:
    n, each = arcs
    check((n, [arc for a, b, w in each for arc in ((a, b, w), (b, a, w))]), two_way=True)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
@pytest.mark.parametrize("seed", range(2))
def test_families(family, seed: int) -> None:
    check(seeded(family, seed, 40), two_way=False)


def test_a_path_longer_than_its_room_is_counted_whole() -> None:
    arcs: ArcList = (5, [(a, a + 1, 1) for a in range(4)])
    tree, weights = contracted(arcs)
    nodes = np.full(3, -1, dtype=np.int32)
    assert path(tree, weights, 0, 4, room_to_climb(tree), nodes) == 5
    assert nodes.tolist() == [0, 1, 2]


def test_standing_at_the_goal() -> None:
    tree, weights = contracted((2, [(0, 1, 3)]))
    nodes = np.empty(2, dtype=np.int32)
    assert distance(tree, weights, 1, 1, room_to_climb(tree)) == 0
    assert path(tree, weights, 1, 1, room_to_climb(tree), nodes) == 1
    assert nodes[0] == 1
