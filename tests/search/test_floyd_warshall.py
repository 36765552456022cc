"""The dense closure as a generator, against the textbook."""

import math

import numpy as np
import pytest
from hypothesis import given, settings

from bake.search.batch import INFINITY
from bake.search.floyd_warshall import STRIDE, floyd_warshall
from tests import oracles
from tests.strategies import FAMILIES, ArcList, arc_lists, seeded
from tests.tables.compare import weighted


def closed(n: int, arcs: list[tuple[int, int, int]]) -> np.ndarray:
    graph, weight = weighted(n, arcs)
    dist = np.empty((n, n), dtype=np.int32)
    for _ in floyd_warshall(graph, weight, dist):
        pass
    return np.where(dist == INFINITY, math.inf, dist)


@given(graph=arc_lists(largest=9))
@settings(deadline=None, max_examples=60)
def test_any_graph(graph: ArcList) -> None:
    n, arcs = graph
    expected, _ = oracles.floyd_warshall(oracles.arcs_of(range(n), arcs))
    assert closed(n, arcs).tolist() == expected


@pytest.mark.parametrize("family", FAMILIES)
def test_across_a_stride(family: object) -> None:
    n, arcs = seeded(family, 5, 40)  # type: ignore[arg-type]
    shifted = [(a + STRIDE, b + STRIDE, w) for a, b, w in arcs]
    joined = arcs + shifted + [(0, STRIDE, 3), (STRIDE + n - 1, n - 1, 2)]
    expected, _ = oracles.floyd_warshall(oracles.arcs_of(range(STRIDE + n), joined))
    assert closed(STRIDE + n, joined).tolist() == expected


def test_it_tells_how_far_it_is() -> None:
    n = 2 * STRIDE + 10
    graph, weight = weighted(n, [(node, node + 1, 1) for node in range(n - 1)])
    dist = np.empty((n, n), dtype=np.int32)
    assert list(floyd_warshall(graph, weight, dist)) == [STRIDE, 2 * STRIDE, n]
