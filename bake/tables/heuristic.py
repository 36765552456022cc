"""Make a heuristic within a budget of bytes: the distances to and from pivots."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bake.arrays import Int32Array
from bake.graph import UNREACHABLE, Arcs, Graph, Subgraph, leads_back
from bake.search.graph.partition import connected_parts, voronoi_cells


@dataclass(frozen=True)
class Heuristic:
    """The data of one profile's heuristic."""

    two_way: bool  #: whether every arc can be taken back at the same cost
    pivot: Int32Array  #: (r, p) int32 ticks, from :func:`pivot_distances`


def pivot_columns(rows: int, bytes_per_node: int, *, two_way: bool) -> int:
    """Return how many columns of distances a budget has room for.

    Args:
        rows: r.
        bytes_per_node: budget, at least 8.
        two_way: whether every arc can be taken back at the same cost; if not, a pivot needs two
            columns.
    """
    step = 1 if two_way else 2
    most = min(bytes_per_node // 4, max(1, rows))
    return max(most // step, 1) * step


def heuristic(sub: Subgraph, bytes_per_node: int) -> Heuristic:
    """Make a heuristic.

    Args:
        sub: what a profile can use; r rows.
        bytes_per_node: see :func:`pivot_columns`.

    Raises:
        CostError: distances run off the integer scale.
    """
    graph = sub.graph
    rows = graph.node_count
    two_way = leads_back(sub.graph, sub.weight)
    columns = pivot_columns(rows, bytes_per_node, two_way=two_way)
    if not rows:
        return Heuristic(two_way, np.zeros((0, columns), dtype=np.int32))
    part, _ = connected_parts(graph.first_out, graph.head, np.zeros(rows, dtype=np.int32))
    first = int((part == np.bincount(part).argmax()).argmax())
    pivot = pivot_distances(graph, sub.weight, first, columns, two_way=two_way)
    return Heuristic(two_way, pivot)


def pivot_distances(
    graph: Graph, weight: Int32Array, first: int, count: int, *, two_way: bool
) -> Int32Array:
    """Search for distances to and from pivots, each as far as can be from those before it.

    d(s, g) >= d(s, p) - d(g, p) and d(s, g) >= d(p, g) - d(p, s) for every row p. A. Goldberg,
    C. Harrelson, "Computing the shortest path: A* search meets graph theory", SODA 2005, with
    farthest selection.

    Args:
        graph, weight: what a profile can use; weights (m) int32 ticks.
        first: a row; the first pivot is the farthest of those it reaches.
        count: columns wanted, at least 0; even unless two_way.
        two_way: whether every arc can be taken back at the same cost. Then a column is one pivot;
            otherwise the first half are distances to pivots, the second half distances from them.

    Returns:
        (r, count) int32 ticks. Where there is no path, the entry is the largest distance of the
        column, which keeps every bound true: a row from which one can reach a row that reaches the
        pivot reaches the pivot too.
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
        voronoi_cells(
            Arcs.of(of, price), wanted, heap, found, np.empty_like(found), found[:1].copy()
        )
        wanted[row] = False
        return found

    nearest = distances(graph, weight, first)
    half = count if two_way else count // 2
    for column in range(half):
        chosen = int(np.where(nearest == UNREACHABLE, -1, nearest).argmax())
        onward = distances(graph, weight, chosen)
        # The row that distances were first measured from is not a pivot.
        nearest = onward if column == 0 else np.minimum(nearest, onward)
        if two_way:
            pivot[:, column] = _filled(onward)
        else:
            pivot[:, half + column] = _filled(onward)
            pivot[:, column] = _filled(distances(backward, weight[behind], chosen))
    return pivot


def _filled(distance: Int32Array) -> Int32Array:
    none = distance == UNREACHABLE
    return np.where(none, distance.max(where=~none, initial=0), distance)
