"""Follow distances to goals down to them, step by step.

The next node on a shortest path is one that an arc leads to which accounts for the distance. It is
looked for when somebody asks, as most nodes are never asked for.
"""

from __future__ import annotations

from typing import NamedTuple

from bake.arrays import Int32Array, Int64Array
from bake.graph import BLOCKED, INFINITY
from bake.kernels.jit import kernel
from bake.search.graph.label_correcting import SearchArcs


class Lanes(NamedTuple):
    """Distances to several goals side by side.

    Attributes:
        dist: (p, lanes) int32 ticks to the goal of each lane, INFINITY where there is no path.
        place: (r) int32, where each node's distances lie.
    """

    dist: Int32Array
    place: Int32Array


@kernel
def _step_down(out: SearchArcs, lanes: Lanes, row: int, lane: int) -> int:
    """Return the node to step to; the node itself at the goal, -1 where there is no path."""
    dist, place = lanes
    here = dist[place[row], lane]
    if here == 0:
        return row
    if here >= INFINITY:
        return -1
    for arc in range(out.begin[row], out.end[row]):
        weight = out.weight[arc]
        if weight != BLOCKED and dist[place[out.to[arc]], lane] + weight == here:
            return int(out.to[arc])
    return -1


@kernel
def steps_down(
    out: SearchArcs, lanes: Lanes, rows: Int32Array, lane: Int32Array, ahead: Int32Array
) -> None:
    """Write the node to step to from each row toward the goal of a lane.

    Args:
        out: arcs out of each node.
        rows, lane: (k) int32.
        ahead: (k) int32, written: at a goal the goal, -1 where there is no path.
    """
    for i in range(len(rows)):
        ahead[i] = _step_down(out, lanes, rows[i], lane[i])


@kernel
def count_down(
    out: SearchArcs, lanes: Lanes, rows: Int32Array, lane: Int32Array, count: Int64Array
) -> None:
    """Count the nodes on the way from each row, both ends included; 0 where there is no way."""
    for i in range(len(rows)):
        row, steps = int(rows[i]), 0
        while row >= 0:
            steps += 1
            if lanes.dist[lanes.place[row], lane[i]] == 0:
                break
            row = _step_down(out, lanes, row, lane[i])
        count[i] = steps if row >= 0 else 0


@kernel
def follow_down(
    out: SearchArcs,
    lanes: Lanes,
    rows: Int32Array,
    lane: Int32Array,
    first: Int64Array,
    count: Int64Array,
    path: Int32Array,
) -> None:
    """Write the ways from all rows into ``path``, each of ``count`` nodes from ``first`` on."""
    for i in range(len(rows)):
        row = int(rows[i])
        for step in range(count[i]):
            path[first[i] + step] = row
            row = _step_down(out, lanes, row, lane[i])
