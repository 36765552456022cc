"""Search between two points with a binary heap: by A*, greedily best-first, or from both ends."""

from __future__ import annotations

import numpy as np

from bake.arrays import Int64Array
from bake.graph import UNREACHABLE
from bake.kernels.heap import Heap, drop_first, push
from bake.kernels.jit import kernel
from bake.search.point.astar_buckets import (
    FOUND,
    FULL,
    NO_PATH,
    PAUSED,
    Labels,
    PackedArcs,
    Slice,
)
from bake.search.point.estimates import (
    INFLATION,
    EstimateTerms,
    GuideTerms,
    coordinates,
    estimated,
    guided_estimate,
)

#: No distance is larger; this number less g puts the larger g first among ties.
_LARGEST_G = 2**31 - 1

#: More ticks than any weighted estimate is.
_NO_COST = 2**52


@kernel
def search_heap(
    graph: PackedArcs,
    terms: EstimateTerms,
    labels: Labels,
    heap: Heap,
    start: int,
    goal: int,
    answer: Int64Array,
    part: Slice,
) -> int:
    """Search from start to another row by A*.

    P. Hart, N. Nilsson, B. Raphael, "A formal basis for the heuristic determination of minimum cost
    paths", IEEE Trans. SSC 4(2), 1968, for weights that differ too much for buckets. Rows come in
    order of f, ties with the larger g first. A row whose distance shrinks is put in again, closed
    or not, so inconsistent heuristics are exact, too.

    Args:
        graph, terms, labels, start, goal, answer, part: as for
            :func:`bake.search.point.astar_buckets.search_buckets`.
        heap: room for the open list.

    Returns:
        FOUND, NO_PATH, FULL or PAUSED.
    """
    piece, arcs = graph
    label, seen, stamp = labels
    goal_x, goal_y = coordinates(terms.at, goal)
    mark = -(stamp << 32)
    older = mark + (1 << 32)
    pause = part.pause
    if pause[0] == 0:
        label[start] = mark
        seen[start, 0] = -1
        seen[start, 1] = estimated(terms, start, goal, goal_x, goal_y)
        # f lies in the high half, and the largest g less g in the low half.
        held = push(heap, 0, (int(seen[start, 1]) << 32) | _LARGEST_G, start)
        best = int(UNREACHABLE)
        expanded = 0
        lost = 0
    else:
        expanded = int(pause[1])
        held = int(pause[3])
        best = int(pause[4])
        lost = int(pause[5])
    until = expanded + part.most
    row = start
    while held > 0 or expanded == until:
        if expanded == until:
            pause[0] = 1
            pause[1] = expanded
            pause[2] = row
            pause[3] = held
            pause[4] = best
            pause[5] = lost
            return PAUSED
        first, row = int(heap[0, 0]), int(heap[0, 1])
        held = drop_first(heap, held)
        if first >> 32 >= best:
            break
        g = _LARGEST_G - (first & 0xFFFFFFFF)
        if mark + g != label[row]:
            continue
        expanded += 1
        for arc in range(piece[row, 0], piece[row, 1]):
            head = arcs[arc, 0]
            reached = g + int(arcs[arc, 1])
            known = label[head]
            if known <= mark + reached:
                continue
            if known < older:
                h = int(seen[head, 1])
            else:
                h = estimated(terms, head, goal, goal_x, goal_y)
            f = reached + h
            if f >= best:
                lost |= best == UNREACHABLE
                continue
            label[head] = mark + reached
            seen[head, 0] = row
            seen[head, 1] = h
            if head == goal:
                best = reached
                continue
            if held == len(heap):
                return FULL
            held = push(heap, held, (f << 32) | (_LARGEST_G - reached), head)
    answer[0] = best
    answer[1] = expanded
    answer[2] = lost
    return NO_PATH if best == UNREACHABLE else FOUND


@kernel
def search_closing(
    graph: PackedArcs,
    terms: EstimateTerms,
    guide: GuideTerms,
    inflation: int,
    late: bool,
    labels: Labels,
    heaps: Int64Array,
    start: int,
    goal: int,
    answer: Int64Array,
) -> int:
    """Search from start to another row by weighted A*, and leave closed rows closed.

    I. Pohl, "Heuristic search viewed as path finding in a graph", Artificial Intelligence 1, 1970.
    Under a consistent heuristic no row is expanded twice, as in M. Likhachev, G. Gordon, S. Thrun,
    "ARA*: Anytime A* with provable bounds on sub-optimality", NIPS 2003: the path costs at most the
    weight times as much as a shortest one all the same. That takes keys which are not rounded, so
    they count in INFLATION-ths of a tick. Under an inconsistent one, the closed rows to which a
    shorter way was found are kept apart until the goal is reached, and are expanded again where one
    of them could lead to a path so short that the bound would not hold.

    A shorter way to a closed row counts for the path, which may so be cheaper than it was when the
    goal was reached.

    Args:
        graph, terms, labels, start, goal, answer: as for
            :func:`bake.search.point.astar_buckets.search_buckets`.
        guide: for this goal, in place of ``terms``; NO_GUIDE where there is none.
        inflation: what the estimates are multiplied with, in INFLATION-ths.
        late: whether to expand closed rows again in the end; for admissible, inconsistent ones.
        heaps: (2, e, 2) int64, room for the open list and for the closed rows kept apart.

    Returns:
        FOUND, NO_PATH or FULL.
    """
    piece, arcs = graph
    label, seen, stamp = labels
    goal_x, goal_y = coordinates(terms.at, goal)
    mark = -(stamp << 32)
    older = mark + (1 << 32)
    label[start] = mark
    seen[start, 0] = -1
    seen[start, 1] = 0
    seen[start, 2] = 0
    guided = len(guide.record) > 0
    heap, later = heaps[0], heaps[1]
    held = push(heap, 0, 0, start)
    waiting = 0
    best = _NO_COST
    expanded = 0
    while True:
        if held == 0 or heap[0, 0] >= best * INFLATION:
            # No path costs less than the least g + h of what was not expanded.
            if waiting == 0 or best == _NO_COST or later[0, 0] * inflation >= best * INFLATION:
                break
            f, row = int(later[0, 0]), int(later[0, 1])
            waiting = drop_first(later, waiting)
            g = int(label[row] - mark)
            if f == g + int(seen[row, 1]):
                seen[row, 2] = 0
                held = push(heap, held, g * INFLATION + int(seen[row, 1]) * inflation, row)
            continue
        row = int(heap[0, 1])
        held = drop_first(heap, held)
        if seen[row, 2] != 0:
            continue
        seen[row, 2] = 1
        expanded += 1
        g = label[row] - mark
        for arc in range(piece[row, 0], piece[row, 1]):
            head = int(np.int64(arcs[arc, 0]))
            reached = g + int(arcs[arc, 1])
            known = label[head]
            if known <= mark + reached or reached >= UNREACHABLE:
                continue
            if known >= older:
                if guided:
                    seen[head, 1] = guided_estimate(guide, head, goal)
                else:
                    seen[head, 1] = estimated(terms, head, goal, goal_x, goal_y)
                seen[head, 2] = 0
            label[head] = mark + reached
            seen[head, 0] = row
            if head == goal:
                best = reached
                continue
            key = reached * INFLATION + int(seen[head, 1]) * inflation
            if max(held, waiting) + 1 >= len(heap):
                return FULL
            if seen[head, 2] != 0:
                if late:
                    waiting = push(later, waiting, reached + int(seen[head, 1]), head)
                continue
            if key >= best * INFLATION:
                continue
            held = push(heap, held, key, head)
    answer[1] = expanded
    if best == _NO_COST:
        return NO_PATH
    answer[0] = 0
    row = goal
    while row != start:
        parent = int(seen[row, 0])
        least = int(UNREACHABLE)
        for arc in range(piece[parent, 0], piece[parent, 1]):
            if arcs[arc, 0] == row:
                least = min(least, int(arcs[arc, 1]))
        answer[0] += least
        row = parent
    return FOUND


@kernel
def search_greedily(
    graph: PackedArcs,
    terms: EstimateTerms,
    labels: Labels,
    heap: Heap,
    start: int,
    goal: int,
    answer: Int64Array,
) -> int:
    """Search on from the row that looks nearest to the goal; the arguments are those of A*.

    J. Doran, D. Michie, "Experiments with the graph traverser program", Proc. Royal Society A 294,
    1966. This is fast where the heuristic is good, but the path may be far from shortest.
    """
    piece, arcs = graph
    label, seen, stamp = labels
    goal_x, goal_y = coordinates(terms.at, goal)
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
        for arc in range(piece[row, 0], piece[row, 1]):
            head = arcs[arc, 0]
            reached = so_far + int(arcs[arc, 1])
            if reached - mark >= UNREACHABLE:
                continue
            if label[head] < older:
                # Of parallel arcs the cheapest one counts.
                if seen[head, 0] == row and reached < label[head]:
                    label[head] = reached
                continue
            label[head] = reached
            seen[head, 0] = row
            if head == goal:
                continue
            if held == len(heap):
                return FULL
            h = estimated(terms, head, goal, goal_x, goal_y)
            # Of equals the one seen first comes first, as in a queue.
            held = push(heap, held, (h << 32) | pushed, head)
            pushed += 1
        if label[goal] < older:
            answer[0] = label[goal] - mark
            answer[1] = expanded
            return FOUND
    answer[1] = expanded
    return NO_PATH


@kernel
def _pull(
    side: int,
    terms: EstimateTerms,
    row: int,
    start: int,
    goal: int,
) -> int:
    """Return what a side's keys add to 2 g: the estimate to the other end less that to its own."""
    x, y = coordinates(terms.at, goal)
    ahead = estimated(terms, row, goal, x, y)
    x, y = coordinates(terms.at, row)
    behind = estimated(terms, start, row, x, y)
    return behind - ahead if side else ahead - behind


@kernel
def search_from_both_ends(
    graph: PackedArcs,
    terms: EstimateTerms,
    labels: Labels,
    heap: Int64Array,
    start: int,
    goal: int,
    answer: Int64Array,
) -> int:
    """Search from both ends until they meet.

    T. Nicholson, "Finding the shortest route between two points in a network", Computer Journal 9,
    1966; with a heuristic T. Ikeda and others, "A fast algorithm for finding better routes by AI
    search techniques", VNIS 1994: both sides use half the difference of the two estimates, so that
    together they are one Dijkstra search on changed weights. That needs consistency.

    Args:
        graph: the graph, and the graph turned round.
        terms: of a consistent heuristic that is not made for one goal, or null.
        labels: scratch of each side; (2, r) int64 and (2, r, 2) int32.
        heap: (2, e, 2) int64, a heap for each side.
        answer: (3) int64, filled with ticks, rows expanded, and a row where the sides met.

    Returns:
        FOUND, NO_PATH or FULL.
    """
    piece, arcs = graph
    label, seen, stamp = labels
    mark = -(stamp << 32)
    older = mark + (1 << 32)
    held = np.zeros(2, dtype=np.int64)
    for side in range(2):
        root = goal if side else start
        label[side, root] = mark
        seen[side, root, 0] = -1
        pull = _pull(side, terms, root, start, goal)
        held[side] = push(heap[side], 0, pull, root)
    best = int(UNREACHABLE)
    expanded = 0
    # Whatever joins the sides from here on costs at least half the sum of the smallest keys.
    while held[0] > 0 and held[1] > 0 and heap[0, 0, 0] + heap[1, 0, 0] < 2 * best:
        side = 0 if held[0] <= held[1] else 1
        top, row = int(heap[side, 0, 0]), int(heap[side, 0, 1])
        held[side] = drop_first(heap[side], held[side])
        g = label[side, row] - mark
        if top != 2 * g + _pull(side, terms, row, start, goal):
            continue
        expanded += 1
        for arc in range(piece[side, row, 0], piece[side, row, 1]):
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
            pull = _pull(side, terms, int(head), start, goal)
            held[side] = push(heap[side], held[side], 2 * reached + pull, head)
    answer[0] = best
    answer[1] = expanded
    return NO_PATH if best == UNREACHABLE else FOUND
