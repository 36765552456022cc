"""Lay layers over one another, and place the cells of the map in the level.

A canvas has the terrain and the ledges of every cell of the map; the level has them cropped where
the map is infinite, turned where it is staggered, and its floors below one another.
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
from bake.levels.reading.terrains import UNKNOWN, strips
from bake.levels.tiled.fields import Fields
from bake.levels.tiled.geometry import TILE_BITS, Geometry, Ints, turned_headings
from bake.levels.tiled.layers import Box, Gids, Layer, pieces
from bake.levels.tiled.meanings import (
    Legend,
    TerrainRules,
    TileTerrain,
    legend_keys,
    terrain_of_tile,
)
from bake.levels.tiled.tilesets import Tile, Tileset, Tilesets

Values = TypeVar("Values", UInt8Array, Float64Array)

#: The most keys of the legend that are offered for one layer.
_MOST_HINTS = 16


class Canvas:
    """The terrain and ledges that the tile layers of a map add up to.

    Attributes:
        terrain: (floors x height, width) uint8 index into ``names``; UNKNOWN where there is
            no tile.
        barred: headings, as bits; same shape.
        names: terrains, in the order in which they were found.
        empty: terrain of cells without a tile.
        tiles: every tile that some cell has, by tileset, first gid and number.
    """

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
        self.empty = empty
        self.names: dict[str, int] = {}
        self._hints: dict[str, dict[str, None]] = {}
        self.tiles: dict[tuple[str, int, int], Tile] = {}
        self._meanings: dict[tuple[str, int, int], TileTerrain] = {}

    def paint(
        self,
        layers: list[Layer],
        whole: Box,
        floors: tuple[int, ...],
        met: Callable[[Gids, Ints, tuple[int, int], int], None],
    ) -> None:
        """Lay the tile layers over one another, each on its floor.

        Args:
            layers: bottom to top.
            whole: the cells of the map.
            floors: numbers of the floors, lowest first; empty = one floor.
            met: called for each strip of cells, with the gids there are, each cell's among them,
                the first cell, and the place of the floor.
        """
        self.whole = whole
        shape = (max(1, len(floors)) * whole.height, whole.width)
        self.terrain = np.full(shape, UNKNOWN, dtype=np.uint8)
        self.barred = np.zeros(shape, dtype=np.uint8)
        for layer in layers:
            if layer.kind != "tilelayer":
                continue
            floor = 0 if layer.floor is None else floors.index(layer.floor)
            for box, gids in pieces(layer, whole):
                for top, bottom in strips(box.width, box.height):
                    kinds, kind_at = self._paint_strip(
                        layer, gids[top:bottom], box, top, floor * whole.height
                    )
                    met(kinds, kind_at, (box.left, box.top + top), floor)

    def _paint_strip(
        self, layer: Layer, gids: Gids, box: Box, top: int, below: int
    ) -> tuple[Gids, Ints]:
        """Paint some rows, and return the kinds of tiles there, and which each cell has."""
        kinds, first, kind_at = np.unique(gids, return_index=True, return_inverse=True)
        codes = np.full(len(kinds), UNKNOWN, dtype=np.uint8)
        bars = np.zeros(len(kinds), dtype=np.uint8)
        for at, gid in enumerate(kinds.tolist()):
            if gid & TILE_BITS:
                y, x = divmod(int(first[at]), box.width)
                cell = (box.left + x, box.top + top + y)
                codes[at], bars[at] = self._read(layer, gid, cell)
        kind_at = kind_at.reshape(gids.shape)
        code, bar = codes[kind_at], bars[kind_at]
        row = below + box.top - self.whole.top + top
        column = box.left - self.whole.left
        here = (slice(row, row + len(gids)), slice(column, column + box.width))
        covers = code != UNKNOWN
        self.terrain[here][covers] = code[covers]
        # A tile with a terrain of its own hides what lies below it, also ledges.
        self.barred[here][covers] = 0
        self.barred[here] |= bar
        return kinds, kind_at

    def _read(self, layer: Layer, gid: int, cell: tuple[int, int]) -> tuple[int, int]:
        """Return the number of the terrain, UNKNOWN for BELOW, and the headings barred."""
        tileset, number = self.tilesets.in_cell(gid, layer.fields, cell)
        key = (tileset.name, tileset.first_gid, number)
        if key not in self._meanings:
            tile = self.tiles[key] = tileset.tile(number)
            self._meanings[key] = terrain_of_tile(tile, self.legend, self.rules)
        means = self._meanings[key]
        barred = turned_headings(means.barred, gid, self.geometry.orientation)
        if barred is None:
            layer.fields.refuse(
                f"tile {cell} bars headings, but is rotated off them",
                "a tile flipped, or turned by 180 degrees",
                "draw a tile of its own for this heading",
            )
        terrain = means.terrain
        if terrain is None:
            terrain = self._of_layer(layer, tileset, number)
        return (UNKNOWN if terrain == BELOW else self.code(terrain)), barred

    def _of_layer(self, layer: Layer, tileset: Tileset, number: int) -> str:
        said = self.legend.layer(layer.path, layer.name)
        stated = said or layer.properties.text("terrain")
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
        """Return, by the names of layers that became terrains, what their tiles say themselves."""
        return {name: tuple(hints)[:_MOST_HINTS] for name, hints in self._hints.items() if hints}

    def code(self, terrain: str) -> int:
        """Return the number of a terrain; give it a new one where it has none yet."""
        code = self.names.setdefault(terrain, len(self.names))
        if code >= MAX_TERRAINS:
            self.owner.refuse(
                f"the map has more than {MAX_TERRAINS} terrains",
                f"at most {MAX_TERRAINS}",
                "give several kinds of tiles one terrain, in [tiled.legend]",
            )
        return code

    def fill(self) -> None:
        """Give the cells without a tile the terrain of such cells."""
        code = self.code(self.empty)
        for top, bottom in strips(self.terrain.shape[1], self.terrain.shape[0]):
            rows = self.terrain[top:bottom]
            rows[rows == UNKNOWN] = code

    def filled(self) -> BoolArray:
        """Return (height, width) bool, True for cells with a tile on any floor."""
        here = self.terrain != UNKNOWN
        found: BoolArray = here.reshape(-1, self.whole.height, self.whole.width).any(0)
        return found


@dataclass(frozen=True)
class Placing:
    """Where cells of the map lie in the level."""

    geometry: Geometry
    box: Box  #: cells of the map that the level has, on every floor
    #: width, height: of one floor of the level
    width: int
    height: int
    origin: tuple[int, int]  #: what is subtracted from a cell, turned or not, to count from 0
    floors: tuple[int, ...]  #: their numbers, lowest first; empty = one floor without a number

    @staticmethod
    def of(owner: Fields, geometry: Geometry, box: Box, floors: tuple[int, ...]) -> Placing:
        """Place the cells that count.

        Raises:
            LevelError: a staggered map is far longer one way than the other, and its lattice,
                turned, has more than MAX_CELLS.
        """
        if geometry.orientation != "staggered":
            check_size(owner.file, box.width, box.height * max(1, len(floors)))
            return Placing(geometry, box, box.width, box.height, (box.left, box.top), floors)
        ends_x = np.array([box.left, box.left + box.width - 1], dtype=np.int64)
        ends_y = np.array([box.top, box.top + box.height - 1], dtype=np.int64)
        x, y = (each.ravel() for each in np.meshgrid(ends_x, ends_y))
        u, v = geometry.turned(x, y)
        origin = (int(u.min()), int(v.min()))
        width, height = int(u.max()) - origin[0] + 1, int(v.max()) - origin[1] + 1
        check_size(owner.file, width, height * max(1, len(floors)), "turned by 45 degrees")
        return Placing(geometry, box, width, height, origin, floors)

    def has(self, x: Ints, y: Ints) -> BoolArray:
        """Tell which cells of the map are cells of the level."""
        box = self.box
        inside: BoolArray = (x >= box.left) & (x < box.left + box.width)
        return inside & (y >= box.top) & (y < box.top + box.height)

    def cells(self, x: Ints, y: Ints, floor: int) -> tuple[Ints, Ints]:
        """Return the level's cells for cells of the map, on a floor by its place in ``floors``."""
        if self.geometry.orientation == "staggered":
            x, y = self.geometry.turned(x, y)
        return x - self.origin[0], y - self.origin[1] + floor * self.height

    def lay_out(self, values: Values, whole: Box, outside: float) -> Values:
        """Lay what the cells of a map have out in the level.

        Args:
            values: (floors x height, width) of the map's cells.
            whole: the cells of the map.
            outside: of cells that are in the level only because it is a rectangle.

        Returns:
            The same for the level, (floors x height, width).
        """
        count = max(1, len(self.floors))
        found = np.full((count * self.height, self.width), outside, dtype=values.dtype)
        box = self.box
        for floor in range(count):
            first = floor * whole.height + box.top - whole.top
            for top, bottom in strips(box.width, box.height):
                rows = slice(first + top, first + bottom)
                columns = slice(box.left - whole.left, box.left - whole.left + box.width)
                if self.geometry.orientation == "staggered":
                    y, x = np.mgrid[
                        box.top + top : box.top + bottom, box.left : box.left + box.width
                    ]
                    u, v = self.cells(x, y, floor)
                    found[v, u] = values[rows, columns]
                else:
                    here = slice(floor * self.height + top, floor * self.height + bottom)
                    found[here] = values[rows, columns]
        return found


def crop(canvas: Canvas) -> Box:
    """Return the box of an infinite map that holds all its tiles."""
    filled = canvas.filled()
    ys, xs = np.flatnonzero(filled.any(axis=1)), np.flatnonzero(filled.any(axis=0))
    if not len(ys):
        return canvas.whole
    left, top = canvas.whole.left + int(xs[0]), canvas.whole.top + int(ys[0])
    return Box(left, top, int(xs[-1] - xs[0]) + 1, int(ys[-1] - ys[0]) + 1)
