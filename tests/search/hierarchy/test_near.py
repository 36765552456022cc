"""The search between near rows: what it finds, and when it gives up."""

import random
from itertools import pairwise

import networkx
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bake.core.arrays import Int32Array
from bake.search.hierarchy import near
from bake.search.hierarchy.bundles import FULL, NO_WAY, ClusteredGraph, QueryMemory, StraightRuns
from bake.search.hierarchy.smooth import HEX, SQUARE_4, SQUARE_8
from bake.search.hierarchy.straight_runs import RunsVersion
from levelbake.steps import chart
from tests.support.baked import GROUND, rows
from tests.support.clustered import divided, memory
from tests.support.inner import as_kernels_call
from tests.support.oracles import Cell, Lattice, hex_arcs, square_arcs
from tests.support.strategies import grids

Steps = dict[tuple[Cell, Cell], int]

search_near = as_kernels_call(near.search_near)
shorten_ends = as_kernels_call(near.shorten_ends)


class Ground:
    """Cells and steps between them, laid out for the kernel."""

    def __init__(
        self, cells: list[Cell], steps: Steps, form: int, layout: str | None = None
    ) -> None:
        number = {cell: row for row, cell in enumerate(cells)}
        self.arcs = [(number[a], number[b], ticks) for (a, b), ticks in steps.items()]
        self.graph: ClusteredGraph = divided([0] * len(cells), self.arcs)[0]
        at: Int32Array = np.array(cells, dtype=np.int32).reshape(-1, 2)
        at = np.ascontiguousarray(chart(at, layout))
        self.runs: StraightRuns = RunsVersion.of(self.graph, at, at, form).runs
        whole = networkx.DiGraph()
        whole.add_nodes_from(range(len(cells)))
        whole.add_weighted_edges_from(self.arcs)
        self.best = dict(networkx.all_pairs_dijkstra_path_length(whole))

    def room(self, labels: int) -> QueryMemory:
        return memory(len(self.best))._replace(
            near=np.full((labels, 4), 77, dtype=np.int64),
            near_heap=np.full((8 * labels, 2), 77, dtype=np.int64),
        )

    def ask(
        self, start: int, goal: int, limit: int, room: int = 256, used: QueryMemory | None = None
    ) -> tuple[list[int], int]:
        made = self.room(room) if used is None else used
        count, ticks = search_near(start, goal, limit, self.graph, self.runs, made)
        return made.route[0, : max(0, count)].tolist(), ticks

    def check(self) -> None:
        """Every pair: a path that costs less than the limit where there is one."""
        price = {(tail, head): ticks for tail, head, ticks in self.arcs}
        for start, far in self.best.items():
            for goal in self.best:
                ticks = far.get(goal)
                if ticks is None:
                    assert self.ask(start, goal, 2**31 - 1) == ([], NO_WAY)
                    continue
                assert self.ask(start, goal, ticks) == ([], NO_WAY)
                path, told = self.ask(start, goal, ticks + 1)
                assert (path[0], path[-1], told) == (start, goal, ticks)
                assert sum(price[step] for step in pairwise(path)) == ticks


@given(grids(largest=5), st.sampled_from([4, 8]), st.sampled_from(["never", "one_free", "always"]))
def test_square_ground(grid: list[list[str]], connectivity: int, corners: str) -> None:
    lattice = Lattice(grid, GROUND, corners, "entered")
    form = SQUARE_8 if connectivity == 8 else SQUARE_4
    Ground(lattice.cells(), square_arcs(lattice, connectivity), form).check()


@given(grids(largest=5), st.sampled_from(["odd-r", "even-r", "odd-q", "even-q"]))
def test_hexagonal_ground(grid: list[list[str]], layout: str) -> None:
    lattice = Lattice(grid, GROUND)
    Ground(lattice.cells(), hex_arcs(lattice, layout), HEX, layout).check()


@given(grids(largest=4), st.integers(0, 2**16))
def test_ground_with_jumps(grid: list[list[str]], seed: int) -> None:
    lattice = Lattice(grid, GROUND)
    cells, steps = lattice.cells(), square_arcs(lattice, 8)
    ends = random.Random(seed).sample(cells, len(cells))
    steps.update({(a, b): 7 for a, b in zip(cells, ends, strict=True) if a != b})
    Ground(cells, steps, SQUARE_8).check()


def test_a_small_table_and_a_small_path() -> None:
    """The row of sixteen cells has to be looked at; with room for fewer there is no answer."""
    lattice = Lattice(rows("." * 16), GROUND)
    ground = Ground(lattice.cells(), square_arcs(lattice, 8), SQUARE_8)
    best = ground.best[0][15]
    assert ground.ask(0, 15, best + 1, 32) == (list(range(16)), best)
    assert ground.ask(0, 15, best + 1, 16) == ([], NO_WAY)
    assert ground.ask(0, 15, best + 1, 8) == ([], NO_WAY)
    used = ground.room(32)
    for short in (1, 15):
        path = used._replace(route=used.route[:, :short].copy())
        assert search_near(0, 15, best + 1, ground.graph, ground.runs, path) == (FULL, NO_WAY)


def test_turns_begin_anew_where_no_more_fit_the_table() -> None:
    """After 2**31 searches the same paths are found, and nothing that was left is taken for new."""
    lattice = Lattice(rows("....", ".##.", "...."), GROUND)
    ground = Ground(lattice.cells(), square_arcs(lattice, 8), SQUARE_8)
    pairs = [(start, goal) for start in ground.best for goal in ground.best if start != goal]
    used = ground.room(256)
    used.turn[:] = 2**31 - 5
    for start, goal in pairs * 2:
        limit = ground.best[start][goal] + 1
        assert ground.ask(start, goal, limit, used=used) == ground.ask(start, goal, limit)


# -- both ends of a path --------------------------------------------------------------------------


def shorten(ground: Ground, path: list[int], room: int = 200) -> tuple[list[int], int]:
    """Search again at both ends of a path; return its rows and ticks."""
    price = {(tail, head): ticks for tail, head, ticks in ground.arcs}
    made = ground.room(256)._replace(route=np.full((6, room), -7, dtype=np.int32))
    steps = [price[step] for step in pairwise(path)]
    made.route[0, : len(path)] = path
    made.route[5, : len(steps)] = steps
    behind = divided([0] * len(ground.best), [(b, a, ticks) for a, b, ticks in ground.arcs])[0]
    count, ticks = shorten_ends(len(path), sum(steps), ground.graph, behind, ground.runs, made)
    return made.route[0, : max(0, count)].tolist(), ticks


@given(grids(largest=6), st.integers(0, 2**16), st.sampled_from(["mean", "entered"]))
def test_ends_of_wandering_paths(grid: list[list[str]], seed: int, cost_rule: str) -> None:
    """A short path becomes a shortest one; of a longer one what is left are its middle steps."""
    lattice = Lattice(grid, GROUND, "one_free", cost_rule)
    cells, steps = lattice.cells(), square_arcs(lattice, 8)
    ground, rng = Ground(cells, steps, SQUARE_8), random.Random(seed)
    onward: dict[int, list[int]] = {}
    price = {}
    for tail, head, ticks in ground.arcs:
        onward.setdefault(tail, []).append(head)
        price[tail, head] = ticks
    path = [rng.randrange(len(cells))]
    while len(path) < 45 and path[-1] in onward:
        path.append(rng.choice(onward[path[-1]]))
        if rng.random() < 0.02:
            break
    found, ticks = shorten(ground, path)
    assert (found[0], found[-1]) == (path[0], path[-1])
    assert ticks == sum(price[step] for step in pairwise(found))
    begin, end = (0, len(path) - 1), (0, 0)
    if len(path) > 2 * near.END_STEPS:
        begin, end = (0, near.END_STEPS), (len(path) - 1 - near.END_STEPS, len(path) - 1)
    middle = sum(price[step] for step in pairwise(path[begin[1] : end[0] + 1]))
    assert ticks == middle + sum(ground.best[path[a]][path[b]] for a, b in (begin, end))


def test_a_detour_of_more_steps_may_not_fit() -> None:
    """Straight on there are five steps, by a road four more; with room for few rows it is told."""
    lattice = Lattice(rows("=mmmm=", "=mmmm=", "======"), GROUND, cost_rule="entered")
    ground = Ground(lattice.cells(), square_arcs(lattice, 4), SQUARE_4)
    found, ticks = shorten(ground, list(range(6)), 200)
    assert found == [0, 6, 12, 13, 14, 15, 16, 17, 11, 5]
    assert ticks == ground.best[0][5]
    assert shorten(ground, list(range(6)), 10)[0] == found
    assert shorten(ground, list(range(6)), 9) == ([], 0)
