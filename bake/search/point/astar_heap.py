"""A* with a binary heap. P. Hart, N. Nilsson, B. Raphael, "A formal basis for the heuristic
determination of minimum cost paths", IEEE Trans. SSC 4(2), 1968.

For weights too unlike for buckets. Rows come in order of f, ties with the larger g first. A row
whose distance shrinks is put in again, closed or not, so inconsistent heuristics are exact, too.
"""

from __future__ import annotations

from bake.arrays import Float64Array, Int32Array, Int64Array, UInt32Array
from bake.kernels.heap import Heap, drop_first, push
from bake.kernels.jit import kernel
from bake.search.point.bucket_queue import FOUND, FULL, NO_PATH
from bake.search.point.estimate import estimated, spot

_FAR = 2**31 - 1


@kernel
def search_heap(
    first_out: Int32Array,
    arcs: UInt32Array,
    numbers: Float64Array,
    at: Int32Array,
    table: Int32Array,
    label: Int64Array,
    seen: Int32Array,
    stamp: int,
    heap: Heap,
    start: int,
    goal: int,
    answer: Int64Array,
) -> int:
    """Search from start to another row; see :func:`bake.search.point.astar_buckets.search_buckets`.

    Args:
        heap: room for the open list.
    """
    kind, straight, extra = int(numbers[0]), int(numbers[1]), int(numbers[2])
    shift, inflation, scale = int(numbers[3]), int(numbers[4]), numbers[5]
    goal_x, goal_y = spot(at, goal)
    mark = -(stamp << 32)
    older = mark + (1 << 32)
    label[start] = mark
    seen[start, 0] = -1
    seen[start, 1] = estimated(
        kind, straight, extra, shift, inflation, scale, at, table, start, goal, goal_x, goal_y
    )
    # f in the high half; what is left to g's largest value in the low half.
    held = push(heap, 0, (int(seen[start, 1]) << 32) | _FAR, start)
    best = _FAR
    expanded = 0
    while held > 0:
        first, row = int(heap[0, 0]), int(heap[0, 1])
        held = drop_first(heap, held)
        if first >> 32 >= best:
            break
        g = _FAR - (first & 0xFFFFFFFF)
        if mark + g != label[row]:
            continue
        expanded += 1
        for arc in range(first_out[row], first_out[row + 1]):
            head = arcs[arc, 0]
            reached = g + int(arcs[arc, 1])
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
            if head == goal:
                best = reached
                continue
            if held == len(heap):
                return FULL
            held = push(heap, held, (f << 32) | (_FAR - reached), head)
    answer[0] = best
    answer[1] = expanded
    return NO_PATH if best == _FAR else FOUND
