"""Every example of the pages on level files is read as the page says."""

from pathlib import Path

import numpy as np
from PIL import Image

from bake.level import GraphLevel, GridLevel
from bake.levels import SUFFIXES, load
from bake.levels.movingai import LETTERS
from bake.levels.reading.terrains import BUILT_IN_COLOURS
from tests.support.levels import named, refusal
from tests.support.pages import blocks, page

JSON, GRAPHS, IMAGES, MAPS = map(
    page, ("levels-json.md", "levels-graphs.md", "levels-images.md", "levels-movingai.md")
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


def test_tables_name_every_suffix_letter_and_colour() -> None:
    for text, mentions in [
        (page("levels.md"), SUFFIXES),
        (MAPS, [*LETTERS, *LETTERS.values()]),
        (IMAGES, [*BUILT_IN_COLOURS, *BUILT_IN_COLOURS.values()]),
    ]:
        for mention in mentions:
            assert f"`{mention}`" in text
