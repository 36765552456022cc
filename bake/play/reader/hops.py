"""Look up what an asset holds: next hops in runs of targets, and distances by labels."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property

import numpy as np

from bake.core.arrays import (
    AnyArray,
    BoolArray,
    Float64Array,
    Int32Array,
    Int64Array,
    UInt8Array,
    offsets,
)
from bake.core.graph import INFINITY
from bake.core.kernels import jit
from bake.core.movement import SECTORS, sectors
from bake.search.all_pairs.follow import RunIndex, look_up_runs
from bake.search.contraction.labels import Labels, add_up, label_distances, ticks_between
from levelbake.file import File
from levelbake.hops import Labels as PlainLabels
from levelbake.hops import view_of

#: The slot where there is no arc to take: there is no path, or the row is the goal.
NO_SLOT = -1


def plane_of(array: AnyArray) -> memoryview[int]:
    """Return such a view of an array of two dimensions, indexed by both."""
    return view_of(array, *array.shape)


class RunHops:
    """Runs of targets, row after row; a lookup is one binary search and decodes no row.

    Attributes:
        first_run: (r + 1) int64, where each row's runs begin.
        first_arc: (r) int32, the first arc of each row.
        start: (k) integers, the first target of each run.
        symbol: (k) unsigned integers: a slot, greedy, or none.
        greedy, none: those two symbols.
        at: (r, 2) int32 chart coordinates; empty on graph levels.
        greedy_slot: (r, SECTORS) integers, slots, -1 where there is none; empty on graph levels.
        component: (r) int32, the component of each row.
        reach: (components, bytes) uint8 in numpy.packbits order, or None where each component
            reaches only itself or where "none" is stored.
        stores_none: whether unreachable targets are stored as "none".
    """

    def __init__(
        self,
        run_count: AnyArray,
        first_arc: Int32Array,
        start: AnyArray,
        symbol: AnyArray,
        at: Int32Array,
        greedy_slot: AnyArray,
        component: Int32Array,
        reach: UInt8Array | None,
        *,
        stores_none: bool,
    ) -> None:
        self.first_run: Int64Array = offsets(run_count, np.int64)
        self.first_arc = first_arc
        self.start = start
        self.symbol = symbol
        self.none = int(np.iinfo(symbol.dtype).max)
        self.greedy = self.none - 1
        self.at = at
        self.greedy_slot = greedy_slot
        self.component = component
        self.reach = reach
        self.stores_none = stores_none
        self._first_view = view_of(self.first_run)
        self._start_view = view_of(start)
        self._symbol_view = view_of(symbol)
        self._greedy_view = view_of(greedy_slot)
        self._at_view = view_of(at)
        self._component_view = view_of(component)

    @property
    def rows(self) -> int:
        return len(self.first_run) - 1

    def slot(self, row: int, goal: int) -> int:
        """Return the slot of one pair, or NO_SLOT."""
        if row == goal:
            return NO_SLOT
        component = self._component_view
        a, b = component[row], component[goal]
        if a != b and not self.stores_none:
            reach = self.reach
            if reach is None or not reach[a, b >> 3] & (128 >> (b & 7)):
                return NO_SLOT
        first = self._first_view
        run = bisect_right(self._start_view, goal, first[row], first[row + 1]) - 1
        symbol = self._symbol_view[run]
        if symbol < self.greedy:
            return symbol
        if symbol == self.none:
            return NO_SLOT
        at = self._at_view
        dx = at[2 * goal] - at[2 * row]
        dy = at[2 * goal + 1] - at[2 * row + 1]
        side = 12 if dx > 0 else 0 if dx < 0 else 6
        side += 4 if dy > 0 else 0 if dy < 0 else 2
        if abs(dy) > abs(dx):
            side += 1
        return self._greedy_view[row * SECTORS + side]

    @cached_property
    def compiled(self) -> RunIndex:
        """Return the runs in the form that compiled lookups take.

        On graph levels the row itself and 0 stand for chart coordinates.
        """
        wide = self.first_run[-1] >= 2**31
        row_data = np.zeros((self.rows + 1, 4), dtype=np.int64 if wide else np.int32)
        row_data[:, 0] = self.first_run
        row_data[:-1, 1] = self.first_arc
        if len(self.at):
            row_data[:-1, 2:] = self.at
        else:
            row_data[:-1, 2] = np.arange(self.rows)
        greedy_slot = self.greedy_slot
        if greedy_slot.max(initial=0) < 2**7:
            greedy_slot = greedy_slot.astype(np.int8)
        return RunIndex(row_data, self.start, self.symbol, self.greedy, greedy_slot)

    @cached_property
    def _keys(self) -> Int64Array:
        """Return (k) int64, row * r + start, which ascends over the whole table."""
        row = np.repeat(np.arange(self.rows, dtype=np.int64), np.diff(self.first_run))
        keys: Int64Array = row * self.rows + self.start
        return keys

    def slots(self, rows: Int32Array, goals: Int32Array) -> Int64Array:
        """Return (m) int64, the slots of m pairs, NO_SLOT where there is none."""
        if jit.ready(look_up_runs):
            slot = np.empty(len(rows), dtype=np.int64)
            look_up_runs(self.compiled, rows, goals, slot)
        else:
            slot = self._searched_slots(rows, goals)
        slot[(slot == self.none) | (rows == goals)] = NO_SLOT
        if not self.stores_none and self.parted:
            slot[~self.reaches(rows, goals)] = NO_SLOT
        return slot

    def _searched_slots(self, rows: Int32Array, goals: Int32Array) -> Int64Array:
        pair = rows * np.int64(self.rows) + goals
        run = np.searchsorted(self._keys, pair, side="right") - 1
        slot = self.symbol.take(run).astype(np.int64)
        greedy = np.flatnonzero(slot == self.greedy)
        if len(greedy):
            a, b = rows[greedy], goals[greedy]
            away = self.at[b] - self.at[a]
            slot[greedy] = self.greedy_slot[a, sectors(away[:, 0], away[:, 1])]
        return slot

    @cached_property
    def parted(self) -> bool:
        """Tell whether there is more than one component."""
        return bool(self.component.max(initial=0) > 0)

    def reaches(self, rows: Int32Array, goals: Int32Array) -> BoolArray:
        """Return (m) bool, True where there is a path; only for ``stores_none`` false."""
        a, b = self.component[rows], self.component[goals]
        same = np.asarray(a == b)
        if self.reach is None:
            return same
        return np.asarray(same | ((self.reach[a, b >> 3] & (128 >> (b & 7))) != 0))


class DistanceLabels(PlainLabels):
    """Distances between all rows of one profile, by compiled code where there is some."""

    _by_kernel = False

    def ticks(self, row: int, goal: int) -> float:
        if not self._by_kernel:
            if not _compiled():
                return super().ticks(row, goal)
            self._by_kernel = True
        ticks = ticks_between(*self._labels, row, goal)
        return ticks if ticks < INFINITY else np.inf

    def ticks_between(self, rows: Int32Array, goals: Int32Array) -> Float64Array:
        """Return (k) float64 ticks of shortest paths; inf where there is none."""
        if not _compiled():
            each = map(super().ticks, rows.tolist(), goals.tolist())
            return np.array([*each], dtype=np.float64)
        ticks = np.empty(len(rows), dtype=np.int64)
        label_distances(self._labels, rows, goals, ticks)
        return np.where(ticks < INFINITY, ticks, np.inf)

    def ticks_toward(self, goal: int) -> Float64Array:
        """Return (r) float64 ticks from every row to one goal; inf where there is no path."""
        rows = np.arange(len(self.parent), dtype=np.int32)
        return self.ticks_between(rows, np.full(len(rows), goal, dtype=np.int32))

    @cached_property
    def _labels(self) -> Labels:
        return Labels(self.parent, self.depth, self.chain, self.first, self.away, self.toward)

    def _summed(
        self, levels: list[Int64Array], difference: Int32Array, codes: AnyArray, file: File
    ) -> Int32Array:
        if not _compiled():
            return super()._summed(levels, difference, codes, file)
        ticks = np.empty(int(self.first[-1]), dtype=np.int32)
        by_depth = np.concatenate([self.parent[:0], *levels]).astype(np.int32)
        if not add_up(self.parent, self.depth, self.first, by_depth, difference, codes, ticks):
            raise file.damaged("a label entry is no distance")
        return ticks


def _compiled() -> bool:
    """Tell whether the kernels of labels run compiled."""
    return jit.ready(label_distances)
