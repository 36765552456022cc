"""Translate between places as a game says them and the rows of one profile's tables."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from typing import cast

import numpy as np
import numpy.typing as npt

from bake.core.arrays import AnyArray, BoolArray, Float64Array, Int32Array
from bake.play.reader.lookup import WRONG, row_plane
from bake.play.reader.version import Version
from levelbake.errors import QueryError
from levelbake.places import Cell, Place, numbered


class Rows:
    """The translation of places into rows, and of rows into places, for one profile."""

    def __init__(self, version: Version) -> None:
        self._version, self._places = version, version.places

    # -- rows of places ---------------------------------------------------------------------------

    def row(self, place: Place) -> int:
        """Return the row of a place.

        Raises:
            OutsideMapError, UnknownNodeError: there is no such place.
            BlockedCellError: the profile cannot stand on the place.
        """
        plane = self._plane
        if plane is not None:
            try:
                x, y = cast("Cell", place)
                if x >= 0 and y >= 0 and (row := plane[y, x]) >= 0:
                    stands = self._version.stands
                    if stands is None or stands[row]:
                        return row
            except WRONG:
                pass
        location = np.array([self._places.location(place)], dtype=np.int32)
        row = int(self._version.rows_of(location)[0])
        if row < 0:
            raise self._places.blocked(self._version.profile, place)
        return row

    @cached_property
    def _plane(self) -> memoryview[int] | None:
        """Return the rows of cells [y, x]; None where places are said in another way."""
        places = self._places
        plain = places.is_grid and places.floor_height is None and not self._version.by_sheet
        return row_plane(places, self._version.known_row) if plain else None

    def in_headings(self, place: Place) -> Int32Array:
        """Return the rows of a place, of a cell alone those of all headings it can be stood on in.

        Raises:
            QueryError: as for :meth:`row`, of the first of them where none can be stood on.
        """
        if not self._places.is_bare(place):
            return np.array([self.row(place)], dtype=np.int32)
        every = self._places.every(place)
        standing = self.existing(every, "places")
        return standing[standing >= 0] if (standing >= 0).any() else self.along(every[:1])

    def along(self, path: Sequence[Place]) -> Int32Array:
        """Return (k) int32, the rows of the places of a path."""
        if self._version.by_sheet:
            # Sheets are asked once for all places. Whatever is wrong is told below.
            with suppress(QueryError):
                return self.many(path, "path")
        return np.array([self.row(place) for place in path], dtype=np.int32)

    def priced(self, path: Sequence[Place]) -> tuple[Int32Array, Float64Array]:
        """Return (k) int32, the rows of a path, and (k - 1) float64 units of each step.

        Raises:
            QueryError: as for :meth:`row`; no arc joins two consecutive places.
        """
        rows = self.along(path)
        units = self._version.step_costs(rows)
        wrong = np.flatnonzero(np.isinf(units))
        if len(wrong):
            raise self._version.no_step(*self.places(rows[wrong[0] : wrong[0] + 2]))
        return rows, units

    def pairs(
        self, starts: npt.ArrayLike, goals: npt.ArrayLike, strict: bool
    ) -> tuple[Int32Array, Int32Array, BoolArray | None]:
        """Return the rows of as many starts as goals, (k) int32 each, and of which pairs they are.

        If they are not checked strictly, only pairs are returned of which the profile can stand on
        both places, and (m) bool which ones these are; None = all.

        Raises:
            QueryError: as for :meth:`many`; the shapes differ.
        """
        rows_of = self.many if strict else self.standing
        rows, goal_rows = rows_of(starts, "starts"), rows_of(goals, "goals")
        if len(rows) != len(goal_rows):
            found = f"{len(rows)} starts for {len(goal_rows)} goals"
            raise QueryError(found, expected="as many")
        if strict:
            return rows, goal_rows, None
        both = (rows >= 0) & (goal_rows >= 0)
        return rows[both], goal_rows[both], both

    def many(self, places: npt.ArrayLike, what: str) -> Int32Array:
        """Return (m) int32, the rows of many places.

        Args:
            places: (m, 2) or (m, 3) integers on grid levels, (m,) names on graph levels.
            what: how errors name the places.

        Raises:
            QueryError: as for :meth:`row`, naming the first wrong place, and which of the places
                are wrong.
        """
        rows = self.standing(places, what)
        if len(rows) and rows.min() < 0:
            wrong = np.flatnonzero(rows < 0).tolist()
            try:
                self.row(self._places.listed(places)[wrong[0]])
            except QueryError as error:
                error.place = f"{error.place}, {numbered(what, wrong)}"
                raise
        return rows

    def standing(self, places: npt.ArrayLike, what: str) -> Int32Array:
        """Return (m) int32, the rows of many places; -1 where the profile cannot stand.

        Args:
            places, what: as for :meth:`many`; a place need not exist.

        Raises:
            QueryError: the array is of another kind.
        """
        location = self._places.locations(places, what)
        if location.min(initial=0) >= 0:
            return self._version.rows_of(location)
        rows = np.full(len(location), -1, dtype=np.int32)
        there = np.flatnonzero(location >= 0)
        rows[there] = self._version.rows_of(location[there])
        return rows

    def existing(self, places: npt.ArrayLike, what: str) -> Int32Array:
        """Return (m) int32, the rows of many places; -1 where the profile cannot stand.

        Args:
            places, what: as for :meth:`many`.

        Raises:
            QueryError: a place does not exist; the array is of another kind.
        """
        rows = self.standing(places, what)
        if len(rows) and rows.min() < 0:
            listed = self._places.listed(places)
            for wrong in np.flatnonzero(rows < 0).tolist():
                self._places.location(listed[wrong])
        return rows

    # -- places of rows ---------------------------------------------------------------------------

    def place(self, row: int) -> Place:
        """Return the place of a row."""
        if self._version.by_sheet:
            return self.places(np.array([row], dtype=np.int32))[0]
        return self._places.place_at(int(self._version.location[row]))

    def places(self, rows: Int32Array) -> list[Place]:
        """Return the places of some rows."""
        if self._places.is_grid:
            return list(zip(*self._cells_of(rows).T.tolist(), strict=True))
        return [self._places.names[node] for node in self._version.location[rows].tolist()]

    def array(self, rows: Int32Array) -> AnyArray:
        """Return the places of some rows; a row of -1 stands for no place.

        Returns:
            (k, 2) int32 cells, or (k, 3) on levels of several floors, with -1 throughout for no
            place; or (k,) object names, None for no place.
        """
        nowhere = np.flatnonzero(rows < 0)
        if self._places.is_grid:
            if len(nowhere) == len(rows):
                return np.full((len(rows), self._places.dimensions), -1, dtype=np.int32)
            cells = self._cells_of(rows)
            cells[nowhere] = -1
            return cells
        if len(nowhere) == len(rows):
            return np.full(len(rows), None, dtype=object)
        names = self._places.places_of(self._version.location[rows])
        names[nowhere] = None
        return names

    def over_places(self, values: AnyArray, nowhere: float) -> AnyArray:
        """Return a value of each row, laid out over the places of the level.

        Args:
            values: (r) or (r, k), of any dtype.
            nowhere: the value where the profile cannot stand; None where values are objects.

        Returns:
            (height, width), (floors, height, width) where there are several, or (n) on graphs, each
            with (k) at the end where the values have it.
        """
        places, row = self._places, self._version.row_at[self._places.here]
        spread = np.full((len(row), *values.shape[1:]), nowhere, dtype=values.dtype)
        if values.dtype == object:
            spread[:] = None
        spread[row >= 0] = values[row[row >= 0]]
        if places.floor_height is not None:
            shape: tuple[int, ...] = (places.floors, places.floor_height, places.width)
        else:
            shape = (places.height, places.width) if places.is_grid else (len(row),)
        return spread.reshape(*shape, *values.shape[1:])

    def _cells_of(self, rows: Int32Array) -> Int32Array:
        """Return (k, 2) or (k, 3) int32, the cells of some rows as a game says them."""
        # A list of all cells answers sooner, but takes eight bytes a row.
        version, places = self._version, self._places
        if version.by_sheet or version.row_count > 2**20:
            return places.with_floor(places.cells_of(version.locations_of(rows)))
        return places.with_floor(version.cell_of_row.take(rows, axis=0))
