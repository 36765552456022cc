"""The three prices of neighbouring clusters: the lecture notes' figures, and a slow oracle."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given

from bake.extras.school.link_costs import priced_pairs
from tests.support.cluster_labels import (
    Clustered,
    any_clustered,
    clustered_family,
    figure_of_the_notes,
)
from tests.support.compare import subgraph
from tests.support.oracles import arcs_of, distances_from
from tests.support.strategies import FAMILIES, Arc

pytestmark = pytest.mark.note(76, "the notes' figures, and a slow oracle")


def made(n: int, arcs: list[Arc], label: list[int]) -> dict[tuple[int, int], list[int]]:
    """The prices of each pair of clusters."""
    sub, of = subgraph(n, arcs), np.array(label, dtype=np.int32)
    member = np.argsort(of, kind="stable").astype(np.int32)
    first = np.searchsorted(of[member], np.arange(max(label, default=-1) + 2)).astype(np.int32)
    pair, cost = priced_pairs(sub.graph, sub.weight, of, first, member)
    pairs = [(a, b) for a, b in pair.tolist()]
    assert all(one < other for one, other in pairwise(pairs))
    return dict(zip(pairs, cost.tolist(), strict=True))


def test_the_figures_of_the_notes() -> None:
    prices = made(*figure_of_the_notes())
    c, d = 2, 3
    # C1 to C5 is 4 and C5 to D1 is 1; C6 to C7 is 1 and C7 to D2 is 2: 5 and 3.
    assert prices[c, d] == [1, 5, 4]


def test_a_dead_end_is_priced_from_where_it_was_entered() -> None:
    arcs = [(0, 1, 3), (1, 0, 3), (1, 2, 5), (2, 1, 5)]
    assert made(3, arcs, [0, 0, 1]) == {(0, 1): [5, 5, 5], (1, 0): [5, 5, 5]}


def test_a_cluster_nothing_leads_into_is_priced_from_all_its_rows() -> None:
    assert made(3, [(0, 1, 2), (1, 2, 4)], [0, 0, 1]) == {(0, 1): [4, 6, 5]}


def oracle(n: int, arcs: list[Arc], label: list[int]) -> None:
    found = made(n, arcs, label)
    joined = sorted({(label[a], label[b]) for a, b, _ in arcs if label[a] != label[b]})
    assert list(found) == joined
    for (here, there), cost in found.items():
        links = [(a, w) for a, b, w in arcs if (label[a], label[b]) == (here, there)]
        inner: dict[int, list[tuple[int, int]]] = arcs_of(
            range(n), [arc for arc in arcs if label[arc[0]] == label[arc[1]] == here]
        )
        onward = {}
        for row in (row for row in range(n) if label[row] == here):
            reached = distances_from(inner, row)
            ways = [reached[tail] + w for tail, w in links if tail in reached]
            if ways:
                onward[row] = min(ways)
        entered = [b for a, b, _ in arcs if label[b] == here and label[a] not in (here, there)]
        again = [b for a, b, _ in arcs if label[b] == here and label[a] != here]
        for rows in (entered, again, list(onward)):
            prices = [onward[row] for row in rows if row in onward]
            if prices:
                break
        assert cost == [min(w for _, w in links), max(prices), sum(prices) // len(prices)]


@given(clustered=any_clustered())
def test_any_graph(clustered: Clustered) -> None:
    oracle(*clustered)


@pytest.mark.parametrize("family", FAMILIES)
def test_families(family: str) -> None:
    oracle(*clustered_family(family))


def test_nowhere_to_stand() -> None:
    assert made(0, [], []) == {}
