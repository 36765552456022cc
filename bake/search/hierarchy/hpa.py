"""Hierarchical path-finding at run time: connect, plan over transitions, refine hop by hop.

A. Botea, M. Mueller, J. Schaeffer, "Near optimal hierarchical path-finding", J. Game Development
1(1), 2004, sections 3.2 and 3.3. Where fields are kept, a start is connected to its cluster's
transitions by following them, with no search at all. A plan comes from the table on top of the
layers (:mod:`bake.search.hierarchy.ascent`), or, where there is none or both ends lie close
together, from a search of the first layer.
"""

from __future__ import annotations

import numpy as np

from bake.arrays import Int32Array, Int64Array, UInt8Array
from bake.kernels.heap import Heap
from bake.kernels.jit import kernel
from bake.search.hierarchy.ascent import ascend, descend, join, turn_round, with_ends
from bake.search.hierarchy.inside import (
    ASTRAY,
    CLUSTER,
    DISTANCE,
    END,
    FIRST,
    FROM,
    NO_WAY,
    PLACE,
    TURN,
    field_distance,
    field_path,
    search_inside,
)
from bake.search.hierarchy.overlay import BEFORE, NONE, search_overlay

#: Columns of ``cluster_data``.
TRANSITION, SIZE, FIELD, FIELD_BYTES = 0, 1, 2, 3

#: Entries of ``told``, what a search says beside the way itself.
TOLD_COST, TOLD_EXPANDED, TOLD_STARTS, TOLD_GOALS = 0, 1, 2, 3

#: Searches inside a cluster that one query may make: each needs a turn of its own.
TURNS = 4


@kernel
def connect(
    row: int,
    by_field: bool,
    row_data: Int32Array,
    arc_data: Int32Array,
    cluster_data: Int64Array,
    over_row: Int32Array,
    field: UInt8Array,
    bits: int,
    turn: int,
    local: Int64Array,
    heap: Heap,
    ends: Int64Array,
) -> int:
    """Distances between a row and the transitions of its cluster.

    Args:
        ends: filled with transitions and ticks, those there is a way to.

    Returns:
        How many, or ASTRAY.
    """
    cluster = row_data[row, CLUSTER]
    first, last = cluster_data[cluster, TRANSITION], cluster_data[cluster + 1, TRANSITION]
    if not by_field and last > first:
        search_inside(row_data, arc_data, row, -1, turn, local, heap)
    count = 0
    for node in range(first, last):
        if by_field:
            begin = cluster_data[cluster, FIELD]
            begin += (node - first) * cluster_data[cluster, FIELD_BYTES]
            ticks = field_distance(row_data, arc_data, field, begin, bits, row, over_row[node])
            if ticks == ASTRAY:
                return ASTRAY
        else:
            place = row_data[over_row[node], PLACE]
            ticks = int(local[place, DISTANCE]) if local[place, TURN] == turn else NO_WAY
        if ticks >= 0:
            ends[count, 0] = node
            ends[count, 1] = ticks
            count += 1
    return count


@kernel
def find_way(
    start: int,
    goal: int,
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
) -> int:
    """The transitions on the way from one row to another.

    Args:
        row_data, arc_data: see :mod:`bake.search.hierarchy.inside`; row_back, arc_back: the same
            with every arc turned round (the same arrays where ``two_way``).
        cluster_data: (c + 1, 4) int64 first transition, rows, first byte of fields, bytes a field.
        over_row: (t) int32, row of each transition.
        field, bits: ways to transitions; bits = 0: the first layer keeps none.
        over_first, over_arc, landmark, two_way, state, heap, at_goal, expanded: as for
            :func:`bake.search.hierarchy.overlay.search_overlay`. These arcs, ``cluster_data`` and
            ``field`` are of all layers, one after another.
        node_data, layer_data, first_top, first_ascent, up, down, top_hop, top_distance,
            spare_plan: see :mod:`bake.search.hierarchy.ascent`; up are ascents and down the ways
            back. Without a table (0, 0) the first layer is searched.
        last_cluster: (c) int32, cluster of the last layer each one of the first is part of.
        raised: (2, m, 2) int64, working memory for the most nodes of a cluster of the last layer.
        turn: a multiple of TURNS no search before had.
        ends: (2, e, 2) int64, working memory for the most transitions of a cluster.
        local: as for :func:`bake.search.hierarchy.inside.search_inside`.
        plan: (t) int32, filled.
        told: (4) int64, filled: ticks of the way before smoothing (NO_WAY = none), transitions
            expanded (by the table: all that were connected), and connected to start and to goal.

    Returns:
        How many transitions the plan has, 0 for a way inside one cluster; NO_WAY; ASTRAY.
    """
    told[:] = 0
    best = NONE
    here, there = row_data[start, CLUSTER], row_data[goal, CLUSTER]
    by_table = len(top_distance) > 0 and (
        len(layer_data) == 1 or last_cluster[here] != last_cluster[there]
    )
    if here == there:
        inner = search_inside(row_data, arc_data, start, goal, turn, local, heap)
        if inner >= 0:
            best = inner
    by_field = bits > 0
    starts = connect(
        start,
        by_field,
        row_data,
        arc_data,
        cluster_data,
        over_row,
        field,
        bits,
        turn + 1,
        local,
        heap,
        ends[0],
    )
    goals = connect(
        goal,
        by_field and two_way,
        row_back,
        arc_back,
        cluster_data,
        over_row,
        field,
        bits,
        turn + 2,
        local,
        heap,
        ends[1],
    )
    if starts < 0 or goals < 0:
        return ASTRAY
    told[TOLD_STARTS] = starts
    told[TOLD_GOALS] = goals
    if by_table:
        for side in range(2):
            for place in range(starts if side == 0 else goals):
                expanded[told[TOLD_EXPANDED]] = ends[side, place, 0]
                told[TOLD_EXPANDED] += 1
        begun = first_top[last_cluster[here]]
        ended = first_top[last_cluster[there]]
        up_count = ascend(ends[0], starts, first_ascent, up, raised[0])
        down_count = ascend(ends[1], goals, first_ascent, down, raised[1])
        best, near, far = join(
            begun, raised[0], up_count, ended, raised[1], down_count, top_distance, best
        )
        told[TOLD_COST] = best if best < NONE else NO_WAY
        if near < 0:
            return 0 if best < NONE else NO_WAY
        length = descend(
            near,
            far,
            over_first,
            over_arc,
            node_data,
            cluster_data,
            layer_data,
            field,
            top_hop,
            plan,
            spare_plan,
        )
        if length == ASTRAY:
            return ASTRAY
        return with_ends(
            raised[0, near - begun, 1],
            near - begun,
            raised[1, far - ended, 1],
            far - ended,
            up,
            first_ascent,
            down,
            plan,
            length,
            spare_plan,
        )
    best, last, count = search_overlay(
        over_first,
        over_arc,
        landmark,
        two_way,
        ends[0],
        starts,
        ends[1],
        goals,
        best,
        turn,
        state,
        heap,
        at_goal,
        expanded,
    )
    if count == ASTRAY:
        return ASTRAY
    told[TOLD_EXPANDED] = count
    told[TOLD_COST] = best if best < NONE else NO_WAY
    if best >= NONE:
        return NO_WAY
    length = 0
    node = last
    while node >= 0:
        plan[length] = node
        length += 1
        node = state[node, BEFORE]
    turn_round(plan, 0, length)
    return length


@kernel
def refine(
    start: int,
    goal: int,
    plan: Int32Array,
    length: int,
    hop: int,
    until: int,
    row_data: Int32Array,
    arc_data: Int32Array,
    cluster_data: Int64Array,
    over_row: Int32Array,
    field: UInt8Array,
    bits: int,
    two_way: bool,
    turn: int,
    local: Int64Array,
    heap: Heap,
    path: Int32Array,
    filled: int,
) -> tuple[int, int]:
    """Append the rows of some hops of a plan.

    Args:
        plan, length: from :func:`find_way`; hop 0 leads from the start to the first transition,
            the last one, numbered ``length``, to the goal.
        hop, until: the hops to refine: up to but not including ``until``.
        turn: as for :func:`find_way`; each hop that is searched for uses the next one.
        path, filled: rows so far; none is refined that might not fit.

    Returns:
        The hop to go on with, and how many rows there are; the hop is ASTRAY for damaged tables.
    """
    while hop < until:
        row = start if hop == 0 else over_row[plan[hop - 1]]
        there = goal if hop == length else over_row[plan[hop]]
        cluster = row_data[row, CLUSTER]
        if cluster != row_data[there, CLUSTER]:
            if filled >= len(path):
                return hop, filled
            arc, last = row_data[row, FIRST], row_data[row, END]
            while arc < last and arc_data[arc, 0] != there:
                arc += 1
            if arc == last:
                return ASTRAY, filled
            path[filled] = there
            filled += 1
            hop += 1
            continue
        size = cluster_data[cluster, SIZE]
        if filled + size > len(path):
            return hop, filled
        node = np.int64(-1)
        backwards = hop == length
        if hop < length:
            node = np.int64(plan[hop])
        elif length > 0 and two_way:
            node = np.int64(plan[hop - 1])
        if bits > 0 and node >= 0:
            begin = cluster_data[cluster, FIELD] + cluster_data[cluster, FIELD_BYTES] * (
                node - cluster_data[cluster, TRANSITION]
            )
            if backwards:
                # The way from the goal to its transition, turned round.
                found = field_path(row_data, arc_data, field, begin, bits, goal, row, path, filled)
                if found == ASTRAY:
                    return ASTRAY, filled
                if found > filled:
                    found -= 1
                    turn_round(path, filled, found)
                    path[found] = goal
                    found += 1
            else:
                found = field_path(row_data, arc_data, field, begin, bits, row, there, path, filled)
                if found == ASTRAY:
                    return ASTRAY, filled
            filled = found
        else:
            if search_inside(row_data, arc_data, row, there, turn, local, heap) < 0:
                return ASTRAY, filled
            turn += 1
            begun = filled
            while there != row:
                path[filled] = there
                filled += 1
                there = local[row_data[there, PLACE], FROM]
            turn_round(path, begun, filled)
        hop += 1
    return hop, filled
