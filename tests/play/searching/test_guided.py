"""How well searches are guided: on open floor nothing beside the path is looked at."""

import random
from pathlib import Path

import pytest

from bake.baking.level import bake_level
from bake.baking.sources import Task
from bake.play import open_asset
from bake.project.recipe import LevelRecipe
from bake.project.recipe.rules import LONE_CLUSTER_SIZE
from tests.support.baked import bake, recipe_for, write_grid
from tests.support.levels import shared_level

pytestmark = [
    pytest.mark.note(47, "on open floor the path alone is expanded"),
    pytest.mark.note(86, "on open floor the path alone is expanded"),
    pytest.mark.note(90, "places expanded by its rivals"),
]


@pytest.mark.parametrize(("layout", "norm"), [(None, "octile"), ("odd-r", "hex")])
def test_only_the_path_is_expanded(tmp_path: Path, layout: str | None, norm: str) -> None:
    """The norm is the distance here, so an estimate that is any lower expands more."""
    drawn = write_grid(tmp_path / "open.json", [["floor"] * 14] * 14, layout)
    asset = bake(drawn, recipe_for(tables=("components", "next_hops", "heuristic")))
    with open_asset(asset) as level:
        nav = level.profile()
        for start, goal in (((1, 2), (12, 5)), ((12, 2), (5, 13)), ((3, 13), (0, 1))):
            steps = len(nav.path(start, goal) or ())
            for method, heuristic in (
                ("astar", norm),
                ("astar", None),
                ("weighted", norm),
                ("greedy", norm),
            ):
                found = nav.search(start, goal, method, heuristic)
                assert (found.expanded, len(found.path or ())) == (steps, steps), (method, goal)
            unguided = nav.search(start, goal, "astar", "null")
            assert unguided.expanded > 3 * steps
            assert unguided.cost == nav.distance(start, goal)


@pytest.mark.parametrize(("size", "rival"), [(LONE_CLUSTER_SIZE, "octile"), (32, "null")])
def test_distances_between_clusters_guide(tmp_path: Path, size: int, rival: str) -> None:
    """They are not consistent, yet so few places are expanded again that the rival expands more."""
    recipe = LevelRecipe(tables=("components", "cluster_distances"), cluster_size=size)
    asset = tmp_path / "lak303d.h5"
    task = Task(shared_level("movingai/lak303d.map"), asset, recipe)
    bake_level(task, 1, lambda stage, done: None)
    with open_asset(asset) as level:
        nav = level.profile()
        places = nav.places()
        rng = random.Random(7)
        by_rival = by_clusters = 0
        for _ in range(60):
            start, goal = rng.sample(places, 2)
            best = nav.search(start, goal, "astar", rival)
            found = nav.search(start, goal, "astar", "cluster")
            assert (found.cost, found.bound) == (best.cost, 1)
            assert found.expanded < 2 * len(places)
            by_rival += best.expanded
            by_clusters += found.expanded
        assert by_clusters < by_rival
