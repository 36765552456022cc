"""The recipes docs/levels-ldtk.md gives for LDtk's own samples bake them."""

from __future__ import annotations

from pathlib import Path

import pytest

from bake.baking import find_tasks
from bake.baking.level import read_level, read_world
from bake.levels import load
from bake.project.recipe import load_recipe
from tests.support.levels import shared_level
from tests.support.pages import blocks, page

LEVELS = Path(__file__).parents[2] / "levels_src"


@pytest.mark.parametrize(
    ("file", "levels"),
    [
        ("AutoLayers_1_basic", {"": (37, 26, 478)}),
        (
            "SeparateLevelFiles",
            {f"-World_Level_{n}": (15, 15, free) for n, free in enumerate((207, 205, 212))},
        ),
        # The three levels have 312, 166 and 183 free cells, one of them under the secret wall.
        ("Typical_TopDown_example", {"": (64, 16, 660)}),
        ("WorldMap_Free_layout", {"": (92, 186, 2479)}),
    ],
)
def test_samples(tmp_path: Path, file: str, levels: dict[str, tuple[int, int, int]]) -> None:
    source = shared_level(f"ldtk/{file}.ldtk")
    (text,) = (
        text for text in blocks(page("levels-ldtk.md"), "toml") if "WorldMap_Free_layout" in text
    )
    recipe = tmp_path / "bake.toml"
    recipe.write_text(text, encoding="utf-8")
    tasks = find_tasks(load_recipe(recipe), [source], None)
    assert {task.name for task in tasks} == {file + end for end in levels}
    for task in tasks:
        level = read_level(task)
        world = read_world(level, task.recipe)
        found = level.width, level.height, world.graph.node_count
        assert found == levels[task.name.removeprefix(file)]


def test_things_of_the_samples() -> None:
    level = load(shared_level("ldtk/Typical_TopDown_example.ldtk"), {})
    assert len(level.things.doors) == 8


def test_our_own() -> None:
    abbey = load(LEVELS / "abbey.ldtk", {})
    things = abbey.things
    assert [link.both_ways for link in things.links] == [True, True]
    assert {door.name: door.state for door in things.doors} == {
        "west door": "open",
        "gate": "shut",
        "cloister door": "open",
    }
    assert {spot.kind for spot in things.spots} == {"spawn", "exit"}
    assert len(things.regions) == 4
