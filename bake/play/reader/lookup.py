"""Make the single lookup, as fast as Python can do it.

A game calls it thousands of times a frame, so everything it needs is captured once: a closure's
variables cost a fraction of attributes, and a memoryview gives a Python int several times faster
than an array. A wrong argument, or standing at the goal, is left to a slower *fallback*.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from operator import index
from typing import cast

from bake.core.arrays import Int32Array
from bake.core.movement import SECTORS
from bake.play.reader.hops import plane_of
from bake.play.reader.places import NodePlaces
from bake.play.reader.walk import Steps
from levelbake.hops import view_of
from levelbake.places import Cell, Place

NextHop = Callable[[Place, Place], Place | None]

#: A function that makes a lookup between cells of the whole grid, from a view of the rows [y, x],
#: -1 where the fallback is to be asked, and from the fallback.
_MakeLookup = Callable[["memoryview[int]", NextHop], NextHop]

#: The errors that a wrong argument makes a lookup raise.
WRONG = (TypeError, ValueError, IndexError, NotImplementedError)

_ELSEWHERE = object()


@dataclass(frozen=True)
class FastLookup:
    """A function (start, goal) -> next hop for one profile, which can be revoked.

    Attributes:
        next_hop: the function; once revoked it leaves everything to its fallback.
        row_at: its own view of the rows of cells; None where there is nothing to revoke.
    """

    next_hop: NextHop
    row_at: memoryview[int] | None

    def revoke(self) -> None:
        """Revoke the function for everyone who holds it."""
        if self.row_at is not None:
            # Nobody can look into the view any more, so the fallback is asked.
            self.row_at.release()


def fast_lookup(
    places: NodePlaces, row_at: Int32Array, make: _MakeLookup, fallback: NextHop
) -> FastLookup:
    """Make a lookup that can be revoked.

    Args:
        places: the places of the level; on graph levels the fallback does all the work.
        row_at: (locations) int32, -1 where the fallback is to be asked; it must not change.
        make: makes the lookup between cells of the whole grid.
        fallback: called for whatever that lookup does not answer.
    """
    if not places.is_grid:
        return FastLookup(fallback, None)
    plane = row_plane(places, row_at)
    if places.floor_height is None:
        return FastLookup(make(plane, fallback), plane)
    look_up = make(plane, lambda _start, _goal: cast("Place", _ELSEWHERE))
    return FastLookup(_floored(places, look_up, fallback), plane)


def row_plane(places: NodePlaces, row_at: Int32Array) -> memoryview[int]:
    """Return the rows by cell of a grid level, indexed [y, x]."""
    return plane_of(row_at.reshape(places.height, places.width))


def _floored(places: NodePlaces, look_up: NextHop, fallback: NextHop) -> NextHop:
    """Make a lookup between places (x, y, floor)."""
    rows, floors = places.floor_height or 1, places.floors

    def next_hop(start: Place, goal: Place) -> Place | None:
        try:
            x, y, floor = cast("Cell", start)
            goal_x, goal_y, goal_floor = cast("Cell", goal)
            # Small numpy integers would wrap; other numbers are left to the fallback.
            y, goal_y = index(y), index(goal_y)
            floor, goal_floor = index(floor), index(goal_floor)
            if (
                0 <= y < rows
                and 0 <= goal_y < rows
                and 0 <= floor < floors
                and 0 <= goal_floor < floors
            ):
                hop = look_up((x, y + rows * floor), (goal_x, goal_y + rows * goal_floor))
                if hop is not _ELSEWHERE:
                    to_x, to_y = cast("Cell", hop)
                    return to_x, to_y % rows, to_y // rows
        except (TypeError, ValueError):
            pass
        return fallback(start, goal)

    return next_hop


def lookup_of(
    steps: Steps, head_at: Int32Array, width: int, row_at: memoryview[int], fallback: NextHop
) -> NextHop:
    """Make the lookup of baked next hops between cells of the whole grid.

    Args:
        steps: the next hops and their arcs.
        head_at: (m) int32, y * width + x of the cell each arc leads to.
        width: how many cells wide the whole grid is.
        row_at: the row of each cell [y, x]; -1 where the fallback is to be asked.
        fallback: called for whatever this lookup does not answer.
    """
    # Goals that may be unreachable take a look at the components first; few levels have any.
    make = _parted_lookup if steps.hops.parted else _run_lookup
    return make(steps, head_at, width, row_at, fallback)


def _run_lookup(
    steps: Steps, head_at: Int32Array, width: int, row_at: memoryview[int], fallback: NextHop
) -> NextHop:
    hops = steps.hops
    cell_at = plane_of(hops.at)
    first_run, run_start, symbol_of = map(view_of, (hops.first_run, hops.start, hops.symbol))
    greedy, greedy_slot = hops.greedy, view_of(hops.greedy_slot)
    first_arc, head_flat = view_of(steps.first_arc), view_of(head_at)

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
                            return fallback(start, goal)
                        dx = cell_at[goal_row, 0] - cell_at[row, 0]
                        dy = cell_at[goal_row, 1] - cell_at[row, 1]
                        side = 12 if dx > 0 else 0 if dx < 0 else 6
                        side += 4 if dy > 0 else 0 if dy < 0 else 2
                        if (dy if dy > 0 else -dy) > (dx if dx > 0 else -dx):
                            side += 1
                        slot = greedy_slot[row * SECTORS + side]
                        if slot < 0:
                            return fallback(start, goal)
                    flat = head_flat[first_arc[row] + slot]
                    return flat % width, flat // width
        except WRONG:
            pass
        return fallback(start, goal)

    return next_hop


def _parted_lookup(
    steps: Steps, head_at: Int32Array, width: int, row_at: memoryview[int], fallback: NextHop
) -> NextHop:
    slot_of = steps.hops.slot
    first_arc, head_flat = view_of(steps.first_arc), view_of(head_at)

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
        except WRONG:
            pass
        return fallback(start, goal)

    return next_hop
