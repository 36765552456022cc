"""Read tilesets: which tile a gid means, how it is drawn, and what it says by itself."""

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

#: The most Wang sets of one tileset; a tile belongs to one colour of each.
MAX_WANG_SETS = 256
_CORNERS = 4
#: The most digits of a tile's number, which fits 32 bits.
_LONGEST_NUMBER = 10


@dataclass(frozen=True)
class Tile:
    """One tile of a set."""

    fields: Fields  #: of the tile; those of the set where the file says nothing of the tile
    tileset: Tileset
    number: int  #: within its set
    class_name: str  #: "" where it has none
    typed: Properties  #: the properties of the tile itself
    properties: Properties  #: the same over the defaults of the class
    #: names of the Wang colours it counts as, one for each Wang set it belongs to
    wang: tuple[str, ...]

    @property
    def shapes(self) -> list[Fields]:
        """Return the collision shapes that were drawn on it."""
        group = self.fields.values.get("objectgroup")
        if not isinstance(group, dict):
            return []
        return self.fields.inside(group, self.fields.place).items("objects")

    def size(self, otherwise: tuple[int, int]) -> tuple[int, int]:
        """Return the width and height of its picture in pixels."""
        kinds = (
            (self.fields, "width", "height"),
            (self.fields, "imagewidth", "imageheight"),
            (self.tileset.fields, "tilewidth", "tileheight"),
        )
        for owner, across, down in kinds:
            width, height = owner.whole(across, 0), owner.whole(down, 0)
            if width and height:
                return width, height
        return otherwise


class Tileset:
    """One tileset of a map.

    Attributes:
        first_gid: of its tile 0.
        count: how many tiles it has, where the file says so.
        alignment: which point of a tile object is its origin.
    """

    def __init__(self, fields: Fields, first_gid: int) -> None:
        self.fields = fields
        self.first_gid = first_gid
        self.name = fields.text("name", "")
        fields.place = fields.place or f"tileset {shown(self.name)}"
        self.count = fields.whole("tilecount") if fields.has("tilecount") else None
        self.alignment = fields.text("objectalignment", "unspecified")

    def begun_at(self, first_gid: int) -> Tileset:
        """Return the same set at another first gid; both share what is known of its tiles."""
        if first_gid == self.first_gid:
            return self
        # They are looked up here, so that a file is gone through once, however many sets name it.
        shared = {"listed": self.listed, "wang": self.wang}
        found = copy(self)
        found.first_gid = first_gid
        found.__dict__.update(shared)
        return found

    @cached_property
    def listed(self) -> dict[int, Fields]:
        """Return the tiles that the file has more about than their number, by number."""
        listed: dict[int, Fields] = {}
        of_old_json = isinstance(self.fields.values.get("tiles"), dict)
        for item in [] if of_old_json else self.fields.items("tiles"):
            number = item.whole("id")
            if number in listed:
                item.refuse(f"tile {number} is given twice", "each tile once")
            listed[number] = item.at(self._place(number))
        # In JSON before Tiled 1.2, tiles are objects by number, and their properties beside them.
        tiles = self._by_number("tiles") if of_old_json else {}
        properties, types = self._by_number("tileproperties"), self._by_number("tilepropertytypes")
        for number in sorted({*tiles, *properties}):
            values = {
                "properties": properties.get(number, {}),
                "propertytypes": types.get(number, {}),
                **tiles.get(number, {}),
                **(listed[number].values if number in listed else {}),
            }
            listed[number] = self.fields.inside(values, self._place(number))
        return listed

    def _by_number(self, key: str) -> dict[int, dict[str, object]]:
        """Return the objects inside an object whose keys are numbers of tiles."""
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
        """Return by tile the colour most of its corners and edges have, one for each Wang set."""
        found: dict[int, tuple[str, ...]] = {}
        wangsets = self.fields.items("wangsets")
        if len(wangsets) > MAX_WANG_SETS:
            self.fields.refuse(f"it has {len(wangsets):,} Wang sets", f"at most {MAX_WANG_SETS}")
        for wangset in wangsets:
            edges = wangset.items("edgecolors")
            colours_of = wangset.items("colors") or [*edges, *wangset.items("cornercolors")]
            names = [colour.text("name", "") for colour in colours_of]
            seen: set[int] = set()
            for tile in wangset.items("wangtiles"):
                corners = tile.values.get("wangid")
                colours = _colours(tile, corners, len(names), len(edges))
                if colours:
                    most = _commonest(colours)
                    number = tile.whole("tileid")
                    if number in seen:
                        tile.refuse(f"tile {number} is given twice", "each tile once")
                    seen.add(number)
                    found[number] = (*found.get(number, ()), names[most - 1])
        for number, name in self._by_old_terrains():
            found[number] = (*found.get(number, ()), name)
        return found

    def _by_old_terrains(self) -> Iterator[tuple[int, str]]:
        """Yield tiles with the terrain most of their corners have; Tiled before 1.5 wrote these."""
        names = [each.text("name", "") for each in self.fields.items("terrains")]
        for number, tile in self.listed.items() if names else ():
            said = tile.values.get("terrain", [])
            corners = said.split(",") if isinstance(said, str) else said
            if not isinstance(corners, list) or len(corners) > _CORNERS:
                tile.refuse(f"terrain is {shown(said)}", "a list of four numbers")
            # A corner without a terrain is empty in XML, and -1 in JSON.
            given = [each for each in corners if each not in ("", -1)]
            colours = _numbers(tile, "terrain", given, len(names) - 1)
            if colours:
                yield number, names[_commonest(colours)]

    def has(self, number: int) -> bool:
        # Sets of single images have gaps, and their numbers may exceed their count.
        return self.count is None or number < self.count or number in self.listed

    def tile(self, number: int) -> Tile:
        fields = self.listed.get(number)
        if fields is None:
            here = self.fields.at(self._place(number))
            none = Properties(here, {})
            return Tile(here, self, number, "", none, none, self.wang_of(number))
        class_name, typed = fields.class_name("tile"), fields.properties()
        properties = typed.over(fields.class_properties("tile", class_name))
        return Tile(fields, self, number, class_name, typed, properties, self.wang_of(number))

    def part(self, key: str) -> Fields:
        """Return the fields of a part such as "grid", none where the file has no such part."""
        value = self.fields.values.get(key)
        if value is not None and not isinstance(value, dict):
            self.fields.refuse(f"{key} is {shown(value)}", "an object")
        return self.fields.inside(value or {}, f"{self.fields.place}: {key}")

    def wang_of(self, number: int) -> tuple[str, ...]:
        return self.wang.get(number, ())


def _commonest(colours: list[int]) -> int:
    """Return the commonest colour; of equal ones the last, as sets start with what is walked on."""
    return max(set(colours), key=lambda each: (colours.count(each), each))


def _numbers(tile: Fields, key: str, values: list[object], most: int) -> list[int]:
    found = []
    for each in values:
        text = str(each).strip()
        if not (text.isascii() and text.isdigit() and len(text) < 4 and int(text) <= most):
            tile.refuse(f"{key} holds {shown(each)}", f"numbers of colours, 0 to {most}")
        found.append(int(text))
    return found


def _colours(tile: Fields, wangid: object, count: int, edges: int) -> list[int]:
    """Return the colours of a tile's edges and corners, which take turns in a Wang id.

    Args:
        count: how many colours there are.
        edges: how many of them are for edges alone, before those for corners; 0 = all are for both.
    """
    if not isinstance(wangid, list) or len(wangid) > 8:
        tile.refuse(f"wangid is {shown(wangid)}", "a list of eight numbers")
    numbers = _numbers(tile, "wangid", wangid, count)
    found = [each + edges * (at % 2) for at, each in enumerate(numbers) if each]
    return [each for each in found if each <= count]


class MapFiles(ProjectFiles):
    """Reads files for one level, and remembers the tilesets among them."""

    def __init__(self, source: Path, project: Path | None, *, allow_outside: bool) -> None:
        super().__init__(source, project, allow_outside=allow_outside)
        self._tilesets: dict[Path, Tileset] = {}

    def tileset(self, item: Fields, first_gid: int) -> Tileset:
        """Return a tileset that is given in place, or read the file it refers to."""
        if not item.has("source"):
            return Tileset(item.at(""), first_gid)
        path = self.refer(item, item.text("source"))
        known = self._tilesets.get(path)
        if known is None:
            known = self._tilesets[path] = Tileset(self.open(path, "tileset", item), first_gid)
        return known.begun_at(first_gid)


class Tilesets:
    """The tilesets of a map, by gid."""

    def __init__(self, owner: Fields, files: MapFiles) -> None:
        self.owner = owner
        self.sets: list[Tileset] = []
        for item in owner.items("tilesets"):
            first = item.whole("firstgid", low=1)
            self.sets.append(files.tileset(item, first))
        self.sets.sort(key=lambda each: each.first_gid)
        self.first = [each.first_gid for each in self.sets]
        for at, (one, other) in enumerate(zip(self.first, self.first[1:], strict=False)):
            if one == other:
                owner.refuse(
                    f"the tilesets {shown(self.sets[at].name)} and "
                    f"{shown(self.sets[at + 1].name)} both begin at gid {one}",
                    "a firstgid of its own for each",
                )

    def find(self, gid: int) -> tuple[Tileset, int] | None:
        """Return the set and number of a gid's tile; None where no set has that tile."""
        plain = gid & TILE_BITS
        at = bisect_right(self.first, plain) - 1
        if at < 0:
            return None
        tileset = self.sets[at]
        number = plain - tileset.first_gid
        return (tileset, number) if tileset.has(number) else None

    def in_cell(self, gid: int, layer: Fields, cell: tuple[int, int]) -> tuple[Tileset, int]:
        """Return the set and number of the tile in a cell of a layer, as :meth:`find` does.

        Raises:
            LevelError: no set has that tile.
        """
        found = self.find(gid)
        if found is None:
            layer.refuse(
                f"tile {cell} has the gid {gid & TILE_BITS}, which is in no tileset",
                "a tile of one of the map's tilesets",
                "bring back the tileset in Tiled, or erase the tile",
            )
        return found
