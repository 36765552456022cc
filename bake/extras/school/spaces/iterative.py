"""Iterative-deepening searches, by f (IDA*) or by steps (IDDFS).

R. Korf, "Depth-First Iterative-Deepening: An Optimal Admissible Tree Search", 1985. They hold the
states of one path alone, and expand states again for every path that leads to them.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator, Mapping
from types import MappingProxyType

from bake.search.problem import Heuristic, S, Search, StateSpace, Status, Step


class IterativeDeepening(Search[S]):
    """Depth-first search under a limit of f that rises to the least f beyond it.

    Paths are shortest where h is admissible. Where few paths have the same cost, as with costs that
    are no whole numbers, each limit may bring one new path, and the search takes very long. By
    steps, the limit is a number of steps, and the path has the fewest steps at any cost.

    Attributes:
        limit: the limit at present.
        limits: how many limits there were.
    """

    def __init__(
        self, space: StateSpace[S], h: Heuristic[S] | None, *, by_steps: bool = False
    ) -> None:
        """Begin a search.

        Args:
            space: the problem.
            h: the heuristic; None = 0.
            by_steps: whether the limit is one of steps, which no heuristic guides.
        """
        self._by_steps = by_steps
        self.limit = 0.0
        self.limits = 0
        self._on_path = dict[S, float]()
        super().__init__(space, h)

    @property
    def open(self) -> Mapping[S, float]:
        """None: it holds no open list."""
        return {}

    @property
    def closed(self) -> Mapping[S, float]:
        """The states of the current path, with their g."""
        return MappingProxyType(self._on_path)

    def _search(self) -> Generator[Step[S], None, None]:
        start = self._space.start
        self.limit = 0 if self._by_steps else self._h(start)
        while self.limit < math.inf:
            self.limits += 1
            beyond = yield from self._under_limit(start)
            if self.status is Status.FOUND:
                return
            self.limit = beyond
        self.status = Status.NO_PATH

    def _under_limit(self, start: S) -> Generator[Step[S], None, float]:
        """Search under the limit; return the least f beyond it."""
        beyond = math.inf
        self._on_path.clear()
        # The remaining successors of each state on the path.
        ahead: list[tuple[S, Iterator[tuple[S, float]]]] = []
        entered: tuple[S, S, float, float] | None = (start, start, 0, self._h(start))
        while entered is not None or ahead:
            if entered is None:
                state, successors = ahead[-1]
                entered, over = self._next(state, successors)
                beyond = min(beyond, over)
                if entered is None:
                    ahead.pop()
                    del self._on_path[state]
                continue
            state, parent, g, h = entered
            entered = None
            self._on_path[state] = g
            self.most_held = max(self.most_held, len(self._on_path))
            if self._space.is_goal(state):
                self._found(list(self._on_path), g)
                yield Step(state, parent, g, h, g + h, ())
                return beyond
            found = list(self._cheapest_successors(state).items())
            ahead.append((state, iter(found)))
            yield Step(state, parent, g, h, g + h, tuple((s, g + c, g + c) for s, c in found))
        return beyond

    def _next(
        self, state: S, successors: Iterator[tuple[S, float]]
    ) -> tuple[tuple[S, S, float, float] | None, float]:
        """Return the next successor under the limit, and the least beyond it of the others."""
        beyond = math.inf
        for other, cost in successors:
            if other in self._on_path:
                continue
            g = self._on_path[state] + cost
            h = self._h(other)
            least = len(self._on_path) if self._by_steps else g + h
            if least <= self.limit:
                return (other, state, g, h), beyond
            beyond = min(beyond, least)
        return None, beyond
