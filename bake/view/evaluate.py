"""Every problem of a Moving AI scenario file against its optimal length, for `bake eval`."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bake.arrays import Int32Array
from bake.errors import LevelError, QueryError
from bake.levels.movingai import Scenario, read_scenario
from bake.runtime import LevelAsset, open_asset
from bake.view.evaluate_paths import walk_all

#: Largest difference from an optimal length that counts as none, in units.
TOLERANCE = 1e-4


@dataclass(frozen=True)
class Suboptimality:
    """How much longer paths are than optimal ones, as fractions; 0.01 is one per cent."""

    mean: float
    p99: float
    max: float


@dataclass(frozen=True)
class Evaluation:
    """How an asset does on a scenario file.

    Attributes:
        problems: how many there are.
        solved: paths of the optimal length, within TOLERANCE.
        wrong: problems without a path, and paths of another length by a method that promises
            shortest ones.
        max_error: largest difference from an optimal length over paths found, beyond what printing
            it may have rounded away; 0 without any.
        steps: of all paths found.
        ns_per_step: time to extract all paths (in one call, where the method has one), over all
            their steps, in nanoseconds.
        us_per_path: the same over all problems, in microseconds.
        first_wrong: what was wrong first; None where nothing was.
        method, heuristic: as asked for.
        suboptimality: of the paths found.
        median_us: of one path by a call of its own, in microseconds.
        expanded_mean: places taken from open lists, a problem.
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
        LevelError: the file is no scenario, or one for a map of another size.
        AssetError, QueryError: the asset cannot be used, or not by this method.
    """
    problems = read_scenario(scenario)
    with open_asset(asset) as level:
        nav = level.profile(profile)
        _check_sizes(problems, level)
        wrong: dict[int, str] = {}
        asked = []
        for place, ends in enumerate(zip(problems.start, problems.goal, strict=True)):
            try:
                for end in ends:
                    nav.reachable(_cell(end), _cell(end))
                asked.append(place)
            except QueryError as mistake:
                wrong[place] = str(mistake)
        pairs = [(_cell(problems.start[place]), _cell(problems.goal[place])) for place in asked]
        walked = walk_all(nav, pairs, method, heuristic)
        solved, steps, max_error = 0, 0, 0.0
        over = []
        for place, path, exact in zip(asked, walked.paths, walked.exact, strict=True):
            if path is None:
                wrong[place] = "unreachable"
                continue
            length, optimal = nav.length(path), float(problems.optimal[place])
            # What printing may have rounded away is no error.
            error = max(0.0, abs(length - optimal) - float(problems.rounding[place]))
            max_error = max(max_error, error)
            steps += len(path) - 1
            right = error <= TOLERANCE
            solved += right
            over.append(0.0 if right or not optimal else (length - optimal) / optimal)
            if exact and not right:
                wrong[place] = f"length {length:.6f}, optimal is {optimal:.6f}"
    told = None
    if wrong:
        place = min(wrong)
        told = f"{_cell(problems.start[place])} to {_cell(problems.goal[place])}: {wrong[place]}"
    count = len(problems)
    return Evaluation(
        count,
        solved,
        len(wrong),
        max_error,
        steps,
        walked.seconds / max(1, steps) * 1e9,
        walked.seconds / max(1, count) * 1e6,
        told,
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
            f"{level.name} is a graph",
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
                expected=f"{level.width} x {level.height}, the size of {level.name}",
                remedy="evaluate the level this scenario belongs to",
            )


def _cell(pair: Int32Array) -> tuple[int, int]:
    return int(pair[0]), int(pair[1])
