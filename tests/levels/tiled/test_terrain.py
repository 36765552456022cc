"""Which terrain a tile is, by the stated precedence."""

from pathlib import Path

import pytest

from bake.core.level import TerrainRule
from tests.support.levels import named
from tests.support.tiled_maps import layer, read, refused, tmx, write

#: Tile 0 says everything at once; each later one leaves out what ranks highest.
TILESET = """
 <tileset firstgid="1" name="set:1" tilecount="12" columns="6">
  <tile id="0" class="tree"><properties><property name="terrain" value="forest"/>
   <property name="solid" type="bool" value="true"/><property name="cost" value="2"/>
   </properties></tile>
  <tile id="1" class="tree"><properties><property name="solid" type="bool" value="true"/>
   </properties></tile>
  <tile id="2" class="tree"/>
  <tile id="3"><properties><property name="walkable" type="bool" value="false"/></properties></tile>
  <tile id="4"><properties><property name="cost" type="float" value="2.5"/></properties></tile>
  <tile id="5"><properties><property name="blocked" type="bool" value="false"/></properties></tile>
  <tile id="7" type="old"/>
  <wangsets><wangset name="ground" type="corner" tile="-1">
   <wangcolor name="Grass" color="#00ff00" tile="-1" probability="1"/>
   <wangcolor name="Water" color="#0000ff" tile="-1" probability="1"/>
   <wangtile tileid="6" wangid="0,1,0,1,0,1,0,2"/>
   <wangtile tileid="8" wangid="0,1,0,1,0,2,0,2"/>
   <wangtile tileid="9" wangid="0,0,0,0,0,0,0,0"/>
  </wangset></wangsets>
 </tileset>
"""
GIDS = [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0]]


def terrains(folder: Path, **reading: object) -> list[str]:
    path = write(folder, tmx(layer(GIDS), width=11, height=1, tileset=TILESET))
    return named(read(path, **reading))[0]


def test_what_tiles_say_by_themselves(tmp_path: Path) -> None:
    found = terrains(tmp_path)
    assert found[:6] == ["forest", "tree", "tree", "wall", "cost 2.5", "floor"]
    assert found[6:] == ["Ground", "old", "Ground", "Ground", "void"]
    rules = read(tmp_path / "map.tmx").terrain_rules
    assert rules["forest"] == TerrainRule(2.0)
    assert rules["cost 2.5"] == TerrainRule(2.5)
    assert rules["wall"] == TerrainRule(None)
    assert "tree" not in rules


@pytest.mark.parametrize(
    ("entry", "changed"),
    [
        ({"layer:Ground": "earth"}, {6: "earth", 8: "earth", 9: "earth"}),
        ({"layer:Ground": "below"}, {6: "void", 8: "void", 9: "void"}),
        ({"tileset:set:1": "stone"}, {6: "stone", 8: "stone", 9: "stone"}),
        ({"wang:Grass": "grass"}, {6: "grass"}),
        # Of as many corners each, the colour listed last.
        ({"wang:Water": "water"}, {8: "water"}),
        ({"wang:Water": "water", "tileset:set:1": "stone"}, {6: "stone", 8: "water", 9: "stone"}),
        ({"class:tree": "wood"}, {1: "wood", 2: "wood"}),
        ({"property:solid": "rock"}, {1: "rock"}),
        ({"property:solid=true": "rock"}, {1: "rock"}),
        ({"property:solid=false": "rock"}, {}),
        ({"property:cost=2.5": "slow"}, {4: "slow"}),
        ({"property:blocked": "rock"}, {}),
        ({"property:blocked=false": "open"}, {5: "open"}),
        ({"property:solid": "rock", "class:tree": "wood"}, {1: "rock", 2: "wood"}),
        ({"tile:set:1:0": "X"}, {0: "X"}),
        ({"tile:set:1:2-4,7": "X"}, {2: "X", 3: "X", 4: "X", 7: "X"}),
        ({"tile:set:1:0-9": "X", "tile:set:1:3": "Y"}, dict.fromkeys(range(10), "X") | {3: "Y"}),
        ({"tile:other:0": "X"}, {}),
    ],
    ids=str,
)
def test_the_legend(tmp_path: Path, entry: dict[str, str], changed: dict[int, str]) -> None:
    before = terrains(tmp_path)
    expected = [changed.get(at, name) for at, name in enumerate(before)]
    assert terrains(tmp_path, legend=entry) == expected


def test_a_layer_may_name_its_terrain(tmp_path: Path) -> None:
    ground = layer([[7]]).replace(
        "<data", '<properties><property name="terrain" value="lawn"/></properties><data'
    )
    path = write(tmp_path, tmx(ground, width=1, height=1, tileset=TILESET))
    assert named(read(path)) == [["lawn"]]
    assert named(read(path, legend={"layer:Ground": "field"})) == [["field"]]


def test_what_the_recipe_names_costs_what_the_recipe_says(tmp_path: Path) -> None:
    path = write(tmp_path, tmx(layer([[1]]), width=1, height=1, tileset=TILESET))
    assert read(path, legend={"tile:set:1:0": "forest"}).terrain_rules == {}


@pytest.mark.parametrize(
    ("one", "other", "told"),
    [
        ('name="cost" value="2"', 'name="cost" value="3"', '"mud" costs 3 here, but costs 2'),
        ('name="cost" value="2"', 'name="blocked" value="true"', '"mud" is blocked here'),
    ],
)
def test_tiles_of_one_terrain_must_agree(tmp_path: Path, one: str, other: str, told: str) -> None:
    tiles = "".join(
        f'<tile id="{number}" class="mud"><properties><property {text}/></properties></tile>'
        for number, text in enumerate((one, other))
    )
    tileset = f'<tileset firstgid="1" name="s" tilecount="2" columns="2">{tiles}</tileset>'
    path = write(tmp_path, tmx(layer([[1, 2]]), width=2, height=1, tileset=tileset))
    line = refused(path)
    assert told in line
    assert 'tile 1 of tileset "s"' in line


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('name="cost" value="cheap"', 'the property "cost" is "cheap"; expected a number above 0'),
        ('name="cost" type="float" value="-1"', 'the property "cost" is -1.0'),
        ('name="cost" type="float" value="nan"', 'the property "cost" is "nan"'),
        ('name="walkable" type="int" value="1"', "expected true or false"),
        ('name="one_way" value="up"', "expected one of north, east, south, west"),
        ('name="barred" value="north, up"', "expected headings among north"),
        ('name="terrain" type="int" value="3"', "expected text"),
        ('name="terrain" value="a&#9;b"', "without control characters"),
    ],
)
def test_wrong_properties(tmp_path: Path, text: str, told: str) -> None:
    tileset = (
        '<tileset firstgid="1" name="s" tilecount="2" columns="2"><tile id="1">'
        f"<properties><property {text}/></properties></tile></tileset>"
    )
    path = write(tmp_path, tmx(layer([[2]]), width=1, height=1, tileset=tileset))
    line = refused(path)
    assert told in line
    assert 'tile 1 of tileset "s"' in line


def test_blocked_and_walkable_at_once(tmp_path: Path) -> None:
    tileset = (
        '<tileset firstgid="1" name="s" tilecount="1" columns="1"><tile id="0"><properties>'
        '<property name="blocked" type="bool" value="true"/>'
        '<property name="walkable" type="bool" value="true"/></properties></tile></tileset>'
    )
    path = write(tmp_path, tmx(layer([[1]]), width=1, height=1, tileset=tileset))
    assert "expected the opposite of the property blocked" in refused(path)


def test_too_many_terrains(tmp_path: Path) -> None:
    tiles = "".join(f'<tile id="{number}" class="t{number}"/>' for number in range(300))
    tileset = f'<tileset firstgid="1" name="s" tilecount="300" columns="1">{tiles}</tileset>'
    gids = [list(range(1, 301))]
    path = write(tmp_path, tmx(layer(gids), width=300, height=1, tileset=tileset))
    assert "more than 255 terrains" in refused(path)


#: What editors before 1.5 wrote instead of Wang colours.
OLD = """
 <tileset firstgid="1" name="set" tilecount="12" columns="6">
  <terraintypes><terrain name="Grass" tile="0"/><terrain name="Water" tile="1"/></terraintypes>
  <tile id="0" terrain="0,0,0,0"/>
  <tile id="1" terrain="1,1,0,1"/>
  <tile id="2" terrain=",,0,"/>
  <tile id="3" terrain="0,1,1,0"/>
  <wangsets><wangset name="old" tile="-1">
   <wangedgecolor name="Fence" color="#00ff00" tile="-1" probability="1"/>
   <wangcornercolor name="Sand" color="#00ff00" tile="-1" probability="1"/>
   <wangcornercolor name="Mud" color="#0000ff" tile="-1" probability="1"/>
   <wangtile tileid="5" wangid="0x10101020"/>
   <wangtile tileid="6" wangid="0x2020"/>
   <wangtile tileid="7" wangid="0x1010101"/>
  </wangset></wangsets>
 </tileset>
"""
OLD_LEGEND = {f"wang:{name}": name for name in ("Grass", "Water", "Sand", "Mud", "Fence")}


def test_terrains_and_wang_ids_of_old_editors(tmp_path: Path) -> None:
    gids = [[1, 2, 3, 4, 5, 6, 7, 8]]
    path = write(tmp_path, tmx(layer(gids), width=8, height=1, tileset=OLD))
    (row,) = named(read(path, legend=OLD_LEGEND))
    assert row == ["Grass", "Water", "Grass", "Water", "Ground", "Sand", "Mud", "Fence"]


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (OLD.replace('"0,0,0,0"', '"0,0,2,0"'), 'terrain holds "2"; expected numbers of colors'),
        (OLD.replace('"0,0,0,0"', '"0,0,0,0,0"'), 'terrain is "0,0,0,0,0"'),
        (OLD.replace("0x2020", "0x202020202"), 'wangid holds "0x202020202"'),
        (OLD.replace("0x2020", "0x9020"), 'wangid holds "9"'),
        (OLD.replace("0x2020", "0x"), 'wangid holds "0x"'),
    ],
)
def test_damaged_terrains_of_old_editors(tmp_path: Path, wrong: str, told: str) -> None:
    path = write(tmp_path, tmx(layer([[1, 7]]), width=2, height=1, tileset=wrong))
    assert told in refused(path, legend=OLD_LEGEND)
