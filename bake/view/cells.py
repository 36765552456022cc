"""This module says where the cells of a grid lie in pixels, for squares and hexagons.

Hexagons have pointy tops in the row layouts and flat tops in the column layouts.
Source: A. Patel, "Hexagonal Grids", for the layouts and for axial coordinates.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from bake.arrays import Float32Array, Float64Array, Int32Array, Int64Array
from bake.hexagons import in_rows, shoved_parity

_HALF_SQRT_3 = math.sqrt(3) / 2


@dataclass(frozen=True)
class _Grid:
    """Cells in rows and columns, numbered in reading order.

    Attributes:
        columns, rows: how many columns and rows there are.
        scale: pixels from one cell to the next: the side of a square, or the distance between two
            flat sides of a hexagon, which is measured along a line.
    """

    columns: int
    rows: int
    scale: int

    def _numbered(self, x: npt.NDArray[Any], y: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Number the cells at some columns and rows; columns * rows where there is no cell."""
        cell = y * np.int32(self.columns) + x
        outside = (x < 0) | (x >= self.columns) | (y < 0) | (y >= self.rows)
        cell[outside] = self.columns * self.rows
        numbered: npt.NDArray[Any] = cell
        return numbered


@dataclass(frozen=True)
class SquareCells(_Grid):
    """Square cells, and which pixels show them."""

    #: Samples of a pixel along each axis; one is enough, as squares end at edges of pixels.
    samples = 1

    @property
    def pixel_width(self) -> int:
        return self.columns * self.scale

    @property
    def pixel_height(self) -> int:
        return self.rows * self.scale

    def band(self, top: int, bottom: int) -> Int32Array:
        """Return (bottom - top, pixel_width) int32, the cell in each pixel of some pixel rows."""
        row = np.arange(top, bottom, dtype=np.int32) // self.scale
        column = np.arange(self.pixel_width, dtype=np.int32) // self.scale
        return (row * np.int32(self.columns))[:, None] + column

    def centre(self, cell: Int32Array) -> Float64Array:
        """Return (k, 2) float64, (x, y) in pixels of the middle of each of (k) cells."""
        y, x = np.divmod(cell, np.int32(self.columns))
        return (np.stack([x, y], axis=1) + 0.5) * self.scale

    def blend(self, top: int, bottom: int) -> tuple[Int32Array, Float32Array]:
        """Return the cells around each pixel, and their bilinear weights.

        Returns:
            (4, bottom - top, pixel_width) int32 cells, columns * rows where there is no cell, and
            float32 weights that add up to 1.
        """
        x, share_x = self._between(np.arange(self.pixel_width))
        y, share_y = self._between(np.arange(top, bottom))
        shape = (4, bottom - top, self.pixel_width)
        cell, weight = np.empty(shape, dtype=np.int32), np.empty(shape, dtype=np.float32)
        for corner in range(4):
            right, below = corner & 1, corner >> 1
            cell[corner] = self._numbered((x + right)[None], (y + below)[:, None])
            weight[corner] = (share_y if below else 1 - share_y)[:, None] * (
                share_x if right else 1 - share_x
            )
        return cell, weight

    def _between(self, pixel: Int64Array) -> tuple[Int64Array, Float64Array]:
        """Find the last cell whose middle lies before each pixel's, and how far before, 0 to 1."""
        at = (pixel + 0.5) / self.scale - 0.5
        low = np.floor(at)
        return low.astype(np.int64), at - low


@dataclass(frozen=True)
class HexCells(_Grid):
    """Hexagonal cells, and which pixels show them.

    Cells lie in *lines*: rows of the row layouts, columns of the column layouts. Lines are a whole
    number of pixels apart, so the picture repeats and is computed for two lines only. To make this
    so, hexagons are stretched by less than half a pixel.

    Attributes:
        layout: odd-r, even-r, odd-q or even-q, which says which lines are shifted by half a cell.
    """

    layout: str

    #: Samples of a pixel along each axis; several make slanted edges smooth.
    samples = 3

    @property
    def _in_rows(self) -> bool:
        return in_rows(self.layout)

    @property
    def _line_step(self) -> int:
        return max(1, round(self.scale * _HALF_SQRT_3))

    @property
    def _corner_to_corner(self) -> float:
        return self._line_step * 4 / 3

    @property
    def pixel_width(self) -> int:
        return self._along(self.columns) if self._in_rows else self._across(self.columns)

    @property
    def pixel_height(self) -> int:
        return self._across(self.rows) if self._in_rows else self._along(self.rows)

    def _along(self, cells: int) -> int:
        return cells * self.scale + (self.scale + 1) // 2

    def _across(self, lines: int) -> int:
        return (lines - 1) * self._line_step + math.ceil(self._corner_to_corner)

    def _shove(self, line: npt.NDArray[np.integer]) -> Float64Array:
        """Return the pixels by which each line is shifted."""
        return np.where(line % 2 == shoved_parity(self.layout), self.scale / 2, 0.0)

    def centre(self, cell: Int32Array) -> Float64Array:
        """Return (k, 2) float64, (x, y) in pixels of the middle of each of (k) cells."""
        y, x = np.divmod(cell, np.int32(self.columns))
        line, number = (y, x) if self._in_rows else (x, y)
        along = number * self.scale + self.scale / 2 + self._shove(line)
        across = line * self._line_step + self._corner_to_corner / 2
        return np.stack([along, across] if self._in_rows else [across, along], axis=1)

    @cached_property
    def _tile(self) -> tuple[Int32Array, Int32Array]:
        """Find the cell nearest to each sample of a piece two lines wide and one cell long.

        Returns:
            The cell's line, and its number in that line. Both are int32 of shape
            (2 * line_step * samples, scale * samples), and counted from the piece's first.
        """
        across = (np.arange(2 * self._line_step * self.samples) + 0.5) / self.samples
        along = (np.arange(self.scale * self.samples) + 0.5) / self.samples
        shape = (len(across), len(along))
        best = np.full(shape, np.inf)
        line_at = np.zeros(shape, dtype=np.int32)
        number_at = np.zeros(shape, dtype=np.int32)
        # A regular hexagon is what is nearest to its middle, so the stretch is undone here.
        stretch = self.scale * _HALF_SQRT_3 / self._line_step
        for line in range(-1, 3):
            start = self.scale / 2 + float(self._shove(np.array([line]))[0])
            number = np.rint((along - start) / self.scale)
            off = along - start - number * self.scale
            away = (across - self._corner_to_corner / 2 - line * self._line_step) * stretch
            square = off**2 + (away**2)[:, None]
            nearer = square < best
            best[nearer] = square[nearer]
            line_at[nearer] = line
            number_at[nearer] = np.broadcast_to(number, shape)[nearer].astype(np.int32)
        return line_at, number_at

    def band(self, top: int, bottom: int) -> Int32Array:
        """Find the cell in each sample of some pixel rows; columns * rows where there is none.

        Returns:
            ((bottom - top) * samples, pixel_width * samples) int32.
        """
        down = np.arange(top * self.samples, bottom * self.samples, dtype=np.int32)
        right = np.arange(self.pixel_width * self.samples, dtype=np.int32)
        line_period = np.int32(2 * self._line_step * self.samples)
        cell_period = np.int32(self.scale * self.samples)
        line_tile, number_tile = self._tile
        if self._in_rows:
            at = np.ix_(down % line_period, right % cell_period)
            y = line_tile[at] + (2 * (down // line_period))[:, None]
            x = number_tile[at] + right // cell_period
        else:
            at = np.ix_(down % cell_period, right % line_period)
            x = line_tile.T[at] + 2 * (right // line_period)
            y = number_tile.T[at] + (down // cell_period)[:, None]
        return self._numbered(x, y)

    def blend(self, top: int, bottom: int) -> tuple[Int32Array, Float32Array]:
        """Return the cells around each pixel, and their barycentric weights.

        Returns:
            (3, bottom - top, pixel_width) int32 cells, columns * rows where there is no cell, and
            float32 weights that add up to 1.
        """
        down = np.arange(top, bottom)[:, None] + 0.5
        right = np.arange(self.pixel_width)[None, :] + 0.5
        across, along = (down, right) if self._in_rows else (right, down)
        # In axial coordinates lines keep their numbers, and each starts half a cell further on.
        middle = float(self._shove(np.array([0]))[0]) + self.scale / 2
        r = (across - self._corner_to_corner / 2) / self._line_step
        q = (along - middle) / self.scale - r / 2
        r_low, q_low = np.floor(np.broadcast_to(r, q.shape)), np.floor(q)
        r_part, q_part = r - r_low, q - q_low
        upper = r_part + q_part > 1
        corners = (
            (np.where(upper, 1, 0), np.where(upper, 1, 0), np.abs(1 - r_part - q_part)),
            (np.ones_like(upper), np.zeros_like(upper), np.where(upper, 1 - r_part, q_part)),
            (np.zeros_like(upper), np.ones_like(upper), np.where(upper, 1 - q_part, r_part)),
        )
        cells, weights = [], []
        for dq, dr, weight in corners:
            line = (r_low + dr).astype(np.int32)
            number = (q_low + dq).astype(np.int32) + self._axial_start(line)
            x, y = (number, line) if self._in_rows else (line, number)
            cells.append(self._numbered(x, y))
            weights.append(weight.astype(np.float32))
        return np.stack(cells), np.stack(weights)

    def _axial_start(self, line: Int32Array) -> Int32Array:
        """Return the number in its line of the cell at axial coordinate q = 0."""
        return line // 2 if shoved_parity(self.layout) else (line + 1) // 2


Cells = SquareCells | HexCells
