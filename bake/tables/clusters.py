"""Partition a profile's rows into clusters: connected groups of neighboring rows.

A class of rows is a square of cells on lattices, a square of the plane on graphs with positions, a
range of consecutive nodes on other graphs, or a region that a designer drew. Each class is cut into
connected parts.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from bake.core.arrays import Float64Array, Int32Array
from bake.core.graph import Subgraph
from bake.search.graph.partition import (
    classes,
    connected_parts,
    crossing_arcs,
    members,
    neighbours,
    squares,
)
from bake.search.hierarchy.clusters import lowest_members


@dataclass(frozen=True)
class Clusters:
    """A partition of a profile's rows into connected parts (arcs count in both directions)."""

    sub: Subgraph  #: the graph and weights of the profile
    #: (r) int32, cluster of each row. Clusters are numbered by region, then by square in reading
    #: order, and within one by their lowest row.
    label: Int32Array
    count: int  #: c
    #: (c, 2) int32, the square (column, row of squares) of each cluster's lowest row; larger
    #: clusters are unions of neighboring squares
    tile: Int32Array

    @cached_property
    def members(self) -> tuple[Int32Array, Int32Array, Int32Array]:
        """The rows by cluster: first (c + 1), row (r); and rank (r) of rows in clusters."""
        return members(self.label, self.count)

    @cached_property
    def crossing(self) -> tuple[Int32Array, Int32Array]:
        """The arcs from one cluster to another: tail (k) int32 and arc (k) int32."""
        return crossing_arcs(self.sub.graph.first_out, self.sub.graph.head, self.label)

    @cached_property
    def neighbours(self) -> tuple[Int32Array, Int32Array]:
        """The clusters joined by an arc in either direction: first (c + 1) and neighbor."""
        tail, arc = self.crossing
        return neighbours(self.label[tail], self.label[self.sub.graph.head[arc]], self.count)


def clusters(
    sub: Subgraph,
    *,
    size: int,
    cell: Int32Array | None = None,
    position: Float64Array | None = None,
    region: Int32Array | None = None,
) -> Clusters:
    """Partition the rows of a profile.

    Args:
        sub: the profile's graph and weights.
        size: side of a square in cells, at least 1; on graphs a class has about size * size nodes,
            before it is cut into connected parts.
        cell: (r, 2) int32 (x, y) of each row of a lattice.
        position: (r, 2) float64 of each row of a graph.
        region: (r) int32, the drawn region of each row, -1 outside all regions; None = no regions.
    """
    rows = sub.graph.node_count
    tile = squares(size, rows, cell=cell, position=position)
    label, count = connected_parts(sub.graph.first_out, sub.graph.head, classes(tile, region))
    return Clusters(sub, label, count, tile[lowest_members(label, count)])
