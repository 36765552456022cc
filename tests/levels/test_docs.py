"""Every example of docs/levels.md is read as the page says."""

import re
from pathlib import Path

import numpy as np
from PIL import Image

from bake.level import GraphLevel, GridLevel
from bake.levels import SUFFIXES, load
from bake.levels.image_legend import BUILT_IN
from bake.levels.movingai import LETTERS
from tests.support.grids import named, refusal

PAGE = (Path(__file__).parents[2] / "docs" / "levels.md").read_text("utf-8")


def examples(language: str) -> list[str]:
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    return [text for name, text in blocks if name == language]


def test_json_examples(tmp_path: Path) -> None:
    levels = []
    for text in examples("json"):
        path = tmp_path / "example.json"
        path.write_text(text, "utf-8")
        levels.append(load(path, {}))
    square, hexagons, floors, graph = levels
    assert isinstance(square, GridLevel)
    assert named(square)[1] == ["grass", "water", "water", "mud", "grass", "wall"]
    assert square.terrain_rules["water"].enter_from == ("water",)
    assert isinstance(hexagons, GridLevel)
    assert hexagons.hex_layout == "odd-r"
    assert isinstance(floors, GridLevel)
    assert floors.floor_height == 3
    assert [len(each) for each in vars(floors.things).values()] == [2, 1, 2, 1]
    assert isinstance(graph, GraphLevel)
    assert graph.node_names == ("mill", "ford", "inn")
    assert graph.position is not None


def test_map_example(tmp_path: Path) -> None:
    (text,) = (text for text in examples("") if text.startswith("type octile"))
    path = tmp_path / "example.map"
    path.write_text(text)
    level = load(path, {})
    assert set(level.terrains) == set(LETTERS.values())


def test_error_example(tmp_path: Path) -> None:
    (text,) = (text for text in examples("") if text.startswith("levels_src/keep.png: "))
    pixels = np.zeros((1, 10, 3), dtype=np.uint8)
    pixels[0, 7:] = (0x8B, 0x5A, 0x2B)
    path = tmp_path / "keep.png"
    Image.fromarray(pixels).save(path)
    assert refusal(path) == text.strip().removeprefix("levels_src/keep.png: ")


def test_tables_name_every_suffix_letter_and_colour() -> None:
    for mention in [*SUFFIXES, *LETTERS, *LETTERS.values(), *BUILT_IN, *BUILT_IN.values()]:
        assert f"`{mention}`" in PAGE
