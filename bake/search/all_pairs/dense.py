"""Follow next hops stored as a dense table, in compiled code."""

from __future__ import annotations

import numpy as np

from bake.arrays import Int32Array, Int64Array, UInt8Array
from bake.kernels.jit import kernel
from bake.search.all_pairs.follow import ASTRAY


@kernel
def follow_table(
    table: UInt8Array,
    first_arc: Int32Array,
    end_arc: Int32Array,
    head_row: Int32Array,
    rows: Int32Array,
    goals: Int32Array,
    pair: int,
    first: Int64Array,
    path: Int32Array,
) -> int:
    """Walk on a dense table of slots, pair by pair, until all are done or the buffer is full.

    Args:
        table: (r, r) slots.
        first_arc, end_arc: (r) int32, the arcs of each row.
        head_row, rows, goals: as for :func:`bake.search.all_pairs.follow.follow_runs`.
        pair: which pair to go on with.
        first: (p + 1) int64, where each path begins; filled up to the pair returned.
        path: rows along the paths, ends included.

    Returns:
        The pair to go on with after enlarging ``path``; p when done; ASTRAY.
    """
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


@kernel
def measure_table(
    table: UInt8Array,
    first_arc: Int32Array,
    end_arc: Int32Array,
    head_row: Int32Array,
    weight: Int32Array,
    rows: Int32Array,
    goals: Int32Array,
    ticks: Int64Array,
) -> int:
    """Add up the weights along paths on a dense table of slots.

    Args:
        table, first_arc, end_arc: as for :func:`follow_table`.
        head_row, weight, rows, goals, ticks: as for
            :func:`bake.search.all_pairs.follow.measure_runs`.

    Returns:
        How many pairs there are, or ASTRAY.
    """
    for pair in range(len(rows)):
        row = int(rows[pair])
        goal = int(goals[pair])
        ticks[pair] = 0 if row >= 0 else -1
        steps = 0
        while row >= 0 and row != goal:
            arc = first_arc[row] + np.int64(table[row, goal])
            if steps > len(table) or arc >= end_arc[row] or head_row[arc] < 0:
                return ASTRAY
            steps += 1
            ticks[pair] += weight[arc]
            row = int(head_row[arc])
    return len(rows)
