"""Answer about single pairs on a changed level: by a contraction hierarchy that follows it.

There is one hierarchy for each profile, and its weights are those of the newest version. Queries
about an earlier one, or while the hierarchy cannot answer, go to a flow field or to the reader's
code, which return the same answers.

Kernels that are in the cache are loaded by a thread from the first change on. The hierarchy is
built by a thread as well, so that no query waits for either.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import TypeVar

import numpy as np

from bake.core.arrays import BoolArray, Int32Array, UInt8Array
from bake.core.graph import INFINITY, Graph
from bake.core.kernels.jit import load_behind, loaded, may_wait
from bake.play.live.state import ChangedArcs, ProfileState
from bake.search.contraction.hierarchy import ContractionHierarchy
from bake.search.contraction.order import dissection_heights
from bake.search.contraction.query import DistancesTo
from bake.search.contraction.sweep import LANES
from bake.search.contraction.tree import joined_pairs
from bake.search.live.baked_hops import BakedHops
from bake.search.live.descent import Lanes
from bake.search.live.kernels import KERNELS
from bake.search.live.next_hops import NextHops, is_compiled
from levelbake.errors import BakeError

T = TypeVar("T")

#: About what things take, in nanoseconds: an arc that a query climbs, what a query takes beside
#: that, and an arc of a sweep.
CLIMB_NS, QUERY_NS, SWEEP_NS = 0.7, 1000.0, 4.5

#: Pairs that flow fields answer after arcs came that the hierarchy does not know, before it is
#: built anew. As many fields take about as long as building it.
# limit: the hierarchy is rebuilt; lowered by contracted_changes
PATIENCE = 128


class ExactHierarchy:
    """The contraction hierarchy of a profile; threads may share it.

    Attributes:
        baked_hops: gives the next hops of the asset.
    """

    def __init__(
        self,
        lattice: Callable[[Int32Array], Int32Array | None],
        heights: Callable[[ProfileState], UInt8Array | None],
        baked_hops: Callable[[], BakedHops],
    ) -> None:
        """Build nothing yet.

        Args:
            lattice: gives (k, 2) int32 coordinates of k locations; None on graphs.
            heights: gives (r) uint8, how high the rows of a version lie in the dissection that was
                baked; None where there is none that fits.
            baked_hops: see above.
        """
        self._lattice, self._heights, self.baked_hops = lattice, heights, baked_hops
        self._lock = threading.Lock()
        self._hops: NextHops | None = None
        self._state: ProfileState | None = None
        self._hopeless = False
        self._wait = 0
        self._is_wanted = self._has_failed = False
        self._builder: threading.Thread | None = None
        # Changes since a thread began to build: rows there are then, and arcs.
        self._since: list[tuple[int, ChangedArcs]] = []

    # -- versions ---------------------------------------------------------------------------------

    def begin(self, state: ProfileState) -> None:
        """Create the engine of the first version, and load kernels in a thread."""
        with self._lock:
            self._state, self._hops = state, None
        with suppress(RuntimeError):  # The process ends, or may start no threads.
            load_behind(KERNELS, self._build_if_wanted)

    def answers_for(self, state: ProfileState) -> bool:
        """Tell whether this is the version that is answered for."""
        return state is self._state

    def follow(self, state: ProfileState, changed: ChangedArcs) -> None:
        """Take the weights of the next version; from now on only that is answered for.

        Args:
            state: the version.
            changed: the arcs that cost something else since the version before.
        """
        with self._lock:
            self._state = state
            if self._builder is not None:
                self._since.append((state.row_count, changed))
            if self._hops is not None and not self._hops.reprice(state.row_count, *changed):
                self._hops = None
                self._wait = PATIENCE

    def is_built(self, state: ProfileState) -> bool:
        """Return whether the hierarchy answers for a version."""
        return self._hops is not None and state is self._state

    def is_pending(self, state: ProfileState) -> bool:
        """Return whether kernels, or the hierarchy of a version, are still being loaded or built.

        The hierarchy is built by a thread once kernels are loaded.
        """
        if self._hops is not None and state is self._state:
            return False
        if not loaded(KERNELS):
            self._is_wanted = True
            return True
        if may_wait() or self._has_failed or self._hopeless:
            return False
        if state is not self._state or self._wait > 0:
            return False
        self._build_behind()
        return self._builder is not None

    def _build_if_wanted(self) -> None:
        if self._is_wanted:
            self._build_behind()

    def _build_behind(self) -> None:
        """Start a thread that builds the hierarchy, unless there is either."""
        with self._lock:
            state = self._state
            if self._builder is None and self._hops is None and state is not None:
                self._since = []
                self._builder = threading.Thread(target=self._build, args=(state,))
                try:
                    self._builder.start()
                except RuntimeError:  # The process ends, or may start no threads.
                    self._builder, self._has_failed = None, True

    def _build(self, state: ProfileState) -> None:
        hops = None
        try:
            hops = self._built(state)
        except BakeError:
            self._has_failed = True  # The next query builds it, and raises the error.
        with self._lock:
            self._builder = None
            if self._has_failed or self._hops is not None:
                return
            self._hops, self._hopeless = hops, hops is None
            for row_count, changed in self._since:
                if self._hops is not None and not self._hops.reprice(row_count, *changed):
                    self._hops, self._wait = None, PATIENCE

    def is_ready(self, state: ProfileState) -> bool:
        """Tell whether there is nothing to prepare for a version."""
        return self._hopeless or (state is self._state and self._hops is not None)

    def prepare(self, state: ProfileState) -> None:
        """Build the hierarchy now, if there is none and it is of use."""
        builder = self._builder
        if builder is not None:
            builder.join()
        with self._lock:
            self._wait = 0
            self._ready(state, 0)

    def warm_up(self, state: ProfileState) -> None:
        """Build the hierarchy ahead of the first change, and compile or load what it takes.

        Args:
            state: the newest version.
        """
        self.prepare(state)
        if self._hops is not None:
            # Where walls have fallen the baked one may not fit any more.
            none = np.zeros(1, dtype=np.int32)
            dissection_heights(Graph(none, none[:0]), None)
            with self._lock:
                self._hops.warm_up()

    def _ready(self, state: ProfileState, pairs: int) -> NextHops | None:
        """Return what answers for a version, if anything does; it is built when first needed.

        Args:
            pairs: how many pairs are asked for.
        """
        if state is not self._state or self._hopeless or self._builder is not None:
            return None
        if self._hops is None:
            if not is_compiled():
                return None
            if self._wait > 0:
                self._wait -= pairs
                return None
            self._hops = self._built(state)
            self._hopeless = self._hops is None
        return self._hops

    def _built(self, state: ProfileState) -> NextHops | None:
        out, into = state.graph.out, state.graph.into
        structure = joined_pairs((out.begin, out.end, out.to), (into.begin, into.end, into.to))
        graph, weight = out.compact()
        at, height = self._lattice(state.location), self._heights(state)
        hierarchy = ContractionHierarchy.of(structure, at, graph, weight, height)
        return None if hierarchy is None else NextHops(hierarchy, out, self.baked_hops())

    # -- questions --------------------------------------------------------------------------------

    def shared(self, state: ProfileState, goals: Int32Array) -> BoolArray:
        """Tell for which pairs flow fields take less time than single queries, or have to answer.

        Args:
            goals: (k) int32, the goal of each pair.

        Returns:
            (k) bool.
        """
        size = self.ask(state, 0, lambda hops: (hops.hierarchy.climbed, hops.hierarchy.arc_count))
        if size is None:
            return np.ones(len(goals), dtype=np.bool_)
        # A goal climbs as far as an asker, but once for all of them.
        goal_ns, sweep_ns = size[0] * CLIMB_NS, size[1] * SWEEP_NS
        pair_ns = goal_ns + QUERY_NS

        expensive = np.zeros(len(goals), dtype=np.bool_)
        if len(goals) * (pair_ns + goal_ns) < sweep_ns:
            return expensive
        each, place, count = np.unique(goals, return_inverse=True, return_counts=True)
        order = np.argsort(-count, kind="stable")
        own_ns = count[order] * pair_ns + goal_ns
        together = np.add.reduceat(own_ns, np.arange(0, len(each), LANES))
        for begin in (np.flatnonzero(together > sweep_ns) * LANES).tolist():
            expensive[np.isin(place, order[begin : begin + LANES])] = True
        return expensive

    def sweep(self, state: ProfileState, goals: Int32Array) -> Iterator[tuple[list[int], Lanes]]:
        """Give flow fields of some goals, made side by side, if the hierarchy answers."""
        for begin in range(0, len(goals), LANES):
            some = goals[begin : begin + LANES]
            lanes = self.ask(state, 0, partial(_lanes, goals=some))
            if lanes is not None:
                yield some.tolist(), lanes

    def ask(self, state: ProfileState, pairs: int, question: Callable[[NextHops], T]) -> T | None:
        """Return the answer to a question; None where flow fields have to give it.

        Args:
            pairs: how many pairs are asked for.
        """
        with self._lock:
            hops = self._ready(state, pairs)
            return None if hops is None else question(hops)

    def next_row(self, state: ProfileState, row: int, goal: int) -> int | None:
        """Return the row to step to, -1 where there is no path; None where fields have to answer.

        At the goal it is the goal.
        """
        with self._lock:
            hops = self._hops if state is self._state else None
            if hops is None and (hops := self._ready(state, 1)) is None:
                return None
            return hops.next_row(row, goal)

    def ticks(self, state: ProfileState, row: int, goal: int) -> float | None:
        """Return the ticks of a shortest path, inf where there is none; None as above."""
        ticks = self.ask(state, 1, lambda hops: hops.hierarchy.distance(row, goal))
        return None if ticks is None else float(ticks) if ticks < INFINITY else float("inf")

    def searched(
        self, state: ProfileState, row: int, goal: int, search: Callable[[DistancesTo], T]
    ) -> T | None:
        """Return what a search finds that is told the distance of any row to the goal.

        The hierarchy answers nobody else meanwhile.

        Args:
            search: called with what tells the distances, unless there is no path from the row.

        Returns:
            What the search returns; None where there is no path, or where fields have to answer.
        """

        def found(hops: NextHops) -> T | None:
            toward = hops.hierarchy.toward(row, goal)
            return None if toward is None else search(toward)

        return self.ask(state, 1, found)


def _lanes(hops: NextHops, goals: Int32Array) -> Lanes:
    return Lanes(hops.hierarchy.fields(goals), hops.hierarchy.rank)
