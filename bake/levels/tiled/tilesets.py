"""Read tilesets: which tile a gid means, and what that tile means for movement.

A tile's terrain is the first of these that applies: the legend's entry for the tile; its property
`terrain`; the legend's entry for one of its properties; its class; `blocked`, `walkable` or `cost`;
the legend's entry for its Wang colour; that for its tileset. A tile without any of these is called
after its layer.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from bake.level import TerrainRule
from bake.levels.reading.editors import BELOW, EditorLegend
from bake.levels.reading.limits import MAX_COST
from bake.levels.reading.mistakes import shown
from bake.levels.reading.terrains import BUILT_IN_RULES, FLOOR, WALL
from bake.levels.tiled.fields import Fields, Properties, as_number
from bake.levels.tiled.files import ProjectFiles
from bake.levels.tiled.geometry import TILE_BITS

#: The most Wang sets of one tileset; a tile belongs to one colour of each.
MAX_WANG_SETS = 256
_CORNERS = 4
#: Values of properties that say that something is not so.
_NOTHING = (None, False, 0, "", "0", "false")


@dataclass(frozen=True)
class Tile:
    """One tile of a set.

    Attributes:
        fields: of the tile; those of the set where the file says nothing of the tile.
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
        found: dict[int, Fields] = {}
        for item in self.fields.items("tiles"):
            number = item.whole("id")
            if number in found:
                item.refuse(f"tile {number} is given twice", "each tile once")
            found[number] = item.at(f"tile {number} of tileset {shown(self.name)}")
        return found

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
            here = self.fields.at(f"tile {number} of tileset {shown(self.name)}")
            return Tile(here, self.name, number, "", Properties(here, {}), self.wang_of(number))
        # It is called "type" up to Tiled 1.8 and from 1.10 on.
        class_name = fields.text("class", "") or fields.text("type", "")
        properties = fields.properties()
        return Tile(fields, self.name, number, class_name, properties, self.wang_of(number))

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


class Legend(EditorLegend):
    """Looks up what the recipe says of tiles."""

    def property(self, values: Mapping[str, object]) -> str | None:
        """Return the terrain of the first entry about a property that the tile has, or None."""
        for entry, terrain in self.entries.items():
            kind, _, name = entry.partition(":")
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


@dataclass(frozen=True)
class Meaning:
    """What one tile says, whatever layer it lies on.

    Attributes:
        terrain: name, BELOW, or None where the layer is to say.
        barred: headings, as the tile was drawn.
    """

    terrain: str | None
    barred: int


class TerrainRules:
    """Collects the costs that tiles state; two tiles of one terrain must agree."""

    def __init__(self) -> None:
        self.rules: dict[str, TerrainRule] = {}
        self._said_by: dict[str, str] = {}

    def state(self, properties: Properties, terrain: str, rule: TerrainRule) -> None:
        place = properties.owner.place
        known = self.rules.setdefault(terrain, rule)
        first = self._said_by.setdefault(terrain, place)
        if known != rule:
            properties.owner.refuse(
                f"{shown(terrain)} {_in_words(rule)} here, but {_in_words(known)} for {first}",
                "one cost for each terrain",
                "give one of the tiles a terrain of its own",
            )

    def of(self, terrains: tuple[str, ...]) -> dict[str, TerrainRule]:
        """Return the rules stated for these terrains, or else those that come with their names."""
        return {
            name: rule
            for name in terrains
            if (rule := self.rules.get(name, BUILT_IN_RULES.get(name))) is not None
        }


def _in_words(rule: TerrainRule) -> str:
    return "is blocked" if rule.cost is None else f"costs {rule.cost:g}"


def meaning(tile: Tile, legend: Legend, rules: TerrainRules) -> Meaning:
    """Read a tile's class and properties."""
    barred = tile.properties.headings()
    terrain = legend.range_with(tile.tileset, tile.number)
    if terrain is not None:
        return Meaning(terrain, barred)
    stated = _stated_rule(tile.properties)
    terrain = (
        tile.properties.text("terrain")
        or legend.property(tile.properties.values)
        or (legend.get("class", tile.class_name) or tile.class_name or None)
    )
    if terrain is not None:
        if stated is not None and terrain != BELOW:
            rules.state(tile.properties, terrain, stated)
        return Meaning(terrain, barred)
    if stated is not None:
        if stated.cost is None:
            return Meaning(WALL, barred)
        if not tile.properties.has("cost"):
            return Meaning(FLOOR, barred)
        terrain = f"cost {stated.cost:g}"
        rules.state(tile.properties, terrain, stated)
        return Meaning(terrain, barred)
    for colour in tile.wang:
        terrain = terrain or legend.get("wang", colour)
    terrain = terrain or legend.get("tileset", tile.tileset)
    if terrain is None and barred:
        terrain = BELOW
    return Meaning(terrain, barred)


def legend_keys(tile: Tile) -> Iterator[str]:
    """Yield keys by which a legend could say what a tile is: its properties and Wang colours."""
    for name, value in tile.properties.values.items():
        if "=" in name or value in _NOTHING or isinstance(value, list | dict):
            continue
        key = f"property:{name}" if value is True else f"property:{name}={_text(value)}"
        if key.isprintable():
            yield key
    yield from (f"wang:{colour}" for colour in tile.wang if colour and colour.isprintable())


def _stated_rule(properties: Properties) -> TerrainRule | None:
    """Return what `blocked`, `walkable` and `cost` say, or None where a tile has none of them."""
    blocked, walkable = properties.flag("blocked"), properties.flag("walkable")
    if blocked is not None and blocked == walkable:
        properties.refuse("walkable", "the opposite of the property blocked")
    cost = stated_cost(properties)
    if blocked or walkable is False or properties.values.get("cost") == "blocked":
        return TerrainRule(None)
    if cost is None and blocked is None and walkable is None:
        return None
    return TerrainRule(1.0 if cost is None else cost)


def stated_cost(properties: Properties) -> float | None:
    """Return the property `cost`, a number above 0, or None."""
    if not properties.has("cost") or properties.values["cost"] == "blocked":
        return None
    # Designers leave new properties at their default type, which is text.
    cost = as_number(properties.values["cost"], is_text=True)
    if cost is None or not 0 < cost <= MAX_COST:
        properties.refuse("cost", f'a number above 0, at most {MAX_COST:g}, or "blocked"')
    return cost
