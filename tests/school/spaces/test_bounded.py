"""SMA*: what it promises of its memory, on graphs and on cells, and where it gives up."""

import math
import random
from collections.abc import Hashable, Iterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bake.play import open_asset
from bake.play.searching.methods import RowSpace
from bake.school import Status, register, search
from bake.school.spaces import bounded
from levelbake.errors import QueryError
from tests.school.spaces.test_methods import cost_of, finished, networks, truth
from tests.support.problems import Network
from tests.support.stored import stored_asset

Cell = tuple[int, int]


class Cells:
    """Cells of two costs among walls, with steps in four or eight directions, and many ties."""

    def __init__(self, seed: int) -> None:
        rng = random.Random(seed)
        self.diagonal = rng.random() < 0.5
        width, height = rng.randint(4, 9), rng.randint(4, 9)
        cells = [(x, y) for x in range(width) for y in range(height)]
        self.cost = {cell: rng.choice((1, 1, 1, 3)) for cell in cells if rng.random() > 0.2}
        self.start, self.goal = rng.sample(sorted(self.cost), 2)

    def is_goal(self, cell: Cell) -> bool:
        return cell == self.goal

    def successors(self, cell: Cell) -> Iterator[tuple[Cell, int]]:
        x, y = cell
        for dx in (-1, 0, 1):
            for dy in (-1, 0, 1):
                other = x + dx, y + dy
                if other in self.cost and other != cell and (self.diagonal or not dx * dy):
                    yield other, (self.cost[cell] + self.cost[other]) * (3 if dx * dy else 2)

    def h(self, cell: Cell) -> int:
        dx, dy = abs(cell[0] - self.goal[0]), abs(cell[1] - self.goal[1])
        return 4 * max(dx, dy) + 2 * min(dx, dy) if self.diagonal else 4 * (dx + dy)

    def least(self, states: int) -> float:
        """The cost of a cheapest path of so many states at most, layer by layer."""
        best = layer = {self.start: 0}
        for _ in range(states - 1):
            reached: dict[Cell, int] = {}
            for cell, g in layer.items():
                for other, cost in self.successors(cell):
                    reached[other] = min(g + cost, reached.get(other, g + cost))
            layer = {cell: g for cell, g in reached.items() if g < best.get(cell, math.inf)}
            best = best | layer
        return best.get(self.goal, math.inf)


@given(networks(), st.integers(2, 9))
def test_memory_bounds_what_is_found(space: Network, memory: int) -> None:
    """SMA* finds the cheapest path of as many states as it may hold."""
    found = finished(search(space, "sma", memory=memory))
    assert found.cost == truth(space, memory)
    assert found.closed.keys() | found.open.keys() <= set(range(9))
    if found.path is not None:
        assert len(found.path) <= memory
        assert cost_of(space, found.path) == found.cost
    elif truth(space) < math.inf:
        assert found.status is Status.GAVE_UP


def test_cells() -> None:
    """The promise holds where many paths lead to each cell, in less memory than A* takes."""
    less = 0
    for seed in range(150):
        space = Cells(seed)
        wide = search(space)
        wide.run()
        memory = random.Random(seed).randint(wide.most_held // 2 + 2, wide.most_held + 2)
        found = search(space, "sma", memory=memory)
        assert found.run() in (Status.FOUND, Status.NO_PATH, Status.GAVE_UP)
        assert found.expanded < 10 * wide.expanded + 100, seed
        assert found.cost == space.least(memory), seed
        assert found.most_held <= memory + 8
        if found.path is not None:
            steps = [dict(space.successors(a))[b] for a, b in pairwise(found.path)]
            assert sum(steps) == found.cost
            less += memory < wide.most_held
    assert less > 50


def test_a_dropped_path_returns_after_a_dominated_one() -> None:
    """Two ways to 3 cost the same; whichever is dropped, the other has to lead on to the goal."""
    arcs: dict[Hashable, list[tuple[Hashable, float]]] = {
        0: [(1, 1), (2, 1), (5, 1)],
        1: [(3, 1)],
        2: [(3, 1)],
        3: [(4, 5), (6, 1)],
        5: [(6, 1), (7, 1)],
        6: [(7, 1), (5, 1)],
        7: [(6, 3)],
    }
    for memory in range(2, 8):
        space = Network(arcs, 0, 4)
        found = finished(search(space, "sma", memory=memory))
        assert found.cost == truth(space, memory)
        assert found.status is (Status.FOUND if memory >= 4 else Status.GAVE_UP)


def test_a_level() -> None:
    """A path of 48 cells, for which A* holds some hundreds."""
    with open_asset(stored_asset("keep.png")) as level:
        nav = level.profile()
        register()
        ends = (3, 4), (20, 20)
        astar = nav.search(*ends, "astar", "octile")
        assert astar.path is not None
        assert (len(astar.path), astar.expanded) == (48, 547)
        for memory in (1000, 400, 300):
            found = nav.search(*ends, "sma", memory=memory)
            assert (found.cost, found.bound) == (astar.cost, 1)
            assert found.expanded < 1000
        with pytest.raises(QueryError, match=r"'sma' gave up after 20,000 expansions.*memory"):
            nav.search(*ends, "sma", memory=40)


def test_it_gives_up_after_so_many_expansions(monkeypatch: pytest.MonkeyPatch) -> None:
    with open_asset(stored_asset("keep.png")) as level:
        now = level.profile()._now
        space = RowSpace(now.searches, *now.ends((3, 4), (9, 9)))
        needed = search(space, "sma", memory=100)
        assert needed.run() is Status.FOUND
        for most in (needed.expanded, needed.expanded - 1):
            monkeypatch.setattr(bounded, "EXPANDED_FOR_EACH", most / 100)
            monkeypatch.setattr(bounded, "LEAST_EXPANDED", 0)
            found = search(space, "sma", memory=100)
            assert found.run() is (Status.FOUND if most == needed.expanded else Status.GAVE_UP)
            assert found.expanded == most
            assert found.least_lost <= needed.cost or most == needed.expanded
        monkeypatch.setattr(bounded, "LEAST_EXPANDED", needed.expanded)
        assert search(space, "sma", memory=100).run() is Status.FOUND
