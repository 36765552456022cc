"""Send every kind of query to an asset, and collect the answers.

An answer is a value, or the documented error that rejected the query. Any other exception
propagates, as these are the errors that the fuzzer searches for.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from bake.play import LevelAsset, Navigator, open_asset
from levelbake.errors import BakeError

#: The number of places for all queries, and the number of pairs of places for slow queries.
PLACES, PAIRS = 6, 4

Answers = dict[str, object]


class UnsoundError(Exception):
    """An answer contradicts the asset, such as a hop to a cell that is not a neighbor."""


def answers(path: Path, *, after: bool = True, profile: str | None = None) -> Answers:
    """Return the answers to every kind of query.

    Args:
        path: the asset.
        after: whether to also change the level and query it again.
        profile: the only profile to query; None = all.

    Returns:
        The answers by query.

    Raises:
        UnsoundError: an answer contradicts the asset itself.
    """
    results: Answers = {}
    opened = _query(open_asset, path)
    if not isinstance(opened, LevelAsset):
        return {"open": opened}
    with opened as level:
        _ask_level(level, results)
        profiles = [profile] if profile else level.profiles
        for name in profiles:
            _ask_profile(level, name, "", results)
        if after:
            _ask_changed(level, profiles, results)
    return results


def places_of(level: LevelAsset) -> list[Any]:
    """Return a fixed sample of places of a level, which may include walls."""
    if level.is_grid:
        cells = [
            (x, y) if level.floors == 1 else (x, y, floor)
            for floor in range(level.floors)
            for y in range(level.height)
            for x in range(level.width)
        ]
    else:
        cells = list(level._places.names)
    return random.Random(183).sample(cells, min(PLACES, len(cells)))


def _query(question: Callable[..., Any], *arguments: object) -> Any:
    """Return the answer to a query, or the name of the error that rejects the query."""
    try:
        return question(*arguments)
    except BakeError as error:
        return ("refused", type(error).__name__)


def _ask_level(level: LevelAsset, results: Answers) -> None:
    for name, question in {
        "shape": lambda: (level.name, level.width, level.height, level.floors, level.is_grid),
        "links": lambda: [*map(tuple, level.links.values())],
        "regions": lambda: [(thing.name, thing.cells.tolist()) for thing in level.regions.values()],
        "spots": lambda: [*map(tuple, level.spots())],
        "doors": lambda: [
            (thing.name, thing.cells.tolist(), thing.state, dict(thing.states))
            for thing in level.doors.values()
        ],
    }.items():
        results[name] = _query(question)


def _ask_profile(level: LevelAsset, name: str, when: str, results: Answers) -> None:
    nav = level.profile(name)
    known = _query(places_of, level)
    places: list[Any] = known if isinstance(known, list) else []
    pairs = [(a, b) for a in places for b in places]
    key = f"{when}{name}"
    for a, b in pairs:
        results[f"{key} hop {a} {b}"] = hop = _query(nav.next_hop, a, b)
        _check_hop(nav, a, b, hop)
        for question in (nav.reachable, nav.distance, nav.path):
            results[f"{key} {question.__name__} {a} {b}"] = answer = _query(question, a, b)
            if question == nav.path:
                _check_path(nav, a, b, answer)
    good = [place for place in places if not is_refusal(_query(nav.reachable, place, place))]
    if good:
        _ask_many(nav, good, key, results)
    for number, (a, b) in enumerate(pairs[3 :: max(1, len(pairs) // PAIRS)]):
        _ask_pair(nav, a, b, f"{key} {number} {a} {b}", results)


def _ask_many(nav: Navigator, places: list[Any], key: str, results: Answers) -> None:
    starts = [a for a in places for _ in places]
    goals = places * len(places)
    hops = results[f"{key} hops"] = _query(lambda: nav.next_hops(starts, goals).tolist())
    if isinstance(hops, list):
        for a, b, hop in zip(starts, goals, hops, strict=True):
            nowhere = hop is None or (isinstance(hop, list) and hop[0] < 0)
            step = tuple(hop) if isinstance(hop, list) else hop
            _check_hop(nav, a, b, None if nowhere else step)
    place = places[0]
    for name, question in {
        "distances": lambda: nav.distances(starts, goals).tolist(),
        "paths": lambda: [part.tolist() for part in nav.paths(starts, goals)],
        "toward": lambda: nav.distances_to(place).tolist(),
        "nearest": lambda: nav.nearest(place),
        "from": lambda: nav.search.distances_from(place).tolist(),
        "hops to": lambda: nav.hops_to(place).tolist(),
        "within": lambda: [part.tolist() for part in nav.search.within(place, 3.5)],
        "nearest of": lambda: nav.nearest_of(place, places[:0:-1]),
        "cost at": lambda: nav.cost_at(place),
    }.items():
        results[f"{key} {name}"] = _query(question)


def _ask_pair(nav: Navigator, a: Any, b: Any, key: str, results: Answers) -> None:
    """Send the queries that are slow or depend on more columns, for one pair."""
    for method in ("astar", "hpa", "dijkstra", "greedy", "bidirectional", "table"):
        result = _query(nav.search, a, b, method)
        if not isinstance(result, tuple):
            _check_path(nav, a, b, result.path)
            result = (result.path, result.cost)
        results[f"{key} {method}"] = result
    path_or_error = _query(nav.path, a, b)
    path = path_or_error if isinstance(path_or_error, list) else [a]
    for name, question in {
        "walk": lambda: None if (walk := nav.search.walk(a, b)) is None else list(walk),
        "length": lambda: nav.length(path),
        "smooth": lambda: nav.plane.smooth(path),
        "clusters": lambda: (nav.search.cluster(a), nav.search.cluster(b)),
        "between": lambda: nav.search.cluster_distance(
            nav.search.cluster(a), nav.search.cluster(b)
        ),
    }.items():
        results[f"{key} {name}"] = _query(question)
    for name in ("landmark", "maximum", "cluster", "euclidean"):
        results[f"{key} {name}"] = _query(nav.search.estimate, a, b, name)


def _check_hop(nav: Navigator, start: Any, goal: Any, hop: object) -> None:
    """Raise if a hop is not a step of the profile."""
    if hop is None or is_refusal(hop) or hop == start:
        return
    if _query(nav.still_valid, [start, hop]) is False:
        raise UnsoundError(f"the next hop from {start} to {goal} is {hop}")


def _check_path(nav: Navigator, start: Any, goal: Any, path: object) -> None:
    """Raise if a path does not lead from its start to its goal, step by step."""
    if path is None or is_refusal(path):
        return
    assert isinstance(path, list)
    if path[0] != start or path[-1] != goal:
        raise UnsoundError(f"the path from {start} to {goal} leads from {path[0]} to {path[-1]}")
    if _query(nav.still_valid, path) is not True:
        for a, b in pairwise(path):
            _check_hop(nav, a, goal, b)


def is_refusal(answer: object) -> bool:
    """Return whether an answer is a documented error."""
    return isinstance(answer, tuple) and len(answer) == 2 and answer[0] == "refused"


def _ask_changed(level: LevelAsset, profiles: Iterable[str], results: Answers) -> None:
    """Change the level, and ask again."""
    known = _query(places_of, level)
    places: list[Any] = known if isinstance(known, list) else []
    for number, change in enumerate(_changes(level, places)):
        done = _query(change)
        results[f"change {number}"] = done if is_refusal(done) else "done"
    for name in profiles:
        _ask_profile(level, name, "after ", results)
    results["repair"] = _query(level.repair, None)


def _changes(level: LevelAsset, places: list[Any]) -> Iterator[Callable[[], object]]:
    if len(places) > 3:
        yield lambda: level.update(blocked=places[:1], opened=places[1:3])
        yield lambda: level.update(opened=places[:1], terrain={places[3]: "mud"})
        way = _query(level.profile(level.profiles[0]).path, places[2], places[-1])
        if isinstance(way, list) and len(way) > 1:
            yield lambda: level.update(arcs={(way[0], way[1]): 7.25})
    yield lambda: [
        level.set_state(name, next(iter(door.states))) for name, door in level.doors.items()
    ]


def differences(before: Answers, after: Answers) -> list[str]:
    """Return the queries with different answers, except errors about missing tables."""
    queries = []
    for question in before.keys() | after.keys():
        old, new = before.get(question), after.get(question)
        if not _equal(old, new) and new != ("refused", "MissingTableError"):
            queries.append(question)
    return sorted(queries)


def _equal(old: object, new: object) -> bool:
    if isinstance(old, float) and isinstance(new, float):
        return old == new or (np.isnan(old) and np.isnan(new))
    if isinstance(old, list | tuple) and isinstance(new, list | tuple):
        return len(old) == len(new) and all(map(_equal, old, new))
    return bool(old == new)
