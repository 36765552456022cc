"""The worked example of state space search: an 8-puzzle of two moves, and its scores."""

from bake.school import Status, search
from tests.support.problems import Sliding

# A is 1, B is 2 and so on; the gap is 0.
START = (0, 1, 3, 8, 2, 4, 7, 6, 5)
BETWEEN = (1, 0, 3, 8, 2, 4, 7, 6, 5)
ASIDE = (8, 1, 3, 0, 2, 4, 7, 6, 5)
GOAL = (1, 2, 3, 8, 0, 4, 7, 6, 5)
PUZZLE = Sliding(START, GOAL, 3)


def test_scores() -> None:
    # B in the centre counts 1. Of the tiles around, A is followed by C, and H by the gap: 2 each.
    assert PUZZLE.nilsson(START) == 3 * 5 + 2
    assert PUZZLE.nilsson(BETWEEN) == 3 * 3 + 1
    assert PUZZLE.nilsson(ASIDE) == 3 * 5 + 3
    assert PUZZLE.nilsson(GOAL) == 0
    assert [PUZZLE.manhattan(each) for each in (START, BETWEEN, ASIDE, GOAL)] == [2, 1, 3, 0]
    assert [PUZZLE.misplaced(each) for each in (START, BETWEEN, ASIDE, GOAL)] == [2, 1, 3, 0]


def test_order_of_expansions() -> None:
    under_way = search(PUZZLE, h=PUZZLE.nilsson)
    first = under_way.step()
    assert first is not None
    assert (first.state, first.g, first.h, first.f) == (START, 0, 17, 17)
    assert set(first.opened) == {(BETWEEN, 1, 11), (ASIDE, 1, 19)}
    assert under_way.open == {BETWEEN: 11, ASIDE: 19}
    assert under_way.closed == {START: 0}
    second = under_way.step()
    assert second is not None
    assert (second.state, second.parent, second.f) == (BETWEEN, START, 11)
    third = under_way.step()
    assert third is not None
    assert (third.state, third.g, third.h, third.f) == (GOAL, 2, 0, 2)
    assert under_way.status is Status.FOUND
    assert under_way.step() is None
    assert (under_way.path, under_way.cost) == ([START, BETWEEN, GOAL], 2)


def test_every_score_leads_straight_to_the_goal() -> None:
    for h in (PUZZLE.misplaced, PUZZLE.manhattan, PUZZLE.nilsson):
        for method in ("astar", "greedy", "ida"):
            found = search(PUZZLE, method, h=h)
            assert found.run() is Status.FOUND
            assert (found.path, found.expanded) == ([START, BETWEEN, GOAL], 2)
