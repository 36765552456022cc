"""Search over space and time: where an agent is at each step, among others whose steps are known.

D. Silver, "Cooperative Pathfinding", AIIDE 2005: A* over pairs of a row and a step, in which to
wait is a move as well. The search ends at the last step of a window; the true distance from there
on is its estimate, as in his windowed search. What others have reserved is an array of cells by
steps.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bake.arrays import Int32Array, Int64Array, UInt8Array
from bake.graph import UNREACHABLE
from bake.kernels.heap import Heap, drop_first, push
from bake.kernels.jit import inlined, kernel
from bake.search.point.astar_buckets import FOUND, FULL, NO_PATH, PackedArcs

#: A search begins with room for this many states and doubles; a power of two.
# limit: the search restarts with twice the capacity; lowered by windows
STATES = 4096

#: Keys hold the number of a search above these bits, and a row and a step below them.
_KEY_BITS = 40

# limit: the table is cleared, and epochs restart; lowered by windows
_LAST_STAMP = 2**22


class Others(NamedTuple):
    """What a search knows of the other agents.

    Attributes:
        taken: (steps + 1, columns) int32, who is on each cell at each step, -1 = nobody.
        column: (cells + 1) int32, the first column of each cell; it has as many as there is room.
        rank: (agents) uint8; an agent is in the way only from some rank on.
        cell: (r) int32, the north-west cell that an agent on each row covers.
        offset: (k) int32, what leads from that cell to each cell it covers.
        width: cells from one line of a square grid to the next; 0 = no steps are diagonal.
    """

    taken: Int32Array
    column: Int32Array
    rank: UInt8Array
    cell: Int32Array
    offset: Int32Array
    width: int


class Walker(NamedTuple):
    """The agent that is searched for.

    Attributes:
        agent: its number.
        level: others below this rank are not in its way.
        start, target: rows; waiting at the target costs nothing.
        wait: ticks of waiting for a step anywhere else.
        crossing: ticks that a step costs more where it crosses another one's way.
    """

    agent: int
    level: int
    start: int
    target: int
    wait: int
    crossing: int


class States(NamedTuple):
    """Memory of one search.

    Attributes:
        key: (2 s) int64, a hash table with open addressing: the keys of states.
        number: (2 s) int32, the numbers of these states.
        state: (s, 4) int64 row, step, number of the state before (-1 = none) and ticks.
        heap: (4 s, 2) int64, the open list.
        stamp: of this search, larger than those of earlier ones.
    """

    key: Int64Array
    number: Int32Array
    state: Int64Array
    heap: Heap
    stamp: int


class Memory:
    """Memory for one search after the other."""

    def __init__(self) -> None:
        self._stamp = 0
        self._allocate(STATES)

    def _allocate(self, states: int) -> None:
        self._key = np.zeros(2 * states, dtype=np.int64)
        self._number = np.zeros(2 * states, dtype=np.int32)
        self._state = np.empty((states, 4), dtype=np.int64)
        self._heap = np.empty((4 * states, 2), dtype=np.int64)

    def widen(self) -> None:
        """Make twice the room."""
        self._allocate(2 * len(self._state))

    def states(self) -> States:
        """Take the memory for the next search."""
        if self._stamp == _LAST_STAMP:
            self._key[:] = 0
            self._stamp = 0
        self._stamp += 1
        return States(self._key, self._number, self._state, self._heap, self._stamp)


@inlined
def _hinders(others: Others, walker: Walker, by: int) -> bool:
    return by >= 0 and by != walker.agent and others.rank[by] >= walker.level


@kernel
def _is_full(others: Others, walker: Walker, step: int, cell: int) -> bool:
    """Tell whether others leave no room on a cell at a step."""
    for column in range(others.column[cell], others.column[cell + 1]):
        if not _hinders(others, walker, int(others.taken[step, column])):
            return False
    return True


@kernel
def _comes_by(others: Others, walker: Walker, step: int, here: int, to: int) -> bool:
    """Tell whether another one goes from a cell to another after a step."""
    taken, column = others.taken, others.column
    for one in range(column[here], column[here + 1]):
        by = int(taken[step, one])
        if _hinders(others, walker, by):
            for other in range(column[to], column[to + 1]):
                if taken[step + 1, other] == by:
                    return True
    return False


@inlined
def _is_wide(others: Others, here: int, to: int) -> bool:
    """Tell whether there is room for several on two cells."""
    column = others.column
    return bool(column[here + 1] - column[here] > 1 and column[to + 1] - column[to] > 1)


@kernel
def _may_step(others: Others, walker: Walker, step: int, row: int, head: int) -> bool:
    """Tell whether the agent may go from a row to another after a step, or wait on it.

    It must not come to stand where others leave no room, nor change places with another one, nor
    cross its way on the other diagonal of the same four cells, unless there is room for several on
    all the cells between which the two move.
    """
    cell, offset, width = others.cell, others.offset, others.width
    apart = int(cell[head]) - int(cell[row])
    across = 0
    if width > 0 and apart != 0:
        dx = int(cell[head]) % width - int(cell[row]) % width
        dy = int(cell[head]) // width - int(cell[row]) // width
        if abs(dx) == 1 and abs(dy) == 1:
            across = dx
    for i in range(len(offset)):
        to = int(cell[head]) + int(offset[i])
        if _is_full(others, walker, step + 1, to):
            return False
        if apart == 0:
            continue
        here = int(cell[row]) + int(offset[i])
        wide = _is_wide(others, here, to)
        if not wide and _comes_by(others, walker, step, to, here):
            return False
        if across != 0:
            beside, below = here + across, to - across
            if wide and _is_wide(others, beside, below):
                continue
            if _comes_by(others, walker, step, beside, below):
                return False
            if _comes_by(others, walker, step, below, beside):
                return False
    return True


@kernel
def _was_on(others: Others, step: int, cell: int, agent: int) -> bool:
    """Tell whether an agent is on a cell at a step."""
    for column in range(others.column[cell], others.column[cell + 1]):
        if others.taken[step, column] == agent:
            return True
    return False


@kernel
def _crosses(others: Others, walker: Walker, row: int, head: int) -> bool:
    """Tell whether a step leads onto a cell that another one comes to from elsewhere, ever."""
    for i in range(len(others.offset)):
        here = int(others.cell[row]) + int(others.offset[i])
        to = int(others.cell[head]) + int(others.offset[i])
        for step in range(1, len(others.taken)):
            for column in range(others.column[to], others.column[to + 1]):
                by = int(others.taken[step, column])
                if by < 0 or by == walker.agent or _was_on(others, step - 1, to, by):
                    continue
                if not _was_on(others, step - 1, here, by):
                    return True
    return False


@inlined
def _place_of(key: Int64Array, wanted: int, stamp: int) -> int:
    """Return where a key lies in the hash table, or where there is room for it."""
    mask = len(key) - 1
    at = ((wanted * 0x9E3779B1) >> 7) & mask
    while key[at] != wanted and (key[at] >> _KEY_BITS) == stamp:
        at = (at + 1) & mask
    return at


@kernel
def search_window(
    graph: PackedArcs,
    others: Others,
    toward: Int32Array,
    walker: Walker,
    states: States,
    path: Int32Array,
    answer: Int64Array,
) -> int:
    """Find the cheapest way for an agent through the steps of a window.

    Args:
        graph: rows and arcs; each takes one step, and costs its ticks.
        others: where all others are; row i of ``taken`` is step i.
        toward: (r) int32 ticks to the target, UNREACHABLE = there is no way. It must fall along no
            arc by more than the arc's weight.
        walker: the agent.
        states: scratch.
        path: (steps + 1) int32, filled with the row at each step.
        answer: (2) int64, filled with the ticks of the way plus those from its end to the target,
            and how many states were expanded.

    Returns:
        FOUND, NO_PATH or FULL.
    """
    piece, arcs = graph
    key, number, state, heap, stamp = states
    steps = len(path) - 1
    spread = steps + 1
    marked = stamp << _KEY_BITS
    answer[0] = 0
    answer[1] = 0
    if toward[walker.start] == UNREACHABLE:
        return NO_PATH
    at = _place_of(key, marked | (walker.start * spread), stamp)
    key[at] = marked | (walker.start * spread)
    number[at] = 0
    state[0, 0] = walker.start
    state[0, 1] = 0
    state[0, 2] = -1
    state[0, 3] = 0
    used = 1
    # Of equals the later step comes first: it is nearer to the end.
    held = push(heap, 0, (int(toward[walker.start]) << 16) | steps, 0)
    while held > 0:
        first, one = int(heap[0, 0]), int(heap[0, 1])
        held = drop_first(heap, held)
        row, step, g = int(state[one, 0]), int(state[one, 1]), int(state[one, 3])
        if first >> 16 != g + int(toward[row]):
            continue
        if step == steps:
            answer[0] = g + int(toward[row])
            while one >= 0:
                path[state[one, 1]] = state[one, 0]
                one = int(state[one, 2])
            return FOUND
        answer[1] += 1
        for arc in range(int(piece[row, 0]) - 1, int(piece[row, 1])):
            if arc < piece[row, 0]:
                head = row
                reached = g if row == walker.target else g + walker.wait
            else:
                head = int(arcs[arc, 0])
                reached = g + int(arcs[arc, 1])
                if walker.crossing > 0 and _crosses(others, walker, row, head):
                    reached += walker.crossing
            if toward[head] == UNREACHABLE or not _may_step(others, walker, step, row, head):
                continue
            wanted = marked | (head * spread + step + 1)
            at = _place_of(key, wanted, stamp)
            if key[at] == wanted:
                other = int(number[at])
                if state[other, 3] <= reached:
                    continue
            else:
                if used == len(state):
                    return FULL
                other = used
                used += 1
                key[at] = wanted
                number[at] = other
                state[other, 0] = head
                state[other, 1] = step + 1
            state[other, 2] = one
            state[other, 3] = reached
            if held == len(heap):
                return FULL
            held = push(
                heap, held, ((reached + int(toward[head])) << 16) | (steps - step - 1), other
            )
    return NO_PATH
