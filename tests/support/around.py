"""Questions about one place and all others, answered slowly, and what a navigator must say."""

import math
import random

import numpy as np

from bake.play import Navigator
from tests.support.oracles import TICKS, arcs_of, distances_from

Place = object
Steps = dict[tuple[object, object], int]


def check_around(nav: Navigator, places: list, steps: Steps, rng: random.Random) -> None:
    """Ask about some places and all others: fields, ranges, the nearest goal.

    Args:
        nav: the navigator.
        places: all places the profile can stand on.
        steps: ticks by (from, to).
        rng: chooses the places that are asked about.
    """
    arcs = arcs_of(places, [(a, b, ticks) for (a, b), ticks in steps.items()])
    lengths = {place: distances_from(arcs, place) for place in places}
    for start in rng.sample(places, min(3, len(places))):
        check_fields(nav, start, places, steps, lengths)
        check_within(nav, start, lengths[start], rng)
        goals = rng.choices(places, k=4)
        check_nearest_of(nav, start, goals, lengths[start])
        check_instead(nav, start, rng.choice(places), lengths[start])


def values_at(nav: Navigator, field: np.ndarray, places: list) -> list:
    if not isinstance(places[0], tuple):
        number = {name: at for at, name in enumerate(nav.node_names)}
        return [field[number[place]] for place in places]
    return [field[place[1], place[0]] for place in places]


def check_fields(nav: Navigator, one: Place, places: list, steps: Steps, lengths: dict) -> None:
    away = [lengths[one].get(place, math.inf) / TICKS for place in places]
    toward = [lengths[place].get(one, math.inf) / TICKS for place in places]
    assert values_at(nav, nav.search.distances_from(one), places) == away
    assert values_at(nav, nav.distances_to(one), places) == toward
    assert int(np.isfinite(nav.search.distances_from(one)).sum()) == int(np.isfinite(away).sum())
    for place, hop in zip(places, values_at(nav, nav.hops_to(one), places), strict=True):
        told = tuple(hop.tolist()) if isinstance(hop, np.ndarray) else hop
        if place == one:
            assert told == one
        elif one not in lengths[place]:
            assert told in (None, (-1, -1))
        else:
            onward = lengths[told][one]
            assert steps[place, told] + onward == lengths[place][one]


def check_within(nav: Navigator, start: Place, lengths: dict, rng: random.Random) -> None:
    farthest = max(lengths.values())
    some = rng.choice(sorted(lengths.values()))
    for ticks in (0, some, some - 1, farthest):
        if ticks < 0:
            continue
        found, units = nav.search.within(start, ticks / TICKS)
        told = [tuple(each) if isinstance(each, list) else each for each in found.tolist()]
        wanted = {place for place, length in lengths.items() if length <= ticks}
        assert set(told) == wanted
        assert len(told) == len(wanted)
        assert units.tolist() == [lengths[place] / TICKS for place in told]
        assert units.tolist() == sorted(units.tolist())
    assert len(nav.search.within(start, math.inf)[0]) == len(lengths)


def check_nearest_of(nav: Navigator, start: Place, goals: list, lengths: dict) -> None:
    told = nav.nearest_of(start, goals)
    reached = [goal for goal in goals if goal in lengths]
    if not reached:
        assert told is None
        return
    least = min(lengths[goal] for goal in reached)
    assert told == next(goal for goal in reached if lengths[goal] == least)


def squared_distance(a: tuple[int, ...], b: tuple[int, ...], hex_layout: str | None) -> int:
    """Return a multiple of the squared straight distance between the centers of two cells."""

    def center(place: tuple[int, ...]) -> tuple[int, int]:
        x, y = place[:2]
        shifted = 1 if hex_layout in ("odd-r", "odd-q") else 0
        if hex_layout in ("odd-r", "even-r"):
            return 2 * x + (y % 2 == shifted), y
        return 2 * y + (x % 2 == shifted), x

    if hex_layout is None:
        return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2
    # In halves of a hexagon's width along its rows, and in rows, which are sqrt(3) halves apart.
    (along, row), (other_along, other_row) = center(a), center(b)
    return (along - other_along) ** 2 + 3 * (row - other_row) ** 2


def check_instead(nav: Navigator, start: Place, goal: Place, lengths: dict) -> None:
    if not isinstance(goal, tuple):
        return
    told = nav.search.nearest_reachable(start, goal)
    assert told in lengths
    if goal in lengths:
        assert told == goal
        return

    def away(place: tuple[int, ...]) -> int:
        return squared_distance(place, goal, nav._current.places.hex_layout)

    least = min(map(away, lengths))
    near = [place for place in lengths if away(place) == least]
    assert told == min(near, key=lambda place: (lengths[place], place[1], place[0]))
