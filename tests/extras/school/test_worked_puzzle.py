"""The worked example of state space search: an 8-puzzle of two moves, and its scores."""

import random
from collections import deque

import pytest

from bake.extras.school import SlidingTiles, Status, Tiles, search
from levelbake.errors import QueryError
from tests.support.problems import Sliding

pytestmark = [
    pytest.mark.note(35, "the tutorial's own board"),
    pytest.mark.note(37, "slow ones by hand"),
    pytest.mark.note(81, "the true moves of all boards of three by two"),
]

# A is 1, B is 2 and so on; the gap is 0.
START = (0, 1, 3, 8, 2, 4, 7, 6, 5)
BETWEEN = (1, 0, 3, 8, 2, 4, 7, 6, 5)
ASIDE = (8, 1, 3, 0, 2, 4, 7, 6, 5)
GOAL = (1, 2, 3, 8, 0, 4, 7, 6, 5)
PUZZLE = Sliding(START, GOAL, 3)
SPACE = SlidingTiles(Tiles(3, 3, GOAL), START)


@pytest.mark.parametrize("puzzle", [PUZZLE, SPACE], ids=["by hand", "school"])
def test_scores(puzzle: Sliding | SlidingTiles) -> None:
    # B in the centre counts 1. Of the tiles around, A is followed by C, and H by the gap: 2 each.
    assert puzzle.nilsson(START) == 3 * 5 + 2
    assert puzzle.nilsson(BETWEEN) == 3 * 3 + 1
    assert puzzle.nilsson(ASIDE) == 3 * 5 + 3
    assert puzzle.nilsson(GOAL) == 0
    assert [puzzle.manhattan(each) for each in (START, BETWEEN, ASIDE, GOAL)] == [2, 1, 3, 0]
    assert [puzzle.misplaced(each) for each in (START, BETWEEN, ASIDE, GOAL)] == [2, 1, 3, 0]


def test_scores_of_any_board() -> None:
    """The school's heuristics against slow ones, on boards of other sizes and goals, too."""
    rng = random.Random(1)
    for width, height in ((3, 3), (2, 3), (4, 2), (5, 1)):
        for _ in range(40):
            start, goal = (tuple(rng.sample(range(n := width * height), n)) for _ in range(2))
            if (width, height) == (3, 3):
                goal = tuple(tile for tile in goal if tile)
                goal = (*goal[:4], 0, *goal[4:])
            fast, slow = (
                SlidingTiles(Tiles(width, height, goal), start),
                Sliding(start, goal, width),
            )
            assert fast.misplaced(start) == slow.misplaced(start)
            assert fast.manhattan(start) == slow.manhattan(start)
            if (width, height) == (3, 3):
                assert fast.nilsson(start) == slow.nilsson(start)


def test_which_scores_are_lower_bounds() -> None:
    """All boards of three by two cells, by a breadth-first search from the goal."""
    goal = (1, 2, 3, 4, 5, 0)
    space = SlidingTiles(Tiles(3, 2, goal), goal)
    moves, waiting = {goal: 0}, deque([goal])
    while waiting:
        board = waiting.popleft()
        for after, _ in space.successors(board):
            if after not in moves:
                moves[after] = moves[board] + 1
                waiting.append(after)
    assert len(moves) == 360
    for board, left in moves.items():
        assert space.misplaced(board) <= space.manhattan(board) <= left
    # Two moves from the goal, Nilsson's score says 17.
    assert SPACE.nilsson(START) > 2
    for tiles in (space.tiles, Tiles(3, 3, (1, 2, 3, 4, 5, 6, 7, 8, 0))):
        with pytest.raises(QueryError, match=r"gap.*take misplaced"):
            SlidingTiles(tiles, tiles.goal).nilsson(tiles.goal)


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
    for h in (SPACE.misplaced, SPACE.manhattan, SPACE.nilsson):
        for method in ("astar", "greedy", "ida"):
            found = search(SPACE, method, h=h)
            assert found.run() is Status.FOUND
            assert (found.path, found.expanded) == ([START, BETWEEN, GOAL], 2)
