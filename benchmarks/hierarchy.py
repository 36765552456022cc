"""Benchmark HPA*: suboptimality, time of paths, and cost of baking."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from unittest.mock import patch

import numpy as np

from bake.baking.level import bake_level
from bake.baking.sources import Task
from bake.core.arrays import Float64Array, Int64Array
from bake.levels.movingai import Scenario, read_scenario
from bake.play import open_asset
from bake.play.navigator import Navigator
from bake.play.searching.heuristics import heuristic_for
from bake.project.recipe import LevelRecipe
from bake.tables import hierarchy as hierarchies
from bake.tables.clusters import clusters
from bake.tables.hierarchy import Hierarchy, hierarchy
from benchmarks.bench import Bench
from benchmarks.clock import in_turns, seconds, undisturbed
from benchmarks.ground import Ground, ground_of
from benchmarks.levels import level_file, scenario_file
from benchmarks.section import Section

GAMES = ("lak303d", "den520d", "brc202d", "orz900d", "AR0011SR", "AcrosstheCape")
OTHERS = ("maze512-4-0", "32room_000", "random512-25-0")
QUICK = ("lak303d", "den520d", "32room_000")

#: The problems of a map that are timed, evenly spread over its file.
PROBLEMS = 400
#: Problems whose paths are checked at once.
PORTION = 500
#: Seconds of A* above which a game map counts for speed.
WORTHWHILE_US = 400.0
#: Aims for the mean error after smoothing, in percent.
MEAN_AIM = {"maze512-4-0": 0.3, "32room_000": 0.2, "random512-25-0": 0.8}
GAME_AIM = 0.2
TURNS = 3

#: Spacings of transitions in wide entrances that are compared, and the maps for it.
SPACINGS = (8, 4, 2, 1)
SPACED = ("lak303d", "brc202d", "AR0011SR")

#: Numbers of landmarks per component that are compared, and repetitions of each.
LANDMARKS = (4, 16, 24)
LANDMARK_TURNS = 9


@dataclass(frozen=True)
class _Measured:
    """Errors as fractions of the optimal length, and seconds per problem by contender."""

    plain: Float64Array
    smooth: Float64Array
    walked: Float64Array
    seconds: dict[str, float]


def run(bench: Bench, section: Section) -> None:
    """Measure every map, then the cost of baking."""
    names = bench.choose(section, (*GAMES, *OTHERS), QUICK)
    assert bench.jit_seconds >= 0
    problems = bench.either(PROBLEMS, 60)
    section.text(
        "How much longer paths are than the optimal length in the map's scenario file: smoothed, "
        "of every problem; before smoothing, and as `nav.search.walk` gives them, of "
        f"{problems} at most, evenly spread. Every path was checked first: steps the profile may "
        "take from start to goal, never shorter than the optimal length within what the "
        "file's digits round away."
    )
    section.text(
        "Times are of the longest third of each file, in microseconds a problem. Contenders take "
        f"turns, each with all its problems in a row; medians of {TURNS} turns. A* has the "
        "octile heuristic and buckets. The whole smoothed path and the first piece of a walk run "
        "compiled from one problem to the next, as for a crowd, and again with one call from "
        "Python for each."
    )
    errors, speeds = [], []
    for name in names:
        bench.tell(f"{name}: baking")
        measured = _measure(bench, name, problems)
        errors.append((name, *_percent(measured)))
        speeds.append((name, *_times(measured)))
        _state_aims(section, name, measured)
    section.table(
        (
            *("map", "before: mean %", "p99 %", "smoothed: mean %", "p99 %", "max %"),
            *("walked: mean %", "p99 %"),
        ),
        errors,
    )
    section.table(
        ("map", "A*", "whole", "first", "called: whole", "first", "A* / whole", "A* / first"),
        speeds,
    )
    _compare_landmarks(bench, section, names)
    _compare_spacings(bench, section, [name for name in names if name in SPACED])
    _bake(bench, section, names)


def _compare_landmarks(bench: Bench, section: Section, names: Sequence[str]) -> None:
    rows = []
    for name in names:
        scenario = read_scenario(scenario_file(name))
        every = np.flatnonzero(scenario.optimal > 0)
        every = every[np.linspace(0, len(every) - 1, min(4000, len(every))).astype(int)]
        timed = _longest(scenario, every, bench.either(PROBLEMS, 60))
        spent: dict[tuple[int, bool], float] = {}
        measured = {}
        with ExitStack() as opened:
            work = {}
            for count in LANDMARKS:
                bench.tell(f"{name}: {count} landmarks")
                asset = bench.scratch / f"{name}-landmarks-{count}.h5"
                with patch.object(hierarchies, "LANDMARKS", count):
                    recipe = LevelRecipe(tables=("components", "hierarchy"))
                    bake_level(Task(level_file(name), asset, recipe), 1, lambda stage, done: None)
                nav = opened.enter_context(open_asset(asset)).profile()
                paths = nav._now.searches.hierarchy
                ends = [_ends(nav, scenario, problem) for problem in timed.tolist()]
                expanded = [len(paths.find(*pair).expanded) for pair in ends]
                measured[count] = (_smoothed(nav, scenario, every), expanded, asset.stat().st_size)
                starts, goals = np.ascontiguousarray(np.array(ends, dtype=np.int32).T)
                for first in (True, False):
                    work[count, first] = partial(paths.many, starts, goals, first_piece=first)
            for _ in range(LANDMARK_TURNS):
                for what, each in work.items():
                    begun = time.thread_time()
                    each()
                    taken = (time.thread_time() - begun) / len(timed)
                    spent[what] = min(spent.get(what, taken), taken)
        for count, (error, expanded, size) in measured.items():
            rows.append(
                (
                    *(name, str(count), f"{np.median(expanded):,.0f}"),
                    f"{np.quantile(expanded, 0.95):,.0f}",
                    *(f"{spent[count, first] * 1e6:.1f}" for first in (True, False)),
                    f"{size:,}",
                    *(f"{error.mean() * 100:.4f}", f"{np.quantile(error, 0.99) * 100:.2f}"),
                )
            )
    section.text(
        "The same with other numbers of landmarks: transitions expanded of the same problems, the "
        "median and the 95th percentile; the first piece and the whole path in microseconds, as "
        "for a crowd, by the processor time of the thread, the least of "
        f"{LANDMARK_TURNS} turns; what the file takes; how much longer smoothed paths are."
    )
    section.table(
        (
            *("map", "landmarks", "expanded", "p95", "first, µs", "whole, µs", "file, bytes"),
            *("mean %", "p99 %"),
        ),
        rows,
    )


def _compare_spacings(bench: Bench, section: Section, names: Sequence[str]) -> None:
    rows = []
    for name in names:
        scenario = read_scenario(scenario_file(name))
        every = np.flatnonzero(scenario.optimal > 0)
        timed = _longest(scenario, every, PROBLEMS)
        for spacing in SPACINGS:
            bench.tell(f"{name}: spacing {spacing}")
            asset = _baked(bench, name, spacing)
            with open_asset(asset) as level:
                nav = level.profile()
                error = _smoothed(nav, scenario, every)
                spent = _time(nav, scenario, timed)
            rows.append(
                (
                    *(name, str(spacing), f"{error.mean() * 100:.4f}"),
                    *(f"{np.quantile(error, 0.99) * 100:.2f}", f"{error.max() * 100:.2f}"),
                    *(f"{spent[what] * 1e6:.1f}" for what in ("whole", "first")),
                    f"{asset.stat().st_size:,}",
                )
            )
    section.text(
        "The same with other values of `spacing` in the recipe. With 1 every crossing of an "
        "entrance is a transition, but for diagonal steps that two straight ones replace. Files "
        "hold components, clusters and the hierarchy."
    )
    section.table(
        (
            *("map", "spacing", "mean %", "p99 %", "max %", "whole, µs", "first, µs"),
            "file, bytes",
        ),
        rows,
    )


def _measure(bench: Bench, name: str, problems: int) -> _Measured:
    scenario = read_scenario(scenario_file(name))
    with open_asset(_baked(bench, name)) as level:
        nav = level.profile()
        every = np.flatnonzero(scenario.optimal > 0)
        spread = every[np.linspace(0, len(every) - 1, min(problems, len(every))).astype(int)]
        plain, walked = (_errors(nav, scenario, spread, walks=walks) for walks in (False, True))
        smooth = _smoothed(nav, scenario, every)
        timed = _longest(scenario, every, problems)
        return _Measured(plain, smooth, walked, _time(nav, scenario, timed))


def _longest(scenario: Scenario, every: Int64Array, count: int) -> Int64Array:
    """Return some of the longest third of the problems."""
    third = every[np.argsort(scenario.optimal[every], kind="stable")[-(len(every) // 3) :]]
    spread: Int64Array = np.linspace(0, len(third) - 1, min(count, len(third))).astype(np.int64)
    return third[spread]


def _baked(bench: Bench, name: str, spacing: int = SPACINGS[0]) -> Path:
    asset = bench.scratch / f"{name}-hpa-{spacing}.h5"
    if not asset.exists():
        recipe = LevelRecipe(tables=("components", "hierarchy"), spacing=spacing)
        bake_level(Task(level_file(name), asset, recipe), 1, lambda stage, done: None)
    return asset


def _ends(nav: Navigator, scenario: Scenario, problem: int) -> tuple[int, int]:
    start, goal = scenario.start[problem].tolist(), scenario.goal[problem].tolist()
    return nav._now.rows.row(tuple(start)), nav._now.rows.row(tuple(goal))


def _smoothed(nav: Navigator, scenario: Scenario, every: Int64Array) -> Float64Array:
    """Return the relative errors of smoothed paths, after checking each step."""
    space, paths = nav._now.searches.space, nav._now.searches.hierarchy
    nodes = np.int64(space.graph.node_count)
    step = space.graph.tail() * nodes + space.graph.head
    order = np.argsort(step, kind="stable")
    step, weight = step[order], space.weight[order]
    found = []
    for begin in range(0, len(every), PORTION):
        part = every[begin : begin + PORTION]
        ends = np.array([_ends(nav, scenario, problem) for problem in part.tolist()], np.int32)
        starts, goals = np.ascontiguousarray(ends.T)
        first, rows = paths.many(starts, goals)
        what = f"{scenario.source.name}: problems {begin} to {begin + len(part)}"
        assert (np.diff(first) > 0).all(), f"{what}: no path"
        assert (rows[first[:-1]] == starts).all(), f"{what}: another start"
        assert (rows[first[1:] - 1] == goals).all(), f"{what}: another goal"
        taken = rows[:-1] * nodes + rows[1:]
        at = np.minimum(np.searchsorted(step, taken), len(step) - 1)
        within = np.ones(len(taken), dtype=np.bool_)
        within[first[1:-1] - 1] = False
        assert (step[at[within]] == taken[within]).all(), f"{what}: a step that is none"
        so_far = np.concatenate([[0], np.cumsum(np.where(within, weight[at], 0))])
        ticks = so_far[first[1:] - 1] - so_far[first[:-1]]
        length = ticks / nav._now.version.places.ticks_per_unit
        optimal = scenario.optimal[part]
        slack = 1e-4 + 1e-6 * optimal + scenario.rounding[part]
        assert (length >= optimal - slack).all(), f"{what}: shorter than the shortest"
        found.append(np.maximum(0.0, length / optimal - 1))
    return np.concatenate(found)


def _errors(nav: Navigator, scenario: Scenario, spread: Int64Array, *, walks: bool) -> Float64Array:
    """Return the relative errors of plans before smoothing, or of walks, after checking them."""
    found = []
    paths, places = nav._now.searches.hierarchy, nav._now.rows.places
    for problem in spread.tolist():
        start, goal = _ends(nav, scenario, problem)
        ticks = None
        if walks:
            pieces = paths.walk(start, goal)
            assert pieces is not None, f"{scenario.source.name}: no path"
            cells = places(np.array([start]))
            cells += [cell for piece in pieces for cell in places(piece)]
        else:
            way = paths.find(start, goal)
            cells, ticks = places(paths.rows(way)), way.ticks
        found.append(_check(nav, scenario, problem, cells, ticks))
    return np.array(found)


def _check(
    nav: Navigator, scenario: Scenario, problem: int, cells: Sequence[object], ticks: int | None
) -> float:
    what = f"{scenario.source.name}: line {scenario.line[problem]}"
    assert cells[0] == tuple(scenario.start[problem].tolist()), f"{what}: another start"
    assert cells[-1] == tuple(scenario.goal[problem].tolist()), f"{what}: another goal"
    length = nav.length(cells)  # type: ignore[arg-type]
    units = nav._now.version.places.ticks_per_unit
    assert ticks is None or abs(ticks / units - length) < 1e-3, f"{what}: {ticks} ticks, {length}"
    optimal = float(scenario.optimal[problem])
    slack = 1e-4 + float(scenario.rounding[problem])
    assert length >= optimal - slack, f"{what}: {length} is shorter than {optimal}"
    return max(0.0, length / optimal - 1)


def _time(nav: Navigator, scenario: Scenario, timed: Int64Array) -> dict[str, float]:
    """Return the seconds per problem of each contender."""
    searches = nav._now.searches
    paths, space = searches.hierarchy, searches.space
    rows = np.array([_ends(nav, scenario, problem) for problem in timed.tolist()], dtype=np.int32)
    starts, goals = np.ascontiguousarray(rows.T)
    ends = rows.tolist()

    def astar() -> None:
        for start, goal in ends:
            space.astar(heuristic_for(searches, "octile", goal), start, goal)

    contenders: dict[str, Callable[[], object]] = {
        "astar": astar,
        "whole": lambda: paths.many(starts, goals),
        "first": lambda: paths.many(starts, goals, first_piece=True),
        "whole, one a call": lambda: [paths.path(*pair) for pair in ends],
        "first, one a call": lambda: [next(paths.walk(*pair) or iter(()), 0) for pair in ends],
    }
    for work in contenders.values():
        work()
    with undisturbed():
        taken = in_turns({name: partial(seconds, work) for name, work in contenders.items()}, TURNS)
    return {name: spent / len(ends) for name, spent in taken.items()}


def _percent(measured: _Measured) -> list[str]:
    cells = []
    for values, with_most in (
        (measured.plain, False),
        (measured.smooth, True),
        (measured.walked, False),
    ):
        cells += [f"{values.mean() * 100:.3f}", f"{np.quantile(values, 0.99) * 100:.2f}"]
        cells += [f"{values.max() * 100:.2f}"] if with_most else []
    return cells


def _times(measured: _Measured) -> list[str]:
    spent = measured.seconds
    micro = [f"{value * 1e6:,.1f}" for value in spent.values()]
    ratios = [spent["astar"] / spent[name] for name in ("whole", "first")]
    return [*micro, *(f"{ratio:.1f}" for ratio in ratios)]


def _state_aims(section: Section, name: str, measured: _Measured) -> None:
    mean = measured.smooth.mean() * 100
    section.at_most(f"{name}: mean error", mean, MEAN_AIM.get(name, GAME_AIM), "%", 3)
    if name not in GAMES:
        return
    section.at_most(f"{name}: p99", float(np.quantile(measured.smooth, 0.99)) * 100, 0.3, "%")
    section.at_most(f"{name}: worst", float(measured.smooth.max()) * 100, 2.0, "%")
    section.at_most(f"{name}: mean before smoothing", measured.plain.mean() * 100, 1.5, "%")
    spent = measured.seconds
    if spent["astar"] * 1e6 >= WORTHWHILE_US:
        ratio = spent["astar"] / spent["whole"]
        section.at_least(f"{name}: A* / whole path", ratio, 12, "times", 1)
        ratio = spent["astar"] / spent["first"]
        section.at_least(f"{name}: A* / first move", ratio, 25, "times", 1)


def _bake(bench: Bench, section: Section, names: Sequence[str]) -> None:
    rows = []
    slowest = 0.0
    for name in names:
        ground = ground_of(name)
        spent, found = _build(ground, bench.either(3, 2))
        rows.append(
            (
                name,
                f"{ground.nodes:,}",
                f"{spent:.3f}",
                f"{len(found.layers[0].node):,}",
                f"{_layer_bytes(found) / ground.nodes:.2f}",
            )
        )
        slowest = max(slowest, spent)
    section.text(
        "Clusters and hierarchy on one core, kernels compiled; transitions, and bytes a place as "
        "they lie in memory."
    )
    section.table(("map", "nodes", "seconds", "transitions", "bytes a node"), rows)
    section.at_most("slowest hierarchy", slowest, 0.5, "s")


def _build(ground: Ground, turns: int) -> tuple[float, Hierarchy]:
    best = np.inf
    for _ in range(turns):
        begun = time.perf_counter()
        partition = clusters(ground.sub, size=32, cell=ground.cell)
        found = hierarchy(
            partition,
            ground.cell,
            square=True,
            spacing=SPACINGS[0],
            levels=1,
            keep_paths=True,
            budget=2**31,
        )
        best = min(best, time.perf_counter() - begun)
    return best, found


def _layer_bytes(found: Hierarchy) -> int:
    layer = found.layers[0]
    kept = (layer.node, layer.first_out, layer.arcs, layer.flow, found.landmark)
    return sum(array.nbytes for array in kept)
