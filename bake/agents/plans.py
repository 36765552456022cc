"""Make what an agent plans with, by the name of its method. A new method is a line in METHODS."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Protocol

import numpy as np

from bake.agents.belief import Belief, Change
from bake.arrays import Int32Array, Int64Array


class Plan(Protocol):
    """A way of finding the next step."""

    @property
    def expanded(self) -> int:
        """Return how many nodes were expanded so far."""

    @property
    def nbytes(self) -> int:
        """Return the bytes that the plan takes beside the belief."""

    @property
    def labels(self) -> Int64Array | None:
        """Return (n) int64 ticks, what the search knows of each node; None before the first one."""

    def learn(self, changes: list[Change]) -> None:
        """Take into account what was seen since the last step."""

    def aim(self, here: int, goal: int) -> None:
        """Take another goal."""

    def next_node(self, here: int) -> int:
        """Return the node to step to; -1 where no way is left."""

    def way(self, here: int) -> Int32Array | None:
        """Return the nodes of the whole way that is planned; None where there is none."""


class _Repaired:
    """A plan by D* Lite; another goal begins it anew."""

    def __init__(self, belief: Belief, here: int, goal: int) -> None:
        self._belief = belief
        self._before = 0
        self._begin(here, goal)

    def _begin(self, here: int, goal: int) -> None:
        from bake.search.incremental.dstar_lite import DStarLite

        self._search = DStarLite(self._belief.arcs, self._belief.estimate, here, goal)

    @property
    def expanded(self) -> int:
        return self._before + self._search.expanded

    @property
    def nbytes(self) -> int:
        return self._search.nbytes

    @property
    def labels(self) -> Int64Array | None:
        return self._search.labels

    def learn(self, changes: list[Change]) -> None:
        for change in changes:
            self._search.changed(change.arcs)

    def aim(self, here: int, goal: int) -> None:
        self._before = self.expanded
        self._begin(here, goal)

    def next_node(self, here: int) -> int:
        self._search.move(here)
        return self._search.next_node()

    def way(self, here: int) -> Int32Array | None:
        self._search.move(here)
        return self._search.path()


class _Hunt:
    """A plan by Moving Target D* Lite."""

    def __init__(self, belief: Belief, here: int, goal: int) -> None:
        from bake.search.incremental.moving_target import MovingTargetDStarLite

        self._goal = goal
        self._search = MovingTargetDStarLite(belief.arcs, belief.estimate, here, goal)

    @property
    def expanded(self) -> int:
        return self._search.expanded

    @property
    def nbytes(self) -> int:
        return self._search.nbytes

    @property
    def labels(self) -> Int64Array | None:
        return self._search.labels

    def learn(self, changes: list[Change]) -> None:
        for change in changes:
            self._search.changed(change.arcs)

    def aim(self, here: int, goal: int) -> None:
        self._goal = goal

    def next_node(self, here: int) -> int:
        self._search.move(here, self._goal)
        return self._search.next_node()

    def way(self, here: int) -> Int32Array | None:
        self._search.move(here, self._goal)
        return self._search.path()


class _Anew:
    """A plan by A*, which is made anew whenever it does not hold any more."""

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


class _Felt:
    """A plan of one step, by RTA* or LRTA*."""

    def __init__(self, belief: Belief, goal: int, lookahead: int, *, learn: bool) -> None:
        from bake.search.incremental.real_time import RealTime

        self._search = RealTime(belief.arcs, belief.estimate, goal, lookahead, learn=learn)
        self._step: tuple[int, int] | None = None

    @property
    def expanded(self) -> int:
        return self._search.expanded

    @property
    def nbytes(self) -> int:
        return self._search.nbytes

    @property
    def labels(self) -> Int64Array | None:
        return self._search.labels

    def learn(self, changes: list[Change]) -> None:
        self._step = None
        if any(change.cheaper for change in changes):
            # What was learned may be too much now.
            self._search.forget()

    def aim(self, here: int, goal: int) -> None:
        self._step = None
        self._search.aim(goal)

    def next_node(self, here: int) -> int:
        if self._step is None or self._step[0] != here:
            self._step = here, self._search.next_node(here)
        return self._step[1]

    def way(self, here: int) -> Int32Array | None:
        ahead = self.next_node(here)
        if ahead < 0:
            return None
        return np.array([here] if ahead == here else [here, ahead], dtype=np.int32)


#: A function that makes a plan for a belief, where the agent stands, its goal and its lookahead.
Maker = Callable[[Belief, int, int, int], Plan]

METHODS: dict[str, Maker] = {
    "dstar_lite": lambda belief, here, goal, _: _Repaired(belief, here, goal),
    "moving_target": lambda belief, here, goal, _: _Hunt(belief, here, goal),
    "trailing": lambda belief, here, goal, _: _Trail(belief, here, goal),
    "astar": lambda belief, here, goal, _: _Anew(belief, here, goal),
    "lrta_star": lambda belief, _, goal, lookahead: _Felt(belief, goal, lookahead, learn=True),
    "rta_star": lambda belief, _, goal, lookahead: _Felt(belief, goal, lookahead, learn=False),
}

#: The methods that take a lookahead.
LOOK_AHEAD = ("lrta_star", "rta_star")
