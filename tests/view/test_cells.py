"""Pixels and cells: the drawing must join exactly the cells that the graph joins."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bake.asset import Asset
from bake.coordinates import upright
from bake.hexagons import HEX_LAYOUTS
from bake.view.cells import Cells, HexCells, SquareCells
from tests.support.drawings import grid

SIZES = st.tuples(st.integers(1, 6), st.integers(1, 6), st.integers(1, 24))
CELLS = st.one_of(
    SIZES.map(lambda size: SquareCells(*size)),
    st.tuples(SIZES, st.sampled_from(HEX_LAYOUTS)).map(lambda given: HexCells(*given[0], given[1])),
)


@pytest.mark.parametrize("layout", HEX_LAYOUTS)
def test_hexagons_that_touch_are_neighbours(tmp_path: Path, layout: str) -> None:
    asset = grid(tmp_path, *["....."] * 6, hex_layout=layout)
    with Asset(asset) as opened:
        x, y = opened.read("/world/cell").astype(np.int64).T
        first_out = opened.read("/world/first_out")
        head = opened.read("/world/head")
    flat = y * 5 + x
    tail = np.repeat(np.arange(len(flat)), np.diff(first_out))
    arcs = set(zip(flat[tail].tolist(), flat[head].tolist(), strict=True))
    cells = HexCells(5, 6, 24, layout)
    drawn = cells.band(0, cells.pixel_height)
    touching = set()
    for one, other in ((drawn[:, 1:], drawn[:, :-1]), (drawn[1:], drawn[:-1])):
        met = (one != other) & (one < 30) & (other < 30)
        pairs = zip(one[met].tolist(), other[met].tolist(), strict=True)
        touching |= {pair for a, b in pairs for pair in ((a, b), (b, a))}
    assert touching == arcs


@pytest.mark.parametrize("layout", HEX_LAYOUTS)
def test_hexagons_are_equal_and_whole(layout: str) -> None:
    cells = HexCells(5, 6, 20, layout)
    area = np.bincount(cells.band(0, cells.pixel_height).ravel(), minlength=31)[:30]
    whole = np.sqrt(3) / 2 * 20**2 * cells.samples**2
    assert area.min() >= 0.97 * area.max()
    assert abs(area.mean() / whole - 1) < 0.03


@given(CELLS)
def test_the_middle_of_a_cell_shows_that_cell(cells: Cells) -> None:
    number = np.arange(cells.columns * cells.rows, dtype=np.int32)
    centre = cells.centre(number)
    drawn = cells.band(0, cells.pixel_height)
    assert drawn.shape == (
        cells.pixel_height * cells.samples,
        cells.pixel_width * cells.samples,
    )
    x, y = np.floor(centre * cells.samples).astype(int).T
    if cells.scale > 2:
        assert (drawn[y, x] == number).all()


@given(CELLS, st.integers(1, 9))
def test_bands_make_up_the_whole(cells: Cells, step: int) -> None:
    height = cells.pixel_height
    parts = [cells.band(top, min(height, top + step)) for top in range(0, height, step)]
    assert (np.vstack(parts) == cells.band(0, height)).all()


@given(CELLS, st.floats(-3, 3), st.floats(-3, 3))
def test_blending_follows_a_slope(cells: Cells, slope_x: float, slope_y: float) -> None:
    number = np.arange(cells.columns * cells.rows, dtype=np.int32)
    height = np.append(cells.centre(number) @ np.array([slope_x, slope_y]), np.nan)
    cell, weight = cells.blend(0, cells.pixel_height)
    assert np.allclose(weight.sum(axis=0), 1, atol=1e-5)
    assert (weight >= -1e-6).all()
    with np.errstate(invalid="ignore"):
        blended = (height[cell] * weight).sum(axis=0)
    x, y = np.meshgrid(np.arange(cells.pixel_width) + 0.5, np.arange(cells.pixel_height) + 0.5)
    inside = ~np.isnan(blended)
    assert np.allclose(blended[inside], (x * slope_x + y * slope_y)[inside], atol=1e-3)
    if cells.columns > 1 and cells.rows > 1 and cells.scale > 8:
        assert inside.any()


@pytest.mark.parametrize("layout", [None, *HEX_LAYOUTS])
def test_pictures_agree_with_points(layout: str | None) -> None:
    """Middles in the picture are those of `to_point` where nothing is stated, times the scale.

    Hexagons may be stretched across their lines by less than half a pixel a line.
    """
    cells = SquareCells(7, 5, 30) if layout is None else HexCells(7, 5, 30, layout)
    ys, xs = np.mgrid[:5, :7]
    places = np.stack([xs.ravel(), ys.ravel()], axis=1)
    where = upright(30.0, layout=layout)
    wanted = where.points(places, np.zeros(len(places), dtype=np.int64), layout)
    apart = np.abs(cells.centre(np.arange(35, dtype=np.int32)) - wanted)
    slack = np.zeros_like(apart)
    if layout is not None:
        line = 1 if layout.endswith("r") else 0
        slack[:, line] = 0.5 * (1 + places[:, line])
    assert (apart <= slack + 1e-9).all()
