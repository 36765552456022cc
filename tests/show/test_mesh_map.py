"""Polygons of a navigation mesh lie below its nodes, and only those a profile can stand in."""

import json
from pathlib import Path

import numpy as np
from PIL import Image

from bake.project.recipe.rules import LevelRecipe, ProfileRecipe
from bake.show.colours import ROAD_CLOSED
from tests.support.baked import bake
from tests.support.command import bake as command


def test_polygons_are_drawn_and_walls_are_not(tmp_path: Path) -> None:
    shapes = [
        {"terrain": "floor", "rect": [0, 0, 12, 8]},
        {"terrain": "wall", "rect": [4, 2, 4, 4]},
    ]
    source = tmp_path / "yard.json"
    source.write_text(json.dumps({"format": "bake-geometry", "version": 1, "shapes": shapes}))
    profiles = (ProfileRecipe("cat"), ProfileRecipe("ox", radius=1.5))
    asset = bake(source, LevelRecipe(profiles=profiles))
    drawn = {}
    for name in ("cat", "ox"):
        picture = tmp_path / f"{name}.png"
        done = command("render", str(asset), "--profile", name, "-o", str(picture))
        assert done.code == 0, done
        drawn[name] = np.asarray(Image.open(picture).convert("RGB")).astype(int)
    assert drawn["cat"].shape == drawn["ox"].shape
    for pixels in drawn.values():  # The other one has nodes and roads of its own.
        assert (np.abs(pixels - np.array(ROAD_CLOSED)).sum(axis=2) > 0).all()
    # What only the cat reaches is as wide as the radius along every wall.
    differ = (np.abs(drawn["cat"] - drawn["ox"]).sum(axis=2) > 12).mean()
    assert 0.05 < differ < 0.5
