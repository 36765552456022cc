"""Ways inside one cluster, at run time: along a field, or by a search that stays inside.

The arrays a step needs lie together: ``row_data`` (r, 4) int32 holds, by row, its cluster, its
place in it, its first arc and one past its last; ``arc_data`` (m, 2) int32 the row an arc leads to,
-1 where the profile may not take it, and its weight in ticks.
"""

from __future__ import annotations

import numpy as np

from bake.arrays import Int32Array, Int64Array, UInt8Array
from bake.kernels.heap import Heap, drop_first, push
from bake.kernels.jit import inlined, kernel

#: Columns of ``row_data``.
CLUSTER, PLACE, FIRST, END = 0, 1, 2, 3

#: Columns of ``local``, the memory of a search inside a cluster: by place in it.
TURN, DISTANCE, STEP, FROM = 0, 1, 2, 3

#: Answers that are no distance: there is no way inside; the tables are damaged.
NO_WAY = -1
ASTRAY = -2


@inlined
def slot_at(field: UInt8Array, begin: int, bits: int, place: int) -> int:
    """What a field says at a place of the cluster."""
    if bits == 4:
        slot = np.int64((field[begin + (place >> 1)] >> (4 * (place & 1))) & 15)
    elif bits == 8:
        slot = np.int64(field[begin + place])
    else:
        slot = np.int64(field[begin + 2 * place]) | np.int64(field[begin + 2 * place + 1]) << 8
    return int(slot)


@kernel
def field_distance(
    row_data: Int32Array,
    arc_data: Int32Array,
    field: UInt8Array,
    begin: int,
    bits: int,
    row: int,
    goal: int,
) -> int:
    """Ticks along a field from a row to the transition it leads to; NO_WAY or ASTRAY."""
    none = (1 << bits) - 1
    total = np.int64(0)
    cluster = row_data[row, CLUSTER]
    steps = 0
    while row != goal:
        slot = slot_at(field, begin, bits, row_data[row, PLACE])
        if slot == none:
            return NO_WAY
        arc = row_data[row, FIRST] + slot
        if arc >= row_data[row, END] or steps > len(row_data):
            return ASTRAY
        row = arc_data[arc, 0]
        if row < 0 or row_data[row, CLUSTER] != cluster:
            return ASTRAY
        total += arc_data[arc, 1]
        steps += 1
    return int(total)


@kernel
def field_path(
    row_data: Int32Array,
    arc_data: Int32Array,
    field: UInt8Array,
    begin: int,
    bits: int,
    row: int,
    goal: int,
    path: Int32Array,
    filled: int,
) -> int:
    """Append the rows after ``row`` up to ``goal``; returns how many there are then, or ASTRAY.

    ``path`` needs room for as many rows as the cluster has.
    """
    none = (1 << bits) - 1
    while row != goal:
        slot = slot_at(field, begin, bits, row_data[row, PLACE])
        arc = row_data[row, FIRST] + slot
        if slot == none or arc >= row_data[row, END] or filled >= len(path):
            return ASTRAY
        row = arc_data[arc, 0]
        if row < 0:
            return ASTRAY
        path[filled] = row
        filled += 1
    return filled


@kernel
def search_inside(
    row_data: Int32Array,
    arc_data: Int32Array,
    origin: int,
    goal: int,
    turn: int,
    local: Int64Array,
    heap: Heap,
) -> int:
    """Dijkstra from a row over the arcs inside its cluster.

    Args:
        goal: stop when its distance is known; -1 = search the whole cluster.
        turn: a number no search before had; marks what ``local`` says as of this search.
        local: (k, 4) int64, k the most rows of a cluster; filled with turn, distance, the arc a
            row was reached by, and the row that arc came from.
        heap: room for the arcs of a cluster.

    Returns:
        The distance of the goal, or NO_WAY.
    """
    cluster = row_data[origin, CLUSTER]
    place = row_data[origin, PLACE]
    local[place, TURN] = turn
    local[place, DISTANCE] = 0
    local[place, STEP] = -1
    local[place, FROM] = -1
    size = push(heap, 0, 0, origin)
    while size > 0:
        done, row = heap[0, 0], heap[0, 1]
        size = drop_first(heap, size)
        if row == goal:
            return int(done)
        if done > local[row_data[row, PLACE], DISTANCE]:
            continue
        for arc in range(row_data[row, FIRST], row_data[row, END]):
            other = arc_data[arc, 0]
            if other < 0 or row_data[other, CLUSTER] != cluster:
                continue
            new = done + arc_data[arc, 1]
            spot = row_data[other, PLACE]
            if local[spot, TURN] == turn and local[spot, DISTANCE] <= new:
                continue
            local[spot, TURN] = turn
            local[spot, DISTANCE] = new
            local[spot, STEP] = arc
            local[spot, FROM] = row
            size = push(heap, size, new, other)
    return NO_WAY
