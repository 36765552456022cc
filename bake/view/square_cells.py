"""Square cells in pixels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bake.arrays import Float32Array, Float64Array, Int32Array, Int64Array


@dataclass(frozen=True)
class SquareCells:
    """Which pixel shows which cell; cells are numbered in reading order.

    Attributes:
        columns, rows: cells.
        scale: pixels along the side of a cell.
    """

    columns: int
    rows: int
    scale: int

    #: Samples a pixel along each axis; edges of squares lie on edges of pixels.
    samples = 1

    @property
    def pixel_width(self) -> int:
        return self.columns * self.scale

    @property
    def pixel_height(self) -> int:
        return self.rows * self.scale

    def band(self, top: int, bottom: int) -> Int32Array:
        """(bottom - top, pixel_width) int32, the cell in each pixel of some rows of pixels."""
        row = np.arange(top, bottom, dtype=np.int32) // self.scale
        column = np.arange(self.pixel_width, dtype=np.int32) // self.scale
        return (row * np.int32(self.columns))[:, None] + column

    def centre(self, cell: Int32Array) -> Float64Array:
        """(k, 2) float64, (x, y) in pixels of the middle of (k) cells."""
        y, x = np.divmod(cell, np.int32(self.columns))
        return (np.stack([x, y], axis=1) + 0.5) * self.scale

    def blend(self, top: int, bottom: int) -> tuple[Int32Array, Float32Array]:
        """The cells around each pixel, and how near it is to each: bilinear weights.

        Returns:
            (4, bottom - top, pixel_width) int32 cells, columns * rows where there is none, and
            float32 weights that add up to 1.
        """
        x, share_x = self._between(np.arange(self.pixel_width))
        y, share_y = self._between(np.arange(top, bottom))
        shape = (4, bottom - top, self.pixel_width)
        cell = np.full(shape, self.columns * self.rows, dtype=np.int32)
        weight = np.empty(shape, dtype=np.float32)
        for corner in range(4):
            right, below = corner & 1, corner >> 1
            cx, cy = x + right, y + below
            inside = ((cy >= 0) & (cy < self.rows))[:, None] & ((cx >= 0) & (cx < self.columns))
            at = (cy * self.columns)[:, None] + cx
            cell[corner][inside] = at[inside]
            weight[corner] = (share_y if below else 1 - share_y)[:, None] * (
                share_x if right else 1 - share_x
            )
        return cell, weight

    def _between(self, pixel: Int64Array) -> tuple[Int64Array, Float64Array]:
        at = (pixel + 0.5) / self.scale - 0.5
        low = np.floor(at)
        return low.astype(np.int64), at - low
