"""Pixels and cells: the drawing must join exactly the cells that the graph joins."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bake.core.level import upright
from bake.core.movement import HEX_LAYOUTS
from bake.show.cells import DrawnCells
from bake.store import Asset
from tests.support.baked import cells_of_nodes
from tests.support.drawings import grid

CELLS = st.builds(
    DrawnCells,
    st.integers(1, 6),
    st.integers(1, 6),
    st.integers(1, 24),
    st.sampled_from([None, *HEX_LAYOUTS]),
)


def shown(cells: DrawnCells, fine: int) -> np.ndarray:
    """The number of the cell in each sample of a picture, and -1 where there is none."""
    number = np.arange(1, cells.columns * cells.rows + 1, dtype=np.uint8)
    return np.asarray(cells.picture(number, fine)).astype(np.int64) - 1


@pytest.mark.parametrize("layout", [None, *HEX_LAYOUTS])
def test_cells_that_touch_are_neighbours(tmp_path: Path, layout: str | None) -> None:
    asset = grid(tmp_path, *["....."] * 6, hex_layout=layout)
    with Asset(asset) as opened:
        x, y = cells_of_nodes(opened).astype(np.int64).T
        first_out = opened.graph.first_out
        head = opened.graph.head
    flat = y * 5 + x
    tail = np.repeat(np.arange(len(flat)), np.diff(first_out))
    # A step that leads nowhere leads back to its node.
    arcs = {(a, b) for a, b in zip(flat[tail].tolist(), flat[head].tolist(), strict=True) if a != b}
    if layout is None:
        arcs = {(a, b) for a, b in arcs if abs(a - b) in (1, 5)}
    cells = DrawnCells(5, 6, 24, layout)
    drawn = shown(cells, 2)
    touching = set()
    for one, other in ((drawn[:, 1:], drawn[:, :-1]), (drawn[1:], drawn[:-1])):
        met = (one != other) & (one >= 0) & (other >= 0)
        pairs, count = np.unique(np.stack([one[met], other[met]]), axis=1, return_counts=True)
        # Where three cells meet, two may have a sample in common by rounding.
        touching |= {pair for a, b in pairs.T[count > 4].tolist() for pair in ((a, b), (b, a))}
    assert touching == arcs
    listed = [pair for one, other in cells.neighbours() for pair in zip(one, other, strict=True)]
    assert len(listed) == len(set(listed)) == len(arcs) / 2
    assert {*listed, *((b, a) for a, b in listed)} == arcs


@pytest.mark.parametrize("layout", HEX_LAYOUTS)
def test_hexagons_are_equal_and_whole(layout: str) -> None:
    cells = DrawnCells(5, 6, 20, layout)
    area = np.bincount(shown(cells, 3).ravel() + 1, minlength=31)[1:]
    whole = np.sqrt(3) / 2 * 20**2 * 3**2
    # Those drawn last have the samples of the sides that they share.
    assert area.min() >= 0.94 * area.max()
    assert abs(area.mean() / whole - 1) < 0.03


@given(CELLS, st.integers(1, 3))
def test_the_middle_of_a_cell_shows_that_cell(cells: DrawnCells, fine: int) -> None:
    number = np.arange(cells.columns * cells.rows, dtype=np.int32)
    drawn = shown(cells, fine)
    assert drawn.shape == (cells.size[1] * fine, cells.size[0] * fine)
    x, y = np.floor(cells.centre(number) * fine).astype(int).T
    if cells.scale > 2:
        assert (drawn[y, x] == number).all()


@given(CELLS)
def test_cells_lie_in_their_picture(cells: DrawnCells) -> None:
    at = cells.corners(np.arange(cells.columns * cells.rows, dtype=np.int32))
    assert (at >= -1e-9).all()
    assert (at <= np.array(cells.size) + 1e-9).all()


@pytest.mark.parametrize("layout", [None, *HEX_LAYOUTS])
def test_pictures_agree_with_points(layout: str | None) -> None:
    """Middles in the picture are those of `to_point` where nothing is stated, times the scale.

    Hexagons may be stretched across their lines by less than half a pixel a line.
    """
    cells = DrawnCells(7, 5, 30, layout)
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
