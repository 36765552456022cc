"""A town of 200 houses of 12 kinds: next hops by instances beside those of the level laid flat."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from bake.pipeline.level import bake_level
from bake.pipeline.sources import Task
from bake.recipe import load_recipe
from bake.runtime import LevelAsset, open_asset
from benchmarks.bench import Bench
from benchmarks.clock import in_turns, seconds
from benchmarks.section import Section
from tests.support.towns import house, town

RECIPES = {
    "flat": 'tables = ["components", "next_hops"]\n[next_hops]\nstorage = "compressed"\n',
    "flat, distances": 'tables = ["components", "next_hops", "distances"]\n'
    '[next_hops]\nstorage = "compressed"\n[distances]\nstorage = "labels"\n',
    "instances": 'tables = ["components", "next_hops"]\n[next_hops]\nstorage = "instances"\n',
}
PAIRS, PATHS = 200_000, 300


def run(bench: Bench, section: Section) -> None:
    """Bake the town in each way, compare answers, and measure bytes, seconds and lookups."""
    across, down, kinds = bench.either((20, 10, 12), (6, 4, 4))
    rng = random.Random(12)
    drawn = [house(rng, rng.randint(14, 18), rng.randint(12, 18), 1 + k % 2) for k in range(kinds)]
    document = town(rng, drawn, across, down, 2)
    made = {name: _baked(bench, name, document) for name in RECIPES}
    again = in_turns({name: each[1] for name, each in made.items()}, bench.either(3, 1))
    with (
        open_asset(made["flat, distances"][0]) as flat,
        open_asset(made["instances"][0]) as folded,
    ):
        rows = _check(flat, folded)
    table = []
    size = {name: asset.stat().st_size for name, (asset, _) in made.items()}
    for name, (asset, _) in made.items():
        bench.tell(name)
        with open_asset(asset) as level:
            batch, distance, path = _lookups(level)
        numbers = f"{size[name]:,}", f"{again[name]:.2f}", f"{batch:.2f}"
        table.append((name, *numbers, f"{distance:.2f}", f"{path:.0f}"))
    section.text(
        f"A town of {across * down} houses of {kinds} kinds, each turned and mirrored at random, "
        f"{rows:,} places. Distances of {PAIRS:,} random pairs were compared first, and each next "
        "hop was followed. The bake is the whole of it, on one thread; batches are random pairs, "
        "paths single ones."
    )
    columns = ("next hops", "bytes", "bake s", "hop of a batch µs", "distance µs", "path µs")
    section.table(columns, table)
    if not bench.quick:
        for name in ("flat", "flat, distances"):
            ratio = size["instances"] / size[name]
            section.at_most(f"bytes beside those of {name}", ratio, 0.3, "of them")
            ratio = again["instances"] / again[name]
            section.at_most(f"seconds of the bake beside {name}", ratio, 0.3, "of them")


def _baked(bench: Bench, name: str, document: Mapping[str, Any]) -> tuple[Path, Any]:
    """Bake the town once, and return its asset and what bakes it again and tells how long."""
    folder = bench.scratch / "instances" / name.replace(", ", "-")
    folder.mkdir(parents=True)
    source, recipe = folder / "town.json", folder / "bake.toml"
    source.write_text(json.dumps(document), encoding="utf-8")
    recipe.write_text(RECIPES[name], encoding="utf-8")
    task = Task(source, folder / "town.h5", load_recipe(recipe).for_level("town"))
    bake_level(task, 1, _silent)
    return task.asset, lambda: seconds(lambda: bake_level(task, 1, _silent))


def _silent(stage: str, done: float) -> None:
    pass


def _check(flat: LevelAsset, folded: LevelAsset) -> int:
    """Compare distances, and where hops lead; return how many places there are."""
    one, other = flat.profile(), folded.profile()
    rows = one._now.tables.row_count
    rng = np.random.default_rng(5)
    starts, goals = rng.integers(0, rows, (2, PAIRS)).astype(np.int32)
    truth = one._now.tables.ticks_between(starts, goals)
    found = other._now.tables.ticks_between(starts, goals)
    assert np.array_equal(truth, found), "distances differ"
    hops = other._now.tables.next_rows(starts, goals)
    onward = one._now.tables.ticks_between(hops, goals)
    step = one._now.tables.ticks_between(starts, hops)
    assert np.array_equal(step + onward, truth), "a hop does not lie on a shortest path"
    for pair in range(PATHS):
        path = other._now.tables.path(int(starts[pair]), int(goals[pair]))
        assert path is not None
        along = one._now.tables.ticks_between(path[:-1], path[1:]).sum()
        assert along == truth[pair], "a path is not a shortest one"
    return rows


def _lookups(level: LevelAsset) -> tuple[float, float, float]:
    """Microseconds of a next hop and of a distance among many, and of a single path."""
    nav = level.profile()
    cells = nav._now.tables.cell_of_row
    rng = np.random.default_rng(6)
    starts, goals = (cells[rng.integers(0, len(cells), PAIRS // 10)] for _ in range(2))
    nav.next_hops(starts, goals)
    nav.distances(starts[:100], goals[:100])
    hop = seconds(lambda: nav.next_hops(starts, goals)) / len(starts)
    far = seconds(lambda: nav.distances(starts, goals)) / len(starts)
    ends = [
        ((start[0], start[1]), (goal[0], goal[1]))
        for start, goal in zip(starts[:PATHS].tolist(), goals[:PATHS].tolist(), strict=True)
    ]
    nav.path(*ends[0])
    begun = time.perf_counter()
    for start, goal in ends:
        nav.path(start, goal)
    path = (time.perf_counter() - begun) / len(ends)
    return 1e6 * hop, 1e6 * far, 1e6 * path
