"""Distances and shortest paths over a contracted graph, by climbing its elimination tree.

All arcs up from a node lead to nodes on its way to the root, so a query needs no queue: it climbs
from both ends at once, and the two ways meet at the best of the nodes they share (J. Dibbelt,
B. Strasser, D. Wagner, "Customizable Contraction Hierarchies", JEA 21, 2016, section 8). What is
known of a node is kept by its depth, so the memory of a query is a few kilobytes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bake.arrays import Int32Array, Int64Array
from bake.graph import INFINITY
from bake.kernels.jit import kernel
from bake.search.contraction.metric import Weights, arc_between
from bake.search.contraction.tree import Tree


class Climb(NamedTuple):
    """The memory of one query, by depth in the tree.

    Attributes:
        away: (d) int64 ticks from the start to the node of this depth on its way to the root.
        toward: (d) int64 ticks from that node to the goal.
        by_start, by_goal: (d) int64, the arc that gave them; -1 at the ends themselves.
        stack: (s, 2) int32, arcs still to be unpacked.
    """

    away: Int64Array
    toward: Int64Array
    by_start: Int64Array
    by_goal: Int64Array
    stack: Int32Array


def room_to_climb(tree: Tree) -> Climb:
    """Return memory for queries of a tree, which serve one thread at a time."""
    deep = int(tree.depth.max(initial=-1)) + 1
    away, toward, by_start, by_goal = np.empty((4, deep), dtype=np.int64)
    # Unpacking splits an arc at a lower rank each time, so no more wait than the tree is deep.
    return Climb(away, toward, by_start, by_goal, np.empty((4 * deep + 4, 2), dtype=np.int32))


@kernel
def _meet(tree: Tree, weights: Weights, start: int, goal: int, climb: Climb) -> tuple[int, int]:
    """Climb from two ranks; return the ticks between them and the rank where the ways meet best.

    INFINITY and -1 where there is no way.
    """
    first_up, up, depth, parent = tree.first_up, tree.up, tree.depth, tree.parent
    away, toward = climb.away, climb.toward
    away[: depth[start] + 1] = INFINITY
    toward[: depth[goal] + 1] = INFINITY
    away[depth[start]] = 0
    toward[depth[goal]] = 0
    climb.by_start[depth[start]] = -1
    climb.by_goal[depth[goal]] = -1
    best, meeting = INFINITY, -1
    one, other = start, goal
    while one >= 0 or other >= 0:
        # The lower of both goes on; what both have reached is settled from both sides.
        low = one if other < 0 or (one >= 0 and one <= other) else other
        from_start, to_goal = low == one, low == other
        level = depth[low]
        so_far = away[level] if from_start else INFINITY
        onward = toward[level] if to_goal else INFINITY
        if from_start and to_goal and so_far + onward < best:
            best, meeting = so_far + onward, low
        if so_far < best:
            for arc in range(first_up[low], first_up[low + 1]):
                above = depth[up[arc]]
                if so_far + weights.up[arc] < away[above]:
                    away[above] = so_far + weights.up[arc]
                    climb.by_start[above] = arc
        if onward < best:
            for arc in range(first_up[low], first_up[low + 1]):
                above = depth[up[arc]]
                if onward + weights.down[arc] < toward[above]:
                    toward[above] = onward + weights.down[arc]
                    climb.by_goal[above] = arc
        if from_start:
            one = parent[low]
        if to_goal:
            other = parent[low]
    return int(best), int(meeting)


@kernel
def distance(tree: Tree, weights: Weights, start: int, goal: int, climb: Climb) -> int:
    """Return the ticks from one node to another; INFINITY where there is no way."""
    return _meet(tree, weights, tree.rank[start], tree.rank[goal], climb)[0]


@kernel
def path(
    tree: Tree, weights: Weights, start: int, goal: int, climb: Climb, nodes: Int32Array
) -> int:
    """Write the nodes of a shortest path, both ends included.

    Returns:
        How many there are, 0 where there is no way. Where ``nodes`` is shorter, only as many as it
        has room for are written.
    """
    ticks, meeting = _meet(tree, weights, tree.rank[start], tree.rank[goal], climb)
    if ticks >= INFINITY:
        return 0
    depth = tree.depth
    if len(nodes):
        nodes[0] = start
    count = 1
    # The start's half is known from its upper end: go down along it, then unpack it upwards.
    stack = climb.stack
    waiting = 0
    rank = meeting
    while climb.by_start[depth[rank]] >= 0:
        low = _lower_end(tree, climb.by_start[depth[rank]])
        stack[waiting, 0] = low
        stack[waiting, 1] = rank
        waiting += 1
        rank = low
    count = _unpack(tree, weights, stack, waiting, nodes, count)
    rank = meeting
    while climb.by_goal[depth[rank]] >= 0:
        low = _lower_end(tree, climb.by_goal[depth[rank]])
        stack[0, 0] = rank
        stack[0, 1] = low
        count = _unpack(tree, weights, stack, 1, nodes, count)
        rank = low
    return count


@kernel
def _lower_end(tree: Tree, arc: int) -> int:
    """Return the rank an arc leads up from, by binary search."""
    low, high = 0, len(tree.order)
    while high - low > 1:
        middle = (low + high) >> 1
        if tree.first_up[middle] <= arc:
            low = middle
        else:
            high = middle
    return low


@kernel
def _unpack(
    tree: Tree, weights: Weights, stack: Int32Array, waiting: int, nodes: Int32Array, count: int
) -> int:
    """Write the nodes of shortcuts, the one on top of the stack first, without its own start."""
    while waiting > 0:
        waiting -= 1
        tail, head = stack[waiting, 0], stack[waiting, 1]
        if tail < head:
            via = weights.via_up[arc_between(tree, tail, head)]
        else:
            via = weights.via_down[arc_between(tree, head, tail)]
        if via < 0:
            if count < len(nodes):
                nodes[count] = tree.order[head]
            count += 1
        else:
            stack[waiting, 0] = via
            stack[waiting, 1] = head
            stack[waiting + 1, 0] = tail
            stack[waiting + 1, 1] = via
            waiting += 2
    return count
