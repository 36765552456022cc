"""Time paths along next hops for all problems of a scenario file, in one call and one by one."""

from __future__ import annotations

import numpy as np

from bake.core.arrays import Int32Array, Int64Array
from bake.levels.movingai import Scenario, read_scenario
from bake.play import open_asset
from bake.play.navigator import Navigator
from benchmarks.baking import BakedMap
from benchmarks.bench import Bench
from benchmarks.clock import in_turns, seconds, undisturbed
from benchmarks.levels import TEN_MAPS, scenario_file
from benchmarks.section import Section

QUICK = ("arena", "den312d", "lak303d")
ROUNDS = 7
#: The number of problems timed one by one, as thousands of Python calls take too long.
ONE_BY_ONE = 200
STEP_AIM = 20.0

TOLERANCE = 1e-4


def run(bench: Bench, section: Section) -> None:
    """Check and time every scenario file whose map is on this machine."""
    names = bench.choose(section, TEN_MAPS, QUICK)
    rounds = bench.either(ROUNDS, 3)
    section.text(
        "Every problem of the map's scenario file on a compressed table: "
        "`nav.paths(starts, goals)`, all in one call, again and again, and in turns with other "
        "work, which empties caches; and `nav.path(a, b)`, one call a path "
        f"({ONE_BY_ONE} problems at most, evenly spread). Medians of {rounds}. "
        "A step is one cell of a path. All paths were checked first: neighbouring cells from start "
        f"to goal, of the file's optimal length within {TOLERANCE:g} and what its digits round "
        "away."
    )
    rows = []
    slowest = time = steps = problems = 0.0
    for name in names:
        baked = bench.baked(name)
        scenario = read_scenario(scenario_file(name))
        bench.tell(f"{name}: {len(scenario):,} problems")
        taken = _check(baked, scenario)
        many, cold, one = _measure(baked, scenario, rounds)
        rows.append(
            (
                name,
                f"{baked.nodes:,}",
                f"{len(scenario):,}",
                f"{taken:,}",
                f"{many * 1e9 / taken:.1f}",
                f"{many * 1e6 / len(scenario):.2f}",
                f"{cold * 1e9 / taken:.1f}",
                f"{one:,.0f}",
            )
        )
        slowest = max(slowest, many * 1e9 / taken)
        time, steps, problems = time + many, steps + taken, problems + len(scenario)
    section.table(
        (
            "map",
            "nodes",
            "problems",
            "steps",
            "`paths`, ns per step",
            "`paths`, µs per path",
            "in turns, ns per step",
            "`path`, ns per step",
        ),
        rows,
    )
    section.text(f"{problems:,.0f} problems, each solved at its optimal length.")
    section.at_most("`paths`, over all steps", time * 1e9 / steps, STEP_AIM, "ns per step", 1)
    section.at_most("`paths`, slowest map", slowest, STEP_AIM, "ns per step", 1)


def _check(baked: BakedMap, scenario: Scenario) -> int:
    """Check that every path is walkable and optimal; return the number of steps of all.

    Raises:
        AssertionError: one is not.
    """
    with open_asset(baked.asset) as level:
        nav = level.profile()
        first, cells = nav.paths(scenario.start, scenario.goal)
        _check_one_by_one(nav, scenario, first, cells)
    name = baked.name
    assert (np.diff(first) > 0).all(), f"{name}: a problem without a path"
    assert np.array_equal(cells[first[:-1]], scenario.start), f"{name}: a path begins elsewhere"
    assert np.array_equal(cells[first[1:] - 1], scenario.goal), f"{name}: a path ends elsewhere"
    move = np.abs(np.diff(cells, axis=0))
    within = np.ones(len(move), dtype=np.bool_)
    within[first[1:-1] - 1] = False  # from the end of a path to the start of the next
    assert (move[within].max(axis=1) == 1).all(), f"{name}: a step that is no step"
    length = np.where(within, np.hypot(move[:, 0], move[:, 1]), 0)
    total = np.concatenate([[0.0], np.cumsum(length)])
    walked = total[first[1:] - 1] - total[first[:-1]]
    wrong = np.abs(walked - scenario.optimal) > TOLERANCE + scenario.rounding
    assert not wrong.any(), f"{name}: {int(wrong.sum())} paths are not of the optimal length"
    return int(within.sum())


def _check_one_by_one(
    nav: Navigator, scenario: Scenario, first: Int64Array, cells: Int32Array
) -> None:
    for problem in _some(scenario)[::10]:
        start, goal = scenario.start[problem].tolist(), scenario.goal[problem].tolist()
        expected = [tuple(cell) for cell in cells[first[problem] : first[problem + 1]].tolist()]
        found = nav.path(tuple(start), tuple(goal))
        assert found == expected, f"path and paths differ from {start} to {goal}"


def _some(scenario: Scenario) -> list[int]:
    return list(range(0, len(scenario), -(-len(scenario) // ONE_BY_ONE)))


def _measure(baked: BakedMap, scenario: Scenario, rounds: int) -> tuple[float, float, float]:
    """Return seconds of one call for all paths, and nanoseconds per step of one call per path."""
    starts = [tuple(cell) for cell in scenario.start[_some(scenario)].tolist()]
    goals = [tuple(cell) for cell in scenario.goal[_some(scenario)].tolist()]
    with open_asset(baked.asset) as level:
        nav = level.profile()

        def one_by_one() -> float:
            found: list[int] = []
            spent = seconds(
                lambda: found.extend(
                    len(nav.path(a, b) or ()) for a, b in zip(starts, goals, strict=True)
                )
            )
            return spent * 1e9 / max(1, sum(found) - len(found))

        def all_at_once() -> float:
            return seconds(lambda: nav.paths(scenario.start, scenario.goal))

        with undisturbed():
            all_at_once()  # loads the tables
            warm = in_turns({"all": all_at_once}, rounds)["all"]
            turns = in_turns({"all": all_at_once, "one": one_by_one}, rounds)
    return warm, turns["all"], turns["one"]
