"""Find the shortest path between places that lie close together, over the rows themselves.

A plan crosses the border of a cluster at a transition, a few steps aside, and smoothing does not
mend all of that: between neighbours across a border it may cost several times the step. So where
start and goal are near, A* (P. Hart, N. Nilsson, B. Raphael, IEEE Trans. SSC 4(2), 1968) looks for
what costs less than the path that is known. It sees few rows, as that path bounds it, and none
where it is as cheap as it can be.

Labels are kept in a small table by row, open addressing, so that memory does not grow with the
level; a search that fills it gives up.
"""

from __future__ import annotations

import numpy as np

from bake.core.arrays import Int64Array
from bake.core.kernels.heap import drop_first, push
from bake.core.kernels.jit import accessor, separate
from bake.search.hierarchy.arcs import end_arc, first_arc, head_of, ticks_of
from bake.search.hierarchy.bundles import (
    FULL,
    NO_WAY,
    ClusteredGraph,
    QueryMemory,
    StraightRuns,
)
from bake.search.hierarchy.smooth import HEX
from bake.search.hierarchy.straight_runs import coordinate

#: Cells are near that lie at most this many columns and rows apart.
# limit: paths stay valid, and may be longer; lowered by sound_paths
NEAR_CELLS = 8

#: Where links lead to places far off, rows are near if a plan between them has no more transitions,
#: and leads along no more rows.
# limit: paths stay valid, and may be longer; lowered by sound_paths
NEAR_TRANSITIONS = 8
# limit: paths stay valid, and may be longer; lowered by sound_paths
NEAR_ROWS = 40

#: On uneven ground so many steps at either end of a longer path are searched again.
# limit: paths stay valid, and may be longer; lowered by sound_paths
END_STEPS = 12

#: The most rows a search looks at before it gives up; the table has twice the room.
# limit: the planned path stays, and may be longer; lowered by sound_paths
MOST_LABELS = 2048

#: Columns of ``QueryMemory.near``: the turn and the row in one number, ticks from the start, the
#: place in the table of the row before, and a lower bound of the ticks to the goal.
WHO, COST, BEFORE, AHEAD = 0, 1, 2, 3

#: The table is cleared after this many turns, as no more fit beside a row.
# limit: the table is cleared, and epochs restart; lowered by same_paths
_LAST_TURN = 2**31 - 1

#: No label has more ticks; this number less g puts the larger g first among ties.
# no limit: the largest int32
_LARGEST_G = 2**31 - 1


@accessor
def cells_between(start: int, goal: int, runs: StraightRuns) -> int:
    """Return how many columns or rows, whichever are more, lie between the cells of two rows."""
    dx = coordinate(runs, start, 0) - coordinate(runs, goal, 0)
    dy = coordinate(runs, start, 1) - coordinate(runs, goal, 1)
    return int(max(abs(dx), abs(dy)))


@accessor
def _ahead(row: int, goal: int, runs: StraightRuns) -> int:
    """Return a lower bound of the ticks between two rows, from the cheapest steps there are."""
    ticks = 0
    if not runs.far:
        dx = coordinate(runs, row, 0) - coordinate(runs, goal, 0)
        dy = coordinate(runs, row, 1) - coordinate(runs, goal, 1)
        straight, slanted = int(runs.least[0]), int(runs.least[1])
        if straight == 0 or 0 < slanted < straight:
            straight = slanted
        if runs.form == HEX:
            ticks = straight * max(abs(dx), abs(dy), abs(dx + dy))
        else:
            dx, dy = abs(dx), abs(dy)
            if slanted == 0 or slanted > 2 * straight:
                slanted = 2 * straight
            ticks = straight * abs(dx - dy) + slanted * min(dx, dy)
    return ticks


@accessor
def _place_of(row: int, turn: int, near: Int64Array) -> int:
    """Return where the table has a row, or the free place that is its own."""
    last = len(near) - 1
    place = (row * 40503) & last
    who = (turn << 32) | row
    while near[place, WHO] != who and near[place, WHO] >> 32 == turn:
        place = (place + 1) & last
    return place


@separate
def search_near(
    start: int,
    goal: int,
    limit: int,
    graph: ClusteredGraph,
    runs: StraightRuns,
    memory: QueryMemory,
) -> tuple[int, int]:
    """Search for a path that costs less than ``limit`` ticks.

    Args:
        graph: the rows.
        memory: ``route[0]`` is filled with the rows of the path, if there is one. ``near`` has a
            power of two of places, and half as many rows are looked at, at most.

    Returns:
        How many rows the path has, and its ticks; NO_WAY and NO_WAY where none is found; FULL and
        NO_WAY where ``route`` is too short for it.
    """
    near, heap, path = memory.near, memory.near_heap, memory.route[0]
    origin, end = int(start), int(goal)
    if memory.turn[1] >= _LAST_TURN:
        near[:, WHO] = 0
        memory.turn[1] = 0
    memory.turn[1] += 1
    turn = int(memory.turn[1])
    bound = _ahead(origin, end, runs)
    limit = min(int(limit), _LARGEST_G)
    if bound >= limit:
        return NO_WAY, NO_WAY
    place = _place_of(origin, turn, near)
    near[place, WHO] = (turn << 32) | origin
    near[place, COST] = 0
    near[place, BEFORE] = -1
    near[place, AHEAD] = bound
    labels = 1
    size = push(heap, 0, (bound << 32) | _LARGEST_G, place)
    while size > 0:
        key, place = int(heap[0, 0]), int(heap[0, 1])
        size = drop_first(heap, size)
        g = _LARGEST_G - (key & 0xFFFFFFFF)
        if g != near[place, COST]:
            continue
        row = int(near[place, WHO]) & 0x7FFFFFFF
        if row == end:
            break
        for arc in range(first_arc(graph, row), end_arc(graph, row)):
            other = int(head_of(graph, arc))
            if other < 0:
                continue
            reached = g + int(ticks_of(graph, arc))
            there = _place_of(other, turn, near)
            if near[there, WHO] >> 32 == turn:
                if near[there, COST] <= reached:
                    continue
                bound = int(near[there, AHEAD])
            else:
                bound = _ahead(other, end, runs)
            if reached + bound >= limit:
                continue
            if near[there, WHO] >> 32 != turn:
                if labels == len(near) >> 1:
                    return NO_WAY, NO_WAY
                labels += 1
                near[there, WHO] = (turn << 32) | other
                near[there, AHEAD] = bound
            if size == len(heap):
                return NO_WAY, NO_WAY
            near[there, COST] = reached
            near[there, BEFORE] = place
            size = push(heap, size, ((reached + bound) << 32) | (_LARGEST_G - reached), there)
    place = _place_of(end, turn, near)
    ticks = int(near[place, COST])
    if near[place, WHO] >> 32 != turn:
        return NO_WAY, NO_WAY
    count, back = 0, place
    while back >= 0:
        count += 1
        back = int(near[back, BEFORE])
    if count > len(path):
        return FULL, NO_WAY
    for i in range(count):
        path[count - 1 - i] = near[place, WHO] & 0x7FFFFFFF
        place = int(near[place, BEFORE])
    return count, ticks


@separate
def shorten_ends(
    count: int,
    ticks: int,
    graph: ClusteredGraph,
    back: ClusteredGraph,
    runs: StraightRuns,
    memory: QueryMemory,
) -> tuple[int, int]:
    """Search again for the ways along the first steps of a path and along its last.

    Where start or goal lies on ground that is dear to walk on, the way from a transition a few
    steps aside may cost a large part of the path.

    Args:
        count, ticks: how many rows ``memory.route[0]`` has, and what it costs; ``memory.route[5]``
            holds the ticks of each step.
        graph: the rows.
        back: the same with every arc turned round.

    Returns:
        Rows and ticks of the path now; FULL and 0 where ``memory.route`` is too short for it.
    """
    found, path, step = memory.route[0], memory.route[1], memory.route[5]
    for i in range(count):
        path[i] = found[i]
    stretch = END_STEPS if count > 2 * END_STEPS else count - 1
    first = count - 1 - stretch
    while first >= 0:
        last = first + stretch
        middle, half, limit = first + stretch // 2, np.int64(0), np.int64(0)
        for i in range(first, last):
            limit += step[i]
            half += step[i] if i < middle else 0
        # A search that begins where ground is dear sees fewer rows.
        forth = 2 * half >= limit
        begin, end = (path[first], path[last]) if forth else (path[last], path[first])
        arcs = graph if forth else back
        fewer, less = search_near(begin, end, int(limit), arcs, runs, memory)
        more = fewer - stretch - 1
        if fewer == FULL or (fewer > 0 and count + more > len(path)):
            return FULL, 0
        if fewer > 0:
            for i in range(count - 1 - last):
                at = count - 1 - i if more > 0 else last + 1 + i
                path[at + more] = path[at]
            for i in range(fewer):
                path[first + i] = found[i if forth else fewer - 1 - i]
            count += more
            ticks += less - int(limit)
        # The steps before the last ones are where they were.
        first = 0 if first > 0 else -1
    for i in range(count):
        found[i] = path[i]
    return count, ticks
