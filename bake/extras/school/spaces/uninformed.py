"""Uninformed searches: breadth first and depth first.

E. F. Moore, "The Shortest Path Through a Maze", 1959; R. Tarjan, "Depth-First Search and Linear
Graph Algorithms", SIAM Journal on Computing 1, 1972. Depth-first search with iterative deepening is
:class:`bake.extras.school.spaces.iterative.IterativeDeepening` by steps.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Mapping
from types import MappingProxyType

from bake.search.problem import S, Search, StateSpace, Status, Step


class BreadthFirst(Search[S]):
    """Breadth-first search.

    The path has the fewest steps. It costs the least only where all steps cost the same.
    """

    def __init__(self, space: StateSpace[S]) -> None:
        """Begin a search.

        Args:
            space: the problem.
        """
        self._open = dict[S, float]()
        self._closed = dict[S, float]()
        super().__init__(space, None)

    @property
    def open(self) -> Mapping[S, float]:
        """The states that wait to be expanded, with their g, in order."""
        return MappingProxyType(self._open)

    @property
    def closed(self) -> Mapping[S, float]:
        return MappingProxyType(self._closed)

    def _search(self) -> Generator[Step[S], None, None]:
        start = self._space.start
        parent = {start: start}
        self._open[start] = 0
        waiting = deque([start])
        while waiting:
            state = waiting.popleft()
            g = self._closed[state] = self._open.pop(state)
            if self._space.is_goal(state):
                self._found(_path_to(parent, state), g)
                yield Step(state, parent[state], g, 0, g, ())
                return
            opened = []
            for other, cost in self._cheapest_successors(state).items():
                if other not in parent:
                    parent[other], self._open[other] = state, g + cost
                    waiting.append(other)
                    opened.append((other, g + cost, g + cost))
            self.most_held = max(self.most_held, len(parent))
            yield Step(state, parent[state], g, 0, g, tuple(opened))
        self.status = Status.NO_PATH


class DepthFirst(Search[S]):
    """Depth-first search.

    The path may have any length and cost. Each state is expanded once.
    """

    def __init__(self, space: StateSpace[S]) -> None:
        """Begin a search.

        Args:
            space: the problem.
        """
        self._closed = dict[S, float]()
        # Each state on the path, with its untried successors, the next one last.
        self._path: list[tuple[S, list[tuple[S, float]]]] = []
        super().__init__(space, None)

    @property
    def open(self) -> Mapping[S, float]:
        """The untried successors of the states on the path, with the g they have from there."""
        return {
            other: self._closed[state] + cost
            for state, untried in self._path
            for other, cost in reversed(untried)
            if other not in self._closed
        }

    @property
    def closed(self) -> Mapping[S, float]:
        return MappingProxyType(self._closed)

    def _search(self) -> Generator[Step[S], None, None]:
        start = self._space.start
        entered: tuple[S, S, float] | None = (start, start, 0)
        untried_count = 0
        while entered is not None:
            state, parent, g = entered
            self._closed[state] = g
            if self._space.is_goal(state):
                self._found([*(before for before, _ in self._path), state], g)
                yield Step(state, parent, g, 0, g, ())
                return
            steps = self._cheapest_successors(state)
            opened = tuple((s, g + c, g + c) for s, c in steps.items() if s not in self._closed)
            self._path.append((state, list(reversed(steps.items()))))
            untried_count += len(steps)
            self.most_held = max(self.most_held, len(self._closed) + untried_count)
            yield Step(state, parent, g, 0, g, opened)
            entered = None
            while self._path and entered is None:
                state, untried = self._path[-1]
                if not untried:
                    self._path.pop()
                    continue
                other, cost = untried.pop()
                untried_count -= 1
                if other not in self._closed:
                    entered = other, state, self._closed[state] + cost
        self.status = Status.NO_PATH


def _path_to(parent: Mapping[S, S], state: S) -> list[S]:
    path = [state]
    while parent[path[-1]] != path[-1]:
        path.append(parent[path[-1]])
    return path[::-1]
