"""Custom classes, enums and lists of Tiled: their defaults are in the project file alone."""

import json
from pathlib import Path
from typing import Any

import pytest

from bake.core.level import GridLevel
from bake.levels import TiledReading, load
from tests.support.command import bake
from tests.support.levels import named
from tests.support.tiled_maps import layer, objects, read, refused, thing, tmj, tmx, write
from tests.support.tiled_shapes import remarks

RAMP = {
    "id": 1,
    "name": "ramp",
    "type": "class",
    "useAs": ["object", "tile", "layer", "property"],
    "members": [
        {"name": "one_way", "type": "bool", "value": True},
        {"name": "cost", "type": "float", "value": 7},
    ],
}
GROUND = {"id": 2, "name": "Soil", "type": "enum", "storageType": "int", "values": ["sand", "peat"]}
SIDES = {
    **{"id": 3, "name": "Sides", "type": "enum", "storageType": "int", "valuesAsFlags": True},
    "values": ["north", "east", "south", "west"],
}
NAV = {
    "id": 4,
    "name": "Nav",
    "type": "class",
    "useAs": ["property"],
    "members": [
        {"name": "soil", "type": "int", "propertyType": "Soil", "value": 1},
        {"name": "terrain", "type": "int", "propertyType": "Soil", "value": 1},
        {"name": "blocked", "type": "bool", "value": False},
    ],
}
DEEP = {
    "id": 5,
    "name": "Deep",
    "type": "class",
    "useAs": ["tile"],
    "members": [{"name": "inner", "type": "class", "propertyType": "Nav", "value": {}}],
}


def project(folder: Path, *types: dict[str, Any], name: str = "game.tiled-project") -> Path:
    return write(folder, json.dumps({"folders": ["."], "propertyTypes": types}), name)


def ramps(*items: str) -> str:
    return tmx(layer([[1] * 6]), objects(*items), width=6, height=1)


def up(number: int, kind: str, **properties: Any) -> str:
    return thing(number, kind, (8, 8), "<point/>", name=f"up {number}", to=9, **properties)


TOP = thing(9, "exit", (88, 8), "<point/>", name="top")


def link(level: GridLevel) -> tuple[bool, float | None]:
    (found,) = level.things.links
    return found.both_ways, found.cost


# -- classes of owners ----------------------------------------------------------------------------


def test_defaults_of_an_objects_class(tmp_path: Path) -> None:
    path = write(tmp_path, ramps(up(1, "ramp"), TOP))
    assert link(read(path)) == (False, None)
    project(tmp_path, RAMP)
    level = read(path)
    assert link(level) == (False, 7.0)
    assert [each.name for each in level.depends_on] == ["game.tiled-project"]
    # Whatever is set in the map counts before the defaults.
    text = ramps(up(1, "ramp", one_way=False, Cost="3"), TOP)
    assert link(read(write(tmp_path, text))) == (True, 3.0)


def test_a_flag_replaces_its_inherited_opposite(tmp_path: Path) -> None:
    project(tmp_path, RAMP)
    assert link(read(write(tmp_path, ramps(up(1, "ramp", both_ways=True), TOP)))) == (True, 7.0)
    both = ramps(up(1, "ramp", both_ways=True, one_way=True), TOP)
    assert "the opposite" in refused(write(tmp_path, both))


@pytest.mark.parametrize("use", ["object", "tile", "layer", "property"])
def test_a_class_counts_for_the_owners_that_it_is_for(tmp_path: Path, use: str) -> None:
    project(tmp_path, {**RAMP, "useAs": [use]})
    level = read(write(tmp_path, ramps(up(1, "ramp"), TOP)))
    assert link(level)[1] == (7.0 if use == "object" else None)


def test_classes_before_tiled_1_9_are_types_of_properties_alone(tmp_path: Path) -> None:
    project(tmp_path, {key: value for key, value in RAMP.items() if key != "useAs"})
    assert link(read(write(tmp_path, ramps(up(1, "ramp"), TOP)))) == (False, None)


def test_defaults_come_after_templates_and_tiles(tmp_path: Path) -> None:
    """An object's own value counts, then its template's, its tile's, and its class's."""
    project(tmp_path, RAMP)
    write(
        tmp_path,
        '<template><object type="ramp"><properties><property name="cost" type="float" value="4"/>'
        "</properties><point/></object></template>",
        "ramp.tx",
    )
    assert link(read(write(tmp_path, ramps(up(1, "", template="ramp.tx"), TOP)))) == (False, 4.0)
    tileset = (
        '<tileset firstgid="1" name="set" tilewidth="16" tileheight="16" tilecount="2" columns="2">'
        '<tile id="0" type="ramp"><properties><property name="cost" type="float" value="5"/>'
        '</properties></tile><tile id="1" type="grass"/></tileset>'
    )
    placed = thing(1, "", (0, 16), name="up", to=9, gid=1, width=16, height=16)
    ground = layer([[2] * 6])
    text = tmx(ground, objects(placed, TOP), width=6, height=1, tileset=tileset)
    assert link(read(write(tmp_path, text))) == (False, 5.0)
    # Its class may be for objects without being for tiles.
    project(tmp_path, {**RAMP, "useAs": ["tile"]})
    assert link(read(write(tmp_path, text))) == (False, 5.0)


def test_defaults_of_tiles_and_layers(tmp_path: Path) -> None:
    mire = {
        **{"name": "mire", "type": "class", "useAs": ["tile"]},
        "members": [{"name": "cost", "type": "float", "value": 4}],
    }
    storey = {
        **{"name": "storey", "type": "class", "useAs": ["layer"]},
        "members": [
            {"name": "floor", "type": "int", "value": 3},
            {"name": "terrain", "type": "string", "value": "moss"},
        ],
    }
    project(tmp_path, mire, storey)
    tileset = (
        '<tileset firstgid="1" name="set" tilewidth="16" tileheight="16" tilecount="2" columns="2">'
        '<tile id="1" type="mire"/></tileset>'
    )
    ground = layer([[1, 2]]).replace("<layer", '<layer class="storey"')
    text = tmx(ground, width=2, height=1, tileset=tileset)
    level = read(write(tmp_path, text))
    assert named(level) == [["moss", "mire"]]
    assert level.terrain_rules["mire"].cost == 4
    group = f'<group id="7" name="g" class="storey">{layer([[1, 2]])}</group>'
    other = f'<group id="8" name="h">{layer([[1, 2]])}</group>'
    text = tmx(group, width=2, height=1, tileset=tileset)
    assert read(write(tmp_path, text)).floor_height is None
    assert "has no floor" in refused(
        write(tmp_path, tmx(group, other, width=2, height=1, tileset=tileset))
    )


# -- classes of properties ------------------------------------------------------------------------


def tile_of_nav(members: str, about: str = "") -> str:
    tileset = (
        '<tileset firstgid="1" name="set" tilewidth="16" tileheight="16" tilecount="2" columns="2">'
        f'<tile id="1"{about}><properties>'
        f'<property name="nav" type="class" propertytype="Nav">{members}</property>'
        "</properties></tile></tileset>"
    )
    return tmx(layer([[1, 2]], name="lawn"), width=2, height=1, tileset=tileset)


BLOCKED = '<properties><property name="Blocked" type="bool" value="true"/></properties>'


def test_members_of_a_class_property(tmp_path: Path) -> None:
    path = write(tmp_path, tile_of_nav(BLOCKED))
    level = read(path)
    assert named(level) == [["lawn", "wall"]]
    assert "no project file" in remarks(level)[0]
    assert '"Nav"' in remarks(level)[0]
    # Members at their defaults are in the project file alone.
    project(tmp_path, NAV, GROUND)
    blocked = BLOCKED.replace("Blocked", "blocked")
    assert named(read(write(tmp_path, tile_of_nav(blocked)))) == [["lawn", "peat"]]
    level = read(write(tmp_path, tile_of_nav("")))
    assert named(level) == [["lawn", "peat"]]
    assert remarks(level) == []


def test_members_inside_members(tmp_path: Path) -> None:
    nav = {**NAV, "members": [NAV["members"][1]]}  # type: ignore[index]
    project(tmp_path, nav, DEEP, GROUND)
    text = tile_of_nav("", ' type="Deep"').replace('propertytype="Nav"', 'propertytype="Nothing"')
    level = read(write(tmp_path, text))
    assert named(level) == [["lawn", "peat"]]
    assert '"Nothing"' in remarks(level)[0]
    assert "game.tiled-project does not define" in remarks(level)[0]
    # An entry of the legend names a member by its path.
    legend = {"property:inner.terrain=peat": "moor", "class:Deep": "x"}
    assert named(read(write(tmp_path, text), legend=legend)) == [["lawn", "peat"]]
    text = tile_of_nav(BLOCKED).replace('propertytype="Nav"', "")
    legend = {"property:nav.blocked": "gate"}
    assert named(read(write(tmp_path, text), legend=legend))[0][1] == "gate"


@pytest.mark.parametrize(
    ("own", "second", "terrain", "unread"),
    [
        ("", "", "wall", []),
        ("", "true", "wall", []),
        ("", "false", "lawn", ["nav.blocked", "two.blocked"]),
        ("true", "", "wall", []),
        ("false", "", "floor", ["nav.blocked"]),
    ],
)
def test_members_that_another_value_hides(
    tmp_path: Path, own: str, second: str, terrain: str, unread: list[str]
) -> None:
    project(tmp_path, {"name": "Bag", "type": "class", "useAs": ["property"], "members": []})
    bag = 'type="class" propertytype="Bag"'
    properties = f'<property name="nav" {bag}>{BLOCKED.lower()}</property>'
    if own:
        properties += f'<property name="blocked" type="bool" value="{own}"/>'
    if second:
        inner = BLOCKED.lower().replace("true", second)
        properties += f'<property name="two" {bag}>{inner}</property>'
    tileset = (
        '<tileset firstgid="1" name="set" tilewidth="16" tileheight="16" tilecount="2" columns="2">'
        f'<tile id="1"><properties>{properties}</properties></tile></tileset>'
    )
    text = tmx(layer([[1, 2]], name="lawn"), width=2, height=1, tileset=tileset)
    level = read(write(tmp_path, text))
    assert named(level) == [["lawn", terrain]]
    found = remarks(level)
    assert len(found) == len(unread)
    assert all(f'"{path}"' in line for path, line in zip(unread, found, strict=True))


def test_a_goal_inside_a_class_belongs_to_the_game(tmp_path: Path) -> None:
    crate = thing(1, "crate", (8, 8), "<point/>").replace(
        "<point/>",
        '<properties><property name="warp" type="class"><properties>'
        '<property name="to" value="cellar"/></properties></property></properties><point/>',
    )
    assert read(write(tmp_path, ramps(crate))).things.links == ()


def test_classes_in_json(tmp_path: Path) -> None:
    project(tmp_path, NAV, GROUND)
    nav = {"name": "nav", "type": "class", "propertytype": "Nav"}
    tiles = [
        {"id": 0, "properties": [{**nav, "value": {}}]},
        {"id": 1, "properties": [{**nav, "value": {"terrain": 0}}]},
        {"id": 2, "properties": [{**nav, "value": {"terrain": "mud"}}]},
    ]
    text = tmj([[1, 2, 3]], tilesets=[{"firstgid": 1, "name": "t", "tiles": tiles}])
    level = read(write(tmp_path, text, "m.tmj"))
    assert named(level) == [["peat", "sand", "mud"]]


def test_lists_of_classes_that_nothing_defines(tmp_path: Path) -> None:
    """The items of lists have their types with them."""
    barred = [{"type": "string", "value": "north"}]
    value = {"barred": barred, "deep": {"loot": [{"type": "list", "value": barred}]}}
    nav = {"name": "nav", "type": "class", "propertytype": "Nav", "value": value}
    tiles = [{"id": 0, "properties": [nav]}]
    text = tmj([[1, 2]], tilesets=[{"firstgid": 1, "name": "t", "tiles": tiles}])
    level = read(write(tmp_path, text, "m.tmj"))
    assert level.barred is not None
    assert (level.barred[0, 0] != 0, level.barred[0, 1]) == (True, 0)


# -- enums and lists ------------------------------------------------------------------------------


def test_enums_stored_as_numbers(tmp_path: Path) -> None:
    tileset = (
        '<tileset firstgid="1" name="set" tilewidth="16" tileheight="16" tilecount="3" columns="3">'
        '<tile id="0"><properties>'
        '<property name="terrain" type="int" propertytype="Soil" value="0"/></properties></tile>'
        '<tile id="1"><properties>'
        '<property name="terrain" type="int" propertytype="Soil" value="1"/>'
        '<property name="barred" type="int" propertytype="Sides" value="5"/></properties></tile>'
        '<tile id="2"><properties>'
        '<property name="terrain" type="int" propertytype="Soil" value="2"/></properties></tile>'
        "</tileset>"
    )
    text = tmx(layer([[1, 2]]), width=2, height=1, tileset=tileset)
    path = write(tmp_path, text)
    assert 'the property "terrain" is 0' in refused(path)
    project(tmp_path, GROUND, SIDES)
    level = read(path)
    assert named(level) == [["sand", "peat"]]
    both = thing(1, "x", (0, 0))
    assert level.barred is not None
    by_names = tileset.replace('type="int" propertytype="Sides" value="5"', 'value="north,south"')
    plain = read(write(tmp_path, tmx(layer([[1, 2]]), width=2, height=1, tileset=by_names)))
    assert plain.barred is not None
    assert level.barred.tolist() == plain.barred.tolist() != [[0, 0]]
    assert both
    beyond = tmx(layer([[1, 3]]), width=2, height=1, tileset=tileset)
    assert 'the property "terrain" is 2' in refused(write(tmp_path, beyond))


@pytest.mark.parametrize("suffix", ["tmx", "tmj"])
def test_lists(tmp_path: Path, suffix: str) -> None:
    """Tiled 1.12 has properties that are lists."""
    names = ["cat", " dog "]
    if suffix == "tmx":
        items = "".join(f'<item value="{name}"/>' for name in names) + "<item>\n</item>"
        inside = f'<property name="profiles" type="list">{items}</property>'
        start = thing(1, "spawn", (8, 8), f"<properties>{inside}</properties><point/>")
        text = ramps(start)
    else:
        values = [{"type": "string", "value": name} for name in names]
        start = {
            **{"id": 1, "name": "", "type": "spawn", "x": 8, "y": 8, "point": True},
            "properties": [{"name": "profiles", "type": "list", "value": values}],
        }
        ground = {"type": "tilelayer", "name": "g", "width": 2, "height": 1, "data": [1, 1]}
        things = {"type": "objectgroup", "name": "o", "objects": [start]}
        text = tmj([[1, 1]], layers=[ground, things])
    (spot,) = read(write(tmp_path, text, f"m.{suffix}")).things.spots
    assert spot.profiles == ("cat", "dog")


def test_lists_of_enums_and_of_lists(tmp_path: Path) -> None:
    project(tmp_path, SIDES)
    inside = (
        '<property name="barred" type="list"><item type="string" value="west"/></property>'
        '<property name="loot" type="list"><item type="list"><item type="int" value="3"/></item>'
        '<item type="class" propertytype="Gem"/></property>'
    )
    tileset = (
        '<tileset firstgid="1" name="set" tilewidth="16" tileheight="16" tilecount="1" columns="1">'
        f'<tile id="0"><properties>{inside}</properties></tile></tileset>'
    )
    level = read(
        write(tmp_path, tmx(layer([[1]]), layer([[1]]), width=1, height=1, tileset=tileset))
    )
    assert level.barred is not None
    assert level.barred[0, 0] != 0


def test_a_list_of_numbers_is_no_list_of_names(tmp_path: Path) -> None:
    inside = '<property name="profiles" type="list"><item type="int" value="3"/></property>'
    start = thing(1, "spawn", (8, 8), f"<properties>{inside}</properties><point/>")
    assert 'the property "profiles" is a list' in refused(write(tmp_path, ramps(start)))


# -- project files --------------------------------------------------------------------------------


def test_the_nearest_folder_with_a_project_file_counts(tmp_path: Path) -> None:
    path = write(tmp_path, ramps(up(1, "ramp"), TOP), "game/maps/deep/m.tmx")
    root = tmp_path / "game"

    def cost(project_folder: Path | None, *, outside: bool = False) -> float | None:
        reading = TiledReading(allow_outside=outside)
        level = load(path, {}, tiled=reading, project=project_folder)
        assert isinstance(level, GridLevel)
        return link(level)[1]

    def dearer(value: float) -> dict[str, Any]:
        members = [{"name": "cost", "type": "float", "value": value}]
        return {**RAMP, "members": members}

    project(tmp_path, dearer(9))
    assert (cost(root), cost(None)) == (None, None)
    assert cost(root, outside=True) == 9
    project(root, dearer(8))
    assert (cost(root), cost(None), cost(None, outside=True)) == (8, None, 8)
    project(root / "maps" / "deep", dearer(7))
    assert (cost(root), cost(None)) == (7, 7)


def test_no_project_file_is_remarked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in "ab":
        write(tmp_path, ramps(up(1, "ramp"), up(2, "slope"), TOP), f"levels_src/{name}.tmx")
    (tmp_path / "bake.toml").write_text('[tiled.legend]\n"layer:Ground" = "floor"\n')
    (line,) = [line for line in bake("lint").out.splitlines() if "[classes]" in line]
    assert "notice" in line
    assert '"ramp"' in line
    assert "in 1 more level" in line
    assert "[classes]" not in bake("build").err
    (tmp_path / "bake.toml").write_text('[lint]\nclasses = "warning"\n')
    assert bake("build", "--force").err.count("[classes]") == 1
    (tmp_path / "bake.toml").write_text('[lint]\nclasses = "off"\n')
    assert "[classes]" not in bake("lint").out
    (tmp_path / "bake.toml").unlink()
    project(tmp_path / "levels_src", RAMP)
    assert "[classes]" not in bake("lint").out


def test_no_remark_where_defaults_would_mean_nothing(tmp_path: Path) -> None:
    place = thing(1, "region", (0, 0), width=32, height=16)
    wall = thing(2, "fence", (32, 0), width=16, height=16)
    level = read(write(tmp_path, ramps(place, wall)), legend={"object:fence": "wall"})
    assert level.remarks == ()


def test_a_new_or_changed_project_file_makes_levels_stale(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bake.toml").write_text("")
    write(tmp_path, ramps(up(1, "ramp"), TOP), "levels_src/a.tmx")
    assert bake("build").code == 0
    assert bake("check").code == 0
    project(tmp_path, RAMP)
    done = bake("check")
    assert done.code == 1
    assert "../game.tiled-project is new" in done.out
    bake("build")
    assert bake("check").code == 0
    project(tmp_path, {**RAMP, "members": []})
    assert "game.tiled-project changed" in bake("check").out
    (tmp_path / "game.tiled-project").unlink()
    assert bake("check").code == 1


def test_project_files_beside_one_another(tmp_path: Path) -> None:
    path = write(tmp_path, ramps(up(1, "ramp"), TOP))
    project(tmp_path, RAMP, name="a.tiled-project")
    project(tmp_path, {**RAMP, "id": 9}, NAV, name="b.tiled-project")
    assert link(read(path)) == (False, 7.0)
    project(tmp_path, {**RAMP, "members": []}, name="b.tiled-project")
    assert 'the type "ramp" is defined otherwise in a.tiled-project' in refused(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[", "not JSON"),
        ("[]", "list of types"),
        ('{"propertyTypes": 3}', "list of types"),
        ('{"propertyTypes": [3]}', "propertyTypes[0]"),
        ('{"propertyTypes": [{"type": "class"}]}', "propertyTypes[0]"),
        ('{"propertyTypes": [{"name": "a", "type": "class", "members": 3}]}', "members"),
        ('{"propertyTypes": [{"name": "a", "type": "class", "members": [{}]}]}', "members[0]"),
        ('{"propertyTypes": [{"name": "a", "type": "class", "useAs": [3]}]}', "useAs"),
        ('{"propertyTypes": [{"name": "a", "type": "enum", "values": [3]}]}', "values"),
    ],
)
def test_damaged_project_files(tmp_path: Path, text: str, message: str) -> None:
    file = write(tmp_path, text, "game.tiled-project")
    line = refused(write(tmp_path, ramps(up(1, "ramp"), TOP)))
    assert message in line
    assert line.startswith(str(file))
    # A map that uses no class does not need the file.
    assert named(read(write(tmp_path, ramps(thing(1, "", (8, 8))))))


def test_links_out_of_the_project(tmp_path: Path) -> None:
    write(tmp_path, ramps(up(1, "ramp"), TOP), "game/m.tmx")
    outside = project(tmp_path, RAMP)
    (tmp_path / "game" / "x.tiled-project").symlink_to(outside)
    assert "outside the project folder" in refused(tmp_path / "game" / "m.tmx")
    assert link(read(tmp_path / "game" / "m.tmx", allow_outside=True)) == (False, 7.0)


def write_circle(folder: Path, members: int) -> Path:
    """Write a map and a class that has itself as a member, so many times."""
    inner = [
        {"name": f"m{number}", "type": "class", "propertyType": "Nav", "value": {}}
        for number in range(members)
    ]
    project(folder, {**NAV, "members": [*inner, NAV["members"][2]]})  # type: ignore[index]
    return write(folder, tile_of_nav(""))


def test_classes_inside_themselves(tmp_path: Path) -> None:
    """Tiled writes none, but they may not take forever."""
    assert named(read(write_circle(tmp_path, 1))) == [["lawn", "floor"]]
    for members in (2, 40):
        assert "too many members" in refused(write_circle(tmp_path, members))


def test_classes_nested_too_deeply(tmp_path: Path) -> None:
    inner = ""
    for _ in range(20):
        inner = f'<properties><property name="a" type="class">{inner}</property></properties>'
    assert "nested too deeply" in refused(write(tmp_path, tile_of_nav(inner)))
