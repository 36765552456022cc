"""The nearest of many points by a k-d tree, beside a scan in plain Python."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bake.search.point import kd_tree
from bake.search.point.kd_tree import NONE, Candidate, KdTree, nearest_row, nearest_rows

pytestmark = [
    pytest.mark.note(98, "a scan in plain Python"),
    pytest.mark.note(111, "a scan in plain Python"),
]

Point = tuple[float, ...]

plain: Callable[..., int] = getattr(nearest_row, "plain", nearest_row)

#: Few numbers, so that most points share an axis or are equally near to some place.
coarse = st.integers(-4, 4).map(float)
halves = st.integers(-9, 9).map(lambda number: number / 2)
anywhere = st.floats(-1e15, 1e15) | st.floats(-1, 1)


def points_of(
    number: st.SearchStrategy[float], dimensions: int = 2
) -> st.SearchStrategy[list[Point]]:
    return st.lists(st.tuples(*[number] * dimensions), min_size=1, max_size=60)


def scanned(
    points: list[Point], location: list[int], stands: list[bool], at: Point
) -> tuple[float, int, int]:
    """The square of the distance, the location and the number of the nearest point; -1: none."""
    best = (float("inf"), 2**31, -1)
    for number, point in enumerate(points):
        away = 0.0
        for mine, other in zip(point, at, strict=True):
            away += (mine - other) * (mine - other)
        if stands[number]:
            best = min(best, (away, location[number], number))
    return best


@pytest.mark.parametrize("dimensions", [2, 3])
@given(data=st.data())
def test_every_way_answers_as_a_scan(dimensions: int, data: st.DataObject) -> None:
    number = data.draw(st.sampled_from([coarse, halves, anywhere]))
    points = data.draw(points_of(number, dimensions))
    location = data.draw(st.permutations(range(len(points))))
    stands = data.draw(st.lists(st.booleans(), min_size=len(points), max_size=len(points)))
    asked = data.draw(points_of(number | halves, dimensions))
    rows, places = np.arange(len(points), dtype=np.int32), np.array(location, dtype=np.int32)
    tree = KdTree.of(np.array(points), rows, places)
    for mask in (stands, [True] * len(points)):
        standing = np.array(mask) if not all(mask) else np.empty(0, dtype=np.bool_)
        expected = [scanned(points, location, mask, at)[2] for at in asked]
        found = np.empty(len(asked), dtype=np.int32)
        nearest_rows(tree, standing, np.array(asked), NONE, found)
        assert found.tolist() == expected
        for (x, y, *above), row in zip(asked, expected, strict=True):
            assert plain(tree, standing, x, y, *(above or [0.0]), NONE, -1) == row


@given(points=points_of(coarse), asked=points_of(halves), data=st.data())
@example(points=[(0.0, 0.0)] * 40, asked=[(1.0, 0.0)], data=None)
def test_a_point_known_to_be_near_changes_no_answer(
    points: list[Point], asked: list[Point], data: st.DataObject | None
) -> None:
    location = list(range(len(points)))[::-1]
    rows = np.arange(len(points), dtype=np.int32)
    tree = KdTree.of(np.array(points), rows, np.array(location, dtype=np.int32))
    everywhere, nobody = np.empty(0, dtype=np.bool_), [True] * len(points)
    for x, y in asked:
        last = 0 if data is None else data.draw(st.integers(0, len(points) - 1))
        dx, dy = points[last][0] - x, points[last][1] - y
        known = Candidate(dx * dx + dy * dy, location[last], last)
        expected = scanned(points, location, nobody, (x, y))[2]
        assert nearest_row(tree, everywhere, x, y, 0.0, known, -1) == expected
        others = [number != last for number in range(len(points))]
        expected = scanned(points, location, others, (x, y))[2]
        assert nearest_row(tree, everywhere, x, y, 0.0, NONE, last) == expected


@pytest.mark.parametrize("dimensions", [2, 3])
@pytest.mark.parametrize("count", [1, 2, 7, 8, 9, 64, 65, 1000, 4097])
def test_a_tree_holds_every_point_and_halves_them(count: int, dimensions: int) -> None:
    rng = np.random.default_rng(count)
    points = rng.integers(0, 30, (count, dimensions)).astype(np.float64)
    row = rng.permutation(count).astype(np.int32)
    tree = KdTree.of(points, row, row)
    assert set(zip(tree.x, tree.y, tree.z, tree.row, strict=True)) == {
        (*point, *[0.0] * (3 - dimensions), number)
        for point, number in zip(points.tolist(), row.tolist(), strict=True)
    }
    assert len(tree.x) % (len(tree.axis) + 1) == 0
    assert len(tree.x) // (len(tree.axis) + 1) <= kd_tree._BUCKET
    size = len(tree.x) // (len(tree.axis) + 1)

    def check(node: int) -> list[int]:
        """The places below a node, held against the node's split."""
        if node >= len(tree.axis):
            begin = (node - len(tree.axis)) * size
            return list(range(begin, begin + size))
        below, above = check(2 * node + 1), check(2 * node + 2)
        value = (tree.x, tree.y, tree.z)[tree.axis[node]]
        assert value[below].max() <= tree.split[node] <= value[above].min()
        return below + above

    assert check(0) == list(range(len(tree.x)))
