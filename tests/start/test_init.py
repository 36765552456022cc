"""`bake init`, end to end: a recipe that bakes, pictures, and every way it can fail."""

import json
import os
import re
import shlex
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

from bake.errors import BlockedCellError
from bake.recipe import load_recipe
from bake.runtime import open_asset
from bake.start.first_recipe import write_first_recipe
from tests.support.command import Done, bake, mistake
from tests.support.ldtk_projects import entities, entity, int_grid, level, project
from tests.support.tiled_maps import layer, objects, thing, tmx

#: A tileset that says nothing.
PLAIN = '<tileset firstgid="1" name="pieces" tilecount="6" columns="3"/>'
WIDE = {"width": 6, "height": 3}
ALL = [[1] * 6] * 3
RING = [[2] * 6, [2, 0, 0, 0, 0, 2], [2] * 6]
FEW = [[0] * 6, [0, 0, 3, 0, 0, 0], [0] * 6]


@pytest.fixture
def game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder; the working directory."""
    folder = tmp_path / "game"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def init(*arguments: str | Path) -> Done:
    return bake("init", "--jobs", "1", *arguments)


def recipe() -> dict[str, Any]:
    return tomllib.loads(Path("bake.toml").read_text("utf-8"))


def save(name: str, text: str) -> Path:
    file = Path(name)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")
    return file


def tiled(name: str, *parts: str, tileset: str = PLAIN) -> Path:
    return save(name, tmx(*parts, tileset=tileset, **WIDE))


def picture(rows: list[list[tuple[int, int, int]]], name: str = "level.png") -> None:
    image = Image.new("RGB", (len(rows[0]), len(rows)))
    image.putdata([colour for row in rows for colour in row])
    image.save(name)


def blocked(name: str) -> list[str]:
    """The cells of a baked level: "#" where nobody can stand."""
    with open_asset(Path("baked") / f"{name}.h5") as asset:
        nav = asset.profile()

        def letter(x: int, y: int) -> str:
            try:
                return "." if nav.reachable((x, y), (x, y)) else "?"
            except BlockedCellError:
                return "#"

        return ["".join(letter(x, y) for x in range(asset.width)) for y in range(asset.height)]


def built() -> None:
    done = bake("build", "--jobs", "1")
    assert (done.code, done.errors) == (0, [])


def test_layers_by_their_names(game: Path) -> None:
    tiled("m.tmx", layer(ALL, name="Ground"), layer(RING, name="Walls"), layer(ALL, name="Roofs"))
    done = init()
    assert (done.code, done.errors) == (0, [])
    assert recipe() == {
        "sources": ["*.tmx"],
        "output": "baked",
        "tiled": {
            "ignore": ["Roofs"],
            "legend": {"layer:Ground": "ground", "layer:Walls": "wall"},
        },
        "terrain": {"ground": 1, "wall": "blocked"},
    }
    assert Path("baked/m.png").stat().st_size > 0
    built()
    assert blocked("m") == ["######", "#....#", "######"]


def test_layers_by_what_they_cover(game: Path) -> None:
    tiled("m.tmx", layer(ALL, name="Tile Layer 1"), layer(FEW, name="Tile Layer 2"))
    done = init()
    assert done.code == 0
    assert "the lowest layer, on 100% of the map" in done.out
    assert '[tiled.legend] "layer:Tile Layer 2" = "wall": a layer on 6% of the map' in done.out
    built()
    assert blocked("m") == ["......", "..#...", "......"]


def test_a_layer_of_collisions_says_it_all(game: Path) -> None:
    tiled(
        "m.tmx",
        layer(ALL, name="A"),
        layer(FEW, name="B"),
        layer(RING, name="Collision"),
    )
    assert init().code == 0
    assert recipe()["tiled"]["legend"]["layer:B"] == "below"
    built()
    assert blocked("m") == ["######", "#....#", "######"]


def test_walls_without_a_floor(game: Path) -> None:
    tiled("m.tmx", layer(RING, name="Walls"))
    assert init().code == 0
    assert recipe()["tiled"]["empty"] == "floor"
    built()
    assert blocked("m") == ["######", "#....#", "######"]


@pytest.mark.parametrize(
    ("inside", "entry"),
    [
        ('<property name="collides" type="bool" value="true"/>', "property:collides"),
        ('<property name="solid" value="true"/>', "property:solid=true"),
        ('<property name="passable" type="bool" value="false"/>', "property:passable=false"),
        ('<property name="kind" value="wall"/>', "property:kind=wall"),
        ('<property name="collision" type="int" value="1"/>', "property:collision=1"),
    ],
)
def test_properties_of_tiles(game: Path, inside: str, entry: str) -> None:
    tileset = PLAIN.replace(
        "/>", f'><tile id="1"><properties>{inside}</properties></tile></tileset>'
    )
    tiled("m.tmx", layer(ALL, name="L1"), layer(RING, name="L2"), tileset=tileset)
    assert init().code == 0
    assert recipe()["tiled"]["legend"][entry] == "wall"
    built()
    assert blocked("m") == ["######", "#....#", "######"]


def test_wang_colours_go_before_layers(game: Path) -> None:
    tileset = PLAIN.replace(
        "/>",
        '><wangsets><wangset name="w" type="corner" tile="-1"><wangcolor name="Meadow"/>'
        '<wangcolor name="Deep Water"/><wangtile tileid="0" wangid="0,1,0,1,0,1,0,1"/>'
        '<wangtile tileid="1" wangid="0,2,0,2,0,2,0,2"/></wangset></wangsets></tileset>',
    )
    both = [[1, 1, 1, 2, 2, 2]] * 3
    tiled("m.tmx", layer(both, name="Tile Layer 1"), tileset=tileset)
    assert init().code == 0
    legend = recipe()["tiled"]["legend"]
    assert legend == {"wang:Meadow": "meadow", "wang:Deep Water": "water"}
    built()
    assert blocked("m") == ["...###"] * 3


def test_classes_keep_their_names(game: Path) -> None:
    tileset = PLAIN.replace(
        "/>", '><tile id="1" class="pine tree"/><tile id="0" class="zzz"/></tileset>'
    )
    tiled("m.tmx", layer(ALL), layer(RING, name="Two"), tileset=tileset)
    done = init()
    assert done.code == 0
    assert recipe()["terrain"] == {"pine tree": "blocked", "zzz": 1}
    assert "[terrain] zzz = 1: its name says nothing about its cost" in done.out


def test_objects_of_games(game: Path) -> None:
    """Doors of strangers have no states, and two spots may have one name."""
    drawn = (thing(1, "door", (20, 20)), thing(2, "PlayerStart", (20, 20), name="p"))
    twice = (thing(3, "spawn", (20, 20), name="x"), thing(4, "spawn", (40, 20), name="x"))
    tiled("a.tmx", layer(ALL), objects(drawn[1]))
    tiled("b.tmx", layer(ALL), objects(*drawn))
    tiled("c.tmx", layer(ALL), objects(*twice))
    done = init()
    assert (done.code, done.errors) == (0, [])
    assert recipe()["tiled"]["legend"]["object:PlayerStart"] == "spawn"
    assert recipe()["levels"]["c"]["tiled"]["legend"]["object:spawn"] == "below"
    built()


BOX = {"width": 32, "height": 16}


@pytest.mark.parametrize(
    ("drawn", "entry"),
    [
        (objects(thing(1, "", (16, 16), **BOX), name="Collisions"), "layer:Collisions"),
        (objects(thing(1, "zone", (16, 16), **BOX), name="Trees"), "layer:Trees"),
        (objects(thing(1, "wall", (16, 16), **BOX), name="Stuff"), "object:wall"),
        (objects(thing(1, "", (16, 16), name="water", **BOX), name="Stuff"), "object:water"),
    ],
)
def test_shapes_of_objects(game: Path, drawn: str, entry: str) -> None:
    tiled("m.tmx", layer(ALL), drawn)
    assert init().code == 0
    assert entry in recipe()["tiled"]["legend"]
    built()
    assert blocked("m") == ["......", ".##...", "......"]


@pytest.mark.parametrize(
    "drawn",
    [
        objects(thing(1, "", (0, 0), width=96, height=48), name="Collisions"),
        objects(thing(1, "", (16, 16), name="guard the wall", **BOX), name="Wall events"),
        objects(thing(1, "water", (16, 16)), name="Points"),
    ],
)
def test_objects_that_are_no_obstacles(game: Path, drawn: str) -> None:
    """Frames around whole maps, events, and points."""
    tiled("m.tmx", layer(ALL), drawn)
    assert init().code == 0
    built()
    assert blocked("m") == ["......"] * 3


def test_collision_shapes_of_tiles(game: Path) -> None:
    shape = '<objectgroup><object id="1" x="0" y="0" width="16" height="16"/></objectgroup>'
    tileset = PLAIN.replace(
        "/>", f' tilewidth="16" tileheight="16"><tile id="1">{shape}</tile></tileset>'
    )
    mixed = [[1, 1, 2, 2, 1, 1]] * 3
    tiled("m.tmx", layer(mixed, name="A"), layer(FEW, name="B"), tileset=tileset)
    assert init().code == 0
    assert recipe()["tiled"]["legend"]["collision"] == "wall"
    built()
    assert blocked("m") == ["..##.."] * 3


def test_a_map_of_objects_alone(game: Path) -> None:
    tiled("m.tmx", objects(thing(1, "", (16, 16), **BOX), name="Stuff"), tileset="")
    done = init()
    assert done.code == 0
    assert '"layer:Stuff" = "wall": the layer of most objects' in done.out
    built()
    assert blocked("m") == ["......", ".##...", "......"]


def test_objects_that_cannot_be_read(game: Path) -> None:
    lost = thing(1, "", (16, 16), template="gone.tx")
    tiled("m.tmx", layer(ALL), objects(lost, name="Heroes"))
    done = init()
    assert done.code == 0
    assert 'objects of "Heroes" cannot be read: the file "gone.tx" is missing' in done.out
    assert recipe()["tiled"]["ignore"] == ["Heroes"]
    built()


def test_spawns_do_not_stand_on_walls(game: Path) -> None:
    spawn = objects(thing(1, "spawn", (40, 20)))
    tiled("m.tmx", layer(ALL, name="A"), layer(FEW, name="B"), spawn)
    done = init()
    assert done.code == 0
    assert '"layer:B" = "below": a layer on 6% of the map, over "A"; spawns stand on it' in done.out
    built()
    assert blocked("m") == ["......"] * 3


def test_two_maps_that_do_not_agree(game: Path) -> None:
    tiled("a.tmx", layer(ALL, name="Low"), layer(FEW, name="Tile Layer 2"))
    tiled("b.tmx", layer(ALL, name="Tile Layer 2"))
    assert init().code == 0
    assert recipe()["tiled"]["legend"]["layer:Tile Layer 2"] == "floor"
    assert recipe()["levels"] == {"a": {"tiled": {"legend": {"layer:Tile Layer 2": "wall"}}}}
    built()


def test_a_tileset_says_nothing_where_the_layer_does(game: Path) -> None:
    """The same set of tiles draws walls in one map, and is the floor of another."""
    walls = PLAIN.replace('"pieces"', '"stone walls"')
    tiled("a.tmx", layer(RING, name="Two"), tileset=walls)
    tiled("b.tmx", layer(ALL, name="Floor"), tileset=walls)
    assert init().code == 0
    assert recipe()["levels"]["a"]["tiled"]["legend"] == {"tileset:stone walls": "wall"}
    built()
    assert blocked("b") == ["......"] * 3


def test_values_of_ldtk(game: Path) -> None:
    save("a.ldtk", json.dumps(project(level("One", int_grid("#..~", "#.m.")))))
    assert init().code == 0
    assert recipe()["terrain"] == {"walls": "blocked", "water": "blocked", "mud": 3}
    built()
    assert blocked("a") == ["#..#", "#..."]


def test_values_of_ldtk_without_names(game: Path) -> None:
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


def test_levels_of_ldtk_that_overlap_or_stand_in_a_row(game: Path) -> None:
    levels = [level(name, int_grid("#..")) for name in ("One", "Two")]
    save("a.ldtk", json.dumps(project(*levels)))
    save("b.ldtk", json.dumps(project(*levels, layout="LinearHorizontal")))
    save("c.ldtk", json.dumps(project(level("Only", int_grid("#..")))))
    assert init().code == 0
    levels_of = recipe()["levels"]
    assert {name: levels_of[name]["ldtk"]["world"] for name in "ab"} == {"a": "each", "b": "each"}
    assert "c" not in levels_of
    built()


def test_entities_of_ldtk(game: Path) -> None:
    ways = [entity("Portal", 1, 0, iid="p", to=["q"]), entity("Portal", 3, 0, iid="q", to=["p"])]
    things = entities(*ways, entity("Hero", 2, 0), width=4, height=2)
    save("a.ldtk", json.dumps(project(level("One", things, int_grid("#..~", "#...")))))
    done = init()
    assert done.code == 0
    assert recipe()["ldtk"]["legend"] == {"entity:Portal": "link", "entity:Hero": "spawn"}
    # A link ends in the water, so that somebody can stand there.
    assert recipe()["terrain"]["water"] == 3
    built()


def test_colours_of_images(game: Path) -> None:
    green, blue, dark = (90, 160, 70), (50, 100, 200), (40, 38, 44)
    picture([[green, green, blue], [dark, green, blue], [(0, 0, 0), (255, 255, 255), green]])
    done = init()
    assert done.code == 0
    assert '[legend] "#3264c8" = "water": blue, 22.2% of level.png' in done.out
    built()
    assert blocked("level") == ["..#", "#.#", "#.."]


def test_an_image_all_in_colours_of_walls(game: Path) -> None:
    picture([[(40, 40, 40), (30, 30, 30), (20, 20, 200)]])
    done = init()
    assert done.code == 0
    assert "nobody could stand anywhere else" in done.out
    built()


def test_tiles_and_graphs_in_json(game: Path) -> None:
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


def test_a_map_that_states_everything_needs_no_line(game: Path) -> None:
    save("a.map", "type octile\nheight 1\nwidth 3\nmap\n.@W\n")
    done = init()
    assert done.code == 0
    assert recipe() == {"sources": ["*.map"], "output": "baked"}
    assert "0 guessed lines for 1 level" in done.out


def test_it_is_deterministic(game: Path) -> None:
    tiled("a.tmx", layer(ALL, name="Low"), layer(FEW, name="Tile Layer 2"))
    picture([[(9, 160, 9), (9, 9, 200)]])
    save("b.ldtk", json.dumps(project(level("One", int_grid("#..~")))))
    init("--no-pictures")
    first = Path("bake.toml").read_bytes()
    assert init("--no-pictures", "--force").code == 0
    assert Path("bake.toml").read_bytes() == first


NAME = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=30)


@settings(
    deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
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


@settings(
    deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
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
def test_a_name_that_is_not_utf_8(game: Path) -> None:
    text = "type octile\nheight 1\nwidth 3\nmap\n...\n"
    save("a.map", text)
    Path(os.fsdecode(b"b\xff.map")).write_text(text)
    done = init()
    assert (done.code, done.errors) == (0, [])
    assert "b\\udcff.map: a recipe cannot hold this name" in done.out
    assert recipe()["sources"] == ["a.map"]
    built()


def test_a_very_long_name(game: Path) -> None:
    tiled("m.tmx", layer(ALL, name="Ground"), layer(RING, name="W&quot;all" + "x" * 3000))
    assert init().code == 0
    assert all(len(line) < 4000 for line in Path("bake.toml").read_text().splitlines())
    built()


# -- what is there already, and what cannot be read or written -------------------------------------


def test_a_recipe_is_never_replaced_unasked(game: Path) -> None:
    save("a.map", "type octile\nheight 1\nwidth 3\nmap\n...\n")
    save("bake.toml", "# mine\n")
    mistake(init(), "bake.toml: there is a recipe already", "bake init --force")
    assert Path("bake.toml").read_text() == "# mine\n"
    assert init("--force").code == 0
    assert recipe()["sources"] == ["*.map"]


def test_pictures_are_never_replaced_unasked(game: Path) -> None:
    save("a.map", "type octile\nheight 1\nwidth 3\nmap\n...\n")
    kept = save("baked/a.png", "mine")
    done = init()
    assert done.code == 0
    assert "was there already" in done.out
    assert kept.read_text() == "mine"
    assert init("--force").code == 0
    assert kept.read_bytes().startswith(b"\x89PNG")


def test_no_pictures(game: Path) -> None:
    save("a.map", "type octile\nheight 1\nwidth 3\nmap\n...\n")
    assert init("--no-pictures").code == 0
    assert sorted(each.name for each in game.iterdir()) == ["a.map", "bake.toml"]


def test_another_folder(game: Path) -> None:
    save("other/maps/a.map", "type octile\nheight 1\nwidth 3\nmap\n...\n")
    done = init("other")
    assert done.code == 0
    assert Path("other/baked/a.png").exists()
    recipe_of = Path("other/bake.toml")
    assert f"run `bake build --recipe {recipe_of}`" in done.out
    assert load_recipe(Path("other/bake.toml")).sources == ("maps/*.map",)


def test_the_command_that_is_told_can_be_pasted(game: Path) -> None:
    save("my game/a.map", "type octile\nheight 1\nwidth 3\nmap\n...\n")
    done = init("my game")
    (told,) = re.findall(r"run `bake (.*)`", done.out)
    assert bake(*shlex.split(told)).code == 0


def test_no_level_at_all(game: Path) -> None:
    mistake(init(), "no level file was found in this folder")
    assert list(game.iterdir()) == []
    mistake(init("nowhere"), "nowhere: there is no such folder")
    mistake(init(save("a.map", "type octile")), "a.map: this is a file")


def test_a_level_that_cannot_be_read_does_not_stop_the_others(game: Path) -> None:
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
def test_a_folder_that_may_not_be_written_to(game: Path) -> None:
    save("a.map", "type octile\nheight 1\nwidth 3\nmap\n...\n")
    game.chmod(0o500)
    try:
        mistake(init(), "bake.toml: cannot be written: Permission denied")
    finally:
        game.chmod(0o700)


def test_a_full_disk(game: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save("a.map", "type octile\nheight 1\nwidth 3\nmap\n...\n")

    def full(*_: object, **__: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    mistake(init(), "bake.toml: cannot be written: No space left on device")
    assert [each.name for each in game.iterdir()] == ["a.map"]


def test_the_folder_of_pictures_is_a_file(game: Path) -> None:
    save("a.map", "type octile\nheight 1\nwidth 3\nmap\n...\n")
    save("baked", "")
    mistake(init(), "baked: the folder of the pictures cannot be made")


def test_json(game: Path) -> None:
    tiled("m.tmx", layer(ALL, name="Tile Layer 1"))
    data = init("--json").data
    assert data["recipe"] == "bake.toml"
    (one,) = data["levels"]
    assert (one["level"], one["places"], one["picture"]) == ("m", 18, "baked/m.png")
    assert [each["key"] for each in data["decide"]] == ["layer:Tile Layer 1"]
    assert data["left_out"] == []
