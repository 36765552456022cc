"""The single lookup, as fast as Python goes.

A game calls it thousands of times a frame, so everything it needs is captured once: a closure's
variables cost a fraction of attributes, and a memoryview gives a Python int several times faster
than an array. A wrong argument, or standing at the goal, is left to the careful way.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from bake.arrays import Int32Array
from bake.greedy import SECTORS
from bake.runtime.reader.floors import floored_lookup
from bake.runtime.reader.hops import DenseHops, RunHops, plane_of, view_of
from bake.runtime.reader.places import Cell, Place
from bake.runtime.reader.tables import Tables

NextHop = Callable[[Place, Place], Place | None]

_WRONG = (TypeError, ValueError, IndexError, NotImplementedError)


@dataclass(frozen=True)
class QuickLookup:
    """A function (start, goal) -> next hop for one profile, which can be taken back.

    Attributes:
        next_hop: the function; once taken back it leaves everything to the careful way.
        row_at_cell: what it looks cells up in, its own; None where it has nothing to take back.
    """

    next_hop: NextHop
    row_at_cell: Int32Array | None

    def revoke(self) -> None:
        """Take the function back, in whoever's hands it is."""
        if self.row_at_cell is not None:
            # No cell has a row any more, which is a case for the careful way.
            self.row_at_cell.fill(-1)


def quick_lookup(tables: Tables, careful: NextHop) -> QuickLookup:
    """Make the lookup of baked tables.

    Args:
        tables: with next hops.
        careful: takes whatever the quick way does not.
    """
    places = tables.places
    row_at = tables.row_at_cell.copy() if places.is_grid else None
    if places.floor_height is None:
        return QuickLookup(single_lookup(tables, careful, row_at), row_at)
    floored = floored_lookup(places, lambda hard: single_lookup(tables, hard, row_at), careful)
    return QuickLookup(floored, row_at)


def single_lookup(tables: Tables, careful: NextHop, row_at_cell: Int32Array | None) -> NextHop:
    """A function (start, goal) -> next hop for one profile.

    Args:
        tables: with next hops.
        careful: takes whatever the quick way does not.
        row_at_cell: (height * width) int32, -1 where the careful way is to be asked; None on
            graph levels.
    """
    hops = tables.hops
    if row_at_cell is None:
        return careful
    row_at = plane_of(row_at_cell.reshape(tables.places.height, tables.places.width))
    if isinstance(hops, DenseHops):
        return _dense_lookup(tables, hops, row_at, careful)
    if hops.parted:
        # Goals that may be unreachable take a look at the components first; few levels have any.
        return _parted_lookup(tables, hops, row_at, careful)
    return _run_lookup(tables, hops, row_at, careful)


def _dense_lookup(
    tables: Tables, hops: DenseHops, row_at: memoryview[int], careful: NextHop
) -> NextHop:
    width, rows, none = tables.places.width, tables.row_count, hops.none
    hop_at, first_arc, head_flat = hops.view, view_of(tables.first_arc), view_of(tables.head_flat)

    def next_hop(start: Place, goal: Place) -> Place | None:
        try:
            x, y = cast("Cell", start)
            goal_x, goal_y = cast("Cell", goal)
            if x >= 0 and y >= 0 and goal_x >= 0 and goal_y >= 0:
                # Indexed in two dimensions, so that small numpy integers cannot wrap in y * width.
                row, goal_row = row_at[y, x], row_at[goal_y, goal_x]
                if row >= 0 and goal_row >= 0:
                    slot = hop_at[row * rows + goal_row]
                    if slot != none:
                        flat = head_flat[first_arc[row] + slot]
                        return flat % width, flat // width
        except _WRONG:
            pass
        return careful(start, goal)

    return next_hop


def _run_lookup(
    tables: Tables, hops: RunHops, row_at: memoryview[int], careful: NextHop
) -> NextHop:
    width = tables.places.width
    cell_at = plane_of(hops.at)
    first_run, run_start, symbol_of = (
        view_of(hops.first_run),
        view_of(hops.start),
        view_of(hops.symbol),
    )
    greedy, greedy_slot = hops.greedy, view_of(hops.greedy_slot)
    first_arc, head_flat = view_of(tables.first_arc), view_of(tables.head_flat)

    def next_hop(start: Place, goal: Place) -> Place | None:
        try:
            x, y = cast("Cell", start)
            goal_x, goal_y = cast("Cell", goal)
            if x >= 0 and y >= 0 and goal_x >= 0 and goal_y >= 0:
                row, goal_row = row_at[y, x], row_at[goal_y, goal_x]
                if row >= 0 and goal_row >= 0 and row != goal_row:
                    run = bisect_right(run_start, goal_row, first_run[row], first_run[row + 1])
                    slot = symbol_of[run - 1]
                    if slot >= greedy:
                        if slot > greedy:
                            return careful(start, goal)
                        dx = cell_at[goal_row, 0] - cell_at[row, 0]
                        dy = cell_at[goal_row, 1] - cell_at[row, 1]
                        side = 12 if dx > 0 else 0 if dx < 0 else 6
                        side += 4 if dy > 0 else 0 if dy < 0 else 2
                        if (dy if dy > 0 else -dy) > (dx if dx > 0 else -dx):
                            side += 1
                        slot = greedy_slot[row * SECTORS + side]
                        if slot < 0:
                            return careful(start, goal)
                    flat = head_flat[first_arc[row] + slot]
                    return flat % width, flat // width
        except _WRONG:
            pass
        return careful(start, goal)

    return next_hop


def _parted_lookup(
    tables: Tables, hops: RunHops, row_at: memoryview[int], careful: NextHop
) -> NextHop:
    width, slot_of = tables.places.width, hops.slot
    first_arc, head_flat = view_of(tables.first_arc), view_of(tables.head_flat)

    def next_hop(start: Place, goal: Place) -> Place | None:
        try:
            x, y = cast("Cell", start)
            goal_x, goal_y = cast("Cell", goal)
            if x >= 0 and y >= 0 and goal_x >= 0 and goal_y >= 0:
                row, goal_row = row_at[y, x], row_at[goal_y, goal_x]
                if row >= 0 and goal_row >= 0:
                    slot = slot_of(row, goal_row)
                    if slot >= 0:
                        flat = head_flat[first_arc[row] + slot]
                        return flat % width, flat // width
        except _WRONG:
            pass
        return careful(start, goal)

    return next_hop
