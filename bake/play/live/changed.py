"""Answer on a level that has changed since it was baked, or whose asset holds no next hops.

A contraction hierarchy answers, which follows every change, or flow fields where many queries share
a goal, or where the hierarchy cannot. Until the kernels of both are loaded, the reader's code
answers. While every arc costs what it did, the baked tables answer as far as there are any.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import NamedTuple, TypeVar, cast

import numpy as np

from bake.core.arrays import BoolArray, Float64Array, Int32Array, Int64Array
from bake.core.graph import INFINITY
from bake.core.kernels.jit import may_wait
from bake.play.live.exact import ExactHierarchy
from bake.play.live.fields import FlowFields, paths_of
from bake.play.live.known import ReaderSolver
from bake.play.live.state import ProfileState
from bake.play.reader.engine import Baked
from bake.play.reader.lookup import WRONG, FastLookup, NextHop, fast_lookup
from bake.play.reader.version import Version
from bake.search.contraction.query import DistancesTo
from bake.search.live.flow_field import as_ticks
from bake.search.live.next_hops import NextHops
from levelbake.errors import QueryError
from levelbake.hops import view_of
from levelbake.places import Cell, Place

T = TypeVar("T")


class Followed(NamedTuple):
    """What answers for one version of a profile."""

    state: ProfileState  #: the arcs of the version
    hierarchy: ExactHierarchy  #: the hierarchy of the newest version
    #: returns the reader's solver; None where the reader cannot represent the version
    solver: Callable[[], ReaderSolver | None]


class Changed:
    """An engine for one version of a profile: see :class:`bake.play.reader.engine.Engine`.

    Attributes:
        version: the rows that it answers for, and their components.
        baked: the engine of the level as it was baked.
    """

    def __init__(
        self,
        version: Version,
        baked: Baked,
        followed: Callable[[], Followed],
        *,
        as_baked: bool,
    ) -> None:
        """Make nothing yet.

        Args:
            followed: returns what answers for the version. Its arcs may have further rows, on
                which nobody can stand.
            as_baked: whether every arc costs what it did, and no row is new.
        """
        self.version, self.baked = version, baked
        self._follow = followed
        self._as_baked = as_baked
        self._by_hops = as_baked and baked.version.has_hops
        self._by_labels = as_baked and baked.version.has_distances

    @cached_property
    def _followed(self) -> Followed:
        return self._follow()

    @property
    def state(self) -> ProfileState:
        """Return the arcs of the version."""
        return self._followed.state

    @property
    def _hierarchy(self) -> ExactHierarchy:
        return self._followed.hierarchy

    @property
    def _solver(self) -> ReaderSolver | None:
        """Return the reader's solver while it has to answer; None where other code does."""
        followed = self._followed
        if followed.hierarchy.is_built(followed.state):
            return None
        solver = self._reader_solver
        return solver if solver and followed.hierarchy.is_pending(followed.state) else None

    @cached_property
    def _reader_solver(self) -> ReaderSolver | None:
        return None if may_wait() else self._followed.solver()

    @cached_property
    def fields(self) -> FlowFields:
        """Return the flow fields of goals asked for."""
        return FlowFields(self.state.arcs, self._hierarchy.baked_hops)

    # -- components -------------------------------------------------------------------------------

    def reaches(self, row: int, goal: int) -> bool:
        if self._as_baked:
            joined = self.baked.version.joined(row, goal)
            return self.hop(row, goal) >= 0 if joined is None else joined
        if self.version.by_sheet:
            return bool(self.version.joined(row, goal))
        return bool(np.isfinite(self.ticks(row, goal)))

    def known_apart(self, row: int, goal: int) -> bool:
        if self._as_baked:
            return self.baked.known_apart(row, goal)
        if self.version.by_sheet or "component_of_row" in vars(self.version):
            return self.version.joined(row, goal) is False
        ready = self._hierarchy.is_ready(self.state)
        return ready and self._hierarchy.ticks(self.state, row, goal) == np.inf

    def _check_one(self, row: int, goal: int) -> None:
        self._check_scale(np.ones(1, dtype=np.bool_), *_one(row, goal))

    def _check_scale(self, lost: BoolArray, rows: Int32Array, goals: Int32Array) -> None:
        """Refuse to call a path none because it is too long to be counted.

        Args:
            lost: (k) bool, True where no path was found.
            rows, goals: (k) int32.

        Raises:
            QueryError: there is a path between such a pair.
        """
        if not self._as_baked or not lost.any():
            return
        version = self.baked.version
        known = lost & (rows < version.row_count) & (goals < version.row_count)
        component = version.component_of_row
        if (component[rows[known]] == component[goals[known]]).any():
            raise QueryError(
                f"the path costs {INFINITY:,} ticks or more, and the reader counts no further",
                place=f"level {version.places.name!r}",
                remedy="bake with smaller costs, or lower ticks_per_unit",
            )

    # -- one pair ---------------------------------------------------------------------------------

    def hop(self, row: int, goal: int) -> int:
        if self._by_hops:
            return self.baked.hop(row, goal)
        if (solver := self._solver) is not None:
            return solver.hop(row, goal)
        ahead = self._hierarchy.next_row(self.state, row, goal)
        if ahead is None:
            ahead = int(self.fields.next_rows(*_one(row, goal))[0])
        if ahead < 0:
            self._check_one(row, goal)
        return ahead

    def way(self, row: int, goal: int) -> Int32Array | None:
        if self._by_hops:
            return self.baked.way(row, goal)
        if (solver := self._solver) is not None:
            return solver.way(row, goal)
        path = self._hierarchy.ask(self.state, 1, lambda hops: hops.path(row, goal))
        if path is None:
            _, path = self.fields.walk(*_one(row, goal))
        if len(path):
            return path
        self._check_one(row, goal)
        return None

    def ticks(self, row: int, goal: int) -> float:
        if self._by_hops or self._by_labels:
            return self.baked.ticks(row, goal)
        if (solver := self._solver) is not None:
            return solver.ticks(row, goal)
        ticks = self._hierarchy.ticks(self.state, row, goal)
        if ticks is None:
            ticks = float(self.fields.ticks(*_one(row, goal))[0])
        if ticks == np.inf:
            self._check_one(row, goal)
        return ticks

    def searched(self, row: int, goal: int, search: Callable[[DistancesTo], T]) -> T | None:
        """Return what a search finds by distances: see :meth:`ExactHierarchy.searched`."""
        return self._hierarchy.searched(self.state, row, goal, search)

    # -- many pairs -------------------------------------------------------------------------------

    def hops(self, rows: Int32Array, goals: Int32Array) -> Int32Array:
        ahead = np.full(len(rows), -1, dtype=np.int32)
        if self._by_hops:
            # Rows that opened and closed again may be among them, from which no path leads.
            known = rows < self.baked.version.row_count
            ahead[known] = self.baked.hops(rows[known], goals[known])
            return ahead
        if (solver := self._solver) is not None:
            return solver.hops(rows, goals)
        for pairs, part in self._parts(rows, goals, _next_rows, self.fields.next_rows):
            ahead[pairs] = part
        self._check_scale(ahead < 0, rows, goals)
        return ahead

    def ways(self, rows: Int32Array, goals: Int32Array) -> tuple[Int64Array, Int32Array]:
        if self._by_hops:
            return self.baked.ways(rows, goals)
        if (solver := self._solver) is not None:
            return solver.ways(rows, goals)
        parts = self._parts(rows, goals, _paths, self.fields.walk)
        first, path = paths_of(list(parts), len(rows))
        self._check_scale(first[1:] == first[:-1], rows, goals)
        return first, path

    def ways_in_cells(self, rows: Int32Array, goals: Int32Array) -> tuple[Int64Array, Int32Array]:
        if self._by_hops:
            return self.baked.ways_in_cells(rows, goals)
        first, path = self.ways(rows, goals)
        return first, self.version.cell_of_row.take(path, axis=0)

    def all_ticks(self, rows: Int32Array, goals: Int32Array) -> Float64Array:
        if self._by_hops or self._by_labels:
            return self.baked.all_ticks(rows, goals)
        if (solver := self._solver) is not None:
            return solver.all_ticks(rows, goals)
        ticks = np.empty(len(rows), dtype=np.float64)
        for pairs, part in self._parts(rows, goals, _distances, self.fields.ticks):
            ticks[pairs] = part
        self._check_scale(np.isinf(ticks), rows, goals)
        return ticks

    def toward(self, goal: int) -> Float64Array:
        if self._by_labels:
            return self.baked.toward(goal)
        # There may be further rows, on which nobody can stand.
        if (solver := self._solver) is not None:
            return solver.toward(goal)[: self.version.row_count]
        return self.fields.toward(goal)[: self.version.row_count]

    def _parts(
        self,
        rows: Int32Array,
        goals: Int32Array,
        by_hierarchy: Callable[[NextHops, Int32Array, Int32Array], T],
        by_fields: Callable[[Int32Array, Int32Array], T],
    ) -> Iterator[tuple[Int64Array, T]]:
        """Have pairs answered, by flow fields or by the hierarchy, whichever is cheaper.

        Gives which pairs, and the answers for them.
        """
        pairs, fields = np.arange(len(rows)), self.fields
        shared = fields.has(goals)
        others = np.flatnonzero(~shared)
        if len(others):
            shared[others] = self._hierarchy.shared(self.state, goals[others])
        own = pairs[~shared]
        if len(own):
            found = self._hierarchy.ask(
                self.state, len(own), lambda hops: by_hierarchy(hops, rows[own], goals[own])
            )
            if found is not None:
                yield own, found
                pairs = pairs[shared]
        if len(pairs):
            # More goals at a time would drop the fields of the first before they are used.
            each, place = np.unique(goals[pairs], return_inverse=True)
            for begin in range(0, len(each), fields.most):
                end = begin + fields.most
                some = each[begin:end]
                missing = some[~fields.has(some)]
                if len(missing) > 1:
                    for made, lanes in self._hierarchy.sweep(self.state, missing):
                        fields.keep(made, lanes)
                part = pairs[(place >= begin) & (place < end)]
                yield part, by_fields(rows[part], goals[part])

    # -- fast lookups -----------------------------------------------------------------------------

    def lookup(self, fallback: NextHop) -> FastLookup:
        version = self.version
        if self._by_hops:
            return fast_lookup(version.places, version.row_at, self.baked.cell_lookup, fallback)
        return fast_lookup(version.places, version.known_row, self._cell_lookup, fallback)

    def _cell_lookup(self, row_at: memoryview[int], fallback: NextHop) -> NextHop:
        """Make a lookup between cells of the whole grid: see :mod:`bake.play.reader.lookup`."""
        state, width, hierarchy = self.state, self.version.places.width, self._hierarchy
        location, stands = view_of(state.location), view_of(state.standing)
        solver = self._solver
        version = None if solver is None else solver.version
        by_fields, next_row = self.fields.next_rows, hierarchy.next_row
        is_pending = hierarchy.is_pending

        def next_hop(start: Place, goal: Place) -> Place | None:
            try:
                x, y = cast("Cell", start)
                goal_x, goal_y = cast("Cell", goal)
                if x >= 0 and y >= 0 and goal_x >= 0 and goal_y >= 0:
                    row, goal_row = row_at[y, x], row_at[goal_y, goal_x]
                    stood = row >= 0 and goal_row >= 0 and stands[row] and stands[goal_row]
                    if stood and row != goal_row:
                        if version is not None and is_pending(state):
                            known = version.toward(location[goal_row])
                            flat = known.hop(location[row])
                            return None if flat < 0 else (flat % width, flat // width)
                        ahead = next_row(state, row, goal_row)
                        if ahead is None:
                            ahead = int(by_fields(*_one(row, goal_row))[0])
                        if ahead >= 0:
                            flat = location[ahead]
                            return flat % width, flat // width
            except WRONG:
                pass
            return fallback(start, goal)

        return next_hop


def _next_rows(hops: NextHops, rows: Int32Array, goals: Int32Array) -> Int32Array:
    return hops.next_rows(rows, goals)


def _paths(hops: NextHops, rows: Int32Array, goals: Int32Array) -> tuple[Int64Array, Int32Array]:
    return hops.paths(rows, goals)


def _distances(hops: NextHops, rows: Int32Array, goals: Int32Array) -> Float64Array:
    return as_ticks(hops.hierarchy.distances(rows, goals))


def _one(row: int, goal: int) -> tuple[Int32Array, Int32Array]:
    return np.array([row], dtype=np.int32), np.array([goal], dtype=np.int32)
