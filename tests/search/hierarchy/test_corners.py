"""Turning at corners: paths stay valid, never grow, and are shortest ones around one obstacle."""

import random
from functools import partial
from itertools import pairwise

import networkx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bake.search.hierarchy import corners as turning
from bake.search.hierarchy.corners import is_corner
from bake.search.hierarchy.smooth import SQUARE_8
from bake.search.hierarchy.straight_runs import cell_at
from tests.support.baked import GROUND, rows
from tests.support.clustered import memory
from tests.support.inner import as_kernels_call
from tests.support.oracles import Cell, Lattice
from tests.support.smoother import Smoother, smooth_path
from tests.support.strategies import grids

turn_at_corners = as_kernels_call(turning.turn_at_corners)

RULES = ["never", "one_free", "always"]


def on(*lines: str, rule: str = "never") -> Smoother:
    return Smoother(Lattice(rows(*lines), GROUND, corner_cutting=rule), SQUARE_8)


def turned(smoother: Smoother, path: list[Cell], reach: int = 12, *, first: bool = True) -> int:
    """Smooth a path and let it turn at corners; check it, and return its ticks.

    Args:
        first: whether to smooth it first.
    """
    used = memory(2 * len(smoother.cells) + len(path))
    used.route[0, : len(path)] = [smoother.number[cell] for cell in path]
    count, before = len(path), smoother.ticks(path)
    if first:
        count, before = smooth_path(count, smoother.graph, smoother.runs, used)
    else:
        for axis in range(2):
            used.route[3 + axis, : len(path)] = [
                smoother.runs.at[smoother.number[cell], axis] for cell in path
            ]
    count, ticks = turn_at_corners(count, before, reach, smoother.runs, used)
    found = [smoother.cells[row] for row in used.route[0, :count].tolist()]
    assert (found[0], found[-1]) == (path[0], path[-1])
    assert all(step in smoother.steps for step in pairwise(found))
    assert smoother.ticks(found) == ticks <= before
    return ticks


def test_a_path_changes_to_the_shorter_side_of_a_pillar() -> None:
    """Below the pillar the way takes 4 straight steps more than above it."""
    smoother = on(*["........."], "...###...", "...###...", "...###...", *["........."] * 4)
    below = [(2, 1), (2, 2), (2, 3), (2, 4), (3, 4), (4, 4), (5, 4), (6, 4), (6, 3), (6, 2), (6, 1)]
    assert all(step in smoother.steps for step in pairwise(below))
    unit = smoother.steps[(0, 0), (1, 0)]
    assert smoother.ticks(smoother.smooth(below)) == 10 * unit
    # Up to (2, 0), four to the right, and down to (6, 1).
    assert turned(smoother, below) == 6 * unit
    assert turned(smoother, below, first=False) == 6 * unit


def test_no_corner_in_reach_leaves_a_path_as_it_is() -> None:
    smoother = on(*["........."], "...###...", "...###...", "...###...", *["........."] * 4)
    below = [(2, 1), (2, 2), (2, 3), (2, 4), (3, 4), (4, 4), (5, 4), (6, 4), (6, 3), (6, 2), (6, 1)]
    assert turned(smoother, below, 0) == smoother.ticks(below)


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("never", {(1, 1), (3, 1), (1, 3), (3, 3)}),
        # Where corners may be cut, paths turn beside the pillar; the other four do no harm.
        ("always", {(x, y) for x in (1, 2, 3) for y in (1, 2, 3)} - {(2, 2)}),
    ],
)
def test_corners_of_a_pillar(rule: str, expected: set[Cell]) -> None:
    smoother = on(".....", ".....", "..#..", ".....", ".....", rule=rule)
    at = smoother.runs.at.tolist()
    inner = [cell for cell in smoother.cells if 0 < min(cell) <= max(cell) < 4]
    corners = {
        cell
        for cell in inner
        if is_corner(cell_at(smoother.runs, *at[smoother.number[cell]]), smoother.runs)
    }
    assert corners == expected


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("seed", range(6))
def test_around_one_obstacle_paths_become_shortest(rule: str, seed: int) -> None:
    """From both sides of it: a path by way of a cell above the obstacle, and of one below."""
    rng = random.Random(seed)
    left, top = rng.randint(3, 6), rng.randint(3, 6)
    right, bottom = left + rng.randint(0, 3), top + rng.randint(0, 3)
    lines = [
        "".join("#" if left <= x <= right and top <= y <= bottom else "." for x in range(13))
        for y in range(13)
    ]
    smoother = on(*lines, rule=rule)
    assert smoother.runs.even
    graph = networkx.DiGraph()
    graph.add_weighted_edges_from((a, b, ticks) for (a, b), ticks in smoother.steps.items())
    shortest = partial(networkx.dijkstra_path, graph)
    for _ in range(12):
        start = (rng.randrange(left), rng.randrange(13))
        goal = (rng.randrange(right + 1, 13), rng.randrange(13))
        best = smoother.ticks(shortest(start, goal))
        for via in ((rng.randint(left, right), top - 1), (rng.randint(left, right), bottom + 1)):
            path = shortest(start, via) + shortest(via, goal)[1:]
            assert turned(smoother, path) == best, (start, via, goal)


@given(
    grid=grids(largest=8),
    corner=st.sampled_from(RULES),
    reach=st.integers(0, 12),
    first=st.booleans(),
    rng=st.randoms(use_true_random=False),
)
def test_any_even_lattice(
    grid: list[list[str]], corner: str, reach: int, first: bool, rng: random.Random
) -> None:
    even = [["wall" if cell == "wall" else "floor" for cell in line] for line in grid]
    smoother = Smoother(Lattice(even, GROUND, corner_cutting=corner), SQUARE_8)
    for _ in range(5 if smoother.cells else 0):
        path = smoother.wander(rng)
        if len(path) > 2:
            turned(smoother, path, reach, first=first)
