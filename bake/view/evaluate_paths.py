"""Paths of a scenario file's problems by one method, timed, for `bake eval`."""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import cast

import numpy as np

from bake.runtime import Navigator

Cell = tuple[int, int]

#: How often all paths of the table are extracted; the median time counts.
REPEATS = 5


@dataclass
class Walked:
    """What a method found, problem by problem.

    Attributes:
        paths: cells of each path; None where there is none.
        exact: whether the method promises a shortest one.
        expanded: places taken from open lists.
        path_us: microseconds of one call for each path alone.
        first_us: microseconds until the first move was known.
        seconds: for all paths: in one call where the method has one, else one by one.
    """

    paths: list[list[Cell] | None] = field(default_factory=list)
    exact: list[bool] = field(default_factory=list)
    expanded: list[int] = field(default_factory=list)
    path_us: list[float] = field(default_factory=list)
    first_us: list[float] = field(default_factory=list)
    seconds: float = 0.0


def walk_all(
    nav: Navigator,
    problems: Sequence[tuple[Cell, Cell]],
    method: str,
    heuristic: str | None,
) -> Walked:
    """Solve problems by a method of :meth:`Navigator.search`.

    Raises:
        QueryError: no such method or heuristic, or a table the asset does not hold.
    """
    walked = Walked()
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
    """Microseconds until the first move is known."""
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
