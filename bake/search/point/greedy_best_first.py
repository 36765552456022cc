"""Greedy best-first search: always on from the row that looks nearest to the goal.

J. Doran, D. Michie, "Experiments with the graph traverser program", Proc. Royal Society A 294,
1966. Fast where the heuristic is good; promises nothing about the path but that it is one.
"""

from __future__ import annotations

from bake.arrays import Float64Array, Int32Array, Int64Array, UInt32Array
from bake.kernels.heap import Heap, drop_first, push
from bake.kernels.jit import kernel
from bake.search.point.bucket_queue import FOUND, FULL, NO_PATH
from bake.search.point.estimate import estimated, spot


@kernel
def search_greedily(
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
    """Search from start to another row; arguments as :func:`~.astar_heap.search_heap`."""
    kind, straight, extra = int(numbers[0]), int(numbers[1]), int(numbers[2])
    shift, inflation, scale = int(numbers[3]), int(numbers[4]), numbers[5]
    goal_x, goal_y = spot(at, goal)
    mark = -(stamp << 32)
    older = mark + (1 << 32)
    label[start] = mark
    seen[start, 0] = -1
    held = push(heap, 0, 0, start)
    pushed = 1
    expanded = 0
    while held > 0:
        row = int(heap[0, 1])
        held = drop_first(heap, held)
        expanded += 1
        so_far = label[row]
        for arc in range(first_out[row], first_out[row + 1]):
            head = arcs[arc, 0]
            reached = so_far + int(arcs[arc, 1])
            if label[head] < older:
                # Of parallel arcs the cheapest.
                if seen[head, 0] == row and reached < label[head]:
                    label[head] = reached
                continue
            label[head] = reached
            seen[head, 0] = row
            if head == goal:
                continue
            if held == len(heap):
                return FULL
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
            # Of equals the one seen first, as in a queue.
            held = push(heap, held, (h << 32) | pushed, head)
            pushed += 1
        if label[goal] < older:
            answer[0] = label[goal] - mark
            answer[1] = expanded
            return FOUND
    answer[1] = expanded
    return NO_PATH
