"""Benchmark random cell toggles: updates, first answers after them, layers and reader memory."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from bake.baking.level import bake_level
from bake.baking.sources import Task
from bake.core.processors import processors
from bake.play import open_asset
from bake.play.level import LevelAsset
from bake.play.live.changed import Changed
from bake.play.live.state import ProfileState
from bake.play.navigator import Navigator
from bake.project.recipe import LevelRecipe
from benchmarks.bench import Bench
from benchmarks.levels import level_file, small_level
from benchmarks.section import Section
from levelbake.places import Cell
from tests.support.rebuilt import check_hierarchy

FULL = ("den520d", "brc202d", "lak303d", "orz900d", "maze512-4-0")
QUICK = ("lak303d",)
SMALL = "32 x 32"

TOGGLES = 200
#: Toggles after which answers are compared before anything is timed.
CHECKED = 4
PAIRS = 2000

#: Milliseconds, median and 95th percentile, of an update of a cell that was baked.
UPDATE_AIMS = {"maze512-4-0": (0.2, 1.0)}
USUAL_AIMS = (0.4, 2.0)
HOP_AIM_US, DISTANCE_AIM_US, PATH_AIM_US = 100.0, 40.0, 60.0
LAYERS_AIM_MS = 1.0
SMALL_AIM_MS = 0.3
MEMORY_AIM = 2.0

_TABLES = ("components", "next_hops", "hierarchy")
_TICKS = 27720


@dataclass
class _Times:
    """Times of each toggle in milliseconds, or in microseconds if the name says so."""

    update: list[float] = field(default_factory=list)
    opened: list[float] = field(default_factory=list)
    hop_us: list[float] = field(default_factory=list)
    following_us: list[float] = field(default_factory=list)
    distance_us: list[float] = field(default_factory=list)
    path_us: list[float] = field(default_factory=list)
    rock_hop: list[float] = field(default_factory=list)
    layers: list[float] = field(default_factory=list)
    runs: list[float] = field(default_factory=list)
    walk: list[float] = field(default_factory=list)


def run(bench: Bench, section: Section) -> None:
    """Check and measure every map, then a small level."""
    assert bench.jit_seconds >= 0
    toggles = bench.either(TOGGLES, 20)
    hops, layers = [], []
    for name in bench.choose(section, FULL, QUICK):
        bench.tell(f"baking {name} with a hierarchy")
        asset = _baked(level_file(name), bench.scratch)
        memory = _memory(asset)
        section.at_most(f"{name}: memory after an update", memory[1] / memory[0], MEMORY_AIM, "x")
        with open_asset(asset) as level:
            bench.tell(f"checking {name}")
            _check(level, name)
            bench.tell(f"toggling {name}")
            measured = _measure(level, name, toggles)
            hops.append(_hops_row(section, name, measured, memory))
            layers.append(_layers_row(section, name, level, measured))
    source = bench.scratch / "small.map"
    source.write_text(small_level(32), encoding="ascii")
    asset = _baked(source, bench.scratch)
    memory = _memory(asset)
    with open_asset(asset) as level:
        _check(level, SMALL)
        measured = _measure(level, SMALL, toggles)
        hops.append(_hops_row(None, SMALL, measured, memory))
        layers.append(_layers_row(None, SMALL, level, measured))
    in_all = float(np.median(np.array(measured.update) + np.array(measured.hop_us) / 1000))
    section.at_most("32 x 32: update and first next hop, median", in_all, SMALL_AIM_MS, "ms")
    section.text(
        f"{toggles} random cells a map, which were open and are blocked, and {toggles} walls "
        "beside open ground, which are opened, each from the level as it was baked. *First "
        "answers* are single calls about random places after a cell was blocked; *following* is "
        "the next hop asked for again. After a wall was opened the first next hop comes from a "
        f"flow field. Before anything was timed, after {CHECKED} toggles, one upon another, "
        f"{PAIRS:,} pairs each were compared with scipy's Dijkstra on a graph of cells made for "
        "that, and the hierarchy with one built from scratch. Median, 95th percentile, worst. "
        "*Memory* is what a process holds that answers from the asset, before and after a first "
        "update with its first answers."
    )
    section.table(
        (
            "map",
            "update: cell blocked ms",
            "wall opened ms",
            "first next hop µs",
            "following µs",
            "first distance µs",
            "first path µs",
            "next hop after a wall opened ms",
            "memory MB",
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
    recipe = LevelRecipe(tables=_TABLES)
    bake_level(Task(source, asset, recipe), processors(), lambda stage, done: None)
    return asset


# -- correctness ----------------------------------------------------------------------------------


def _check(level: LevelAsset, name: str) -> None:
    """Compare answers after a sequence of toggles."""
    nav = level.profile()
    draw = random.Random(f"checked {name}")
    open_cells, beside = _toggled(level, nav)
    standing = set(open_cells)
    for _ in range(CHECKED):
        cell = draw.choice(open_cells if draw.random() < 0.5 or not beside else beside)
        _toggle(nav, cell, standing)
        standing ^= {cell}
        _compare(level, nav, standing, draw)
    level.repair(None)
    _compare(level, nav, standing, draw)
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
    if isinstance(nav._now.engine, Changed):
        check_hierarchy(nav._now)


# -- measuring ------------------------------------------------------------------------------------


def _measure(level: LevelAsset, name: str, toggles: int) -> _Times:
    nav = level.profile()
    draw = random.Random(name)
    open_cells, beside = _toggled(level, nav)
    standing = set(open_cells)
    level.warm_up("update")
    _toggle(nav, open_cells[0], standing)
    nav.search.walk(open_cells[-1], open_cells[-2])
    nav.path(open_cells[-1], open_cells[-2])
    _toggle(nav, open_cells[0], standing, back=True)
    times = _Times()
    for _ in range(toggles):
        cell = draw.choice(open_cells)
        begun = time.perf_counter()
        _toggle(nav, cell, standing)
        times.update.append(_since(begun))
        start, goal, other = (_draw_other(draw, open_cells, cell) for _ in range(3))
        nav.next_hop(start, start)  # the lookup itself is made here
        begun = time.perf_counter()
        nav.next_hop(start, goal)
        times.hop_us.append(1000 * _since(begun))
        begun = time.perf_counter()
        for _ in range(1000):
            nav.next_hop(start, goal)
        times.following_us.append(_since(begun))
        begun = time.perf_counter()
        nav.distance(other, goal)
        times.distance_us.append(1000 * _since(begun))
        begun = time.perf_counter()
        nav.path(goal, other)
        times.path_us.append(1000 * _since(begun))
        clusters = _state(nav).clusters
        assert clusters is not None
        begun = time.perf_counter()
        clusters.made()
        times.layers.append(_since(begun))
        begun = time.perf_counter()
        clusters.runs()
        times.runs.append(_since(begun))
        nav.search.walk(start, start)  # tables of the moment are laid out here
        begun = time.perf_counter()
        way = nav.search.walk(start, goal)
        if way is not None:
            next(way, None)
        times.walk.append(_since(begun))
        _toggle(nav, cell, standing, back=True)
        nav._now.searches.hierarchy  # noqa: B018  # as baked again
    for _ in range(toggles if beside else 0):
        cell = draw.choice(beside)
        begun = time.perf_counter()
        _toggle(nav, cell, standing)
        times.opened.append(_since(begun))
        start, goal = (_draw_other(draw, open_cells, cell) for _ in range(2))
        nav.next_hop(start, start)
        begun = time.perf_counter()
        nav.next_hop(start, goal)
        times.rock_hop.append(_since(begun))
        _toggle(nav, cell, standing, back=True)
    return times


def _draw_other(draw: random.Random, cells: list[Cell], but: Cell) -> Cell:
    """Return a random cell that differs from a given one."""
    cell = draw.choice(cells)
    while cell == but:
        cell = draw.choice(cells)
    return cell


_READER = """
import sys
import numpy as np
from bake.play import open_asset
def megabytes():
    return int(open("/proc/self/statm").read().split()[1]) * 4096 / 1e6
with open_asset(sys.argv[1]) as level:
    nav = level.profile()
    cells = np.argwhere(np.isfinite(nav.distances_to(nav.nearest((0, 0)))))[:, ::-1]
    shut = cells[len(cells) // 2]
    some = np.random.default_rng(1).choice(cells, 1000)
    some = some[(some != shut).any(axis=1)]
    starts, goals = some[:450], some[450:900]
    nav.next_hops(starts, goals)
    nav.paths(starts[:50], goals[:50])
    before = megabytes()
    start, goal = tuple(starts[0].tolist()), tuple(goals[0].tolist())
    nav.update(blocked=[tuple(shut.tolist())])
    nav.next_hop(start, goal), nav.distance(start, goal), nav.path(start, goal)
    nav.next_hops(starts, goals)
    print(before, megabytes())
"""


def _memory(asset: Path) -> tuple[float, float]:
    """Return the megabytes of a process that reads an asset, before and after its first update."""
    command = [sys.executable, "-c", _READER, str(asset)]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    return float(told[0]), float(told[1])


def _since(begun: float) -> float:
    return (time.perf_counter() - begun) * 1000


def _toggled(level: LevelAsset, nav: Navigator) -> tuple[list[Cell], list[Cell]]:
    """Return open cells, and walls beside them."""
    columns = level._columns(nav.name)
    cells: list[Cell] = [(x, y) for x, y in columns.version.cell_of_row.tolist()]
    beside = {(x + dx, y + dy) for x, y in cells for dx, dy in ((1, 0), (0, 1), (-1, 0), (0, -1))}
    inside = {(x, y) for x, y in beside if 0 <= x < level.width and 0 <= y < level.height}
    return cells, sorted(inside - set(cells))


def _hops_row(
    section: Section | None, name: str, times: _Times, memory: tuple[float, float]
) -> list[str]:
    if section is not None:
        for aim, share in zip(UPDATE_AIMS.get(name, USUAL_AIMS), (50, 95), strict=True):
            told = float(np.percentile(times.update, share))
            section.at_most(f"{name}: update of a cell, {share} %", told, aim, "ms")
        for what, each, aim in (
            ("first next hop", times.hop_us, HOP_AIM_US),
            ("exact distance", times.distance_us, DISTANCE_AIM_US),
            ("exact path", times.path_us, PATH_AIM_US),
        ):
            section.at_most(f"{name}: {what}, median", float(np.median(each)), aim, "µs")
    return [
        name,
        _three(times.update),
        _three(times.opened or [0.0]),
        _three(times.hop_us),
        f"{np.median(times.following_us):.2f}",
        _three(times.distance_us),
        _three(times.path_us),
        _three(times.rock_hop or [0.0]),
        f"{memory[0]:.0f}, {memory[1]:.0f}",
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
        "0" if made.layer is None else f"{len(made.layer.node):,}",
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
    engine = nav._now.engine
    assert isinstance(engine, Changed)
    return engine.state


def _three(values: Iterable[float]) -> str:
    median, high, worst = np.percentile(list(values), [50, 95, 100])
    return f"{median:.2f}, {high:.2f}, {worst:.2f}"
