"""Keep the rows of a profile in the form that hierarchies need, version by version.

The arcs of every row are one piece of a pool. A row whose arcs change gets a new piece at the end,
where no version before looks; so a version, once made, never changes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bake.core.arrays import BoolArray, Int32Array
from bake.core.graph import BLOCKED
from bake.core.kernels.jit import kernel
from bake.search.hierarchy.bundles import CLUSTER, END, FIRST, HEAD, TICKS, ClusteredGraph
from bake.search.live.graph import Adjacency


@kernel
def _copy_pieces(
    begin: Int32Array,
    end: Int32Array,
    to: Int32Array,
    weight: Int32Array,
    rows: Int32Array,
    graph: ClusteredGraph,
    used: int,
) -> int:
    """Append the arcs of some rows that may be taken to a pool, and return its size then."""
    for i in range(len(rows)):
        row = rows[i]
        graph.node[row, FIRST] = used
        for arc in range(begin[row], end[row]):
            if weight[arc] != BLOCKED:
                graph.arc[used, HEAD] = to[arc]
                graph.arc[used, TICKS] = weight[arc]
                used += 1
        graph.node[row, END] = used
    return used


@kernel
def _least(graph: ClusteredGraph, row: int, head: int) -> int:
    """Return the ticks of the cheapest arc from one row to another."""
    least = 2**31 - 1
    for arc in range(graph.node[row, FIRST], graph.node[row, END]):
        if graph.arc[arc, HEAD] == head:
            least = min(least, int(graph.arc[arc, TICKS]))
    return least


@kernel
def _find_odd(graph: ClusteredGraph, rows: Int32Array, odd: BoolArray) -> None:
    """Mark the rows with an arc that does not lead back at the same cost."""
    for i in range(len(rows)):
        row = rows[i]
        odd[row] = False
        for arc in range(graph.node[row, FIRST], graph.node[row, END]):
            other = graph.arc[arc, HEAD]
            if other >= 0 and _least(graph, row, other) != _least(graph, other, row):
                odd[row] = True


class ArcPool:
    """Room for pieces, shared by all versions; one thread at a time adds to it.

    Attributes:
        arcs: (m, 2) int32, the node each arc leads to, -1 where it may not be taken, and ticks.
        used: how much is taken.
    """

    def __init__(self, arcs: Int32Array) -> None:
        self.arcs = np.empty((len(arcs) + len(arcs) // 4 + 1024, 2), dtype=np.int32)
        self.arcs[: len(arcs)] = arcs
        self.used = len(arcs)

    def add(self, adjacency: Adjacency, rows: Int32Array, node: Int32Array) -> ClusteredGraph:
        """Write new pieces for some rows, and where they lie into ``node`` (r, 4)."""
        needed = int((adjacency.end[rows] - adjacency.begin[rows]).sum())
        if self.used + needed > len(self.arcs):
            wider = np.empty((2 * len(self.arcs) + needed, 2), dtype=np.int32)
            wider[: self.used] = self.arcs[: self.used]
            self.arcs = wider
        graph = ClusteredGraph(node, self.arcs)
        self.used = _copy_pieces(
            adjacency.begin,
            adjacency.end,
            adjacency.to,
            adjacency.weight,
            rows,
            graph,
            self.used,
        )
        return graph


@dataclass(frozen=True)
class LiveRows:
    """One version of the rows.

    Attributes:
        pool: of arcs out of rows.
        graph: the rows; its arcs are those of the pool when this version was made.
        odd: (r) bool, rows with an arc that does not lead back at the same cost.
    """

    pool: ArcPool
    graph: ClusteredGraph
    odd: BoolArray

    @staticmethod
    def of(graph: ClusteredGraph, *, two_way: bool) -> LiveRows:
        """Take the rows as they were baked."""
        pool = ArcPool(graph.arc)
        graph = ClusteredGraph(graph.node, pool.arcs)
        odd = np.zeros(len(graph.node), dtype=np.bool_)
        if not two_way:
            _find_odd(graph, np.arange(len(odd), dtype=np.int32), odd)
        return LiveRows(pool, graph, odd)

    @property
    def two_way(self) -> bool:
        return not self.odd.any()

    def edited(self, out: Adjacency, rows: Int32Array) -> LiveRows:
        """Make the version with the arcs some rows have now; the caller fills in their clusters.

        Args:
            out: arcs by tail, of all rows.
            rows: both ends of every arc that is different; new rows, too.
        """
        more = np.zeros((out.row_count - len(self.odd), 4), dtype=np.int32)
        more[:, CLUSTER] = -1
        odd = np.concatenate([self.odd, np.zeros(len(more), dtype=np.bool_)])
        graph = self.pool.add(out, rows, np.concatenate([self.graph.node, more]))
        _find_odd(graph, rows, odd)
        return LiveRows(self.pool, graph, odd)
