"""Keep a shortest path up to date while arcs change, and while its ends move.

    S. Koenig, M. Likhachev, D. Furcy, "Lifelong Planning A*", Artificial Intelligence 155, 2004.
    S. Koenig, M. Likhachev, "D* Lite", AAAI 2002 (the second version, which adds km to keys).
    X. Sun, W. Yeoh, S. Koenig, "Moving Target D* Lite", AAMAS 2010.

The first search is A*; every later one looks only at what the changes have touched.
"""

from __future__ import annotations

import numpy as np

from bake.arrays import Int32Array, Int64Array
from bake.graph import INFINITY
from bake.kernels.heap import Heap
from bake.search.incremental.repair import (
    EXPANDED,
    FULL,
    LATE,
    MOST_LATE,
    SIZE,
    TARGET,
    Course,
    Labels,
    cut_loose,
    keep_waiting,
    note_changes,
    settle,
    shrunk,
)
from bake.search.incremental.twins import TwinArcs
from bake.search.point.estimates import Estimate

_NONE = np.empty(0, dtype=np.int64)

#: Room that a heap begins with, and that it grows by.
# limit: the buffer grows; lowered by repairs
_ROOM = 1024


class LifelongPlanning:
    """A shortest path between two nodes, which stay, of a graph whose weights change.

    Attributes:
        arcs: the graph; whoever changes a weight says so by :meth:`changed`.
    """

    _forward = True

    def __init__(self, arcs: TwinArcs, estimate: Estimate, start: int, goal: int) -> None:
        """Begin; nothing is searched yet.

        Args:
            arcs: the graph.
            estimate: a consistent heuristic, whatever weights will become; see
                :class:`bake.search.point.estimates.Estimate`.
            start, goal: nodes.
        """
        self.arcs = arcs
        self._terms = estimate.terms()
        self._course = self._course_of(start, goal)
        self._expanded = 0
        self._pending: list[Int64Array] = []
        self._begin()

    def _course_of(self, start: int, goal: int) -> Course:
        ends = int(start), int(goal)
        return Course(True, *ends) if self._forward else Course(False, *ends[::-1])

    def _begin(self) -> None:
        """Forget everything, and begin anew between the present ends."""
        n, (_, root, target) = self.arcs.node_count, self._course
        state = np.zeros(4, dtype=np.int64)
        state[EXPANDED], state[TARGET] = self._expanded, target
        self._labels = Labels(
            np.full(n, INFINITY, dtype=np.int64),
            np.full(n, INFINITY, dtype=np.int64),
            np.full(n, -1, dtype=np.int64),
            np.full(n, -1, dtype=np.int32),
            state,
        )
        self._heap: Heap = np.empty((_ROOM, 2), dtype=np.int64)
        self._labels.rhs[root] = 0
        self._pending.clear()
        keep_waiting(self._labels, self._terms, self._heap, target, root)

    @property
    def expanded(self) -> int:
        """Return how many nodes were expanded so far, each time counted."""
        return int(self._labels.state[EXPANDED])

    @property
    def nbytes(self) -> int:
        """Return the bytes of labels and heap."""
        return sum(each.nbytes for each in self._labels) + self._heap.nbytes

    @property
    def labels(self) -> Int64Array:
        """Return (n) int64 ticks, the label g of each node; INFINITY where it has none."""
        return self._labels.g

    def changed(self, arcs: Int64Array) -> None:
        """Say that the weights of some arcs (k) have changed; of which way does not matter."""
        if len(arcs):
            self._pending.append(arcs)

    def ticks(self) -> int | None:
        """Return what a shortest path costs as weights are now; None where there is none."""
        self._repair()
        _, root, target = self._course
        found = int(self._labels.rhs[target] - self._labels.rhs[root])
        return None if self._labels.rhs[target] >= INFINITY else found

    def path(self) -> Int32Array | None:
        """Return (k) int32, the nodes of a shortest path from start to goal; None without one."""
        if self.ticks() is None:
            return None
        forward, root, target = self._course
        path = [target]
        while path[-1] != root:
            path.append(int(self._labels.parent[path[-1]]))
        return np.array(path[::-1] if forward else path, dtype=np.int32)

    def _repair(self) -> None:
        if self._labels.state[LATE] > MOST_LATE:
            self._anew()
        self._note(self._nodes_to_look_at())
        while settle(self.arcs, self._labels, self._terms, self._heap, self._course) == FULL:
            self._heap = shrunk(self._labels, self._heap, len(self._heap) + self._most_arcs)

    def _anew(self) -> None:
        self._expanded = self.expanded
        self._begin()

    def _note(self, nodes: Int64Array) -> None:
        """Have these nodes look ahead again, and keys know the present target."""
        if self._labels.state[SIZE] + len(nodes) > len(self._heap):
            self._heap = shrunk(self._labels, self._heap, len(nodes) + _ROOM)
        note_changes(self.arcs, self._labels, self._terms, self._heap, self._course, nodes)

    def _nodes_to_look_at(self) -> Int64Array:
        """Return the nodes whose rhs depends on arcs that have changed, each once, ascending."""
        if not self._pending:
            return _NONE
        arcs = np.concatenate(self._pending)
        self._pending.clear()
        ends = self.arcs.head[arcs] if self._forward else self.arcs.tail(arcs)
        return np.unique(ends).astype(np.int64)

    @property
    def _most_arcs(self) -> int:
        return int(np.diff(self.arcs.first_out).max(initial=0)) + 2


class DStarLite(LifelongPlanning):
    """A shortest path from where an agent is to a goal that stays, while it learns what arcs cost.

    The search runs from the goal toward the agent, so that its labels outlive the agent's moves;
    what the agent learns lies near it, where the search ends, so repairs are short.
    """

    _forward = False

    def move(self, start: int) -> None:
        """Say where the agent is now."""
        self._course = self._course._replace(target=int(start))

    def next_node(self) -> int:
        """Return the node to step to; -1 where no path is left, the goal itself when there."""
        if self.ticks() is None:
            return -1
        _, root, target = self._course
        return root if target == root else int(self._labels.parent[target])


class MovingTargetDStarLite(LifelongPlanning):
    """A shortest path from a hunter to its target, both of which move.

    The search runs from the hunter to the target. When the hunter has moved on, the part of the
    search tree below it is kept and the rest forgotten, as far as it does not follow from what was
    kept. When the target moves, keys are made for its new place as D* Lite makes them for the
    agent's.
    """

    _hunter: int | None = None
    _way: Int32Array | None = None

    def move(self, hunter: int, target: int) -> None:
        """Say where hunter and target are now."""
        self._hunter = int(hunter)
        self._course = self._course._replace(target=int(target))

    def next_node(self) -> int:
        """Return the node to step to; -1 where no path is left, the target itself when there."""
        path = self.path()
        if path is None:
            return -1
        return int(path[min(1, len(path) - 1)])

    def ticks(self) -> int | None:
        """Return what a shortest path costs as weights are now; None where there is none."""
        found = super().ticks()
        # Labels count from where the hunter began, and what lies too far from there counts as none.
        if found is None and self._labels.rhs[self._course.root] > 0:
            self._anew()
            found = super().ticks()
        return found

    def _repair(self) -> None:
        root, hunter = self._course.root, self._hunter
        self._hunter = None
        if hunter is not None and hunter != root:
            labels = self._labels
            self._course = self._course._replace(root=hunter)
            # Only a node whose label is final can be a root.
            if labels.g[hunter] == labels.rhs[hunter] < MOST_LATE // 2:
                cut = np.empty(self.arcs.node_count, dtype=np.int32)
                size = cut_loose(self.arcs, labels, root, hunter, cut)
                self._note(cut[:size].astype(np.int64))
            else:
                self._anew()
        super()._repair()
