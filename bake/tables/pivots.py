"""Pivots: rows whose distances bound all others (differential heuristics).

d(s, g) >= d(s, p) - d(g, p) and d(s, g) >= d(p, g) - d(p, s) for every row p.
A. Goldberg, C. Harrelson, "Computing the shortest path: A* search meets graph theory", SODA 2005,
with farthest selection.
"""

from __future__ import annotations

import numpy as np

from bake.arrays import Int32Array
from bake.graph import Graph
from bake.search.graph.voronoi import UNSEEN, voronoi_cells


def pivot_distances(
    graph: Graph, weight: Int32Array, first: int, count: int, *, two_way: bool
) -> Int32Array:
    """Distances to and from pivots, each as far as can be from those before it.

    Args:
        graph, weight: what a profile can use; weights (m) int32 ticks.
        first: a row; the first pivot is the farthest of those it reaches.
        count: columns wanted, at least 0; even unless two_way.
        two_way: whether every arc can be taken back at the same cost. Then a column is one pivot;
            else the first half are distances to pivots, the second half distances from them.

    Returns:
        (r, count) int32 ticks. Where there is no path stands the largest distance of the column,
        which keeps every bound true: whoever reaches a row that reaches the pivot reaches it too.
    """
    rows = graph.node_count
    pivot = np.zeros((rows, count), dtype=np.int32)
    if not count:
        return pivot
    wanted = np.zeros(rows, dtype=np.bool_)
    backward, behind = (graph, slice(None)) if two_way else graph.reverse()
    heap = np.empty((graph.arc_count + 1, 2), dtype=np.int64)

    def distances(of: Graph, price: Int32Array, row: int) -> Int32Array:
        found = np.empty(rows, dtype=np.int32)
        wanted[row] = True
        cell, sample = np.empty(rows, dtype=np.int32), np.empty(1, dtype=np.int32)
        voronoi_cells(of.first_out, of.head, price, wanted, heap, found, cell, sample)
        wanted[row] = False
        return found

    nearest = distances(graph, weight, first)
    half = count if two_way else count // 2
    for column in range(half):
        chosen = int(np.where(nearest == UNSEEN, -1, nearest).argmax())
        onward = distances(graph, weight, chosen)
        # The row it was first measured from is no pivot.
        nearest = onward if column == 0 else np.minimum(nearest, onward)
        if two_way:
            pivot[:, column] = _filled(onward)
        else:
            pivot[:, half + column] = _filled(onward)
            pivot[:, column] = _filled(distances(backward, weight[behind], chosen))
    return pivot


def _filled(distance: Int32Array) -> Int32Array:
    largest = distance.max(where=distance != UNSEEN, initial=0)
    return np.where(distance == UNSEEN, largest, distance)
