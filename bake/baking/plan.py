"""Predict the cost of a bake: bake a part of the level in memory, and extrapolate.

Next hops are searched for a sample of targets only. The number of runs that begin there determines
their size, and the time of the search their seconds.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from bake.baking.contents import (
    first_alike,
    shared_contents,
    things_contents,
    together,
    update_contents,
)
from bake.baking.lattice import (
    CELL_BYTES,
    NODE_BYTES,
    check_lattice_fits,
    follows_from_cells,
    lattice_world_contents,
)
from bake.baking.level import (
    agent_profiles,
    check_world_fits,
    movement_of,
    open_terrains,
    read_level,
    read_world,
    world_size,
)
from bake.baking.part import part_of
from bake.baking.profile import choose, profile_tables, range_job
from bake.baking.sources import Task
from bake.baking.staleness import stated_recipe
from bake.core.arrays import Int32Array
from bake.core.graph import Graph
from bake.core.level import GridLevel, Level
from bake.project.recipe import LevelRecipe
from bake.search.all_pairs.batch import LANES
from bake.search.all_pairs.floyd_warshall import floyd_warshall
from bake.store.lattice import SLOTS
from bake.store.schema import tables_of
from bake.store.write import Contents, stored_bytes
from bake.tables.all_pairs import ChosenAlgorithm, choose_algorithm
from bake.tables.cluster_distances import fits_auto
from bake.tables.compressed import ROW_BYTES, run_bytes
from bake.tables.range_search import RangeJob
from bake.tables.range_searcher import RangeSearcher, search_bytes
from bake.tables.run_writer import Piece, RunWriter, target_ranges
from bake.worlds import build_lattice_world, usable
from levelbake.columns import profile_path

#: The most nodes of the baked part: for next hops, for other tables, and for levels without a list
#: of arcs.
HOP_PLACES, TABLE_PLACES, LATTICE_PLACES = 2**17, 2**15, 2**17

#: The number of windows of targets that are searched, and the batches in each. With fewer batches
#: in all, all targets are searched.
WINDOWS, WINDOW = 6, 8

#: The first batches of a window, which are not counted: they bring the rows' sets into the state
#: that they would have in a bake.
WARM = 3

#: The exponents with which the time of next hops and of other tables grows with the nodes.
SEARCH_GROWTH = 1.85
GROWTH = {"distances": 1.25, "cluster_distances": 2.0}

#: Bytes one run takes in the file, deflated: 0.4 to 0.8 on game maps.
STORED_RUN_BYTES = 0.55

#: Bytes that the interpreter, numpy, numba and HDF5 use before any level is read, and bytes of
#: working memory for each byte of a table.
BASE_BYTES = 150 * 2**20
MADE_OF = 8

#: Seconds to sort, deflate and write one run.
WRITE_SECONDS_PER_RUN = 120e-9


@dataclass(frozen=True)
class TablePlan:
    """The predicted cost of one table of one profile."""

    #: profile, table: their names; table is one of the recipe's
    profile: str
    table: str
    kind: str  #: the form in which the table is stored, such as "labels" or "compressed"
    bytes: int  #: size in the file
    seconds: float  #: wall time; 0 if the table of an equal profile is reused
    memory: int  #: bytes needed to compute it, besides the level's graph
    #: seconds that one thread takes for all ranges of targets together; 0 for tables without ranges
    work: float = 0.0
    ranges: int = 0  #: number of ranges; more threads or workers than this do not help
    worker_memory: int = 0  #: bytes needed to search one range, besides the level's graph
    algorithm: ChosenAlgorithm | None = None  #: the algorithm of next hops; None = another table


@dataclass(frozen=True)
class ClusterPlan:
    """The predicted cost of baking one level on a cluster."""

    workers: int  #: number of workers, with one thread each
    seconds: float  #: wall time, if each worker is as fast as this machine
    memory: int  #: peak of a worker, in bytes; 0 if the level has no work for workers


@dataclass(frozen=True)
class Plan:
    """The predicted cost of baking one level."""

    level: str  #: the level's name
    #: nodes, arcs: size of its graph
    nodes: int
    arcs: int
    tables: tuple[TablePlan, ...]  #: one entry for each table
    bytes: int  #: size of the asset
    seconds: float  #: wall time, with kernels already compiled
    memory: int  #: peak of the process, in bytes
    cluster: ClusterPlan | None = None  #: the cost on a cluster, if requested


@dataclass(frozen=True)
class Total:
    """The predicted cost of baking several levels, some of them at once."""

    nodes: int  #: of all levels
    bytes: int  #: of all assets
    seconds: float  #: wall time
    memory: int  #: peak of all concurrent processes together, in bytes


def total_of(plans: Sequence[Plan], jobs: int) -> Total:
    """Return the total cost of several levels.

    Args:
        plans: one for each level.
        jobs: how many levels are baked at once.
    """
    seconds = [plan.seconds for plan in plans]
    memory = sorted((plan.memory for plan in plans), reverse=True)
    return Total(
        nodes=sum(plan.nodes for plan in plans),
        bytes=sum(plan.bytes for plan in plans),
        seconds=max(sum(seconds) / jobs, *seconds, 0.0),
        memory=sum(memory[:jobs]),
    )


class _Stages:
    """A progress callback that measures the processor time of each stage."""

    def __init__(self) -> None:
        #: The seconds of each finished stage, by profile and name of the stage.
        self.seconds = defaultdict[tuple[str, str], float](float)
        #: The profile whose tables are being computed; "" = none.
        self.profile = ""
        self._stage, self._since = ("", ""), time.process_time()

    def __call__(self, stage: str, done: float) -> None:
        now = time.process_time()
        self.seconds[self._stage] += now - self._since
        self._stage, self._since = (self.profile, stage), now


def plan_level(task: Task, threads: int, workers: int | None = None) -> Plan:
    """Predict the bake of one level.

    Args:
        task: the level and its recipe.
        threads: how many threads bake it.
        workers: also predict the bake on a cluster of this many workers; None = do not.

    Raises:
        BakeError: a mistake that the bake would report before it computes tables.
    """
    recipe, level = task.recipe, read_level(task)
    profiles = agent_profiles(level, recipe)
    nodes, graph_bytes = world_size(level, profiles, movement_of(level, recipe)[1])
    if isinstance(level, GridLevel) and follows_from_cells(level, recipe, nodes):
        plan, graph_bytes = _plan_lattice(level, recipe, nodes), 0
    else:
        check_world_fits(level, profiles, recipe)
        plan = _plan_world(level, recipe, nodes, graph_bytes, threads)
    return plan if workers is None else _with_workers(plan, threads, workers, graph_bytes // 3)


def _with_workers(plan: Plan, threads: int, workers: int, graph_bytes: int) -> Plan:
    """Add the cost on a cluster, whose workers share the ranges; one process does the rest."""
    seconds, memory = plan.seconds, 0
    for table in plan.tables:
        if table.ranges > 1:
            threads_used, workers_used = min(threads, table.ranges), min(workers, table.ranges)
            seconds += table.work / workers_used - table.work / threads_used
            memory = max(memory, BASE_BYTES + graph_bytes + table.worker_memory)
    return replace(plan, cluster=ClusterPlan(workers, seconds, memory))


def _plan_world(
    level: Level, recipe: LevelRecipe, nodes: int, graph_bytes: int, threads: int
) -> Plan:
    """Predict the bake of a level whose arcs are listed."""
    profiles, connectivity = agent_profiles(level, recipe), movement_of(level, recipe)[1]
    is_open = open_terrains(level, profiles)
    part, wider = (part_of(level, is_open, most) for most in (TABLE_PLACES, HOP_PLACES))
    scale, wider_scale = (
        nodes / max(1, world_size(sample, profiles, connectivity)[0]) for sample in (part, wider)
    )
    stages = _Stages()
    world = read_world(part, recipe, strict_links=part is level)
    parts = [
        shared_contents(world, stated_recipe(level, recipe)),
        things_contents(world),
        update_contents(world),
    ]
    alike = first_alike(world)
    for stages.profile in dict.fromkeys(alike.values()):
        parts += profile_tables(stages.profile, world, recipe, threads, stages, None, hops=False)
    stages.profile = ""
    stages("write", 0)
    contents = together(parts)
    size, stored = stored_bytes(contents)
    stages("", 0)
    searched = world if wider is part else read_world(wider, recipe, strict_links=False)
    tables = dict[str, list[TablePlan]]()
    for profile in dict.fromkeys(alike.values()):
        tables[profile] = []
        if choose(recipe).hops:
            job = range_job(searched, usable(searched, profile))
            tables[profile].append(_plan_hops(profile, job, recipe, threads, wider_scale))
        for table, _, paths in tables_of(profile, stored.__contains__):
            table_plan = _scaled(profile, table, paths, contents, stored, recipe, scale)
            size -= sum(stored[path] for path in paths)
            spent = stages.seconds.pop((profile, table.replace("_", " ")), 0.0)
            if table_plan is not None:
                grown = scale ** GROWTH.get(table, 1.0)
                tables[profile].append(replace(table_plan, seconds=grown * spent))
    size = int(scale * size) + sum(
        table_plan.bytes for plans in tables.values() for table_plan in plans
    )
    seconds = scale * sum(stages.seconds.values())
    seconds += sum(table_plan.seconds for plans in tables.values() for table_plan in plans)
    all_plans = [
        replace(table_plan, profile=profile, seconds=table_plan.seconds * (twin == profile))
        for profile, twin in alike.items()
        for table_plan in tables[twin]
    ]
    memory = max([graph_bytes, *(graph_bytes // 3 + table_plan.memory for table_plan in all_plans)])
    return Plan(
        level.name,
        round(scale * world.graph.node_count),
        round(scale * world.graph.arc_count),
        tuple(all_plans),
        size,
        seconds,
        BASE_BYTES + size + memory,
    )


def _scaled(
    profile: str,
    table: str,
    paths: Sequence[str],
    contents: Contents,
    stored: Mapping[str, int],
    recipe: LevelRecipe,
    scale: float,
) -> TablePlan | None:
    """Extrapolate a table of a part of the level; None if the whole level has no such table."""
    columns = [contents.columns[path] for path in paths]
    if table == "cluster_distances" and recipe.tables is None:
        rows = len(contents.columns[profile_path(profile, "cluster")])
        if not fits_auto(int(scale * rows), int(scale * len(columns[0]))):
            return None
    kinds = {"cluster_distances": "dense", "hierarchy": recipe.hierarchy, "heuristic": "landmark"}
    grown = scale ** GROWTH.get(table, 1.0)
    size = sum(stored[path] for path in paths)
    memory = int(MADE_OF * grown * sum(column.nbytes for column in columns))
    return TablePlan(profile, table, kinds.get(table, "labels"), int(grown * size), 0.0, memory)


def _plan_hops(
    profile: str, job: RangeJob, recipe: LevelRecipe, threads: int, scale: float
) -> TablePlan:
    """Predict the cost of next hops from a search toward a sample of targets."""
    rows = int(scale * job.sub.graph.node_count)
    runs, seconds = _sample(job)
    runs = int(scale * runs)
    writing = runs * WRITE_SECONDS_PER_RUN
    size = int(runs * STORED_RUN_BYTES)
    memory = rows * ROW_BYTES + runs * run_bytes(rows, threads)
    arcs = int(scale * job.sub.graph.arc_count)
    algorithm = choose_algorithm(rows, arcs, recipe.algorithm)
    if algorithm == "floyd_warshall":
        memory += 4 * rows * rows
        seconds = _matrix_seconds(rows) + writing
        return TablePlan(
            profile, "next_hops", "compressed", size, seconds, memory, algorithm=algorithm
        )
    work = seconds * scale**SEARCH_GROWTH
    ranges = len(target_ranges(rows))
    threads = min(threads, ranges)
    worker = search_bytes(rows) + rows * ROW_BYTES + runs // ranges * run_bytes(rows, 1)
    return TablePlan(
        profile,
        "next_hops",
        "compressed",
        size,
        work / threads + writing,
        memory + threads * search_bytes(rows),
        work,
        ranges,
        worker,
        algorithm,
    )


def _sample(job: RangeJob) -> tuple[float, float]:
    """Return the estimated number of runs and the seconds to search for them in one thread."""
    rows = job.sub.graph.node_count
    batches = -(-rows // LANES)
    windows = [(0, rows)]
    if batches > WINDOWS * WINDOW:
        begins = (np.linspace(0, batches - WINDOW, WINDOWS).astype(int) * LANES).tolist()
        windows = [(begin, min(begin + WINDOW * LANES, rows)) for begin in begins]
    searcher = RangeSearcher(job.sub, job.symbols())
    counts = list[int]()

    def take(writer: RunWriter, start: int, stop: int, dist: Int32Array | Iterator[Piece]) -> None:
        writer.take(start, stop, dist)
        counts.append(writer.run_count)

    warm = WARM if len(windows) > 1 else 0
    grown, spent, counted = 0, 0.0, 0
    first = (0, min(2 * LANES, rows))
    for number, window in enumerate([first, *windows]):
        counts[:] = [rows]
        begun = time.process_time()
        searcher.run(searcher.writer(window), take)
        if number:  # The first search loads kernels.
            spent += time.process_time() - begun
            grown += counts[-1] - counts[warm]
            counted += len(counts) - 1 - warm
    share = batches / max(1, counted)
    searched = batches / max(1, counted + warm * len(windows))
    return rows + grown * share, spent * searched


def _matrix_seconds(rows: int) -> float:
    """Return the seconds of Floyd-Warshall on ``rows`` nodes, scaled from fewer nodes."""
    side = min(rows, 256)
    tail, head = np.divmod(np.arange(side * side), side)
    graph, _ = Graph.from_arcs(side, tail, head)
    weight = np.ones(graph.arc_count, dtype=np.int32)
    dist = np.empty((side, side), dtype=np.int32)
    for _ in range(2):  # The first one compiles.
        begun = time.process_time()
        for _ in floyd_warshall(graph, weight, dist):
            pass
        spent = time.process_time() - begun
    return spent * (rows / max(1, side)) ** 3


def _plan_lattice(level: GridLevel, recipe: LevelRecipe, nodes: int) -> Plan:
    """Predict the bake of a level whose arcs are not listed."""
    check_lattice_fits(level, nodes, recipe.memory_budget)
    profiles = agent_profiles(level, recipe)
    rules, connectivity = movement_of(level, recipe)
    part = part_of(level, open_terrains(level, profiles), LATTICE_PLACES)
    assert isinstance(part, GridLevel)
    begun = time.process_time()
    world = build_lattice_world(part, profiles, rules, connectivity)
    contents = together(lattice_world_contents(world, recipe, stated_recipe(level, recipe)))
    size, stored = stored_bytes(contents)
    scale = nodes / max(1, world.node_count)
    seconds = scale * (time.process_time() - begun)
    tables = [
        _scaled(profile, table, paths, contents, stored, recipe, scale)
        for profile in world.metrics
        for table, _, paths in tables_of(profile, stored.__contains__)
    ]
    memory = int(scale * size) + NODE_BYTES * nodes + CELL_BYTES * level.terrain.size
    return Plan(
        level.name,
        nodes,
        SLOTS * nodes,
        tuple(filter(None, tables)),
        int(scale * size),
        seconds,
        BASE_BYTES + memory,
    )
