"""Pull paths tight over squares and hexagons."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from bake.core.arrays import Float64Array, Int32Array
from bake.play.reader.rows import Rows
from bake.play.reader.version import Version
from bake.play.sight.lines import Sight, Waypoints, checked_index, no_way
from bake.search.point.visibility import (
    SightGrid,
    furthest_along,
    line_cost,
    price_path,
    pull_tight,
)
from levelbake.errors import QueryError
from levelbake.places import Place
from levelbake.steps import chart, in_rows, shoved_parity


class GridSight(Sight):
    """Lines over squares and hexagons.

    Raises:
        QueryError: agents of the level face headings.
    """

    def __init__(self, version: Version, rows: Rows) -> None:
        places = version.places
        if places.headings is not None:
            raise QueryError(
                "straight lines are for agents that do not turn",
                place=f"level {places.name!r}",
                remedy="follow the path as it is",
            )
        self._version, self._rows, self._layout = version, rows, places.hex_layout
        layout = self._layout
        self._grid: SightGrid = SightGrid(
            places.width,
            0 if layout is None else 1 if in_rows(layout) else 2,
            0 if layout is None else shoved_parity(layout),
            version.row_at,
            *version.priced,
            version.row_cost,
        )

    def _cells(self, rows: Int32Array) -> Int32Array:
        """Return (k, 2) int32, the cells of some rows as :class:`SightGrid` says them."""
        return chart(self._version.cell_of_row[rows], self._layout)

    def _priced(self, rows: Int32Array) -> Float64Array:
        """Return (k) float64 units from the start of a path to each of its rows."""
        so_far = np.zeros(len(rows), dtype=np.float64)
        price_path(self._grid, rows, so_far)
        wrong = np.flatnonzero(np.isinf(so_far))
        if len(wrong):
            a, b = self._rows.places(rows[wrong[0] - 1 : wrong[0] + 1])
            raise self._version.no_step(a, b)
        return so_far

    def smooth(self, path: Sequence[Place]) -> Waypoints:
        rows = self._rows.along(path)
        if len(rows) < 2:
            return Waypoints(self._rows.places(rows), list(range(len(rows))))
        so_far, cells = self._priced(rows), self._cells(rows)
        turn = self._turns(cells)
        best = np.empty(len(turn), dtype=np.float64)
        parent = np.empty(len(turn), dtype=np.int32)
        pull_tight(self._grid, cells, so_far, turn, best, parent)
        kept = [len(turn) - 1]
        while kept[-1] > 0:
            kept.append(int(parent[kept[-1]]))
        at = turn[kept[::-1]]
        return Waypoints(self._rows.places(rows[at]), at.tolist())

    def _turns(self, cells: Int32Array) -> Int32Array:
        """Return (t) int32, the indices at which a path turns, both ends included."""
        step = np.diff(cells, axis=0)
        jump = np.asarray(np.abs(step) > 1).max(axis=1)
        if self._layout is not None:
            jump |= np.abs(step.sum(axis=1)) > 1
        turn = np.flatnonzero((step[1:] != step[:-1]).any(axis=1) | jump[1:]) + 1
        return np.concatenate([[0], turn, [len(cells) - 1]]).astype(np.int32)

    def furthest(self, path: Sequence[Place], at: int) -> int:
        at = checked_index(path, at)
        rows = self._rows.along(path)
        return int(furthest_along(self._grid, self._cells(rows), self._priced(rows), at))

    def cost(self, waypoints: Sequence[Place]) -> float:
        rows = self._rows.along(waypoints)
        total = 0.0
        for here, cells in zip(pairwise(rows), pairwise(self._cells(rows).tolist()), strict=True):
            line = line_cost(self._grid, *cells[0], *cells[1])
            if np.isinf(line):
                # A jump is allowed like a line.
                so_far = np.zeros(2, dtype=np.float64)
                price_path(self._grid, np.array(here, dtype=np.int32), so_far)
                line = so_far[1]
            if np.isinf(line):
                raise no_way(self._version, *self._rows.places(np.array(here, dtype=np.int32)))
            total += float(line)
        return total
