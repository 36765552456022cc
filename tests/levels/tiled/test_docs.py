"""What docs/levels-tiled.md says of Tiled maps holds."""

import re
import tomllib
from pathlib import Path

import numpy as np
import pytest

from bake.level import GridLevel
from bake.levels import load
from bake.levels.tiled.canvas import Placing
from bake.levels.tiled.fields import Fields
from bake.levels.tiled.geometry import Geometry
from bake.levels.tiled.layers import Box
from bake.pipeline.level import read_world
from bake.recipe import Recipe, load_recipe
from tests.support.levels import shared_level
from tests.support.pages import blocks, page

PAGE = page("levels-tiled.md")


@pytest.mark.parametrize("axis", ["x", "y"])
@pytest.mark.parametrize("parity", ["odd", "even"])
@pytest.mark.parametrize(("width", "height"), [(4, 5), (3, 4)])
def test_the_formulas_of_staggered_maps(axis: str, parity: str, width: int, height: int) -> None:
    lines = "rows" if axis == "y" else "columns"
    found = re.search(rf"^    {parity} {lines} shifted: +x = (.*?)  +y = (.*)$", PAGE, re.MULTILINE)
    assert found is not None
    geometry = Geometry("staggered", 64, 32, 0, axis, parity == "odd")
    fields = Fields(Path("a.tmx"), {}, "", is_text=True)
    placing = Placing.of(fields, geometry, Box(0, 0, width, height), ())
    for r in range(height):
        for c in range(width):
            x, y = placing.cells(np.array([c]), np.array([r]), 0)
            names = {"c": c, "r": r, "W": width}
            assert (x[0], y[0]) == (eval(found[1], names), eval(found[2], names))


def examples_recipe(folder: Path) -> Recipe:
    (text,) = (text for text in blocks(PAGE, "toml") if "[levels.desert" in text)
    tomllib.loads(text)
    path = folder / "bake.toml"
    path.write_text(text, "utf-8")
    return load_recipe(path)


@pytest.mark.parametrize(
    ("name", "cells", "walkable"),
    [
        ("desert", 1600, 1564),
        ("sewers", 2500, 217),
        ("hexagonal-mini", 400, 300),
        ("isometric_staggered_grass_and_water", 2450, 861),
        ("orthogonal-outside", 1395, 937),
        ("perspective_walls", 1024, 981),
        ("rpg/island", 2726, 788),
    ],
)
def test_the_examples_of_the_editor_bake(
    tmp_path: Path, name: str, cells: int, walkable: int
) -> None:
    source = shared_level(f"tiled/{name}.tmx")
    recipe = examples_recipe(tmp_path)
    rules = recipe.for_level(source.stem)
    level = load(source, rules.legend, tiled=rules.tiled, project=tmp_path)
    assert isinstance(level, GridLevel)
    assert level.width * level.height == cells
    world = read_world(level, rules)
    assert world.graph.node_count == walkable
