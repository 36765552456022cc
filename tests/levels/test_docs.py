"""Every example of the pages on level files is read as the page says."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from bake.baking.level import read_drawn
from bake.baking.sources import LeftOut, find_tasks
from bake.core.errors import LevelError
from bake.core.level import GraphLevel, GridLevel, TerrainRule
from bake.levels import SUFFIXES, load
from bake.levels.movingai import LETTERS
from bake.levels.reading.terrains import BUILT_IN_COLORS
from bake.levels.reading.text import BUILT_IN_SYMBOLS
from bake.levels.text.grid import MAX_SPOTS
from bake.levels.text.separated import MAX_VALUES
from bake.project.recipe import load_recipe
from tests.support.levels import named, refusal
from tests.support.pages import blocks, page

JSON, GRAPHS, IMAGES, MAPS, TEXT = map(
    page,
    (
        "levels-json.md",
        "levels-graphs.md",
        "levels-images.md",
        "levels-movingai.md",
        "levels-text.md",
    ),
)


def test_json_examples(tmp_path: Path) -> None:
    levels = []
    for text in blocks(JSON, "json") + blocks(GRAPHS, "json"):
        path = tmp_path / "example.json"
        path.write_text(text, "utf-8")
        levels.append(load(path, {}))
    square, hexagons, floors, strait, huts, graph = levels
    assert isinstance(square, GridLevel)
    assert named(square)[1] == ["grass", "water", "water", "mud", "grass", "wall"]
    assert square.terrain_rules["water"].enter_from == ("water",)
    assert isinstance(hexagons, GridLevel)
    assert hexagons.hex_layout == "odd-r"
    assert isinstance(floors, GridLevel)
    assert floors.floor_height == 3
    assert [len(each) for each in vars(floors.things).values()] == [2, 1, 2, 1]
    assert isinstance(strait, GridLevel)
    ferry, leap = strait.things.links
    assert (ferry.via, ferry.over) == (((2, 1), (3, 1), (4, 1)), None)
    assert leap.over == ("wall", "water")
    assert isinstance(huts, GridLevel)
    assert [each.placement.at for each in huts.instances] == [(1, 1), (6, 0), (9, 1)]
    assert isinstance(graph, GraphLevel)
    assert graph.node_names == ("mill", "ford", "inn")
    assert graph.position is not None


def test_map_example(tmp_path: Path) -> None:
    (text,) = blocks(MAPS, "")
    path = tmp_path / "example.map"
    path.write_text(text)
    level = load(path, {})
    assert set(level.terrains) == set(LETTERS.values())


def test_error_example(tmp_path: Path) -> None:
    (text,) = blocks(IMAGES, "")
    pixels = np.zeros((1, 10, 3), dtype=np.uint8)
    pixels[0, 7:] = (0x8B, 0x5A, 0x2B)
    path = tmp_path / "keep.png"
    Image.fromarray(pixels).save(path)
    assert refusal(path) == text.strip().removeprefix("levels_src/keep.png: ")


def test_text_examples(tmp_path: Path) -> None:
    cave, error, grid, left_out = blocks(TEXT, "")
    tables, blanks, values = blocks(TEXT, "toml")
    recipe = tmp_path / "bake.toml"
    (tmp_path / "levels_src").mkdir()

    def read(name: str, toml: str) -> GridLevel:
        recipe.write_text(toml, "utf-8")
        (task,) = find_tasks(load_recipe(recipe), [tmp_path / "levels_src" / name], None)
        level = read_drawn(task)
        assert isinstance(level, GridLevel)
        return level

    (tmp_path / "levels_src" / "cave.txt").write_text(cave, "utf-8")
    (tmp_path / "levels_src" / "grid.csv").write_text(grid, "utf-8")
    (tmp_path / "levels_src" / "README.txt").write_text("These caves are\ndrawn by hand.\n")
    level = read("cave.txt", tables)
    assert set(level.terrains) == {"wall", "floor", "water", "door"}
    assert [(spot.name, spot.cell) for spot in level.things.spots] == [("spawn", (2, 2))]
    assert load_recipe(recipe).for_level("cave").terrain["door"] == TerrainRule(2)
    assert named(read("grid.csv", values))[1] == ["wall", "floor", "floor", "water", "wall"]
    recipe.write_text(blanks)
    assert load_recipe(recipe).for_level("cave").text.legend == {" ": "void"}

    with pytest.raises(LevelError) as caught:
        read("cave.txt", '[text.legend]\n"@" = "floor"')
    assert str(caught.value) == f"{tmp_path}/{error.strip()}"
    recipe.write_text(tables)
    others: list[LeftOut] = []
    assert len(find_tasks(load_recipe(recipe), (), None, others)) == 2
    (other,) = others
    assert f"left out: {other.file.relative_to(tmp_path)}: {other.why}" == left_out.strip()


def test_tables_name_every_suffix_letter_and_colour() -> None:
    for text, mentions in [
        (page("levels.md"), SUFFIXES),
        (TEXT, [*BUILT_IN_SYMBOLS, *BUILT_IN_SYMBOLS.values()]),
        (MAPS, [*LETTERS, *LETTERS.values()]),
        (IMAGES, [*BUILT_IN_COLORS, *BUILT_IN_COLORS.values()]),
    ]:
        for mention in mentions:
            assert f"`{mention}`" in text
    assert f"{MAX_SPOTS:,} spots" in TEXT
    assert f"{MAX_VALUES - 1:,} different values" in TEXT
