"""What a tile means for movement: its terrain by a stated precedence, what that costs, its ledges.

First that applies: the legend's entry for the tile; its property `terrain`; the legend's entry for
one of its properties; its class; `blocked`, `walkable` or `cost`; the legend's entry for its Wang
colour; that for its tileset. A tile of which none of these says anything is called after its layer.
"""

from __future__ import annotations

from dataclasses import dataclass

from bake.editors import BELOW
from bake.level import TerrainRule
from bake.levels.image_legend import BUILT_IN_RULES
from bake.levels.json_text import shown
from bake.levels.limits import MAX_COST
from bake.levels.tiled.fields import Properties, as_number
from bake.levels.tiled.legend import Legend
from bake.levels.tiled.tilesets import Tile
from bake.movement import EAST, NORTH, SOUTH, WEST

WALL, FLOOR = "wall", "floor"
HEADINGS = {"north": NORTH, "east": EAST, "south": SOUTH, "west": WEST}
_OPPOSITE = {NORTH: SOUTH, SOUTH: NORTH, EAST: WEST, WEST: EAST}


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
    """The costs tiles state, by terrain; two tiles of one terrain must agree."""

    def __init__(self) -> None:
        self.rules: dict[str, TerrainRule] = {}
        self._said_by: dict[str, str] = {}

    def state(self, properties: Properties, terrain: str, rule: TerrainRule) -> None:
        place = properties.owner.place
        known = self.rules.setdefault(terrain, rule)
        first = self._said_by.setdefault(terrain, place)
        if known != rule:
            properties.owner.refuse(
                f"{shown(terrain)} {_told(rule)} here, but {_told(known)} for {first}",
                "one cost for each terrain",
                "give one of the tiles a terrain of its own",
            )

    def of(self, terrains: tuple[str, ...]) -> dict[str, TerrainRule]:
        """Stated rules of these terrains, then those that come with their names."""
        return {
            name: rule
            for name in terrains
            if (rule := self.rules.get(name, BUILT_IN_RULES.get(name))) is not None
        }


def _told(rule: TerrainRule) -> str:
    return "is blocked" if rule.cost is None else f"costs {rule.cost:g}"


def meaning(tile: Tile, legend: Legend, rules: TerrainRules) -> Meaning:
    """Read a tile's class and properties."""
    barred = barred_headings(tile.properties)
    terrain = legend.tile(tile.tileset, tile.number)
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


def _stated_rule(properties: Properties) -> TerrainRule | None:
    """What `blocked`, `walkable` and `cost` say; None where there are none of them."""
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
    """The property `cost`: a number above 0, or None."""
    if not properties.has("cost") or properties.values["cost"] == "blocked":
        return None
    # Designers leave new properties at their default type, which is text.
    cost = as_number(properties.values["cost"], is_text=True)
    if cost is None or not 0 < cost <= MAX_COST:
        properties.refuse("cost", f'a number above 0, at most {MAX_COST:g}, or "blocked"')
    return cost


def barred_headings(properties: Properties) -> int:
    """Headings that `barred` names, and against which `one_way` leads."""
    found = 0
    for heading in properties.names("barred") or ():
        if heading not in HEADINGS:
            properties.refuse("barred", f"headings among {', '.join(HEADINGS)}")
        found |= HEADINGS[heading]
    one_way = properties.values.get("one_way")
    if isinstance(one_way, str) and one_way:
        if one_way not in HEADINGS:
            properties.refuse("one_way", f"one of {', '.join(HEADINGS)}")
        found |= _OPPOSITE[HEADINGS[one_way]]
    return found
