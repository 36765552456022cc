"""The ends of the integer scale, and the memory budget."""

import tracemalloc

import numpy as np
import pytest

from bake.errors import BudgetError, CostError
from bake.graph import INFINITY, MAX_WEIGHT, UNREACHABLE
from bake.tables.all_pairs import working_bytes
from tests.support.compare import Algorithm, assert_same, subgraph, tables_of

ALGORITHMS: tuple[Algorithm, ...] = ("dijkstra", "floyd_warshall")


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_heaviest_arc(algorithm: Algorithm) -> None:
    pairs = tables_of(subgraph(2, [(0, 1, MAX_WEIGHT - 1), (1, 0, 1)]), algorithm)
    assert pairs.distance is not None
    assert pairs.distance.tolist() == [[0, MAX_WEIGHT - 1], [1, 0]]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("arcs", [2, 3, 4, 7])
def test_a_path_beyond_the_scale_is_an_error_and_never_unreachable(
    algorithm: Algorithm, arcs: int
) -> None:
    chain = [(node, node + 1, MAX_WEIGHT) for node in range(arcs)]
    with pytest.raises(CostError) as caught:
        tables_of(subgraph(arcs + 1, chain), algorithm)
    assert "ticks" in str(caught.value)
    assert "lower ticks_per_unit" in str(caught.value)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("weight", [2**29, 2**28 + 1, 2**27, 2**20, 999_983])
def test_every_chain_is_right_or_refused(algorithm: Algorithm, weight: int) -> None:
    """Around the limit, chain by chain: never a wrong distance, never a silent "no path"."""
    refused = 0
    longest = INFINITY // weight
    for arcs in range(max(1, longest - 3), longest + 3):
        chain = [(node, node + 1, weight) for node in range(arcs)]
        if arcs > 1500:
            continue
        try:
            pairs = tables_of(subgraph(arcs + 1, chain), algorithm, hops=False)
        except CostError:
            refused += 1
            continue
        assert pairs.distance is not None
        expected = weight * (np.arange(arcs + 1)[None, :] - np.arange(arcs + 1)[:, None])
        forward = expected >= 0
        assert np.array_equal(pairs.distance[forward], expected[forward])
        assert (pairs.distance[~forward] == UNREACHABLE).all()
    assert refused


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_cheap_way_round_a_dear_arc_is_found_near_the_limit(algorithm: Algorithm) -> None:
    arcs = [(0, 1, MAX_WEIGHT), (0, 2, 1), (2, 1, 1), (1, 0, MAX_WEIGHT - 2)]
    pairs = tables_of(subgraph(3, arcs), algorithm)
    assert pairs.distance is not None
    assert pairs.distance.tolist() == [
        [0, 2, 1],
        [MAX_WEIGHT - 2, 0, MAX_WEIGHT - 1],
        [MAX_WEIGHT - 1, 1, 0],
    ]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("spread", [(1, MAX_WEIGHT - 500), (1, 2**20), (2**10, 2**25)])
def test_light_and_heavy_arcs_together(algorithm: Algorithm, spread: tuple[int, int]) -> None:
    light, heavy = spread
    ring = [(node, (node + 1) % 100, light) for node in range(100)]
    pairs = tables_of(subgraph(101, [*ring, (0, 100, heavy), (50, 100, heavy)]), algorithm)
    assert pairs.distance is not None
    for node in range(100):
        along = min((-node) % 100, (50 - node) % 100)
        assert pairs.distance[node, 100] == along * light + heavy


@pytest.mark.parametrize("algorithm", [*ALGORITHMS, "auto"])
def test_a_table_beyond_the_budget_is_refused_before_it_is_made(algorithm: Algorithm) -> None:
    n = 60_000
    nodes = np.arange(n - 1)
    sub = subgraph(n, np.stack([nodes, nodes + 1, np.ones(n - 1)], axis=1).tolist())
    tracemalloc.start()
    try:
        with pytest.raises(BudgetError) as caught:
            tables_of(sub, algorithm, budget=2 * 2**30)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 2**22
    message = str(caught.value)
    assert "60,000 nodes" in message
    assert "2.0 GiB (memory_budget)" in message
    assert "raise memory_budget" in message


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize(("hops", "distances"), [(True, False), (False, True), (True, True)])
def test_the_budget_is_what_the_tables_take(
    algorithm: Algorithm, hops: bool, distances: bool
) -> None:
    """The refusal's own figure is enough, one byte less is not, and no more is ever used."""
    n = 700
    sub = subgraph(n, [(node, node + 1, 1) for node in range(n - 1)])
    needed = working_bytes(sub, 1, algorithm, hops=hops, distances=distances)
    with pytest.raises(BudgetError):
        tables_of(sub, algorithm, hops=hops, distances=distances, budget=needed - 1)
    tables_of(sub, algorithm, hops=hops, distances=distances, budget=needed)  # compiles
    tracemalloc.start()
    try:
        tables_of(sub, algorithm, hops=hops, distances=distances, budget=needed)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak <= needed


@pytest.mark.parametrize(
    ("n", "degree", "threads"), [(1, 0, 1), (90, 80, 1), (90, 80, 4), (999, 9, 3)]
)
def test_graphs_of_many_arcs_and_searches_at_once_stay_in_the_budget(
    n: int, degree: int, threads: int
) -> None:
    arcs = [(node, (node + k + 1) % n, k + 1) for node in range(n) for k in range(degree)]
    sub = subgraph(n, arcs)
    for hops, distances in ((True, False), (False, True), (True, True)):
        needed = working_bytes(sub, threads, "dijkstra", hops=hops, distances=distances)
        settings = {"hops": hops, "distances": distances, "threads": threads, "budget": needed}
        tables_of(sub, "dijkstra", **settings)
        tracemalloc.start()
        try:
            tables_of(sub, "dijkstra", **settings)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert peak <= needed


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_no_path_is_marked_in_every_block(
    algorithm: Algorithm, monkeypatch: pytest.MonkeyPatch
) -> None:
    n = 150
    sub = subgraph(n, [(node, node + 1, 1) for node in range(n - 1) if node % 7])
    whole = tables_of(sub, algorithm)
    for block in (1, 64, 1000):
        monkeypatch.setattr("bake.tables.all_pairs.BLOCK", block)
        assert_same(tables_of(sub, algorithm), whole)
    assert whole.distance is not None
    away = np.arange(n)[None, :] - np.arange(n)[:, None]
    joined = (away >= 0) & ((np.arange(n)[None, :] - 1) // 7 == (np.arange(n)[:, None] - 1) // 7)
    assert np.array_equal(whole.distance, np.where(joined, away, UNREACHABLE))
