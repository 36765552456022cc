"""The ends of the integer scale."""

import numpy as np
import pytest

from bake.core.errors import CostError
from bake.core.graph import INFINITY, MAX_WEIGHT, UNREACHABLE
from tests.support.compare import Algorithm, subgraph, tables_of

ALGORITHMS: tuple[Algorithm, ...] = ("dijkstra", "floyd_warshall")


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_heaviest_arc(algorithm: Algorithm) -> None:
    pairs = tables_of(subgraph(2, [(0, 1, MAX_WEIGHT - 1), (1, 0, 1)]), algorithm)
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
            pairs = tables_of(subgraph(arcs + 1, chain), algorithm)
        except CostError:
            refused += 1
            continue
        expected = weight * (np.arange(arcs + 1)[None, :] - np.arange(arcs + 1)[:, None])
        forward = expected >= 0
        assert np.array_equal(pairs.distance[forward], expected[forward])
        assert (pairs.distance[~forward] == UNREACHABLE).all()
    assert refused


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_cheap_way_round_a_dear_arc_is_found_near_the_limit(algorithm: Algorithm) -> None:
    arcs = [(0, 1, MAX_WEIGHT), (0, 2, 1), (2, 1, 1), (1, 0, MAX_WEIGHT - 2)]
    pairs = tables_of(subgraph(3, arcs), algorithm)
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
    for node in range(100):
        along = min((-node) % 100, (50 - node) % 100)
        assert pairs.distance[node, 100] == along * light + heavy
