"""Rows of a profile in the form hierarchies want them, version by version.

The arcs of every row are one piece of a pool. A row whose arcs change gets a new piece at the end,
where no version before looks; so a version, once made, never changes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bake.arrays import BoolArray, Int32Array
from bake.graph import BLOCKED
from bake.kernels.jit import kernel
from bake.search.live.graph import Adjacency


@kernel
def _copy_pieces(
    begin: Int32Array,
    end: Int32Array,
    to: Int32Array,
    weight: Int32Array,
    rows: Int32Array,
    pool: Int32Array,
    used: int,
    span: Int32Array,
) -> int:
    """Append the arcs that may be taken of some rows to a pool; returns how much is used then."""
    for place in range(len(rows)):
        row = rows[place]
        span[row, 0] = used
        for arc in range(begin[row], end[row]):
            if weight[arc] != BLOCKED:
                pool[used, 0] = to[arc]
                pool[used, 1] = weight[arc]
                used += 1
        span[row, 1] = used
    return used


@kernel
def _least(pool: Int32Array, span: Int32Array, row: int, head: int) -> int:
    """Ticks of the cheapest arc from one row to another."""
    least = 2**31 - 1
    for arc in range(span[row, 0], span[row, 1]):
        if pool[arc, 0] == head:
            least = min(least, int(pool[arc, 1]))
    return least


@kernel
def _find_odd(pool: Int32Array, span: Int32Array, rows: Int32Array, odd: BoolArray) -> None:
    """Mark the rows with an arc that does not lead back at the same cost."""
    for place in range(len(rows)):
        row = rows[place]
        odd[row] = False
        for arc in range(span[row, 0], span[row, 1]):
            other = pool[arc, 0]
            if other >= 0 and _least(pool, span, row, other) != _least(pool, span, other, row):
                odd[row] = True


class ArcPool:
    """Room for pieces, shared by all versions; one thread at a time adds to it.

    Attributes:
        arcs: (m, 2) int32, the node each arc leads to, -1 where it may not be taken, and ticks.
        used: how much is taken.
    """

    def __init__(self, arcs: Int32Array) -> None:
        self.arcs = np.empty((len(arcs) + len(arcs) // 4 + 1024, 2), dtype=np.int32)
        self.arcs[: len(arcs)] = arcs
        self.used = len(arcs)

    def add(self, adjacency: Adjacency, rows: Int32Array, span: Int32Array) -> None:
        """Write new pieces for some rows, and where they lie into ``span`` (r, 2)."""
        needed = int((adjacency.end[rows] - adjacency.begin[rows]).sum())
        if self.used + needed > len(self.arcs):
            wider = np.empty((2 * len(self.arcs) + needed, 2), dtype=np.int32)
            wider[: self.used] = self.arcs[: self.used]
            self.arcs = wider
        self.used = _copy_pieces(
            adjacency.begin,
            adjacency.end,
            adjacency.to,
            adjacency.weight,
            rows,
            self.arcs,
            self.used,
            span,
        )


@dataclass(frozen=True)
class LiveRows:
    """One version of the rows.

    Attributes:
        pool: of arcs out of rows; span: (r, 2) int32, each row's first and one past its last.
        arcs: the pool's array as it was when this version was made.
        odd: (r) bool, rows with an arc that does not lead back at the same cost.
    """

    pool: ArcPool
    arcs: Int32Array
    span: Int32Array
    odd: BoolArray

    @staticmethod
    def of(row_data: Int32Array, arc_data: Int32Array, *, two_way: bool) -> LiveRows:
        """The rows as they were baked; see :mod:`bake.search.hierarchy.inside`."""
        pool = ArcPool(arc_data)
        span = np.ascontiguousarray(row_data[:, 2:])
        odd = np.zeros(len(span), dtype=np.bool_)
        if not two_way:
            _find_odd(pool.arcs, span, np.arange(len(span), dtype=np.int32), odd)
        return LiveRows(pool, pool.arcs, span, odd)

    @property
    def two_way(self) -> bool:
        return not self.odd.any()

    def edited(self, out: Adjacency, rows: Int32Array) -> LiveRows:
        """The version with the arcs some rows have now.

        Args:
            out: arcs by tail, of all rows.
            rows: both ends of every arc that is different; new rows, too.
        """
        more = out.row_count - len(self.odd)
        span = np.concatenate([self.span, np.zeros((more, 2), dtype=np.int32)])
        odd = np.concatenate([self.odd, np.zeros(more, dtype=np.bool_)])
        self.pool.add(out, rows, span)
        _find_odd(self.pool.arcs, span, rows, odd)
        return LiveRows(self.pool, self.pool.arcs, span, odd)
