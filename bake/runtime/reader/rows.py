"""Between places as a game says them and the rows of one profile's tables."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from bake.arrays import AnyArray, Int32Array
from bake.errors import BlockedCellError, QueryError, UnknownNodeError
from bake.runtime.reader.floors import grid_cell, grid_cells
from bake.runtime.reader.places import Place
from bake.runtime.reader.tables import Tables


class Rows:
    """Rows of places, and places of rows, for one profile."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._places = tables.places

    def row(self, place: Place) -> int:
        """The row of a place.

        Raises:
            OutsideMapError, UnknownNodeError: there is no such place.
            BlockedCellError: the profile cannot stand on it.
        """
        level = f"level {self._places.name!r}"
        if self._places.is_grid:
            x, y = grid_cell(self._places, place, said(place))
            row = int(self._tables.row_at_cell[y * self._places.width + x])
        else:
            node = self._places.node_named(place)
            if node is None:
                raise UnknownNodeError(f"no node is named {said(place)}", place=level)
            row = int(self._tables.row_at_node[node])
        if row < 0:
            raise BlockedCellError(
                f"profile {self._tables.profile!r} cannot stand on {place!r}",
                place=level,
                remedy="nearest() gives a place it can stand on",
            )
        return row

    def along(self, path: Sequence[Place]) -> Int32Array:
        """(k) int32, rows of the places of a path."""
        return np.array([self.row(place) for place in path], dtype=np.int32)

    def pairs(self, starts: npt.ArrayLike, goals: npt.ArrayLike) -> tuple[Int32Array, Int32Array]:
        """(m) int32 each, rows of as many starts as goals.

        Raises:
            QueryError: as for :meth:`row`, naming the first wrong place; shapes that differ.
        """
        rows, goal_rows = self.many(starts, "starts"), self.many(goals, "goals")
        if len(rows) != len(goal_rows):
            raise QueryError(f"{len(rows)} starts for {len(goal_rows)} goals", expected="as many")
        return rows, goal_rows

    def many(self, places: npt.ArrayLike, what: str) -> Int32Array:
        """(m) int32, rows of many places.

        Args:
            places: (m, 2) or (m, 3) integers on grid levels, (m,) names on graph levels.
            what: how errors name them.
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
            cells = grid_cells(self._places, cells, what)
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
        rows = self._tables.row_at_cell.take(flat)
        if rows.min() < 0:
            self._refuse(cells[int((rows < 0).argmax())])
        return rows

    def _refuse(self, cell: AnyArray) -> None:
        """Raise what is wrong with a cell of the grid."""
        self.row(tuple(self._places.spoken(cell[None])[0].tolist()))

    def place(self, row: int) -> Place:
        """The place of a row."""
        return self._places.place(int(self._tables.node[row]))


def said(place: object) -> str:
    """A wrong argument on one short line."""
    text = " ".join(repr(place).split())
    return text if len(text) <= 60 else text[:57] + "..."
