"""Search from both ends.

T. Nicholson, "Finding the shortest route between two points in a network", Computer Journal 9,
1966; with a heuristic T. Ikeda and others, "A fast algorithm for finding better routes by AI search
techniques", VNIS 1994: both sides use half the difference of the two estimates, so that together
they are one Dijkstra search on changed weights. That needs consistency.
"""

from __future__ import annotations

import numpy as np

from bake.arrays import Float64Array, Int32Array, Int64Array, UInt32Array
from bake.kernels.heap import drop_first, push
from bake.kernels.jit import kernel
from bake.search.point.bucket_queue import FOUND, FULL, NO_PATH
from bake.search.point.estimate import estimated, spot

_FAR = 2**31 - 1


@kernel
def _pull(
    side: int,
    numbers: Float64Array,
    at: Int32Array,
    table: Int32Array,
    row: int,
    start: int,
    goal: int,
) -> int:
    """What a side's keys add to 2 g: the estimate to the other end less that to its own."""
    kind, straight, extra = int(numbers[0]), int(numbers[1]), int(numbers[2])
    shift, inflation, scale = int(numbers[3]), int(numbers[4]), numbers[5]
    x, y = spot(at, goal)
    ahead = estimated(kind, straight, extra, shift, inflation, scale, at, table, row, goal, x, y)
    x, y = spot(at, row)
    behind = estimated(kind, straight, extra, shift, inflation, scale, at, table, start, row, x, y)
    return behind - ahead if side else ahead - behind


@kernel
def search_from_both_ends(
    first: Int32Array,
    arcs: UInt32Array,
    numbers: Float64Array,
    at: Int32Array,
    table: Int32Array,
    label: Int64Array,
    seen: Int32Array,
    stamp: int,
    heap: Int64Array,
    start: int,
    goal: int,
    answer: Int64Array,
) -> int:
    """Search from start to another row and back.

    Args:
        first: (2, r + 1) int32, arcs: (2, m, 2) uint32, the graph as for A*, and with every arc
            turned round.
        numbers, at, table: a consistent heuristic that is not made for one goal, or null.
        label, seen: (2, r) int64 and (2, r, 2) int32, scratch of each side, as for A*.
        heap: (2, e, 2) int64, a heap for each side.
        answer: (3) int64, filled with ticks, rows expanded, and a row where the sides met.

    Returns:
        FOUND, NO_PATH or FULL.
    """
    mark = -(stamp << 32)
    older = mark + (1 << 32)
    held = np.zeros(2, dtype=np.int64)
    for side in range(2):
        root = goal if side else start
        label[side, root] = mark
        seen[side, root, 0] = -1
        pull = _pull(side, numbers, at, table, root, start, goal)
        held[side] = push(heap[side], 0, pull, root)
    best = _FAR
    expanded = 0
    # Whatever joins the sides from here on costs at least half the sum of the smallest keys.
    while held[0] > 0 and held[1] > 0 and heap[0, 0, 0] + heap[1, 0, 0] < 2 * best:
        side = 0 if held[0] <= held[1] else 1
        top, row = int(heap[side, 0, 0]), int(heap[side, 0, 1])
        held[side] = drop_first(heap[side], held[side])
        g = label[side, row] - mark
        if top != 2 * g + _pull(side, numbers, at, table, row, start, goal):
            continue
        expanded += 1
        for arc in range(first[side, row], first[side, row + 1]):
            head = arcs[side, arc, 0]
            reached = g + int(arcs[side, arc, 1])
            if label[side, head] <= mark + reached:
                continue
            met = label[1 - side, head]
            if met < older and reached + met - mark < best:
                best = reached + met - mark
                answer[2] = head
            label[side, head] = mark + reached
            seen[side, head, 0] = row
            if held[side] == heap.shape[1]:
                return FULL
            pull = _pull(side, numbers, at, table, int(head), start, goal)
            held[side] = push(heap[side], held[side], 2 * reached + pull, head)
    answer[0] = best
    answer[1] = expanded
    return NO_PATH if best == _FAR else FOUND
