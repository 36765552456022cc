"""Benchmark many agents on one map, and many path requests in the frames of a game."""

from __future__ import annotations

import math
import random
import time
from itertools import pairwise
from pathlib import Path
from typing import cast

import numpy as np

from bake.baking.level import bake_level
from bake.baking.sources import Task
from bake.core.processors import processors
from bake.extras.crowds.crowd import Crowd
from bake.extras.crowds.reservations import Conflicts, conflicts
from bake.extras.crowds.warm import warm_up
from bake.play import LevelAsset, open_asset
from bake.project.recipe import LevelRecipe
from benchmarks.bench import Bench
from benchmarks.levels import level_file
from benchmarks.section import Section
from levelbake.places import Cell

FULL = ("lak303d", "den520d")
QUICK = ("lak303d",)
AGENTS = (50, 100, 200)
QUICK_AGENTS = (50,)
#: Steps after which agents that have not arrived count as late.
MOST_STEPS = 2000
REQUESTS = 400
BUDGET_MS = 1.0
#: Maps on which requests are measured while the level changes, and the frames between changes.
CHANGING = ("lak303d", "ost100d")
CHANGE_EVERY = 10
#: Frames of a run with changes.
MOST_FRAMES = 400
TABLES = ("components", "next_hops", "hierarchy")


def run(bench: Bench, section: Section) -> None:
    """Measure crowds and requests on every map."""
    names = bench.choose(section, FULL, QUICK)
    assert bench.jit_seconds >= 0
    section.text(
        "Agents start at random places of a map and go to others, one cell a step. *Alone* each "
        "follows its baked path as if nobody else were there: how often two of them are on one "
        "cell, change places or cross is counted. *Together* they are led by windowed hierarchical "
        "cooperative A* (a window of 16 steps, planned anew after 8), where this was zero in every "
        "step. *Longer* is the cost of all ways over that of the shortest ones; *steps* is when "
        "the last one arrived, beside the longest path. A step in which nothing is planned takes "
        "the median; planning is spread over the steps between by calls of `plan`, or falls on "
        "one step, the longest."
    )
    rows: list[tuple[str, ...]] = []
    for name in names:
        bench.tell(name)
        with open_asset(_baked(bench, name, TABLES)) as level:
            for count in bench.either(AGENTS, QUICK_AGENTS):
                bench.tell(f"{name}, {count} agents")
                rows.append((f"{name}, {count}", *_crowd(level, count)))
    section.table(
        (
            *("map, agents", "conflicts alone", "together", "arrived", "longer", "steps (path)"),
            *("ms a step", "longest", "ms a step, median"),
        ),
        rows,
    )
    section.text(
        f"{REQUESTS} requests for paths, {BUDGET_MS:g} ms a frame, 4 at once, without next hops; "
        "one of ten has priority 8. Each path was compared with that of `nav.search`. *Frames* is "
        "how many a request took, in the median and at most, all of them being there from the "
        "first frame on."
    )
    rows = []
    for name in names:
        with open_asset(_baked(bench, name, ("components",))) as level:
            rows.append((name, *_requests(level, bench.either(REQUESTS, 60))))
    section.table(
        ("map", "frames", "mean ms", "99 %", "longest", "frames, urgent", "frames, others"), rows
    )
    section.text(
        f"The same while every {CHANGE_EVERY}th frame begins with a cell that closes, or opens "
        "again, and all requests under way begin again. *Closed* is how many other cells were "
        "closed before the first frame. Median and longest of all frames, and of those that begin "
        "with a change, whose update is not counted; then the same in milliseconds of the thread's "
        "own processor time, which other programs do not lengthen. The first column is how long "
        "asking for the queue took."
    )
    rows = []
    for name in names if bench.quick or bench.maps else bench.choose(section, CHANGING, QUICK):
        with open_asset(_baked(bench, name, ("components",))) as level:
            for closed in (0, 10, 100):
                bench.tell(f"{name}, changes, {closed} closed")
                rows.append((f"{name}, {closed}", *_changing(level, closed)))
    section.table(
        (
            *("map, closed", "queue, ms", "frames, ms", "longest", "changed, ms", "longest"),
            *("frames, processor", "longest", "changed, processor", "longest"),
        ),
        rows,
    )


def _baked(bench: Bench, name: str, tables: tuple[str, ...]) -> Path:
    asset = bench.scratch / f"{name}-{len(tables)}-many.h5"
    task = Task(level_file(name), asset, LevelRecipe(tables=tables))
    bake_level(task, processors(), lambda stage, done: None)
    return asset


def _ends(level: LevelAsset, count: int) -> tuple[list[Cell], list[Cell]]:
    """Return random starts and goals with a path between them."""
    nav, rng = level.profile(), random.Random(count)
    places = cast("list[Cell]", nav.places())
    home = max(rng.sample(places, 20), key=lambda place: len(nav.search.within(place, 60)[0]))
    joined = [place for place in places if nav.reachable(place, home)]
    return rng.sample(joined, count), rng.sample(joined, count)


def _crowd(level: LevelAsset, count: int) -> tuple[str, ...]:
    nav = level.profile()
    starts, goals = _ends(level, count)
    shortest = nav.distances(starts, goals)
    alone, longest = _alone(level, starts, goals)
    crowd = Crowd(level)
    agents = [crowd.add(start, goal) for start, goal in zip(starts, goals, strict=True)]
    crowd.step()  # Makes the fields of all goals, and compiles.
    spent, walked = [], np.zeros(count)
    ways: list[list[Cell]] = [
        [start, cast("Cell", agent.place)] for start, agent in zip(starts, agents, strict=True)
    ]
    while not all(agent.arrived for agent in agents) and crowd.steps < MOST_STEPS:
        before = time.perf_counter()
        crowd.step()
        spent.append(time.perf_counter() - before)
        for way, agent in zip(ways, agents, strict=True):
            way.append(cast("Cell", agent.place))
    assert crowd.conflicts == Conflicts(), f"{count} agents: {crowd.conflicts}"
    assert _format_count(ways, level.width) == Conflicts(), "conflicts that were not counted"
    there = np.array([agent.arrived for agent in agents])
    for number, way in enumerate(ways):
        walked[number] = nav.length([b for a, b in zip([None, *way], way, strict=False) if a != b])
    ms = np.array(spent) * 1e3
    return (
        f"{alone.total:,}",
        f"{crowd.conflicts.total}",
        f"{there.sum()} of {count}",
        f"{walked[there].sum() / shortest[there].sum() - 1:.2%}",
        f"{crowd.steps} ({longest})",
        f"{ms.mean():.2f}",
        f"{ms.max():.1f}",
        f"{np.median(ms):.2f}",
    )


def _alone(level: LevelAsset, starts: list[Cell], goals: list[Cell]) -> tuple[Conflicts, int]:
    """Move all agents along baked paths; return the conflicts and the steps of the longest path."""
    first, places = level.profile().paths(starts, goals)
    paths = [[tuple(cell) for cell in places[a:b].tolist()] for a, b in pairwise(first)]
    longest = max(len(path) for path in paths)
    ways = [path + path[-1:] * (longest - len(path)) for path in paths]
    return _format_count(ways, level.width), longest - 1


def _format_count(ways: list[list[Cell]], width: int) -> Conflicts:
    cells = [[[y * width + x] for x, y in way] for way in ways]
    total = Conflicts()
    for step in range(len(cells[0]) - 1):
        before, after = [way[step] for way in cells], [way[step + 1] for way in cells]
        total += conflicts(before, after, width)
    return total


def _requests(level: LevelAsset, count: int) -> tuple[str, ...]:
    nav = level.profile()
    starts, goals = _ends(level, count)
    warm_up(level)
    queue = nav.search.requests(budget_ms=BUDGET_MS)
    asked = [
        queue.add(start, goal, priority=1 if number % 10 else 8)
        for number, (start, goal) in enumerate(zip(starts, goals, strict=True))
    ]
    frames = []
    while len(queue):
        before = time.perf_counter()
        queue.run()
        frames.append(time.perf_counter() - before)
    for request in asked:
        found = nav.search(request.start, request.goal)
        same = request.path == found.path and request.cost == found.cost < math.inf
        assert same, f"{request.start} to {request.goal}"
    ms = np.array(frames) * 1e3

    def measure(urgent: bool) -> str:
        took = [each.frames for each in asked if (each.priority > 1) == urgent]
        return f"{np.median(took):.0f}, at most {max(took)}"

    return (
        f"{len(frames)}",
        f"{ms.mean():.2f}",
        f"{np.percentile(ms, 99):.2f}",
        f"{ms.max():.2f}",
        measure(True),
        measure(False),
    )


def _changing(level: LevelAsset, closed: int) -> tuple[str, ...]:
    """Run the frames of a queue while the level changes."""
    nav = level.profile()
    starts, goals = _ends(level, REQUESTS)
    warm_up(level)
    rng = random.Random(closed)
    kept = {*starts, *goals}
    others = [place for place in cast("list[Cell]", nav.places()) if place not in kept]
    shut = rng.sample(others, closed + 1)
    nav.update(blocked=shut)
    begun = time.perf_counter()
    queue = nav.search.requests(budget_ms=BUDGET_MS)
    made = time.perf_counter() - begun
    for start, goal in zip(starts, goals, strict=True):
        queue.add(start, goal)
    door, is_open = shut[-1], False
    spent: list[tuple[float, float]] = []
    while len(queue) and len(spent) < MOST_FRAMES:
        if len(spent) % CHANGE_EVERY == 0:
            is_open = not is_open
            if is_open:
                nav.update(opened=[door])
            else:
                door = rng.choice(others)
                nav.update(blocked=[door])
        before = time.perf_counter(), time.thread_time()
        queue.run()
        spent.append((time.perf_counter() - before[0], time.thread_time() - before[1]))
    nav.update(opened=[door, *shut])
    found = []
    for ms in (np.array(spent) * 1e3).T:
        for some in (ms, ms[::CHANGE_EVERY]):
            found += [f"{np.median(some):.2f}", f"{some.max():.2f}"]
    return (f"{made * 1e3:,.0f}", *found)
