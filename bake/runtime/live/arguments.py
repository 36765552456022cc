"""What a game asks of an update, checked and turned into spots."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from operator import index
from typing import cast

from bake.errors import OutsideMapError, QueryError, UnknownNodeError
from bake.runtime.live.ground import Edit
from bake.runtime.live.rules import LevelRules
from bake.runtime.reader.places import Cell, Place

Cells = Iterable[Place]


def edit_of(
    rules: LevelRules,
    blocked: Cells,
    opened: Cells,
    terrain: Mapping[Place, str] | None,
    arcs: Mapping[tuple[Place, Place], float | None] | None,
) -> Edit:
    """A batch by spots.

    Raises:
        QueryError: a place, terrain or arc there is none of, a cost that is none, or a place both
            blocked and opened.
    """
    shut, open_ = _spots(rules, blocked, "blocked"), _spots(rules, opened, "opened")
    if both := set(shut) & set(open_):
        raise QueryError(f"{place_of(rules, min(both))!r} is both blocked and opened")
    code_of = {name: code for code, name in enumerate(rules.terrains)}
    codes: dict[int, int] = {}
    for place, name in _items(terrain, "terrain"):
        if not isinstance(name, str) or name not in code_of:
            raise QueryError(
                f"no terrain {name!r}",
                place=f"level {rules.places.name!r}",
                expected=" or ".join(repr(known) for known in rules.terrains),
            )
        codes[spot_of(rules, cast("Place", place))] = code_of[name]
    prices: dict[tuple[int, int], float | None] = {}
    for arc, cost in _items(arcs, "arcs"):
        try:
            a, b = cast("tuple[Place, Place]", arc)
        except (TypeError, ValueError):
            raise QueryError(f"{_said(arc)} is no arc", expected="a pair of places") from None
        key = spot_of(rules, a), spot_of(rules, b)
        if not _joined(rules, *key):
            raise QueryError(f"no arc leads from {_said(a)} to {_said(b)}")
        prices[key] = _price(cost)
    return Edit(shut, open_, codes, prices)


def _items(mapping: object, what: str) -> list[tuple[object, object]]:
    if mapping is None:
        return []
    if not isinstance(mapping, Mapping):
        raise QueryError(f"{what} is {type(mapping).__name__}", expected="a mapping")
    return list(mapping.items())


def _spots(rules: LevelRules, places: object, what: str) -> tuple[int, ...]:
    if isinstance(places, str | bytes | Mapping) or not isinstance(places, Iterable):
        raise QueryError(f"{what} is {_said(places)}", expected="a list of places")
    return tuple(dict.fromkeys(spot_of(rules, place) for place in places))


def _price(cost: object) -> float | None:
    if cost is None:
        return None
    try:
        if isinstance(cost, bool):
            raise TypeError
        units = float(cast("float", cost))
    except (TypeError, ValueError, OverflowError):
        units = math.nan
    if not units > 0:
        raise QueryError(
            f"an arc's cost is {_said(cost)}",
            expected="a positive number of units, infinity to close it, None for its usual cost",
        )
    return units


def spot_of(rules: LevelRules, place: Place) -> int:
    """The spot a game means.

    Raises:
        QueryError: it is none of this level's.
    """
    places = rules.places
    where = f"level {places.name!r}"
    if not places.is_grid:
        node = places.node_named(place)
        if node is None:
            raise UnknownNodeError(f"no node is named {_said(place)}", place=where)
        return node
    floors = places.height // rules.floor_height
    try:
        numbers = [index(number) for number in cast("Cell", place)]
        x, y, floor = numbers if floors > 1 else (*numbers, 0)
    except (TypeError, ValueError):
        expected = "(x, y, floor), three integers" if floors > 1 else "(x, y), two integers"
        raise QueryError(f"{_said(place)} is no cell", expected=expected) from None
    if not (0 <= x < places.width and 0 <= y < rules.floor_height and 0 <= floor < floors):
        raise OutsideMapError(
            f"cell {_said(tuple(numbers))} lies outside the level",
            place=where,
            expected=f"x from 0 to {places.width - 1}, y from 0 to {rules.floor_height - 1}",
        )
    return (floor * rules.floor_height + y) * places.width + x


def place_of(rules: LevelRules, spot: int) -> Place:
    """A spot as a game says it."""
    places = rules.places
    if not places.is_grid:
        return places.names[spot]
    y, x = divmod(spot, places.width)
    if rules.floor_height < places.height:
        floor, y = divmod(y, rules.floor_height)
        return cast("Place", (x, y, floor))
    return (x, y)


def _joined(rules: LevelRules, tail: int, head: int) -> bool:
    """Whether there is, or may be, an arc."""
    if rules.places.is_grid and head in rules.steps_from(tail):
        return True
    ends = rules.arcs_between
    return (tail, head) in ends


def _said(what: object) -> str:
    """A wrong argument on one short line."""
    text = " ".join(repr(what).split())
    return text if len(text) <= 60 else text[:57] + "..."
