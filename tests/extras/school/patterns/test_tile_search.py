"""Compiled IDA* over sliding tiles, beside the plain one, step by step."""

from __future__ import annotations

import random
from itertools import permutations
from math import inf
from pathlib import Path

import pytest

from bake.extras.school import Patterns, SlidingTiles, Status, search, tile_search
from bake.extras.school.patterns.deepening import MOST_CELLS, manhattan
from bake.extras.school.puzzle import Puzzle, Tiles
from levelbake.errors import QueryError
from tests.support.problems import Sliding
from tests.support.puzzles import baked

EIGHT = Tiles(3, 3, (1, 2, 3, 8, 0, 4, 7, 6, 5))
SIX = Tiles(3, 2, (1, 2, 3, 4, 5, 0))
FIFTEEN = Tiles(4, 4, tuple(range(16)))


@pytest.fixture(scope="module")
def patterns() -> Patterns:
    groups = ((1, 2, 3, 4), (5, 6, 7, 8))
    return baked(Puzzle("eight", Path(), EIGHT, groups, "sum"))


def wandered(tiles: Tiles, moves: int, seed: int) -> tuple[int, ...]:
    """A board so many random moves from the goal."""
    drawn = random.Random(seed)
    board = tiles.goal
    for _ in range(moves):
        board = drawn.choice(list(SlidingTiles(tiles, board).successors(board)))[0]
    return board


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("guide", ["manhattan", "patterns"])
def test_states_are_expanded_in_the_same_order(guide: str, seed: int, patterns: Patterns) -> None:
    chosen = patterns if guide == "patterns" else manhattan(EIGHT)
    space = SlidingTiles(EIGHT, wandered(EIGHT, 40, seed))
    plain, fast = search(space, "ida", h=chosen.h), tile_search(space, chosen)
    while True:
        one, other = plain.step(), fast.step()
        assert one == other
        if one is None:
            break
        assert dict(plain.closed) == dict(fast.closed)
    assert plain.status is fast.status is Status.FOUND
    assert (plain.path, plain.cost) == (fast.path, fast.cost)
    told = ("expanded", "generated", "most_held", "limits")
    assert [getattr(plain, each) for each in told] == [getattr(fast, each) for each in told]
    whole = tile_search(space, chosen)
    assert whole.run() is Status.FOUND
    assert [getattr(whole, each) for each in told] == [getattr(fast, each) for each in told]
    assert whole.path == fast.path


def test_boards_on_the_path_are_passed_over_as_well() -> None:
    """A small board, whose paths come back to where they were after twelve moves."""
    farthest = (4, 5, 0, 1, 2, 3)
    space = SlidingTiles(SIX, farthest)
    none = Patterns(Puzzle("none", Path(), SIX, ((1,),), "sum"), manhattan(SIX).distance[:6])
    plain, fast = search(space, "ida", h=none.h), tile_search(space, none)
    assert (plain.run(), fast.run()) == (Status.FOUND, Status.FOUND)
    assert (plain.cost, plain.expanded) == (fast.cost, fast.expanded)
    assert plain.path == fast.path


def test_the_manhattan_distance() -> None:
    sliding = Sliding(EIGHT.goal, EIGHT.goal, 3)
    guide = manhattan(EIGHT)
    boards = [wandered(EIGHT, moves, moves) for moves in range(30)]
    assert [guide.h(board) for board in boards] == [sliding.manhattan(board) for board in boards]


def test_fifteen_tiles_are_solved_optimally() -> None:
    space = SlidingTiles(FIFTEEN, wandered(FIFTEEN, 80, 3))
    fast, best = tile_search(space), search(space, h=manhattan(FIFTEEN).h)
    assert (fast.run(), best.run()) == (Status.FOUND, Status.FOUND)
    assert fast.cost == best.cost > 15
    assert fast.path is not None
    for board, after in zip(fast.path, fast.path[1:], strict=False):
        assert after in dict(space.successors(board))


def test_it_goes_on_where_it_stopped(patterns: Patterns) -> None:
    space = SlidingTiles(EIGHT, (5, 6, 7, 4, 0, 8, 3, 2, 1))
    whole, sliced = tile_search(space), tile_search(space)
    assert whole.run() is Status.FOUND
    turns = 0
    while sliced.run(steps=100) is Status.RUNNING:
        turns += 1
        assert sliced.expanded == 100 * turns
    assert turns > 3
    assert (sliced.expanded, sliced.path) == (whole.expanded, whole.path)
    timed = tile_search(space)
    while timed.run(budget_ms=0.01) is Status.RUNNING:
        assert timed.path is None
    assert timed.path == whole.path
    cancelled = tile_search(space, patterns)
    cancelled.run(steps=5)
    cancelled.cancel()
    assert (cancelled.run(), cancelled.path, cancelled.cost) == (Status.CANCELLED, None, inf)


def test_the_goal_is_its_own_path() -> None:
    found = tile_search(SlidingTiles(EIGHT, EIGHT.goal))
    assert found.run() is Status.FOUND
    assert (found.path, found.cost, found.expanded) == ([EIGHT.goal], 0, 0)


def test_half_of_all_boards_have_no_path() -> None:
    solvable, guide = 0, manhattan(SIX)
    for board in permutations(range(6)):
        found = tile_search(SlidingTiles(SIX, board), guide)
        solvable += found.status is Status.RUNNING
        assert found.run(steps=0) is found.status
    assert solvable == 360


def test_what_it_can_not_do_is_refused(patterns: Patterns) -> None:
    largest, large = (Tiles(side, 1, tuple(range(side))) for side in (MOST_CELLS, MOST_CELLS + 1))
    tile_search(SlidingTiles(largest, largest.goal))
    with pytest.raises(QueryError, match="the board has 17 cells"):
        tile_search(SlidingTiles(large, large.goal))
    with pytest.raises(QueryError, match="another board"):
        tile_search(SlidingTiles(SIX, SIX.goal), patterns)
