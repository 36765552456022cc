"""Worlds of maps as one level."""

import json
from pathlib import Path
from typing import Any

import pytest

from bake.baking.level import read_level
from bake.core.errors import LevelError
from bake.core.level import GridLevel
from bake.levels import load
from tests.support.levels import named
from tests.support.tiled_maps import layer, objects, read, refused, thing, tmx, write

DOOR = thing(1, "door", (0, 0), width=16, height=16, name="gate", states="open;shut=wall")


def world(folder: Path, maps: list[dict[str, Any]], **more: Any) -> Path:
    return write(folder, json.dumps({"type": "world", "maps": maps} | more), "land.world")


def member(name: str, x: int, y: int) -> dict[str, Any]:
    return {"fileName": name, "x": x, "y": y, "width": 32, "height": 16}


def two_maps(folder: Path) -> None:
    write(folder, tmx(layer([[1, 2]]), objects(DOOR), width=2, height=1), "west.tmx")
    write(folder, tmx(layer([[3, 1]]), objects(DOOR), width=2, height=1), "sub/east.tmx")


def test_maps_lie_where_the_world_puts_them(tmp_path: Path) -> None:
    two_maps(tmp_path)
    path = world(tmp_path, [member("west.tmx", -32, 16), member("sub/east.tmx", 0, 0)])
    level = read(path)
    assert named(level) == [["void", "void", "mud", "floor"], ["floor", "wall", "void", "void"]]
    assert level.name == "land"
    assert [(door.name, door.cells.tolist()) for door in level.things.doors] == [
        ("west/gate", [[0, 1]]),
        ("east/gate", [[2, 0]]),
    ]
    assert level.terrain_rules["mud"].cost == 3
    assert level.depends_on == (tmp_path / "west.tmx", tmp_path / "sub" / "east.tmx")


def test_patterns(tmp_path: Path) -> None:
    for name, gid in (("a_0_0.tmx", 1), ("a_1_0.tmx", 2), ("a_0_-1.tmx", 3), ("b_5_5.tmx", 4)):
        write(tmp_path, tmx(layer([[gid]]), width=1, height=1), name)
    pattern = {
        "regexp": r"a_(-?\d+)_(-?\d+)\.tmx",
        "multiplierX": 16,
        "multiplierY": 16,
        "offsetX": 160,
    }
    assert named(read(world(tmp_path, [], patterns=[pattern]))) == [
        ["mud", "void"],
        ["floor", "wall"],
    ]


@pytest.mark.parametrize(
    ("maps", "told"),
    [
        ([], "the world has 0 maps"),
        ([member("gone.tmx", 0, 0)], '"gone.tmx" is missing'),
        ([member("west.tmx", 0, 0), member("sub/east.tmx", 16, 0)], "overlaps another one"),
        ([member("west.tmx", 3, 0)], "which is between tiles"),
        ([member("west.tmx", 0, 0), member("west.tmx", 64, 0)], "listed twice"),
        ([member("../west.tmx", 0, 0)], "leaves the project folder"),
        ([member("west.tmx", 0, 0), member("sub/east.tmx", 16 * 10**9, 0)], "at most 67,108,864"),
        ([{"fileName": "west.tmx", "x": "left"}], 'x is "left"'),
        ([{"x": 0}], "fileName is missing"),
    ],
)
def test_wrong_worlds(tmp_path: Path, maps: list[dict[str, Any]], told: str) -> None:
    two_maps(tmp_path)
    assert told in refused(world(tmp_path, maps))


@pytest.mark.parametrize(
    ("regexp", "told"),
    [
        ("(a+)+(b)$", "repeats a group"),
        ("(", "not a regular expression"),
        ("a.tmx", "has fewer than two groups"),
        (r"(x)(y)\.tmx", "matches no map file"),
        (r"(w)(est)\.tmx", 'finds "w" where a coordinate should be'),
        ("(a)" * 100, "is long"),
    ],
)
def test_wrong_patterns(tmp_path: Path, regexp: str, told: str) -> None:
    two_maps(tmp_path)
    assert told in refused(world(tmp_path, [], patterns=[{"regexp": regexp}]))


def test_maps_that_do_not_go_together(tmp_path: Path) -> None:
    two_maps(tmp_path)
    small = tmx(layer([[1]]), width=1, height=1).replace(
        'tilewidth="16" tileh', 'tilewidth="8" tileh'
    )
    write(tmp_path, small, "small.tmx")
    iso = tmx(layer([[1]]), width=1, height=1, about='orientation="isometric"')
    write(tmp_path, iso, "iso.tmx")
    maps = [member("west.tmx", 0, 0), member("small.tmx", 64, 0)]
    assert "its tiles are 8 x 16; expected 16 x 16" in refused(world(tmp_path, maps))
    assert "the map is isometric" in refused(world(tmp_path, [member("iso.tmx", 0, 0)]))
    dear = tmx(layer([[3]]), width=1, height=1).replace('value="3"', 'value="4"')
    write(tmp_path, dear, "dear.tmx")
    maps = [member("sub/east.tmx", 0, 0), member("dear.tmx", 64, 0)]
    assert '"mud"' in refused(world(tmp_path, maps))


def test_a_world_is_json(tmp_path: Path) -> None:
    assert "the world is not JSON" in refused(write(tmp_path, "<world/>", "land.world"))


def test_one_asset_for_each_map(tmp_path: Path) -> None:
    from bake.baking import find_tasks
    from bake.project.recipe import load_recipe

    folder = tmp_path / "levels_src"
    two_maps(folder)
    world(folder, [member("west.tmx", 0, 0), member("sub/east.tmx", 32, 0)])
    recipe = tmp_path / "bake.toml"
    recipe.write_text(
        'sources = ["levels_src/*.world"]\n[tiled]\nworld = "each"\n[terrain]\nfloor = 1\n'
    )
    tasks = find_tasks(load_recipe(recipe), (), None)
    assert [task.name for task in tasks] == ["land-east", "land-west"]
    level = read_level(tasks[0])
    assert isinstance(level, GridLevel)
    assert (level.name, named(level)) == ("land-east", [["mud", "floor"]])
    assert level.depends_on == (folder / "sub" / "east.tmx",)
    assert level.things.doors[0].name == "gate"


def test_a_world_without_that_map(tmp_path: Path) -> None:
    two_maps(tmp_path)
    path = world(tmp_path, [member("west.tmx", 0, 0)])
    with pytest.raises(LevelError, match='no map "east"'):
        load(path, {}, part="east")
