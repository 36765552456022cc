"""Trace textbook A*, to show, to teach and to find mistakes.

P. Hart, N. Nilsson, B. Raphael, 1968, in plain Python; the compiled searches are in
:mod:`bake.search.point.heap_searches`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count

from bake.arrays import Int32Array
from bake.graph import Graph


@dataclass(frozen=True)
class Order:
    """How a search orders its open list: by f = g_share * g + h_share * h."""

    g_share: float  #: 1, or 0 for greedy best-first search
    h_share: float  #: the weight of weighted A*; 1 for other searches
    reopens: bool  #: whether a closed row to which a shorter way is found is expanded again


@dataclass(frozen=True)
class Step:
    """One row taken from the open list."""

    #: row, parent: the row, and the row that the shortest way to it known came from; -1 at start
    row: int
    parent: int
    #: g, h: ticks
    g: int
    h: int
    f: float  #: what the open list is ordered by
    #: the rows that it put on the open list, or found a shorter way to there: row, g, f
    opened: tuple[tuple[int, int, float], ...]


def trace(
    graph: Graph, weight: Int32Array, h: Sequence[int], start: int, goal: int, order: Order
) -> tuple[list[Step], list[int] | None, int]:
    """Search, and note each step; ties go to the larger g, then to what was opened first.

    Args:
        graph, weight: rows as nodes; (m) ticks.
        h: (r) ticks.
        start, goal: rows.
        order: of the open list.

    Returns:
        The steps, the last of which takes the goal; the path, None where there is none; its ticks.
    """
    cost, parent = {start: 0}, {start: -1}
    number = {start: 0}
    f = order.h_share * h[start]
    waiting = {start}
    heap = [(f, 0, 0, start)]
    numbers = count(1)
    closed: set[int] = set()
    steps: list[Step] = []
    while heap:
        f, less, _, row = heappop(heap)
        if row not in waiting or cost[row] != -less:
            continue
        waiting.remove(row)
        closed.add(row)
        opened = []
        if row != goal:
            for arc in range(int(graph.first_out[row]), int(graph.first_out[row + 1])):
                head, reached = int(graph.head[arc]), cost[row] + int(weight[arc])
                if head in cost and (cost[head] <= reached or not order.g_share):
                    continue
                if head in closed and not order.reopens:
                    continue
                cost[head], parent[head] = reached, row
                closed.discard(head)
                # A row keeps its place among equals for as long as it waits.
                if head not in waiting:
                    number[head] = next(numbers)
                    waiting.add(head)
                ahead = order.g_share * reached + order.h_share * h[head]
                heappush(heap, (ahead, -reached, number[head], head))
                opened.append((head, reached, ahead))
        steps.append(Step(row, parent[row], cost[row], int(h[row]), f, tuple(opened)))
        if row == goal:
            path = [row]
            while parent[path[-1]] >= 0:
                path.append(parent[path[-1]])
            return steps, path[::-1], cost[goal]
    return steps, None, 0
