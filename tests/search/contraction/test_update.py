"""Weights after an edit are those of a graph that was customized with it."""

import random
from typing import Any

import numpy as np
import pytest

from bake.core.graph import INFINITY
from bake.search.contraction import update
from bake.search.contraction.metric import Prices, Weights, customize
from bake.search.contraction.tree import Tree
from bake.search.contraction.update import lower_arcs, reprice
from tests.support.contraction import graph_of, priced
from tests.support.strategies import FAMILIES, ArcList, seeded


def edits(arcs: ArcList, rng: random.Random, *, two_way: bool) -> dict[tuple[int, int], int]:
    """New weights for a few arcs there are; some are closed."""
    joined = sorted({(tail, head) for tail, head, _ in arcs[1]})
    chosen = rng.sample(joined, min(len(joined), rng.randint(1, 4)))
    found = {}
    for tail, head in chosen:
        ticks = rng.choice((1, rng.randint(1, 200), rng.randint(1, 2**21), INFINITY))
        found[tail, head] = ticks
        if two_way:
            found[head, tail] = ticks
    return found


def check(arcs: ArcList, seed: int, *, two_way: bool) -> None:
    rng = random.Random(seed)
    tree, prices = priced(arcs, two_way=two_way)
    weights, lower = customize(tree, prices), lower_arcs(tree)
    for _ in range(12):
        new = edits(arcs, rng, two_way=two_way)
        tail, head = np.array(list(new), dtype=np.int32).reshape(-1, 2).T.copy()
        ticks = np.array(list(new.values()), dtype=np.int32)
        before = weights.up.copy(), weights.down.copy()
        changed = reprice(tree, lower, prices, weights, tail, head, ticks, two_way)
        differ = (before[0] != weights.up) | (before[1] != weights.down)
        assert changed == np.count_nonzero(differ)
        anew = customize(tree, prices)
        assert (weights.up == anew.up).all()
        assert (weights.down == anew.down).all()
        check_corners(tree, prices, weights)
        assert not lower.slot.any()


def check_corners(tree: Tree, prices: Prices, weights: Weights) -> None:
    """Each arc costs what the way through the lower rank that it names costs."""
    of = {}
    for low in range(len(tree.order)):
        for arc in range(tree.first_up[low], tree.first_up[low + 1]):
            of[low, int(tree.up[arc])] = arc
    up, down = weights.up, weights.down
    for (low, high), arc in of.items():
        corner = int(weights.via_up[arc])
        through = int(down[of[corner, low]]) + int(up[of[corner, high]]) if corner >= 0 else None
        assert up[arc] == (prices.up[arc] if through is None else through)
        corner = int(weights.via_down[arc])
        through = int(down[of[corner, high]]) + int(up[of[corner, low]]) if corner >= 0 else None
        assert down[arc] == (prices.down[arc] if through is None else through)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
@pytest.mark.parametrize("seed", range(4))
def test_one_way(family, seed: int) -> None:
    check(seeded(family, seed, 40), seed, two_way=False)


@pytest.mark.parametrize("seed", range(4))
def test_two_way(seed: int) -> None:
    n, each = seeded(FAMILIES[2], seed, 40)
    check((n, each), seed, two_way=True)


@pytest.mark.parametrize("two_way", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_any_room_for_touched_arcs(
    monkeypatch: pytest.MonkeyPatch, seed: int, two_way: bool
) -> None:
    """With too little room an edit says so, wherever it notices; otherwise room changes nothing."""
    arcs = seeded(FAMILIES[2 if two_way else seed % len(FAMILIES)], seed, 40)
    rng = random.Random(seed)
    tree, prices = priced(arcs, two_way=two_way)
    weights, roomy = customize(tree, prices), lower_arcs(tree)
    refused = 0
    for _ in range(6):
        new = edits(arcs, rng, two_way=two_way)
        tail, head = np.array(list(new), dtype=np.int32).reshape(-1, 2).T.copy()
        ticks = np.array(list(new.values()), dtype=np.int32)
        before, were = copied(prices), copied(weights)
        changed = reprice(tree, roomy, prices, weights, tail, head, ticks, two_way)
        needed = int(roomy.counts[update.COUNT])
        for room in range(1, needed + 2):
            monkeypatch.setattr(update, "MOST_TOUCHED", room)
            lower, some_prices, some = lower_arcs(tree), copied(before), copied(were)
            told = reprice(tree, lower, some_prices, some, tail, head, ticks, two_way)
            assert told == (changed if room >= needed else -1), room
            assert all((a == b).all() for a, b in zip(some_prices, prices, strict=True)), room
            assert not lower.slot.any(), room
            if told >= 0:
                assert all((a == b).all() for a, b in zip(some, weights, strict=True)), room
            refused += told < 0
    assert refused


def copied(arrays: Any) -> Any:
    """A copy of each array; what is one array stays one array."""
    copies = {id(array): array.copy() for array in arrays}
    return type(arrays)(*(copies[id(array)] for array in arrays))


def test_graphs_keep_their_shape() -> None:
    """Else the test above would compare two different trees."""
    arcs = seeded(FAMILIES[1], 1, 30)
    changed = (arcs[0], [(a, b, 1) for a, b, _ in arcs[1]])
    assert (priced(arcs, two_way=False)[0].up == priced(changed, two_way=False)[0].up).all()
    assert graph_of(arcs)[0].arc_count == graph_of(changed)[0].arc_count
