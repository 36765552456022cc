"""Distances and shortest paths over a contracted graph, by climbing its elimination tree.

All arcs up from a node lead to nodes on its way to the root, so a query needs no queue: it climbs
from both ends at once, and the two ways meet at the best of the nodes they share (J. Dibbelt,
B. Strasser, D. Wagner, "Customizable Contraction Hierarchies", JEA 21, 2016, section 8). What is
known of a node is kept by its depth, so the memory of a query is a few kilobytes. Most arcs up from
a node lead to nodes of consecutive depths, and such a run of arcs is one vectorised loop.

Nodes go by rank. Kernels that Python calls take the arrays of a bundle one by one, which is why
four signatures here are alike: to unpack a NamedTuple at each call takes longer than most queries.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bake.arrays import Int32Array, Int64Array
from bake.graph import INFINITY
from bake.kernels.jit import inlined, kernel
from bake.search.contraction.metric import Weights
from bake.search.contraction.tree import Tree


class Ways(NamedTuple):
    """A customized tree as queries read it; nodes are called by rank.

    A place is a node's index in the memory of a query: places fall with depth, and the roots have
    the last one.

    Attributes:
        place: (n) int32, the place of each rank.
        first_arc: (n + 1) int32, where each rank's arcs begin.
        first_run: (n + 1) int32, where each rank's runs begin.
        run_arc: (r + 1) int32, the first arc of each run.
        run_place: (r) int32, the place of that arc's head; that of the next arc's is one more.
        head: (a) int32, the higher end of each arc.
        up, down, via_up, via_down: see :class:`Weights`.
    """

    place: Int32Array
    first_arc: Int32Array
    first_run: Int32Array
    run_arc: Int32Array
    run_place: Int32Array
    head: Int32Array
    up: Int32Array
    down: Int32Array
    via_up: Int32Array
    via_down: Int32Array


class Room(NamedTuple):
    """The memory of one query at a time, by place.

    Attributes:
        climb: (4, d) int32: ticks from the start to the node of a place, ticks from there to the
            goal, and the rank from which each of the two was reached; -1 at the ends themselves.
        stack: (s, 2) int32, arcs still to be unpacked.
    """

    climb: Int32Array
    stack: Int32Array


#: Rows of ``Room.climb``.
AWAY, TOWARD, BY_START, BY_GOAL = 0, 1, 2, 3


def ways_of(tree: Tree, weights: Weights) -> Ways:
    """Lay out a customized tree for queries; ``weights`` are taken as they are, not copied."""
    n, count = len(tree.order), tree.arc_count
    place = (tree.depth.max(initial=0) - tree.depth).astype(np.int32)
    first_run = np.empty(n + 1, dtype=np.int32)
    runs = _find_runs(tree, place, first_run, np.empty((2, 0), dtype=np.int32))
    run = np.empty((2, runs + 1), dtype=np.int32)
    _find_runs(tree, place, first_run, run)
    run[0, runs] = count
    first_arc = tree.first_up.astype(np.int32)
    return Ways(place, first_arc, first_run, run[0], run[1, :runs], tree.up, *weights)


def room_for(ways: Ways) -> Room:
    """Return memory for queries, which serve one thread at a time."""
    deep = int(ways.place.max(initial=0)) + 1
    # Unpacking splits an arc at a lower rank each time, so no more wait than the tree is deep.
    return Room(np.empty((4, deep), dtype=np.int32), np.empty((4 * deep + 4, 2), dtype=np.int32))


@kernel
def _find_runs(tree: Tree, place: Int32Array, first_run: Int32Array, run: Int32Array) -> int:
    """Write where runs begin, and the arc and the place of each where there is room for them."""
    runs = 0
    for rank in range(len(place)):
        first_run[rank] = runs
        expected = -1
        for arc in range(tree.first_up[rank], tree.first_up[rank + 1]):
            here = place[tree.up[arc]]
            if here != expected:
                if runs < run.shape[1]:
                    run[0, runs] = arc
                    run[1, runs] = here
                runs += 1
            expected = here + 1
    first_run[len(place)] = runs
    return runs


@inlined
def _parent(first_arc: Int32Array, head: Int32Array, rank: int) -> int:
    """Return the next node on the way to the root, -1 at a root."""
    arc = first_arc[rank]
    return int(head[arc]) if arc < first_arc[rank + 1] else -1


@kernel
def _climb(
    place: Int32Array,
    first_run: Int32Array,
    run_arc: Int32Array,
    run_place: Int32Array,
    weight: Int32Array,
    rank: int,
    ticks: Int32Array,
    by: Int32Array,
) -> None:
    """Relax all arcs up from a rank."""
    here = np.int32(rank)
    so_far = ticks[place[rank]]
    for run in range(first_run[rank], first_run[rank + 1]):
        begin, first = np.uint64(run_arc[run]), np.uint64(run_place[run])
        for i in range(np.uint64(run_arc[run + 1]) - begin):
            new = np.int32(so_far + weight[begin + i])
            old = ticks[first + i]
            better = new < old
            ticks[first + i] = new if better else old
            by[first + i] = here if better else by[first + i]


@kernel
def _meet(
    place: Int32Array,
    first_arc: Int32Array,
    first_run: Int32Array,
    run_arc: Int32Array,
    run_place: Int32Array,
    head: Int32Array,
    up: Int32Array,
    down: Int32Array,
    climb: Int32Array,
    start: int,
    goal: int,
) -> tuple[int, int]:
    """Climb from two ranks; return the ticks between them and the rank where the ways meet best.

    INFINITY and -1 where there is no way.
    """
    away, toward, by_start, by_goal = climb[AWAY], climb[TOWARD], climb[BY_START], climb[BY_GOAL]
    for i in range(place[start], len(away)):
        away[i] = INFINITY
    for i in range(place[goal], len(toward)):
        toward[i] = INFINITY
    away[place[start]] = 0
    toward[place[goal]] = 0
    by_start[place[start]] = -1
    by_goal[place[goal]] = -1
    one, other = int(start), int(goal)
    while one != other:
        if other < 0 or 0 <= one < other:
            if away[place[one]] < INFINITY:
                _climb(place, first_run, run_arc, run_place, up, one, away, by_start)
            one = _parent(first_arc, head, one)
        else:
            if toward[place[other]] < INFINITY:
                _climb(place, first_run, run_arc, run_place, down, other, toward, by_goal)
            other = _parent(first_arc, head, other)
    best, meeting = INFINITY, -1
    while one >= 0:
        so_far, onward = int(away[place[one]]), int(toward[place[one]])
        if so_far + onward < best:
            best, meeting = so_far + onward, one
        if so_far < best:
            _climb(place, first_run, run_arc, run_place, up, one, away, by_start)
        if onward < best:
            _climb(place, first_run, run_arc, run_place, down, one, toward, by_goal)
        one = _parent(first_arc, head, one)
    return best, meeting


@kernel
def distances(
    place: Int32Array,
    first_arc: Int32Array,
    first_run: Int32Array,
    run_arc: Int32Array,
    run_place: Int32Array,
    head: Int32Array,
    up: Int32Array,
    down: Int32Array,
    via_up: Int32Array,
    via_down: Int32Array,
    climb: Int32Array,
    starts: Int32Array,
    goals: Int32Array,
    ticks: Int64Array,
) -> None:
    """Write the ticks between as many starts as goals, which are ranks; INFINITY for no way.

    The first ten arguments are those of :class:`Ways`, ``climb`` is of :class:`Room`.
    """
    for i in range(len(starts)):
        ends = starts[i], goals[i]
        ticks[i] = _meet(
            place, first_arc, first_run, run_arc, run_place, head, up, down, climb, *ends
        )[0]


@kernel
def distance(
    place: Int32Array,
    first_arc: Int32Array,
    first_run: Int32Array,
    run_arc: Int32Array,
    run_place: Int32Array,
    head: Int32Array,
    up: Int32Array,
    down: Int32Array,
    via_up: Int32Array,
    via_down: Int32Array,
    climb: Int32Array,
    start: int,
    goal: int,
) -> int:
    """Return the ticks from one rank to another; INFINITY where there is no way."""
    return _meet(
        place, first_arc, first_run, run_arc, run_place, head, up, down, climb, start, goal
    )[0]


@kernel
def path(
    place: Int32Array,
    first_arc: Int32Array,
    first_run: Int32Array,
    run_arc: Int32Array,
    run_place: Int32Array,
    head: Int32Array,
    up: Int32Array,
    down: Int32Array,
    via_up: Int32Array,
    via_down: Int32Array,
    climb: Int32Array,
    stack: Int32Array,
    ranks: Int32Array,
    start: int,
    goal: int,
) -> int:
    """Write the ranks of a shortest path, both ends included.

    Returns:
        How many there are, 0 where there is no way, and one more than there is room for in
        ``ranks`` where the path does not end there.
    """
    ways = Ways(place, first_arc, first_run, run_arc, run_place, head, up, down, via_up, via_down)
    return _path(ways, climb, stack, ranks, start, goal)


@kernel
def paths(
    place: Int32Array,
    first_arc: Int32Array,
    first_run: Int32Array,
    run_arc: Int32Array,
    run_place: Int32Array,
    head: Int32Array,
    up: Int32Array,
    down: Int32Array,
    via_up: Int32Array,
    via_down: Int32Array,
    room: Room,
    ends: Int32Array,
    most: int,
    first: Int64Array,
    ranks: Int32Array,
) -> int:
    """Write the ranks of many shortest paths one after another, both ends of each included.

    Args:
        ends: (k, 2) int32, the start and the goal of each.
        most: how many ranks of a path to write; the rest of a longer one is left out.
        first: (k + 1) int64, written as far as there is room: where each path begins.

    Returns:
        How many paths were written; the next one does not fit into ``ranks``.
    """
    ways = Ways(place, first_arc, first_run, run_arc, run_place, head, up, down, via_up, via_down)
    first[0] = 0
    for i in range(len(ends)):
        begin = first[i]
        end = min(begin + most, len(ranks))
        count = _path(ways, room.climb, room.stack, ranks[begin:end], ends[i, 0], ends[i, 1])
        if count > end - begin:
            if end - begin < most:
                return i
            count = most
        first[i + 1] = begin + count
    return len(ends)


@kernel
def _path(
    ways: Ways, climb: Int32Array, stack: Int32Array, ranks: Int32Array, start: int, goal: int
) -> int:
    """Write one path as :func:`path` does."""
    place, first_arc, first_run, run_arc, run_place, head, up, down, via_up, via_down = ways
    ends = start, goal
    ticks, meeting = _meet(
        place, first_arc, first_run, run_arc, run_place, head, up, down, climb, *ends
    )
    if ticks >= INFINITY:
        return 0
    if not len(ranks):
        return 1
    ranks[0] = start
    # The start's half is known from its upper end: go down along it, then unpack it upwards.
    waiting = 0
    rank = int(meeting)
    while climb[BY_START, place[rank]] >= 0:
        low = climb[BY_START, place[rank]]
        stack[waiting, 0] = low
        stack[waiting, 1] = rank
        waiting += 1
        rank = int(low)
    count = _unpack(first_arc, head, via_up, via_down, stack, waiting, ranks, 1)
    rank = int(meeting)
    while climb[BY_GOAL, place[rank]] >= 0 and count <= len(ranks):
        low = climb[BY_GOAL, place[rank]]
        stack[0, 0] = rank
        stack[0, 1] = low
        count = _unpack(first_arc, head, via_up, via_down, stack, 1, ranks, count)
        rank = int(low)
    return count


@kernel
def _unpack(
    first_arc: Int32Array,
    head: Int32Array,
    via_up: Int32Array,
    via_down: Int32Array,
    stack: Int32Array,
    waiting: int,
    ranks: Int32Array,
    count: int,
) -> int:
    """Write the ranks of shortcuts, the one on top of the stack first, without its own start.

    Returns:
        How many ranks are written then, or one more than there is room for.
    """
    while waiting > 0:
        waiting -= 1
        tail, onto = stack[waiting, 0], stack[waiting, 1]
        if tail < onto:
            via = via_up[_arc_between(first_arc, head, tail, onto)]
        else:
            via = via_down[_arc_between(first_arc, head, onto, tail)]
        if via < 0:
            if count >= len(ranks):
                return len(ranks) + 1
            ranks[count] = onto
            count += 1
        else:
            stack[waiting, 0] = via
            stack[waiting, 1] = onto
            stack[waiting + 1, 0] = tail
            stack[waiting + 1, 1] = via
            waiting += 2
    return count


@kernel
def _arc_between(first_arc: Int32Array, head: Int32Array, low: int, high: int) -> int:
    """Return the arc from a rank to a higher one, which there is, by binary search."""
    begin, end = first_arc[low], first_arc[low + 1]
    while end - begin > 1:
        middle = (begin + end) >> 1
        if head[middle] <= high:
            begin = middle
        else:
            end = middle
    return int(begin)
