"""Describe a map's lattice: where its cells lie in the pixels of objects, and in the level.

Tiled draws staggered maps as hexagonal ones whose sides have length 0. Staggered isometric cells
are squares of a lattice turned by 45 degrees: turning the map back gives ordinary square cells,
in which neighbours are neighbours ("Cell coordinates", docs/levels-tiled.md). The high four bits
of a tile's global id say how it is flipped and rotated ("Global Tile IDs", Tiled documentation).
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
    """The lattice of a map."""

    orientation: Orientation
    #: tile_width, tile_height: pixels; even numbers where cells are shifted, as Tiled draws those
    tile_width: int
    tile_height: int
    side: int = 0  #: length of a hexagon's side along the stagger axis, in pixels; 0 if staggered
    axis: str = "y"  #: "x" or "y"; which rows (y) or columns (x) are shifted by half a tile
    odd: bool = True  #: whether the odd rows or columns are shifted

    @staticmethod
    def of(fields: Fields) -> Geometry:
        """Read the attributes of a map."""
        orientation = fields.text("orientation")
        if orientation not in _ORIENTATIONS:
            fields.refuse(
                f"orientation is {orientation[:40]!r}", f"one of {', '.join(_ORIENTATIONS)}"
            )
        width, height = fields.whole("tilewidth", low=1), fields.whole("tileheight", low=1)
        if max(width, height) > _MAX_TILE:
            fields.refuse(f"the tiles are {width:,} x {height:,}", f"at most {_MAX_TILE:,}")
        if orientation not in ("staggered", "hexagonal"):
            return Geometry(orientation, width, height)
        axis, index = fields.text("staggeraxis", "y"), fields.text("staggerindex", "odd")
        if axis not in ("x", "y"):
            fields.refuse(f"staggeraxis is {axis[:40]!r}", '"x" or "y"')
        if index not in ("odd", "even"):
            fields.refuse(f"staggerindex is {index[:40]!r}", '"odd" or "even"')
        side = fields.whole("hexsidelength", 0) if orientation == "hexagonal" else 0
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
        """Return the pixels from one column, and from one row, to the next."""
        if self.orientation == "isometric":
            return float(self.tile_height), float(self.tile_height)
        if not self.staggered:
            return float(self.tile_width), float(self.tile_height)
        if self.axis == "x":
            return float(self._apart(self.tile_width)), float(self.tile_height)
        return float(self.tile_width), float(self._apart(self.tile_height))

    def _apart(self, along: int) -> int:
        """Return how far apart lines of shifted cells are, which Tiled rounds to whole pixels."""
        return max(1, max(0, along - self.side) // 2 + self.side)

    def _shift(self, x: Ints, y: Ints) -> Ints:
        """Return 1 where the cell is shifted by half a tile, else 0."""
        line = x if self.axis == "x" else y
        shifted: Ints = (line + (0 if self.odd else 1)) % 2
        return shifted

    def centres(self, x: Ints, y: Ints) -> tuple[Floats, Floats]:
        """Return the middles of cells, in the pixels of objects."""
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
    def neighbours(self) -> tuple[tuple[int, int], ...]:
        """Return the half of a cell's straight neighbours that follow it, in lattice steps."""
        east, south, south_west = (1, 0), (0, 1), (-1, 1)
        if self.orientation == "hexagonal":
            return east, south, south_west
        return (south, south_west) if self.staggered else (east, south)

    def on_lattice(self, px: Floats, py: Floats) -> tuple[Floats, Floats]:
        """Return points in steps of the lattice whose whole numbers are the middles of cells.

        Of staggered maps and hexagons v counts the lines along the stagger axis, and u the cells
        in a line, from the one that half steps lead to from the first line; (0, 0) is cell (0, 0).
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
        """Return how far the lattice's u falls behind the number of a cell in line v."""
        return (v + (0 if self.odd else 1)) // 2 if self.staggered else v * 0

    def cells_of(self, u: Ints, v: Ints) -> tuple[Ints, Ints]:
        """Return the cells (x, y) of the map at points of the lattice."""
        at = u + self.shift(v)
        return (v, at) if self.staggered and self.axis == "x" else (at, v)

    def points_of(self, x: Ints, y: Ints) -> tuple[Ints, Ints]:
        """Return the points (u, v) of the lattice that are the middles of cells."""
        v, at = (x, y) if self.staggered and self.axis == "x" else (y, x)
        return at - self.shift(v), v

    def cell_at(self, px: float, py: float) -> tuple[int, int]:
        """Return the map's cell at a point, as games will ask for it."""
        across, down = self.pitch
        if not self.staggered:
            return int(px // across), int(py // down)
        where, floor = self.coordinates(0, 0, 0), np.zeros(1, dtype=np.int64)
        found = where.cells(np.array([[px, py]]), floor, self.hex_layout(0, 0))[0].tolist()
        x, y = int(found[0]), int(found[1])
        return (x, y) if self.orientation == "hexagonal" else self._turned_back(x, y)

    def hex_layout(self, left: int, top: int) -> HexLayout | None:
        """Return the hexagonal layout once cell (left, top) is (0, 0); None = cells are square."""
        if self.orientation != "hexagonal":
            return None
        odd = self.odd ^ bool((left if self.axis == "x" else top) % 2)
        if self.axis == "x":
            return "odd-q" if odd else "even-q"
        return "odd-r" if odd else "even-r"

    def coordinates(self, left: int, top: int, rows: int) -> Coordinates:
        """Return where the level's cells are drawn, in pixels of the map.

        Sources are Tiled's renderers (tileToScreenCoords of Orthogonal-, Isometric- and
        HexagonalRenderer). On isometric maps these are other pixels than those of objects.

        Args:
            left, top: the map's cell, turned if the map is staggered, that is the level's (0, 0).
            rows: of the map, which say where an isometric one begins.
        """
        if self.orientation not in ("isometric", "staggered"):
            x, y = self.centres(np.array(left), np.array(top))
            across, down = self.pitch
            side = float(self.side)
            return Coordinates(((float(x), float(y)),), (across, 0.0), (0.0, down), side)
        half_width, half_height = self.tile_width / 2, self.tile_height / 2
        middle = (float(self.tile_width * rows // 2), half_height)
        if self.orientation == "staggered":
            origin = np.zeros((), dtype=np.int64)
            u, v = self.turned(origin, origin)
            left, top = left - int(u), top - int(v)
            x, y = self.centres(origin, origin)
            middle = (float(x), float(y))
        east, south = (half_width, half_height), (-half_width, half_height)
        centre = (
            middle[0] + left * east[0] + top * south[0],
            middle[1] + left * east[1] + top * south[1],
        )
        return Coordinates((centre,), east, south)

    def turned(self, x: Ints, y: Ints) -> tuple[Ints, Ints]:
        """Turn cells of a staggered map onto the square lattice its diamonds form.

        x runs to the south-east of the screen and y to the south-west, as on isometric maps.
        """
        line, across = (x, y) if self.axis == "x" else (y, x)
        up, down = (line + 1) // 2, line // 2
        if not self.odd:
            up, down = down, up
        if self.axis == "x":
            return across + up, across - down
        return across + up, down - across

    def _turned_back(self, u: int, v: int) -> tuple[int, int]:
        """Return the cell of the map that :meth:`turned` turns onto (u, v)."""
        line = u - v if self.axis == "x" else u + v
        across = u - (line + 1) // 2 if self.odd else u - line // 2
        return (line, across) if self.axis == "x" else (across, line)

    def on_screen(self, px: Floats, py: Floats) -> tuple[Floats, Floats]:
        """Project points, or steps, from the pixels of objects to those of the screen."""
        if self.orientation != "isometric":
            return px, py
        x, y = px / self.tile_height, py / self.tile_height
        return (x - y) * (self.tile_width / 2), (x + y) * (self.tile_height / 2)

    def off_screen(self, sx: Floats, sy: Floats) -> tuple[Floats, Floats]:
        """Project points, or steps, from the pixels of the screen to those of objects."""
        if self.orientation != "isometric":
            return sx, sy
        x, y = sx / self.tile_width, sy / self.tile_height
        return (y + x) * self.tile_height, (y - x) * self.tile_height


def turned_headings(bits: int, gid: int, orientation: Orientation) -> int | None:
    """Return the headings of a tile as they lie once it is flipped and rotated.

    On isometric maps the picture is what is flipped: its left and right are the map's
    south-west and north-east, so a flip across swaps x and y.

    Args:
        bits: headings of the tile as it was drawn.
        gid: with its flags.
        orientation: of the map.

    Returns:
        The headings; None where the turn gives other directions than the four headings.
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
    found = 0
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
        found |= _BITS[dx, dy]
    return found
