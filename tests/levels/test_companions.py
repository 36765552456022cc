"""Which files belong to maps of Tiled and LDtk, and maps of Tiled that are called .json."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from bake.baking import find_tasks
from bake.baking.sources import LeftOut
from bake.levels import format_of, implied_files
from bake.levels.companions import find_companions, find_references, path_key
from bake.levels.formats import is_tiled_json
from bake.project.recipe import Recipe, load_recipe
from tests.support import ldtk_projects as ldtk
from tests.support.command import bake
from tests.support.projects import recipe_in
from tests.support.tiled_maps import GIDS, layer, refused, tmj, tmx, write

SET = '<tileset name="s" tilewidth="16" tileheight="16" tilecount="6">{}</tileset>'


def picture(folder: Path, name: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(np.full((2, 2), 255, dtype=np.uint8)).save(path)
    return path


def map_with(image: str, kind: str = "tileset") -> str:
    if kind == "imagelayer":
        part = f'<imagelayer id="9" name="sky"><image source="{image}"/></imagelayer>'
        return tmx(layer(GIDS), part, width=3, height=2)
    tileset = '<tileset firstgid="1" source="{}"/>'.format("parts/set.tsx")
    return tmx(layer(GIDS), width=3, height=2, tileset=tileset)


def names(folder: Path, left_out: list[LeftOut] | None = None, **recipe: Any) -> list[str]:
    rules = recipe_in(folder) if not recipe else Recipe(file=folder / "bake.toml", **recipe)
    return [task.source.name for task in find_tasks(rules, [], None, left_out)]


# -- maps called .json ----------------------------------------------------------------------------


def test_maps_called_json(tmp_path: Path) -> None:
    path = write(tmp_path, tmj(GIDS), "map.json")
    assert format_of(path) == "tiled"
    document = json.loads(tmj(GIDS))
    del document["type"]
    assert format_of(write(tmp_path, json.dumps(document), "old.json")) == "tiled"
    for name, text in {
        "tiles": json.dumps({"format": "bake-tiles", "version": 1, "note": document}),
        "graph": json.dumps({"nodes": [], "links": [], "graph": document}),
        "set": json.dumps({**document, "type": "tileset"}),
        "half": tmj(GIDS)[:-1],
        "list": json.dumps([document]),
        "absent": "",
    }.items():
        file = tmp_path / f"{name}.json"
        if text:
            file.write_text(text)
        assert format_of(file) == "json"
    assert implied_files(path) == ()


def test_a_map_that_becomes_another_file(tmp_path: Path) -> None:
    path = write(tmp_path, tmj(GIDS), "map.json")
    assert format_of(path) == "tiled"
    path.write_text('{"format": "bake-tiles"}')
    assert format_of(path) == "json"


def test_large_files_are_not_parsed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, tmj(GIDS), "map.json")
    monkeypatch.setattr("bake.levels.formats.MAX_JSON_BYTES", path.stat().st_size)
    assert is_tiled_json(path, "map")
    other = write(tmp_path, tmj(GIDS) + " ", "other.json")
    assert not is_tiled_json(other, "map")


def test_maps_called_json_by_all_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, tmj(GIDS), "levels_src/map.json")
    costs = '[terrain]\nwater = "blocked"\n[tiled]\nempty = "floor"\n'
    (tmp_path / "bake.toml").write_text(costs)
    done = bake("build")
    assert done.code == 0, done.err
    assert (tmp_path / "baked" / "map.h5").is_file()
    (tmp_path / "bake.toml").write_text(costs + '[tiled.legend]\n"tile:set:77" = "wall"\n')
    assert "matches this entry" in bake("lint").out
    (tmp_path / "bake.toml").unlink()
    assert bake("init").code == 0
    assert "levels_src/*.json" in (tmp_path / "bake.toml").read_text()


def test_maps_called_json_in_worlds(tmp_path: Path) -> None:
    write(tmp_path, tmj(GIDS), "map_0_0.json")
    world = {"type": "world", "patterns": [{"regexp": r"map_(\d+)_(\d+)\.json"}]}
    path = write(tmp_path, json.dumps(world), "all.world")
    assert "no map" not in refused(
        write(tmp_path, json.dumps({**world, "maps": [{"fileName": "x.json"}]}), "b.world")
    )
    from bake.levels import load

    assert load(path, {}).terrain.shape == (2, 3)  # type: ignore[union-attr]


# -- references -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("owner", "text", "picture"),
    [
        ("m.tmx", map_with("sky.png", "imagelayer"), "sky.png"),
        ("m.tmx", map_with("sky &amp; sea.png", "imagelayer"), "sky & sea.png"),
        ("m.tmx", map_with("art\\Sky.PNG", "imagelayer"), "ART/sky.png"),
        ("m.tmj", tmj(GIDS, tilesets=[{"firstgid": 1, "image": "a\\/b.png"}]), "a/b.png"),
        ("m.tmj", json.dumps({"image": "k\u00f6nig.png"}), "k\u00f6nig.png"),
        ("m.ldtk", '{"relPath": "art/x.webp", "bgRelPath":null}', "art/x.webp"),
        ("m.ldtk", '{"bgRelPath" : "back.gif"}', "back.gif"),
    ],
)
def test_references_to_pictures(tmp_path: Path, owner: str, text: str, picture: str) -> None:
    path = write(tmp_path, text, owner)
    assert find_references([path], tmp_path) == {path_key(tmp_path / picture): path}


def test_references_of_files_that_are_referred_to(tmp_path: Path) -> None:
    path = write(tmp_path, map_with(""), "m.tmx")
    tileset = write(tmp_path, SET.format('<image source="../art/set.png"/>'), "parts/set.tsx")
    assert find_references([path], tmp_path) == {
        path_key(tileset): path,
        path_key(tmp_path / "art" / "set.png"): tileset,
    }
    # Files that lead to one another, are missing or damaged end no search.
    write(
        tmp_path, '<tileset source="set.tsx" image="a\0b.png"><image source="p.png', "parts/set.tsx"
    )
    assert path_key(tileset) in find_references([path], tmp_path)


def test_parts_outside_the_project_are_not_searched(tmp_path: Path) -> None:
    text = map_with("").replace("parts/set.tsx", "../art/set.tsx")
    path = write(tmp_path, text, "game/maps/m.tmx")
    tileset = write(tmp_path, SET.format('<image source="set.png"/>'), "game/art/set.tsx")
    assert path_key(tileset.with_name("set.png")) in find_references([path], tmp_path / "game")
    assert list(find_references([path], path.parent)) == [path_key(tileset)]
    # The parts of a level from elsewhere lie in its own folder.
    near = write(tmp_path, map_with(""), "near/m.tmx")
    write(tmp_path, SET.format('<image source="set.png"/>'), "near/parts/set.tsx")
    assert len(find_references([near], tmp_path / "game")) == 2


def test_references_of_levels_of_ldtk_in_files_of_their_own(tmp_path: Path) -> None:
    path = write(tmp_path, '{"externalRelPath": "w/A.ldtkl"}', "w.ldtk")
    own = write(tmp_path, '{"bgRelPath": "../back.png"}', "w/A.ldtkl")
    assert find_references([path], tmp_path)[path_key(tmp_path / "back.png")] == own


# -- levels and companions ------------------------------------------------------------------------


def test_pictures_of_maps_are_no_levels(tmp_path: Path) -> None:
    sources = tmp_path / "levels_src"
    write(sources, map_with("x"), "town.tmx")
    write(sources, SET.format('<image source="../Set.png"/>'), "parts/set.tsx")
    for name in ("set.png", "town.png", "cave.png"):
        picture(sources, name)
    left_out: list[LeftOut] = []
    # The recipe may have rules for the colors of pictures, so others stay.
    assert names(tmp_path, left_out) == ["cave.png", "town.tmx"]
    assert {each.file.name: each.why.partition(";")[0] for each in left_out} == {
        "set.png": "set.tsx refers to it",
        "town.png": "it has the name of town.tmx, so it is taken for its export",
    }


def test_pictures_beside_maps_without_a_recipe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "levels_src", tmx(layer(GIDS), width=3, height=2), "town.tmx")
    picture(tmp_path / "levels_src", "cave.png")
    picture(tmp_path, "elsewhere/cave.png")
    left_out: list[LeftOut] = []
    rules = load_recipe(None)
    assert [task.name for task in find_tasks(rules, [], None, left_out)] == ["town"]
    assert "a picture beside town.tmx" in left_out[0].why
    folders = [Path("levels_src"), Path("elsewhere")]
    found = find_tasks(rules, folders, None)
    assert [task.source.as_posix() for task in found] == [
        "elsewhere/cave.png",
        "levels_src/town.tmx",
    ]


def test_what_is_named_is_a_level(tmp_path: Path) -> None:
    sources = tmp_path / "levels_src"
    write(sources, map_with("set.png", "imagelayer"), "town.tmx")
    art = picture(sources, "set.png")
    assert names(tmp_path) == ["town.tmx"]
    by_name = ("levels_src/*", "levels_src/set.png")
    assert names(tmp_path, sources=by_name) == ["set.png", "town.tmx"]
    by_glob = ("levels_src/*", "levels_src/s*.png")
    assert names(tmp_path, sources=by_glob) == ["town.tmx"]
    rules = recipe_in(tmp_path, levels=("set",))
    assert [task.name for task in find_tasks(rules, [], None)] == ["set", "town"]
    # Rules for "town" are those of the map.
    picture(sources, "town.png")
    rules = recipe_in(tmp_path, levels=("town",))
    assert [task.source.name for task in find_tasks(rules, [], None)] == ["town.tmx"]
    for given in ([art, sources], [sources, art]):
        found = find_tasks(recipe_in(tmp_path), given, None)
        assert [task.name for task in found] == ["set", "town"]


def test_exports_and_tilesets_in_json(tmp_path: Path) -> None:
    sources = tmp_path / "levels_src"
    write(sources, tmj(GIDS, tilesets=[{"firstgid": 1, "source": "set.json"}]), "a.tmj")
    write(sources, json.dumps({"tilewidth": 16, "tileheight": 16, "margin": 0, "spacing": 0}),
          "set.json")  # fmt: skip
    write(sources, tmj(GIDS), "a.json")
    write(sources, tmj(GIDS), "b.json")
    picture(sources, "b.png")
    left_out: list[LeftOut] = []
    assert names(tmp_path, left_out) == ["a.tmj", "b.json"]
    assert {each.file.name for each in left_out} == {"set.json", "a.json", "b.png"}
    # Levels that have the name of a map clash with it as before.
    write(sources, json.dumps({"format": "bake-tiles"}), "a.json")
    with pytest.raises(Exception, match="bakes to the same"):
        names(tmp_path)
    alone = find_tasks(recipe_in(tmp_path), [sources / "set.json"], None)
    assert "tileset of Tiled" in refused(alone[0].source)


def test_pictures_of_ldtk(tmp_path: Path) -> None:
    sources = tmp_path / "levels_src"
    document = ldtk.project(ldtk.level("A", ldtk.int_grid("..")))
    document["defs"]["tilesets"][0]["relPath"] = "set.png"
    ldtk.write(sources / "w.ldtk", document)
    for name in ("set.png", "w.png", "other.png"):
        picture(sources, name)
    assert names(tmp_path) == ["other.png", "w.ldtk"]


def test_pictures_without_maps_are_not_searched_for(tmp_path: Path) -> None:
    assert find_companions([picture(tmp_path, "a.png")], tmp_path, all_pictures=True) == {}
    maps = [write(tmp_path, map_with(""), "m.tmx")]
    assert find_companions(maps, tmp_path, all_pictures=True) == {}


def test_what_is_left_out_is_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "levels_src", tmx(layer([[1, 1]]), width=2, height=1), "town.tmx")
    (tmp_path / "bake.toml").write_text("")
    for number in range(10):
        picture(tmp_path / "levels_src", f"{number}.png")
    everything = "".join(
        f'<imagelayer id="{number + 20}" name="i"><image source="{number}.png"/></imagelayer>'
        for number in range(10)
    )
    text = tmx(layer([[1, 1]]), everything, width=2, height=1)
    write(tmp_path / "levels_src", text, "town.tmx")
    done = bake("build")
    assert done.code == 0
    lines = [line for line in done.err.splitlines() if line.startswith("left out")]
    assert lines[0].startswith("left out: levels_src/0.png: town.tmx refers to it")
    assert lines[-1] == "left out: 2 more files"
    assert len(lines) == 9
    assert len(bake("build", "--json").data["left_out"]) == 10
    assert len(bake("lint", "--json").data["left_out"]) == 10
    assert "left out" in bake("lint").err
    assert bake("build", "--quiet").err == ""
