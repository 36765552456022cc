"""Searches guided by a table between basins: arrays of a heuristic, laid out for lookups."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bake.arrays import Int32Array, Int64Array, UInt8Array
from bake.search.all_pairs.fields import CorrectedDistances, FieldSet, fields_toward
from bake.search.point.astar_fields import fill_by_fields, search_by_fields
from bake.search.point.estimate import ROWS, Estimate
from bake.search.point.space import Found, SearchSpace


@dataclass(frozen=True)
class Guide:
    """The largest of a norm, distances to pivots, and a table between basins.

    Attributes:
        norm: geometric part.
        at: (r, 2) int32 coordinates of fields, and of the norm where it has any.
        pivot: (r, p) int32 ticks.
        label, anchor, distance, chosen, fields, shift: see
            :class:`bake.tables.field_table.FieldTable`.
        two_way: whether every arc can be taken back at the same cost.
    """

    norm: Estimate
    at: Int32Array
    pivot: Int32Array
    label: Int32Array
    anchor: Int32Array
    distance: Int32Array
    chosen: UInt8Array
    fields: Int32Array
    shift: int
    two_way: bool

    @cached_property
    def record(self) -> Int32Array:
        """(r, 3 + p) int32: coordinates, basin and distances to pivots of each row."""
        return np.ascontiguousarray(
            np.concatenate([self.at, self.label[:, None], self.pivot], axis=1).astype(np.int32)
        )

    @cached_property
    def told(self) -> Estimate:
        """What results say of it."""
        return Estimate("maximum", ROWS, admissible=True, consistent=False)

    def toward(self, goal: int) -> Int64Array:
        """(c, 2) int64: what the table says of one goal."""
        toward = np.empty((len(self.anchor), 2), dtype=np.int64)
        fields_toward(
            CorrectedDistances(self.distance, self.chosen, self.two_way),
            FieldSet(self.fields, self.shift, self.at, self.pivot),
            self.anchor,
            self.label,
            goal,
            toward,
        )
        return toward

    def estimate(self, name: str, goal: int) -> Estimate:
        """Every row's estimate toward one goal, for searches that know no guides."""
        table = np.empty((len(self.label), 1), dtype=np.int32)
        fill_by_fields(
            self.norm.numbers(),
            self.record,
            self.fields,
            self.shift,
            self.toward(goal),
            self.two_way,
            goal,
            0,
            table,
        )
        return Estimate(name, ROWS, table=table, admissible=True, consistent=False)

    def between(self, row: int, goal: int) -> int:
        """Ticks from one row to another, at least."""
        h = np.empty((1, 1), dtype=np.int32)
        fill_by_fields(
            self.norm.numbers(),
            self.record,
            self.fields,
            self.shift,
            self.toward(goal),
            self.two_way,
            goal,
            row,
            h,
        )
        return int(h[0, 0])

    def astar(self, space: SearchSpace, start: int, goal: int) -> Found:
        """A* with a bucket queue; rows are expanded again where that is needed."""
        if start == goal:
            return Found(np.array([start], dtype=np.int32), 0, 1)
        return space.by_buckets(
            search_by_fields,
            self.norm.numbers(),
            self.record,
            self.fields,
            self.shift,
            self.toward(goal),
            self.two_way,
            start=start,
            goal=goal,
        )
