"""From the cells of a map to those of the level: cropped where it is infinite, turned where it is
staggered, floors below one another."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bake.arrays import BoolArray, UInt8Array
from bake.levels.limits import check_size
from bake.levels.tiled.canvas import Canvas
from bake.levels.tiled.fields import Fields
from bake.levels.tiled.geometry import Geometry, Ints
from bake.levels.tiled.layers import Box
from bake.levels.unknown import UNKNOWN, strips


@dataclass(frozen=True)
class Placing:
    """Where cells of the map lie in the level.

    Attributes:
        box: cells of the map that the level has, on every floor.
        width, height: of one floor of the level.
        origin: what is taken from a cell, turned or not, to count from 0.
        floors: numbers, lowest first; empty = one floor without a number.
    """

    geometry: Geometry
    box: Box
    width: int
    height: int
    origin: tuple[int, int]
    floors: tuple[int, ...]

    @staticmethod
    def of(owner: Fields, geometry: Geometry, box: Box, floors: tuple[int, ...]) -> Placing:
        """Settle it for the cells that count.

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
        """Whether cells of the map are cells of the level."""
        box = self.box
        inside: BoolArray = (x >= box.left) & (x < box.left + box.width)
        return inside & (y >= box.top) & (y < box.top + box.height)

    def cells(self, x: Ints, y: Ints, floor: int) -> tuple[Ints, Ints]:
        """Cells of the level, for cells of the map on the floor of this place in ``floors``."""
        if self.geometry.orientation == "staggered":
            x, y = self.geometry.turned(x, y)
        return x - self.origin[0], y - self.origin[1] + floor * self.height

    def lay_out(self, canvas: Canvas, empty: int, outside: int) -> tuple[UInt8Array, UInt8Array]:
        """Terrain and barred headings of the level.

        Args:
            canvas: the map.
            empty: code of cells without a tile.
            outside: code of cells that are in the level only because it is a rectangle.
        """
        count = max(1, len(self.floors))
        terrain = np.full((count * self.height, self.width), outside, dtype=np.uint8)
        barred = np.zeros_like(terrain)
        box, whole = self.box, canvas.whole
        for floor in range(count):
            first = floor * whole.height + box.top - whole.top
            for top, bottom in strips(box.width, box.height):
                rows = slice(first + top, first + bottom)
                columns = slice(box.left - whole.left, box.left - whole.left + box.width)
                code = canvas.terrain[rows, columns].copy()
                code[code == UNKNOWN] = empty
                if self.geometry.orientation == "staggered":
                    y, x = np.mgrid[
                        box.top + top : box.top + bottom, box.left : box.left + box.width
                    ]
                    u, v = self.cells(x, y, floor)
                    terrain[v, u] = code
                    barred[v, u] = canvas.barred[rows, columns]
                else:
                    here = slice(floor * self.height + top, floor * self.height + bottom)
                    terrain[here] = code
                    barred[here] = canvas.barred[rows, columns]
        return terrain, barred


def crop(canvas: Canvas) -> Box:
    """The cells of an infinite map from its first to its last tile, each way."""
    filled = canvas.filled()
    ys, xs = np.flatnonzero(filled.any(axis=1)), np.flatnonzero(filled.any(axis=0))
    if not len(ys):
        return canvas.whole
    left, top = canvas.whole.left + int(xs[0]), canvas.whole.top + int(ys[0])
    return Box(left, top, int(xs[-1] - xs[0]) + 1, int(ys[-1] - ys[0]) + 1)
