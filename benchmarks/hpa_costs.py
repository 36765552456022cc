"""Benchmark HPA* on varied costs: transitions chosen by cost compared with evenly spread ones."""

from __future__ import annotations

from contextlib import nullcontext
from functools import partial
from pathlib import Path
from unittest.mock import patch

import numpy as np

from bake.baking.level import bake_level
from bake.baking.sources import Task
from bake.core.arrays import Float64Array
from bake.play import open_asset
from bake.project.recipe import LevelRecipe
from bake.search.hierarchy.entrances import Crossings, find_crossings
from bake.tables import hierarchy as hierarchies
from benchmarks.bench import Bench
from benchmarks.clock import in_turns, seconds, undisturbed
from benchmarks.levels import level_file
from benchmarks.section import Section
from tests.support.uneven import DRAWN, excess, random_pairs, write_costs

#: Maps with uniform costs, on which both methods choose the same transitions.
EVEN = ("lak303d", "brc202d", "32room_000")
SIZE = 192
SEEDS = (1, 2)
#: Searches by Dijkstra's method for each level, and paths from each start.
STARTS, GOALS = 12, 150
TURNS = 3
#: Aims for paths, in percent.
MEAN_AIM, WORST_AIM = 1.0, 15.0

Measured = tuple[Float64Array, int, int, float]


def run(bench: Bench, section: Section) -> None:
    """Measure every kind of generated level, then maps with uniform costs."""
    assert bench.jit_seconds >= 0
    size, seeds = bench.either((SIZE, SEEDS), (96, SEEDS[:1]))
    section.text(
        f"Levels of {size} x {size} cells, drawn by {len(seeds)} seeds for each kind, with the "
        f"default spacing: {STARTS} random starts and up to {GOALS} random goals from each, every "
        "path checked step by step and beside scipy's distances. *Evenly*: transitions as on even "
        "ground, whatever crossing costs. *By price*: as they are baked. How much longer smoothed "
        "paths are; transitions; what the files take, which hold components, clusters and the "
        "hierarchy; microseconds a path, as for a crowd. Clusters have 32 cells a side where "
        "nothing else is said."
    )
    rows = []
    means, worsts = [], []
    for kind, (draw, cluster_size) in DRAWN.items():
        bench.tell(kind)
        found: dict[bool, list[Measured]] = {True: [], False: []}
        for seed in seeds:
            source = write_costs(bench.scratch / f"uneven-{seed}.json", draw(seed, size))
            for evenly, each in found.items():
                each.append(_measured(bench, source, cluster_size, seed, evenly=evenly))
        for evenly, each in found.items():
            more = np.concatenate([one[0] for one in each]) * 100
            if not evenly:
                means.append(float(more.mean()))
                worsts.append(float(more.max()))
            rows.append((f"{kind}: {'evenly' if evenly else 'by price'}", *_cells(more, each)))
    heads = ("mean %", "p99 %", "worst %", "transitions", "file, bytes", "µs")
    section.table(("level", *heads), rows)
    _compare_even(bench, section, heads)
    section.at_most("largest mean on drawn levels", max(means), MEAN_AIM, "%")
    section.at_most("worst path on drawn levels", max(worsts), WORST_AIM, "%")


def _compare_even(bench: Bench, section: Section, heads: tuple[str, ...]) -> None:
    names = [name for name in bench.either(EVEN, EVEN[:1]) if level_file(name).exists()]
    rows = []
    for name in names:
        bench.tell(name)
        found = {
            evenly: _measured(bench, level_file(name), 32, 1, evenly=evenly)
            for evenly in (True, False)
        }
        assert found[True][1:3] == found[False][1:3], f"{name}: other transitions"
        rows += [
            (f"{name}: {'evenly' if evenly else 'by price'}", *_cells(each[0] * 100, [each]))
            for evenly, each in found.items()
        ]
    if rows:
        section.text("The same on maps on which all steps cost the same.")
        section.table(("map", *heads), rows)


def _cells(more: Float64Array, each: list[Measured]) -> list[str]:
    return [
        *(f"{more.mean():.2f}", f"{np.quantile(more, 0.99):.2f}", f"{more.max():.1f}"),
        *(f"{sum(one[1] for one in each):,}", f"{sum(one[2] for one in each):,}"),
        f"{np.mean([one[3] for one in each]) * 1e6:.0f}",
    ]


def _evenly(*args: object, **more: object) -> Crossings:
    """Find crossings as if costs were uniform."""
    first_out, head, ticks, *others = args
    return find_crossings(first_out, head, np.ones_like(ticks), *others, **more)  # type: ignore


def _measured(
    bench: Bench, source: Path, cluster_size: int, seed: int, *, evenly: bool
) -> Measured:
    """Bake a level; return relative errors, transitions, bytes, and seconds per path."""
    asset = bench.scratch / f"{source.stem}-{'evenly' if evenly else 'price'}.h5"
    recipe = LevelRecipe(tables=("components", "hierarchy"), cluster_size=cluster_size)
    choice = patch.object(hierarchies, "find_crossings", _evenly) if evenly else nullcontext()
    with choice:
        bake_level(Task(source, asset, recipe), 1, lambda stage, done: None)
    with open_asset(asset) as level:
        nav = level.profile()
        starts, goals, best = random_pairs(nav, seed, STARTS, GOALS)
        more = excess(nav, starts, goals, best)
        paths = nav._now.searches.hierarchy
        with undisturbed():
            work = {"": partial(seconds, lambda: paths.many(starts, goals))}
            spent = in_turns(work, TURNS)[""] / len(starts)
        return more, len(paths.tables.layers[0].node), asset.stat().st_size, spent
