"""Paint tile layers over one another, and map the cells of the map to the level.

A canvas has the terrain and the ledges of all cells of the map. In the level they are cropped if
the map is infinite and turned if it is staggered, with the floors below one another.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from bake.core.arrays import BoolArray, Float64Array, UInt8Array
from bake.core.level import MAX_TERRAINS
from bake.levels.reading.editors import BELOW
from bake.levels.reading.limits import check_size
from bake.levels.reading.mistakes import shown
from bake.levels.reading.terrains import UNKNOWN, split_rows
from bake.levels.tiled.fields import Fields
from bake.levels.tiled.geometry import TILE_BITS, Geometry, Ints, turn_headings
from bake.levels.tiled.layers import Box, Gids, Layer, decode_layer
from bake.levels.tiled.meanings import (
    Legend,
    TerrainRules,
    TileTerrain,
    find_tile_terrain,
    legend_keys,
)
from bake.levels.tiled.tilesets import Tile, Tileset, Tilesets

Values = TypeVar("Values", UInt8Array, Float64Array)

#: The most legend keys to suggest for one layer.
_MOST_HINTS = 16


class Canvas:
    """The terrain and ledges of all cells of a map, painted from its tile layers."""

    def __init__(
        self,
        owner: Fields,
        tilesets: Tilesets,
        geometry: Geometry,
        legend: Legend,
        rules: TerrainRules,
        empty: str,
    ) -> None:
        self.owner = owner
        self.tilesets = tilesets
        self.geometry = geometry
        self.legend = legend
        self.rules = rules
        self.empty = empty  #: terrain of cells without a tile
        self.names: dict[str, int] = {}  #: numbers of terrains, in order of appearance
        self._hints: dict[str, dict[str, None]] = {}
        #: tiles in use, by name and first gid of the tileset, and number
        self.tiles: dict[tuple[str, int, int], Tile] = {}
        self._meanings: dict[tuple[str, int, int], TileTerrain] = {}

    def paint(
        self,
        layers: list[Layer],
        whole: Box,
        floors: tuple[int, ...],
        visit: Callable[[Gids, Ints, tuple[int, int], int], None],
    ) -> None:
        """Paint the tile layers over one another, each on its floor.

        Args:
            layers: the layers, bottom to top.
            whole: the cells of the map.
            floors: the numbers of the floors, lowest first; empty = one floor.
            visit: called for each strip of cells with its distinct gids, the index of the gid of
                each cell, the first cell, and the index of the floor.
        """
        self.whole = whole
        shape = (max(1, len(floors)) * whole.height, whole.width)
        #: (floors x height, width) uint8, indices into ``names``; UNKNOWN without a tile
        self.terrain = np.full(shape, UNKNOWN, dtype=np.uint8)
        #: barred headings as bits, of the same shape
        self.barred = np.zeros(shape, dtype=np.uint8)
        for layer in layers:
            if layer.kind != "tilelayer":
                continue
            floor = 0 if layer.floor is None else floors.index(layer.floor)
            for box, gids in decode_layer(layer, whole):
                for top, bottom in split_rows(box.width, box.height):
                    kinds, slot = self._paint_strip(
                        layer, gids[top:bottom], box, top, floor * whole.height
                    )
                    visit(kinds, slot, (box.left, box.top + top), floor)

    def _paint_strip(
        self, layer: Layer, gids: Gids, box: Box, top: int, first_row: int
    ) -> tuple[Gids, Ints]:
        """Paint some rows, and return the distinct gids and the index of the gid of each cell."""
        kinds, first, slot = np.unique(gids, return_index=True, return_inverse=True)
        codes = np.full(len(kinds), UNKNOWN, dtype=np.uint8)
        bars = np.zeros(len(kinds), dtype=np.uint8)
        for i, gid in enumerate(kinds.tolist()):
            if gid & TILE_BITS:
                y, x = divmod(int(first[i]), box.width)
                cell = (box.left + x, box.top + top + y)
                codes[i], bars[i] = self._read_tile(layer, gid, cell)
        slot = slot.reshape(gids.shape)
        code, bar = codes[slot], bars[slot]
        row = first_row + box.top - self.whole.top + top
        column = box.left - self.whole.left
        area = (slice(row, row + len(gids)), slice(column, column + box.width))
        covers = code != UNKNOWN
        self.terrain[area][covers] = code[covers]
        # A tile with a terrain hides everything below it, including ledges.
        self.barred[area][covers] = 0
        self.barred[area] |= bar
        return kinds, slot

    def _read_tile(self, layer: Layer, gid: int, cell: tuple[int, int]) -> tuple[int, int]:
        """Return the terrain number of a tile (UNKNOWN for BELOW) and its barred headings."""
        tileset, number = self.tilesets.in_cell(gid, layer.fields, cell)
        key = (tileset.name, tileset.first_gid, number)
        if key not in self._meanings:
            tile = self.tiles[key] = tileset.tile(number)
            self._meanings[key] = find_tile_terrain(tile, self.legend, self.rules)
        means = self._meanings[key]
        barred = turn_headings(means.barred, gid, self.geometry.orientation)
        if barred is None:
            layer.fields.refuse(
                f"tile {cell} bars headings, but is rotated off them",
                "a tile flipped, or turned by 180 degrees",
                "draw a tile of its own for this heading",
            )
        terrain = means.terrain
        if terrain is None:
            terrain = self._terrain_of_layer(layer, tileset, number)
        return (UNKNOWN if terrain == BELOW else self.code(terrain)), barred

    def _terrain_of_layer(self, layer: Layer, tileset: Tileset, number: int) -> str:
        entry = self.legend.layer(layer.path, layer.name)
        stated = entry or layer.properties.text("terrain")
        terrain = stated or layer.name
        if not terrain.strip() or not terrain.isprintable():
            layer.fields.refuse(
                f"the layer's name {shown(layer.name)} cannot be a terrain's",
                "some text without control characters",
                'name the layer, or give it a property "terrain"',
            )
        if stated is None:
            hints = self._hints.setdefault(terrain, {})
            if len(hints) < _MOST_HINTS:
                hints.update(dict.fromkeys(legend_keys(tileset.tile(number))))
        return terrain

    @property
    def hints(self) -> dict[str, tuple[str, ...]]:
        """Return suggested legend keys for tiles, by the names of layers that became terrains."""
        return {name: tuple(hints)[:_MOST_HINTS] for name, hints in self._hints.items() if hints}

    def code(self, terrain: str) -> int:
        """Return the number of a terrain; new terrains get the next number."""
        code = self.names.setdefault(terrain, len(self.names))
        if code >= MAX_TERRAINS:
            self.owner.refuse(
                f"the map has more than {MAX_TERRAINS} terrains",
                f"at most {MAX_TERRAINS}",
                "give several kinds of tiles one terrain, in [tiled.legend]",
            )
        return code

    def fill(self) -> None:
        """Set the terrain of cells without a tile to ``empty``."""
        code = self.code(self.empty)
        for top, bottom in split_rows(self.terrain.shape[1], self.terrain.shape[0]):
            rows = self.terrain[top:bottom]
            rows[rows == UNKNOWN] = code

    def filled(self) -> BoolArray:
        """Return a (height, width) bool mask of cells with a tile on any floor."""
        known = self.terrain != UNKNOWN
        filled: BoolArray = known.reshape(-1, self.whole.height, self.whole.width).any(0)
        return filled


@dataclass(frozen=True)
class Placing:
    """The mapping from cells of the map to cells of the level."""

    geometry: Geometry
    box: Box  #: the cells of the map that are in the level, on each floor
    #: width, height: of one floor of the level, in cells
    width: int
    height: int
    origin: tuple[int, int]  #: the cell, turned if staggered, that becomes (0, 0)
    floors: tuple[int, ...]  #: numbers, lowest first; empty = one floor without a number

    @staticmethod
    def build(owner: Fields, geometry: Geometry, box: Box, floors: tuple[int, ...]) -> Placing:
        """Return the mapping for the cells in a box of the map.

        Raises:
            LevelError: the level has too many cells. A long staggered map becomes a large square
                when turned.
        """
        if geometry.orientation != "staggered":
            check_size(owner.file, box.width, box.height * max(1, len(floors)))
            return Placing(geometry, box, box.width, box.height, (box.left, box.top), floors)
        ends_x = np.array([box.left, box.left + box.width - 1], dtype=np.int64)
        ends_y = np.array([box.top, box.top + box.height - 1], dtype=np.int64)
        x, y = (axis.ravel() for axis in np.meshgrid(ends_x, ends_y))
        u, v = geometry.turn_cells(x, y)
        origin = (int(u.min()), int(v.min()))
        width, height = int(u.max()) - origin[0] + 1, int(v.max()) - origin[1] + 1
        check_size(owner.file, width, height * max(1, len(floors)), "turned by 45 degrees")
        return Placing(geometry, box, width, height, origin, floors)

    def has(self, x: Ints, y: Ints) -> BoolArray:
        """Return a mask of the cells of the map that are in the level."""
        box = self.box
        inside: BoolArray = (x >= box.left) & (x < box.left + box.width)
        return inside & (y >= box.top) & (y < box.top + box.height)

    def cells(self, x: Ints, y: Ints, floor: int) -> tuple[Ints, Ints]:
        """Return the cells of the level for cells of the map, on a floor by index."""
        if self.geometry.orientation == "staggered":
            x, y = self.geometry.turn_cells(x, y)
        return x - self.origin[0], y - self.origin[1] + floor * self.height

    def rearrange(self, values: Values, whole: Box, outside: float) -> Values:
        """Rearrange values of the cells of a map into the level.

        Args:
            values: (floors x height, width) values of the map.
            whole: the cells of the map.
            outside: the value of cells that only pad the level to a rectangle.

        Returns:
            (floors x height, width) values of the level.
        """
        count = max(1, len(self.floors))
        result = np.full((count * self.height, self.width), outside, dtype=values.dtype)
        box = self.box
        for floor in range(count):
            first = floor * whole.height + box.top - whole.top
            for top, bottom in split_rows(box.width, box.height):
                rows = slice(first + top, first + bottom)
                columns = slice(box.left - whole.left, box.left - whole.left + box.width)
                if self.geometry.orientation == "staggered":
                    y, x = np.mgrid[
                        box.top + top : box.top + bottom, box.left : box.left + box.width
                    ]
                    u, v = self.cells(x, y, floor)
                    result[v, u] = values[rows, columns]
                else:
                    target = slice(floor * self.height + top, floor * self.height + bottom)
                    result[target] = values[rows, columns]
        return result


def find_filled_box(canvas: Canvas) -> Box:
    """Return the smallest box that contains all tiles of an infinite map."""
    filled = canvas.filled()
    ys, xs = np.flatnonzero(filled.any(axis=1)), np.flatnonzero(filled.any(axis=0))
    if not len(ys):
        return canvas.whole
    left, top = canvas.whole.left + int(xs[0]), canvas.whole.top + int(ys[0])
    return Box(left, top, int(xs[-1] - xs[0]) + 1, int(ys[-1] - ys[0]) + 1)
