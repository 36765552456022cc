"""Distances by labels, by compiled code where there is some."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from bake.arrays import AnyArray, Float64Array, Int32Array, Int64Array
from bake.graph import INFINITY
from bake.kernels import jit
from bake.search.contraction.labels import Labels, add_up, label_distances, ticks_between
from levelbake.file import File
from levelbake.hops import Labels as PlainLabels


class DistanceLabels(PlainLabels):
    """Distances between all rows of one profile."""

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
