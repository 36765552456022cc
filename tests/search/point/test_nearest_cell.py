"""The nearest cell of a grid by rings, beside a scan in plain Python."""

from collections.abc import Callable

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from bake.search.point.nearest_cell import nearest_cell, nearest_cells

plain: Callable[..., int] = getattr(nearest_cell, "plain", nearest_cell)

halves = st.integers(-9, 30).map(lambda number: number / 2)
anywhere = st.floats(-1e15, 1e15) | st.floats(-2, 12)
shapes = st.tuples(st.integers(1, 2), st.integers(1, 9), st.integers(1, 9))


def scanned(cells: np.ndarray, stands: list[bool], x: float, y: float) -> int:
    """The row of the nearest cell, the first in reading order; -1: none."""
    best = (float("inf"), 0, -1)
    for at, row in enumerate(cells.ravel().tolist()):
        line, column = divmod(at, cells.shape[1])
        dx, dy = column - x, line - y
        if row >= 0 and stands[row]:
            best = min(best, (dx * dx + dy * dy, at, row))
    return best[2]


@given(
    shape=shapes,
    points=st.lists(st.tuples(halves | anywhere, halves | anywhere), min_size=1, max_size=9),
    seed=st.integers(0, 2**16),
    walls=st.sampled_from([0.0, 0.5, 0.95, 1.0]),
)
@example(shape=(1, 9, 9), points=[(1e15, -1e15), (4.5, 4.5), (4.0, 4.0)], seed=0, walls=0.95)
def test_every_way_answers_as_a_scan(
    shape: tuple[int, int, int], points: list[tuple[float, float]], seed: int, walls: float
) -> None:
    rng = np.random.default_rng(seed)
    count = int(np.prod(shape))
    cells = rng.permutation(count).astype(np.int32)
    cells[rng.random(count) < walls] = -1
    cells = cells.reshape(shape)
    floor = rng.integers(0, shape[0], len(points)).astype(np.int32)
    for stands in (np.ones(count, dtype=np.bool_), rng.random(count) < 0.6):
        standing = np.empty(0, dtype=np.bool_) if stands.all() else stands
        expected = [
            scanned(cells[at], stands.tolist(), x, y)
            for (x, y), at in zip(points, floor.tolist(), strict=True)
        ]
        found = np.empty(len(points), dtype=np.int32)
        nearest_cells(cells, standing, np.array(points), floor, found)
        assert found.tolist() == expected
        for (x, y), at, row in zip(points, floor.tolist(), expected, strict=True):
            assert plain(cells[at], standing, x, y) == row
