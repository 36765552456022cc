"""Make links, regions, spots and doors of what designers drew in any editor.

Objects of Tiled and entities of LDtk become things by the same words, whether a designer typed them
as properties or as fields.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NoReturn, Protocol

from bake.core.arrays import Int32Array
from bake.core.level import Cell, Door, Link, Region, Spot, Things
from bake.levels.reading.limits import MAX_COST
from bake.levels.reading.mistakes import is_plain_text, shown
from bake.levels.reading.names import near_name, plain_name
from levelbake.steps import EAST, NORTH, SOUTH, WEST

SPOT_KINDS = ("spawn", "exit")
LINK_KINDS = ("link", "teleporter", "ladder", "stairs", "jump")
#: Kinds of links that lead back unless the file says otherwise.
TWO_WAY = ("ladder", "stairs")
#: The states of an LDtk door that names none, and an example for every message about states.
DOOR_STATES = "open;shut=wall"

#: Every name that a property or field is read by in some editor, and the type of its value.
WORDS: Mapping[str, Literal["flag", "number", "text"]] = {
    **dict.fromkeys(("blocked", "walkable", "spot", "both_ways", "via"), "flag"),
    **dict.fromkeys(("cost", "elevation", "floor"), "number"),
    **dict.fromkeys(("terrain", "one_way", "barred", "profiles", "over", "name"), "text"),
    **dict.fromkeys(("states", "state", "bake"), "text"),
}
#: What is read of each kind of thing in every editor. The `one_way` of a link is a flag.
SPOT_WORDS = ("profiles",)
_LINK_WORDS = ("cost", "both_ways", "one_way", "profiles")
KIND_WORDS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(SPOT_KINDS, SPOT_WORDS),
    **dict.fromkeys(LINK_KINDS, _LINK_WORDS),
    "region": (),
    "door": ("states", "state"),
    "ledge": ("one_way", "barred"),
}
#: Names shorter than this are near many others, so that only values of their type count.
_LONG_NAME = 6

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
    """Values that a designer typed about an object: properties in Tiled, fields in LDtk.

    The case of names and the blanks around them do not matter.

    Attributes:
        noun: the editor's word for one of them.
        values: by name, as typed.
    """

    def __init__(self, owner: _Owner, noun: str, values: Mapping[str, object]) -> None:
        self.owner = owner
        self.noun = noun
        self.values = values

    @cached_property
    def spellings(self) -> Mapping[str, Sequence[str]]:
        """Return the names as typed, by plain name; names without a value are left out."""
        spellings: dict[str, list[str]] = {}
        for name, value in self.values.items():
            if value is not None:
                spellings.setdefault(plain_name(name), []).append(name)
        return spellings

    def spelling(self, name: str) -> str:
        """Return the spelling that was typed for a plain name."""
        return self.spellings.get(name, (name,))[0]

    def value(self, name: str) -> object:
        """Return the value of a plain name, or None.

        Raises:
            LevelError: the name was typed in two ways, with two values.
        """
        first, *others = self.spellings.get(name, (name,))
        value = self.values.get(first)
        for other in others:
            if self.values[other] != value:
                self.owner.refuse(
                    f"the {self.noun} {shown(name)} is given twice, as {shown(first)} and "
                    f"{shown(other)}, with two values",
                    "one of them; case and the blanks around a name do not matter",
                )
        return value

    def near_misses(self, known: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Yield each name that is not known but one edit away from a known one, and that one."""
        words = tuple(known)
        for name, spelled in self.spellings.items():
            near = None if name in WORDS else near_name(name, words)
            if near is not None and (len(near) >= _LONG_NAME or self._fits(spelled[0], near)):
                yield spelled[0], near

    def _fits(self, name: str, word: str) -> bool:
        """Return whether a value has the type of those that a word is read with."""
        value = self.values[name]
        match WORDS[word]:
            case "flag":
                return isinstance(value, bool) or value in ("true", "false")
            case "number":
                return as_number(value, is_text=True) is not None
            case "text":
                return isinstance(value, str | list)

    def refuse(self, name: str, expected: str) -> NoReturn:
        """Raise the LevelError for the value of a plain name."""
        found = f"the {self.noun} {shown(self.spelling(name))} is {shown(self.value(name))}"
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
