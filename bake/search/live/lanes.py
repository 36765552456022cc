"""Distances to a few targets at once on arcs that change: a narrower batch.

An update looks at the nodes around one edit, which are fewer than a whole batch.
"""

from __future__ import annotations

import numpy as np

from bake.arrays import Int32Array, UInt8Array, UInt32Array
from bake.graph import BLOCKED, INFINITY
from bake.kernels.jit import kernel
from bake.search.all_pairs.ring import IDLE, RING, UNTOUCHED
from bake.search.graph.successors import ALL, MASK_BITS

#: Lanes come in multiples of this: one cache line of int32.
LINE = 16


@kernel
def relax_lanes(
    begin: Int32Array,
    end: Int32Array,
    to: Int32Array,
    weight: Int32Array,
    masks: UInt32Array,
    targets: Int32Array,
    shift: int,
    dist: Int32Array,
    bucket: Int32Array,
    follower: Int32Array,
    leader: Int32Array,
    pending: UInt32Array,
) -> int:
    """Distances between each target and every node, one lane a target.

    Args:
        begin, end, to, weight, masks: see :class:`bake.search.live.adjacency.Adjacency`; arcs into
            a node for distances to the targets, arcs out of it for distances from them.
        targets: (k) int32, k <= lanes.
        shift: log2 of the width of one bucket in ticks.
        dist: (r, lanes) int32, written: ticks, INFINITY where there is no path.
        bucket, follower, leader, pending: (r), scratch.

    Returns:
        The largest distance.
    """
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
def rows_that_differ(before: Int32Array, after: Int32Array, differs: UInt8Array) -> None:
    """Whether any lane of a row changed; (r, lanes) twice, (r) uint8 written."""
    for row in range(len(differs)):
        change = np.int32(0)
        for lane in range(before.shape[1]):
            change |= before[row, lane] ^ after[row, lane]
        differs[row] = 1 if change != 0 else 0


@kernel
def grow_ball(
    begin: Int32Array,
    end: Int32Array,
    to: Int32Array,
    begin_in: Int32Array,
    end_in: Int32Array,
    to_in: Int32Array,
    limit: int,
    count: int,
    member: UInt8Array,
    ball: Int32Array,
) -> int:
    """Grow a set of nodes breadth first along arcs of both directions.

    Args:
        begin, end, to, begin_in, end_in, to_in: arcs out of and into each node.
        limit: how many nodes to stop at.
        count: how many it begins with.
        member: (r) uint8, 1 for those it begins with; kept up.
        ball: (at least max(limit, count)) int32, those it begins with first; filled.

    Returns:
        How many there are now.
    """
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
def border_of(
    begin: Int32Array,
    end: Int32Array,
    to: Int32Array,
    member: UInt8Array,
    ball: Int32Array,
    border: Int32Array,
) -> int:
    """Nodes of a set with an arc to a node that is not in it; returns how many."""
    count = 0
    for place in range(len(ball)):
        node = ball[place]
        for arc in range(begin[node], end[node]):
            if member[to[arc]] == 0:
                border[count] = node
                count += 1
                break
    return count


@kernel
def spread_to_tails(
    begin_in: Int32Array,
    end_in: Int32Array,
    to_in: Int32Array,
    marked: UInt8Array,
    spread: UInt8Array,
) -> None:
    """Mark, in ``spread`` (r), marked nodes and every node with an arc to one."""
    for node in range(len(marked)):
        if marked[node] != 0:
            spread[node] = 1
            for arc in range(begin_in[node], end_in[node]):
                spread[to_in[arc]] = 1
