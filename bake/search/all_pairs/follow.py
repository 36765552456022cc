"""Compiled lookups and walks over next hops stored as runs.

The steps are those of :mod:`bake.play.reader.hops`, for callers that load numba.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bake.core.arrays import AnyArray, Int32Array, Int64Array
from bake.core.kernels.jit import allocating, inlined, kernel

#: Returned where a walk finds no arc or exceeds the number of rows: the table is corrupt.
ASTRAY = -1


class RunIndex(NamedTuple):
    """Next hops as runs, laid out for lookups."""

    #: (r + 1, 4) integers of each row, adjacent in memory: first run, first arc, and the location
    #: to write into paths (two columns; chart coordinates on a lattice).
    row_data: Int32Array
    #: See :class:`bake.play.reader.hops.RunHops`.
    start: AnyArray
    symbol: AnyArray
    greedy: int
    greedy_slot: AnyArray


class StepIndex(NamedTuple):
    """Next hops as runs with the row each one leads to, laid out for walks."""

    #: (r + 1, 4) integers, see :class:`RunIndex`.
    row_data: AnyArray
    #: (k + NEAR) int64: the first target of each run times 2^32, plus the row to step to, BY_GREED
    #: or NOWHERE. Ascending within a row; the NEAR entries after the last run are padding.
    run: Int64Array
    #: (r, SECTORS) int32, the row that the compass move leads to, or -1; empty on graph levels.
    greedy_row: Int32Array


#: Pairs that are looked up together.
# limit: the work is done in parts; lowered by lookups
BLOCK = 32

#: Bisection ends with a fixed NEAR_BITS steps once at most NEAR runs remain.
# limit: longer rows are halved with branches first; lowered by lookups
NEAR = 16
# limit: longer rows are halved with branches first; lowered by lookups
NEAR_BITS = 4

# A step of a walk bisects without branches, and with a fixed number of steps for rows of few runs:
# a branch is mispredicted half the time. The code is repeated in each loop, since a function that
# takes arrays counts references to them, even inlined, which takes as long as the step.

#: Used instead of a row: the compass move, and no row.
BY_GREED = 2**32 - 1
NOWHERE = 2**32 - 2

_ROW_BITS = 2**32 - 1


def step_index(
    runs: RunIndex, first_arc: Int32Array, end_arc: Int32Array, head_row: Int32Array
) -> StepIndex:
    """Build the layout for walks from the layout for lookups.

    Args:
        runs: the next hops.
        first_arc, end_arc: (r) int32, the arcs of each row.
        head_row: (m) int32, the row each arc leads to; -1 where the arc is blocked.
    """
    row = np.repeat(np.arange(len(first_arc)), np.diff(runs.row_data[:, 0]))
    arc = first_arc[row] + runs.symbol.astype(np.int64)
    # The symbol of a run has no meaning in a row without arcs.
    moves = (runs.symbol < runs.greedy) & (arc < end_arc[row])
    ahead = np.full(len(arc), NOWHERE, dtype=np.int64)
    ahead[runs.symbol == runs.greedy] = BY_GREED
    ahead[moves] = head_row[arc[moves]]
    ahead[ahead < 0] = NOWHERE
    run = np.zeros(len(ahead) + NEAR, dtype=np.int64)
    run[: len(ahead)] = (runs.start.astype(np.int64) << 32) | ahead
    greedy_row = np.full(runs.greedy_slot.shape, -1, dtype=np.int32)
    row, side = np.nonzero(runs.greedy_slot >= 0)
    greedy_row[row, side] = head_row[first_arc[row] + runs.greedy_slot[row, side]]
    return StepIndex(runs.row_data, run, greedy_row)


@inlined
def sector(dx: int, dy: int) -> int:
    """Return the number of the sector of a direction, see :func:`bake.core.movement.sectors`."""
    side = int(dx > 0) - int(dx < 0) + 1
    side = side * 3 + int(dy > 0) - int(dy < 0) + 1
    return side * 2 + int(abs(dy) > abs(dx))


@kernel
def _halve(
    begins: AnyArray, low: Int64Array, left: Int64Array, goal: Int64Array, count: int, longest: int
) -> None:
    """Find, for each of several rows, the last run that begins at or before its goal.

    The bisections advance together, so that their memory loads overlap.

    Args:
        begins: (k) where runs begin, ascending within each row.
        low: (b) int64, first run of each row; overwritten with the result.
        left: (b) int64, the number of runs of each row; overwritten.
        goal: (b) int64.
        count: the number of rows.
        longest: the largest number of runs of a row.
    """
    while longest > 1:
        for i in range(count):
            half = left[i] >> 1
            probe = low[i] + half
            low[i] = probe if begins[probe] <= goal[i] else low[i]
            left[i] -= half
        longest -= longest >> 1


@allocating
def look_up_runs(
    runs: RunIndex,
    rows: Int32Array,
    goals: Int32Array,
    slots: Int64Array,
) -> None:
    """Find the slots of many pairs, with compass moves resolved.

    Args:
        runs: the next hops.
        rows, goals: (p) int32.
        slots: (p) int64, written; a symbol for "no path" is copied.
    """
    row_data, start, symbol, greedy, greedy_slot = runs
    low, left, target = (
        np.empty(BLOCK, np.int64),
        np.empty(BLOCK, np.int64),
        np.empty(BLOCK, np.int64),
    )
    for begin in range(0, len(rows), BLOCK):
        size = min(BLOCK, len(rows) - begin)
        longest = 1
        for i in range(size):
            row = np.int64(rows[begin + i])
            low[i] = row_data[row, 0]
            left[i] = np.int64(row_data[row + 1, 0]) - low[i]
            target[i] = goals[begin + i]
            longest = max(longest, int(left[i]))
        _halve(start, low, left, target, size, longest)
        for i in range(size):
            slot = np.int64(symbol[low[i]])
            if slot == greedy:
                row, goal = np.int64(rows[begin + i]), np.int64(goals[begin + i])
                dx = row_data[goal, 2] - row_data[row, 2]
                dy = row_data[goal, 3] - row_data[row, 3]
                slot = np.int64(greedy_slot[row, sector(dx, dy)])
            slots[begin + i] = slot


@allocating
def look_up_rows(
    steps: StepIndex,
    rows: Int32Array,
    goals: Int32Array,
    next_rows: Int32Array,
) -> None:
    """Find the next rows of many pairs.

    Args:
        steps: the next hops.
        rows, goals: (p) int32.
        next_rows: (p) int32, written; the row itself at its goal, -1 where there is no next row.
    """
    row_data, run, greedy_row = steps
    count = len(row_data) - 1
    low, left, largest = (
        np.empty(BLOCK, np.int64),
        np.empty(BLOCK, np.int64),
        np.empty(BLOCK, np.int64),
    )
    for begin in range(0, len(rows), BLOCK):
        size = min(BLOCK, len(rows) - begin)
        longest = 1
        for i in range(size):
            row = np.int64(rows[begin + i])
            low[i] = row_data[row, 0]
            left[i] = np.int64(row_data[row + 1, 0]) - low[i]
            largest[i] = (np.int64(goals[begin + i]) << 32) | _ROW_BITS
            longest = max(longest, int(left[i]))
        _halve(run, low, left, largest, size, longest)
        for i in range(size):
            row, goal = np.int64(rows[begin + i]), np.int64(goals[begin + i])
            ahead = run[low[i]] & _ROW_BITS
            if ahead == BY_GREED:
                dx = row_data[goal, 2] - row_data[row, 2]
                dy = row_data[goal, 3] - row_data[row, 3]
                ahead = np.int64(greedy_row[row, sector(dx, dy)])
            next_rows[begin + i] = row if row == goal else (ahead if ahead < count else -1)


@kernel
def follow_runs(
    steps: StepIndex,
    rows: Int32Array,
    goals: Int32Array,
    pair: int,
    walkers: Int64Array,
    filled: Int64Array,
    spans: Int64Array,
    places: Int32Array,
) -> int:
    """Walk from rows to goals, several walks at a time, until all end or a buffer is full.

    Each step is a chain of dependent loads; the loads of several walks overlap.

    Args:
        steps: the next hops.
        rows, goals: (p) int32; a negative row has no path.
        pair: the first pair that is not assigned to a walker.
        walkers: (w, 4) int64, of each active walk: row, goal, pair (negative: idle), and the index
            in `places` by which it must arrive.
        filled: (w) int64, the number of places each walker has written.
        spans: (p, 3) int64: the walker of each pair, and the begin and end of its path in
            `places`.
        places: (w, size, 2) int32, written: the paths of each walker, both ends included.

    Returns:
        The first pair that is not assigned, to continue with after enlarging ``places``; p when all
        paths are complete; ASTRAY if the table is corrupt.
    """
    row_data, run, greedy_row = steps
    size = places.shape[1]
    count = len(row_data) - 1
    while True:
        busy = 0
        for walker in range(len(walkers)):
            while walkers[walker, 2] < 0 and pair < len(rows):
                spans[pair, 0] = walker
                spans[pair, 1] = filled[walker]
                spans[pair, 2] = filled[walker]
                if rows[pair] >= 0:
                    walkers[walker, 0] = rows[pair]
                    walkers[walker, 1] = goals[pair]
                    walkers[walker, 2] = pair
                    walkers[walker, 3] = filled[walker] + count
                pair += 1
            busy += 1 if walkers[walker, 2] >= 0 else 0
        if busy == 0:
            return pair
        arrived = False
        while not arrived:
            for walker in range(len(walkers)):
                walked = walkers[walker, 2]
                if walked < 0:
                    continue
                row = walkers[walker, 0]
                goal = walkers[walker, 1]
                end = filled[walker]
                if end == size:
                    return pair
                places[walker, end, 0] = row_data[row, 2]
                places[walker, end, 1] = row_data[row, 3]
                filled[walker] = end + 1
                if row == goal:
                    spans[walked, 2] = end + 1
                    walkers[walker, 2] = -1
                    arrived = True
                    continue
                low = np.int64(row_data[row, 0])
                length = np.int64(row_data[row + 1, 0]) - low
                largest = (goal << 32) | _ROW_BITS
                while length > NEAR:
                    half = length >> 1
                    low += half if run[low + half] <= largest else 0
                    length -= half
                place = np.int64(0)
                for bit_index in range(NEAR_BITS):
                    probe = place + (np.int64(NEAR >> 1) >> bit_index)
                    fits = (probe < length) & (run[low + probe] <= largest)
                    place = probe if fits else place
                ahead = run[low + place] & _ROW_BITS
                if ahead == BY_GREED:
                    dx = row_data[goal, 2] - row_data[row, 2]
                    dy = row_data[goal, 3] - row_data[row, 3]
                    ahead = np.int64(greedy_row[row, sector(dx, dy)])
                if end >= walkers[walker, 3] or ahead < 0 or ahead >= count:
                    return ASTRAY
                walkers[walker, 0] = ahead


@kernel
def follow_run(steps: StepIndex, goal: int, path: Int32Array, end: int) -> int:
    """Walk to one goal until it is reached or the path buffer is full.

    Args:
        steps: as for :func:`follow_runs`.
        path: rows along the path; the walk continues from row ``end - 1``.
        end: the number of rows in the path.

    Returns:
        The new number of rows, or ASTRAY.
    """
    row_data, run, greedy_row = steps
    row = np.int64(path[end - 1])
    target = np.int64(goal)
    while row != target and end < len(path):
        low = np.int64(row_data[row, 0])
        length = np.int64(row_data[row + 1, 0]) - low
        largest = (target << 32) | _ROW_BITS
        while length > NEAR:
            half = length >> 1
            low += half if run[low + half] <= largest else 0
            length -= half
        place = np.int64(0)
        for bit_index in range(NEAR_BITS):
            probe = place + (np.int64(NEAR >> 1) >> bit_index)
            fits = (probe < length) & (run[low + probe] <= largest)
            place = probe if fits else place
        ahead = run[low + place] & _ROW_BITS
        if ahead == BY_GREED:
            dx = row_data[target, 2] - row_data[row, 2]
            dy = row_data[target, 3] - row_data[row, 3]
            ahead = np.int64(greedy_row[row, sector(dx, dy)])
        row = ahead
        if end >= len(row_data) or row < 0 or row >= len(row_data) - 1:
            return ASTRAY
        path[end] = row
        end += 1
    return end


@kernel
def measure_runs(
    runs: RunIndex,
    head_row: Int32Array,
    weight: Int32Array,
    rows: Int32Array,
    goals: Int32Array,
    walkers: Int64Array,
    ticks: Int64Array,
) -> int:
    """Add up the weights along the paths from rows to goals, several walks at a time.

    This repeats the loop of :func:`follow_runs`: a step is a few loads, and a shared loop would
    branch on the purpose at each of them.

    Args:
        runs: the next hops.
        head_row: (m) int32, row each arc leads to.
        rows, goals: as for :func:`follow_runs`.
        weight: (m) int32 ticks of each arc.
        walkers: (w, 4) int64, of each active walk: row, goal, pair (negative: idle), and the number
            of steps it may still take.
        ticks: (p) int64, written; -1 where there is no path.

    Returns:
        The number of pairs, or ASTRAY.
    """
    row_data, start, symbol, greedy, greedy_slot = runs
    none = greedy + 1
    pair = 0
    walkers[:, 2] = -1
    while True:
        busy = 0
        for walker in range(len(walkers)):
            while walkers[walker, 2] < 0 and pair < len(rows):
                ticks[pair] = 0 if rows[pair] >= 0 else -1
                if rows[pair] >= 0 and rows[pair] != goals[pair]:
                    walkers[walker, 0] = rows[pair]
                    walkers[walker, 1] = goals[pair]
                    walkers[walker, 2] = pair
                    walkers[walker, 3] = len(row_data)
                pair += 1
            busy += 1 if walkers[walker, 2] >= 0 else 0
        if busy == 0:
            return pair
        arrived = False
        while not arrived:
            for walker in range(len(walkers)):
                walked = walkers[walker, 2]
                if walked < 0:
                    continue
                row = walkers[walker, 0]
                goal = walkers[walker, 1]
                low = np.int64(row_data[row, 0])
                length = np.int64(row_data[row + 1, 0]) - low
                while length > 1:
                    half = length >> 1
                    low += half if start[low + half] <= goal else 0
                    length -= half
                slot = np.int64(symbol[low])
                if slot == greedy:
                    dx = row_data[goal, 2] - row_data[row, 2]
                    dy = row_data[goal, 3] - row_data[row, 3]
                    slot = np.int64(greedy_slot[row, sector(dx, dy)])
                walkers[walker, 3] -= 1
                if walkers[walker, 3] == 0 or slot < 0 or slot >= none:
                    return ASTRAY
                arc = row_data[row, 1] + slot
                walkers[walker, 0] = head_row[arc]
                if walkers[walker, 0] < 0:
                    return ASTRAY
                ticks[walked] += weight[arc]
                if walkers[walker, 0] == goal:
                    walkers[walker, 2] = -1
                    arrived = True


@kernel
def in_order(
    spans: Int64Array,
    places: Int32Array,
    first: Int64Array,
    path: Int32Array,
) -> None:
    """Copy the paths that :func:`follow_runs` wrote, in the order of the pairs.

    Args:
        spans, places: as :func:`follow_runs` wrote them.
        first: (p + 1) int64, the offset of each path; the first entry is input, the others are
            written.
        path: (k, 2) int32, written from ``first[0]`` on.
    """
    to = first[0]
    for pair in range(len(spans)):
        walker = spans[pair, 0]
        for i in range(spans[pair, 1], spans[pair, 2]):
            path[to, 0] = places[walker, i, 0]
            path[to, 1] = places[walker, i, 1]
            to += 1
        first[pair + 1] = to
