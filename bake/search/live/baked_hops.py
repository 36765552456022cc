"""Look up what an asset answers as baked, one pair at a time, beside other searches."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from bake.core.arrays import AnyArray, Int32Array, Int64Array, UInt8Array
from bake.core.kernels.jit import accessor
from bake.search.all_pairs.follow import BY_GREED, sector


class BakedHops(NamedTuple):
    """The next hops that an asset answers as baked, by row; all arrays are empty without any.

    Attributes:
        row_data: (r + 1, 4) integers, of each row its first run, its component (0 throughout where
            runs say that there is no path), and chart coordinates.
        run, greedy_row: see :class:`bake.search.all_pairs.follow.StepIndex`.
        reach: (components, bytes) uint8 in numpy.packbits order; empty where each component reaches
            only itself.
    """

    row_data: AnyArray
    run: Int64Array
    greedy_row: Int32Array
    reach: UInt8Array


def no_hops() -> BakedHops:
    """Return the next hops of an asset that has none."""
    row_data, greedy_row = np.zeros((1, 4), dtype=np.int32), np.empty((0, 0), dtype=np.int32)
    return BakedHops(row_data, np.empty(0, np.int64), greedy_row, np.empty((0, 0), np.uint8))


def hop_within(baked: BakedHops) -> Callable[[int, int], int]:
    """Return what :func:`baked_hop` does for rows that an asset steps from, without a kernel.

    It takes less time than to hand a kernel its arrays.
    """
    row_data, run, greedy_row = baked.row_data.data, baked.run.data, baked.greedy_row.data

    def hop(row: int, goal: int) -> int:
        largest = goal << 32 | 0xFFFFFFFF
        at = bisect_right(run, largest, row_data[row, 0], row_data[row + 1, 0]) - 1
        ahead = run[at] & 0xFFFFFFFF
        if ahead != BY_GREED:
            return ahead
        dx, dy = (row_data[goal, axis] - row_data[row, axis] for axis in (2, 3))
        side = ((dx > 0) - (dx < 0) + 1) * 3 + (dy > 0) - (dy < 0) + 1
        return int(greedy_row[row, 2 * side + (abs(dy) > abs(dx))])

    return hop


@accessor
def baked_hop(baked: BakedHops, row: int, goal: int) -> int:
    """Return the row that an asset steps to as baked; -1 where it answers none."""
    row_data, run, greedy_row, reached = baked
    count = len(row_data) - 1
    if row >= count or goal >= count or row == goal:
        return -1
    a, b = int(row_data[row, 1]), int(row_data[goal, 1])
    if a != b and (len(reached) == 0 or not reached[a, b >> 3] & (128 >> (b & 7))):
        return -1
    low = int(row_data[row, 0])
    left = int(row_data[row + 1, 0]) - low
    largest = int(goal) << 32 | 0xFFFFFFFF
    while left > 1:
        half = left >> 1
        low += half if run[low + half] <= largest else 0
        left -= half
    ahead = run[low] & 0xFFFFFFFF
    if ahead == BY_GREED:
        dx = int(row_data[goal, 2]) - int(row_data[row, 2])
        dy = int(row_data[goal, 3]) - int(row_data[row, 3])
        ahead = int(greedy_row[row, sector(dx, dy)])
    return ahead if ahead < count else -1
