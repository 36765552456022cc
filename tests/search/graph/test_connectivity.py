"""Whether every arc can be taken back at the same cost, and who can reach whom."""

import random

import networkx
import numpy as np
import pytest

from bake.core.graph import leads_back
from bake.search.graph import connectivity
from bake.search.graph.connectivity import strong_components
from tests.support.compare import weighted
from tests.support.strategies import FAMILIES, seeded

ArcList = list[tuple[int, int, int]]


def asked(n: int, arcs: ArcList) -> bool:
    graph, weight = weighted(n, arcs)
    return leads_back(graph, np.asarray(weight))


def both_ways(seed: int) -> ArcList:
    """Arcs of many prices, each with its way back, and dearer ones beside some."""
    rng = random.Random(seed)
    arcs = []
    for _ in range(30):
        a, b = rng.sample(range(12), 2)
        price = rng.randint(1, 9)
        arcs += [(a, b, price), (b, a, price)]
        if rng.random() < 0.2:
            arcs.append((a, b, price + 1))
    return arcs


@pytest.mark.parametrize("seed", range(5))
def test_only_the_cheapest_of_parallel_arcs_count(seed: int) -> None:
    arcs = both_ways(seed)
    assert asked(12, arcs)
    cheapest = {(a, b): min(w for c, d, w in arcs if (c, d) == (a, b)) for a, b, _ in arcs}
    for (a, b), least in cheapest.items():
        without = [arc for arc in arcs if arc[:2] != (a, b)]
        assert not asked(12, without)
        assert not asked(12, [*without, (a, b, least + 1)])
        assert not asked(12, [*arcs, (a, b, least - 1)]) or least == 1


def test_no_arc() -> None:
    assert asked(3, [])


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("back", [True, False])
@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
def test_strong_components(
    family: object, back: bool, compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of networkx; arcs between two of them lead to the lower number."""
    if not compiled:
        monkeypatch.setattr(connectivity, "ready", lambda kernel: False)
    n, arcs = seeded(family, 4, 30)
    if back:
        arcs = [*arcs, *((b, a, ticks) for a, b, ticks in arcs)]
    graph, _ = weighted(n, arcs)
    label, count = strong_components(graph)
    truth = networkx.DiGraph((a, b) for a, b, _ in arcs)
    truth.add_nodes_from(range(n))
    wanted = {frozenset(each) for each in networkx.strongly_connected_components(truth)}
    assert {frozenset(np.flatnonzero(label == each).tolist()) for each in range(count)} == wanted
    assert (label[graph.tail()] >= label[graph.head]).all()
