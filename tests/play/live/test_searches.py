"""Searches on changed levels, laid out from those on the baked one, beside all arcs as they are."""

import random
from pathlib import Path

import numpy as np
import pytest

from bake.play import LevelAsset, Navigator, open_asset
from bake.play.live.searches import ChangedContext
from bake.play.searching.context import Ends, SearchContext
from bake.play.searching.heuristics import HEURISTICS, heuristic_for
from bake.search import Status
from bake.search.point import space as laid_out
from bake.search.point.space import SearchSpace
from levelbake.errors import QueryError
from tests.support.baked import bake, bake_grid, recipe_for, rows, write_graph
from tests.support.live_model import GridModel, grid_model
from tests.support.strategies import FAMILIES, random_grid, seeded

NORMS = [name for name in HEURISTICS if name not in ("cluster", "landmark", "maximum")]


class Plain(ChangedContext):
    """Norms fitted to every arc."""

    def deciding_arcs(self, name: str) -> Ends:
        return self.arcs


class PlainAsBaked(SearchContext):
    def deciding_arcs(self, name: str) -> Ends:
        return self.arcs


def norms(context: SearchContext) -> dict[str, object]:
    found: dict[str, object] = {}
    for name in NORMS:
        try:
            one = heuristic_for(context, name, 0)
        except QueryError as error:
            found[name] = error.found
        else:
            scale = one.straight, one.extra, one.shift, one.scale
            found[name] = one.kind, *scale, one.admissible, one.consistent, one.at.tolist()
    found["best"] = heuristic_for(context, None, 0).name
    return found


def check(nav: Navigator) -> None:
    """Every row's arcs are those that there are, and norms fit them as they fit all of them."""
    now = nav._now
    context, tables = now.searches, now.version
    if not tables.row_count:
        return
    space, graph = context.space, tables.usable.graph
    piece, arcs = space.packed.piece.tolist(), space.packed.arcs
    assert space.row_count == graph.node_count
    for row, (begin, end) in enumerate(piece):
        there = slice(graph.first_out[row], graph.first_out[row + 1])
        wanted = zip(graph.head[there].tolist(), tables.usable.weight[there].tolist(), strict=True)
        assert sorted(map(tuple, arcs[begin:end].tolist())) == sorted(wanted)
        assert space.arcs_of(row) == list(map(tuple, arcs[begin:end].tolist()))
        assert end - begin <= space.degree
        assert all(space.lightest <= ticks <= space.heaviest for _, ticks in arcs[begin:end])
    plain: SearchContext
    if isinstance(context, ChangedContext):
        plain = Plain(context._changed, None, context._baked)
    else:
        plain = PlainAsBaked(now.engine, context.columns, context._searched)
    assert norms(context) == norms(plain)


def costs(nav: Navigator) -> list[tuple[float, int]]:
    places, rng = sorted(nav.places()), random.Random(3)
    ends = [rng.sample(places, 2) for _ in range(8 if len(places) > 1 else 0)]
    found = [nav.search(*each) for each in ends]
    return [(each.cost, each.expanded) for each in found]


@pytest.mark.parametrize("seed", range(9))
def test_arcs_and_norms_follow_changes(tmp_path: Path, seed: int) -> None:
    """After changes as after others that lead to the same, and undone as never made."""
    layout = {1: "odd-r", 4: "even-q"}.get(seed)
    model = grid_model(seed, layout)
    asset = model.baked(tmp_path, tables=("components",))
    with open_asset(asset) as level:
        follow(level, model, tmp_path, asset)


def follow(level: LevelAsset, model: GridModel, folder: Path, asset: Path) -> None:
    rng = random.Random(repr(model.grid))
    navs = [level.profile(name) for name in level.profiles]
    for nav in navs:
        check(nav)
    before = [(norms(nav._now.searches), costs(nav)) for nav in navs if nav.places()]
    level.save_patch(folder / "nothing.patch")
    for _ in range(12):
        level.update(**model.change(rng, rng.choice([1, 1, 3, 8])))
        for nav in navs:
            check(nav)
    level.save_patch(folder / "all.patch")
    with open_asset(asset) as other:
        other.apply_patch(folder / "all.patch")
        for nav in navs:
            same = other.profile(nav.name)
            ours, theirs = (norms(each._now.searches) for each in (nav, same))
            assert {n: v[:-1] for n, v in ours.items()} == {n: v[:-1] for n, v in theirs.items()}
            assert [cost for cost, _ in costs(nav)] == [cost for cost, _ in costs(same)]
    level.apply_patch(folder / "nothing.patch")
    after = [(norms(nav._now.searches), costs(nav)) for nav in navs if nav.places()]
    for (norm, cost), (norm_then, cost_then) in zip(after, before, strict=True):
        assert {n: v[:-1] for n, v in norm.items()} == {n: v[:-1] for n, v in norm_then.items()}
        assert cost == cost_then


@pytest.mark.parametrize("family", FAMILIES)
def test_graphs_with_positions(tmp_path: Path, family: object) -> None:
    n, arcs = seeded(family, 4, 30)
    rng = random.Random(n)
    where = {node: (rng.uniform(-9, 9), rng.uniform(0, 5)) for node in range(n)}
    edges = [(a, b, ticks / 27720) for a, b, ticks in arcs]
    source = write_graph(tmp_path / "g.json", list(range(n)), edges, positions=where)
    with open_asset(bake(source, recipe_for(tables=("components",)))) as level:
        nav = level.profile()
        check(nav)
        for _ in range(10):
            ways = {(a, b): rng.choice([0.25, 3, 900, None]) for a, b, _ in rng.sample(edges, 3)}
            nav.update(arcs=ways)
            check(nav)
            nav.update(blocked=[rng.randrange(n)])
            check(nav)
            nav.update(opened=[rng.randrange(n)])
            check(nav)


def test_more_changes_than_the_pool_has_room_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search under way goes on over arcs that lie where no other version writes."""
    monkeypatch.setattr(laid_out, "ENTRIES", 16)
    asset = bake_grid(tmp_path, rows(*["." * 12] * 10), tables=("components",))
    with open_asset(asset) as level:
        nav = level.profile()
        nav.update(blocked=[(5, 5)])
        wanted = nav.search((0, 0), (11, 9))
        under_way = nav.search.begin((0, 0), (11, 9))
        under_way.run(steps=1)
        pools = set()
        for x in range(10):
            nav.update(blocked=[(x, 4)], opened=[(x - 1, 4)] if x else [])
            check(nav)
            pools.add(id(nav._now.searches.space.packed.arcs))
            under_way.run(steps=1)
        assert len(pools) > 1
        under_way.run()
        assert (under_way.path, under_way.cost) == (wanted.path, wanted.cost)


def test_a_search_does_not_list_the_level_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a change a queue lays out what differs alone; arcs and components are not listed."""
    asset = bake_grid(tmp_path, random_grid(3, 30, 30, 0.1), tables=("components",))
    with open_asset(asset) as level:
        nav = level.profile()
        queue = nav.search.requests()
        places = [each for each in nav.places() if nav.reachable((0, 0), each)]
        start, blocked, goal = places[0], places[len(places) // 2], places[-1]
        nav.update(blocked=[blocked])
        monkeypatch.setattr(SearchSpace, "__init__", None)
        request = queue.add(start, goal)
        queue.run(float("inf"))
        assert request.status is Status.FOUND
        assert "usable" not in vars(nav._now.version)
        assert "component_of_row" not in vars(nav._now.version)


def test_a_goal_walled_in_is_found_to_be(tmp_path: Path) -> None:
    """By a search, where nothing else knows, and at once where the hierarchy follows changes."""
    asset = bake_grid(tmp_path, rows(*["." * 9] * 9), connectivity=4, tables=("components",))
    around = [(4, 3), (3, 4), (5, 4), (4, 5)]
    with open_asset(asset) as level:
        nav = level.profile()
        nav.update(blocked=around)
        found = nav.search.begin((0, 0), (4, 4))
        assert found.run() is Status.NO_PATH
        assert found.expanded == 81 - 5
        assert nav.distance((0, 0), (4, 4)) == np.inf
        found = nav.search.begin((0, 0), (4, 4))
        assert found.status is Status.NO_PATH
        assert found.expanded == 0
