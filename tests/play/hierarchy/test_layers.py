"""Plans over any number of layers: those that a search of the first one alone finds."""

import random
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from bake.play import open_asset
from bake.play.hierarchy.layers import HierarchyTables
from bake.play.hierarchy.paths import HierarchyPaths
from bake.play.navigator import Navigator
from bake.project.recipe import LevelRecipe
from tests.support.baked import bake, recipe_for, write_grid
from tests.support.levels import shared_level

pytestmark = pytest.mark.note(123, "a search of the first layer alone")

HIERARCHY = ("components", "hierarchy")


def grid(seed: int) -> list[list[str]]:
    terrains = ["floor", "floor", "floor", "mud", "wall", "ledge", "road"]
    rng = random.Random(seed)
    return [[rng.choice(terrains) for _ in range(17)] for _ in range(15)]


def first_alone(nav: Navigator) -> HierarchyPaths:
    """The same hierarchy without the layers above the first."""
    tables = HierarchyTables(nav._current.baked[nav.name].columns)
    tables.layers = tables.layers[:1]
    return HierarchyPaths(tables)


def check_pairs(nav: Navigator, pairs: list[tuple[int, int]]) -> int:
    """Plans of equal cost that lead along arcs of the first layer; returns how many had a way."""
    by_layers, by_first = nav._now.searches.hierarchy, first_alone(nav)
    first = by_layers.tables.layers[0]
    tails = np.repeat(np.arange(len(first.row)), np.diff(first.first_out))
    joined = set(zip(tails.tolist(), first.arcs[:, 0].tolist(), strict=True))
    usable = nav._now.version.usable
    ends = zip(usable.graph.tail().tolist(), usable.graph.head.tolist(), strict=True)
    ticks = dict(zip(ends, usable.weight.tolist(), strict=True))
    ways = 0
    for start, goal in pairs:
        told, plain = by_layers.find(start, goal), by_first.find(start, goal)
        assert told.ticks == plain.ticks
        assert told.expanded.max(initial=0) < len(first.row)
        plan = told.plan.tolist()
        assert all(step in joined for step in pairwise(plan))
        if told.ticks >= 0:
            rows = by_layers.rows(told)
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
        assert nav._now.searches.hierarchy.tables.stack.layers == 2
        rows = range(nav._now.version.row_count)
        assert check_pairs(nav, [(a, b) for a in rows for b in rows]) == len(rows) ** 2


@pytest.mark.parametrize("levels", [1, 2, 3])
def test_plans_cost_what_a_search_of_the_first_layer_finds(levels: int, tmp_path: Path) -> None:
    """With one-way ledges, so that ways up and ways back differ."""
    drawn = write_grid(tmp_path / "any.json", grid(levels))
    recipe = recipe_for(tables=HIERARCHY, cluster_size=3, levels=levels, cost_rule="entered")
    with open_asset(bake(drawn, recipe)) as level:
        nav = level.profile()
        tables = nav._now.searches.hierarchy.tables
        assert len(tables.layers) == levels
        assert not tables.two_way
        rows = range(nav._now.version.row_count)
        assert check_pairs(nav, [(a, b) for a in rows for b in rows if (a + b) % 3 == 0]) > 1000


def test_plans_without_ways_inside_clusters(tmp_path: Path) -> None:
    drawn = write_grid(tmp_path / "any.json", grid(3))
    recipe = recipe_for(tables=HIERARCHY, cluster_size=3, levels=3, keep_paths=False)
    with open_asset(bake(drawn, recipe)) as level:
        nav = level.profile()
        rows = range(0, nav._now.version.row_count, 3)
        assert check_pairs(nav, [(a, b) for a in rows for b in rows]) > 100


def test_plans_after_a_change_are_over_the_first_layer(tmp_path: Path) -> None:
    drawn = write_grid(tmp_path / "any.json", [["floor"] * 12] * 9)
    recipe = recipe_for(tables=HIERARCHY, cluster_size=3, levels=3)
    with open_asset(bake(drawn, recipe)) as level:
        nav = level.profile()
        nav.update(blocked=[(5, 4)])
        tables = nav._now.searches.hierarchy.tables
        assert tables.stack.layers == len(tables.layers) == 1
        assert nav.path((0, 4), (11, 4), "hpa") is not None
        nav.update(opened=[(5, 4)])
        assert len(nav.path((0, 4), (11, 4), "hpa") or ()) == 12


@pytest.mark.parametrize("levels", [2, 3])
def test_on_a_map_of_a_game(levels: int, tmp_path: Path) -> None:
    source = tmp_path / "lak303d.map"
    source.write_bytes(shared_level("movingai/lak303d.map").read_bytes())
    with open_asset(bake(source, LevelRecipe(tables=HIERARCHY, levels=levels))) as level:
        nav = level.profile()
        assert len(nav._now.searches.hierarchy.tables.layers) == levels
        rng = random.Random(1)
        rows = nav._now.version.row_count
        pairs = [(rng.randrange(rows), rng.randrange(rows)) for _ in range(300)]
        assert check_pairs(nav, pairs) == len(pairs)
