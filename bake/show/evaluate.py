"""This module solves the problems of a Moving AI scenario file, or pairs drawn, for `bake eval`.

It compares the length of each path with the optimal length, which the file gives, or which a search
from both ends finds on the level's graph, by no table.
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

#: The method that finds optimal lengths of pairs drawn, unless it is the one looked at.
_DRAWS_BY = "bidirectional"

#: How often a pair is drawn again, for each one wanted, until all have a path.
DRAWS = 50

#: A level of no more places is looked at from all to all for a heuristic's overestimates ...
ALL_GOALS = 1024

#: ... and of a larger one, from all places to so many goals of problems at most.
MOST_GOALS = 256

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
class Overestimate:
    """The most by which a heuristic says more than the distance.

    A path that A* finds by it, without a weight and opening closed places again, costs at most that
    much more than a shortest one.
    """

    units: float  #: 0 where it never says more
    #: start, goal: the places between which it does; None where it never says more
    start: Place | None
    goal: Place | None
    pairs: int  #: how many pairs of places with a path between them were looked at
    every: bool  #: whether these are all that there are


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
    generated_mean: float  #: mean number of steps out of them that it looked at
    first_move_us: float  #: median time until the first move is known, in microseconds
    seed: int | None  #: by which pairs were drawn; None for a scenario
    overestimate: Overestimate | None  #: that of the heuristic; None where the method uses none


def evaluate(
    asset: Path,
    source: Path | Drawn,
    profile: str | None,
    method: str = "table",
    heuristic: str | None = None,
    weight: float = 1.0,
    **options: int,
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
        pairs = [ends[number] for number in asked]
        # The first one loads and compiles.
        every = [
            _walk(nav, pair, method, heuristic, weight, options) for pair in [*pairs[:1], *pairs]
        ]
        walked = every[1:]
        seconds = sum(each.path_us for each in walked) / 1e6
        if method == "table" and pairs:
            seconds = _seconds_of_batch(nav, pairs)
        overestimate = None
        guide = walked[0].found.heuristic if walked else None
        if guide is not None:
            overestimate = _overestimate(nav, guide, [goal for _, goal in ends])
        solved, steps, max_error = 0, 0, 0.0
        over = []
        for number, each in zip(asked, walked, strict=True):
            path = each.found.path
            if path is None:
                wrong[number] = "unreachable"
                continue
            length = each.found.cost if problems.by_ticks else nav.length(path)
            optimal = problems.optimal[number]
            # A difference that printing may have rounded away is not an error.
            error = max(0.0, abs(length - optimal) - problems.rounding[number])
            max_error = max(max_error, error)
            steps += len(path) - 1
            right = error <= TOLERANCE
            solved += right
            over.append(0.0 if right or not optimal else (length - optimal) / optimal)
            if each.found.bound == 1 and not right:
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
        statistics.median([each.path_us for each in walked] or [0.0]),
        statistics.fmean([each.found.expanded for each in walked] or [0.0]),
        statistics.fmean([each.found.generated for each in walked] or [0.0]),
        statistics.median([each.first_us for each in walked] or [0.0]),
        source.seed if isinstance(source, Drawn) else None,
        overestimate,
    )


def _overestimate(nav: Navigator, heuristic: str, goals: Sequence[Place]) -> Overestimate:
    """Look for the most by which a heuristic says more than the distance."""
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


@dataclass(frozen=True)
class _Walked:
    """What a method found for one pair of places, and how long it took."""

    found: SearchResult
    path_us: float  #: microseconds that a call for the path alone took
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
        QueryError: there is no such method or heuristic, or the asset lacks a table it needs.
    """

    def path() -> object:
        return nav.path(*pair, method, heuristic, weight=weight, **options)

    def first_move() -> object:
        if method == "table":
            return nav.next_hop(*pair)
        return next(nav.search.walk(*pair) or iter(()), None) if method == "hpa" else path()

    search: Callable[..., SearchResult] = nav.search
    found = search(*pair, method, heuristic, weight=weight, **options)
    return _Walked(found, _microseconds(path), _microseconds(first_move))


def _microseconds(call: Callable[[], object]) -> float:
    begun = time.perf_counter()
    call()
    return (time.perf_counter() - begun) * 1e6


def _seconds_of_batch(nav: Navigator, pairs: Sequence[tuple[Place, Place]]) -> float:
    """Return the time of one call for all paths, the median of several."""
    named = object if nav.node_names else None
    starts, goals = (np.array(each, dtype=named) for each in zip(*pairs, strict=True))
    times = [_microseconds(lambda: nav.paths(starts, goals)) for _ in range(REPEATS + 1)]
    return statistics.median(times[1:]) / 1e6
