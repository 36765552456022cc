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

from bake.arrays import Float64Array, Int32Array, Int64Array, UInt32Array
from bake.kernels.jit import kernel
from bake.search.point.bucket_queue import FOUND, FULL, NO_PATH, UNREACHED, clear, spread
from bake.search.point.estimate import estimated, spot

#: The lowest bit of a byte; 8 where there is none.
_LOWEST = np.array([8, *((byte & -byte).bit_length() - 1 for byte in range(1, 256))], np.uint8)


@kernel
def search_buckets(
    first_out: Int32Array,
    arcs: UInt32Array,
    successors: Int32Array,
    numbers: Float64Array,
    at: Int32Array,
    table: Int32Array,
    label: Int64Array,
    seen: Int32Array,
    stamp: int,
    entry: Int32Array,
    bucket: Int32Array,
    width: int,
    start: int,
    goal: int,
    answer: Int64Array,
) -> int:
    """Search from start to another row.

    Args:
        first_out: (r + 1) int32.
        arcs: (m, 2) uint32, head and weight of each arc.
        successors: (m) int32, bits of the arcs worth looking at after each arc; empty = all of
            them. Only for consistent heuristics.
        numbers, at, table: the heuristic, from :class:`bake.search.point.estimate.Estimate`.
        label: (r) int64: distance from start, less 2**32 times the stamp of the search that found
            it. So labels of earlier searches are larger than all of this one, and one comparison
            tells whether a way is new or shorter.
        seen: (r, 3) int32, of rows labelled by this search: parent row, estimate, and the bits of
            the arc that led there.
        stamp: of this search, larger than those of earlier ones on these labels.
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
    goal_x, goal_y = spot(at, goal)
    far = len(bucket) - 1
    h = estimated(
        kind, straight, extra, shift, inflation, scale, at, table, start, goal, goal_x, goal_y
    )
    mark = -(stamp << 32)
    older = mark + (1 << 32)
    label[start] = mark
    seen[start, 0] = -1
    seen[start, 1] = h
    seen[start, 2] = -1
    pruned = len(successors) > 0
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
    best = UNREACHED
    expanded = 0
    status = NO_PATH
    while held > 0:
        while bucket[cursor] < 0:
            cursor += 1
        if cursor == far:
            # Only the far ones are left: begin again at the nearest of them.
            if base + (far << width) >= best:
                break
            base = spread(entry, bucket, seen, width)
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
        if mark + g != label[row] or g + seen[row, 1] >= best:
            continue
        expanded += 1
        # Sign bits follow where a row has more arcs than there are bits: then all are set.
        bits = int(seen[row, 2])
        arc = int(first_out[row])
        end = int(first_out[row + 1])
        while bits != 0:
            skip = int(_LOWEST[bits & 255])
            arc += skip
            bits >>= skip
            if skip == 8:
                continue
            if arc >= end:
                break
            by = arc
            arc += 1
            bits >>= 1
            head = arcs[by, 0]
            reached = g + int(arcs[by, 1])
            known = label[head]
            if known <= mark + reached:
                continue
            if known < older:
                h = int(seen[head, 1])
            else:
                h = estimated(
                    kind,
                    straight,
                    extra,
                    shift,
                    inflation,
                    scale,
                    at,
                    table,
                    head,
                    goal,
                    goal_x,
                    goal_y,
                )
            f = reached + h
            if f >= best:
                continue
            label[head] = mark + reached
            seen[head, 0] = row
            seen[head, 1] = h
            seen[head, 2] = successors[by] if pruned else -1
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
    clear(bucket, cursor, top)
    answer[0] = best
    answer[1] = expanded
    return status


@kernel
def trail(seen: Int32Array, goal: int, path: Int32Array) -> int:
    """Write the rows from start to goal into ``path`` (r); returns how many there are."""
    length = 0
    row = goal
    while row >= 0:
        path[length] = row
        length += 1
        row = int(seen[row, 0])
    for place in range(length >> 1):
        other = length - 1 - place
        row = int(path[place])
        path[place] = path[other]
        path[other] = row
    return length
