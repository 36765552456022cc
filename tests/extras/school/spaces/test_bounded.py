"""SMA*: what it promises of its memory, on graphs and on cells, and where it gives up."""

import math
import random
from collections.abc import Hashable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bake.extras.school import Status, search
from bake.extras.school.spaces import bounded
from bake.play import open_asset
from bake.play.searching.methods import RowSpace
from levelbake.errors import QueryError
from tests.support.problems import Cells, Network, cost_of, finished, networks, truth
from tests.support.stored import stored_asset

pytestmark = pytest.mark.note(29, "cheapest paths of so many states, layer by layer")


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
        ends = (3, 4), (20, 20)
        astar = nav.search(*ends, "astar", "octile")
        assert astar.path is not None
        assert (len(astar.path), astar.expanded) == (48, 547)
        for memory in (1000, 400, 300):
            found = nav.search(*ends, "sma", memory=memory)
            assert (found.cost, found.bound) == (astar.cost, 1)
            assert found.expanded < 1000
        with pytest.raises(QueryError, match=r"'sma' gave up.*memory"):
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
