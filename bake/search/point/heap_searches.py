"""Searches between two points with a binary heap: A*, weighted A*, greedy and bidirectional search.

One kernel runs them all. The heap is ordered by a weighted sum of the ticks so far, g, and the
estimate of the ticks ahead, h:

- **A-star**: g + h, ties with the larger g first (P. Hart, N. Nilsson, B. Raphael, "A formal basis
  for the heuristic determination of minimum cost paths", IEEE Trans. SSC 4(2), 1968). Used when
  weights differ too much for buckets.
- **Weighted A-star**: g + w h, in INFLATION-ths of a tick, so that nothing is rounded (I. Pohl,
  "Heuristic search viewed as path finding in a graph", Artificial Intelligence 1, 1970). Weights
  under one lean toward Dijkstra's algorithm, which is weight 0.
- **Greedy best-first**: h alone, of equals the one seen first (J. Doran, D. Michie, "Experiments
  with the graph traverser program", Proc. Royal Society A 294, 1966). This is fast if the heuristic
  is good, but the path may be far from shortest.
- **Bidirectional**, from both ends until they meet: T. Nicholson, "Finding the shortest route
  between two points in a network", Computer Journal 9, 1966; with a heuristic T. Ikeda and others,
  "A fast algorithm for finding better routes by AI search techniques", VNIS 1994: both sides use
  half the difference of the two estimates, which makes them one Dijkstra search on changed weights.

Closed rows stay closed. Under a consistent heuristic no row needs a second expansion, as in
M. Likhachev, G. Gordon, S. Thrun, "ARA*: Anytime A* with provable bounds on sub-optimality", NIPS
2003: the path still costs at most the weight times as much as a shortest one. Under an inconsistent
one, closed rows to which a shorter path appeared are set aside until the goal is reached. They are
expanded again if one of them could lead to a path so short that the bound would not hold. Without a
weight they are reopened at once, which expands fewer rows. If an estimate falls far along an arc,
rows whose f is below the largest f expanded so far go first, the smaller g before the larger, so
that few are reopened (algorithm B: A. Martelli, "On the complexity of admissible search
algorithms", Artificial Intelligence 8, 1977). A shorter path to a closed row improves the path to
the goal, which may become cheaper than when the goal was reached.

Under an inadmissible heuristic closed rows stay closed, unless the caller wants a bound. If no
estimate exceeds the distance by more than E, a search that expands them again in the end finds a
path that costs at most E more than a shortest one (N. Nilsson, "Principles of Artificial
Intelligence", 1980).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bake.core.arrays import Int64Array
from bake.core.graph import UNREACHABLE
from bake.core.kernels.heap import drop_first, push
from bake.core.kernels.jit import inlined, kernel
from bake.search.contraction.query import DistancesTo
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
    coordinates,
    estimated,
    estimated_ahead,
)

#: No distance is larger; this number less g puts the larger g first among ties.
# no limit: the largest int32
_LARGEST_G = 2**31 - 1

#: The low bits of a key that break ties, if any do.
_TIE_BITS = 31

#: More ticks than any path costs, even when multiplied by a share.
_NO_COST = 2**52


#: When closed rows to which a shorter path appeared are expanded again: never; at once; in the end,
#: if the bound of the cost depends on it; or at once and in the order of algorithm B.
NEVER = 0
AT_ONCE = 1
LAST = 2  # no limit: at the end
BY_ALGORITHM_B = 3


class HeapOrder(NamedTuple):
    """The order of the heaps, and the treatment of closed rows."""

    #: The factors of the ticks so far and of the estimate.
    cost: int
    guess: int
    #: When closed rows are expanded again; for inconsistent heuristics.
    again: int


GREEDY = HeapOrder(0, 1, NEVER)
BOTH_ENDS = HeapOrder(2, 1, NEVER)


def weighted_order(weight: float, again: int) -> HeapOrder:
    """Return the order of A* with a weight, which is rounded down to INFLATION-ths."""
    guess = int(weight * INFLATION)
    return HeapOrder(1, 1, again) if guess == INFLATION else HeapOrder(INFLATION, guess, again)


@inlined
def _estimate(
    toward: DistancesTo,
    terms: EstimateTerms,
    row: int,
    start: int,
    ahead: tuple[int, int, int],
    offset: int,
    bidirectional: bool,
) -> int:
    """Return the estimate to the goal; from both ends, minus the estimate to the side's start.

    Keys of a bidirectional search count g twice. ``ahead`` is the goal and its coordinates.
    """
    goal, goal_x, goal_y = ahead
    forward_row = row - offset
    h = estimated_ahead(toward, terms, forward_row, goal, goal_x, goal_y)
    if bidirectional:
        x, y = coordinates(terms.at, forward_row)
        h -= estimated(terms, start, forward_row, x, y)
        if offset:
            h = -h
    return h


@kernel
def search_heap(
    graph: PackedArcs,
    terms: EstimateTerms,
    toward: DistancesTo,
    order: HeapOrder,
    labels: Labels,
    heaps: Int64Array,
    start: int,
    goal: int,
    answer: Int64Array,
    part: Slice,
) -> int:
    """Search from one row to another, from one end or from both.

    Args:
        graph: rows and arcs; for both ends, followed by the reversed ones: row i becomes i + r.
        terms: of the heuristic; for both ends, a consistent one that is not computed for one goal.
        toward: exact distances to the goal that replace the heuristic; from one end only.
        order: the order of the heaps; BOTH_ENDS = bidirectional search.
        labels: scratch; the last column of ``seen`` is whether a row is closed.
        heaps: (2, e, 2) int64, the open list of both sides, and that of rows set aside.
        start, goal: rows.
        answer: (4) int64, filled with ticks, how often a row was expanded, from one end whether a
            way was given up because it costs more than can be counted, otherwise a row where the
            sides met, and how many arcs lead out of the rows expanded.
        part: how far to go. A search that stopped goes on with the same scratch and heaps, which
            may have grown meanwhile.

    Returns:
        FOUND, NO_PATH, FULL or PAUSED.
    """
    piece, arcs = graph
    label, seen, epoch = labels
    cost, guess, again = order
    goal_x, goal_y = coordinates(terms.at, goal)
    ahead = goal, goal_x, goal_y
    mark = -(epoch << 32)
    older = mark + (1 << 32)
    ranked, bidirectional = cost < 2, cost == 2
    reverse_offset = len(piece) >> 1
    heap, set_aside = heaps[0], heaps[1]
    enough = 1 if bidirectional else cost
    state = part.state
    if state[0] == 0:
        state[:] = 0
        state[5] = _NO_COST
        for side in range(2 if bidirectional else 1):
            root = goal + reverse_offset if side else start
            h = _estimate(
                toward, terms, root, start, ahead, reverse_offset if side else 0, bidirectional
            )
            label[root] = mark
            seen[root, 0] = -1
            seen[root, 1] = h
            seen[root, 2] = 0
            key = (guess * h << _TIE_BITS) | _LARGEST_G if ranked else guess * h
            state[3] = push(heap, int(state[3]), key, root)
            state[4] = side
    expanded, queued, aside_count = int(state[1]), int(state[3]), int(state[4])
    best, pushed, detail = int(state[5]), int(state[6]), int(state[7])
    generated = int(state[11])
    row = int(state[2]) if state[0] else start
    status = NO_PATH
    while True:
        if expanded == part.until:
            status = PAUSED
            break
        least = int(heap[0, 0]) >> _TIE_BITS if ranked else int(heap[0, 0])
        if queued == 0 or (best < _NO_COST and least >= best * enough):
            # No path costs less than the least g + h of an open row.
            if bidirectional or aside_count == 0 or best == _NO_COST:
                break
            if set_aside[0, 0] * max(cost, guess) >= best * cost:
                break
            f, back = int(set_aside[0, 0]), int(set_aside[0, 1])
            aside_count = drop_first(set_aside, aside_count)
            g, h = int(label[back]) - mark, int(seen[back, 1])
            if f == g + h:
                seen[back, 2] = 0
                key = cost * g + guess * h
                if ranked:
                    key = (key << _TIE_BITS) | (_LARGEST_G - g)
                queued = push(heap, queued, key, back)
            continue
        popped = int(heap[0, 1])
        begin, end = int(piece[popped, 0]), int(piece[popped, 1])
        if max(queued, aside_count) + end - begin >= len(heap):
            status = FULL
            break
        offset = 0
        if bidirectional:
            if aside_count in (0, queued):
                break
            if popped >= reverse_offset:
                offset = reverse_offset
                aside_count -= 1
        queued = drop_first(heap, queued)
        if seen[popped, 2] != 0:
            continue
        row = popped
        seen[row, 2] = 1
        expanded += 1
        g = int(label[row]) - mark
        generated += end - begin
        for arc in range(begin, end):
            head = arcs[arc, 0]
            reached = g + int(arcs[arc, 1])
            old_label = label[head]
            if old_label <= mark + reached:
                continue
            if reached >= UNREACHABLE:
                detail = detail if bidirectional else 1
                continue
            if old_label < older:
                h = int(seen[head, 1])
            else:
                h = _estimate(
                    toward, terms, int(np.int64(head)), start, ahead, offset, bidirectional
                )
                seen[head, 2] = 0
            if not bidirectional and best < _NO_COST and reached + h >= best:
                continue
            label[head] = mark + reached
            seen[head, 0] = row
            seen[head, 1] = h
            if bidirectional:
                met_label = int(
                    label[int(np.int64(head)) + (-reverse_offset if offset else reverse_offset)]
                )
                if met_label < older and reached + met_label - mark < min(best, int(UNREACHABLE)):
                    best = reached + met_label - mark
                    detail = int(np.int64(head)) - offset
            elif head == goal:
                best = reached
                continue
            if seen[head, 2] != 0 or (cost == 0 and old_label < older):
                if again == NEVER:
                    continue
                if again == LAST:
                    aside_count = push(set_aside, aside_count, reached + h, int(np.int64(head)))
                    continue
                seen[head, 2] = 0
            key = cost * reached + guess * h
            if again == BY_ALGORITHM_B:
                key = (max(key, least) << _TIE_BITS) | reached
            elif ranked:
                key = (key << _TIE_BITS) | (_LARGEST_G - reached if cost else pushed)
                pushed += 1
            elif not bidirectional and best < _NO_COST and key >= best * cost:
                continue
            queued = push(heap, queued, key, int(np.int64(head)))
            if offset:
                aside_count += 1
    state[0], state[1], state[2], state[3] = 1, expanded, row, queued
    state[4], state[5], state[6], state[7] = aside_count, best, pushed, detail
    state[11] = generated
    if status in (PAUSED, FULL):
        return status
    answer[1], answer[2], answer[3] = expanded, detail, generated
    if best == _NO_COST:
        return NO_PATH
    answer[0] = best
    row = start if bidirectional else goal
    if not bidirectional:
        answer[0] = 0
    # Sum up the arcs of the path, since the path to some closed row may have become shorter.
    while row != start:
        parent = int(seen[row, 0])
        least = int(UNREACHABLE)
        for arc in range(piece[parent, 0], piece[parent, 1]):
            if arcs[arc, 0] == row:
                least = min(least, int(arcs[arc, 1]))
        answer[0] += least
        row = parent
    return FOUND
