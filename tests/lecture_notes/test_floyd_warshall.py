"""The worked example of the Floyd-Warshall algorithm with next hops: five nodes."""

import numpy as np
import pytest

from bake.search.all_pairs.floyd_warshall import SIDE, floyd_warshall
from tests.support import oracles
from tests.support.compare import Algorithm, subgraph, tables_of, weighted

pytestmark = pytest.mark.note(116, "the slides' matrices, at every stage")

EDGES = [(0, 1, 9), (0, 2, 9), (1, 2, 9), (2, 3, 1), (2, 4, 6), (3, 4, 3)]
BOTH = [arc for a, b, w in EDGES for arc in ((a, b, w), (b, a, w))]

DISTANCE = [
    [0, 9, 9, 10, 13],
    [9, 0, 9, 10, 13],
    [9, 9, 0, 1, 4],
    [10, 10, 1, 0, 3],
    [13, 13, 4, 3, 0],
]
NEXT_HOP = [
    [None, 1, 2, 2, 2],
    [0, None, 2, 2, 2],
    [0, 1, None, 3, 3],
    [2, 2, 2, None, 4],
    [3, 3, 3, 3, None],
]


@pytest.mark.parametrize("algorithm", ["dijkstra", "floyd_warshall"])
def test_distances_and_next_hops(algorithm: Algorithm) -> None:
    sub = subgraph(5, BOTH)
    pairs = tables_of(sub, algorithm)
    assert pairs.distance.tolist() == DISTANCE
    for start in range(5):
        for goal in range(5):
            slot = pairs.hop[start, goal]
            if start == goal:
                assert slot == 255
            else:
                head = sub.graph.head[sub.graph.first_out[start] + slot]
                assert head == NEXT_HOP[start][goal]


def test_the_search_itself() -> None:
    dist = np.empty((5, 5), dtype=np.int32)
    assert list(floyd_warshall(*weighted(5, BOTH), dist)) == [5]
    assert dist.tolist() == DISTANCE


@pytest.mark.parametrize(
    ("last", "shown"),
    [
        (2, {(0, 3): 10, (0, 4): 15, (1, 3): 10, (1, 4): 15, (2, 3): 1, (2, 4): 6, (3, 4): 3}),
        (3, {(0, 3): 10, (0, 4): 13, (1, 3): 10, (1, 4): 13, (2, 3): 1, (2, 4): 4, (3, 4): 3}),
    ],
)
def test_the_matrices_on_the_way(last: int, shown: dict[tuple[int, int], int]) -> None:
    """The compiled search, stopped after the block of nodes that holds 0 to k and no others."""
    place = [node if node <= last else SIDE + node for node in range(5)]
    n = SIDE + 5
    matrix = np.empty((n, n), dtype=np.int32)
    arcs = [(place[a], place[b], w) for a, b, w in BOTH]
    assert next(floyd_warshall(*weighted(n, arcs), matrix)) == SIDE
    found = matrix[np.ix_(place, place)]
    direct = {(0, 1): 9, (0, 2): 9, (1, 2): 9}
    assert {pair: found[pair] for pair in direct | shown} == direct | shown
    assert (found == found.T).all()
    assert not found.diagonal().any()


def test_on_the_way_to_them() -> None:
    """The oracle the search is compared with passes through the states the notes show."""
    arcs = oracles.arcs_of(range(5), BOTH)
    dist, following = oracles.floyd_warshall(arcs, intermediate=3)  # k = 0, 1, 2
    assert (dist[0][4], following[0][4]) == (15, 2)
    assert (dist[2][4], following[2][4]) == (6, 4)
    dist, following = oracles.floyd_warshall(arcs, intermediate=4)  # and k = 3
    assert (dist[0][4], following[0][4]) == (13, 2)
    assert (dist[2][4], following[2][4]) == (4, 3)
    dist, following = oracles.floyd_warshall(arcs)
    assert dist == DISTANCE
    assert following == NEXT_HOP
