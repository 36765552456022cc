"""Macro-operators: sequences of steps that count as one, in any state.

R. Korf, "Macro-Operators: A Weak Method for Learning", Artificial Intelligence 26, 1985; the notes
use them for airplanes, which take several steps for one turn. A macro makes some paths shorter in
steps and none cheaper. So searches that promise a cheapest path still find one, and those that
reach deep states with difficulty reach them sooner.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Generic

from bake.search.problem import S, StateSpace
from levelbake.errors import QueryError

#: The state to which a step leads from a state; None where it does not apply.
Operator = Callable[[S], "S | None"]


class WithMacros(Generic[S]):
    """A problem with additional steps that are sequences of steps.

    A macro applies to a state where each of its operators applies in turn, and leads to a successor
    of the problem itself. It costs what its steps cost.

    Example:
        >>> class Line:
        ...     start = 0
        ...     def is_goal(self, state): return state == 7
        ...
        ...     def successors(self, state): return [(state + 1, 1)]
        >>> def ahead(state): return state + 1
        >>> space = WithMacros(Line(), {"three": [ahead] * 3})
        >>> list(space.successors(0))
        [(1, 1), (3, 3)]
        >>> space.in_steps([0, 3, 6, 7])
        [0, 1, 2, 3, 4, 5, 6, 7]
    """

    def __init__(
        self,
        space: StateSpace[S],
        macros: Mapping[str, Sequence[Operator[S]]],
        *,
        alone: bool = False,
    ) -> None:
        """Wrap a problem.

        Args:
            space: the problem.
            macros: the operators of each macro, in order, by its name.
            alone: whether macros replace the steps of the problem. Then paths may cost more than a
                cheapest one of single steps, or not exist.

        Raises:
            QueryError: there is no macro, or one has no operator.
        """
        empty = [name for name, operators in macros.items() if not operators]
        if empty or not macros:
            found = f"the macro {empty[0]!r} has no steps" if empty else "there are no macros"
            raise QueryError(found, expected="at least one operator each")
        self.start = space.start
        self.is_goal = space.is_goal
        self._space, self._macros, self._alone = space, macros, alone
        if hasattr(space, "h"):
            self.h = space.h

    def successors(self, state: S) -> Iterator[tuple[S, float]]:
        """Yield the successors of the problem, then those by applicable macros."""
        if not self._alone:
            yield from self._space.successors(state)
        for operators in self._macros.values():
            path = self._path(state, operators)
            if path is not None:
                yield path[-1], self._length(path)

    def in_steps(self, path: Sequence[S]) -> list[S]:
        """Return a path in steps of the problem alone.

        Raises:
            QueryError: neither a step nor a macro leads from one state of the path to the next.
        """
        whole = list(path[:1])
        for state, after in pairwise(path):
            whole += self._route(state, after)[1][1:]
        return whole

    def names(self, path: Sequence[S]) -> list[str | None]:
        """Return the name of the macro of each step of a path; None for a step of the problem.

        Raises:
            QueryError: as for :meth:`in_steps`.
        """
        return [self._route(state, after)[0] for state, after in pairwise(path)]

    def _route(self, state: S, after: S) -> tuple[str | None, list[S]]:
        """Return the cheapest macro, or None for a step, between two states, and its states."""
        routes: list[tuple[str | None, list[S]]] = []
        if not self._alone and self._cost(state, after) < math.inf:
            routes.append((None, [state, after]))
        for name, operators in self._macros.items():
            path = self._path(state, operators)
            if path is not None and path[-1] == after:
                routes.append((name, path))
        if not routes:
            raise QueryError(f"no step and no macro leads from {state!r} to {after!r}")
        return min(routes, key=lambda route: self._length(route[1]))

    def _path(self, state: S, operators: Sequence[Operator[S]]) -> list[S] | None:
        """Return the states after each operator in turn; None if one does not apply."""
        path = [state]
        for operator in operators:
            after = operator(path[-1])
            if after is None or self._cost(path[-1], after) == math.inf:
                return None
            path.append(after)
        return path

    def _length(self, path: Sequence[S]) -> float:
        return sum(self._cost(*step) for step in pairwise(path))

    def _cost(self, state: S, after: S) -> float:
        """Return the cost of the cheapest step between two states; infinite without any step."""
        costs = (cost for other, cost in self._space.successors(state) if other == after)
        return min(costs, default=math.inf)
