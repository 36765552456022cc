"""One agent's way through a window, against Dijkstra's algorithm over cells and steps."""

import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from bake.core.graph import UNREACHABLE
from bake.extras.crowds.movers import Mover
from bake.extras.crowds.reservations import Reservations, conflicts, meeting
from bake.extras.crowds.rounds import Planner, Task
from bake.play import open_asset
from bake.search.point import space_time
from tests.support.baked import bake_grid, rows
from tests.support.strategies import random_grid
from tests.support.walking import Cell, Window, hindered_along, steps_of

pytestmark = pytest.mark.note(57, "Dijkstra's algorithm over cells and steps")

STEPS = 7


def walks(
    rng: random.Random, steps: dict[Cell, dict[Cell, float]], count: int, room: dict[Cell, int]
) -> list[list[Cell]]:
    """Ways of some agents that do not conflict, at random."""
    ways: list[list[Cell]] = []
    for start in rng.choices(sorted(steps), k=count):
        for _ in range(30):
            way = [start]
            while len(way) <= STEPS:
                way.append(rng.choice([way[-1], *steps[way[-1]]]))
            if hindered_along([*ways, way], room) == 0:
                if sum(other[0] == start for other in ways) < room.get(start, 1):
                    ways.append(way)
                break
    return ways


@pytest.mark.parametrize("seed", range(24))
def test_the_cheapest_way_there_is(tmp_path: Path, seed: int) -> None:
    """Among others on cells with room for one, or for up to three; crossing them may cost more."""
    rng = random.Random(seed)
    recipe = {
        "connectivity": (4, 8)[seed % 2],
        "corner_cutting": ("never", "always")[seed // 2 % 2],
    }
    asset = bake_grid(tmp_path, random_grid(seed, 6, 5), **recipe)
    with open_asset(asset) as level:
        nav = level.profile()
        steps = steps_of(nav)
        mover, planner = Mover(level, "default"), Planner()
        crowded, crossing = seed >= 8, 2 * (seed % 4 >= 2)
        room = {cell: rng.choice((1, 2, 2, 3)) for cell in steps} if crowded else {}
        ways = walks(rng, steps, 14 if crowded else 4, room)
        capacity = np.ones(mover.cell_count, dtype=np.int32)
        for cell, agents in room.items():
            capacity[mover.cell[mover.row(cell)]] = agents
        table = Reservations(STEPS, capacity)
        held = np.array([[mover.row(cell) for cell in way] for way in ways], dtype=np.int32)
        for number, each in enumerate(held):
            table.reserve(number, mover.covered(each))
        rank = np.zeros(len(ways) + 1, dtype=np.uint8)
        begun = Counter(way[0] for way in ways)
        free = sorted(cell for cell in steps if begun[cell] < room.get(cell, 1))
        window, found_some = Window(steps, ways, room, 1.0, crossing), 0
        for start in free[::3]:
            for target in sorted(steps)[::4]:
                field = mover.field(mover.row(target))
                before = np.full(STEPS + 1, mover.row(start), dtype=np.int32)
                task = Task(mover, before, field, mover.units, crossing * mover.units)
                found, ticks, _ = planner.way(len(ways), task, table, rank, 0)
                left = {
                    cell: int(field.ticks[mover.row(cell)]) / mover.units
                    for cell in steps
                    if field.ticks[mover.row(cell)] != UNREACHABLE
                }
                expected = window.cheapest(start, target, left)
                if start not in left or expected is None:
                    assert found is None
                    continue
                assert found is not None
                found_some += 1
                assert ticks / mover.units == pytest.approx(expected, abs=1e-3)
                way = [cell for cell in mover.places(found) if isinstance(cell, tuple)]
                assert way[0] == start
                assert hindered_along([*ways, way], room) == 0
                assert table.in_the_way(len(ways), mover.covered(found), mover.width) == set()
        assert found_some


def test_memory_grows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_asset(bake_grid(tmp_path, rows(*["....."] * 4))) as level:
        mover = Mover(level, "default")
        table = Reservations(12, np.ones(mover.cell_count, dtype=np.int32))
        # The way is shut by one who stands, so the search looks at every place at every step.
        wall = [mover.row((x, 2)) for x in range(5)]
        for number, row in enumerate(wall):
            table.reserve(number, mover.covered(np.full(13, row, dtype=np.int32)))
        rank = np.zeros(6, dtype=np.uint8)
        before = np.full(13, mover.row((0, 0)), dtype=np.int32)
        task = Task(mover, before, mover.field(mover.row((4, 3))), mover.units)
        whole = Planner().way(5, task, table, rank, 0)
        monkeypatch.setattr(space_time, "STATES", 2)
        grown = Planner().way(5, task, table, rank, 0)
        assert whole[0] is not None
        assert grown[0] is not None
        assert whole[0].tolist() == grown[0].tolist()
        assert whole[1:] == grown[1:]
        assert whole[2] > 30


def test_who_is_in_the_way_depends_on_the_rank(tmp_path: Path) -> None:
    asset = bake_grid(tmp_path, rows("....."), connectivity=4)
    with open_asset(asset) as level:
        mover, planner = Mover(level, "default"), Planner()
        table = Reservations(4, np.ones(mover.cell_count, dtype=np.int32))
        table.reserve(1, mover.covered(np.full(5, mover.row((2, 0)), dtype=np.int32)))
        before = np.full(5, mover.row((0, 0)), dtype=np.int32)
        task = Task(mover, before, mover.field(mover.row((4, 0))), mover.units)
        rank = np.array([0, 0], dtype=np.uint8)
        blocked, _, _ = planner.way(0, task, table, rank, 0)
        assert blocked is not None
        assert mover.place(int(blocked[-1])) == (1, 0)
        freed, ticks, _ = planner.way(0, task, table, rank, 1)
        assert freed is not None
        assert (mover.place(int(freed[-1])), ticks) == ((4, 0), 4 * mover.units)
        assert table.in_the_way(0, mover.covered(freed), mover.width) == {1}


def test_room_is_given_and_taken_back() -> None:
    """Of three who share a cell for two one after the other, each keeps its own column."""
    table = Reservations(1, np.array([1, 2, 1], dtype=np.int32))
    there, away = np.array([[1], [1]]), np.array([[0], [1]])
    table.reserve(7, there)
    table.reserve(8, away)
    assert (table.on(0, 1), table.on(1, 1), table.on(0, 0)) == ({7}, {7, 8}, {8})
    assert table.in_the_way(9, np.array([[2], [1]]), 0) == {7, 8}
    assert table.in_the_way(9, np.array([[1], [2]]), 0) == set()
    table.release(7, there)
    assert (table.on(0, 1), table.on(1, 1)) == (set(), {8})
    table.reserve(9, there)
    assert table.on(1, 1) == {8, 9}
    # The cells have room for two and for one, so nobody comes the other way.
    assert table.in_the_way(5, np.array([[1], [0]]), 0) == {8}


def test_moves_that_meet() -> None:
    assert meeting(5, 5, 10) == []
    assert meeting(5, 6, 10) == [(6, 5)]
    assert meeting(5, 16, 10) == [(16, 5), (6, 15), (15, 6)]  # Down and to the right.
    assert meeting(16, 5, 10) == [(5, 16), (15, 6), (6, 15)]
    assert meeting(5, 16, 0) == [(16, 5)]  # On hexagons nothing is diagonal.
    capacity = np.ones(30, dtype=np.int32)
    capacity[[5, 6]] = 2
    assert meeting(5, 6, 10, capacity) == []
    assert meeting(5, 4, 10, capacity) == [(4, 5)]
    capacity[[15, 16]] = 2
    assert meeting(5, 16, 10, capacity) == []
    capacity[15] = 1
    assert meeting(5, 16, 10, capacity) == [(6, 15), (15, 6)]


def test_conflicts_are_counted() -> None:
    def count(*moves: tuple[int, int]) -> tuple[int, int, int]:
        found = conflicts([[a] for a, _ in moves], [[b] for _, b in moves], 10)
        assert found.total == found.vertex + found.swap + found.crossing
        return found.vertex, found.swap, found.crossing

    assert count((0, 1), (2, 1)) == (1, 0, 0)
    assert count((0, 1), (1, 0)) == (0, 1, 0)
    assert count((0, 11), (1, 10)) == (0, 0, 1)
    assert count((0, 11), (11, 0)) == (0, 1, 0)
    assert count((0, 1), (1, 2), (2, 12)) == (0, 0, 0)  # One behind the other.
    assert count((0, 1), (1, 11), (11, 10), (10, 0)) == (0, 0, 0)  # All around a square.
    capacity = np.array([1, 2, 1], dtype=np.int32)
    for agents, pairs in ((2, 0), (3, 3)):
        found = conflicts([[0]] * agents, [[1]] * agents, 10, capacity)
        assert found.vertex == pairs
    large = conflicts([[0, 1, 10, 11], [3]], [[1, 2, 11, 12], [2]], 10)
    assert (large.vertex, large.swap, large.crossing) == (1, 0, 0)
