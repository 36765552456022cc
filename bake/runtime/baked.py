"""Answers of a level as it was baked."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from bake.arrays import AnyArray, Int32Array
from bake.errors import QueryError
from bake.graph import UNREACHABLE
from bake.runtime.reader.lookup import NextHop, QuickLookup, quick_lookup
from bake.runtime.reader.places import Place
from bake.runtime.snapshot import Answers

_UNREACHABLE = int(UNREACHABLE)


class BakedAnswers(Answers):
    """Answers read from the tables of an asset."""

    @cached_property
    def unrevoked(self) -> NextHop:
        """The quick lookup of the level as it was baked, whatever has become of it."""
        return self._quick_lookup(self.next_hop).next_hop

    def _quick_lookup(self, careful: NextHop) -> QuickLookup:
        return quick_lookup(self.tables, careful)

    def next_hop(self, start: Place, goal: Place) -> Place | None:
        row, goal_row = self.rows.row(start), self.rows.row(goal)
        if row == goal_row:
            return self.rows.place(row)
        arc = self._arc_toward(row, goal_row)
        return None if arc is None else self._places.place(int(self._places.head[arc]))

    def distance(self, start: Place, goal: Place) -> float:
        row, goal_row = self.rows.row(start), self.rows.row(goal)
        if row == goal_row:
            return 0.0
        table = self.tables.distance
        if table is not None:
            return self._units(int(table[row, goal_row]))
        arcs = self._arcs_between(row, goal_row)
        if arcs is None:
            return math.inf
        return int(self.tables.weight[arcs].sum(dtype=np.int64)) / self._places.ticks_per_unit

    def length(self, path: Sequence[Place]) -> float:
        rows = self.rows.along(path).tolist()
        arcs = [self._arc_joining(a, b) for a, b in pairwise(rows)]
        return float(self.tables.exact_cost[arcs].sum()) if arcs else 0.0

    def reachable(self, start: Place, goal: Place) -> bool:
        row, goal_row = self.rows.row(start), self.rows.row(goal)
        known = self.tables.joined(row, goal_row)
        return self._arc_toward(row, goal_row) is not None if known is None else known

    def next_hops(self, starts: npt.ArrayLike, goals: npt.ArrayLike) -> AnyArray:
        tables = self.tables
        rows, goal_rows = self.rows.pairs(starts, goals)
        slot = tables.hops.slots(rows, goal_rows)
        stuck = np.flatnonzero(slot < 0)
        arc = tables.first_arc.take(rows)
        arc += slot.astype(np.int32, copy=False)
        if not len(stuck):
            return self._places_after(arc)
        there = stuck[rows[stuck] == goal_rows[stuck]]
        if not len(tables.head_row):  # no arc in the whole graph
            return self._standing_still(rows, there)
        arc[stuck] = 0
        hops = self._places_after(arc)
        hops[stuck] = -1 if self._places.is_grid else None
        hops[there] = self._standing_still(rows, there)[there]
        return hops

    def _places_after(self, arc: Int32Array) -> AnyArray:
        if self._places.is_grid:
            return self.tables.head_place.take(arc, axis=0)
        names = np.empty(len(arc), dtype=object)
        names[:] = [self._places.names[node] for node in self._places.head[arc].tolist()]
        return names

    def _standing_still(self, rows: Int32Array, there: AnyArray) -> AnyArray:
        still: AnyArray
        if self._places.is_grid:
            still = np.full((len(rows), self._places.dimensions), -1, dtype=np.int32)
        else:
            still = np.full(len(rows), None, dtype=object)
        for pair in there.tolist():
            still[pair] = self.rows.place(int(rows[pair]))
        return still

    def _path_by_hops(self, row: int, goal_row: int) -> list[Place] | None:
        arcs = self._arcs_between(row, goal_row)
        if arcs is None:
            return None
        place, head = self._places.place, self._places.head
        return [self.rows.place(row), *(place(int(node)) for node in head[arcs].tolist())]

    def _joined(self, row: int, next_row: int) -> bool:
        try:
            self._arc_joining(row, next_row)
        except QueryError:
            return False
        return True

    # -- arcs -------------------------------------------------------------------------------------

    def _arc_toward(self, row: int, goal_row: int) -> int | None:
        """The arc to take; None where there is none to take."""
        tables = self.tables
        slot = tables.hops.slot(row, goal_row)
        if slot < 0:
            return None
        tables.stepped(row, slot)
        return int(tables.first_arc[row]) + slot

    def _arc_joining(self, row: int, next_row: int) -> int:
        tables = self.tables
        arcs = np.arange(tables.first_arc[row], tables.end_arc[row])
        usable = arcs[(tables.head_row[arcs] == next_row) & (tables.weight[arcs] != _UNREACHABLE)]
        if not len(usable):
            raise self._no_step(row, next_row)
        return int(usable[tables.weight[usable].argmin()])

    def _arcs_between(self, row: int, goal_row: int) -> list[int] | None:
        """Arcs along the next hops; None where unreachable."""
        tables = self.tables
        arcs: list[int] = []
        while row != goal_row:
            arc = self._arc_toward(row, goal_row)
            if arc is None and not arcs:
                return None
            if arc is None or len(arcs) > tables.row_count:
                raise tables.damaged("next hops do not lead to the goal")
            arcs.append(arc)
            row = int(tables.head_row[arc])
        return arcs
