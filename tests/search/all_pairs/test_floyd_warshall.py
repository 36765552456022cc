"""The dense closure as a generator, against the textbook, Dijkstra and scipy."""

import math
import random
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from scipy.sparse import csgraph

from bake.core.arrays import Float64Array, Int32Array
from bake.core.errors import CostError
from bake.core.graph import INFINITY
from bake.search.all_pairs.floyd_warshall import SIDE, WORK_BYTES, floyd_warshall
from tests.support import oracles
from tests.support.compare import weighted
from tests.support.strategies import FAMILIES, Arc, ArcList, arc_lists, seeded


def closed(n: int, arcs: list[Arc], threads: int = 1) -> Int32Array:
    graph, weight = weighted(n, arcs)
    dist = np.full((n, n), -1, dtype=np.int32)
    for _ in floyd_warshall(graph, weight, dist, threads):
        pass
    return dist


def with_inf(dist: Int32Array) -> Float64Array:
    return np.where(dist == INFINITY, math.inf, dist)


def by_dijkstra(n: int, arcs: list[Arc]) -> list[list[int]]:
    by_tail = oracles.arcs_of(range(n), arcs)
    searches = [oracles.distances_from(by_tail, source) for source in range(n)]
    return [[search.get(target, INFINITY) for target in range(n)] for search in searches]


@given(graph=arc_lists(largest=9))
def test_any_graph(graph: ArcList) -> None:
    n, arcs = graph
    expected, _ = oracles.floyd_warshall(oracles.arcs_of(range(n), arcs))
    assert with_inf(closed(n, arcs)).tolist() == expected


@pytest.mark.parametrize("family", FAMILIES)
def test_across_a_stride(family: object) -> None:
    n, arcs = seeded(family, 5, 40)
    shifted = [(a + SIDE, b + SIDE, w) for a, b, w in arcs]
    joined = arcs + shifted + [(0, SIDE, 3), (SIDE + n - 1, n - 1, 2)]
    assert closed(SIDE + n, joined).tolist() == by_dijkstra(SIDE + n, joined)


@pytest.mark.parametrize("over", [-1, 0, 1, 3, 4, 66])
@pytest.mark.parametrize("strides", [1, 2])
def test_blocks_whole_and_begun(strides: int, over: int) -> None:
    """Shortest paths visit the blocks in any order, some of them more than once."""
    n = strides * SIDE + over
    rng = random.Random(n)
    ring = rng.sample(range(n), n)
    arcs = [(ring[at - 1], ring[at], rng.randint(1, 9)) for at in range(n)]
    arcs += [(rng.randrange(n), rng.randrange(n), rng.randint(1, 200)) for _ in range(n)]
    arcs = [arc for arc in arcs if arc[0] != arc[1]]
    assert closed(n, arcs).tolist() == by_dijkstra(n, arcs)


@pytest.mark.parametrize(("n", "density"), [(300, 1.0), (400, 0.05), (513, 0.004)])
def test_dense_and_less_dense_graphs(n: int, density: float) -> None:
    rng = np.random.default_rng(n)
    chosen = rng.random((n, n)) < density
    np.fill_diagonal(chosen, False)
    tail, head = np.nonzero(chosen)
    weight = rng.integers(1, 100_000, len(tail))
    matrix = np.full((n, n), math.inf)
    matrix[tail, head] = weight
    arcs = np.stack([tail, head, weight], axis=1).tolist()
    assert np.array_equal(with_inf(closed(n, arcs)), csgraph.floyd_warshall(matrix))


@pytest.mark.parametrize("threads", [2, 3, 16])
def test_threads_change_nothing(threads: int) -> None:
    n = 3 * SIDE + 5
    rng = random.Random(3)
    arcs = [(rng.randrange(n), rng.randrange(n), rng.randint(1, 2**20)) for _ in range(4 * n)]
    arcs = [arc for arc in arcs if arc[0] != arc[1]]
    assert np.array_equal(closed(n, arcs, threads), closed(n, arcs))


def test_no_path_and_no_path_make_no_path() -> None:
    """Parts that never meet, one in each block, and arcs as heavy as can be."""
    n = 2 * SIDE + 10
    heavy = INFINITY // 4
    arcs = [(node, (node + 1) % n, heavy) for node in range(0, n - 1, 2)]
    dist = closed(n, arcs)
    expected = np.full((n, n), INFINITY)
    np.fill_diagonal(expected, 0)
    for tail, head, weight in arcs:
        expected[tail, head] = weight
    assert np.array_equal(dist, expected)


def test_a_path_beyond_the_scale_across_blocks() -> None:
    n = 2 * SIDE + 10
    weight = INFINITY // n
    chain = [(node, node + 1, weight) for node in range(n - 1)]
    assert closed(n, chain)[0, n - 1] == (n - 1) * weight
    dearer = [(tail, head, weight + weight // 40) for tail, head, _ in chain]
    with pytest.raises(CostError, match=r"distances reach .* ticks"):
        closed(n, dearer)


def test_it_tells_how_far_it_is() -> None:
    n = 2 * SIDE + 10
    graph, weight = weighted(n, [(node, node + 1, 1) for node in range(n - 1)])
    dist = np.empty((n, n), dtype=np.int32)
    assert list(floyd_warshall(graph, weight, dist)) == [SIDE, 2 * SIDE, n]


def test_no_nodes() -> None:
    graph, weight = weighted(0, [])
    assert list(floyd_warshall(graph, weight, np.empty((0, 0), dtype=np.int32))) == []


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("n", [40, 1000])
def test_the_memory_it_takes(n: int, threads: int) -> None:
    graph, weight = weighted(n, [(node, node + 1, 1) for node in range(n - 1)])
    dist = np.empty((n, n), dtype=np.int32)
    list(floyd_warshall(graph, weight, dist))  # compiles
    tracemalloc.start()
    try:
        for _ in floyd_warshall(graph, weight, dist, threads):
            pass
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    of_threads_and_frames = 64 * 1024 * (1 + threads)
    assert peak <= threads * WORK_BYTES + of_threads_and_frames
