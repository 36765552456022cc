"""Find paths on a hierarchy: connect, plan over transitions, refine hop by hop, and smooth.

A. Botea, M. Mueller, J. Schaeffer, "Near optimal hierarchical path-finding", J. Game Development
1(1), 2004, sections 3.2 and 3.3. Where flow fields are kept, a start is connected to its cluster's
transitions by following them, with no search at all. A plan comes from a search of the highest
layer on which both ends lie in different clusters (:mod:`bake.search.hierarchy.stack`), or of the
first.

A plan of k transitions has k + 1 *hops*: from the start to the first transition, from each
transition to the next, and from the last one to the goal.
"""

from __future__ import annotations

import numpy as np

from bake.core.arrays import Int32Array, Int64Array
from bake.core.kernels.jit import inlined, kernel, separate
from bake.search.hierarchy.arcs import end_arc, first_arc, head_of
from bake.search.hierarchy.bundles import (
    ASTRAY,
    BEFORE,
    CLUSTER,
    DISTANCE,
    FLOW,
    FLOW_BYTES,
    FULL,
    NO_WAY,
    RANK,
    SIZE,
    STATE_COLUMNS,
    TRANSITION,
    TURN,
    ClusteredGraph,
    LayerStack,
    QueryMemory,
    StraightRuns,
)
from bake.search.hierarchy.corners import (
    MOST_CORNERS,
    REACH,
    SHORT_PATH,
    WIDE_REACH,
    turn_at_corners,
)
from bake.search.hierarchy.inside import flow_distance, flow_path, search_inside
from bake.search.hierarchy.landmarks import NONE, search_transitions
from bake.search.hierarchy.near import (
    MOST_LABELS,
    NEAR_CELLS,
    NEAR_ROWS,
    NEAR_TRANSITIONS,
    cells_between,
    search_near,
    shorten_ends,
)
from bake.search.hierarchy.smooth import SQUARE_8, smooth_path
from bake.search.hierarchy.stack import climb, descend, found_inside, turn_round

#: The most hops refined at once: a walk begins with one, and every piece has twice as many as
#: before.
# limit: a walk is refined in shorter parts; lowered by sound_paths
MOST_HOPS = 64


@inlined
def piece_end(hop: int, length: int) -> int:
    """Return where the piece that begins with a hop ends: pieces have 1, 2, 4, ... hops."""
    return min(hop + min(hop + 1, MOST_HOPS), length + 1)


def query_memory(stack: LayerStack, most_arcs: int, room: int) -> QueryMemory:
    """Allocate memory for queries of a hierarchy, one at a time.

    Args:
        most_arcs: the most arcs inside a cluster of rows, in either direction.
        room: rows a path may have beside those of one more cluster.
    """
    transitions = len(stack.below)
    arcs = int((stack.end_out - stack.first_out).sum(dtype=np.int64))
    most_rows = int(stack.cluster[:, SIZE].max(initial=0))
    held = stack.end_transition - stack.cluster[: len(stack.end_transition), TRANSITION]
    most_ends = int(held.max(initial=0))
    return QueryMemory(
        turn=np.zeros(2, dtype=np.int64),
        ends=np.zeros((2, most_ends, 2), dtype=np.int64),
        local=np.zeros((most_rows, 3), dtype=np.int64),
        heap=np.zeros((max(arcs + most_ends, most_arcs) + 2, 2), dtype=np.int64),
        state=np.zeros((transitions, STATE_COLUMNS), dtype=np.int64),
        at_goal=np.zeros(stack.landmark.shape[1], dtype=np.int32),
        expanded=np.zeros(transitions, dtype=np.int32),
        plan=np.zeros((2, transitions), dtype=np.int32),
        route=np.empty((6, room + most_rows), dtype=np.int32),
        near=np.zeros((2 * MOST_LABELS, 4), dtype=np.int64),
        near_heap=np.empty((4 * MOST_LABELS, 2), dtype=np.int64),
        corner=np.empty((4, MOST_CORNERS), dtype=np.int64),
    )


@separate
def connect(
    row: int,
    graph: ClusteredGraph,
    by_flow: bool,
    stack: LayerStack,
    memory: QueryMemory,
    ends: Int64Array,
) -> int:
    """Find how far a row lies from the transitions of its cluster.

    Args:
        graph: the rows; with every arc turned round for ways from transitions to the row.
        by_flow: follow flow fields; otherwise search the cluster.
        ends: filled with the transitions that there is a way to, and ticks.

    Returns:
        How many transitions there are, or ASTRAY.
    """
    cluster = graph.node[row, CLUSTER]
    first, last = stack.cluster[cluster, TRANSITION], stack.end_transition[cluster]
    local = memory.local
    if not by_flow and last > first:
        search_inside(graph, row, -1, memory)
    count = 0
    for node in range(first, last):
        if by_flow:
            begin = stack.cluster[cluster, FLOW]
            begin += (node - first) * stack.cluster[cluster, FLOW_BYTES]
            there = stack.below[node]
            ticks = flow_distance(graph, stack.flow, begin, stack.bits, row, there)
            if ticks == ASTRAY:
                return ASTRAY
        else:
            rank = graph.node[stack.below[node], RANK]
            reached = local[rank, TURN] == memory.turn[0]
            ticks = int(local[rank, DISTANCE]) if reached else NO_WAY
        if ticks >= 0:
            ends[count, 0] = node
            ends[count, 1] = ticks
            count += 1
    return count


@inlined
def _connected(
    start: int, goal: int, stack: LayerStack, memory: QueryMemory
) -> tuple[int, int, int]:
    """Connect two rows to the transitions of their clusters, by ``memory.ends``.

    Returns:
        Ticks of the way inside one cluster, or NONE; how many ends the start has, and the goal.
    """
    graph, by_flow = stack.graph, stack.bits > 0
    best = NONE
    if graph.node[start, CLUSTER] == graph.node[goal, CLUSTER]:
        inner = search_inside(graph, start, goal, memory)
        if inner >= 0:
            best = inner
    starts = connect(start, graph, by_flow, stack, memory, memory.ends[0])
    goals = connect(goal, stack.back, by_flow and stack.two_way, stack, memory, memory.ends[1])
    return best, starts, goals


@inlined
def _planned(
    starts: int, goals: int, best: int, stack: LayerStack, memory: QueryMemory
) -> tuple[int, int, int]:
    """Plan the way between connected ends, and lay it out; returns what :func:`find_way` does."""
    length, ticks, count = ASTRAY, NO_WAY, 0
    if starts >= 0 and goals >= 0:
        best, node, expanded = search_transitions(stack, memory, starts, goals, best)
        if expanded != ASTRAY:
            length, count = NO_WAY, expanded
            if best < NONE:
                plan = memory.plan[0]
                length, ticks = 0, best
                while node >= 0:
                    plan[length] = node
                    length += 1
                    node = memory.state[node, BEFORE]
                turn_round(plan, 0, length)
    return length, ticks, count


@separate
def find_way(start: int, goal: int, stack: LayerStack, memory: QueryMemory) -> tuple[int, int, int]:
    """Plan the way from one row to another: the transitions on it go to ``memory.plan[0]``.

    Args:
        stack: of one layer.

    Returns:
        How many transitions the plan has, 0 for a way inside one cluster; NO_WAY; ASTRAY. Then the
        ticks of the way before smoothing, or NO_WAY; and how many transitions were expanded, which
        are in ``memory.expanded``. All are of the first layer.
    """
    best, starts, goals = _connected(start, goal, stack, memory)
    return _planned(starts, goals, best, stack, memory)


@kernel
def find_way_above(
    start: int, goal: int, stack: LayerStack, memory: QueryMemory
) -> tuple[int, int, int]:
    """Plan as :func:`find_way` does, on a stack of any number of layers."""
    here, there = stack.graph.node[start, CLUSTER], stack.graph.node[goal, CLUSTER]
    layer = 0
    while layer + 1 < stack.layers and stack.parent[here] != stack.parent[there]:
        here, there = stack.parent[here], stack.parent[there]
        layer += 1
        if here < 0 or there < 0:
            return NO_WAY, NO_WAY, 0
    best, starts, goals = _connected(start, goal, stack, memory)
    if layer > 0:
        starts = climb(memory.ends[0], starts, layer, stack.joined, stack, memory)
        goals = climb(memory.ends[1], goals, layer, stack.joined_back, stack, memory)
    length, ticks, count = _planned(starts, goals, best, stack, memory)
    for _ in range(layer):
        for i in range(count):
            memory.expanded[i] = stack.below[memory.expanded[i]]
    if layer > 0 and length > 0:
        length = descend(length, layer, stack, memory)
    return length, ticks, count


@separate
def refine(
    start: int,
    goal: int,
    plan: Int32Array,
    length: int,
    hop: int,
    until: int,
    stack: LayerStack,
    memory: QueryMemory,
    filled: int,
) -> tuple[int, int]:
    """Append the rows of some hops of a plan to ``memory.route[0]``.

    Args:
        plan, length: from :func:`find_way`; hop ``length`` leads to the goal.
        hop, until: the hops to refine: up to but not including ``until``.
        filled: rows so far; no hop is refined that might not fit.

    Returns:
        The hop to go on with, and how many rows there are; the hop is ASTRAY for damaged tables.
    """
    graph, path, bits = stack.graph, memory.route[0], stack.bits
    while hop < until:
        row = start if hop == 0 else stack.below[plan[hop - 1]]
        there = goal if hop == length else stack.below[plan[hop]]
        cluster = graph.node[row, CLUSTER]
        if cluster != graph.node[there, CLUSTER]:
            if filled >= len(path):
                return hop, filled
            arc, last = first_arc(graph, row), end_arc(graph, row)
            while arc < last and head_of(graph, arc) != there:
                arc += 1
            if arc == last:
                return ASTRAY, filled
            path[filled] = there
            filled += 1
            hop += 1
            continue
        size = stack.cluster[cluster, SIZE]
        if filled + size > len(path):
            return hop, filled
        node = np.int64(-1)
        backwards = hop == length
        if hop < length:
            node = np.int64(plan[hop])
        elif length > 0 and stack.two_way:
            node = np.int64(plan[hop - 1])
        if bits > 0 and node >= 0:
            begin = stack.cluster[cluster, FLOW] + stack.cluster[cluster, FLOW_BYTES] * (
                node - stack.cluster[cluster, TRANSITION]
            )
            # The last hop is the way from the goal to its transition, turned round.
            near, far = (goal, row) if backwards else (row, there)
            found = flow_path(graph, stack.flow, begin, bits, near, far, path, filled)
            if found == ASTRAY:
                return ASTRAY, filled
            if backwards and found > filled:
                turn_round(path, filled, found - 1)
                path[found - 1] = goal
            filled = found
        else:
            filled = found_inside(graph, row, there, memory, path, filled)
            if filled == ASTRAY:
                return ASTRAY, filled
        hop += 1
    return hop, filled


@kernel
def _straighten(
    count: int, reach: int, graph: ClusteredGraph, runs: StraightRuns, memory: QueryMemory
) -> tuple[int, int]:
    """Smooth the path in ``memory.route[0]``, and let it turn at corners.

    Returns:
        Rows and ticks; FULL and 0 where ``memory.route`` is too short.
    """
    count, ticks = smooth_path(count, graph, runs, memory)
    if runs.even and runs.form == SQUARE_8:
        count, ticks = turn_at_corners(count, ticks, reach, runs, memory)
    return count, ticks


@kernel
def follow_plan(
    start: int,
    goal: int,
    plan: Int32Array,
    hop: int,
    until: int,
    row: int,
    stack: LayerStack,
    runs: StraightRuns,
    memory: QueryMemory,
) -> tuple[int, int]:
    """Refine and smooth some hops of a plan, from a row that is at the end of those before.

    Args:
        plan: all of it; hop, until: as for :func:`refine`.

    Returns:
        The hop to go on with, which is ``hop`` where ``memory.route`` is too short, or ASTRAY; how
        many rows ``memory.route[0]`` has, ``row`` included.
    """
    memory.route[0, 0] = row
    done, filled = refine(start, goal, plan, len(plan), hop, until, stack, memory, 1)
    if done != ASTRAY and runs.width > 0 and filled > 2:
        filled, _ = _straighten(filled, REACH, stack.graph, runs, memory)
        if filled == FULL:
            return hop, 1
    return done, filled


@separate
def follow_way(
    start: int,
    goal: int,
    first_piece: bool,
    stack: LayerStack,
    runs: StraightRuns,
    memory: QueryMemory,
) -> tuple[int, int, int, int, int]:
    """Plan, refine and smooth the way from one row to another; between near ones, find a shortest.

    Args:
        first_piece: refine no more hops than up to the first move, unless start and goal are near.
        stack: of one layer.
        runs: what the path is smoothed by.

    Returns:
        How many rows ``memory.route[0]`` has, both ends included; NO_WAY, ASTRAY, or FULL where
        ``memory.route`` is too short. Then ticks of the whole path, how many transitions were
        expanded, how many the plan has, and the hop to go on with.
    """
    length, ticks, expanded = find_way(start, goal, stack, memory)
    if length < 0:
        return length, ticks, expanded, 0, 0
    filled, ticks, hop = follow_found(start, goal, first_piece, length, ticks, stack, runs, memory)
    return filled, ticks, expanded, length, hop


def follow_way_above(
    start: int,
    goal: int,
    first_piece: bool,
    stack: LayerStack,
    runs: StraightRuns,
    memory: QueryMemory,
) -> tuple[int, int, int, int, int]:
    """Follow a way as :func:`follow_way` does, on a stack of any number of layers.

    It is no kernel, so that stacks of one layer need nothing of what climbs to others compiled.
    """
    length, ticks, expanded = find_way_above(start, goal, stack, memory)
    if length < 0:
        return length, ticks, expanded, 0, 0
    filled, ticks, hop = follow_found(start, goal, first_piece, length, ticks, stack, runs, memory)
    return filled, ticks, expanded, length, hop


@separate
def follow_found(
    start: int,
    goal: int,
    first_piece: bool,
    length: int,
    ticks: int,
    stack: LayerStack,
    runs: StraightRuns,
    memory: QueryMemory,
) -> tuple[int, int, int]:
    """Refine and smooth a way that :func:`find_way` has found.

    Args:
        first_piece, runs: as for :func:`follow_way`.
        length, ticks: what :func:`find_way` returned; ``memory.plan[0]`` is its plan.

    Returns:
        How many rows ``memory.route[0]`` has, or ASTRAY or FULL; ticks of the path; and the hop to
        go on with; as for :func:`follow_way`.
    """
    memory.route[0, 0] = start
    filled, hop = 1, 0
    beside = runs.width > 0 and cells_between(start, goal, runs) <= NEAR_CELLS
    near = beside or (runs.far and length <= NEAR_TRANSITIONS)
    by_piece = first_piece and not near
    while hop <= length and not (by_piece and filled > 1):
        until = piece_end(hop, length) if by_piece else length + 1
        done, filled = refine(
            start, goal, memory.plan[0], length, hop, until, stack, memory, filled
        )
        if done == ASTRAY:
            return ASTRAY, NO_WAY, 0
        if done == hop or (not by_piece and done <= length):
            return FULL, NO_WAY, 0
        hop = done
    rows = filled
    if runs.width > 0 and filled > 2:
        reach = WIDE_REACH if cells_between(start, goal, runs) <= SHORT_PATH else REACH
        filled, ticks = _straighten(filled, reach, stack.graph, runs, memory)
        if filled != FULL and not (by_piece or beside or runs.even):
            filled, ticks = shorten_ends(filled, ticks, stack.graph, stack.back, runs, memory)
        if filled == FULL:
            return FULL, NO_WAY, 0
    if beside or (near and rows <= NEAR_ROWS):
        fewer, less = search_near(start, goal, ticks, stack.graph, runs, memory)
        if fewer == FULL:
            return FULL, NO_WAY, 0
        if fewer > 0:
            filled, ticks = fewer, less
    return filled, ticks, hop


@kernel
def follow_ways(
    starts: Int32Array,
    goals: Int32Array,
    first_piece: bool,
    stack: LayerStack,
    runs: StraightRuns,
    memory: QueryMemory,
    pair: int,
    first: Int64Array,
    path: Int32Array,
) -> int:
    """Follow the ways of many pairs, one after another, until all are done or a buffer is full.

    Args:
        starts, goals: (p) int32 rows.
        first_piece, stack, runs: as for :func:`follow_way`.
        pair: which pair to go on with.
        first: (p + 1) int64, where each path begins; filled up to the pair returned.
        path: rows along the paths, both ends included; empty where there is no way.

    Returns:
        The pair to go on with after enlarging ``memory.route`` and ``path``; p when done; ASTRAY.
    """
    while pair < len(starts):
        filled, _, _, _, _ = follow_way(starts[pair], goals[pair], first_piece, stack, runs, memory)
        if filled == ASTRAY:
            return ASTRAY
        begin = first[pair]
        if filled == FULL or begin + filled > len(path):
            return pair
        filled = max(0, filled)
        for i in range(filled):
            path[begin + i] = memory.route[0, i]
        pair += 1
        first[pair] = begin + filled
    return pair
