"""Straight runs of lattices, and how they follow a change, beside walking step by step."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bake.core.arrays import Int32Array
from bake.search.hierarchy import straight_runs
from bake.search.hierarchy.bundles import ClusteredGraph, StraightRuns
from bake.search.hierarchy.straight_runs import LONGEST, RunsVersion, heading, offset
from tests.support.baked import GROUND, rows
from tests.support.clustered import divided
from tests.support.oracles import Cell, Lattice, square_arcs
from tests.support.strategies import Arc, grids


@pytest.fixture(autouse=True, scope="module", params=["kernels", "arrays"])
def form(request: pytest.FixtureRequest) -> Iterator[None]:
    """Runs found by kernels, and by operations on arrays, as before kernels are compiled."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(straight_runs, "ready", lambda kernel: request.param == "kernels")
        yield


Steps = dict[tuple[Cell, Cell], int]
DIRECTIONS = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy]


def laid_out(cells: list[Cell], steps: Steps) -> tuple[ClusteredGraph, Int32Array]:
    number = {cell: node for node, cell in enumerate(cells)}
    arcs: list[Arc] = [(number[a], number[b], ticks) for (a, b), ticks in steps.items()]
    at = np.array(cells, dtype=np.int32).reshape(-1, 2)
    return divided([0] * len(cells), arcs)[0], at


def walked(steps: Steps, cell: Cell, direction: tuple[int, int]) -> tuple[int, int]:
    """How many steps of equal weight there are one way, and what each weighs."""
    count, ticks = 0, 0
    while True:
        beyond = cell[0] + direction[0], cell[1] + direction[1]
        weight = steps.get((cell, beyond))
        if weight is None or (count and weight != ticks) or count == LONGEST:
            return count, ticks
        count, ticks, cell = count + 1, weight, beyond


def check(runs: StraightRuns, cells: list[Cell], steps: Steps) -> None:
    for row, cell in enumerate(cells):
        x, y = runs.at[row].tolist()
        place = y * runs.width + x
        assert runs.row_at[place] == row
        for dx, dy in DIRECTIONS:
            length, ticks = walked(steps, cell, (dx, dy))
            way = heading(dx, dy)
            assert (runs.length[place, way], runs.ticks[row, way]) == (length, ticks)
            if length:
                ahead = runs.row_at[place + offset(way, runs.width)]
                assert cells[ahead] == (cell[0] + dx, cell[1] + dy)
    assert np.count_nonzero(runs.row_at >= 0) == len(cells)


def even(steps: Steps) -> bool:
    """Whether all straight steps weigh the same, and all diagonal ones, and none is a jump."""
    near = all(max(abs(a[0] - b[0]), abs(a[1] - b[1])) == 1 for a, b in steps)
    weights = [
        {ticks for (a, b), ticks in steps.items() if (a[0] != b[0] and a[1] != b[1]) is slanted}
        for slanted in (False, True)
    ]
    return near and all(len(each) <= 1 for each in weights)


def test_headings_are_numbered_and_taken_apart() -> None:
    assert sorted(heading(*direction) for direction in DIRECTIONS) == list(range(8))
    assert all(offset(heading(dx, dy), 50) == 50 * dy + dx for dx, dy in DIRECTIONS)


def test_runs_end_at_walls_and_where_a_step_weighs_more() -> None:
    lattice = Lattice(rows("....", "..m.", ".#.."), GROUND, cost_rule="entered")
    steps = square_arcs(lattice, 4)
    graph, at = laid_out(lattice.cells(), steps)
    runs = RunsVersion.of(graph, at, at, 0).runs
    east, south = heading(1, 0), heading(0, 1)
    first_row, second_row = runs.width + 1, 2 * runs.width + 1
    assert runs.length[first_row, east] == 3
    assert runs.length[second_row, east] == 1  # mud is dearer to enter
    assert runs.length[second_row + 1, east] == 1
    assert runs.length[first_row, south] == 2
    assert runs.length[first_row + 1, south] == 1
    assert runs.length[first_row + 2, south] == 1
    assert not runs.even
    check(runs, lattice.cells(), steps)


def test_no_run_is_told_longer_than_fits() -> None:
    cells = [(x, 0) for x in range(300)]
    steps = dict.fromkeys(pairwise(cells), 7)
    graph, at = laid_out(cells, steps)
    version = RunsVersion.of(graph, at, at, 0)
    check(version.runs, cells, steps)
    assert version.runs.length.max() == LONGEST == 255
    del steps[cells[290], cells[291]]
    changed = np.array([290, 291], dtype=np.int32)
    check(version.edited(changed, laid_out(cells, steps)[0], at).runs, cells, steps)


@pytest.mark.parametrize(("jump", "expected"), [((2, 0), False), ((1, 0), True)])
def test_ground_is_not_even_with_a_jump(jump: Cell, expected: bool) -> None:
    cells = [(0, 0), (1, 0), (2, 0)]
    steps: Steps = {((0, 0), (1, 0)): 5, ((1, 0), (2, 0)): 5, ((0, 0), jump): 5}
    graph, at = laid_out(cells, steps)
    assert RunsVersion.of(graph, at, at, 0).runs.even is expected


corners = st.sampled_from(["never", "one_free", "always"])
rules = st.sampled_from(["mean", "entered"])


@given(grid=grids(largest=8), corner=corners, rule=rules, connectivity=st.sampled_from([4, 8]))
def test_any_lattice(grid: list[list[str]], corner: str, rule: str, connectivity: int) -> None:
    lattice = Lattice(grid, GROUND, corner_cutting=corner, cost_rule=rule)
    steps = square_arcs(lattice, connectivity)
    graph, at = laid_out(lattice.cells(), steps)
    runs = RunsVersion.of(graph, at, at, 0).runs
    check(runs, lattice.cells(), steps)
    assert runs.even == even(steps)


@given(data=st.data(), rule=rules, grid=grids(largest=7))
def test_runs_follow_a_change(data: st.DataObject, rule: str, grid: list[list[str]]) -> None:
    """Some steps are gone, some weigh more, and some cells can be stood on only afterwards."""
    before = Lattice(grid, GROUND, cost_rule=rule)
    cells = before.cells()
    terrains = st.sampled_from(["floor", "mud", "wall"])
    changes = data.draw(
        st.dictionaries(
            st.tuples(st.integers(0, len(grid[0]) - 1), st.integers(0, len(grid) - 1)), terrains
        )
    )
    after = Lattice(
        [[changes.get((x, y), name) for x, name in enumerate(line)] for y, line in enumerate(grid)],
        GROUND,
        cost_rule=rule,
    )
    old, new = square_arcs(before, 8), square_arcs(after, 8)
    # Rows stay where they are; those of new cells come after them.
    later = cells + [cell for cell in after.cells() if cell not in cells]
    ends = {cell for step in {*old, *new} if old.get(step) != new.get(step) for cell in step}
    changed = [row for row, cell in enumerate(later) if cell in ends or row >= len(cells)]
    frame = np.array([[0, 0], [len(grid[0]) - 1, len(grid) - 1]], dtype=np.int32)
    version = RunsVersion.of(*laid_out(cells, old), frame, 0)
    follows = version.edited(np.array(changed, dtype=np.int32), *laid_out(later, new))
    check(follows.runs, later, new)
    check(version.runs, cells, old)
    # What was uneven once may be taken for uneven ever after, never the other way.
    assert even(new) or not follows.runs.even
