"""The cost of straight lines over cells, and string pulling of paths along them.

A line between the centers of two cells is walked cell by cell along the exact supercover (A. Patel,
"Line drawing on a grid map"): through an edge as a straight step, through a corner as a diagonal
one. A line is valid if the profile may take every such step, so that it cuts no corner its rule
forbids, and if all cells cost the same; it then costs its length times that cost. Lines along rows,
columns and diagonals may cross any terrain, at the cost of their steps.

On hexagons, in axial coordinates, a line is valid if all cells that it touches, even at a corner,
are joined and cost the same; lines along the three axes again cross any terrain.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bake.core.arrays import Float64Array, Int32Array
from bake.core.kernels.jit import accessor, kernel

#: The relative error of sums of the same lengths in floating point.
ROUNDING = 1e-9


#: The neighbors of a hexagon, axial.
_AROUND = ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))


class SightGrid(NamedTuple):
    """The cells of a grid, and the steps of one profile.

    Cells are (x, y), on hexagonal grids (q, r): see :func:`levelbake.steps.chart`.
    """

    #: Of the grid.
    width: int
    #: 0 = squares, 1 = hexagons in rows, 2 = in columns.
    hexagons: int
    #: Whether odd rows or columns are shifted, rather than even ones.
    odd: int
    #: (height * width) int32, -1 where the profile cannot stand.
    row_at_cell: Int32Array
    #: (r) int32, the arcs of each row.
    first_arc: Int32Array
    end_arc: Int32Array
    #: (m) int32, -1 if the arc is blocked for the profile.
    head_row: Int32Array
    #: (m) float64 units.
    cost: Float64Array
    #: (r) float64 units, the cost of crossing the cell.
    cell_cost: Float64Array


@accessor
def _row_at(grid: SightGrid, x: int, y: int) -> int:
    """Return the row of a cell; -1 outside the grid, or where the profile cannot stand."""
    width, hexagons, odd = grid.width, grid.hexagons, grid.odd
    row_at_cell = grid.row_at_cell
    if hexagons == 1:
        x += (y - (y & 1) if odd else y + (y & 1)) >> 1
    elif hexagons == 2:
        y += (x - (x & 1) if odd else x + (x & 1)) >> 1
    if x < 0 or x >= width or y < 0 or y * width >= len(row_at_cell):
        return -1
    return int(row_at_cell[y * width + x])


@accessor
def _length(grid: SightGrid, dx: int, dy: int) -> float:
    """Return the length of a line, where a step between neighbors' centers is 1."""
    square = float(dx) * dx + float(dy) * dy
    if grid.hexagons:
        square += float(dx) * dy
    return float(np.sqrt(square))


@accessor
def _step_cost(grid: SightGrid, row: int, to: int) -> float:
    """Return the units of the cheapest arc between two rows; infinite without an arc."""
    first_arc, end_arc, head_row, cost = grid.first_arc, grid.end_arc, grid.head_row, grid.cost
    best = np.inf
    for arc in range(first_arc[row], end_arc[row]):
        if head_row[arc] == to:
            best = min(best, cost[arc])
    return best


@kernel
def line_cost(
    grid: SightGrid,
    x: int,
    y: int,
    to_x: int,
    to_y: int,
) -> float:
    """Return the cost in units of a straight line between cells; infinite if the line is invalid.

    Args:
        grid: the cells and steps.
        x, y, to_x, to_y: the cells.
    """
    if grid.hexagons:
        return _line_over_hexagons(grid, x, y, to_x - x, to_y - y)
    width, row_at_cell, cell_cost = grid.width, grid.row_at_cell, grid.cell_cost
    across, down = abs(to_x - x), abs(to_y - y)
    right = 1 if to_x > x else -1
    below = 1 if to_y > y else -1
    plain = across == 0 or down in (0, across)
    row = row_at_cell[y * width + x]
    if row < 0:
        return np.inf
    level = cell_cost[row]
    even = True
    total = 0.0
    done_x = 0
    done_y = 0
    while done_x < across or done_y < down:
        # Compare twice the distances to the cell's borders, cross-multiplied, to find the nearer
        # one.
        ahead = (1 + 2 * done_x) * down - (1 + 2 * done_y) * across
        before = row
        next_x, next_y = x, y
        if ahead <= 0:
            next_x = x + right
            done_x += 1
        if ahead >= 0:
            next_y = y + below
            done_y += 1
        row = row_at_cell[next_y * width + next_x]
        if row < 0:
            return np.inf
        step = _step_cost(grid, before, row)
        length = np.sqrt(2.0) if ahead == 0 else 1.0
        if ahead == 0 and step == np.inf:
            # Four neighbors: a corner may be crossed if an agent can walk around it on both sides.
            for side in range(2):
                flank = row_at_cell[y * width + next_x] if side else row_at_cell[next_y * width + x]
                if flank < 0 or cell_cost[flank] != level:
                    return np.inf
                round_it = _step_cost(grid, before, flank)
                round_it += _step_cost(grid, flank, row)
                if not round_it <= level * 2 * (1 + ROUNDING):
                    return np.inf
            step = level * length
            plain = False
        total += step
        x, y = next_x, next_y
        if cell_cost[row] != level or abs(step - level * length) > ROUNDING * step:
            even = False
        if step == np.inf or not (plain or even):
            return np.inf
    if even:
        total = level * np.sqrt(float(across * across + down * down))
    return total


@accessor
def _joined(grid: SightGrid, row: int, to: int, level: float) -> bool:
    """Return whether a step joins two rows, and costs as much as the line."""
    if row < 0 or to < 0 or grid.cell_cost[to] != level:
        return False
    step = _step_cost(grid, row, to)
    return step < np.inf and abs(step - level) <= ROUNDING * step


@accessor
def _along(dq: int, dr: int, q: int, r: int) -> int:
    """Return the dot product of the directions to a hexagon and to a neighbor; its length is 2."""
    return (2 * dq + dr) * q + (dq + 2 * dr) * r


@kernel
def _line_over_hexagons(grid: SightGrid, q: int, r: int, to_q: int, to_r: int) -> float:
    """Return the units of a line from a cell; ``to_q`` and ``to_r`` are relative to it.

    A cell is left through the side that the line reaches first, or at the corner of two sides that
    it reaches at once. From there the line continues in the cell it points to more, or along the
    border of both into the cell behind.
    """
    row = _row_at(grid, q, r)
    if row < 0:
        return np.inf
    level = grid.cell_cost[row]
    plain = to_q == 0 or to_r == 0 or to_q + to_r == 0
    even = True
    total = 0.0
    at_q = 0
    at_r = 0
    while at_q != to_q or at_r != to_r:
        # The line reaches a side after the fraction left / speed of its length.
        left, speed, dq, dr = 1, 0, 0, 0
        side_speed, side_q, side_r = 0, 0, 0
        for toward_q, toward_r in _AROUND:
            other_speed = _along(toward_q, toward_r, to_q, to_r)
            if other_speed <= 0:
                continue
            other = 1 + _along(toward_q, toward_r, at_q, at_r)
            sooner = other * speed - left * other_speed
            if speed == 0 or sooner < 0 or (sooner == 0 and other_speed > speed):
                if speed != 0 and sooner == 0:
                    side_speed, side_q, side_r = speed, dq, dr
                else:
                    side_speed = 0
                left, speed, dq, dr = other, other_speed, toward_q, toward_r
            elif sooner == 0:
                side_speed, side_q, side_r = other_speed, toward_q, toward_r
        ahead = _row_at(grid, q + at_q + dq, r + at_r + dr)
        even = even and _joined(grid, row, ahead, level)
        if side_speed > 0:
            side = _row_at(grid, q + at_q + side_q, r + at_r + side_r)
            even = even and _joined(grid, row, side, level) and _joined(grid, side, ahead, level)
            if side_speed == speed:
                at_q, at_r = at_q + side_q, at_r + side_r
                behind = _row_at(grid, q + at_q + dq, r + at_r + dr)
                even = even and _joined(grid, ahead, side, level)
                even = even and _joined(grid, ahead, behind, level)
                even = even and _joined(grid, side, behind, level)
                ahead = behind
        if ahead < 0 or not (plain or even):
            return np.inf
        if plain:
            total += _step_cost(grid, row, ahead)
        at_q, at_r, row = at_q + dq, at_r + dr, ahead
    return level * _length(grid, to_q, to_r) if even else total


@kernel
def price_path(
    grid: SightGrid,
    rows: Int32Array,
    so_far: Float64Array,
) -> None:
    """Write the cost of walking to each of ``rows`` (k) to ``so_far`` (k); infinite: no step."""
    so_far[0] = 0.0
    for i in range(1, len(rows)):
        step = _step_cost(grid, rows[i - 1], rows[i])
        so_far[i] = so_far[i - 1] + step


@kernel
def pull_tight(
    grid: SightGrid,
    cells: Int32Array,
    so_far: Float64Array,
    turn: Int32Array,
    best: Float64Array,
    parent: Int32Array,
) -> None:
    """Find the cheapest path along the turning points of a path by straight lines.

    Args:
        grid: the cells and steps.
        cells: (k, 2) int32, the path.
        so_far: (k) float64, from :func:`price_path`.
        turn: (t) int32, indices of the turning points in the path, both ends included, ascending.
        best, parent: (t), written: the cost to each and the turning point before it, -1 for the
            first.
    """
    best[0] = 0.0
    parent[0] = -1
    for i in range(1, len(turn)):
        current = turn[i]
        best[i] = best[i - 1] + so_far[current] - so_far[turn[i - 1]]
        parent[i] = i - 1
        for earlier in range(i - 1):
            previous = turn[earlier]
            x, y = int(cells[previous, 0]), int(cells[previous, 1])
            to_x, to_y = int(cells[current, 0]), int(cells[current, 1])
            away = _length(grid, to_x - x, to_y - y)
            limit = best[i] - best[earlier]
            # Lines are walked only if they could improve the result.
            if away * grid.cell_cost[_row_at(grid, x, y)] > limit:
                continue
            line = line_cost(grid, x, y, to_x, to_y)
            if line <= limit:
                best[i] = best[earlier] + line
                parent[i] = earlier


@kernel
def furthest_along(
    grid: SightGrid,
    cells: Int32Array,
    so_far: Float64Array,
    i: int,
) -> int:
    """Return the last cell of a path that a straight line from cell ``i`` reaches at equal cost."""
    for other in range(len(cells) - 1, i + 1, -1):
        to_x, to_y = int(cells[other, 0]), int(cells[other, 1])
        line = line_cost(grid, int(cells[i, 0]), int(cells[i, 1]), to_x, to_y)
        if line <= (so_far[other] - so_far[i]) * (1 + ROUNDING):
            return int(other)
    return min(i + 1, len(cells) - 1)
