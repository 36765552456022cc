"""Next hops from the whole matrix of distances: the lowest arc that begins a shortest path."""

import random

import numpy as np
import pytest
from hypothesis import given

from bake.arrays import UInt16Array
from bake.graph import Arcs
from bake.search.all_pairs.first_moves import dense_first_moves, lowest_first_moves
from bake.search.all_pairs.floyd_warshall import floyd_warshall
from tests.support import oracles
from tests.support.compare import weighted
from tests.support.strategies import FAMILIES, Arc, ArcList, arc_lists, seeded

NONE = 65535


def hops(n: int, arcs: list[Arc], *, dense: bool, step: int | None = None) -> UInt16Array:
    """Slots, ``step`` rows at a time."""
    graph, weight = weighted(n, arcs)
    dist = np.empty((n, n), dtype=np.int32)
    for _ in floyd_warshall(graph, weight, dist):
        pass
    slot = (np.arange(graph.arc_count) - graph.first_out[graph.tail()]).astype(np.int32)
    out = np.full((n, n), 12345, dtype=np.uint16)
    arrays = (Arcs.of(graph, weight), slot, dist, NONE)
    if not dense:
        lowest_first_moves(*arrays, 0, n, out)
        return out
    for start in range(0, n, step or n):
        dense_first_moves(*arrays, start, min(start + (step or n), n), out)
    return out


@given(graph=arc_lists(largest=8))
def test_any_graph(graph: ArcList) -> None:
    n, arcs = graph
    by_tail = oracles.arcs_of(range(n), arcs)
    expected = [
        [min(oracles.optimal_slots(by_tail, node, goal), default=NONE) for goal in range(n)]
        for node in range(n)
    ]
    assert hops(n, arcs, dense=True).tolist() == expected


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("seed", range(3))
def test_families(family: object, seed: int) -> None:
    n, arcs = seeded(family, seed, 300)
    assert np.array_equal(hops(n, arcs, dense=True), hops(n, arcs, dense=False))


@pytest.mark.parametrize("heaviest", [1, 2, 2**20])
@pytest.mark.parametrize("order", ["ascending", "shuffled"])
def test_complete_graphs(heaviest: int, order: str) -> None:
    """With equal weights every arc is tight, too many to keep in mind for all nodes at once."""
    n = 300
    rng = random.Random(heaviest)
    arcs = [
        (tail, head, rng.randint(1, heaviest))
        for tail in range(n)
        for head in range(n)
        if tail != head
    ]
    if order == "shuffled":
        rng.shuffle(arcs)
    assert np.array_equal(hops(n, arcs, dense=True), hops(n, arcs, dense=False))


def test_more_nodes_than_are_worked_on_together() -> None:
    n = 1100
    rng = random.Random(1)
    arcs = [(node, rng.randrange(n), rng.randint(1, 50)) for node in range(n) for _ in range(5)]
    arcs = [arc for arc in arcs if arc[0] != arc[1]]
    assert np.array_equal(hops(n, arcs, dense=True), hops(n, arcs, dense=False))


def test_more_parallel_arcs_than_there_is_room_for_at_once() -> None:
    arcs = [(0, 1, 7)] * 2000 + [(1, 0, 7)] * 3000 + [(1, 2, 1), (2, 0, 6)]
    assert np.array_equal(hops(3, arcs, dense=True), hops(3, arcs, dense=False))


@pytest.mark.parametrize("step", [1, 7, 64])
def test_a_few_rows_at_a_time(step: int) -> None:
    n, arcs = seeded(FAMILIES[1], 4, 90)
    assert np.array_equal(hops(n, arcs, dense=True, step=step), hops(n, arcs, dense=True))
