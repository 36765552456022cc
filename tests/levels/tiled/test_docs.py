"""What docs/levels-tiled.md says of Tiled maps holds."""

import re
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bake.baking.level import read_world
from bake.core.level import GridLevel
from bake.levels import load
from bake.levels.tiled.canvas import Placing
from bake.levels.tiled.fields import Fields
from bake.levels.tiled.geometry import Geometry
from bake.levels.tiled.layers import Box
from bake.project.recipe import Recipe, load_recipe
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
    placing = Placing.build(fields, geometry, Box(0, 0, width, height), ())
    for r in range(height):
        for c in range(width):
            x, y = placing.cells(np.array([c]), np.array([r]), 0)
            names = {"c": c, "r": r, "W": width}
            assert (x[0], y[0]) == (eval(found[1], names), eval(found[2], names))


@pytest.mark.parametrize(
    ("kind", "about"),
    [
        ("orthogonal", ("orthogonal",)),
        ("isometric", ("isometric",)),
        ("hexagonal along y", ("hexagonal", 4, "y", True)),
        ("hexagonal along y", ("hexagonal", 4, "y", False)),
        ("hexagonal along x", ("hexagonal", 6, "x", True)),
    ],
)
@pytest.mark.parametrize("size", [(16, 16), (31, 15), (30, 14)])
@pytest.mark.parametrize("rows", [1, 4, 5])
def test_the_formulas_of_middles(
    kind: str, about: tuple[Any, ...], size: tuple[int, int], rows: int
) -> None:
    """The editor begins an isometric map at a whole pixel."""
    orientation, *stagger = about
    if stagger:
        size = (size[0] // 2 * 2, size[1] // 2 * 2)
    written = re.search(rf"^    {kind}: +x = (.*?)  +y = (.*)$", PAGE, re.MULTILINE)
    assert written is not None
    geometry = Geometry(orientation, *size, *stagger)
    for r in range(rows):
        for c in range(4):
            line = r if kind.endswith("y") else c
            shift = "1/2" if stagger and line % 2 == stagger[2] else "0"
            names = {"W": size[0], "H": size[1], "R": rows, "c": c, "r": r}
            names["S"] = stagger[0] if stagger else 0
            drawn = [
                eval(
                    re.sub(r"([WHcr]) (?=[(R])", r"\1*", text.replace("[+ 1/2]", f"+ {shift}")),
                    names,
                )
                for text in written.groups()
            ]
            coordinates = geometry.coordinates(0, 0, rows)
            floor, layout = np.zeros(1, dtype=np.int64), geometry.hex_layout(0, 0)
            cell = np.array([[c, r]])
            points = coordinates.points(cell, floor, layout)[0].tolist()
            assert points == drawn


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
