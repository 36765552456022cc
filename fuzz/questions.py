"""Ask an asset everything a game may ask, and keep what it said.

An answer is a value, or the documented error that refused the question. Any other exception is
passed on: it is what the fuzzer looks for.
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

#: Places that every question is asked of, and pairs of them for the slow ones.
PLACES, PAIRS = 6, 4

Answers = dict[str, object]


class UnsoundError(Exception):
    """An answer that is none: a hop to a cell that is no neighbour, a path that leaps."""


def answers(path: Path, *, after: bool = True, profile: str | None = None) -> Answers:
    """Ask everything.

    Args:
        path: the asset.
        after: whether to change the level, too, and ask again.
        profile: the only profile to ask; None = all.

    Returns:
        What was said, by question.

    Raises:
        UnsoundError: an answer contradicts the asset itself.
    """
    found: Answers = {}
    opened = _asked(open_asset, path)
    if not isinstance(opened, LevelAsset):
        return {"open": opened}
    with opened as level:
        _ask_level(level, found)
        profiles = [profile] if profile else level.profiles
        for name in profiles:
            _ask_profile(level, name, "", found)
        if after:
            _ask_changed(level, profiles, found)
    return found


def places_of(level: LevelAsset) -> list[Any]:
    """Return some places of a level, always the same ones; some may be walls."""
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


def _asked(question: Callable[..., Any], *arguments: object) -> Any:
    """Return the answer, or the error that refuses it."""
    try:
        return question(*arguments)
    except BakeError as error:
        return ("refused", type(error).__name__)


def _ask_level(level: LevelAsset, found: Answers) -> None:
    for name, question in {
        "shape": lambda: (level.name, level.width, level.height, level.floors, level.is_grid),
        "links": lambda: [*map(tuple, level.links.values())],
        "regions": lambda: [(each.name, each.cells.tolist()) for each in level.regions.values()],
        "spots": lambda: [*map(tuple, level.spots())],
        "doors": lambda: [
            (each.name, each.cells.tolist(), each.state, dict(each.states))
            for each in level.doors.values()
        ],
    }.items():
        found[name] = _asked(question)


def _ask_profile(level: LevelAsset, name: str, when: str, found: Answers) -> None:
    nav = level.profile(name)
    known = _asked(places_of, level)
    places: list[Any] = known if isinstance(known, list) else []
    pairs = [(a, b) for a in places for b in places]
    key = f"{when}{name}"
    for a, b in pairs:
        found[f"{key} hop {a} {b}"] = hop = _asked(nav.next_hop, a, b)
        _check_hop(nav, a, b, hop)
        for question in (nav.reachable, nav.distance, nav.path):
            found[f"{key} {question.__name__} {a} {b}"] = said = _asked(question, a, b)
            if question == nav.path:
                _check_path(nav, a, b, said)
    good = [place for place in places if not is_refusal(_asked(nav.reachable, place, place))]
    if good:
        _ask_many(nav, good, key, found)
    for number, (a, b) in enumerate(pairs[3 :: max(1, len(pairs) // PAIRS)]):
        _ask_pair(nav, a, b, f"{key} {number} {a} {b}", found)


def _ask_many(nav: Navigator, places: list[Any], key: str, found: Answers) -> None:
    starts = [a for a in places for _ in places]
    goals = places * len(places)
    hops = found[f"{key} hops"] = _asked(lambda: nav.next_hops(starts, goals).tolist())
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
        found[f"{key} {name}"] = _asked(question)


def _ask_pair(nav: Navigator, a: Any, b: Any, key: str, found: Answers) -> None:
    """Ask what takes longer, or depends on more columns, about one pair."""
    for method in ("astar", "hpa", "dijkstra", "greedy", "bidirectional", "table"):
        result = _asked(nav.search, a, b, method)
        if not isinstance(result, tuple):
            _check_path(nav, a, b, result.path)
            result = (result.path, result.cost)
        found[f"{key} {method}"] = result
    way = _asked(nav.path, a, b)
    path = way if isinstance(way, list) else [a]
    for name, question in {
        "walk": lambda: None if (walk := nav.search.walk(a, b)) is None else list(walk),
        "length": lambda: nav.length(path),
        "smooth": lambda: nav.plane.smooth(path),
        "clusters": lambda: (nav.search.cluster(a), nav.search.cluster(b)),
        "between": lambda: nav.search.cluster_distance(
            nav.search.cluster(a), nav.search.cluster(b)
        ),
    }.items():
        found[f"{key} {name}"] = _asked(question)
    for name in ("landmark", "maximum", "cluster", "euclidean"):
        found[f"{key} {name}"] = _asked(nav.search.estimate, a, b, name)


def _check_hop(nav: Navigator, start: Any, goal: Any, hop: object) -> None:
    """Refuse a hop that is no step of the profile."""
    if hop is None or is_refusal(hop) or hop == start:
        return
    if _asked(nav.still_valid, [start, hop]) is False:
        raise UnsoundError(f"the next hop from {start} to {goal} is {hop}")


def _check_path(nav: Navigator, start: Any, goal: Any, path: object) -> None:
    """Refuse a path that does not lead from its start to its goal, step by step."""
    if path is None or is_refusal(path):
        return
    assert isinstance(path, list)
    if path[0] != start or path[-1] != goal:
        raise UnsoundError(f"the path from {start} to {goal} leads from {path[0]} to {path[-1]}")
    if _asked(nav.still_valid, path) is not True:
        for a, b in pairwise(path):
            _check_hop(nav, a, goal, b)


def is_refusal(answer: object) -> bool:
    """Tell whether an answer is a documented error."""
    return isinstance(answer, tuple) and len(answer) == 2 and answer[0] == "refused"


def _ask_changed(level: LevelAsset, profiles: Iterable[str], found: Answers) -> None:
    """Change the level, and ask again."""
    known = _asked(places_of, level)
    places: list[Any] = known if isinstance(known, list) else []
    for number, change in enumerate(_changes(level, places)):
        done = _asked(change)
        found[f"change {number}"] = done if is_refusal(done) else "done"
    for name in profiles:
        _ask_profile(level, name, "after ", found)
    found["repair"] = _asked(level.repair, None)


def _changes(level: LevelAsset, places: list[Any]) -> Iterator[Callable[[], object]]:
    if len(places) > 3:
        yield lambda: level.update(blocked=places[:1], opened=places[1:3])
        yield lambda: level.update(opened=places[:1], terrain={places[3]: "mud"})
        way = _asked(level.profile(level.profiles[0]).path, places[2], places[-1])
        if isinstance(way, list) and len(way) > 1:
            yield lambda: level.update(arcs={(way[0], way[1]): 7.25})
    yield lambda: [
        level.set_state(name, next(iter(door.states))) for name, door in level.doors.items()
    ]


def differences(before: Answers, now: Answers) -> list[str]:
    """Return the questions with another answer that is no refusal for what is missing."""
    found = []
    for question in before.keys() | now.keys():
        old, new = before.get(question), now.get(question)
        if not _equal(old, new) and new != ("refused", "MissingTableError"):
            found.append(question)
    return sorted(found)


def _equal(old: object, new: object) -> bool:
    if isinstance(old, float) and isinstance(new, float):
        return old == new or (np.isnan(old) and np.isnan(new))
    if isinstance(old, list | tuple) and isinstance(new, list | tuple):
        return len(old) == len(new) and all(map(_equal, old, new))
    return bool(old == new)
