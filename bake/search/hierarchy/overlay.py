"""A* on the graph of transitions, from a start to a goal that are connected to their clusters.

P. Hart, N. Nilsson, B. Raphael, IEEE Trans. SSC 4(2), 1968. The heuristic is the triangle
inequality over a few landmarks (A. Goldberg, C. Harrelson, "Computing the shortest path: A* search
meets graph theory", SODA 2005); distances from landmarks to the goal follow from those to the
goal's transitions, so the bound is exact on this very graph, and consistent.
"""

from __future__ import annotations

import numpy as np

from bake.arrays import Int32Array, Int64Array
from bake.graph import BLOCKED
from bake.kernels.heap import Heap, drop_first, push
from bake.kernels.jit import inlined, kernel
from bake.search.hierarchy.inside import ASTRAY

#: Columns of ``state``, the memory of a search: by transition.
SEEN, COST, BEFORE, BOUND, NEAR_GOAL, TO_GOAL = 0, 1, 2, 3, 4, 5
STATE_COLUMNS = 8

NONE = 2**62
_FAR = int(BLOCKED)


@inlined
def _bound(landmark: Int32Array, at_goal: Int64Array, node: int, two_way: bool) -> int:
    """Lower bound of the way from a transition to the goal."""
    most = np.int64(0)
    for mark in range(landmark.shape[1]):
        here = np.int64(landmark[node, mark])
        if at_goal[mark] < NONE and here != _FAR:
            gap = at_goal[mark] - here
            if two_way and gap < 0:
                gap = -gap
            most = max(most, gap)
    return int(most)


@kernel
def search_overlay(
    first_out: Int32Array,
    over_arc: Int32Array,
    landmark: Int32Array,
    two_way: bool,
    starts: Int64Array,
    start_count: int,
    goals: Int64Array,
    goal_count: int,
    best: int,
    turn: int,
    state: Int64Array,
    heap: Heap,
    at_goal: Int64Array,
    expanded: Int32Array,
) -> tuple[int, int, int]:
    """Find the cheapest way over transitions.

    Args:
        first_out, over_arc: the graph of transitions; (t + 1) int32, (a, 2) int32 head and weight.
        landmark: (t, k) int32 ticks from each landmark, 2**31 - 1 = no way.
        two_way: whether every arc leads back at the same cost.
        starts, goals: (s, 2), (g, 2) int64, transitions and the ticks to them, or from them.
        start_count, goal_count: how many rows of each hold.
        best: cost of the best way known; only cheaper ones are looked for.
        turn: a number no search before had.
        state: (t, STATE_COLUMNS) int64, kept from search to search.
        heap: room for start_count + a entries; landmarks that are right never need more.
        at_goal: (k) int64, working memory.
        expanded: (t) int32, filled with the transitions expanded, in order.

    Returns:
        Cost of the way, or ``best``; its last transition, or -1; how many were expanded, or ASTRAY
        where landmarks are wrong.
    """
    at_goal[:] = NONE
    for place in range(goal_count):
        node, ticks = goals[place, 0], goals[place, 1]
        state[node, NEAR_GOAL] = turn
        state[node, TO_GOAL] = ticks
        for mark in range(landmark.shape[1]):
            if landmark[node, mark] != _FAR:
                at_goal[mark] = min(at_goal[mark], landmark[node, mark] + ticks)
    size = 0
    for place in range(start_count):
        node, ticks = starts[place, 0], starts[place, 1]
        bound = _bound(landmark, at_goal, node, two_way)
        if ticks + bound >= best:
            continue
        state[node, SEEN] = turn
        state[node, COST] = ticks
        state[node, BEFORE] = -1
        state[node, BOUND] = bound
        size = push(heap, size, ticks + bound, node)
    last = -1
    count = 0
    while size > 0:
        key, node = heap[0, 0], heap[0, 1]
        if key >= best:
            break
        size = drop_first(heap, size)
        cost = state[node, COST]
        if key > cost + state[node, BOUND]:
            continue
        if count == len(expanded) or size + first_out[node + 1] - first_out[node] > len(heap):
            return int(best), last, ASTRAY
        expanded[count] = node
        count += 1
        if state[node, NEAR_GOAL] == turn and cost + state[node, TO_GOAL] < best:
            best = cost + state[node, TO_GOAL]
            last = node
        for arc in range(first_out[node], first_out[node + 1]):
            other = over_arc[arc, 0]
            new = cost + over_arc[arc, 1]
            if state[other, SEEN] == turn:
                if new >= state[other, COST]:
                    continue
            else:
                state[other, BOUND] = _bound(landmark, at_goal, other, two_way)
            if new + state[other, BOUND] >= best:
                continue
            state[other, SEEN] = turn
            state[other, COST] = new
            state[other, BEFORE] = node
            size = push(heap, size, new + state[other, BOUND], other)
    return int(best), last, count
