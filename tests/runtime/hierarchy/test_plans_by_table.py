"""Plans of a hierarchy from the table on its last layer: those a search of the first one finds."""

import random
from itertools import pairwise
from pathlib import Path

import networkx
import numpy as np
import pytest

from bake.recipe import LevelRecipe
from bake.runtime import open_asset
from bake.runtime.hierarchy.layers import HierarchyTables
from bake.runtime.hierarchy.paths import HierarchyPaths
from bake.runtime.navigator import Navigator
from tests.support.baked import bake, recipe_for, write_grid
from tests.support.levels import shared_level

HIERARCHY = ("components", "hierarchy")


@pytest.fixture(autouse=True)
def by_table_however_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bake.search.hierarchy.ascent.LEAST_NODES", 0)


def grid(seed: int) -> list[list[str]]:
    terrains = ["floor", "floor", "floor", "mud", "wall", "ledge", "road"]
    rng = random.Random(seed)
    return [[rng.choice(terrains) for _ in range(17)] for _ in range(15)]


def searching(nav: Navigator) -> HierarchyPaths:
    """The same hierarchy without its table."""
    tables = HierarchyTables(nav._now.tables)
    none = np.zeros((0, 0), dtype=np.int32)
    tables.stack = tables.stack._replace(top_hop=none, top_distance=none)
    return HierarchyPaths(tables)


def check_pairs(nav: Navigator, pairs: list[tuple[int, int]]) -> int:
    """Plans of equal cost that lead along arcs of the first layer; returns how many had a way."""
    by_table, by_search = nav._now.searches.hierarchy, searching(nav)
    first = by_table.tables.layers[0]
    tails = np.repeat(np.arange(len(first.row)), np.diff(first.first_out))
    joined = set(zip(tails.tolist(), first.arcs[:, 0].tolist(), strict=True))
    usable = nav._now.tables.usable
    ends = zip(usable.graph.tail().tolist(), usable.graph.head.tolist(), strict=True)
    ticks = dict(zip(ends, usable.weight.tolist(), strict=True))
    ways = 0
    for start, goal in pairs:
        told, plain = by_table.find(start, goal), by_search.find(start, goal)
        assert told.ticks == plain.ticks
        plan = told.plan.tolist()
        assert all(step in joined for step in pairwise(plan))
        if told.ticks >= 0:
            rows = by_table.rows(told)
            assert (rows[0], rows[-1]) == (start, goal)
            assert sum(ticks[step] for step in pairwise(rows.tolist())) == plain.ticks
            ways += 1
    return ways


def test_plans_on_a_handful_of_cells(tmp_path: Path) -> None:
    """Small enough to be run uncompiled."""
    drawn = write_grid(tmp_path / "small.json", [["floor"] * 8] * 4)
    recipe = recipe_for(tables=HIERARCHY, cluster_size=2, levels=2, spacing=2)
    with open_asset(bake(drawn, recipe)) as level:
        nav = level.profile()
        assert len(nav._now.searches.hierarchy.tables.stack.top_distance) > 0
        rows = range(nav._now.tables.row_count)
        assert check_pairs(nav, [(a, b) for a in rows for b in rows]) == len(rows) ** 2


@pytest.mark.parametrize("levels", [1, 2, 3])
def test_plans_cost_what_a_search_finds(levels: int, tmp_path: Path) -> None:
    """With one-way ledges, so that ways up and ways back differ."""
    drawn = write_grid(tmp_path / "any.json", grid(levels))
    recipe = recipe_for(tables=HIERARCHY, cluster_size=3, levels=levels, cost_rule="entered")
    with open_asset(bake(drawn, recipe)) as level:
        nav = level.profile()
        tables = nav._now.searches.hierarchy.tables
        assert len(tables.layers) == levels
        assert len(tables.stack.top_distance) == len(tables.layers[-1].node)
        assert not tables.two_way
        rows = range(nav._now.tables.row_count)
        assert check_pairs(nav, [(a, b) for a in rows for b in rows if (a + b) % 3 == 0]) > 1000


def test_ascents_are_the_shortest_ways_inside_a_cluster_of_the_last_layer(tmp_path: Path) -> None:
    drawn = write_grid(tmp_path / "any.json", grid(7))
    recipe = recipe_for(tables=HIERARCHY, cluster_size=3, levels=3, cost_rule="entered")
    with open_asset(bake(drawn, recipe)) as level:
        tables = level.profile()._now.searches.hierarchy.tables
        stack, (first, *_, last) = tables.stack, tables.layers
        cluster = stack.last_cluster[first.cluster]
        graph = networkx.DiGraph()
        graph.add_nodes_from(range(len(first.row)))
        tails = np.repeat(np.arange(len(first.row)), np.diff(first.first_out))
        for tail, (head, ticks) in zip(tails.tolist(), first.arcs.tolist(), strict=True):
            if cluster[tail] == cluster[head]:
                graph.add_edge(tail, head, weight=ticks)
        best = dict(networkx.all_pairs_dijkstra_path_length(graph))
        lowest = {int(row): node for node, row in enumerate(first.row)}
        for node in range(len(first.row)):
            if cluster[node] < 0:
                assert stack.first_ascent[node] == stack.first_ascent[node + 1]
                continue
            begin, end = stack.first_top[cluster[node] : cluster[node] + 2].tolist()
            tops = [lowest[row] for row in last.row[begin:end].tolist()]
            span = slice(stack.first_ascent[node], stack.first_ascent[node + 1])
            none = 2**31 - 1
            assert stack.up[span, 0].tolist() == [best[node].get(top, none) for top in tops]
            assert stack.down[span, 0].tolist() == [best[top].get(node, none) for top in tops]


def test_without_fields_above_the_first_layer_it_is_searched(tmp_path: Path) -> None:
    drawn = write_grid(tmp_path / "any.json", grid(3))
    recipe = recipe_for(tables=HIERARCHY, cluster_size=3, levels=2, keep_paths=False)
    with open_asset(bake(drawn, recipe)) as level:
        nav = level.profile()
        assert len(nav._now.searches.hierarchy.tables.stack.top_distance) == 0
        rows = range(0, nav._now.tables.row_count, 3)
        assert check_pairs(nav, [(a, b) for a in rows for b in rows]) > 100


def test_on_a_map_of_a_game(tmp_path: Path) -> None:
    source = tmp_path / "lak303d.map"
    source.write_bytes(shared_level("movingai/lak303d.map").read_bytes())
    with open_asset(bake(source, LevelRecipe(tables=HIERARCHY))) as level:
        nav = level.profile()
        assert len(nav._now.searches.hierarchy.tables.layers) > 1
        rng = random.Random(1)
        rows = nav._now.tables.row_count
        pairs = [(rng.randrange(rows), rng.randrange(rows)) for _ in range(300)]
        assert check_pairs(nav, pairs) == len(pairs)
