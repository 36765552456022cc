"""LPA*, D* Lite and Moving Target D* Lite against Dijkstra's algorithm after every change."""

import random

import numpy as np
import pytest

from bake.core.graph import BLOCKED
from bake.search.incremental.lifelong import DStarLite, LifelongPlanning, MovingTargetDStarLite
from bake.search.incremental.twins import TwinArcs
from bake.search.point.estimates import Estimate
from tests.support.oracles import arcs_of, distances_from
from tests.support.strategies import FAMILIES, seeded
from tests.support.twin_lattices import SIDE, lattice, usable, walked, with_weights

pytestmark = [
    pytest.mark.note(125, "Dijkstra's algorithm after every change"),
    pytest.mark.note(128, "Dijkstra's algorithm after every change"),
]


def distance(arcs: TwinArcs, start: int, goal: int) -> int | None:
    return distances_from(arcs_of(range(arcs.node_count), usable(arcs)), start).get(goal)


def random_graph(seed: int, largest: int = 14) -> TwinArcs:
    nodes, arcs = seeded(FAMILIES[seed % len(FAMILIES)], seed, largest)
    tail, head, weight = np.array(arcs, dtype=np.int64).reshape(-1, 3).T
    return with_weights(nodes, tail, head, weight)


def change(rng: random.Random, arcs: TwinArcs, least: int = 1) -> np.ndarray:
    """Give some arcs other weights, some of them none; return which."""
    chosen = rng.sample(range(len(arcs.head)), min(len(arcs.head), rng.randint(1, 6)))
    for arc in chosen:
        free = [BLOCKED, 10, 14, 30, 10**6]
        arcs.weight[arc] = rng.choice([each for each in free if each >= least])
    return np.array(chosen, dtype=np.int64)


@pytest.mark.parametrize("seed", range(20))
def test_twins_lead_back(seed: int) -> None:
    nodes, given = seeded(FAMILIES[seed % len(FAMILIES)], seed, 14)
    arcs = random_graph(seed)
    tail = arcs.tails()
    assert (tail[arcs.twin] == arcs.head).all()
    assert (arcs.head[arcs.twin] == tail).all()
    lightest: dict[tuple[int, int], int] = {}
    for a, b, ticks in given:
        if a != b:
            lightest[a, b] = min(ticks, lightest.get((a, b), ticks))
    assert {(a, b): ticks for a, b, ticks in usable(arcs)} == lightest
    assert arcs.find(tail, arcs.head).tolist() == list(range(len(tail)))
    assert arcs.find(np.array([nodes - 1]), np.array([nodes - 1])).tolist() == [-1]
    assert arcs.out_of(np.arange(nodes)).tolist() == list(range(len(tail)))
    assert arcs.tail(np.arange(len(tail))).tolist() == tail.tolist()


@pytest.mark.parametrize("seed", range(20))
def test_lifelong_planning(seed: int) -> None:
    rng = random.Random(seed)
    arcs = random_graph(seed)
    start, goal = rng.randrange(arcs.node_count), rng.randrange(arcs.node_count)
    search = LifelongPlanning(arcs, Estimate("null"), start, goal)
    for _ in range(12):
        expected = distance(arcs, start, goal)
        assert search.ticks() == expected
        path = search.path()
        assert (path is None) == (expected is None)
        if path is not None:
            assert (path[0], path[-1], walked(arcs, path)) == (start, goal, expected)
        if len(arcs.head):
            search.changed(change(rng, arcs))


@pytest.mark.parametrize("seed", range(8))
def test_lifelong_planning_with_a_heuristic(seed: int) -> None:
    rng = random.Random(seed)
    arcs, norm = lattice(rng, 0.2)
    search = LifelongPlanning(arcs, norm, 0, SIDE * SIDE - 1)
    for _ in range(12):
        assert search.ticks() == distance(arcs, 0, SIDE * SIDE - 1)
        search.changed(change(rng, arcs, least=14))


def test_a_repair_expands_less_than_a_search() -> None:
    """The claim of both papers: changes near the target cost little."""
    rng = random.Random(4)
    arcs, norm = lattice(rng, 0.1)
    ends = 0, SIDE * SIDE - 1
    search = LifelongPlanning(arcs, norm, *ends)
    search.ticks()
    fresh = repaired = 0
    for _ in range(20):
        before = search.expanded
        path = search.path()
        assert path is not None
        near = arcs.find(path[-3:-1], path[-2:])
        arcs.weight[near] = rng.choice([14, 20, 40])
        search.changed(near)
        anew = LifelongPlanning(arcs, norm, *ends)
        assert search.ticks() == anew.ticks()
        repaired += search.expanded - before
        fresh += anew.expanded
    assert 0 < repaired < fresh / 2


@pytest.mark.parametrize("seed", range(20))
def test_dstar_lite(seed: int) -> None:
    """An agent moves, arcs change, and after each the path is as short as a fresh search's."""
    rng = random.Random(seed)
    arcs, norm = lattice(rng, 0.15) if seed % 2 else (random_graph(seed), Estimate("null"))
    start, goal = rng.randrange(arcs.node_count), rng.randrange(arcs.node_count)
    search = DStarLite(arcs, norm, start, goal)
    for _ in range(25):
        expected = distance(arcs, start, goal)
        assert search.ticks() == expected
        following = search.next_node()
        path = search.path()
        if path is None:
            assert (expected, following) == (None, -1)
        else:
            assert walked(arcs, path) == expected
            assert (path[0], path[-1]) == (start, goal)
            assert following == path[min(1, len(path) - 1)]
            # Mostly it goes on; now and then it is pushed somewhere else.
            start = following if rng.random() < 0.8 else rng.randrange(arcs.node_count)
            search.move(start)
        if len(arcs.head) and rng.random() < 0.7:
            search.changed(change(rng, arcs, least=14))


@pytest.mark.parametrize("seed", range(20))
def test_moving_target(seed: int) -> None:
    rng = random.Random(seed)
    arcs, norm = lattice(rng, 0.15) if seed % 2 else (random_graph(seed), Estimate("null"))
    hunter, target = rng.randrange(arcs.node_count), rng.randrange(arcs.node_count)
    search = MovingTargetDStarLite(arcs, norm, hunter, target)
    for _ in range(30):
        expected = distance(arcs, hunter, target)
        assert search.ticks() == expected
        following = search.next_node()
        path = search.path()
        if path is None:
            assert (expected, following) == (None, -1)
        else:
            assert walked(arcs, path) == expected
            assert (path[0], path[-1]) == (hunter, target)
            hunter = following if rng.random() < 0.9 else rng.randrange(arcs.node_count)
        beside = arcs.head[arcs.out_of(np.array([target]))]
        if len(beside) and rng.random() < 0.7:
            target = int(rng.choice(beside.tolist()))
        search.move(hunter, target)
        if len(arcs.head) and rng.random() < 0.5:
            search.changed(change(rng, arcs, least=14))


def test_a_hunt_keeps_its_tree() -> None:
    """Following a target expands less than searching anew at each step, as the paper claims."""
    rng = random.Random(8)
    arcs, norm = lattice(rng, 0.1)
    hunter, target = 0, SIDE * SIDE - 1
    search = MovingTargetDStarLite(arcs, norm, hunter, target)
    fresh = 0
    for step in range(40):
        search.move(hunter, target)
        anew = LifelongPlanning(arcs, norm, hunter, target)
        assert search.ticks() == anew.ticks()
        fresh += anew.expanded
        if step % 2:
            hunter = search.next_node()
        if hunter == target:
            break
        target = max(SIDE, target - rng.choice((1, SIDE)))
    assert 0 < search.expanded < fresh


def test_keys_that_grow_too_late_begin_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bake.search.incremental.lifelong.MOST_LATE", 100)
    rng = random.Random(3)
    arcs, norm = lattice(rng, 0.1)
    search = DStarLite(arcs, norm, 0, 40)
    for _ in range(60):
        start = rng.randrange(arcs.node_count)
        search.move(start)
        assert search.ticks() == distance(arcs, start, 40)
    assert search.expanded > 0
