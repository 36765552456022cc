"""Terrain that is drawn as collision shapes of tiles."""

import json
from pathlib import Path

import pytest

from tests.support.levels import named
from tests.support.tiled_maps import layer, objects, read, thing, tmj, tmx, write
from tests.support.tiled_shapes import FLOORS, drawn, remarks


def tileset(*tiles: str, about: str = "", inside: str = "") -> str:
    return (
        f' <tileset firstgid="1" name="set" tilewidth="16" tileheight="16" tilecount="9" {about}>'
        f"{inside}{''.join(tiles)}</tileset>\n"
    )


def tile(number: int, *shapes: str) -> str:
    return (
        f'<tile id="{number}"><properties><property name="terrain" value="floor"/></properties>'
        f'<objectgroup draworder="index">{"".join(shapes)}</objectgroup></tile>'
    )


FULL = thing(1, "", (0, 0), width=16, height=16)
#: A bar of three pixels along the left side.
LEFT = thing(1, "", (0, 0), width=3, height=16)
COLLISION = {"collision": "wall"}


def test_collision_shapes_of_tiles(tmp_path: Path) -> None:
    sets = tileset(tile(0), tile(1, FULL))
    path = write(tmp_path, tmx(layer([[1, 2, 1], [2, 1, 1]]), width=3, height=2, tileset=sets))
    assert drawn(read(path, legend=COLLISION)) == {(1, 0), (0, 1)}
    plain = read(path)
    assert drawn(plain) == set()
    assert remarks(plain) == [
        'tileset "set": the collision shapes of 1 tile are ignored; add "collision" = "wall" to '
        '[tiled.legend], or "collision" = "below" if they should be'
    ]
    assert read(path, legend={"collision": "below"}).remarks == ()
    # An entry for the tile itself goes before what is drawn on it.
    assert drawn(read(path, legend={**COLLISION, "tile:set:1": "floor"})) == set()


@pytest.mark.parametrize(
    ("flips", "column"),
    [
        (0, {1: "cut"}),
        (0x8000_0000, {1: "cut"}),
    ],
)
def test_thin_shapes_of_tiles_stay_in_their_cell(
    tmp_path: Path, flips: int, column: dict[int, str]
) -> None:
    sets = tileset(tile(0), tile(1, LEFT))
    gids = [[1, 2 | flips, 1]] * 2
    path = write(tmp_path, tmx(layer(gids), width=3, height=2, tileset=sets))
    assert drawn(read(path, legend=COLLISION)) == {(each, y) for each in column for y in (0, 1)}


#: The south-eastern quarter of a picture of 32 pixels, over cells of 16.
QUARTER = thing(1, "", (16, 16), width=16, height=16)


@pytest.mark.parametrize(
    ("flips", "cell"),
    [
        (0, (1, 2)),
        (0x8000_0000, (0, 2)),
        (0x4000_0000, (1, 1)),
        (0xC000_0000, (0, 1)),
        # Turned by 90 degrees, and by 270.
        (0xA000_0000, (0, 2)),
        (0x6000_0000, (1, 1)),
        # Mirrored about the diagonal.
        (0x2000_0000, (1, 2)),
    ],
)
def test_flipped_and_turned_tiles_turn_their_shapes(
    tmp_path: Path, flips: int, cell: tuple[int, int]
) -> None:
    """A picture of two by two cells stands on the bottom left one."""
    large = ' <tileset firstgid="5" name="large" tilewidth="32" tileheight="32" tilecount="1">'
    sets = tileset(tile(0)) + large + tile(0, QUARTER) + "</tileset>"
    gids = [[1, 1, 1], [1, 1, 1], [5 | flips, 1, 1]]
    path = write(tmp_path, tmx(layer(gids), width=3, height=3, tileset=sets))
    level = read(path, legend=COLLISION)
    assert drawn(level) == {cell}


def test_offsets_of_tilesets_and_stretched_tiles(tmp_path: Path) -> None:
    sets = tileset(tile(0), tile(1, FULL), inside='<tileoffset x="16" y="-16"/>')
    gids = [[1, 1, 1], [2, 1, 1]]
    path = write(tmp_path, tmx(layer(gids), width=3, height=2, tileset=sets))
    assert drawn(read(path, legend=COLLISION)) == {(1, 0)}
    grid = (
        ' <tileset firstgid="1" name="big" tilewidth="64" tileheight="64" tilecount="2" '
        f'tilerendersize="grid">{tile(0)}'
        f"{tile(1, thing(1, '', (0, 0), width=64, height=64))}</tileset>"
    )
    path = write(tmp_path, tmx(layer(gids), width=3, height=2, tileset=grid))
    assert drawn(read(path, legend=COLLISION)) == {(0, 1)}


def test_classes_of_shapes(tmp_path: Path) -> None:
    pond = thing(1, "water", (0, 0), width=16, height=16)
    rest = thing(2, "spot", (0, 0), "<point/>")
    sets = tileset(tile(0, rest), tile(1, FULL), tile(2, pond))
    path = write(tmp_path, tmx(layer([[1, 2, 3]]), width=3, height=1, tileset=sets))
    legend = {"collision": "wall", "collision:water": "sea"}
    assert named(read(path, legend=legend)) == [["floor", "wall", "sea"]]
    only = read(path, legend={"collision:water": "sea"})
    assert named(only) == [["floor", "floor", "sea"]]
    assert "the collision shapes of 1 tile are ignored" in remarks(only)[0]


def test_shapes_in_json_and_outside_files(tmp_path: Path) -> None:
    shapes = {"objects": [{"id": 1, "x": 0, "y": 0, "width": 16, "height": 16, "type": ""}]}
    tiles = [{"id": 0}, {"id": 1, "objectgroup": shapes}]
    own = {"name": "set", "tilewidth": 16, "tileheight": 16, "tilecount": 2, "tiles": tiles}
    ground = {"collision": "wall", "layer:Ground": "floor"}
    path = write(tmp_path, tmj([[1, 2]], tilesets=[{**own, "firstgid": 1}]), "a.tmj")
    assert drawn(read(path, legend=ground)) == {(1, 0)}
    write(tmp_path, json.dumps({**own, "type": "tileset", "version": "1.10"}), "set.tsj")
    path = write(tmp_path, tmj([[1, 2]], tilesets=[{"firstgid": 1, "source": "set.tsj"}]), "b.tmj")
    assert drawn(read(path, legend=ground)) == {(1, 0)}


def test_tile_objects(tmp_path: Path) -> None:
    """A rock of 32 pixels stands on its bottom left corner; its shape is its lower half."""
    base = thing(1, "", (0, 16), width=32, height=16)
    rocks = ' <tileset firstgid="5" name="rocks" tilewidth="32" tileheight="32" tilecount="2">'
    sets = tileset(tile(0)) + rocks + f'{tile(0, base)}<tile id="1"/></tileset>'

    def cells(
        gid: int, legend: dict[str, str], kind: str = "", **more: float
    ) -> set[tuple[int, int]]:
        size = {"width": 32, "height": 32, **more}
        rock = thing(1, kind, (16, 48), gid=gid, **size)
        text = tmx(layer(FLOORS), objects(rock), width=6, height=5, tileset=sets)
        return drawn(read(write(tmp_path, text), legend=legend))

    lower = {(1, 2), (2, 2)}
    assert cells(5, COLLISION) == set()  # its tile says it is floor
    tall = sets.replace('name="terrain" value="floor"', 'name="kept" value="x"')
    sets = tall
    ground = {"layer:Ground": "floor"}
    assert cells(5, {**COLLISION, **ground}) == lower
    assert cells(5 | 0x4000_0000, {**COLLISION, **ground}) == {(1, 1), (2, 1)}
    assert cells(5, {"object:rock": "wall", **ground}, kind="rock") == lower
    assert cells(6, {"object:rock": "wall", **ground}, kind="rock") == lower | {(1, 1), (2, 1)}
    assert cells(6, {"tile:rocks:1": "wall", **ground}) == lower | {(1, 1), (2, 1)}
    # Twice as large, and its shape with it.
    assert cells(5, {**COLLISION, **ground}, width=64, height=32) == {(x, 2) for x in (1, 2, 3, 4)}
    # Turned by a quarter about its bottom left corner.
    assert cells(5, {**COLLISION, **ground}, rotation=90) == {(1, 3), (1, 4)}
