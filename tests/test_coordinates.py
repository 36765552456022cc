"""Cells and points: by Tiled's own formulas, written down again in exact fractions.

The oracle is a transcript of what Tiled's renderers compute (tileToScreenCoords and
screenToTileCoords in src/libtiled), in plain Python and without rounding.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bake.core.level import upright
from bake.core.movement import HEX_LAYOUTS
from bake.levels.tiled.geometry import Geometry
from levelbake.places import Coordinates
from levelbake.steps import HexLayout

pytestmark = pytest.mark.note(62, "Tiled's formulas in fractions")

Cell = tuple[int, int]
Exact = tuple[Fraction, Fraction]

#: Sizes of tiles; small and odd ones go wrong first.
SIZES = st.integers(2, 200)
#: Points that any editor writes: whole pixels, and fractions of them that floats can hold.
PIXELS = st.integers(-(2**20), 2**20).map(lambda part: Fraction(part, 64))
NEAR = st.sampled_from([Fraction(0), Fraction(1, 2**20), Fraction(-1, 2**20)])


class Tiled:
    """A map as Tiled draws it; cells are those of the map."""

    def __init__(self, geometry: Geometry, rows: int) -> None:
        self.kind, self.rows = geometry.orientation, rows
        self.width, self.height = geometry.tile_width, geometry.tile_height
        self.side, self.by_x, self.odd = geometry.side, geometry.axis == "x", geometry.odd

    def middle(self, x: int, y: int) -> Exact:
        """tileToScreenCoords, and half a tile."""
        half = Fraction(self.width, 2), Fraction(self.height, 2)
        if self.kind == "orthogonal":
            return x * self.width + half[0], y * self.height + half[1]
        if self.kind == "isometric":
            origin = self.rows * self.width // 2
            return (x - y) * half[0] + origin, (x + y + 1) * half[1]
        shifted = ((x if self.by_x else y) % 2 == 1) == self.odd
        along = self.width if self.by_x else self.height
        apart = (along - self.side) // 2 + self.side
        if self.by_x:
            return x * apart + half[0], y * self.height + shifted * half[1] + half[1]
        return x * self.width + shifted * half[0] + half[0], y * apart + half[1]

    def cells(self, px: Fraction, py: Fraction) -> list[Cell]:
        """screenToTileCoords; several cells where a point lies on the border of diamonds."""
        if self.kind == "orthogonal":
            return [(math.floor(px / self.width), math.floor(py / self.height))]
        if self.kind == "isometric":
            across, down = (px - self.rows * self.width // 2) / self.width, py / self.height
            return [(math.floor(down + across), math.floor(down - across))]
        if self.kind == "hexagonal":
            return [self.hexagon(px, py)]
        far = {}
        across = self.width // 2 if self.by_x else self.width
        down = self.height if self.by_x else self.height // 2
        near = math.floor(px / across), math.floor(py / down)
        for x, y in product(*(range(each - 3, each + 3) for each in near)):
            cx, cy = self.middle(x, y)
            far[x, y] = abs(px - cx) / self.width + abs(py - cy) / self.height
        nearest = min(far.values())
        return [cell for cell, each in far.items() if each == nearest]

    def hexagon(self, px: Fraction | int, py: Fraction | int, whole: int = 1) -> Cell:
        """Of four middles the first nearest one, step by step as HexagonalRenderer does it.

        Args:
            px, py: the point, in parts of a pixel.
            whole: how many parts a pixel has.
        """
        even = not self.odd
        side_x, side_y = (self.side, 0) if self.by_x else (0, self.side)
        offset_x, offset_y = (self.width - side_x) // 2, (self.height - side_y) // 2
        column, row = (offset_x + side_x) * whole, (offset_y + side_y) * whole
        if self.by_x:
            px -= (self.width if even else offset_x) * whole
        else:
            py -= (self.height if even else offset_y) * whole
        at = [px // (2 * column), py // (2 * row)]
        rel = px - at[0] * 2 * column, py - at[1] * 2 * row
        line = 0 if self.by_x else 1
        at[line] = 2 * at[line] + even
        half = self.side // 2 * whole
        if self.by_x:
            middle = self.height // 2 * whole
            ends = [(half, middle), (half + 2 * column, middle)]
            between = [(half + column, middle - row), (half + column, middle + row)]
            steps = [(0, 0), (1, -1), (1, 0), (2, 0)]
        else:
            middle = self.width // 2 * whole
            ends = [(middle, half), (middle, half + 2 * row)]
            between = [(middle - column, half + row), (middle + column, half + row)]
            steps = [(0, 0), (-1, 1), (0, 1), (0, 2)]
        far = [(x - rel[0]) ** 2 + (y - rel[1]) ** 2 for x, y in (ends[0], *between, ends[1])]
        step = steps[far.index(min(far))]
        return at[0] + step[0], at[1] + step[1]


@st.composite
def geometries(draw: st.DrawFn) -> Geometry:
    kind = draw(st.sampled_from(["orthogonal", "isometric", "staggered", "hexagonal"]))
    width, height = draw(SIZES), draw(SIZES)
    if kind in ("orthogonal", "isometric"):
        return Geometry(kind, width, height)
    axis, odd = draw(st.sampled_from("xy")), draw(st.booleans())
    width, height = width & ~1, height & ~1
    # Of sides of odd length Tiled picks cells a pixel beside where it draws them.
    side = 2 * draw(st.integers(0, (width if axis == "x" else height) // 2))
    side = side if kind == "hexagonal" else 0
    return Geometry(kind, width, height, side, axis, odd)


def in_level(geometry: Geometry, cell: Cell, corner: Cell) -> Cell:
    """The level's cell for one of the map; a staggered map is turned."""
    x, y = cell
    if geometry.orientation == "staggered":
        u, v = geometry.turn_cells(np.array([x]), np.array([y]))
        x, y = int(u[0]), int(v[0])
    return x - corner[0], y - corner[1]


def to_cell(where: Coordinates, point: Exact, layout: HexLayout | None) -> Cell:
    points = np.array([[float(axis) for axis in point]])
    assert [Fraction(axis) for axis in points[0].tolist()] == list(point)
    x, y = where.cells(points, np.zeros(1, dtype=np.int64), layout)[0].tolist()
    return int(x), int(y)


def to_point(where: Coordinates, cell: Cell, layout: HexLayout | None) -> Exact:
    found = where.points(np.array([cell]), np.zeros(1, dtype=np.int64), layout)[0].tolist()
    return Fraction(found[0]), Fraction(found[1])


CORNERS = st.tuples(st.integers(-50, 50), st.integers(-50, 50))


@given(geometries(), CORNERS, st.integers(0, 60), CORNERS)
def test_middles_are_where_tiled_draws_them(
    geometry: Geometry, corner: Cell, rows: int, cell: Cell
) -> None:
    where, layout = geometry.coordinates(*corner, rows), geometry.hex_layout(*corner)
    own = in_level(geometry, cell, corner)
    middle = Tiled(geometry, rows).middle(*cell)
    assert to_point(where, own, layout) == middle
    assert to_cell(where, middle, layout) == own


@given(geometries(), CORNERS, st.integers(0, 60), st.tuples(PIXELS, PIXELS))
def test_points_lie_in_the_cells_tiled_says(
    geometry: Geometry, corner: Cell, rows: int, point: Exact
) -> None:
    where, layout = geometry.coordinates(*corner, rows), geometry.hex_layout(*corner)
    wanted = [in_level(geometry, cell, corner) for cell in Tiled(geometry, rows).cells(*point)]
    assert to_cell(where, point, layout) in wanted


@given(geometries(), CORNERS, st.integers(0, 60), CORNERS, st.data())
def test_points_near_borders(
    geometry: Geometry, corner: Cell, rows: int, cell: Cell, data: st.DataObject
) -> None:
    """Halfway between two cells that lie beside one another, and a hair to all sides of that."""
    where, layout = geometry.coordinates(*corner, rows), geometry.hex_layout(*corner)
    tiled = Tiled(geometry, rows)
    beside = (cell[0] + data.draw(st.integers(-1, 1)), cell[1] + data.draw(st.integers(-1, 1)))
    one, other = tiled.middle(*cell), tiled.middle(*beside)
    point = (
        (one[0] + other[0]) / 2 + data.draw(NEAR),
        (one[1] + other[1]) / 2 + data.draw(NEAR),
    )
    wanted = [in_level(geometry, each, corner) for each in tiled.cells(*point)]
    assert to_cell(where, point, layout) in wanted


@given(geometries(), CORNERS, st.integers(0, 60), st.tuples(PIXELS, PIXELS))
def test_squares_own_their_northern_and_western_borders(
    geometry: Geometry, corner: Cell, rows: int, point: Exact
) -> None:
    """Exact floors in the lattice's own axes, also for staggered maps."""
    where, layout = geometry.coordinates(*corner, rows), geometry.hex_layout(*corner)
    if layout is not None:
        return
    (ax, ay), (bx, by) = (tuple(map(Fraction, step)) for step in (where.east, where.south))
    px, py = (axis - Fraction(first) for axis, first in zip(point, where.centres[0], strict=True))
    area, half = ax * by - ay * bx, Fraction(1, 2)
    x = math.floor((px * by - py * bx) / area + half)
    y = math.floor((py * ax - px * ay) / area + half)
    assert to_cell(where, point, None) == (x, y)


# -- hexagonal borders: whose a point between several cells is -------------------------------------


@pytest.mark.parametrize(("axis", "odd"), list(product("xy", (True, False))))
@pytest.mark.parametrize("size", [(28, 32, 16), (32, 28, 16), (14, 12, 6), (24, 24, 0)])
def test_hexagons_as_tiled_picks_them(axis: str, odd: bool, size: tuple[int, int, int]) -> None:
    """Many quarters of a pixel around a few cells, borders and corners among them."""
    geometry = Geometry("hexagonal", *size, axis, odd)
    tiled = Tiled(geometry, 0)
    where, layout = geometry.coordinates(0, 0, 0), geometry.hex_layout(0, 0)
    quarters = list(product(range(-80, 161, 7), range(-80, 161)))
    points = np.array(quarters) / 4
    found = where.cells(points, np.zeros(len(points), dtype=np.int64), layout)
    wrong = [
        (at, cell, right)
        for at, cell in zip(quarters, found.tolist(), strict=True)
        if tuple(cell) != (right := tiled.hexagon(*at, whole=4))
    ]
    assert wrong == []


# -- sizes that people write -----------------------------------------------------------------------


def test_upright_squares_begin_at_the_origin() -> None:
    assert upright(16.0) == Coordinates(((8.0, 8.0),), (16.0, 0.0), (0.0, 16.0))
    where = upright((32.0, 16.0), (-64.0, 8.0))
    assert where == Coordinates(((-48.0, 16.0),), (32.0, 0.0), (0.0, 16.0))
    assert to_cell(where, (Fraction(-64), Fraction(8)), None) == (0, 0)
    assert to_cell(where, (Fraction(-65), Fraction(8)), None) == (-1, 0)


@pytest.mark.parametrize("layout", HEX_LAYOUTS)
def test_hexagons_of_one_number_are_regular(layout: HexLayout) -> None:
    """All six neighbours of a cell are one cell's width away from it."""
    from levelbake.steps import hex_steps, in_rows

    where = upright(10.0, layout=layout)
    for x, y in product(range(4), repeat=2):
        own = where.points(np.array([(x, y)]), np.zeros(1, dtype=np.int64), layout)[0]
        steps = hex_steps(layout, (y if in_rows(layout) else x) % 2)
        beside = np.array([(x + dx, y + dy) for dx, dy in steps])
        near = where.points(beside, np.zeros(6, dtype=np.int64), layout)
        assert np.allclose(np.hypot(*(near - own).T), 10)
    corner = where.points(
        np.array(list(product(range(2), repeat=2))), np.zeros(4, dtype=np.int64), layout
    ).min(axis=0)
    half = 10 / math.sqrt(3)
    assert np.allclose(corner, (5, half) if layout.endswith("r") else (half, 5))


@pytest.mark.parametrize("layout", [None, *HEX_LAYOUTS])
@given(
    size=st.one_of(
        st.floats(2**-10, 2**21), st.tuples(st.floats(0.1, 2**21), st.floats(0.1, 2**21))
    ),
    origin=st.tuples(st.floats(-(2**30), 2**30), st.floats(-(2**30), 2**30)),
    cell=st.tuples(st.integers(-5, 2**14), st.integers(-5, 2**14)),
)
def test_round_trips_of_any_size(
    layout: HexLayout | None,
    size: float | tuple[float, float],
    origin: tuple[float, float],
    cell: Cell,
) -> None:
    """Every cell's middle lies in the cell, however crooked the numbers, if they are legal."""
    where = upright(size, origin, layout)
    if where.problem(2**14, 2**14, layout) is None:
        assert to_cell(where, to_point(where, cell, layout), layout) == cell


@pytest.mark.parametrize(
    ("where", "said"),
    [
        (Coordinates(((math.nan, 0.0),), (1.0, 0.0), (0.0, 1.0)), "not finite"),
        (Coordinates(((0.0, 0.0),), (math.inf, 0.0), (0.0, 1.0)), "not finite"),
        (Coordinates(((0.0, 0.0),), (1.0, 1.0), (2.0, 2.0)), "no area"),
        (Coordinates(((0.0, 0.0),), (0.0, 0.0), (0.0, 1.0)), "no area"),
        (Coordinates(((0.0, 0.0),), (1.0, 0.0), (0.0, -1.0)), "no area"),
        (Coordinates(((0.0, 0.0),), (-1.0, 0.0), (0.0, -1.0)), "no area"),
        (Coordinates(((0.0, 0.0),), (1.0, 0.0), (0.0, 1.0), 0.5), "sides"),
        (Coordinates(((2.0**43, 0.0),), (1.0, 0.0), (0.0, 1.0)), "too far"),
        (Coordinates(((0.0, 0.0),), (2.0**22, 0.0), (0.0, 1.0)), "too large"),
        (Coordinates(((2.0**40, 0.0),), (2.0**-10, 0.0), (0.0, 2.0**-10)), "too small"),
        (Coordinates(((0.0, 0.0), (2.0**43, 0.0)), (1.0, 0.0), (0.0, 1.0)), "too far"),
    ],
)
def test_problems_are_found(where: Coordinates, said: str) -> None:
    problem = where.problem(100, 100, None)
    assert problem is not None
    assert said in problem
    assert upright(16.0).problem(100, 100, None) is None


def test_hexagons_may_not_be_turned() -> None:
    where = Coordinates(((0.0, 0.0),), (32.0, 16.0), (-32.0, 16.0))
    assert where.problem(10, 10, None) is None
    assert where.problem(10, 10, "odd-r") is not None
    where = upright(16.0, layout="odd-q")
    assert where.problem(10, 10, "odd-q") is None
    assert where._replace(side=where.east[0] + 1).problem(10, 10, "odd-q") is not None
