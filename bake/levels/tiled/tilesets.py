"""Read tilesets: their tiles by gid, with properties, collision shapes and Wang colors."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from bake.levels.reading.mistakes import shown
from bake.levels.tiled.fields import Fields, Properties
from bake.levels.tiled.files import ProjectFiles
from bake.levels.tiled.geometry import TILE_BITS

#: The most Wang sets of one tileset; a tile belongs to one color of each.
MAX_WANG_SETS = 256
_CORNERS = 4
#: The most digits of a tile's number, which fits 32 bits.
_LONGEST_NUMBER = 10


@dataclass(frozen=True)
class Tile:
    """A tile of a tileset."""

    fields: Fields  #: fields of the tile, or of the tileset if the file does not list the tile
    tileset: Tileset
    number: int  #: number in its tileset
    class_name: str  #: class; "" without one
    typed: Properties  #: the properties of the tile itself
    properties: Properties  #: the same, with the defaults of the class for missing ones
    #: names of its Wang colors, one for each Wang set that contains it
    wang: tuple[str, ...]

    @property
    def shapes(self) -> list[Fields]:
        """The fields of its collision shapes."""
        group = self.fields.values.get("objectgroup")
        if not isinstance(group, dict):
            return []
        return self.fields.inside(group, self.fields.place).items("objects")

    def size(self, otherwise: tuple[int, int]) -> tuple[int, int]:
        """Return the width and height of its picture in pixels, or ``otherwise`` if unknown."""
        kinds = (
            (self.fields, "width", "height"),
            (self.fields, "imagewidth", "imageheight"),
            (self.tileset.fields, "tilewidth", "tileheight"),
        )
        for owner, across, down in kinds:
            width, height = owner.integer(across, 0), owner.integer(down, 0)
            if width and height:
                return width, height
        return otherwise


class Tileset:
    """A tileset of a map."""

    def __init__(self, fields: Fields, first_gid: int) -> None:
        self.fields = fields
        self.first_gid = first_gid  #: gid of tile 0
        self.name = fields.text("name", "")
        fields.place = fields.place or f"tileset {shown(self.name)}"
        #: number of tiles, or None if the file has no count
        self.count = fields.integer("tilecount") if fields.has("tilecount") else None
        #: the point of tile objects that is their origin
        self.alignment = fields.text("objectalignment", "unspecified")

    def with_first_gid(self, first_gid: int) -> Tileset:
        """Return this tileset with another first gid; both share the index of tiles."""
        if first_gid == self.first_gid:
            return self
        # Build the index first, so that a file is indexed once for all tilesets that refer to it.
        shared = {"listed_tiles": self.listed_tiles, "wang": self.wang}
        tileset = copy(self)
        tileset.first_gid = first_gid
        tileset.__dict__.update(shared)
        return tileset

    @cached_property
    def listed_tiles(self) -> dict[int, Fields]:
        """The fields of tiles that the file lists, by number."""
        listed_tiles: dict[int, Fields] = {}
        of_old_json = isinstance(self.fields.values.get("tiles"), dict)
        for item in [] if of_old_json else self.fields.items("tiles"):
            number = item.integer("id")
            if number in listed_tiles:
                item.refuse(f"tile {number} is given twice", "each tile once")
            listed_tiles[number] = item.at_place(self._place(number))
        # In JSON before Tiled 1.2, tiles and their properties are separate objects by number.
        tiles = self._by_number("tiles") if of_old_json else {}
        properties, types = self._by_number("tileproperties"), self._by_number("tilepropertytypes")
        for number in sorted({*tiles, *properties}):
            values = {
                "properties": properties.get(number, {}),
                "propertytypes": types.get(number, {}),
                **tiles.get(number, {}),
                **(listed_tiles[number].values if number in listed_tiles else {}),
            }
            listed_tiles[number] = self.fields.inside(values, self._place(number))
        return listed_tiles

    def _by_number(self, key: str) -> dict[int, dict[str, object]]:
        """Return the values of an object whose keys are numbers of tiles."""
        part = self.part(key)
        numbered: dict[int, dict[str, object]] = {}
        for text, value in part.values.items():
            is_number = text.isascii() and text.isdigit() and len(text) <= _LONGEST_NUMBER
            if not is_number or not isinstance(value, dict):
                part.refuse(f"{shown(text)} is {shown(value)}", "objects by the numbers of tiles")
            if int(text) in numbered:
                part.refuse(f"tile {int(text)} is given twice", "each tile once")
            numbered[int(text)] = value
        return numbered

    def _place(self, number: int) -> str:
        return f"tile {number} of tileset {shown(self.name)}"

    @cached_property
    def wang(self) -> dict[int, tuple[str, ...]]:
        """The most frequent color of the corners and edges of each tile, one per Wang set."""
        colors_of_tile: dict[int, tuple[str, ...]] = {}
        wangsets = self.fields.items("wangsets")
        if len(wangsets) > MAX_WANG_SETS:
            self.fields.refuse(f"it has {len(wangsets):,} Wang sets", f"at most {MAX_WANG_SETS}")
        for wangset in wangsets:
            edges = wangset.items("edgecolors")
            color_items = wangset.items("colors") or [*edges, *wangset.items("cornercolors")]
            names = [color.text("name", "") for color in color_items]
            seen: set[int] = set()
            for tile in wangset.items("wangtiles"):
                corners = tile.values.get("wangid")
                colors = _wang_colors(tile, corners, len(names), len(edges))
                if colors:
                    most = _most_frequent(colors)
                    number = tile.integer("tileid")
                    if number in seen:
                        tile.refuse(f"tile {number} is given twice", "each tile once")
                    seen.add(number)
                    colors_of_tile[number] = (*colors_of_tile.get(number, ()), names[most - 1])
        for number, name in self._old_terrains():
            colors_of_tile[number] = (*colors_of_tile.get(number, ()), name)
        return colors_of_tile

    def _old_terrains(self) -> Iterator[tuple[int, str]]:
        """Yield tiles with the most frequent terrain of their corners, as before Tiled 1.5."""
        names = [terrain.text("name", "") for terrain in self.fields.items("terrains")]
        for number, tile in self.listed_tiles.items() if names else ():
            value = tile.values.get("terrain", [])
            corners = value.split(",") if isinstance(value, str) else value
            if not isinstance(corners, list) or len(corners) > _CORNERS:
                tile.refuse(f"terrain is {shown(value)}", "a list of four numbers")
            # A corner without a terrain is "" in XML and -1 in JSON.
            given = [corner for corner in corners if corner not in ("", -1)]
            colors = _parse_numbers(tile, "terrain", given, len(names) - 1)
            if colors:
                yield number, names[_most_frequent(colors)]

    def has(self, number: int) -> bool:
        # Tilesets of single images have gaps, so numbers may exceed the count.
        return self.count is None or number < self.count or number in self.listed_tiles

    def tile(self, number: int) -> Tile:
        fields = self.listed_tiles.get(number)
        if fields is None:
            missing = self.fields.at_place(self._place(number))
            none = Properties(missing, {})
            return Tile(missing, self, number, "", none, none, self.wang_of(number))
        class_name, typed = fields.class_name("tile"), fields.properties()
        properties = typed.with_inherited(fields.class_properties("tile", class_name))
        return Tile(fields, self, number, class_name, typed, properties, self.wang_of(number))

    def part(self, key: str) -> Fields:
        """Return the fields of a part such as "grid", empty if the file has no such part."""
        value = self.fields.values.get(key)
        if value is not None and not isinstance(value, dict):
            self.fields.refuse(f"{key} is {shown(value)}", "an object")
        return self.fields.inside(value or {}, f"{self.fields.place}: {key}")

    def wang_of(self, number: int) -> tuple[str, ...]:
        return self.wang.get(number, ())


def _most_frequent(colors: list[int]) -> int:
    """Return the most frequent color; of equal ones the last, as sets begin with the ground."""
    return max(set(colors), key=lambda color: (colors.count(color), color))


def _parse_numbers(tile: Fields, key: str, values: list[object], most: int) -> list[int]:
    numbers = []
    for value in values:
        text = str(value).strip()
        if not (text.isascii() and text.isdigit() and len(text) < 4 and int(text) <= most):
            tile.refuse(f"{key} holds {shown(value)}", f"numbers of colors, 0 to {most}")
        numbers.append(int(text))
    return numbers


def _wang_colors(tile: Fields, wangid: object, count: int, edges: int) -> list[int]:
    """Return the colors of the edges and corners of a tile, which alternate in a Wang id.

    Args:
        tile: the tile.
        wangid: the eight numbers of the Wang id.
        count: the number of colors.
        edges: the number of colors for edges alone, before those for corners; 0 = all are for both.
    """
    if not isinstance(wangid, list) or len(wangid) > 8:
        tile.refuse(f"wangid is {shown(wangid)}", "a list of eight numbers")
    numbers = _parse_numbers(tile, "wangid", wangid, count)
    colors = [number + edges * (i % 2) for i, number in enumerate(numbers) if number]
    return [color for color in colors if color <= count]


class MapFiles(ProjectFiles):
    """Reads the files that a map refers to, and caches its tilesets."""

    def __init__(self, source: Path, project: Path | None, *, allow_outside: bool) -> None:
        super().__init__(source, project, allow_outside=allow_outside)
        self._tilesets: dict[Path, Tileset] = {}

    def tileset(self, item: Fields, first_gid: int) -> Tileset:
        """Return a tileset that is embedded in the map, or read it from its file."""
        if not item.has("source"):
            return Tileset(item.at_place(""), first_gid)
        path = self.refer(item, item.text("source"))
        known = self._tilesets.get(path)
        if known is None:
            known = self._tilesets[path] = Tileset(self.open(path, "tileset", item), first_gid)
        return known.with_first_gid(first_gid)


class Tilesets:
    """The tilesets of a map, sorted by first gid."""

    def __init__(self, owner: Fields, files: MapFiles) -> None:
        self.owner = owner
        self.sets: list[Tileset] = []
        for item in owner.items("tilesets"):
            first = item.integer("firstgid", low=1)
            self.sets.append(files.tileset(item, first))
        self.sets.sort(key=lambda tileset: tileset.first_gid)
        self.first = [tileset.first_gid for tileset in self.sets]
        for i, (gid, next_gid) in enumerate(zip(self.first, self.first[1:], strict=False)):
            if gid == next_gid:
                owner.refuse(
                    f"the tilesets {shown(self.sets[i].name)} and "
                    f"{shown(self.sets[i + 1].name)} both begin at gid {gid}",
                    "a firstgid of its own for each",
                )

    def find(self, gid: int) -> tuple[Tileset, int] | None:
        """Return the tileset and number of the tile with a gid, or None if no tileset has it."""
        plain = gid & TILE_BITS
        index = bisect_right(self.first, plain) - 1
        if index < 0:
            return None
        tileset = self.sets[index]
        number = plain - tileset.first_gid
        return (tileset, number) if tileset.has(number) else None

    def in_cell(self, gid: int, layer: Fields, cell: tuple[int, int]) -> tuple[Tileset, int]:
        """Return the tileset and number of the tile in a cell of a layer.

        Raises:
            LevelError: no tileset has that tile.
        """
        match = self.find(gid)
        if match is None:
            layer.refuse(
                f"tile {cell} has the gid {gid & TILE_BITS}, which is in no tileset",
                "a tile of one of the map's tilesets",
                "restore the tileset in Tiled, or erase the tile",
            )
        return match
