"""Property and class names: case and blanks do not matter, and near misses are reported."""

import json
from pathlib import Path

import numpy as np
import pytest

from bake.core.level import GridLevel
from tests.support import ldtk_projects as ldtk
from tests.support.levels import named
from tests.support.tiled_maps import layer, objects, read, refused, thing, tmj, tmx, write
from tests.support.tiled_shapes import remarks


def with_tile(folder: Path, *properties: tuple[str, str, str], legend: dict[str, str]) -> GridLevel:
    """Read a map of one row: a tile without properties, then one that has these."""
    inside = "".join(
        f'<property name="{name}" type="{kind}" value="{value}"/>'
        for name, kind, value in properties
    )
    tileset = (
        '<tileset firstgid="1" name="set" tilewidth="16" tileheight="16" tilecount="2" columns="2">'
        f'<tile id="1"><properties>{inside}</properties></tile></tileset>'
    )
    text = tmx(layer([[1, 2, 2]], name="meadow"), width=3, height=1, tileset=tileset)
    return read(write(folder, text), legend=legend)


@pytest.mark.parametrize(
    ("name", "kind", "value", "terrain"),
    [
        ("Blocked", "bool", "true", "wall"),
        ("blocked ", "bool", "true", "wall"),
        (" WALKABLE", "bool", "true", "floor"),
        ("Terrain", "string", "bog", "bog"),
        ("terrain\t", "string", "bog", "bog"),
        ("COST", "float", "2.5", "cost 2.5"),
    ],
)
def test_tiles(tmp_path: Path, name: str, kind: str, value: str, terrain: str) -> None:
    level = with_tile(tmp_path, (name, kind, value), legend={})
    assert named(level) == [["meadow", terrain, terrain]]
    assert remarks(level) == []


def test_ledges_and_layers(tmp_path: Path) -> None:
    level = with_tile(tmp_path, ("Barred", "string", "north"), legend={})
    assert level.barred is not None
    assert level.barred.tolist()[0][1:] == [level.barred[0, 1]] * 2 != [0, 0]
    ground = layer([[1, 1]], name="x").replace(
        "<data", '<properties><property name="TERRAIN " value="sand"/></properties><data'
    )
    bare = '<tileset firstgid="1" name="set" tilewidth="16" tileheight="16" tilecount="1"/>'
    text = tmx(ground, width=2, height=1, tileset=bare)
    assert named(read(write(tmp_path, text))) == [["sand", "sand"]]


def test_things(tmp_path: Path) -> None:
    text = tmx(
        layer([[1] * 5]),
        objects(
            thing(1, "Spawn", (8, 8), "<point/>", name="a", Profiles="cat, dog"),
            thing(2, "LADDER ", (24, 8), "<point/>", name="up", To=3, **{"One_Way ": True}),
            thing(3, "exit", (72, 8), "<point/>", name="top"),
            thing(4, "Door", (32, 0), width=16, height=16, name="gate", STATES="a;b=wall"),
        ),
        width=5,
        height=1,
    )
    things = read(write(tmp_path, text)).things
    assert [(each.kind, each.profiles) for each in things.spots] == [
        ("spawn", ("cat", "dog")),
        ("exit", None),
    ]
    (link,) = things.links
    assert (link.kind, link.both_ways, link.goal) == ("ladder", False, (4, 0))
    assert [door.states for door in things.doors] == [(("a", None), ("b", "wall"))]


def test_entries_of_the_legend(tmp_path: Path) -> None:
    legend = {"property:solid": "rock", "object:spawn": "exit"}
    level = with_tile(tmp_path, ("Solid ", "bool", "true"), legend=legend)
    assert named(level) == [["meadow", "rock", "rock"]]
    text = tmx(layer([[1]]), objects(thing(1, "Spawn", (8, 8))), width=1, height=1)
    (spot,) = read(write(tmp_path, text), legend=legend).things.spots
    assert spot.kind == "exit"


def test_one_name_in_two_spellings(tmp_path: Path) -> None:
    both = [("blocked", "bool", "true"), ("Blocked", "bool", "true")]
    assert named(with_tile(tmp_path, *both, legend={})) == [["meadow", "wall", "wall"]]
    with pytest.raises(Exception, match=r'tile 1 .*"set".*twice.*"Blocked"'):
        with_tile(tmp_path, both[0], ("Blocked", "bool", "false"), legend={})
    # Names that only the game reads may be spelled in any way.
    level = with_tile(tmp_path, ("hp", "int", "1"), ("HP", "int", "2"), legend={"property:hp": "x"})
    assert named(level)[0][1] == "x"


def test_a_template_is_overridden_in_another_spelling(tmp_path: Path) -> None:
    write(tmp_path, '<template><object type="spawn" x="0" y="0"><properties>'
          '<property name="Profiles" value="cat"/></properties><point/></object></template>',
          "start.tx")  # fmt: skip
    text = tmx(
        layer([[1, 1]]),
        objects(
            thing(1, "spawn", (8, 8), template="start.tx", profiles="dog"),
            thing(2, "spawn", (24, 8), template="start.tx"),
        ),
        width=2,
        height=1,
    )
    assert [each.profiles for each in read(write(tmp_path, text)).things.spots] == [
        ("dog",),
        ("cat",),
    ]


@pytest.mark.parametrize(
    ("name", "kind", "value", "near"),
    [
        ("blockd", "bool", "true", "blocked"),
        ("bolcked", "int", "1", "blocked"),
        ("Terain", "string", "bog", "terrain"),
        ("one-way", "string", "north", "one_way"),
        ("bared", "string", "north", "barred"),
        ("costs", "float", "2", "cost"),
    ],
)
def test_near_misses_of_tiles(tmp_path: Path, name: str, kind: str, value: str, near: str) -> None:
    level = with_tile(tmp_path, (name, kind, value), legend={})
    assert named(level) == [["meadow"] * 3]
    (remark,) = remarks(level)
    assert remark.startswith('tile 1 of tileset "set"')
    assert json.dumps(name) in remark
    assert json.dumps(near) in remark
    # An entry of the legend about the name shows that it is meant.
    known = with_tile(tmp_path, (name, kind, value), legend={f"property:{name}": "bush"})
    assert remarks(known) == []


@pytest.mark.parametrize(
    ("name", "kind", "value"),
    [
        ("hp", "int", "1"),
        ("coat", "string", "red"),  # one edit from "cost", but no number
        ("states", "string", "a;b"),  # a name that is read, though not of tiles
        ("blook", "bool", "true"),
    ],
)
def test_names_that_are_not_near(tmp_path: Path, name: str, kind: str, value: str) -> None:
    assert remarks(with_tile(tmp_path, (name, kind, value), legend={})) == []


def test_near_misses_of_objects_and_layers(tmp_path: Path) -> None:
    ground = layer([[1] * 4]).replace(
        "<data", '<properties><property name="bakes" value="elevation"/></properties><data'
    )
    group = (
        '<group id="9" name="g"><properties><property name="flor" type="int" value="1"/>'
        f"</properties>{ground}</group>"
    )
    items = [
        thing(number, "spawn", (8 + 16 * number, 8), "<point/>", profile="cat") for number in (1, 2)
    ]
    crate = thing(3, "crate", (8, 8), "<point/>", spott=True, slot=3)
    odd = thing(4, "spwan", (8, 8), "<point/>")
    text = tmx(group, objects(*items, crate, odd), width=4, height=1)
    found = remarks(read(write(tmp_path, text)))
    assert [line.partition(": ")[0] for line in found] == [
        'layer "g"',
        'layer "g/Ground"',
        'layer "Things"',
        'layer "Things", object 3',
        'layer "Things", object 4',
    ]
    for line, near in zip(found, ("floor", "bake", "profiles", "spot", "spawn"), strict=True):
        assert json.dumps(near) in line
    assert "(2 places)" in found[2]


@pytest.mark.parametrize(
    ("value", "raises", "remarked"),
    [
        ('value="elevation"', True, False),
        ('value=" Elevation"', True, False),
        ('value="elevaton"', False, True),
        ('value="lightmap"', False, False),
        ('type="bool" value="true"', False, False),
    ],
)
def test_purposes_of_layers(tmp_path: Path, value: str, *, raises: bool, remarked: bool) -> None:
    heights = layer([[3]], name="heights").replace(
        "<data", f'<properties><property name="bake" {value}/></properties><data'
    )
    path = write(tmp_path, tmx(layer([[1]]), heights, width=1, height=1))
    if raises:
        assert "elevation" in refused(path)
        return
    level = read(path)
    assert named(level) == [["mud"]]
    assert ["elevaton" in line for line in remarks(level)] == [True] * remarked


def test_near_misses_of_many_names_are_summed_up(tmp_path: Path) -> None:
    names = [f"blocke{letter}" for letter in "abcefghijklmnopqrstuv"]
    level = with_tile(tmp_path, *((name, "bool", "true") for name in names), legend={})
    found = remarks(level)
    assert len(found) == 17
    assert found[-1].startswith(f"None: {len(names) - 16} more")


def test_names_in_json(tmp_path: Path) -> None:
    tiles = [{"id": 0, "properties": [{"name": "Blocked ", "type": "bool", "value": True}]}]
    text = tmj([[1, 2]], tilesets=[{"firstgid": 1, "name": "t", "tilecount": 2, "tiles": tiles}])
    assert named(read(write(tmp_path, text, "m.tmj"))) == [["wall", "Ground"]]


def test_fields_of_ldtk(tmp_path: Path) -> None:
    entities = ldtk.entities(
        ldtk.entity("Spawn", 0, 0, PROFILES=["cat"], profle="dog", NAME="start"),
        ldtk.entity("Hut", 1, 0, Terrain="mud", terain="x"),
        ldtk.entity("Hut", 2, 0, terain="x", iid="other"),
    )
    document = ldtk.project(ldtk.level("A", entities, ldtk.int_grid("....")))
    level = ldtk.read(tmp_path / "w.ldtk", document)
    (spot,) = level.things.spots
    assert (spot.name, spot.profiles) == ("start", ("cat",))
    assert level.terrains[level.terrain[0, 1]] == "mud"
    assert np.count_nonzero(level.terrain == level.terrain[0, 1]) == 1
    assert ['"terain"' in each.message for each in level.remarks] == [True]
    assert "(2 places)" in level.remarks[0].message


def test_fields_of_ldtk_in_two_spellings(tmp_path: Path) -> None:
    spawn = ldtk.entity("Spawn", 0, 0, Name="a", NAME="b")
    document = ldtk.project(ldtk.level("A", ldtk.entities(spawn), ldtk.int_grid("..")))
    with pytest.raises(Exception, match='"name" is given twice'):
        ldtk.read(tmp_path / "w.ldtk", document)


def test_refusals_show_the_name_as_it_was_typed(tmp_path: Path) -> None:
    text = tmx(layer([[1]]), objects(thing(1, "spawn", (8, 8), Spot=3)), width=1, height=1)
    assert 'the property "Spot" is 3' in refused(write(tmp_path, text))
