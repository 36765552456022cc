"""Find the free place nearest to a goal that others have taken: where to divert to."""

from __future__ import annotations

from bake.agents.movers import Mover
from bake.arrays import BoolArray

#: How many places are looked at in one go.
_PART = 256


def free_row(mover: Mover, row: int, goal: int, taken: BoolArray) -> int | None:
    """Return the goal where it is free, or the free row with the shortest way to it.

    Args:
        mover: the agent's profile.
        row: where the agent is.
        goal: the row to go to.
        taken: (cells) bool, True where others are or go.

    Returns:
        A row with a way there from the agent's; of several equally near to the goal the lowest.
        None where there is none, or no way to the goal.
    """
    if not mover.reaches(row, goal):
        return None
    nearest = mover.field(goal).nearest_first
    for first in range(0, len(nearest), _PART):
        part = nearest[first : first + _PART]
        free = part[~taken[mover.covered(part)].any(axis=1)]
        for found in free.tolist():
            if mover.reaches(row, found):
                return int(found)
    return None
