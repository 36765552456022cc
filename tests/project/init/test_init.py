"""`bake init`, end to end: a recipe that bakes, pictures, and every way it can fail."""

import json
import os
import re
import shlex
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bake.project.init.first_recipe import write_first_recipe
from bake.project.recipe import load_recipe
from tests.support.command import bake, mistake
from tests.support.first_recipes import (
    ALL,
    FEW,
    PLAIN,
    RING,
    WIDE,
    blocked,
    built,
    init,
    picture,
    recipe,
    save,
    tiled,
)
from tests.support.ldtk_projects import entities, entity, int_grid, level, project
from tests.support.side_view import SIDE
from tests.support.tiled_maps import layer, objects, thing, tmx


def test_values_of_ldtk(bare: Path) -> None:
    save("a.ldtk", json.dumps(project(level("One", int_grid("#..~", "#.m.")))))
    assert init().code == 0
    assert recipe()["terrain"] == {"walls": "blocked", "water": "blocked", "mud": 3}
    built()
    assert blocked("a") == ["#..#", "#..."]


@pytest.mark.parametrize("name", ["Collisions", "MainCollisions", "Walls", "bounds"])
def test_a_layer_of_collisions_whose_values_say_otherwise(bare: Path, name: str) -> None:
    document = project(level("One", int_grid("#..~", "#.m.", name=name)))
    definition = document["defs"]["layers"][0]
    definition["identifier"] = name
    for value, called in zip(definition["intGridValues"], ("dirt", "stone", "grass"), strict=True):
        value["identifier"] = called
    save("a.ldtk", json.dumps(document))
    result = init()
    assert result.code == 0
    assert recipe()["terrain"] == dict.fromkeys(("dirt", "stone", "grass"), "blocked")
    for called in ("dirt", "stone", "grass"):
        said = f'the value\'s name says "{called}", and its layer is called "{name}"'
        assert f'{called} = "blocked": {said}' in result.out
    built()
    assert blocked("a") == ["#..#", "#.#."]


def test_a_layer_of_collisions_that_holds_floors_as_well(bare: Path) -> None:
    document = project(level("One", int_grid("#mmm", "#mm.", name="Collisions")))
    document["defs"]["layers"][0]["identifier"] = "Collisions"
    save("a.ldtk", json.dumps(document))
    assert 'mud = 3: the value\'s name says "mud"' in init().out
    assert recipe()["terrain"] == {"walls": "blocked", "mud": 3}


def test_values_of_ldtk_without_names(bare: Path) -> None:
    document = project(level("One", int_grid("#..~")))
    for value in document["defs"]["layers"][0]["intGridValues"]:
        value["identifier"] = None
        value["color"] = {1: "#000000", 2: "#2060d0"}.get(value["value"], "#ffffff")
    save("a.ldtk", json.dumps(document))
    assert init().code == 0
    legend = recipe()["ldtk"]["legend"]
    assert legend == {"value:Ground:1": "wall", "value:Ground:2": "water"}
    built()
    assert blocked("a") == ["#..#"]


def test_levels_of_ldtk_that_overlap_or_stand_in_a_row(bare: Path) -> None:
    levels = [level(name, int_grid("#..")) for name in ("One", "Two")]
    save("a.ldtk", json.dumps(project(*levels)))
    save("b.ldtk", json.dumps(project(*levels, layout="LinearHorizontal")))
    save("c.ldtk", json.dumps(project(level("Only", int_grid("#..")))))
    assert init().code == 0
    levels_of = recipe()["levels"]
    assert {name: levels_of[name]["ldtk"]["world"] for name in "ab"} == {"a": "each", "b": "each"}
    assert "c" not in levels_of
    built()


def test_entities_of_ldtk(bare: Path) -> None:
    ways = [entity("Portal", 1, 0, iid="p", to=["q"]), entity("Portal", 3, 0, iid="q", to=["p"])]
    things = entities(*ways, entity("Hero", 2, 0), width=4, height=2)
    save("a.ldtk", json.dumps(project(level("One", things, int_grid("#..~", "#...")))))
    done = init()
    assert done.code == 0
    assert recipe()["ldtk"]["legend"] == {"entity:Portal": "link", "entity:Hero": "spawn"}
    # A link ends in the water, so that somebody can stand there.
    assert recipe()["terrain"]["water"] == 3
    built()


def test_colours_of_images(bare: Path) -> None:
    green, blue, dark = (90, 160, 70), (50, 100, 200), (40, 38, 44)
    picture([[green, green, blue], [dark, green, blue], [(0, 0, 0), (255, 255, 255), green]])
    done = init()
    assert done.code == 0
    assert '[legend] "#3264c8" = "water": blue, 22.2% of level.png' in done.out
    built()
    assert blocked("level") == ["..#", "#.#", "#.."]


def test_an_image_all_in_colours_of_walls(bare: Path) -> None:
    picture([[(40, 40, 40), (30, 30, 30), (20, 20, 200)]])
    done = init()
    assert done.code == 0
    assert "no other terrain is walkable" in done.out
    built()


def test_tiles_and_graphs_in_json(bare: Path) -> None:
    head = {"format": "bake-tiles", "version": 1}
    asks = {**head, "legend": {".": "moor", "#": "cliff", "~": "mud"}, "rows": [".#~"]}
    says = {**head, "legend": {"~": "mud"}, "terrains": {"mud": 7}, "rows": ["~~~"]}
    save("t.json", json.dumps(asks))
    save("u.json", json.dumps(says))
    nodes = [{"id": "A", "terrain": "sand"}, {"id": "B", "terrain": "sand"}]
    edges = [{"source": "A", "target": "B"}]
    graph = {"directed": False, "multigraph": False, "graph": {}, "nodes": nodes, "edges": edges}
    save("g.json", json.dumps(graph))
    assert init().code == 0
    assert recipe()["terrain"] == {"moor": 1, "cliff": "blocked", "sand": 1.5}
    # What one file says of mud stands there, so a line for all would override it.
    assert recipe()["levels"] == {"t": {"terrain": {"mud": 3}}}
    built()


def test_a_map_that_states_everything_needs_no_line(bare: Path) -> None:
    save("a.map", "type octile\nheight 1\nwidth 3\nmap\n.@W\n")
    done = init()
    assert done.code == 0
    assert recipe() == {"sources": ["*.map"], "output": "baked"}
    assert "0 guessed lines for 1 level" in done.out


def test_it_is_deterministic(bare: Path) -> None:
    tiled("a.tmx", layer(ALL, name="Low"), layer(FEW, name="Tile Layer 2"))
    picture([[(9, 160, 9), (9, 9, 200)]])
    save("b.ldtk", json.dumps(project(level("One", int_grid("#..~")))))
    init("--no-pictures")
    first = Path("bake.toml").read_bytes()
    assert init("--no-pictures", "--force").code == 0
    assert Path("bake.toml").read_bytes() == first


NAME = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=30)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(names=st.lists(NAME, min_size=3, max_size=3))
def test_names_of_strangers(tmp_path_factory: pytest.TempPathFactory, names: list[str]) -> None:
    folder = tmp_path_factory.mktemp("game")
    escaped = ["".join(f"&#{ord(letter)};" for letter in name) for name in names]
    tileset = PLAIN.replace(
        "/>",
        f'><tile id="1"><properties><property name="{escaped[1]}" type="bool" value="true"/>'
        f'</properties></tile><tile id="2" type="{escaped[2]}"/></tileset>',
    )
    text = tmx(layer(ALL, name=escaped[0]), layer(RING, name=escaped[1]), tileset=tileset, **WIDE)
    (folder / "m.tmx").write_text(text, "utf-8")
    started = write_first_recipe(folder, force=False)
    load_recipe(started.recipe)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(names=st.lists(NAME, min_size=3, max_size=3, unique=True))
def test_values_of_strangers(tmp_path_factory: pytest.TempPathFactory, names: list[str]) -> None:
    folder = tmp_path_factory.mktemp("game")
    document = project(level(names[0], int_grid("#..~"), entities(entity(names[2], 1, 0))))
    for value, name in zip(document["defs"]["layers"][0]["intGridValues"], names, strict=True):
        value["identifier"] = name
    (folder / "m.ldtk").write_text(json.dumps(document), "utf-8")
    started = write_first_recipe(folder, force=False)
    load_recipe(started.recipe)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_a_name_that_is_not_utf_8(bare: Path) -> None:
    text = "type octile\nheight 1\nwidth 3\nmap\n...\n"
    save("a.map", text)
    Path(os.fsdecode(b"b\xff.map")).write_text(text)
    done = init()
    assert (done.code, done.errors) == (0, [])
    assert "b\\udcff.map: a recipe cannot hold this name" in done.out
    assert recipe()["sources"] == ["a.map"]
    built()


def test_a_very_long_name(bare: Path) -> None:
    tiled("m.tmx", layer(ALL, name="Ground"), layer(RING, name="W&quot;all" + "x" * 3000))
    assert init().code == 0
    assert all(len(line) < 4000 for line in Path("bake.toml").read_text().splitlines())
    built()


# -- what is there already, and what cannot be read or written -------------------------------------


def test_a_recipe_is_never_replaced_unasked(bare: Path) -> None:
    save("a.map", "type octile\nheight 1\nwidth 3\nmap\n...\n")
    save("bake.toml", "# mine\n")
    mistake(init(), "bake.toml: there is a recipe already", "bake init --force")
    assert Path("bake.toml").read_text() == "# mine\n"
    assert init("--force").code == 0
    assert recipe()["sources"] == ["*.map"]


def test_pictures_are_never_replaced_unasked(bare: Path) -> None:
    save("a.map", "type octile\nheight 1\nwidth 3\nmap\n...\n")
    kept = save("baked/a.png", "mine")
    done = init()
    assert done.code == 0
    assert "was there already" in done.out
    assert kept.read_text() == "mine"
    assert init("--force").code == 0
    assert kept.read_bytes().startswith(b"\x89PNG")


def test_no_pictures(bare: Path) -> None:
    save("a.map", "type octile\nheight 1\nwidth 3\nmap\n...\n")
    assert init("--no-pictures").code == 0
    assert sorted(each.name for each in bare.iterdir()) == ["a.map", "bake.toml"]


def test_another_folder(bare: Path) -> None:
    save("other/maps/a.map", "type octile\nheight 1\nwidth 3\nmap\n...\n")
    done = init("other")
    assert done.code == 0
    assert Path("other/baked/a.png").exists()
    recipe_of = Path("other/bake.toml")
    assert f"run `bake build --recipe {recipe_of}`" in done.out
    assert load_recipe(Path("other/bake.toml")).sources == ("maps/*.map",)


def test_the_command_that_is_told_can_be_pasted(bare: Path) -> None:
    save("my game/a.map", "type octile\nheight 1\nwidth 3\nmap\n...\n")
    done = init("my game")
    (told,) = re.findall(r"run `bake (.*)`", done.out)
    assert bake(*shlex.split(told)).code == 0


def test_a_map_seen_from_the_side_is_told(bare: Path) -> None:
    tiles = {"format": "bake-tiles", "version": 1, "terrains": {"air": 1, "platform": "blocked"}}
    document = {**tiles, "legend": {".": "air", "#": "platform"}, "rows": SIDE}
    save("side.json", json.dumps(document))
    out = init().out
    assert "worth knowing:\n  side.json: warning [gravity] the level looks like one of" in out
    assert [each["rule"] for each in init("--force", "--json").data["findings"]] == ["gravity"]
    document["rows"] = SIDE[::-1]
    save("side.json", json.dumps(document))
    assert "worth knowing" not in init("--force").out


def test_what_is_ignored_is_told_once(bare: Path) -> None:
    crates = objects(*(thing(number, "Crate", (8, 8)) for number in range(1, 4)))
    for name in ("a.tmx", "b.tmx"):
        save(name, tmx(layer([[1, 1]]) + crates, width=2, height=1))
    out = init().out
    assert out.count("[ignored]") == 2
    assert 'a.tmx: layer "Things": warning [ignored] all of its objects mean nothing' in out


def test_no_level_at_all(bare: Path) -> None:
    mistake(init(), "no level file was found in this folder")
    assert list(bare.iterdir()) == []
    mistake(init("nowhere"), "nowhere: there is no such folder")
    mistake(init(save("a.map", "type octile")), "a.map: this is a file")


def test_a_level_that_cannot_be_read_does_not_stop_the_others(bare: Path) -> None:
    save("bad.map", "type octile\nheight 9\nwidth 3\nmap\n...\n")
    save("good.map", "type octile\nheight 1\nwidth 3\nmap\n...\n")
    done = init()
    assert mistake(done, "bad.map")
    assert "cannot be baked yet" in done.out
    assert Path("baked/good.png").exists()
    assert recipe()["sources"] == ["*.map"]


@pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() == 0, reason="nothing is closed to this user"
)
def test_a_folder_that_may_not_be_written_to(bare: Path) -> None:
    save("a.map", "type octile\nheight 1\nwidth 3\nmap\n...\n")
    bare.chmod(0o500)
    try:
        mistake(init(), "bake.toml: cannot be written: Permission denied")
    finally:
        bare.chmod(0o700)


def test_a_full_disk(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save("a.map", "type octile\nheight 1\nwidth 3\nmap\n...\n")

    def full(*_: object, **__: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    mistake(init(), "bake.toml: cannot be written: No space left on device")
    assert [each.name for each in bare.iterdir()] == ["a.map"]


def test_the_folder_of_pictures_is_a_file(bare: Path) -> None:
    save("a.map", "type octile\nheight 1\nwidth 3\nmap\n...\n")
    save("baked", "")
    mistake(init(), "baked: the folder of the pictures cannot be created")


def test_json(bare: Path) -> None:
    tiled("m.tmx", layer(ALL, name="Tile Layer 1"))
    data = init("--json").data
    assert data["recipe"] == "bake.toml"
    (one,) = data["levels"]
    assert (one["level"], one["places"], one["picture"]) == ("m", 18, "baked/m.png")
    assert [each["key"] for each in data["decide"]] == ["layer:Tile Layer 1"]
    assert data["left_out"] == []
