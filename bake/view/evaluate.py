"""Every problem of a Moving AI scenario file against its optimal length, for `bake eval`."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from bake.errors import LevelError, QueryError
from bake.levels.scenario import read_scenario
from bake.runtime import open_asset

#: Lengths in scenario files are printed with about six digits.
TOLERANCE = 1e-4


@dataclass(frozen=True)
class Evaluation:
    """How an asset does on a scenario file.

    Attributes:
        problems: how many there are.
        solved: paths of the optimal length, within TOLERANCE.
        wrong: problems - solved.
        max_error: largest difference from an optimal length over paths found; 0 without any.
        ns_per_step: time to extract all paths, over all their steps, in nanoseconds.
        first_wrong: what was wrong first; None where nothing was.
    """

    problems: int
    solved: int
    wrong: int
    max_error: float
    ns_per_step: float
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
        if not level.is_grid:
            raise LevelError(
                f"{level.name} is a graph",
                file=asset,
                expected="a level of cells",
                remedy="scenarios are problems on maps",
            )
        for line, (width, height) in zip(problems.line, problems.size, strict=True):
            if (width, height) != (level.width, level.height):
                raise LevelError(
                    f"this problem is for a map of {width} x {height} cells",
                    file=scenario,
                    place=f"line {line}",
                    expected=f"{level.width} x {level.height}, the size of {level.name}",
                    remedy="evaluate the level this scenario belongs to",
                )
        starts = [(int(x), int(y)) for x, y in problems.start]
        goals = [(int(x), int(y)) for x, y in problems.goal]
        if starts:
            nav.path(starts[0], starts[0])  # load the tables before the clock starts
        solved = steps = 0
        spent = 0.0
        max_error = 0.0
        first_wrong = None
        for start, goal, optimal in zip(starts, goals, problems.optimal.tolist(), strict=True):
            wrong = None
            try:
                begun = time.perf_counter()
                path = nav.path(start, goal)
                spent += time.perf_counter() - begun
            except QueryError as error:
                wrong, path = str(error), None
            if path is not None:
                steps += len(path) - 1
                length = nav.length(path)
                max_error = max(max_error, abs(length - optimal))
                if abs(length - optimal) > TOLERANCE:
                    wrong = f"length {length:.6f}, optimal is {optimal:.6f}"
            elif wrong is None:
                wrong = "unreachable"
            if wrong is None:
                solved += 1
            elif first_wrong is None:
                first_wrong = f"{start} to {goal}: {wrong}"
    count = len(starts)
    return Evaluation(
        count, solved, count - solved, max_error, spent / max(1, steps) * 1e9, first_wrong
    )
