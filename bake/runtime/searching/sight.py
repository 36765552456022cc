"""Pull paths tight along straight lines, on square grids."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from bake.arrays import Float64Array, Int32Array
from bake.errors import QueryError
from bake.runtime.reader.rows import Rows
from bake.runtime.reader.tables import Tables

if TYPE_CHECKING:
    from bake.search.point.visibility import SightGrid


class Sight:
    """Straight lines for one profile.

    Raises:
        QueryError: the level is not a square grid.
    """

    def __init__(self, tables: Tables) -> None:
        from bake.search.point.visibility import SightGrid

        places = tables.places
        if not places.is_grid or places.hex_layout is not None:
            raise QueryError(
                "straight lines are for square grids",
                place=f"level {places.name!r}",
                remedy="follow the path as it is",
            )
        if places.headings is not None:
            raise QueryError(
                "straight lines are for agents that do not turn",
                place=f"level {places.name!r}",
                remedy="follow the path as it is",
            )
        self._tables = tables
        self._grid: SightGrid = SightGrid(
            places.width,
            tables.row_at,
            tables.first_arc,
            tables.end_arc,
            tables.head_row,
            tables.exact_cost,
            tables.row_cost,
        )

    def _priced(self, rows: Int32Array) -> tuple[Int32Array, Float64Array]:
        """Return (k, 2) int32 cells of a path, and (k) float64 units from its start to each."""
        from bake.search.point.visibility import price_path

        tables = self._tables
        so_far = np.zeros(len(rows), dtype=np.float64)
        price_path(self._grid, rows, so_far)
        wrong = np.flatnonzero(np.isinf(so_far))
        if len(wrong):
            a, b = Rows(tables).places(rows[wrong[0] - 1 : wrong[0] + 1])
            raise QueryError(
                f"no step leads from {a!r} to {b!r} for profile {tables.profile!r}",
                expected="neighbouring cells, as path() returns them",
            )
        return tables.cell_of_row[rows], so_far

    def smooth(self, rows: Int32Array) -> Int32Array:
        """Return (w) int32, the waypoints that remain of a path of at least two rows."""
        from bake.search.point.visibility import pull_tight

        cells, so_far = self._priced(rows)
        turn = _turns(cells)
        best = np.empty(len(turn), dtype=np.float64)
        parent = np.empty(len(turn), dtype=np.int32)
        pull_tight(self._grid, cells, so_far, turn, best, parent)
        kept = [len(turn) - 1]
        while kept[-1] > 0:
            kept.append(int(parent[kept[-1]]))
        return rows[turn[kept[::-1]]]

    def furthest(self, rows: Int32Array, place: int) -> int:
        """Return the last place of a path that a straight line reaches from one of its places."""
        from bake.search.point.visibility import furthest_along

        cells, so_far = self._priced(rows)
        return int(furthest_along(self._grid, cells, so_far, place))

    def cost(self, rows: Int32Array) -> float:
        """Return what going straight from each row to the next costs, in units."""
        from bake.search.point.visibility import line_cost, price_path

        tables = self._tables
        total = 0.0
        for ends in pairwise(rows.tolist()):
            (x, y), (to_x, to_y) = tables.cell_of_row[list(ends)].tolist()
            line = line_cost(self._grid, x, y, to_x, to_y)
            if np.isinf(line):
                # A jump is allowed like a line.
                so_far = np.zeros(2, dtype=np.float64)
                price_path(self._grid, np.array(ends, dtype=np.int32), so_far)
                line = so_far[1]
            if np.isinf(line):
                a, b = Rows(tables).places(np.array(ends, dtype=np.int32))
                raise QueryError(
                    f"no straight way leads from {a!r} to {b!r} for profile {tables.profile!r}",
                    expected="waypoints, as smooth() returns them",
                )
            total += float(line)
        return total


def _turns(cells: Int32Array) -> Int32Array:
    """Return (t) int32, the indices at which a path turns, both ends included."""
    step = np.diff(cells, axis=0)
    jump = np.asarray(np.abs(step) > 1).max(axis=1)
    turn = np.flatnonzero((step[1:] != step[:-1]).any(axis=1) | jump[1:]) + 1
    return np.concatenate([[0], turn, [len(cells) - 1]]).astype(np.int32)
