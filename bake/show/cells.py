"""Compute the positions of square and hexagonal cells in pixels.

Hexagons have pointy tops in the row layouts and flat tops in the column layouts.
Source: A. Patel, "Hexagonal Grids", for the layouts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw

from bake.core.arrays import Float64Array, Int32Array, UInt8Array
from bake.show.colours import PAPER
from levelbake.steps import in_rows, shoved_parity

_HALF_SQRT_3 = math.sqrt(3) / 2

#: Corners as (along, across) a line, as fractions of the scale and of the step between lines.
_SQUARE = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])
_HEXAGON = np.array(
    [(0, -2 / 3), (0.5, -1 / 3), (0.5, 1 / 3), (0, 2 / 3), (-0.5, 1 / 3), (-0.5, -1 / 3)]
)

#: The number of hexagons that are passed to Pillow at a time.
_HEXAGONS = 2**16


@dataclass(frozen=True)
class DrawnCells:
    """Cells in rows and columns, numbered in reading order.

    Cells lie in *lines*: columns of the column layouts, rows of everything else. Lines are a whole
    number of pixels apart; to make this so, hexagons are stretched by less than half a pixel.
    """

    #: columns, rows: the size of the grid
    columns: int
    rows: int
    #: pixels from one cell to the next: the side of a square, or the distance between the two flat
    #: sides of a hexagon along a line
    scale: int
    #: odd-r, even-r, odd-q or even-q, the lines that are shifted by half a cell; None for squares
    layout: str | None = None

    @property
    def in_rows(self) -> bool:
        """Whether lines are rows."""
        return self.layout is None or in_rows(self.layout)

    @property
    def line_step(self) -> int:
        """The pixels from one line to the next."""
        return self.scale if self.layout is None else max(1, round(self.scale * _HALF_SQRT_3))

    @property
    def size(self) -> tuple[int, int]:
        """The width and height of all cells together in pixels."""
        if self.layout is None:
            return self.columns * self.scale, self.rows * self.scale
        lines, count = (self.rows, self.columns) if self.in_rows else (self.columns, self.rows)
        along = count * self.scale + (self.scale + 1) // 2
        across = (lines - 1) * self.line_step + math.ceil(self.line_step * 4 / 3)
        return (along, across) if self.in_rows else (across, along)

    def _shoved(self, line: npt.NDArray[np.integer]) -> npt.NDArray[np.bool_]:
        """Return a mask of the lines that are shifted by half a cell."""
        if self.layout is None:
            return np.zeros(line.shape, dtype=np.bool_)
        shoved: npt.NDArray[np.bool_] = line % 2 == shoved_parity(self.layout)
        return shoved

    def centre(self, cell: Int32Array) -> Float64Array:
        """Return (k, 2) float64, the center (x, y) in pixels of each of (k) cells."""
        y, x = np.divmod(cell, np.int32(self.columns))
        line, number = (y, x) if self.in_rows else (x, y)
        along = (number + 0.5 + 0.5 * self._shoved(line)) * self.scale
        across = (line + (0.5 if self.layout is None else 2 / 3)) * self.line_step
        return np.stack([along, across] if self.in_rows else [across, along], axis=1)

    def corners(self, cell: Int32Array) -> Float64Array:
        """Return (k, p, 2) float64, the p corners (x, y) in pixels of each of (k) cells."""
        shape = _SQUARE if self.layout is None else _HEXAGON
        around = shape * (self.scale, self.line_step)
        return self.centre(cell)[:, None] + (around if self.in_rows else around[:, ::-1])

    def neighbours(self) -> list[tuple[Int32Array, Int32Array]]:
        """Return pairs of arrays of cells that share a side, with each pair of cells once."""
        number = np.arange(self.columns * self.rows, dtype=np.int32)
        grid = number.reshape(self.rows, self.columns)
        grid = grid if self.in_rows else grid.T
        pairs = [(grid[:, :-1], grid[:, 1:])]
        if self.layout is None:
            pairs.append((grid[:-1], grid[1:]))
        else:
            for first in (0, 1):
                upper, lower = grid[first:-1:2], grid[first + 1 :: 2]
                left, right = (upper, lower) if self._shoved(np.array([first])) else (lower, upper)
                pairs += [(upper, lower), (left[:, :-1], right[:, 1:])]
        return [(cells.ravel(), neighbors.ravel()) for cells, neighbors in pairs]

    def picture(self, values: UInt8Array, fine: int) -> Image.Image:
        """Return an image in which each cell is filled with its value, ``fine`` times enlarged.

        Args:
            values: (c, 3) uint8 colors, on a background of paper; or (c) uint8, on 0.
            fine: samples of a pixel along each axis.
        """
        width, height = self.size[0] * fine, self.size[1] * fine
        if self.layout is None:
            shaped = values.reshape(self.rows, self.columns, *values.shape[1:])
            return Image.fromarray(shaped).resize((width, height), Image.Resampling.NEAREST)
        grey = values.ndim == 1
        image = Image.new("L" if grey else "RGB", (width, height), 0 if grey else PAPER)
        pen = ImageDraw.Draw(image)
        for shape, fill in self._outlines(values, fine):
            pen.polygon(shape, fill=fill)
        return image

    def borders(self, value: int, fine: int) -> Image.Image:
        """Return an image that is ``value`` on lines around all cells and 0 elsewhere."""
        image = Image.new("L", (self.size[0] * fine, self.size[1] * fine), 0)
        pen = ImageDraw.Draw(image)
        values = np.full(self.columns * self.rows, value, dtype=np.uint8)
        for shape, fill in self._outlines(values, fine):
            pen.line([*shape, *shape[:2]], fill=fill, width=fine)
        return image

    def _outlines(self, values: UInt8Array, fine: int) -> Any:
        """Yield the corners of each cell in samples, x and y alternating, and its value."""
        for low in range(0, len(values), _HEXAGONS):
            part = np.arange(low, min(len(values), low + _HEXAGONS), dtype=np.int32)
            corners = np.floor(self.corners(part) * fine).astype(np.int64).reshape(len(part), -1)
            for shape, value in zip(corners.tolist(), values[part].tolist(), strict=True):
                yield shape, tuple(value) if isinstance(value, list) else value
