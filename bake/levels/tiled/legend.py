"""The recipe's legend for Tiled: names of the editor to names of terrains."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Legend:
    """Entries by what they are about.

    Attributes:
        named: terrain by (kind, name), for every kind but "tile".
        tiles: by tileset, (first, last, terrain) of each range of tile numbers, in order.
    """

    named: Mapping[tuple[str, str], str]
    tiles: Mapping[str, list[tuple[int, int, str]]] = field(default_factory=dict)

    @staticmethod
    def of(entries: Mapping[str, str]) -> Legend:
        """Split checked entries such as "class:Tree" and "tile:outdoor:3-9,12"."""
        named: dict[tuple[str, str], str] = {}
        tiles: dict[str, list[tuple[int, int, str]]] = {}
        for key, terrain in entries.items():
            kind, _, name = key.partition(":")
            if kind != "tile":
                named[kind, name] = terrain
                continue
            tileset, _, numbers = name.rpartition(":")
            for part in numbers.split(","):
                first, _, last = part.partition("-")
                tiles.setdefault(tileset, []).append((int(first), int(last or first), terrain))
        return Legend(named, tiles)

    def get(self, kind: str, name: str) -> str | None:
        return self.named.get((kind, name))

    def tile(self, tileset: str, number: int) -> str | None:
        """The narrowest range that holds the tile."""
        ranges = [each for each in self.tiles.get(tileset, ()) if each[0] <= number <= each[1]]
        return min(ranges, key=lambda each: each[1] - each[0])[2] if ranges else None

    def property(self, values: Mapping[str, object]) -> str | None:
        """The first entry about a property the tile has."""
        for (kind, name), terrain in self.named.items():
            if kind != "property":
                continue
            key, given, wanted = name.partition("=")
            value = values.get(key)
            if given and value is not None and _text(value) == wanted:
                return terrain
            if not given and value is not None and value is not False:
                return terrain
        return None


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:g}" if isinstance(value, float) else str(value)
