"""Make links, regions, spots and doors of what designers drew in any editor.

Objects of Tiled and entities of LDtk become things by the same words, whether a designer typed them
as properties or as fields.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn, Protocol

from bake.arrays import Int32Array
from bake.level import Cell, Door, Link, Region, Spot, Things
from bake.levels.reading.limits import MAX_COST
from bake.levels.reading.mistakes import is_plain_text, shown
from levelbake.steps import EAST, NORTH, SOUTH, WEST

SPOT_KINDS = ("spawn", "exit")
LINK_KINDS = ("link", "teleporter", "ladder", "stairs", "jump")
#: Kinds of links that lead back unless the file says otherwise.
TWO_WAY = ("ladder", "stairs")
#: The states of an LDtk door that names none, and an example for every message about states.
DOOR_STATES = "open;shut=wall"

HEADINGS = {"north": NORTH, "east": EAST, "south": SOUTH, "west": WEST}
_OPPOSITE = {NORTH: SOUTH, SOUTH: NORTH, EAST: WEST, WEST: EAST}
_LIMIT = 10**18


class _Owner(Protocol):
    """Whatever in a file something was typed about, which says where it is."""

    def refuse(
        self, found: str, expected: str | None = None, remedy: str | None = None
    ) -> NoReturn:
        """Raise the LevelError for what is wrong with it."""


def as_number(value: object, *, is_text: bool) -> float | None:
    """Return a value as a finite number, or None."""
    if is_text and isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    # A whole number with hundreds of digits cannot become a float.
    return float(value) if abs(value) < _LIMIT and math.isfinite(value) else None


class Attributes:
    """What a designer typed about an object: properties in Tiled, fields in LDtk.

    Attributes:
        noun: what the editor calls one of them.
        values: what was typed, by name.
    """

    def __init__(self, owner: _Owner, noun: str, values: Mapping[str, object]) -> None:
        self.owner = owner
        self.noun = noun
        self.values = values

    def value(self, name: str) -> object:
        return self.values.get(name)

    def refuse(self, name: str, expected: str) -> NoReturn:
        """Raise the LevelError for what was typed under a name."""
        found = f"the {self.noun} {shown(name)} is {shown(self.value(name))}"
        self.owner.refuse(found, expected)

    def text(self, name: str) -> str | None:
        """Return text, or None where it is empty or missing."""
        value = self.value(name)
        if value is None or value == "":
            return None
        if not isinstance(value, str) or not is_plain_text(value):
            self.refuse(name, "text without control characters")
        return value

    def names(self, name: str) -> tuple[str, ...] | None:
        """Return the names in a list, or between commas, each once; None where there are none."""
        value = self.value(name)
        listed = value.split(",") if isinstance(value, str) else value
        if listed is None:
            return None
        if not isinstance(listed, list) or not all(isinstance(each, str) for each in listed):
            self.refuse(name, "a list of names")
        found = tuple(dict.fromkeys(each.strip() for each in listed if each.strip()))
        if not all(map(is_plain_text, found)):
            self.refuse(name, "names without control characters")
        return found or None

    def flag(self, name: str) -> bool | None:
        # Designers leave new properties at their default type, which is text.
        value = self.value(name)
        if value in ("true", "false"):
            return value == "true"
        if value is not None and not isinstance(value, bool):
            self.refuse(name, "true or false")
        return value

    def cost(self) -> float | None:
        """Return the `cost`, a number above 0; None where there is none, or where it is blocked."""
        value = self.value("cost")
        if value in (None, "", "blocked"):
            return None
        cost = as_number(value, is_text=True)
        if cost is None or not 0 < cost <= MAX_COST:
            self.refuse("cost", f'a number above 0, at most {MAX_COST:g}, or "blocked"')
        return cost

    def both_ways(self, kind: str) -> bool:
        """Tell whether a link leads back, by `both_ways`, by `one_way`, or by its kind."""
        both, one = self.flag("both_ways"), self.flag("one_way")
        if both is not None and both == one:
            self.refuse("one_way", f"the opposite of the {self.noun} both_ways")
        if both is None and one is None:
            return kind in TWO_WAY
        return bool(both) or one is False

    def door(self, states: str) -> tuple[tuple[tuple[str, str | None], ...], str]:
        """Return the states of a door, and the one it is in: that of `state`, or the first.

        Args:
            states: separated by semicolons; a state without a terrain leaves what the map has
                there.
        """
        expected = f'at least two states, such as "{DOOR_STATES}"'
        found: dict[str, str | None] = {}
        for part in states.split(";"):
            name, _, terrain = (piece.strip() for piece in part.partition("="))
            if not name or name in found:
                self.refuse("states", expected)
            found[name] = terrain or None
        if len(found) < 2:
            self.refuse("states", expected)
        state = self.text("state") or next(iter(found))
        if state not in found:
            self.refuse("state", f"one of {', '.join(found)}")
        return tuple(found.items()), state

    def headings(self) -> int:
        """Return as bits the headings that `barred` names, and the opposite of `one_way`.

        The `one_way` of a link is a flag, and bars none.
        """
        found, one_way = 0, self.value("one_way")
        for heading in self.names("barred") or ():
            if heading.lower() not in HEADINGS:
                self.refuse("barred", f"headings among {', '.join(HEADINGS)}")
            found |= HEADINGS[heading.lower()]
        if isinstance(one_way, str) and one_way:
            if one_way.lower() not in HEADINGS:
                self.refuse("one_way", f"one of {', '.join(HEADINGS)}")
            found |= _OPPOSITE[HEADINGS[one_way.lower()]]
        return found


@dataclass(frozen=True)
class Mark:
    """What was drawn for a thing."""

    kind: str  #: "spawn", "region", "door", "stairs" and so on
    name: str  #: what it is called in the level
    id: str | None  #: what the editor calls it by, or None
    place: str  #: where in the file it is, for messages
    said: Attributes  #: what was typed about it


class ThingCollector:
    """Collects the things of a level as their marks are found."""

    def __init__(self) -> None:
        self.links: list[Link] = []
        self.regions: list[Region] = []
        self.spots: list[Spot] = []
        self.doors: list[Door] = []
        self._ways: set[tuple[object, ...]] = set()

    def collected(self) -> Things:
        return Things(tuple(self.links), tuple(self.regions), tuple(self.spots), tuple(self.doors))

    def add_spot(self, mark: Mark, cell: Cell) -> None:
        profiles = mark.said.names("profiles")
        self.spots.append(Spot(mark.name, mark.kind, cell, profiles, mark.place, mark.id))

    def add_region(self, mark: Mark, cells: Int32Array) -> None:
        self.regions.append(Region(mark.name, cells, mark.place, mark.id))

    def add_door(self, mark: Mark, states: str, cells: Int32Array) -> None:
        named, state = mark.said.door(states)
        self.doors.append(Door(mark.name, cells, named, state, mark.place, mark.id))

    def add_links(
        self,
        mark: Mark,
        ends: Sequence[tuple[Cell, Cell]],
        both_ways: bool,
        via: tuple[Cell, ...] = (),
    ) -> None:
        """Add the links from one thing to each that it leads to; several get numbers."""
        said = mark.said
        cost, profiles = said.cost(), said.names("profiles")
        over = said.names("over") if via else None
        for number, (start, goal) in enumerate(ends, start=1):
            # Stairs are often drawn from both ends, which makes one link, not two.
            way = (frozenset((start, goal)), mark.kind, cost, profiles)
            if both_ways and not via:
                if way in self._ways:
                    continue
                self._ways.add(way)
            name = f"{mark.name}_{number}" if len(ends) > 1 else mark.name
            kept = (cost, both_ways, profiles, mark.place, mark.id, via, over)
            self.links.append(Link(name, mark.kind, start, goal, *kept))
