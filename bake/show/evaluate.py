"""Solve the problems of a Moving AI scenario file, or random pairs, for `bake eval`.

The length of each path is compared with the optimal length from the file, or with the result of a
bidirectional search on the level's graph, which uses no table.
"""

from __future__ import annotations

import math
import random
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from bake.core.errors import LevelError
from bake.levels.movingai import Scenario, read_scenario
from bake.play import LevelAsset, Navigator, open_asset
from bake.play.searching.result import SearchResult
from levelbake.errors import QueryError
from levelbake.places import Place

#: A path is optimal if its length differs from the optimal one by at most this many units.
TOLERANCE = 1e-4

#: The method that finds optimal lengths of random pairs, unless this method is evaluated.
_DRAWS_BY = "bidirectional"

#: The most random pairs drawn for each pair requested, until enough have a path.
DRAWS = 50

#: On levels with at most this many places, a heuristic's overestimate is measured for all pairs ...
ALL_GOALS = 1024

#: ... and on larger ones, from all places to at most this many goals of problems.
MOST_GOALS = 256

#: The number of repeated measurements of all paths of the table; the median counts.
REPEATS = 5


@dataclass(frozen=True)
class Drawn:
    """A request for random pairs: their number and the seed."""

    pairs: int
    seed: int


@dataclass(frozen=True)
class Problems:
    """The problems to solve."""

    ends: Sequence[tuple[Place, Place]]  #: start and goal of each problem
    optimal: Sequence[float]  #: length of a shortest path, in units
    rounding: Sequence[float]  #: rounding error of the optimal length, in units
    by_ticks: bool  #: whether optimal lengths are whole ticks, as the costs of searches are


@dataclass(frozen=True)
class Suboptimality:
    """The excess lengths of paths over optimal ones, as fractions; 0.01 is one percent."""

    mean: float
    p99: float
    max: float


@dataclass(frozen=True)
class Overestimate:
    """The greatest excess of a heuristic over the distance.

    A path found by A* with this heuristic, without a weight and with reopening of closed places,
    costs at most this much more than a shortest path.
    """

    units: float  #: the excess; 0 if the heuristic is admissible
    #: start, goal: the places with the greatest excess; None if the heuristic is admissible
    start: Place | None
    goal: Place | None
    pairs: int  #: number of pairs of places with a path between them that were checked
    every: bool  #: whether all such pairs were checked


@dataclass(frozen=True)
class Evaluation:
    """The results of an asset on a scenario file or on random pairs."""

    problems: int  #: number of problems
    solved: int  #: number of paths with the optimal length, within TOLERANCE
    #: number of problems without a path, or with a longer path although the method guarantees
    #: shortest ones
    wrong: int
    #: largest difference from an optimal length over all paths, beyond the rounding error of the
    #: optimal length; 0 without any path
    max_error: float
    steps: int  #: number of steps of all paths together
    #: nanoseconds per step to extract all paths, in one call if the method supports that
    ns_per_step: float
    us_per_path: float  #: the same time in microseconds per problem
    first_wrong: str | None  #: a description of the first wrong problem; None if all are right
    #: method, heuristic: the requested search
    method: str
    heuristic: str | None
    suboptimality: Suboptimality  #: suboptimality of the paths
    median_us: float  #: median time of a call for one path, in microseconds
    expanded_mean: float  #: mean number of places that a search expanded
    generated_mean: float  #: mean number of steps that a search generated
    first_move_us: float  #: median time until the first move is known, in microseconds
    seed: int | None  #: the seed of random pairs; None for a scenario
    overestimate: Overestimate | None  #: the heuristic's overestimate; None without a heuristic


def evaluate(
    asset: Path,
    source: Path | Drawn,
    profile: str | None,
    method: str = "table",
    heuristic: str | None = None,
    weight: float = 1.0,
    **options: int,
) -> Evaluation:
    """Solve every problem of a scenario file, or random pairs, with one method.

    Raises:
        LevelError: the file is not a scenario or belongs to a map of another size, or too few pairs
            of places have a path.
        AssetError, QueryError: the asset cannot be used, or not with this method.
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
        valid = []
        for number, pair in enumerate(ends):
            try:
                for end in pair:
                    nav.reachable(end, end)
                valid.append(number)
            except QueryError as mistake:
                wrong[number] = str(mistake)
        pairs = [ends[number] for number in valid]
        # The first call loads and compiles kernels.
        every = [
            _walk(nav, pair, method, heuristic, weight, options) for pair in [*pairs[:1], *pairs]
        ]
        walked = every[1:]
        seconds = sum(walk.path_us for walk in walked) / 1e6
        if method == "table" and pairs:
            seconds = _seconds_of_batch(nav, pairs)
        overestimate = None
        guide = walked[0].found.heuristic if walked else None
        if guide is not None:
            overestimate = _overestimate(nav, guide, [goal for _, goal in ends])
        solved, steps, max_error = 0, 0, 0.0
        over = []
        for number, walk in zip(valid, walked, strict=True):
            path = walk.found.path
            if path is None:
                wrong[number] = "unreachable"
                continue
            length = walk.found.cost if problems.by_ticks else nav.length(path)
            optimal = problems.optimal[number]
            # A difference within the rounding error is not an error.
            error = max(0.0, abs(length - optimal) - problems.rounding[number])
            max_error = max(max_error, error)
            steps += len(path) - 1
            right = error <= TOLERANCE
            solved += right
            over.append(0.0 if right or not optimal else (length - optimal) / optimal)
            if walk.found.bound == 1 and not right:
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
        seconds / max(1, steps) * 1e9,
        seconds / max(1, count) * 1e6,
        first_wrong,
        method,
        heuristic,
        _suboptimality(over),
        statistics.median([walk.path_us for walk in walked] or [0.0]),
        statistics.fmean([walk.found.expanded for walk in walked] or [0.0]),
        statistics.fmean([walk.found.generated for walk in walked] or [0.0]),
        statistics.median([walk.first_us for walk in walked] or [0.0]),
        source.seed if isinstance(source, Drawn) else None,
        overestimate,
    )


def _overestimate(nav: Navigator, heuristic: str, goals: Sequence[Place]) -> Overestimate:
    """Measure the greatest excess of a heuristic over the distance."""
    places = nav.places()
    every = len(places) <= ALL_GOALS
    standing = [goal for goal in dict.fromkeys(goals) if nav.can_stand(goal)]
    worst, pairs = Overestimate(0.0, None, None, 0, every), 0
    for goal in places if every else standing[:MOST_GOALS]:
        units, start, count = nav.search.overestimate(goal, heuristic)
        pairs += count
        if units > worst.units:
            worst = Overestimate(units, start, goal, 0, every)
    return replace(worst, pairs=pairs)


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
    """Draw uniformly distributed pairs of different places with a path between them.

    Args:
        method: the method that finds the optimal lengths.
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
        remedy="request fewer --pairs, or run `bake lint` to see why the level is disconnected",
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


@dataclass(frozen=True)
class _Walked:
    """The result of a method for one pair of places, and its times."""

    found: SearchResult
    path_us: float  #: microseconds of a call for the path alone
    first_us: float  #: microseconds until the first move was known


def _walk(
    nav: Navigator,
    pair: tuple[Place, Place],
    method: str,
    heuristic: str | None,
    weight: float,
    options: Mapping[str, Any],
) -> _Walked:
    """Find the path between two places by a method of :meth:`Navigator.search`.

    Raises:
        QueryError: the method or heuristic does not exist, or needs a table that the asset lacks.
    """

    def path() -> object:
        return nav.path(*pair, method, heuristic, weight=weight, **options)

    def first_move() -> object:
        if method == "table":
            return nav.next_hop(*pair)
        return next(nav.search.walk(*pair) or iter(()), None) if method == "hpa" else path()

    search: Callable[..., SearchResult] = nav.search
    result = search(*pair, method, heuristic, weight=weight, **options)
    return _Walked(result, _microseconds(path), _microseconds(first_move))


def _microseconds(call: Callable[[], object]) -> float:
    begun = time.perf_counter()
    call()
    return (time.perf_counter() - begun) * 1e6


def _seconds_of_batch(nav: Navigator, pairs: Sequence[tuple[Place, Place]]) -> float:
    """Return the time of one call for all paths, the median of several."""
    dtype = object if nav.node_names else None
    starts, goals = (np.array(column, dtype=dtype) for column in zip(*pairs, strict=True))
    times = [_microseconds(lambda: nav.paths(starts, goals)) for _ in range(REPEATS + 1)]
    return statistics.median(times[1:]) / 1e6
