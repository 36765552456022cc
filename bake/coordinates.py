"""Say where cells lie in the plane that a level is drawn in, and which cell a point lies in.

The middle of cell (x, y) is ``centre + x * east + y * south``. On hexagonal grids the odd rows (or
columns) lie half a step further on in the layouts "odd-r" and "odd-q", and half a step back in
"even-r" and "even-q". Points are in the units of the level's source, pixels where an editor drew
it; x runs to the east and y to the south.

A square cell is the parallelogram around its middle that both steps span, without its southern and
eastern borders: floor(x / width) on orthogonal maps, and the formula of Tiled's
IsometricRenderer::screenToTileCoords on isometric ones. Among hexagons a point belongs to the
nearest middle, as in HexagonalRenderer::screenToTileCoords: only the hexagons around the side that
it lies beside are looked at, and the first of several equally near ones counts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

import numpy as np

from bake.arrays import AnyArray, Float64Array
from levelbake.steps import HexLayout, in_rows, shoved_parity

Point = tuple[float, float]
N = TypeVar("N", float, Float64Array)

#: The largest number that says where a level lies, and the largest size of a cell.
MAX_PLACE = 2.0**42
MAX_CELL = 2.0**21
#: How many times the size of a cell the farthest point of a level may lie from the origin: beyond
#: this, neighbouring cells could no longer be told apart.
_FARTHEST = 2.0**48


@dataclass(frozen=True)
class Coordinates:
    """Where the cells of a grid lie.

    Attributes:
        centres: middle of cell (0, 0): one point for all floors, or one for each.
        east, south: from the middle of a cell to that of the next column, and of the next row.
        side: of a hexagon, the length of the two sides that run across the lines; else 0.
    """

    centres: tuple[Point, ...]
    east: Point
    south: Point
    side: float = 0.0

    def moved(self, x: float, y: float) -> Coordinates:
        """Return the same cells, elsewhere in the plane."""
        return replace(self, centres=tuple((each[0] + x, each[1] + y) for each in self.centres))

    def points(self, cells: AnyArray, floor: AnyArray, layout: HexLayout | None) -> Float64Array:
        """Return the middles of cells.

        Args:
            cells: (n, 2) integers x, y on their floor; they may lie outside the level.
            floor: (n) integers from 0.
            layout: of a hexagonal grid.

        Returns:
            (n, 2) float64.
        """
        steps = cells.astype(np.float64)
        if layout is not None:
            line = 1 if in_rows(layout) else 0
            steps[:, 1 - line] += _shift(steps[:, line], layout)
        x, y = steps[:, :1], steps[:, 1:]
        found: Float64Array = (
            self._centre(floor) + x * np.array(self.east) + y * np.array(self.south)
        )
        return found

    def cells(
        self, points: Float64Array, floor: AnyArray, layout: HexLayout | None
    ) -> Float64Array:
        """Return the cells that points lie in, whether or not the level has them.

        Args:
            points: (n, 2) float64, finite.
            floor: (n) integers from 0.
            layout: of a hexagonal grid.

        Returns:
            (n, 2) float64 whole numbers x, y.
        """
        centre = self._centre(floor)
        if layout is not None:
            return self._hexagons(points - centre, layout)
        x, y = (points - (centre - self._to_middle)).T
        found: Float64Array = np.floor(np.stack(self._in_steps(x, y), axis=1))
        return found

    def square_cell(self, x: float, y: float) -> tuple[float, float]:
        """Return the square cell of the only floor that a point lies in; what numpy would say.

        It is not rounded down, and not finite where the point is not.
        """
        (left, top), (across, down) = self.centres[0], self._to_middle
        return self._in_steps(x - (left - across), y - (top - down))

    def square_point(self, x: int, y: int) -> Point:
        """Return the middle of a square cell of the only floor; what numpy would say."""
        (left, top), (ax, ay), (bx, by) = self.centres[0], self.east, self.south
        return left + x * ax + y * bx, top + x * ay + y * by

    @cached_property
    def _to_middle(self) -> Point:
        """Return the way from the corner at which a square cell begins to its middle."""
        return (self.east[0] + self.south[0]) / 2, (self.east[1] + self.south[1]) / 2

    def _in_steps(self, x: N, y: N) -> tuple[N, N]:
        """Return how many steps to the east and to the south lead as far as x and y."""
        (ax, ay), (bx, by) = self.east, self.south
        if ay == bx == 0:
            return x / ax, y / by
        area = ax * by - ay * bx
        return (x * by - y * bx) / area, (y * ax - x * ay) / area

    def problem(self, width: int, height: int, layout: HexLayout | None) -> str | None:
        """Say why these cannot be the coordinates of a grid of this size; None where they can."""
        numbers = [
            *self.east,
            *self.south,
            self.side,
            *(axis for each in self.centres for axis in each),
        ]
        if not all(math.isfinite(number) for number in numbers):
            return "the coordinates are not finite"
        (ax, ay), (bx, by) = self.east, self.south
        area = ax * by - ay * bx
        if min(ax, by, area) <= 0 or (layout is not None and not (ay == bx == 0)):
            return "the cells have no area, or do not run to the east and south"
        if not self._side_fits(layout):
            return "the sides of cells are longer than the cells"
        across, down = math.hypot(ax, ay), math.hypot(bx, by)
        far = max(abs(axis) for each in self.centres for axis in each)
        if max(across, down) > MAX_CELL or far > MAX_PLACE:
            return "the cells are too large, or too far from the origin"
        if far + width * across + height * down > _FARTHEST * area / max(across, down):
            return "the cells are too small to be told apart so far from the origin"
        return None

    def _side_fits(self, layout: HexLayout | None) -> bool:
        """Tell whether the sides are no longer than lines of hexagons are apart."""
        if layout is None:
            return self.side == 0
        return 0 <= self.side <= (self.south[1] if in_rows(layout) else self.east[0])

    def _centre(self, floor: AnyArray) -> Float64Array:
        """Return (n, 2) float64, the middle of cell (0, 0) of each floor."""
        centres = np.array(self.centres, dtype=np.float64)
        return centres[floor if len(centres) > 1 else np.zeros_like(floor)]

    def _hexagons(self, offsets: Float64Array, layout: HexLayout) -> Float64Array:
        """Return the hexagons of points, from offsets to the middle of cell (0, 0)."""
        line = 1 if in_rows(layout) else 0
        pitch, step = (self.south[1], self.east[0]) if line else (self.east[0], self.south[1])
        across, along = offsets[:, line], offsets[:, 1 - line]
        # The lines that are not shifted: the even ones, or the odd ones.
        plain = 1 - shoved_parity(layout)
        first = 2 * np.floor((across - plain * pitch + self.side / 2) / (2 * pitch)) + plain
        place = np.floor(along / step + 0.5 * plain + 0.5)
        around = [(first, place), (first + 1, place - 1), (first + 1, place), (first + 2, place)]
        far = [
            (across - own * pitch) ** 2 + (along - (each + _shift(own, layout)) * step) ** 2
            for own, each in around
        ]
        nearest = np.argmin(far, axis=0)
        found = np.empty_like(offsets)
        found[:, line] = np.choose(nearest, [own for own, _ in around])
        found[:, 1 - line] = np.choose(nearest, [each for _, each in around])
        return found


def _shift(line: Float64Array, layout: HexLayout) -> Float64Array:
    """Return by how many steps the cells of a line are shifted against those of line 0."""
    half = 0.5 if shoved_parity(layout) else -0.5
    shift: Float64Array = half * (line % 2)
    return shift


def upright(
    cell_size: float | Point, origin: Point = (0.0, 0.0), layout: HexLayout | None = None
) -> Coordinates:
    """Return coordinates of cells that are not turned.

    Args:
        cell_size: width and height; those of a hexagon are those of the box around it. Of one
            number come squares, or regular hexagons with this distance between opposite sides.
        origin: the top left corner of the grid, which cells that are not shifted touch.
        layout: of a hexagonal grid.
    """
    if isinstance(cell_size, tuple):
        width, height = cell_size
    else:
        long = cell_size * 2 / math.sqrt(3)
        width = long if layout is not None and not in_rows(layout) else cell_size
        height = long if layout is not None and in_rows(layout) else cell_size
    x, y = origin[0] + width / 2, origin[1] + height / 2
    if layout is None:
        return Coordinates(((x, y),), (width, 0.0), (0.0, height))
    shifted = 0.0 if shoved_parity(layout) else 0.5
    # The corners of a hexagon reach a quarter of its length into the lines beside its own.
    if in_rows(layout):
        centre, east, south = (x + shifted * width, y), (width, 0.0), (0.0, 0.75 * height)
        return Coordinates((centre,), east, south, height / 2)
    centre, east, south = (x, y + shifted * height), (0.75 * width, 0.0), (0.0, height)
    return Coordinates((centre,), east, south, width / 2)
