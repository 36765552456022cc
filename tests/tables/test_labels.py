"""Distance labels as they are stored: small, exact, and the same every time."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given

from bake.core.arrays import AnyArray
from bake.core.graph import INFINITY, Graph, Subgraph
from bake.tables.labels import StoredLabels, label_bytes, stored_labels
from tests.support.oracles import arcs_of, distances_from
from tests.support.strategies import FAMILIES, ArcList, arc_lists, seeded

PLENTY = 2**30


def sub_of(arcs: ArcList) -> Subgraph:
    n, each = arcs
    tail, head, weight = np.array(each, dtype=np.int32).reshape(-1, 3).T
    graph, order = Graph.from_arcs(n, np.ascontiguousarray(tail), np.ascontiguousarray(head))
    slot = np.zeros(graph.arc_count, dtype=np.int32)
    return Subgraph(graph, weight[order], np.arange(n, dtype=np.int32), slot)


def way_to_root(labels: StoredLabels, row: int) -> list[int]:
    """Rows from the root to a row."""
    above = int(labels.parent[row])
    return [*(way_to_root(labels, above) if above >= 0 else []), row]


def decoded(labels: StoredLabels, codes: AnyArray) -> list[dict[int, int]]:
    """By row: its distances to the rows on its way to the root, from what is stored alone."""
    ways = [way_to_root(labels, row) for row in range(len(labels.parent))]
    first = np.cumsum([0, *(len(way) - 1 for way in ways)])
    assert first[-1] == len(codes)
    known: dict[int, dict[int, int]] = {}
    for row in sorted(range(len(ways)), key=lambda row: len(ways[row])):
        own = {row: 0}
        for k, other in enumerate(ways[row][:-1]):
            code = int(codes[first[row] + k])
            if code == 0:
                own[other] = INFINITY
                continue
            base = known[ways[row][-2]][other]
            own[other] = int(labels.difference[code]) + (base if base < INFINITY else 0)
        known[row] = own
    return [known[row] for row in range(len(ways))]


def check(arcs: ArcList, *, two_way: bool) -> None:
    labels = stored_labels(sub_of(arcs), None, two_way=two_way, budget=PLENTY)
    assert labels is not None
    assert (labels.toward is None) == two_way
    away = decoded(labels, labels.away)
    toward = away if labels.toward is None else decoded(labels, labels.toward)
    arcs_by_tail = arcs_of(range(arcs[0]), arcs[1])
    for start in range(arcs[0]):
        truth = distances_from(arcs_by_tail, start)
        for goal in range(arcs[0]):
            shared = away[start].keys() & toward[goal].keys()
            told = min((away[start][row] + toward[goal][row] for row in shared), default=INFINITY)
            assert min(told, INFINITY) == truth.get(goal, INFINITY)


def test_a_path_of_three_by_hand() -> None:
    arcs: ArcList = (3, [(0, 1, 5), (1, 0, 5), (1, 2, 7), (2, 1, 7)])
    labels = stored_labels(sub_of(arcs), None, two_way=True, budget=PLENTY)
    assert labels is not None
    # Sets of eight and fewer are not cut: the order is that of a search, the last row on top.
    assert sorted(len(way_to_root(labels, row)) for row in range(3)) == [1, 2, 3]
    assert labels.away.dtype == np.uint8
    assert labels.size == 3 * 4 + labels.difference.nbytes + 3


@given(arc_lists(largest=14, heaviest=2**24))
def test_any_graph(arcs: ArcList) -> None:
    check(arcs, two_way=False)


@given(arc_lists(largest=14))
def test_any_two_way_graph(arcs: ArcList) -> None:
    n, each = arcs
    check((n, [arc for a, b, w in each for arc in ((a, b, w), (b, a, w))]), two_way=True)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
def test_families(family) -> None:
    check(seeded(family, 1, 50), two_way=False)


def test_many_differences_take_wider_codes() -> None:
    rng = np.random.default_rng(1)
    arcs = [(a, b, int(rng.integers(1, 2**24))) for a in range(60) for b in range(60) if a != b]
    labels = stored_labels(sub_of((60, arcs)), None, two_way=False, budget=PLENTY)
    assert labels is not None
    assert labels.away.dtype == np.uint16
    assert len(labels.difference) > 256
    assert len(set(labels.difference.tolist())) == len(labels.difference)


def test_what_does_not_fit_is_left_out() -> None:
    clique = [(a, b, 1) for a in range(300) for b in range(300) if a != b]
    assert stored_labels(sub_of((300, clique)), None, two_way=True, budget=2**19) is None
    assert stored_labels(sub_of((300, clique)), None, two_way=True, budget=2**22) is not None


@pytest.mark.parametrize("two_way", [True, False])
def test_the_budget_counts_every_direction(two_way: bool) -> None:
    arcs = [arc for a in range(199) for arc in ((a, a + 1, 1), (a + 1, a, 1 if two_way else 2))]
    labels = stored_labels(sub_of((200, arcs)), None, two_way=two_way, budget=PLENTY)
    assert labels is not None
    needed = 12 * sum(len(way_to_root(labels, row)) for row in range(200)) * (1 if two_way else 2)
    for budget, fits in ((needed, True), (needed - 1, False)):
        found = stored_labels(sub_of((200, arcs)), None, two_way=two_way, budget=budget)
        assert (found is not None) == fits


def test_the_budget_is_about_what_making_labels_takes() -> None:
    rng = np.random.default_rng(2)
    side = 40
    x, y = np.arange(side * side) % side, np.arange(side * side) // side
    arcs = [
        (a, int(b), int(rng.integers(1, 9)))
        for a in range(side * side)
        for b in np.flatnonzero(np.abs(x - x[a]) + np.abs(y - y[a]) == 1)
    ]
    sub, at = sub_of((side * side, arcs)), np.stack([x, y], axis=1).astype(np.int32)
    labels = stored_labels(sub, at, two_way=False, budget=PLENTY)
    assert labels is not None
    tracemalloc.start()
    stored_labels(sub, at, two_way=False, budget=PLENTY)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    made = label_bytes(len(labels.away) + side * side, two_way=False)
    assert made < peak < 1.5 * made


def test_nothing_and_single_rows() -> None:
    labels = stored_labels(sub_of((1, [])), None, two_way=True, budget=PLENTY)
    assert labels is not None
    assert labels.parent.tolist() == [-1]
    assert len(labels.away) == 0
