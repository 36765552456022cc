"""Cooperative A*: the path of one agent over space and time, around agents with known paths.

D. Silver, "Cooperative Pathfinding", AIIDE 2005: A* over pairs of a row and a step, in which
waiting is a move as well. The search ends at the last step of a window; the estimate is the true
distance from there to the target, as in his windowed search. The reservations of other agents are
an array of cells by steps.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bake.core.arrays import Int32Array, Int64Array, UInt8Array
from bake.core.graph import UNREACHABLE
from bake.core.kernels.heap import Heap, drop_first, push
from bake.core.kernels.jit import inlined, kernel
from bake.search.point.astar_buckets import FOUND, FULL, NO_PATH, PackedArcs

#: The initial number of states, which doubles; a power of two.
# limit: the search restarts with twice the capacity; lowered by windows
STATES = 4096

#: The epoch of a search is stored in a key above these bits, row and step below them.
_KEY_BITS = 40

# limit: the table is cleared, and epochs restart; lowered by windows
_LAST_STAMP = 2**22


class Others(NamedTuple):
    """The reservations of other agents."""

    #: (steps + 1, columns) int32, the agent on each cell at each step, -1 = no agent.
    taken: Int32Array
    #: (cells + 1) int32, the first column of each cell, which has one column per agent that fits.
    column: Int32Array
    #: (agents) uint8; an agent is an obstacle only from some rank on.
    rank: UInt8Array
    #: (r) int32, the north-west cell that an agent on each row covers.
    cell: Int32Array
    #: (k) int32, the offsets from that cell to each cell the agent covers.
    offset: Int32Array
    #: Cells from one line of a square grid to the next; 0 = no steps are diagonal.
    width: int


class Walker(NamedTuple):
    """The agent that moves."""

    #: Its number.
    agent: int
    #: Other agents below this rank are ignored.
    level: int
    #: Rows; waiting at the target costs nothing.
    start: int
    target: int
    #: Ticks of waiting for a step anywhere else.
    wait: int
    #: Extra ticks of a step onto another agent's path.
    crossing: int


class States(NamedTuple):
    """Buffers of one search."""

    #: (2 s) int64, a hash table with open addressing: the keys of states.
    key: Int64Array
    #: (2 s) int32, the numbers of these states.
    number: Int32Array
    #: (s, 4) int64 row, step, number of the predecessor (-1 = none) and ticks.
    state: Int64Array
    #: (4 s, 2) int64, the open list.
    heap: Heap
    #: The epoch of this search, larger than those of earlier ones.
    epoch: int


class Memory:
    """Buffers that one search after the other uses."""

    def __init__(self) -> None:
        self._epoch = 0
        self._allocate(STATES)

    def _allocate(self, states: int) -> None:
        self._key = np.zeros(2 * states, dtype=np.int64)
        self._number = np.zeros(2 * states, dtype=np.int32)
        self._state = np.empty((states, 4), dtype=np.int64)
        self._heap = np.empty((4 * states, 2), dtype=np.int64)

    def widen(self) -> None:
        """Double the capacity."""
        self._allocate(2 * len(self._state))

    def states(self) -> States:
        """Return the buffers for the next search, in a new epoch."""
        if self._epoch == _LAST_STAMP:
            self._key[:] = 0
            self._epoch = 0
        self._epoch += 1
        return States(self._key, self._number, self._state, self._heap, self._epoch)


@inlined
def _is_obstacle(reservations: Others, walker: Walker, agent: int) -> bool:
    return agent >= 0 and agent != walker.agent and reservations.rank[agent] >= walker.level


@kernel
def _is_full(reservations: Others, walker: Walker, step: int, cell: int) -> bool:
    """Return whether other agents fill a cell at a step."""
    for column in range(reservations.column[cell], reservations.column[cell + 1]):
        if not _is_obstacle(reservations, walker, int(reservations.taken[step, column])):
            return False
    return True


@kernel
def _moves_between(
    reservations: Others, walker: Walker, step: int, from_cell: int, to: int
) -> bool:
    """Return whether another agent moves between two given cells after a step."""
    taken, column = reservations.taken, reservations.column
    for one in range(column[from_cell], column[from_cell + 1]):
        agent = int(taken[step, one])
        if _is_obstacle(reservations, walker, agent):
            for other in range(column[to], column[to + 1]):
                if taken[step + 1, other] == agent:
                    return True
    return False


@inlined
def _is_wide(reservations: Others, from_cell: int, to: int) -> bool:
    """Return whether two cells each have capacity for several agents."""
    column = reservations.column
    return bool(column[from_cell + 1] - column[from_cell] > 1 and column[to + 1] - column[to] > 1)


@kernel
def _may_step(reservations: Others, walker: Walker, step: int, row: int, head: int) -> bool:
    """Return whether the agent may move between two rows after a step, or wait.

    It must not enter a full cell, swap places with another agent, or cross another agent's path on
    the other diagonal of the same four cells, unless all cells of both moves have capacity for
    several agents.
    """
    cell, offset, width = reservations.cell, reservations.offset, reservations.width
    apart = int(cell[head]) - int(cell[row])
    across = 0
    if width > 0 and apart != 0:
        dx = int(cell[head]) % width - int(cell[row]) % width
        dy = int(cell[head]) // width - int(cell[row]) // width
        if abs(dx) == 1 and abs(dy) == 1:
            across = dx
    for i in range(len(offset)):
        to = int(cell[head]) + int(offset[i])
        if _is_full(reservations, walker, step + 1, to):
            return False
        if apart == 0:
            continue
        from_cell = int(cell[row]) + int(offset[i])
        wide = _is_wide(reservations, from_cell, to)
        if not wide and _moves_between(reservations, walker, step, to, from_cell):
            return False
        if across != 0:
            beside, below = from_cell + across, to - across
            if wide and _is_wide(reservations, beside, below):
                continue
            if _moves_between(reservations, walker, step, beside, below):
                return False
            if _moves_between(reservations, walker, step, below, beside):
                return False
    return True


@kernel
def _was_on(reservations: Others, step: int, cell: int, agent: int) -> bool:
    """Return whether an agent is on a cell at a step."""
    for column in range(reservations.column[cell], reservations.column[cell + 1]):
        if reservations.taken[step, column] == agent:
            return True
    return False


@kernel
def _crosses(reservations: Others, walker: Walker, row: int, head: int) -> bool:
    """Return whether a step enters a cell that another agent ever enters from elsewhere."""
    for i in range(len(reservations.offset)):
        from_cell = int(reservations.cell[row]) + int(reservations.offset[i])
        to = int(reservations.cell[head]) + int(reservations.offset[i])
        for step in range(1, len(reservations.taken)):
            for column in range(reservations.column[to], reservations.column[to + 1]):
                agent = int(reservations.taken[step, column])
                if agent < 0 or agent == walker.agent or _was_on(reservations, step - 1, to, agent):
                    continue
                if not _was_on(reservations, step - 1, from_cell, agent):
                    return True
    return False


@inlined
def _find_slot(key: Int64Array, state_key: int, epoch: int) -> int:
    """Return the slot of a key in the hash table, or a free slot for it."""
    mask = len(key) - 1
    at = ((state_key * 0x9E3779B1) >> 7) & mask
    while key[at] != state_key and (key[at] >> _KEY_BITS) == epoch:
        at = (at + 1) & mask
    return at


@kernel
def search_window(
    graph: PackedArcs,
    reservations: Others,
    toward: Int32Array,
    walker: Walker,
    states: States,
    path: Int32Array,
    answer: Int64Array,
) -> int:
    """Find the cheapest path of an agent through the steps of a window.

    Args:
        graph: rows and arcs; each takes one step, and costs its ticks.
        reservations: the reservations of all other agents; row i of ``taken`` is step i.
        toward: (r) int32 ticks to the target, UNREACHABLE = there is no path. It must fall along no
            arc by more than the arc's weight.
        walker: the agent.
        states: scratch.
        path: (steps + 1) int32, written: the row at each step.
        answer: (2) int64, written: the ticks of the path plus those from its end to the target, and
            the number of states expanded.

    Returns:
        FOUND, NO_PATH or FULL.
    """
    piece, arcs = graph
    key, number, state, heap, epoch = states
    steps = len(path) - 1
    step_span = steps + 1
    marked = epoch << _KEY_BITS
    answer[0] = 0
    answer[1] = 0
    if toward[walker.start] == UNREACHABLE:
        return NO_PATH
    at = _find_slot(key, marked | (walker.start * step_span), epoch)
    key[at] = marked | (walker.start * step_span)
    number[at] = 0
    state[0, 0] = walker.start
    state[0, 1] = 0
    state[0, 2] = -1
    state[0, 3] = 0
    used = 1
    # Of equals the later step comes first: it is closer to the end.
    queued = push(heap, 0, (int(toward[walker.start]) << 16) | steps, 0)
    while queued > 0:
        first, one = int(heap[0, 0]), int(heap[0, 1])
        queued = drop_first(heap, queued)
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
                if walker.crossing > 0 and _crosses(reservations, walker, row, head):
                    reached += walker.crossing
            if toward[head] == UNREACHABLE or not _may_step(reservations, walker, step, row, head):
                continue
            state_key = marked | (head * step_span + step + 1)
            at = _find_slot(key, state_key, epoch)
            if key[at] == state_key:
                other = int(number[at])
                if state[other, 3] <= reached:
                    continue
            else:
                if used == len(state):
                    return FULL
                other = used
                used += 1
                key[at] = state_key
                number[at] = other
                state[other, 0] = head
                state[other, 1] = step + 1
            state[other, 2] = one
            state[other, 3] = reached
            if queued == len(heap):
                return FULL
            queued = push(
                heap, queued, ((reached + int(toward[head])) << 16) | (steps - step - 1), other
            )
    return NO_PATH
