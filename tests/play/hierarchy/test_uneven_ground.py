"""How much longer paths by HPA* are where ground costs differ: levels drawn by seeds."""

from pathlib import Path

import numpy as np
import pytest

from bake.play import open_asset
from bake.project.recipe import LevelRecipe
from tests.support.baked import bake
from tests.support.uneven import DRAWN, excess, random_pairs, write_costs

SIZE = 96


def baked(folder: Path, kind: str, seed: int, **more: object) -> Path:
    draw, cluster_size = DRAWN[kind]
    recipe = LevelRecipe(tables=("components", "hierarchy"), cluster_size=cluster_size, **more)
    return bake(write_costs(folder / "drawn.json", draw(seed, SIZE)), recipe)


@pytest.mark.parametrize("kind", DRAWN)
def test_paths_are_hardly_longer_than_the_shortest(kind: str, tmp_path: Path) -> None:
    """Less than 1 % on average and 10 % at most; transitions spread evenly miss both widely."""
    with open_asset(baked(tmp_path, kind, 7)) as level:
        nav = level.profile()
        more = excess(nav, *random_pairs(nav, 7, 12, 120))
    assert len(more) > 1000
    assert more.mean() < 0.01
    assert more.max() < 0.1


@pytest.mark.parametrize(
    ("kind", "most"),
    [
        *(("road 0.25", 0), ("bog 10", 0), ("mud 3, clusters of 8", 0)),
        # Short entrances have a transition in their middle, and two straight steps replace a
        # diagonal one between walls.
        *(("road 0.5, bog 3, walls", 0.01), ("specks of 3", 0.01)),
    ],
)
def test_paths_are_shortest_ones_with_every_transition(
    kind: str, most: float, tmp_path: Path
) -> None:
    with open_asset(baked(tmp_path, kind, 3, spacing=1)) as level:
        nav = level.profile()
        assert excess(nav, *random_pairs(nav, 3, 12, 60)).max() <= most


@pytest.mark.parametrize("kind", ["road 0.1, bog 10", "specks of 3, clusters of 8"])
def test_walks_lead_there_as_well(kind: str, tmp_path: Path) -> None:
    """Walks are smoothed piece by piece; their steps are checked, and how long they are."""
    with open_asset(baked(tmp_path, kind, 5)) as level:
        nav = level.profile()
        starts, goals, best = random_pairs(nav, 5, 8, 8)
        places = nav._now.rows.places
        more = []
        for start, goal, ticks in zip(places(starts), places(goals), best.tolist(), strict=True):
            walked = nav.search.walk(start, goal)
            assert walked is not None
            more.append(nav.length([start, *walked]) * nav._units / ticks - 1)
    assert min(more) > -1e-6
    assert np.mean(more) < 0.05
