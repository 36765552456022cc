"""This module solves the problems of a Moving AI scenario file, or pairs drawn, for `bake eval`.

It compares the length of each path with the optimal length, which the file gives, or which a search
from both ends finds on the level's graph, by no table.
"""

from __future__ import annotations

import math
import random
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from bake.errors import LevelError
from bake.levels.movingai import Scenario, read_scenario
from bake.play import LevelAsset, Navigator, open_asset
from levelbake.errors import QueryError
from levelbake.places import Place

#: A path is optimal if its length differs from the optimal one by at most this many units.
TOLERANCE = 1e-4

#: The method that finds optimal lengths of pairs drawn, unless it is the one looked at.
_DRAWS_BY = "bidirectional"

#: How often a pair is drawn again, for each one wanted, until all have a path.
DRAWS = 50

#: How often all paths of the table are extracted; the median time counts.
REPEATS = 5


@dataclass(frozen=True)
class Drawn:
    """Pairs to be drawn at random: how many, and by which seed."""

    pairs: int
    seed: int


@dataclass(frozen=True)
class Problems:
    """What is to be solved."""

    ends: Sequence[tuple[Place, Place]]  #: start and goal of each problem
    optimal: Sequence[float]  #: length of a shortest path, in units
    rounding: Sequence[float]  #: how far off the optimal length may be, in units
    by_ticks: bool  #: whether optimal lengths are whole ticks, as the costs that searches tell


@dataclass(frozen=True)
class Suboptimality:
    """By how much paths are longer than optimal ones, as fractions; 0.01 is one per cent."""

    mean: float
    p99: float
    max: float


@dataclass(frozen=True)
class Evaluation:
    """The results of an asset on a scenario file, or on pairs drawn."""

    problems: int  #: how many problems there are
    solved: int  #: how many paths have the optimal length, within TOLERANCE
    #: how many problems are without a path, or have a path that is not optimal by a method that
    #: promises shortest ones
    wrong: int
    #: largest difference from an optimal length over paths found, beyond what printing the optimal
    #: length may have rounded away; 0 where no path was found
    max_error: float
    steps: int  #: how many steps all paths found have
    #: nanoseconds per step to extract all paths, in one call where the method has one
    ns_per_step: float
    us_per_path: float  #: the same time in microseconds per problem
    first_wrong: str | None  #: what was wrong with the first such problem; None where nothing was
    #: method, heuristic: what was asked for
    method: str
    heuristic: str | None
    suboptimality: Suboptimality  #: suboptimality of the paths found
    median_us: float  #: median time to find one path by a call for it alone, in microseconds
    expanded_mean: float  #: mean number of places a search took from the open list
    first_move_us: float  #: median time until the first move is known, in microseconds
    seed: int | None  #: by which pairs were drawn; None for a scenario


def evaluate(
    asset: Path,
    source: Path | Drawn,
    profile: str | None,
    method: str = "table",
    heuristic: str | None = None,
    weight: float = 1.0,
) -> Evaluation:
    """Solve every problem of a scenario file, or pairs drawn at random, by one method.

    Raises:
        LevelError: the file is not a scenario, or it is for a map of another size; too few pairs of
            places have a path.
        AssetError, QueryError: the asset cannot be used, or not by this method.
    """
    scenario = None if isinstance(source, Drawn) else read_scenario(source)
    with open_asset(asset) as level:
        nav = level.profile(profile)
        if scenario is None:
            assert isinstance(source, Drawn)
            problems = _draw(nav, level, source, "dijkstra" if method == _DRAWS_BY else _DRAWS_BY)
        else:
            _check_sizes(scenario, level)
            problems = _of_scenario(scenario)
        ends = problems.ends
        wrong: dict[int, str] = {}
        asked = []
        for number, pair in enumerate(ends):
            try:
                for end in pair:
                    nav.reachable(end, end)
                asked.append(number)
            except QueryError as mistake:
                wrong[number] = str(mistake)
        walked = _walk_all(nav, [ends[number] for number in asked], method, heuristic, weight)
        solved, steps, max_error = 0, 0, 0.0
        over = []
        for number, path, cost, exact in zip(
            asked, walked.paths, walked.costs, walked.exact, strict=True
        ):
            if path is None:
                wrong[number] = "unreachable"
                continue
            length = cost if problems.by_ticks else nav.length(path)
            optimal = problems.optimal[number]
            # A difference that printing may have rounded away is not an error.
            error = max(0.0, abs(length - optimal) - problems.rounding[number])
            max_error = max(max_error, error)
            steps += len(path) - 1
            right = error <= TOLERANCE
            solved += right
            over.append(0.0 if right or not optimal else (length - optimal) / optimal)
            if exact and not right:
                wrong[number] = f"length {length:.6f}, optimal is {optimal:.6f}"
    first_wrong = None
    if wrong:
        number = min(wrong)
        first_wrong = f"{ends[number][0]} to {ends[number][1]}: {wrong[number]}"
    count = len(ends)
    return Evaluation(
        count,
        solved,
        len(wrong),
        max_error,
        steps,
        walked.seconds / max(1, steps) * 1e9,
        walked.seconds / max(1, count) * 1e6,
        first_wrong,
        method,
        heuristic,
        _suboptimality(over),
        statistics.median(walked.path_us or [0.0]),
        statistics.fmean(walked.expanded or [0.0]),
        statistics.median(walked.first_us or [0.0]),
        source.seed if isinstance(source, Drawn) else None,
    )


def _suboptimality(over: list[float]) -> Suboptimality:
    if not over:
        return Suboptimality(0.0, 0.0, 0.0)
    return Suboptimality(statistics.fmean(over), float(np.percentile(over, 99)), max(over))


def _of_scenario(scenario: Scenario) -> Problems:
    ends: list[tuple[Place, Place]] = [
        ((int(start[0]), int(start[1])), (int(goal[0]), int(goal[1])))
        for start, goal in zip(scenario.start, scenario.goal, strict=True)
    ]
    return Problems(ends, scenario.optimal.tolist(), scenario.rounding.tolist(), by_ticks=False)


def _draw(nav: Navigator, level: LevelAsset, drawn: Drawn, method: str) -> Problems:
    """Draw pairs of different places with a path between them, each as likely as any other.

    Args:
        method: finds the optimal lengths.
    """
    places = nav.places()
    ends: list[tuple[Place, Place]] = []
    optimal: list[float] = []
    # Whole numbers, so that a seed draws the same pairs everywhere.
    rng = random.Random(drawn.seed)
    for _ in range(DRAWS * drawn.pairs if len(places) > 1 else 0):
        start, goal = rng.randrange(len(places)), rng.randrange(len(places) - 1)
        pair = places[start], places[goal + (goal >= start)]
        length = nav.search(*pair, method).cost
        if math.isfinite(length):
            ends.append(pair)
            optimal.append(length)
            if len(ends) == drawn.pairs:
                return Problems(ends, optimal, [0.0] * len(ends), by_ticks=True)
    raise LevelError(
        f"of {DRAWS * drawn.pairs:,} pairs of places drawn, {len(ends):,} have a path between them",
        place=f"level {level.name!r}, profile {nav.name!r}, {len(places):,} places",
        expected=f"{drawn.pairs:,}",
        remedy="ask for fewer --pairs, or look at `bake lint` for what cuts the level apart",
    )


def _check_sizes(problems: Scenario, level: LevelAsset) -> None:
    if not level.is_grid:
        raise LevelError(
            f"level {level.name!r} is a graph",
            file=problems.source,
            expected="a level of cells",
            remedy="evaluate the level this scenario belongs to",
        )
    for line, (width, height) in zip(problems.line, problems.size, strict=True):
        if (width, height) != (level.width, level.height):
            raise LevelError(
                f"this problem is for a map of {width} x {height} cells",
                file=problems.source,
                place=f"line {line}",
                expected=f"{level.width} x {level.height}, the size of level {level.name!r}",
                remedy="evaluate the level this scenario belongs to",
            )


@dataclass
class _Walked:
    """What a method found, problem by problem."""

    #: places of each path; None where there is no path
    paths: list[list[Place] | None] = field(default_factory=list)
    costs: list[float] = field(default_factory=list)  #: of each path, in units
    exact: list[bool] = field(default_factory=list)  #: whether the method promises a shortest path
    #: how many places the search took from its open list
    expanded: list[int] = field(default_factory=list)
    #: microseconds that a call for the path alone took
    path_us: list[float] = field(default_factory=list)
    #: microseconds until the first move was known
    first_us: list[float] = field(default_factory=list)
    #: time to find all paths: in one call where the method has one, or one by one where it has none
    seconds: float = 0.0


def _walk_all(
    nav: Navigator,
    problems: Sequence[tuple[Place, Place]],
    method: str,
    heuristic: str | None,
    weight: float,
) -> _Walked:
    """Solve problems by a method of :meth:`Navigator.search`.

    Raises:
        QueryError: there is no such method or heuristic, or the asset lacks a table it needs.
    """
    walked = _Walked()
    for start, goal in problems[:1]:
        nav.search(start, goal, method, heuristic, weight=weight)  # loads and compiles
        _first_move(nav, start, goal, method, heuristic, weight)
    for start, goal in problems:
        found = nav.search(start, goal, method, heuristic, weight=weight)
        walked.paths.append(found.path)
        walked.costs.append(found.cost)
        walked.exact.append(found.bound == 1)
        walked.expanded.append(found.expanded)
        begun = time.perf_counter()
        nav.path(start, goal, method, heuristic, weight=weight)
        walked.path_us.append((time.perf_counter() - begun) * 1e6)
        walked.first_us.append(_first_move(nav, start, goal, method, heuristic, weight))
    walked.seconds = sum(walked.path_us) / 1e6
    if method == "table" and problems:
        named = object if nav.node_names else None
        starts, goals = (np.array(each, dtype=named) for each in zip(*problems, strict=True))
        times = []
        for _ in range(REPEATS + 1):
            begun = time.perf_counter()
            nav.paths(starts, goals)
            times.append(time.perf_counter() - begun)
        walked.seconds = statistics.median(times[1:])
    return walked


def _first_move(
    nav: Navigator, start: Place, goal: Place, method: str, heuristic: str | None, weight: float
) -> float:
    """Measure the microseconds until the first move is known."""
    begun = time.perf_counter()
    if method == "table":
        nav.next_hop(start, goal)
    elif method == "hpa":
        cells = nav.walk(start, goal)
        if cells is not None:
            next(cells, None)
    else:
        nav.path(start, goal, method, heuristic, weight=weight)
    return (time.perf_counter() - begun) * 1e6
