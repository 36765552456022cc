"""The cell of a grid nearest to a point, by rings around the point's own cell."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from bake.core.arrays import BoolArray, Float64Array, Int32Array
from bake.core.kernels.jit import kernel


@kernel
def nearest_cell(cells: Int32Array, standing: BoolArray, x: float, y: float) -> int:
    """Return the row of the cell nearest to (x, y), the first in reading order, or -1.

    Rounding is monotonic, so beyond a ring that is farther away than the nearest cell so far there
    is no cell that a scan in the same arithmetic would prefer.

    Args:
        cells: (height, width) int32, the row of each cell, -1 where no agent can ever stand.
        standing: (r) bool, rows that count; empty = all rows.
        x, y: finite, in columns and lines.
    """
    height, width = cells.shape
    all_count = len(standing) == 0
    column = min(max(math.floor(x + 0.5), 0), width - 1)
    line = min(max(math.floor(y + 0.5), 0), height - 1)
    # Squares of the distances from the point to the column and the line of its cell.
    beside, above = (column - x) * (column - x), (line - y) * (line - y)
    away, nearest_row, number = np.inf, -1, 0
    for reach in range(max(column, width - 1 - column, line, height - 1 - line) + 1):
        left, right, top, bottom = column - reach, column + reach, line - reach, line + reach
        nearest = np.inf
        if left >= 0:
            nearest = min(nearest, (left - x) * (left - x) + above)
        if right < width:
            nearest = min(nearest, (right - x) * (right - x) + above)
        if top >= 0:
            nearest = min(nearest, beside + (top - y) * (top - y))
        if bottom < height:
            nearest = min(nearest, beside + (bottom - y) * (bottom - y))
        if nearest > away:
            break
        for down in range(max(top, 0), min(bottom, height - 1) + 1):
            first, last, step = max(left, 0), min(right, width - 1), 1
            if top < down < bottom:  # Of these lines only both ends are on the ring.
                step = 2 * reach
                first, last = left, right
            for across in range(first, last + 1, step):
                if across < 0 or across >= width:
                    continue
                row = cells[down, across]
                if row < 0 or not (all_count or standing[row]):
                    continue
                ax, ay = across - x, down - y
                new, at = ax * ax + ay * ay, down * width + across
                if new < away or (new == away and at < number):
                    away, nearest_row, number = new, row, at
    return nearest_row


class Hexagons(NamedTuple):
    """How hexagons lie in the plane."""

    across: float  #: from the middle of a column to that of the next one
    down: float  #: from the middle of a line to that of the next one
    row_shift: float  #: the columns by which odd rows lie further east; 0 where columns are shifted
    column_shift: float  #: the lines by which odd columns lie further south; 0 where rows are


@kernel
def nearest_hexagon(
    cells: Int32Array, standing: BoolArray, x: float, y: float, hexagons: Hexagons
) -> int:
    """Return the row of the hexagon nearest to (x, y), the first in reading order; -1 for none.

    Args:
        cells, standing: as for :func:`nearest_cell`.
        x, y: finite, in columns and lines from the middle of hexagon (0, 0).
        hexagons: how the hexagons lie.
    """
    height, width = cells.shape
    everywhere = len(standing) == 0
    column = min(max(math.floor(x + 0.5), 0), width - 1)
    line = min(max(math.floor(y + 0.5), 0), height - 1)
    away, nearest_row, number = np.inf, -1, 0
    for reach in range(max(column, width - 1 - column, line, height - 1 - line) + 1):
        # A shift takes half a step from the distance to the ring, and the start half a step.
        least = max(0.0, (reach - 1.01) * min(hexagons.across, hexagons.down))
        if least * least > away:
            break
        left, right, top, bottom = column - reach, column + reach, line - reach, line + reach
        for row in range(max(top, 0), min(bottom, height - 1) + 1):
            first, last, step = max(left, 0), min(right, width - 1), 1
            if top < row < bottom:  # Of these lines only both ends are on the ring.
                step = 2 * reach
                first, last = left, right
            for place in range(first, last + 1, step):
                if place < 0 or place >= width:
                    continue
                own = cells[row, place]
                if own < 0 or not (everywhere or standing[own]):
                    continue
                ax = (place + hexagons.row_shift * (row % 2) - x) * hexagons.across
                ay = (row + hexagons.column_shift * (place % 2) - y) * hexagons.down
                new, at = ax * ax + ay * ay, row * width + place
                if new < away or (new == away and at < number):
                    away, nearest_row, number = new, own, at
    return nearest_row


@kernel
def nearest_cells(
    cells: Int32Array,
    standing: BoolArray,
    points: Float64Array,
    floor: Int32Array,
    result: Int32Array,
) -> None:
    """Write the nearest row of each of some points to ``result``, (k) int32.

    Args:
        cells: (floors, height, width) int32.
        standing: as for :func:`nearest_cell`.
        points: (k, 2) float64.
        floor: (k) int32, the floor of each point.
        result: written.
    """
    for at in range(len(points)):
        result[at] = nearest_cell(cells[floor[at]], standing, points[at, 0], points[at, 1])
