"""Prioritized planning of the next window, one agent at a time and without conflicts.

Windowed hierarchical cooperative A*: D. Silver, "Cooperative Pathfinding", AIIDE 2005. Planning in
turn is incomplete: earlier agents may leave a later one without a path. That agent is then planned
first, and the agents it conflicts with again after it, as in A. Andreychuk, K. Yakovlev, "Two
Techniques That Enhance the Performance of Multi-robot Prioritized Path Planning", AAMAS 2018.
If it still has no path, it is held to its part of the previous plan, which conflicts with no other
part of that plan. So every round ends with paths that do not conflict.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from bake.core.arrays import Int32Array, UInt8Array
from bake.extras.crowds.movers import Field, Mover
from bake.extras.crowds.reservations import Reservations

if TYPE_CHECKING:
    from bake.search.point.space_time import Memory

#: The ranks of agents in a round: planned in turn, planned first, held to the previous plan.
IN_TURN, FIRST, HELD = 0, 1, 2


@dataclass(frozen=True)
class Task:
    """The input of planning for one agent."""

    mover: Mover  #: its profile
    #: (steps + 1) int32, its part of the previous plan from the first step of the window on,
    #: followed by waiting
    before: Int32Array
    field: Field  #: the distances to its target
    wait: int  #: ticks of waiting for a step away from the target
    #: additional ticks of a step that crosses the path of an agent planned earlier
    crossing: int = 0
    stands: bool = False  #: whether it stays at its place


class Planner:
    """Searches over windows, which share memory."""

    @cached_property
    def _memory(self) -> Memory:
        from bake.search.point.space_time import Memory

        return Memory()

    def way(
        self, agent: int, task: Task, others: Reservations, rank: UInt8Array, level: int
    ) -> tuple[Int32Array | None, int, int]:
        """Return the cheapest path of an agent through a window.

        Args:
            agent: its number.
            task: its input.
            others: the reservations of all other agents.
            rank: (agents) uint8.
            level: the lowest rank of agents to avoid.

        Returns:
            (steps + 1) int32 rows, None without a path; the cost in ticks, including the distance
            from the end to the target; the number of expanded states.
        """
        from bake.search.point import space_time
        from bake.search.point.astar_buckets import FOUND, FULL

        mover, steps = task.mover, len(others.taken) - 1
        known = space_time.Others(
            others.taken, others.column, rank, mover.cell, mover.offset, mover.width
        )
        start, target = int(task.before[0]), task.field.target
        walker = space_time.Walker(agent, level, start, target, task.wait, task.crossing)
        path = np.empty(steps + 1, dtype=np.int32)
        answer = np.zeros(2, dtype=np.int64)
        while True:
            status = space_time.search_window(
                mover.graph, known, task.field.ticks, walker, self._memory.states(), path, answer
            )
            if status != FULL:
                break
            self._memory.widen()
        ticks, expanded = answer.tolist()
        return (path, ticks, expanded) if status == FOUND else (None, 0, expanded)


class Round:
    """The planning of one window.

    Attributes:
        begins: the step at which the window begins.
        rows: (agents, steps + 1) int32, the path of each agent; complete after the round.
        first: agents without a path in turn, which were planned first.
        held: agents that were held to the previous plan.
        searches, expanded: the number of searches, and of expanded states.
    """

    def __init__(
        self,
        planner: Planner,
        begins: int,
        tasks: Sequence[Task],
        order: Sequence[int],
        capacity: Int32Array,
    ) -> None:
        """Create a round without any path.

        Args:
            planner: the search.
            begins: the step at which the window begins.
            tasks: the input of each agent.
            order: the numbers of all agents, in the order in which to plan.
            capacity: (cells) int32, the number of agents that fit on each cell of the level.
        """
        self.begins = begins
        self.rows: Int32Array = np.stack([task.before for task in tasks])
        self.first: set[int] = set()
        self.held: set[int] = set()
        self.searches = self.expanded = 0
        self._planner, self._tasks, self._order = planner, tasks, order
        self._reserved = Reservations(self.rows.shape[1] - 1, capacity)
        self._going = self._run()

    def run(self) -> bool:
        """Plan one more agent; return whether there is more to do."""
        return next(self._going, False)

    def _run(self) -> Iterator[bool]:
        tasks, reserved = self._tasks, self._reserved
        rank = np.full(len(tasks), IN_TURN, dtype=np.uint8)
        covered: dict[int, Int32Array] = {}

        def place(agent: int, rows: Int32Array) -> None:
            self.rows[agent] = rows
            covered[agent] = tasks[agent].mover.covered(rows)
            reserved.reserve(agent, covered[agent])

        for agent, task in enumerate(tasks):
            if task.stands:
                rank[agent] = HELD
                place(agent, task.before)
        waiting = deque(agent for agent in self._order if not tasks[agent].stands)
        while waiting:
            agent = waiting.popleft()
            task = tasks[agent]
            rows: Int32Array | None = task.before
            if rank[agent] != HELD:
                level = int(rank[agent])
                rows, _, expanded = self._planner.way(agent, task, reserved, rank, level)
                self.searches += 1
                self.expanded += expanded
            if rows is None:
                rank[agent] += 1
                (self.first if rank[agent] == FIRST else self.held).add(agent)
                waiting.appendleft(agent)
                continue
            if rank[agent] != IN_TURN:
                ahead = task.mover.covered(rows)
                for other in sorted(reserved.in_the_way(agent, ahead, task.mover.width)):
                    if rank[other] >= rank[agent]:  # There is room beside it without the others.
                        continue
                    reserved.release(other, covered.pop(other))
                    waiting.appendleft(other)
            place(agent, rows)
            yield bool(waiting)
