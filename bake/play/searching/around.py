"""Answer questions about one place and all others, by a search that goes over the whole graph."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from bake.core.arrays import BoolArray, Float64Array, Int32Array
from bake.core.graph import Graph
from bake.play.nearest import NearestPlaces
from bake.play.reader.engine import Engine
from bake.search.graph.label_correcting import shift_for
from bake.search.live.baked_hops import no_hops
from bake.search.live.descent import Lanes, steps_down
from bake.search.live.flow_field import as_ticks, flow_field
from bake.search.live.graph import Adjacency
from bake.search.point.movement_range import within
from levelbake.errors import QueryError


class Around:
    """Searches from one row, or toward one row, in one snapshot of a profile; threads may share it.

    No baked table is needed for them.
    """

    def __init__(self, engine: Engine, nearest: NearestPlaces) -> None:
        self._engine, self._version = engine, engine.version
        self._nearest = nearest
        self._reached: tuple[int, BoolArray] | None = None

    @cached_property
    def _shift(self) -> int:
        return shift_for(self._version.usable.weight)

    @cached_property
    def _out(self) -> Adjacency:
        usable = self._version.usable
        return _adjacency(usable.graph, usable.weight)

    @cached_property
    def _into(self) -> Adjacency:
        usable = self._version.usable
        graph, order = usable.graph.reverse()
        return _adjacency(graph, usable.weight[order])

    def ticks_from(self, row: int) -> Float64Array:
        """Return (r) float64 ticks from a row to every other; inf where there is no path."""
        return as_ticks(flow_field(self._out, row, self._shift))

    def ticks_toward(self, goal: int) -> Float64Array:
        """Return (r) float64 ticks from every row to one; inf where there is no path."""
        return as_ticks(flow_field(self._into, goal, self._shift))

    def toward(self, goal: int) -> Int32Array:
        """Return (r) int32, the row to step to where no next hops were baked.

        At the goal it is the goal, -1 where there is no path.
        """
        dist = flow_field(self._into, goal, self._shift)
        rows, ahead = np.arange(len(dist), dtype=np.int32), np.empty_like(dist)
        lanes, lane = Lanes(dist[:, None], rows), np.zeros_like(rows)
        steps_down(self._out.arcs, no_hops(), lanes, rows, np.full_like(rows, goal), lane, ahead)
        return ahead

    def within(self, row: int, ticks: int) -> tuple[Int32Array, Int32Array]:
        """Return the rows that a row reaches for no more than some ticks, and the ticks of each.

        The nearest comes first, and of equals the lowest row.
        """
        return within(self._version.usable.arcs, row, ticks)

    def reached_from(self, row: int) -> BoolArray:
        """Return (r) bool, True where a path leads to from a row."""
        version = self._version
        component = version.component_of_row
        if not version.one_way:
            return np.asarray(component == component[row])
        reach = version.reach
        if reach is None:
            return np.isfinite(self.ticks_from(row))
        bits = np.unpackbits(reach[component[row]]).astype(np.bool_)
        return np.asarray(bits[component] | (component == component[row]))

    def joined(self, rows: Int32Array, next_rows: Int32Array) -> BoolArray:
        """Return (k) bool, True where an arc leads from a row to the next."""
        graph = self._version.usable.graph
        first, end = graph.first_out[rows], graph.first_out[rows + 1]
        found = np.zeros(len(rows), dtype=np.bool_)
        for slot in range(int((end - first).max(initial=0))):
            at = np.flatnonzero((first + slot < end) & ~found)
            found[at] = graph.head[first[at] + slot] == next_rows[at]
        return found

    def nearest_reached(self, row: int, location: int) -> int:
        """Return the reached row nearest to a location: see :meth:`Navigator.nearest_reachable`."""
        version, places = self._version, self._version.places
        reached = self._standing_from(row)
        goal = int(version.rows_of(np.array([location], dtype=np.int32))[0])
        if goal >= 0 and reached[goal]:
            return goal
        if not places.is_grid and places.position is None:
            raise QueryError(
                "nearest_reachable() needs positions, this graph has none",
                place=f"level {places.name!r}",
                remedy="give its nodes x and y",
            )
        best = self._nearest.equals(location, reached)
        if len(best) > 1:
            ticks = self._ticks_to(row, best)
            best = best[ticks == ticks.min()]
        return int(best[version.location[best].argmin()])

    def _standing_from(self, row: int) -> BoolArray:
        """Return :meth:`reached_from` without rows that cannot be stood on any more.

        Crowds ask from one component again and again, so the last answer is kept.
        """
        component = int(self._version.component_of_row[row])
        known = self._reached
        if known is not None and known[0] == component:
            return known[1]
        reached, standing = self.reached_from(row), self._version.standing
        found = reached if standing is None else reached & standing
        self._reached = component, found
        return found

    def _ticks_to(self, row: int, goals: Int32Array) -> Float64Array:
        """Return (k) float64 ticks from a row to a few others."""
        if not self._version.has_hops:
            return self.ticks_from(row)[goals]
        ticks = np.zeros(len(goals))
        away = goals != row
        ticks[away] = self._engine.all_ticks(np.full_like(goals[away], row), goals[away])
        return ticks


def _adjacency(graph: Graph, weight: Int32Array) -> Adjacency:
    return Adjacency.of(graph, weight, np.zeros(len(weight), dtype=np.int32))
