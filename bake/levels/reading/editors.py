"""Provide what readers of level editors share: the recipe's table, its legend, and drawn things.

Objects of Tiled and entities of LDtk become links, regions, spots and doors by the same words,
whether a designer typed them as properties or as fields.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal, NoReturn

from bake.level import Cell, Door, Link, Region, Spot, Things
from bake.movement.lattice import EAST, NORTH, SOUTH, WEST

#: Stands for a terrain where a tile leaves what lies below it as it is.
BELOW = "below"

#: Whether the levels of a source bake into one level together, or each into its own.
WorldAs = Literal["one", "each"]

SPOT_KINDS = ("spawn", "exit")
LINK_KINDS = ("link", "teleporter", "ladder", "stairs", "jump")
#: Kinds of links that lead back unless the file says otherwise.
TWO_WAY = ("ladder", "stairs")
#: The states of an LDtk door that names none, and an example for every message about states.
DOOR_STATES = "open;shut=wall"

HEADINGS = {"north": NORTH, "east": EAST, "south": SOUTH, "west": WEST}
_OPPOSITE = {NORTH: SOUTH, SOUTH: NORTH, EAST: WEST, WEST: EAST}


@dataclass(frozen=True)
class EditorReading:
    """What a recipe may say about any editor's files.

    Attributes:
        layers: names of the layers that count; None = all.
        ignore: names of layers that do not count.
        empty: terrain of cells that no layer says anything about.
        legend: terrain, or BELOW, by what a tile or cell is.
        world: whether the levels of a world bake to one level or to one each.
        allow_outside: whether files outside the project folder may be read.
        ordered: whether the order of the legend means anything.
    """

    layers: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    empty: str = "void"
    legend: Mapping[str, str] = field(default_factory=dict)
    world: WorldAs = "one"
    allow_outside: bool = False
    ordered: ClassVar[bool] = False


@dataclass(frozen=True)
class TiledReading(EditorReading):
    """How Tiled maps are read.

    Layers go by name or path ("Group/Layer"). Keys of the legend are "tile:SET:IDS",
    "property:NAME[=VALUE]", "class:NAME", "wang:NAME", "tileset:NAME" and "layer:NAME";
    "object:CLASS" gives the terrain of objects, or the kind of things, and "collision" or
    "collision:CLASS" the terrain of tiles' collision shapes. Of several entries about properties
    the first applies.

    Attributes:
        keep_shapes: whether areas drawn as objects are kept as shapes of the plane, not painted
            over cells. No recipe says it; how a level is divided does.
    """

    ordered: ClassVar[bool] = True
    keep_shapes: bool = False


@dataclass(frozen=True)
class LdtkReading(EditorReading):
    """How projects of the LDtk editor are read.

    Layers go by identifier. Keys of the legend are "value:NAME", "value:LAYER:NAME",
    "value:LAYER:NUMBER", "tile:SET:IDS", "enum:TAG", "tileset:NAME", "layer:NAME" and
    "area:ENTITY"; "entity:NAME" gives the kind of a thing.

    Attributes:
        keep_shapes: as of TiledReading, of the areas of entities.
    """

    empty: str = "floor"
    keep_shapes: bool = False


class EditorLegend:
    """Looks up what the recipe says: terrains, and kinds of things, by "KIND:NAME".

    Attributes:
        used: entries that some cell or thing of the level was found by.
    """

    def __init__(self, entries: Mapping[str, str]) -> None:
        """Split entries that the recipe has checked, such as "tile:outdoor:3-9,12"."""
        self.entries = entries
        self.used: set[str] = set()
        #: By tileset: first and last number, and the entry, of each range of tiles.
        self.ranges: dict[str, list[tuple[int, int, str]]] = {}
        for key in entries:
            kind, _, name = key.partition(":")
            if kind != "tile":
                continue
            tileset, _, numbers = name.rpartition(":")
            for part in numbers.split(","):
                first, _, last = part.partition("-")
                ranges = self.ranges.setdefault(tileset, [])
                ranges.append((int(first), int(last or first), key))

    @property
    def unmatched(self) -> tuple[str, ...]:
        """Return the entries that nothing of the level was found by, in the order of the recipe."""
        return tuple(entry for entry in self.entries if entry not in self.used)

    def said(self, entry: str) -> str | None:
        """Return what an entry says, or None where there is none."""
        found = self.entries.get(entry)
        if found is not None:
            self.used.add(entry)
        return found

    def get(self, kind: str, name: str) -> str | None:
        return self.said(f"{kind}:{name}")

    def range_with(self, tileset: str, number: int) -> str | None:
        """Return the terrain of the narrowest range of tiles that holds one, or None."""
        found = [each for each in self.ranges.get(tileset, ()) if each[0] <= number <= each[1]]
        return self.said(min(found, key=lambda each: each[1] - each[0])[2]) if found else None


class Attributes(ABC):
    """What a designer typed about an object: properties in Tiled, fields in LDtk."""

    #: What the editor calls one of them.
    noun: ClassVar[str]

    @abstractmethod
    def value(self, name: str) -> object:
        """Return what was typed under a name, or None."""

    @abstractmethod
    def refuse(self, name: str, expected: str) -> NoReturn:
        """Raise the LevelError for what was typed under this name."""

    @abstractmethod
    def names(self, name: str) -> tuple[str, ...] | None:
        """Return the names typed under a name, each once, or None where nothing was typed."""

    @abstractmethod
    def is_text(self, text: str) -> bool:
        """Tell whether text can be a name in this editor."""

    def text(self, name: str) -> str | None:
        """Return text, or None where it is empty or missing."""
        value = self.value(name)
        if value is None or value == "":
            return None
        if not isinstance(value, str) or not self.is_text(value):
            self.refuse(name, "text without control characters")
        return value

    def flag(self, name: str) -> bool | None:
        value = self.value(name)
        if value is not None and not isinstance(value, bool):
            self.refuse(name, "true or false")
        return value

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

    def barred_headings(self, barred: Iterable[str], one_way: str | None) -> int:
        """Return as bits the headings that `barred` names, and the opposite of `one_way`."""
        found = 0
        for heading in barred:
            if heading not in HEADINGS:
                self.refuse("barred", f"headings among {', '.join(HEADINGS)}")
            found |= HEADINGS[heading]
        if one_way:
            if one_way not in HEADINGS:
                self.refuse("one_way", f"one of {', '.join(HEADINGS)}")
            found |= _OPPOSITE[HEADINGS[one_way]]
        return found


class ThingCollector:
    """Collects the things of a level as they are found."""

    def __init__(self) -> None:
        self.links: list[Link] = []
        self.regions: list[Region] = []
        self.spots: list[Spot] = []
        self.doors: list[Door] = []
        self._ways: set[tuple[object, ...]] = set()

    def collected(self) -> Things:
        return Things(tuple(self.links), tuple(self.regions), tuple(self.spots), tuple(self.doors))

    def is_drawn_already(
        self,
        ends: tuple[Cell, Cell],
        kind: str,
        cost: float | None,
        profiles: tuple[str, ...] | None,
    ) -> bool:
        """Tell whether a two-way link was found before, perhaps from its other end.

        Stairs are often drawn from both ends, which makes one link, not two.
        """
        way = (frozenset(ends), kind, cost, profiles)
        known = way in self._ways
        self._ways.add(way)
        return known
