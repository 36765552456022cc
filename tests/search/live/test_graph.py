"""Arcs that are repriced and added to: every version against a plain dictionary."""

import random

import numpy as np
import pytest

from bake.core.graph import BLOCKED, Graph
from bake.search.graph.label_correcting import ALL, MASK_BITS, build_search_arcs
from bake.search.live import graph as live
from bake.search.live.graph import Adjacency
from tests.support.compare import weighted

Model = dict[tuple[int, int], int]


def adjacency_of(n: int, arcs: Model) -> Adjacency:
    graph, weight = weighted(n, [(a, b, units) for (a, b), units in arcs.items()])
    return Adjacency.of(graph, weight, np.zeros(graph.arc_count, dtype=np.int32))


def told(adjacency: Adjacency) -> Model:
    """The arcs that may be taken, each once."""
    graph, weight = adjacency.compact()
    found = list(zip(graph.tail().tolist(), graph.head.tolist(), strict=True))
    assert len(set(found)) == len(found)
    return dict(zip(found, weight.tolist(), strict=True))


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_every_version_stays_what_it_was(
    seed: int, compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not compiled:
        monkeypatch.setattr(live, "ready", lambda kernel: False)
    rng = random.Random(seed)
    n = 8
    model: Model = {(rng.randrange(n), rng.randrange(n)): rng.randint(1, 9) for _ in range(20)}
    adjacency = adjacency_of(n, model)
    versions = [(adjacency, dict(model))]
    for _ in range(24):
        # Versions are made of any version before, by the newest and by others.
        adjacency, before = rng.choice(versions[-3:])
        model, n = dict(before), adjacency.row_count + rng.choice((0, 0, 1))
        pairs = {(rng.randrange(n), rng.randrange(n)) for _ in range(rng.choice((1, 5, 60)))}
        ends = np.array(sorted(pairs), dtype=np.int32)
        weights = np.array([rng.choice((1, 5, BLOCKED)) for _ in pairs], dtype=np.int32)
        none = np.zeros(len(ends), dtype=np.int32)
        adjacency = adjacency.edited(n, ends[:, 0], ends[:, 1], none, weights)
        model.update(zip(map(tuple, ends.tolist()), weights.tolist(), strict=True))
        versions.append((adjacency, dict(model)))
    for version, then in versions:
        assert told(version) == {arc: units for arc, units in then.items() if units != BLOCKED}


@pytest.mark.parametrize("seed", range(4))
def test_masks_are_those_of_the_arcs_that_are_left(seed: int) -> None:
    """One head has more arcs than a mask has bits: all of them are kept."""
    rng = random.Random(seed)
    n = MASK_BITS + 8
    model: Model = {(1, other): rng.randint(1, 9) for other in range(n) if other != 1}
    model |= {(rng.randrange(n), rng.randrange(n)): rng.randint(1, 9) for _ in range(4 * n)}
    model |= {(0, 1): 3, (2, 1): 1}
    adjacency = adjacency_of(n, model)
    adjacency.mask(np.arange(n, dtype=np.int32))
    graph, weight = weighted(n, [(a, b, units) for (a, b), units in model.items()])
    expected = build_search_arcs(graph.first_out, graph.head, weight).masks
    assert adjacency.masks.tolist() == expected.tolist()
    assert expected[graph.head == 1].tolist() == [ALL] * int((graph.head == 1).sum())

    blocked = rng.sample(sorted(model), n)
    ends = np.array(blocked, dtype=np.int32)
    none = np.zeros(len(ends), dtype=np.int32)
    fewer = adjacency.edited(n, ends[:, 0], ends[:, 1], none, np.full_like(none, BLOCKED))
    fewer.mask(np.arange(n, dtype=np.int32))
    left, cost = fewer.compact()
    for arc, (tail, head) in enumerate(zip(graph.tail(), graph.head, strict=True)):
        if fewer.weight[arc] == BLOCKED or _degree(graph, int(head)) > MASK_BITS:
            assert fewer.masks[arc] == ALL
            continue
        direct = _cheapest_onward(left, cost, int(tail))
        for slot in range(_degree(graph, int(head))):
            onward = int(graph.first_out[head]) + slot
            if fewer.weight[onward] != BLOCKED:
                both = int(fewer.weight[arc] + fewer.weight[onward])
                one, two = direct[int(graph.head[onward])]
                kept = one > both and two >= both
                assert bool(int(fewer.masks[arc]) >> slot & 1) == kept


def _degree(graph: Graph, node: int) -> int:
    return int(graph.first_out[node + 1] - graph.first_out[node])


def _cheapest_onward(graph: Graph, weight: np.ndarray, tail: int) -> dict[int, tuple[int, int]]:
    """Cheapest way in one arc and in two from a node, by where it leads."""
    far = 2**31 - 1
    one: dict[int, int] = {tail: 0}
    two: dict[int, int] = {}
    for arc in range(graph.first_out[tail], graph.first_out[tail + 1]):
        middle, units = int(graph.head[arc]), int(weight[arc])
        one[middle] = min(units, one.get(middle, far))
        for onward in range(graph.first_out[middle], graph.first_out[middle + 1]):
            head, both = int(graph.head[onward]), units + int(weight[onward])
            two[head] = min(both, two.get(head, far))
    return {node: (one.get(node, far), two.get(node, far)) for node in range(graph.node_count)}
