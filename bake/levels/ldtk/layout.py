"""Find the terrain layers of an asset, the meaning of their cells, and the layout of levels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bake.core.level import Colour, TerrainRule
from bake.core.toml import toml_line
from bake.levels.ldtk.project import (
    SAVE_AGAIN,
    GridValue,
    LayerDefinition,
    LayerInstance,
    LoadedLevel,
    Project,
    TilesetDefinition,
)
from bake.levels.reading.editors import BELOW, EditorLegend
from bake.levels.reading.limits import most_cells
from bake.levels.reading.mistakes import Where, is_plain_text
from bake.levels.reading.terrains import BUILT_IN_RULES, parse_color, rgb

#: Rules of terrains that need none in a recipe. The samples of LDtk have a value "walls".
STATED: Mapping[str, TerrainRule] = {**BUILT_IN_RULES, "walls": TerrainRule(cost=None)}
#: The types of layers that terrain can come from; "Entities" is the fourth type.
TERRAIN_LAYERS = ("IntGrid", "Tiles", "AutoLayer")


class Legend(EditorLegend):
    """Maps values, tiles and entities to terrain: by the recipe, or else by names in the file."""

    def __init__(self, entries: Mapping[str, str]) -> None:
        super().__init__(entries)
        self.colors: dict[str, Colour] = {}  #: colors of the values so far, by terrain
        self._tags: dict[int, dict[int, list[str]]] = {}
        self._values: dict[int, dict[int, GridValue]] = {}

    def value(self, layer: LayerDefinition, number: int, where: Where) -> str:
        """Return the terrain, or BELOW, of a value of an IntGrid layer."""
        if layer.uid not in self._values:
            # The list is reversed so that the first of several values with one number wins.
            listed = reversed(layer.int_grid_values)
            self._values[layer.uid] = {grid_value.value: grid_value for grid_value in listed}
        known = self._values[layer.uid].get(number)
        if known is None:
            where.inside("intGridCsv").refuse(
                f"the value {number} has no definition",
                _values(layer),
                SAVE_AGAIN,
            )
        names = [f"{layer.identifier}:{number}"]
        if known.identifier:
            names += [f"{layer.identifier}:{known.identifier}", known.identifier]
        for name in (*names, str(number)):
            if (terrain := self.get("value", name)) is not None:
                return self._record_color(terrain, known)
        terrain = self.get("layer", layer.identifier) or known.identifier
        if terrain is None:
            lines = [
                toml_line(f"value:{layer.identifier}:{grid_value.value}", "wall")
                for grid_value in layer.int_grid_values
                if grid_value.identifier is None
            ]
            where.inside("intGridCsv").refuse(
                f"the value {number} has no name",
                "a name, or an entry in the recipe",
                f"name it in LDtk, or add {lines[0]} below [ldtk.legend]",
                [("ldtk.legend", line) for line in lines],
            )
        if not is_plain_text(terrain):
            where.inside("intGridCsv").refuse(
                f"the name of value {number} is empty or holds control characters",
                "a name of a terrain",
            )
        return self._record_color(terrain, known)

    def _record_color(self, terrain: str, value: GridValue) -> str:
        packed = parse_color(value.color)
        if terrain != BELOW and packed is not None:
            self.colors.setdefault(terrain, rgb(packed))
        return terrain

    def tile(self, tileset: TilesetDefinition, layer: LayerInstance, number: int) -> str | None:
        """Return the terrain of a tile, BELOW, or None if neither recipe nor tags name one."""
        if (terrain := self.look_up_tile(tileset.identifier, number)) is not None:
            return terrain
        if tileset.uid not in self._tags:
            tagged = self._tags[tileset.uid] = {}
            for enum_tag in tileset.enum_tags:
                for tile_id in enum_tag.tile_ids:
                    tagged.setdefault(tile_id, []).append(enum_tag.enum_value_id)
        tags = self._tags[tileset.uid].get(number, [])
        for tag in tags:
            if (terrain := self.get("enum", tag)) is not None:
                return terrain
        terrain = self.get("tileset", tileset.identifier)
        if terrain is None and layer.type != "IntGrid":
            terrain = self.get("layer", layer.identifier)
        return terrain if terrain is not None else next(iter(tags), None)

    def has_tile_terrain(self, tileset: TilesetDefinition, layer: LayerInstance) -> bool:
        """Return whether any tile of a layer may have a terrain."""
        return bool(
            tileset.enum_tags
            or tileset.identifier in self.ranges
            or f"tileset:{tileset.identifier}" in self.entries
            or (layer.type != "IntGrid" and f"layer:{layer.identifier}" in self.entries)
        )

    def area(self, entity: str) -> str | None:
        """Return the terrain that an entity paints on its cells, or None."""
        return self.get("area", entity)

    def kind(self, entity: str) -> str | None:
        """Return the kind of an entity by the recipe, or None."""
        return self.get("entity", entity)


def _values(layer: LayerDefinition) -> str:
    numbers = ", ".join(str(grid_value.value) for grid_value in layer.int_grid_values[:16])
    return f"0 or one of {numbers}" if numbers else "0, as the layer has no values"


@dataclass(frozen=True)
class TerrainLayer:
    """A layer whose values or tiles have terrain."""

    layer: LayerInstance
    where: Where
    tileset: TilesetDefinition | None  #: the tileset, if its tiles have terrain


@dataclass(frozen=True)
class PlacedLevel:
    """A level at its position in the grid of the asset."""

    loaded: LoadedLevel
    layers: tuple[TerrainLayer, ...]  #: the layers with terrain, topmost first
    #: x, y: cell of the top left corner in the grid of all floors
    x: int
    y: int
    #: width, height: in cells
    width: int
    height: int


@dataclass(frozen=True)
class Layout:
    """The grid of an asset and the levels in it."""

    cell: int  #: side of a cell in pixels
    origin: tuple[float, float]  #: top left corner in pixels of the world
    #: width, height: of one floor in cells
    width: int
    height: int
    floors: tuple[int, ...]  #: world depths, lowest first
    levels: tuple[PlacedLevel, ...]


def arrange_levels(
    project: Project, levels: Sequence[LoadedLevel], layout: str, legend: Legend
) -> Layout:
    """Arrange the levels of a world in one grid.

    Args:
        project: the project.
        levels: levels of one world; a single level lies at the origin.
        layout: the layout of the world, one of LAYOUTS.
        legend: the terrain of values and tiles.

    Raises:
        LevelError: no layer has terrain, sizes or positions fit no common grid, levels overlap, or
            there are too many cells.
    """
    layers = [tuple(_terrain_layers(project, loaded, legend)) for loaded in levels]
    cell = min((source.layer.grid_size for sources in layers for source in sources), default=0)
    if not cell:
        drawn = dict.fromkeys(
            layer.identifier
            for each in levels
            for layer, _ in each.layers()
            if layer.type in TERRAIN_LAYERS and (layer.grid_tiles or layer.auto_layer_tiles)
        )
        lines = [toml_line(f"layer:{name}", "floor", 'or "wall", or "below"') for name in drawn]
        levels[0].where.refuse(
            "no layer has terrain",
            "an IntGrid layer, or tiles with enum tags or with an entry in [ldtk.legend]",
            f"name tiles in [ldtk.legend], as in {toml_line('layer:Walls', 'wall')}",
            [("ldtk.legend", line) for line in lines],
        )
    for sources in layers:
        for source in sources:
            if source.layer.grid_size % cell:
                source.where.refuse(
                    f"the layer has a grid of {source.layer.grid_size} px",
                    f"a multiple of {cell} px, the smallest grid of the layers",
                    "leave one of them out with ignore in [ldtk]",
                )
    floors = tuple(sorted({loaded.level.world_depth for loaded in levels}))
    corners = list(_find_corners(levels, layout, cell))
    left, top = min(x for x, _ in corners), min(y for _, y in corners)
    sizes = [
        (-(-loaded.level.px_wid // cell), -(-loaded.level.px_hei // cell)) for loaded in levels
    ]
    width = max(x - left + w for (x, _), (w, _) in zip(corners, sizes, strict=True))
    height = max(y - top + h for (_, y), (_, h) in zip(corners, sizes, strict=True))
    if width * height * len(floors) > most_cells():
        levels[0].where.refuse(
            f"the levels take {len(floors)} x {width:,} x {height:,} cells",
            f"at most {most_cells():,}",
            'bake them one by one: world = "each" in [ldtk]' if len(levels) > 1 else "split it",
        )
    placed = [
        PlacedLevel(
            loaded,
            sources,
            x - left,
            y - top + floors.index(loaded.level.world_depth) * height,
            w,
            h,
        )
        for loaded, sources, (x, y), (w, h) in zip(levels, layers, corners, sizes, strict=True)
    ]
    _check_overlaps(placed, (len(floors) * height, width))
    origin = (float(left * cell), float(top * cell))
    if len(levels) == 1 and layout in ("Free", "GridVania"):
        origin = (float(levels[0].level.world_x), float(levels[0].level.world_y))
    return Layout(cell, origin, width, height, floors, tuple(placed))


def is_read(project: Project, name: str, *, named: bool) -> bool:
    """Return whether the recipe reads a layer; with ``named``, `layers` must list it if set."""
    reading = project.reading
    wanted = not named or reading.layers is None or name in reading.layers
    return wanted and name not in reading.ignore


def _terrain_layers(
    project: Project, loaded: LoadedLevel, legend: Legend
) -> Iterator[TerrainLayer]:
    for layer, where in loaded.layers():
        project.definition(layer, where)
        if layer.type not in (*TERRAIN_LAYERS, "Entities"):
            where.inside("__type").refuse(
                "the type of the layer is unknown", " or ".join((*TERRAIN_LAYERS, "Entities"))
            )
        if layer.type == "Entities" or not is_read(project, layer.identifier, named=True):
            continue
        tileset = None
        if layer.tileset_def_uid is not None:
            tileset = project.tilesets.get(layer.tileset_def_uid)
            if tileset is None and (layer.grid_tiles or layer.auto_layer_tiles):
                where.inside("__tilesetDefUid").refuse(
                    f"no tileset has the uid {layer.tileset_def_uid}",
                    "the uid of a tileset in defs",
                    SAVE_AGAIN,
                )
            if tileset is not None and not legend.has_tile_terrain(tileset, layer):
                tileset = None
        if layer.type == "IntGrid" or tileset is not None:
            _check_size(layer, where, loaded)
            yield TerrainLayer(layer, where, tileset)


def _check_size(layer: LayerInstance, where: Where, loaded: LoadedLevel) -> None:
    level = loaded.level
    wanted = (-(-level.px_wid // layer.grid_size), -(-level.px_hei // layer.grid_size))
    if (layer.width, layer.height) != wanted:
        where.refuse(
            f"the layer has {layer.width:,} x {layer.height:,} cells of {layer.grid_size} px",
            f"{wanted[0]:,} x {wanted[1]:,} in a level of {level.px_wid:,} x {level.px_hei:,} px",
            SAVE_AGAIN,
        )
    count = layer.width * layer.height
    if layer.type == "IntGrid" and len(layer.int_grid_csv) != count:
        where.inside("intGridCsv").refuse(
            f"the layer has {len(layer.int_grid_csv):,} values",
            f"{count:,}, {layer.width:,} x {layer.height:,}",
            SAVE_AGAIN,
        )


def _find_corners(
    levels: Sequence[LoadedLevel], layout: str, cell: int
) -> Iterator[tuple[int, int]]:
    """Yield the top left corner of each level in cells from the origin of the world."""
    offset = 0
    for loaded in levels:
        level = loaded.level
        if layout == "LinearHorizontal":
            yield offset, 0
            offset += -(-level.px_wid // cell)
        elif layout == "LinearVertical":
            yield 0, offset
            offset += -(-level.px_hei // cell)
        elif len(levels) == 1:
            yield 0, 0
        else:
            if level.world_x % cell or level.world_y % cell:
                loaded.where.refuse(
                    f"the level lies at ({level.world_x}, {level.world_y}) px of its world",
                    f"multiples of {cell} px, the smallest grid of the layers",
                    'move it, or bake levels one by one: world = "each" in [ldtk]',
                )
            yield level.world_x // cell, level.world_y // cell


def _check_overlaps(levels: Sequence[PlacedLevel], shape: tuple[int, int]) -> None:
    """Raise if levels overlap. Each floor has rows of its own, so one grid covers all floors."""
    taken = np.zeros(shape, dtype=np.bool_)
    for number, level in enumerate(levels):
        cells = taken[level.y : level.y + level.height, level.x : level.x + level.width]
        if cells.any():
            earlier = next(earlier for earlier in levels[:number] if _overlap(level, earlier))
            level.loaded.where.refuse(
                f"the level overlaps {earlier.loaded.level.identifier}",
                "levels of one depth side by side",
                "move one of them or give it another depth, or bake levels one by one: "
                'world = "each" in [ldtk]',
            )
        cells[:] = True


def _overlap(first: PlacedLevel, second: PlacedLevel) -> bool:
    across = first.x < second.x + second.width and second.x < first.x + first.width
    return across and first.y < second.y + second.height and second.y < first.y + first.height
