"""Compressed next hops against scipy's distances and runs worked out in plain Python."""

import random
import sys
import threading
import tracemalloc
from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise

import numpy as np
import pytest

from bake.core.arrays import AnyArray, Int32Array
from bake.core.errors import BudgetError, CostError
from bake.core.graph import MAX_WEIGHT, Graph, Subgraph, usable_subgraph
from bake.core.movement import HEX_LAYOUTS, greedy_slots
from bake.search.all_pairs.batch import LANES, BatchSearch
from bake.search.all_pairs.runs import SLOT_BITS
from bake.tables import run_writer
from bake.tables.all_pairs import slot_dtype
from bake.tables.components import components
from bake.tables.compressed import compressed_next_hops, working_bytes
from bake.tables.run_writer import RunTable, RunWriter, target_ranges
from bake.worlds import World
from levelbake.steps import HexLayout, chart
from tests.support import forked
from tests.support.baked import GROUND
from tests.support.compare import Algorithm, by_scipy, same_runs, subgraph
from tests.support.oracles import Cell, Lattice, offset_to_cube
from tests.support.strategies import FAMILIES, Arc, seeded
from tests.support.worlds import CROWDED, OPEN, random_lattice, world_of

Family = Callable[[random.Random, int], list[Arc]]
Chart = Int32Array
ALGORITHMS: tuple[Algorithm, ...] = ("dijkstra", "floyd_warshall")


def runs_of(
    sub: Subgraph,
    at: Chart | None = None,
    *,
    fits: bool = True,
    algorithm: Algorithm = "dijkstra",
    threads: int = 1,
    budget: int = 2**30,
) -> RunTable:
    return compressed_next_hops(
        sub,
        at,
        unreachable_fits=fits,
        algorithm=algorithm,
        budget=budget,
        threads=threads,
        progress=lambda done: None,
    )


# -- what a table must say, in plain Python ----------------------------------------------------


#: Moves are a set of bits, in the order in which runs prefer them. This one holds all of them.
ANYTHING = -1


class Moves:
    """What may stand for a target in a row: slots of arcs, the greedy move, or none."""

    def __init__(self, sub: Subgraph, cells: list[Cell] | None, *, fits: bool) -> None:
        """Take distances from scipy.

        Args:
            cells: coordinates in which neighbours differ by at most one; None = no greedy move.
            fits: whether anything may stand for a target that cannot be reached.
        """
        self._sub = sub
        self._cells = None if cells is None else np.array(cells).reshape(-1, 2)
        self._fits = fits
        self._dist = by_scipy(sub)
        self._largest = int(np.iinfo(slot_dtype(sub)).max)

    def bits(self, row: int) -> dict[int, int]:
        """The bit of each number that runs may store for a row: its slots, greedy, none."""
        first, last = self._sub.graph.first_out[row : row + 2].tolist()
        slots = sorted(self._sub.slot[first:last].tolist())
        stored = [*slots, self._largest - 1, self._largest]
        return {each: 1 << bit for bit, each in enumerate(stored)}

    def of_row(self, row: int, bits: dict[int, int]) -> AnyArray:
        """(r) the set of each target; Python's own integers where a row has many arcs."""
        sub = self._sub
        own = slice(*sub.graph.first_out[row : row + 2].tolist())
        head, weight = sub.graph.head[own], sub.weight[own]
        bit = np.array([bits[slot] for slot in sub.slot[own].tolist()], dtype=_kind(bits))
        greedy, none = list(bits.values())[-2:]
        reached = np.isfinite(self._dist[row])
        fine = np.zeros(len(reached), dtype=_kind(bits))
        fine[~reached] = ANYTHING if self._fits else none
        optimal = reached & (self._dist[head] + weight[:, None] == self._dist[row])
        for each, suits in zip(bit, optimal, strict=True):
            fine[suits] |= each
        if self._cells is not None:
            suits = reached & (fine & self.greedy(row, head, bit) != 0)
            fine[suits] |= greedy
        fine[row] = ANYTHING
        return fine

    def greedy(self, row: int, head: Int32Array, bit: AnyArray) -> AnyArray:
        """(r) the arc taken diagonally, else along the longer difference, else along the other."""
        assert self._cells is not None
        away = self._cells - self._cells[row]
        # The first arc of several that make the same step; 0 where there is no such step.
        by_step = np.zeros((3, 3), dtype=bit.dtype)
        for (x, y), each in reversed(list(zip(away[head].tolist(), bit, strict=True))):
            by_step[x, y] = each
        by_step[0, 0] = 0
        (x, y), (far_x, far_y) = np.sign(away).T, np.abs(away).T
        level, upright = by_step[x, 0], by_step[0, y]
        longer = np.where(far_y > far_x, upright, level)
        shorter = np.where(far_y > far_x, level, upright)
        diagonal = by_step[x, y] * ((x != 0) & (y != 0))
        return np.where(diagonal != 0, diagonal, np.where(longer != 0, longer, shorter))


def _kind(bits: dict[int, int]) -> str:
    return "int64" if len(bits) < 62 else "object"


def arcs_across(sub: Subgraph) -> list[int]:
    """Of each place before a target, how many arcs between nodes not far apart lead over it."""
    ends = np.sort(np.stack([sub.graph.tail(), sub.graph.head]), axis=0)
    low, high = ends[:, ends[1] - ends[0] <= LANES]
    change = np.zeros(sub.graph.node_count + 2, dtype=np.int64)
    np.add.at(change, low + 1, 1)
    np.add.at(change, high + 1, -1)
    found: list[int] = np.cumsum(change)[:-2].tolist()
    return found


def begun(fine: list[int], target: int, last: int, across: list[int]) -> tuple[int, int]:
    """Where a run begins that must begin at a target, and its moves.

    Some move of its suits the targets before it as well, in the same batch and after the beginning
    of the last run; of these places the one with the fewest arcs across.
    """
    start, held = target, fine[target]
    moves = held
    for earlier in range(target - 1, max(last, target // LANES * LANES - 1), -1):
        moves &= fine[earlier]
        if not moves:
            break
        if across[earlier] < across[start]:
            start, held = earlier, moves
    return start, held


def joined_runs(
    fine: AnyArray, cuts: list[int], across: list[int], *, crowded: bool
) -> list[tuple[int, int]]:
    """(start, moves) of runs that end at each cut, unless some move suits both sides.

    The set of a row of many arcs is the slot it keeps.
    """
    runs: list[tuple[int, int]] = []
    sets: list[int] = fine.tolist()
    # A target with the set of the one before it changes nothing.
    differs = np.append(True, fine[1:] != fine[:-1])
    for begin, end in pairwise(cuts):
        inside = [(begin, ANYTHING)]
        for target in [begin, *(begin + np.flatnonzero(differs[begin:end])).tolist()]:
            moves, (start, held) = sets[target], inside[-1]
            if moves == ANYTHING:
                continue
            suit = held & moves
            if crowded and (held == ANYTHING or not suit):
                moves &= -moves
                suit = held & moves
            if suit:
                inside[-1] = (start, suit)
            elif crowded:
                inside.append((target, moves))
            else:
                inside.append(begun(sets, target, start, across))
        if runs and (both := runs[-1][1] & inside[0][1]):
            runs[-1] = (runs[-1][0], both)
            del inside[0]
        runs += inside
    return runs


def check_runs(
    sub: Subgraph, runs: RunTable, cells: list[Cell] | None = None, *, fits: bool = True
) -> None:
    """Every pair decodes to an optimal first move, and runs are as long as they can be.

    Over a seam between two ranges they go on where some move suits both sides.
    """
    rows = sub.graph.node_count
    assert runs.run_count.dtype == runs.run_start.dtype == np.int32
    assert runs.run_slot.dtype == slot_dtype(sub)
    assert len(runs.run_count) == rows
    assert runs.run_count.sum() == len(runs.run_start) == len(runs.run_slot)
    moves = Moves(sub, cells, fits=fits)
    across, degree = arcs_across(sub), sub.graph.out_degree().tolist()
    cuts = [0, *(stop for _, stop in target_ranges(rows))]
    end = 0
    for row, count in enumerate(runs.run_count.tolist()):
        begin, end = end, end + count
        starts = runs.run_start[begin:end].tolist()
        bits = moves.bits(row)
        fine = moves.of_row(row, bits)
        # What is no move at all is in no set but that of everything.
        nothing = 1 << len(bits)
        symbols = [bits.get(slot, nothing) for slot in runs.run_slot[begin:end].tolist()]
        assert starts[0] == 0
        assert starts == sorted(set(starts))
        said = np.repeat(np.array(symbols, dtype=fine.dtype), np.diff([*starts, rows]))
        assert (fine & said != 0).all(), (row, np.flatnonzero(fine & said == 0))
        crowded = degree[row] > SLOT_BITS
        expected = joined_runs(fine, cuts, across, crowded=crowded)
        assert starts == [start for start, _ in expected], row
        for symbol, (_, held) in zip(symbols, expected, strict=True):
            # Slots before the greedy move, and that before none.
            assert held == ANYTHING or symbol == held & -held


# -- lattices --------------------------------------------------------------------------------------


def on_lattice(world: World) -> tuple[Subgraph, Chart, list[Cell]]:
    """What the only profile can use, its chart, and the chart as plain Python has it."""
    assert world.cell is not None
    sub = usable_subgraph(world.graph, world.metrics["default"])
    cells = [(int(x), int(y)) for x, y in world.cell[sub.node]]
    if world.hex_layout is not None:
        cells = [offset_to_cube(world.hex_layout, cell)[:2] for cell in cells]
    return sub, chart(world.cell[sub.node], world.hex_layout), cells


@pytest.mark.parametrize("connectivity", [4, 8])
@pytest.mark.parametrize("names", [OPEN, CROWDED], ids=["open", "crowded"])
@pytest.mark.parametrize("seed", range(3))
def test_square_lattices(connectivity: int, names: tuple[str, ...], seed: int) -> None:
    lattice = random_lattice(f"{connectivity} {names} {seed}", 19, 13, names)
    sub, at, cells = on_lattice(world_of(lattice, connectivity))
    runs = runs_of(sub, at)
    check_runs(sub, runs, cells)
    check_runs(sub, runs_of(sub))
    same_runs(runs, runs_of(sub, at, algorithm="floyd_warshall"))


@pytest.mark.parametrize("layout", HEX_LAYOUTS)
@pytest.mark.parametrize("names", [OPEN, CROWDED], ids=["open", "crowded"])
def test_hexagonal_lattices(layout: HexLayout, names: tuple[str, ...]) -> None:
    lattice = random_lattice(f"{layout} {names}", 15, 13, names)
    sub, at, cells = on_lattice(world_of(lattice, 6, layout))
    check_runs(sub, runs_of(sub, at), cells)


def test_the_greedy_move_stands_for_many_arcs() -> None:
    """On open ground every row but for a few runs is one symbol; without it there are more."""
    sub, at, cells = on_lattice(world_of(Lattice([["floor"] * 16] * 16, GROUND), 8))
    with_it, without = runs_of(sub, at), runs_of(sub)
    check_runs(sub, with_it, cells)
    assert with_it.run_slot.tolist() == [254] * 256
    assert len(without.run_slot) > 2 * len(with_it.run_slot)


def test_islands() -> None:
    left = ["floor"] * 7 + ["wall"] + ["floor"] * 9
    sub, at, cells = on_lattice(world_of(Lattice([left] * 17, GROUND), 8))
    check_runs(sub, runs_of(sub, at), cells)
    islands = [
        [
            "floor" if (x // 9 + y // 9) % 2 and x % 9 < 8 and y % 9 < 8 else "wall"
            for x in range(27)
        ]
        for y in range(27)
    ]
    sub, at, cells = on_lattice(world_of(Lattice(islands, GROUND), 8))
    assert sub.graph.node_count == 4 * 64
    check_runs(sub, runs_of(sub, at), cells)


def test_a_batch_that_cannot_be_reached_ends_no_run() -> None:
    """Node 0 goes on greedily, west and then north; in between lies what has no arc toward it."""
    west = [(-x, 0) for x in range(LANES)]
    away = [(1 + number, 1 + number) for number in range(LANES)]
    cells = [*west, *away, (0, -1)]
    line = [(a, b, 1) for a in range(LANES) for b in (a - 1, a + 1) if 0 <= b < LANES]
    north = [(0, 2 * LANES, 1), (2 * LANES, 0, 1)]
    sub = subgraph(len(cells), line + north)
    runs = runs_of(sub, np.array(cells, dtype=np.int32))
    check_runs(sub, runs, cells)


# -- graphs ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("fits", [True, False])
def test_every_family(family: Family, fits: bool) -> None:
    for seed in range(6):
        sub = subgraph(*seeded(family, 300 + seed, 30 if seed < 3 else 150))
        runs = runs_of(sub, fits=fits)
        check_runs(sub, runs, fits=fits)
        same_runs(runs, runs_of(sub, fits=fits, algorithm="floyd_warshall"))


@pytest.mark.parametrize("family", FAMILIES)
def test_a_profile_that_may_not_use_every_arc(family: Family) -> None:
    """Slots count all arcs of the node, those of other profiles included."""
    from bake.core.graph import BLOCKED, Metric
    from tests.support.compare import weighted

    n, arcs = seeded(family, 44, 90)
    graph, weight = weighted(n, arcs)
    rng = random.Random(4)
    passable = np.array([rng.random() < 0.8 for _ in range(n)])
    passable[0] = True
    shut = ~passable[graph.tail()] | ~passable[graph.head] | (np.arange(len(weight)) % 5 == 0)
    sub = usable_subgraph(graph, Metric(np.where(shut, BLOCKED, weight), passable, 1))
    check_runs(sub, runs_of(sub))


def star(leaves: int) -> list[Arc]:
    """A hub, node 0, joined to leaves that are also joined in pairs."""
    out = [(0, leaf, 1 + leaf % 2) for leaf in range(1, leaves + 1)]
    back = [(leaf, 0, 1 + leaf % 3) for leaf in range(1, leaves + 1)]
    return [*out, *back, *((leaf, leaf + 1, 1) for leaf in range(1, leaves, 2))]


@pytest.mark.parametrize(
    ("leaves", "dtype"),
    [
        *((SLOT_BITS - 1, "uint8"), (SLOT_BITS, "uint8"), (SLOT_BITS + 1, "uint8")),
        *((254, "uint8"), (255, "uint16"), (256, "uint16"), (300, "uint16")),
    ],
)
@pytest.mark.parametrize("fits", [True, False])
def test_rows_of_many_arcs(leaves: int, dtype: str, fits: bool) -> None:
    """Slot 253 is the last that leaves a byte room for two symbols."""
    sub = subgraph(leaves + 3, [*star(leaves), (leaves + 1, 0, 4)])
    runs = runs_of(sub, fits=fits)
    assert runs.run_slot.dtype == dtype
    check_runs(sub, runs, fits=fits)
    same_runs(runs, runs_of(sub, fits=fits, algorithm="floyd_warshall"))


@pytest.mark.parametrize("fits", [True, False])
def test_many_rows_of_many_arcs(fits: bool) -> None:
    """Rows of fewer and of more arcs than a set has bits, side by side."""
    rng = random.Random(6)
    n = 150
    arcs = [
        (tail, head, rng.randint(1, 5))
        for tail in range(n)
        for head in range(n)
        if tail != head and rng.random() < (0.1, 0.6, 0.0)[tail % 3]
    ]
    sub = subgraph(n, arcs)
    degree = sub.graph.out_degree()
    assert degree.max() > SLOT_BITS
    assert np.count_nonzero(degree == 0) == 50
    check_runs(sub, runs_of(sub, fits=fits), fits=fits)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_graphs_of_hardly_anything(algorithm: Algorithm) -> None:
    for n in (0, 1, 2, LANES, LANES + 1):
        sub = subgraph(n, [])
        for fits in (True, False):
            runs = runs_of(sub, algorithm=algorithm, fits=fits)
            check_runs(sub, runs, fits=fits)
            assert runs.run_count.tolist() == [1] * n
    loops = subgraph(3, [(0, 0, 1), (0, 1, 5), (1, 1, 2)])
    check_runs(loops, runs_of(loops, algorithm=algorithm))


@pytest.mark.parametrize("n", [LANES - 1, LANES, LANES + 1, 3 * LANES])
def test_whole_and_part_batches(n: int) -> None:
    sub = subgraph(n, FAMILIES[2](random.Random(n), n))
    check_runs(sub, runs_of(sub))


def test_slices_of_rows_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    sub = subgraph(*seeded(FAMILIES[0], 9, 150))
    whole = runs_of(sub)
    monkeypatch.setattr(run_writer, "SLICE", 7)
    same_runs(whole, runs_of(sub))


@pytest.mark.parametrize("stored", [True, False])
def test_one_way_graphs_with_and_without_a_stored_closure(
    stored: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not stored:
        monkeypatch.setattr("bake.tables.components.MAX_CLOSURE", 0)
    sub = subgraph(*seeded(FAMILIES[6], 4, 140))
    parts = components(sub, sub.graph.node_count)
    assert parts.one_way
    assert (parts.reach is not None) == stored
    check_runs(sub, runs_of(sub, fits=stored), fits=stored)


# -- ranges ----------------------------------------------------------------------------------------


def test_the_cuts_of_levels() -> None:
    """They decide bytes, so they are written down here a second time."""
    assert target_ranges(0) == [(0, 0)]
    assert target_ranges(1) == [(0, 1)]
    assert target_ranges(4095) == [(0, 4095)]
    assert target_ranges(4096) == [(0, 2048), (2048, 4096)]
    # 116 batches of 128 targets.
    assert target_ranges(14784) == [(0, 3712), (3712, 7424), (7424, 11136), (11136, 14784)]
    for rows, count in ((8191, 2), (8192, 4), (28178, 8), (96603, 32), (131072, 64), (10**7, 64)):
        ranges = target_ranges(rows)
        assert len(ranges) == count
        assert [begin for begin, _ in ranges[1:]] == [stop for _, stop in ranges[:-1]]
        assert all(begin % LANES == 0 for begin, _ in ranges)
        assert (ranges[0][0], ranges[-1][1]) == (0, rows)
        sizes = [stop - begin for begin, stop in ranges]
        assert max(sizes) - min(sizes) < 2 * LANES
    assert len(target_ranges(10**9)) == run_writer.MOST_RANGES == 64


@pytest.fixture
def short_ranges(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ranges of one to three batches."""
    monkeypatch.setattr(run_writer, "RANGE_ROWS", LANES)


@pytest.mark.usefixtures("short_ranges")
@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_in_ranges(family: Family) -> None:
    other = FAMILIES.index(family) % 2 == 0
    for seed, (n, fits) in enumerate(
        ((2 * LANES, other), (2 * LANES + 1, not other), (4 * LANES + 29, other))
    ):
        sub = subgraph(n, family(random.Random(seed), n)[: 12 * n])
        assert len(target_ranges(n)) > 1
        runs = runs_of(sub, fits=fits)
        check_runs(sub, runs, fits=fits)
        same_runs(runs, runs_of(sub, fits=fits, algorithm="floyd_warshall"))
        same_runs(runs, runs_of(sub, fits=fits, threads=3))


@pytest.mark.usefixtures("short_ranges")
@pytest.mark.parametrize("names", [OPEN, CROWDED], ids=["open", "crowded"])
def test_lattices_in_ranges(names: tuple[str, ...]) -> None:
    sub, at, cells = on_lattice(world_of(random_lattice(f"ranges {names}", 23, 19, names), 8))
    assert len(target_ranges(sub.graph.node_count)) > 1
    check_runs(sub, runs_of(sub, at), cells)
    check_runs(sub, runs_of(sub))


@pytest.mark.usefixtures("short_ranges")
@pytest.mark.parametrize("fits", [True, False])
def test_rows_of_many_arcs_in_ranges(fits: bool) -> None:
    """Slots that are kept on both sides of a seam, 0 among them, and rows that reach nothing."""
    sub = subgraph(4 * LANES, [*star(4 * LANES - 40), (4 * LANES - 39, 0, 4)])
    assert sub.graph.out_degree().max() > SLOT_BITS
    check_runs(sub, runs_of(sub, fits=fits), fits=fits)
    hubs = [(hub, leaf, 1) for hub in (0, 300) for leaf in range(1, 3 * LANES) if leaf != hub]
    sub = subgraph(3 * LANES, hubs)
    check_runs(sub, runs_of(sub, fits=fits), fits=fits)


@pytest.mark.usefixtures("short_ranges")
def test_runs_go_on_over_seams() -> None:
    """Along a line every row has two runs, wherever the seams are; islands end none."""
    n = 8 * LANES
    line = subgraph(n, [(a, b, 1) for a in range(n) for b in (a - 1, a + 1) if 0 <= b < n])
    assert len(target_ranges(n)) == 8
    runs = runs_of(line)
    assert runs.run_count.tolist() == [1, *[2] * (n - 2), 1]
    alone = subgraph(n, [])
    assert runs_of(alone).run_count.tolist() == [1] * n
    assert runs_of(alone, fits=False).run_count.sum() < 3 * n


# -- threads, distances, budget, errors ------------------------------------------------------------


@pytest.mark.usefixtures("short_ranges")
@pytest.mark.parametrize("family", FAMILIES)
def test_threads_change_no_byte(family: Family) -> None:
    n = 3 * LANES + 7
    arcs = family(random.Random(3), n)[: 40 * n]
    sub = subgraph(n, arcs)
    alone = runs_of(sub)
    for threads in (2, 3, 9):
        same_runs(alone, runs_of(sub, threads=threads))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_budget(algorithm: Algorithm) -> None:
    """The refusal's own figure is enough, one byte less is not; threads give way first."""
    n = 700
    sub = subgraph(n, [(a, b, 1) for a in range(n) for b in (a - 1, a + 1) if 0 <= b < n])
    needed = working_bytes(sub, 1, algorithm)

    def bake(budget: int, threads: int) -> RunTable:
        return compressed_next_hops(
            sub,
            None,
            unreachable_fits=True,
            algorithm=algorithm,
            budget=budget,
            threads=threads,
            progress=lambda done: None,
        )

    with pytest.raises(BudgetError) as caught:
        bake(needed - 1, 1)
    told = str(caught.value)
    assert "700 nodes" in told
    assert "(memory_budget)" in told
    one = bake(needed, 1)
    tracemalloc.start()
    try:
        same_runs(one, bake(needed, 8))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak <= needed + 2**20


def test_a_graph_that_does_not_compress_keeps_to_the_budget_or_is_refused() -> None:
    """Numbered at random, nearly every target begins a run of its own."""
    n = 1500
    sub = subgraph(n, FAMILIES[0](random.Random(2), n))
    budget = working_bytes(sub, 1, "dijkstra") + 2**20
    tracemalloc.start()
    try:
        with suppress(BudgetError):
            assert len(runs_of(sub, budget=budget).run_start) * 8 < budget
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak <= budget + 2**20


def test_progress_grows_to_one() -> None:
    told: list[float] = []
    for algorithm in ALGORITHMS:
        told.clear()
        compressed_next_hops(
            subgraph(300, [(a, a + 1, 1) for a in range(299)]),
            None,
            unreachable_fits=True,
            algorithm=algorithm,
            budget=2**30,
            threads=1,
            progress=told.append,
        )
        assert told == sorted(told)
        assert len(told) > 1
        assert told[-1] == 1


def in_time(work: Callable[[], object]) -> BaseException | None:
    """What work raised; fails where it does not end."""
    raised: list[BaseException] = []

    def guarded() -> None:
        try:
            work()
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=guarded, daemon=True)
    thread.start()
    thread.join(120)
    assert not thread.is_alive(), "it hangs"
    return raised[0] if raised else None


@pytest.mark.usefixtures("short_ranges")
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_a_path_beyond_the_scale_ends_all_threads(algorithm: Algorithm, threads: int) -> None:
    """Only targets of one batch in the middle lie too far from something."""
    n = 8 * LANES
    ring = [(a, (a + 1) % n, 1) for a in range(n)]
    far = 4 * LANES
    arcs = [*((a, b, w) for a, b, w in ring if b != far), (far - 1, far, MAX_WEIGHT)]
    arcs += [(far, far + 1, MAX_WEIGHT)]
    sub = subgraph(n, arcs)
    error = in_time(lambda: runs_of(sub, threads=threads, algorithm=algorithm))
    assert isinstance(error, CostError)
    assert "lower ticks_per_unit" in str(error)


@pytest.mark.usefixtures("short_ranges")
@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("batch", [0, 1, 4, 7])
@pytest.mark.parametrize("where", ["search", "take"])
def test_any_failing_batch_ends_all_threads(
    threads: int, batch: int, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other ranges are under way when it fails, whichever it is."""
    search, take = BatchSearch.distances_to, RunWriter.take

    def failing_search(self, targets, scratch):
        if targets[0] == batch * LANES:
            raise MemoryError
        return search(self, targets, scratch)

    def failing_take(self, start, stop, dist):
        if start == batch * LANES:
            raise MemoryError
        take(self, start, stop, dist)

    if where == "search":
        monkeypatch.setattr(BatchSearch, "distances_to", failing_search)
    else:
        monkeypatch.setattr(RunWriter, "take", failing_take)
    sub = subgraph(8 * LANES, [(a, a + 1, 1) for a in range(8 * LANES - 1)])
    assert isinstance(in_time(lambda: runs_of(sub, threads=threads)), MemoryError)


@pytest.mark.usefixtures("short_ranges")
@pytest.mark.parametrize("threads", [1, 3])
def test_a_listener_that_fails_ends_all_threads(threads: int) -> None:
    def fail(done: float) -> None:
        raise KeyError(done)

    sub = subgraph(8 * LANES, [(a, a + 1, 1) for a in range(8 * LANES - 1)])
    error = in_time(
        lambda: compressed_next_hops(
            sub,
            None,
            unreachable_fits=True,
            algorithm="dijkstra",
            budget=2**30,
            threads=threads,
            progress=fail,
        )
    )
    assert isinstance(error, KeyError)


INTERRUPTED = """
import atexit, os, signal, time
from bake.search.all_pairs.batch import LANES
from bake.tables import run_writer
from bake.tables.compressed import compressed_next_hops
from tests.support.compare import subgraph

n = 40 * LANES
run_writer.RANGE_ROWS = 8 * LANES
told = []

def progress(done):
    told.append(done)
    if len(told) == 2:
        os.kill(os.getpid(), signal.SIGINT)
    time.sleep(0.05)

signal.signal(signal.SIGINT, signal.default_int_handler)
sub = subgraph(n, [(a, a + 1, 1) for a in range(n - 1)])
try:
    compressed_next_hops(
        sub, None, unreachable_fits=True, algorithm="dijkstra",
        budget=2**30, threads=2, progress=progress,
    )
except KeyboardInterrupt:
    atexit.register(lambda: print(len(told)))  # when all threads have ended
"""


def test_an_interrupt_ends_the_work_at_once() -> None:
    """Not after all batches that are left, which may take hours."""
    done = forked.run([sys.executable, "-c", INTERRUPTED])
    assert done.returncode == 0, done.stderr[-2000:]
    assert 2 <= int(done.stdout) < 20


@pytest.mark.parametrize("links", [30, 2**15 + 2])
def test_greedy_moves_after_very_many_links(links: int) -> None:
    """The slot of a step to the east comes after those of links, more than 16 bits hold."""
    head = np.append(np.arange(2, links + 2), 1).astype(np.int32)
    graph = Graph(np.array([0, *[links + 1] * (links + 2)], dtype=np.int32), head)
    row = np.arange(links + 2, dtype=np.int32)
    sub = Subgraph(
        graph, np.ones(links + 1, dtype=np.int32), row, np.arange(links + 1, dtype=np.int32)
    )
    at = np.stack([10 * row, row * 0], axis=1)
    at[1] = 1, 0
    found = run_writer.build_symbols(sub, at, unreachable_fits=True).greedy_slot
    east = greedy_slots(graph.first_out, graph.head, at)[0]
    assert east.max() == links
    assert found[0].tolist() == east.tolist()
