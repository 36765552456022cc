"""What fields rise by, by hand."""

import numpy as np

from bake.tables.field_table import FINE, Slopes, hex_slopes, plane_slopes, square_slopes
from tests.support.compare import subgraph
from tests.support.strategies import Arc

CELL = np.array([[0, 0], [1, 0], [2, 0], [0, 1], [1, 1], [2, 1]], dtype=np.int32)
STRAIGHT: list[Arc] = [(0, 1, 10), (1, 2, 10), (3, 4, 30), (0, 3, 10), (1, 4, 12)]
DIAGONAL: list[Arc] = [(0, 4, 14), (1, 5, 14), (1, 3, 40)]


def slopes_of(found: Slopes) -> set[tuple[int, int]]:
    pairs = [(int(x), int(y)) for x, y in found.slope]
    assert len(pairs) == len(set(pairs))
    return set(pairs)


def test_squares_with_diagonals_rise_as_the_octile_norm() -> None:
    found = square_slopes(subgraph(6, STRAIGHT + DIAGONAL), CELL)
    expected = {(10, 4), (10, -4), (-10, 4), (-10, -4), (4, 10), (4, -10), (-4, 10), (-4, -10)}
    assert slopes_of(found) == expected
    assert found.shift == 0


def test_squares_without_diagonals_rise_as_the_manhattan_norm() -> None:
    found = square_slopes(subgraph(6, STRAIGHT), CELL)
    assert slopes_of(found) == {(10, 10), (10, -10), (-10, 10), (-10, -10)}


def test_diagonals_alone_stand_for_straight_steps() -> None:
    found = square_slopes(subgraph(6, DIAGONAL), CELL)
    assert slopes_of(found) == {(14, 0), (-14, 0), (0, 14), (0, -14)}


def test_dear_diagonals_count_as_two_steps() -> None:
    found = square_slopes(subgraph(6, [(0, 1, 10), (0, 4, 35)]), CELL)
    assert slopes_of(found) == {(10, 10), (10, -10), (-10, 10), (-10, -10)}


def test_long_steps_say_nothing_of_squares() -> None:
    assert not slopes_of(square_slopes(subgraph(6, [(0, 2, 10), (0, 5, 14)]), CELL))


def test_hexagons_rise_in_six_directions() -> None:
    found = hex_slopes(subgraph(3, [(0, 1, 5), (1, 2, 7), (2, 0, 9)]))
    assert slopes_of(found) == {(7, 0), (-7, 0), (0, 7), (0, -7), (7, 7), (-7, -7)}
    assert found.shift == 0
    assert not slopes_of(hex_slopes(subgraph(2, [])))


def test_planes_rise_in_eight_directions() -> None:
    at = np.array([[0, 0], [3, 4], [3, 4]], dtype=np.int32)
    found = plane_slopes(subgraph(3, [(0, 1, 10), (1, 2, 7)]), at)
    steep, slanted = 2 << FINE, int((2 << FINE) * 0.5**0.5)
    expected = {(steep, 0), (-steep, 0), (0, steep), (0, -steep)}
    expected |= {(x, y) for x in (slanted, -slanted) for y in (slanted, -slanted)}
    assert found.shift == FINE
    assert slopes_of(found) == expected


def test_a_plane_in_which_all_lies_at_one_place() -> None:
    at = np.zeros((2, 2), dtype=np.int32)
    assert not slopes_of(plane_slopes(subgraph(2, [(0, 1, 3)]), at))
