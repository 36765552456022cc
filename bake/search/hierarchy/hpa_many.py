"""Many HPA* paths in one call, each found as by ``hpa`` and smoothed as by ``smooth``."""

from __future__ import annotations

from bake.arrays import Int32Array, Int64Array, UInt8Array
from bake.kernels.heap import Heap
from bake.kernels.jit import kernel
from bake.search.hierarchy.hpa import TURNS, find_way, refine
from bake.search.hierarchy.inside import ASTRAY
from bake.search.hierarchy.smooth import smooth_path


@kernel
def follow_ways(
    starts: Int32Array,
    goals: Int32Array,
    first_piece: bool,
    smoothed: bool,
    row_data: Int32Array,
    arc_data: Int32Array,
    row_back: Int32Array,
    arc_back: Int32Array,
    cluster_data: Int64Array,
    over_row: Int32Array,
    field: UInt8Array,
    bits: int,
    over_first: Int32Array,
    over_arc: Int32Array,
    landmark: Int32Array,
    two_way: bool,
    node_data: Int32Array,
    layer_data: Int64Array,
    last_cluster: Int32Array,
    first_top: Int32Array,
    first_ascent: Int64Array,
    up: Int32Array,
    down: Int32Array,
    top_hop: Int32Array,
    top_distance: Int32Array,
    turn: int,
    ends: Int64Array,
    local: Int64Array,
    heap: Heap,
    state: Int64Array,
    raised: Int64Array,
    at_goal: Int64Array,
    expanded: Int32Array,
    plan: Int32Array,
    spare_plan: Int32Array,
    told: Int64Array,
    form: int,
    even: bool,
    at: Int32Array,
    row_at: Int32Array,
    width: int,
    run: UInt8Array,
    weight: Int32Array,
    spare: Int32Array,
    scratch: Int32Array,
    pair: int,
    first: Int64Array,
    path: Int32Array,
) -> int:
    """Paths of many pairs, one after another, until all are done or a buffer is full.

    Args:
        starts, goals: (p) int32 rows.
        first_piece: work out no more than the hops up to the first move.
        smoothed: smooth each path; only where there is a chart.
        turn: each pair uses TURNS numbers and one for every hop of its plan.
        scratch: rows of one path before it is smoothed.
        pair: which pair to go on with.
        first: (p + 1) int64, where each path begins; filled up to the pair returned.
        path: rows along the paths, both ends included; empty where there is no way.
        The others: as for ``find_way``, ``refine`` and ``smooth_path``.

    Returns:
        The pair to go on with after enlarging ``scratch`` and ``path``; p when done; ASTRAY.
    """
    while pair < len(starts):
        start, goal = starts[pair], goals[pair]
        length = find_way(
            start,
            goal,
            row_data,
            arc_data,
            row_back,
            arc_back,
            cluster_data,
            over_row,
            field,
            bits,
            over_first,
            over_arc,
            landmark,
            two_way,
            node_data,
            layer_data,
            last_cluster,
            first_top,
            first_ascent,
            up,
            down,
            top_hop,
            top_distance,
            turn,
            ends,
            local,
            heap,
            state,
            raised,
            at_goal,
            expanded,
            plan,
            spare_plan,
            told,
        )
        turn += TURNS
        if length == ASTRAY:
            return ASTRAY
        filled = 0
        if length >= 0:
            scratch[0] = start
            filled = 1
            hop = 0
            while hop <= length:
                done, filled = refine(
                    start,
                    goal,
                    plan,
                    length,
                    hop,
                    hop + 1 if first_piece else length + 1,
                    row_data,
                    arc_data,
                    cluster_data,
                    over_row,
                    field,
                    bits,
                    two_way,
                    turn,
                    local,
                    heap,
                    scratch,
                    filled,
                )
                if done == ASTRAY:
                    return ASTRAY
                turn += done - hop + 1
                if done == hop or (not first_piece and done <= length):
                    return pair
                hop = done
                if first_piece and filled > 1:
                    break
            if smoothed and filled > 2:
                filled, _ = smooth_path(
                    scratch,
                    filled,
                    row_data,
                    arc_data,
                    form,
                    even,
                    at,
                    row_at,
                    width,
                    run,
                    weight,
                    spare,
                )
        begin = first[pair]
        if begin + filled > len(path):
            return pair
        path[begin : begin + filled] = scratch[:filled]
        pair += 1
        first[pair] = begin + filled
    return pair
