"""The tables of a recipe for level editors, and the lookup of their legends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal

#: Used as a terrain name: the tile does not change the terrain of the layers below it.
BELOW = "below"

#: Whether all levels of a file become one asset, or each becomes an asset of its own.
WorldAs = Literal["one", "each"]


@dataclass(frozen=True)
class EditorReading:
    """The options of a recipe that apply to the files of any level editor."""

    layers: tuple[str, ...] | None = None  #: names of the layers to read; None = all
    ignore: tuple[str, ...] = ()  #: names of layers to skip
    empty: str = "void"  #: terrain of cells that are empty in every layer
    #: terrain, or BELOW, by the key of a tile or cell
    legend: Mapping[str, str] = field(default_factory=dict)
    world: WorldAs = "one"  #: whether a world becomes one asset or one per level
    allow_outside: bool = False  #: whether files outside the project folder may be read
    ordered: ClassVar[bool] = False  #: whether the order of legend entries matters


@dataclass(frozen=True)
class TiledReading(EditorReading):
    """The options for reading Tiled maps.

    Layers are identified by name or path ("Group/Layer"). Legend keys are "tile:SET:IDS",
    "property:NAME[=VALUE]", "class:NAME", "wang:NAME", "tileset:NAME" and "layer:NAME".
    "object:CLASS" is the terrain of objects, or the kind of an entity; "collision" and
    "collision:CLASS" are the terrain of collision shapes of tiles. If several entries about
    properties match, the first one applies.
    """

    ordered: ClassVar[bool] = True
    #: whether objects with a terrain become shapes of the plane instead of painting cells. This
    #: follows from the division of the level; no recipe sets it.
    keep_shapes: bool = False


@dataclass(frozen=True)
class LdtkReading(EditorReading):
    """The options for reading LDtk projects.

    Layers are identified by their identifier. Legend keys are "value:NAME", "value:LAYER:NAME",
    "value:LAYER:NUMBER", "tile:SET:IDS", "enum:TAG", "tileset:NAME", "layer:NAME" and
    "area:ENTITY". "entity:NAME" is the kind of an entity.
    """

    empty: str = "floor"
    keep_shapes: bool = False  #: as in TiledReading, for the areas of entities


class EditorLegend:
    """The legend of a level editor: terrains and kinds of entities by "KIND:NAME"."""

    def __init__(self, entries: Mapping[str, str]) -> None:
        """Index the entries. Ranges of tiles, such as "tile:outdoor:3-9,12", are split."""
        self.entries = entries
        self.used: set[str] = set()  #: keys that were looked up with a result
        #: First tile, last tile and key of each range of tiles, by tileset.
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
        """Return the keys that matched nothing in the level, in the order of the recipe."""
        return tuple(entry for entry in self.entries if entry not in self.used)

    def look_up(self, key: str) -> str | None:
        """Return the value of a key and mark the key as used, or None if there is no such key."""
        value = self.entries.get(key)
        if value is not None:
            self.used.add(key)
        return value

    def get(self, kind: str, name: str) -> str | None:
        return self.look_up(f"{kind}:{name}")

    def look_up_tile(self, tileset: str, number: int) -> str | None:
        """Return the terrain of the narrowest range that contains a tile, or None."""
        ranges = [entry for entry in self.ranges.get(tileset, ()) if entry[0] <= number <= entry[1]]
        return (
            self.look_up(min(ranges, key=lambda entry: entry[1] - entry[0])[2]) if ranges else None
        )
