"""Reservations of cells at future steps, which keep agents apart.

The reservation table is that of D. Silver, "Cooperative Pathfinding", AIIDE 2005, as an array of
cells by steps. Swaps are read from two rows of the array, and need no table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np

from bake.core.arrays import BoolArray, Int32Array, Int64Array, offsets

#: The agent of a cell without a reservation.
NOBODY = -1


class Reservations:
    """The agents on each cell of a level at each step of a window.

    Attributes:
        capacity: (cells) int32, the number of agents that fit on each cell.
        column: (cells + 1) int32, the first column of each cell, which has one per agent that fits.
        taken: (steps + 1, columns) int32, an agent's number, or NOBODY.
    """

    def __init__(self, steps: int, capacity: Int32Array) -> None:
        self.capacity = capacity
        self.column: Int32Array = offsets(capacity)
        self.taken: Int32Array = np.full((steps + 1, self.column[-1]), NOBODY, dtype=np.int32)
        self._steps: Int64Array = np.arange(steps + 1)[:, None]

    def reserve(self, agent: int, covered: Int32Array) -> None:
        """Reserve cells for an agent; they must have free capacity.

        Args:
            agent: its number.
            covered: (steps + 1, k) int32, the cells it covers at each step.
        """
        self.taken[self._steps, self._columns(NOBODY, covered)] = agent

    def release(self, agent: int, covered: Int32Array) -> None:
        """Release the cells that an agent has reserved."""
        self.taken[self._steps, self._columns(agent, covered)] = NOBODY

    def _columns(self, agent: int, covered: Int32Array) -> Int32Array:
        """Return (steps + 1, k) int32, the first column of each cell that an agent has."""
        column = self.column[covered]
        while (others := self.taken[self._steps, column] != agent).any():
            column = column + others
        return column

    def on(self, step: int, cell: int) -> set[int]:
        """Return the agents on a cell at a step."""
        first, end = self.column[cell : cell + 2]
        return set(self.taken[step, first:end].tolist()) - {NOBODY}

    def in_the_way(self, agent: int, covered: Int32Array, width: int) -> set[int]:
        """Return the agents that a path through the window would conflict with.

        Args:
            agent, covered: as for :meth:`reserve`.
            width: see :func:`meeting`.

        Returns:
            Agents whose moves conflict, and all agents on a cell without free capacity.
        """
        found = set[int]()
        steps: list[list[int]] = covered.tolist()
        for step, cells in enumerate(steps):
            for cell in cells:
                there = self.on(step, cell)
                if len(there) == self.capacity[cell]:
                    found |= there
        for step, (here, to) in enumerate(pairwise(steps)):
            for one, other in zip(here, to, strict=True):
                for first, then in meeting(one, other, width, self.capacity):
                    found |= self.on(step, first) & self.on(step + 1, then)
        return found - {agent}


class Claims:
    """The number of agents that are on each cell or have it as target.

    Attributes:
        full: (cells) bool, True on cells without free capacity.
    """

    def __init__(self, capacity: Int32Array) -> None:
        self._left = capacity.copy()
        self.full: BoolArray = np.zeros(len(capacity), dtype=np.bool_)

    def add(self, cells: list[int]) -> None:
        """Count an agent that covers some cells."""
        self._left[cells] -= 1
        self.full[cells] = self._left[cells] <= 0


def meeting(
    here: int, to: int, width: int, capacity: Int32Array | None = None
) -> list[tuple[int, int]]:
    """Return the moves that conflict with a move, as pairs of cells.

    These are the reverse move and, for a diagonal move, both moves over the other diagonal of the
    same four cells. Two moves do not conflict if several agents fit on each of their cells.

    Args:
        here, to: the cells of the move, which are equal if the agent waits.
        width: the cells of a row of a square grid; 0 = no moves are diagonal.
        capacity: (cells) int32, the number of agents that fit on each cell; None = one.
    """
    if here == to:
        return []
    moves = [(to, here)]
    if width:
        across = to % width - here % width
        if abs(across) == abs(to // width - here // width) == 1:
            moves += [(here + across, to - across), (to - across, here + across)]
    if capacity is None:
        return moves
    return [move for move in moves if capacity[[here, to, *move]].min() < 2]


@dataclass(frozen=True)
class Conflicts:
    """Counts of conflicts between agents."""

    vertex: int = 0  #: pairs of agents on a cell beyond its capacity
    swap: int = 0  #: pairs that swapped places
    crossing: int = 0  #: pairs whose diagonal moves crossed

    @property
    def total(self) -> int:
        return self.vertex + self.swap + self.crossing

    def __add__(self, other: Conflicts) -> Conflicts:
        return Conflicts(
            self.vertex + other.vertex, self.swap + other.swap, self.crossing + other.crossing
        )


def conflicts(
    before: Sequence[Sequence[int]],
    after: Sequence[Sequence[int]],
    width: int,
    capacity: Int32Array | None = None,
) -> Conflicts:
    """Count the conflicts of one step of all agents.

    Args:
        before, after: the cells that each agent covers before and after the step.
        width, capacity: as for :func:`meeting`.

    Returns:
        The pairs on one cell after the step, and those whose moves met.
    """
    was, now = _upon(before), _upon(after)
    shared = {
        pair
        for cell, agents in now.items()
        if len(agents) > (1 if capacity is None else capacity[cell])
        for pair in combinations(agents, 2)
    }
    swapped, crossed = set[tuple[int, int]](), set[tuple[int, int]]()
    for agent, cells in enumerate(before):
        for here, to in zip(cells, after[agent], strict=True):
            for first, then in meeting(here, to, width, capacity):
                for other in was.get(first, ()):
                    if other > agent and other in now.get(then, ()):
                        (swapped if (first, then) == (to, here) else crossed).add((agent, other))
    swapped -= shared
    return Conflicts(len(shared), len(swapped), len(crossed - swapped - shared))


def _upon(covered: Sequence[Sequence[int]]) -> dict[int, list[int]]:
    """Return the agents on each cell."""
    upon: dict[int, list[int]] = {}
    for agent, cells in enumerate(covered):
        for cell in cells:
            upon.setdefault(cell, []).append(agent)
    return upon
