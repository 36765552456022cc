"""Tilesets: which tile a gid means, and what the editor knows about it."""

from __future__ import annotations

from bisect import bisect_right
from copy import copy
from dataclasses import dataclass
from functools import cached_property

from bake.levels.json_text import shown
from bake.levels.tiled.fields import Fields, Properties
from bake.levels.tiled.files import ProjectFiles
from bake.levels.tiled.gids import TILE_BITS

#: Of one tileset; a tile belongs to one colour of each.
MAX_WANG_SETS = 256


@dataclass(frozen=True)
class Tile:
    """One tile of a set.

    Attributes:
        fields: where it stands in the file; the set's own where the file says nothing of it.
        number: within its set.
        class_name: "" where it has none.
        wang: names of the Wang colours it counts as, one for each Wang set it belongs to.
    """

    fields: Fields
    tileset: str
    number: int
    class_name: str
    properties: Properties
    wang: tuple[str, ...]


class Tileset:
    """One tileset of a map.

    Attributes:
        first_gid: of its tile 0.
        count: tiles, where the file says so.
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
        """The same set at another place among gids, sharing what is known of its tiles."""
        if first_gid == self.first_gid:
            return self
        # Looked up here, so that a file is gone through once, however often a map names it.
        shared = {"listed": self.listed, "wang": self.wang}
        found = copy(self)
        found.first_gid = first_gid
        found.__dict__.update(shared)
        return found

    @cached_property
    def listed(self) -> dict[int, Fields]:
        found: dict[int, Fields] = {}
        for item in self.fields.items("tiles"):
            number = item.whole("id")
            if number in found:
                item.refuse(f"tile {number} is given twice", "each tile once")
            found[number] = item.at(f"tile {number} of tileset {shown(self.name)}")
        return found

    @cached_property
    def wang(self) -> dict[int, tuple[str, ...]]:
        """Names of the colours that most of a tile's corners and edges have, by tile."""
        found: dict[int, tuple[str, ...]] = {}
        wangsets = self.fields.items("wangsets")
        if len(wangsets) > MAX_WANG_SETS:
            self.fields.refuse(f"{len(wangsets):,} Wang sets", f"at most {MAX_WANG_SETS}")
        for wangset in wangsets:
            names = [colour.text("name", "") for colour in wangset.items("colors")]
            seen: set[int] = set()
            for tile in wangset.items("wangtiles"):
                corners = tile.values.get("wangid")
                colours = _colours(tile, corners, len(names))
                if colours:
                    # Of several, the one listed last: sets start with what is walked on.
                    most = max(set(colours), key=lambda each: (colours.count(each), each))
                    number = tile.whole("tileid")
                    if number in seen:
                        tile.refuse(f"tile {number} is given twice", "each tile once")
                    seen.add(number)
                    found[number] = (*found.get(number, ()), names[most - 1])
        return found

    def has(self, number: int) -> bool:
        # Sets of single images have gaps, and their numbers may exceed their count.
        return self.count is None or number < self.count or number in self.listed

    def tile(self, number: int) -> Tile:
        fields = self.listed.get(number)
        if fields is None:
            here = self.fields.at(f"tile {number} of tileset {shown(self.name)}")
            return Tile(here, self.name, number, "", Properties(here, {}), self.wang_of(number))
        # Called "type" up to Tiled 1.8 and from 1.10 on.
        class_name = fields.text("class", "") or fields.text("type", "")
        properties = fields.properties()
        return Tile(fields, self.name, number, class_name, properties, self.wang_of(number))

    def wang_of(self, number: int) -> tuple[str, ...]:
        return self.wang.get(number, ())


def _colours(tile: Fields, corners: object, count: int) -> list[int]:
    if not isinstance(corners, list) or len(corners) > 8:
        tile.refuse(f"wangid is {shown(corners)}", "a list of eight numbers")
    found = []
    for each in corners:
        text = str(each).strip()
        if not (text.isascii() and text.isdigit() and len(text) < 4 and int(text) <= count):
            tile.refuse(f"wangid holds {shown(each)}", f"numbers of colours, 0 to {count}")
        if int(text):
            found.append(int(text))
    return found


class Tilesets:
    """The tilesets of a map, by gid."""

    def __init__(self, owner: Fields, files: ProjectFiles) -> None:
        self.owner = owner
        self.sets: list[Tileset] = []
        for item in owner.items("tilesets"):
            first = item.whole("firstgid", low=1)
            self.sets.append(open_tileset(item, first, files))
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
        """The set and number of a gid's tile; None where no set has it."""
        plain = gid & TILE_BITS
        at = bisect_right(self.first, plain) - 1
        if at < 0:
            return None
        tileset = self.sets[at]
        number = plain - tileset.first_gid
        return (tileset, number) if tileset.has(number) else None


def open_tileset(item: Fields, first_gid: int, files: ProjectFiles) -> Tileset:
    """A tileset given in place, or the file it refers to."""
    if not item.has("source"):
        return Tileset(item.at(""), first_gid)
    path = files.refer(item, item.text("source"))
    known = files.tilesets.get(path)
    if known is None:
        known = files.tilesets[path] = Tileset(files.open(path, "tileset", item), first_gid)
    return known.begun_at(first_gid)
