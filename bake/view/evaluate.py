"""This module solves the problems of a Moving AI scenario file, for `bake eval`.

It compares the length of each path with the optimal length the file gives.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import numpy as np

from bake.errors import LevelError, QueryError
from bake.levels.movingai import Scenario, read_scenario
from bake.runtime import LevelAsset, Navigator, open_asset

Cell = tuple[int, int]

#: A path is optimal if its length differs from the optimal one by at most this many units.
TOLERANCE = 1e-4

#: How often all paths of the table are extracted; the median time counts.
REPEATS = 5


@dataclass(frozen=True)
class Suboptimality:
    """By how much paths are longer than optimal ones, as fractions; 0.01 is one per cent."""

    mean: float
    p99: float
    max: float


@dataclass(frozen=True)
class Evaluation:
    """The results of an asset on a scenario file.

    Attributes:
        problems: how many problems there are.
        solved: how many paths have the optimal length, within TOLERANCE.
        wrong: how many problems are without a path, or have a path that is not optimal by a method
            that promises shortest ones.
        max_error: largest difference from an optimal length over paths found, beyond what printing
            the optimal length may have rounded away; 0 where no path was found.
        steps: how many steps all paths found have.
        ns_per_step: nanoseconds per step to extract all paths, in one call where the method has
            one.
        us_per_path: the same time in microseconds per problem.
        first_wrong: what was wrong with the first such problem; None where nothing was.
        method, heuristic: what was asked for.
        suboptimality: suboptimality of the paths found.
        median_us: median time to find one path by a call for it alone, in microseconds.
        expanded_mean: mean number of places a search took from the open list.
        first_move_us: median time until the first move is known, in microseconds.
    """

    problems: int
    solved: int
    wrong: int
    max_error: float
    steps: int
    ns_per_step: float
    us_per_path: float
    first_wrong: str | None
    method: str
    heuristic: str | None
    suboptimality: Suboptimality
    median_us: float
    expanded_mean: float
    first_move_us: float


def evaluate(
    asset: Path,
    scenario: Path,
    profile: str | None,
    method: str = "table",
    heuristic: str | None = None,
) -> Evaluation:
    """Solve every problem of a scenario file by one method.

    Raises:
        LevelError: the file is not a scenario, or it is for a map of another size.
        AssetError, QueryError: the asset cannot be used, or not by this method.
    """
    problems = read_scenario(scenario)
    ends = [
        ((int(start[0]), int(start[1])), (int(goal[0]), int(goal[1])))
        for start, goal in zip(problems.start, problems.goal, strict=True)
    ]
    with open_asset(asset) as level:
        nav = level.profile(profile)
        _check_sizes(problems, level)
        wrong: dict[int, str] = {}
        asked = []
        for number, pair in enumerate(ends):
            try:
                for end in pair:
                    nav.reachable(end, end)
                asked.append(number)
            except QueryError as mistake:
                wrong[number] = str(mistake)
        walked = _walk_all(nav, [ends[number] for number in asked], method, heuristic)
        solved, steps, max_error = 0, 0, 0.0
        over = []
        for number, path, exact in zip(asked, walked.paths, walked.exact, strict=True):
            if path is None:
                wrong[number] = "unreachable"
                continue
            length, optimal = nav.length(path), float(problems.optimal[number])
            # A difference that printing may have rounded away is not an error.
            error = max(0.0, abs(length - optimal) - float(problems.rounding[number]))
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
    count = len(problems)
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
    )


def _suboptimality(over: list[float]) -> Suboptimality:
    if not over:
        return Suboptimality(0.0, 0.0, 0.0)
    return Suboptimality(statistics.fmean(over), float(np.percentile(over, 99)), max(over))


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
    """What a method found, problem by problem.

    Attributes:
        paths: cells of each path; None where there is no path.
        exact: whether the method promises a shortest path.
        expanded: how many places the search took from its open list.
        path_us: microseconds that a call for the path alone took.
        first_us: microseconds until the first move was known.
        seconds: time to find all paths: in one call where the method has one, or one by one where
            it has none.
    """

    paths: list[list[Cell] | None] = field(default_factory=list)
    exact: list[bool] = field(default_factory=list)
    expanded: list[int] = field(default_factory=list)
    path_us: list[float] = field(default_factory=list)
    first_us: list[float] = field(default_factory=list)
    seconds: float = 0.0


def _walk_all(
    nav: Navigator,
    problems: Sequence[tuple[Cell, Cell]],
    method: str,
    heuristic: str | None,
) -> _Walked:
    """Solve problems by a method of :meth:`Navigator.search`.

    Raises:
        QueryError: there is no such method or heuristic, or the asset lacks a table it needs.
    """
    walked = _Walked()
    for start, goal in problems[:1]:
        nav.search(start, goal, method, heuristic)  # loads what is needed, and compiles
        _first_move(nav, start, goal, method, heuristic)
    for start, goal in problems:
        found = nav.search(start, goal, method, heuristic)
        walked.paths.append(cast("list[Cell] | None", found.path))
        walked.exact.append(found.bound == 1)
        walked.expanded.append(found.expanded)
        begun = time.perf_counter()
        nav.path(start, goal, method, heuristic)
        walked.path_us.append((time.perf_counter() - begun) * 1e6)
        walked.first_us.append(_first_move(nav, start, goal, method, heuristic))
    walked.seconds = sum(walked.path_us) / 1e6
    if method == "table" and problems:
        ends = np.array(problems)
        times = []
        for _ in range(REPEATS + 1):
            begun = time.perf_counter()
            nav.paths(ends[:, 0], ends[:, 1])
            times.append(time.perf_counter() - begun)
        walked.seconds = statistics.median(times[1:])
    return walked


def _first_move(
    nav: Navigator, start: Cell, goal: Cell, method: str, heuristic: str | None
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
        nav.path(start, goal, method, heuristic)
    return (time.perf_counter() - begun) * 1e6
