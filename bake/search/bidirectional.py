"""Search from both ends.

T. Nicholson, "Finding the shortest route between two points in a network", Computer Journal 9,
1966; with a heuristic T. Ikeda and others, "A fast algorithm for finding better routes by AI search
techniques", VNIS 1994: both sides use half the difference of the two estimates, so that together
they are one Dijkstra search on changed weights. That needs consistency.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bake.graph import Int32Array
from bake.search.astar_buckets import FOUND, FULL, NO_PATH
from bake.search.estimate import estimated
from bake.search.heap import pop, push
from bake.search.jit import kernel

_FAR = 2**31 - 1


@kernel
def search_from_both_ends(
    first_out: Int32Array,
    arcs: Int32Array,
    first_in: Int32Array,
    arcs_in: Int32Array,
    numbers: npt.NDArray[np.float64],
    at: Int32Array,
    table: Int32Array,
    state: Int32Array,
    back: Int32Array,
    stamp: int,
    key: npt.NDArray[np.int64],
    item: Int32Array,
    back_key: npt.NDArray[np.int64],
    back_item: Int32Array,
    start: int,
    goal: int,
    answer: npt.NDArray[np.int64],
) -> int:
    """Search from start to another row and back; a shortest path goes through the row in answer[2].

    Args:
        first_out, arcs: as for A*; first_in, arcs_in: the same with every arc turned round.
        numbers, at, table: a consistent heuristic that is not made for one goal, or null.
        state, back: (r, 4) int32 scratch of the two sides, as for A*.
        key, item, back_key, back_item: (e) room for the two heaps.
        answer: (3) int64, filled with ticks, rows expanded, and where the sides met.

    Returns:
        FOUND, NO_PATH or FULL.
    """
    kind, straight, extra = int(numbers[0]), int(numbers[1]), int(numbers[2])
    shift, inflation, scale = int(numbers[3]), int(numbers[4]), numbers[5]
    for side in range(2):
        of_side = state if side == 0 else back
        root = start if side == 0 else goal
        of_side[root, 0] = stamp
        of_side[root, 1] = 0
        of_side[root, 2] = -1
    apart = estimated(kind, straight, extra, shift, inflation, scale, at, table, start, goal)
    # Keys are 2 g + h(to the other end) - h(to the own end), twice Ikeda's. Whatever joins the
    # two sides later costs at least half the sum of the smallest ones.
    held = push(key, item, 0, apart, start)
    back_held = push(back_key, back_item, 0, apart, goal)
    best = _FAR
    expanded = 0
    while held > 0 and back_held > 0 and key[0] + back_key[0] < 2 * best:
        forward = held <= back_held
        if forward:
            first = int(key[0])
            row = int(item[0])
            held = pop(key, item, held)
        else:
            first = int(back_key[0])
            row = int(back_item[0])
            back_held = pop(back_key, back_item, back_held)
        to_goal = estimated(kind, straight, extra, shift, inflation, scale, at, table, row, goal)
        to_start = estimated(kind, straight, extra, shift, inflation, scale, at, table, start, row)
        mine = state if forward else back
        other = back if forward else state
        g = int(mine[row, 1])
        if first != 2 * g + (to_goal - to_start if forward else to_start - to_goal):
            continue
        expanded += 1
        first_of = first_out if forward else first_in
        arcs_of = arcs if forward else arcs_in
        for arc in range(first_of[row], first_of[row + 1]):
            head = int(arcs_of[arc, 0])
            reached = g + int(arcs_of[arc, 1])
            if mine[head, 0] == stamp and mine[head, 1] <= reached:
                continue
            if other[head, 0] == stamp and reached + other[head, 1] < best:
                best = reached + int(other[head, 1])
                answer[2] = head
            mine[head, 0] = stamp
            mine[head, 1] = reached
            mine[head, 2] = row
            to_goal = estimated(
                kind, straight, extra, shift, inflation, scale, at, table, head, goal
            )
            to_start = estimated(
                kind, straight, extra, shift, inflation, scale, at, table, start, head
            )
            if forward:
                if held == len(key):
                    return FULL
                held = push(key, item, held, 2 * reached + to_goal - to_start, head)
            else:
                if back_held == len(back_key):
                    return FULL
                back_held = push(
                    back_key, back_item, back_held, 2 * reached + to_start - to_goal, head
                )
    answer[0] = best
    answer[1] = expanded
    return NO_PATH if best == _FAR else FOUND
