"""Next hops and paths on graphs that change are those of the rule, in whatever order they come."""

import random
from functools import partial

import numpy as np
import pytest

from bake.core.graph import BLOCKED, Graph
from bake.search.contraction import query
from bake.search.contraction.hierarchy import ContractionHierarchy
from bake.search.contraction.tree import both_ways
from bake.search.live import next_hops
from bake.search.live.baked_hops import BakedHops, baked_hop, no_hops
from bake.search.live.descent import Lanes, follow_down, steps_down
from bake.search.live.graph import Adjacency
from bake.search.live.next_hops import NextHops, in_pieces
from tests.support.rule import NOWHERE, Rule
from tests.support.strategies import FAMILIES, seeded

Prices = dict[tuple[int, int, int], int]


def hops_table(n: int, baked: dict[tuple[int, int], int]) -> BakedHops:
    """Baked hops with a run for each target."""
    row_data = np.zeros((n + 1, 4), dtype=np.int32)
    row_data[:, 0] = np.arange(n + 1) * n  # In the column of components there is one.
    ahead = [baked.get((row, goal), 2**32 - 2) for row in range(n) for goal in range(n)]
    run = (np.tile(np.arange(n), n) << 32) | np.array(ahead, dtype=np.int64)
    nothing = np.empty((0, 0), dtype=np.int32)
    return BakedHops(row_data, run, nothing, np.empty((0, 0), dtype=np.uint8))


def rule_of(n: int, prices: Prices, baked: dict[tuple[int, int], int]) -> Rule:
    arcs: dict[int, list[tuple[int, int]]] = {row: [] for row in range(n)}
    for (tail, head, _), ticks in sorted(prices.items(), key=lambda arc: arc[0][2]):
        if ticks < BLOCKED:
            arcs[tail].append((head, ticks))
    return Rule(arcs, lambda start, goal: baked.get((start, goal), NOWHERE))


def laid_out(n: int, prices: Prices) -> Adjacency:
    each = sorted(prices, key=lambda arc: (arc[0], arc[2]))
    tail, head, label = np.array(each, dtype=np.int32).reshape(-1, 3).T
    graph, order = Graph.from_arcs(n, tail, head)
    weight = np.array([prices[arc] for arc in each], dtype=np.int32)
    return Adjacency.of(graph, weight[order], label[order])


class Changing:
    """A graph, what was baked of it, and who follows it."""

    def __init__(self, family, seed: int, *, labels_from: int) -> None:
        self.rng = random.Random(seed)
        self.n, arcs = seeded(family, seed, 24)
        # Weights of few kinds, so that there are many ties, and parallel arcs.
        self.prices: Prices = {
            (a, b, labels_from + place): self.rng.choice([1, 1, 2, 3])
            for place, (a, b, _) in enumerate(arcs)
            if a != b
        }
        rule = rule_of(self.n, self.prices, {})
        self.baked = {
            (start, goal): self.rng.choice(hops)
            for start in range(self.n)
            for goal in range(self.n)
            if (hops := rule.hops(start, goal)) and self.rng.random() < 0.9
        }
        self.table = hops_table(self.n, self.baked)
        self.out = laid_out(self.n, self.prices)
        graph, weight = self.out.compact()
        hierarchy = ContractionHierarchy.of(both_ways(graph), None, graph, weight)
        assert hierarchy is not None
        self.hops = NextHops(hierarchy, self.out, self.table)

    @property
    def rule(self) -> Rule:
        return rule_of(self.n, self.prices, self.baked)

    def change(self) -> None:
        some = self.rng.sample(sorted(self.prices), min(3, len(self.prices)))
        joined = sorted({arc[:2] for arc in self.prices})
        changed = {arc: self.rng.choice([1, 2, 4, int(BLOCKED)]) for arc in some}
        # An arc that was not there before, between two that another one joins either way.
        a, b = self.rng.choice(joined)[:: self.rng.choice((1, -1))]
        changed[a, b, self.rng.choice((-3, 10**6 + b))] = self.rng.choice([1, 2])
        self.prices |= changed
        tail, head, label = np.array(list(changed), dtype=np.int32).T.copy()
        weight = np.array(list(changed.values()), dtype=np.int32)
        assert self.hops.reprice(self.n, tail, head, label, weight)

    def ask(self, rule: Rule) -> None:
        """Ask in one of many ways, where what is known from before may be of use."""
        rng, hops = self.rng, self.hops
        start, goal = rng.randrange(self.n), rng.choice(self.goals)
        how = rng.randrange(5)
        if how == 0:
            assert hops.next_row(start, goal) == rule.hop(start, goal)
        elif how == 1:
            for row, ahead in zip(rule.path(start, goal), rule.path(start, goal)[1:], strict=False):
                assert hops.next_row(row, goal) == ahead
        elif how == 2:
            assert hops.path(start, goal).tolist() == rule.path(start, goal)
            ticks = rule.ticks_to(goal).get(start)
            told = hops.hierarchy.distance(start, goal)
            assert told == (query.INFINITY if ticks is None else ticks)
        else:
            pairs = [(rng.randrange(self.n), rng.choice(self.goals)) for _ in range(6)]
            rows, goals = np.array(pairs, dtype=np.int32).T.copy()
            if how == 3:
                wanted = [rule.hop(*pair) for pair in pairs]
                assert hops.next_rows(rows, goals).tolist() == wanted
            else:
                check_paths(rule, pairs, *hops.paths(rows, goals))

    @property
    def goals(self) -> list[int]:
        return [goal * 5 % self.n for goal in range(4)]


def check_paths(rule: Rule, pairs, first, path) -> None:
    for at, pair in enumerate(pairs):
        assert path[first[at] : first[at + 1]].tolist() == rule.path(*pair)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
@pytest.mark.parametrize("chains", [1, 3, 512])
@pytest.mark.parametrize("farthest", [1, 1000])
def test_asked_in_any_way(
    family, chains: int, farthest: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(query, "CHAINS", chains)
    monkeypatch.setattr(next_hops, "PATHS_ROOM", 8)
    for seed in range(2):
        changing = Changing(family, seed, labels_from=-8 if seed else 0)
        changing.hops._farthest = farthest
        changing.hops._lay_out()
        for _ in range(5):
            rule = changing.rule
            for _ in range(40):
                changing.ask(rule)
            changing.change()


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
def test_fields_say_the_same(family, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(next_hops, "PATHS_ROOM", 8)
    changing = Changing(family, 3, labels_from=0)
    for _ in range(3):
        changing.change()
        rule, out = changing.rule, changing.hops._out.arcs
        dist = changing.hops.hierarchy.fields(np.array(changing.goals, dtype=np.int32))
        lanes = Lanes(dist, changing.hops.hierarchy.rank)
        lane_of = {goal: lane for lane, goal in enumerate(changing.goals)}
        pairs = [(row, goal) for row in range(changing.n) for goal in set(changing.goals)]
        rows, goals = np.array(pairs, dtype=np.int32).T.copy()
        lane = np.array([lane_of[goal] for goal in goals.tolist()], dtype=np.int32)
        ahead = np.empty_like(rows)
        steps_down(out, changing.table, lanes, rows, goals, lane, ahead)
        assert ahead.tolist() == [rule.hop(*pair) for pair in pairs]
        write = partial(follow_down, out, changing.table, lanes)
        check_paths(rule, pairs, *in_pieces(write, rows, goals, lane))


def test_a_pair_that_only_a_shortcut_joined() -> None:
    """The hierarchy takes such an arc in, and lists of neighbours have to as well."""
    ring = [(a, (a + 1) % 6) for a in range(6)]
    prices: Prices = {(a, b, 0): 2 for pair in ring for a, b in (pair, pair[::-1])}
    graph, weight = laid_out(6, prices).compact()
    hierarchy = ContractionHierarchy.of(both_ways(graph), None, graph, weight)
    assert hierarchy is not None
    apart = [(a, b) for a in range(6) for b in range(6) if a != b and (a, b, 0) not in prices]
    for a, b in apart:
        hops = NextHops(hierarchy, laid_out(6, prices), no_hops())
        arc = (np.array([each], dtype=np.int32) for each in (a, b, 1, 1))
        if hops.reprice(6, *arc):
            assert hops.next_row(a, b) == b
            assert hops.paths(*np.array([[a], [b]], dtype=np.int32))[1].tolist() == [a, b]
            return
    raise AssertionError("no pair was joined by a shortcut")


@pytest.mark.parametrize("family", FAMILIES[:3], ids=lambda family: family.__name__)
def test_warming_up_changes_nothing(family) -> None:
    changing = Changing(family, 3, labels_from=0)
    changing.change()
    rule = changing.rule
    changing.hops.warm_up()
    for start in range(changing.n):
        for goal in changing.goals:
            assert changing.hops.next_row(start, goal) == rule.hop(start, goal)
            assert changing.hops.path(start, goal).tolist() == rule.path(start, goal)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
def test_who_asks_again_is_told_the_same_without_a_search(
    family, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until something changes, or another row is asked about on the way to the same goal."""
    changing = Changing(family, 3, labels_from=0)
    asked = []
    search = next_hops.next_rows
    monkeypatch.setattr(next_hops, "next_rows", lambda *args: (asked.append(1), search(*args)))
    for _ in range(3):
        changing.change()
        rule = changing.rule
        for goal in range(changing.n):
            for row in range(changing.n):
                told = changing.hops.next_row(row, goal)
                asked.clear()
                assert changing.hops.next_row(row, goal) == told == rule.hop(row, goal)
                assert not asked


def test_what_the_hierarchy_does_not_know() -> None:
    changing = Changing(FAMILIES[0], 1, labels_from=0)
    one = np.zeros(1, dtype=np.int32)
    assert not changing.hops.reprice(changing.n + 1, one, one + changing.n, one, one + 1)
    # A row that no arc leads to is new as well.
    assert not changing.hops.reprice(changing.n + 1, *[one[:0]] * 4)
    assert changing.hops.reprice(changing.n, *[one[:0]] * 4)


def test_baked_hops_that_mean_nothing() -> None:
    """Of rows that are new, of the row itself, and where components tell that there is no path."""
    table = hops_table(3, {(a, b): b for a in range(3) for b in range(3)})
    assert baked_hop(table, 0, 2) == 2
    assert [baked_hop(table, *pair) for pair in ((0, 3), (3, 0), (1, 1))] == [-1] * 3
    apart = hops_table(3, {(a, b): b for a in range(3) for b in range(3)})
    apart.row_data[:, 1] = 0, 0, 1, 0
    assert [baked_hop(apart, *pair) for pair in ((0, 1), (0, 2), (2, 1))] == [1, -1, -1]
    reach = np.array([[0b11000000], [0b01000000]], dtype=np.uint8)
    one_way = apart._replace(reach=reach)
    assert [baked_hop(one_way, *pair) for pair in ((0, 1), (0, 2), (2, 1))] == [1, 2, -1]
    assert baked_hop(no_hops(), 0, 1) == -1
