"""Answer from the tables of one profile on a level that has changed since it was baked.

A pair of rows is *in doubt* where the baked tables need not be right about it any more; a flow
field answers for it, or a row that was made again.
"""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import cast

import numpy as np

from bake.arrays import AnyArray, BoolArray, Float64Array, Int32Array, Int64Array, UInt8Array
from bake.graph import BLOCKED, INFINITY, Graph, Subgraph
from bake.runtime.live.edits import LevelState
from bake.runtime.live.fields import FlowField
from bake.runtime.live.pricing import Pricing
from bake.runtime.live.versions import ProfileState
from bake.runtime.reader.baked import BakedTables
from bake.runtime.reader.hops import view_of
from bake.runtime.reader.lookup import WRONG, FastLookup, NextHop, fast_lookup, row_plane
from bake.runtime.reader.places import Cell, Place
from bake.runtime.reader.tables import Tables

#: The largest closure between one-way components that is worth making, in bytes.
_MAX_CLOSURE = 2**20


class ChangedTables(Tables):
    """Tables of one profile after some batches of changes.

    Attributes:
        baked: the tables as they were baked.
        state: the version of the profile that these are the tables of.
    """

    def __init__(
        self, baked: BakedTables, state: ProfileState, pricing: Pricing, level: LevelState
    ) -> None:
        super().__init__(baked.places, baked.profile)
        self.baked = baked
        self.state = state
        self._pricing = pricing
        self._level = level

    @property
    def changed_terrain(self) -> UInt8Array | None:
        return self._level.terrain

    # -- rows and arcs ----------------------------------------------------------------------------

    @property
    def location(self) -> Int32Array:
        return self.state.location

    @property
    def row_at(self) -> Int32Array:
        return self.state.row_at

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

    def field(self, goal: int) -> FlowField:
        """Return the flow field of a goal."""
        return self.state.fields.get(goal)

    def in_doubt(self, row: int, goal: int) -> bool:
        """Tell whether the baked tables need not be right about a pair any more."""
        return int(self.state.source[row]) + int(self.state.goal[goal]) >= 2

    def pairs_in_doubt(self, rows: Int32Array, goals: Int32Array) -> BoolArray:
        """Return (k) bool, True where a pair is in doubt."""
        return np.asarray(self.state.source[rows] + self.state.goal[goals] >= 2)

    def reaches(self, row: int, goal: int) -> bool:
        field = self.state.fields.by_goal.get(goal)
        if field is None:
            joined = self.joined(row, goal)
            if joined is not None:
                return joined
            field = self.field(goal)
        return row == goal or field.view[row] >= 0

    def next_row(self, row: int, goal: int) -> int:
        field = self.state.fields.by_goal.get(goal)
        if field is not None:
            return field.view[row]
        if not self.in_doubt(row, goal):
            return self.baked.next_row(row, goal)
        remade = self.state.rows.get(row)
        if remade is not None and not self.state.since[goal]:
            return remade.ahead(goal)
        return self.field(goal).view[row]

    def next_rows(self, rows: Int32Array, goals: Int32Array) -> Int32Array:
        ahead = np.empty(len(rows), dtype=np.int32)
        doubtful = self.pairs_in_doubt(rows, goals)
        for goal, pairs in _by_goal(goals, np.flatnonzero(doubtful)):
            ahead[pairs] = self.field(goal).ahead[rows[pairs]]
        fresh = np.flatnonzero(~doubtful & (rows != goals))
        if len(fresh):
            ahead[fresh] = self.baked.next_rows(rows[fresh], goals[fresh])
        there = rows == goals
        ahead[there] = rows[there]
        return ahead

    def ticks(self, row: int, goal: int) -> float:
        ends = np.array([row], dtype=np.int32), np.array([goal], dtype=np.int32)
        return float(self.ticks_between(*ends)[0])

    def ticks_between(self, rows: Int32Array, goals: Int32Array) -> Float64Array:
        ticks = np.empty(len(rows), dtype=np.float64)
        doubtful = self.pairs_in_doubt(rows, goals)
        for goal, pairs in _by_goal(goals, np.flatnonzero(doubtful)):
            ticks[pairs] = _ticks(self.field(goal).dist[rows[pairs]])
        fresh = np.flatnonzero(~doubtful)
        if len(fresh):
            # The distance of a pair that is not in doubt is as baked, even if its path is not.
            ticks[fresh] = self.baked.ticks_between(rows[fresh], goals[fresh])
        return ticks

    def ticks_toward(self, goal: int) -> Float64Array:
        return _ticks(self.field(goal).dist)

    def path(self, row: int, goal: int) -> Int32Array | None:
        _, rows = self.walk(np.array([row], dtype=np.int32), np.array([goal], dtype=np.int32))
        return rows if len(rows) else None

    def walk(self, rows: Int32Array, goals: Int32Array) -> tuple[Int64Array, Int32Array]:
        doubtful = self.pairs_in_doubt(rows, goals)
        fresh = np.flatnonzero(~doubtful)
        first, path = np.zeros(1, dtype=np.int64), np.empty(0, dtype=np.int32)
        if len(fresh):
            first, path = self.baked.walk(rows[fresh], goals[fresh])
            # A path whose start is not in doubt may lead through a source that is.
            pair = np.repeat(np.arange(len(fresh)), np.diff(first))
            astray = self.pairs_in_doubt(path, goals[fresh][pair])
            astray &= path != goals[fresh][pair]
            doubtful[fresh[np.unique(pair[astray])]] = True
        count = np.zeros(len(rows), dtype=np.int64)
        count[fresh] = np.diff(first)
        fields = [
            (self.field(goal), goal, pairs)
            for goal, pairs in _by_goal(goals, np.flatnonzero(doubtful))
        ]
        from bake.search.live.flow_field import count_steps, follow_field

        for field, goal, pairs in fields:
            steps = np.empty(len(pairs), dtype=np.int64)
            count_steps(field.ahead, goal, rows[pairs], steps)
            count[pairs] = steps
        starts = np.zeros(len(rows) + 1, dtype=np.int64)
        np.cumsum(count, out=starts[1:])
        whole = np.empty(int(starts[-1]), dtype=np.int32)
        sound = np.flatnonzero(~doubtful[fresh])
        if len(sound):
            length = np.diff(first)[sound]
            offset = np.arange(int(length.sum())) - np.repeat(np.cumsum(length) - length, length)
            whole[np.repeat(starts[fresh[sound]], length) + offset] = path[
                np.repeat(first[sound], length) + offset
            ]
        for field, _, pairs in fields:
            follow_field(field.ahead, rows[pairs], starts[pairs], count[pairs], whole)
        return starts, whole

    def step_costs(self, rows: Int32Array) -> Float64Array:
        if len(rows) < 2:
            return np.empty(0)
        arcs = self._pricing.arcs_out_of(
            self._level, np.unique(self.location[rows]).astype(np.int64)
        )
        usable = arcs.weight != BLOCKED
        ends = zip(arcs.tail[usable].tolist(), arcs.head[usable].tolist(), strict=True)
        costs = zip(arcs.weight[usable].tolist(), arcs.units[usable].tolist(), strict=True)
        cheapest: dict[tuple[int, int], tuple[int, float]] = {}
        for key, cost in zip(ends, costs, strict=True):
            cheapest[key] = min(cheapest.get(key, cost), cost)
        none = BLOCKED, np.inf
        return np.array(
            [cheapest.get(step, none)[1] for step in pairwise(self.location[rows].tolist())]
        )

    def lookup(self, fallback: NextHop) -> FastLookup:
        return fast_lookup(self.places, self.row_at, self._cell_lookup, fallback)

    def _cell_lookup(self, row_at: memoryview[int], fallback: NextHop) -> NextHop:
        """Make a lookup between cells of the whole grid: see :mod:`bake.runtime.reader.lookup`."""
        width, fields = self.places.width, self.state.fields.by_goal
        source, target, location = (
            view_of(self.state.source),
            view_of(self.state.goal),
            view_of(self.location),
        )
        fresh = fallback
        if self.has_hops:
            fresh = self.baked.cell_lookup(row_plane(self.places, self.baked.row_at), fallback)

        def next_hop(start: Place, goal: Place) -> Place | None:
            try:
                x, y = cast("Cell", start)
                goal_x, goal_y = cast("Cell", goal)
                if x >= 0 and y >= 0 and goal_x >= 0 and goal_y >= 0:
                    row, goal_row = row_at[y, x], row_at[goal_y, goal_x]
                    if row >= 0 and goal_row >= 0:
                        field = fields.get(goal_row)
                        if field is not None:
                            ahead = field.view[row]
                            if ahead >= 0:
                                flat = location[ahead]
                                return flat % width, flat // width
                        elif source[row] + target[goal_row] < 2:
                            return fresh(start, goal)
            except WRONG:
                pass
            return fallback(start, goal)

        return next_hop


def _by_goal(goals: Int32Array, pairs: Int64Array) -> list[tuple[int, Int64Array]]:
    """Group pairs by their goal."""
    if not len(pairs):
        return []
    order = pairs[np.argsort(goals[pairs], kind="stable")]
    each, first = np.unique(goals[order], return_index=True)
    return list(zip(each.tolist(), np.split(order, first[1:]), strict=True))


def _ticks(dist: Int32Array) -> Float64Array:
    ticks = dist.astype(np.float64)
    ticks[dist >= INFINITY] = np.inf
    return ticks
