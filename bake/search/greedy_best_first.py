"""Greedy best-first search: always on from the row that looks nearest to the goal.

J. Doran, D. Michie, "Experiments with the graph traverser program", Proc. Royal Society A 294,
1966. Fast where the heuristic is good; promises nothing about the path but that it is one.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bake.graph import Int32Array
from bake.search.astar_buckets import FOUND, FULL, NO_PATH
from bake.search.estimate import estimated
from bake.search.heap import pop, push
from bake.search.jit import kernel


@kernel
def search_greedily(
    first_out: Int32Array,
    arcs: Int32Array,
    numbers: npt.NDArray[np.float64],
    at: Int32Array,
    table: Int32Array,
    state: Int32Array,
    stamp: int,
    key: npt.NDArray[np.int64],
    item: Int32Array,
    start: int,
    goal: int,
    answer: npt.NDArray[np.int64],
) -> int:
    """Search from start to another row; arguments as :func:`bake.search.astar_heap.search_heap`."""
    kind, straight, extra = int(numbers[0]), int(numbers[1]), int(numbers[2])
    shift, inflation, scale = int(numbers[3]), int(numbers[4]), numbers[5]
    state[start, 0] = stamp
    state[start, 1] = 0
    state[start, 2] = -1
    held = push(key, item, 0, 0, start)
    pushed = 1
    expanded = 0
    while held > 0:
        row = int(item[0])
        held = pop(key, item, held)
        expanded += 1
        for arc in range(first_out[row], first_out[row + 1]):
            head = int(arcs[arc, 0])
            reached = int(state[row, 1]) + int(arcs[arc, 1])
            if state[head, 0] == stamp:
                # Of parallel arcs the cheapest.
                if state[head, 2] == row and reached < state[head, 1]:
                    state[head, 1] = reached
                continue
            state[head, 0] = stamp
            state[head, 1] = reached
            state[head, 2] = row
            if head == goal:
                continue
            if held == len(key):
                return FULL
            h = estimated(kind, straight, extra, shift, inflation, scale, at, table, head, goal)
            # Of equals the one seen first, as in a queue.
            held = push(key, item, held, (h << 32) | pushed, head)
            pushed += 1
        if state[goal, 0] == stamp:
            answer[0] = state[goal, 1]
            answer[1] = expanded
            return FOUND
    answer[1] = expanded
    return NO_PATH
