"""Find out which pairs of a source and a goal an edit of a graph affects.

Let P be a set of nodes that holds both ends of every changed arc. A path to a goal outside P
leaves P for good after its last changed arc, through a border node of P; so a source none of whose
distances to border nodes changed has kept every distance beyond P, and, if the same holds for its
neighbours, every optimal move. Turned round, a goal none of whose distances from border nodes
changed has kept every distance from outside P. A pair is affected only if both tests fail.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bake.arrays import Int32Array, UInt8Array
from bake.graph import BLOCKED, INFINITY
from bake.kernels.jit import COMPILED, kernel
from bake.search.all_pairs.batch import too_long
from bake.search.graph.label_correcting import (
    ALL,
    IDLE,
    MASK_BITS,
    RING,
    UNTOUCHED,
    NodeQueue,
    SearchArcs,
)
from bake.search.live.graph import Adjacency, LiveGraph

#: Lanes come in multiples of this: one cache line of int32.
LINE = 16

#: Nodes of P beside the ends of changed arcs. With more of them fewer sources are affected, but
#: more goals, whose flow fields must be made again.
HALO = 24

#: The most lanes searched for at once; an edit with more border nodes is not worth judging.
WIDEST = 64
TOO_MANY = 512

#: Marks of a node as a source, or as a goal: its answers still hold; they hold unless the other end
#: of the pair is marked as well; or any of them may have changed.
UNAFFECTED = 0
SUSPECT = 1
AFFECTED = 2


@kernel
def relax_lanes(
    arcs: SearchArcs,
    targets: Int32Array,
    shift: int,
    dist: Int32Array,
    queue: NodeQueue,
) -> int:
    """Search for distances between each target and every node, one lane for each target.

    This is the batch search with fewer lanes, on arcs that may be blocked: an update looks at the
    nodes around one edit, which are fewer than a whole batch.

    Args:
        arcs: those into each node for distances to the targets, those out of it for distances
            from them.
        targets: (k) int32, k <= lanes.
        shift: log2 of the width of one bucket in ticks.
        dist: (r, lanes) int32, written: ticks, INFINITY where there is no path.
        queue: scratch.

    Returns:
        The largest distance.
    """
    begin, end, to, weight, masks = arcs
    bucket, follower, leader, pending = queue
    n = len(begin)
    blocks = dist.shape[1] // LINE
    bucket[:] = UNTOUCHED
    first = np.full(RING, -1, np.int32)
    queued = 0
    longest = np.int32(0)
    for lane in range(len(targets)):
        node = targets[lane]
        if bucket[node] == UNTOUCHED:
            dist[node, :] = INFINITY
            pending[node] = ALL
            bucket[node] = 0
            leader[node] = -1
            follower[node] = first[0]
            if first[0] >= 0:
                leader[first[0]] = node
            first[0] = node
            queued += 1
        dist[node, lane] = 0
    current = 0
    while queued > 0:
        node = first[current & (RING - 1)]
        if node < 0:
            current += 1
            continue
        after = follower[node]
        first[current & (RING - 1)] = after
        if after >= 0:
            leader[after] = -1
        bucket[node] = IDLE
        queued -= 1
        start = begin[node]
        mask = pending[node]
        pending[node] = 0
        crowded = end[node] - start > MASK_BITS
        for arc in range(start, end[node]):
            if not crowded and not (mask >> np.uint32(arc - start)) & np.uint32(1):
                continue
            cost = weight[arc]
            if cost == BLOCKED:
                continue
            other = to[arc]
            gain = np.int32(-1)
            if bucket[other] == UNTOUCHED:
                pending[other] = 0
                for block in range(blocks):
                    here = dist[node, block * LINE : block * LINE + LINE]
                    there = dist[other, block * LINE : block * LINE + LINE]
                    for lane in range(LINE):
                        new = min(np.int32(here[lane] + cost), np.int32(INFINITY))
                        there[lane] = new
                        gain = max(gain, new if new < INFINITY else np.int32(-1))
                bucket[other] = IDLE
            else:
                for block in range(blocks):
                    here = dist[node, block * LINE : block * LINE + LINE]
                    there = dist[other, block * LINE : block * LINE + LINE]
                    for lane in range(LINE):
                        new = np.int32(here[lane] + cost)
                        old = there[lane]
                        better = new < old
                        there[lane] = new if better else old
                        gain = max(gain, new if better else np.int32(-1))
            if gain < 0:
                continue
            longest = max(longest, gain)
            pending[other] |= masks[arc]
            key = min(max(int(gain) >> shift, current), current + RING - 1)
            was = bucket[other]
            if was >= 0:
                if was <= key:
                    continue
                before = leader[other]
                after = follower[other]
                if before >= 0:
                    follower[before] = after
                else:
                    first[was & (RING - 1)] = after
                if after >= 0:
                    leader[after] = before
                queued -= 1
            bucket[other] = key
            leader[other] = -1
            after = first[key & (RING - 1)]
            follower[other] = after
            if after >= 0:
                leader[after] = other
            first[key & (RING - 1)] = other
            queued += 1
    for node in range(n):
        if bucket[node] == UNTOUCHED:
            dist[node, :] = INFINITY
    return int(longest)


@kernel
def _rows_that_differ(before: Int32Array, after: Int32Array, differs: UInt8Array) -> None:
    """Write (r) uint8, 1 for rows of which any lane differs between two (r, lanes) arrays."""
    for row in range(len(differs)):
        change = np.int32(0)
        for lane in range(before.shape[1]):
            change |= before[row, lane] ^ after[row, lane]
        differs[row] = 1 if change != 0 else 0


@kernel
def _grow_ball(
    out: SearchArcs,
    into: SearchArcs,
    limit: int,
    count: int,
    member: UInt8Array,
    ball: Int32Array,
) -> int:
    """Grow a set of nodes breadth first along arcs of both directions.

    Args:
        out, into: arcs out of and into each node.
        limit: how many nodes to stop at.
        count: how many nodes it begins with.
        member: (r) uint8, 1 for the nodes it begins with; updated.
        ball: (at least max(limit, count)) int32, beginning with those nodes; filled.

    Returns:
        How many nodes the set has now.
    """
    begin, end, to = out.begin, out.end, out.to
    begin_in, end_in, to_in = into.begin, into.end, into.to
    scan = 0
    while scan < count < limit:
        node = ball[scan]
        scan += 1
        for arc in range(begin[node], end[node]):
            if member[to[arc]] == 0 and count < limit:
                member[to[arc]] = 1
                ball[count] = to[arc]
                count += 1
        for arc in range(begin_in[node], end_in[node]):
            if member[to_in[arc]] == 0 and count < limit:
                member[to_in[arc]] = 1
                ball[count] = to_in[arc]
                count += 1
    return count


@kernel
def _border_of(
    arcs: SearchArcs,
    member: UInt8Array,
    ball: Int32Array,
    border: Int32Array,
) -> int:
    """List the nodes of a set with an arc to a node outside it, and return how many they are."""
    begin, end, to = arcs.begin, arcs.end, arcs.to
    count = 0
    for i in range(len(ball)):
        node = ball[i]
        for arc in range(begin[node], end[node]):
            if member[to[arc]] == 0:
                border[count] = node
                count += 1
                break
    return count


@kernel
def _spread_to_tails(into: SearchArcs, marked: UInt8Array, spread: UInt8Array) -> None:
    """Mark in ``spread`` (r) all marked nodes and every node with an arc to one of them."""
    begin, end, to = into.begin, into.end, into.to
    for node in range(len(marked)):
        if marked[node] != 0:
            spread[node] = 1
            for arc in range(begin[node], end[node]):
                spread[to[arc]] = 1


@dataclass(frozen=True)
class Affected:
    """The pairs of a source and a goal whose answer an edit may have changed.

    Attributes:
        source, goal: (r) uint8, the mark of each node as a source and as a goal. A pair is affected
            where the two marks add up to AFFECTED.
        surroundings: int32, the nodes of P.
    """

    source: UInt8Array
    goal: UInt8Array
    surroundings: Int32Array


class LaneScratch:
    """Working memory of :func:`affected_by`; one for each profile, used by one thread at a time."""

    def __init__(self) -> None:
        self._size = -1

    def of(self, rows: int) -> tuple[Int32Array, Int32Array, NodeQueue]:
        """Allocate two searches' distances, (r * WIDEST) int32 each, and a queue."""
        if self._size < rows:
            self._size = rows + rows // 64 + 16
            self._dist = np.empty((2, self._size * WIDEST), dtype=np.int32)
            self._queue = NodeQueue.of(self._size)
        return self._dist[0], self._dist[1], self._queue.first(rows)


def affected_by(
    before: LiveGraph, after: LiveGraph, ends: Int32Array, scratch: LaneScratch
) -> Affected:
    """Find out for which pairs an edit may have changed the answer.

    Args:
        before, after: versions of equally many rows.
        ends: int32, every node at either end of a changed arc, each once.
        scratch: working memory.

    Raises:
        CostError: distances come too near the end of the integer scale.
    """
    rows = after.row_count
    source, goal = np.zeros((2, rows), dtype=np.uint8)
    limit = min(rows, len(ends) + HALO)
    if not COMPILED or len(ends) > rows // 2:
        return _all_affected(rows)
    member = np.zeros(rows, dtype=np.uint8)
    member[ends] = 1
    ball = np.empty(max(limit, len(ends)), dtype=np.int32)
    ball[: len(ends)] = ends
    out, into = after.out.arcs, after.into.arcs
    count = _grow_ball(out, into, limit, len(ends), member, ball)
    inside = ball[:count]
    border = np.empty(count, dtype=np.int32)
    leaving = border[: _border_of(out, member, inside, border)].copy()
    entering = border[: _border_of(into, member, inside, border)].copy()
    if max(len(leaving), len(entering)) > TOO_MANY:
        return _all_affected(rows)
    if before.symmetric and after.symmetric:
        both = np.union1d(leaving, entering).astype(np.int32)
        changed = _changed_distances(before.into, after.into, both, after, scratch)
        goal[:] = changed
    else:
        changed = _changed_distances(before.into, after.into, leaving, after, scratch)
        goal[:] = _changed_distances(before.out, after.out, entering, after, scratch)
    _spread_to_tails(into, changed, source)
    # Inside P only the test on sources holds, and goals there have no test at all.
    source[inside] *= AFFECTED
    source[ends] = AFFECTED
    goal[inside] = AFFECTED
    return Affected(source, goal, inside)


def _all_affected(rows: int) -> Affected:
    every = np.full(rows, AFFECTED, dtype=np.uint8)
    return Affected(every, every, np.arange(rows, dtype=np.int32))


def _changed_distances(
    before: Adjacency, after: Adjacency, targets: Int32Array, scale: LiveGraph, scratch: LaneScratch
) -> UInt8Array:
    """Return (r) uint8, 1 for rows whose distance to one of the targets changed."""
    rows = after.row_count
    found = np.zeros(rows, dtype=np.uint8)
    change = np.empty(rows, dtype=np.uint8)
    old, new, queue = scratch.of(rows)
    for start in range(0, len(targets), WIDEST):
        part = targets[start : start + WIDEST]
        width = -(-len(part) // LINE) * LINE
        pair = [room[: rows * width].reshape(rows, width) for room in (old, new)]
        for adjacency, dist in zip((before, after), pair, strict=True):
            longest = relax_lanes(adjacency.arcs, part, scale.shift, dist, queue)
            if longest >= INFINITY - scale.heaviest:
                raise too_long(longest, scale.heaviest, "lower the costs, or ticks_per_unit")
        _rows_that_differ(pair[0], pair[1], change)
        found |= change
    return found
