"""Shortest paths that stay up to date while arcs change and their ends move.

    S. Koenig, M. Likhachev, D. Furcy, "Lifelong Planning A*", Artificial Intelligence 155, 2004.
    S. Koenig, M. Likhachev, "D* Lite", AAAI 2002 (the second version, which adds km to keys).
    X. Sun, W. Yeoh, S. Koenig, "Moving Target D* Lite", AAMAS 2010.

The first search is A*; every later one reads only what the changes have affected.
"""

from __future__ import annotations

import numpy as np

from bake.core.arrays import Int32Array, Int64Array
from bake.core.graph import INFINITY
from bake.core.kernels.heap import Heap
from bake.search.incremental.repair import (
    EXPANDED,
    FULL,
    LATE,
    MOST_LATE,
    SIZE,
    TARGET,
    Course,
    Labels,
    compact_heap,
    discard_outside,
    settle,
    update_nodes,
    update_queue,
)
from bake.search.incremental.twins import TwinArcs
from bake.search.point.estimates import Estimate

_NONE = np.empty(0, dtype=np.int64)

#: The initial capacity of a heap, and the amount it grows by.
# limit: the buffer grows; lowered by repairs
_ROOM = 1024


class LifelongPlanning:
    """A shortest path between two fixed nodes of a graph whose weights change.

    Attributes:
        arcs: the graph; report changed weights with :meth:`changed`.

    >>> from bake.search.incremental.twins import twin_arcs
    >>> arcs = twin_arcs(3, np.array([0, 1]), np.array([1, 2]))
    >>> arcs.weight[:] = 4
    >>> search = LifelongPlanning(arcs, Estimate("null"), 0, 2)
    >>> search.ticks(), search.path().tolist()
    (8, [0, 1, 2])
    """

    _forward = True

    def __init__(self, arcs: TwinArcs, estimate: Estimate, start: int, goal: int) -> None:
        """Prepare the search; nothing is expanded yet.

        Args:
            arcs: the graph.
            estimate: a heuristic that stays consistent whatever weights become; see
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
        """Discard all labels, and start a new search between the current ends."""
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
        update_queue(self._labels, self._terms, self._heap, target, root)

    @property
    def expanded(self) -> int:
        """The number of expansions so far."""
        return int(self._labels.state[EXPANDED])

    @property
    def nbytes(self) -> int:
        """The bytes of labels and heap."""
        return sum(label.nbytes for label in self._labels) + self._heap.nbytes

    @property
    def labels(self) -> Int64Array:
        """(n) int64 ticks, the label g of each node; INFINITY without one."""
        return self._labels.g

    def changed(self, arcs: Int64Array) -> None:
        """Mark arcs (k) whose weights have changed, up or down."""
        if len(arcs):
            self._pending.append(arcs)

    def ticks(self) -> int | None:
        """Return the current cost of a shortest path; None if there is no path."""
        self._repair()
        _, root, target = self._course
        ticks = int(self._labels.rhs[target] - self._labels.rhs[root])
        return None if self._labels.rhs[target] >= INFINITY else ticks

    def path(self) -> Int32Array | None:
        """Return (k) int32, the nodes of a shortest path from start to goal, or None."""
        if self.ticks() is None:
            return None
        forward, root, target = self._course
        path = [target]
        while path[-1] != root:
            path.append(int(self._labels.parent[path[-1]]))
        return np.array(path[::-1] if forward else path, dtype=np.int32)

    def _repair(self) -> None:
        if self._labels.state[LATE] > MOST_LATE:
            self._restart()
        self._update_nodes(self._take_pending_nodes())
        while settle(self.arcs, self._labels, self._terms, self._heap, self._course) == FULL:
            self._heap = compact_heap(self._labels, self._heap, len(self._heap) + self._most_arcs)

    def _restart(self) -> None:
        self._expanded = self.expanded
        self._begin()

    def _update_nodes(self, nodes: Int64Array) -> None:
        """Update the lookahead of these nodes, and the keys for the current target."""
        if self._labels.state[SIZE] + len(nodes) > len(self._heap):
            self._heap = compact_heap(self._labels, self._heap, len(nodes) + _ROOM)
        update_nodes(self.arcs, self._labels, self._terms, self._heap, self._course, nodes)

    def _take_pending_nodes(self) -> Int64Array:
        """Return the nodes whose rhs depends on changed arcs, without duplicates, ascending."""
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
    """A shortest path from a moving agent to a fixed goal, while the agent learns arc costs.

    The search runs from the goal toward the agent, so that its labels stay valid when the agent
    moves. The agent learns about arcs near itself, where the search ends, so repairs are short.
    """

    _forward = False

    def move(self, start: int) -> None:
        """Set the position of the agent."""
        self._course = self._course._replace(target=int(start))

    def next_node(self) -> int:
        """Return the next node; the goal itself at the goal, -1 if there is no path."""
        if self.ticks() is None:
            return -1
        _, root, target = self._course
        return root if target == root else int(self._labels.parent[target])


class MovingTargetDStarLite(LifelongPlanning):
    """A shortest path from a hunter to its target, both of which move.

    The search runs from the hunter to the target. After the hunter has moved, the part of the
    search tree below it stays; all other labels are discarded unless they follow from that part.
    After the target has moved, keys are adjusted as D* Lite does for a moving agent.
    """

    _hunter: int | None = None
    _way: Int32Array | None = None

    def move(self, hunter: int, target: int) -> None:
        """Set the positions of hunter and target."""
        self._hunter = int(hunter)
        self._course = self._course._replace(target=int(target))

    def next_node(self) -> int:
        """Return the next node; the target itself at the target, -1 if there is no path."""
        path = self.path()
        if path is None:
            return -1
        return int(path[min(1, len(path) - 1)])

    def ticks(self) -> int | None:
        """Return the current cost of a shortest path; None if there is no path."""
        ticks = super().ticks()
        # Labels count from the hunter's first node, and count as unreachable when they grow too
        # large.
        if ticks is None and self._labels.rhs[self._course.root] > 0:
            self._restart()
            ticks = super().ticks()
        return ticks

    def _repair(self) -> None:
        root, hunter = self._course.root, self._hunter
        self._hunter = None
        if hunter is not None and hunter != root:
            labels = self._labels
            self._course = self._course._replace(root=hunter)
            # Only a node whose label is final can become the root.
            if labels.g[hunter] == labels.rhs[hunter] < MOST_LATE // 2:
                cut = np.empty(self.arcs.node_count, dtype=np.int32)
                size = discard_outside(self.arcs, labels, root, hunter, cut)
                self._update_nodes(cut[:size].astype(np.int64))
            else:
                self._restart()
        super()._repair()
