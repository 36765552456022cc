"""Answer from an asset without next hops: whoever follows changes of the level answers then."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property

import numpy as np

from bake.arrays import BoolArray, Float64Array, Int32Array, Int64Array
from bake.errors import QueryError
from bake.graph import INFINITY
from bake.runtime.reader.baked import BakedTables
from bake.runtime.reader.lookup import FastLookup, NextHop
from bake.runtime.reader.places import Places
from bake.runtime.reader.tables import Tables


class BareTables(BakedTables):
    """The tables of a profile that was baked without next hops.

    Distances are read where the asset holds them. Everything else about paths is asked of other
    tables, which are made when the first such question comes.
    """

    def __init__(self, places: Places, profile: str, make: Callable[[], Tables]) -> None:
        """Make nothing yet.

        Args:
            make: gives tables of the same rows, on the level as it was baked, that need no next
                hops. They may have further rows after these.
        """
        super().__init__(places, profile)
        self._make = make

    @cached_property
    def _others(self) -> Tables:
        return self._make()

    def _check_scale(self, lost: BoolArray, rows: Int32Array, goals: Int32Array) -> None:
        """Refuse to call a path none because it is too long to be counted.

        Args:
            lost: (k) bool, True where no path was found.
            rows, goals: (k) int32.

        Raises:
            QueryError: there is a path between such a pair.
        """
        component = self.component_of_row
        if lost.any() and (component[rows[lost]] == component[goals[lost]]).any():
            raise QueryError(
                f"the path costs {INFINITY:,} ticks or more, and the reader counts no further",
                place=f"level {self.places.name!r}",
                remedy="bake with smaller costs, or lower ticks_per_unit",
            )

    def _check_one(self, lost: bool, row: int, goal: int) -> None:
        if lost:
            self._check_scale(np.ones(1, dtype=np.bool_), np.array([row]), np.array([goal]))

    def next_row(self, row: int, goal: int) -> int:
        ahead = self._others.next_row(row, goal)
        self._check_one(ahead < 0, row, goal)
        return ahead

    def next_rows(self, rows: Int32Array, goals: Int32Array) -> Int32Array:
        ahead = self._others.next_rows(rows, goals)
        self._check_scale(ahead < 0, rows, goals)
        return ahead

    def ticks(self, row: int, goal: int) -> float:
        if self.has_distances:
            return super().ticks(row, goal)
        ticks = self._others.ticks(row, goal)
        self._check_one(math.isinf(ticks), row, goal)
        return ticks

    def ticks_between(self, rows: Int32Array, goals: Int32Array) -> Float64Array:
        if self.has_distances:
            return super().ticks_between(rows, goals)
        ticks = self._others.ticks_between(rows, goals)
        self._check_scale(np.isinf(ticks), rows, goals)
        return ticks

    def ticks_toward(self, goal: int) -> Float64Array:
        if self.has_distances:
            return super().ticks_toward(goal)
        return self._others.ticks_toward(goal)[: self.row_count]

    def path(self, row: int, goal: int) -> Int32Array | None:
        path = self._others.path(row, goal)
        self._check_one(path is None, row, goal)
        return path

    def walk(self, rows: Int32Array, goals: Int32Array) -> tuple[Int64Array, Int32Array]:
        first, path = self._others.walk(rows, goals)
        self._check_scale(first[1:] == first[:-1], rows, goals)
        return first, path

    def walk_cells(self, rows: Int32Array, goals: Int32Array) -> tuple[Int64Array, Int32Array]:
        first, cells = self._others.walk_cells(rows, goals)
        self._check_scale(first[1:] == first[:-1], rows, goals)
        return first, cells

    def lookup(self, fallback: NextHop) -> FastLookup:
        return self._others.lookup(fallback)
