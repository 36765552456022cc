"""Mistakes about unknown terrain print lines that mend them when they are pasted."""

import json
from pathlib import Path

import pytest
from PIL import Image

from tests.support.command import bake
from tests.support.ldtk_projects import int_grid, level, project, tile_layer
from tests.support.tiled_maps import layer, tmx

WANG = """
 <tileset firstgid="1" name="pieces" tilecount="6" columns="3">
  <tile id="2"><properties><property name="kind" value="Tall Grass"/></properties></tile>
  <tile id="3"><properties><property name="wet" type="bool" value="true"/>
   <property name="dry" type="bool" value="false"/></properties></tile>
  <wangsets><wangset name="w" type="corner" tile="-1"><wangcolor name="Meadow"/>
   <wangcolor name='Wa"ter'/><wangtile tileid="0" wangid="0,1,0,1,0,1,0,1"/>
   <wangtile tileid="1" wangid="0,2,0,2,0,2,0,2"/></wangset></wangsets>
 </tileset>
"""


def lines(err: str) -> str:
    """What stands below the mistakes, from the first table on."""
    return err[err.index("\n[") :]


def mended(*sources: str) -> str:
    """Build, paste what is printed, and build again; return what was pasted."""
    first = bake("build", "--jobs", "1", *sources)
    assert first.code == 1
    Path("bake.toml").write_text(lines(first.err), "utf-8")
    again = bake("build", "--jobs", "1", *sources)
    assert (again.code, again.errors) == (0, []), again.err
    return lines(first.err)


def test_wang_colours_and_properties_before_layers(bare: Path) -> None:
    text = tmx(layer([[1, 2, 3, 4, 5]], name="Tile Layer 1"), tileset=WANG, width=5, height=1)
    Path("m.tmx").write_text(text)
    assert (
        mended("m.tmx")
        == """
[tiled.legend]
"wang:Meadow" = "meadow"
"wang:Wa\\"ter" = "wa\\"ter"
"property:kind=Tall Grass" = "tall grass"
"property:wet" = "wet"

[terrain]
meadow = 1  # or "blocked"
"wa\\"ter" = 1  # or "blocked"
"tall grass" = 1  # or "blocked"
wet = 1  # or "blocked"
"Tile Layer 1" = 1  # or "blocked"
"""
    )


def test_several_levels_share_one_table(bare: Path) -> None:
    for name in ("One", "Two", "W&#xe4;lle 2"):
        text = tmx(layer([[5]], name=name), tileset=WANG, width=1, height=1)
        Path(f"{len(name)}-{name[0]}.tmx").write_text(text)
    assert (
        mended(*sorted(str(file) for file in Path().glob("*.tmx")))
        == """
[terrain]
"Wälle 2" = 1  # or "blocked"
One = 1  # or "blocked"
Two = 1  # or "blocked"
"""
    )


def test_classes_are_terrains_already(bare: Path) -> None:
    tileset = WANG.replace('<tile id="2">', '<tile id="4" type="pine tree"/><tile id="2">')
    text = tmx(layer([[5]], name="Ground"), tileset=tileset, width=1, height=1)
    Path("m.tmx").write_text(text)
    assert mended("m.tmx") == '\n[terrain]\n"pine tree" = 1  # or "blocked"\n'


def test_colours_of_images(bare: Path) -> None:
    image = Image.new("RGB", (3, 1))
    image.putdata([(10, 200, 30), (40, 50, 60), (40, 50, 60)])
    image.save("a.png")
    assert (
        mended("a.png")
        == """
[legend]
"#28323c" = "floor"  # or "wall", or any other terrain
"#0ac81e" = "floor"  # or "wall", or any other terrain
"""
    )


def test_values_of_ldtk_without_names(bare: Path) -> None:
    document = project(level("One", int_grid("#..~")))
    for value in document["defs"]["layers"][0]["intGridValues"]:
        value["identifier"] = None
    Path("a.ldtk").write_text(json.dumps(document))
    told = mended("a.ldtk")
    assert told.splitlines()[1:3] == ["[ldtk.legend]", '"value:Ground:1" = "wall"']


def test_layers_of_tiles_of_ldtk(bare: Path) -> None:
    document = project(level("One", tile_layer(2, 1, {(0, 0): 9})))
    document["defs"]["tilesets"][0]["enumTags"] = []
    Path("a.ldtk").write_text(json.dumps(document))
    assert mended("a.ldtk") == '\n[ldtk.legend]\n"layer:Tiles" = "floor"  # or "wall", or "below"\n'


@pytest.mark.parametrize("command", ["plan", "build"])
def test_no_lines_where_they_would_not_help(bare: Path, command: str) -> None:
    Path("bad.map").write_text("type octile\nheight 9\nwidth 3\nmap\n...\n")
    assert "lines for bake.toml" not in bake(command, "bad.map").err
