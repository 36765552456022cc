"""Traces of walking agents; see :mod:`bake.extras.school.trace_file`.

Each step says where agents are and what they plan; of those who do not know the level it also says
what was seen since the step before, and which places the search has given another label.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bake.core.arrays import Int32Array, Int64Array
from bake.core.graph import INFINITY
from bake.extras.crowds.agent import Agent, Route
from bake.extras.crowds.belief import Belief
from bake.extras.crowds.crowd import Crowd
from bake.extras.school.trace_file import Trace
from levelbake.places import Place


@dataclass(frozen=True)
class Stand:
    """The place and the plan of one agent."""

    who: object  #: the agent, to know it again
    #: place, goal: where it is and wants to be; None = nowhere
    place: Place
    goal: Place | None
    plan: list[Place] | None  #: the places of its planned steps; None without a path


@dataclass(frozen=True)
class Watched:
    """The observations and searches of agents with a belief."""

    belief: Belief  #: what they have seen
    #: returns (n) int64, what the search knows of each location; None before any search
    labels: Callable[[], Int64Array | None]


class WalkTrace(Trace):
    """The walks of agents, step by step."""

    def __init__(
        self,
        level: str,
        profile: str,
        method: str,
        stands: Callable[[], Sequence[Stand]],
        watched: Watched | None = None,
    ) -> None:
        """Create a trace with the current state as its first step.

        Args:
            level, profile, method: names.
            stands: returns all agents as they are.
            watched: what they have seen and searched; None where they know the level.
        """
        super().__init__(level, profile, "walk", method=method, sees=watched is not None)
        self._stands, self._watched = stands, watched
        self._before: list[Stand] = []
        if watched is not None:
            n = watched.belief.arcs.node_count
            self._seen: Int32Array = np.zeros(n, dtype=np.int32)
            self._labels: Int64Array | None = watched.labels()
            self._known = self._blank() if self._labels is None else self._labels.copy()

    def note(self) -> None:
        """Record the current state if it has changed."""
        stands = list(self._stands())
        step: dict[str, Any] = {}
        if self._watched is not None:
            step = {"seen": self._look(), "searched": self._search()}
        if stands == self._before and not any(step.values()):
            return
        same = [each.who for each in stands] == [each.who for each in self._before]
        before = self._before if same else [None] * len(stands)
        step["agents"] = [_agent_record(*pair) for pair in zip(stands, before, strict=True)]
        self.steps.append(step)
        self._before = stands

    def write(self, path: str | Path) -> None:
        """Write all steps and the current state; see :meth:`Trace.write`."""
        self.note()
        super().write(path)

    def _blank(self) -> Int64Array:
        return np.full(len(self._seen), INFINITY, dtype=np.int64)

    def _look(self) -> list[Place]:
        """Return the places observed since the last call."""
        assert self._watched is not None
        belief = self._watched.belief
        fresh = np.flatnonzero(belief._seen != self._seen)
        self._seen[:] = belief._seen
        return self._places(fresh)

    def _search(self) -> list[Place]:
        """Return the places whose labels have changed since the last call."""
        assert self._watched is not None
        labels = self._watched.labels()
        if labels is not self._labels:  # Another search has begun.
            self._labels, self._known = labels, self._blank()
        if labels is None:
            return []
        fresh = np.flatnonzero(labels != self._known)
        self._known = labels.copy()
        return self._places(fresh)

    def _places(self, locations: Any) -> list[Place]:
        assert self._watched is not None
        place_at = self._watched.belief.places.place_at
        return [place_at(each) for each in locations.tolist()]


def trace_walk(walker: Agent | Route | Crowd) -> WalkTrace:
    """Return a new trace of an agent, a route or a crowd.

    Call its :meth:`WalkTrace.note` before each step, and :meth:`WalkTrace.write` in the end. A step
    that is noted takes a copy of the search's labels, and the plans of all agents.
    """
    if isinstance(walker, Crowd):
        level, crowd = walker._level, walker
        profile = crowd.agents[0].profile if crowd.agents else level.profiles[0]
        return WalkTrace(level.name, profile, "crowd", lambda: _in_crowd(crowd))
    belief = walker.belief
    names = belief.places.name, belief.profile
    if isinstance(walker, Route):
        route = walker
        watched = Watched(belief, lambda: route._search.labels)
        return WalkTrace(*names, "lpa_star", lambda: [_on_route(route)], watched)
    agent = walker
    watched = Watched(belief, lambda: agent._plan.labels)
    return WalkTrace(*names, agent._method, lambda: [_alone(agent)], watched)


def _in_crowd(crowd: Crowd) -> list[Stand]:
    crowd._follow_level()
    while crowd.plan(None):
        pass
    return [Stand(agent, agent.place, agent.goal, agent.ahead()) for agent in crowd.agents]


def _alone(agent: Agent) -> Stand:
    path = agent.path()
    return Stand(agent, agent.place, agent.goal, None if path is None else path[1:])


def _on_route(route: Route) -> Stand:
    start, goal = (route.belief.places.place_at(end) for end in route._ends)
    path = route.path()
    return Stand(route, start, goal, None if path is None else path[1:])


def _agent_record(now: Stand, before: Stand | None) -> dict[str, Any]:
    """Return the record of an agent in a step, without what the previous step implies."""
    told: dict[str, Any] = {"place": now.place}
    if before is None or now.goal != before.goal:
        told["goal"] = now.goal
    if before is None or not before.plan or [now.place, *(now.plan or ())] != before.plan:
        told["plan"] = now.plan
    return told
