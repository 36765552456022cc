"""Find the terrain and kind of tiles and objects, by the legend and by their properties.

The terrain of a tile is the first of these that applies: the legend entry for the tile; its
property `terrain`; the legend entry for one of its properties; its class; `blocked`, `walkable` or
`cost`; the legend entry for its Wang color; the legend entry for its tileset. Otherwise it is the
name of the layer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bake.core.level import TerrainRule
from bake.levels.reading.editors import BELOW, EditorLegend
from bake.levels.reading.marks import LINK_KINDS, SPOT_KINDS
from bake.levels.reading.mistakes import shown
from bake.levels.reading.names import normalize_name
from bake.levels.reading.terrains import BUILT_IN_RULES, FLOOR, WALL
from bake.levels.tiled.fields import Properties
from bake.levels.tiled.objects import Object
from bake.levels.tiled.tilesets import Tile

#: The kinds of objects that are not terrain.
KINDS = (*SPOT_KINDS, "region", "door", *LINK_KINDS)
#: Spellings of true and false that designers use.
_TRUTHS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


class Legend(EditorLegend):
    """The legend of the recipe for Tiled maps."""

    def terrain_of_property(self, properties: Properties) -> str | None:
        """Return the terrain of the first entry that matches a property of the tile, or None."""
        for entry in self.entries:
            kind, _, name = entry.partition(":")
            if kind != "property":
                continue
            key, given, wanted = name.partition("=")
            value = properties.find(key)
            if value is not None and (
                _format_value(value) == wanted if given else value is not False
            ):
                return self.look_up(entry)
        return None

    def kind(self, class_name: str, name: str) -> str | None:
        """Return the terrain or kind of an object by its class, or by its name without a class.

        Case does not matter for classes that are kinds of entities.
        """
        word = class_name or name
        if not word:
            return None
        plain = normalize_name(class_name)
        return self.get("object", word) or (self.get("object", plain) if plain in KINDS else None)

    @property
    def has_collision(self) -> bool:
        """Whether any entry applies to collision shapes."""
        return any(entry.partition(":")[0] == "collision" for entry in self.entries)

    def collision(self, class_name: str, name: str) -> str | None:
        """Return the terrain of a collision shape by its class, by its name, or for all shapes."""
        word = class_name or name
        return (self.get("collision", word) if word else None) or self.look_up("collision")

    def layer(self, path: str, name: str) -> str | None:
        return self.get("layer", path) or self.get("layer", name)


def property_key(name: str, value: object) -> str:
    """Return the legend key for a property and its value; a true flag needs no value."""
    return f"property:{name}" if value is True else f"property:{name}={_format_value(value)}"


def parse_flag(value: object) -> bool | None:
    """Return the truth of a value such as "yes" or 0, or None if it is neither true nor false."""
    return None if isinstance(value, list | dict) else _TRUTHS.get(_format_value(value).lower())


def _format_value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True)
class TileTerrain:
    """The terrain and the barred headings of a tile, independent of its layer."""

    terrain: str | None  #: a terrain, BELOW, or None if the layer decides
    barred: int  #: barred headings as bits, before flips and rotations


class TerrainRules:
    """Collects the costs in tile properties; tiles of the same terrain must agree."""

    def __init__(self) -> None:
        self.rules: dict[str, TerrainRule] = {}
        self._places: dict[str, str] = {}

    def add(self, properties: Properties, terrain: str, rule: TerrainRule) -> None:
        place = properties.owner.place
        known = self.rules.setdefault(terrain, rule)
        first = self._places.setdefault(terrain, place)
        if known != rule:
            properties.owner.refuse(
                f"{shown(terrain)} {_rule_text(rule)} here, but {_rule_text(known)} for {first}",
                "one cost for each terrain",
                "give one of the tiles a terrain of its own",
            )

    def for_terrains(self, terrains: tuple[str, ...]) -> dict[str, TerrainRule]:
        """Return the collected or built-in rules of those terrains that have one."""
        return {
            name: rule
            for name in terrains
            if (rule := self.rules.get(name, BUILT_IN_RULES.get(name))) is not None
        }


def _rule_text(rule: TerrainRule) -> str:
    return "is blocked" if rule.cost is None else f"costs {rule.cost:g}"


def find_tile_terrain(tile: Tile, legend: Legend, rules: TerrainRules) -> TileTerrain:
    """Return the terrain and barred headings of a tile by the legend, class and properties."""
    barred = tile.properties.headings()
    terrain = legend.look_up_tile(tile.tileset.name, tile.number)
    if terrain is not None:
        return TileTerrain(terrain, barred)
    stated = _read_rule(tile.properties)
    terrain = (
        tile.properties.text("terrain")
        or legend.terrain_of_property(tile.properties)
        or (legend.get("class", tile.class_name) or tile.class_name or None)
    )
    if terrain is not None:
        if stated is not None and terrain != BELOW:
            rules.add(tile.properties, terrain, stated)
        return TileTerrain(terrain, barred)
    if stated is not None:
        if stated.cost is None:
            return TileTerrain(WALL, barred)
        if not tile.properties.has("cost"):
            return TileTerrain(FLOOR, barred)
        terrain = f"cost {stated.cost:g}"
        rules.add(tile.properties, terrain, stated)
        return TileTerrain(terrain, barred)
    for color in tile.wang:
        terrain = terrain or legend.get("wang", color)
    terrain = terrain or legend.get("tileset", tile.tileset.name)
    if terrain is None and barred:
        terrain = BELOW
    return TileTerrain(terrain, barred)


def legend_keys(tile: Tile) -> Iterator[str]:
    """Yield the legend keys that would match a tile: for its properties and Wang colors."""
    for name, value in tile.properties.values.items():
        if "=" in name or value in (None, "") or isinstance(value, list | dict):
            continue
        key = property_key(name, value)
        if parse_flag(value) is not False and key.isprintable():
            yield key
    yield from (f"wang:{color}" for color in tile.wang if color and color.isprintable())


def _read_rule(properties: Properties) -> TerrainRule | None:
    """Return the rule in `blocked`, `walkable` and `cost`, or None without these properties."""
    blocked, walkable = properties.flag("blocked"), properties.flag("walkable")
    if blocked is not None and blocked == walkable:
        properties.refuse("walkable", "the opposite of the property blocked")
    cost = properties.cost()
    if blocked or walkable is False or properties.value("cost") == "blocked":
        return TerrainRule(None)
    if cost is None and blocked is None and walkable is None:
        return None
    return TerrainRule(1.0 if cost is None else cost)


def _read_flag(value: object) -> bool | None:
    """Return a flag of an object, or None if it is not a flag; games reuse such names."""
    return parse_flag(value) if str(value) in ("True", "true", "False", "false") else None


def find_kind(obj: Object, legend: Legend) -> str:
    """Return the kind of an object in the legend, or else its class, in lower case if known."""
    word = normalize_name(obj.class_name)
    class_name = word if word in KINDS else obj.class_name
    return legend.kind(obj.class_name, obj.name) or class_name


def is_entity(obj: Object, legend: Legend) -> bool:
    """Return whether an object is a spot, region, door or link instead of terrain."""
    properties = obj.properties
    known = find_kind(obj, legend) in KINDS
    return known or bool(properties.flag("spot")) or properties.has("to")


def find_terrain(obj: Object, legend: Legend, rules: TerrainRules) -> str | None:
    """Return the terrain that an object paints, or None.

    It is the first of these that applies: the legend entry for its tile; the legend entry for its
    class; its property `terrain`; the legend entry for one of its properties; `blocked` or
    `walkable`; the legend entry for its layer; the property `terrain` of its layer.
    """
    properties = obj.properties
    if obj.tile is not None:
        entry = legend.look_up_tile(obj.tile.tileset.name, obj.tile.number)
        if entry is not None:
            return entry
    entry = legend.kind(obj.class_name, obj.name)
    if entry is not None:
        return entry
    value = properties.value("terrain")
    if isinstance(value, str) and value.strip() and value.isprintable():
        stated = None if value == BELOW else _read_rule(obj.properties)
        if stated is not None:
            rules.add(obj.properties, value, stated)
        return value
    entry = legend.terrain_of_property(properties)
    if entry is not None:
        return entry
    # Games use `cost` for other purposes, so a cost alone is not terrain.
    blocked, walkable = (_read_flag(properties.value(key)) for key in ("blocked", "walkable"))
    if blocked is not None or walkable is not None:
        return WALL if blocked or walkable is False else FLOOR
    if obj.layer is None:
        return None
    entry = legend.layer(obj.layer.path, obj.layer.name)
    return entry or obj.layer.properties.text("terrain")
