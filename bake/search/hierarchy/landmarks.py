"""Choose landmarks of a graph of transitions, and search it by A* guided by them.

The distances from a few transitions that lie far apart bound all others by the triangle inequality
(A. Goldberg, C. Harrelson, "Computing the shortest path: A* search meets graph theory", SODA 2005);
each landmark is the transition farthest from those before it (A. Goldberg, R. Werneck, "Computing
point-to-point shortest paths from external memory", ALENEX 2005).

Any numbers that rise along no arc by more than the arc's weight bound distances as those from a
landmark do, and the bounds are consistent. So after a change the numbers are lowered where an arc
is new or cheaper, as far as needed; where arcs are gone or cost more, the numbers stay.
"""

from __future__ import annotations

import numpy as np

from bake.core.arrays import BoolArray, Int32Array, Int64Array
from bake.core.graph import UNREACHABLE
from bake.core.kernels.heap import drop_first, push
from bake.core.kernels.jit import inlined, kernel, separate
from bake.search.hierarchy.bundles import (
    ASTRAY,
    BEFORE,
    BOUND,
    COST,
    HEAD,
    NEAR_GOAL,
    SEEN,
    TICKS,
    TO_GOAL,
    LayerStack,
    QueryMemory,
)

#: The cost that stands for no way.
NONE = 2**62

_FAR = int(UNREACHABLE)

#: A key of the open list: the least that a way may cost, and below it, in so many bits, how much
#: less than the largest number of ticks the way to its transition costs.
_BITS = 31


@kernel
def lower(
    first_out: Int32Array,
    end_out: Int32Array,
    arcs: Int32Array,
    tail: Int32Array,
    landmark: Int32Array,
    mark: int,
    heap: Int64Array,
    fixed: int,
) -> bool:
    """Lower the numbers of one landmark until they rise along no arc by more than it weighs.

    Args:
        first_out, end_out: (t) int32, where the arcs of each node begin and end.
        tail: the nodes whose arcs may be too cheap for the numbers as they are.
        landmark: (t, k) int32; column ``mark`` is lowered.
        heap: room for these nodes, and for all arcs.
        fixed: nodes below this one keep their numbers.

    Returns:
        Whether a node that keeps its number would have had to be lowered.
    """
    size = 0
    too_high = False
    for node in tail:
        if landmark[node, mark] != _FAR:
            size = push(heap, size, int(landmark[node, mark]), int(node))
    while size > 0:
        done, node = heap[0, 0], heap[0, 1]
        size = drop_first(heap, size)
        if done > landmark[node, mark]:
            continue
        for arc in range(first_out[node], end_out[node]):
            other = arcs[arc, HEAD]
            new = done + arcs[arc, TICKS]
            if new < landmark[other, mark]:
                if other < fixed:
                    too_high = True
                    continue
                landmark[other, mark] = new
                size = push(heap, size, new, other)
    return too_high


def farthest_landmarks(
    first_out: Int32Array, arcs: Int32Array, group: Int32Array, count: int
) -> Int32Array:
    """Choose landmarks in every connected part, and find how far each node lies from those of its.

    No bound spans two parts, so that the landmarks of all parts share columns.

    Args:
        first_out, arcs: the graph; (t + 1), (a, 2) int32 heads and ticks.
        group: (t) int32, weakly connected part of each node.
        count: how many landmarks a part has at most.

    Returns:
        (t, k) int32 ticks, UNREACHABLE where there is no way; k <= count.
    """
    nodes = len(first_out) - 1
    if not nodes or not count:
        return np.zeros((nodes, 0), dtype=np.int32)
    heap = np.empty((len(arcs) + nodes + 1, 2), dtype=np.int64)
    by_part = np.argsort(group, kind="stable").astype(np.int32)
    begins = np.flatnonzero(np.diff(group[by_part], prepend=-1))
    sizes = np.diff(begins, append=nodes)
    columns: list[Int32Array] = []
    nearest = _reached(first_out, arcs, by_part[begins], heap)
    while len(columns) < count:
        ordered = nearest[by_part]
        most = np.maximum.reduceat(ordered, begins)
        if columns and most.max() <= 0:
            break
        farthest = np.flatnonzero(ordered == np.repeat(most, sizes))
        marks = by_part[farthest[np.searchsorted(farthest, begins)]]
        reached = _reached(first_out, arcs, marks, heap)
        nearest = np.minimum(nearest, reached) if columns else reached
        columns.append(np.where(reached < 0, UNREACHABLE, reached).astype(np.int32))
    return np.ascontiguousarray(np.stack(columns, axis=1))


def _reached(
    first_out: Int32Array, arcs: Int32Array, origins: Int32Array, heap: Int64Array
) -> Int32Array:
    """Return (t) int32, the ticks to every node from the nearest of some; -1 where no way leads."""
    distance = np.full((len(first_out) - 1, 1), UNREACHABLE, dtype=np.int32)
    distance[origins] = 0
    begin, end = first_out[:-1], first_out[1:]
    lower(begin, end, arcs, origins, distance, 0, heap, 0)
    return np.where(distance[:, 0] == UNREACHABLE, np.int32(-1), distance[:, 0])


def lowered_landmarks(
    first_out: Int32Array,
    arcs: Int32Array,
    came: Int32Array,
    same: BoolArray,
    old: Int32Array,
) -> Int32Array:
    """Turn the bounds of an old graph of transitions into bounds of a changed one.

    Args:
        first_out, arcs: the graph; (t + 1), (a, 2) int32 heads and ticks.
        came: (t) int32, the transition that each transition was, -1 for new ones.
        same: (t) bool, whether the arcs of a transition are what they were.
        old: (s, k) int32 ticks, UNREACHABLE where there is no way.

    Returns:
        (t, k) int32.
    """
    landmark = np.full((len(came), old.shape[1]), UNREACHABLE, dtype=np.int32)
    known = came >= 0
    landmark[known] = old[came[known]]
    tail = np.flatnonzero(~same).astype(np.int32)
    heap = np.empty((len(arcs) + len(tail) + 1, 2), dtype=np.int64)
    for mark in range(old.shape[1]):
        lower(first_out[:-1], first_out[1:], arcs, tail, landmark, mark, heap, 0)
    return landmark


# -- queries --------------------------------------------------------------------------------------


@inlined
def _bound(landmark: Int32Array, at_goal: Int32Array, node: int, two_way: bool) -> int:
    """Return a lower bound of the way from a transition to the goal.

    Where a landmark leads to the transition but not to the goal, there is no way, and UNREACHABLE
    less the ticks to the transition is as good a bound as any. Whole numbers of 32 bits and no
    branches let several landmarks be looked at in one instruction.
    """
    most = np.int32(0)
    for mark in range(landmark.shape[1]):
        gap = np.int32(at_goal[mark] - landmark[node, mark])
        if two_way:
            gap = max(gap, np.int32(-gap))
        most = max(most, gap)
    return int(most)


@inlined
def _key(cost: int, bound: int) -> int:
    """Return what the open list is ordered by: of equal sums, the larger cost comes first.

    Bounds are mostly exact, so nearly all transitions between start and goal have equal sums.
    """
    return int(((cost + bound) << _BITS) + _FAR - cost)


@separate
def search_transitions(
    stack: LayerStack, memory: QueryMemory, start_count: int, goal_count: int, best: int
) -> tuple[int, int, int]:
    """Find the cheapest way over the transitions of the first layer by A*.

    P. Hart, N. Nilsson, B. Raphael, IEEE Trans. SSC 4(2), 1968. Distances from landmarks to the
    goal follow from those to the goal's transitions, so the bound is exact on this very graph.

    Args:
        memory: ``ends`` has the transitions connected to start and goal; ``state`` and
            ``expanded`` are filled. ``heap`` needs room for start_count + a entries; landmarks that
            are right never need more.
        start_count, goal_count: how many entries of ``ends`` are in use.
        best: cost of the best way known; only cheaper ones are looked for.

    Returns:
        Cost of the way, or ``best``; its last transition, or -1; how many were expanded, or ASTRAY
        where landmarks are wrong.
    """
    landmark, two_way = stack.landmark, stack.two_way
    first_out, end_out, arcs = stack.first_out, stack.end_out, stack.arc
    state, heap, at_goal, expanded = memory.state, memory.heap, memory.at_goal, memory.expanded
    starts, goals = memory.ends[0], memory.ends[1]
    memory.turn[0] += 1
    turn = memory.turn[0]
    at_goal[:] = _FAR
    for i in range(goal_count):
        node, ticks = goals[i, 0], goals[i, 1]
        state[node, NEAR_GOAL] = turn
        state[node, TO_GOAL] = ticks
        for mark in range(landmark.shape[1]):
            at_goal[mark] = min(np.int64(at_goal[mark]), landmark[node, mark] + ticks)
    size = 0
    for i in range(start_count):
        node, ticks = starts[i, 0], starts[i, 1]
        bound = _bound(landmark, at_goal, node, two_way)
        if ticks + bound >= best:
            continue
        state[node, SEEN] = turn
        state[node, COST] = ticks
        state[node, BEFORE] = -1
        state[node, BOUND] = bound
        size = push(heap, size, _key(ticks, bound), node)
    last = -1
    count = 0
    while size > 0:
        key, node = heap[0, 0], heap[0, 1]
        if key >> _BITS >= best:
            break
        size = drop_first(heap, size)
        cost = state[node, COST]
        if key != _key(cost, state[node, BOUND]):
            continue
        if count == len(expanded) or size + end_out[node] - first_out[node] > len(heap):
            return int(best), last, ASTRAY
        expanded[count] = node
        count += 1
        if state[node, NEAR_GOAL] == turn and cost + state[node, TO_GOAL] < best:
            best = cost + state[node, TO_GOAL]
            last = node
        for arc in range(first_out[node], end_out[node]):
            other = arcs[arc, HEAD]
            new = cost + arcs[arc, TICKS]
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
            size = push(heap, size, _key(new, state[other, BOUND]), other)
    return int(best), last, count
