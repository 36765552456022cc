"""Search within a fixed number of states: simplified memory-bounded A* (SMA*).

S. Russell, "Efficient Memory-Bounded Search Methods", ECAI 1992. The f of a dropped path is stored
at its parent, as in J. Lovinger, X. Zhang, "Enhanced Simplified Memory-bounded A Star (SMA*+)",
2017.

Both search trees, in which every route to a state is a path of its own. On cells there are very
many, so this search also removes *dominated* paths: those that end in a state to which another path
that is held costs no more and has no more steps. A dropped path has a backed-up f at an ancestor
and can return, so it still counts; a dominated one never returns. Steps count beside the cost
because a path of more states may not fit the memory.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from itertools import count
from typing import Generic

from bake.search.problem import Heuristic, S, Search, StateSpace, Status, Step

#: Queues are rebuilt when they have this many entries for each state that is held.
_STALE = 4

#: A search gives up after this many expansions for each state that it may hold, and after no fewer
#: than LEAST_EXPANDED: one that still runs then expands the same states again and again.
# limit: the search gives up; tests/extras/school/spaces/test_bounded.py
EXPANDED_FOR_EACH = 500
# limit: the search gives up; tests/extras/school/spaces/test_bounded.py
LEAST_EXPANDED = 10_000


@dataclass(eq=False)
class _Node(Generic[S]):
    """A stored path: its last state, the path before it, and its dropped successors."""

    state: S
    before: _Node[S] | None
    g: float
    h: float
    #: the least that a path through this node may cost; of an expanded node, by dropped successors
    f: float
    depth: int
    held: dict[S, _Node[S]] = field(default_factory=dict)  #: successors that are held
    dropped: dict[S, float] = field(default_factory=dict)  #: f of each dropped successor
    expanded: bool = False
    ticket: int = -1  #: number of its entry in the queues; -1 = it has none


class MemoryBounded(Search[S]):
    """A* that drops the worst path when its memory is full.

    Paths are shortest where h is admissible and the states of a shortest path fit the memory; where
    no path fits, the search gives up. Where A* would hold many more states than fit, it expands
    states again and again, so it gives up after ``most_expanded`` expansions, too.

    Attributes:
        most_expanded: how many states it expands at most.
    """

    def __init__(
        self,
        space: StateSpace[S],
        h: Heuristic[S] | None,
        memory: int,
    ) -> None:
        """Begin a search.

        Args:
            space: the problem.
            h: the heuristic; None = 0.
            memory: how many states may be held, those of all paths counted; at least 2.
        """
        self._memory = memory
        self.most_expanded = max(LEAST_EXPANDED, EXPANDED_FOR_EACH * memory)
        self._held = 0
        self._numbers = count()
        # The same nodes twice, the best first and the worst first; old entries are passed over.
        self._best: list[tuple[float, int, int, _Node[S]]] = []
        self._worst: list[tuple[float, int, int, _Node[S]]] = []
        self._waiting = dict[int, _Node[S]]()
        self._paths_to = dict[S, list[_Node[S]]]()
        super().__init__(space, h)

    @property
    def open(self) -> Mapping[S, float]:
        return {node.state: node.f for node in self._waiting.values() if node.f < math.inf}

    @property
    def closed(self) -> Mapping[S, float]:
        return {
            state: min(node.g for node in nodes if node.expanded)
            for state, nodes in self._paths_to.items()
            if any(node.expanded for node in nodes)
        }

    def _search(self) -> Generator[Step[S], None, None]:
        h = self._h(self._space.start)
        root = _Node(self._space.start, None, 0, h, h, 0)
        self._hold(root)
        while (node := self._take()) is not None and node.f < math.inf:
            parent = node.state if node.before is None else node.before.state
            f = node.f
            if not node.expanded and self._space.is_goal(node.state):
                self._found(_path_to(node), node.g)
                yield Step(node.state, parent, node.g, node.h, f, ())
                return
            if self.expanded >= self.most_expanded:
                self.least_lost = min(self.least_lost, f)
                break
            opened = self._expand(node)
            self.most_held = max(self.most_held, self._held)
            while self._held > self._memory:
                self._drop()
            yield Step(node.state, parent, node.g, node.h, f, opened)
        self.status = Status.GAVE_UP if self.least_lost < math.inf else Status.NO_PATH

    def _expand(self, node: _Node[S]) -> tuple[tuple[S, float, float], ...]:
        """Add the successors of a node; of a node expanded before, only its dropped ones."""
        again = dict(node.dropped) if node.expanded else None
        node.dropped.clear()
        depth, f_before = node.depth + 1, node.f
        node.expanded = True
        opened = []
        for state, cost in self._cheapest_successors(node.state).items():
            g = node.g + cost
            if (again is not None and state not in again) or self._is_dominated(state, g, depth):
                continue
            h = self._h(state)
            f = max(f_before, g + h) if again is None else again[state]
            if depth == self._memory - 1 and not self._space.is_goal(state):
                self.least_lost = min(self.least_lost, f)
                continue
            if f == math.inf:
                continue
            self._hold(_Node(state, node, g, h, f, depth))
            opened.append((state, g, f))
        self._settle(node)
        return tuple(opened)

    def _is_dominated(self, state: S, g: float, depth: int) -> bool:
        """Return True if a stored path dominates a new one, and remove paths that it dominates."""
        nodes = self._paths_to.get(state, ())
        if any(node.g <= g and node.depth <= depth for node in nodes):
            return True
        for node in [node for node in nodes if node.g >= g and node.depth >= depth]:
            if node in self._paths_to.get(state, ()):  # Not removed with another one yet.
                parent = node.before
                self._remove(node)
                assert parent is not None  # Nothing costs less than the root, or has fewer steps.
                self._settle(parent)
        return False

    def _remove(self, node: _Node[S]) -> None:
        """Remove a node and its descendants."""
        if node.before is not None:
            del node.before.held[node.state]
        left = [node]
        while left:
            gone = left.pop()
            left += gone.held.values()
            self._waiting.pop(gone.ticket, None)
            gone.ticket = -1
            self._held -= 1
            others = self._paths_to[gone.state]
            others.remove(gone)
            if not others:
                del self._paths_to[gone.state]

    def _settle(self, node: _Node[S]) -> None:
        """Queue an expanded node by the f of its dropped successors; dead ends drop first."""
        node.f = min(node.dropped.values(), default=math.inf)
        if node.dropped or not node.held:
            self._insert(node)

    def _drop(self) -> None:
        """Drop the worst leaf, the shallowest of these, and store its f at its parent."""
        while True:
            *_, number, node = heappop(self._worst)
            if node.ticket == -number and not node.held and node.before is not None:
                break
        parent = node.before
        self._remove(node)
        if node.f < math.inf:
            parent.dropped[node.state] = node.f
        self._settle(parent)

    def _hold(self, node: _Node[S]) -> None:
        if node.before is not None:
            node.before.held[node.state] = node
        self._held += 1
        self._paths_to.setdefault(node.state, []).append(node)
        self._insert(node)

    def _insert(self, node: _Node[S]) -> None:
        """Insert a node into the queue, or update it."""
        self._waiting.pop(node.ticket, None)
        number = node.ticket = next(self._numbers)
        self._waiting[number] = node
        heappush(self._best, (node.f, -node.depth, number, node))
        heappush(self._worst, (-node.f, node.depth, -number, node))
        for queue, sign in ((self._best, 1), (self._worst, -1)):
            if len(queue) > _STALE * (self._memory + 1):
                queue[:] = [
                    (sign * each.f, -sign * each.depth, sign * ticket, each)
                    for ticket, each in self._waiting.items()
                ]
                heapify(queue)

    def _take(self) -> _Node[S] | None:
        """Remove and return the best node; of equal ones the deepest, then the oldest."""
        while self._best:
            *_, number, node = heappop(self._best)
            if node.ticket == number:
                del self._waiting[number]
                node.ticket = -1
                return node
        return None


def _path_to(node: _Node[S]) -> list[S]:
    path = [node.state]
    while node.before is not None:
        node = node.before
        path.append(node.state)
    return path[::-1]
