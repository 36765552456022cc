"""Check what a game asks of an update, once when it comes in, and work out the level it makes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import cast

import numpy as np

from bake.arrays import BoolArray, Int64Array
from bake.play.headings import in_all_headings, is_bare
from bake.play.live.cells import Cells, Values, all_unlike, edited
from bake.play.live.links import LinkState, Pair, link_of, links_from
from bake.play.live.rules import LevelRules
from levelbake.errors import QueryError
from levelbake.places import Place, number_of, quoted
from levelbake.things import Link, ThingTables


@dataclass(frozen=True)
class Edit:
    """One batch of changes, by locations: see :class:`bake.play.reader.places.Places`."""

    #: blocked, opened: locations that get an obstacle, and that lose theirs
    blocked: tuple[int, ...]
    opened: tuple[int, ...]
    terrain: Mapping[int, int]  #: the new terrain of each location that gets one
    #: the new price in units of each (tail, head) location; CLOSED, or None for the usual price
    arcs: Mapping[Pair, float | None]
    links: Mapping[str, Link | None]  #: the new links by name; None = one that goes

    @property
    def locations(self) -> Int64Array:
        """Return the locations that it may change, ascending, but for ends of arcs."""
        each = {*self.blocked, *self.opened, *self.terrain}
        return np.array(sorted(each), dtype=np.int64)


@dataclass(frozen=True)
class LevelState:
    """What a level is made of, before a batch or after it."""

    terrain: Values  #: (locations) uint8; on large lattices what differs from the bake
    obstacle: Values  #: likewise, bool, True where nobody can stand, whatever the terrain
    #: units by (tail, head) location, of arcs that do not cost what the terrain says
    prices: Mapping[Pair, float]
    links: LinkState  #: the links, and the arcs that the game added

    @staticmethod
    def baked(rules: LevelRules) -> LevelState:
        """Return the level as it was baked."""
        nowhere = np.zeros(rules.location_count, dtype=np.bool_)
        prices, links = rules.own_prices, links_from(rules, {}, rules.own_prices)
        implied, width = rules.asset.implied, rules.places.width
        if implied is None:
            return LevelState(rules.terrain, nowhere, prices, links)
        terrain, obstacle = (Cells(each, width, implied.block) for each in (rules.terrain, nowhere))
        return LevelState(terrain, obstacle, prices, links)

    def edited(self, edit: Edit, passable: BoolArray, usual: int) -> LevelState:
        """Return the level after a batch.

        Args:
            edit: the batch.
            passable: (terrain) bool, True where some profile can stand on the terrain.
            usual: the terrain an opened wall becomes.

        Raises:
            QueryError: see :meth:`LinkState.edited`.
        """
        terrain, obstacle, prices = self.terrain, self.obstacle, self.prices
        if edit.blocked or edit.opened:
            both = np.array((*edit.blocked, *edit.opened), dtype=np.int64)
            obstacle = edited(obstacle, both, np.arange(len(both)) < len(edit.blocked))
        if edit.opened or edit.terrain:
            opened = np.array(edit.opened, dtype=np.int64)
            walls = opened[~passable[terrain[opened]]]
            terrain = edited(terrain, walls, np.full(len(walls), usual, dtype=np.uint8))
            changed = np.array(list(edit.terrain), dtype=np.int64)
            codes = np.array(list(edit.terrain.values()), dtype=np.uint8)
            terrain = edited(terrain, changed, codes)
        links, prices = self.links.edited(edit.links, edit.arcs, prices)
        return LevelState(terrain, obstacle, prices, links)

    def changed(self, other: LevelState, near: Int64Array | None = None) -> Int64Array:
        """Find the locations that differ, and both ends of arcs and links that do.

        Args:
            near: (k) int64 ascending, the only locations that may differ; None = any.

        Returns:
            The locations, ascending.
        """
        if near is None:
            obstacle = all_unlike(self.obstacle, other.obstacle)
            locations = np.union1d(obstacle, all_unlike(self.terrain, other.terrain))
        else:
            differ = self.obstacle[near] != other.obstacle[near]
            differ |= self.terrain[near] != other.terrain[near]
            locations = near[differ]
        priced = set(self.links.ends_unlike(other.links))
        if self.prices is not other.prices:
            priced.update(arc for arc, _ in set(self.prices.items()) ^ set(other.prices.items()))
        if not priced:
            return locations
        return np.union1d(locations, np.array(sorted(priced), dtype=np.int64).reshape(-1))


def edit_of(
    rules: LevelRules,
    blocked: Iterable[Place],
    opened: Iterable[Place],
    terrain: Mapping[Place, str] | None,
    arcs: Mapping[tuple[Place, Place], float | None] | None,
    links: Mapping[str, Mapping[str, object] | Link | None] | None = None,
) -> Edit:
    """Return the batch that the arguments of :meth:`bake.play.LevelAsset.update` ask for.

    Raises:
        QueryError: there is no such place or terrain, a cost is not a positive number, something
            is no link, or a place is to be both blocked and opened. Whether arcs and links exist
            is looked at when the batch is applied.
    """
    shut, open_ = _locations(rules, blocked, "blocked"), _locations(rules, opened, "opened")
    if both := set(shut) & set(open_):
        raise QueryError(f"{rules.places.place_at(min(both))!r} is both blocked and opened")
    code_of = {name: code for code, name in enumerate(rules.terrains)}
    codes: dict[int, int] = {}
    for place, name in _items(terrain, "terrain"):
        if not isinstance(name, str) or name not in code_of:
            raise QueryError(
                f"no terrain {quoted(name)}",
                place=f"level {rules.places.name!r}",
                expected=" or ".join(repr(known) for known in rules.terrains),
            )
        for each in _places(rules, place):
            codes[rules.places.location(each)] = code_of[name]
    prices: dict[tuple[int, int], float | None] = {}
    for arc, cost in _items(arcs, "arcs"):
        if not isinstance(arc, tuple) or len(arc) != 2:
            raise QueryError(f"{quoted(arc)} is no arc", expected="a pair of places")
        a, b = arc
        prices[rules.places.location(a), rules.places.location(b)] = _price(cost)
    ways = {cast("str", name): link_of(rules, name, said) for name, said in _items(links, "links")}
    return Edit(shut, open_, codes, prices, ways)


def door_edit(rules: LevelRules, things: ThingTables, door: str, state: str) -> Edit:
    """Return the batch that puts a door into one of its states.

    Raises:
        QueryError: there is no such door, or it has no such state.
    """
    found = things.doors.get(door) if isinstance(door, str) else None
    where = f"level {rules.places.name!r}"
    if found is None:
        known = " or ".join(repr(name) for name in things.doors)
        found_instead = f"no door is named {quoted(door)}" if known else "the level has no doors"
        raise QueryError(found_instead, place=where, expected=known or None)
    if not isinstance(state, str) or state not in found.states:
        raise QueryError(
            f"door {door!r} has no state {quoted(state)}",
            place=where,
            expected=" or ".join(repr(name) for name in found.states),
        )
    cells = [tuple(cell) for cell in found.cells.tolist()]
    return edit_of(rules, (), (), dict(zip(cells, found.states[state], strict=True)), None)


def _items(mapping: object, what: str) -> list[tuple[object, object]]:
    if mapping is None:
        return []
    if not isinstance(mapping, Mapping):
        raise QueryError(f"{what} is {type(mapping).__name__}", expected="a mapping")
    return list(mapping.items())


def _locations(rules: LevelRules, places: object, what: str) -> tuple[int, ...]:
    if isinstance(places, str | bytes | Mapping) or not isinstance(places, Iterable):
        raise QueryError(f"{what} is {quoted(places)}", expected="a list of places")
    each = (one for place in places for one in _places(rules, place))
    return tuple(dict.fromkeys(rules.places.location(one) for one in each))


def _places(rules: LevelRules, place: object) -> list[Place]:
    """Return the places that one means: a cell alone is the cell in every heading."""
    if is_bare(rules.places, place):
        return in_all_headings(rules.places, cast("Place", place))
    return [cast("Place", place)]


def _price(cost: object) -> float | None:
    if cost is None:
        return None
    units = number_of(cost)
    if not units > 0:
        raise QueryError(
            f"an arc's cost is {quoted(cost)}",
            expected="a positive number of units, infinity to close it, None for its usual cost",
        )
    return units
