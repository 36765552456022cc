"""Trace textbook A* with its open and closed lists, to show, to teach and to find mistakes.

P. Hart, N. Nilsson, B. Raphael, 1968, in plain Python; the compiled search is in
:mod:`bake.search.point.heap_searches`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bake.arrays import Int32Array
from bake.graph import Graph

#: A row of the open list with its f.
Waiting = tuple[int, float]


@dataclass(frozen=True)
class Step:
    """One row taken from the open list, with g, h and f in ticks, and the lists after that."""

    row: int
    g: int
    h: int
    f: float
    open: tuple[Waiting, ...]
    closed: tuple[int, ...]


def trace(
    graph: Graph,
    weight: Int32Array,
    h: Sequence[int],
    start: int,
    goal: int,
    *,
    g_share: float,
    h_share: float,
) -> tuple[list[Step], list[int] | None, int]:
    """Search with f = g_share * g + h_share * h; ties go to the larger g.

    Args:
        graph, weight: rows as nodes; (m) ticks.
        h: (r) ticks.
        start, goal: rows.
        g_share: 1, or 0 for greedy best-first search, which leaves closed rows alone.
        h_share: the weight of weighted A*; 1 for other searches.

    Returns:
        The steps, the last of which takes the goal; the path, None where there is none; its ticks.
    """
    cost, parent = {start: 0}, {start: -1}
    waiting = {start: g_share * 0 + h_share * h[start]}
    closed: dict[int, None] = {}
    steps: list[Step] = []
    while waiting:
        row = min(waiting, key=lambda one: (waiting[one], -cost[one]))
        f = waiting.pop(row)
        closed[row] = None
        if row != goal:
            for arc in range(int(graph.first_out[row]), int(graph.first_out[row + 1])):
                head, reached = int(graph.head[arc]), cost[row] + int(weight[arc])
                if head in cost and (cost[head] <= reached or not g_share):
                    continue
                cost[head], parent[head] = reached, row
                closed.pop(head, None)
                waiting[head] = g_share * reached + h_share * h[head]
        order = sorted(waiting.items(), key=lambda one: (one[1], -cost[one[0]]))
        steps.append(Step(row, cost[row], int(h[row]), f, tuple(order), tuple(closed)))
        if row == goal:
            path = [row]
            while parent[path[-1]] >= 0:
                path.append(parent[path[-1]])
            return steps, path[::-1], cost[goal]
    return steps, None, 0
