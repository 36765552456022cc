"""The lattice of a map: the positions of its cells in object pixels and in the level.

Tiled draws staggered maps as hexagonal maps with sides of length 0. Staggered isometric cells are
squares of a lattice that is turned by 45 degrees. Turning it back results in ordinary square cells
with the same neighbors ("Cell coordinates", docs/levels-tiled.md). The high four bits of a
global tile id are flags for flips and rotations ("Global Tile IDs", Tiled documentation).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from bake.core.arrays import Float64Array, Int64Array
from bake.levels.tiled.fields import Fields
from levelbake.places import Coordinates
from levelbake.steps import EAST, NORTH, SOUTH, WEST, HexLayout

Ints = Int64Array
Floats = Float64Array

Orientation = Literal["orthogonal", "isometric", "staggered", "hexagonal"]
_ORIENTATIONS: tuple[Orientation, ...] = get_args(Orientation)
_MAX_TILE = 2**20

MAX_GID = 2**32 - 1
TILE_BITS = 0x0FFF_FFFF

FLIP_ACROSS = 0x8000_0000  # swaps left and right
FLIP_DOWN = 0x4000_0000  # swaps top and bottom
TRANSPOSE = 0x2000_0000  # swaps x and y; on hexagonal maps a turn of 60 degrees
TURN_120 = 0x1000_0000  # a turn of 120 degrees, on hexagonal maps alone

_HEADINGS = {NORTH: (0, -1), EAST: (1, 0), SOUTH: (0, 1), WEST: (-1, 0)}
_BITS = {step: bit for bit, step in _HEADINGS.items()}


@dataclass(frozen=True)
class Geometry:
    """The lattice of a map, with its orientation and tile size."""

    orientation: Orientation
    #: tile_width, tile_height: in pixels; even numbers if cells are shifted, as Tiled draws them
    tile_width: int
    tile_height: int
    side: int = 0  #: side of a hexagon along the stagger axis, in pixels; 0 if staggered
    axis: str = "y"  #: "x" if columns are shifted by half a tile, "y" if rows are
    odd: bool = True  #: whether the odd rows or columns are shifted

    @staticmethod
    def read(fields: Fields) -> Geometry:
        """Return the lattice of a map, read from its attributes."""
        orientation = fields.text("orientation")
        if orientation not in _ORIENTATIONS:
            fields.refuse(
                f"orientation is {orientation[:40]!r}", f"one of {', '.join(_ORIENTATIONS)}"
            )
        width, height = fields.integer("tilewidth", low=1), fields.integer("tileheight", low=1)
        if max(width, height) > _MAX_TILE:
            fields.refuse(f"the tiles are {width:,} x {height:,}", f"at most {_MAX_TILE:,}")
        if orientation not in ("staggered", "hexagonal"):
            return Geometry(orientation, width, height)
        axis, index = fields.text("staggeraxis", "y"), fields.text("staggerindex", "odd")
        if axis not in ("x", "y"):
            fields.refuse(f"staggeraxis is {axis[:40]!r}", '"x" or "y"')
        if index not in ("odd", "even"):
            fields.refuse(f"staggerindex is {index[:40]!r}", '"odd" or "even"')
        side = fields.integer("hexsidelength", 0) if orientation == "hexagonal" else 0
        along = width if axis == "x" else height
        if side > along:
            fields.refuse(f"hexsidelength is {side}", f"at most the tile's {along}")
        width, height = max(2, width & ~1), max(2, height & ~1)
        return Geometry(orientation, width, height, side, axis, index == "odd")

    @property
    def staggered(self) -> bool:
        return self.orientation in ("staggered", "hexagonal")

    @property
    def pitch(self) -> tuple[float, float]:
        """The distance in pixels between neighboring columns and between neighboring rows."""
        if self.orientation == "isometric":
            return float(self.tile_height), float(self.tile_height)
        if not self.staggered:
            return float(self.tile_width), float(self.tile_height)
        if self.axis == "x":
            return float(self._line_distance(self.tile_width)), float(self.tile_height)
        return float(self.tile_width), float(self._line_distance(self.tile_height))

    def _line_distance(self, along: int) -> int:
        """Return the distance between lines of shifted cells, rounded to pixels as Tiled does."""
        return max(1, max(0, along - self.side) // 2 + self.side)

    def _shift(self, x: Ints, y: Ints) -> Ints:
        """Return 1 for cells that are shifted by half a tile, else 0."""
        line = x if self.axis == "x" else y
        shift_shape: Ints = (line + (0 if self.odd else 1)) % 2
        return shift_shape

    def cell_centers(self, x: Ints, y: Ints) -> tuple[Floats, Floats]:
        """Return the centers of cells in object pixels."""
        across, down = self.pitch
        px: Floats = np.asarray(x, dtype=np.float64)
        py: Floats = np.asarray(y, dtype=np.float64)
        if not self.staggered:
            return (px + 0.5) * across, (py + 0.5) * down
        shift = self._shift(x, y)
        px, py = px * across + self.tile_width / 2, py * down + self.tile_height / 2
        if self.axis == "x":
            return px, py + shift * (self.tile_height / 2)
        return px + shift * (self.tile_width / 2), py

    @property
    def neighbor_steps(self) -> tuple[tuple[int, int], ...]:
        """The lattice steps to half of the straight neighbors: those that follow a cell."""
        east, south, south_west = (1, 0), (0, 1), (-1, 1)
        if self.orientation == "hexagonal":
            return east, south, south_west
        return (south, south_west) if self.staggered else (east, south)

    def on_lattice(self, px: Floats, py: Floats) -> tuple[Floats, Floats]:
        """Convert points in object pixels to lattice coordinates, integer at cell centers.

        On staggered and hexagonal maps, v counts lines along the stagger axis and u counts cells
        in a line, skewed by half a cell per line. Cell (0, 0) has coordinates (0, 0).
        """
        across, down = self.pitch
        if not self.staggered:
            return px / across - 0.5, py / down - 0.5
        line, along, width = py, px, float(self.tile_width)
        step, first = down, self.tile_height / 2
        if self.axis == "x":
            line, along, width = px, py, float(self.tile_height)
            step, first = across, self.tile_width / 2
        v = (line - first) / step
        return along / width - (0.5 if self.odd else 1.0) - v / 2, v

    def shift(self, v: Ints) -> Ints:
        """Return the difference between the number of a cell in line v and its lattice u."""
        return (v + (0 if self.odd else 1)) // 2 if self.staggered else v * 0

    def cells_of(self, u: Ints, v: Ints) -> tuple[Ints, Ints]:
        """Return the cells (x, y) of the map at lattice coordinates."""
        cell = u + self.shift(v)
        return (v, cell) if self.staggered and self.axis == "x" else (cell, v)

    def points_of(self, x: Ints, y: Ints) -> tuple[Ints, Ints]:
        """Return the lattice coordinates (u, v) of cells."""
        v, cell = (x, y) if self.staggered and self.axis == "x" else (y, x)
        return cell - self.shift(v), v

    def cell_at(self, px: float, py: float) -> tuple[int, int]:
        """Return the cell of the map that contains a point, as the reader computes it."""
        across, down = self.pitch
        if not self.staggered:
            return int(px // across), int(py // down)
        coordinates, floor = self.coordinates(0, 0, 0), np.zeros(1, dtype=np.int64)
        cell = coordinates.cells(np.array([[px, py]]), floor, self.hex_layout(0, 0))[0].tolist()
        x, y = int(cell[0]), int(cell[1])
        return (x, y) if self.orientation == "hexagonal" else self._turn_back(x, y)

    def hex_layout(self, left: int, top: int) -> HexLayout | None:
        """Return the hex layout of a level that begins at cell (left, top), or None for squares."""
        if self.orientation != "hexagonal":
            return None
        odd = self.odd ^ bool((left if self.axis == "x" else top) % 2)
        if self.axis == "x":
            return "odd-q" if odd else "even-q"
        return "odd-r" if odd else "even-r"

    def coordinates(self, left: int, top: int, rows: int) -> Coordinates:
        """Return the coordinates of the cells of the level, in pixels of the map.

        Sources are Tiled's renderers (tileToScreenCoords of Orthogonal-, Isometric- and
        HexagonalRenderer). On isometric maps these are other pixels than those of objects.

        Args:
            left, top: the cell of the map, turned if staggered, that is (0, 0) in the level.
            rows: the height of the map in cells, which determines the origin of isometric maps.
        """
        if self.orientation not in ("isometric", "staggered"):
            x, y = self.cell_centers(np.array(left), np.array(top))
            across, down = self.pitch
            side = float(self.side)
            return Coordinates(((float(x), float(y)),), (across, 0.0), (0.0, down), side)
        half_width, half_height = self.tile_width / 2, self.tile_height / 2
        middle = (float(self.tile_width * rows // 2), half_height)
        if self.orientation == "staggered":
            origin = np.zeros((), dtype=np.int64)
            u, v = self.turn_cells(origin, origin)
            left, top = left - int(u), top - int(v)
            x, y = self.cell_centers(origin, origin)
            middle = (float(x), float(y))
        east, south = (half_width, half_height), (-half_width, half_height)
        center = (
            middle[0] + left * east[0] + top * south[0],
            middle[1] + left * east[1] + top * south[1],
        )
        return Coordinates((center,), east, south)

    def turn_cells(self, x: Ints, y: Ints) -> tuple[Ints, Ints]:
        """Convert cells of a staggered map to the square lattice that its diamonds form.

        x runs to the south-east of the screen and y to the south-west, as on isometric maps.
        """
        line, across = (x, y) if self.axis == "x" else (y, x)
        up, down = (line + 1) // 2, line // 2
        if not self.odd:
            up, down = down, up
        if self.axis == "x":
            return across + up, across - down
        return across + up, down - across

    def _turn_back(self, u: int, v: int) -> tuple[int, int]:
        """Return the cell of the map at (u, v) of the turned lattice."""
        line = u - v if self.axis == "x" else u + v
        across = u - (line + 1) // 2 if self.odd else u - line // 2
        return (line, across) if self.axis == "x" else (across, line)

    def on_screen(self, px: Floats, py: Floats) -> tuple[Floats, Floats]:
        """Convert points or vectors from object pixels to screen pixels."""
        if self.orientation != "isometric":
            return px, py
        x, y = px / self.tile_height, py / self.tile_height
        return (x - y) * (self.tile_width / 2), (x + y) * (self.tile_height / 2)

    def off_screen(self, sx: Floats, sy: Floats) -> tuple[Floats, Floats]:
        """Convert points or vectors from screen pixels to object pixels."""
        if self.orientation != "isometric":
            return sx, sy
        x, y = sx / self.tile_width, sy / self.tile_height
        return (y + x) * self.tile_height, (y - x) * self.tile_height


def turn_headings(bits: int, gid: int, orientation: Orientation) -> int | None:
    """Return the headings of a tile after its flips and rotations.

    On isometric maps, flips apply to the picture. Its left and right are south-west and north-east
    on the map, so a horizontal flip swaps x and y.

    Args:
        bits: the headings of the tile in the tileset.
        gid: the global tile id with its flags.
        orientation: the orientation of the map.

    Returns:
        The headings, or None if the rotation does not map headings to headings.
    """
    flags = gid & ~TILE_BITS
    if bits == 0 or flags == 0:
        return bits
    hexagonal = orientation == "hexagonal"
    isometric = orientation in ("isometric", "staggered")
    sixths = 0
    if hexagonal:
        sixths = (1 if flags & TRANSPOSE else 0) + (2 if flags & TURN_120 else 0)
        if sixths % 3:
            return None
    elif flags & TRANSPOSE and isometric:
        return None
    turned = 0
    for bit, step in _HEADINGS.items():
        if not bits & bit:
            continue
        dx, dy = step
        if hexagonal:
            if sixths == 3:
                dx, dy = -dx, -dy
        elif flags & TRANSPOSE:
            dx, dy = dy, dx
        if flags & FLIP_ACROSS:
            dx, dy = (dy, dx) if isometric else (-dx, dy)
        if flags & FLIP_DOWN:
            dx, dy = (-dy, -dx) if isometric else (dx, -dy)
        turned |= _BITS[dx, dy]
    return turned
