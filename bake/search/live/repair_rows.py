"""First moves from a few sources toward every goal: rows of a table, made anew.

The search of :mod:`bake.search.live.lanes`, turned round: one lane a source, distances from it.
Along with a distance, each lane carries the first step of the path that attains it; a distance that
shrinks takes over the step of whoever made it shrink, so at the end each begins a shortest path.
"""

from __future__ import annotations

import numpy as np

from bake.arrays import Int32Array, UInt32Array
from bake.graph import BLOCKED, INFINITY
from bake.kernels.jit import kernel
from bake.search.all_pairs.ring import IDLE, RING, UNTOUCHED
from bake.search.graph.successors import ALL, MASK_BITS
from bake.search.live.lanes import LINE


@kernel
def relax_sources(
    begin: Int32Array,
    end: Int32Array,
    to: Int32Array,
    weight: Int32Array,
    masks: UInt32Array,
    sources: Int32Array,
    shift: int,
    dist: Int32Array,
    ahead: Int32Array,
    bucket: Int32Array,
    follower: Int32Array,
    leader: Int32Array,
    pending: UInt32Array,
) -> int:
    """Distances and first steps from each source to every node.

    Args:
        begin, end, to, weight, masks: arcs out of each node, see
            :class:`bake.search.live.adjacency.Adjacency`.
        sources: (k) int32, k <= LINE.
        shift: log2 of the width of one bucket in ticks.
        dist: (r, LINE) int32, written: ticks, INFINITY where there is no path.
        ahead: (r, LINE) int32, written: the node stepped to from the source, -1 for the source
            itself and where there is no path.
        bucket, follower, leader, pending: (r), scratch.

    Returns:
        The largest distance.
    """
    n = len(begin)
    bucket[:] = UNTOUCHED
    first = np.full(RING, -1, np.int32)
    queued = 0
    longest = np.int32(0)
    for lane in range(len(sources)):
        node = sources[lane]
        if bucket[node] == UNTOUCHED:
            dist[node, :] = INFINITY
            ahead[node, :] = -1
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
            if bucket[other] == UNTOUCHED:
                pending[other] = 0
                bucket[other] = IDLE
                dist[other, :] = INFINITY
                ahead[other, :] = -1
            gain = np.int32(-1)
            here = dist[node]
            there = dist[other]
            step = ahead[node]
            taken = ahead[other]
            for lane in range(LINE):
                new = np.int32(here[lane] + cost)
                old = there[lane]
                better = new < old
                there[lane] = new if better else old
                # From a source itself the step is the arc's own; told apart by its distance of 0.
                move = other if here[lane] == 0 else step[lane]
                taken[lane] = move if better else taken[lane]
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
            ahead[node, :] = -1
    return int(longest)


@kernel
def count_runs(ahead: Int32Array, lane: int) -> int:
    """How many runs of one step a lane has."""
    count = 1
    for node in range(1, len(ahead)):
        count += 1 if ahead[node, lane] != ahead[node - 1, lane] else 0
    return count


@kernel
def write_runs(ahead: Int32Array, lane: int, start: Int32Array, step: Int32Array) -> None:
    """Where each run of a lane begins, and its step."""
    count = 0
    for node in range(len(ahead)):
        if node == 0 or ahead[node, lane] != ahead[node - 1, lane]:
            start[count] = node
            step[count] = ahead[node, lane]
            count += 1


@kernel
def steps_toward(
    begin: Int32Array,
    end: Int32Array,
    to: Int32Array,
    weight: Int32Array,
    dist: Int32Array,
    ahead: Int32Array,
) -> None:
    """Next nodes from distances to LINE goals: ``ahead`` (r, LINE) is written, -1 where none is."""
    for node in range(len(begin)):
        here = dist[node]
        found = ahead[node]
        found[:] = -1
        for arc in range(begin[node], end[node]):
            cost = weight[arc]
            if cost == BLOCKED:
                continue
            other = to[arc]
            there = dist[other]
            for lane in range(LINE):
                fits = np.int32(there[lane] + cost) == here[lane]
                found[lane] = other if fits else found[lane]
