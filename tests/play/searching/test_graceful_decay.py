"""Heuristics that say too much: how much longer paths become, against all distances."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from bake.play import open_asset
from levelbake.errors import QueryError
from tests.support.baked import bake, recipe_for, rows, write_grid

pytestmark = [
    pytest.mark.note(5, "all distances"),
    pytest.mark.note(41, "all pairs of places"),
    pytest.mark.note(120, "all distances"),
]


@pytest.mark.parametrize("seed", range(3))
def test_paths_are_longer_by_no_more_than_the_heuristic_says_too_much(
    tmp_path: Path, seed: int
) -> None:
    """N. Nilsson's graceful decay: with h <= distance + E everywhere, A* finds cost <= best + E."""
    recipe = recipe_for(connectivity=8, corner_cutting="always")
    rng = random.Random(seed)
    lines = ["".join(rng.choices(".#", (3, 1), k=18)) for _ in range(14)]
    drawn = write_grid(tmp_path / "drawn.json", rows(*lines))
    with open_asset(bake(drawn, recipe)) as level:
        nav = level.profile()
        places = nav.places()
        longer = 0
        for goal in rng.sample(places, 4):
            said, far = nav.search.estimate, nav.distance
            above = {
                start: said(start, goal, "manhattan") - far(start, goal)
                for start in places
                if nav.reachable(start, goal)
            }
            most = max(0.0, *above.values())
            units, start, count = nav.search.overestimate(goal, "manhattan")
            assert (units, count) == (pytest.approx(most), len(above))
            assert above[start] == pytest.approx(units)
            assert nav.search.overestimate(goal)[0] == nav.search.overestimate(goal, "null")[0] == 0
            for start in above:
                found = nav.search(start, goal, "astar", "manhattan", reopen=True)
                assert found.cost <= far(start, goal) + most + 1e-9
                longer += found.cost > far(start, goal)
        assert longer
        with pytest.raises(QueryError, match="'greedy' opens nothing again"):
            nav.search(start, goal, "greedy", reopen=True)
