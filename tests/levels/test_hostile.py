"""Small files that ask for much, and files that are none."""

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from bake.baking import find_tasks
from bake.baking.level import bake_level
from bake.core.errors import RecipeError
from bake.levels import LdtkReading, TiledReading, load
from bake.project.recipe import LevelRecipe, load_recipe
from levelbake.errors import BakeError
from tests.support import ldtk_projects as ldtk
from tests.support import tiled_maps as maps
from tests.support.projects import recipe_in, task_for

MIB = 2**20
#: Far more than any of these needs, far less than what they would take if they were not refused.
SECONDS = 20


@contextmanager
def soon() -> Iterator[None]:
    begun = time.perf_counter()
    yield
    assert time.perf_counter() - begun < SECONDS


def refused(path: Path, **options: Any) -> str:
    """The one line of a level that must be refused soon."""
    with soon(), pytest.raises(BakeError) as caught:
        load(path, {}, **options)
    line = str(caught.value)
    assert "\n" not in line
    assert len(line) < 2000
    return line


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def tiles(**more: object) -> dict[str, object]:
    return {
        "format": "bake-tiles",
        "version": 1,
        "legend": {".": "floor"},
        "rows": ["..", ".."],
        **more,
    }


# -- what the recipe's memory budget bounds -------------------------------------------------------


def test_an_image_larger_than_the_budget_is_refused_before_it_is_decoded(tmp_path: Path) -> None:
    path = tmp_path / "huge.png"
    Image.new("1", (1000, 1000), 1).save(path)
    assert load(path, {}).name == "huge"
    assert "expected at most 131,072" in refused(path, memory_budget=MIB)


@pytest.mark.parametrize("name", ["level.json", "level.tmx", "level.ldtk"])
def test_text_larger_than_the_budget_is_refused_before_it_is_parsed(
    tmp_path: Path, name: str
) -> None:
    path = written(tmp_path, name, " " * (MIB // 32 + 1))
    assert "raise memory_budget" in refused(path, memory_budget=MIB)


def test_the_recipe_says_the_budget(tmp_path: Path) -> None:
    path = written(tmp_path, "level.json", json.dumps(tiles()) + " " * (MIB // 32))
    with pytest.raises(BakeError, match="raise memory_budget"):
        bake_level(task_for(path, memory_budget=MIB), 1, lambda stage, done: None)


def test_files_of_one_level_share_the_budget(tmp_path: Path) -> None:
    level = ldtk.level("One", ldtk.int_grid(".."))
    levels = []
    for number in range(4):
        file = {**level, "identifier": f"L{number}", "pad": " " * (MIB // 100)}
        ldtk.write(tmp_path / f"{number}.ldtkl", file)
        levels.append(
            {**level, "identifier": f"L{number}", "layerInstances": None}
            | {"externalRelPath": f"{number}.ldtkl", "worldX": 32 * number}
        )
    path = ldtk.write(tmp_path / "all.ldtk", ldtk.project(*levels))
    assert load(path, {}).name == "all"
    assert "raise memory_budget" in refused(path, memory_budget=MIB)


def test_regions_that_each_cover_the_map(tmp_path: Path) -> None:
    rows = ["." * 1000] * 1000
    regions = [{"name": f"r{number}", "rect": [0, 0, 1000, 1000]} for number in range(1000)]
    path = written(tmp_path, "level.json", json.dumps(tiles(rows=rows, regions=regions)))
    assert "regions[33].rect" in refused(path)


# -- Tiled ----------------------------------------------------------------------------------------


def empty_layer(width: int, height: int, name: str = "G") -> str:
    data = maps.packed([[0] * width] * height, "zstd")
    return (
        f'<layer id="1" name="{name}" width="{width}" height="{height}">'
        f'<data encoding="base64" compression="zstd">{data}</data></layer>'
    )


def test_layers_that_inflate_a_thousandfold_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bake.levels.reading.limits.MAX_WORK", 4 * 2**20)
    layer = empty_layer(1024, 1024)
    text = maps.tmx(*[layer] * 4, width=1024, height=1024)
    load(written(tmp_path, "map.tmx", text), {})
    text = maps.tmx(*[layer] * 5, width=1024, height=1024)
    assert len(text) < 2**14
    assert "cells in all layers" in refused(written(tmp_path, "map.tmx", text))


def test_floors_count_before_any_is_painted(tmp_path: Path) -> None:
    groups = "".join(
        f'<group name="{floor}"><properties><property name="floor" type="int" value="{floor}"/>'
        f"</properties>{maps.layer([[1]])}</group>"
        for floor in range(1000)
    )
    path = written(tmp_path, "map.tmx", maps.tmx(groups, width=8000, height=8000))
    assert "8,000 x 8,000,000" in refused(path)


def test_a_zstd_frame_may_not_ask_for_a_huge_window(tmp_path: Path) -> None:
    import base64

    # Magic number, a frame header without content size, and a window of 2^41 bytes.
    frame = base64.b64encode(b"\x28\xb5\x2f\xfd\x00\xf8\x01\x00\x00").decode()
    layer = (
        '<layer id="1" name="G" width="1" height="1">'
        f'<data encoding="base64" compression="zstd">{frame}</data></layer>'
    )
    path = written(tmp_path, "map.tmx", maps.tmx(layer, width=1, height=1))
    assert "zstd" in refused(path)


def test_polygons_of_many_corners_around_many_cells(tmp_path: Path) -> None:
    points = " ".join(f"{x},{x * x % 977 * 16}" for x in range(0, 4000))
    polygons = [
        maps.thing(number, "region", (0, 0), f'<polygon points="{points}"/>', name=f"{number}")
        for number in range(1, 60)
    ]
    text = maps.tmx(empty_layer(1000, 1000), maps.objects(*polygons), width=1000, height=1000)
    assert "large polygons" in refused(written(tmp_path, "map.tmx", text))


def test_many_links_to_names(tmp_path: Path) -> None:
    """Each looked through all objects for its goal: 100,000 x 100,000 of them."""
    spots = [maps.thing(number, "link", (8, 8), to="nowhere") for number in range(1, 5000)]
    spots.insert(0, maps.thing(5000, "spawn", (24, 8), name="nowhere"))
    text = maps.tmx(maps.layer([[1, 1]]), maps.objects(*spots), width=2, height=1)
    path = written(tmp_path, "map.tmx", text)
    with soon():
        assert len(load(path, {}).things.links) == 4999


def test_a_tileset_named_many_times_is_read_once(tmp_path: Path) -> None:
    listed = "".join(f'<tile id="{number}" class="c"/>' for number in range(20_000))
    written(tmp_path, "set.tsx", f'<tileset name="set" tilecount="20000">{listed}</tileset>')
    sets = "".join(
        f'<tileset firstgid="{1 + 20_000 * number}" source="set.tsx"/>' for number in range(2000)
    )
    gids = [[1 + 20_000 * number for number in range(2000)]]
    text = maps.tmx(maps.layer(gids), width=2000, height=1, tileset=sets)
    path = written(tmp_path, "map.tmx", text)
    with soon():
        assert load(path, {}, memory_budget=64 * MIB).terrains == ("c",)


def test_wang_tiles_given_again_and_again(tmp_path: Path) -> None:
    tile = {"tileid": 5, "wangid": [1] * 8}
    sets = [{"name": "w", "colors": [{"name": "a"}], "wangtiles": [tile] * 100_000}]
    one = {"firstgid": 1, "name": "set", "tilecount": 9, "tiles": [], "wangsets": sets}
    text = maps.tmj([[6]], tilesets=[one])
    assert "given twice" in refused(written(tmp_path, "map.tmj", text))
    tile["wangid"] = [1] * 1_000_000
    text = maps.tmj([[6]], tilesets=[one | {"wangsets": [sets[0] | {"wangtiles": [tile]}]}])
    assert "a list of eight numbers" in refused(written(tmp_path, "map.tmj", text))


@pytest.mark.parametrize(
    "pattern",
    [
        r".*.*.*.*.*.*.*(\d)_(\d)x",
        r"(?x)(a*) *(\d+)_(\d+)",
        r"((a*)*)(\d)",
        r"(a|a)?(a|a)?(\d)",
        r"(\d+)_(\d+)" + r"a?" * 60,
    ],
)
def test_patterns_that_would_match_forever(tmp_path: Path, pattern: str) -> None:
    written(tmp_path, "a" * 100 + ".tmx", "")
    world = {"type": "world", "patterns": [{"regexp": pattern}]}
    line = refused(written(tmp_path, "all.world", json.dumps(world)))
    assert "repeats a group" in line


@pytest.mark.parametrize("version", ["²", "٣", "1" * 400, "", "-1", "1e9", "\ud800"])
def test_a_version_of_other_digits(tmp_path: Path, version: str) -> None:
    text = json.dumps(json.loads(maps.tmj([[1]])) | {"version": version})
    assert "version" in refused(written(tmp_path, "map.tmj", text))


def test_a_template_with_many_properties_or_keys(tmp_path: Path) -> None:
    listed = [{"name": f"p{number}", "value": "x"} for number in range(30_000)]
    template = {"type": "template", "object": {"properties": listed}}
    written(tmp_path, "t.tj", json.dumps(template))
    things = maps.objects(*(maps.thing(n, "", (8, 8), template="t.tj") for n in range(1, 5000)))
    path = written(tmp_path, "map.tmx", maps.tmx(maps.layer([[1]]), things, width=1, height=1))
    assert "30,000 properties" in refused(path)
    template["object"] = {f"key{number}": number for number in range(30_000)}
    written(tmp_path, "t.tj", json.dumps(template))
    with soon():
        load(path, {})


# -- LDtk -----------------------------------------------------------------------------------------


def test_a_layer_of_cells_far_larger_than_its_level(tmp_path: Path) -> None:
    """Its one cell was blown up to 2^16 x 2^16 before it was cut to the level."""
    ground = ldtk.int_grid("..", "..")
    coarse = ldtk.int_grid("#", size=2**20)
    level = ldtk.level("One", coarse, ground)
    with soon():
        found = ldtk.read(tmp_path / "all.ldtk", ldtk.project(level))
    assert ldtk.drawn(found) == ["##", "##"]


def test_layers_of_larger_cells_lie_where_their_offset_says(tmp_path: Path) -> None:
    ground = ldtk.int_grid("......", "......", "......", "......")
    coarse = ldtk.int_grid("#.~", ".m.", size=32, __pxTotalOffsetX=16, __pxTotalOffsetY=-16)
    found = ldtk.read(tmp_path / "all.ldtk", ldtk.project(ldtk.level("One", coarse, ground)))
    assert ldtk.drawn(found) == [".##..~", "...mm.", "...mm.", "......"]


def test_many_levels_side_by_side(tmp_path: Path) -> None:
    """Each was compared with each."""
    one = ldtk.level("One", ldtk.int_grid("."))
    levels = [one | {"identifier": f"L{at}", "worldX": 16 * at} for at in range(3000)]
    with soon():
        found = ldtk.read(tmp_path / "all.ldtk", ldtk.project(*levels))
    assert found.width == 3000


def test_many_values_and_tags(tmp_path: Path) -> None:
    """Every value and every tile was looked for in a list."""
    side = 150
    ground = ldtk.int_grid("." * side) | {"__cHei": side, "pxHei": 16 * side}
    ground["intGridCsv"] = list(range(1, side * side + 1))
    project = ldtk.project(ldtk.level("One", ground, size=(16 * side, 16 * side)))
    project["defs"]["layers"][0]["intGridValues"] = [
        {"value": value, "identifier": "mud"} for value in range(1, side * side + 1)
    ]
    with soon():
        assert ldtk.read(tmp_path / "all.ldtk", project).terrains == ("mud",)


@pytest.mark.parametrize("pivot", ["1e999", "-1e999", "NaN", "1e300"])
def test_a_pivot_that_is_no_fraction(tmp_path: Path, pivot: str) -> None:
    things = ldtk.entities(ldtk.entity("Region", 0, 0), width=2, height=1)
    project = ldtk.project(ldtk.level("One", things, ldtk.int_grid("..")))
    text = json.dumps(project).replace('"__pivot": [0, 0]', f'"__pivot": [{pivot}, 0]')
    assert "__pivot" in refused(written(tmp_path, "all.ldtk", text))


# -- JSON and recipes -----------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["rows", "links", "regions", "spots", "doors", "ledges"])
def test_a_million_mistakes_are_not_collected(tmp_path: Path, key: str) -> None:
    path = written(tmp_path, "level.json", json.dumps(tiles(**{key: [1] * 1_000_000})))
    assert f"{key}[0]" in refused(path)


def test_an_object_of_too_many_keys(tmp_path: Path) -> None:
    keys = {f"k{number}": 0 for number in range(2**16 + 1)}
    assert "too many keys" in refused(written(tmp_path, "level.json", json.dumps(keys)))


@pytest.mark.parametrize(
    "text", ["[" * 100_000, '{"a":' * 100_000, "9" * 5000, '{"a": 1, "a": 2}', '"\\ud800"', '{"\0']
)
def test_json_that_is_hardly_any(tmp_path: Path, text: str) -> None:
    for name in ("level.json", "level.tmj", "level.ldtk", "level.world"):
        refused(written(tmp_path, name, text))


def test_a_name_given_twice_among_very_many(tmp_path: Path) -> None:
    names = [f"n{number}" for number in range(200_000)]
    terrains = {"floor": {"cost": 1, "enter_from": [*names, names[-1]]}}
    path = written(tmp_path, "level.json", json.dumps(tiles(terrains=terrains)))
    assert "given twice" in refused(path)


def test_a_recipe_of_many_levels(tmp_path: Path) -> None:
    """Every level was compared with every other."""
    text = "".join(f"[levels.l{number}]\nconnectivity = 4\n" for number in range(5000))
    with soon():
        assert len(load_recipe(written(tmp_path, "bake.toml", text)).levels) == 5000


def test_a_recipe_of_many_levels_and_terrains(tmp_path: Path) -> None:
    """Every level has all terrains laid out for itself: of one megabyte, billions."""
    text = "[terrain]\n" + "".join(f"t{number} = 1\n" for number in range(20_000))
    text += "".join(f"[levels.l{number}]\n" for number in range(20_000))
    with soon(), pytest.raises(RecipeError, match="20,000 entries"):
        load_recipe(written(tmp_path, "bake.toml", text))


def test_a_recipe_of_many_mistakes_tells_the_first(tmp_path: Path) -> None:
    text = "".join(f"k{number} = 1\n" for number in range(5000))
    with pytest.raises(BakeError) as caught:
        load_recipe(written(tmp_path, "bake.toml", text))
    lines = str(caught.value).split("\n")
    assert len(lines) == 101
    assert lines[-1].endswith("and 4,900 more mistakes")


def test_rules_of_a_level_in_a_file_of_several(tmp_path: Path) -> None:
    text = '[levels.a-b]\nconnectivity = 4\n[levels."a-b-c"]\ntables = ["components"]\n'
    text += "[levels.a]\nticks_per_unit = 7\n"
    recipe = load_recipe(written(tmp_path, "bake.toml", text))
    assert set(recipe.inside) == {("a", "a-b"), ("a", "a-b-c"), ("a-b", "a-b-c")}
    assert recipe.for_level("a-b-c", "a").ticks_per_unit == 7
    assert recipe.for_level("a-b-c", "a-b").connectivity == 4


# -- files that are none, and files of others -----------------------------------------------------

needs_devices = pytest.mark.skipif(sys.platform == "win32", reason="no device files on Windows")


def pipe(path: Path) -> None:
    os.mkfifo(path)


def zeros(path: Path) -> None:
    path.symlink_to("/dev/zero")


@needs_devices
@pytest.mark.parametrize("make", [pipe, zeros])
@pytest.mark.parametrize("suffix", [".png", ".json", ".map", ".tmx", ".world", ".ldtk"])
def test_a_source_that_never_ends(
    tmp_path: Path, make: Callable[[Path], None], suffix: str
) -> None:
    path = tmp_path / f"level{suffix}"
    make(path)
    assert "a device or a pipe" in refused(path)
    with soon(), pytest.raises(BakeError, match="device or a pipe"):
        bake_level(task_for(path), 1, lambda stage, done: None)


@needs_devices
@pytest.mark.parametrize("make", [pipe, zeros])
def test_a_recipe_that_never_ends(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / "bake.toml")
    with soon(), pytest.raises(RecipeError, match="device or a pipe"):
        load_recipe(tmp_path / "bake.toml")


OUTSIDE = [
    "../outside",
    "sub/../../outside",
    "/etc/passwd",
    "C:\\windows\\win.ini",
    "C:outside",
    "\\\\host\\share\\file",
    "file:///etc/passwd",
    "http://localhost/x",
    "/dev/zero",
    "/dev/stdin",
    "link",
    "pipe",
    "zero",
    "folder",
    "a\0b",
    "",
    ".",
    "..",
    "x" * 5000,
    "nowhere",
    "\ud800",
]


@needs_devices
@pytest.mark.parametrize("reference", OUTSIDE)
@pytest.mark.parametrize("kind", ["tileset", "template", "world", "ldtk"])
def test_references_that_lead_out_of_the_project(tmp_path: Path, kind: str, reference: str) -> None:
    project = tmp_path / "project"
    (project / "folder").mkdir(parents=True)
    (tmp_path / "outside").write_text(maps.tmx(maps.layer([[1]]), width=1, height=1))
    (project / "link").symlink_to(tmp_path / "outside")
    os.mkfifo(project / "pipe")
    (project / "zero").symlink_to("/dev/zero")
    if kind == "tileset":
        text = json.dumps(
            json.loads(maps.tmj([[1]])) | {"tilesets": [{"firstgid": 1, "source": reference}]}
        )
        path = written(project, "map.tmj", text)
    elif kind == "template":
        things = {"type": "objectgroup", "name": "T", "objects": [{"template": reference}]}
        document = json.loads(maps.tmj([[1]]))
        document["layers"].append(things)
        path = written(project, "map.tmj", json.dumps(document))
    elif kind == "world":
        text = json.dumps({"type": "world", "maps": [{"fileName": reference}]})
        path = written(project, "all.world", text)
    else:
        level = ldtk.level("One", ldtk.int_grid("."))
        level |= {"layerInstances": None, "externalRelPath": reference}
        path = ldtk.write(project / "all.ldtk", ldtk.project(level))
    line = refused(path, project=project)
    assert any(
        word in line for word in ("leaves", "missing", "not the name of a file", "not a path")
    )
    if reference in ("pipe", "zero", "folder"):
        tiled, own = TiledReading(allow_outside=True), LdtkReading(allow_outside=True)
        with soon(), pytest.raises(BakeError):
            load(path, {}, project=project, tiled=tiled, ldtk=own)


@needs_devices
def test_sources_that_are_links_out_of_the_project(tmp_path: Path) -> None:
    folder = tmp_path / "project" / "levels_src"
    folder.mkdir(parents=True)
    Image.new("1", (2, 2), 1).save(tmp_path / "secret.png")
    (folder / "level.png").symlink_to(tmp_path / "secret.png")
    recipe = recipe_in(folder.parent)
    with pytest.raises(BakeError, match="outside the project"):
        find_tasks(recipe, [], None)
    # Named, it is what the user asked for.
    assert len(find_tasks(recipe, [folder / "level.png"], None)) == 1


def test_defaults_agree() -> None:
    from bake.levels.reading.files import MAX_JSON_BYTES
    from bake.levels.reading.limits import DEFAULT_MEMORY_BUDGET, TEXT_FACTOR

    assert LevelRecipe().memory_budget == DEFAULT_MEMORY_BUDGET
    assert DEFAULT_MEMORY_BUDGET // TEXT_FACTOR == MAX_JSON_BYTES


def test_door_cells_shared_by_the_third_of_three(tmp_path: Path) -> None:
    doors = [
        {"name": name, "cells": cells, "states": {"open": None, "shut": "wall"}, "state": "open"}
        for name, cells in (("a", [[0, 0]]), ("b", [[1, 1], [1, 0]]), ("c", [[0, 1], [1, 1]]))
    ]
    line = refused(written(tmp_path, "level.json", json.dumps(tiles(doors=doors))))
    assert 'door "c" has the cell (1, 1), which door "b" has' in line
    assert "doors[2]" in line


def test_grids_stay_what_they_were(tmp_path: Path) -> None:
    grid = load(written(tmp_path, "level.json", json.dumps(tiles())), {}).terrain
    assert np.array_equal(grid, np.zeros((2, 2), dtype=np.uint8))
