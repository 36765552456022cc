"""Search between two points with a binary heap: by A*, weighted, greedily, or from both ends.

One kernel does all of it. A heap is ordered by shares of the ticks so far, g, and of an estimate of
those ahead, h:

- **A-star**: g + h, ties with the larger g first (P. Hart, N. Nilsson, B. Raphael, "A formal basis
  for the heuristic determination of minimum cost paths", IEEE Trans. SSC 4(2), 1968). This is for
  weights that differ too much for buckets.
- **Weighted A-star**: g + w h, in INFLATION-ths of a tick, so that nothing is rounded (I. Pohl,
  "Heuristic search viewed as path finding in a graph", Artificial Intelligence 1, 1970). Weights
  under one lean toward Dijkstra's algorithm, which weight 0 is.
- **Greedy best-first**: h alone, of equals the one seen first (J. Doran, D. Michie, "Experiments
  with the graph traverser program", Proc. Royal Society A 294, 1966). This is fast where the
  heuristic is good, but the path may be far from shortest.
- **From both ends** until they meet: T. Nicholson, "Finding the shortest route between two points
  in a network", Computer Journal 9, 1966; with a heuristic T. Ikeda and others, "A fast algorithm
  for finding better routes by AI search techniques", VNIS 1994: both sides use half the difference
  of the two estimates, so that together they are one Dijkstra search on changed weights.

Closed rows stay closed. Under a consistent heuristic no row need be expanded twice, as in
M. Likhachev, G. Gordon, S. Thrun, "ARA*: Anytime A* with provable bounds on sub-optimality", NIPS
2003: the path costs at most the weight times as much as a shortest one all the same. Under an
inconsistent one, the closed rows to which a shorter way was found are kept apart until the goal is
reached, and are expanded again where one of them could lead to a path so short that the bound would
not hold. Without a weight they are opened again at once, which expands fewer rows. Where an
estimate falls far along an arc, rows whose f is below that of what was expanded already go first,
the smaller g before the larger, so that few are opened again (algorithm B: A. Martelli, "On the
complexity of admissible search algorithms", Artificial Intelligence 8, 1977). A shorter way to a
closed row counts for the path, which may so be cheaper than it was when the goal was reached.

By an inadmissible heuristic closed rows stay closed, unless the caller wants a bound. If no
estimate is more than E above the distance, a search that expands them again in the end finds a path
that costs at most E more than a shortest one (N. Nilsson, "Principles of Artificial Intelligence",
1980).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bake.arrays import Int64Array
from bake.graph import UNREACHABLE
from bake.kernels.heap import drop_first, push
from bake.kernels.jit import inlined, kernel
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

#: How many low bits of a key decide ties, where any do.
_TIE_BITS = 31

#: More ticks than any path costs, however often its shares are counted.
_NO_COST = 2**52


#: When closed rows to which a shorter way was found are expanded again: never, at once, in the end
#: where the bound of the cost depends on it, or at once and in the order of algorithm B.
NEVER = 0
AT_ONCE = 1
LAST = 2  # no limit: at the end
BY_ALGORITHM_B = 3


class HeapOrder(NamedTuple):
    """What heaps are ordered by, and what becomes of closed rows.

    Attributes:
        cost, guess: how often the ticks so far count, and the estimate.
        again: when closed rows are expanded again; for inconsistent heuristics.
    """

    cost: int
    guess: int
    again: int


GREEDY = HeapOrder(0, 1, NEVER)
BOTH_ENDS = HeapOrder(2, 1, NEVER)


def weighted_order(weight: float, again: int) -> HeapOrder:
    """Return the order of A* with a weight, which is rounded down to INFLATION-ths."""
    guess = int(weight * INFLATION)
    return HeapOrder(1, 1, again) if guess == INFLATION else HeapOrder(INFLATION, guess, again)


@inlined
def _guess(
    toward: DistancesTo,
    terms: EstimateTerms,
    row: int,
    start: int,
    ahead: tuple[int, int, int],
    offset: int,
    both: bool,
) -> int:
    """Return the estimate to the goal; from both ends, that to the other end less that to its own.

    Keys from both ends count g twice. ``ahead`` is the goal and its coordinates.
    """
    goal, goal_x, goal_y = ahead
    here = row - offset
    h = estimated_ahead(toward, terms, here, goal, goal_x, goal_y)
    if both:
        x, y = coordinates(terms.at, here)
        h -= estimated(terms, start, here, x, y)
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
    """Search from start to another row, from one end or from both.

    Args:
        graph: rows and arcs; from both ends, and behind them those turned round: row i is i + r.
        terms: of the heuristic; from both ends of a consistent one that is not made for one goal.
        toward: tells distances to the goal in place of the heuristic; from one end alone.
        order: what the heaps are ordered by; BOTH_ENDS = search from both ends.
        labels: scratch; the last thing seen of a row is whether it is closed.
        heaps: (2, e, 2) int64, the open list of both sides, and that of rows kept apart.
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
    label, seen, stamp = labels
    cost, guess, again = order
    goal_x, goal_y = coordinates(terms.at, goal)
    ahead = goal, goal_x, goal_y
    mark = -(stamp << 32)
    older = mark + (1 << 32)
    ranked, both = cost < 2, cost == 2
    behind = len(piece) >> 1
    heap, later = heaps[0], heaps[1]
    enough = 1 if both else cost
    state = part.state
    if state[0] == 0:
        state[:] = 0
        state[5] = _NO_COST
        for side in range(2 if both else 1):
            root = goal + behind if side else start
            h = _guess(toward, terms, root, start, ahead, behind if side else 0, both)
            label[root] = mark
            seen[root, 0] = -1
            seen[root, 1] = h
            seen[root, 2] = 0
            key = (guess * h << _TIE_BITS) | _LARGEST_G if ranked else guess * h
            state[3] = push(heap, int(state[3]), key, root)
            state[4] = side
    expanded, held, apart = int(state[1]), int(state[3]), int(state[4])
    best, pushed, said = int(state[5]), int(state[6]), int(state[7])
    generated = int(state[11])
    row = int(state[2]) if state[0] else start
    status = NO_PATH
    while True:
        if expanded == part.until:
            status = PAUSED
            break
        least = int(heap[0, 0]) >> _TIE_BITS if ranked else int(heap[0, 0])
        if held == 0 or (best < _NO_COST and least >= best * enough):
            # No path costs less than the least g + h of what was not expanded.
            if both or apart == 0 or best == _NO_COST:
                break
            if later[0, 0] * max(cost, guess) >= best * cost:
                break
            f, back = int(later[0, 0]), int(later[0, 1])
            apart = drop_first(later, apart)
            g, h = int(label[back]) - mark, int(seen[back, 1])
            if f == g + h:
                seen[back, 2] = 0
                key = cost * g + guess * h
                if ranked:
                    key = (key << _TIE_BITS) | (_LARGEST_G - g)
                held = push(heap, held, key, back)
            continue
        taken = int(heap[0, 1])
        begin, end = int(piece[taken, 0]), int(piece[taken, 1])
        if max(held, apart) + end - begin >= len(heap):
            status = FULL
            break
        offset = 0
        if both:
            if apart in (0, held):
                break
            if taken >= behind:
                offset = behind
                apart -= 1
        held = drop_first(heap, held)
        if seen[taken, 2] != 0:
            continue
        row = taken
        seen[row, 2] = 1
        expanded += 1
        g = int(label[row]) - mark
        generated += end - begin
        for arc in range(begin, end):
            head = arcs[arc, 0]
            reached = g + int(arcs[arc, 1])
            known = label[head]
            if known <= mark + reached:
                continue
            if reached >= UNREACHABLE:
                said = said if both else 1
                continue
            if known < older:
                h = int(seen[head, 1])
            else:
                h = _guess(toward, terms, int(np.int64(head)), start, ahead, offset, both)
                seen[head, 2] = 0
            if not both and best < _NO_COST and reached + h >= best:
                continue
            label[head] = mark + reached
            seen[head, 0] = row
            seen[head, 1] = h
            if both:
                met = int(label[int(np.int64(head)) + (-behind if offset else behind)])
                if met < older and reached + met - mark < min(best, int(UNREACHABLE)):
                    best = reached + met - mark
                    said = int(np.int64(head)) - offset
            elif head == goal:
                best = reached
                continue
            if seen[head, 2] != 0 or (cost == 0 and known < older):
                if again == NEVER:
                    continue
                if again == LAST:
                    apart = push(later, apart, reached + h, int(np.int64(head)))
                    continue
                seen[head, 2] = 0
            key = cost * reached + guess * h
            if again == BY_ALGORITHM_B:
                key = (max(key, least) << _TIE_BITS) | reached
            elif ranked:
                key = (key << _TIE_BITS) | (_LARGEST_G - reached if cost else pushed)
                pushed += 1
            elif not both and best < _NO_COST and key >= best * cost:
                continue
            held = push(heap, held, key, int(np.int64(head)))
            if offset:
                apart += 1
    state[0], state[1], state[2], state[3] = 1, expanded, row, held
    state[4], state[5], state[6], state[7] = apart, best, pushed, said
    state[11] = generated
    if status in (PAUSED, FULL):
        return status
    answer[1], answer[2], answer[3] = expanded, said, generated
    if best == _NO_COST:
        return NO_PATH
    answer[0] = best
    row = start if both else goal
    if not both:
        answer[0] = 0
    # The arcs of the path, for a way to some closed row may have become shorter.
    while row != start:
        parent = int(seen[row, 0])
        least = int(UNREACHABLE)
        for arc in range(piece[parent, 0], piece[parent, 1]):
            if arcs[arc, 0] == row:
                least = min(least, int(arcs[arc, 1]))
        answer[0] += least
        row = parent
    return FOUND
