"""HPA*: how much longer its paths are, how soon they come, what it takes to bake."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bake.levels.scenario import Scenario, read_scenario
from bake.pipeline.level import bake_level
from bake.pipeline.sources import Task
from bake.recipe import LevelRecipe
from bake.runtime import open_asset
from bake.runtime.navigator import Navigator
from bake.tables.clusters import clusters
from bake.tables.hierarchy import Hierarchy, Mode, hierarchy
from benchmarks.bench import Bench
from benchmarks.clock import undisturbed
from benchmarks.ground import Ground, ground_of
from benchmarks.levels import level_file, scenario_file
from benchmarks.section import Section

GAMES = ("lak303d", "den520d", "brc202d", "orz900d", "AR0011SR", "AcrosstheCape")
OTHERS = ("maze512-4-0", "32room_000", "random512-25-0")
QUICK = ("lak303d", "den520d", "32room_000")

#: Problems checked and timed of a map: evenly spread over its file.
PROBLEMS = 400
#: A game map counts for speed where A* takes this long in the median.
WORTHWHILE_US = 400.0
#: Aims for the mean error after smoothing, in percent.
MEAN_AIM = {"maze512-4-0": 0.3, "32room_000": 0.2, "random512-25-0": 0.8}
GAME_AIM = 0.2
TURNS = 3


@dataclass(frozen=True)
class _Measured:
    """Errors as fractions of the optimal length, times in seconds, of the same problems."""

    plain: npt.NDArray[np.float64]
    smooth: npt.NDArray[np.float64]
    walked: npt.NDArray[np.float64]
    astar: npt.NDArray[np.float64]
    whole: npt.NDArray[np.float64]
    first: npt.NDArray[np.float64]


def run(bench: Bench, section: Section) -> None:
    """Measure every map, then what baking takes."""
    names = bench.choose(section, (*GAMES, *OTHERS), QUICK)
    assert bench.jit_seconds >= 0
    problems = bench.either(PROBLEMS, 60)
    section.text(
        f"Up to {problems} problems of each map's scenario file, evenly spread: how much longer "
        "paths are than the file's optimal length, before and after smoothing, and as `nav.walk` "
        "gives them. Every path was checked first: steps the profile may take from start to goal, "
        "never shorter than the optimal length within what the file's digits round away, equal to "
        "it in mode exact."
    )
    section.text(
        "Times are of the longest third of each file. Contenders take turns, each with all its "
        f"problems one after another; the least of {TURNS} turns for each problem: A* with the "
        "octile heuristic and buckets; the whole smoothed path; the first piece of a walk. Calls "
        "from Python down to compiled kernels are counted in."
    )
    errors, speeds = [], []
    for name in names:
        bench.tell(f"{name}: baking")
        measured = _measure(bench, name, problems)
        _check_exact(bench, name, min(problems, 100))
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
        ("map", "A* µs", "whole µs", "first µs", "A* / whole", "A* / first"),
        speeds,
    )
    _bake(bench, section, names)


def _measure(bench: Bench, name: str, problems: int) -> _Measured:
    scenario = read_scenario(scenario_file(name))
    with open_asset(_baked(bench, name, "hpa")) as level:
        nav = level.profile()
        every = np.flatnonzero(scenario.optimal > 0)
        spread = every[np.linspace(0, len(every) - 1, min(problems, len(every))).astype(int)]
        plain, smooth, walked = (_errors(nav, scenario, spread, kind) for kind in range(3))
        third = every[np.argsort(scenario.optimal[every], kind="stable")[-(len(every) // 3) :]]
        timed = third[np.linspace(0, len(third) - 1, min(problems, len(third))).astype(int)]
        return _Measured(plain, smooth, walked, *_time(nav, scenario, timed))


def _baked(bench: Bench, name: str, mode: Mode) -> Path:
    asset = bench.scratch / f"{name}-{mode}.h5"
    if not asset.exists():
        recipe = LevelRecipe(tables=("components", "hierarchy"), hierarchy=mode)
        bake_level(Task(level_file(name), asset, recipe), 1, lambda stage, done: None)
    return asset


def _ends(nav: Navigator, scenario: Scenario, problem: int) -> tuple[int, int]:
    start, goal = scenario.start[problem].tolist(), scenario.goal[problem].tolist()
    return nav._row_of(tuple(start)), nav._row_of(tuple(goal))


def _errors(
    nav: Navigator, scenario: Scenario, spread: npt.NDArray[np.int64], kind: int
) -> npt.NDArray[np.float64]:
    """Relative errors of plans before smoothing, of whole paths, of walks; all checked."""
    found = []
    paths = nav._searches.hierarchy
    for problem in spread.tolist():
        start, goal = _ends(nav, scenario, problem)
        way = paths.find(start, goal)
        if kind < 2:
            rows, ticks = paths.rows(way, smooth=kind == 1)
            cells = nav._searches.places(rows)
        else:
            places = nav._searches.places
            cells = [places(np.array([start]))[0]]
            cells += [cell for piece in paths.walk(way) for cell in places(piece)]
            ticks = None
        found.append(_check(nav, scenario, problem, cells, ticks))
    return np.array(found)


def _check(
    nav: Navigator, scenario: Scenario, problem: int, cells: Sequence[object], ticks: int | None
) -> float:
    what = f"{scenario.source.name}: line {scenario.line[problem]}"
    assert cells[0] == tuple(scenario.start[problem].tolist()), f"{what}: another start"
    assert cells[-1] == tuple(scenario.goal[problem].tolist()), f"{what}: another goal"
    length = nav.length(cells)  # type: ignore[arg-type]
    units = nav._places.ticks_per_unit
    assert ticks is None or abs(ticks / units - length) < 1e-3, f"{what}: {ticks} ticks, {length}"
    optimal = float(scenario.optimal[problem])
    slack = 1e-4 + float(scenario.rounding[problem])
    assert length >= optimal - slack, f"{what}: {length} is shorter than {optimal}"
    return max(0.0, length / optimal - 1)


def _check_exact(bench: Bench, name: str, problems: int) -> None:
    scenario = read_scenario(scenario_file(name))
    with open_asset(_baked(bench, name, "exact")) as level:
        nav = level.profile()
        for problem in np.linspace(0, len(scenario) - 1, problems).astype(int).tolist():
            found = nav.search(
                tuple(scenario.start[problem].tolist()),
                tuple(scenario.goal[problem].tolist()),
                "hpa",
            )
            slack = 1e-3 + float(scenario.rounding[problem])
            optimal = float(scenario.optimal[problem])
            assert abs(found.cost - optimal) <= slack, f"{name}: exact {found.cost}, not {optimal}"


def _time(
    nav: Navigator, scenario: Scenario, timed: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    searches = nav._searches
    paths, space = searches.hierarchy, searches.space
    clock = time.perf_counter
    ends = [_ends(nav, scenario, problem) for problem in timed.tolist()]

    def astar(start: int, goal: int) -> None:
        space.astar(searches.estimate("octile", goal), start, goal)

    def whole(start: int, goal: int) -> None:
        paths.rows(paths.find(start, goal))

    def first(start: int, goal: int) -> None:
        next(paths.walk(paths.find(start, goal)), None)

    least = np.full((3, len(timed)), np.inf)
    with undisturbed():
        for _ in range(TURNS):
            for contender, work in enumerate((astar, whole, first)):
                for place, (start, goal) in enumerate(ends):
                    begun = clock()
                    work(start, goal)
                    taken = clock() - begun
                    least[contender, place] = min(least[contender, place], taken)
    return least[0], least[1], least[2]


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
    medians = [float(np.median(values)) for values in (measured.astar, measured.whole)]
    first = float(np.median(measured.first))
    return [
        f"{medians[0] * 1e6:,.0f}",
        f"{medians[1] * 1e6:,.1f}",
        f"{first * 1e6:,.1f}",
        f"{measured.astar.sum() / measured.whole.sum():.1f}",
        f"{measured.astar.sum() / measured.first.sum():.1f}",
    ]


def _state_aims(section: Section, name: str, measured: _Measured) -> None:
    mean = measured.smooth.mean() * 100
    section.at_most(f"{name}: mean error", mean, MEAN_AIM.get(name, GAME_AIM), "%", 3)
    if name not in GAMES:
        return
    section.at_most(f"{name}: p99", float(np.quantile(measured.smooth, 0.99)) * 100, 0.8, "%")
    section.at_most(f"{name}: mean before smoothing", measured.plain.mean() * 100, 1.5, "%")
    if np.median(measured.astar) * 1e6 >= WORTHWHILE_US:
        times = measured.astar.sum()
        section.at_least(f"{name}: A* / whole path", times / measured.whole.sum(), 12, "times", 1)
        section.at_least(f"{name}: A* / first move", times / measured.first.sum(), 25, "times", 1)


def _bake(bench: Bench, section: Section, names: Sequence[str]) -> None:
    rows = []
    slowest = 0.0
    for name in names:
        ground = ground_of(name)
        for mode in ("hpa", "exact"):
            seconds, found = _build(ground, mode, bench.either(3, 2))  # type: ignore[arg-type]
            sizes = [
                _layer_bytes(found, layer) / ground.nodes for layer in range(len(found.layers))
            ]
            transitions = [f"{len(layer.node):,}" for layer in found.layers]
            top = 0 if found.top_distance is None else found.top_distance.nbytes * 5 // 4
            rows.append(
                (
                    name,
                    f"{ground.nodes:,}",
                    mode,
                    f"{seconds:.3f}",
                    ", ".join(transitions),
                    ", ".join(f"{size:.2f}" for size in sizes),
                    f"{top / ground.nodes:.2f}",
                )
            )
            if mode == "hpa":
                slowest = max(slowest, seconds)
    section.text(
        "Clusters and hierarchy on one core, kernels compiled. Transitions and bytes a place of "
        "each layer, lowest first, as they lie in memory, and of the table on top."
    )
    section.table(("map", "nodes", "mode", "seconds", "transitions", "bytes a node", "table"), rows)
    section.at_most("slowest hierarchy, mode hpa", slowest, 0.5, "s")


def _build(ground: Ground, mode: Mode, turns: int) -> tuple[float, Hierarchy]:
    best = np.inf
    for _ in range(turns):
        begun = time.perf_counter()
        partition = clusters(ground.sub, size=32, cell=ground.cell)
        found = hierarchy(
            partition,
            ground.cell,
            square=True,
            mode=mode,
            spacing=8,
            levels=None,
            keep_paths=True,
            budget=2**31,
        )
        best = min(best, time.perf_counter() - begun)
    return best, found


def _layer_bytes(found: Hierarchy, place: int) -> int:
    layer = found.layers[place]
    arrays = [layer.node, layer.graph.first_out, layer.graph.head, layer.weight, layer.field]
    return sum(array.nbytes for array in arrays) + (found.landmark.nbytes if place == 0 else 0)
