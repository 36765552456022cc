"""Build links, regions, spots and doors from the objects of level editors.

Objects of Tiled and entities of LDtk are read by the same names, whether the designer typed them
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
from bake.levels.reading.names import find_near_name, normalize_name
from levelbake.steps import EAST, NORTH, SOUTH, WEST

SPOT_KINDS = ("spawn", "exit")
LINK_KINDS = ("link", "teleporter", "ladder", "stairs", "jump")
#: Kinds of links that are bidirectional by default.
TWO_WAY = ("ladder", "stairs")
#: The default states of an LDtk door; also the example in messages about states.
DOOR_STATES = "open;shut=wall"

#: The names of all properties and fields that are read, and the types of their values.
WORDS: Mapping[str, Literal["flag", "number", "text"]] = {
    **dict.fromkeys(("blocked", "walkable", "spot", "both_ways", "via"), "flag"),
    **dict.fromkeys(("cost", "elevation", "floor"), "number"),
    **dict.fromkeys(("terrain", "one_way", "barred", "profiles", "over", "name"), "text"),
    **dict.fromkeys(("states", "state", "bake"), "text"),
}
#: The names read for each kind of entity in every editor. The `one_way` of a link is a flag.
SPOT_WORDS = ("profiles",)
_LINK_WORDS = ("cost", "both_ways", "one_way", "profiles")
KIND_WORDS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(SPOT_KINDS, SPOT_WORDS),
    **dict.fromkeys(LINK_KINDS, _LINK_WORDS),
    "region": (),
    "door": ("states", "state"),
    "ledge": ("one_way", "barred"),
}
#: Shorter names resemble many others, so a near miss needs a value of the right type.
_LONG_NAME = 6

HEADINGS = {"north": NORTH, "east": EAST, "south": SOUTH, "west": WEST}
_OPPOSITE = {NORTH: SOUTH, SOUTH: NORTH, EAST: WEST, WEST: EAST}
_LIMIT = 10**18


class _Owner(Protocol):
    """An object of a level file that has properties and can raise an error with its place."""

    def refuse(
        self, problem: str, expected: str | None = None, remedy: str | None = None
    ) -> NoReturn:
        """Raise a LevelError about this object."""


def parse_number(value: object, *, is_text: bool) -> float | None:
    """Return a value as a finite float, or None; text counts as a number if ``is_text``."""
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
    """The custom values of an object: properties in Tiled, fields in LDtk.

    The case of names and the blanks around them do not matter.
    """

    def __init__(self, owner: _Owner, noun: str, values: Mapping[str, object]) -> None:
        self.owner = owner
        self.noun = noun  #: the editor's word for a value: "property" or "field"
        self.values = values  #: by name, as typed

    @cached_property
    def spellings(self) -> Mapping[str, Sequence[str]]:
        """Return the typed names by plain name, without names that have no value."""
        spellings: dict[str, list[str]] = {}
        for name, value in self.values.items():
            if value is not None:
                spellings.setdefault(normalize_name(name), []).append(name)
        return spellings

    def spelling(self, name: str) -> str:
        """Return the typed spelling of a plain name."""
        return self.spellings.get(name, (name,))[0]

    def value(self, name: str) -> object:
        """Return the value of a plain name, or None.

        Raises:
            LevelError: the object has two spellings of the name, with different values.
        """
        first, *spellings = self.spellings.get(name, (name,))
        value = self.values.get(first)
        for spelling in spellings:
            if self.values[spelling] != value:
                self.owner.refuse(
                    f"the {self.noun} {shown(name)} is given twice, as {shown(first)} and "
                    f"{shown(spelling)}, with two values",
                    "one of them; case and the blanks around a name do not matter",
                )
        return value

    def find_near_misses(self, known: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Yield unknown names that are one edit away from a known name, with that name."""
        words = tuple(known)
        for name, spelled in self.spellings.items():
            near = None if name in WORDS else find_near_name(name, words)
            if near is not None and (len(near) >= _LONG_NAME or self._fits(spelled[0], near)):
                yield spelled[0], near

    def _fits(self, name: str, word: str) -> bool:
        """Return whether the value of ``name`` has the type that ``word`` requires."""
        value = self.values[name]
        match WORDS[word]:
            case "flag":
                return isinstance(value, bool) or value in ("true", "false")
            case "number":
                return parse_number(value, is_text=True) is not None
            case "text":
                return isinstance(value, str | list)

    def refuse(self, name: str, expected: str) -> NoReturn:
        """Raise a LevelError about the value of a plain name."""
        problem = f"the {self.noun} {shown(self.spelling(name))} is {shown(self.value(name))}"
        self.owner.refuse(problem, expected)

    def text(self, name: str) -> str | None:
        """Return a text value, or None if it is empty or missing."""
        value = self.value(name)
        if value is None or value == "":
            return None
        if not isinstance(value, str) or not is_plain_text(value):
            self.refuse(name, "text without control characters")
        return value

    def names(self, name: str) -> tuple[str, ...] | None:
        """Return the distinct names of a list or a comma-separated text, or None."""
        value = self.value(name)
        listed = value.split(",") if isinstance(value, str) else value
        if listed is None:
            return None
        if not isinstance(listed, list) or not all(isinstance(item, str) for item in listed):
            self.refuse(name, "a list of names")
        names = tuple(dict.fromkeys(item.strip() for item in listed if item.strip()))
        if not all(map(is_plain_text, names)):
            self.refuse(name, "names without control characters")
        return names or None

    def flag(self, name: str) -> bool | None:
        # Designers leave new properties at their default type, which is text.
        value = self.value(name)
        if value in ("true", "false"):
            return value == "true"
        if value is not None and not isinstance(value, bool):
            self.refuse(name, "true or false")
        return value

    def cost(self) -> float | None:
        """Return the `cost`, a number above 0, or None if it is missing or "blocked"."""
        value = self.value("cost")
        if value in (None, "", "blocked"):
            return None
        cost = parse_number(value, is_text=True)
        if cost is None or not 0 < cost <= MAX_COST:
            self.refuse("cost", f'a number above 0, at most {MAX_COST:g}, or "blocked"')
        return cost

    def both_ways(self, kind: str) -> bool:
        """Return whether a link is bidirectional, by `both_ways`, `one_way` or its kind."""
        bidirectional, directed = self.flag("both_ways"), self.flag("one_way")
        if bidirectional is not None and bidirectional == directed:
            self.refuse("one_way", f"the opposite of the {self.noun} both_ways")
        if bidirectional is None and directed is None:
            return kind in TWO_WAY
        return bool(bidirectional) or directed is False

    def door(self, states: str) -> tuple[tuple[tuple[str, str | None], ...], str]:
        """Return the states of a door with their terrains, and the current state.

        The current state is the value of `state`, or else the first state.

        Args:
            states: such as "open;shut=wall"; a state without a terrain does not change the cells.
        """
        expected = f'at least two states, such as "{DOOR_STATES}"'
        terrain_of: dict[str, str | None] = {}
        for part in states.split(";"):
            name, _, terrain = (text.strip() for text in part.partition("="))
            if not name or name in terrain_of:
                self.refuse("states", expected)
            terrain_of[name] = terrain or None
        if len(terrain_of) < 2:
            self.refuse("states", expected)
        state = self.text("state") or next(iter(terrain_of))
        if state not in terrain_of:
            self.refuse("state", f"one of {', '.join(terrain_of)}")
        return tuple(terrain_of.items()), state

    def headings(self) -> int:
        """Return the barred headings as bits: those in `barred`, and the opposite of `one_way`.

        The `one_way` of a link is a flag, which bars no heading.
        """
        bars, one_way = 0, self.value("one_way")
        for heading in self.names("barred") or ():
            if heading.lower() not in HEADINGS:
                self.refuse("barred", f"headings among {', '.join(HEADINGS)}")
            bars |= HEADINGS[heading.lower()]
        if isinstance(one_way, str) and one_way:
            if one_way.lower() not in HEADINGS:
                self.refuse("one_way", f"one of {', '.join(HEADINGS)}")
            bars |= _OPPOSITE[HEADINGS[one_way.lower()]]
        return bars


@dataclass(frozen=True)
class Mark:
    """An object of a level editor that becomes a link, region, spot or door."""

    kind: str  #: "spawn", "region", "door", "stairs" and so on
    name: str  #: name in the level
    id: str | None  #: id in the editor, or None
    place: str  #: place in the file, for messages
    attributes: Attributes  #: its properties or fields


class ThingCollector:
    """Collects the links, regions, spots and doors of a level."""

    def __init__(self) -> None:
        self.links: list[Link] = []
        self.regions: list[Region] = []
        self.spots: list[Spot] = []
        self.doors: list[Door] = []
        self._bidirectional: set[tuple[object, ...]] = set()

    def collect_things(self) -> Things:
        return Things(tuple(self.links), tuple(self.regions), tuple(self.spots), tuple(self.doors))

    def add_spot(self, mark: Mark, cell: Cell) -> None:
        profiles = mark.attributes.names("profiles")
        self.spots.append(Spot(mark.name, mark.kind, cell, profiles, mark.place, mark.id))

    def add_region(self, mark: Mark, cells: Int32Array) -> None:
        self.regions.append(Region(mark.name, cells, mark.place, mark.id))

    def add_door(self, mark: Mark, states: str, cells: Int32Array) -> None:
        named, state = mark.attributes.door(states)
        self.doors.append(Door(mark.name, cells, named, state, mark.place, mark.id))

    def add_links(
        self,
        mark: Mark,
        ends: Sequence[tuple[Cell, Cell]],
        both_ways: bool,
        via: tuple[Cell, ...] = (),
    ) -> None:
        """Add a link from one entity to each of its goals; several links are numbered from 1."""
        attributes = mark.attributes
        cost, profiles = attributes.cost(), attributes.names("profiles")
        over = attributes.names("over") if via else None
        for number, (start, goal) in enumerate(ends, start=1):
            # Stairs are often drawn from both ends; that is one link, not two.
            key = (frozenset((start, goal)), mark.kind, cost, profiles)
            if both_ways and not via:
                if key in self._bidirectional:
                    continue
                self._bidirectional.add(key)
            name = f"{mark.name}_{number}" if len(ends) > 1 else mark.name
            rest = (cost, both_ways, profiles, mark.place, mark.id, via, over)
            self.links.append(Link(name, mark.kind, start, goal, *rest))
