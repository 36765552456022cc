"""Cells of every orientation: neighbours on the screen are neighbours in the level."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest

from bake.levels.tiled.geometry import Geometry
from levelbake.steps import hex_steps, in_rows
from tests.support.levels import named
from tests.support.tiled_maps import layer, objects, read, thing, tmx, write

STAGGERS = list(product("xy", ("odd", "even")))


def middles(geometry: Geometry, xs: range, ys: range) -> dict[tuple[int, int], tuple[float, float]]:
    found = {}
    for x, y in product(xs, ys):
        px, py = geometry.cell_centers(np.array([x]), np.array([y]))
        found[x, y] = (float(px[0]), float(py[0]))
    return found


@pytest.mark.parametrize(("axis", "index"), STAGGERS)
def test_staggered_neighbours_share_a_side(axis: str, index: str) -> None:
    """Diamonds share a side where their middles are half a tile apart both ways, and a corner
    where they are a whole tile apart one way."""
    geometry = Geometry("staggered", 64, 32, 0, axis, index == "odd")
    places = middles(geometry, range(-3, 4), range(-3, 4))
    for (a, (ax, ay)), (b, (bx, by)) in product(places.items(), repeat=2):
        au, av = geometry.turn_cells(*(np.array([each]) for each in a))
        bu, bv = geometry.turn_cells(*(np.array([each]) for each in b))
        du, dv = abs(int(au[0] - bu[0])), abs(int(av[0] - bv[0]))
        apart = (abs(ax - bx) / 64, abs(ay - by) / 32)
        assert ((du + dv) == 1) == (apart == (0.5, 0.5))
        assert ((du, dv) == (1, 1)) == (apart in ((1, 0), (0, 1)))
        # South-east on the screen is east in the level, south-west is south.
        assert int(bu[0] - au[0]) == (bx - ax) / 64 + (by - ay) / 32
        assert int(bv[0] - av[0]) == (by - ay) / 32 - (bx - ax) / 64


@pytest.mark.parametrize(("axis", "index"), STAGGERS)
@pytest.mark.parametrize("corner", [(0, 0), (1, 0), (0, 1), (-3, -5)])
def test_hexagons_touch_those_of_their_layout(
    axis: str, index: str, corner: tuple[int, int]
) -> None:
    """Middles of touching hexagons are a whole tile apart along the rows, or half a tile and a
    row."""
    size = (28, 32) if axis == "y" else (32, 28)
    geometry = Geometry("hexagonal", *size, 16, axis, index == "odd")
    layout = geometry.hex_layout(*corner)
    assert layout is not None
    xs, ys = range(corner[0], corner[0] + 5), range(corner[1], corner[1] + 5)
    places = middles(geometry, xs, ys)
    for a, b in product(places, repeat=2):
        across, down = (abs(places[a][each] - places[b][each]) for each in range(2))
        touching = (across, down) in (((28, 0), (14, 24)) if axis == "y" else ((0, 28), (24, 14)))
        x, y = a[0] - corner[0], a[1] - corner[1]
        steps = hex_steps(layout, (y if in_rows(layout) else x) % 2)
        assert touching == ((b[0] - a[0], b[1] - a[1]) in steps)


@pytest.mark.parametrize(
    "geometry",
    [
        Geometry("orthogonal", 16, 24),
        Geometry("isometric", 64, 32),
        *(Geometry("staggered", 64, 32, 0, axis, index == "odd") for axis, index in STAGGERS),
        *(Geometry("hexagonal", 28, 32, 12, axis, index == "odd") for axis, index in STAGGERS),
    ],
    ids=str,
)
def test_the_middle_of_a_cell_lies_in_it(geometry: Geometry) -> None:
    for cell, (px, py) in middles(geometry, range(-4, 5), range(-4, 5)).items():
        for dx, dy in ((0, 0), (2, 1), (-2, 1), (1, -2)):
            assert geometry.cell_at(px + dx, py + dy) == cell


@pytest.mark.parametrize(
    ("axis", "index", "layout"),
    [
        ("y", "odd", "odd-r"),
        ("y", "even", "even-r"),
        ("x", "odd", "odd-q"),
        ("x", "even", "even-q"),
    ],
)
def test_hexagonal_maps(tmp_path: Path, axis: str, index: str, layout: str) -> None:
    about = f'orientation="hexagonal" hexsidelength="8" staggeraxis="{axis}" staggerindex="{index}"'
    level = read(write(tmp_path, tmx(layer([[1, 2], [3, 1]]), width=2, height=2, about=about)))
    assert level.hex_layout == layout
    assert level.rules.connectivity == 6
    assert level.terrain.shape == (2, 2)


def test_an_infinite_hexagonal_map_that_begins_on_an_odd_row(tmp_path: Path) -> None:
    about = 'orientation="hexagonal" hexsidelength="8" staggeraxis="y" staggerindex="odd"'
    ground = (
        '<layer id="1" name="Ground" width="1" height="2"><data encoding="csv">'
        '<chunk x="0" y="-1" width="1" height="2">1,2</chunk></data></layer>'
    )
    level = read(write(tmp_path, tmx(ground, width=1, height=2, infinite=1, about=about)))
    assert level.hex_layout == "even-r"


def test_isometric_maps_are_square_grids(tmp_path: Path) -> None:
    level = read(
        write(tmp_path, tmx(layer([[1, 2]]), width=2, height=1, about='orientation="isometric"'))
    )
    assert level.hex_layout is None
    assert level.terrain.shape == (1, 2)


def test_a_staggered_map_by_hand(tmp_path: Path) -> None:
    """Rows of the file, drawn; odd rows are half a tile to the right:

    a b
     c d
    e f
    """
    tileset = (
        '<tileset firstgid="1" name="s" tilecount="6" columns="6">'
        + "".join(
            f'<tile id="{number}" class="{letter}"/>' for number, letter in enumerate("abcdef")
        )
        + "</tileset>"
    )
    about = 'orientation="staggered" staggeraxis="y" staggerindex="odd"'
    gids = [[1, 2], [3, 4], [5, 6]]
    level = read(write(tmp_path, tmx(layer(gids), width=2, height=3, tileset=tileset, about=about)))
    # South-east is a step to the right here, south-west one down.
    assert named(level) == [["void", "b", "d"], ["a", "c", "f"], ["void", "e", "void"]]


@pytest.mark.parametrize("kind", ["staggered", "hexagonal"])
@pytest.mark.parametrize(("axis", "index"), STAGGERS)
def test_spots_stand_where_games_find_them(
    tmp_path: Path, kind: str, axis: str, index: str
) -> None:
    """An object drawn at a point is in the cell that `to_cell` gives for it, also on borders."""
    about = f'orientation="{kind}" hexsidelength="6" staggeraxis="{axis}" staggerindex="{index}"'
    places = list(product(range(20, 60, 3), range(20, 60, 2)))
    spots = [thing(at, "spawn", place) for at, place in enumerate(places, start=1)]
    text = tmx(layer([[1] * 9] * 9), objects(*spots), width=9, height=9, about=about)
    level = read(write(tmp_path, text))
    assert level.coordinates is not None
    points = np.array(places, dtype=np.float64)
    floor = np.zeros(len(points), dtype=np.int64)
    cells = level.coordinates.cells(points, floor, level.hex_layout)
    assert [spot.cell for spot in level.things.spots] == [tuple(each) for each in cells.tolist()]
