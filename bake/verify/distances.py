"""Verify next hops through the distances they imply, one block of targets after another.

Distances that arcs attain and that no arc shortens are those of shortest paths (R. Bellman, "On a
routing problem", 1958), since weights are positive. Several blocks are verified at once, in bounded
memory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import NamedTuple

import numpy as np

from bake.core.arrays import Int32Array, Int64Array
from bake.core.graph import INFINITY, UNREACHABLE
from bake.core.kernels.jit import kernel
from bake.core.processors import processors
from bake.verify import next_hops
from bake.verify.next_hops import NOT_SAID, Finding, Order, Reach, Segments
from bake.verify.profile import Arcs, FileProfile, Progress

#: Errors of a pair whose hops lead to its goal.
SHORTER, DISAGREES = 3, 4

_WORDS = {
    next_hops.BAD_SLOT: "a hop is no arc",
    next_hops.BLOCKED_ARC: "a hop takes an arc the profile may not",
    next_hops.NOT_TO_GOAL: "hops do not lead to their goal",
    SHORTER: "there is a shorter path",
    DISAGREES: "components and tables disagree",
}

#: Targets of a block: more of them share one order of rows, and the distances of fewer fit into the
#: processor's cache.
LANES = 256

#: The most bytes of the distances of one block; a profile with many rows gets fewer lanes.
BLOCK_BYTES = 2**26

#: Called with the verified distances of a block: its targets and (r, k) ticks. Any thread may call
#: it.
Observer = Callable[[Int32Array, Int32Array], None]


class Edges(NamedTuple):
    """The distinct pairs of rows that arcs join in either direction."""

    first: Int64Array  #: (r + 1) int64, first edge of each row
    other: Int32Array  #: (e) int32, the row at the other end, which has the smaller number
    #: (e) int32 ticks of the cheapest arc from the row to the other one, or UNREACHABLE
    up: Int32Array
    down: Int32Array  #: (e) int32 ticks of the cheapest arc back, or UNREACHABLE


def merge_edges(arcs: Arcs) -> Edges:
    """Merge arcs into edges, without loops, which shorten nothing."""
    rows = max(1, arcs.count)
    is_edge = arcs.head != arcs.tail
    tail, head, weight = arcs.tail[is_edge], arcs.head[is_edge], arcs.weight[is_edge]
    key, place = np.unique(
        np.maximum(tail, head) * rows + np.minimum(tail, head), return_inverse=True
    )
    up, down = np.full((2, len(key)), UNREACHABLE)
    upward = tail > head
    np.minimum.at(up, place[upward], weight[upward].astype(np.int32))
    np.minimum.at(down, place[~upward], weight[~upward].astype(np.int32))
    first = np.searchsorted(key // rows, np.arange(arcs.count + 1)).astype(np.int64)
    return Edges(first, (key % rows).astype(np.int32), up, down)


@kernel
def first_shortcut(edges: Edges, dist: Int32Array) -> Finding:
    """Find a violation of Bellman's condition: d(u, t) <= w(u, v) + d(v, t) for every arc.

    Args:
        edges: the arcs.
        dist: (r, k) ticks, INFINITY where there is no path.
    """
    for row in range(len(dist)):
        row_dist = dist[row]
        for edge in range(edges.first[row], edges.first[row + 1]):
            ahead = dist[edges.other[edge]]
            low, high = np.int32(INFINITY), np.int32(-INFINITY)
            for lane in range(len(row_dist)):
                step = np.int32(row_dist[lane] - ahead[lane])
                low, high = min(low, step), max(high, step)
            if high > edges.up[edge] or -low > edges.down[edge]:
                for lane in range(len(row_dist)):
                    rise = int(row_dist[lane]) - int(ahead[lane])
                    if rise > edges.up[edge]:
                        return int(row), int(lane), SHORTER
                    if -rise > edges.down[edge]:
                        return int(edges.other[edge]), int(lane), SHORTER
    return 0, 0, 0


@kernel
def first_disagreement(targets: Int32Array, reach: Reach, dist: Int32Array) -> Finding:
    """Find a pair for which components and distances disagree on whether there is a path."""
    uniform = next_hops.share_component(targets, reach)
    for row in range(len(dist)):
        expected = next_hops.path_expected(row, targets[0], reach)
        if uniform and (expected or reach.rule != NOT_SAID):
            differ = False
            for lane in range(len(targets)):
                differ |= (dist[row, lane] < INFINITY) != expected
            if not differ:
                continue
        for lane in range(len(targets)):
            found = dist[row, lane] < INFINITY
            expected = next_hops.path_expected(row, targets[lane], reach)
            if found != expected and (expected or reach.rule != NOT_SAID):
                return int(row), int(lane), DISAGREES
    return 0, 0, 0


class _Buffers:
    """The scratch arrays of one thread."""

    def __init__(self, rows: int, lanes: int) -> None:
        self.dist = np.empty(rows * lanes, dtype=np.int32)
        # Only as many entries of these arrays are touched as there are segments.
        arc, stop = (np.empty(rows * lanes, dtype=np.int32) for _ in range(2))
        self.segments = Segments(np.empty(rows + 1, dtype=np.int64), arc, stop)
        row, stack = np.empty((2, rows), dtype=np.int32)
        buckets = np.empty(min(4 * rows, 2**16) + 2, dtype=np.int64)
        self.order = Order(row, np.empty(rows, dtype=np.int64), stack, buckets)


class Pairs:
    """The next hops of one profile, between all pairs of its rows."""

    def __init__(self, profile: FileProfile) -> None:
        """Read the next hops.

        Raises:
            CorruptAssetError: they do not fit the profile's rows.
        """
        self._profile = profile
        self._reach = next_hops.read_reach(profile)
        self._runs = next_hops.read_runs(profile)
        self._edges = merge_edges(profile.arcs)

    def verify(
        self, targets: Int64Array, observers: Sequence[Observer], progress: Progress
    ) -> None:
        """Verify the next hops of the profile toward some targets.

        Args:
            targets: rows, ascending.
            observers: called with the distances of each verified block.
            progress: called with the fraction done.

        Raises:
            CorruptAssetError: a hop is wrong; the first mistake is named.
        """
        profile = self._profile
        lanes = max(1, min(LANES, BLOCK_BYTES // (4 * max(1, profile.rows))))
        blocks = [targets[a : a + lanes].astype(np.int32) for a in range(0, len(targets), lanes)]
        threads = max(1, min(len(blocks), processors()))
        spares: SimpleQueue[_Buffers] = SimpleQueue()
        for _ in range(threads):
            spares.put(_Buffers(profile.rows, lanes))

        def verify(block: Int32Array) -> Finding:
            buffers = spares.get()
            try:
                return self._verify_block(block, observers, buffers)
            finally:
                spares.put(buffers)

        pool = ThreadPoolExecutor(threads)
        try:
            for done, (row, lane, what) in enumerate(pool.map(verify, blocks)):
                if what:
                    pair = f"from {profile.place(row)} to {profile.place(int(blocks[done][lane]))}"
                    raise profile.wrong(f"{pair}: {_WORDS[what]}")
                progress(min(1.0, (done + 1) * lanes / len(targets)))
        finally:
            pool.shutdown(cancel_futures=True)

    def _verify_block(
        self, targets: Int32Array, observers: Sequence[Observer], buffers: _Buffers
    ) -> Finding:
        """Verify a block and return the first mistake in it."""
        rows, lanes = self._profile.rows, len(targets)
        # The last block may have fewer lanes.
        dist = buffers.dist[: rows * lanes].reshape(rows, lanes)
        mistake = self._follow_hops(targets, dist, buffers)
        if not mistake[2]:
            mistake = first_shortcut(self._edges, dist)
        if not mistake[2]:
            mistake = first_disagreement(targets, self._reach, dist)
        if not mistake[2]:
            for observer in observers:
                observer(targets, dist)
        return mistake

    def _follow_hops(self, targets: Int32Array, dist: Int32Array, buffers: _Buffers) -> Finding:
        """Write the distances that the hops imply, and return the first invalid hop."""
        graph, segments = self._profile.graph, buffers.segments
        next_hops.build_segments(targets, self._runs, self._reach, graph, segments)
        next_hops.order_rows(len(targets) // 2, segments, graph, buffers.order)
        return next_hops.resolve(segments, graph, buffers.order, dist)
