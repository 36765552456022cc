"""Backward search from the goal of a planning space, projected to some variables.

S. Edelkamp, "Planning with Pattern Databases", 2001: every action is cut down to the variables of
the pattern, and Dijkstra's algorithm runs backward from all states that fit the goal. A state's
number has its variables' values for digits, the first variable's the highest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np

from bake.core.arrays import Int64Array
from bake.core.errors import CostError
from bake.extras.school.puzzle import Planning, entries

#: Stands for a state from which no plan leads to the goal, while a table is made.
NONE = np.int64(2**62)

#: The largest distance a table holds.
# limit: a one-line error; tests/extras/school/patterns/test_tables.py
MOST = 2**32 - 2

#: Peak memory of the search for each entry: distances, whether they are final, and a wave of states
#: with their numbers before and after an action.
ENTRY_BYTES = 8 + 1 + 6 * 8


@dataclass(frozen=True)
class _Backward:
    """An action projected to a pattern and reversed."""

    #: (stride, values, value) of each variable that has a value afterwards
    after: tuple[tuple[int, int, int], ...]
    shifts: Int64Array  #: what to add to the number of a state afterwards, for each state before
    cost: int  #: what it costs


def plan_distances(planning: Planning, pattern: tuple[int, ...]) -> Int64Array:
    """Return the least cost of a plan from each state of a pattern to the goal.

    Args:
        planning: the planning space.
        pattern: numbers of the variables that are kept.

    Returns:
        int64, (entries,) by the rank of the state; NONE where no plan leads there.

    Raises:
        CostError: a distance is too large for a table.
    """
    size = entries(planning, pattern)
    stride = strides(planning, pattern)
    digit = {v: (stride[at], len(planning.values[v])) for at, v in enumerate(pattern)}
    goal = np.ones(size, dtype=bool)
    numbers = np.arange(size)
    for variable, value in planning.goal.items():
        if variable in digit:
            step, values = digit[variable]
            goal &= numbers // step % values == value
    distance = np.full(size, NONE)
    final = np.zeros(size, dtype=bool)
    waves: dict[int, list[Int64Array]] = {0: [np.flatnonzero(goal)]}
    actions = _by_value(_cut_down(planning, digit))
    levels = [0]
    while levels:
        level = heappop(levels)
        wave = np.unique(np.concatenate(waves.pop(level)))
        wave = wave[~final[wave]]
        distance[wave] = level
        final[wave] = True
        for action in _that_may_end_in(wave, actions):
            fits = wave
            for step, values, value in action.after:
                fits = fits[fits // step % values == value]
            if not fits.size:
                continue
            for shift in action.shifts:
                before = fits + shift
                before = before[~final[before]]
                if before.size:
                    onward = level + action.cost
                    if onward not in waves:
                        waves[onward] = []
                        heappush(levels, onward)
                    waves[onward].append(before)
        if level > MOST:
            raise CostError(
                f"a distance is {level:,}", expected=f"at most {MOST:,}", remedy="lower the costs"
            )
    return distance


#: Actions by the variable that tells most about them, as (stride, values), and by its value.
_Actions = dict[tuple[int, int], dict[int, list[_Backward]]]


def _by_value(actions: Iterable[_Backward]) -> _Actions:
    found: _Actions = {}
    for action in actions:
        step, values, value = max(action.after, key=lambda each: each[1])
        found.setdefault((step, values), {}).setdefault(value, []).append(action)
    return found


def _that_may_end_in(wave: Int64Array, actions: _Actions) -> Iterator[_Backward]:
    """Yield the actions that may end in a state of a wave."""
    for (step, values), by_value in actions.items():
        for value in np.unique(wave // step % values).tolist():
            yield from by_value.get(value, ())


def strides(planning: Planning, pattern: tuple[int, ...]) -> tuple[int, ...]:
    """Return the factors of the values of a pattern's variables in a state's rank."""
    found, step = [], 1
    for variable in reversed(pattern):
        found.append(step)
        step *= len(planning.values[variable])
    return tuple(reversed(found))


def _cut_down(planning: Planning, digit: dict[int, tuple[int, int]]) -> Iterator[_Backward]:
    """Return the actions projected to a pattern, without those that change nothing in it."""
    known = set()
    for action in planning.actions:
        if digit.keys().isdisjoint(action.sets):
            continue
        after, shifts = [], np.zeros(1, dtype=np.int64)
        for variable, (step, values) in digit.items():
            needed, set_to = action.needs.get(variable), action.sets.get(variable)
            if set_to is None:
                if needed is not None:
                    after.append((step, values, needed))
                continue
            after.append((step, values, set_to))
            before = np.arange(values) if needed is None else np.array([needed])
            shifts = (shifts[:, None] + (before - set_to) * step).ravel()
        key = (tuple(after), shifts.tobytes(), action.cost)
        if key not in known:
            known.add(key)
            yield _Backward(tuple(after), shifts, action.cost)
