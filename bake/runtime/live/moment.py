"""A profile's answers at one moment of a level that changes; once made it never does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from bake.errors import BlockedCellError, QueryError
from bake.graph import BLOCKED
from bake.runtime.hops import plane_of, view_of
from bake.runtime.live.ground import Ground
from bake.runtime.live.live_tables import LiveTables
from bake.runtime.live.pricing import Pricing
from bake.runtime.live.profile_state import ProfileState
from bake.runtime.navigator import Navigator
from bake.runtime.places import Cell, Int32Array, Place
from bake.runtime.searches import Outcome, Request, Searches
from bake.runtime.single import NextHop

if TYPE_CHECKING:
    from bake.runtime.live.live import Live

_WRONG = (TypeError, ValueError, IndexError, NotImplementedError)


class Moment(Navigator):
    """A navigator for one moment.

    Attributes:
        state: the profile at the moment.
        ground: what lies below it.
    """

    _tables: LiveTables

    def __init__(
        self, live: Live, baked: Navigator, pricing: Pricing, state: ProfileState, ground: Ground
    ) -> None:
        super().__init__(baked._places, baked.name)
        self._line = live
        self._baked = baked
        self._pricing = pricing
        self.state = state
        self.ground = ground
        self._tables = LiveTables(baked._tables, state, pricing, ground)
        self._places = self._tables.places
        self._searches = MomentSearches(self._tables)
        self._row_at: Int32Array | None = None

    def _load(self) -> None:
        quick: NextHop = self._next_hop_carefully
        if self._places.is_grid:
            self._row_at = self.state.row_at_spot.copy()
            fresh = self._baked._lookup() if self._tables.baked.has_hops else quick
            quick = moment_lookup(self._tables, fresh, quick, self._row_at)
        self.next_hop = quick  # type: ignore[method-assign,assignment]
        self._loaded = True
        if self._line.moments.get(self.name, self) is not self:
            self._superseded()

    def _superseded(self) -> None:
        if self._row_at is not None:
            self._row_at.fill(-1)

    def _next_hop_carefully(self, start: Place, goal: Place) -> Place | None:
        now = self._line.moments.get(self.name, self)
        if now is not self:
            return now.next_hop(start, goal)
        row, goal_row = self._row_of(start), self._row_of(goal)
        if row == goal_row:
            return self._place(row)
        ahead = self._tables.ahead(row, goal_row)
        return None if ahead < 0 else self._place(ahead)

    def distance(self, start: Place, goal: Place) -> float:
        row, goal_row = self._row_of(start), self._row_of(goal)
        if row == goal_row:
            return 0.0
        ends = np.array([row], dtype=np.int32), np.array([goal_row], dtype=np.int32)
        return float(self._tables.ticks_between(*ends)[0]) / self._places.ticks_per_unit

    def length(self, path: Sequence[Place]) -> float:
        rows = [self._row_of(place) for place in path]
        if len(rows) < 2:
            return 0.0
        spots = np.unique(self.state.spot_of_row[rows]).astype(np.int64)
        arcs = self._pricing.arcs_out_of(self.ground, spots)
        price: dict[tuple[int, int], tuple[int, float]] = {}
        usable = arcs.weight != BLOCKED
        each = (
            arcs.tail[usable].tolist(),
            arcs.head[usable].tolist(),
            arcs.weight[usable].tolist(),
            arcs.units[usable].tolist(),
        )
        for tail, head, ticks, units in zip(*each, strict=True):
            price[tail, head] = min(price.get((tail, head), (ticks, units)), (ticks, units))
        total = 0.0
        for a, b in pairwise(rows):
            step = price.get((int(self.state.spot_of_row[a]), int(self.state.spot_of_row[b])))
            if step is None:
                raise QueryError(
                    f"no step leads from {self._place(a)!r} to {self._place(b)!r} "
                    f"for profile {self.name!r}"
                )
            total += step[1]
        return total

    def still_valid(self, path: Sequence[Place]) -> bool:
        try:
            rows = [self._row_of(place) for place in path]
        except BlockedCellError:
            return False
        out = self.state.graph.out
        for a, b in pairwise(rows):
            arcs = slice(out.begin[a], out.end[a])
            if not ((out.to[arcs] == b) & (out.weight[arcs] != BLOCKED)).any():
                return False
        return True

    def reachable(self, start: Place, goal: Place) -> bool:
        row, goal_row = self._row_of(start), self._row_of(goal)
        field = self.state.columns.by_goal.get(goal_row)
        if field is not None:
            return field.view[row] >= 0 or row == goal_row
        tables = self._tables
        a, b = (int(tables.component[tables.node[each]]) for each in (row, goal_row))
        if a == b:
            return True
        if not tables.one_way:
            return False
        if tables.reach is not None:
            return bool(tables.reach[a, b >> 3] & (128 >> (b & 7)))
        return tables.field(goal_row).view[row] >= 0

    def path(
        self, start: Place, goal: Place, method: str = "table", heuristic: Any = None
    ) -> list[Place] | None:
        row, goal_row = self._row_of(start), self._row_of(goal)
        if method != "table" or heuristic is not None:
            found = self._searches.run(row, goal_row, Request(method, heuristic))
            return None if found.rows is None else self._searches.places(found.rows)
        ends = np.array([row], dtype=np.int32), np.array([goal_row], dtype=np.int32)
        _, rows = self._tables.walk(*ends)
        return self._searches.places(rows) if len(rows) else None

    def walk(self, start: Place, goal: Place) -> Iterator[Place] | None:
        path = self.path(start, goal)
        return None if path is None else iter(path[1:])

    def nearest(self, point: Sequence[float]) -> Place:
        if not self.state.standing.any():
            raise QueryError(f"profile {self.name!r} can stand nowhere in this level")
        return super().nearest(point)

    def next_hops(self, starts: npt.ArrayLike, goals: npt.ArrayLike) -> npt.NDArray[Any]:
        rows, goal_rows = self._pairs(starts, goals)
        ahead = self._tables.ahead_of(rows, goal_rows)
        there = rows == goal_rows
        ahead[there] = rows[there]
        stuck = ahead < 0
        if self._places.is_grid:
            cells = self._places_of(np.maximum(ahead, 0))
            cells[stuck] = -1
            return cells
        hops = np.empty(len(ahead), dtype=object)
        names, node = self._places.names, self._tables.node
        hops[:] = [None if row < 0 else names[node[row]] for row in ahead.tolist()]
        return hops

    def paths(
        self, starts: npt.ArrayLike, goals: npt.ArrayLike, method: str = "table"
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[Any]]:
        # Layers are those of the level as it was baked: tables stand in, which are exact.
        return super().paths(starts, goals, "table" if method == "hpa" else method)

    def _places_of(self, rows: Int32Array) -> Int32Array:
        """(k, 2) int32 cells, or (k, 3) with their floor, as a game says them."""
        if not len(self._tables.cell_of_row):
            return np.empty((len(rows), 2), dtype=np.int32)
        return self._places.spoken(self._tables.cell_of_row.take(rows, axis=0))


class MomentSearches(Searches):
    """Searches on a changed graph; whatever was baked for searches is not asked."""

    def run(self, row: int, goal: int, request: Request) -> Outcome:
        if request.method == "hpa":
            # The layers are those of the level as it was baked: an exact search stands in.
            request = replace(request, method="table")
        return super().run(row, goal, request)


def moment_lookup(
    tables: LiveTables, fresh: NextHop, careful: NextHop, row_at_cell: Int32Array
) -> NextHop:
    """The single lookup: see :mod:`bake.runtime.single`.

    Args:
        tables: of the moment.
        fresh: the baked tables' lookup.
        careful: takes whatever the quick way does not.
        row_at_cell: (height * width) int32, -1 where the careful way is to be asked.
    """
    places, state = tables.places, tables.state
    width = places.width
    row_at = plane_of(row_at_cell.reshape(places.height, width))
    fields = state.columns.by_goal
    source, doubt, flat_of = view_of(state.source), view_of(state.goal), view_of(state.spot_of_row)

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
                            flat = flat_of[ahead]
                            return flat % width, flat // width
                    elif source[row] + doubt[goal_row] < 2:
                        return fresh(start, goal)
        except _WRONG:
            pass
        return careful(start, goal)

    return next_hop
