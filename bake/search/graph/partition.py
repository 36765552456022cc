"""Partitions of a graph, and the members, borders and neighbors of their parts.

Nodes are grouped by position (squares of cells or of the plane, drawn regions), by connection, or
around a sample of nodes.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bake.core.arrays import BoolArray, Float64Array, Int32Array, Int64Array, offsets
from bake.core.graph import UNREACHABLE, Arcs
from bake.core.kernels.heap import Heap, drop_first, push
from bake.core.kernels.jit import kernel

#: Most squares along a side of a graph's plane; the last one includes everything beyond it.
# limit: the last square covers the rest; lowered by planes
MOST_SQUARES = 2**14


def squares(
    size: int,
    rows: int,
    *,
    cell: Int32Array | None = None,
    position: Float64Array | None = None,
    laid_by: int | None = None,
) -> Int32Array:
    """Return (r, 2) int32, the column and row of each row's square.

    On lattices these are squares of cells, on graphs with positions squares of the plane, on other
    graphs runs of consecutive rows.

    Args:
        size: side of a square in cells; on graphs a square has about size * size nodes.
        rows: r.
        cell: (r, 2) int32 (x, y) of each row of a lattice.
        position: (r, 2) float64 of each row of a graph.
        laid_by: only this many of the first rows decide the bounds of squares of the plane; None =
            all.
    """
    if cell is not None:
        return (cell // np.int32(size)).astype(np.int32)
    if position is not None:
        return _squares_of_plane(position, size * size, rows if laid_by is None else laid_by)
    chunk = np.arange(rows, dtype=np.int32) // np.int32(min(size * size, 2**31 - 1))
    return np.stack([chunk, np.zeros_like(chunk)], axis=1)


def _squares_of_plane(position: Float64Array, mean: int, laid_by: int) -> Int32Array:
    """Divide the plane into squares of about ``mean`` nodes each."""
    rows, laid = len(position), position[:laid_by]
    if not len(laid):
        return np.zeros((rows, 2), dtype=np.int32)
    low = laid.min(axis=0)
    with np.errstate(over="ignore"):  # an extent that is not finite is handled below
        extent = laid.max(axis=0) - low
    candidates = max(1.0, len(laid) / mean)
    longer, shorter = float(extent.max()), float(extent.min())
    if not np.isfinite(longer) or longer <= 0:
        return np.zeros((rows, 2), dtype=np.int32)
    # Squares of side a cover the rectangle: longer / a * max(1, shorter / a) = wanted.
    side = max(np.sqrt(longer * shorter / candidates), longer / candidates)
    last = np.clip(np.ceil((laid.max(axis=0) - low) / side) - 1, 0, MOST_SQUARES - 1)
    square: Int32Array = np.clip((position - low) // side, 0, last).astype(np.int32)
    return square


def classes(tile: Int32Array, region: Int32Array | None) -> Int64Array:
    """Return (r) int64 class numbers; rows of one square or one region share theirs.

    Regions come first, then squares in reading order.

    Args:
        tile: from :func:`squares`.
        region: (r) int32, -1 outside all regions; None = no regions.
    """
    key: Int64Array = (tile[:, 1].astype(np.int64) << 32) + tile[:, 0]
    if region is not None:
        key = np.where(region < 0, key + 2**31, region)
    return key


def region_of_rows(
    regions: tuple[Int32Array, ...], cell: Int32Array, width: int, height: int
) -> Int32Array:
    """Return (r) int32, the first of several regions that contains each row's cell; -1 = none.

    Args:
        regions: cells (k, 2) int32 (x, y) of each region, inside the level.
        cell: (r, 2) int32.
        width, height: of the level in cells.
    """
    drawn = np.full((height, width), -1, dtype=np.int32)
    for i in range(len(regions) - 1, -1, -1):
        drawn[regions[i][:, 1], regions[i][:, 0]] = i
    region: Int32Array = drawn[cell[:, 1], cell[:, 0]]
    return region


@kernel
def _find_lowest(first_out: Int32Array, head: Int32Array, key: Int64Array, low: Int32Array) -> None:
    n = len(first_out) - 1
    for node in range(n):
        low[node] = node
    for node in range(n):
        for arc in range(first_out[node], first_out[node + 1]):
            other = head[arc]
            if key[other] != key[node]:
                continue
            a = node
            while low[a] != a:
                low[a] = low[low[a]]
                a = low[a]
            b = other
            while low[b] != b:
                low[b] = low[low[b]]
                b = low[b]
            if a < b:
                low[b] = a
            elif b < a:
                low[a] = b
    for node in range(n):
        # Every link leads to a smaller node, whose value is final by now.
        low[node] = low[low[node]]


def connected_parts(
    first_out: Int32Array, head: Int32Array, key: npt.NDArray[np.integer]
) -> tuple[Int32Array, int]:
    """Divide the classes of a labeling into connected parts; arcs count in both directions.

    R. E. Tarjan, "Efficiency of a good but not linear set union algorithm", J. ACM 22(2), 1975.

    Args:
        first_out, head: the graph; (n + 1), (m) int32.
        key: (n) integers, the class of every node; arcs between classes are ignored.

    Returns:
        (n) int32 part of every node, and the number of parts. Parts are numbered by class, and
        within one class by their lowest node.

    >>> first_out, head = np.array([0, 1, 1, 1]), np.array([1])
    >>> label, count = connected_parts(first_out, head, np.array([0, 0, 0]))
    >>> label.tolist(), count
    ([0, 0, 1], 2)
    """
    n = len(first_out) - 1
    low = np.empty(n, dtype=np.int32)
    _find_lowest(first_out, head, key.astype(np.int64, copy=False), low)
    root = np.flatnonzero(low == np.arange(n, dtype=np.int32))
    order = np.lexsort((root, key[root]))
    part = np.empty(n, dtype=np.int32)
    part[root[order]] = np.arange(len(root), dtype=np.int32)
    return part[low], len(root)


@kernel
def voronoi_cells(
    arcs: Arcs,
    candidates: BoolArray,
    heap: Heap,
    dist: Int32Array,
    label: Int32Array,
    sample: Int32Array,
) -> int:
    """Sample a graph, and label every node with its nearest sample.

    Every sample is the node farthest from all before it (T. Gonzalez, "Clustering to minimize the
    maximum intercluster distance", Theoretical Computer Science 38, 1985). The search from a new
    sample covers only nodes for which it is the nearest one, so all searches together cost a few
    searches of the whole graph (M. Erwig, "The graph Voronoi diagram with applications", Networks
    36(3), 2000).

    Args:
        arcs: the arcs to search along.
        candidates: (n) bool, nodes that may become samples; the first of them is the first sample.
        heap: capacity for m + 1 entries.
        dist: (n) int32, written: the distance to the nearest sample, or UNREACHABLE.
        label: (n) int32, written: the number of that sample; -1 = none.
        sample: (k) int32, written: the samples.

    Returns:
        The number of samples: k, or fewer if every wanted node is one.
    """
    first_out, head, weight = arcs
    n = len(first_out) - 1
    dist[:] = UNREACHABLE
    label[:] = -1
    for number in range(len(sample)):
        farthest = -1
        best = 0
        for node in range(n):
            if candidates[node] and dist[node] > best:
                best = int(dist[node])
                farthest = node
        if farthest < 0:
            return number
        sample[number] = farthest
        dist[farthest] = 0
        label[farthest] = number
        heap_size = push(heap, 0, 0, farthest)
        while heap_size > 0:
            reached, node = int(heap[0, 0]), int(heap[0, 1])
            heap_size = drop_first(heap, heap_size)
            if dist[node] != reached or label[node] != number:
                continue
            for arc in range(first_out[node], first_out[node + 1]):
                other = head[arc]
                ahead = reached + int(weight[arc])
                if ahead < dist[other]:
                    dist[other] = ahead
                    label[other] = number
                    heap_size = push(heap, heap_size, ahead, other)
    return len(sample)


@kernel
def _fill_members(
    label: Int32Array, first: Int32Array, filled: Int32Array, member: Int32Array, rank: Int32Array
) -> None:
    for node in range(len(label)):
        part = label[node]
        if part >= 0:
            rank[node] = filled[part]
            member[first[part] + filled[part]] = node
            filled[part] += 1


def members(label: Int32Array, count: int) -> tuple[Int32Array, Int32Array, Int32Array]:
    """Return the nodes of every part.

    Args:
        label: (n) int32 below count, -1 for nodes outside all parts.
        count: c.

    Returns:
        first: (c + 1) int32, and member: int32: the nodes of part p, ascending, are at ``first[p]``
            to
        ``first[p + 1]``; rank: (n) int32, rank of each node among those of its part.

    >>> first, member, rank = members(np.array([1, 0, 1]), 2)
    >>> first.tolist(), member.tolist(), rank.tolist()
    ([0, 1, 3], [1, 0, 2], [0, 0, 1])
    """
    first, filled = np.zeros((2, count + 1), dtype=np.int32)
    np.cumsum(np.bincount(label + 1, minlength=count + 1)[1:], out=first[1:])
    member = np.empty(len(label), dtype=np.int32)
    rank = np.zeros(len(label), dtype=np.int32)
    _fill_members(label, first, filled, member, rank)
    return first, member[: first[-1]], rank


def crossing_arcs(
    first_out: Int32Array, head: Int32Array, label: Int32Array
) -> tuple[Int32Array, Int32Array]:
    """Return the arcs that lead from one part to another.

    Returns:
        (k) int32 tail and (k) int32 number of each, ascending.
    """
    tail = np.repeat(np.arange(len(label), dtype=np.int32), np.diff(first_out))
    arcs = np.flatnonzero(label[head] != label[tail]).astype(np.int32)
    return tail[arcs], arcs


def neighbours(
    label_from: Int32Array, label_to: Int32Array, count: int
) -> tuple[Int32Array, Int32Array]:
    """Return the neighbors of each part, joined by an arc in either direction.

    Args:
        label_from, label_to: (k) int32, the parts that each crossing arc leaves and enters.
        count: c.

    Returns:
        first: (c + 1) int32, neighbor: int32, ascending within a part.
    """
    a = np.concatenate([label_from, label_to]).astype(np.int64)
    b = np.concatenate([label_to, label_from])
    pairs: Int64Array = np.unique(a * max(1, count) + b)
    first = offsets(np.bincount(pairs // max(1, count), minlength=count))
    return first, (pairs % max(1, count)).astype(np.int32)
