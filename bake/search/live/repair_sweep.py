"""First moves from many sources at once: all distances in batches of goals, as in a bake.

Where an update puts a good part of all sources in doubt, searching from each of them
(:mod:`bake.search.live.repair_rows`) takes longer than searching toward every goal, which is done
in wide batches, and looking only at the moves of those sources.
"""

from __future__ import annotations

import numpy as np

from bake.arrays import Int32Array, Int64Array
from bake.graph import Graph
from bake.kernels.jit import kernel
from bake.search.all_pairs.batch import LANES, Waist


@kernel
def _append_runs(
    first_out: Int32Array,
    head: Int32Array,
    weight: Int32Array,
    dist: Int32Array,
    sources: Int32Array,
    start: int,
    stop: int,
    step: Int32Array,
    count: Int64Array,
    source_of: Int32Array,
    goal: Int32Array,
    move: Int32Array,
) -> int:
    """Write where moves from the sources differ from those toward the goal before.

    Args:
        first_out, head, weight: the graph.
        dist: (n, LANES) int32, distances to goals start to stop.
        sources: (k) int32.
        step: (k) int32, the move toward goal start - 1; kept up.
        count: (k) int64, runs of each source; kept up.
        source_of, goal, move: (k * LANES) int32, written: place of the source, first goal of the
            run, the node stepped to, -1 for none.

    Returns:
        How many were written.
    """
    lanes = stop - start
    found = np.empty(LANES, np.int32)
    filled = 0
    for place in range(len(sources)):
        row = sources[place]
        here = dist[row]
        found[:] = -1
        # Backwards, so that the first of several tied arcs is written last.
        for back in range(first_out[row + 1] - first_out[row]):
            arc = first_out[row + 1] - 1 - back
            other = head[arc]
            cost = weight[arc]
            there = dist[other]
            for lane in range(LANES):
                fits = np.int32(there[lane] + cost) == here[lane]
                found[lane] = other if fits else found[lane]
        last = step[place]
        for lane in range(lanes):
            if found[lane] != last:
                last = found[lane]
                source_of[filled] = place
                goal[filled] = start + lane
                move[filled] = last
                filled += 1
                count[place] += 1
        step[place] = last
    return filled


@kernel
def _deal_out(
    source_of: Int32Array,
    goal: Int32Array,
    move: Int32Array,
    next_place: Int64Array,
    starts: Int32Array,
    steps: Int32Array,
) -> None:
    """Put runs with others of their source."""
    for run in range(len(source_of)):
        place = next_place[source_of[run]]
        starts[place] = goal[run]
        steps[place] = move[run]
        next_place[source_of[run]] = place + 1


def sweep_rows(
    graph: Graph, weight: Int32Array, sources: Int32Array
) -> tuple[Int64Array, Int32Array, Int32Array]:
    """Next nodes from some sources toward every goal.

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
    waist = Waist.of(graph, weight)
    scratch = waist.scratch()
    step = np.full(wanted, -2, dtype=np.int32)
    count = np.zeros(wanted, dtype=np.int64)
    room = np.empty((3, wanted * LANES), dtype=np.int32)
    parts: list[Int32Array] = []
    for start in range(0, n, LANES):
        stop = min(start + LANES, n)
        dist = waist.distances_to(np.arange(start, stop, dtype=np.int32), scratch)
        filled = _append_runs(
            graph.first_out,
            graph.head,
            weight,
            dist,
            sources,
            start,
            stop,
            step,
            count,
            room[0],
            room[1],
            room[2],
        )
        parts.append(room[:, :filled].copy())
    first = np.zeros(wanted + 1, dtype=np.int64)
    np.cumsum(count, out=first[1:])
    starts, steps = np.empty((2, int(first[-1])), dtype=np.int32)
    place = first[:-1].copy()
    for part in parts:
        _deal_out(part[0], part[1], part[2], place, starts, steps)
    return first, starts, steps
