"""Plans of single agents, by method. A new method is a line in METHODS."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from bake.core.arrays import Int32Array, Int64Array
from bake.extras.crowds.belief import Belief, Change


class Plan(Protocol):
    """An incremental search for the next step of an agent."""

    @property
    def expanded(self) -> int:
        """The number of nodes expanded so far."""

    @property
    def nbytes(self) -> int:
        """The bytes of the plan, without the belief."""

    @property
    def labels(self) -> Int64Array | None:
        """(n) int64, the ticks known for each node; None before the first search."""

    def learn(self, changes: list[Change]) -> None:
        """Update the plan with changes of the belief."""

    def aim(self, here: int, goal: int) -> None:
        """Set another goal."""

    def next_node(self, here: int) -> int:
        """Return the next node; -1 if there is no path."""

    def way(self, here: int) -> Int32Array | None:
        """Return the nodes of the planned path; None if the goal is unreachable."""


class SearchedPlan:
    """A plan of an incremental search, which exposes its labels."""

    _search: Any

    @property
    def expanded(self) -> int:
        return int(self._search.expanded)

    @property
    def nbytes(self) -> int:
        return int(self._search.nbytes)

    @property
    def labels(self) -> Int64Array | None:
        return np.asarray(self._search.labels)


class _Repaired(SearchedPlan):
    """A plan by D* Lite, which restarts for another goal."""

    def __init__(self, belief: Belief, here: int, goal: int) -> None:
        self._belief = belief
        self._before = 0
        self._begin(here, goal)

    def _begin(self, here: int, goal: int) -> None:
        from bake.search.incremental.lifelong import DStarLite

        self._search = DStarLite(self._belief.arcs, self._belief.estimate, here, goal)

    def _move(self, here: int) -> None:
        self._search.move(here)

    @property
    def expanded(self) -> int:
        return self._before + super().expanded

    def learn(self, changes: list[Change]) -> None:
        for change in changes:
            self._search.changed(change.arcs)

    def aim(self, here: int, goal: int) -> None:
        self._before = self.expanded
        self._begin(here, goal)

    def next_node(self, here: int) -> int:
        self._move(here)
        return int(self._search.next_node())

    def way(self, here: int) -> Int32Array | None:
        self._move(here)
        found: Int32Array | None = self._search.path()
        return found


class _Hunt(_Repaired):
    """A plan by Moving Target D* Lite."""

    def _begin(self, here: int, goal: int) -> None:
        from bake.search.incremental.lifelong import MovingTargetDStarLite

        self._goal = goal
        self._search = MovingTargetDStarLite(self._belief.arcs, self._belief.estimate, here, goal)

    def _move(self, here: int) -> None:
        self._search.move(here, self._goal)

    def aim(self, here: int, goal: int) -> None:
        self._goal = goal


class _Anew:
    """A plan by A*, which is computed again once it is invalid."""

    def __init__(self, belief: Belief, here: int, goal: int) -> None:
        self._belief = belief
        self._goal = goal
        self._way: Int32Array | None = None
        self._holds = False
        self.expanded = self.nbytes = 0
        self.labels: Int64Array | None = None

    def learn(self, changes: list[Change]) -> None:
        self._holds = False

    def aim(self, here: int, goal: int) -> None:
        self._goal, self._holds = goal, False

    def next_node(self, here: int) -> int:
        way = self.way(here)
        return -1 if way is None else int(way[min(1, len(way) - 1)])

    def way(self, here: int) -> Int32Array | None:
        way = self._way
        if self._holds and way is None:
            return None
        if self._holds and way is not None:
            passed = np.flatnonzero(way == here)
            if len(passed):
                self._way = way[passed[0] :]
                return self._way
        from bake.search.incremental.lifelong import LifelongPlanning

        search = LifelongPlanning(self._belief.arcs, self._belief.estimate, here, self._goal)
        self._way = search.path()
        self._holds = True
        self.labels = search.labels
        self.expanded += search.expanded
        self.nbytes = max(self.nbytes, search.nbytes)
        return self._way


class _Trail(_Anew):
    """A plan that goes where the goal was when it was made, and then where the goal has gone."""

    _doubted = False

    def learn(self, changes: list[Change]) -> None:
        self._doubted = True

    def way(self, here: int) -> Int32Array | None:
        way = super().way(here)
        if self._doubted:
            self._doubted = False
            # What lies behind does not matter.
            if way is None or not math.isfinite(self._belief.length(way)):
                self._holds = False
                way = super().way(here)
        return way

    def aim(self, here: int, goal: int) -> None:
        self._goal = goal
        way = self.way(here) if self._holds else None
        if way is None:
            self._holds = False
            return
        passed = np.flatnonzero(way == goal)
        if len(passed):  # It comes back along the trail, so what it did since is cut off.
            self._way = way[: passed[0] + 1]
        elif self._belief.steps_to(int(way[-1]), goal):
            self._way = np.append(way, np.int32(goal))
        else:
            self._holds = False


#: A function that makes a plan for a belief, where the agent stands, and its goal.
Maker = Callable[[Belief, int, int], Plan]

METHODS: dict[str, Maker] = {
    "dstar_lite": _Repaired,
    "moving_target": _Hunt,
    "trailing": _Trail,
    "astar": _Anew,
}
