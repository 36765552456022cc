"""Predict what a bake will cost: search a few batches, and scale their cost up to the whole level.

The bytes of a compressed table follow from how many runs end in the sampled batches, and the
seconds from how long those batches took on this machine.
"""

from __future__ import annotations

import math
import time
import zlib
from dataclasses import dataclass, replace

import numpy as np

from bake.arrays import AnyArray
from bake.asset.column import pattern_of, profile_path
from bake.asset.lattice import SLOTS
from bake.asset.schema import column
from bake.asset.write import DEFLATE_LEVEL, PLAIN, Contents
from bake.graph import Graph, Subgraph
from bake.level import GridLevel, Things
from bake.pipeline.contents import (
    cluster_distances_contents,
    clusters_contents,
    heuristic_contents,
    hierarchy_contents,
    labels_contents,
    profile_contents,
    shared_contents,
)
from bake.pipeline.lattice import (
    CELL_BYTES,
    NODE_BYTES,
    check_lattice_fits,
    follows_from_cells,
    lattice_world_contents,
)
from bake.pipeline.level import agent_profiles, movement_of, read_level, read_world, world_size
from bake.pipeline.profile import (
    Choice,
    choose,
    cluster_rows,
    heuristic_of,
    hierarchy_over,
    kind_within_budget,
    labels_of,
    rows_on_chart,
    wants_cluster_distances,
    wants_clusters,
    wants_heuristic,
    wants_hierarchy,
)
from bake.pipeline.sources import Task
from bake.recipe import LevelRecipe
from bake.search.all_pairs.batch import LANES, BatchSearch
from bake.search.all_pairs.floyd_warshall import floyd_warshall
from bake.search.graph.connectivity import is_two_way
from bake.tables.all_pairs import choose_algorithm
from bake.tables.cluster_distances import cluster_distances, working_bytes
from bake.tables.components import Components, components
from bake.tables.compressed import ROW_BYTES, run_bytes
from bake.tables.field_table import MOST_FIELDS, table_memory
from bake.tables.heuristic import heuristic_size
from bake.tables.labels import bytes_made
from bake.tables.range_searcher import RangeSearcher, search_bytes
from bake.tables.run_writer import RunWriter, symbols_for, target_ranges
from bake.worlds import World, build_lattice_world, usable

#: About what a file takes to describe its columns, whatever is in them.
DESCRIBED_BYTES = 9_000

#: Number of windows of consecutive batches that are searched; a level of fewer batches is searched
#: whole.
WINDOWS = 16

#: Batches of a window that only bring the rows' sets into the state they have there in a bake.
WARM = 3

#: Windows that are searched by entries, and the batches of each.
ENTRY_WINDOWS, WINDOW = 4, 8

#: Bytes one run takes in the file, deflated: 0.5 to 0.8 on game maps.
STORED_RUN_BYTES = 0.6

#: Cells of a large level that are baked to predict the bake of all of it.
BAND_CELLS = 2**20

#: Bytes that the interpreter, numpy, numba and HDF5 take before any level is read.
BASE_BYTES = 150 * 2**20

#: Seconds to sort, deflate and write one run.
WRITE_SECONDS_PER_RUN = 120e-9

#: Where a heuristic searches for more distances than this, its cost is predicted from a part of it.
SAMPLED_DISTANCES = 2**27


@dataclass(frozen=True)
class TablePlan:
    """The predicted cost of one table of one profile.

    Attributes:
        profile, table: their names; table is one of the recipe's.
        kind: how the table is kept, such as "labels" or "compressed".
        bytes: size in the file.
        seconds: wall time with the threads asked for, beside tables that come from the same search.
        memory: peak of the search for the table, in bytes.
        work: seconds that one thread takes for all ranges of targets together; 0 where there are
            none, and nothing is shared out.
        ranges: how many ranges there are; more threads or workers than these change nothing.
        worker_memory: bytes that searching one range takes, beside the level's graph.
    """

    profile: str
    table: str
    kind: str
    bytes: int
    seconds: float
    memory: int
    work: float = 0.0
    ranges: int = 0
    worker_memory: int = 0


@dataclass(frozen=True)
class ClusterPlan:
    """The predicted cost of baking one level on a cluster.

    Attributes:
        workers: how many there are, of one thread each.
        seconds: wall time, if each of them is as fast as this machine.
        memory: peak of a worker, in bytes; 0 where workers get nothing to do.
    """

    workers: int
    seconds: float
    memory: int


@dataclass(frozen=True)
class Plan:
    """The predicted cost of baking one level.

    Attributes:
        level: the level's name.
        nodes, arcs: size of its graph.
        tables: one entry for each table.
        bytes: size of the asset.
        seconds: wall time, where kernels are compiled already.
        memory: peak of the process, in bytes.
        cluster: the same on a cluster, where that is asked for.
    """

    level: str
    nodes: int
    arcs: int
    tables: tuple[TablePlan, ...]
    bytes: int
    seconds: float
    memory: int
    cluster: ClusterPlan | None = None


def plan_level(task: Task, threads: int, workers: int | None = None) -> Plan:
    """Predict the bake of one level.

    Args:
        task: the level and its recipe.
        threads: how many threads bake it.
        workers: tell as well what it takes on a cluster of so many; None = don't.

    Raises:
        BakeError: something is wrong that the bake would find before it computes tables.
    """
    level = read_level(task)
    nodes, _ = world_size(level, agent_profiles(level, task.recipe), 8)
    if isinstance(level, GridLevel) and follows_from_cells(level, task.recipe, nodes):
        return _with_workers(_plan_lattice(task, level, nodes), threads, workers, 0)
    begun = time.perf_counter()
    world = read_world(level, task.recipe)
    shared = shared_contents(world, task.recipe.canonical())
    world_seconds = time.perf_counter() - begun
    begun = time.perf_counter()
    stored = _stored_bytes(shared)
    seconds = world_seconds + (time.perf_counter() - begun)
    tables: list[TablePlan] = []
    for profile in world.metrics:
        begun = time.perf_counter()
        sub = usable(world, profile)
        parts = components(sub, world.graph.node_count)
        own = profile_contents(profile, world, parts, None)
        own_bytes = _stored_bytes(own)
        seconds += time.perf_counter() - begun
        tables.append(TablePlan(profile, "components", "labels", own_bytes, 0.0, 0))
        choice = choose(task.recipe)
        tables += _plan_tables(profile, world, sub, parts, choice, task.recipe, threads)
        if wants_clusters(task.recipe):
            tables += _plan_clusters(profile, world, sub, task.recipe)
        if wants_heuristic(task.recipe):
            tables.append(_plan_heuristic(profile, world, sub, task.recipe, threads))
    connectivity = world.connectivity or 8
    _, graph_bytes = world_size(level, agent_profiles(level, task.recipe), connectivity)
    size = stored + sum(table.bytes for table in tables)
    plan = Plan(
        task.name,
        world.graph.node_count,
        world.graph.arc_count,
        tuple(tables),
        size,
        seconds + sum(table.seconds for table in tables),
        BASE_BYTES + size + max([graph_bytes, *(graph_bytes // 3 + t.memory for t in tables)]),
    )
    return _with_workers(plan, threads, workers, graph_bytes // 3)


def _with_workers(plan: Plan, threads: int, workers: int | None, graph_bytes: int) -> Plan:
    """Add what a cluster takes: workers share out ranges, and all else is done by one process."""
    if workers is None:
        return plan
    seconds, memory = plan.seconds, 0
    for table in plan.tables:
        if table.ranges > 1:
            mine, theirs = min(threads, table.ranges), min(workers, table.ranges)
            seconds += table.work / theirs - table.work / mine
            memory = max(memory, BASE_BYTES + graph_bytes + table.worker_memory)
    return replace(plan, cluster=ClusterPlan(workers, seconds, memory))


def _plan_lattice(task: Task, level: GridLevel, nodes: int) -> Plan:
    """Predict the bake of a level whose arcs are not listed, by baking a band of it."""
    recipe = task.recipe
    check_lattice_fits(level, nodes, recipe.memory_budget)
    profiles = agent_profiles(level, recipe)
    block = recipe.cluster_size
    rows = max(block, BAND_CELLS // level.width // block * block)
    costs = [[profile.rules[name].cost for profile in profiles] for name in level.terrains]
    open_codes = np.array([any(cost is not None for cost in each) for each in costs])
    by_row = open_codes[level.terrain].sum(axis=1)
    densest = int(np.add.reduceat(by_row, np.arange(0, level.height, rows)).argmax()) * rows
    band = slice(densest, densest + rows)
    part = replace(
        level,
        terrain=level.terrain[band],
        barred=None if level.barred is None else level.barred[band],
        things=Things(),
        floor_height=None,
    )
    begun = time.perf_counter()
    rules, connectivity = movement_of(level, recipe)
    world = build_lattice_world(part, profiles, rules, connectivity)
    contents = lattice_world_contents(world, recipe)
    scale = nodes / max(1, world.node_count)
    size = {
        path: scale * _lattice_bytes(path, array)
        for each in contents
        for path, array in each.columns.items()
    }
    seconds = scale * (time.perf_counter() - begun)
    tables = []
    kinds = {"component": "labels", "cluster": "labels", "layer_": recipe.hierarchy}
    named = {"component": "components", "cluster": "clusters", "layer_": "hierarchy"}
    for profile in world.metrics:
        for begin, kind in kinds.items():
            own = profile_path(profile, begin)
            found = [each for path, each in size.items() if path.startswith(own)]
            if found:
                tables.append(TablePlan(profile, named[begin], kind, int(sum(found)), 0.0, 0))
    whole = int(sum(size.values())) + DESCRIBED_BYTES
    memory = whole + NODE_BYTES * nodes + CELL_BYTES * level.terrain.size
    return Plan(
        task.name,
        nodes,
        SLOTS * nodes,
        tuple(tables),
        whole,
        seconds,
        BASE_BYTES + memory,
    )


def _plan_tables(
    profile: str,
    world: World,
    sub: Subgraph,
    parts: Components,
    choice: Choice,
    recipe: LevelRecipe,
    threads: int,
) -> list[TablePlan]:
    by_labels = _plan_labels(profile, world, sub, choice, recipe)
    if not choice.hops:
        return by_labels
    rows = sub.graph.node_count
    work, ranges = 0.0, 0
    sample = _sample(world, sub, parts)
    batches = -(-rows // LANES)
    if choose_algorithm(sub, recipe.algorithm) == "floyd_warshall":
        search = _matrix_seconds(rows) + batches * sample.take
        memory = 4 * rows * rows
    else:
        work = batches * (sample.search + sample.take)
        work = min(work, batches * _entry_seconds(world, sub, parts))
        ranges = len(target_ranges(rows))
        threads = min(threads, ranges)
        search = sample.prepare + work / threads
        memory = threads * search_bytes(rows)
    size = int(sample.runs * STORED_RUN_BYTES)
    memory += rows * ROW_BYTES + int(sample.runs) * run_bytes(rows, threads)
    seconds = search + sample.runs * WRITE_SECONDS_PER_RUN
    worker = search_bytes(rows) + rows * ROW_BYTES
    worker += int(sample.runs) // max(1, ranges) * run_bytes(rows, 1)
    shared = (work, ranges, worker) if ranges else (0.0, 0, 0)
    hops = TablePlan(profile, "next_hops", "compressed", size, seconds, memory, *shared)
    return [hops, *by_labels]


def _plan_labels(
    profile: str, world: World, sub: Subgraph, choice: Choice, recipe: LevelRecipe
) -> list[TablePlan]:
    """Predict distance labels by making them; nothing where there are none."""
    begun = time.perf_counter()
    labels = labels_of(world, sub, choice, recipe.memory_budget)
    seconds = time.perf_counter() - begun
    if labels is None:
        return []
    contents = labels_contents(profile, labels)
    entries = len(labels.away) + len(labels.parent)
    memory = bytes_made(entries, two_way=labels.toward is None)
    size = _deflated_bytes(contents)
    return [TablePlan(profile, "distances", "labels", size, seconds, memory)]


def _plan_clusters(
    profile: str, world: World, sub: Subgraph, recipe: LevelRecipe
) -> list[TablePlan]:
    """Predict clusters and what is built on them by making them; a good guess takes as long."""
    begun = time.perf_counter()
    found = cluster_rows(world, sub, recipe)
    size = _deflated_bytes(clusters_contents(profile, found.label))
    row_bytes = 24 * sub.graph.node_count
    plans = [TablePlan(profile, "clusters", "labels", size, 0.0, row_bytes)]
    if wants_hierarchy(recipe):
        made = hierarchy_over(world, sub, found, recipe)
        seconds = time.perf_counter() - begun
        contents = hierarchy_contents(profile, made)
        memory = row_bytes + 2 * sum(array.nbytes for array in contents.columns.values())
        size = _deflated_bytes(contents)
        plans.append(TablePlan(profile, "hierarchy", "hpa", size, seconds, memory))
    if wants_cluster_distances(recipe, found):
        begun = time.perf_counter()
        between = cluster_distances(found, budget=recipe.memory_budget)
        seconds = time.perf_counter() - begun
        size = _deflated_bytes(cluster_distances_contents(profile, between))
        memory = working_bytes(found)
        plans.append(TablePlan(profile, "cluster_distances", "dense", size, seconds, memory))
    return plans


def _plan_heuristic(
    profile: str, world: World, sub: Subgraph, recipe: LevelRecipe, threads: int
) -> TablePlan:
    rows = sub.graph.node_count
    two_way = bool(is_two_way(sub.arcs))
    kind = kind_within_budget(sub, recipe)
    planned = heuristic_size(rows, recipe.heuristic_bytes, kind=kind, two_way=two_way)
    share = -(-rows * planned.basins * MOST_FIELDS // SAMPLED_DISTANCES) or 1
    begun = time.perf_counter()
    made = heuristic_of(world, sub, recipe, threads, share=share)
    seconds = (time.perf_counter() - begun) * share
    contents = heuristic_contents(profile, made)
    size = _deflated_bytes(contents)
    if made.table is not None:
        # Only those parts of a table grow that have an entry for each pair of basins.
        pairs = sum(
            array.nbytes
            for path, array in contents.columns.items()
            if path.endswith(("/basin_distance", "/basin_fields"))
        )
        whole = sum(np.asarray(array).nbytes for array in contents.columns.values())
        grown = (share * share - 1) * pairs
        size = int(size * (whole + grown) / max(1, whole))
    memory = 64 * rows
    if planned.basins:
        memory += table_memory(rows, planned.basins, threads, two_way=two_way)
    return TablePlan(profile, "heuristic", kind, size, seconds, memory)


@dataclass(frozen=True)
class _Sample:
    """Seconds to prepare the search, to search a batch and to take it in; runs of a whole table."""

    prepare: float
    search: float
    take: float
    runs: float


def _sample(world: World, sub: Subgraph, parts: Components) -> _Sample:
    rows = sub.graph.node_count
    begun = time.perf_counter()
    batch_search = BatchSearch.of(sub.graph, sub.weight)
    scratch = batch_search.scratch()
    prepare = time.perf_counter() - begun
    batches = -(-rows // LANES)
    symbols = symbols_for(sub, rows_on_chart(world, sub), unreachable_fits=parts.tells_all)
    writer = RunWriter(sub, symbols, 0, rows)

    def both(batch: int) -> tuple[float, float]:
        start, stop = batch * LANES, min((batch + 1) * LANES, rows)
        begun = time.perf_counter()
        dist = batch_search.distances_to(np.arange(start, stop, dtype=np.int32), scratch)
        searched = time.perf_counter()
        writer.take(start, stop, dist)
        return searched - begun, time.perf_counter() - searched

    if batches:
        both(0)  # This call compiles the kernels.
        writer.restart()
    times: list[tuple[float, float]] = []
    if batches <= (WARM + 1) * WINDOWS:
        times = [both(batch) for batch in range(batches)]
        runs = float(rows + writer.ended_count)
    else:
        grown = 0
        for window in range(WINDOWS):
            first = window * (batches - WARM - 1) // (WINDOWS - 1)
            times += [both(first + batch) for batch in range(WARM)]
            before = writer.ended_count
            times.append(both(first + WARM))
            grown += writer.ended_count - before
            writer.restart()
        runs = rows + grown / WINDOWS * batches
    search = float(np.mean([one[0] for one in times])) if times else 0.0
    return _Sample(prepare, search, float(np.mean([one[1] for one in times] or [0.0])), runs)


def _entry_seconds(world: World, sub: Subgraph, parts: Components) -> float:
    """Return the seconds a batch takes by the entries of stretches; inf where none is looked at."""
    symbols = symbols_for(sub, rows_on_chart(world, sub), unreachable_fits=parts.tells_all)
    searcher = RangeSearcher(sub, symbols)
    if not searcher.by_entries:
        return math.inf
    last = sub.graph.node_count // LANES - WINDOW
    times = []
    # The first one compiles, and tells how many rows change.
    for window in (0, *range(ENTRY_WINDOWS)):
        begin = last * window // (ENTRY_WINDOWS - 1) * LANES
        writer = searcher.writer((begin, begin + WINDOW * LANES), None)
        begun = time.perf_counter()
        searcher.run(writer, RunWriter.take)
        times.append(time.perf_counter() - begun)
    return float(np.mean(times[1:])) / WINDOW


def _matrix_seconds(rows: int) -> float:
    """Return the seconds of Floyd-Warshall on ``rows`` nodes, scaled from fewer nodes."""
    side = min(rows, 256)
    tail, head = np.divmod(np.arange(side * side), side)
    graph, _ = Graph.from_arcs(side, tail, head)
    weight = np.ones(graph.arc_count, dtype=np.int32)
    dist = np.empty((side, side), dtype=np.int32)
    for _ in range(2):  # The first one compiles.
        begun = time.perf_counter()
        for _ in floyd_warshall(graph, weight, dist):
            pass
        spent = time.perf_counter() - begun
    return spent * (rows / max(1, side)) ** 3


def _stored_bytes(contents: Contents) -> int:
    """Return the bytes of the deflated columns, with what the file needs to describe them."""
    return _deflated_bytes(contents) + DESCRIBED_BYTES


def _lattice_bytes(path: str, array: AnyArray) -> int:
    """Return the bytes of one column of a large lattice."""
    plain = pattern_of(path) in PLAIN
    return array.nbytes if plain else _deflated_bytes(Contents({}, {path: array}))


def _deflated_bytes(contents: Contents) -> int:
    total = 0
    for path, array in contents.columns.items():
        declared = column(path)
        if not array.size:
            continue
        data = np.ascontiguousarray(array)
        if declared.shuffle and data.dtype.kind != "S":
            data = data.view(np.uint8).reshape(data.size, -1).T
        total += len(zlib.compress(data.tobytes(), DEFLATE_LEVEL))
    return total
