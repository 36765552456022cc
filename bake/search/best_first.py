"""Best-first search: A*, Dijkstra's algorithm, greedy and weighted searches, and beams.

P. Hart, N. Nilsson, B. Raphael, "A Formal Basis for the Heuristic Determination of Minimum Cost
Paths", 1968. The beam follows B. Stout, "Smart Moves: Intelligent Pathfinding", 1996: an open list
of limited length, which drops the state with the worst f when it is full.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Mapping
from heapq import heappop, heappush
from itertools import count
from types import MappingProxyType
from typing import Generic, Protocol

from bake.search.problem import Heuristic, S, Search, StateSpace, Status, Step

#: An entry of the open list: (f, -g, a number that breaks ties, state). The least comes first.
Entry = tuple[float, float, int, S]


class OpenList(Protocol[S]):
    """A priority queue of distinct entries: the open list of a search."""

    def __len__(self) -> int:
        """Return the number of entries."""

    def push(self, entry: Entry[S]) -> None:
        """Add an entry."""

    def pop(self) -> Entry[S]:
        """Remove and return the least entry."""

    def discard(self, entry: Entry[S]) -> None:
        """Remove an entry that is no longer valid.

        A list may ignore this: the search skips invalid entries when they are popped.
        """


class LazyHeap(Generic[S]):
    """A binary heap that ignores `discard`."""

    def __init__(self) -> None:
        self._entries: list[Entry[S]] = []

    def __len__(self) -> int:
        return len(self._entries)

    def push(self, entry: Entry[S]) -> None:
        heappush(self._entries, entry)

    def pop(self) -> Entry[S]:
        return heappop(self._entries)

    def discard(self, entry: Entry[S]) -> None:
        """Do nothing: the search skips invalid entries when they are popped."""


class BestFirst(Search[S]):
    """A search that expands the state with the least f = g_share * g + h_share * h.

    Ties go to the larger g, and then to the state opened first. A closed state is reopened when a
    cheaper path to it appears, so an admissible heuristic need not be consistent. A search that
    reopens no states, and whose f leaves out the costs, keeps the first path to each state.

    Attributes:
        reached: the cost of the cheapest known path to each state.
        estimates: the heuristic of each state, as far as it was computed.
        dropped: the number of states that a beam dropped. If it is not 0, the path may not be the
            cheapest one, and NO_PATH becomes GAVE_UP.

    >>> class Countdown:
    ...     start = 3
    ...     def is_goal(self, state): return state == 0
    ...     def successors(self, state): return [(state - 1, 1)]
    >>> search = BestFirst(Countdown(), None)
    >>> search.run().value, search.path, search.cost
    ('found', [3, 2, 1, 0], 3)
    """

    def __init__(
        self,
        space: StateSpace[S],
        h: Heuristic[S] | None,
        g_share: float = 1,
        h_share: float = 1,
        width: int | None = None,
        *,
        reopens: bool = True,
        early_goal_test: bool = False,
        open_list: OpenList[S] | None = None,
    ) -> None:
        """Start a search.

        Args:
            space: the problem.
            h: the heuristic; None = 0.
            g_share, h_share: the weights of g and h in f.
            width: the largest size of the open list; None = no limit.
            reopens: whether to reopen a closed state when a cheaper path to it appears.
            early_goal_test: whether to end as soon as a goal is generated. The path may then cost
                more than a cheapest one: a cheaper path to the goal may still be open.
            open_list: an empty open list; None = a binary heap.
        """
        self._g_share, self._h_share, self._width = g_share, h_share, width
        self._reopens, self._early_goal_test = reopens, early_goal_test
        self._queue: OpenList[S] = LazyHeap[S]() if open_list is None else open_list
        self.reached = dict[S, float]()
        self.estimates = dict[S, float]()
        # The predecessor of each state, and the cost of the step from there.
        self._before = dict[S, tuple[S, float]]()
        self._expanded_states = set[S]()
        self._open = dict[S, float]()
        self._closed = dict[S, float]()
        self.dropped = 0
        super().__init__(space, h)

    @property
    def open(self) -> Mapping[S, float]:
        return MappingProxyType(self._open)

    @property
    def closed(self) -> Mapping[S, float]:
        return MappingProxyType(self._closed)

    def _search(self) -> Generator[Step[S], None, None]:
        numbers = count()
        number = dict[S, int]()
        #: States whose path is final, even if a cheaper one appears.
        settled: Mapping[S, float] = {}
        if not self._reopens:
            settled = self._closed if self._g_share else self.reached
        queue = self._queue
        worst: list[Entry[S]] = []

        def discard(state: S) -> None:
            queue.discard((self._open[state], -self.reached[state], number[state], state))

        def insert(state: S, parent: S, g: float, cost: float) -> float:
            if state not in self.estimates:
                self.estimates[state] = self._h(state)
            if state in self._open:  # The state keeps its rank among equals while it stays open.
                discard(state)
            else:
                number[state] = next(numbers)
            h = self.estimates[state]
            f = math.inf if h == math.inf else self._g_share * g + self._h_share * h
            self.reached[state], self._before[state], self._open[state] = g, (parent, cost), f
            queue.push((f, -g, number[state], state))
            if self._width is not None:
                heappush(worst, (-f, g, -number[state], state))
            return f

        def drop() -> None:
            """Drop the state with the worst f; ties go to the smaller g, then to the latest."""
            while True:
                f, g, _, state = heappop(worst)
                if self._open.get(state) == -f and self.reached[state] == g:
                    discard(state)
                    del self._open[state]
                    if state not in self._expanded_states:  # Otherwise states were reached from it.
                        del self.reached[state], self._before[state]
                    self.dropped += 1
                    self.least_lost = min(self.least_lost, -f)
                    return

        start = self._space.start
        insert(start, start, 0, 0)
        while len(queue):
            f, negative_g, _, state = queue.pop()
            if self._open.get(state) != f or self.reached[state] != -negative_g:
                continue  # A cheaper path appeared since, or the beam dropped it.
            del self._open[state]
            g, h, parent = self.reached[state], self.estimates[state], self._before[state][0]
            self._expanded_states.add(state)
            self._closed[state] = g
            if h == math.inf:  # Every other open f is infinite too.
                break
            if self._space.is_goal(state):
                self._found(*self._path_to(state))
                yield Step(state, parent, g, h, f, ())
                return
            opened = []
            for other, cost in self._successors(state):
                onward = g + cost
                if other in settled:
                    continue
                if onward < self.reached.get(other, math.inf):
                    self._closed.pop(other, None)
                    opened.append((other, onward, insert(other, state, onward, cost)))
                    if self._early_goal_test and self._space.is_goal(other):
                        self._found(*self._path_to(other))
                        yield Step(state, parent, g, h, f, tuple(opened))
                        return
            while self._width is not None and len(self._open) > self._width:
                drop()
            self.most_held = max(self.most_held, len(self._open) + len(self._closed))
            yield Step(state, parent, g, h, f, tuple(opened))
        self.status = Status.GAVE_UP if self.dropped else Status.NO_PATH

    def _path_to(self, state: S) -> tuple[list[S], float]:
        """Return the path to a state and its cost, which may be less than the state's g.

        Under a heuristic that is not admissible, a cheaper path to a state on the way may have
        appeared after the path was extended from it.
        """
        path = [state]
        costs: list[float] = [0]
        while (before := self._before[path[-1]])[0] != path[-1]:
            path.append(before[0])
            costs.append(before[1])
        return path[::-1], sum(reversed(costs))
