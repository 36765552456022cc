"""Crowds of agents that move over one level in steps, without conflicts.

Every move takes one step, whatever it costs. The path of each agent is planned for a window of
steps, and planned again after half of them: see :mod:`bake.extras.crowds.rounds`.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from bake.core.arrays import BoolArray, Int32Array
from bake.extras.crowds.movers import Field, Mover, free_row
from bake.extras.crowds.reservations import Claims, Conflicts, conflicts
from bake.extras.crowds.rounds import Planner, Round, Task
from bake.play import LevelAsset
from levelbake.errors import QueryError
from levelbake.places import AnyPlace, MaybeNone, Place, PlaceT, number_of, quoted, whole_of

#: The longest window that searches can count.
# limit: a one-line error; lowered by window_of_five
MOST_STEPS = 256


class Agent:
    """One agent of a crowd; get it from :meth:`Crowd.add`.

    Attributes:
        number: its number in the crowd.
        profile: the name of its profile.
        goal: the place to go to; None = none.
        stands: whether the agent stays at its place, and yields to no other agent.
    """

    def __init__(self, crowd: Crowd, number: int, profile: str, row: int, priority: float) -> None:
        self._crowd = crowd
        self.number, self.profile = number, profile
        self.priority = priority
        self.goal: AnyPlace | None = None
        self.stands = False
        self._row = row
        # The row of the goal, or of a free place near it; None = not chosen yet.
        self._target: int | None = row
        self._toward: Field | None = None  # distances to the target, computed on first use
        self._cut_off = False
        self._since = crowd.steps  # the step of its smallest distance to the target
        self._nearest = 0
        self._asked = crowd.steps  # the step at which the goal was set
        self._urgent = 0  # rounds without a path in its turn
        self._stood = crowd.steps  # the step at which it came to its place
        self._around: tuple[bytes, Field] | None = None

    @property
    def priority(self) -> float:
        """The priority of the agent; higher ones are planned first."""
        return self._priority

    @priority.setter
    def priority(self, priority: float) -> None:
        self._priority = number_of(priority)
        if math.isnan(self._priority):
            raise QueryError(f"priority is {quoted(priority)}", expected="a number")

    @property
    def place(self) -> AnyPlace:
        """The place of the agent."""
        return self._crowd._mover(self.profile).place(self._row)

    @property
    def target(self) -> AnyPlace | MaybeNone:
        """The goal, or a free place near it; None until it is chosen."""
        target = self._target
        return None if target is None else self._crowd._mover(self.profile).place(target)

    @property
    def diverted(self) -> bool:
        """Whether the target is a free place near the goal, which another agent occupies."""
        return self.goal is not None and self._target is not None and self.target != self.goal

    @property
    def arrived(self) -> bool:
        """Whether the agent is at its target; without a goal, unless it has to yield."""
        return self._target == self._row

    @property
    def cut_off(self) -> bool:
        """Whether the goal was unreachable when the target was chosen."""
        return self._cut_off

    @property
    def hindered(self) -> int:
        """The number of steps since the agent last came nearer to its target."""
        return 0 if self.arrived else self._crowd.steps - self._since

    def ahead(self) -> list[AnyPlace]:
        """Return the places of the planned next steps."""
        return self._crowd._ahead(self)

    def go(self, goal: Place | None) -> None:
        """Set the goal, which counts from the next planned window; None = stay.

        Raises:
            QueryError: there is no such place, or the profile cannot stand on it.
        """
        mover = self._crowd._mover(self.profile)
        self.goal = None if goal is None else mover.place(mover.row(goal))
        self._target = None
        self._asked = self._since = self._crowd.steps
        self._urgent = 0
        self._around = None

    def stand(self, stands: bool = True) -> None:
        """Fix the agent to its place, or allow it to move again."""
        if stands != self.stands:
            self.stands = stands
            self._stood = self._crowd.steps
            self._crowd.replan(halt=True)


class Crowd:
    """Agents on one level that all move at the same time. Not safe for concurrent threads.

    Attributes:
        steps: the number of steps made.
        conflicts: the conflicts counted so far, which should be none.
        window, replan_after: the number of planned steps, and of steps until the next plan.
        blocked_after: see :meth:`__init__`.

    Example:
        >>> from bake.play import open_asset
        >>> with open_asset("baked/keep.h5") as level:
        ...     crowd = Crowd(level)
        ...     agents = crowd.add((3, 4), (6, 6)), crowd.add((6, 6), (3, 4))
        ...     while not all(agent.arrived for agent in agents):
        ...         crowd.step()
        ...     [agent.place for agent in agents], crowd.conflicts.total
        ([(6, 6), (3, 4)], 0)
    """

    def __init__(
        self,
        level: LevelAsset,
        *,
        window: int = 16,
        replan_after: int | None = None,
        blocked_after: int = 8,
        wait: float | None = None,
        crossing: float = 0,
        capacity: Mapping[PlaceT, int] | None = None,
    ) -> None:
        """Create a crowd without agents.

        Args:
            level: an open level. The crowd plans again when the level changes.
            window: the number of steps to plan, 2 to 256. A longer window looks further ahead and
                takes longer.
            replan_after: the number of steps until the next plan; None = half the window.
            blocked_after: an agent that has come no nearer for this many steps treats agents that
                have stood for as long as walls.
            wait: the cost of waiting for a step, in units; None = the cost of the cheapest move.
            crossing: the additional cost, in units, of a step that crosses another path: a step
                onto a place that an agent planned earlier reaches from elsewhere in the window.
            capacity: the number of agents that fit on some places; one fits on any other.

        Raises:
            QueryError: a number is out of range, or there is no such place.
        """
        window = _check_whole("window", window, 2, MOST_STEPS)
        after = window // 2 if replan_after is None else replan_after
        self.window = window
        self.replan_after = _check_whole("replan_after", after, 1, window)
        self.blocked_after = _check_whole("blocked_after", blocked_after, 1, 10**9)
        self._level = level
        self._wait = None if wait is None else _units("wait", wait)
        self._crossing = _units("crossing", crossing)
        self._stated = _capacities(level, capacity or {})
        self._capacity: Int32Array = np.empty(0, dtype=np.int32)
        self._movers: dict[str, Mover] = {}
        self._agents: list[Agent] = []
        self._planner = Planner()
        self._round: Round | None = None
        self._preparing: Iterator[None] | None = None
        self._rows: Int32Array = np.empty((0, window + 1), dtype=np.int32)
        self._begins = 0
        self._due = 0
        self.steps = 0
        self.conflicts = Conflicts()

    @property
    def agents(self) -> tuple[Agent, ...]:
        """The agents, in the order of their numbers."""
        return tuple(self._agents)

    def add(
        self,
        place: Place,
        goal: Place | None = None,
        *,
        profile: str | None = None,
        priority: float = 0,
    ) -> Agent:
        """Add an agent.

        Args:
            place: the place of the agent, which must have free capacity.
            goal: the place to go to; None = stay, yield to other agents, and come back.
            profile: the name of its profile; optional if the asset has only one.
            priority: moving agents of higher priority are planned first.

        Raises:
            QueryError: there is no such place or profile, the profile cannot stand there, or other
                agents occupy the place.
        """
        name = self._level.profile(profile).name
        self._follow_level()
        mover = self._mover(name)
        row = mover.row(place)
        taken = self._claims(self._agents)
        mine = {cell for cell in mover.cells(row) if taken.full[cell]}
        for other in self._agents:
            if mine & set(self._covered(other)):
                raise QueryError(
                    f"agent {other.number} is on {quoted(other.place)} already",
                    place=f"level {self._level.name!r}, agent to be added on {quoted(place)}",
                    remedy="choose a free place",
                )
        agent = Agent(self, len(self._agents), name, row, priority)
        self._agents.append(agent)
        self.replan(halt=True)
        if goal is not None:
            try:
                agent.go(goal)
            except QueryError:
                self._agents.pop()
                self.replan(halt=True)
                raise
        return agent

    def remove(self, agent: Agent) -> None:
        """Remove an agent; agents after it get new numbers.

        Raises:
            QueryError: it is not in the crowd.
        """
        if agent not in self._agents:
            raise QueryError("the agent is not in this crowd")
        self._agents.remove(agent)
        for number, each in enumerate(self._agents):
            each.number = number
        self.replan(halt=True)

    # -- steps ------------------------------------------------------------------------------------

    def step(self) -> None:
        """Move all agents by one step, after planning if it is due."""
        self._follow_level()
        while self.plan(None):
            pass
        self.steps += 1
        at = min(self.steps - self._begins, self.window)
        before = np.array([agent._row for agent in self._agents], dtype=np.int32)
        self._count(before, self._rows[:, at])
        for agent, row in zip(self._agents, self._rows[:, at].tolist(), strict=True):
            self._move(agent, row)

    def _count(self, before: Int32Array, after: Int32Array) -> None:
        """Count the conflicts of one step of all agents."""
        here, to = [], []
        for profile, mover in self._movers.items():
            own = np.array([agent.profile == profile for agent in self._agents], dtype=np.bool_)
            here.append(mover.covered(before[own]).reshape(-1))
            to.append(mover.covered(after[own]).reshape(-1))
        start, end = np.concatenate(here or [before]), np.concatenate(to or [after])
        moved = start != end
        # Moves that meet have the same midpoint. Usually all midpoints differ, and no two moves
        # conflict. Cells are numbered row by row, so the sum of two cells identifies the midpoint.
        middle = (start.astype(np.int64) + end)[moved]
        if len(np.unique(end)) == len(end) and len(np.unique(middle)) == len(middle):
            return
        width = max((mover.width for mover in self._movers.values()), default=0)
        was, now = (
            [self._mover(a.profile).cells(row) for a, row in zip(self._agents, rows, strict=True)]
            for rows in (before.tolist(), after.tolist())
        )
        self.conflicts += conflicts(was, now, width, self._capacity)

    def _move(self, agent: Agent, row: int) -> None:
        if row != agent._row:
            agent._row, agent._stood = row, self.steps
        if agent._target is None:
            return
        if agent.arrived:
            agent._urgent, agent._around, agent._nearest = 0, None, 0
            agent._since = self.steps
            return
        ticks = int(self._field(agent).ticks.item(row))
        if ticks < agent._nearest:
            agent._nearest, agent._since = ticks, self.steps

    def plan(self, budget_ms: float | None = 1) -> bool:
        """Plan the next window within a time budget; call it between steps to keep steps fast.

        Args:
            budget_ms: milliseconds after which planning stops, at the end of the current agent;
                None = plan the whole window.

        Returns:
            Whether the next step has to plan.

        Raises:
            QueryError: the budget is no number of milliseconds.
        """
        from bake.search.problem import checked_budget

        budget = checked_budget(budget_ms)
        until = None if budget is None else time.perf_counter() + budget
        self._follow_level()
        if budget is None and self.steps < self._due:
            return False
        if not self._agents:
            return False
        if self._round is None:
            self._preparing = self._prepare() if self._preparing is None else self._preparing
            for _ in self._preparing:
                if until is not None and time.perf_counter() >= until:
                    return self.steps >= self._due
            self._preparing, self._round = None, self._next_round()
        while self._round.run():
            if until is not None and time.perf_counter() >= until:
                return self.steps >= self._due
        if self.steps >= self._due:
            self._take(self._round)
        return False

    def replan(self, *, halt: bool = False) -> None:
        """Discard planned windows, so that the next step plans again, as after new goals.

        Args:
            halt: whether to discard the current plan as well; agents stand until the next plan.
        """
        self._round = self._preparing = None
        self._due = self.steps
        if halt:
            row = np.array([agent._row for agent in self._agents], dtype=np.int32)
            self._rows = np.repeat(row[:, None], self.window + 1, axis=1)
            self._begins = self.steps

    def _take(self, done: Round) -> None:
        self._rows, self._begins = done.rows, done.begins
        self._due = self.steps + self.replan_after
        for number in done.first:
            self._agents[number]._urgent += 1
        self._round = None

    def _prepare(self) -> Iterator[None]:
        """Choose targets and compute fields for the next round, one agent at a time."""
        yield from self._settle_targets()
        standing = self._standing()
        for agent in self._agents:
            if agent._target is not None:  # The goal may have changed since.
                self._field_for(agent, standing)
                yield

    def _next_round(self) -> Round:
        begins = max(self._due, self.steps)
        # Goals may have changed during the preparation.
        for _ in self._settle_targets():
            pass
        gone = min(begins - self._begins, self.window)
        rest = self._rows[:, np.minimum(np.arange(self.window + 1) + gone, self.window)]
        standing = self._standing()
        tasks = []
        for agent, before in zip(self._agents, rest, strict=True):
            mover = self._mover(agent.profile)
            wait = mover.lightest if self._wait is None else round(self._wait * mover.units)
            field = self._field_for(agent, standing)
            crossing = round(self._crossing * mover.units)
            tasks.append(Task(mover, before, field, wait, crossing, agent.stands))
        order = sorted(
            (agent for agent in self._agents if not agent.stands),
            key=lambda a: (a.arrived, -a.priority, -a._urgent, a._asked, a.number),
        )
        numbers = [agent.number for agent in order]
        return Round(self._planner, begins, tasks, numbers, self._capacity)

    # -- targets and fields -----------------------------------------------------------------------

    def _settle_targets(self) -> Iterator[None]:
        """Choose targets for agents without a free one, one agent at a time."""
        blocked = self._standing()
        unsettled = []
        for agent in self._agents:
            if agent._target is not None and agent.goal is not None and blocked is not None:
                mover = self._mover(agent.profile)
                cells = mover.cells(agent._target)
                if not agent.stands and not agent.arrived and blocked[cells].any():
                    agent._target = None
            if agent._target is None:
                unsettled.append(agent)
        if not unsettled:
            return
        claims = Claims(self._capacity)
        for agent in self._agents:
            if agent._target is None and not agent.stands:
                continue
            row = agent._row if agent.stands or agent._target is None else agent._target
            claims.add(self._mover(agent.profile).cells(row))
        unsettled.sort(key=lambda a: (-a.priority, a._asked, a.number))
        for agent in unsettled:
            mover, goal = self._mover(agent.profile), agent.goal
            wanted = agent._row if goal is None else mover.row_or_none(goal)
            found = None if wanted is None else free_row(mover, agent._row, wanted, claims.full)
            agent._cut_off = found is None
            agent._target = agent._row if found is None else found
            claims.add(mover.cells(agent._target))
            agent._nearest = int(self._field(agent).ticks[agent._row])
            agent._since, agent._around = self.steps, None
            yield

    def _field(self, agent: Agent) -> Field:
        assert agent._target is not None
        if agent._toward is None or agent._toward.target != agent._target:
            agent._toward = self._mover(agent.profile).field(agent._target)
        return agent._toward

    def _standing(self) -> BoolArray | None:
        """Return (cells) bool, the cells that standing agents fill; None without such agents."""
        stood = [
            agent
            for agent in self._agents
            if agent.stands and self.steps - agent._stood >= self.blocked_after
        ]
        return self._claims(stood).full if stood else None

    def _claims(self, agents: Iterable[Agent]) -> Claims:
        """Return the capacity that some agents use."""
        claims = Claims(self._capacity)
        for agent in agents:
            claims.add(self._covered(agent))
        return claims

    def _field_for(self, agent: Agent, standing: BoolArray | None) -> Field:
        """Return an agent's distances, around standing agents if they have blocked it."""
        field = self._field(agent)
        if standing is None or agent.stands:
            agent._around = None
            return field
        mark = standing.tobytes()
        if agent._around is None and agent.hindered < self.blocked_after:
            return field
        if agent._around is None or agent._around[0] != mark:
            around = self._mover(agent.profile).field_around(field.target, standing)
            agent._around = (mark, around)
        around = agent._around[1]
        return around if around.reaches(agent._row) else field

    # -- the level --------------------------------------------------------------------------------

    def _mover(self, profile: str) -> Mover:
        if profile not in self._movers:
            self._movers[profile] = Mover(self._level, profile)
            self._measure()
        return self._movers[profile]

    def _measure(self) -> None:
        """Set the capacity of every cell."""
        cells = max(mover.cell_count for mover in self._movers.values())
        self._capacity = np.ones(cells, dtype=np.int32)
        for cell, agents in self._stated.items():
            self._capacity[cell] = agents

    def _covered(self, agent: Agent) -> list[int]:
        return self._mover(agent.profile).cells(agent._row)

    def _follow_level(self) -> None:
        """Adopt the newest version of the level; agents then stand until the next plan."""
        if all(mover.holds() for mover in self._movers.values()):
            return
        movers = {name: Mover(self._level, name) for name in self._movers}
        rows = [movers[agent.profile].row_or_none(agent.place) for agent in self._agents]
        for agent, row in zip(self._agents, rows, strict=True):
            if row is None:
                raise QueryError(
                    f"agent {agent.number} cannot stand on {quoted(agent.place)} any more",
                    place=f"level {self._level.name!r}",
                    remedy="remove it from the crowd before the level changes, "
                    "or add it again elsewhere",
                )
        self._movers = movers
        self._measure()
        for agent, row in zip(self._agents, rows, strict=True):
            assert row is not None
            agent._row, agent._target, agent._around, agent._toward = row, None, None, None
        self.replan(halt=True)

    def _ahead(self, agent: Agent) -> list[Place]:
        at = min(self.steps - self._begins, self.window)
        return self._mover(agent.profile).places(self._rows[agent.number, at + 1 :])


def _check_whole(name: str, value: int, least: int, most: int) -> int:
    number = whole_of(value)
    if not least <= number <= most:
        raise QueryError(
            f"{name} is {quoted(value)}", expected=f"a whole number, {least} to {most}"
        )
    return number


def _units(name: str, value: float) -> float:
    units = number_of(value)
    if not 0 <= units < 10**4:
        expected = "units from 0 to 10,000; wait may be None"
        raise QueryError(f"{name} is {quoted(value)}", expected=expected)
    return units


def _capacities(level: LevelAsset, stated: Mapping[Any, int]) -> dict[int, int]:
    """Return for how many agents there is room on some cells."""
    places = level._columns(level.profiles[0]).places
    found = {}
    for place, agents in stated.items():
        cell = places.location(place)
        if places.headings is not None and places.floor_height is not None:
            cell %= places.floor_height * places.width
        found[cell] = _check_whole(f"the capacity of {quoted(place)}", agents, 1, 1000)
    return found
