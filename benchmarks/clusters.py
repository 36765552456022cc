"""Compare planning over clusters, for each cost of a cluster, with HPA* and shortest paths."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from bake.baking.level import bake_level
from bake.baking.sources import Task
from bake.core.processors import processors
from bake.extras.school import plan_clusters
from bake.extras.school.corridors import PRICES
from bake.levels.movingai import read_scenario
from bake.play import Navigator, open_asset
from bake.project.recipe import LevelRecipe
from benchmarks.bench import Bench
from benchmarks.clock import seconds
from benchmarks.levels import level_file, scenario_file
from benchmarks.section import Section

FULL = ("lak303d", "den520d", "brc202d", "orz900d")
QUICK = ("lak303d",)
PROBLEMS = 60
TABLES = ("components", "next_hops", "hierarchy", "cluster_distances")

Ends = list[tuple[tuple[int, int], tuple[int, int]]]


def run(bench: Bench, section: Section) -> None:
    """Measure every cost of clusters on every map."""
    names = bench.choose(section, FULL, QUICK)
    assert bench.jit_seconds >= 0
    problems = bench.either(PROBLEMS, 40)
    section.text(
        f"{problems} problems evenly spread over each map's scenario file. A *plan* is the sum of "
        "prices from cluster to cluster, beside the shortest distance: the median, and the middle "
        "nine tenths. A *path* was looked for by A* in the clusters of the plan alone (method "
        "`clusters`); how much longer than a shortest one it is, on average and at worst. "
        "Expansions count clusters and places. A path by clusters gathers the arcs of its "
        "clusters each time, which is in its milliseconds. HPA* and A* stand beside them. "
        "Every path was checked first: it begins and ends where it "
        "should, and costs what it says, and no less than a shortest one."
    )
    rows: list[tuple[str, ...]] = []
    for name in names:
        bench.tell(name)
        asset = _baked(bench, name)
        with open_asset(asset) as level:
            rows += _measure(level.profile(), name, _problems(name, problems))
    section.table(
        (
            *("map, method", "plan, of the distance", "5 % to 95 %", "path longer", "worst"),
            *("expanded", "ms a path"),
        ),
        rows,
    )


def _baked(bench: Bench, name: str) -> Path:
    asset = bench.scratch / f"{name}-clusters.h5"
    task = Task(level_file(name), asset, LevelRecipe(tables=TABLES))
    bake_level(task, processors(), lambda stage, done: None)
    return asset


def _problems(name: str, count: int) -> Ends:
    scenario = read_scenario(scenario_file(name))
    apart = np.flatnonzero(scenario.optimal > 0)
    chosen = apart[np.linspace(0, len(apart) - 1, min(count, len(apart))).astype(int)]
    starts, goals = scenario.start[chosen].tolist(), scenario.goal[chosen].tolist()
    return [(tuple(a), tuple(b)) for a, b in zip(starts, goals, strict=True)]


def _measure(nav: Navigator, name: str, ends: Ends) -> list[tuple[str, ...]]:
    best = np.array([nav.distance(*pair) for pair in ends])
    rows = []
    for price in PRICES:
        plans = [plan_clusters(nav, *pair, price) for pair in ends]
        share = np.array([math.nan if plan is None else plan[1] for plan in plans]) / best
        assert not np.isnan(share).any(), f"{name}: no plan where there is a path"
        low, high = np.percentile(share, (5, 95))
        cells = (f"{np.median(share):.2f}", f"{low:.2f} to {high:.2f}")
        rows.append((f"{name}, {price}", *cells, *_paths(nav, name, ends, best, "clusters", price)))
    for method in ("hpa", "astar"):
        rows.append(
            (f"{name}, {method}", "", "", *_paths(nav, name, ends, best, method, None)),
        )
    return rows


def _paths(
    nav: Navigator, name: str, ends: Ends, best: np.ndarray, method: str, price: str | None
) -> tuple[str, ...]:
    told: dict[str, Any] = {} if price is None else {"price": price}
    found = [nav.search(*pair, method, **told) for pair in ends]
    for pair, one in zip(ends, found, strict=True):
        assert one.path is not None, f"{name}: {pair}"
        assert (one.path[0], one.path[-1]) == pair, f"{name}: {pair}"
        assert math.isclose(nav.length(one.path), one.cost, rel_tol=1e-4), f"{name}: {pair}"
    longer = np.array([one.cost for one in found]) / best - 1
    assert longer.min() > -1e-9, f"{name}: shorter than a shortest path"
    took = seconds(lambda: [nav.search(*pair, method, **told) for pair in ends])
    return (
        f"{longer.mean():.2%}",
        f"{longer.max():.1%}",
        f"{np.mean([one.expanded for one in found]):,.0f}",
        f"{took / len(ends) * 1e3:.3f}",
    )
