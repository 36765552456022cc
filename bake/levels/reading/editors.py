"""Provide what readers of level editors share: the recipe's table, and its legend."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal

#: Stands for a terrain where a tile leaves what lies below it as it is.
BELOW = "below"

#: Whether the levels of a source bake into one level together, or each into its own.
WorldAs = Literal["one", "each"]


@dataclass(frozen=True)
class EditorReading:
    """What a recipe may say about any editor's files."""

    layers: tuple[str, ...] | None = None  #: names of the layers that count; None = all
    ignore: tuple[str, ...] = ()  #: names of layers that do not count
    empty: str = "void"  #: terrain of cells that no layer says anything about
    #: terrain, or BELOW, by what a tile or cell is
    legend: Mapping[str, str] = field(default_factory=dict)
    world: WorldAs = "one"  #: whether the levels of a world bake to one level or to one each
    allow_outside: bool = False  #: whether files outside the project folder may be read
    ordered: ClassVar[bool] = False  #: whether the order of the legend means anything


@dataclass(frozen=True)
class TiledReading(EditorReading):
    """How Tiled maps are read.

    Layers go by name or path ("Group/Layer"). Keys of the legend are "tile:SET:IDS",
    "property:NAME[=VALUE]", "class:NAME", "wang:NAME", "tileset:NAME" and "layer:NAME";
    "object:CLASS" gives the terrain of objects, or the kind of things, and "collision" or
    "collision:CLASS" the terrain of tiles' collision shapes. Of several entries about properties
    the first applies.
    """

    ordered: ClassVar[bool] = True
    #: whether areas drawn as objects are kept as shapes of the plane, not painted over cells. No
    #: recipe says it; how a level is divided does.
    keep_shapes: bool = False


@dataclass(frozen=True)
class LdtkReading(EditorReading):
    """How projects of the LDtk editor are read.

    Layers go by identifier. Keys of the legend are "value:NAME", "value:LAYER:NAME",
    "value:LAYER:NUMBER", "tile:SET:IDS", "enum:TAG", "tileset:NAME", "layer:NAME" and
    "area:ENTITY"; "entity:NAME" gives the kind of a thing.
    """

    empty: str = "floor"
    keep_shapes: bool = False  #: as of TiledReading, of the areas of entities


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
