"""Distances by climbing from the goal and down to the asker."""

import random

import numpy as np
import pytest
from hypothesis import given

from bake.core.graph import INFINITY
from bake.search.contraction import query
from bake.search.contraction.query import (
    GOAL,
    allocate_chains,
    build_query_tree,
    clear_chains,
    distances,
)
from tests.support.contraction import contracted
from tests.support.oracles import arcs_of, distances_from
from tests.support.strategies import FAMILIES, ArcList, arc_lists, seeded


def check(arcs: ArcList, *, two_way: bool) -> None:
    n, each = arcs
    tree, weights = contracted(arcs, two_way=two_way)
    asked = build_query_tree(tree, weights)
    known = arcs_of(range(n), each)
    away = {start: distances_from(known, start) for start in range(n)}
    pairs = [(start, goal) for start in range(n) for goal in range(n)]
    # In any order, a few goals by turns, so that a chain is extended, cut back and given away.
    random.Random(n).shuffle(pairs)
    wanted = [away[start].get(goal, INFINITY) for start, goal in pairs]
    ends = tree.rank[np.array(pairs, dtype=np.int32).reshape(-1, 2)].astype(np.int32)
    for room in (1, 48 * n):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(query, "ROOM", room)
            chains = allocate_chains(asked)
        ticks = np.empty(len(pairs), dtype=np.int64)
        for i in range(len(pairs)):
            one = slice(i, i + 1)
            distances(*asked, *chains, ends[one, 0].copy(), ends[one, 1].copy(), ticks[one])
        assert ticks.tolist() == wanted
        clear_chains(chains)
        assert (chains.chain_of[:-1] == -1).all()
        assert (chains.state[:, GOAL] == -1).all()
        ticks[:] = -1
        distances(*asked, *chains, ends[:, 0].copy(), ends[:, 1].copy(), ticks)
        assert ticks.tolist() == wanted


@given(arc_lists(largest=12, heaviest=2**24))
def test_any_graph(arcs: ArcList) -> None:
    check(arcs, two_way=False)


@given(arc_lists(largest=12))
def test_any_two_way_graph(arcs: ArcList) -> None:
    n, each = arcs
    check((n, [arc for a, b, w in each for arc in ((a, b, w), (b, a, w))]), two_way=True)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
@pytest.mark.parametrize("seed", range(2))
def test_families(family, seed: int) -> None:
    check(seeded(family, seed, 40), two_way=False)


def test_the_goal_that_got_its_chain_first_loses_it_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(query, "CHAINS", 2)
    asked = build_query_tree(*contracted((4, [(a, a + 1, 1) for a in range(3)])))
    chains = allocate_chains(asked)
    for goal, of in ((3, {3}), (2, {2, 3}), (3, {2, 3}), (1, {1, 2}), (0, {0, 1})):
        ends = np.array([[0], [goal]], dtype=np.int32)
        distances(*asked, *chains, *ends, np.empty(1, dtype=np.int64))
        assert set(np.flatnonzero(chains.chain_of[:-1] >= 0)) == of
        assert set(chains.state[:, GOAL].tolist()) - {-1} == of
