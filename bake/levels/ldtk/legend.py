"""The recipe's legend for LDtk: what cells hold, and which terrain that is."""

from __future__ import annotations

from collections.abc import Mapping

from bake.editors import BELOW
from bake.level import Colour, TerrainRule
from bake.levels.colour import pack_colour, rgb
from bake.levels.image_legend import BUILT_IN_RULES
from bake.levels.ldtk.model import GridValue, LayerDefinition, LayerInstance, TilesetDefinition
from bake.levels.ldtk.project import Where
from bake.levels.terrain_json import is_plain_text

#: What needs no cost in a recipe. "walls" is what LDtk calls the first value of its samples.
STATED: Mapping[str, TerrainRule] = {**BUILT_IN_RULES, "walls": TerrainRule(cost=None)}


class Legend:
    """Entries of the recipe, and what the file says where there are none.

    Attributes:
        colours: of the values met so far, by terrain.
    """

    def __init__(self, entries: Mapping[str, str]) -> None:
        self.entries = entries
        self.colours: dict[str, Colour] = {}
        self._tags: dict[int, dict[int, list[str]]] = {}
        self._values: dict[int, dict[int, GridValue]] = {}
        self._tiles: dict[str, list[tuple[int, int, str]]] = {}
        for key, terrain in entries.items():
            kind, _, rest = key.partition(":")
            if kind == "tile":
                tileset, _, numbers = rest.rpartition(":")
                for part in numbers.split(","):
                    first, _, last = part.partition("-")
                    self._tiles.setdefault(tileset, []).append(
                        (int(first), int(last or first), terrain)
                    )

    def value(self, layer: LayerDefinition, number: int, where: Where) -> str:
        """Terrain, or BELOW, of a value of an IntGrid layer."""
        if layer.uid not in self._values:
            # Backwards, so that of several of one number the first counts.
            listed = reversed(layer.int_grid_values)
            self._values[layer.uid] = {each.value: each for each in listed}
        known = self._values[layer.uid].get(number)
        if known is None:
            where.inside("intGridCsv").refuse(
                f"the value {number} is defined nowhere",
                _values(layer),
                "save the project again in LDtk",
            )
        names = [f"{layer.identifier}:{number}"]
        if known.identifier:
            names += [f"{layer.identifier}:{known.identifier}", known.identifier]
        for name in (*names, str(number)):
            if (terrain := self.entries.get(f"value:{name}")) is not None:
                return self._coloured(terrain, known)
        terrain = self.entries.get(f"layer:{layer.identifier}") or known.identifier
        if terrain is None:
            where.inside("intGridCsv").refuse(
                f"the value {number} has no name",
                "a name, or an entry in the recipe",
                f'name it in LDtk, or add "value:{layer.identifier}:{number}" = "wall" to '
                "[ldtk.legend]",
            )
        if not is_plain_text(terrain):
            where.inside("intGridCsv").refuse(
                f"the name of value {number} is empty or holds control characters",
                "a name of a terrain",
            )
        return self._coloured(terrain, known)

    def _coloured(self, terrain: str, value: GridValue) -> str:
        packed = pack_colour(value.color)
        if terrain != BELOW and packed is not None:
            self.colours.setdefault(terrain, rgb(packed))
        return terrain

    def tile(self, tileset: TilesetDefinition, layer: LayerInstance, number: int) -> str | None:
        """Terrain, or BELOW, of a tile; None where nothing says one."""
        ranges = [
            each for each in self._tiles.get(tileset.identifier, ()) if each[0] <= number <= each[1]
        ]
        if ranges:
            return min(ranges, key=lambda each: each[1] - each[0])[2]
        if tileset.uid not in self._tags:
            tagged = self._tags[tileset.uid] = {}
            for enum_tag in tileset.enum_tags:
                for each in enum_tag.tile_ids:
                    tagged.setdefault(each, []).append(enum_tag.enum_value_id)
        tags = self._tags[tileset.uid].get(number, [])
        for tag in tags:
            if (terrain := self.entries.get(f"enum:{tag}")) is not None:
                return terrain
        terrain = self.entries.get(f"tileset:{tileset.identifier}")
        if terrain is None and layer.type != "IntGrid":
            terrain = self.entries.get(f"layer:{layer.identifier}")
        return terrain if terrain is not None else next(iter(tags), None)

    def knows_tiles(self, tileset: TilesetDefinition, layer: LayerInstance) -> bool:
        """Whether any tile of a layer may have a terrain."""
        return bool(
            tileset.enum_tags
            or tileset.identifier in self._tiles
            or f"tileset:{tileset.identifier}" in self.entries
            or (layer.type != "IntGrid" and f"layer:{layer.identifier}" in self.entries)
        )

    def area(self, entity: str) -> str | None:
        """Terrain of the cells an entity covers."""
        return self.entries.get(f"area:{entity}")

    def kind(self, entity: str) -> str | None:
        """Which kind of thing an entity is."""
        return self.entries.get(f"entity:{entity}")


def _values(layer: LayerDefinition) -> str:
    numbers = ", ".join(str(each.value) for each in layer.int_grid_values[:16])
    return f"0 or one of {numbers}" if numbers else "0, as the layer has no values"
