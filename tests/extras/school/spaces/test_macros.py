"""Macro-operators: every path in single steps, and its cost, beside networkx."""

from __future__ import annotations

import math
from collections.abc import Hashable
from itertools import pairwise

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bake.extras.school import SlidingTiles, Status, Tiles, WithMacros, search
from levelbake.errors import QueryError
from tests.support.problems import Network, cost_of, finished, networks, truth

pytestmark = pytest.mark.note(24, "networkx; every path in single steps")


class Plane:
    """A heading in eighths, and a height; a step climbs, dives, or turns by an eighth."""

    start = (0, 0)

    def __init__(self, heading: int, height: int) -> None:
        self.goal = heading, height

    def is_goal(self, state: tuple[int, int]) -> bool:
        return state == self.goal

    def successors(self, state: tuple[int, int]) -> list[tuple[tuple[int, int], float]]:
        heading, height = state
        steps: list[tuple[tuple[int, int], float]] = [
            (((heading + turn) % 8, height), 2) for turn in (1, -1)
        ]
        return steps + [((heading, height + by), 1.5) for by in (1, -1) if 0 <= height + by <= 9]


def right(state: tuple[int, int]) -> tuple[int, int]:
    return (state[0] + 1) % 8, state[1]


def climb(state: tuple[int, int]) -> tuple[int, int]:
    return state[0], state[1] + 1


MACROS = {"spiral": [right, climb] * 2, "climb three": [climb] * 3}


def test_an_airplane() -> None:
    space = WithMacros(Plane(2, 5), MACROS)
    assert dict(space.successors((7, 8))) == {(0, 8): 2, (6, 8): 2, (7, 9): 1.5, (7, 7): 1.5}
    assert dict(space.successors((7, 7)))[1, 9] == 7  # A spiral fits, and three climbs do not.
    found = search(space)
    assert found.run() is Status.FOUND
    assert found.path is not None
    assert (found.cost, len(found.path)) == (11.5, 3)
    steps = space.in_steps(found.path)
    assert len(steps) == 8
    plain = search(Plane(2, 5))
    plain.run()
    assert (plain.cost, len(plain.path or ())) == (11.5, 8)
    assert set(space.names(found.path)) == {"spiral", "climb three"}
    assert space.names([(0, 0), (0, 1)]) == [None]
    # By the fewest steps there are two, where there were seven.
    by_steps, single = search(space, "iddfs"), search(Plane(2, 5), "iddfs")
    assert by_steps.run() is single.run() is Status.FOUND
    assert by_steps.expanded * 10 < single.expanded


def test_macros_alone() -> None:
    space = WithMacros(Plane(2, 5), MACROS, alone=True)
    assert dict(space.successors((0, 0))) == {(2, 2): 7, (0, 3): 4.5}
    found = search(space)
    assert (found.run(), found.cost) == (Status.FOUND, 11.5)
    assert search(WithMacros(Plane(1, 0), MACROS, alone=True)).run() is Status.NO_PATH
    with pytest.raises(QueryError, match="no macro"):
        space.in_steps([(0, 0), (0, 1)])


@given(
    networks(),
    st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=4), min_size=1, max_size=3),
    st.sampled_from(("astar", "dijkstra", "ida")),
)
def test_no_cheaper_and_no_longer(space: Network, drawn: list[list[int]], method: str) -> None:
    """An operator takes the first, second... arc out of a node, where there are so many."""

    def operator(number: int) -> object:
        def take(node: Hashable) -> Hashable | None:
            out = space.arcs.get(node, ())
            return out[number][0] if number < len(out) else None

        return take

    macros = {f"m{i}": [operator(number) for number in numbers] for i, numbers in enumerate(drawn)}
    wrapped = WithMacros(space, macros)  # type: ignore[arg-type]
    found = finished(search(wrapped, method))
    assert found.cost == truth(space)
    if found.path is not None:
        whole = wrapped.in_steps(found.path)
        assert cost_of(space, whole) == found.cost
        assert len(wrapped.names(found.path)) == len(found.path) - 1
    graph = nx.DiGraph((a, b) for a, out in space.arcs.items() for b, _ in out)
    for node in space.arcs:
        for (other, cost), _ in zip(wrapped.successors(node), range(99), strict=False):
            whole = wrapped.in_steps([node, other])
            assert all(graph.has_edge(a, b) for a, b in pairwise(whole))
            assert cost < math.inf
    # By macros alone there is a path or not, and it costs no less.
    alone = WithMacros(space, macros, alone=True)  # type: ignore[arg-type]
    only = finished(search(alone, method))
    assert only.cost >= found.cost
    if only.path is not None:
        assert cost_of(space, alone.in_steps(only.path)) == pytest.approx(only.cost)


def test_a_puzzle_keeps_its_heuristic() -> None:
    """Three tiles are moved round a corner at once; the lower bound still holds."""

    class Guided(SlidingTiles):
        h = SlidingTiles.manhattan

    def moved(step: tuple[int, int]) -> object:
        def move(board: tuple[int, ...]) -> tuple[int, ...] | None:
            gap = board.index(0)
            x, y = gap % 3 + step[0], gap // 3 + step[1]
            if not (0 <= x < 3 and 0 <= y < 3):
                return None
            after = list(board)
            after[gap], after[y * 3 + x] = after[y * 3 + x], 0
            return tuple(after)

        return move

    around = [moved(step) for step in ((1, 0), (0, 1), (-1, 0), (0, -1))]
    puzzle = Guided(Tiles(3, 3, (1, 2, 3, 8, 0, 4, 7, 6, 5)), (2, 8, 3, 1, 6, 4, 7, 0, 5))
    space = WithMacros(puzzle, {"around": around})  # type: ignore[arg-type]
    found, plain = search(space), search(puzzle)
    assert found.run() is plain.run() is Status.FOUND
    assert found.cost == plain.cost == 5


@pytest.mark.parametrize("macros", [{}, {"none": []}])
def test_nothing_to_do(macros: dict[str, list[object]]) -> None:
    with pytest.raises(QueryError, match="at least one operator"):
        WithMacros(Plane(0, 0), macros)  # type: ignore[arg-type]
