"""Describe a problem of states and steps, and control a search through it.

A state can be anything hashable: a cell and a heading, the tiles of a puzzle, what a planner knows.
Searches are plain Python and make one step at a time, so a game can spread them over its frames.
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

#: A lower bound, or a guess, of what it costs to get from a state to a goal.
Heuristic = Callable[[S], float]


class StateSpace(Protocol[S]):
    """A problem: where it begins, where it may end, and what leads from state to state.

    A space may have a method ``h(state)`` as well, which is then its heuristic. It is a finite
    number from 0 on, or infinite where no goal can be reached. Where it is never more than the
    cheapest way costs (admissible), the methods that promise shortest paths find them.
    """

    @property
    def start(self) -> S:
        """The state a search begins in."""

    def is_goal(self, state: S) -> bool:
        """Tell whether a search may end in a state."""

    def successors(self, state: S) -> Iterable[tuple[S, float]]:
        """Return the states one step away, each with what the step costs: finite, 0 or more."""


class Status(Enum):
    """How far a search has come."""

    RUNNING = "running"
    FOUND = "found"
    NO_PATH = "no path"
    GAVE_UP = "gave up"
    CANCELLED = "cancelled"


@dataclass(frozen=True)
class Step(Generic[S]):
    """One state that was expanded, or taken as the goal.

    Attributes:
        state, parent: the state, and the one it was reached from; the start has itself.
        g, h, f: the cost so far, the heuristic, and what the search orders states by.
        opened: the states that it put on the open list, or found a cheaper way to, with their g
            and f.
    """

    state: S
    parent: S
    g: float
    h: float
    f: float
    opened: tuple[tuple[S, float, float], ...]


class Search(ABC, Generic[S]):
    """A search under way, which makes one step each time it is asked.

    Attributes:
        method: the name of the method.
        status: how far it has come.
        path: the states from start to goal; None unless one was found.
        cost: what the path costs; infinite unless one was found.
        expanded: how many states were asked for their successors, each time counted.
        generated: how many successors came.
        most_held: how many states it held at once, at most.
        least_lost: the least f of what was given up for room. If the heuristic is admissible, no
            path costs less than this or less than the one found.
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
        """The states that wait to be expanded, with what they are ordered by."""

    @property
    @abstractmethod
    def closed(self) -> Mapping[S, float]:
        """The states that were expanded and are still held, with their g."""

    def step(self) -> Step[S] | MaybeNone:
        """Expand one state, or take the goal; return None where the search is over.

        Raises:
            QueryError: a step costs less than nothing, or the heuristic is no number.
        """
        if self.status is not Status.RUNNING:
            return None
        try:
            return next(self._steps)
        except StopIteration:
            return None
        except BaseException:
            # A generator that has raised can't go on, so the search must not claim to.
            self.status = Status.GAVE_UP
            raise

    def run(self, budget_ms: float | None = None, steps: int | None = None) -> Status:
        """Go on until the search is over, or until a budget is spent.

        Args:
            budget_ms: milliseconds to spend. The clock is looked at after each step, so the last
                step may run over.
            steps: how many states to expand at most.

        Returns:
            The status, RUNNING where there is more to do.

        Raises:
            QueryError: as for :meth:`step`; a budget is no number from 0 on.
        """
        budget, left = checked_budget(budget_ms), checked_steps(steps)
        end = math.inf if budget is None else time.perf_counter() + budget
        while left > 0 and self.step() is not None:
            left -= 1
            if budget is not None and time.perf_counter() >= end:
                break
        return self.status

    def cancel(self) -> None:
        """End the search without a path; do nothing where it is over already."""
        if self.status is Status.RUNNING:
            self.status = Status.CANCELLED
            self._steps.close()

    @abstractmethod
    def _search(self) -> Generator[Step[S], None, None]:
        """Make the steps; the search is over where they end."""

    def _found(self, path: list[S], cost: float) -> None:
        self.path, self.cost, self.status = path, cost, Status.FOUND

    def _h(self, state: S) -> float:
        """Return the estimate of a state; raise on what is no estimate."""
        if self._heuristic is None:
            return 0
        h = self._heuristic(state)
        if isinstance(h, bool) or not isinstance(h, Real) or not h >= 0:
            raise QueryError(f"the heuristic of {state!r} is {h!r}", expected="a number from 0 on")
        return _plain(h)

    def _successors(self, state: S) -> Iterator[tuple[S, float]]:
        """Yield the successors of a state; raise on costs that no search can add up."""
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
        """Return the successors of a state in order, each once, with the cheapest step to it."""
        cheapest = dict[S, float]()
        for other, cost in self._successors(state):
            cheapest[other] = min(cost, cheapest.get(other, math.inf))
        return cheapest


def checked_budget(budget_ms: float | None) -> float | None:
    """Return a budget in seconds; None where there is none.

    Raises:
        QueryError: it is no number of milliseconds from 0 on.
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
    """Return the most steps to do; None stands for no limit.

    Raises:
        QueryError: it is no whole number from 0 on.
    """
    if steps is None:
        return 2**62
    if whole_of(steps) < 0:
        raise QueryError(f"steps is {quoted(steps)}", expected="a whole number from 0 on")
    return min(whole_of(steps), 2**62)


def _plain(number: float) -> float:
    """Return a number of numpy as one of Python: sums of narrow ones would wrap."""
    return number.item() if isinstance(number, np.generic) else number
