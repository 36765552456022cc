"""Say what tiles and objects mean for movement, by the recipe's legend and by what they say.

A tile's terrain is the first of these that applies: the legend's entry for the tile; its property
`terrain`; the legend's entry for one of its properties; its class; `blocked`, `walkable` or `cost`;
the legend's entry for its Wang colour; that for its tileset. A tile without any of these is called
after its layer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bake.core.level import TerrainRule
from bake.levels.reading.editors import BELOW, EditorLegend
from bake.levels.reading.marks import LINK_KINDS, SPOT_KINDS
from bake.levels.reading.mistakes import shown
from bake.levels.reading.names import plain_name
from bake.levels.reading.terrains import BUILT_IN_RULES, FLOOR, WALL
from bake.levels.tiled.fields import Properties
from bake.levels.tiled.objects import Object
from bake.levels.tiled.tilesets import Tile

#: What objects may be beside terrain.
KINDS = (*SPOT_KINDS, "region", "door", *LINK_KINDS)
#: What designers write who mean that something is so, or is not.
_TRUTHS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


class Legend(EditorLegend):
    """Looks up what the recipe says of tiles."""

    def of_property(self, properties: Properties) -> str | None:
        """Return the terrain of the first entry about a property that the tile has, or None."""
        for entry in self.entries:
            kind, _, name = entry.partition(":")
            if kind != "property":
                continue
            key, given, wanted = name.partition("=")
            value = properties.find(key)
            if value is not None and (_text(value) == wanted if given else value is not False):
                return self.said(entry)
        return None

    def kind(self, class_name: str, name: str) -> str | None:
        """Return the terrain or kind of the objects of a class, or of a name without a class.

        The case of the classes that have a meaning of their own does not matter.
        """
        word = class_name or name
        if not word:
            return None
        plain = plain_name(class_name)
        return self.get("object", word) or (self.get("object", plain) if plain in KINDS else None)

    @property
    def has_collision(self) -> bool:
        """Tell whether any entry is about collision shapes."""
        return any(entry.partition(":")[0] == "collision" for entry in self.entries)

    def collision(self, class_name: str, name: str) -> str | None:
        """Return the terrain of a collision shape, by its class, or its name, or for all."""
        word = class_name or name
        return (self.get("collision", word) if word else None) or self.said("collision")

    def layer(self, path: str, name: str) -> str | None:
        return self.get("layer", path) or self.get("layer", name)


def property_key(name: str, value: object) -> str:
    """Return the legend's key for a property of this value; one that is true needs no value."""
    return f"property:{name}" if value is True else f"property:{name}={_text(value)}"


def truth(value: object) -> bool | None:
    """Tell whether a value says that something is so; None where it says neither."""
    return None if isinstance(value, list | dict) else _TRUTHS.get(_text(value).lower())


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True)
class TileTerrain:
    """What one tile says, whatever layer it lies on."""

    terrain: str | None  #: name, BELOW, or None where the layer is to say
    barred: int  #: headings, as the tile was drawn


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


def terrain_of_tile(tile: Tile, legend: Legend, rules: TerrainRules) -> TileTerrain:
    """Read a tile's class and properties."""
    barred = tile.properties.headings()
    terrain = legend.range_with(tile.tileset.name, tile.number)
    if terrain is not None:
        return TileTerrain(terrain, barred)
    stated = _stated_rule(tile.properties)
    terrain = (
        tile.properties.text("terrain")
        or legend.of_property(tile.properties)
        or (legend.get("class", tile.class_name) or tile.class_name or None)
    )
    if terrain is not None:
        if stated is not None and terrain != BELOW:
            rules.state(tile.properties, terrain, stated)
        return TileTerrain(terrain, barred)
    if stated is not None:
        if stated.cost is None:
            return TileTerrain(WALL, barred)
        if not tile.properties.has("cost"):
            return TileTerrain(FLOOR, barred)
        terrain = f"cost {stated.cost:g}"
        rules.state(tile.properties, terrain, stated)
        return TileTerrain(terrain, barred)
    for colour in tile.wang:
        terrain = terrain or legend.get("wang", colour)
    terrain = terrain or legend.get("tileset", tile.tileset.name)
    if terrain is None and barred:
        terrain = BELOW
    return TileTerrain(terrain, barred)


def legend_keys(tile: Tile) -> Iterator[str]:
    """Yield keys by which a legend could say what a tile is: its properties and Wang colours."""
    for name, value in tile.properties.values.items():
        if "=" in name or value in (None, "") or isinstance(value, list | dict):
            continue
        key = property_key(name, value)
        if truth(value) is not False and key.isprintable():
            yield key
    yield from (f"wang:{colour}" for colour in tile.wang if colour and colour.isprintable())


def _stated_rule(properties: Properties) -> TerrainRule | None:
    """Return what `blocked`, `walkable` and `cost` say, or None where a tile has none of them."""
    blocked, walkable = properties.flag("blocked"), properties.flag("walkable")
    if blocked is not None and blocked == walkable:
        properties.refuse("walkable", "the opposite of the property blocked")
    cost = properties.cost()
    if blocked or walkable is False or properties.value("cost") == "blocked":
        return TerrainRule(None)
    if cost is None and blocked is None and walkable is None:
        return None
    return TerrainRule(1.0 if cost is None else cost)


def _stated(value: object) -> bool | None:
    """Return what an object's own flag says; games give such names to much else, too."""
    return truth(value) if str(value) in ("True", "true", "False", "false") else None


def kind_of(each: Object, legend: Legend) -> str:
    """Return the kind the legend gives an object, or else its class, a known one in lower case."""
    word = plain_name(each.class_name)
    own = word if word in KINDS else each.class_name
    return legend.kind(each.class_name, each.name) or own


def is_thing(each: Object, legend: Legend) -> bool:
    """Tell whether an object is a spot, region, door or link, which are not terrain."""
    properties = each.properties
    known = kind_of(each, legend) in KINDS
    return known or bool(properties.flag("spot")) or properties.has("to")


def terrain_of(each: Object, legend: Legend, rules: TerrainRules) -> str | None:
    """Return the terrain of an object that is no thing; None where nothing says one.

    It is the first of these that applies: the legend's entry for its tile; that for its class;
    its property `terrain`; the legend's entry for one of its properties; `blocked` or `walkable`;
    the legend's entry for its layer, or the layer's property `terrain`.
    """
    properties = each.properties
    if each.tile is not None:
        said = legend.range_with(each.tile.tileset.name, each.tile.number)
        if said is not None:
            return said
    said = legend.kind(each.class_name, each.name)
    if said is not None:
        return said
    own = properties.value("terrain")
    if isinstance(own, str) and own.strip() and own.isprintable():
        stated = None if own == BELOW else _stated_rule(each.properties)
        if stated is not None:
            rules.state(each.properties, own, stated)
        return own
    said = legend.of_property(properties)
    if said is not None:
        return said
    # Things of games have costs of their own, so a cost alone makes no terrain here.
    stops, lets = (_stated(properties.value(key)) for key in ("blocked", "walkable"))
    if stops is not None or lets is not None:
        return WALL if stops or lets is False else FLOOR
    if each.layer is None:
        return None
    said = legend.layer(each.layer.path, each.layer.name)
    return said or each.layer.properties.text("terrain")
