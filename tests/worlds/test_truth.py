"""The two shortest ways there are, over points of visibility and by Polyanya, are equally long."""

import json
import math
import random
from itertools import pairwise
from pathlib import Path

import pytest

from bake.runtime import open_asset
from tests.support.baked import bake, recipe_for


@pytest.mark.parametrize("seed", range(3))
def test_over_corners_and_through_polygons(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    shapes = [{"terrain": "floor", "rect": [0, 0, 40, 30]}]
    for _ in range(9):
        at = [rng.randint(1, 36), rng.randint(1, 26), rng.randint(2, 9), rng.randint(2, 7)]
        shapes.append({"terrain": "wall", "rect": at, "rotation": rng.choice((0, 0, 15, 40))})
    source = tmp_path / "boxes.json"
    source.write_text(json.dumps({"format": "bake-geometry", "version": 1, "shapes": shapes}))
    with open_asset(bake(source, recipe_for(division="mesh"))) as level:
        mesh = level.profile()
        corners = bake(source, recipe_for(division="visibility"))
        with open_asset(corners) as other:
            nav = other.profile()
            names = nav.places()
            found = 0
            for one, two in [rng.sample(names, 2) for _ in range(25)]:
                start, goal = other.to_point(one), other.to_point(two)
                told = nav.distance(one, two)
                way = mesh.straight_path(start, goal, "polyanya")
                if way is None:
                    assert math.isinf(told)
                    continue
                length = sum(math.dist(a, b) for a, b in pairwise(way))
                assert told == pytest.approx(length, abs=0.01)
                found += told > 5
            assert found > 5
