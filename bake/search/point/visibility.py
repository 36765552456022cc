"""Price straight lines over cells, and pull paths tight along them.

A line between the centres of two cells is walked cell by cell along the exact supercover (A.
Patel, "Line drawing on a grid map"): through an edge as a straight step, through a corner as a
diagonal one.
It may be taken where every such step is one the profile may take, so it cuts no corner its rule
forbids, and where all cells cost the same, so that its cost is its length times that. Lines along
rows, columns and diagonals may cross any terrain, at the cost of their steps.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bake.arrays import Float64Array, Int32Array
from bake.kernels.jit import inlined, kernel

#: By what part sums of the same lengths may differ in floating point.
ROUNDING = 1e-9


class SightGrid(NamedTuple):
    """The cells of a square grid, and the steps one profile may take on them.

    Attributes:
        width: of the grid.
        row_at_cell: (height * width) int32, -1 where the profile cannot stand.
        first_arc, end_arc: (r) int32, the arcs of each row.
        head_row: (m) int32, -1 where the profile may not take the arc.
        cost: (m) float64 units.
        cell_cost: (r) float64 units, what crossing the cell costs.
    """

    width: int
    row_at_cell: Int32Array
    first_arc: Int32Array
    end_arc: Int32Array
    head_row: Int32Array
    cost: Float64Array
    cell_cost: Float64Array


@inlined
def _step_cost(grid: SightGrid, row: int, to: int) -> float:
    """Return the units the cheapest arc between two rows costs; infinite where there is none."""
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
    """Return the units a straight line between cells costs; infinite where it may not be taken.

    Args:
        grid: the cells and steps.
        x, y, to_x, to_y: the cells.
    """
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
        # Twice the distances to the cell's borders, cross-multiplied, tell which one comes first.
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
            # Four neighbours: through a corner where one can walk round it on both sides.
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


@kernel
def price_path(
    grid: SightGrid,
    rows: Int32Array,
    so_far: Float64Array,
) -> None:
    """Write the cost of walking to each of ``rows`` (k) into ``so_far`` (k); infinite: no step."""
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
    """Find the cheapest way along a path's turning points by straight lines.

    Args:
        grid: the cells and steps.
        cells: (k, 2) int32, the path.
        so_far: (k) float64, from :func:`price_path`.
        turn: (t) int32, the cells of the path at which it turns, both ends included, ascending.
        best, parent: (t), filled with the cost to each and the turning point before it, -1 first.
    """
    width, row_at_cell, cell_cost = grid.width, grid.row_at_cell, grid.cell_cost
    best[0] = 0.0
    parent[0] = -1
    for i in range(1, len(turn)):
        here = turn[i]
        best[i] = best[i - 1] + so_far[here] - so_far[turn[i - 1]]
        parent[i] = i - 1
        for earlier in range(i - 1):
            there = turn[earlier]
            dx = float(cells[here, 0] - cells[there, 0])
            dy = float(cells[here, 1] - cells[there, 1])
            away = np.sqrt(dx * dx + dy * dy)
            limit = best[i] - best[earlier]
            # Lines are walked only where they would pay.
            if away * cell_cost[row_at_cell[cells[there, 1] * width + cells[there, 0]]] > limit:
                continue
            line = line_cost(
                grid,
                cells[there, 0],
                cells[there, 1],
                cells[here, 0],
                cells[here, 1],
            )
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
    """Find the last cell of a path that a straight line from its i-th cell reaches for no more."""
    for other in range(len(cells) - 1, i + 1, -1):
        line = line_cost(
            grid,
            cells[i, 0],
            cells[i, 1],
            cells[other, 0],
            cells[other, 1],
        )
        if line <= (so_far[other] - so_far[i]) * (1 + ROUNDING):
            return int(other)
    return min(i + 1, len(cells) - 1)
