"""[tiled]: how Tiled maps are read."""

from pathlib import Path

import pytest

from bake.levels import TiledReading
from bake.project.recipe import LevelRecipe, load_recipe
from levelbake.errors import BakeError
from tests.support.tiled_maps import layer, tmx, write


def recipe(folder: Path, text: str) -> Path:
    path = folder / "bake.toml"
    path.write_text(text, "utf-8")
    return path


def test_a_level_adds_to_the_legend_and_replaces_the_rest(tmp_path: Path) -> None:
    found = load_recipe(
        recipe(
            tmp_path,
            """
[tiled]
ignore = ["Sky", "Air"]
empty = "floor"
legend = { "layer:A" = "wall", "class:b:c" = "mud" }
[levels.x.tiled]
layers = ["A", "G/B"]
ignore = ["Fog"]
allow_outside = true
legend = { "layer:A" = "below", "tile:a b:0-3,7" = "mud" }
""",
        )
    )
    assert found.defaults.tiled == TiledReading(
        ignore=("Air", "Sky"), empty="floor", legend={"layer:A": "wall", "class:b:c": "mud"}
    )
    assert found.for_level("x").tiled == TiledReading(
        layers=("A", "G/B"),
        ignore=("Fog",),
        empty="floor",
        legend={"layer:A": "below", "class:b:c": "mud", "tile:a b:0-3,7": "mud"},
        allow_outside=True,
    )


def test_what_makes_assets_stale() -> None:
    plain = LevelRecipe().canonical()
    assert "tiled" not in plain
    seen = {plain}
    # Whether files may be read changes nothing in what is read.
    for reading in (
        TiledReading(layers=("A",)),
        TiledReading(ignore=("A",)),
        TiledReading(empty="floor"),
        TiledReading(world="each"),
        TiledReading(allow_outside=True),
        TiledReading(legend={"property:a": "x", "property:b": "y"}),
        TiledReading(legend={"property:b": "y", "property:a": "x"}),
    ):
        seen.add(LevelRecipe(tiled=reading).canonical())
    assert len(seen) == 7


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[tiled]\nlayer = []", 'unknown key "layer"'),
        ("[tiled]\nlayers = []", "found an empty list"),
        ('[tiled]\nlayers = "A"', 'write ["A"]'),
        ("[tiled]\nignore = [3]", "name of a layer"),
        ('[tiled]\nworld = "both"', '"one" or "each"'),
        ("[tiled]\nempty = 3", "name of a terrain"),
        ('[tiled]\nallow_outside = "yes"', "expected true or false"),
        ('[tiled.legend]\n"Walls" = "wall"', 'as in "layer:Walls" = "wall"'),
        ('[tiled.legend]\n"tile:set" = "wall"', 'found "tile:set"'),
        ('[tiled.legend]\n"tile:set:3-" = "wall"', 'found "tile:set:3-"'),
        ('[tiled.legend]\n"layer:A" = 3', "name of a terrain"),
        ("tiled = 3", "a table, as in [tiled]"),
        ("[levels.x]\ntiled.legend = 3", "a table, as in [tiled.legend]"),
    ],
)
def test_mistakes(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(BakeError) as caught:
        load_recipe(recipe(tmp_path, text))
    assert told in str(caught.value)


def test_a_project_bakes_its_maps(tmp_path: Path) -> None:
    from bake.baking import build, find_tasks

    write(tmp_path, tmx(layer([[1, 4], [2, 1]]), width=2, height=2), "levels_src/pond.tmx")
    path = recipe(
        tmp_path, '[terrain]\nfloor = 1\npond = 2\n[tiled.legend]\n"class:water" = "pond"'
    )
    tasks = find_tasks(load_recipe(path), (), None)
    (outcome,) = build(tasks, jobs=1, force=False, report=lambda *_: None)
    assert outcome.status == "baked", outcome
