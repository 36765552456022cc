"""A heuristic within a budget of bytes: distances to and from pivots (landmarks)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bake.core.arrays import Int32Array
from bake.core.graph import UNREACHABLE, Arcs, Graph, Subgraph, leads_back
from bake.search.graph.partition import connected_parts, voronoi_cells


@dataclass(frozen=True)
class Heuristic:
    """The data of one profile's heuristic."""

    two_way: bool  #: whether every arc has a reverse arc of the same weight
    pivot: Int32Array  #: (r, p) int32 ticks, from :func:`pivot_distances`


def pivot_columns(rows: int, bytes_per_node: int, *, two_way: bool) -> int:
    """Return the number of columns of distances that fit a budget.

    Args:
        rows: r.
        bytes_per_node: budget, at least 8.
        two_way: whether every arc has a reverse arc of the same weight; if not, a pivot needs two
            columns.

    >>> pivot_columns(1000, 32, two_way=True)
    8
    """
    step = 1 if two_way else 2
    most = min(bytes_per_node // 4, max(1, rows))
    return max(most // step, 1) * step


def heuristic(sub: Subgraph, bytes_per_node: int) -> Heuristic:
    """Compute the heuristic of a profile.

    Args:
        sub: the graph and weights of a profile; r rows.
        bytes_per_node: see :func:`pivot_columns`.

    Raises:
        CostError: distances exceed the integer scale.
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
    """Compute distances to and from pivots, each the farthest row from the pivots before it.

    d(s, g) >= d(s, p) - d(g, p) and d(s, g) >= d(p, g) - d(p, s) for every row p. A. Goldberg,
    C. Harrelson, "Computing the shortest path: A* search meets graph theory", SODA 2005, with
    farthest selection.

    Args:
        graph, weight: of a profile; weights (m) int32 ticks.
        first: a row; the first pivot is the farthest of those it reaches.
        count: the number of columns, at least 0; even unless two_way.
        two_way: whether every arc has a reverse arc of the same weight. Then a column is one pivot;
            otherwise the first half are distances to pivots, the second half distances from them.

    Returns:
        (r, count) int32 ticks. Where there is no path, the entry is the largest distance of the
        column. Every bound stays valid: a row that can reach a row that reaches the pivot also
        reaches the pivot.
    """
    rows = graph.node_count
    pivot = np.zeros((rows, count), dtype=np.int32)
    if not count:
        return pivot
    sources = np.zeros(rows, dtype=np.bool_)
    backward, reverse_order = (graph, slice(None)) if two_way else graph.reverse()
    heap = np.empty((graph.arc_count + 1, 2), dtype=np.int64)

    def distances(side: Graph, price: Int32Array, row: int) -> Int32Array:
        result = np.empty(rows, dtype=np.int32)
        sources[row] = True
        voronoi_cells(
            Arcs.from_graph(side, price),
            sources,
            heap,
            result,
            np.empty_like(result),
            result[:1].copy(),
        )
        sources[row] = False
        return result

    nearest = distances(graph, weight, first)
    half = count if two_way else count // 2
    for column in range(half):
        chosen = int(np.where(nearest == UNREACHABLE, -1, nearest).argmax())
        onward = distances(graph, weight, chosen)
        # The row that distances were first measured from is not a pivot.
        nearest = onward if column == 0 else np.minimum(nearest, onward)
        if two_way:
            pivot[:, column] = _fill_unreachable(onward)
        else:
            pivot[:, half + column] = _fill_unreachable(onward)
            pivot[:, column] = _fill_unreachable(distances(backward, weight[reverse_order], chosen))
    return pivot


def _fill_unreachable(distance: Int32Array) -> Int32Array:
    none = distance == UNREACHABLE
    return np.where(none, distance.max(where=~none, initial=0), distance)
