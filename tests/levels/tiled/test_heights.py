"""Heights of cells, from tile layers with the property ``bake = elevation``."""

from pathlib import Path

import pytest

from bake.play import open_asset
from tests.support.command import bake
from tests.support.tiled_maps import TILESET, layer, read, refused, tmx, write

#: Tiles 7 to 10 stand for heights of 1, 2.5 and -3; the last for none.
HEIGHTS = """
 <tileset firstgid="7" name="heights" tilewidth="16" tileheight="16" tilecount="4" columns="4">
  <tile id="0"><properties><property name="elevation" type="int" value="1"/></properties></tile>
  <tile id="1"><properties><property name="elevation" type="float" value="2.5"/></properties></tile>
  <tile id="2"><properties><property name="elevation" value="-3"/></properties></tile>
 </tileset>
"""
SAYS = '<properties><property name="bake" value="elevation"/></properties>'
FLIPPED = 0x80000000


def heights(gids: list[list[int]], name: str = "Heights", number: int = 7) -> str:
    return layer(gids, name=name, number=number).replace("<data", SAYS + "<data", 1)


def hilly(*parts: str, width: int = 3, height: int = 2, **more: int | str) -> str:
    return tmx(*parts, width=width, height=height, tileset=TILESET + HEIGHTS, **more)  # type: ignore[arg-type]


GROUND = layer([[1, 1, 1], [1, 2, 1]])


def test_tiles_say_how_high_cells_lie(tmp_path: Path) -> None:
    level = read(write(tmp_path, hilly(GROUND, heights([[7, 8, 0], [9, FLIPPED + 7, 0]]))))
    assert level.elevation is not None
    assert level.elevation.tolist() == [[1, 2.5, 0], [-3, 1, 0]]
    # The layer hides no terrain, and makes none.
    assert level.terrains == ("floor", "wall")


def test_no_such_layer_says_nothing(tmp_path: Path) -> None:
    assert read(write(tmp_path, hilly(GROUND))).elevation is None
    level = read(
        write(tmp_path, hilly(GROUND, heights([[7, 8, 0], [9, 7, 0]]))), ignore=["Heights"]
    )
    assert level.elevation is None


def test_upper_layers_count_where_they_have_tiles(tmp_path: Path) -> None:
    below, above = heights([[7, 7, 7], [7, 7, 7]]), heights([[0, 8, 0], [0, 0, 9]], "More", 8)
    level = read(write(tmp_path, hilly(GROUND, below, above)), layers=["Ground"])
    assert level.elevation is not None
    assert level.elevation.tolist() == [[1, 2.5, 1], [1, 1, -3]]


def test_infinite_maps_are_cropped_to_their_terrain(tmp_path: Path) -> None:
    def chunked(text: str, x: int) -> str:
        data = text[text.index("<data") : text.index("</data>") + 7]
        head, cells = data[: data.index(">") + 1], data[data.index(">") + 1 : -7]
        chunk = f'{head}<chunk x="{x}" y="0" width="3" height="2">{cells}</chunk></data>'
        return text.replace(data, chunk)

    above = heights([[7, 8, 9], [9, 8, 7]])
    level = read(write(tmp_path, hilly(chunked(GROUND, 2), chunked(above, 1), infinite=1)))
    assert level.elevation is not None
    assert level.elevation.tolist() == [[2.5, -3, 0], [2.5, 1, 0]]


def test_staggered_maps_turn_with_their_terrain(tmp_path: Path) -> None:
    about = 'orientation="staggered" staggeraxis="y" staggerindex="odd"'
    ground, above = layer([[1, 2, 3], [3, 1, 2]]), heights([[7, 8, 9], [9, 7, 8]])
    level = read(write(tmp_path, hilly(ground, above, about=about)))
    assert level.elevation is not None
    # Floors are drawn where tiles of height 1 are, and walls where those of 2.5 are.
    for terrain, height in (("floor", 1.0), ("wall", 2.5)):
        here = level.terrain == level.terrains.index(terrain)
        assert level.elevation[here].tolist() == [height, height]
    assert not level.elevation[level.terrain == level.terrains.index("void")].any()


def test_floors(tmp_path: Path) -> None:
    def floor(number: int, *parts: str) -> str:
        says = f'<properties><property name="floor" type="int" value="{number}"/></properties>'
        return f'<group id="{20 + number}" name="F{number}">{says}{"".join(parts)}</group>'

    path = write(
        tmp_path,
        hilly(floor(1, GROUND, heights([[8, 8, 8], [8, 8, 8]])), floor(0, GROUND)),
    )
    level = read(path)
    assert level.elevation is not None
    assert level.elevation.tolist() == [[0, 0, 0]] * 2 + [[2.5, 2.5, 2.5]] * 2
    outside = write(tmp_path, hilly(floor(0, GROUND), heights([[7] * 3] * 2)), "outside.tmx")
    assert 'layer "Heights": the layer of elevation lies on no floor' in refused(outside)


def test_maps_of_a_world(tmp_path: Path) -> None:
    one, other = layer([[1, 1]]), layer([[1, 1]])
    write(tmp_path, hilly(one, heights([[7, 8]]), width=2, height=1), "a.tmx")
    write(tmp_path, tmx(other, width=2, height=1), "b.tmx")
    maps = (
        '{"maps": [{"fileName": "a.tmx", "x": 0, "y": 0}, {"fileName": "b.tmx", "x": 32, "y": 0}]}'
    )
    level = read(write(tmp_path, maps, "land.world"))
    assert level.elevation is not None
    assert level.elevation.tolist() == [[1, 2.5, 0, 0]]


@pytest.mark.parametrize(
    ("gids", "tileset", "message"),
    [
        (
            [[7, 0, 0], [0, 0, 10]],
            HEIGHTS,
            'layer "Heights": tile (2, 1) has no elevation; expected a property elevation (type '
            'int or float) on tile 3 of "heights"',
        ),
        ([[7, 0, 99], [0, 0, 0]], HEIGHTS, "tile (2, 0) has the gid 99, which is in no tileset"),
        (
            [[7, 0, 0], [0, 0, 0]],
            HEIGHTS.replace('type="int" value="1"', 'value="steep"'),
            'the property "elevation" is "steep"; expected a number from -1e+09 to 1e+09',
        ),
        (
            [[7, 0, 0], [0, 0, 0]],
            HEIGHTS.replace('type="int" value="1"', 'type="int" value="2000000000"'),
            'the property "elevation" is 2000000000; expected a number from -1e+09 to 1e+09',
        ),
    ],
)
def test_mistakes(tmp_path: Path, gids: list[list[int]], tileset: str, message: str) -> None:
    text = tmx(GROUND, heights(gids), width=3, height=2, tileset=TILESET + tileset)
    assert message in refused(write(tmp_path, text))


def test_a_hill_in_an_asset(tmp_path: Path) -> None:
    """A step up costs what it rises, and a step down costs nothing more."""
    write(tmp_path, hilly(layer([[1, 1, 1]]), heights([[0, 8, 0]]), width=3, height=1), "hill.tmx")
    recipe = ("--recipe", write(tmp_path, "[slopes]\nup = 2\n", "bake.toml"))
    assert bake("build", tmp_path / "hill.tmx", "-o", tmp_path, *recipe, "-q").code == 0
    with open_asset(tmp_path / "hill.h5") as level:
        assert level.profile().distance((0, 0), (2, 0)) == 2 + 2 * 2.5
        assert level.elevation_at((1, 0)) == 2.5
