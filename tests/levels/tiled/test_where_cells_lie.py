"""Where Tiled draws cells: maps of every kind from file to game, and positions found by hand."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bake.core.level import TerrainRule
from bake.levels import TiledReading
from bake.play import LevelAsset, open_asset
from bake.project.recipe import LevelRecipe
from tests.support.baked import bake
from tests.support.levels import shared_level
from tests.support.tiled_maps import layer, objects, read, thing, tmx, write

FREE = {name: TerrainRule(1) for name in ("floor", "mud", "water", "void", "Ground")}


def opened(path: Path, **reading: Any) -> LevelAsset:
    return open_asset(bake(path, LevelRecipe(terrain=FREE, tiled=TiledReading(**reading))))


def sized(text: str, width: int, height: int) -> str:
    head, _, tail = text.partition('tilewidth="16" tileheight="16"')
    return f'{head}tilewidth="{width}" tileheight="{height}"{tail}'


def floors_of(width: int, height: int) -> list[list[int]]:
    return [[1] * width for _ in range(height)]


def drawn(about: str, size: tuple[int, int], width: int = 3, height: int = 4) -> str:
    return sized(
        tmx(layer(floors_of(width, height)), width=width, height=height, about=about), *size
    )


#: What the map says, its tile size, and pixels in the middle of some tiles (columns and rows of a
#: map of 3 x 4). Tiled, tileToScreenCoords: e.g. row 1 of a map staggered along y begins half a
#: tile further to the right, and (tile height + side) / 2 further down.
BY_HAND = [
    ("", (16, 16), {(0, 0): (8, 8), (2, 3): (40, 56)}),
    ("", (31, 20), {(0, 0): (15.5, 10), (2, 1): (77.5, 30)}),
    # The top corner of the first diamond is half the map's rows away from the left.
    (
        'orientation="isometric"',
        (64, 32),
        {(0, 0): (128, 16), (1, 0): (160, 32), (0, 1): (96, 32), (2, 3): (96, 96)},
    ),
    ('orientation="isometric"', (31, 15), {(0, 0): (62, 7.5), (1, 0): (77.5, 15)}),
    (
        'orientation="hexagonal" hexsidelength="6" staggeraxis="y" staggerindex="odd"',
        (14, 12),
        {(0, 0): (7, 6), (0, 1): (14, 15), (1, 1): (28, 15), (1, 2): (21, 24)},
    ),
    (
        'orientation="hexagonal" hexsidelength="6" staggeraxis="y" staggerindex="even"',
        (14, 12),
        {(0, 0): (14, 6), (0, 1): (7, 15), (1, 1): (21, 15), (1, 2): (28, 24)},
    ),
    (
        'orientation="hexagonal" hexsidelength="16" staggeraxis="x" staggerindex="odd"',
        (32, 28),
        {(0, 0): (16, 14), (1, 0): (40, 28), (2, 1): (64, 42), (1, 3): (40, 112)},
    ),
    (
        'orientation="hexagonal" hexsidelength="16" staggeraxis="x" staggerindex="even"',
        (32, 28),
        {(0, 0): (16, 28), (1, 0): (40, 14), (2, 1): (64, 56)},
    ),
    # Odd sizes are rounded down where cells are shifted: 15 x 13 is drawn as 14 x 12.
    (
        'orientation="hexagonal" hexsidelength="5" staggeraxis="y" staggerindex="odd"',
        (15, 13),
        {(0, 0): (7, 6), (0, 1): (14, 14), (0, 2): (7, 22)},
    ),
    (
        'orientation="staggered" staggeraxis="y" staggerindex="odd"',
        (64, 32),
        {(0, 0): (32, 16), (0, 1): (64, 32), (1, 2): (96, 48), (2, 3): (192, 64)},
    ),
    (
        'orientation="staggered" staggeraxis="y" staggerindex="even"',
        (64, 32),
        {(0, 0): (64, 16), (0, 1): (32, 32), (2, 3): (160, 64)},
    ),
    (
        'orientation="staggered" staggeraxis="x" staggerindex="odd"',
        (64, 32),
        {(0, 0): (32, 16), (1, 0): (64, 32), (2, 3): (96, 112)},
    ),
    (
        'orientation="staggered" staggeraxis="x" staggerindex="even"',
        (64, 32),
        {(0, 0): (32, 32), (1, 0): (64, 16), (2, 3): (96, 128)},
    ),
]


def turned(about: str, column: int, row: int, width: int = 3, height: int = 4) -> tuple[int, int]:
    """The level's cell, by the formulas of docs/levels-tiled.md."""
    if "staggered" not in about:
        return column, row
    odd = "odd" in about
    if 'axis="y"' in about:
        if odd:
            return column + (row + 1) // 2, row // 2 - column + width - 1
        return column + row // 2, (row + 1) // 2 - column + width - 1
    if odd:
        return row + (column + 1) // 2, row - column // 2 + (width - 1) // 2
    return row + column // 2, row - (column + 1) // 2 + width // 2


@pytest.mark.parametrize(("about", "size", "middles"), BY_HAND)
def test_by_hand(
    tmp_path: Path,
    about: str,
    size: tuple[int, int],
    middles: dict[tuple[int, int], tuple[float, float]],
) -> None:
    with opened(write(tmp_path, drawn(about, size))) as level:
        for (column, row), middle in middles.items():
            cell = turned(about, column, row)
            assert level.to_point(cell) == middle
            assert level.to_cell(middle) == cell
            assert level.inside(cell)


@pytest.mark.parametrize(("about", "size"), [each[:2] for each in BY_HAND])
def test_every_cell_comes_back(tmp_path: Path, about: str, size: tuple[int, int]) -> None:
    with opened(write(tmp_path, drawn(about, size))) as level:
        ys, xs = np.mgrid[: level.height, : level.width]
        cells = np.stack([xs.ravel(), ys.ravel()], axis=1)
        assert np.array_equal(level.to_cell(level.to_point(cells)), cells)


def infinite(about: str, size: tuple[int, int], left: int, top: int) -> str:
    """An infinite map whose only tiles are one row of three from (left, top)."""
    cells = ",".join(["1", "1", "1"])
    chunk = f'<chunk x="{left}" y="{top}" width="3" height="1">{cells}</chunk>'
    data = f'<data encoding="csv">{chunk}</data>'
    ground = f'<layer id="1" name="Ground" width="3" height="4">{data}</layer>'
    return sized(tmx(ground, width=3, height=4, about=about, infinite=1), *size)


@pytest.mark.parametrize(
    ("about", "size", "corner", "middle"),
    [
        ("", (16, 16), (-5, 3), (-72, 56)),
        # Four rows, as the map says, move an isometric map to the right, however many are drawn.
        ('orientation="isometric"', (64, 32), (-5, 3), (128 - 8 * 32, -2 * 16 + 16)),
        (
            'orientation="hexagonal" hexsidelength="6" staggeraxis="y" staggerindex="odd"',
            (14, 12),
            (-5, 3),
            (-5 * 14 + 7 + 7, 3 * 9 + 6),
        ),
        (
            'orientation="hexagonal" hexsidelength="16" staggeraxis="x" staggerindex="odd"',
            (32, 28),
            (-5, 3),
            (-5 * 24 + 16, 3 * 28 + 14 + 14),
        ),
    ],
)
def test_infinite_maps_keep_their_pixels(
    tmp_path: Path,
    about: str,
    size: tuple[int, int],
    corner: tuple[int, int],
    middle: tuple[float, float],
) -> None:
    with opened(write(tmp_path, infinite(about, size, *corner))) as level:
        assert (level.width, level.height) == (3, 1)
        assert level.to_point((0, 0)) == middle
        assert level.to_cell(middle) == (0, 0)


def test_infinite_staggered_maps(tmp_path: Path) -> None:
    about = 'orientation="staggered" staggeraxis="y" staggerindex="odd"'
    with opened(write(tmp_path, infinite(about, (64, 32), -5, 3))) as level:
        # Tiles (-5, 3), (-4, 3) and (-3, 3) lie beside one another on the screen.
        for place in range(3):
            middle = ((-5 + place) * 64 + 32 + 32, 3 * 16 + 16)
            assert level.to_cell(middle) == (place, 2 - place)
            assert level.to_point((place, 2 - place)) == middle


# -- layers with offsets ---------------------------------------------------------------------------


def shifted(text: str, x: float, y: float, tag: str = "layer") -> str:
    return text.replace(f"<{tag} ", f'<{tag} offsetx="{x}" offsety="{y}" ', 1)


def test_cells_lie_where_the_lowest_layer_is_drawn(tmp_path: Path) -> None:
    ground = shifted(layer([[1, 1]]), 4, -2.5)
    walls = shifted(layer([[0, 2]], name="Walls", number=2), 0, -8)
    with opened(write(tmp_path, tmx(ground, walls, width=2, height=1))) as level:
        assert level.to_point((0, 0)) == (12, 5.5)


def test_groups_move_their_layers_and_floors_each_have_their_own(tmp_path: Path) -> None:
    def floor(number: int, x: int, y: int) -> str:
        return (
            f'<group id="{number + 5}" name="F{number}" offsetx="{x}" offsety="{y}">'
            f'<properties><property name="floor" type="int" value="{number}"/></properties>'
            f"{shifted(layer([[1, 1]]), 1, 2)}</group>"
        )

    text = tmx(floor(0, 0, 0), floor(1, 100, -48), width=2, height=1)
    with opened(write(tmp_path, text)) as level:
        assert level.to_point((1, 0, 0)) == (25, 10, 0)
        assert level.to_point((1, 0, 1)) == (125, -38, 1)
        assert level.to_cell((125.0, -38.0, 1)) == (1, 0, 1)
        points = level.to_point(np.array([(0, 0, 1), (0, 0, 0)]))
        assert points.tolist() == [[109, -38, 1], [9, 10, 0]]


# -- worlds ----------------------------------------------------------------------------------------


def world(folder: Path) -> Path:
    spot = objects(thing(7, "spawn", (20, 4), name="here"))
    write(folder, tmx(layer([[1, 1]]), spot, width=2, height=1), "west.tmx")
    write(folder, tmx(layer([[1, 1]]), spot, width=2, height=1), "east.tmx")
    maps = [
        {"fileName": "west.tmx", "x": -32, "y": 16},
        {"fileName": "east.tmx", "x": 48, "y": 0},
    ]
    return write(folder, json.dumps({"type": "world", "maps": maps}), "land.world")


def test_worlds_have_one_plane(tmp_path: Path) -> None:
    path = world(tmp_path)
    whole = read(path)
    assert whole.coordinates is not None
    assert whole.coordinates.centres == ((-24, 8),)
    with opened(path) as level:
        spots = {spot.name: (spot.id, level.to_point(spot.place)) for spot in level.spots()}
    assert spots == {
        "west/here": ("west/7", (-32 + 24, 16 + 8)),
        "east/here": ("east/7", (48 + 24, 8)),
    }


def test_single_maps_of_a_world_lie_in_it(tmp_path: Path) -> None:
    from bake.levels import load

    path = world(tmp_path)
    for name, centre in (("west", (-24, 24)), ("east", (56, 8))):
        level = load(path, {}, part=name, tiled=TiledReading(world="each"))
        assert level.coordinates.centres == (centre,)


def test_ids_of_objects(tmp_path: Path) -> None:
    things = objects(
        thing(3, "spawn", (8, 8)),
        thing(4, "region", (0, 0), name="all", width=32, height=16),
        thing(5, "door", (16, 0), name="gate", width=16, height=16, states="open;shut=wall"),
        thing(6, "link", (8, 8), name="leap", to=3, x="0"),
    )
    things = things.replace('x="8" y="8" name="leap"', 'x="24" y="8" name="leap"')
    level = read(write(tmp_path, tmx(layer([[1, 1]]), things, width=2, height=1)))
    found = level.things
    assert [each.id for each in (*found.spots, *found.regions, *found.doors, *found.links)] == [
        *("3", "4", "5", "6")
    ]


# -- the editor's own examples ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "tiles"),
    [
        ("desert.tmx", {(39, 7): (1264, 240)}),
        ("hexagonal-mini.tmx", {(0, 0): (7, 6), (19, 19): (19 * 14 + 14, 19 * 9 + 6)}),
        ("isometric_grass_and_water.tmx", {(0, 0): (800, 16), (24, 24): (800, 784)}),
        ("perspective_walls.tmx", {(1, 1): (46.5, 46.5)}),
        ("rpg/island.tmx", {(57, 46): (920, 744)}),
    ],
)
def test_examples(name: str, tiles: dict[tuple[int, int], tuple[float, float]]) -> None:
    level = read(shared_level(f"tiled/{name}"))
    assert level.coordinates is not None
    for cell, middle in tiles.items():
        found = level.coordinates.points(np.array([cell]), np.array([0]), level.hex_layout)
        assert tuple(found[0].tolist()) == middle


def test_the_staggered_example() -> None:
    level = read(shared_level("tiled/isometric_staggered_grass_and_water.tmx"))
    assert level.coordinates is not None
    for column, row, middle in ((0, 0, (32, 16)), (24, 1, (1600, 32)), (3, 48, (224, 784))):
        cell = (column + (row + 1) // 2, row // 2 - column + 24)
        found = level.coordinates.points(np.array([cell]), np.array([0]), None)
        assert tuple(found[0].tolist()) == middle
