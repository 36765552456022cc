"""Lay layers over one another, which gives the terrain of every cell of an asset."""

from __future__ import annotations

import numpy as np
from pydantic import RootModel

from bake.core.arrays import UInt8Array
from bake.core.level import MAX_TERRAINS
from bake.levels.ldtk.layout import Layout, Legend, PlacedLevel, TerrainLayer
from bake.levels.ldtk.project import Project, Tile
from bake.levels.reading.editors import BELOW
from bake.levels.reading.limits import spend_work
from bake.levels.reading.mistakes import Where
from bake.levels.reading.models import validated
from bake.levels.reading.terrains import UNKNOWN, VOID

Codes = UInt8Array


class _Tiles(RootModel[list[Tile]]):
    """The tiles of one layer."""


class Canvas:
    """The cells of an asset.

    Attributes:
        terrain: (floors x height, width) uint8 index into ``names``.
        barred: headings, as bits; same shape.
        names: terrains, in the order in which they were found.
    """

    def __init__(self, project: Project, layout: Layout, legend: Legend) -> None:
        self.project = project
        self.layout = layout
        self.legend = legend
        self.names: dict[str, int] = {}
        shape = (len(layout.floors) * layout.height, layout.width)
        self.terrain: Codes = np.full(shape, UNKNOWN, dtype=np.uint8)
        self.barred: Codes = np.zeros(shape, dtype=np.uint8)

    def paint(self) -> None:
        """Paint every level, from its lowest layer to its topmost."""
        for level in self.layout.levels:
            own = self.inside(level)
            for layer in reversed(level.layers):
                self._paint_layer(layer, own)
            empty = own == UNKNOWN
            if empty.any():
                own[empty] = self.code(self.project.reading.empty, level.loaded.where)
        outside = self.terrain == UNKNOWN
        if outside.any():
            self.terrain[outside] = self.code(VOID, self.layout.levels[0].loaded.where)

    def inside(self, level: PlacedLevel) -> Codes:
        """Return the cells of one level."""
        return self.terrain[level.y : level.y + level.height, level.x : level.x + level.width]

    def code(self, terrain: str, where: Where) -> int:
        """Return the number of a terrain; give it a new one where it has none yet."""
        found = self.names.setdefault(terrain, len(self.names))
        if found >= MAX_TERRAINS:
            where.refuse(
                f"the asset has more than {MAX_TERRAINS} terrains", f"at most {MAX_TERRAINS}"
            )
        return found

    def _paint_layer(self, each: TerrainLayer, own: Codes) -> None:
        layer, cell = each.layer, self.layout.cell
        for key, offset in (("x", layer.offset_x), ("y", layer.offset_y)):
            if offset % cell:
                each.where.refuse(
                    f"the layer is offset by {offset} px in {key}",
                    f"a multiple of {cell} px, the smallest grid of the layers",
                    "leave the layer out with ignore in [ldtk]",
                )
        for codes in (self._tiles(each), self._values(each)):
            if codes is None:
                continue
            spend_work(each.where.file, own.size, str(each.where))
            size = layer.grid_size // cell
            _lay_over(own, codes, size, layer.offset_x // cell, layer.offset_y // cell)

    def _values(self, each: TerrainLayer) -> Codes | None:
        """Return the (height, width) terrain of an IntGrid layer, UNKNOWN where it is empty."""
        layer = each.layer
        if layer.type != "IntGrid":
            return None
        definition = self.project.definition(layer, each.where)
        values = np.array(layer.int_grid_csv, dtype=np.int64).reshape(layer.height, layer.width)
        kinds, kind_at = np.unique(values, return_inverse=True)
        codes = np.full(len(kinds), UNKNOWN, dtype=np.uint8)
        for at, value in enumerate(kinds.tolist()):
            if value:
                terrain = self.legend.value(definition, value, each.where)
                if terrain != BELOW:
                    codes[at] = self.code(terrain, each.where)
        return codes[kind_at.reshape(values.shape)]

    def _tiles(self, each: TerrainLayer) -> Codes | None:
        """Return the (height, width) terrain of a layer's tiles, later ones above earlier ones."""
        layer, tileset = each.layer, each.tileset
        if tileset is None:
            return None
        key = "gridTiles" if layer.type == "Tiles" else "autoLayerTiles"
        listed = layer.grid_tiles if layer.type == "Tiles" else layer.auto_layer_tiles
        tiles = validated(_Tiles, listed, each.where.inside(key)).root
        codes = np.full((layer.height, layer.width), UNKNOWN, dtype=np.uint8)
        known: dict[int, int] = {}
        half = layer.grid_size // 2
        for tile in tiles:
            if tile.t not in known:
                terrain = self.legend.tile(tileset, layer, tile.t)
                silent = terrain is None or terrain == BELOW
                known[tile.t] = (
                    UNKNOWN if silent or terrain is None else self.code(terrain, each.where)
                )
            # Rules may shift tiles by some pixels, so a tile belongs to the cell that its middle is
            # in.
            x, y = ((place + half) // layer.grid_size for place in tile.px)
            if known[tile.t] != UNKNOWN and 0 <= x < layer.width and 0 <= y < layer.height:
                codes[y, x] = known[tile.t]
        return codes


def _lay_over(below: Codes, above: Codes, size: int, x: int, y: int) -> None:
    """Cover ``below`` with what is known of ``above``: its corner at (x, y), ``size`` cells each.

    Cells are looked up from below, as a grid of large cells may reach far past the level.
    """
    rows = (np.arange(below.shape[0], dtype=np.int64) - y) // size
    columns = (np.arange(below.shape[1], dtype=np.int64) - x) // size
    own_rows = np.flatnonzero((rows >= 0) & (rows < above.shape[0]))
    own_columns = np.flatnonzero((columns >= 0) & (columns < above.shape[1]))
    if not (len(own_rows) and len(own_columns)):
        return
    part = above[rows[own_rows][:, np.newaxis], columns[own_columns]]
    here = below[own_rows[0] : own_rows[-1] + 1, own_columns[0] : own_columns[-1] + 1]
    covers = part != UNKNOWN
    here[covers] = part[covers]
