"""Translate between places as a game says them and the rows of one profile's tables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from bake.arrays import AnyArray, Int32Array
from bake.errors import BlockedCellError, QueryError
from bake.runtime.reader.places import Place, quoted
from bake.runtime.reader.tables import Tables

#: Points farther out than this, in cells or a graph's units, are moved in to it.
FARTHEST = 1e15


class Rows:
    """The translation of places into rows, and of rows into places, for one profile."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._places = tables.places

    # -- rows of places ---------------------------------------------------------------------------

    def row(self, place: Place) -> int:
        """Return the row of a place.

        Raises:
            OutsideMapError, UnknownNodeError: there is no such place.
            BlockedCellError: the profile cannot stand on the place.
        """
        row = int(self._tables.row_at[self._places.location(place)])
        if row < 0:
            raise BlockedCellError(
                f"profile {self._tables.profile!r} cannot stand on {place!r}",
                place=f"level {self._places.name!r}",
                remedy="nearest() gives a place it can stand on",
            )
        return row

    def along(self, path: Sequence[Place]) -> Int32Array:
        """Return (k) int32, the rows of the places of a path."""
        return np.array([self.row(place) for place in path], dtype=np.int32)

    def pairs(self, starts: npt.ArrayLike, goals: npt.ArrayLike) -> tuple[Int32Array, Int32Array]:
        """Return the rows of as many starts as goals, (m) int32 each.

        Raises:
            QueryError: as for :meth:`row`, naming the first wrong place; the shapes differ.
        """
        rows, goal_rows = self.many(starts, "starts"), self.many(goals, "goals")
        if len(rows) != len(goal_rows):
            raise QueryError(f"{len(rows)} starts for {len(goal_rows)} goals", expected="as many")
        return rows, goal_rows

    def many(self, places: npt.ArrayLike, what: str) -> Int32Array:
        """Return (m) int32, the rows of many places.

        Args:
            places: (m, 2) or (m, 3) integers on grid levels, (m,) names on graph levels.
            what: how errors name the places.
        """
        if not self._places.is_grid:
            names = np.asarray(places, dtype=object)
            if names.ndim != 1:
                raise QueryError(f"{what} has {names.ndim} dimensions", expected="names [m]")
            return np.array([self.row(name) for name in names], dtype=np.int32)
        try:
            cells = np.asarray(places)
        except (ValueError, OverflowError):
            raise QueryError(f"{what} is no array", expected="integers [m, 2]") from None
        if cells.size == 0:
            return np.empty(0, dtype=np.int32)
        if self._places.floor_height is not None:
            cells = self._places.grid_cells(cells, what)
        if cells.ndim != 2 or cells.shape[1] != 2 or cells.dtype.kind not in "iu":
            raise QueryError(
                f"{what} is {cells.dtype}{list(cells.shape)}", expected="integers [m, 2]"
            )
        width, height = self._places.width, self._places.height
        x, y = cells[:, 0], cells[:, 1]
        if x.min() < 0 or x.max() >= width or y.min() < 0 or y.max() >= height:
            outside = (x < 0) | (x >= width) | (y < 0) | (y >= height)
            self._refuse(cells[int(outside.argmax())])
        flat = y.astype(np.int32)
        flat *= width
        flat += x.astype(np.int32, copy=False)
        rows = self._tables.row_at.take(flat)
        if rows.min() < 0:
            self._refuse(cells[int((rows < 0).argmax())])
        return rows

    def _refuse(self, cell: AnyArray) -> None:
        """Raise the error for a cell of the grid that is outside the level or blocked."""
        self.row(tuple(self._places.with_floor(cell[None])[0].tolist()))

    def nearest(self, point: Sequence[float]) -> int:
        """Return the row nearest to a point: see :meth:`bake.runtime.Navigator.nearest`."""
        places, profile = self._places, self._tables.profile
        floor_height = places.floor_height
        floor = 0
        if floor_height is not None:
            point, floor = places.point_on_floor(point)
        x, y = _point(point)
        near = self._tables.standing_points
        if near is None:
            raise QueryError(
                "nearest() needs positions, this graph has none",
                place=f"level {places.name!r}",
                remedy="give its nodes x and y",
            )
        if not np.isfinite(near).any():
            raise QueryError(f"profile {profile!r} can stand nowhere in this level")
        away = (near[:, 0] - x) ** 2 + (near[:, 1] - floor * (floor_height or 0) - y) ** 2
        if floor_height is not None:
            away[near[:, 1] // floor_height != floor] = np.inf
            if np.isinf(away).all():
                raise QueryError(f"profile {profile!r} can stand nowhere on floor {floor}")
        best = np.flatnonzero(away == away.min())
        # The first in reading order is taken among places equally near; on graphs, the first node.
        return int(best[self._tables.location[best].argmin()])

    # -- places of rows ---------------------------------------------------------------------------

    def place(self, row: int) -> Place:
        """Return the place of a row."""
        return self._places.place_at(int(self._tables.location[row]))

    def places(self, rows: Int32Array) -> list[Place]:
        """Return the places of some rows."""
        if self._places.is_grid:
            return list(zip(*self._cells.take(rows, axis=0).T.tolist(), strict=True))
        return [self._places.names[node] for node in self._tables.location[rows].tolist()]

    def array(self, rows: Int32Array) -> AnyArray:
        """Return the places of some rows; a row of -1 stands for no place.

        Returns:
            (k, 2) int32 cells, or (k, 3) on levels of several floors, with -1 throughout for no
            place; or (k,) object names, None for no place.
        """
        nowhere = np.flatnonzero(rows < 0)
        if self._places.is_grid:
            cells = self._cells.take(rows, axis=0)
            cells[nowhere] = -1
            return cells
        names = np.empty(len(rows), dtype=object)
        names[:] = [self._places.names[node] for node in self._tables.location[rows].tolist()]
        names[nowhere] = None
        return names

    @cached_property
    def _cells(self) -> Int32Array:
        """Return (r, 2) or (r, 3) int32, the cell of each row as a game says it."""
        return self._places.with_floor(self._tables.cell_of_row)


def _point(point: Sequence[float]) -> tuple[float, float]:
    try:
        x, y = (float(number) for number in point)
    except (TypeError, ValueError, OverflowError):
        x = y = math.nan
    if isinstance(point, str | bytes) or not (math.isfinite(x) and math.isfinite(y)):
        raise QueryError(f"{quoted(point)} is no point", expected="(x, y), two finite numbers")
    # Squares of larger numbers would overflow; from so far out all places are equally near.
    return min(max(x, -FARTHEST), FARTHEST), min(max(y, -FARTHEST), FARTHEST)
