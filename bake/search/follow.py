"""Lookups and walks on next hops stored as runs, compiled.

The same steps as :class:`bake.runtime.hops.RunHops`, for games that can afford numba.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bake.graph import Int32Array
from bake.search.jit import kernel

#: Returned where a walk is longer than there are rows: the table leads in a circle.
ASTRAY = -1


@kernel
def _slot(
    first_run: npt.NDArray[np.int64],
    start: Int32Array,
    symbol: npt.NDArray[np.uint8],
    greedy: int,
    at: Int32Array,
    greedy_slot: Int32Array,
    row: int,
    goal: int,
) -> int:
    low = first_run[row]
    length = first_run[row + 1] - low
    # Halving by arithmetic, not by branches, which would be guessed wrong half the time.
    while length > 1:
        half = length >> 1
        low += half if start[low + half] <= goal else 0
        length -= half
    slot = np.int64(symbol[low])
    if slot == greedy:
        dx = at[goal, 0] - at[row, 0]
        dy = at[goal, 1] - at[row, 1]
        side = np.int64(dx > 0) - np.int64(dx < 0) + 1
        side = side * 3 + np.int64(dy > 0) - np.int64(dy < 0) + 1
        slot = np.int64(greedy_slot[row, side * 2 + np.int64(abs(dy) > abs(dx))])
    return int(slot)


@kernel
def look_up_runs(
    first_run: npt.NDArray[np.int64],
    start: Int32Array,
    symbol: npt.NDArray[np.uint8],
    greedy: int,
    at: Int32Array,
    greedy_slot: Int32Array,
    rows: Int32Array,
    goals: Int32Array,
    slots: npt.NDArray[np.int64],
) -> None:
    """Slots of many pairs, each with a path and not there yet."""
    for pair in range(len(rows)):
        slots[pair] = _slot(
            first_run, start, symbol, greedy, at, greedy_slot, int(rows[pair]), int(goals[pair])
        )


@kernel
def follow_runs(
    first_run: npt.NDArray[np.int64],
    start: Int32Array,
    symbol: npt.NDArray[np.uint8],
    greedy: int,
    at: Int32Array,
    greedy_slot: Int32Array,
    first_arc: Int32Array,
    head_row: Int32Array,
    rows: Int32Array,
    goals: Int32Array,
    pair: int,
    first: npt.NDArray[np.int64],
    path: Int32Array,
) -> int:
    """Walk from rows to goals, pair by pair, until all are done or the buffer is full.

    Args:
        first_run ... greedy_slot: the table, see :class:`bake.runtime.hops.RunHops`.
        first_arc: (r) int32, first arc of each row.
        head_row: (m) int32, row each arc leads to.
        rows, goals: (p) int32; a negative row has no path.
        pair: which pair to go on with.
        first: (p + 1) int64, where each path begins; filled up to the pair returned.
        path: rows along the paths, ends included.

    Returns:
        The pair to go on with after enlarging ``path``; p when done; ASTRAY.
    """
    count = len(first_run) - 1
    while pair < len(rows):
        filled = first[pair]
        row = int(rows[pair])
        goal = int(goals[pair])
        if row >= 0:
            begun = filled
            while True:
                if filled == len(path):
                    return pair
                path[filled] = row
                filled += 1
                if row == goal:
                    break
                if filled - begun > count:
                    return ASTRAY
                slot = _slot(first_run, start, symbol, greedy, at, greedy_slot, row, goal)
                row = int(head_row[first_arc[row] + slot])
        pair += 1
        first[pair] = filled
    return pair


@kernel
def follow_table(
    table: npt.NDArray[np.uint8],
    first_arc: Int32Array,
    head_row: Int32Array,
    rows: Int32Array,
    goals: Int32Array,
    pair: int,
    first: npt.NDArray[np.int64],
    path: Int32Array,
) -> int:
    """:func:`follow_runs` on a dense table of slots, (r, r) unsigned."""
    while pair < len(rows):
        filled = first[pair]
        row = int(rows[pair])
        goal = int(goals[pair])
        if row >= 0:
            begun = filled
            while True:
                if filled == len(path):
                    return pair
                path[filled] = row
                filled += 1
                if row == goal:
                    break
                if filled - begun > len(table):
                    return ASTRAY
                row = int(head_row[first_arc[row] + np.int64(table[row, goal])])
        pair += 1
        first[pair] = filled
    return pair
