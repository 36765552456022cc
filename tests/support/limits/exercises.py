"""What is done while a limit is lowered: small scenarios, each with an oracle of its own.

Each function returns an answer that no limit may change. Where a limit chooses between paths, what
is returned is what all of them have in common, and the scenario checks that each is sound.
"""

from __future__ import annotations

import json
import math
import random
from dataclasses import replace
from functools import cache
from itertools import pairwise, product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from unittest.mock import patch

import networkx
import numpy as np

from bake.core.arrays import Int32Array
from bake.core.graph import BLOCKED, INFINITY, UNREACHABLE, Graph
from bake.core.level import TerrainRule
from bake.extras.crowds.crowd import Crowd
from bake.extras.school.patterns.deepening import tile_search
from bake.extras.school.puzzle import Tiles
from bake.extras.school.spaces.puzzles import SlidingTiles
from bake.play import LevelAsset, open_asset
from bake.play.warm import ask_everything
from bake.project.recipe import LevelRecipe, ProfileRecipe
from bake.search.all_pairs import batch
from bake.search.all_pairs.batch import BatchSearch
from bake.search.all_pairs.follow import (
    RunIndex,
    follow_run,
    look_up_rows,
    look_up_runs,
    step_index,
)
from bake.search.contraction.hierarchy import ContractionHierarchy
from bake.search.contraction.metric import customize
from bake.search.contraction.tree import both_ways
from bake.search.contraction.update import lower_arcs, reprice
from bake.search.graph.cut_order import cut_order
from bake.search.graph.partition import squares
from bake.search.incremental.lifelong import DStarLite, LifelongPlanning, MovingTargetDStarLite
from bake.search.incremental.twins import TwinArcs
from bake.search.point import space_time
from bake.search.point.astar_buckets import FOUND, FULL, PAUSED
from bake.search.point.estimates import Estimate, ranked_by_step
from bake.search.point.sliced import SlicedSearch
from bake.search.point.space import SearchSpace
from bake.tables.compressed import compressed_next_hops
from tests.support.baked import bake, recipe_for, rows, rules_of, write_graph, write_grid
from tests.support.compare import check_navigator, subgraph, tables_of, weighted
from tests.support.contraction import priced
from tests.support.lattices import FREE, TABLES, bake_on_cells
from tests.support.limits.lowering import lowered
from tests.support.live_model import GridModel
from tests.support.oracles import TICKS, Cell, Lattice, arcs_of, distances_from, square_arcs
from tests.support.strategies import FAMILIES, Arc, random_grid, seeded
from tests.support.twin_lattices import with_weights

Answer = object
Lengths = dict[int, dict[int, int]]


@cache
def _folder() -> TemporaryDirectory[str]:
    return TemporaryDirectory()


@cache
def _graph(nodes: int, degree: int, heaviest: int, *, two_way: bool = False) -> tuple[Arc, ...]:
    """Arcs of a random graph of which a part cannot be left and another one not be reached."""
    rng = random.Random(nodes)
    pairs = sorted({tuple(rng.sample(range(nodes - 2), 2)) for _ in range(nodes * degree)})
    arcs = [(a, b, rng.randint(1, heaviest)) for a, b in pairs]
    arcs += [(0, nodes - 2, heaviest), (nodes - 1, 0, heaviest)]
    if two_way:
        lightest = {tuple(sorted(arc[:2])): arc[2] for arc in arcs}
        arcs = [(a, b, w) for (x, y), w in lightest.items() for a, b in ((x, y), (y, x))]
    return tuple(arcs)


@cache
def _lengths(nodes: int, arcs: tuple[Arc, ...]) -> Lengths:
    graph = networkx.DiGraph()
    graph.add_nodes_from(range(nodes))
    for tail, head, ticks in sorted(arcs, key=lambda arc: -arc[2]):
        graph.add_edge(tail, head, weight=ticks)
    return dict(networkx.all_pairs_dijkstra_path_length(graph))


# -- searches between two points ------------------------------------------------------------------


def searches() -> Answer:
    """Every method of searching a graph, with weights alike and with others."""
    answer = []
    for heaviest in (9, 10**6):
        nodes, arcs = 16, _graph(16, 3, heaviest)
        space, best = SearchSpace(*weighted(nodes, arcs)), _lengths(nodes, arcs)
        null = Estimate("null")
        for start, goal in product(range(0, nodes, 8), range(nodes)):
            found = [space.astar(null, start, goal, queue=queue) for queue in ("bucket", "heap")]
            found += [space.bidirectional(null, start, goal), _in_slices(space, start, goal)]
            found += [space.astar(null, start, goal)]
            shortest = best[start].get(goal)
            assert all(
                (each.ticks if each.rows is not None else None) == shortest for each in found
            )
            late = space.astar(null, start, goal, weight=3.0)
            greedy = space.greedy(null, start, goal)
            answer.append([(each.ticks, each.rows is None) for each in (*found, late, greedy)])
    return answer


def _in_slices(space: SearchSpace, start: int, goal: int) -> object:
    sliced = SlicedSearch(space, Estimate("null"), start, goal)
    while sliced.run(3) == PAUSED:
        pass
    found = sliced.found
    sliced.close()
    return found


def norms() -> Answer:
    """The cheapest step of each direction that leaves none of some rows, most of them at last."""
    side, draw = 6, random.Random(5)
    at = np.array([(x, y) for y in range(side) for x in range(side)], dtype=np.int32)
    ends = np.array([(n, n + 1) for n in range(side * side - 1) if (n + 1) % side], dtype=np.int32)
    tail, head = np.concatenate([ends, ends[:, ::-1]]).T.copy()
    weight = np.array([draw.randint(1, 9) for _ in tail], dtype=np.int32)
    ranked, answer = ranked_by_step(at, tail, head, weight), []
    for share in (0.0, 0.5, 0.9, 1.0):
        near = np.array([draw.random() < share for _ in at])
        found = ranked.deciding(near)
        left = [arc for arc in range(len(tail)) if not near[tail[arc]]]
        wanted: dict[int, int] = {}
        for arc in sorted(left, key=lambda arc: -weight[arc]):
            wanted[int(head[arc] - tail[arc])] = int(weight[arc])
        told = {int(head[arc] - tail[arc]): int(weight[arc]) for arc in found}
        assert told == wanted
        answer.append(sorted(told.items()))
    return answer


def windows() -> Answer:
    """One agent's way among two others through six steps of an open square, again and again."""
    side, steps = 4, 6
    lattice = Lattice(rows(*["." * side] * side), FREE)
    number = {cell: row for row, cell in enumerate(lattice.cells())}
    arcs = [(number[a], number[b], w) for (a, b), w in square_arcs(lattice, 8).items()]
    graph, weight = weighted(side * side, arcs)
    packed = SearchSpace(graph, weight).packed
    best = _lengths(side * side, tuple(arcs))
    taken = np.full((steps + 1, side * side), -1, dtype=np.int32)
    for step in range(steps + 1):
        taken[step, min(step, side - 1) * side + 1] = 1
        taken[step, 2 * side + min(step, side - 1)] = 2
    cells = np.arange(side * side, dtype=np.int32)
    rank = np.zeros(3, dtype=np.uint8)
    column = np.arange(side * side + 1, dtype=np.int32)
    others = space_time.Others(taken, column, rank, cells, np.zeros(1, dtype=np.int32), side)
    memory, answer = space_time.Memory(), []
    for start, goal in ((0, 15), (3, 12), (15, 0), (0, 0), (12, 13), (0, 3)):
        toward = np.array([best[row][goal] for row in range(side * side)], dtype=np.int32)
        walker = space_time.Walker(0, 0, start, goal, TICKS, 0)
        path, told = np.empty(steps + 1, dtype=np.int32), np.zeros(2, dtype=np.int64)
        while True:
            ended = space_time.search_window(
                packed, others, toward, walker, memory.states(), path, told
            )
            if ended != FULL:
                break
            memory.widen()
        assert ended == FOUND
        assert path[0] == start
        assert all(taken[step, row] < 0 for step, row in enumerate(path.tolist()) if step)
        answer.append((path.tolist(), told.tolist()))
    return answer


# -- searches that go on after changes ------------------------------------------------------------


def repairs() -> Answer:
    """LPA*, D* Lite and Moving Target D* Lite, while arcs change and ends move."""
    rng, nodes = random.Random(4), 12
    arcs = with_weights(nodes, *np.array(_graph(nodes, 3, 30), dtype=np.int64).T)
    null = Estimate("null")
    plan, agent = LifelongPlanning(arcs, null, 0, 7), DStarLite(arcs, null, 0, 7)
    hunter, answer = MovingTargetDStarLite(arcs, null, 0, 7), []
    for _ in range(6):
        start, target = rng.randrange(nodes), rng.randrange(nodes)
        agent.move(start)
        hunter.move(start, target)
        told = [plan.ticks(), agent.ticks(), hunter.ticks()]
        assert told == [_ticks(arcs, *ends) for ends in ((0, 7), (start, 7), (start, target))]
        answer.append(told)
        changed = np.array(rng.sample(range(len(arcs.head)), 5), dtype=np.int64)
        arcs.weight[changed] = rng.choices([int(BLOCKED), 1, 14, 10**6], k=5)
        for each in (plan, agent, hunter):
            each.changed(changed)
    return answer


def _ticks(arcs: TwinArcs, start: int, goal: int) -> int | None:
    every = zip(arcs.tails().tolist(), arcs.head.tolist(), arcs.weight.tolist(), strict=True)
    usable = [each for each in every if each[2] != BLOCKED]
    return distances_from(arcs_of(range(arcs.node_count), usable), start).get(goal)


# -- contraction ----------------------------------------------------------------------------------


def contractions() -> Answer:
    """A contracted graph, one way and two way, while what its arcs cost changes."""
    answer = []
    for two_way in (False, True):
        nodes, arcs = 14, _graph(14, 2, 30, two_way=two_way)
        price, rng = {arc[:2]: arc[2] for arc in arcs}, random.Random(5)
        graph, weight = weighted(nodes, arcs)
        made = ContractionHierarchy.of(both_ways(graph), None, graph, weight)
        assert made is not None
        for size in (1, 2, 9):
            some = rng.sample(sorted(price), size)
            edits = {pair: rng.choice([1, 40, INFINITY]) for pair in some}
            if two_way:
                edits |= {pair[::-1]: ticks for pair, ticks in edits.items()}
            price |= edits
            ends = np.array(list(edits), dtype=np.int32).reshape(-1, 2).T.copy()
            assert made.reprice(*ends, np.array(list(edits.values()), dtype=np.int32))
            answer.append(_asked(made, nodes, price))
    return answer


def _asked(made: ContractionHierarchy, nodes: int, price: dict[tuple[int, int], int]) -> Answer:
    usable = tuple((a, b, w) for (a, b), w in price.items() if w < INFINITY)
    best = _lengths(nodes, usable)
    starts, goals = (each.ravel().astype(np.int32) for each in np.mgrid[0:nodes:3, 0:nodes])
    wanted = [best[a].get(b, INFINITY) for a, b in zip(starts, goals, strict=True)]
    assert made.distances(starts, goals).tolist() == wanted
    every = np.arange(nodes, dtype=np.int32)
    for goal in range(0, nodes, 4):
        field = made.fields(every[goal : goal + 1])[made.rank, 0]
        assert field.tolist() == [best[row].get(goal, INFINITY) for row in range(nodes)]
        assert made.distance(1, goal) == best[1].get(goal, INFINITY)
    return wanted


def edits() -> Answer:
    """Edits of contracted graphs, arc by arc: weights are those of customizing everything."""
    for seed in range(28):
        nodes, each = seeded(FAMILIES[seed % len(FAMILIES)], seed, 24)
        pairs = sorted({(a, b) for a, b, _ in each if a != b})
        tree, prices = priced((nodes, each), two_way=False)
        lower, weights, rng = lower_arcs(tree), customize(tree, prices), random.Random(seed)
        for _ in range(2):
            some = rng.sample(pairs, min(4, len(pairs)))
            ends = np.array(some, dtype=np.int32).reshape(-1, 2).T.copy()
            ticks = np.array(rng.choices([1, 40, 10**6, INFINITY], k=len(some)), dtype=np.int32)
            told = reprice(tree, lower, prices, weights, *ends, ticks, False)
            wanted = customize(tree, prices)
            if told < 0:
                weights = wanted
            assert (weights.up == wanted.up).all()
            assert (weights.down == wanted.down).all()
            assert not lower.slot.any()
    return None


def orders() -> Answer:
    """The order of nodes in memory: every node once."""
    for nodes, degree in ((1, 0), (5, 1), (30, 1), (30, 3)):
        graph = weighted(nodes, _graph(nodes, degree, 3) if degree else [])[0]
        assert sorted(cut_order(graph).tolist()) == list(range(nodes))
    return None


def planes() -> Answer:
    """Squares of a graph's plane: none lies outside, and what lies in one place shares one."""
    rng = np.random.default_rng(1)
    position = rng.random((50, 2)) * [1000.0, 10.0]
    position[7] = position[8]
    found = squares(1, 50, position=position)
    assert found.min() >= 0
    assert (found[7] == found[8]).all()
    order = np.argsort(position[:, 0])
    assert (np.diff(found[order, 0]) >= 0).all()
    return None


# -- all pairs ------------------------------------------------------------------------------------


def all_pairs() -> Answer:
    """Distances between all nodes by every algorithm."""
    nodes, arcs = 20, _graph(20, 3, 50)
    sub, best = subgraph(nodes, arcs), _lengths(nodes, arcs)
    wanted = [[best[a].get(b, int(UNREACHABLE)) for b in range(nodes)] for a in range(nodes)]
    for algorithm in ("auto", "dijkstra", "floyd_warshall"):
        found = tables_of(sub, algorithm)
        assert found.distance.tolist() == wanted
    return None


def runs() -> Answer:
    """Next hops as runs, on a graph and on a lattice: following them is a shortest path."""
    for lattice in (False, True):
        nodes, arcs, at = 14, _graph(14, 3, 9), None
        if lattice:
            ground = Lattice(rows(*["." * 5] * 3), FREE)
            number = {cell: row for row, cell in enumerate(ground.cells())}
            nodes, at = len(number), np.array(ground.cells(), dtype=np.int32)
            arcs = tuple((number[a], number[b], w) for (a, b), w in square_arcs(ground, 8).items())
        sub = subgraph(nodes, arcs)
        made = compressed_next_hops(
            sub,
            at,
            unreachable_fits=not lattice,
            algorithm="dijkstra",
            budget=2**28,
            threads=1,
            progress=lambda done: None,
        )
        _follow(made.run_count, made.run_start, made.run_slot, sub.graph, sub.weight, at, arcs)
    return None


def runs_by_entries() -> Answer:
    """The same where targets are searched for by entries of stretches."""
    with (
        lowered("bake.tables.range_searcher", ["FEWEST_ROWS"], [0]),
        lowered("bake.search.all_pairs.batch", ["LANES"], [4]),
        lowered("bake.search.all_pairs.runs", ["BLOCK"], [4]),
    ):
        return runs()


def _follow(
    count: Int32Array,
    start: Int32Array,
    slot: Int32Array,
    graph: Graph,
    weight: Int32Array,
    at: Int32Array | None,
    arcs: tuple[Arc, ...],
) -> None:
    """Check the next hop of every pair there is a way between, run by run in plain Python."""
    best = _lengths(len(count), arcs)
    none = np.iinfo(slot.dtype).max
    end = np.cumsum(count)
    for row, (begin, stop) in enumerate(zip(end - count, end, strict=True)):
        assert start[begin] == 0
        assert (np.diff(start[begin:stop]) > 0).all()
        for goal, ticks in best[row].items():
            if goal == row:
                continue
            move = int(slot[begin + np.searchsorted(start[begin:stop], goal, side="right") - 1])
            out = range(graph.first_out[row], graph.first_out[row + 1])
            if move == none - 1:
                assert at is not None
                toward = np.sign(at[goal] - at[row])
                near = [arc for arc in out if (at[graph.head[arc]] == at[row] + toward).all()]
                assert near, "the greedy move leads straight on where it can"
                arc = near[0]
                if best[graph.head[arc]][goal] + weight[arc] != ticks:
                    continue  # Where it turns is settled elsewhere: see tests/tables.
            else:
                arc = out[move]
            assert best[graph.head[arc]][goal] + weight[arc] == ticks


def batches() -> Answer:
    """The distances to some targets at once, from all nodes."""
    nodes, arcs = 16, _graph(16, 3, 2**20)
    best, search = _lengths(nodes, arcs), BatchSearch.build(*weighted(nodes, arcs))
    targets = np.arange(0, nodes, 3, dtype=np.int32)[: batch.LANES]
    found = search.distances_to(targets, search.scratch())[:, : len(targets)]
    wanted = [[best[row].get(goal, INFINITY) for goal in targets.tolist()] for row in range(nodes)]
    assert found.tolist() == wanted
    return None


def lookups() -> Answer:
    """Runs looked up many at once and walked along, on rows of one run to sixty."""
    rng, count = random.Random(3), 60
    head, arcs = [], [0]
    for row in range(count):
        head += [(row + step) % count for step in (1, 2, 3)]
        arcs.append(len(head))
    begins, symbols, first = [], [], [0]
    for row in range(count):
        starts = [0, *sorted(rng.sample(range(1, count), row))]
        begins += starts
        symbols += rng.choices(range(3), k=len(starts))
        first.append(len(begins))
    row_data = np.zeros((count + 1, 4), dtype=np.int32)
    row_data[:, 0], row_data[:, 1], row_data[:-1, 2] = first, arcs, range(count)
    none = np.zeros((0, 18), dtype=np.int16)
    made = RunIndex(row_data, _int32(begins), np.array(symbols, dtype=np.uint8), 254, none)
    ends = (_int32(arcs[:-1]), _int32(arcs[1:]), _int32(head))
    rows_, goals = (each.ravel().astype(np.int32) for each in np.mgrid[0:count, 0:count:7])
    slots, ahead = np.empty(len(rows_), dtype=np.int64), np.empty(len(rows_), dtype=np.int32)
    look_up_runs(made, rows_, goals, slots)
    steps = step_index(made, *ends)
    look_up_rows(steps, rows_, goals, ahead)
    for row, goal, slot, to in zip(rows_, goals, slots, ahead, strict=True):
        own = slice(first[row], first[row + 1])
        wanted = symbols[own][np.searchsorted(begins[own], goal, side="right") - 1]
        assert slot == wanted
        assert to == (row if row == goal else head[arcs[row] + wanted])
        path = np.full(2, row, dtype=np.int32)
        if row != goal:
            assert follow_run(steps, goal, path, 1) == 2
            assert path[1] == to
    return slots.tolist()


def _int32(values: list[int]) -> Int32Array:
    return np.array(values, dtype=np.int32)


def one_way() -> Answer:
    """Every answer on a graph whose parts lead one way into each other."""
    steps = {(a, b): 9 * (b - a) * TICKS for a in range(9) for b in (a + 1, a + 3) if b < 9}
    steps |= {(1, 0): TICKS, (5, 4): TICKS}
    with TemporaryDirectory() as folder:
        edges = [(a, b, ticks / TICKS) for (a, b), ticks in steps.items()]
        source = write_graph(Path(folder) / "graph.json", range(9), edges)
        asset = bake(source, LevelRecipe(tables=("components", "next_hops")))
        with open_asset(asset) as level:
            check_navigator(level.profile(), steps, list(range(9)))
    return None


# -- hierarchies ----------------------------------------------------------------------------------

#: Ground that is even but for two cells; a jump leads from beside one corner to beside another.
DRAWN = (
    "............",
    ".....#......",
    "..##.#.####.",
    ".....#....#.",
    ".####.....#.",
    "......##....",
    "...#..#.....",
    "...#....m...",
)
JUMP = {"name": "jump", "from": [0, 0], "to": [11, 7], "cost": 15, "both_ways": True}
PAIRS = (
    ((0, 0), (11, 7)),
    ((11, 7), (1, 0)),
    ((6, 1), (4, 1)),
    ((0, 7), (11, 0)),
    ((3, 3), (4, 3)),
)


def _hierarchy(*, even: bool) -> LevelAsset:
    name = "even" if even else "jump"
    path = Path(_folder().name) / f"{name}.json"
    if not path.with_suffix(".h5").exists():
        _bake_hierarchy(path, even=even)
    return open_asset(path.with_suffix(".h5"))


def _bake_hierarchy(path: Path, *, even: bool) -> None:
    drawn = [line.replace("m", ".") if even else line for line in DRAWN]
    links = {} if even else {"links": [JUMP]}
    write_grid(path, rows(*drawn), **links)
    bake(path, recipe_for(FREE, tables=("components", "hierarchy"), cluster_size=4, levels=1))


@cache
def _steps(*, even: bool) -> tuple[dict[tuple[Cell, Cell], int], dict[tuple[Cell, Cell], int]]:
    """What each step costs, and the shortest way between each of PAIRS."""
    drawn = [line.replace("m", ".") if even else line for line in DRAWN]
    steps = square_arcs(Lattice(rows(*drawn), FREE), 8)
    if not even:
        steps |= dict.fromkeys((((0, 0), (11, 7)), ((11, 7), (0, 0))), 15 * TICKS)
    graph = networkx.DiGraph()
    graph.add_weighted_edges_from((a, b, ticks) for (a, b), ticks in steps.items())
    lengths = dict(networkx.all_pairs_dijkstra_path_length(graph))
    return steps, {(start, goal): lengths[start][goal] for start, goal in PAIRS}


def _sound(level: LevelAsset, *, even: bool) -> list[object]:
    """Paths by the hierarchy, each checked step by step."""
    steps, best = _steps(even=even)
    nav, told = level.profile(), list[object]()
    for (start, goal), least in best.items():
        found = nav.search(start, goal, "hpa")
        walked = nav.search.walk(start, goal)
        assert found.path is not None
        assert walked is not None
        for way in (found.path, [start, *walked]):
            assert (way[0], way[-1]) == (start, goal)
            assert least <= sum(steps[step] for step in pairwise(way)) <= 2 * least
        assert round(found.cost * TICKS) == sum(steps[step] for step in pairwise(found.path))
        told.append(found.path)
    return told


def same_paths() -> Answer:
    """Paths by a hierarchy: the very same ones, however little room there is."""
    answer = []
    for even in (True, False):
        with _hierarchy(even=even) as level:
            answer.append(_sound(level, even=even))
            nav = level.profile()
            ends = [np.array([pair[side] for pair in PAIRS]) for side in (0, 1)]
            found = [nav._now.rows.many(each, "place") for each in ends]
            first, path = nav._now.searches.hierarchy.many(*found)
            answer.append([first.tolist(), path.tolist()])
    return [*answer, jumps()]


def jumps() -> Answer:
    """A jump along a hall, as dear as walking; smoothing puts many cells in the place of one arc.

    A plan without it crosses every cluster's border at a corner of the hall.
    """
    path = Path(_folder().name) / "jumps.json"
    asset, start, goal = path.with_suffix(".h5"), (0, 3), (79, 3)
    if not asset.exists():
        jump = {"name": "far", "from": [1, 3], "to": [78, 3], "cost": 77, "both_ways": True}
        write_grid(path, [["floor"] * 80] * 6, links=[jump])
        recipe = recipe_for(FREE, tables=("components", "hierarchy"), cluster_size=6, levels=1)
        bake(path, replace(recipe, spacing=1024))
    with open_asset(asset) as level:
        nav = level.profile()
        found, back = nav.search(start, goal, "hpa"), nav.search.walk(goal, start)
        assert found.path == [(x, 3) for x in range(80)]
        assert back is not None
        return found.cost, list(back)


def sound_paths() -> Answer:
    """Paths by a hierarchy where the limit decides how good they are."""
    for even in (True, False):
        with _hierarchy(even=even) as level:
            _sound(level, even=even)
    return None


def sound_bakes() -> Answer:
    """The same where the limit decides how the hierarchy is made."""
    for even in (True, False):
        with TemporaryDirectory() as folder:
            path = Path(folder) / "drawn.json"
            _bake_hierarchy(path, even=even)
            with open_asset(path.with_suffix(".h5")) as level:
                _sound(level, even=even)
    return None


# -- levels that change ---------------------------------------------------------------------------


@cache
def _changing() -> tuple[GridModel, Path]:
    model = GridModel(random_grid(3, 6, 5, 0.2), 8, "one_free", "mean")
    folder = Path(_folder().name) / "changing"
    folder.mkdir()
    tables = ("components", "next_hops", "hierarchy")
    return model, model.baked(folder, tables=tables, cluster_size=3)


def changes() -> Answer:
    """Edits of a level: every answer is that of the steps there are."""
    return _changes(contracting=False)


def contracted_changes() -> Answer:
    """The same where the contraction hierarchy answers."""
    return _changes(contracting=True)


class _Change(NamedTuple):
    """A batch of edits, and what is asked after it."""

    edits: dict[str, Any]
    steps: dict[tuple[Cell, Cell], int]
    best: dict[Cell, dict[Cell, int]]  #: ticks from each place to others
    pairs: list[tuple[Cell, Cell]]


@cache
def _batches() -> tuple[_Change, ...]:
    """The same ones for each value of each limit."""
    model, rng, found = _changing()[0], random.Random(7), list[_Change]()
    model = GridModel([list(line) for line in model.grid], 8, "one_free", "mean")
    for size in (1, 1, 4):
        edits = model.change(rng, size)
        places, steps = model.places("walker"), model.steps("walker")
        arcs = arcs_of(places, [(a, b, ticks) for (a, b), ticks in steps.items()])
        pairs = [*product(rng.sample(places, 2), rng.sample(places, 4))]
        best = {place: distances_from(arcs, place) for place in places}
        found.append(_Change(edits, steps, best, pairs))
    return tuple(found)


def _changes(*, contracting: bool) -> Answer:
    asset, answer = _changing()[1], []
    is_compiled = "bake.search.live.next_hops.is_compiled"
    with patch(is_compiled, lambda: contracting), open_asset(asset) as level:
        nav = level.profile("walker")
        for edits, steps, best, pairs in _batches():
            assert set(level.update(**edits)) == set(level.profiles)
            for start, goal in pairs:
                ticks = best[start].get(goal)
                answer.append(ticks)
                assert nav.reachable(start, goal) is (ticks is not None)
                told = nav.distance(start, goal)
                assert told == (math.inf if ticks is None else ticks / TICKS)
                hop, whole = nav.next_hop(start, goal), nav.path(start, goal)
                assert (hop is None) == (whole is None) == (ticks is None)
                if whole is not None and hop is not None and start != goal:
                    assert sum(steps[step] for step in pairwise(whole)) == ticks
                    assert steps[start, hop] + best[hop][goal] == ticks
                if not contracting:
                    searched = nav.search(start, goal, "hpa")
                    assert (searched.path is None) == (ticks is None)
    return answer


def cheaper_arcs() -> Answer:
    """Searches guided by distances to landmarks, after arcs in five places became cheaper."""
    path, model = (
        Path(_folder().name) / "cheaper",
        GridModel(random_grid(3, 8, 6, 0.1), 8, "one_free", "mean"),
    )
    asset = path / "model.h5"
    if not asset.exists():
        path.mkdir()
        tables = ("components", "next_hops", "heuristic")
        model.baked(path, tables=tables, heuristic_kind="landmark", heuristic_bytes=16)
    rng, answer = random.Random(2), []
    with open_asset(asset) as level:
        arcs = dict.fromkeys(rng.sample(sorted(model.steps("walker")), 5), 0.25)
        model.take_arcs(arcs)
        level.update(arcs=arcs)
        nav, places, steps = level.profile("walker"), model.places("walker"), model.steps("walker")
        every = arcs_of(places, [(a, b, ticks) for (a, b), ticks in steps.items()])
        for start in rng.sample(places, 4):
            lengths = distances_from(every, start)
            for goal in rng.sample(places, 4):
                found = nav.search(start, goal, "astar", heuristic="landmark")
                ticks = lengths.get(goal, math.inf)
                assert found.cost == ticks / TICKS
                answer.append(ticks)
    return answer


@cache
def _large() -> Path:
    source = write_grid(Path(_folder().name) / "large.json", random_grid(2, 14, 12, 0.2))
    return bake_on_cells(source, recipe_for(FREE, tables=TABLES, cluster_size=4, levels=1))


def warmed() -> Answer:
    """What is asked to warm up, of a lattice that is read sheet by sheet."""
    with open_asset(_large()) as level:
        ask_everything(level)
    return None


def large_lattices() -> Answer:
    """A lattice that is read sheet by sheet, while it changes: paths are the very same ones."""
    answer: list[tuple[object, float, object]] = []
    with open_asset(_large()) as level:
        nav, rng = level.profile(), random.Random(1)
        cells = list(product(range(14), range(12)))

        def standing() -> list[tuple[int, int]]:
            nearest = np.asarray(nav.nearest(np.array(cells)))
            return [cell for cell, own in zip(cells, nearest == cells, strict=True) if own.all()]

        stood = standing()
        for _ in range(2):
            for start, goal in zip(stood[::29], stood[::-23], strict=False):
                found, walked = nav.search(start, goal, "hpa"), nav.search.walk(start, goal)
                answer.append((found.path, found.cost, walked and list(walked)[-1:]))
            nav.update(blocked=rng.sample(stood, 2), opened=rng.sample(cells, 2))
            stood = standing()
    return answer


# -- what is baked, to the byte --------------------------------------------------------------------


def bakes() -> Answer:
    """Every table of a small level with ground that leads one way."""
    with TemporaryDirectory() as folder:
        path = write_grid(Path(folder) / "level.json", random_grid(3, 9, 7, 0.2))
        return bake(path, recipe_for(cluster_size=3)).read_bytes()


def cell_bakes() -> Answer:
    """A lattice baked without listing its arcs, for an agent of two cells as well."""
    recipe = recipe_for(FREE, tables=TABLES, cluster_size=4, levels=1)
    large = ProfileRecipe("large", rules_of(FREE), 2)
    with TemporaryDirectory() as folder:
        source = write_grid(Path(folder) / "large.json", random_grid(2, 14, 12, 0.1))
        return bake_on_cells(source, replace(recipe, profiles=(large,))).read_bytes()


def walks() -> Answer:
    """Paths over next hops: one at a time and many, and how long they are."""
    path = Path(_folder().name) / "walks.json"
    asset = path.with_suffix(".h5")
    if not asset.exists():
        write_grid(path, random_grid(17, 9, 7))
        bake(path, recipe_for(tables=("components", "next_hops")))
    with open_asset(asset) as level, patch("bake.core.kernels.jit.ready", lambda kernel: True):
        nav = level.profile()
        now = nav._now
        tables, engine = now.version, now.engine
        ends = [each.ravel() for each in np.mgrid[0 : tables.row_count : 5, 0 : tables.row_count]]
        starts, goals = (each.astype(np.int32) for each in ends)
        first, path_of_all = engine.ways_in_cells(starts, goals)
        alone = [engine.way(a, b) for a, b in zip(starts.tolist(), goals.tolist(), strict=True)]
        together = np.split(path_of_all, first[1:-1])
        for one, other in zip(alone, together, strict=True):
            assert len(other) == 0 if one is None else (tables.cell_of_row[one] == other).all()
        return first.tolist(), engine.all_ticks(starts, goals).tolist()


# -- the plane -------------------------------------------------------------------------------------

ROOM = (
    {"terrain": "floor", "rect": [0, 0, 20, 10]},
    {"terrain": "wall", "rect": [4, 2, 4, 6]},
    {"terrain": "mud", "rect": [12, 1, 3, 8]},
)
GROUND = {"floor": TerrainRule(1.0), "mud": TerrainRule(3.0), "wall": TerrainRule(None)}


def _plane(division: str) -> Path:
    path = Path(_folder().name) / f"{division}.json"
    asset = path.with_suffix(".h5")
    if not asset.exists():
        _bake_plane(path, division)
    return asset


def _bake_plane(path: Path, division: str) -> None:
    # Points of visibility are for ground of one cost.
    shapes = ROOM[:2] if division == "visibility" else ROOM
    document = {"format": "bake-geometry", "version": 1, "shapes": shapes}
    if division == "weighted":
        document["points"] = [
            {"at": [3 * x, y], "weight": (x + y) % 3} for x in range(7) for y in (1, 9)
        ]
        division = "dirichlet"
    path.write_text(json.dumps(document), encoding="utf-8")
    bake(path, LevelRecipe(terrain=GROUND, division=division))


def points() -> Answer:
    """The nearest node of many points, and paths between points, by sight and over domains."""
    answer: list[object] = []
    for division in ("visibility", "dirichlet", "weighted"):
        with open_asset(_plane(division)) as level:
            nav, rng = level.profile(), random.Random(9)
            some = [(rng.uniform(0, 4), rng.uniform(0, 10)) for _ in range(7)]
            nearest = nav.nearest(np.array(some))
            answer.append(np.asarray(nearest).tolist())
            for start, (x, y) in pairwise(some if division == "visibility" else []):
                answer += [nav.path(start, (x + 12, y)), nav.distance(start, (x + 12, y))]
    return answer


def shapes() -> Answer:
    """A level of shapes, baked over points of visibility."""
    with TemporaryDirectory() as folder:
        _bake_plane(Path(folder) / "room.json", "visibility")
    return None


def grown_shapes() -> Answer:
    """The same room divided into polygons, to the byte."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "room.json"
        _bake_plane(path, "mesh")
        return path.with_suffix(".h5").read_bytes()


# -- what is refused beyond a limit ----------------------------------------------------------------


def weight_of_five() -> Answer:
    with _hierarchy(even=True) as level:
        return level.profile().search((0, 0), (11, 7), "astar", weight=5).path is None


def window_of_five() -> Answer:
    with _hierarchy(even=True) as level:
        return Crowd(level, window=5).window


def three_links() -> Answer:
    with _hierarchy(even=True) as level:
        for name in ("a", "bc", "five5"):
            level.update(links={name: {"from": (0, 0), "to": (9, 4), "cost": 2, "kind": "hop"}})
        return None


# -- others ---------------------------------------------------------------------------------------


def tiles() -> Answer:
    """A shortest way through sliding tiles, some moves from the goal."""
    board = Tiles(3, 3, (1, 2, 3, 8, 0, 4, 7, 6, 5))
    state, rng = board.goal, random.Random(2)
    for _ in range(200):
        state = rng.choice(list(SlidingTiles(board, state).successors(state)))[0]
    found = tile_search(SlidingTiles(board, state))
    found.run(budget_ms=10**6)
    again = tile_search(SlidingTiles(board, state))
    again.run()
    assert found.path == again.path
    return found.path, found.cost, found.expanded


def crowds() -> Answer:
    """Agents that go past each other, and one whose goal is taken."""
    path = Path(_folder().name) / "crowd.json"
    asset = path.with_suffix(".h5")
    if not asset.exists():
        write_grid(path, rows(".....", ".#.#.", "....."))
        bake(path, recipe_for(FREE, tables=("components", "next_hops")))
    with open_asset(asset) as level:
        crowd = Crowd(level, window=8)
        first, other, late = (crowd.add(start) for start in ((0, 0), (4, 2), (0, 2)))
        for agent, goal in ((first, (4, 2)), (other, (0, 0)), (late, (4, 2))):
            agent.go(goal)
        seen = []
        for _ in range(12):
            crowd.plan(budget_ms=None)
            crowd.step()
            places = [each.place for each in (first, other, late)]
            assert len(set(places)) == 3
            seen.append(places)
    return seen
