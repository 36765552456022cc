"""The cells an outline covers and the ways it cuts, against fractions, on every lattice."""

import functools
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bake.levels.tiled.coverage import Lattice, Outline, cover
from bake.levels.tiled.fields import Fields
from bake.levels.tiled.geometry import Geometry
from bake.levels.tiled.layers import Box

OWNER = Fields(Path("map.tmx"), {}, "object 1", is_text=False)
#: Lines lie 16 pixels apart everywhere, so that corners in parts of a pixel stay as they are.
GEOMETRIES = [
    Geometry("orthogonal", 16, 16),
    Geometry("orthogonal", 32, 8),
    Geometry("isometric", 64, 16),
    *(Geometry("staggered", 32, 32, 0, axis, odd) for axis in "xy" for odd in (True, False)),
    *(Geometry("hexagonal", 32, 24, 8, "y", odd) for odd in (True, False)),
    *(Geometry("hexagonal", 24, 32, 8, "x", odd) for odd in (True, False)),
]
#: Points are whole numbers of 56ths of a pixel, so that nothing is rounded.
WHOLE = 56
Point = tuple[int, int]
Cell = tuple[int, int]


@functools.cache
def middle(geometry: Geometry, cell: Cell) -> Point:
    x, y = (
        Fraction(float(axis[0])) * WHOLE
        for axis in geometry.cell_centers(*(np.array([each]) for each in cell))
    )
    assert x.denominator == y.denominator == 1
    return x.numerator, y.numerator


def neighbours(geometry: Geometry, cells: list[Cell]) -> list[tuple[Cell, Cell]]:
    """Pairs of cells whose middles are as near as straight neighbours are, each once."""
    if geometry.orientation == "hexagonal":
        near = {(32, 0), (16, 16)} if geometry.axis == "y" else {(0, 32), (16, 16)}
    elif geometry.orientation == "staggered":
        near = {(16, 16)}
    else:
        near = {(int(geometry.pitch[0]), 0), (0, int(geometry.pitch[1]))}
    near = {(x * WHOLE, y * WHOLE) for x, y in near}
    places = {cell: middle(geometry, cell) for cell in cells}
    return [
        (one, other)
        for at, one in enumerate(cells)
        for other in cells[at + 1 :]
        if tuple(abs(a - b) for a, b in zip(places[one], places[other], strict=True)) in near
    ]


def cross(a: Point, b: Point, c: Point) -> int:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def crossing(a: Point, b: Point, c: Point, d: Point) -> Fraction | None:
    """How far from a to b the edge from c to d crosses, None where it does not; no example where
    it touches an end or lies along."""
    signs = [cross(c, d, a), cross(c, d, b), cross(a, b, c), cross(a, b, d)]
    assume(all(signs))
    if (signs[0] > 0) == (signs[1] > 0) or (signs[2] > 0) == (signs[3] > 0):
        return None
    return Fraction(signs[0], signs[0] - signs[1])


def edges(corners: list[Point], *, closed: bool) -> list[tuple[Point, Point]]:
    return list(pairwise([*corners, corners[0]] if closed else corners))


def inside(point: Point, corners: list[Point]) -> bool:
    """The even-odd rule, by a ray to somewhere far off that no corner lies on."""
    far = (point[0] + 100_003 * WHOLE, point[1] + 31_337 * WHOLE // 7)
    hits = [crossing(point, far, *edge) for edge in edges(corners, closed=True)]
    return sum(hit is not None for hit in hits) % 2 == 1


COORDINATE = st.integers(-80, 400).map(lambda quarters: (2 * quarters + 1) * WHOLE // 8)


@pytest.mark.parametrize("geometry", GEOMETRIES, ids=str)
@given(
    corners=st.lists(st.tuples(COORDINATE, COORDINATE), min_size=2, max_size=7),
    closed=st.booleans(),
    corner=st.tuples(st.integers(-2, 1), st.integers(-2, 1)),
)
def test_against_fractions(
    geometry: Geometry, corners: list[Point], closed: bool, corner: Cell
) -> None:
    box = Box(*corner, 5, 4)
    cells = [
        (x, y)
        for x in range(box.left, box.left + box.width)
        for y in range(box.top, box.top + box.height)
    ]
    outline = Outline(*(np.array(axis) / WHOLE for axis in zip(*corners, strict=True)), closed)
    found = cover(outline, Lattice.for_box(geometry, box), OWNER)

    ways: dict[frozenset[Cell], Cell | None] = {}
    for one, other in neighbours(geometry, cells):
        a, b = middle(geometry, one), middle(geometry, other)
        hits = [
            hit
            for edge in edges(corners, closed=closed)
            if (hit := crossing(a, b, *edge)) is not None
        ]
        if hits:
            half = (min(hits) + max(hits)) / 2
            # Next to the middle of the way, rounding decides.
            near_tie = abs(half - Fraction(1, 2)) < Fraction(1, 2**14)
            ways[frozenset((one, other))] = None if near_tie else one if half < 0.5 else other
    within = {cell for cell in cells if closed and inside(middle(geometry, cell), corners)}
    got = list(zip(*(each.tolist() for each in geometry.cells_of(found.u, found.v)), strict=True))
    assert sorted(got) == sorted(within)
    starts = zip(
        *(each.tolist() for each in geometry.cells_of(found.from_u, found.from_v)), strict=True
    )
    ends = zip(*(each.tolist() for each in geometry.cells_of(found.to_u, found.to_v)), strict=True)
    cut = {
        frozenset((one, other)): other if far else one
        for one, other, far in zip(starts, ends, found.far.tolist(), strict=True)
    }
    assert len(cut) == len(found.far)
    assert cut.keys() == ways.keys()
    assert all(side is None or cut[way] == side for way, side in ways.items())


def at(outline: list[tuple[float, float]], *, closed: bool = True) -> tuple[set[Cell], set[Cell]]:
    """Cells inside, and those on whose side ways are cut, on squares of 16 pixels."""
    geometry = Geometry("orthogonal", 16, 16)
    x, y = (np.array(axis, dtype=float) for axis in zip(*outline, strict=True))
    found = cover(Outline(x, y, closed), Lattice.for_box(geometry, Box(0, 0, 8, 8)), OWNER)
    within = set(zip(found.u.tolist(), found.v.tolist(), strict=True))
    u = np.where(found.far, found.to_u, found.from_u).tolist()
    v = np.where(found.far, found.to_v, found.from_v).tolist()
    return within, set(zip(u, v, strict=True))


def test_edges_through_middles_belong_to_one_side() -> None:
    """Two rectangles that share the edge x = 24, through the middles of column 1."""
    left, _ = at([(0, 0), (24, 0), (24, 32), (0, 32)])
    right, _ = at([(24, 0), (64, 0), (64, 32), (24, 32)])
    assert left == {(0, 0), (0, 1)}
    assert right == {(x, y) for x in (1, 2, 3) for y in (0, 1)}


def test_lines_on_borders_of_cells() -> None:
    """A line between two columns cuts on the side of the eastern one, all along its length."""
    assert at([(32, 0), (32, 48)], closed=False) == (set(), {(2, 0), (2, 1), (2, 2)})
    assert at([(0, 32), (48, 32)], closed=False) == (set(), {(0, 2), (1, 2), (2, 2)})


def test_diagonal_lines_have_no_holes() -> None:
    """One through middles has these cells; beside them every way across it is cut."""
    within, _ = at([(8, 8), (90, 90)], closed=False)
    assert within == {(each, each) for each in range(6)}
    within, cut = at([(12, 0), (128, 116)], closed=False)
    assert not within
    assert cut == {(each + 1, each) for each in range(7)}


def test_self_crossing_outlines_are_even_odd() -> None:
    """A star of five points has a hole in its middle."""
    points = [
        (64 + 60 * np.cos(turn), 64 + 60 * np.sin(turn))
        for turn in np.arange(5) * 4 * np.pi / 5 + 0.1
    ]
    within, _ = at(points)
    assert (4, 4) not in within
    assert (3, 3) not in within
    assert within


def test_nothing_of_something_tiny() -> None:
    within, cut = at([(30, 30), (34, 30), (34, 34), (30, 34)])
    assert (within, cut) == (set(), set())


def test_far_corners_need_more_than_64_bits() -> None:
    far = 1e9
    band, _ = at([(-far, 24), (far, 24), (far, 40), (-far, 40)])
    assert band == {(x, 1) for x in range(8)}
    triangle, _ = at([(-far, -far), (far, -far), (64, 63)])
    slope = Fraction(10**9 + 63, 10**9 - 64)
    expected = {
        (x, y)
        for x in range(8)
        for y in range(8)
        if 16 * y + 8 < 63
        and abs(Fraction(16 * x + 8) - 64) * (slope if x >= 4 else Fraction(10**9 + 63, 10**9 + 64))
        < 63 - (16 * y + 8)
    }
    assert triangle == expected
