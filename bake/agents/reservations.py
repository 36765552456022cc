"""Reserve cells at steps to come, so that no two agents are on one cell or change places.

The reservation table is that of D. Silver, "Cooperative Pathfinding", AIIDE 2005, as an array of
cells by steps. Who changes places with whom is read from two of its rows, and needs no table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np

from bake.arrays import Int32Array, Int64Array

#: On a cell that nobody has reserved.
NOBODY = -1


class Reservations:
    """Who covers each cell of a level at each step of a window.

    Attributes:
        taken: (steps + 1, cells) int32, an agent's number, or NOBODY.
    """

    def __init__(self, steps: int, cells: int) -> None:
        self.taken: Int32Array = np.full((steps + 1, cells), NOBODY, dtype=np.int32)
        self._steps: Int64Array = np.arange(steps + 1)[:, None]

    def reserve(self, agent: int, covered: Int32Array) -> None:
        """Reserve cells for an agent.

        Args:
            agent: its number.
            covered: (steps + 1, k) int32, the cells it covers at each step.
        """
        self.taken[self._steps, covered] = agent

    def release(self, covered: Int32Array) -> None:
        """Let go of what an agent has reserved."""
        self.taken[self._steps, covered] = NOBODY

    def in_the_way(self, agent: int, covered: Int32Array, width: int) -> set[int]:
        """Return the agents that a way through the window would run into.

        Args:
            agent, covered: as for :meth:`reserve`.
            width: see :func:`meeting`.
        """
        there = self.taken[self._steps, covered]
        found = set(there[there != NOBODY].tolist())
        taken = self.taken
        for step, (here, to) in enumerate(pairwise(covered.tolist())):
            for one, other in zip(here, to, strict=True):
                for first, then in meeting(one, other, width):
                    if taken[step, first] == taken[step + 1, then]:
                        found.add(int(taken[step, first]))
        return found - {agent, NOBODY}


def meeting(here: int, to: int, width: int) -> list[tuple[int, int]]:
    """Return the moves that a move cannot be made beside: from which cell, and to which.

    They are the same move the other way, and where the move is diagonal, those across the other
    diagonal of the same four cells.

    Args:
        here, to: the cells of the move; the same where it is none.
        width: cells from one line of a square grid to the next; 0 = no moves are diagonal.
    """
    if here == to:
        return []
    moves = [(to, here)]
    if width:
        across = to % width - here % width
        if abs(across) == abs(to // width - here // width) == 1:
            moves += [(here + across, to - across), (to - across, here + across)]
    return moves


@dataclass(frozen=True)
class Conflicts:
    """How often agents were in each other's way."""

    vertex: int = 0  #: pairs of agents on one cell
    swap: int = 0  #: pairs that changed places
    crossing: int = 0  #: pairs that crossed each other's way diagonally

    @property
    def total(self) -> int:
        return self.vertex + self.swap + self.crossing

    def __add__(self, other: Conflicts) -> Conflicts:
        return Conflicts(
            self.vertex + other.vertex, self.swap + other.swap, self.crossing + other.crossing
        )


def conflicts(
    before: Sequence[Sequence[int]], after: Sequence[Sequence[int]], width: int
) -> Conflicts:
    """Count the conflicts of one step of all agents.

    Args:
        before, after: the cells that each agent covers before and after the step.
        width: as for :func:`meeting`.

    Returns:
        The pairs on one cell after the step, and those whose moves met.
    """
    was, now = _upon(before), _upon(after)
    shared = {pair for agents in now.values() for pair in combinations(agents, 2)}
    swapped, crossed = set[tuple[int, int]](), set[tuple[int, int]]()
    for agent, cells in enumerate(before):
        for here, to in zip(cells, after[agent], strict=True):
            for number, (first, then) in enumerate(meeting(here, to, width)):
                for other in was.get(first, ()):
                    if other > agent and other in now.get(then, ()):
                        (crossed if number else swapped).add((agent, other))
    swapped -= shared
    return Conflicts(len(shared), len(swapped), len(crossed - swapped - shared))


def _upon(covered: Sequence[Sequence[int]]) -> dict[int, list[int]]:
    """Return the agents on each cell."""
    upon: dict[int, list[int]] = {}
    for agent, cells in enumerate(covered):
        for cell in cells:
            upon.setdefault(cell, []).append(agent)
    return upon
