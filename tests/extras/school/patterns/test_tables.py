"""Tables of pattern databases: against slow searches, and against what is known of them."""

from __future__ import annotations

from itertools import permutations, product
from math import inf
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bake.core.errors import BudgetError, CostError
from bake.extras.school import Status, search
from bake.extras.school.pattern_tables import pattern_memory, pattern_tables
from bake.extras.school.patterns.planning import MOST
from bake.extras.school.patterns.ranking import place_by_rank, rank_of
from bake.extras.school.puzzle import Action, Planning, Puzzle, Tiles, can_be_solved, is_additive
from bake.extras.school.puzzle_json import read_puzzle
from levelbake.errors import QueryError
from tests.support.puzzles import (
    EIGHT,
    PORTER,
    baked,
    least_costs,
    least_moves,
    small_planning,
    write_puzzle,
)

pytestmark = pytest.mark.note(84, "slow searches")

SIX = Tiles(3, 2, (1, 2, 3, 4, 5, 0))


@pytest.fixture(scope="module")
def eight(tmp_path_factory: pytest.TempPathFactory) -> Puzzle:
    return read_puzzle(write_puzzle(tmp_path_factory.mktemp("eight") / "eight.json", EIGHT))


@pytest.fixture(scope="module")
def porter(tmp_path_factory: pytest.TempPathFactory) -> Puzzle:
    return read_puzzle(write_puzzle(tmp_path_factory.mktemp("porter") / "porter.json", PORTER))


def puzzle(moves: Tiles | Planning, *patterns: tuple[int, ...]) -> Puzzle:
    return Puzzle("puzzle", Path("puzzle.json"), moves, patterns, "sum")


def values(table: np.ndarray) -> list[float]:
    none = np.iinfo(table.dtype).max
    return [inf if value == none else float(value) for value in table.tolist()]


@pytest.mark.parametrize(("cells", "count"), [(5, 2), (6, 6), (7, 3), (4, 1)])
def test_ranks_are_those_of_the_library(cells: int, count: int) -> None:
    place = np.zeros(count + 1, dtype=np.int32)
    for rank, placed in enumerate(permutations(range(cells), count)):
        place[:count] = placed
        assert rank_of(place, count, cells) == rank
        place_by_rank(rank, count, cells, place)
        assert tuple(place[:count]) == placed


@st.composite
def boards(draw: st.DrawFn) -> tuple[Tiles, tuple[int, ...]]:
    width, height = draw(st.sampled_from([(2, 2), (3, 2), (2, 3), (4, 2), (1, 5), (5, 1), (3, 3)]))
    goal = tuple(draw(st.permutations(range(width * height))))
    tiles = draw(st.permutations(range(1, width * height)))
    return Tiles(width, height, goal), tuple(
        tiles[: draw(st.integers(1, 2 if width * height > 8 else min(3, len(tiles))))]
    )


@given(boards())
@settings(max_examples=15)
def test_tables_of_tiles(drawn: tuple[Tiles, tuple[int, ...]]) -> None:
    tiles, pattern = drawn
    assert values(baked(puzzle(tiles, pattern)).tables[0]) == least_moves(tiles, pattern)


def test_a_pattern_of_all_tiles_is_the_distance_itself() -> None:
    everything = (1, 2, 3, 4, 5)
    found = values(baked(puzzle(SIX, everything)).tables[0])
    assert found == least_moves(SIX, everything)
    # Half of all boards can't be solved; 21 moves are the most on this board.
    assert sum(value == inf for value in found) == 360
    assert max(value for value in found if value < inf) == 21
    for placed, value in zip(permutations(range(6), 5), found, strict=True):
        board = [0] * 6
        for tile, cell in enumerate(placed, start=1):
            board[cell] = tile
        assert can_be_solved(SIX, tuple(board)) == (value < inf)


@pytest.mark.parametrize("tiles", [SIX, Tiles(4, 3, tuple(range(12)))])
def test_single_tiles_come_to_the_manhattan_distance(tiles: Tiles) -> None:
    single = tuple((tile,) for tile in range(1, tiles.cells))
    for (tile,), table in zip(single, baked(puzzle(tiles, *single)).tables, strict=True):
        wanted = divmod(tiles.goal.index(tile), tiles.width)
        assert table.tolist() == [
            abs(y - wanted[0]) + abs(x - wanted[1])
            for y, x in product(range(tiles.height), range(tiles.width))
        ]


def test_sums_of_disjoint_patterns_are_lower_bounds() -> None:
    exact = baked(puzzle(SIX, (1, 2, 3, 4, 5)))
    parts = baked(puzzle(SIX, (3, 1), (2, 5, 4)))
    better, falls = 0, 0
    for board in permutations(range(6)):
        h, distance = parts.h(board), exact.h(board)
        assert h <= distance
        if distance < inf:
            better += h > sum(table[board.index(tile)] for tile, table in enumerate(SINGLE, 1))
            for after, cost in parts.space(board).successors(board):
                falls += h > cost + parts.h(after)
    assert better > 100  # These are more than the Manhattan distance.
    # The tables forget where the gap is, so a step may tell less than the one before.
    assert falls > 0
    for board in list(permutations(range(6)))[::29]:
        if exact.h(board) < inf:
            found = search(parts.space(board), h=parts.h)
            assert (found.run(), found.cost) == (Status.FOUND, exact.h(board))


SINGLE = [least_moves(SIX, (tile,)) for tile in range(1, 6)]


def test_the_eight_puzzle(eight: Puzzle) -> None:
    patterns = baked(eight)
    assert patterns.distance.dtype == np.uint8
    assert [len(table) for table in patterns.tables] == [3024, 3024]
    assert patterns.h((1, 2, 3, 8, 0, 4, 7, 6, 5)) == 0
    # The notes' start: the gap has to go down from the corner and take A and H back.
    assert patterns.h((0, 1, 3, 8, 2, 4, 7, 6, 5)) == 2
    hard = search(patterns.space((5, 6, 7, 4, 0, 8, 3, 2, 1)), h=patterns.h)
    assert (hard.run(), hard.cost) == (Status.FOUND, 30)


@st.composite
def plannings(draw: st.DrawFn) -> tuple[Planning, tuple[int, ...]]:
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    variables = range(len(sizes))

    def stated(least: int) -> dict[int, int]:
        some = draw(st.lists(st.sampled_from(variables), unique=True, min_size=least, max_size=3))
        return {variable: draw(st.integers(0, sizes[variable] - 1)) for variable in sorted(some)}

    actions = [
        Action(f"a{number}", stated(0), stated(1), draw(st.sampled_from([0, 1, 1, 2, 300])))
        for number in range(draw(st.integers(0, 6)))
    ]
    pattern = draw(st.lists(st.sampled_from(variables), unique=True, min_size=1))
    return small_planning(sizes, actions, stated(1)), tuple(pattern)


@given(plannings())
def test_tables_of_plans(drawn: tuple[Planning, tuple[int, ...]]) -> None:
    planning, pattern = drawn
    assert values(baked(puzzle(planning, pattern)).tables[0]) == least_costs(planning, pattern)


def test_plans_are_found_with_fewer_expansions(porter: Puzzle) -> None:
    patterns = baked(porter)
    assert porter.combine == "max"  # The porter walks in both patterns.
    space = patterns.space()
    with_it, without = search(space, h=patterns.h), search(space, "dijkstra")
    assert (with_it.run(), without.run()) == (Status.FOUND, Status.FOUND)
    # By hand: to the yard 2, the crate 1, to the attic 4, the vase 3, to the hall 2.
    assert (with_it.cost, without.cost) == (12, 12)
    assert with_it.expanded < without.expanded
    assert with_it.path is not None
    names = ["walk hall yard", "take crate yard", "walk yard hall", "walk hall attic"]
    assert patterns.space().actions(with_it.path)[:4] == names
    assert patterns.space().actions(with_it.path)[-2:] == ["walk attic hall", "leave vase hall"]


def test_values_add_up_where_no_action_sets_variables_of_both(porter: Puzzle) -> None:
    assert not is_additive(porter.moves, ((0, 1), (0, 2)))
    assert is_additive(porter.moves, ((1,), (2,)))
    assert isinstance(porter.moves, Planning)
    parts = baked(Puzzle("p", Path(), porter.moves, ((1,), (2,)), "sum"))
    assert parts.h(("hall", "yard", "attic")) == 1 + 3
    assert parts.h(("hall", "attic", "attic")) == 3


def test_states_that_are_none_are_refused(eight: Puzzle, porter: Puzzle) -> None:
    patterns, plans = baked(eight), baked(porter)
    for board in ((1, 2, 3), (1, 1, 3, 8, 0, 4, 7, 6, 5), (1, 2, 3, 8, 0, 4, 7, 6, 9)):
        with pytest.raises(QueryError, match="is no board"):
            patterns.h(board)
    with pytest.raises(QueryError, match="no start"):
        patterns.space()
    with pytest.raises(QueryError, match="'crate' has no value 'cellar'"):
        plans.h(("hall", "cellar", "yard"))
    with pytest.raises(QueryError, match="has 2 values; expected 3"):
        plans.h(("hall", "yard"))
    with pytest.raises(QueryError, match="no value for 'vase'"):
        plans.space({"porter": "hall", "crate": "yard"})
    with pytest.raises(QueryError, match="no variable 'cat'"):
        plans.space({"porter": "hall", "crate": "yard", "cat": "yard"})
    with pytest.raises(QueryError, match="no action leads from"):
        plans.space().actions([("hall", "yard", "yard"), ("hall", "attic", "yard")])


def test_memory_is_refused_before_it_is_taken(eight: Puzzle) -> None:
    wide = puzzle(Tiles(5, 5, tuple(range(25))), tuple(range(1, 9)))
    needed = pattern_memory(wide)
    assert needed > 10**11
    with pytest.raises(BudgetError, match=r"43,609,104,000 entries.*2.0 GiB"):
        pattern_tables(wide, 2**31, lambda done: None)
    assert len(pattern_tables(eight, pattern_memory(eight), lambda done: None)) == 6048


def test_distances_too_large_are_refused() -> None:
    steps = [Action(f"{at}", {0: at}, {0: at + 1}, 2 * 10**9) for at in range(3)]
    with pytest.raises(CostError, match=f"at most {MOST:,}"):
        baked(puzzle(small_planning([4], steps, {0: 3}), (0,)))
    few = small_planning([4], steps[1:], {0: 3})
    assert baked(puzzle(few, (0,))).distance.dtype == np.uint32
