"""Make a heuristic within a budget of bytes: pivots, and a table between basins, with fields.

Rows are cut into basins, the rows nearest to each of a farthest-point sample. A plain table of
distances between basins is of little use: it jumps at every border. Corrected by fields that rise
as distances do (:mod:`bake.search.all_pairs.fields`) it is nearly exact at the same size.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt

import numpy as np

from bake.arrays import Int32Array, Int64Array
from bake.graph import UNREACHABLE, Arcs, Graph, Subgraph
from bake.search.graph.connectivity import is_two_way
from bake.search.graph.partition import connected_parts, voronoi_cells
from bake.tables.field_table import MOST_FIELDS, FieldTable, Slopes, field_table, table_bytes

#: The most distances a bake may search for a table between basins, counted per field: some ten
#: seconds.
MOST_DISTANCES = 2**31

#: Pivots beside a table between basins: with more pivots and fewer basins it guides worse.
PIVOTS = 2

#: Bytes that a pair of basins takes: a distance and two fields.
PAIR_BYTES = 5

MOST_PIVOTS = 64


@dataclass(frozen=True)
class Size:
    """How the bytes of a heuristic are spent.

    Attributes:
        pivots: columns of distances to pivots or from them.
        basins: at most this many; 0 = no table.
    """

    pivots: int
    basins: int


def heuristic_size(rows: int, bytes_per_node: int, *, kind: str, two_way: bool) -> Size:
    """Decide how to spend a budget.

    Args:
        rows: r.
        bytes_per_node: budget, at least 8.
        kind: "field": two pivots, the rest a table between basins, as large as can be searched in
            some seconds; what that leaves goes into more pivots. "landmark": pivots alone.
        two_way: whether every arc can be taken back at the same cost; if not, a pivot needs two
            columns, and the table both halves.
    """
    step = 1 if two_way else 2
    most = min(bytes_per_node // 4, MOST_PIVOTS, max(1, rows))
    if kind == "landmark":
        return Size(max(most // step, 1) * step, 0)
    pivots = min(PIVOTS, (bytes_per_node - 6) // 4) // step * step
    label = 1 if rows < 2**8 else 2
    room = (bytes_per_node - 4 * pivots - label) * rows
    basins = isqrt(max(0, room) * (2 if two_way else 1) // PAIR_BYTES)
    while basins and table_bytes(basins, two_way=two_way) > room:
        basins -= 1
    basins = min(basins, rows, MOST_DISTANCES // (MOST_FIELDS * max(1, rows)))
    spare = room - table_bytes(basins, two_way=two_way)
    if basins < rows:
        more = spare // (4 * max(1, rows)) // step * step
        pivots = min(pivots + more, MOST_PIVOTS)
    return Size(pivots, basins)


@dataclass(frozen=True)
class Heuristic:
    """The data of one profile's heuristic.

    Attributes:
        two_way: whether every arc can be taken back at the same cost.
        pivot: (r, p) int32 ticks, from :func:`pivot_distances`.
        table: between basins; None = pivots alone.
    """

    two_way: bool
    pivot: Int32Array
    table: FieldTable | None


def heuristic(
    sub: Subgraph,
    at: Int32Array,
    slopes: Slopes,
    *,
    kind: str,
    bytes_per_node: int,
    budget: int,
    threads: int,
) -> Heuristic:
    """Make a heuristic.

    Args:
        sub: what a profile can use; r rows.
        at: (r, 2) int32 coordinates of the rows.
        slopes: what fields rise by along coordinates.
        kind, bytes_per_node: see :func:`heuristic_size`.
        budget: bytes this may allocate.
        threads: how many searches at once; changes no byte of the result.

    Raises:
        BudgetError: the budget is too short.
        CostError: distances run off the integer scale.
    """
    graph, weight = sub.graph, sub.weight
    rows = graph.node_count
    two_way = bool(is_two_way(sub.arcs))
    size = heuristic_size(rows, bytes_per_node, kind=kind, two_way=two_way)
    part, parts = connected_parts(graph.first_out, graph.head, np.zeros(rows, dtype=np.int32))
    extent = np.bincount(part, minlength=max(1, parts)).astype(np.int64)
    first = int((part == extent.argmax()).argmax()) if rows else 0
    if not rows:
        return Heuristic(two_way, np.zeros((0, size.pivots), dtype=np.int32), None)
    pivot = pivot_distances(graph, weight, first, size.pivots, two_way=two_way)
    if not size.basins:
        return Heuristic(two_way, pivot, None)
    label, sample = _basins(sub, extent[part], size.basins)
    table = field_table(
        sub, at, slopes, pivot, label, sample, two_way=two_way, budget=budget, threads=threads
    )
    return Heuristic(two_way, pivot, table)


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
        column,
        which keeps every bound true: a row from which one can reach a row that reaches the pivot
        reaches the pivot too.
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
        voronoi_cells(Arcs.of(of, price), wanted, heap, found, cell, sample)
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
    largest = distance.max(where=distance != UNREACHABLE, initial=0)
    return np.where(distance == UNREACHABLE, largest, distance)


def _basins(sub: Subgraph, extent: Int64Array, count: int) -> tuple[Int32Array, Int32Array]:
    """Return (r) int32, the basin of every row, and (c) int32, the sample of each; c <= count.

    Basins are numbered in the order of their samples, so that consecutive ones lie together.
    Parts of the graph that are small beside a basin share basins of their own.
    """
    graph = sub.graph
    rows = graph.node_count
    # Arcs count in both directions, as it need not be possible to leave a basin.
    tail = graph.tail()
    both, behind = graph.from_arcs(
        rows, np.concatenate([tail, graph.head]), np.concatenate([graph.head, tail])
    )
    price = np.concatenate([sub.weight, sub.weight])[behind]
    wanted = extent >= max(2, rows // (2 * count))
    lonely = int(rows - wanted.sum())
    shared = min(count - 1, -(-lonely * count // rows)) if wanted.any() else count
    sample = np.zeros(count - shared, dtype=np.int32)
    label = np.full(rows, -1, dtype=np.int32)
    found = voronoi_cells(
        Arcs.of(both, price),
        wanted,
        np.empty((both.arc_count + 1, 2), dtype=np.int64),
        np.empty(rows, dtype=np.int32),
        label,
        sample,
    )
    sample = sample[:found]
    left = np.flatnonzero(label < 0)
    if len(left):
        each = -(-len(left) // max(1, shared))
        label[left] = found + np.arange(len(left)) // each
        sample = np.concatenate([sample, left[::each]])
    order = np.argsort(sample, kind="stable")
    rank = np.empty(len(sample), dtype=np.int32)
    rank[order] = np.arange(len(sample), dtype=np.int32)
    return rank[label], sample[order].astype(np.int32)
