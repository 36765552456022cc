"""Tell distances by labels over an elimination tree: a few sums for any two rows, no search.

A row's *label* holds its distances to the rows on the way from the root of its tree to itself. All
shortest paths between two rows pass a row that lies on both their ways (D. Ouyang, L. Qin,
L. Chang, X. Lin, Y. Zhang, Q. Zhu, "When Hierarchy Meets 2-Hop-Labeling", SIGMOD 2018). An asset
keeps what each distance differs by from that of the next row on the way. All are added up once,
when the first distance is asked for, and take four bytes each from then on.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from bake.arrays import AnyArray, Float64Array, Int32Array
from bake.graph import INFINITY
from bake.play.reader.hops import view_of
from levelbake.errors import CorruptAssetError

if TYPE_CHECKING:
    from bake.search.contraction.labels import Labels

#: Code of an entry where there is no way.
_NO_WAY = 0


class DistanceLabels:
    """Distances between all rows of one profile.

    Attributes:
        parent: (r) int32, the next row on the way to the root; -1 at a root.
        depth: (r) int32, how many rows lie on that way.
        chain: (r) int32, the highest row of the chain each one lies in; chains follow the child
            with most rows below it, so a way to the root passes few of them.
        first: (r + 1) int64, where each label begins: a distance for each depth from 0, the root,
            to that of the row itself, which is 0.
        away: (k) int32 ticks from the row; INFINITY where there is no way.
        toward: (k) int32 ticks to the row; the same array where the two are always equal.
    """

    def __init__(
        self,
        parent: Int32Array,
        difference: Int32Array | None,
        away: AnyArray,
        toward: AnyArray | None,
        damaged: Callable[[str], CorruptAssetError],
    ) -> None:
        """Add up what an asset keeps.

        Args:
            parent, difference, away, toward: the columns label_parent, label_difference,
                label_away and label_toward. Where difference is None, the last two are added up
                already, and each label ends with the distance 0 of the row to itself.
            damaged: makes the error for columns that make no labels, which is raised.
        """
        depth = _depths(parent)
        if depth is None:
            raise damaged("label_parent makes no trees")
        self.parent, self.depth = parent, depth
        by_depth = np.argsort(depth, kind="stable").astype(np.int32)
        self.chain = _chains(parent, depth, by_depth)
        self.first = np.zeros(len(parent) + 1, dtype=np.int64)
        np.cumsum(depth + np.int64(1), out=self.first[1:])
        found = []
        for codes in (away,) if toward is None else (away, toward):
            if len(codes) != self.first[-1] - (0 if difference is None else len(parent)):
                raise damaged("label entries do not fit label_parent")
            if difference is None:
                found.append(codes)
                continue
            ticks = self._added_up(by_depth, difference, codes)
            if ticks is None:
                raise damaged("a label entry is no distance")
            found.append(ticks)
        self._ask: Callable[..., int] | None = None
        self.away, self.toward = found[0], found[-1]

    # -- answers ----------------------------------------------------------------------------------

    def ticks(self, row: int, goal: int) -> float:
        """Return the ticks of a shortest path; inf where there is none."""
        ask = self._ask
        if ask is None and _compiled():
            from bake.search.contraction.labels import ticks_between

            self._ask = ask = ticks_between
        ticks = self._least(row, goal) if ask is None else ask(*self._labels, row, goal)
        return ticks if ticks < INFINITY else np.inf

    def ticks_between(self, rows: Int32Array, goals: Int32Array) -> Float64Array:
        """Return (k) float64 ticks of shortest paths; inf where there is none."""
        ticks = np.empty(len(rows), dtype=np.int64)
        if _compiled():
            from bake.search.contraction.labels import label_distances

            label_distances(self._labels, rows, goals, ticks)
        else:
            ticks[:] = [*map(self._least, rows.tolist(), goals.tolist())]
        return np.where(ticks < INFINITY, ticks, np.inf)

    def ticks_toward(self, goal: int) -> Float64Array:
        """Return (r) float64 ticks from every row to one goal; inf where there is no path."""
        rows = np.arange(len(self.parent), dtype=np.int32)
        return self.ticks_between(rows, np.full(len(rows), goal, dtype=np.int32))

    @cached_property
    def _labels(self) -> Labels:
        from bake.search.contraction.labels import Labels

        return Labels(self.parent, self.depth, self.chain, self.first, self.away, self.toward)

    # -- answers without a compiler ---------------------------------------------------------------

    @cached_property
    def _views(self) -> tuple[memoryview[int], memoryview[int], memoryview[int]]:
        return view_of(self.parent), view_of(self.depth), view_of(self.chain)

    def _least(self, row: int, goal: int) -> int:
        """Return the least sum over the rows on both ways; INFINITY and more where there is none.

        The steps are those of :mod:`bake.search.contraction.labels`.
        """
        parent, depth, chain = self._views
        one, other = row, goal
        while chain[one] != chain[other]:
            if depth[chain[one]] < depth[chain[other]]:
                one, other = other, one
            one = parent[chain[one]]
            if one < 0:
                return INFINITY
        shared = min(depth[one], depth[other]) + 1
        a, b = int(self.first[row]), int(self.first[goal])
        sums = np.add(self.away[a : a + shared], self.toward[b : b + shared], dtype=np.int64)
        return int(sums.min())

    # -- loading ----------------------------------------------------------------------------------

    def _added_up(
        self, by_depth: Int32Array, difference: Int32Array, codes: AnyArray
    ) -> Int32Array | None:
        """Return (k) int32 ticks of all entries; None where one is no distance."""
        parent, depth, first = self.parent, self.depth, self.first
        ticks = np.empty(int(first[-1]), dtype=np.int32)
        if _compiled():
            from bake.search.contraction.labels import add_up

            sound = add_up(parent, depth, first, by_depth, difference, codes, ticks)
            return ticks if sound else None
        ticks[first[:-1] + depth] = 0
        for deep, rows in enumerate(_levels(depth, by_depth)):
            if not deep:
                continue
            at = np.arange(deep)
            base = ticks[first[parent[rows], None] + at]
            code = codes[(first[rows] - rows)[:, None] + at]
            told = difference[code] + np.where(base < INFINITY, base, np.int64(0))
            known = code != _NO_WAY
            if ((told < 1) | (told >= INFINITY))[known].any():
                return None
            ticks[first[rows, None] + at] = np.where(known, told, INFINITY)
        return ticks


def _compiled() -> bool:
    """Tell whether the kernels of labels run compiled."""
    from bake.kernels.jit import COMPILED, ready

    if not COMPILED:
        return False
    from bake.search.contraction.labels import label_distances

    return ready(label_distances)


def _depths(parent: Int32Array) -> Int32Array | None:
    """Return (r) int32, how many rows lie on each one's way to a root; None where a way has no end.

    J. JáJá, "An Introduction to Parallel Algorithms", section 2.2 (pointer jumping).
    """
    rows = len(parent)
    depth, above = (parent >= 0).astype(np.int32), parent.copy()
    for _ in range(rows.bit_length() + 1):
        inner = np.flatnonzero(above >= 0)
        if not len(inner):
            return depth
        depth[inner] += depth[above[inner]]
        above[inner] = above[above[inner]]
    return None


def _levels(depth: Int32Array, by_depth: Int32Array) -> list[Int32Array]:
    """Return the rows of each depth, the roots first."""
    return np.split(by_depth, np.cumsum(np.bincount(depth, minlength=1))[:-1])


def _chains(parent: Int32Array, depth: Int32Array, by_depth: Int32Array) -> Int32Array:
    """Return (r) int32, the highest row of the chain each row lies in."""
    levels = _levels(depth, by_depth)
    below = np.ones(len(parent), dtype=np.int64)
    for rows in reversed(levels[1:]):
        np.add.at(below, parent[rows], below[rows])
    inner = np.flatnonzero(parent >= 0)
    inner = inner[np.argsort(below[inner], kind="stable")].astype(np.int32)
    heaviest = np.full(len(parent), -1, dtype=np.int32)
    heaviest[parent[inner]] = inner  # Of several children the last stays, which has most below it.
    chain = np.arange(len(parent), dtype=np.int32)
    for rows in levels[1:]:
        going_on = rows[heaviest[parent[rows]] == rows]
        chain[going_on] = chain[parent[going_on]]
    return chain
