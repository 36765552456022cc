"""Walk toward a goal on a level that is not known: look, plan over what is believed, step."""

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
    """Somebody on the way to a goal, who believes what a side has seen.

    Attributes:
        belief: what the side knows.
        steps: how many steps it has made.
        walked: what they cost, in units.
    """

    def __init__(
        self,
        belief: Belief,
        place: Place,
        goal: Place,
        method: str = "dstar_lite",
    ) -> None:
        """Place an agent; it knows where it stands and nothing else that its side has not seen.

        Args:
            belief: may be shared with any number of agents.
            place, goal: places of the level. Nobody knows ahead whether the goal can be reached.
            method: "dstar_lite" repairs its plan after each look; "moving_target" does so for goals
                that move; "trailing" goes where such a goal was, and from there after it; "astar"
                plans anew.

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
        """Return what makes plans, by the name of the method."""
        return METHODS

    @property
    def place(self) -> AnyPlace:
        """Return where the agent stands."""
        return self.belief.places.place_at(self._here)

    @place.setter
    def place(self, place: Place) -> None:
        self._here = self.belief.standing(place)

    @property
    def goal(self) -> AnyPlace:
        """Return where the agent wants to be; another goal may be set at any time."""
        return self.belief.places.place_at(self._goal)

    @goal.setter
    def goal(self, goal: Place) -> None:
        self._goal = self.belief.places.location(goal)
        self._plan.aim(self._here, self._goal)

    @property
    def arrived(self) -> bool:
        """Tell whether the agent stands on its goal."""
        return self._here == self._goal

    @property
    def expanded(self) -> int:
        """Return how many places its searches have expanded so far, each time counted."""
        return self._expanded + self._plan.expanded

    @property
    def nbytes(self) -> int:
        """Return the bytes of the belief, which allies share, and of the plan."""
        return self.belief.nbytes + self._plan.nbytes

    def observe(self, places: npt.ArrayLike | Iterable[Place]) -> int:
        """See some places, for the whole side: see :meth:`Belief.observe`."""
        return self.belief.observe(places)

    def step(self) -> AnyPlace | None:
        """Take the next step of the best plan, and see the two places it leads between.

        Where the step turns out not to be what was believed, the agent plans again and takes
        another one.

        Returns:
            Where the agent stands now, which is its goal once it has arrived; None where it stays,
            because no way is left that it believes in.
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
        """Return the way that the agent plans to go; None where it believes in none."""
        self._catch_up()
        way = self._plan.way(self._here)
        if way is None:
            return None
        return [self.belief.places.place_at(each) for each in way.tolist()]

    def cost(self) -> float:
        """Return what the way of :meth:`path` costs, in units; inf where there is none."""
        self._catch_up()
        way = self._plan.way(self._here)
        return math.inf if way is None else self.belief.length(way)

    def _next(self) -> int:
        self._catch_up()
        return self._plan.next_node(self._here)

    def _catch_up(self) -> None:
        """Have the plan know all that the side has seen."""
        belief = self.belief
        if self._epoch != belief.epoch:
            self._expanded += self._plan.expanded
            self._begin()
        elif self._read < len(belief.changes):
            self._plan.learn(belief.changes[self._read :])
            self._read = len(belief.changes)


class Route:
    """The best way between two places that stay, kept up to date by LPA* as a side sees more.

    Attributes:
        belief: what the side knows.
    """

    def __init__(self, belief: Belief, start: Place, goal: Place) -> None:
        """Begin; nothing is searched yet.

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
        """Return how many places were expanded so far, each time counted."""
        return self._expanded + self._search.expanded

    def path(self) -> list[AnyPlace] | MaybeNone:
        """Return the way as it is believed to be best now; None where there is none."""
        self._catch_up()
        path = self._search.path()
        if path is None:
            return None
        return [self.belief.places.place_at(each) for each in path.tolist()]

    def cost(self) -> float:
        """Return what the way is believed to cost, in units; inf where there is none."""
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
