"""Layers laid over one another: the terrain and the ledges of every cell of the map."""

from __future__ import annotations

import numpy as np

from bake.arrays import BoolArray
from bake.editors import BELOW, TiledReading
from bake.level import MAX_TERRAINS
from bake.levels.json_text import shown
from bake.levels.tiled.fields import Fields
from bake.levels.tiled.geometry import Geometry
from bake.levels.tiled.gids import TILE_BITS, turned
from bake.levels.tiled.layer_data import Gids
from bake.levels.tiled.layers import Box, Layer, pieces
from bake.levels.tiled.legend import Legend
from bake.levels.tiled.tile_terrain import Meaning, TerrainRules, meaning
from bake.levels.tiled.tilesets import Tilesets
from bake.levels.unknown import UNKNOWN, strips


class Canvas:
    """What the tile layers of a map come to.

    Attributes:
        terrain: (floors x height, width) uint8 index into ``names``; UNKNOWN where there is
            no tile.
        barred: headings of :mod:`bake.level`; same shape.
        names: terrains, in the order they were met.
    """

    def __init__(
        self, owner: Fields, tilesets: Tilesets, geometry: Geometry, reading: TiledReading
    ) -> None:
        self.owner = owner
        self.tilesets = tilesets
        self.geometry = geometry
        self.legend = Legend.of(reading.legend)
        self.rules = TerrainRules()
        self.names: dict[str, int] = {}
        self._meanings: dict[tuple[str, int, int], Meaning] = {}

    def paint(self, layers: list[Layer], whole: Box, floors: tuple[int, ...]) -> None:
        """Lay the tile layers over one another, each on its floor."""
        self.whole = whole
        shape = (max(1, len(floors)) * whole.height, whole.width)
        self.terrain = np.full(shape, UNKNOWN, dtype=np.uint8)
        self.barred = np.zeros(shape, dtype=np.uint8)
        for layer in layers:
            if layer.kind != "tilelayer":
                continue
            below = 0 if layer.floor is None else floors.index(layer.floor) * whole.height
            for box, gids in pieces(layer, whole):
                for top, bottom in strips(box.width, box.height):
                    self._paint_strip(layer, gids[top:bottom], box, top, below)

    def _paint_strip(self, layer: Layer, gids: Gids, box: Box, top: int, below: int) -> None:
        kinds, first, kind_of = np.unique(gids, return_index=True, return_inverse=True)
        codes = np.full(len(kinds), UNKNOWN, dtype=np.uint8)
        bars = np.zeros(len(kinds), dtype=np.uint8)
        for at, gid in enumerate(kinds.tolist()):
            if gid & TILE_BITS:
                y, x = divmod(int(first[at]), box.width)
                cell = (box.left + x, box.top + top + y)
                codes[at], bars[at] = self._read(layer, gid, cell)
        kind_of = kind_of.reshape(gids.shape)
        code, bar = codes[kind_of], bars[kind_of]
        row = below + box.top - self.whole.top + top
        column = box.left - self.whole.left
        here = (slice(row, row + len(gids)), slice(column, column + box.width))
        covers = code != UNKNOWN
        self.terrain[here][covers] = code[covers]
        # A tile with a terrain of its own hides what lies below it, ledges too.
        self.barred[here][covers] = 0
        self.barred[here] |= bar

    def _read(self, layer: Layer, gid: int, cell: tuple[int, int]) -> tuple[int, int]:
        """Code of the terrain, UNKNOWN for BELOW, and the headings barred."""
        found = self.tilesets.find(gid)
        if found is None:
            layer.fields.refuse(
                f"tile {cell} has the gid {gid & TILE_BITS}, which is in no tileset",
                "a tile of one of the map's tilesets",
                "bring back the tileset in Tiled, or erase the tile",
            )
        tileset, number = found
        key = (tileset.name, tileset.first_gid, number)
        if key not in self._meanings:
            self._meanings[key] = meaning(tileset.tile(number), self.legend, self.rules)
        means = self._meanings[key]
        barred = turned(means.barred, gid, self.geometry.orientation)
        if barred is None:
            layer.fields.refuse(
                f"tile {cell} bars headings, but is rotated off them",
                "a tile flipped, or turned by 180 degrees",
                "draw a tile of its own for this heading",
            )
        terrain = means.terrain
        if terrain is None:
            terrain = self._of_layer(layer)
        return (UNKNOWN if terrain == BELOW else self.code(terrain)), barred

    def _of_layer(self, layer: Layer) -> str:
        said = self.legend.get("layer", layer.path) or self.legend.get("layer", layer.name)
        terrain = said or layer.fields.properties().text("terrain") or layer.name
        if not terrain.strip() or not terrain.isprintable():
            layer.fields.refuse(
                f"the layer's name {shown(layer.name)} cannot be a terrain's",
                "some text without control characters",
                "name the layer, or give it a property terrain",
            )
        return terrain

    def code(self, terrain: str) -> int:
        """The terrain's number, a new one where it has none."""
        code = self.names.setdefault(terrain, len(self.names))
        if code >= MAX_TERRAINS:
            self.owner.refuse(
                f"more than {MAX_TERRAINS} terrains",
                f"at most {MAX_TERRAINS}",
                "give several kinds of tiles one terrain, in [tiled.legend]",
            )
        return code

    def filled(self) -> BoolArray:
        """(height, width) bool, cells with a tile on any floor."""
        here = self.terrain != UNKNOWN
        found: BoolArray = here.reshape(-1, self.whole.height, self.whole.width).any(0)
        return found
