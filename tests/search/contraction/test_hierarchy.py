"""A hierarchy that is built, changed and asked, against searches in plain Python."""

import random

import numpy as np
import pytest

from bake.core.arrays import Int32Array
from bake.core.graph import INFINITY
from bake.search.contraction import hierarchy as module
from bake.search.contraction.hierarchy import ContractionHierarchy
from bake.search.contraction.sweep import LANES
from bake.search.contraction.tree import both_ways, joined_pairs
from tests.support.contraction import graph_of
from tests.support.oracles import arcs_of, distances_from
from tests.support.strategies import FAMILIES, ArcList, seeded


def built(arcs: ArcList) -> ContractionHierarchy:
    graph, weight = graph_of(arcs)
    found = ContractionHierarchy.of(both_ways(graph), None, graph, weight)
    assert found is not None
    return found


def check(hierarchy: ContractionHierarchy, n: int, cheapest: dict[tuple[int, int], int]) -> None:
    each = [(a, b, ticks) for (a, b), ticks in cheapest.items() if ticks < INFINITY]
    known = arcs_of(range(n), each)
    starts, goals = np.divmod(np.arange(n * n, dtype=np.int32), n)
    starts, goals = starts.astype(np.int32), goals.astype(np.int32)
    wanted = []
    for start in range(n):
        away = distances_from(known, start)
        wanted.append([away.get(goal, INFINITY) for goal in range(n)])
    flat = [ticks for row in wanted for ticks in row]
    assert hierarchy.distances(starts, goals).tolist() == flat
    # Once more one by one, from what is known now.
    for i in range(0, n * n, 3):
        assert hierarchy.distance(int(starts[i]), int(goals[i])) == flat[i]
    for goal in range(0, n, LANES):
        some_goals = np.arange(goal, min(n, goal + LANES), dtype=np.int32)
        dist = hierarchy.fields(some_goals)[hierarchy.rank]
        assert dist[:, : len(some_goals)].tolist() == np.array(wanted)[:, some_goals].tolist()
        assert (dist[:, len(some_goals) :] == INFINITY).all()


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("few", [module.FEW, -(10**9)])
def test_changes(family, few: int, symmetric: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Weights both ways stay one array as long as they are alike, and no longer."""
    monkeypatch.setattr(module, "FEW", few)
    rng = random.Random(3)
    n, each = seeded(family, 1, 20)
    cheapest: dict[tuple[int, int], int] = {}
    for a, b, ticks in each:
        if a != b:
            cheapest[a, b] = min(ticks, cheapest.get((a, b), ticks))
            if symmetric:
                cheapest[a, b] = cheapest[b, a] = min(ticks, cheapest.get((b, a), ticks))
    hierarchy = built((n, [(a, b, ticks) for (a, b), ticks in cheapest.items()]))
    assert hierarchy.two_way or not symmetric
    check(hierarchy, n, cheapest)
    for turn in range(6):
        drawn = rng.sample(sorted(cheapest), min(3, len(cheapest)))
        changed = {arc: rng.choice([INFINITY, 1, rng.randint(1, 10**6)]) for arc in drawn}
        if symmetric and turn < 4:
            one_way = {(min(arc), max(arc)): ticks for arc, ticks in changed.items()}
            changed = {way: ticks for (a, b), ticks in one_way.items() for way in ((a, b), (b, a))}
        ends = np.array(list(changed), dtype=np.int32)
        tail, head = ends.T.copy()
        assert hierarchy.reprice(tail, head, np.array(list(changed.values()), dtype=np.int32))
        cheapest.update(changed)
        if symmetric and turn < 4:
            assert hierarchy.two_way
        check(hierarchy, n, cheapest)


def test_arcs_that_the_structure_does_not_join() -> None:
    """Nothing changes then, whatever the other arcs of the edit are."""
    cheapest = {(0, 1): 1, (1, 2): 1, (2, 1): 1}
    hierarchy = built((4, [(a, b, ticks) for (a, b), ticks in cheapest.items()]))
    for unknown in ((0, 3), (3, 2), (0, 4), (9, 1)):
        ends: Int32Array = np.array([(1, 2), (0, 1), unknown], dtype=np.int32)
        ticks: Int32Array = np.array([5, 6, 7], dtype=np.int32)
        assert not hierarchy.reprice(ends[:, 0].copy(), ends[:, 1].copy(), ticks)
        check(hierarchy, 4, cheapest)
    assert hierarchy.node_count == 4


def test_both_ways_stay_alike_or_not() -> None:
    """One direction alone, both at one price, both at two, and one at the price it had."""
    for batch, alike in (
        ({(0, 1): 9}, False),
        ({(1, 0): 9}, False),
        ({(1, 0): 9, (0, 1): 9}, True),
        ({(1, 0): 9, (0, 1): 8}, False),
        ({(1, 0): 9, (0, 1): 9, (1, 2): 5}, True),
        ({(1, 0): 9, (0, 1): 9, (2, 1): 5}, True),
        ({(1, 0): 9, (0, 1): 9, (2, 1): 6}, False),
        ({(0, 1): INFINITY, (1, 0): INFINITY}, True),
    ):
        cheapest = {(0, 1): 4, (1, 0): 4, (1, 2): 5, (2, 1): 5}
        hierarchy = built((3, [(a, b, ticks) for (a, b), ticks in cheapest.items()]))
        assert hierarchy.two_way
        tail, head = np.array(list(batch), dtype=np.int32).T.copy()
        assert hierarchy.reprice(tail, head, np.array(list(batch.values()), dtype=np.int32))
        assert hierarchy.two_way == alike
        check(hierarchy, 3, cheapest | batch)


def test_a_graph_without_small_cuts_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_ARCS", 2)
    every = [(a, b, 1) for a in range(6) for b in range(6) if a != b]
    graph, weight = graph_of((6, every))
    assert ContractionHierarchy.of(both_ways(graph), None, graph, weight) is None


def test_warming_up_changes_nothing() -> None:
    arcs: ArcList = (3, [(0, 1, 4), (1, 2, 5), (2, 0, 6)])
    hierarchy = built(arcs)
    hierarchy.warm_up()
    check(hierarchy, 3, {(a, b): ticks for a, b, ticks in arcs[1]})
    built((1, [])).warm_up()


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
def test_pairs_are_joined_from_both_sides(family) -> None:
    graph, _ = graph_of(seeded(family, 5, 30))
    back, _ = graph.reverse()
    out = graph.first_out[:-1], graph.first_out[1:], graph.head
    into = back.first_out[:-1], back.first_out[1:], back.head
    ours, wanted = joined_pairs(out, into), both_ways(graph)
    for node in range(graph.node_count):
        near = ours.head[ours.first_out[node] : ours.first_out[node + 1]].tolist()
        there = wanted.head[wanted.first_out[node] : wanted.first_out[node + 1]].tolist()
        assert sorted(near) == [other for other in there if other != node]
