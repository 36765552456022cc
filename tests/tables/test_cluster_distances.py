"""Distances between clusters: the lecture notes' figures, and a slow oracle."""

import tracemalloc
from dataclasses import replace
from math import inf, isqrt

import numpy as np
import pytest
from hypothesis import given

from bake.core.arrays import Int32Array
from bake.core.errors import BudgetError
from bake.core.graph import UNREACHABLE
from bake.tables.cluster_distances import (
    AUTO_DISTANCES,
    AUTO_PAIRS,
    cluster_distances,
    fits_auto,
    working_bytes,
)
from bake.tables.clusters import Clusters
from tests.support.cluster_labels import (
    Clustered,
    any_clustered,
    clustered_family,
    figure_of_the_notes,
)
from tests.support.compare import subgraph
from tests.support.oracles import arcs_of, distances_from
from tests.support.strategies import FAMILIES, Arc

pytestmark = pytest.mark.note(74, "the notes' figures, and a slow oracle")


def labelled(n: int, arcs: list[Arc], label: list[int]) -> Clusters:
    count = max(label, default=-1) + 1
    given_label = np.array(label, dtype=np.int32)
    return Clusters(subgraph(n, arcs), given_label, count, np.zeros((count, 2), dtype=np.int32))


def made(n: int, arcs: list[Arc], label: list[int]) -> Int32Array:
    return cluster_distances(labelled(n, arcs, label), budget=2**30)


def test_the_figures_of_the_notes() -> None:
    found = made(*figure_of_the_notes())
    c, d = 2, 3
    assert found[c, d] == 1
    assert found[0, d] == 1 + 4 + 1
    assert found[1, d] == 1 + 1 + 2
    assert found.diagonal().tolist() == [0, 0, 0, 0]


def test_one_way() -> None:
    found = made(3, [(0, 1, 2), (1, 2, 4)], [0, 0, 1])
    assert found.tolist() == [[0, 4], [UNREACHABLE, 0]]


def oracle(n: int, arcs: list[Arc], label: list[int]) -> None:
    found = made(n, arcs, label)
    graph = arcs_of(range(n), arcs)
    count = max(label, default=-1) + 1
    least = {(a, b): inf for a in range(count) for b in range(count)}
    for start in range(n):
        for goal, distance in distances_from(graph, start).items():
            pair = label[start], label[goal]
            least[pair] = min(least[pair], distance)
    told = np.where(found == UNREACHABLE, inf, found.astype(float))
    assert {(a, b): told[a, b] for a, b in least} == least


@given(clustered=any_clustered())
def test_any_graph(clustered: Clustered) -> None:
    oracle(*clustered)


@pytest.mark.parametrize("family", FAMILIES)
def test_families(family: str) -> None:
    oracle(*clustered_family(family))


def test_more_clusters_than_lanes() -> None:
    n = 300
    arcs = [(a, a + 1, 7) for a in range(n - 1)]
    found = made(n, arcs, list(range(n)))
    row = np.arange(n)
    away = row[None, :] - row[:, None]
    assert (found == np.where(away < 0, UNREACHABLE, 7 * away)).all()


def test_nowhere_to_stand() -> None:
    found = cluster_distances(labelled(0, [], []), budget=2**30)
    assert found.shape == (0, 0)


def test_a_short_budget_is_refused_in_words() -> None:
    found = replace(labelled(2, [(0, 1, 1)], [0, 1]))
    with pytest.raises(BudgetError, match="distances between 2 clusters need"):
        cluster_distances(found, budget=100)


@pytest.mark.parametrize(("n", "size"), [(700, 2), (900, 30), (64, 64)])
def test_the_budget_is_what_it_takes(n: int, size: int) -> None:
    """The refusal's own figure is enough, one byte less is not, and no more is ever used."""
    arcs = [(a, b, 1) for a in range(n) for b in (a - 1, a + 1, a + 20) if 0 <= b < n]
    found = labelled(n, arcs, [row // size for row in range(n)])
    needed = working_bytes(found)
    with pytest.raises(BudgetError):
        cluster_distances(found, budget=needed - 1)
    cluster_distances(found, budget=needed)  # compiles, and lays out what clusters are asked for
    tracemalloc.start()
    try:
        cluster_distances(found, budget=needed)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak <= needed


@pytest.mark.parametrize(
    ("rows", "count", "fits"),
    [
        (4096, isqrt(AUTO_PAIRS), True),
        (4096, isqrt(AUTO_PAIRS) + 1, False),
        (AUTO_DISTANCES // 1024, 1024, True),
        (AUTO_DISTANCES // 1024 + 1, 1024, False),
    ],
)
def test_what_is_made_unasked(rows: int, count: int, fits: bool) -> None:
    assert fits_auto(rows, count) is fits
