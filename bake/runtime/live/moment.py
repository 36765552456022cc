"""A profile's answers at one moment of a level that changes; once made it never does."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, cast

import numpy as np
import numpy.typing as npt

from bake.arrays import AnyArray, Int32Array
from bake.errors import QueryError
from bake.graph import BLOCKED
from bake.runtime.baked import BakedAnswers
from bake.runtime.live.ground import Ground
from bake.runtime.live.live_searches import LiveSearches
from bake.runtime.live.live_tables import LiveTables
from bake.runtime.live.pricing import Pricing
from bake.runtime.live.profile_state import ProfileState
from bake.runtime.reader.hops import plane_of, view_of
from bake.runtime.reader.lookup import NextHop, QuickLookup
from bake.runtime.reader.places import Cell, Place
from bake.runtime.searching.methods import Searches
from bake.runtime.snapshot import Answers

if TYPE_CHECKING:
    from bake.runtime.current import Current

_WRONG = (TypeError, ValueError, IndexError, NotImplementedError)


class Moment(Answers):
    """Answers for one moment.

    Attributes:
        state: the profile at the moment.
        ground: what lies below it.
    """

    tables: LiveTables

    def __init__(
        self,
        current: Current,
        baked: BakedAnswers,
        pricing: Pricing,
        state: ProfileState,
        ground: Ground,
    ) -> None:
        super().__init__(LiveTables(baked.tables, state, pricing, ground), current)
        self._baked = baked
        self._pricing = pricing
        self.state = state
        self.ground = ground

    @cached_property
    def searches(self) -> Searches:
        return LiveSearches(self.tables, self._baked.searches)

    def _quick_lookup(self, careful: NextHop) -> QuickLookup:
        if not self._places.is_grid:
            return QuickLookup(careful, None)
        row_at = self.state.row_at_spot.copy()
        fresh = self._baked.unrevoked if self.tables.baked.has_hops else careful
        return QuickLookup(moment_lookup(self.tables, fresh, careful, row_at), row_at)

    def next_hop(self, start: Place, goal: Place) -> Place | None:
        row, goal_row = self.rows.row(start), self.rows.row(goal)
        if row == goal_row:
            return self.rows.place(row)
        ahead = self.tables.ahead(row, goal_row)
        return None if ahead < 0 else self.rows.place(ahead)

    def distance(self, start: Place, goal: Place) -> float:
        row, goal_row = self.rows.row(start), self.rows.row(goal)
        if row == goal_row:
            return 0.0
        ends = np.array([row], dtype=np.int32), np.array([goal_row], dtype=np.int32)
        return float(self.tables.ticks_between(*ends)[0]) / self._places.ticks_per_unit

    def length(self, path: Sequence[Place]) -> float:
        rows = self.rows.along(path).tolist()
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
                raise self._no_step(a, b)
            total += step[1]
        return total

    def _joined(self, row: int, next_row: int) -> bool:
        out = self.state.graph.out
        arcs = slice(out.begin[row], out.end[row])
        return bool(((out.to[arcs] == next_row) & (out.weight[arcs] != BLOCKED)).any())

    def reachable(self, start: Place, goal: Place) -> bool:
        row, goal_row = self.rows.row(start), self.rows.row(goal)
        field = self.state.columns.by_goal.get(goal_row)
        if field is not None:
            return field.view[row] >= 0 or row == goal_row
        known = self.tables.joined(row, goal_row)
        return self.tables.field(goal_row).view[row] >= 0 if known is None else known

    def _path_by_hops(self, row: int, goal_row: int) -> list[Place] | None:
        ends = np.array([row], dtype=np.int32), np.array([goal_row], dtype=np.int32)
        _, rows = self.tables.walk(*ends)
        return self.searches.places(rows) if len(rows) else None

    def nearest(self, point: Sequence[float]) -> Place:
        if not self.state.standing.any():
            raise QueryError(f"profile {self.name!r} can stand nowhere in this level")
        return super().nearest(point)

    def next_hops(self, starts: npt.ArrayLike, goals: npt.ArrayLike) -> AnyArray:
        rows, goal_rows = self.rows.pairs(starts, goals)
        ahead = self.tables.ahead_of(rows, goal_rows)
        there = rows == goal_rows
        ahead[there] = rows[there]
        stuck = ahead < 0
        if self._places.is_grid:
            cells = self._places_of(np.maximum(ahead, 0))
            cells[stuck] = -1
            return cells
        hops = np.empty(len(ahead), dtype=object)
        names, node = self._places.names, self.tables.node
        hops[:] = [None if row < 0 else names[node[row]] for row in ahead.tolist()]
        return hops


def moment_lookup(
    tables: LiveTables, fresh: NextHop, careful: NextHop, row_at_cell: Int32Array
) -> NextHop:
    """The single lookup: see :mod:`bake.runtime.reader.lookup`.

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
