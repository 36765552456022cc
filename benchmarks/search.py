"""Compare A* with other libraries, one path at a time, on the longest third of a scenario file."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from bake.baking.level import bake_level
from bake.baking.sources import Task
from bake.levels.movingai import Scenario, read_scenario
from bake.play import Navigator, open_asset
from bake.project.recipe import LevelRecipe
from benchmarks.bench import Bench
from benchmarks.clock import in_turns, seconds, undisturbed
from benchmarks.ground import ground_of
from benchmarks.levels import level_file, scenario_file
from benchmarks.search_peers import SEARCH_PEERS, Cell, length_of
from benchmarks.section import Section

FULL = (
    *("lak303d", "den520d", "brc202d", "orz900d", "AR0011SR", "AcrosstheCape"),
    *("maze512-4-0", "32room_000", "random512-25-0"),
)
QUICK = ("den312d", "lak303d")
ROUNDS = 3
PROBLEMS = 200
NETWORKX_AIM = 30.0
OTHERS_AIM = 1.0
TOLERANCE = 1e-3

#: Start, goal, length, and the rounding error of the length.
Problem = tuple[Cell, Cell, float, float]


def run(bench: Bench, section: Section) -> None:
    """Check and time every contender on every map."""
    names = bench.choose(section, FULL, QUICK)
    rounds = bench.either(ROUNDS, 3)
    peers = [peer for peer in SEARCH_PEERS if peer.installed]
    missing = [peer.package for peer in SEARCH_PEERS if not peer.installed]
    section.text(
        "`nav.search(a, b)` (A*, octile heuristic, bucket queue, compiled; the whole call, the "
        "path as a list of cells included) on problems spread over the longest third of the map's "
        f"scenario file, {PROBLEMS} at most, others on fewer of the same. Eight neighbours, no "
        "corner cut. Microseconds a query, "
        f"medians of {rounds}. All paths were checked first: of the file's length within "
        f"{TOLERANCE:g} and what its digits round away. tcod has no rule for "
        "corners, so each direction got an array of the cells "
        "it may enter, which amounts to the same graph; it makes a new `Pathfinder` a query, which "
        "is how it searches with a heuristic. Others are asked as they are meant to be: "
        + "; ".join(f"{peer.label}: {peer.asks}" for peer in peers)
        + "."
    )
    if missing:
        section.text(f"Not installed, so not measured: {', '.join(missing)}.")
    rows = []
    for name in names:
        bench.tell(f"{name}: A*")
        ground = ground_of(name)
        problems = _longest(read_scenario(scenario_file(name)))
        with open_asset(_baked(bench, name)) as level, undisturbed():
            nav = level.profile()
            finders: dict[str, Callable[[Cell, Cell], Any]] = {
                "bake": partial(_measure_query, nav),
                **{peer.package: peer.prepare(ground) for peer in peers},
            }
            sizes = {"bake": PROBLEMS, **{peer.package: peer.problems for peer in peers}}
            samples = {who: _spread(problems, sizes[who]) for who in finders}
            for who, find in finders.items():
                _check(name, who, find, samples[who])
            ratios = {}
            for who, find in finders.items():
                if who != "bake":
                    ours, other = _beside(finders["bake"], find, samples[who], rounds)
                    ratios[who] = (other, other / ours)
            time, expanded = _alone(nav, samples["bake"], rounds)
        for who, (_, ratio) in ratios.items():
            aim = NETWORKX_AIM if who == "networkx" else OTHERS_AIM
            section.at_least(f"{name}: times as fast as {who}", ratio, aim, "x", digits=1)
        others = [
            f"{ratios[peer.package][0]:,.0f} ({ratios[peer.package][1]:.1f}x)" for peer in peers
        ]
        rows.append(
            (name, f"{time:,.0f}", f"{expanded:,.0f}", f"{time * 1000 / expanded:.0f}", *others)
        )
    columns = ("map", "bake, µs", "expanded", "ns an expansion")
    section.table((*columns, *(f"{peer.package}, µs (ratio)" for peer in peers)), rows)


def _baked(bench: Bench, name: str) -> Path:
    """Return a map with only its components, which is enough for searches."""
    asset = bench.scratch / f"{name}-search.h5"
    task = Task(level_file(name), asset, LevelRecipe(tables=("components",)))
    bake_level(task, 1, lambda stage, done: None)
    return asset


def _longest(scenario: Scenario) -> list[Problem]:
    """Return the longest third of the problems, as cells and lengths."""
    order = scenario.optimal.argsort(kind="stable")[2 * len(scenario) // 3 :]
    ends = zip(scenario.start[order].tolist(), scenario.goal[order].tolist(), strict=True)
    return [
        ((a[0], a[1]), (b[0], b[1]), length, rounding)
        for (a, b), length, rounding in zip(
            ends, scenario.optimal[order].tolist(), scenario.rounding[order].tolist(), strict=True
        )
    ]


def _spread(problems: list[Problem], count: int) -> list[Problem]:
    return problems[:: -(-len(problems) // count)]


def _check(name: str, who: str, find: Callable[[Cell, Cell], Any], sample: list[Problem]) -> None:
    for start, goal, length, rounding in sample:
        path = find(start, goal)
        assert [*path[0]] == [*start], f"{name}, {who}: a path begins elsewhere"
        assert [*path[-1]] == [*goal], f"{name}, {who}: a path ends elsewhere"
        found = length_of(path)
        near = abs(found - length) <= TOLERANCE + 1e-5 * length + rounding
        assert near, f"{name}, {who}: {start} to {goal} is {found}, not {length}"


def _beside(
    ours: Callable[[Cell, Cell], Any],
    other: Callable[[Cell, Cell], Any],
    sample: list[Problem],
    rounds: int,
) -> tuple[float, float]:
    """Return microseconds per query of both, in turns over the same problems."""

    def timed(find: Callable[[Cell, Cell], Any]) -> Callable[[], float]:
        def once() -> float:
            return seconds(lambda: [find(a, b) for a, b, *_ in sample]) * 1e6 / len(sample)

        return once

    times = in_turns({"ours": timed(ours), "other": timed(other)}, rounds)
    return times["ours"], times["other"]


def _measure_query(nav: Navigator, start: Cell, goal: Cell) -> Any:
    return nav.search(start, goal).path


def _alone(nav: Navigator, sample: list[Problem], rounds: int) -> tuple[float, float]:
    """Return microseconds and expansions per query."""
    expanded = sum(nav.search(a, b).expanded for a, b, *_ in sample) / len(sample)

    def once() -> float:
        return seconds(lambda: [nav.search(a, b) for a, b, *_ in sample]) * 1e6 / len(sample)

    return in_turns({"ours": once}, rounds)["ours"], expanded
