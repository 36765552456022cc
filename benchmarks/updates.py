"""Cells toggled at random: the update, the first answer to a stale goal, layers, a whole repair."""

from __future__ import annotations

import random
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from bake.greedy import chart
from bake.pipeline.level import bake_level
from bake.pipeline.sources import Task
from bake.processors import processors
from bake.recipe import LevelRecipe
from bake.runtime import open_asset
from bake.runtime.level import LevelAsset
from bake.runtime.live.tables import ChangedTables
from bake.runtime.live.versions import ProfileState
from bake.runtime.navigator import Navigator
from bake.runtime.reader.places import Cell
from bake.tables.compressed import compressed_next_hops
from benchmarks.bench import Bench
from benchmarks.levels import level_file, small_level
from benchmarks.section import Section
from tests.support.rebuilt import check_hierarchy

FULL = ("den520d", "brc202d", "lak303d", "maze512-4-0")
QUICK = ("lak303d",)
SMALL = "32 x 32"

TOGGLES = 200
#: A whole repair takes as long as a rebake at worst: so many seconds of them a map.
REPAIR_SECONDS = 120.0
#: Toggles after which answers are compared before anything is timed.
CHECKED = 4
PAIRS = 2000

UPDATE_AIM_MS = 15.0
FIRST_AIM_MS = 3.0
REPAIR_AIM = 20.0
SLOWEST_REPAIR = 1 / 1.2
LAYERS_AIM_MS = 1.0
SMALL_AIM_MS = 1.0

_TABLES = ("components", "next_hops", "hierarchy")
_TICKS = 27720


@dataclass
class _Times:
    """Milliseconds, toggle by toggle, but where it says otherwise."""

    update: list[float] = field(default_factory=list)
    first: list[float] = field(default_factory=list)
    following_us: list[float] = field(default_factory=list)
    sources: list[float] = field(default_factory=list)
    pairs: list[float] = field(default_factory=list)
    repair: list[float] = field(default_factory=list)
    layers: list[float] = field(default_factory=list)
    runs: list[float] = field(default_factory=list)
    walk: list[float] = field(default_factory=list)
    in_all: list[float] = field(default_factory=list)


def run(bench: Bench, section: Section) -> None:
    """Check and measure every map, then a small level."""
    assert bench.jit_seconds >= 0
    toggles = bench.either(TOGGLES, 20)
    seconds = bench.either(REPAIR_SECONDS, 3.0)
    hops, layers = [], []
    for name in bench.choose(section, FULL, QUICK):
        bench.tell(f"baking {name} with a hierarchy")
        asset = _baked(level_file(name), bench.scratch)
        with open_asset(asset) as level:
            bench.tell(f"checking {name}")
            _check(level, name)
            bench.tell(f"toggling {name}")
            measured, rebake = _measure(level, name, toggles, seconds)
            hops.append(_hops_row(section, name, measured, rebake))
            layers.append(_layers_row(section, name, level, measured))
    source = bench.scratch / "small.map"
    source.write_text(small_level(32), encoding="ascii")
    with open_asset(_baked(source, bench.scratch)) as level:
        _check(level, SMALL)
        measured, rebake = _measure(level, SMALL, toggles, seconds)
        hops.append(_hops_row(None, SMALL, measured, rebake))
        layers.append(_layers_row(None, SMALL, level, measured))
    in_all = float(np.median(measured.in_all))
    what = "32 x 32: update, layers and first stale answer, median"
    section.at_most(what, in_all, SMALL_AIM_MS, "ms")
    section.text(
        f"{toggles} random cells a map, open ones blocked and walls beside open ground opened, "
        f"each from the level as it was baked. Before anything was timed, after {CHECKED} of them, "
        f"one upon another, {PAIRS:,} pairs each were compared with scipy's Dijkstra on a graph of "
        "cells made for that, and the hierarchy with one built from scratch. Whole repairs of as "
        "many as fit into two minutes, against all next hops made anew in the same process, one "
        "thread. Milliseconds: median, 95th percentile, worst."
    )
    section.table(
        (
            "map",
            "update",
            "first answer to a stale goal",
            "following µs",
            "sources in doubt %",
            "pairs in doubt %",
            "whole repair (how many)",
            "rebake s",
            "rebake : repair, median (worst)",
        ),
        hops,
    )
    section.text(
        "The hierarchy, after the same updates: all layers; the runs that smoothing goes by; the "
        "plan and first piece of a way between two random places, both made already."
    )
    section.table(
        ("map", "clusters", "transitions by layer", "layers", "runs", "first moves"), layers
    )


def _baked(source: Path, folder: Path) -> Path:
    asset = folder / f"{source.stem}-updates.h5"
    recipe = LevelRecipe(tables=_TABLES, storage="compressed")
    bake_level(Task(source, asset, recipe), processors(), lambda stage, done: None)
    return asset


# -- correctness ----------------------------------------------------------------------------------


def _check(level: LevelAsset, name: str) -> None:
    """Compare answers after some toggles, one upon another."""
    nav = level.profile()
    draw = random.Random(f"checked {name}")
    open_cells, beside = _toggled(level, nav)
    standing = set(open_cells)
    for _ in range(CHECKED):
        cell = draw.choice(open_cells if draw.random() < 0.5 or not beside else beside)
        _toggle(nav, cell, standing)
        standing ^= {cell}
        _compare(level, nav, standing, draw)
    level.repair(0)
    for cell in sorted(standing ^ set(open_cells)):
        _toggle(nav, cell, set(open_cells), back=True)
    _compare(level, nav, set(open_cells), draw)


def _compare(level: LevelAsset, nav: Navigator, standing: set[Cell], draw: random.Random) -> None:
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import dijkstra

    cells = sorted(standing)
    number = {cell: place for place, cell in enumerate(cells)}
    tail, head, weight = [], [], []
    for (x, y), place in number.items():
        for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
            other = number.get((x + dx, y + dy))
            if other is None:
                continue
            if dx and dy and not ((x + dx, y) in number and (x, y + dy) in number):
                continue
            ticks = round(_TICKS * (dx * dx + dy * dy) ** 0.5)
            tail += [place, other]
            head += [other, place]
            weight += [ticks, ticks]
    arcs = csr_array((np.array(weight, dtype=np.float64), (tail, head)), shape=(len(cells),) * 2)
    goals = [draw.randrange(len(cells)) for _ in range(4)]
    dist = dijkstra(arcs, indices=goals)
    for row, goal in enumerate(goals):
        starts = [draw.randrange(len(cells)) for _ in range(PAIRS // len(goals))]
        ends = [cells[start] for start in starts], [cells[goal]] * len(starts)
        told = nav.distances(*ends) * _TICKS
        wanted = dist[row, starts]
        assert np.array_equal(np.rint(told), wanted), f"distances to {cells[goal]}"
        hops = nav.next_hops(*ends)
        for start, hop in zip(starts, map(tuple, hops.tolist()), strict=True):
            if start == goal or np.isinf(dist[row, start]):
                assert hop == (cells[goal] if start == goal else (-1, -1))
                continue
            step = arcs[[start], [number[hop]]][0]
            assert step > 0, f"{cells[start]} to {hop}"
            assert step + dist[row, number[hop]] == dist[row, start], f"{cells[start]} to {hop}"
    tables = nav._now.tables
    if isinstance(tables, ChangedTables):
        check_hierarchy(nav._now)


# -- measuring ------------------------------------------------------------------------------------


def _measure(
    level: LevelAsset, name: str, toggles: int, repair_seconds: float
) -> tuple[_Times, float]:
    """Times, and seconds of a rebake."""
    nav = level.profile()
    draw = random.Random(name)
    open_cells, beside = _toggled(level, nav)
    standing = set(open_cells)
    level.warm_up("update")
    _toggle(nav, open_cells[0], standing)
    nav.walk(open_cells[-1], open_cells[-2])
    _toggle(nav, open_cells[0], standing, back=True)
    rebake = _rebake_seconds(nav)
    times = _Times()
    for _ in range(toggles):
        cell = draw.choice(open_cells if draw.random() < 0.5 or not beside else beside)
        begun = time.perf_counter()
        _toggle(nav, cell, standing)
        times.update.append(_since(begun))
        state = _state(nav)
        times.sources.append(100 * np.count_nonzero(state.source) / state.row_count)
        times.pairs.append(100 * _share_in_doubt(state))
        start, goal = _stale_pair(nav, draw)
        nav.next_hop(start, start)  # the lookup itself is made here
        begun = time.perf_counter()
        nav.next_hop(start, goal)
        times.first.append(_since(begun))
        begun = time.perf_counter()
        for _ in range(1000):
            nav.next_hop(start, goal)
        times.following_us.append(_since(begun))
        assert state.clusters is not None
        begun = time.perf_counter()
        state.clusters.made()
        times.layers.append(_since(begun))
        begun = time.perf_counter()
        state.clusters.runs()
        times.runs.append(_since(begun))
        times.in_all.append(times.update[-1] + times.first[-1] + times.layers[-1])
        nav.walk(start, start)  # tables of the moment are laid out here
        begun = time.perf_counter()
        way = nav.walk(start, goal)
        if way is not None:
            next(way, None)
        times.walk.append(_since(begun))
        if sum(times.repair) < 1000 * repair_seconds:
            begun = time.perf_counter()
            nav.repair(None)
            times.repair.append(_since(begun))
        _toggle(nav, cell, standing, back=True)
        nav._now.searches.hierarchy  # noqa: B018  # as baked again
    return times, rebake


def _since(begun: float) -> float:
    return (time.perf_counter() - begun) * 1000


def _toggled(level: LevelAsset, nav: Navigator) -> tuple[list[Cell], list[Cell]]:
    """Open cells, and walls beside them."""
    tables = nav._current.tables[nav.name]
    cells: list[Cell] = [(x, y) for x, y in tables.cell_of_row.tolist()]
    beside = {(x + dx, y + dy) for x, y in cells for dx, dy in ((1, 0), (0, 1), (-1, 0), (0, -1))}
    inside = {(x, y) for x, y in beside if 0 <= x < level.width and 0 <= y < level.height}
    return cells, sorted(inside - set(cells))


def _hops_row(section: Section | None, name: str, times: _Times, rebake: float) -> list[str]:
    ratio = rebake * 1000 / np.array(times.repair)
    if section is not None:
        update, first = float(np.median(times.update)), float(np.median(times.first))
        section.at_most(f"{name}: update call, median", update, UPDATE_AIM_MS, "ms")
        section.at_most(f"{name}: first stale answer, median", first, FIRST_AIM_MS, "ms")
        middle, least = float(np.median(ratio)), float(ratio.min())
        section.at_least(f"{name}: rebake over repair, median", middle, REPAIR_AIM, "")
        section.at_least(f"{name}: rebake over repair, worst", least, SLOWEST_REPAIR, "")
    return [
        name,
        _three(times.update),
        _three(times.first),
        f"{np.median(times.following_us):.2f}",
        _three(times.sources),
        _three(times.pairs),
        f"{_three(times.repair)} ({len(times.repair)})",
        f"{rebake:.3g}",
        f"{np.median(ratio):.1f} ({ratio.min():.2f})",
    ]


def _layers_row(section: Section | None, name: str, level: LevelAsset, times: _Times) -> list[str]:
    clusters = _state(level.profile()).clusters
    assert clusters is not None
    made = clusters.made()
    if section is not None:
        middle = float(np.median(times.layers))
        section.at_most(f"{name}: layers of the hierarchy, median", middle, LAYERS_AIM_MS, "ms")
    return [
        name,
        f"{made.cluster_count:,}",
        ", ".join(f"{len(layer.node):,}" for layer in made.layers),
        _three(times.layers),
        _three(times.runs),
        _three(times.walk),
    ]


def _toggle(nav: Navigator, cell: Cell, standing: set[Cell], *, back: bool = False) -> None:
    if (cell in standing) != back:
        nav.update(blocked=[cell])
    else:
        nav.update(opened=[cell])


def _state(nav: Navigator) -> ProfileState:
    tables = nav._now.tables
    assert isinstance(tables, ChangedTables)
    return tables.state


def _share_in_doubt(state: ProfileState) -> float:
    """Share of all pairs that a flow field or a repaired row must answer."""
    source = np.bincount(state.source, minlength=3)
    goal = np.bincount(state.goal, minlength=3)
    fresh = source[0] * (goal[0] + goal[1]) + source[1] * goal[0]
    return 1 - float(fresh) / state.row_count**2


def _stale_pair(nav: Navigator, draw: random.Random) -> tuple[Cell, Cell]:
    state = _state(nav)
    goals = np.flatnonzero((state.goal > 0) & state.standing)
    goal = int(goals[draw.randrange(len(goals))])
    sources = np.flatnonzero((state.source + state.goal[goal] >= 2) & state.standing)
    start = int(sources[draw.randrange(len(sources))])
    flat = state.location
    width = nav._now.tables.places.width
    return tuple(divmod(int(flat[start]), width)[::-1]), tuple(divmod(int(flat[goal]), width)[::-1])


def _rebake_seconds(nav: Navigator) -> float:
    """All next hops of the level, once, on one thread."""
    tables = nav._now.tables
    usable = tables.usable

    def once() -> float:
        begun = time.perf_counter()
        compressed_next_hops(
            usable,
            chart(tables.cell_of_row, tables.places.hex_layout),
            unreachable_fits=True,
            algorithm="dijkstra",
            distances=False,
            budget=2**33,
            threads=1,
            progress=lambda done: None,
        )
        return time.perf_counter() - begun

    return once()


def _three(values: Iterable[float]) -> str:
    median, high, worst = np.percentile(list(values), [50, 95, 100])
    return f"{median:.2f}, {high:.2f}, {worst:.2f}"
