"""Search within so many states: simplified memory-bounded A* (SMA*).

S. Russell, "Efficient Memory-Bounded Search Methods", ECAI 1992; what is dropped is remembered at
its parent as in J. Lovinger, X. Zhang, "Enhanced Simplified Memory-bounded A Star (SMA*+)", 2017.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count
from typing import Generic

from bake.search.problem import Heuristic, S, Search, StateSpace, Status, Step


@dataclass(eq=False)
class _Node(Generic[S]):
    """A path that is held: its last state, the path before it, and what was dropped beyond it."""

    state: S
    before: _Node[S] | None
    g: float
    h: float
    #: what it is ordered by: the least that a path through it may cost, as far as is known
    f: float
    depth: int
    held: int = 0  #: how many of its successors are held
    #: the f of each successor that was dropped
    dropped: dict[S, float] = field(default_factory=dict)
    expanded: bool = False
    ticket: int = -1  #: number of its entry in the queues; -1 = it has none


class MemoryBounded(Search[S]):
    """Do as A* does, and drop the worst path held when there is no more room.

    Paths are shortest where h is admissible and the states of a shortest path fit; where no path
    fits, the search gives up. States that several ways lead to are held once for each way.
    """

    def __init__(self, space: StateSpace[S], h: Heuristic[S] | None, memory: int) -> None:
        """Begin a search.

        Args:
            space: the problem.
            h: the heuristic; None = 0.
            memory: how many states may be held, those of all paths counted; at least 2.
        """
        self._memory = memory
        self._held = 0
        self._numbers = count()
        # The same nodes twice, the best first and the worst first; old entries are passed over.
        self._best: list[tuple[float, int, int, _Node[S]]] = []
        self._worst: list[tuple[float, int, int, _Node[S]]] = []
        self._waiting = dict[int, _Node[S]]()
        super().__init__(space, h)

    @property
    def open(self) -> Mapping[S, float]:
        return {node.state: node.f for node in self._waiting.values()}

    @property
    def closed(self) -> Mapping[S, float]:
        found: dict[S, float] = {}
        for node in self._waiting.values():
            before = node.before
            while before is not None and before.state not in found:
                found[before.state] = before.g
                before = before.before
        return found

    def _search(self) -> Generator[Step[S], None, None]:
        h = self._h(self._space.start)
        root = _Node(self._space.start, None, 0, h, h, 0)
        self._held = 1
        self._put(root)
        while (node := self._take()) is not None and node.f < math.inf:
            parent = node.state if node.before is None else node.before.state
            if self._space.is_goal(node.state):
                self._found(self._way_to(node), node.g)
                yield Step(node.state, parent, node.g, node.h, node.f, ())
                return
            opened = self._expand(node)
            self.most_held = max(self.most_held, self._held)
            while self._held > self._memory:
                self._drop()
            yield Step(node.state, parent, node.g, node.h, node.f, opened)
        self.status = Status.GAVE_UP if self.least_lost < math.inf else Status.NO_PATH

    def _expand(self, node: _Node[S]) -> tuple[tuple[S, float, float], ...]:
        """Hold the successors of a node; those that were dropped, where it was expanded before."""
        again = dict(node.dropped) if node.expanded else None
        node.dropped.clear()
        on_path = set(self._way_to(node))
        cheapest = dict[S, float]()
        for state, cost in self._successors(node.state):
            if state not in on_path and (again is None or state in again):
                cheapest[state] = min(cost, cheapest.get(state, math.inf))
        depth = node.depth + 1
        for state, cost in cheapest.items():
            g, h = node.g + cost, self._h(state)
            if again is not None:
                f = again[state]
            elif depth == self._memory - 1 and not self._space.is_goal(state):
                self.least_lost = min(self.least_lost, max(node.f, g + h))
                f = math.inf
            else:
                f = max(node.f, g + h)
            self._put(_Node(state, node, g, h, f, depth))
        node.expanded = True
        node.held += len(cheapest)
        self._held += len(cheapest)
        if node.held == 0:  # A dead end, which is the first to be dropped.
            node.f = math.inf
            self._put(node)
        new = [each for each in self._waiting.values() if each.before is node]
        return tuple((each.state, each.g, each.f) for each in new)

    def _drop(self) -> None:
        """Drop the worst leaf, the shallowest of these, and remember its f at its parent."""
        while True:
            *_, number, node = heappop(self._worst)
            if node.ticket == -number and node.held == 0 and node.before is not None:
                break
        del self._waiting[node.ticket]
        node.ticket = -1
        self._held -= 1
        parent = node.before
        parent.held -= 1
        parent.dropped[node.state] = node.f
        parent.f = min(parent.dropped.values())
        self._put(parent)

    def _put(self, node: _Node[S]) -> None:
        """Queue a node, or queue it anew."""
        self._waiting.pop(node.ticket, None)
        number = node.ticket = next(self._numbers)
        self._waiting[number] = node
        heappush(self._best, (node.f, -node.depth, number, node))
        heappush(self._worst, (-node.f, node.depth, -number, node))

    def _take(self) -> _Node[S] | None:
        """Take the best node, the deepest of these, and of these the oldest."""
        while self._best:
            *_, number, node = heappop(self._best)
            if node.ticket == number:
                del self._waiting[number]
                node.ticket = -1
                return node
        return None

    def _way_to(self, node: _Node[S]) -> list[S]:
        path = [node.state]
        while node.before is not None:
            node = node.before
            path.append(node.state)
        return path[::-1]
