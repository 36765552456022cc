"""Every problem of a Moving AI scenario file against its optimal length, for `bake eval`."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bake.errors import LevelError, QueryError
from bake.levels.scenario import Scenario, read_scenario
from bake.runtime import LevelAsset, open_asset

#: Largest difference from an optimal length that counts as none, in units.
TOLERANCE = 1e-4

#: How often all paths are extracted; the median time counts.
REPEATS = 5


@dataclass(frozen=True)
class Evaluation:
    """How an asset does on a scenario file.

    Attributes:
        problems: how many there are.
        solved: paths of the optimal length, within TOLERANCE.
        wrong: problems - solved.
        max_error: largest difference from an optimal length over paths found, beyond what printing
            it may have rounded away; 0 without any.
        steps: of all paths found.
        ns_per_step: time to extract all paths in one call, over all their steps, in nanoseconds.
        us_per_path: the same over all problems, in microseconds.
        first_wrong: what was wrong first; None where nothing was.
    """

    problems: int
    solved: int
    wrong: int
    max_error: float
    steps: int
    ns_per_step: float
    us_per_path: float
    first_wrong: str | None


def evaluate(asset: Path, scenario: Path, profile: str | None) -> Evaluation:
    """Solve every problem of a scenario file by following next hops.

    Raises:
        LevelError: the file is no scenario, or one for a map of another size.
        AssetError, QueryError: the asset cannot be used.
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
        starts, goals = problems.start[asked], problems.goal[asked]
        first, cells = nav.paths(starts, goals)  # loads the tables, and compiles
        times = []
        for _ in range(REPEATS):
            begun = time.perf_counter()
            nav.paths(starts, goals)
            times.append(time.perf_counter() - begun)
        max_error = 0.0
        for number, place in enumerate(asked):
            path = [_cell(cell) for cell in cells[first[number] : first[number + 1]]]
            if not path:
                wrong[place] = "unreachable"
                continue
            length, optimal = nav.length(path), float(problems.optimal[place])
            # What printing may have rounded away is no error.
            error = max(0.0, abs(length - optimal) - float(problems.rounding[place]))
            max_error = max(max_error, error)
            if error > TOLERANCE:
                wrong[place] = f"length {length:.6f}, optimal is {optimal:.6f}"
    count, steps = len(problems), int(np.maximum(np.diff(first) - 1, 0).sum())
    told = None
    if wrong:
        place = min(wrong)
        told = f"{_cell(problems.start[place])} to {_cell(problems.goal[place])}: {wrong[place]}"
    spent = statistics.median(times)
    return Evaluation(
        count,
        count - len(wrong),
        len(wrong),
        max_error,
        steps,
        spent / max(1, steps) * 1e9,
        spent / max(1, count) * 1e6,
        told,
    )


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


def _cell(pair: npt.NDArray[np.int32]) -> tuple[int, int]:
    return int(pair[0]), int(pair[1])
