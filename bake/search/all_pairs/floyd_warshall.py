"""All-pairs distances by dynamic programming over intermediate nodes, a block of them at a time.

R. W. Floyd, "Algorithm 97: shortest path", Comm. ACM 5(6), 1962, in the blocked form of
G. Venkataraman, S. Sahni, S. Mukhopadhyaya, "A blocked all-pairs shortest-paths algorithm", ACM
Journal of Experimental Algorithmics 8, 2003: first the paths among the nodes of a block, then those
that begin there, then all others that lead through it, as products of tiles (`min_plus`). Where the
paper updates the block's columns before those others, they come last here: distances among the
block's nodes are already part of the rows, so nothing needs the columns earlier, and tiles of other
columns are then independent of each other.

Next hops are not tracked on the way: they follow from the distances afterwards (`first_moves`),
which keeps the inner loop to one minimum and makes ties the same as with any other method.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from bake.arrays import Int32Array, UInt32Array
from bake.graph import INFINITY, Graph
from bake.kernels.jit import kernel
from bake.search.all_pairs.batch import check_scale
from bake.search.all_pairs.min_plus import (
    GROUP,
    SIDE,
    WORK_BYTES,
    rearrange,
    relax_column,
    relax_rows,
    working_memory,
)

#: Intermediate nodes between two reports of progress.
STRIDE = SIDE

#: Nodes of a block closed at a time.
PART = 16


@kernel
def _initialise(
    first_out: Int32Array, head: Int32Array, weight: Int32Array, dist: Int32Array
) -> None:
    dist[:, :] = INFINITY
    for node in range(len(first_out) - 1):
        row = dist[node]
        for arc in range(first_out[node], first_out[node + 1]):
            row[head[arc]] = min(row[head[arc]], weight[arc])
        row[node] = 0


@kernel
def _close(dist: UInt32Array, start: int, stop: int) -> None:
    """Paths from nodes start to stop of a block, (k, k), by way of the same."""
    for via in range(start, stop):
        from_via = dist[via]
        for source in range(start, stop):
            to_via = dist[source, via]
            if to_via >= INFINITY or source == via:
                continue
            row = dist[source]
            for target in range(len(row)):
                row[target] = min(row[target], np.uint32(to_via + from_via[target]))


@kernel
def _close_block(tile: UInt32Array, side: int) -> None:
    """Shortest paths among the nodes of one block, (k * k); a whole tile in parts that fit L1."""
    dist = tile.reshape(side, side)
    if side != SIDE:
        _close(dist, 0, side)
        return
    for via in range(0, SIDE, PART):
        _close(dist, via, via + PART)
        from_via = tile[via * SIDE : (via + PART) * SIDE]
        for row in range(0, SIDE, GROUP):
            if not via <= row < via + PART:
                rows = tile[row * SIDE : (row + GROUP) * SIDE]
                relax_rows(rows[via:], from_via, PART, rows)


def working_bytes(node_count: int, threads: int) -> int:
    """Most bytes :func:`floyd_warshall` takes besides ``dist``."""
    return min(SIDE, node_count) * node_count * 4 + threads * WORK_BYTES


def floyd_warshall(
    graph: Graph, weight: Int32Array, dist: Int32Array, threads: int = 1
) -> Iterator[int]:
    """Fill ``dist`` with all-pairs distances, a stride of intermediate nodes at a time.

    Args:
        graph: n nodes, m arcs.
        weight: (m) int32 ticks in [1, MAX_WEIGHT].
        dist: (n, n) int32 in C order, overwritten; INFINITY where there is no path. Until the last
            stride is reported it holds neither rows nor final distances.
        threads: how many tiles to work on at once; changes nothing in the result.

    Yields:
        How many of the n intermediate nodes are done.

    Raises:
        CostError: a distance comes too near the end of the scale to be told from no path.
    """
    n = graph.node_count
    _initialise(graph.first_out, graph.head, weight, dist)
    matrix = dist.reshape(-1).view(np.uint32)
    band = np.empty(min(SIDE, n) * n, dtype=np.uint32)
    rearrange(matrix, n, True, band)
    spare: list[UInt32Array] = []

    def relax(via: int, left: int) -> None:
        work = spare.pop() if spare else working_memory()
        via_stop = min(via + SIDE, n)
        if left != via:
            relax_column(matrix, n, via, left, via, via_stop, work)
        relax_column(matrix, n, via, left, 0, via, work)
        relax_column(matrix, n, via, left, via_stop, n, work)
        spare.append(work)

    with ThreadPoolExecutor(max_workers=threads) as pool:
        for via in range(0, n, SIDE):
            via_stop = min(via + SIDE, n)
            side = via_stop - via
            start = via * n + via * side
            _close_block(matrix[start : start + side * side], side)
            others = [left for left in range(0, n, SIDE) if left != via]
            for _ in (map if threads == 1 else pool.map)(relax, [via] * len(others), others):
                pass
            relax(via, via)
            if via_stop == n:
                rearrange(matrix, n, False, band)
            yield via_stop
    if graph.arc_count:
        check_scale(dist, int(weight.max()))
