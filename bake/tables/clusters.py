"""Partition a profile's rows into clusters, connected groups of places that lie together.

On lattices a class is a square of cells, on graphs with positions a square of the plane, on other
graphs a stretch of the nodes in their order; or it is a region a designer drew. Each class is cut
into connected parts.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from bake.arrays import Float64Array, Int32Array
from bake.graph import Subgraph
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

    sub: Subgraph  #: what is partitioned
    #: (r) int32, cluster of each row. Clusters are numbered by region, then by square in reading
    #: order, and within one by their lowest row.
    label: Int32Array
    count: int  #: c
    #: (c, 2) int32, the square (column, row of squares) of each cluster's lowest row; larger
    #: clusters are made of neighbouring squares
    tile: Int32Array

    @cached_property
    def members(self) -> tuple[Int32Array, Int32Array, Int32Array]:
        """Return rows by cluster: first (c + 1), row (r); and rank (r) of rows in clusters."""
        return members(self.label, self.count)

    @cached_property
    def crossing(self) -> tuple[Int32Array, Int32Array]:
        """Return the arcs from one cluster to another: tail (k) int32 and arc (k) int32."""
        return crossing_arcs(self.sub.graph.first_out, self.sub.graph.head, self.label)

    @cached_property
    def neighbours(self) -> tuple[Int32Array, Int32Array]:
        """Return the clusters joined by an arc in either direction: first (c + 1) and neighbour."""
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
        sub: what the profile can use.
        size: side of a square in cells, at least 1; on graphs a cluster has about size * size
            nodes, before it is cut into connected parts.
        cell: (r, 2) int32 (x, y) of each row of a lattice.
        position: (r, 2) float64 of each row of a graph.
        region: (r) int32, the drawn region each row lies in, -1 outside all regions; None = there
            are no regions.
    """
    rows = sub.graph.node_count
    tile = squares(size, rows, cell=cell, position=position)
    label, count = connected_parts(sub.graph.first_out, sub.graph.head, classes(tile, region))
    return Clusters(sub, label, count, tile[lowest_members(label, count)])
