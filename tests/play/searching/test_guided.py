"""How well searches are guided: on open floor nothing beside the path is looked at."""

import random
from pathlib import Path

import pytest

from bake.play import open_asset
from tests.support.baked import bake, recipe_for, write_grid
from tests.support.stored import stored_asset


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


@pytest.mark.parametrize("source", ["keep.png", "marsh.png", "caves.png"])
def test_distances_between_clusters_guide_better_than_the_norm(source: str) -> None:
    """They are not consistent, yet few places are expanded again: no more than the norm expands."""
    with open_asset(stored_asset(source)) as level:
        nav = level.profile(level.profiles[-1])
        places = nav.places()
        rng = random.Random(7)
        norm = by_clusters = at_most = 0
        for _ in range(60):
            start, goal = rng.sample(places, 2)
            best = nav.search(start, goal, "astar", "octile")
            found = nav.search(start, goal, "astar", "cluster")
            assert (found.cost, found.bound) == (best.cost, 1)
            norm += best.expanded
            by_clusters += found.expanded
            at_most = max(at_most, found.expanded)
        assert by_clusters < norm
        assert at_most < 2 * len(places)
