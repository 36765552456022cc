"""Lookups and walks on next hops stored as runs, compiled.

The same steps as :class:`bake.runtime.hops.RunHops`, for games that can afford numba.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bake.graph import Int32Array
from bake.search.jit import inlined, kernel

#: Returned where a walk takes no arc, or more of them than there are rows: the table is damaged.
ASTRAY = -1


@inlined
def _slot(
    row_data: Int32Array,
    start: Int32Array,
    symbol: npt.NDArray[np.uint8],
    greedy: int,
    greedy_slot: Int32Array,
    row: int,
    goal: int,
) -> int:
    low = np.int64(row_data[row, 0])
    length = np.int64(row_data[row + 1, 0]) - low
    # Halving by arithmetic, not by branches, which would be guessed wrong half the time.
    while length > 1:
        half = length >> 1
        low += half if start[low + half] <= goal else 0
        length -= half
    slot = np.int64(symbol[low])
    if slot == greedy:
        dx = row_data[goal, 2] - row_data[row, 2]
        dy = row_data[goal, 3] - row_data[row, 3]
        side = np.int64(dx > 0) - np.int64(dx < 0) + 1
        side = side * 3 + np.int64(dy > 0) - np.int64(dy < 0) + 1
        slot = np.int64(greedy_slot[row, side * 2 + np.int64(abs(dy) > abs(dx))])
    return int(slot)


@kernel
def look_up_runs(
    row_data: Int32Array,
    start: Int32Array,
    symbol: npt.NDArray[np.uint8],
    greedy: int,
    greedy_slot: Int32Array,
    rows: Int32Array,
    goals: Int32Array,
    slots: npt.NDArray[np.int64],
) -> None:
    """Symbols of many pairs, the greedy move resolved. See :func:`follow_runs`."""
    for pair in range(len(rows)):
        row, goal = int(rows[pair]), int(goals[pair])
        slots[pair] = _slot(row_data, start, symbol, greedy, greedy_slot, row, goal)


@kernel
def follow_runs(
    row_data: Int32Array,
    start: Int32Array,
    symbol: npt.NDArray[np.uint8],
    greedy: int,
    greedy_slot: Int32Array,
    head_row: Int32Array,
    rows: Int32Array,
    goals: Int32Array,
    pair: int,
    first: npt.NDArray[np.int64],
    path: Int32Array,
) -> int:
    """Walk from rows to goals, pair by pair, until all are done or the buffer is full.

    Args:
        row_data: (r + 1, 4) integers, what a step needs of its row in one piece of memory: first
            run, first arc, chart coordinates.
        start, symbol, greedy, greedy_slot: see :class:`bake.runtime.hops.RunHops`.
        head_row: (m) int32, row each arc leads to.
        rows, goals: (p) int32; a negative row has no path.
        pair: which pair to go on with.
        first: (p + 1) int64, where each path begins; filled up to the pair returned.
        path: rows along the paths, ends included.

    Returns:
        The pair to go on with after enlarging ``path``; p when done; ASTRAY.
    """
    count = len(row_data) - 1
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
                slot = _slot(row_data, start, symbol, greedy, greedy_slot, row, goal)
                if filled - begun > count or slot < 0 or slot >= greedy:
                    return ASTRAY
                row = int(head_row[row_data[row, 1] + slot])
                if row < 0:
                    return ASTRAY
        pair += 1
        first[pair] = filled
    return pair


@kernel
def follow_table(
    table: npt.NDArray[np.uint8],
    first_arc: Int32Array,
    end_arc: Int32Array,
    head_row: Int32Array,
    rows: Int32Array,
    goals: Int32Array,
    pair: int,
    first: npt.NDArray[np.int64],
    path: Int32Array,
) -> int:
    """:func:`follow_runs` on a dense table of slots; arcs of a row end at ``end_arc`` (r)."""
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
                arc = first_arc[row] + np.int64(table[row, goal])
                if filled - begun > len(table) or arc >= end_arc[row] or head_row[arc] < 0:
                    return ASTRAY
                row = int(head_row[arc])
        pair += 1
        first[pair] = filled
    return pair
