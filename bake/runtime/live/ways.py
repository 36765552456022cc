"""Answer about single pairs on a changed level: by a contraction hierarchy that follows it.

There is one hierarchy for each profile, and its weights are those of the newest version. Whoever
asks about an earlier one, or asks while the hierarchy cannot answer, is told so and takes a flow
field. Next hops come as the beginning of a whole path, which is remembered: an agent mostly asks
next from where it was sent.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from bake.arrays import BoolArray, Float64Array, Int32Array, Int64Array
from bake.graph import INFINITY
from bake.runtime.live.fields import as_ticks
from bake.runtime.live.state import ProfileState, Repriced

if TYPE_CHECKING:
    from bake.search.contraction.hierarchy import ContractionHierarchy
    from bake.search.live.hop_memory import HopMemory

#: Steps of a path that are remembered.
REMEMBERED = 32

#: About what things take, in nanoseconds: an arc that a query climbs, what a query takes beside
#: that, and an arc of a sweep.
CLIMB_NS, QUERY_NS, SWEEP_NS = 0.7, 3000.0, 4.5

#: Pairs that flow fields answer after arcs came that the hierarchy does not know, before it is
#: built anew. As many fields take about as long as building it.
PATIENCE = 128


class ExactWays:
    """The contraction hierarchy of a profile; threads may share it."""

    def __init__(self, lattice: Callable[[Int32Array], Int32Array | None]) -> None:
        """Build nothing yet.

        Args:
            lattice: gives (k, 2) int32 coordinates of k locations; None on graphs.
        """
        self._lattice = lattice
        self._lock = threading.Lock()
        self._hierarchy: ContractionHierarchy | None = None
        self._memory: HopMemory | None = None
        self._state: ProfileState | None = None
        self._hopeless = False
        self._wait = 0

    # -- versions ---------------------------------------------------------------------------------

    def begin(self, state: ProfileState) -> None:
        """Answer for the first version."""
        with self._lock:
            self._state, self._hierarchy = state, None

    def answers_for(self, state: ProfileState) -> bool:
        """Tell whether this is the version that is answered for."""
        return state is self._state

    def follow(self, state: ProfileState, changed: Repriced) -> None:
        """Take the weights of the next version; from now on only that is answered for.

        Args:
            state: the version.
            changed: the pairs of rows between which arcs changed, since the version before.
        """
        tail, head, ticks = changed
        with self._lock:
            self._state = state
            if self._hierarchy is None or self._memory is None:
                return
            self._memory.clear()
            known = state.row_count <= self._hierarchy.node_count
            if not known or not self._hierarchy.reprice(tail, head, ticks):
                self._hierarchy = None
                self._wait = PATIENCE

    def is_ready(self, state: ProfileState) -> bool:
        """Tell whether there is nothing to prepare for a version."""
        return self._hopeless or (state is self._state and self._hierarchy is not None)

    def prepare(self, state: ProfileState) -> None:
        """Build the hierarchy now, if there is none and it is of use."""
        with self._lock:
            self._wait = 0
            self._ready(state, 0)

    def warm_up(self, state: ProfileState) -> None:
        """Build the hierarchy ahead of the first change, and compile or load what it takes.

        Args:
            state: the newest version.
        """
        self.prepare(state)
        if self._hierarchy is not None:
            with self._lock:
                self._hierarchy.warm_up()
            ends = np.zeros(1, dtype=np.int32), np.ones(1, dtype=np.int32)
            self.next_row(state, 0, 1)
            self.recall(state, *ends)
            self.ticks_between(state, *ends)
            self.ticks(state, 0, 1)

    def _ready(self, state: ProfileState, pairs: int) -> ContractionHierarchy | None:
        """Return the hierarchy if it answers for a version; it is built when first needed.

        Args:
            pairs: how many pairs are asked for.
        """
        if state is not self._state or self._hopeless:
            return None
        if self._hierarchy is None:
            from bake.search.contraction.hierarchy import is_compiled

            if not is_compiled():
                return None
            if self._wait > 0:
                self._wait -= pairs
                return None
            from bake.search.live.hop_memory import HopMemory

            self._memory = HopMemory()
            self._hierarchy = self._built(state)
            self._hopeless = self._hierarchy is None
        return self._hierarchy

    def _built(self, state: ProfileState) -> ContractionHierarchy | None:
        from bake.search.contraction.hierarchy import ContractionHierarchy
        from bake.search.contraction.tree import joined_pairs

        out, into = state.graph.out, state.graph.into
        structure = joined_pairs((out.begin, out.end, out.to), (into.begin, into.end, into.to))
        graph, weight = out.compact()
        at = self._lattice(state.location)
        return ContractionHierarchy.of(structure, at, graph, weight)

    # -- questions --------------------------------------------------------------------------------

    def shared(self, state: ProfileState, goals: Int32Array) -> BoolArray | None:
        """Tell for which pairs flow fields take less time than single queries.

        Args:
            goals: (k) int32, the goal of each pair.

        Returns:
            (k) bool; None where fields have to answer for all of them.
        """
        with self._lock:
            hierarchy = self._ready(state, 0)
            if hierarchy is None:
                return None
            pair_ns = hierarchy.climbed * CLIMB_NS + QUERY_NS
            sweep_ns = hierarchy.arc_count * SWEEP_NS
        from bake.search.contraction.sweep import LANES

        dear = np.zeros(len(goals), dtype=np.bool_)
        if len(goals) * pair_ns < sweep_ns:
            return dear
        each, place, count = np.unique(goals, return_inverse=True, return_counts=True)
        order = np.argsort(-count, kind="stable")
        together = np.add.reduceat(count[order], np.arange(0, len(each), LANES))
        for begin in (np.flatnonzero(together * pair_ns > sweep_ns) * LANES).tolist():
            dear[np.isin(place, order[begin : begin + LANES])] = True
        return dear

    def sweep(self, state: ProfileState, goals: Int32Array) -> None:
        """Make the flow fields of some goals side by side, if the hierarchy answers."""
        from bake.search.contraction.sweep import LANES
        from bake.search.live.descent import Lanes

        with self._lock:
            hierarchy = self._ready(state, 0)
            if hierarchy is None:
                return
            for begin in range(0, len(goals), LANES):
                some = goals[begin : begin + LANES]
                lanes = Lanes(hierarchy.fields(some), hierarchy.rank)
                state.fields.keep(some.tolist(), lanes)

    def next_row(self, state: ProfileState, row: int, goal: int) -> int | None:
        """Return the row to step to, -1 where there is no path; None where fields have to answer.

        The row is not the goal.
        """
        with self._lock:
            hierarchy = self._ready(state, 1)
            if hierarchy is None or self._memory is None:
                return None
            known = self._memory.recall_one(row, goal)
            if known is not None:
                return known
            path = hierarchy.path(row, goal, REMEMBERED + 1)
            first = np.array([0, len(path)])
            ends = np.array([[row], [goal]], dtype=np.int32)
            self._memory.remember(ends[0], ends[1], first, path)
            return int(path[1]) if len(path) else -1

    def recall(
        self, state: ProfileState, rows: Int32Array, goals: Int32Array
    ) -> tuple[Int32Array, Int64Array]:
        """Return (k) int32 next rows as far as they are remembered, and the pairs that are not."""
        with self._lock:
            if state is not self._state or self._memory is None:
                return np.full(len(rows), -1, dtype=np.int32), np.arange(len(rows))
            return self._memory.recall(rows, goals)

    def next_rows(
        self, state: ProfileState, rows: Int32Array, goals: Int32Array
    ) -> Int32Array | None:
        """Return (k) int32 next rows, -1 where there is no path; None where fields have to answer.

        No row is its own goal.
        """
        with self._lock:
            hierarchy = self._ready(state, len(rows))
            if hierarchy is None or self._memory is None:
                return None
            first, path = hierarchy.paths(rows, goals, REMEMBERED + 1)
            self._memory.remember(rows, goals, first, path)
            ahead = np.full(len(rows), -1, dtype=np.int32)
            far = np.diff(first) > 0
            ahead[far] = path[first[:-1][far] + 1]
            return ahead

    def ticks_between(
        self, state: ProfileState, rows: Int32Array, goals: Int32Array
    ) -> Float64Array | None:
        """Return (k) float64 ticks, inf where there is no path; None as above."""
        with self._lock:
            hierarchy = self._ready(state, len(rows))
            return None if hierarchy is None else as_ticks(hierarchy.distances(rows, goals))

    def ticks(self, state: ProfileState, row: int, goal: int) -> float | None:
        """Return the ticks of a shortest path, inf where there is none; None as above."""
        with self._lock:
            hierarchy = self._ready(state, 1)
            if hierarchy is None:
                return None
            ticks = hierarchy.distance(row, goal)
            return float(ticks) if ticks < INFINITY else float("inf")

    def path(self, state: ProfileState, row: int, goal: int) -> Int32Array | None:
        """Return the rows of a shortest path, none where there is no path; None as above."""
        with self._lock:
            hierarchy = self._ready(state, 1)
            return None if hierarchy is None else hierarchy.path(row, goal)

    def walk(
        self, state: ProfileState, rows: Int32Array, goals: Int32Array
    ) -> tuple[Int64Array, Int32Array] | None:
        """Return the rows of many shortest paths: see :meth:`Tables.walk`; None as above."""
        with self._lock:
            hierarchy = self._ready(state, len(rows))
            return None if hierarchy is None else hierarchy.paths(rows, goals)
