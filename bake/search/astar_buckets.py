"""A* with a bucket queue. P. Hart, N. Nilsson, B. Raphael, "A formal basis for the heuristic
determination of minimum cost paths", IEEE Trans. SSC 4(2), 1968; buckets after R. Dial,
"Algorithm 360", Comm. ACM 12(11), 1969.

Buckets are wider than a tick, so a row may be taken before its distance is final. It is then taken
again: the search corrects its labels and ends only when nothing left could lead to a shorter path.
The result is exact for every admissible heuristic, consistent or not. A bucket gives back what was
put in last, which mostly lies nearest to the goal: ties go to the larger g.

Without a heuristic this is Dijkstra's algorithm with an early exit; with an inflated one weighted
A* (I. Pohl, "Heuristic search viewed as path finding in a graph", Artificial Intelligence 1, 1970).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bake.graph import Int32Array
from bake.search.estimate import estimated
from bake.search.jit import kernel

#: What searches return: there is a path, there is none, the queue needs more room.
FOUND = 1
NO_PATH = 0
FULL = -1

_FAR = 2**31 - 1


@kernel
def search_buckets(
    first_out: Int32Array,
    arcs: Int32Array,
    numbers: npt.NDArray[np.float64],
    at: Int32Array,
    table: Int32Array,
    state: Int32Array,
    stamp: int,
    entry: Int32Array,
    bucket: Int32Array,
    width: int,
    start: int,
    goal: int,
    answer: npt.NDArray[np.int64],
) -> int:
    """Search from start to another row.

    Args:
        first_out: (r + 1) int32.
        arcs: (m, 2) int32, head and weight of each arc.
        numbers, at, table: the heuristic, from :class:`bake.search.estimate.Estimate`.
        state: (r, 4) int32: stamp of the last search that saw the row, distance from start, parent
            row, estimate. Only entries of this stamp mean anything.
        stamp: of this search; no earlier search on this state used it.
        entry: (e, 3) int32 room for the queue: row, its distance when it was put in, next entry.
        bucket: (b + 1) int32, the first entry of each bucket, all -1; the last one holds what is
            too far for the others. All -1 again afterwards.
        width: a bucket spans 2**width ticks.
        start, goal: rows.
        answer: (2) int64, filled with ticks of the path and how often a row was expanded.

    Returns:
        FOUND, NO_PATH or FULL.
    """
    kind, straight, extra = int(numbers[0]), int(numbers[1]), int(numbers[2])
    shift, inflation, scale = int(numbers[3]), int(numbers[4]), numbers[5]
    far = len(bucket) - 1
    h = estimated(kind, straight, extra, shift, inflation, scale, at, table, start, goal)
    state[start, 0] = stamp
    state[start, 1] = 0
    state[start, 2] = -1
    state[start, 3] = h
    base = h
    entry[0, 0] = start
    entry[0, 1] = 0
    entry[0, 2] = -1
    bucket[0] = 0
    used = 1
    free = -1
    held = 1
    cursor = 0
    top = 0
    best = _FAR
    expanded = 0
    status = NO_PATH
    while held > 0:
        while bucket[cursor] < 0:
            cursor += 1
        if cursor == far:
            # Only the far ones are left: begin again at the nearest of them.
            if base + (far << width) >= best:
                break
            one = bucket[far]
            bucket[far] = -1
            base = _FAR
            other = one
            while other >= 0:
                base = min(base, int(entry[other, 1]) + int(state[entry[other, 0], 3]))
                other = int(entry[other, 2])
            while one >= 0:
                after = int(entry[one, 2])
                f = int(entry[one, 1]) + int(state[entry[one, 0], 3])
                place = min((f - base) >> width, far)
                entry[one, 2] = bucket[place]
                bucket[place] = one
                one = after
            cursor = 0
            top = far
            continue
        if base + (cursor << width) >= best:
            break
        one = int(bucket[cursor])
        bucket[cursor] = entry[one, 2]
        row = int(entry[one, 0])
        g = int(entry[one, 1])
        entry[one, 2] = free
        free = one
        held -= 1
        if g != state[row, 1] or g + state[row, 3] >= best:
            continue
        expanded += 1
        for arc in range(first_out[row], first_out[row + 1]):
            head = int(arcs[arc, 0])
            reached = g + int(arcs[arc, 1])
            if state[head, 0] == stamp:
                if state[head, 1] <= reached:
                    continue
                h = int(state[head, 3])
            else:
                h = estimated(kind, straight, extra, shift, inflation, scale, at, table, head, goal)
            f = reached + h
            if f >= best:
                continue
            state[head, 0] = stamp
            state[head, 1] = reached
            state[head, 2] = row
            state[head, 3] = h
            if head == goal:
                best = reached
                status = FOUND
                continue
            if free >= 0:
                one = free
                free = int(entry[one, 2])
            else:
                one = used
                if used == len(entry):
                    status = FULL
                    break
                used += 1
            place = min(max((f - base) >> width, cursor), far)
            entry[one, 0] = head
            entry[one, 1] = reached
            entry[one, 2] = bucket[place]
            bucket[place] = one
            top = max(top, place)
            held += 1
        if status == FULL:
            break
    for place in range(cursor, top + 1):
        bucket[place] = -1
    bucket[far] = -1
    answer[0] = best
    answer[1] = expanded
    return status


@kernel
def trail(state: Int32Array, goal: int, path: Int32Array) -> int:
    """Write the rows from start to goal into ``path`` (r); returns how many there are."""
    length = 0
    row = goal
    while row >= 0:
        path[length] = row
        length += 1
        row = int(state[row, 2])
    for place in range(length >> 1):
        other = length - 1 - place
        row = int(path[place])
        path[place] = path[other]
        path[other] = row
    return length
