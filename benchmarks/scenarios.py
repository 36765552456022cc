"""Bake all pairs of maps beyond 400,000 nodes, and solve their scenario files by table."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

import numpy as np

from bake.core.graph import DEFAULT_TICKS_PER_UNIT
from bake.levels.movingai import read_scenario
from bake.play import open_asset
from bake.search.contraction.query import clear_chains
from bake.store import Asset
from benchmarks import child
from benchmarks.baking import write_recipe
from benchmarks.bench import Bench, Skip
from benchmarks.contraction import contract, query_engine
from benchmarks.ground import ground_of
from benchmarks.levels import level_file, scenario_file
from benchmarks.section import Section

FULL = ("TheFrozenSea",)
QUICK = ("lak303d",)
BUDGET = "3 GiB"
ROUNDS = 3


def run(bench: Bench, section: Section) -> None:
    """Bake all next hops under a budget, and compare each path with its optimal length."""
    names = bench.choose(section, FULL, QUICK)
    command = child.bake_command()
    if command is None or not child.can_measure_memory():
        raise Skip("the bake command is not installed, or this system tells no peak memory")
    section.text(
        f'`bake build` with components and next hops and `memory_budget = "{BUDGET}"`, a process '
        "of its own, wall time; its peak resident set; and the problems of the map's scenario "
        "file, whose paths by table all have the length that the file gives."
    )
    recipe = write_recipe(bench.scratch / "scenarios", BUDGET)
    rows = []
    for name in names:
        bench.tell(name)
        folder = recipe.parent
        where = ["--recipe", str(recipe), "-o", str(folder)]
        usage = child.run_measured([command, "build", str(level_file(name)), "--force", *where])
        asset = folder / f"{name}.h5"
        problems = _problems(name, asset)
        with Asset(asset) as opened:
            nodes = len(opened.graph.place)
        rows.append(
            (
                *(name, f"{nodes:,}", f"{usage.seconds / 60:.1f}", f"{usage.peak / 2**30:.2f}"),
                *(f"{asset.stat().st_size:,}", f"{usage.seconds * 1e9 / nodes**2:.2f}"),
                f"{problems:,}",
            )
        )
        if name in FULL:
            section.at_most(f"bake of {name}", usage.seconds / 60, 20, "min")
            section.at_most("its peak", usage.peak / 2**30, 3, "GiB")
    section.table(
        ("map", "nodes", "minutes", "peak GiB", "bytes", "ns a pair", "problems, all optimal"), rows
    )
    _contract(bench, section, names)


def _contract(bench: Bench, section: Section, names: Sequence[str]) -> None:
    """Build the contraction hierarchy of each map, and solve the problems of its scenario file."""
    rows = []
    for name in names:
        bench.tell(f"{name}: exact hierarchy")
        ground, scenario = ground_of(name), read_scenario(scenario_file(name))
        contract(ground)  # compiles
        each = [contract(ground) for _ in range(ROUNDS)]
        made, steps = (
            each[0],
            [median(times) for times in zip(*(one.seconds for one in each), strict=True)],
        )
        hops = query_engine(ground.sub, made)
        single, whole = [], []
        for problem, optimal in enumerate(scenario.optimal.tolist()):
            ends = (each[problem].tolist() for each in (scenario.start, scenario.goal))
            start, goal = (int(ground.node_at[y, x]) for x, y in ends)
            clear_chains(hops.hierarchy.chains)
            begun = time.perf_counter()
            ticks = hops.hierarchy.distance(start, goal)
            single.append(time.perf_counter() - begun)
            clear_chains(hops.hierarchy.chains)
            pair = np.array([[start], [goal]], dtype=np.int32)
            begun = time.perf_counter()
            hops.paths(*pair)
            whole.append(time.perf_counter() - begun)
            slack = 1e-4 + 1e-5 * optimal + scenario.rounding[problem]
            what = f"{scenario.source.name}: line {scenario.line[problem]}"
            assert abs(ticks / DEFAULT_TICKS_PER_UNIT - optimal) <= slack, f"{what}: {ticks} ticks"
        rows.append(
            (
                *(name, f"{made.tree.arc_count / ground.nodes:.1f}"),
                *(f"{seconds:.2f}" for seconds in (*steps, sum(steps))),
                *(f"{median(times) * 1e3:.3f}" for times in (single, whole)),
                *(f"{np.percentile(times, 95) * 1e3:.3f}" for times in (single, whole)),
            )
        )
        if name in FULL:
            section.at_most(f"exact hierarchy of {name} from nothing", sum(steps), 5, "s")
            section.at_most("a distance by it", median(single) * 1e3, 1, "ms")
    section.text(
        "The exact hierarchy (customizable contraction) of the same map, made from its graph by "
        f"one thread, medians of {ROUNDS}, and all problems of its scenario file by it, one call "
        "each: every distance is the optimal length."
    )
    section.table(
        (
            *("map", "arcs a node", "order s", "contract s", "customize s", "all s"),
            *("distance ms", "path ms", "distance, 95 % ms", "path, 95 % ms"),
        ),
        rows,
    )


def _problems(name: str, asset: Path) -> int:
    """Check every problem of a map's scenario file, and return how many there are."""
    scenario = read_scenario(scenario_file(name))
    with open_asset(asset) as level:
        nav = level.profile()
        for problem, (start, goal) in enumerate(
            zip(scenario.start.tolist(), scenario.goal.tolist(), strict=True)
        ):
            way = nav.path(tuple(start), tuple(goal))
            what = f"{scenario.source.name}: line {scenario.line[problem]}"
            assert way is not None, f"{what}: no path"
            steps = np.abs(np.diff(np.array(way), axis=0))
            assert (steps.max(1, initial=1) == 1).all(), f"{what}: not a path"
            length = float(np.where(steps.sum(1) == 2, np.sqrt(2), 1).sum())
            optimal = scenario.optimal[problem]
            slack = 1e-4 + 1e-5 * optimal + scenario.rounding[problem]
            assert abs(length - optimal) <= slack, f"{what}: {length} where {optimal} is optimal"
    return len(scenario)
