"""All-pairs distances by the blocked Floyd-Warshall algorithm.

R. W. Floyd, "Algorithm 97: shortest path", Comm. ACM 5(6), 1962, in the blocked form of
G. Venkataraman, S. Sahni, S. Mukhopadhyaya, "A blocked all-pairs shortest-paths algorithm", ACM
Journal of Experimental Algorithmics 8, 2003: first the paths among the nodes of a block, then those
that begin in it, then all others that pass through it, as products of tiles. The paper updates the
block's columns before those others; here they come last. Distances among the block's nodes are
already part of the rows, so nothing needs the columns earlier, and tiles of other columns are
independent of each other.

Next hops are not tracked. They follow from the distances afterwards (`runs`), which keeps the inner
loop to one minimum and breaks ties as every other method does.

The product is taken over (min, +), four rows and four intermediate nodes at a time: each vector of
the tile is loaded and stored once for sixteen sums, and the sixteen distances to the intermediate
nodes stay in registers. Tiles are copied out of the matrix and back, so that their rows are
contiguous. Distances are unsigned, since INFINITY + INFINITY then does not wrap around.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from bake.core.arrays import Int32Array, UInt32Array
from bake.core.graph import INFINITY, Arcs, Graph
from bake.core.kernels.jit import kernel, ready
from bake.search.all_pairs.batch import check_scale

#: Rows and columns of a tile (64 KiB), and intermediate nodes between two progress reports.
# limit: the work is done in parts; lowered by all_pairs
SIDE = 128

#: Rows and intermediate nodes of the innermost loop, which is unrolled by hand for 4 of each.
GROUP = 4

#: Distances in a working buffer: those from the intermediate nodes, and two groups of rows.
_WORK = SIDE * SIDE + 2 * GROUP * SIDE

#: Bytes of a cache line.
_LINE = 64

#: Bytes of one thread's working buffer.
WORK_BYTES = _WORK * 4 + _LINE

#: Nodes of a block that are closed at a time.
# limit: the work is done in parts; lowered by all_pairs
PART = 16


def _working_memory() -> UInt32Array:
    """Allocate a working buffer on a cache line; each thread needs its own."""
    raw = np.empty(WORK_BYTES, dtype=np.uint8)
    start = -raw.ctypes.data % _LINE
    return raw[start : start + _WORK * 4].view(np.uint32)


@kernel
def _copy(source: UInt32Array, target: UInt32Array) -> None:
    """Copy a slice without numba's overlap test, which is slow to compile."""
    for lane in range(len(target)):
        target[lane] = source[lane]


@kernel
def _load_tile(
    matrix: UInt32Array,
    n: int,
    top: int,
    left: int,
    height: int,
    width: int,
    rows: int,
    tile: UInt32Array,
) -> None:
    """Copy a submatrix into ``rows`` rows of SIDE, padded with INFINITY."""
    for row in range(rows):
        if row >= height or width < SIDE:
            for lane in range(row * SIDE, (row + 1) * SIDE):
                tile[lane] = INFINITY
        if row < height:
            start = (top + row) * n + left
            _copy(matrix[start : start + width], tile[row * SIDE : row * SIDE + width])


@kernel
def _store_tile(
    tile: UInt32Array, matrix: UInt32Array, n: int, top: int, left: int, height: int, width: int
) -> None:
    """Copy rows of SIDE back into a submatrix."""
    for row in range(height):
        start = (top + row) * n + left
        _copy(tile[row * SIDE : row * SIDE + width], matrix[start : start + width])


@kernel
def _relax_rows(to_via: UInt32Array, from_via: UInt32Array, depth: int, out: UInt32Array) -> None:
    """Shorten the paths from four rows to SIDE columns through ``depth`` nodes."""
    for via in range(0, depth, GROUP):
        # Slices show the compiler that no index is negative.
        to_four = to_via[via : via + 3 * SIDE + GROUP]
        a0 = to_four[0]
        a1 = to_four[1]
        a2 = to_four[2]
        a3 = to_four[3]
        b0 = to_four[SIDE]
        b1 = to_four[SIDE + 1]
        b2 = to_four[SIDE + 2]
        b3 = to_four[SIDE + 3]
        c0 = to_four[2 * SIDE]
        c1 = to_four[2 * SIDE + 1]
        c2 = to_four[2 * SIDE + 2]
        c3 = to_four[2 * SIDE + 3]
        d0 = to_four[3 * SIDE]
        d1 = to_four[3 * SIDE + 1]
        d2 = to_four[3 * SIDE + 2]
        d3 = to_four[3 * SIDE + 3]
        nearest = min(
            min(min(min(a0, a1), min(a2, a3)), min(min(b0, b1), min(b2, b3))),
            min(min(min(c0, c1), min(c2, c3)), min(min(d0, d1), min(d2, d3))),
        )
        if nearest >= INFINITY:
            continue
        from_four = from_via[via * SIDE : (via + GROUP) * SIDE]
        for lane in range(SIDE):
            v0 = from_four[lane]
            v1 = from_four[SIDE + lane]
            v2 = from_four[2 * SIDE + lane]
            v3 = from_four[3 * SIDE + lane]
            a = min(np.uint32(a0 + v0), np.uint32(a1 + v1))
            a = min(a, min(np.uint32(a2 + v2), np.uint32(a3 + v3)))
            out[lane] = min(out[lane], a)
            b = min(np.uint32(b0 + v0), np.uint32(b1 + v1))
            b = min(b, min(np.uint32(b2 + v2), np.uint32(b3 + v3)))
            out[SIDE + lane] = min(out[SIDE + lane], b)
            c = min(np.uint32(c0 + v0), np.uint32(c1 + v1))
            c = min(c, min(np.uint32(c2 + v2), np.uint32(c3 + v3)))
            out[2 * SIDE + lane] = min(out[2 * SIDE + lane], c)
            d = min(np.uint32(d0 + v0), np.uint32(d1 + v1))
            d = min(d, min(np.uint32(d2 + v2), np.uint32(d3 + v3)))
            out[3 * SIDE + lane] = min(out[3 * SIDE + lane], d)


@kernel
def _relax_column(
    matrix: UInt32Array, n: int, via: int, left: int, top: int, bottom: int, work: UInt32Array
) -> None:
    """Shorten the paths to one tile's columns that pass through one block of nodes.

    ``dist[s, t]`` becomes at most ``dist[s, v] + dist[v, t]`` for every v. Rows v and columns v may
    be among those changed if ``dist[v, v']`` already holds shortest distances among the v.

    Args:
        matrix: (n * n) uint32, at most INFINITY.
        n: columns.
        via: first of the SIDE intermediate nodes.
        left: first of the SIDE columns.
        top, bottom: rows to change.
        work: from :func:`_working_memory`.
    """
    from_via = work[: SIDE * SIDE]
    to_via = work[SIDE * SIDE : SIDE * (SIDE + GROUP)]
    out = work[SIDE * (SIDE + GROUP) :]
    depth, width = min(SIDE, n - via), min(SIDE, n - left)
    _load_tile(matrix, n, via, left, depth, width, SIDE, from_via)
    for row in range(top, bottom, GROUP):
        rows = min(GROUP, bottom - row)
        _load_tile(matrix, n, row, via, rows, depth, GROUP, to_via)
        _load_tile(matrix, n, row, left, rows, width, GROUP, out)
        _relax_rows(to_via, from_via, SIDE, out)
        _store_tile(out, matrix, n, row, left, rows, width)


@kernel
def _initialise(arcs: Arcs, dist: Int32Array) -> None:
    first_out, head, weight = arcs
    dist[:, :] = INFINITY
    for node in range(len(first_out) - 1):
        row = dist[node]
        for arc in range(first_out[node], first_out[node + 1]):
            row[head[arc]] = min(row[head[arc]], weight[arc])
        row[node] = 0


@kernel
def _close(dist: UInt32Array, start: int, stop: int) -> None:
    """Shorten the paths within a (k, k) block from nodes [start, stop) through the same nodes."""
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
def _close_block(matrix: UInt32Array, n: int, via: int, work: UInt32Array) -> None:
    """Compute the shortest paths within one block, in parts that fit the L1 cache."""
    tile, side = work[: SIDE * SIDE], min(SIDE, n - via)
    _load_tile(matrix, n, via, via, side, side, SIDE, tile)
    for part in range(0, SIDE, PART):
        _close(tile.reshape(SIDE, SIDE), part, part + PART)
        from_part = tile[part * SIDE : (part + PART) * SIDE]
        for row in range(0, SIDE, GROUP):
            if not part <= row < part + PART:
                rows = tile[row * SIDE : (row + GROUP) * SIDE]
                _relax_rows(rows[part:], from_part, PART, rows)
    _store_tile(tile, matrix, n, via, via, side, side)


def floyd_warshall(
    graph: Graph, weight: Int32Array, dist: Int32Array, threads: int = 1
) -> Iterator[int]:
    """Fill ``dist`` with all-pairs distances, one block of intermediate nodes at a time.

    Args:
        graph: n nodes, m arcs.
        weight: (m) int32 ticks in [1, MAX_WEIGHT].
        dist: (n, n) int32 in C order, overwritten; INFINITY where there is no path.
        threads: the number of tiles to process at once; the result does not depend on it.

    Yields:
        The number of intermediate nodes processed, up to n.

    Raises:
        CostError: a distance is too close to INFINITY.

    >>> graph, order = Graph.from_arcs(3, np.array([0, 1]), np.array([1, 2]))
    >>> dist = np.empty((3, 3), dtype=np.int32)
    >>> done = list(floyd_warshall(graph, np.array([5, 7], dtype=np.int32)[order], dist))
    >>> dist[0].tolist()
    [0, 5, 12]
    """
    n = graph.node_count
    _initialise(Arcs.from_graph(graph, weight), dist)
    if not ready(_relax_column):
        dist_bits = dist.view(np.uint32)
        for via in range(n):
            np.minimum(dist_bits, dist_bits[:, via, None] + dist_bits[via], out=dist_bits)
            yield via + 1
        check_scale(dist, int(weight.max(initial=0)))
        return
    matrix = dist.reshape(-1).view(np.uint32)
    spare = [_working_memory()]

    def relax(via: int, left: int) -> None:
        work = spare.pop() if spare else _working_memory()
        via_stop = min(via + SIDE, n)
        if left != via:
            _relax_column(matrix, n, via, left, via, via_stop, work)
        _relax_column(matrix, n, via, left, 0, via, work)
        _relax_column(matrix, n, via, left, via_stop, n, work)
        spare.append(work)

    with ThreadPoolExecutor(max_workers=threads) as pool:
        for via in range(0, n, SIDE):
            _close_block(matrix, n, via, spare[-1])
            other_lefts = [left for left in range(0, n, SIDE) if left != via]
            for _ in (map if threads == 1 else pool.map)(
                relax, [via] * len(other_lefts), other_lefts
            ):
                pass
            relax(via, via)
            yield min(via + SIDE, n)
    check_scale(dist, int(weight.max(initial=0)))
