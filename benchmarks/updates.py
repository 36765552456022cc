"""Cells toggled at random: the update, the first answer to a stale goal, a whole repair."""

from __future__ import annotations

import random
import time
from collections.abc import Iterable

import numpy as np

from bake.greedy import chart
from bake.runtime import open_asset
from bake.runtime.level import LevelAsset
from bake.runtime.live.moment import Moment
from bake.runtime.navigator import Navigator
from bake.runtime.places import Cell
from bake.tables.compressed import compressed_next_hops
from benchmarks.bench import Bench
from benchmarks.section import Section

FULL = ("den520d", "brc202d", "lak303d", "maze512-4-0")
QUICK = ("lak303d",)

TOGGLES = 200
#: Whole repairs take as long as a rebake at worst.
REPAIRS = 20

UPDATE_AIM_MS = 15.0
FIRST_AIM_MS = 3.0
REPAIR_AIM = 20.0


def run(bench: Bench, section: Section) -> None:
    """Measure every map."""
    toggles, repairs = bench.either((TOGGLES, REPAIRS), (20, 4))
    section.text(
        f"{toggles} random cells a map, open ones blocked and walls beside open ground opened, "
        f"each from the level as it was baked; whole repairs for the first {repairs} of them, "
        "against all next hops made anew in the same process, one thread. Milliseconds: median, "
        "95th percentile, worst."
    )
    rows = []
    for name in bench.choose(section, FULL, QUICK):
        with open_asset(bench.baked(name).asset) as level:
            rows.append((name, *_measure(level, section, name, toggles, repairs)))
    section.table(
        (
            "map",
            "update",
            "first answer to a stale goal",
            "following µs",
            "sources in doubt %",
            "pairs in doubt %",
            "whole repair",
            "rebake s",
            "rebake : repair, median (worst)",
        ),
        rows,
    )


def _measure(
    level: LevelAsset, section: Section, name: str, toggles: int, repairs: int
) -> list[str]:
    nav = level.profile()
    draw = random.Random(name)
    cells = _cells(nav)
    standing = set(cells)
    beside = sorted(
        {(x + dx, y + dy) for x, y in cells for dx, dy in ((1, 0), (0, 1), (-1, 0), (0, -1))}
        - standing
    )
    beside = [(x, y) for x, y in beside if 0 <= x < level.width and 0 <= y < level.height]
    _toggle(nav, cells[0], standing)
    _toggle(nav, cells[0], standing, back=True)
    rebake = _rebake_seconds(nav)
    update, first, following, doubt, pairs, repair = ([] for _ in range(6))  # type: ignore[var-annotated]
    for turn in range(toggles):
        cell = draw.choice(cells if draw.random() < 0.5 or not beside else beside)
        begun = time.perf_counter()
        _toggle(nav, cell, standing)
        update.append((time.perf_counter() - begun) * 1000)
        moment = nav._current.moments[nav.name]
        state = moment.state
        doubt.append(100 * np.count_nonzero(state.source) / state.row_count)
        pairs.append(100 * _share_in_doubt(moment))
        start, goal = _stale_pair(moment, draw)
        nav.next_hop(start, start)  # the lookup itself is made here
        begun = time.perf_counter()
        nav.next_hop(start, goal)
        first.append((time.perf_counter() - begun) * 1000)
        begun = time.perf_counter()
        for _ in range(1000):
            nav.next_hop(start, goal)
        following.append((time.perf_counter() - begun) * 1000)
        if turn < repairs:
            begun = time.perf_counter()
            nav.repair(None)
            repair.append((time.perf_counter() - begun) * 1000)
        _toggle(nav, cell, standing, back=True)
    section.at_most(f"{name}: update call, median", float(np.median(update)), UPDATE_AIM_MS, "ms")
    section.at_most(
        f"{name}: first stale answer, median", float(np.median(first)), FIRST_AIM_MS, "ms"
    )
    ratio = rebake * 1000 / np.array(repair)
    section.at_least(f"{name}: rebake over repair, median", float(np.median(ratio)), REPAIR_AIM, "")
    return [
        _three(update),
        _three(first),
        f"{np.median(following):.2f}",
        _three(doubt),
        _three(pairs),
        _three(repair),
        f"{rebake:.2f}",
        f"{np.median(ratio):.1f} ({ratio.min():.2f})",
    ]


def _cells(nav: Navigator) -> list[Cell]:
    return [(int(x), int(y)) for x, y in nav._now.tables.cell_of_row.tolist()]


def _toggle(nav: Navigator, cell: Cell, standing: set[Cell], *, back: bool = False) -> None:
    if (cell in standing) != back:
        nav.update(blocked=[cell])
    else:
        nav.update(opened=[cell])


def _share_in_doubt(moment: Moment) -> float:
    """Share of all pairs that a flow field or a repaired row must answer."""
    source = np.bincount(moment.state.source, minlength=3)
    goal = np.bincount(moment.state.goal, minlength=3)
    fresh = source[0] * (goal[0] + goal[1]) + source[1] * goal[0]
    return 1 - float(fresh) / moment.state.row_count**2


def _stale_pair(moment: Moment, draw: random.Random) -> tuple[Cell, Cell]:
    state = moment.state
    goals = np.flatnonzero((state.goal > 0) & state.standing)
    goal = int(goals[draw.randrange(len(goals))])
    sources = np.flatnonzero((state.source + state.goal[goal] >= 2) & state.standing)
    start = int(sources[draw.randrange(len(sources))])
    flat = state.spot_of_row
    width = moment.tables.places.width
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
