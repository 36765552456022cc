"""All pairs of maps beyond 400,000 nodes, and their scenario files by table."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from bake.asset import Asset
from bake.levels.movingai import read_scenario
from bake.runtime import open_asset
from benchmarks import child
from benchmarks.baking import write_recipe
from benchmarks.bench import Bench, Skip
from benchmarks.levels import level_file, scenario_file
from benchmarks.section import Section

FULL = ("TheFrozenSea",)
QUICK = ("lak303d",)
BUDGET = "3 GiB"


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
    recipe = write_recipe(bench.scratch / "scenarios", "compressed", BUDGET)
    rows = []
    for name in names:
        bench.tell(name)
        folder = recipe.parent
        where = ["--recipe", str(recipe), "-o", str(folder)]
        usage = child.run_measured([command, "build", str(level_file(name)), "--force", *where])
        asset = folder / f"{name}.h5"
        problems = _problems(name, asset)
        with Asset(asset) as opened:
            nodes = opened.shape("/profiles/default/component")[0]
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
