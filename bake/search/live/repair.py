"""Work out first moves after an edit: rows of a table from a few sources, or from many at once."""

from __future__ import annotations

import numpy as np

from bake.arrays import Int32Array, Int64Array
from bake.graph import BLOCKED, INFINITY, Arcs, Graph
from bake.kernels.jit import kernel
from bake.search.all_pairs.batch import LANES, BatchSearch
from bake.search.all_pairs.runs import EndedRuns, TargetBatch, group_by_row
from bake.search.graph.label_correcting import (
    ALL,
    IDLE,
    MASK_BITS,
    RING,
    UNTOUCHED,
    NodeQueue,
    SearchArcs,
)
from bake.search.live.affected import LINE


@kernel
def relax_sources(
    arcs: SearchArcs,
    sources: Int32Array,
    shift: int,
    dist: Int32Array,
    ahead: Int32Array,
    queue: NodeQueue,
) -> int:
    """Search from each source: distances to every node, and the first step on the way there.

    This is the search of :func:`bake.search.live.affected.relax_lanes` turned round, one lane for
    each source. Along with a distance, each lane carries the first step of the path of that length;
    a distance that shrinks takes over the step of the node it came from, so at the end each step
    begins a shortest path.

    Args:
        arcs: those out of each node.
        sources: (k) int32, k <= LINE.
        shift: log2 of the width of one bucket in ticks.
        dist: (r, LINE) int32, written: ticks, INFINITY where there is no path.
        ahead: (r, LINE) int32, written: the node stepped to from the source, -1 for the source
            itself and where there is no path.
        queue: scratch.

    Returns:
        The largest distance.
    """
    begin, end, to, weight, masks = arcs
    bucket, follower, leader, pending = queue
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
                # From a source itself, which has a distance of 0, the step is the arc's own.
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
    """Count the runs of one step in a lane."""
    count = 1
    for node in range(1, len(ahead)):
        count += 1 if ahead[node, lane] != ahead[node - 1, lane] else 0
    return count


@kernel
def write_runs(ahead: Int32Array, lane: int, start: Int32Array, step: Int32Array) -> None:
    """Write where each run of a lane begins, and which step it says."""
    count = 0
    for node in range(len(ahead)):
        if node == 0 or ahead[node, lane] != ahead[node - 1, lane]:
            start[count] = node
            step[count] = ahead[node, lane]
            count += 1


@kernel
def steps_toward(arcs: SearchArcs, dist: Int32Array, ahead: Int32Array) -> None:
    """Read next nodes off distances to LINE goals.

    Args:
        arcs: those out of each node.
        dist: (r, LINE) int32 ticks.
        ahead: (r, LINE) int32, written: the next node, -1 where there is none.
    """
    begin, end, to, weight, _ = arcs
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


@kernel
def _append_runs(
    arcs: Arcs,
    batch: TargetBatch,
    sources: Int32Array,
    step: Int32Array,
    count: Int64Array,
    runs: EndedRuns,
) -> int:
    """Write where moves from the sources differ from those toward the goal before.

    Args:
        arcs: of the graph.
        batch: distances to goals ``start`` to ``stop``.
        sources: (k) int32.
        step: (k) int32, the move toward goal ``start`` - 1; kept up.
        count: (k) int64, runs of each source; kept up.
        runs: room for k * LANES runs, written: index of the source, first goal of the run, the
            node stepped to, -1 for none.

    Returns:
        How many were written.
    """
    first_out, head, weight = arcs
    dist, start, stop = batch
    source_of, goal, move = runs
    lanes = stop - start
    found = np.empty(LANES, np.int32)
    filled = 0
    for i in range(len(sources)):
        row = sources[i]
        here = dist[row]
        found[:] = -1
        # This goes backwards, so that the first of several tied arcs is written last.
        for back in range(first_out[row + 1] - first_out[row]):
            arc = first_out[row + 1] - 1 - back
            other = head[arc]
            cost = weight[arc]
            there = dist[other]
            for lane in range(LANES):
                fits = np.int32(there[lane] + cost) == here[lane]
                found[lane] = other if fits else found[lane]
        last = step[i]
        for lane in range(lanes):
            if found[lane] != last:
                last = found[lane]
                source_of[filled] = i
                goal[filled] = start + lane
                move[filled] = last
                filled += 1
                count[i] += 1
        step[i] = last
    return filled


def sweep_rows(
    graph: Graph, weight: Int32Array, sources: Int32Array
) -> tuple[Int64Array, Int32Array, Int32Array]:
    """Find the next nodes from some sources toward every goal.

    Where an update affects a large part of all sources, searching from each of them
    (:func:`relax_sources`) takes longer than searching toward every goal, which is done in wide
    batches as in a bake, and looking only at the moves of those sources.

    Args:
        graph, weight: n nodes; (m) int32 ticks.
        sources: (k) int32.

    Returns:
        first: (k + 1) int64; runs of source i are ``first[i]`` to ``first[i + 1]``: the first goal
        of each, ascending, the first one 0, and the node stepped to, -1 at the source itself
        and where there is no path.

    Raises:
        CostError: distances run off the integer scale.
    """
    n, wanted = graph.node_count, len(sources)
    search = BatchSearch.of(graph, weight)
    scratch = search.scratch()
    step = np.full(wanted, -2, dtype=np.int32)
    count = np.zeros(wanted, dtype=np.int64)
    room = EndedRuns(*np.empty((3, wanted * LANES), dtype=np.int32))
    parts: list[EndedRuns] = []
    for start in range(0, n, LANES):
        stop = min(start + LANES, n)
        dist = search.distances_to(np.arange(start, stop, dtype=np.int32), scratch)
        batch = TargetBatch(dist, start, stop)
        filled = _append_runs(Arcs.of(graph, weight), batch, sources, step, count, room)
        parts.append(EndedRuns(*(each[:filled].copy() for each in room)))
    first = np.zeros(wanted + 1, dtype=np.int64)
    np.cumsum(count, out=first[1:])
    starts, steps = np.empty((2, int(first[-1])), dtype=np.int32)
    next_run = first[:-1].copy()
    for part in parts:
        group_by_row(part, next_run, starts, steps)
    return first, starts, steps
