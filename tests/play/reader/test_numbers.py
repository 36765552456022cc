"""What counts as a number that a game gives."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from bake.play import QueryError, open_asset
from levelbake.places import number_of, quoted, whole_of
from tests.support.baked import bake_grid, rows

NO_NUMBERS = ("2", b"1", True, np.bool_(True), None, [1], 1j, np.array([1.0]), Decimal(1))


@pytest.mark.parametrize("given", NO_NUMBERS, ids=repr)
def test_what_is_no_number(given: object) -> None:
    assert math.isnan(number_of(given))
    assert whole_of(given) == -1


def test_numbers() -> None:
    numbers = (2, 2.0, np.int8(2), np.uint64(2), np.float32(2), Fraction(2), -math.inf)
    assert [number_of(each) for each in numbers] == [2, 2, 2, 2, 2, 2, -math.inf]
    assert [whole_of(each) for each in (2, np.uint8(2), 0, -5, 2.0)] == [2, 2, 0, -1, -1]


def test_numbers_that_python_does_not_write() -> None:
    assert quoted((10**5000, 1)) == "a number of very many digits"


WRONG = ("1", b"1", True, 10**400, 10**5000)


@pytest.mark.parametrize("wrong", WRONG, ids=("text", "bytes", "True", "huge", "longer"))
def test_every_question_refuses_them_in_one_line(tmp_path, wrong) -> None:
    with open_asset(bake_grid(tmp_path, rows("....", "...."))) as level:
        nav = level.profile()
        follower = nav.plane.follow([(0, 0), (1, 0)])
        questions = [
            lambda: nav.nearest((wrong, 0)),
            lambda: nav.search.within((0, 0), wrong),
            lambda: nav.search((0, 0), (3, 0), weight=wrong),
            lambda: nav.search((0, 0), (3, 0), heuristic=lambda place: wrong),
            lambda: nav.search.begin((0, 0), (3, 0)).run(wrong),
            lambda: nav.search.requests(budget_ms=wrong),
            lambda: nav.search.requests().add((0, 0), (3, 0), priority=wrong),
            lambda: nav.plane.follow([(0, 0), (1, 0)], reach=wrong),
            lambda: follower.update((wrong, 0), 1),
            lambda: follower.update((0, 0), wrong),
            lambda: level.changes_since(wrong),
        ]
        for question in questions:
            with pytest.raises(QueryError) as caught:
                question()
            assert len(str(caught.value)) < 200
