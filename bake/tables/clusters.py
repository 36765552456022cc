"""Clusters: connected groups of places that lie together.

On lattices a regular partition into squares, on graphs with positions one of the plane, on other
graphs runs of the patch order; or regions a designer drew. Each class is cut into connected parts.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from bake.graph import Int32Array, Subgraph
from bake.search.partition import connected_parts, crossing_arcs, members, neighbours

#: Squares along a side of a graph's plane; what lies beyond is in the last.
MOST_SQUARES = 2**14


@dataclass(frozen=True)
class Clusters:
    """A partition of a profile's rows into connected parts (arcs count in both directions).

    Attributes:
        sub: what is partitioned.
        label: (r) int32, cluster of each row. Clusters are numbered by region, then by square in
            reading order, within one by their lowest row.
        count: c.
        tile: (c, 2) int32, the square (column, row of squares) of each cluster's lowest row;
            larger clusters are made of neighbouring squares.
    """

    sub: Subgraph
    label: Int32Array
    count: int
    tile: Int32Array

    @cached_property
    def members(self) -> tuple[Int32Array, Int32Array, Int32Array]:
        """Rows by cluster: first (c + 1), row (r); and place (r), a row's rank in its cluster."""
        return members(self.label, self.count)

    @cached_property
    def crossing(self) -> tuple[Int32Array, Int32Array]:
        """Arcs from one cluster to another: tail (k) int32 and arc (k) int32."""
        return crossing_arcs(self.sub.graph.first_out, self.sub.graph.head, self.label)

    @cached_property
    def neighbours(self) -> tuple[Int32Array, Int32Array]:
        """Clusters joined by an arc in either direction: first (c + 1) and neighbour."""
        tail, arc = self.crossing
        return neighbours(self.label[tail], self.label[self.sub.graph.head[arc]], self.count)


def clusters(
    sub: Subgraph,
    *,
    size: int,
    cell: Int32Array | None = None,
    position: npt.NDArray[np.float64] | None = None,
    region: Int32Array | None = None,
) -> Clusters:
    """Partition the rows of a profile.

    Args:
        sub: what the profile can use.
        size: side of a square in cells, at least 1; on graphs a cluster has about size * size
            nodes, before it is cut into connected parts.
        cell: (r, 2) int32 (x, y) of each row of a lattice.
        position: (r, 2) float64 of each row of a graph.
        region: (r) int32, the drawn region each row lies in, -1 outside all; None = there are none.
    """
    rows = sub.graph.node_count
    if cell is not None:
        tile = (cell // np.int32(size)).astype(np.int32)
    elif position is not None:
        tile = _squares_of_plane(position, size * size)
    else:
        chunk = np.arange(rows, dtype=np.int32) // np.int32(min(size * size, 2**31 - 1))
        tile = np.stack([chunk, np.zeros_like(chunk)], axis=1)
    columns = int(tile[:, 0].max(initial=0)) + 1
    key = tile[:, 1].astype(np.int64) * columns + tile[:, 0]
    if region is not None:
        key = np.where(region < 0, key + (int(region.max(initial=-1)) + 1), region)
    label, count = connected_parts(sub.graph.first_out, sub.graph.head, key.astype(np.int32))
    lowest = np.empty(count, dtype=np.int64)
    # Written from the last row to the first, so that the lowest of a cluster stays.
    lowest[label[::-1]] = np.arange(rows)[::-1]
    return Clusters(sub, label, count, tile[lowest])


def _squares_of_plane(position: npt.NDArray[np.float64], mean: int) -> Int32Array:
    """(r, 2) int32 square of each node: so many squares that one holds about ``mean`` nodes."""
    rows = len(position)
    if not rows:
        return np.zeros((0, 2), dtype=np.int32)
    low = position.min(axis=0)
    extent = position.max(axis=0) - low
    wanted = max(1.0, rows / mean)
    longer, shorter = float(extent.max()), float(extent.min())
    if not np.isfinite(longer) or longer <= 0:
        return np.zeros((rows, 2), dtype=np.int32)
    # Squares of side a cover the rectangle: longer / a * max(1, shorter / a) = wanted.
    side = max(np.sqrt(longer * shorter / wanted), longer / wanted)
    last = np.clip(np.ceil((position.max(axis=0) - low) / side) - 1, 0, MOST_SQUARES - 1)
    square: Int32Array = np.minimum((position - low) // side, last).astype(np.int32)
    return square


def region_of_rows(
    regions: tuple[npt.NDArray[np.int32], ...], cell: Int32Array, width: int, height: int
) -> Int32Array:
    """(r) int32, the first of several regions each row's cell lies in; -1 = in none.

    Args:
        regions: cells (k, 2) int32 (x, y) of each region, inside the level.
        cell: (r, 2) int32.
        width, height: of the level in cells.
    """
    drawn = np.full((height, width), -1, dtype=np.int32)
    for place in range(len(regions) - 1, -1, -1):
        drawn[regions[place][:, 1], regions[place][:, 0]] = place
    found: Int32Array = drawn[cell[:, 1], cell[:, 0]]
    return found
