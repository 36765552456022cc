"""Numbers of every type at the entry points of the school: answers are those for Python's own."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from bake.extras import school
from bake.extras.crowds.belief import Belief
from bake.extras.school.puzzle import Tiles
from bake.play import Navigator, QueryError
from tests.support.numbers import BROKEN, NONE, WHOLE, Form, array, forms, plain
from tests.support.open_levels import drawn_level

pytestmark = pytest.mark.filterwarnings("error")

LINES = ("." * 120, "." * 60 + "#" + "." * 59, "." * 120)
A, B = (50, 1), (119, 1)
GOAL = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0)
BOARD = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 11, 13, 14, 0, 12)


class Stairs:
    """Steps upward of 1 or 100, whose costs and estimates come in a type."""

    def __init__(self, form: Form) -> None:
        self.start, self._form = 0, form

    def is_goal(self, state: int) -> bool:
        return state == 9

    def successors(self, state: int) -> Iterator[tuple[int, Any]]:
        for step, cost in ((1, 100), (2, 120)):
            if state + step <= 9:
                yield state + step, self._form(cost)

    def h(self, state: int) -> Any:
        return self._form(10 * (9 - state))


def _searched(form: Form, method: str = "astar", **options: Any) -> Any:
    found = school.search(Stairs(form), method, **options)
    found.run(budget_ms=form(100), steps=form(3))
    found.run()
    return [found.path, found.cost, found.expanded, dict(found.closed)]


def _stepping(nav: Navigator, form: Form) -> Any:
    agent = school.RealTimeAgent(Belief(nav), form(A), form(B), lookahead=form(2))
    return [agent.step() for _ in range(5)]


def _joined(form: Form) -> Any:
    table = school.LookupTable([("a", "b", form(100)), ("b", "c", form(100))])
    table.add("a", "c", form(127))
    paths = school.PathTable([("a", "b", form(100)), ("b", "c", form(100)), ("a", "c", form(127))])
    return [table.rows, table.wrong(), paths.cost("a", "c"), paths.path("a", "c")]


def _slid(form: Form) -> Any:
    space = school.SlidingTiles(Tiles(4, 4, GOAL), form(BOARD))
    found = school.tile_search(space)
    found.run(budget_ms=form(100), steps=form(127))
    found.run()
    return [space.start, space.manhattan(space.start), found.path, found.cost]


ASKS: dict[str, Callable[[Navigator, Form], Any]] = {
    "search": lambda nav, form: _searched(form),
    "weighted": lambda nav, form: _searched(form, "weighted", weight=form(2)),
    "beam": lambda nav, form: _searched(form, "beam", width=form(100)),
    "sma": lambda nav, form: _searched(form, "sma", memory=form(100)),
    "ida": lambda nav, form: _searched(form, "ida"),
    "tables": lambda nav, form: _joined(form),
    "tiles": lambda nav, form: _slid(form),
    "real time": _stepping,
    "trace_obstacles": lambda nav, form: (
        school.trace_obstacles(nav, form(A), form(B), most_steps=form(127)).path
    ),
    "bounce": lambda nav, form: school.bounce(nav, form(A), form(B), form(5)).path,
    "crash_and_turn": lambda nav, form: (
        school.crash_and_turn(nav, form(A), form(B), most_steps=form(100)).path
    ),
    "traced_search": lambda nav, form: (
        school.traced_search(nav, form(A), form((53, 2)), "weighted", weight=form(2)).trace
    ),
}


@pytest.fixture(scope="module")
def nav(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Navigator]:
    with drawn_level(tmp_path_factory.mktemp("yard"), *LINES) as (_, found):
        yield found


@pytest.mark.parametrize("name", ASKS)
def test_whole_numbers(nav: Navigator, name: str) -> None:
    ask = ASKS[name]
    expected = plain(ask(nav, lambda given: given))
    for kind, form in forms(WHOLE).items():
        assert plain(ask(nav, form)) == expected, kind


@pytest.mark.parametrize("name", ASKS)
@pytest.mark.parametrize("dtype", NONE)
def test_what_is_no_number(nav: Navigator, name: str, dtype: str) -> None:
    with pytest.raises(QueryError) as error:
        ASKS[name](nav, array(dtype))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("dtype", BROKEN)
def test_broken_numbers(nav: Navigator, dtype: str) -> None:
    """Costs and estimates may be broken, counts may not."""
    form = array(dtype)
    space = Stairs(form)
    found = school.search(space, "weighted", weight=form(2))
    found.run(budget_ms=form(100))
    assert [found.path, found.cost] == [[0, 2, 4, 6, 8, 9], 580]
    assert all(type(each) in (int, float, np.longdouble) for each in found.closed.values())
    for ask in (_joined, _slid, lambda form: _searched(form, "beam", width=form(100))):
        with pytest.raises(QueryError):
            ask(form)
