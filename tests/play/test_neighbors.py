"""Steps from one place and from many, beside slow oracles, and what is built on them."""

from __future__ import annotations

import math
import random
from collections import deque
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from bake.extras.school import search
from bake.play import Navigator, open_asset
from levelbake.errors import QueryError
from tests.support.baked import GROUND, bake, recipe_for, write_graph, write_grid
from tests.support.open_levels import drawn_level
from tests.support.oracles import Lattice, hex_arcs, square_arcs
from tests.support.strategies import random_grid

pytestmark = pytest.mark.note(22, "a search by breadth over all states")


@pytest.mark.parametrize(("layout", "connectivity"), [(None, 4), (None, 8), ("odd-r", 6)])
def test_beside_the_steps_of_an_oracle(
    tmp_path: Path, layout: str | None, connectivity: int
) -> None:
    grid = random_grid(connectivity, 12, 9)
    rule = {} if layout else {"connectivity": connectivity, "corner_cutting": "one_free"}
    drawn = write_grid(tmp_path / "drawn.json", grid, layout)
    with open_asset(bake(drawn, recipe_for(tables=("components",), **rule))) as level:
        nav = level.profile()
        lattice = Lattice(grid, GROUND, corner_cutting="one_free")
        arcs = hex_arcs(lattice, layout) if layout else square_arcs(lattice, connectivity)
        _agree(nav, {ends: ticks / 27720 for ends, ticks in arcs.items()})


def _agree(nav: Navigator, arcs: dict[tuple[object, object], float]) -> None:
    """One by one and all at once, they are the arcs, and those of a changed level as well."""
    places = nav.places()
    for place in places:
        found = nav.neighbors(place)
        assert dict(found) == {head: units for (tail, head), units in arcs.items() if tail == place}
        assert len(dict(found)) == len(found)
    first, heads, units = nav.neighbors(places if nav.node_names else np.array(places))
    told = {}
    for place, begin, end in zip(places, first, first[1:], strict=False):
        for at in range(begin, end):
            head = heads[at] if nav.node_names else tuple(heads[at].tolist())
            told[place, head] = units[at]
    assert told == arcs


def test_parallel_arcs_and_changes(tmp_path: Path) -> None:
    edges = [("a", "b", 3), ("a", "b", 2), ("b", "c", 1.5), ("c", "a", 4)]
    source = write_graph(tmp_path / "g.json", "abcd", edges, directed=True)
    with open_asset(bake(source)) as level:
        nav = level.profile()
        arcs = {("a", "b"): 2.0, ("b", "c"): 1.5, ("c", "a"): 4.0}
        _agree(nav, arcs)
        assert nav.neighbors("d") == []
        level.update(arcs={("a", "b"): math.inf, ("a", "d"): 7})
        _agree(nav, {("b", "c"): 1.5, ("c", "a"): 4.0, ("a", "d"): 7.0})
        level.update(blocked=["d"])
        with pytest.raises(QueryError, match="cannot stand on 'd'"):
            nav.neighbors("d")
        assert nav.neighbors("a") == []


#: The eight directions, clockwise.
AHEAD = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))

State = tuple[int, int, int, int]


class Tank:
    """It turns by an eighth and changes its speed by one each second, and then rolls ahead."""

    def __init__(self, nav: Navigator, start: State, goal: tuple[int, int]) -> None:
        self.start, self.goal = start, goal
        places = nav.places()
        first, heads, _ = nav.neighbors(np.array(places))
        heads = list(map(tuple, heads.tolist()))
        self.steps = {
            place: set(heads[begin:end])
            for place, begin, end in zip(places, first, first[1:], strict=False)
        }
        self.moves = {goal: 0}
        waiting = deque([goal])
        while waiting:
            place = waiting.popleft()
            for other in self.steps[place]:  # Steps of open floor lead both ways.
                if other not in self.moves:
                    self.moves[other] = self.moves[place] + 1
                    waiting.append(other)

    def is_goal(self, state: State) -> bool:
        return state[:2] == self.goal and state[3] == 0

    def h(self, state: State) -> float:
        return math.ceil(self.moves.get(state[:2], math.inf) / 2)

    def successors(self, state: State) -> Iterator[tuple[State, float]]:
        x, y, heading, speed = state
        for turned in (heading - 1, heading, heading + 1):
            dx, dy = AHEAD[turned % 8]
            for faster in range(max(0, speed - 1), min(2, speed + 1) + 1):
                place, rolls = (x, y), True
                for _ in range(faster):
                    ahead = place[0] + dx, place[1] + dy
                    rolls = rolls and ahead in self.steps[place]
                    place = ahead
                if rolls:
                    yield (*place, turned % 8, faster), 1


def test_a_tank_with_headings_and_speeds(tmp_path: Path) -> None:
    """Against a search over all states by breadth; A* is quick about it."""
    rng = random.Random(5)
    lines = ["".join(rng.choices(".#", (6, 1), k=40)) for _ in range(40)]
    lines[0], lines[39] = "." * 40, "." * 40
    with drawn_level(tmp_path, *lines) as (_, nav):
        tank = Tank(nav, (0, 0, 0, 0), (39, 39))
        found = search(tank)
        found.run()
        seconds = {tank.start: 0}
        waiting = deque(seconds)
        while waiting and not tank.is_goal(waiting[0]):
            state = waiting.popleft()
            for other, _ in tank.successors(state):
                if other not in seconds:
                    seconds[other] = seconds[state] + 1
                    waiting.append(other)
        assert found.cost == seconds[waiting[0]]
        assert found.path[0] == tank.start
        for state, other in zip(found.path, found.path[1:], strict=False):
            assert other in dict(tank.successors(state))
        assert found.expanded < 0.6 * len(seconds)


def test_rows_of_places(tmp_path: Path) -> None:
    with drawn_level(tmp_path, "..#", "...") as (_, nav):
        assert {place for place, _ in nav.neighbors((0, 0))} == {(1, 0), (0, 1), (1, 1)}
        with pytest.raises(QueryError):
            nav.neighbors((2, 0))
        with pytest.raises(QueryError):
            nav.neighbors(np.array([(0, 0), (2, 0)]))
