"""Problems of states and steps, and the control of a search through one.

A state can be any hashable object: a cell and a heading, the tiles of a puzzle, the facts of a
planner. Searches are plain Python and run step by step, so a game can spread one over its frames.
"""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from numbers import Real
from typing import Generic, Protocol, TypeVar

import numpy as np

from levelbake.errors import QueryError
from levelbake.places import MaybeNone, number_of, quoted, whole_of

S = TypeVar("S", bound=Hashable)

#: An estimate of the cost from a state to the nearest goal.
Heuristic = Callable[[S], float]


class StateSpace(Protocol[S]):
    """A problem: a start, a goal test and the successors of each state.

    A space may also have a method ``h(state)``, which then is its heuristic: a finite number from 0
    on, or infinity where no goal can be reached. If it never exceeds the cost of a cheapest path
    (it is admissible), the methods that promise shortest paths find them.
    """

    @property
    def start(self) -> S:
        """The state in which a search begins."""

    def is_goal(self, state: S) -> bool:
        """Return whether a state is a goal."""

    def successors(self, state: S) -> Iterable[tuple[S, float]]:
        """Return the states one step away, each with the cost of the step: finite, 0 or more."""


class Status(Enum):
    """The status of a search."""

    RUNNING = "running"
    FOUND = "found"
    NO_PATH = "no path"
    GAVE_UP = "gave up"
    CANCELLED = "cancelled"


@dataclass(frozen=True)
class Step(Generic[S]):
    """One state that was expanded or accepted as the goal."""

    state: S
    #: The state it was reached from; the start has itself.
    parent: S
    #: The cost so far, the heuristic, and the key that orders the open list.
    g: float
    h: float
    f: float
    #: The states added to the open list or reached by a cheaper path, with their g and f.
    opened: tuple[tuple[S, float, float], ...]


class Search(ABC, Generic[S]):
    """A resumable search, which runs one step at a time.

    Attributes:
        method: the name of the method.
        status: whether the search is running, and otherwise how it ended.
        path: the states from start to goal; None before a path is found.
        cost: the cost of the path; infinite before a path is found.
        expanded: how many times the successors of a state were generated.
        generated: the number of successors generated.
        most_held: the largest number of states held at once.
        least_lost: the least f among the states dropped to save memory. If the heuristic is
            admissible, every path costs at least this or at least as much as the path found.
    """

    def __init__(self, space: StateSpace[S], h: Heuristic[S] | None) -> None:
        self.method = "search"
        self.status = Status.RUNNING
        self.path: list[S] | MaybeNone = None
        self.cost = math.inf
        self.expanded = self.generated = self.most_held = 0
        self.least_lost = math.inf
        self._space = space
        self._heuristic: Heuristic[S] | None = h
        self._steps = self._search()

    @property
    @abstractmethod
    def open(self) -> Mapping[S, float]:
        """The states to be expanded, with the keys that order them."""

    @property
    @abstractmethod
    def closed(self) -> Mapping[S, float]:
        """The states that were expanded and are still stored, with their g."""

    def step(self) -> Step[S] | MaybeNone:
        """Expand one state, or take the goal; return None where the search is over.

        Raises:
            QueryError: the cost of a step or the value of the heuristic is invalid.
        """
        if self.status is not Status.RUNNING:
            return None
        try:
            return next(self._steps)
        except StopIteration:
            return None
        except BaseException:
            # A generator that has raised cannot continue, so the search is no longer running.
            self.status = Status.GAVE_UP
            raise

    def run(self, budget_ms: float | None = None, steps: int | None = None) -> Status:
        """Run until the search ends or a budget is spent.

        Args:
            budget_ms: milliseconds to spend. The clock is read after each step, so the last step
                may exceed the budget.
            steps: the largest number of steps to run.

        Returns:
            The status; RUNNING if the search can continue.

        Raises:
            QueryError: as for :meth:`step`; or a budget is negative or not a number.
        """
        budget, left = checked_budget(budget_ms), checked_steps(steps)
        end = math.inf if budget is None else time.perf_counter() + budget
        while left > 0 and self.step() is not None:
            left -= 1
            if budget is not None and time.perf_counter() >= end:
                break
        return self.status

    def cancel(self) -> None:
        """End a running search without a path."""
        if self.status is Status.RUNNING:
            self.status = Status.CANCELLED
            self._steps.close()

    @abstractmethod
    def _search(self) -> Generator[Step[S], None, None]:
        """Yield the steps of the search, and set the status before it ends."""

    def _found(self, path: list[S], cost: float) -> None:
        self.path, self.cost, self.status = path, cost, Status.FOUND

    def _h(self, state: S) -> float:
        """Return the heuristic of a state; raise QueryError unless it is a number from 0 on."""
        if self._heuristic is None:
            return 0
        h = self._heuristic(state)
        if isinstance(h, bool) or not isinstance(h, Real) or not h >= 0:
            raise QueryError(f"the heuristic of {state!r} is {h!r}", expected="a number from 0 on")
        return _plain(h)

    def _successors(self, state: S) -> Iterator[tuple[S, float]]:
        """Yield the successors of a state; raise QueryError on a negative or infinite cost."""
        self.expanded += 1
        for other, cost in self._space.successors(state):
            self.generated += 1
            if isinstance(cost, bool) or not isinstance(cost, Real) or not 0 <= cost < math.inf:
                raise QueryError(
                    f"the step from {state!r} to {other!r} costs {cost!r}",
                    expected="a finite number from 0 on",
                )
            yield other, _plain(cost)

    def _cheapest_successors(self, state: S) -> dict[S, float]:
        """Return the distinct successors of a state in order, each with its cheapest cost."""
        cheapest = dict[S, float]()
        for other, cost in self._successors(state):
            cheapest[other] = min(cost, cheapest.get(other, math.inf))
        return cheapest


def checked_budget(budget_ms: float | None) -> float | None:
    """Convert a budget to seconds; None means no limit.

    Raises:
        QueryError: the budget is negative or not a number.
    """
    if budget_ms is None:
        return None
    budget = number_of(budget_ms)
    if not budget >= 0:
        raise QueryError(
            f"the budget is {quoted(budget_ms)}", expected="a number of milliseconds from 0 on"
        )
    return budget / 1000


def checked_steps(steps: int | None) -> int:
    """Validate a limit on steps; None means no limit.

    Raises:
        QueryError: the limit is negative or not a whole number.
    """
    if steps is None:
        return 2**62
    if whole_of(steps) < 0:
        raise QueryError(f"steps is {quoted(steps)}", expected="a whole number from 0 on")
    return min(whole_of(steps), 2**62)


def _plain(number: float) -> float:
    """Convert a numpy scalar to a Python number: sums of narrow integers would wrap around."""
    return number.item() if isinstance(number, np.generic) else number
