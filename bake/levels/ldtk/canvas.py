"""Paint the layers of an LDtk project over one another into the terrain of an asset."""

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
    """The terrain and the barred headings of the cells of an asset."""

    def __init__(self, project: Project, layout: Layout, legend: Legend) -> None:
        self.project = project
        self.layout = layout
        self.legend = legend
        self.names: dict[str, int] = {}  #: numbers of terrains, in order of appearance
        shape = (len(layout.floors) * layout.height, layout.width)
        #: (floors x height, width) uint8, indices into ``names``
        self.terrain: Codes = np.full(shape, UNKNOWN, dtype=np.uint8)
        #: barred headings as bits, of the same shape
        self.barred: Codes = np.zeros(shape, dtype=np.uint8)

    def paint(self) -> None:
        """Paint all levels, each from its lowest layer to its topmost."""
        for level in self.layout.levels:
            cells = self.level_cells(level)
            for layer in reversed(level.layers):
                self._paint_layer(layer, cells)
            empty = cells == UNKNOWN
            if empty.any():
                cells[empty] = self.code(self.project.reading.empty, level.loaded.where)
        outside = self.terrain == UNKNOWN
        if outside.any():
            self.terrain[outside] = self.code(VOID, self.layout.levels[0].loaded.where)

    def level_cells(self, level: PlacedLevel) -> Codes:
        """Return a view of the terrain of one level."""
        return self.terrain[level.y : level.y + level.height, level.x : level.x + level.width]

    def code(self, terrain: str, where: Where) -> int:
        """Return the number of a terrain; new terrains get the next number."""
        code = self.names.setdefault(terrain, len(self.names))
        if code >= MAX_TERRAINS:
            where.refuse(
                f"the asset has more than {MAX_TERRAINS} terrains", f"at most {MAX_TERRAINS}"
            )
        return code

    def _paint_layer(self, source: TerrainLayer, cells: Codes) -> None:
        layer, cell = source.layer, self.layout.cell
        for key, offset in (("x", layer.offset_x), ("y", layer.offset_y)):
            if offset % cell:
                source.where.refuse(
                    f"the layer is offset by {offset} px in {key}",
                    f"a multiple of {cell} px, the smallest grid of the layers",
                    "leave the layer out with ignore in [ldtk]",
                )
        for codes in (self._read_tiles(source), self._read_values(source)):
            if codes is None:
                continue
            spend_work(source.where.file, cells.size, str(source.where))
            size = layer.grid_size // cell
            _paint_over(cells, codes, size, layer.offset_x // cell, layer.offset_y // cell)

    def _read_values(self, source: TerrainLayer) -> Codes | None:
        """Return the (height, width) uint8 terrain of an IntGrid layer, UNKNOWN in empty cells."""
        layer = source.layer
        if layer.type != "IntGrid":
            return None
        definition = self.project.definition(layer, source.where)
        values = np.array(layer.int_grid_csv, dtype=np.int64).reshape(layer.height, layer.width)
        kinds, slot = np.unique(values, return_inverse=True)
        codes = np.full(len(kinds), UNKNOWN, dtype=np.uint8)
        for number, value in enumerate(kinds.tolist()):
            if value:
                terrain = self.legend.value(definition, value, source.where)
                if terrain != BELOW:
                    codes[number] = self.code(terrain, source.where)
        return codes[slot.reshape(values.shape)]

    def _read_tiles(self, source: TerrainLayer) -> Codes | None:
        """Return the (height, width) uint8 terrain of the tiles of a layer, later tiles on top."""
        layer, tileset = source.layer, source.tileset
        if tileset is None:
            return None
        key = "gridTiles" if layer.type == "Tiles" else "autoLayerTiles"
        listed = layer.grid_tiles if layer.type == "Tiles" else layer.auto_layer_tiles
        tiles = validated(_Tiles, listed, source.where.inside(key)).root
        codes = np.full((layer.height, layer.width), UNKNOWN, dtype=np.uint8)
        known: dict[int, int] = {}
        half = layer.grid_size // 2
        for tile in tiles:
            if tile.t not in known:
                terrain = self.legend.tile(tileset, layer, tile.t)
                silent = terrain is None or terrain == BELOW
                known[tile.t] = (
                    UNKNOWN if silent or terrain is None else self.code(terrain, source.where)
                )
            # Rules may shift tiles by some pixels; a tile belongs to the cell of its center.
            x, y = ((place + half) // layer.grid_size for place in tile.px)
            if known[tile.t] != UNKNOWN and 0 <= x < layer.width and 0 <= y < layer.height:
                codes[y, x] = known[tile.t]
        return codes


def _paint_over(below: Codes, above: Codes, size: int, x: int, y: int) -> None:
    """Paint ``above`` over ``below`` in place, except for its UNKNOWN cells.

    The corner of ``above`` lies at (x, y), and each of its cells covers ``size`` x ``size`` cells.
    The loop runs over ``below``, since a grid of large cells may extend far past the level.
    """
    rows = (np.arange(below.shape[0], dtype=np.int64) - y) // size
    columns = (np.arange(below.shape[1], dtype=np.int64) - x) // size
    covered_rows = np.flatnonzero((rows >= 0) & (rows < above.shape[0]))
    covered_columns = np.flatnonzero((columns >= 0) & (columns < above.shape[1]))
    if not (len(covered_rows) and len(covered_columns)):
        return
    source = above[rows[covered_rows][:, np.newaxis], columns[covered_columns]]
    target = below[
        covered_rows[0] : covered_rows[-1] + 1, covered_columns[0] : covered_columns[-1] + 1
    ]
    covers = source != UNKNOWN
    target[covers] = source[covers]
