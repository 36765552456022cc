"""Agents that walk to a goal on a level that they know in part."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bake.core.graph import BLOCKED
from bake.extras.crowds.belief import Belief
from bake.extras.crowds.plans import METHODS, Maker, Plan
from levelbake.errors import QueryError
from levelbake.places import AnyPlace, MaybeNone, Place, quoted

if TYPE_CHECKING:
    from bake.search.incremental.lifelong import LifelongPlanning


class Agent:
    """An agent that plans by the belief of its side, and extends the belief as it walks.

    Attributes:
        belief: the knowledge of the side.
        steps: the number of steps made.
        walked: the cost of these steps, in units.

    Example:
        >>> from bake.extras.crowds.belief import Belief
        >>> from bake.play import open_asset
        >>> with open_asset("baked/keep.h5") as level:
        ...     agent = Agent(Belief(level.profile()), (3, 4), (6, 6))
        ...     while agent.step() and not agent.arrived:
        ...         pass
        ...     agent.place
        (6, 6)
    """

    def __init__(
        self,
        belief: Belief,
        place: Place,
        goal: Place,
        method: str = "dstar_lite",
    ) -> None:
        """Place an agent on the level.

        Args:
            belief: may be shared with any number of agents.
            place, goal: places of the level. The goal may turn out to be unreachable.
            method: "dstar_lite" repairs its plan after each observation; "moving_target" does so
                for goals that move; "trailing" goes to the last known place of such a goal, and
                follows it from there; "astar" computes a new plan.

        Raises:
            QueryError: there is no such place or method, or the profile cannot stand on ``place``.
        """
        if method not in self._methods():
            expected = " or ".join(self._methods())
            raise QueryError(f"no method {quoted(method)}", expected=expected)
        self.belief = belief
        self.steps, self.walked = 0, 0.0
        self._method = method
        self._here = belief.standing(place)
        self._goal = belief.places.location(goal)
        self._read = self._epoch = self._expanded = 0
        self._begin()

    def _begin(self) -> None:
        belief = self.belief
        self._read, self._epoch = len(belief.changes), belief.epoch
        self._plan: Plan = self._methods()[self._method](belief, self._here, self._goal)

    def _methods(self) -> Mapping[str, Maker]:
        """Return the constructors of plans, by method."""
        return METHODS

    @property
    def place(self) -> AnyPlace:
        """The place of the agent."""
        return self.belief.places.place_at(self._here)

    @place.setter
    def place(self, place: Place) -> None:
        self._here = self.belief.standing(place)

    @property
    def goal(self) -> AnyPlace:
        """The goal of the agent, which may be set at any time."""
        return self.belief.places.place_at(self._goal)

    @goal.setter
    def goal(self, goal: Place) -> None:
        self._goal = self.belief.places.location(goal)
        self._plan.aim(self._here, self._goal)

    @property
    def arrived(self) -> bool:
        """Whether the agent is at its goal."""
        return self._here == self._goal

    @property
    def expanded(self) -> int:
        """The number of expansions of its searches so far."""
        return self._expanded + self._plan.expanded

    @property
    def nbytes(self) -> int:
        """The bytes of the belief, which allies share, and of the plan."""
        return self.belief.nbytes + self._plan.nbytes

    def observe(self, places: npt.ArrayLike | Iterable[Place]) -> int:
        """Observe places for the whole side; see :meth:`Belief.observe`."""
        return self.belief.observe(places)

    def step(self) -> AnyPlace | None:
        """Move along the plan by one step, and observe both ends of the step.

        If the belief about the step was wrong, the agent plans again before it moves.

        Returns:
            The new place of the agent, or its goal if it has arrived; None if the agent believes
            that the goal is unreachable, and stays.
        """
        if self.arrived:
            return self.goal
        self.belief.see(np.array([self._here], dtype=np.int32))
        while True:
            ahead = self._next()
            if ahead < 0:
                return None
            if not self.belief.see(np.array([self._here, ahead], dtype=np.int32)):
                break
        ticks = self.belief.ticks(self._here, ahead)
        assert ticks != BLOCKED
        self.walked += ticks / self.belief.places.ticks_per_unit
        self.steps += 1
        self._here = ahead
        return self.place

    def path(self) -> list[AnyPlace] | MaybeNone:
        """Return the planned path; None if the agent believes that the goal is unreachable."""
        self._catch_up()
        way = self._plan.way(self._here)
        if way is None:
            return None
        return [self.belief.places.place_at(each) for each in way.tolist()]

    def cost(self) -> float:
        """Return the cost of :meth:`path` in units; inf if the goal is unreachable."""
        self._catch_up()
        way = self._plan.way(self._here)
        return math.inf if way is None else self.belief.length(way)

    def _next(self) -> int:
        self._catch_up()
        return self._plan.next_node(self._here)

    def _catch_up(self) -> None:
        """Update the plan with all observations of the side."""
        belief = self.belief
        if self._epoch != belief.epoch:
            self._expanded += self._plan.expanded
            self._begin()
        elif self._read < len(belief.changes):
            self._plan.learn(belief.changes[self._read :])
            self._read = len(belief.changes)


class Route:
    """The shortest believed path between two fixed places, updated by LPA*.

    Attributes:
        belief: the knowledge of the side.
    """

    def __init__(self, belief: Belief, start: Place, goal: Place) -> None:
        """Create a route; the first query searches.

        Raises:
            QueryError: there is no such place.
        """
        self.belief = belief
        self._ends = belief.places.location(start), belief.places.location(goal)
        self._expanded = 0
        self._begin()

    def _begin(self) -> None:
        from bake.search.incremental.lifelong import LifelongPlanning

        belief = self.belief
        self._read, self._epoch = len(belief.changes), belief.epoch
        self._search: LifelongPlanning = LifelongPlanning(belief.arcs, belief.estimate, *self._ends)

    @property
    def expanded(self) -> int:
        """The number of expansions so far."""
        return self._expanded + self._search.expanded

    def path(self) -> list[AnyPlace] | MaybeNone:
        """Return the path that is believed to be shortest; None if the goal is unreachable."""
        self._catch_up()
        path = self._search.path()
        if path is None:
            return None
        return [self.belief.places.place_at(each) for each in path.tolist()]

    def cost(self) -> float:
        """Return the believed cost of the path in units; inf if the goal is unreachable."""
        self._catch_up()
        ticks = self._search.ticks()
        return math.inf if ticks is None else ticks / self.belief.places.ticks_per_unit

    def _catch_up(self) -> None:
        belief = self.belief
        if self._epoch != belief.epoch:
            self._expanded += self._search.expanded
            self._begin()
            return
        for change in belief.changes[self._read :]:
            self._search.changed(change.arcs)
        self._read = len(belief.changes)
