"""Distances and paths by climbing the elimination tree."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given

from bake.arrays import Int32Array
from bake.graph import INFINITY
from bake.search.contraction.query import (
    Room,
    Ways,
    distance,
    distances,
    path,
    paths,
    room_for,
    ways_of,
)
from tests.support.contraction import contracted
from tests.support.oracles import arcs_of, distances_from
from tests.support.strategies import FAMILIES, ArcList, arc_lists, seeded


def check(arcs: ArcList, *, two_way: bool) -> None:
    n, each = arcs
    tree, weights = contracted(arcs, two_way=two_way)
    ways = ways_of(tree, weights)
    room = room_for(ways)
    cheapest: dict[tuple[int, int], int] = {}
    for tail, head, weight in each:
        cheapest[tail, head] = min(weight, cheapest.get((tail, head), weight))
    known = arcs_of(range(n), each)
    ranks = np.empty(n, dtype=np.int32)
    ends, wanted = [], []
    for start in range(n):
        away = distances_from(known, start)
        for goal in range(n):
            ends.append((tree.rank[start], tree.rank[goal]))
            wanted.append(away.get(goal, INFINITY))
            assert distance(*ways, room.climb, *ends[-1]) == wanted[-1]
            count = path(*ways, *room, ranks, *ends[-1])
            if goal not in away:
                assert count == 0
                continue
            found = tree.order[ranks[:count]].tolist()
            assert (found[0], found[-1]) == (start, goal)
            assert sum(cheapest[step] for step in pairwise(found)) == wanted[-1]
    pairs = np.array(ends, dtype=np.int32).reshape(-1, 2)
    ticks = np.empty(len(pairs), dtype=np.int64)
    distances(*ways, room.climb, pairs[:, 0].copy(), pairs[:, 1].copy(), ticks)
    assert ticks.tolist() == wanted
    for most in (1, 3, n + 1):
        check_many(ways, room, pairs, most)


def check_many(ways: Ways, room: Room, pairs: Int32Array, most: int) -> None:
    """Many paths at once are those found one by one, as far as they are wanted."""
    first, many = np.empty(len(pairs) + 1, np.int64), np.empty(len(pairs) * most, np.int32)
    assert paths(*ways, room, pairs, most, first, many) == len(pairs)
    one = np.empty(most, dtype=np.int32)
    for i, (start, goal) in enumerate(pairs.tolist()):
        count = min(path(*ways, *room, one, start, goal), most)
        assert many[first[i] : first[i + 1]].tolist() == one[:count].tolist()


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


def test_a_path_that_is_longer_than_its_room_is_begun() -> None:
    arcs: ArcList = (5, [(a, a + 1, 1) for a in range(4)])
    tree, weights = contracted(arcs)
    ways = ways_of(tree, weights)
    start, goal = tree.rank[[0, 4]].tolist()
    for most in range(1, 6):
        ranks = np.full(most, -1, dtype=np.int32)
        assert path(*ways, *room_for(ways), ranks, start, goal) == min(5, most + 1)
        assert tree.order[ranks].tolist() == list(range(most))


def test_many_paths_are_told_how_far_there_was_room() -> None:
    arcs: ArcList = (3, [(0, 1, 1), (1, 2, 1)])
    tree, weights = contracted(arcs)
    ways = ways_of(tree, weights)
    pairs = tree.rank[np.array([(0, 2), (2, 0), (0, 1), (0, 2)])].astype(np.int32)
    first, ranks = np.empty(5, dtype=np.int64), np.empty(7, dtype=np.int32)
    assert paths(*ways, room_for(ways), pairs, 5, first, ranks) == 3
    assert first[:4].tolist() == [0, 3, 3, 5]
    assert tree.order[ranks[:5]].tolist() == [0, 1, 2, 0, 1]


def test_standing_at_the_goal() -> None:
    tree, weights = contracted((2, [(0, 1, 3)]))
    ways, ranks = ways_of(tree, weights), np.empty(2, dtype=np.int32)
    room = room_for(ways)
    assert distance(*ways, room.climb, 1, 1) == 0
    assert path(*ways, *room, ranks, 1, 1) == 1
    assert ranks[0] == 1
