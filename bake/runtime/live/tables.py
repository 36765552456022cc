"""Answer from the tables of one profile on a level that has changed since it was baked.

While every arc costs what it did, the baked tables answer. Otherwise a contraction hierarchy does,
which follows every change, or flow fields where many ask for one goal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar, cast

import numpy as np

from bake.arrays import AnyArray, BoolArray, Float64Array, Int32Array, Int64Array, UInt8Array
from bake.graph import BLOCKED, Graph, Subgraph
from bake.runtime.live.edits import LevelState
from bake.runtime.live.fields import paths_of
from bake.runtime.live.state import ProfileState
from bake.runtime.live.versions import ProfileWriter
from bake.runtime.live.ways import ExactWays
from bake.runtime.reader.baked import BakedTables
from bake.runtime.reader.hops import view_of
from bake.runtime.reader.lookup import WRONG, FastLookup, NextHop, fast_lookup
from bake.runtime.reader.places import Cell, Place
from bake.runtime.reader.tables import Tables
from bake.runtime.things import Link

#: The largest closure between one-way components that is worth making, in bytes.
_MAX_CLOSURE = 2**20

if TYPE_CHECKING:
    from bake.search.contraction.query import DistancesTo

T = TypeVar("T")


class ChangedTables(Tables):
    """Tables of one profile after some batches of changes.

    Attributes:
        baked: the tables as they were baked.
        state: the version of the profile that these are the tables of.
    """

    def __init__(
        self, baked: BakedTables, state: ProfileState, writer: ProfileWriter, level: LevelState
    ) -> None:
        super().__init__(baked.places, baked.profile)
        self.baked = baked
        self._state = state
        self._writer = writer
        self._pricing = writer.pricing
        self._level = level

    @property
    def state(self) -> ProfileState:
        return self._state

    @property
    def _ways(self) -> ExactWays:
        return self._writer.ways

    @property
    def changed_terrain(self) -> UInt8Array | None:
        # Values of cells are asked for like arrays, whether or not they are any.
        return cast("UInt8Array", self._level.terrain)

    @property
    def changed_links(self) -> Mapping[str, Link]:
        return self._level.links.now

    @property
    def changed_level(self) -> LevelState:
        return self._level

    # -- rows and arcs ----------------------------------------------------------------------------

    @property
    def location(self) -> Int32Array:
        return self.state.location

    @cached_property
    def cell_of_row(self) -> Int32Array:
        return self._writer.cells_of(self.location)

    @cached_property
    def row_at(self) -> Int32Array:
        if self._stands_as_baked:
            return self.baked.row_at
        row = self.state.known_row.copy()
        row[self.location[~self.state.standing]] = -1
        return row

    @property
    def known_row(self) -> Int32Array:
        return self.state.known_row

    @property
    def standing(self) -> BoolArray:
        return self.state.standing

    @property
    def _stands_as_baked(self) -> bool:
        """Tell whether the profile can stand where it could, and nowhere else."""
        standing, baked = self.state.standing, self.state.baked_rows
        return bool(standing[:baked].all() and not standing[baked:].any())

    @cached_property
    def usable(self) -> Subgraph:
        graph, weight = self.state.graph.out.compact()
        return Subgraph(graph, weight, self.location, np.zeros(graph.arc_count, dtype=np.int32))

    @cached_property
    def _labelled(self) -> tuple[Int32Array, int]:
        from bake.search.graph.connectivity import strong_components

        return strong_components(self.usable.graph)

    @property
    def component_of_row(self) -> Int32Array:
        return self._labelled[0]

    @cached_property
    def component_count(self) -> int:
        return len(np.unique(self.component_of_row[self.state.standing]))

    @cached_property
    def one_way(self) -> bool:
        label, graph = self.component_of_row, self.usable.graph
        return bool((label[graph.tail()] != label[graph.head]).any())

    @cached_property
    def reach(self) -> AnyArray | None:
        from bake.search.graph.connectivity import reachable_components

        label, count = self._labelled
        if not self.one_way or count * ((count + 7) // 8) > _MAX_CLOSURE:
            return None
        return reachable_components(self.usable.graph, label, count)

    def _points(self) -> Float64Array | None:
        points = super()._points()
        if points is not None:
            points[~self.state.standing] = np.inf
        return points

    @cached_property
    def _priced(self) -> tuple[Graph, Float64Array]:
        """Return the arcs that may be taken, and their costs in units before rounding to ticks."""
        rows = np.flatnonzero(self.state.standing)
        arcs = self._pricing.arcs_out_of(self._level, self.location[rows].astype(np.int64))
        usable = np.isfinite(arcs.units)
        row = self.state.known_row
        graph, order = Graph.from_arcs(
            self.row_count, row[arcs.tail[usable]], row[arcs.head[usable]]
        )
        return graph, arcs.units[usable][order]

    @property
    def first_arc(self) -> Int32Array:
        return self._priced[0].first_out[:-1]

    @property
    def end_arc(self) -> Int32Array:
        return self._priced[0].first_out[1:]

    @property
    def head_row(self) -> Int32Array:
        return self._priced[0].head

    @property
    def exact_cost(self) -> Float64Array:
        return self._priced[1]

    @cached_property
    def row_cost(self) -> Float64Array:
        return self._pricing.cost_at(self._level, self.location.astype(np.int64))

    # -- paths between rows -----------------------------------------------------------------------

    @property
    def has_hops(self) -> bool:
        return self.baked.has_hops

    @property
    def has_distances(self) -> bool:
        return self.baked.has_distances

    @cached_property
    def _as_baked(self) -> bool:
        return self.state.as_baked and self.has_hops

    def known_apart(self, row: int, goal: int) -> bool:
        if "_labelled" in vars(self):
            return super().known_apart(row, goal)
        ready = self._ways.is_ready(self.state)
        return ready and self._ways.ticks(self.state, row, goal) == np.inf

    def reaches(self, row: int, goal: int) -> bool:
        return bool(np.isfinite(self.ticks(row, goal)))

    def next_row(self, row: int, goal: int) -> int:
        if self._as_baked:
            return self.baked.next_row(row, goal)
        ahead = self._ways.next_row(self.state, row, goal)
        return int(self._stepped(*_one(row, goal))[0]) if ahead is None else ahead

    def next_rows(self, rows: Int32Array, goals: Int32Array) -> Int32Array:
        if self._as_baked:
            # Rows that opened and closed again may be among them, from which no path leads.
            ahead = np.full(len(rows), -1, dtype=np.int32)
            known = rows < self.state.baked_rows
            ahead[known] = self.baked.next_rows(rows[known], goals[known])
            return ahead
        ahead = np.empty(len(rows), dtype=np.int32)
        for pairs, part in self._parts(rows, goals, self._ways.next_rows, self._stepped):
            ahead[pairs] = part
        return ahead

    def _stepped(self, rows: Int32Array, goals: Int32Array) -> Int32Array:
        return self.state.fields.next_rows(self._writer.baked_hops, rows, goals)

    def _walked(self, rows: Int32Array, goals: Int32Array) -> tuple[Int64Array, Int32Array]:
        return self.state.fields.walk(self._writer.baked_hops, rows, goals)

    def ticks(self, row: int, goal: int) -> float:
        if self._as_baked:
            return self.baked.ticks(row, goal)
        ticks = self._ways.ticks(self.state, row, goal)
        return float(self.state.fields.ticks(*_one(row, goal))[0]) if ticks is None else ticks

    def ticks_between(self, rows: Int32Array, goals: Int32Array) -> Float64Array:
        if self._as_baked:
            return self.baked.ticks_between(rows, goals)
        ticks, fields = np.empty(len(rows), dtype=np.float64), self.state.fields
        for pairs, part in self._parts(rows, goals, self._ways.ticks_between, fields.ticks):
            ticks[pairs] = part
        return ticks

    def ticks_toward(self, goal: int) -> Float64Array:
        return self.state.fields.toward(goal)

    def path(self, row: int, goal: int) -> Int32Array | None:
        if self._as_baked:
            return self.baked.path(row, goal)
        path = self._ways.path(self.state, row, goal)
        if path is None:
            _, path = self._walked(*_one(row, goal))
        return path if len(path) else None

    def walk(self, rows: Int32Array, goals: Int32Array) -> tuple[Int64Array, Int32Array]:
        if self._as_baked:
            return self.baked.walk(rows, goals)
        return paths_of(list(self._parts(rows, goals, self._ways.walk, self._walked)), len(rows))

    def _parts(
        self,
        rows: Int32Array,
        goals: Int32Array,
        by_ways: Callable[[ProfileState, Int32Array, Int32Array], T | None],
        by_fields: Callable[[Int32Array, Int32Array], T],
    ) -> Iterator[tuple[Int64Array, T]]:
        """Have pairs answered, by flow fields or by the hierarchy, whichever is cheaper.

        Gives which pairs, and the answers for them.
        """
        pairs, shared = np.arange(len(rows)), self._shared(goals)
        own = pairs[~shared]
        if len(own):
            found = by_ways(self.state, rows[own], goals[own])
            if found is not None:
                yield own, found
                pairs = pairs[shared]
        if len(pairs):
            fields = self.state.fields
            # More goals at a time would drop the fields of the first before they are used.
            each, place = np.unique(goals[pairs], return_inverse=True)
            for begin in range(0, len(each), fields.most):
                end = begin + fields.most
                some = each[begin:end]
                missing = some[~fields.has(some)]
                if len(missing) > 1:
                    self._ways.sweep(self.state, missing)
                part = pairs[(place >= begin) & (place < end)]
                yield part, by_fields(rows[part], goals[part])

    def _shared(self, goals: Int32Array) -> BoolArray:
        """Return (k) bool, True where flow fields answer at less cost than single queries."""
        known = self.state.fields.has(goals)
        if known.all():
            return known
        others = np.flatnonzero(~known)
        shared = self._ways.shared(self.state, goals[others])
        if shared is None:
            known[others] = True
        else:
            known[others[shared]] = True
        return known

    def searched(self, row: int, goal: int, search: Callable[[DistancesTo], T]) -> T | None:
        """Return what a search finds by distances: see :meth:`ExactWays.searched`."""
        return self._ways.searched(self.state, row, goal, search)

    def step_costs(self, rows: Int32Array) -> Float64Array:
        if len(rows) < 2:
            return np.empty(0)
        along = self.locations_of(rows)
        arcs = self._pricing.arcs_out_of(self._level, np.unique(along).astype(np.int64))
        usable = arcs.weight != BLOCKED
        ends = zip(arcs.tail[usable].tolist(), arcs.head[usable].tolist(), strict=True)
        costs = zip(arcs.weight[usable].tolist(), arcs.units[usable].tolist(), strict=True)
        cheapest: dict[tuple[int, int], tuple[int, float]] = {}
        for key, cost in zip(ends, costs, strict=True):
            cheapest[key] = min(cheapest.get(key, cost), cost)
        none = BLOCKED, np.inf
        return np.array([cheapest.get(step, none)[1] for step in pairwise(along.tolist())])

    def lookup(self, fallback: NextHop) -> FastLookup:
        if self._as_baked:
            return fast_lookup(self.places, self.row_at, self.baked.cell_lookup, fallback)
        return fast_lookup(self.places, self.known_row, self._cell_lookup, fallback)

    def _cell_lookup(self, row_at: memoryview[int], fallback: NextHop) -> NextHop:
        """Make a lookup between cells of the whole grid: see :mod:`bake.runtime.reader.lookup`."""
        width, location, by_fields = self.places.width, view_of(self.location), self._stepped
        state, next_row, stands = self.state, self._ways.next_row, view_of(self.state.standing)

        def next_hop(start: Place, goal: Place) -> Place | None:
            try:
                x, y = cast("Cell", start)
                goal_x, goal_y = cast("Cell", goal)
                if x >= 0 and y >= 0 and goal_x >= 0 and goal_y >= 0:
                    row, goal_row = row_at[y, x], row_at[goal_y, goal_x]
                    stood = row >= 0 and goal_row >= 0 and stands[row] and stands[goal_row]
                    if stood and row != goal_row:
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


def _one(row: int, goal: int) -> tuple[Int32Array, Int32Array]:
    return np.array([row], dtype=np.int32), np.array([goal], dtype=np.int32)
