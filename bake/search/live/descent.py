"""Follow distances to goals down to them, step by step, by the rule of
:mod:`bake.search.live.next_hops`.

The next node is looked for when somebody asks, as most nodes are never asked for.
"""

from __future__ import annotations

from typing import NamedTuple

from bake.core.arrays import Int32Array, Int64Array
from bake.core.graph import INFINITY
from bake.core.kernels.jit import accessor, kernel
from bake.search.graph.label_correcting import SearchArcs
from bake.search.live.baked_hops import BakedHops, baked_hop


class Lanes(NamedTuple):
    """Distances to several goals side by side.

    Attributes:
        dist: (p, lanes) int32 ticks to the goal of each lane, INFINITY where there is no path.
        place: (r) int32, where each node's distances lie.
    """

    dist: Int32Array
    place: Int32Array


@accessor
def _step_down(
    out: SearchArcs, baked: BakedHops, lanes: Lanes, row: int, goal: int, lane: int
) -> int:
    """Return the node to step to; the node itself at the goal, -1 where there is no path."""
    dist, place = lanes
    here = int(dist[place[row], lane])
    if here == 0 or here >= INFINITY:
        return int(row) if here == 0 else -1
    first, ahead = -1, baked_hop(baked, row, goal)
    for arc in range(int(out.begin[row]), int(out.end[row])):
        head, weight = int(out.to[arc]), int(out.weight[arc])
        # What is blocked weighs more than any distance.
        if weight <= here and dist[place[head], lane] + weight == here:
            if head == ahead or ahead < 0:
                return head
            if first < 0:
                first = head
    return first


@kernel
def steps_down(
    out: SearchArcs,
    baked: BakedHops,
    lanes: Lanes,
    rows: Int32Array,
    goals: Int32Array,
    lane: Int32Array,
    ahead: Int32Array,
) -> None:
    """Write the node to step to from each row toward its goal.

    Args:
        out: arcs out of each node, in the order of the rule.
        rows, goals: (k) int32.
        lane: (k) int32, the lane of each goal.
        ahead: (k) int32, written: at a goal the goal, -1 where there is no path.
    """
    for i in range(len(rows)):
        ahead[i] = _step_down(out, baked, lanes, rows[i], goals[i], lane[i])


@kernel
def follow_down(
    out: SearchArcs,
    baked: BakedHops,
    lanes: Lanes,
    rows: Int32Array,
    goals: Int32Array,
    lane: Int32Array,
    first: Int64Array,
    path: Int32Array,
) -> int:
    """Write the paths from all rows, as :func:`bake.search.live.next_hops.paths` does.

    Args:
        out, baked, lanes, rows, goals, lane: see :func:`steps_down`.
    """
    first[0] = 0
    for i in range(len(rows)):
        row, goal, count = int(rows[i]), int(goals[i]), first[i]
        while row >= 0 and lanes.dist[lanes.place[row], lane[i]] < INFINITY:
            if count < len(path):
                path[count] = row
            count += 1
            if row == goal:
                break
            row = _step_down(out, baked, lanes, row, goal, lane[i])
        if count > len(path):
            return i
        first[i + 1] = count
    return len(rows)


#: The kernels that Python calls.
KERNELS = (follow_down, steps_down)
