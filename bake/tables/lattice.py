"""The tables of a large lattice, computed from its cells without listing its arcs.

The tables equal those of :mod:`bake.tables.components`, :mod:`bake.tables.clusters` and
:mod:`bake.tables.hierarchy` for the same rows and arcs. Arcs are listed only near borders between
clusters, where entrances lie, or all of them if some have no reverse arc.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bake.core.arrays import BoolArray, Int32Array, Int64Array, UInt8Array
from bake.core.graph import Graph, Subgraph
from bake.search.graph.partition import crossing_arcs, squares
from bake.search.hierarchy.arcs import diagonal_slots, leads_back, list_arcs, step_range
from bake.search.hierarchy.bundles import ClusteredGraph, LatticeArcs
from bake.search.hierarchy.clusters import connected_rows, mark_crossings
from bake.search.hierarchy.entrances import find_crossings
from bake.search.hierarchy.layer_builder import Base
from bake.tables.components import Components, components
from bake.tables.hierarchy import Hierarchy, build_layers
from levelbake.steps import chart


@dataclass(frozen=True)
class LatticeRows:
    """The rows of one profile on a large lattice."""

    graph: ClusteredGraph  #: the rows; clusters and ranks are filled in by :func:`lattice_clusters`
    node: Int32Array  #: (r) int32, the node of each row, ascending
    two_way: bool  #: whether every arc has a reverse arc of the same weight
    seen: BoolArray  #: (2, p, p) bool: see :func:`bake.search.hierarchy.arcs.leads_back`

    @staticmethod
    def of(lattice: LatticeArcs, node: Int32Array) -> LatticeRows:
        """Build the rows of a lattice, which belong to no cluster yet."""
        columns = np.zeros((len(lattice.cell), 2), dtype=np.int32)
        graph = ClusteredGraph(columns, np.zeros((0, 2), dtype=np.int32), lattice)
        seen = np.zeros((2, *lattice.ticks.shape[:2]), dtype=np.bool_)
        two_way = bool(leads_back(lattice, diagonal_slots(lattice), seen))
        return LatticeRows(graph, node, two_way, seen)

    @property
    def step_range(self) -> Int32Array:
        """(2, 2) int32, the smallest and largest ticks of straight and diagonal steps on the chart.

        A pair is 0 if there is no such step.
        """
        return step_range(self.graph.lattice, self.seen)

    def list_arcs_between(self, number: Int32Array, count: int) -> tuple[Graph, Int32Array]:
        """List the arcs between some rows as a graph, and the ticks of each arc.

        Args:
            number: (r) int32, the number of each of these rows in the graph, ascending; -1 for
                others.
            count: the number of these rows.
        """
        first_out = np.empty(count + 1, dtype=np.int32)
        empty = np.zeros(0, dtype=np.int32)
        list_arcs(self.graph, number, first_out, empty, empty)
        head, ticks = np.empty((2, int(first_out[-1])), dtype=np.int32)
        list_arcs(self.graph, number, first_out, head, ticks)
        return Graph(first_out, head), ticks


def lattice_components(rows: LatticeRows, node_count: int) -> Components:
    """Label the components of a profile, see :func:`bake.tables.components.components`."""
    count = len(rows.node)
    if not rows.two_way:
        graph, _ = rows.list_arcs_between(np.arange(count, dtype=np.int32), count)
        empty = np.zeros(0, dtype=np.int32)
        return components(Subgraph(graph, empty, rows.node, empty), node_count)
    label, label_count = connected_rows(rows.graph, np.zeros(count, dtype=np.int64))
    component = np.full(node_count, -1, dtype=np.int32)
    component[rows.node] = label
    return Components(component, label_count, None, False)


def lattice_clusters(rows: LatticeRows, size: int) -> tuple[Base, Int32Array]:
    """Divide the rows into clusters, as :func:`bake.tables.clusters.clusters` does by squares.

    Args:
        size: side of a square in cells; rows are numbered square by square.

    Returns:
        The rows by cluster, and (c, 2) int32, the square of each cluster.
    """
    graph = rows.graph
    label, count = connected_rows(graph, _squares(graph.lattice, size))
    base = Base.of(graph, label, count)
    lowest = base.members.node[base.members.first[:-1]]
    y, x = np.divmod(graph.lattice.cell[lowest], np.int32(graph.lattice.width))
    tile = squares(size, count, cell=np.stack([x, y], axis=1))
    return base, tile


def _squares(lattice: LatticeArcs, size: int) -> Int64Array:
    """Return (r) int64 numbers of the rows' squares, in reading order."""
    across = np.int64(-(-lattice.width // size))
    y, x = np.divmod(lattice.cell, np.int32(lattice.width))
    square: Int64Array = (y // np.int32(size)).astype(np.int64)
    square *= across
    square += x // np.int32(size)
    return square


def lattice_hierarchy(
    rows: LatticeRows,
    base: Base,
    tile: Int32Array,
    hex_layout: str | None,
    *,
    spacing: int,
    levels: int,
    keep_paths: bool,
    budget: int,
) -> Hierarchy:
    """Build the layers above the clusters, see :func:`bake.tables.hierarchy.hierarchy`.

    Args:
        rows: the rows.
        base, tile: from :func:`lattice_clusters`.
        hex_layout: odd-r, even-r, odd-q, even-q; None = square.
        spacing, levels, keep_paths, budget: as there.

    Raises:
        BudgetError, CostError: as there.
    """
    chosen = _select_transitions(rows, base, hex_layout, spacing=spacing)
    return build_layers(
        base,
        chosen,
        tile,
        two_way=rows.two_way,
        levels=levels,
        keep_paths=keep_paths,
        budget=budget,
    )


def _select_transitions(
    rows: LatticeRows, base: Base, hex_layout: str | None, *, spacing: int
) -> UInt8Array:
    """Return (r) uint8, 1 for the rows that become transitions.

    Entrances consist of arcs between clusters, so only the arcs between the ends of those are
    listed.
    """
    lattice = rows.graph.lattice
    chosen = np.empty(len(rows.node), dtype=np.uint8)
    mark_crossings(rows.graph, chosen)
    ends = np.flatnonzero(chosen).astype(np.int32)
    number = np.full(len(chosen), -1, dtype=np.int32)
    number[ends] = np.arange(len(ends), dtype=np.int32)
    graph, ticks = rows.list_arcs_between(number, len(ends))
    label = base.label[ends]
    y, x = np.divmod(lattice.cell[ends], np.int32(lattice.width))
    crossings = find_crossings(
        graph.first_out,
        graph.head,
        ticks,
        label,
        crossing_arcs(graph.first_out, graph.head, label),
        at=chart(np.stack([x, y], axis=1), hex_layout),
        square=hex_layout is None,
        spacing=spacing,
    )
    chosen[:] = 0
    for side in (crossings.near, crossings.far):
        chosen[ends[side[crossings.chosen]]] = 1
    return chosen
