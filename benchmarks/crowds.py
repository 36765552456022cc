"""Benchmark crowds on a level whose busiest cell opens and closes: time per frame and answers."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bake.apply import apply_patch
from bake.baking.level import bake_level
from bake.baking.sources import Task
from bake.core.arrays import Int64Array
from bake.core.processors import processors
from bake.play import open_asset
from bake.play.level import LevelAsset
from bake.play.navigator import Navigator
from bake.project.recipe import LevelRecipe, load_recipe
from benchmarks.bench import Bench
from benchmarks.levels import level_file
from benchmarks.section import Section

ROOT = Path(__file__).resolve().parents[1]

#: Beside the castle, which is a level of the project.
FULL = ("lak303d",)

AGENTS = 500
FRAMES = 600
#: Frames between two changes of the busiest cell.
TURN = 30
#: The fraction of agents that choose another goal in each frame.
RESTLESS = 0.1
SHARED = 8
#: Changes after which answers are compared with a bake, and pairs compared each time.
CHECKED = 4
PAIRS = 300

WORST_MS = {"keep": 8.0}
USUAL_WORST_MS = 16.0
MEDIAN_MS = 1.0
SHARED_WORST_MS = 2.0


def run(bench: Bench, section: Section) -> None:
    """Check and measure every map."""
    frames = bench.either(FRAMES, 4 * TURN)
    rows = []
    others = [] if bench.quick and not bench.maps else bench.choose(section, FULL, FULL)
    for name in ("keep", *others):
        bench.tell(f"baking {name}")
        asset = _baked(name, bench.scratch)
        bench.tell(f"checking {name}")
        _check(asset, bench.scratch)
        bench.tell(f"moving crowds on {name}")
        for shared in (None, SHARED):
            with open_asset(asset) as level:
                level.warm_up("table")
                level.warm_up("update")
                cells, frame = _moved(level, frames, shared)
            ms = np.array(frame) * 1000
            median, high, worst = np.percentile(ms, [50, 95, 100]).tolist()
            goals = "goals of their own" if shared is None else f"{shared} goals shared"
            rows.append([name, f"{cells:,}", goals, f"{median:.2f}", f"{high:.2f}", f"{worst:.2f}"])
            aim = WORST_MS.get(name, USUAL_WORST_MS) if shared is None else SHARED_WORST_MS
            section.at_most(f"{name}, {goals}: worst frame", worst, aim, "ms")
            if shared is None:
                section.at_most(f"{name}, {goals}: median frame", median, MEDIAN_MS, "ms")
    section.text(
        f"{AGENTS} agents, {RESTLESS:.0%} of which choose another goal in every frame, and the "
        f"cell that most of their first paths lead through, which is blocked or opened every "
        f"{TURN} frames, {frames} frames. A frame is the update, if there is one, and one call of "
        f"`next_hops` that moves everybody by a step. Before that, after {CHECKED} random changes, "
        f"distances and next hops of {PAIRS} pairs were those of an asset baked from a patch. "
        "Milliseconds a frame."
    )
    section.table(("map", "cells", "agents with", "median", "95 %", "worst"), rows)


def _baked(name: str, folder: Path) -> Path:
    asset = folder / f"{name}-crowds.h5"
    if name == "keep":
        source = ROOT / "levels_src" / "keep.png"
        recipe = load_recipe(ROOT / "bake.toml").for_level(name, source.name)
    else:
        source = level_file(name)
        recipe = LevelRecipe(tables=("components", "next_hops"))
    bake_level(Task(source, asset, recipe), processors(), lambda stage, done: None)
    return asset


# -- correctness ----------------------------------------------------------------------------------


def _check(asset: Path, folder: Path) -> None:
    """Compare answers after a sequence of changes with a bake of the changed level."""
    dice = np.random.default_rng(2)
    with open_asset(asset) as level:
        nav = level.profile()
        cells = _cells(nav)
        for turn in range(CHECKED):
            chosen = [tuple(cell) for cell in dice.choice(cells, 6).tolist()]
            nav.update(blocked=chosen[:4])
            nav.update(opened=chosen[:1])
            patch, fresh = folder / "crowd.patch", folder / f"crowd-{turn}.h5"
            level.save_patch(patch)
            apply_patch(asset, patch, fresh, processors(), lambda stage, done: None)
            with open_asset(fresh) as truth:
                _compare(nav, truth.profile(), dice)


def _compare(nav: Navigator, truth: Navigator, dice: np.random.Generator) -> None:
    cells = _cells(truth)
    starts, goals = dice.choice(cells, PAIRS), dice.choice(cells, PAIRS)
    goals[: PAIRS // 2] = goals[0]
    wanted = truth.distances(starts, goals)
    assert np.array_equal(nav.distances(starts, goals), wanted), "distances"
    hops = nav.next_hops(starts, goals)
    assert ((hops == -1).all(axis=1) == np.isinf(wanted)).all(), "goals that cannot be reached"
    there = np.flatnonzero(np.isfinite(wanted) & (starts != goals).any(axis=1))
    rest = truth.distances(hops[there], goals[there])
    for at, onward in zip(there.tolist(), rest.tolist(), strict=True):
        step = truth.distance(tuple(starts[at].tolist()), tuple(hops[at].tolist()))
        assert abs(step + onward - wanted[at]) < 1e-6, f"{starts[at]} to {goals[at]}"


def _cells(nav: Navigator) -> Int64Array:
    rows = np.flatnonzero(nav._now.version.row_at >= 0).astype(np.int32)
    return nav._now.version.places.cells_of(rows).astype(np.int64)


# -- measuring ------------------------------------------------------------------------------------


@dataclass
class _Crowd:
    """Agents, where they are and where they go.

    Attributes:
        here, goal: (n, 2) int64 cells.
        choice: (k, 2) int64, the cells they choose goals from.
    """

    here: Int64Array
    goal: Int64Array
    choice: Int64Array
    dice: np.random.Generator

    def choose(self) -> None:
        """Assign new goals to some of the agents, and to all agents that have arrived."""
        new = self.dice.random(len(self.here)) < RESTLESS
        new |= (self.here == self.goal).all(axis=1)
        self.goal[new] = self.dice.choice(self.choice, int(new.sum()))


def _moved(level: LevelAsset, frames: int, shared: int | None) -> tuple[int, list[float]]:
    """Return the number of cells and the seconds of each frame."""
    nav, dice = level.profile(), np.random.default_rng(1)
    cells = _cells(nav)
    choice = cells if shared is None else dice.choice(cells, shared, replace=False)
    crowd = _Crowd(dice.choice(cells, AGENTS), dice.choice(choice, AGENTS), choice, dice)
    _, places = nav.paths(crowd.here, crowd.goal)
    each, count = np.unique(places, axis=0, return_counts=True)
    busiest = tuple(each[count.argmax()].tolist())
    # The first update is not timed: a game runs it during a loading screen.
    for shut in (True, False):
        _set(nav, busiest, shut=shut)
        nav.next_hops(crowd.here, crowd.goal, strict=False)
    spent = []
    for frame in range(frames):
        crowd.choose()
        begun = time.perf_counter()
        if frame % TURN == 0:
            _set(nav, busiest, shut=frame // TURN % 2 == 0)
        hops = nav.next_hops(crowd.here, crowd.goal, strict=False)
        spent.append(time.perf_counter() - begun)
        moves = hops[:, 0] >= 0
        crowd.here[moves] = hops[moves]
    return len(cells), spent


def _set(nav: Navigator, cell: tuple[int, ...], *, shut: bool) -> None:
    nav.update(blocked=[cell] if shut else (), opened=() if shut else [cell])
