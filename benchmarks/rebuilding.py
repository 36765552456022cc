"""Check answers on levels that are rebuilt at runtime, and on doors, against Dijkstra."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from bake.core.arrays import BoolArray
from bake.core.level import GridLevel
from bake.levels import load
from bake.play import open_asset
from benchmarks.bench import Bench, Skip
from benchmarks.levels import level_file
from benchmarks.section import Section
from tests.support.changing_field import ChangingField

#: Width and height of the field that is built on, its buildings, and the answers checked in all.
FIELD, BUILDINGS = (281, 209), 93
#: Maps that a field of their size is switched to, the smaller one piece by piece as well, and the
#: maze whose doors toggle. On a million cells one update in which many arcs change takes 40 s.
LARGE, SMALLER, MAZE = "TheFrozenSea", "lak303d", "maze512-4-0"
#: The number of updates in which a map is loaded, if not in one.
PIECES = 60
#: Doors of the maze, and how often some of them toggle.
DOORS, TOGGLES = 400, 60

#: A scenario: for each update the walls afterwards, and whether to check answers then.
Script = Iterator[tuple[BoolArray, bool]]


def run(bench: Bench, section: Section) -> None:
    """Play every scenario and count wrong answers."""
    assert bench.jit_seconds >= 0
    rows = [_built_up(bench)]
    rows += [_switched(bench, name, at_once=True) for name in bench.either((LARGE,), ())]
    rows += [_switched(bench, SMALLER, at_once=at_once) for at_once in (True, False)]
    rows.append(_doors(bench))
    section.text(
        "Fields of equal cells, 8 neighbours, no corner cutting. After an update distances, next "
        "hops and whole paths are asked for, many in a call and one by one, and compared with "
        "scipy's Dijkstra on a graph of the cells that are free then. *Update* is "
        "`nav.update`, and *first distance* the first question after it: median and worst."
    )
    columns = ("scenario", "cells", "updates", "answers", "wrong")
    section.table((*columns, "update ms", "first distance ms"), rows)


def _built_up(bench: Bench) -> tuple[str, ...]:
    """Yield a field that gains one building after another, and loses them in another order."""
    width, height = FIELD
    draw = random.Random("buildings")

    def script() -> Script:
        buildings, now = [], np.ones((height, width), dtype=np.bool_)
        for _ in range(bench.either(BUILDINGS, 12)):
            w, h = draw.randint(4, 40), draw.randint(4, 30)
            x, y = draw.randrange(width - w), draw.randrange(height - h)
            walls = np.zeros_like(now)
            walls[y : y + h, x : x + w] = True
            walls[y + 1 : y + h - 1, x + 1 : x + w - 1] = draw.random() < 0.5
            walls[y, x + w // 2] = walls[y + h - 1, x + w // 3] = False
            buildings.append(walls)
            yield ~np.logical_or.reduce(buildings), True
        draw.shuffle(buildings)
        while buildings:
            buildings.pop()
            yield ~np.logical_or.reduce([*buildings, np.zeros_like(now)]), True

    return _played(bench, f"buildings on {width} x {height}", ChangingField(*FIELD), script(), 4)


def _switched(bench: Bench, name: str, *, at_once: bool) -> tuple[str, ...]:
    """Yield an open field that becomes a game's map and an open field again, twice."""
    wanted = _standing(name)
    open_field = np.ones_like(wanted)
    height, width = wanted.shape

    def script() -> Script:
        now = open_field
        for turn, goal in enumerate([wanted, open_field] * (2 if at_once else 1)):
            if at_once:
                yield goal, True
                continue
            order = np.random.default_rng(turn).permutation(np.flatnonzero((now != goal).ravel()))
            for number, cells in enumerate(np.array_split(order, PIECES)):
                now = now.copy()
                now.ravel()[cells] = goal.ravel()[cells]
                yield now, number % 10 == 9

    how = "in one update" if at_once else f"in {PIECES} updates"
    return _played(bench, f"{name} {how}", ChangingField(width, height), script(), 2)


def _doors(bench: Bench) -> tuple[str, ...]:
    """Yield a maze whose doors close and open, some at a time."""
    free = _standing(MAZE)
    draw = random.Random("doors")
    doors = [tuple(cell) for cell in np.argwhere(free).tolist()]
    doors = draw.sample(doors, DOORS)

    def script() -> Script:
        now = free
        for _ in range(bench.either(TOGGLES, 6)):
            now = now.copy()
            for door in draw.sample(doors, draw.choice((1, 1, 4, 40))):
                now[door] ^= True
            yield now, True
        yield free, True

    field = ChangingField(free.shape[1], free.shape[0])
    field.standing = free.copy()
    return _played(bench, f"doors in {MAZE}", field, script(), 2)


def _standing(name: str) -> BoolArray:
    file = level_file(name)
    if not file.exists():
        raise Skip(f"{name} is not here (set BAKE_SHARED_LEVELS to the folder of levels)")
    level = load(file, {})
    assert isinstance(level, GridLevel)
    free = np.array([rule.cost is not None for rule in level.terrain_rules.values()])
    return np.asarray(free[level.terrain])


def _played(
    bench: Bench, what: str, field: ChangingField, script: Script, goals: int
) -> tuple[str, ...]:
    """Bake a field, run a scenario on it, and return its row of the table."""
    bench.tell(what)
    asset = field.baked(Path(bench.scratch), tables=("components",))
    draw, update_ms, first_ms, wrong, asked = random.Random(what), [], [], 0, 0
    with open_asset(asset) as level:
        nav = level.profile()
        for walls, ask in script:
            blocked, opened = field.turned_into(walls)
            begun = time.perf_counter()
            nav.update(blocked, opened)
            update_ms.append(1000 * (time.perf_counter() - begun))
            if ask:
                start, goal = np.argwhere(walls)[[0, -1], ::-1].tolist()
                begun = time.perf_counter()
                nav.distance(start, goal)
                first_ms.append(1000 * (time.perf_counter() - begun))
                missed, of = field.count_wrong(nav, draw, goals, bench.either(100, 20))
                wrong, asked = wrong + missed, asked + of
    assert not wrong, f"{what}: {wrong:,} of {asked:,} answers are wrong"
    numbers = f"{field.standing.size:,}", f"{len(update_ms):,}", f"{asked:,}", f"{wrong:,}"
    spread = (f"{np.median(ms):,.1f} ({max(ms):,.0f})" for ms in (update_ms, first_ms))
    return what, *numbers, *spread
