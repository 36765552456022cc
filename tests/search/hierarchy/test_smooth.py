"""Smoothing: paths stay valid, never grow, and are shortest ones on open ground."""

import random
from itertools import pairwise

import networkx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bake.search.hierarchy import smooth
from bake.search.hierarchy.bundles import FULL
from bake.search.hierarchy.smooth import HEX, SQUARE_4, SQUARE_8
from bake.search.hierarchy.straight_runs import RunsVersion
from tests.support.baked import GROUND, rows
from tests.support.clustered import divided, memory
from tests.support.oracles import Cell, Lattice
from tests.support.smoother import Smoother, smooth_path
from tests.support.strategies import grids


def test_a_detour_gives_way_to_a_diagonal_and_a_straight_run() -> None:
    smoother = Smoother(Lattice(rows(*["....."] * 3), GROUND), SQUARE_8)
    path = [(0, 0), (0, 1), (0, 2), (1, 2), (2, 2), (3, 2), (4, 2)]
    smoothed = smoother.smooth(path)
    assert len(smoothed) == 5
    moves = [(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(smoothed)]
    assert sorted(moves) == [(1, 0), (1, 0), (1, 1), (1, 1)]
    # Two runs: no move comes again after another one.
    assert sum(a != b for a, b in pairwise(moves)) == 1


@pytest.mark.parametrize(
    ("wall", "expected"),
    [((1, 0), [(0, 0), (0, 1), (1, 1), (2, 1)]), ((1, 1), [(0, 0), (1, 0), (2, 0), (2, 1)])],
)
def test_of_two_corners_the_one_that_is_free_is_taken(wall: Cell, expected: list[Cell]) -> None:
    lines = [["floor"] * 3 for _ in range(3)]
    lines[wall[1]][wall[0]] = "wall"
    smoother = Smoother(Lattice(lines, GROUND), SQUARE_4)
    assert smoother.smooth([(0, 0), (0, 1), (0, 2), (1, 2), (2, 2), (2, 1)]) == expected
    # And the other way round, where the second pass does what the first one cannot.
    assert len(smoother.smooth([(2, 1), (2, 2), (1, 2), (0, 2), (0, 1), (0, 0)])) == 4


def test_a_dear_way_is_not_taken_for_being_straight() -> None:
    """Round the mud four steps of 1, through it two of 3."""
    smoother = Smoother(Lattice(rows("...", ".m.", "..."), GROUND, cost_rule="entered"), SQUARE_4)
    round_it = [(0, 1), (0, 0), (1, 0), (2, 0), (2, 1)]
    assert smoother.smooth(round_it) == round_it
    # Entering the mud costs 3 and leaving it 1: as much as the four steps, so either way is kept.
    assert smoother.smooth([(0, 1), (1, 1), (2, 1)]) == [(0, 1), (1, 1), (2, 1)]


def test_on_uneven_ground_a_detour_gives_way_to_what_costs_no_more() -> None:
    smoother = Smoother(Lattice(rows("...m", "....", "...."), GROUND), SQUARE_4)
    assert not smoother.runs.even
    detour = [(0, 0), (0, 1), (0, 2), (1, 2), (2, 2), (2, 1), (2, 0)]
    assert smoother.smooth(detour) == [(0, 0), (1, 0), (2, 0)]


def test_a_shortcut_is_found_beyond_cells_that_have_none() -> None:
    """The stairs end where an open street leads back: four of their cells are out of reach."""
    smoother = Smoother(Lattice(rows("......", "..###.", "#..##.", "##...."), GROUND), SQUARE_4)
    stairs = [(0, 0), (0, 1), (1, 1), (1, 2), (2, 2), (2, 3), (3, 3), (4, 3), (5, 3)]
    path = [*stairs, (5, 2), (5, 1), (5, 0)]
    assert smoother.smooth(path) == [(x, 0) for x in range(6)]


def test_short_paths_are_left_alone() -> None:
    smoother = Smoother(Lattice(rows("...."), GROUND), SQUARE_8)
    for path in ([(0, 0)], [(0, 0), (1, 0)], [(0, 0), (1, 0), (2, 0), (3, 0)]):
        assert smoother.smooth(path) == path


def test_of_a_jump_and_a_step_the_cheapest_arc_is_counted() -> None:
    """Cells 0 and 3 of a corridor are joined by a jump of 5 ticks, steps cost 4."""
    cells = [(x, 0) for x in range(5)]
    steps = [(x, x + 1, 4) for x in range(4)]
    graph = divided([0] * 5, [*steps, (0, 3, 5), (0, 3, 9)])[0]
    at = np.array(cells, dtype=np.int32)
    runs = RunsVersion.of(graph, at, at, SQUARE_8).runs
    used = memory(20)
    used.route[0, :3] = [0, 3, 4]
    assert smooth_path(3, graph, runs, used) == (3, 9)
    assert used.route[0, :3].tolist() == [0, 3, 4]


@pytest.mark.parametrize("path", [[0, 1, 9], [0, 8, 9], [9, 8, 0], [0, 3, 4, 9]])
@pytest.mark.parametrize("room", [*range(4, 12), 20])
def test_a_jump_gives_way_to_a_walk_of_more_cells_where_there_is_room(
    room: int, path: list[int]
) -> None:
    """Compiled code does not look whether an index fits; plain Python would end with an error."""
    steps = [(x, x + 1, 4) for x in range(9)]
    jumps = [(a, b, 4 * abs(b - a)) for a, b in pairwise(path) if abs(b - a) > 1]
    graph = divided([0] * 10, [*steps, *((b, a, ticks) for a, b, ticks in steps), *jumps])[0]
    at = np.array([(x, 0) for x in range(10)], dtype=np.int32)
    runs = RunsVersion.of(graph, at, at, SQUARE_8).runs
    plain = getattr(smooth.smooth_path, "plain", smooth.smooth_path)
    for smoothed in (smooth_path, plain):
        used = memory(room)
        used.route[0, : len(path)] = path
        if room < 10:
            assert smoothed(len(path), graph, runs, used) == (FULL, 0)
        else:
            assert smoothed(len(path), graph, runs, used) == (10, 36)
            assert used.route[0, :10].tolist() == sorted(range(10), reverse=path[0] == 9)


@pytest.mark.parametrize(
    ("form", "layout"), [(SQUARE_8, None), (SQUARE_4, None), (HEX, "odd-r"), (HEX, "even-q")]
)
@pytest.mark.parametrize("seed", range(3))
def test_on_open_ground_monotone_paths_become_shortest(
    form: int, layout: str | None, seed: int
) -> None:
    """Two passes over a path that never turns back: two runs replace a stretch of any kind."""
    rng = random.Random(seed)
    smoother = Smoother(Lattice(rows(*["........."] * 9), GROUND), form, layout)
    graph = networkx.DiGraph()
    graph.add_weighted_edges_from((a, b, ticks) for (a, b), ticks in smoother.steps.items())
    for _ in range(20):
        start, goal = rng.choice(smoother.cells), rng.choice(smoother.cells)
        best = networkx.dijkstra_path(graph, start, goal)
        corner = (start[0], goal[1])
        bent = networkx.dijkstra_path(graph, start, corner)
        bent += networkx.dijkstra_path(graph, corner, goal)[1:]
        assert smoother.ticks(smoother.smooth(bent)) == smoother.ticks(best)
        assert smoother.ticks(smoother.smooth(best)) == smoother.ticks(best)


corners = st.sampled_from(["never", "one_free", "always"])
rules = st.sampled_from(["mean", "entered"])


@given(
    grid=grids(largest=8),
    corner=corners,
    rule=rules,
    form=st.sampled_from([SQUARE_8, SQUARE_4]),
    rng=st.randoms(use_true_random=False),
)
def test_any_square_lattice(
    grid: list[list[str]], corner: str, rule: str, form: int, rng: random.Random
) -> None:
    smoother = Smoother(Lattice(grid, GROUND, corner_cutting=corner, cost_rule=rule), form)
    for _ in range(5):
        smoother.smooth(smoother.wander(rng))


@given(
    grid=grids(largest=8),
    layout=st.sampled_from(["odd-r", "even-r", "odd-q", "even-q"]),
    rule=rules,
    rng=st.randoms(use_true_random=False),
)
def test_any_hexagonal_lattice(
    grid: list[list[str]], layout: str, rule: str, rng: random.Random
) -> None:
    smoother = Smoother(Lattice(grid, GROUND, cost_rule=rule), HEX, layout)
    for _ in range(5):
        smoother.smooth(smoother.wander(rng))
