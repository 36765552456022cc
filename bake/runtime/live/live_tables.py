"""A changed profile in the form searches and lookups want it: as :class:`Tables` has it baked."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from bake.arrays import AnyArray, BoolArray, Float64Array, Int32Array, Int64Array
from bake.graph import INFINITY, Graph, Subgraph
from bake.runtime.live.ground import Ground
from bake.runtime.live.pricing import Pricing
from bake.runtime.live.profile_state import ProfileState
from bake.runtime.reader.places import Places
from bake.runtime.reader.tables import Tables
from bake.runtime.reader.walk import walk, walked_ticks

if TYPE_CHECKING:
    from bake.runtime.live.columns import Column

#: Largest closure between one-way components worth making, in bytes.
_MAX_CLOSURE = 2**20


class LivePlaces(Places):
    """Places of a grid level whose nodes are a profile's rows, opened cells among them."""

    def __init__(self, places: Places, flat: Int32Array) -> None:
        # Whatever the baked places know is known here, but for the nodes.
        self.__dict__.update(places.__dict__)
        for name in ("cell", "flat", "node_count", "first_out", "head"):
            self.__dict__.pop(name, None)
        self.__dict__["flat"] = flat
        self.__dict__["node_count"] = len(flat)


class LiveTables(Tables):
    """Tables of one profile at one moment.

    Attributes:
        baked: the tables as they were baked.
        state: the moment.
    """

    def __init__(
        self, baked: Tables, state: ProfileState, pricing: Pricing, ground: Ground
    ) -> None:
        places = baked.places
        if places.is_grid:
            places = LivePlaces(places, state.spot_of_row)
        super().__init__(places, baked.profile)
        self.baked = baked
        self.state = state
        self.updated = self
        self._pricing = pricing
        self._ground = ground

    def has(self, name: str) -> bool:
        """Whether a baked product still stands; none but next hops and distances do."""
        return name in ("hop", "run_count", "distance") and self.baked.has(name)

    def column(self, name: str, kind: type[np.generic]) -> AnyArray:
        """Refused: columns are of the level as it was baked."""
        raise self.missing(name)

    @cached_property
    def node(self) -> Int32Array:
        if self.places.is_grid:
            return np.arange(self.state.row_count, dtype=np.int32)
        return self.state.spot_of_row

    @cached_property
    def row_at_cell(self) -> Int32Array:
        return self.state.row_at_spot

    @cached_property
    def row_at_node(self) -> Int32Array:
        return (
            np.arange(self.state.row_count, dtype=np.int32)
            if self.places.is_grid
            else (self.state.row_at_spot)
        )

    @cached_property
    def usable(self) -> Subgraph:
        graph, weight = self.state.graph.out.compact()
        return Subgraph(graph, weight, self.node, np.zeros(graph.arc_count, dtype=np.int32))

    @cached_property
    def _labelled(self) -> tuple[Int32Array, int]:
        from bake.search.graph.connectivity import strong_components

        return strong_components(self.usable.graph)

    @cached_property
    def component(self) -> Int32Array:
        label = self._labelled[0].copy()
        label[~self.state.standing] = -1
        component = np.full(self.places.node_count, -1, dtype=np.int32)
        component[self.node] = label
        return component

    @cached_property
    def one_way(self) -> bool:
        label, graph = self._labelled[0], self.usable.graph
        return bool((label[graph.tail()] != label[graph.head]).any())

    @cached_property
    def reach(self) -> AnyArray | None:
        from bake.search.graph.connectivity import reachable_components

        label, count = self._labelled
        if not self.one_way or count * ((count + 7) // 8) > _MAX_CLOSURE:
            return None
        return reachable_components(self.usable.graph, label, count)

    @cached_property
    def component_count(self) -> int:
        """Components that hold a row the profile can stand on."""
        return len(np.unique(self._labelled[0][self.state.standing]))

    @property
    def baked_components(self) -> int:
        """How many there were when the level was baked."""
        return int(self.baked.component.max(initial=-1)) + 1

    @cached_property
    def standing_points(self) -> Float64Array | None:
        if self.places.is_grid:
            y, x = np.divmod(self.state.spot_of_row, np.int32(self.places.width))
            points = np.stack([x, y], axis=1).astype(np.float64)
        elif self.places.position is None:
            return None
        else:
            points = self.places.position[self.node].copy()
        points[~self.state.standing] = np.inf
        return points

    @cached_property
    def _priced(self) -> tuple[Graph, Float64Array]:
        """Arcs that may be taken, and what each costs in units before rounding to ticks."""
        rows = np.flatnonzero(self.state.standing)
        spots = self.state.spot_of_row[rows].astype(np.int64)
        arcs = self._pricing.arcs_out_of(self._ground, spots)
        usable = np.isfinite(arcs.units)
        row = self.state.known_row
        graph, order = Graph.from_arcs(
            self.state.row_count, row[arcs.tail[usable]], row[arcs.head[usable]]
        )
        return graph, arcs.units[usable][order]

    @cached_property
    def first_arc(self) -> Int32Array:
        return self._priced[0].first_out[:-1]

    @cached_property
    def end_arc(self) -> Int32Array:
        return self._priced[0].first_out[1:]

    @cached_property
    def head_row(self) -> Int32Array:
        return self._priced[0].head

    @cached_property
    def exact_cost(self) -> Float64Array:
        return self._priced[1]

    @cached_property
    def row_cost(self) -> Float64Array:
        return self._pricing.cost_at(self._ground, self.state.spot_of_row.astype(np.int64))

    @cached_property
    def distance(self) -> AnyArray | None:
        return None  # :meth:`ticks_between` knows which part of the baked one still stands

    # -- answers, by rows -------------------------------------------------------------------------

    def field(self, goal: int) -> Column:
        """The way from every row to a goal."""
        return self.state.columns.get(goal)

    def stale(self, row: int, goal: int) -> bool:
        """Whether the baked tables no longer answer for a pair."""
        return int(self.state.source[row]) + int(self.state.goal[goal]) >= 2

    def stale_pairs(self, rows: Int32Array, goals: Int32Array) -> BoolArray:
        """(k) bool: :meth:`stale`."""
        return np.asarray(self.state.source[rows] + self.state.goal[goals] >= 2)

    def ahead(self, row: int, goal: int) -> int:
        """The next row toward a goal; -1 where there is no path. Not for a goal itself."""
        column = self.state.columns.by_goal.get(goal)
        if column is not None:
            return column.view[row]
        if self.stale(row, goal):
            repaired = self.state.rows.get(row)
            if repaired is not None and not self.state.since[goal]:
                return repaired.ahead(goal)
            return self.field(goal).view[row]
        baked = self.baked
        slot = baked.hops.slot(row, goal)
        return -1 if slot < 0 else baked.stepped(row, slot)

    def ahead_of(self, rows: Int32Array, goals: Int32Array) -> Int32Array:
        """(k) int32: :meth:`ahead`; -1 where row and goal are the same, too."""
        found = np.full(len(rows), -1, dtype=np.int32)
        stale = self.stale_pairs(rows, goals)
        for goal, pairs in _by_goal(goals, np.flatnonzero(stale)):
            found[pairs] = self.field(goal).ahead[rows[pairs]]
        fresh = np.flatnonzero(~stale & (rows != goals))
        if len(fresh):
            baked = self.baked
            slot = baked.hops.slots(rows[fresh], goals[fresh])
            moves = np.flatnonzero(slot >= 0)
            arc = baked.first_arc[rows[fresh[moves]]] + slot[moves]
            found[fresh[moves]] = baked.head_row[arc]
        return found

    def ticks_between(self, rows: Int32Array, goals: Int32Array) -> Float64Array:
        """(k) float64 ticks, inf where there is no path."""
        ticks = np.full(len(rows), np.inf)
        stale = self.stale_pairs(rows, goals)
        for goal, pairs in _by_goal(goals, np.flatnonzero(stale)):
            ticks[pairs] = _ticks(self.field(goal).dist[rows[pairs]])
        fresh = np.flatnonzero(~stale)
        if len(fresh):
            # A pair that is not stale is as far apart as ever, whatever has become of the way.
            table = self.baked.distance
            if table is None:
                ticks[fresh] = walked_ticks(self.baked, rows[fresh], goals[fresh])
            else:
                ticks[fresh] = _ticks(table[rows[fresh], goals[fresh]])
        return ticks

    def ticks_toward(self, goal: int) -> Float64Array:
        """(r) float64 ticks from every row to a goal, inf where there is no path."""
        return _ticks(self.field(goal).dist)

    def walk(self, rows: Int32Array, goals: Int32Array) -> tuple[Int64Array, Int32Array]:
        """Rows along each path: see :func:`bake.runtime.reader.walk.walk`."""
        stale = self.stale_pairs(rows, goals)
        fresh = np.flatnonzero(~stale)
        first, path = np.zeros(1, dtype=np.int64), np.empty(0, dtype=np.int32)
        if len(fresh):
            first, path = walk(self.baked, rows[fresh], goals[fresh])
            # A way that began well may lead through a source that is stale by now.
            pair = np.repeat(np.arange(len(fresh)), np.diff(first))
            doubtful = self.stale_pairs(path, goals[fresh][pair])
            doubtful &= path != goals[fresh][pair]
            again = np.unique(pair[doubtful])
            stale[fresh[again]] = True
        count = np.zeros(len(rows), dtype=np.int64)
        count[fresh] = np.diff(first)
        fields = [
            (self.field(goal), goal, pairs)
            for goal, pairs in _by_goal(goals, np.flatnonzero(stale))
        ]
        from bake.search.live.flow_field import count_steps, follow_field

        for column, goal, pairs in fields:
            steps = np.empty(len(pairs), dtype=np.int64)
            count_steps(column.ahead, goal, rows[pairs], steps)
            count[pairs] = steps
        starts = np.zeros(len(rows) + 1, dtype=np.int64)
        np.cumsum(count, out=starts[1:])
        whole = np.empty(int(starts[-1]), dtype=np.int32)
        sound = np.flatnonzero(~stale[fresh])
        if len(sound):
            length = np.diff(first)[sound]
            offset = np.arange(int(length.sum())) - np.repeat(np.cumsum(length) - length, length)
            whole[np.repeat(starts[fresh[sound]], length) + offset] = path[
                np.repeat(first[sound], length) + offset
            ]
        for column, _, pairs in fields:
            follow_field(column.ahead, rows[pairs], starts[pairs], count[pairs], whole)
        return starts, whole


def _by_goal(goals: Int32Array, pairs: Int64Array) -> list[tuple[int, Int64Array]]:
    """Pairs grouped by their goal."""
    if not len(pairs):
        return []
    order = pairs[np.argsort(goals[pairs], kind="stable")]
    each, first = np.unique(goals[order], return_index=True)
    return list(zip(each.tolist(), np.split(order, first[1:]), strict=True))


def _ticks(dist: Int32Array) -> Float64Array:
    ticks = dist.astype(np.float64)
    ticks[dist >= INFINITY] = np.inf
    return ticks
