"""Places on levels of several floors, `(x, y, floor)`, and the cells of the grid behind them.

The grid holds the floors below one another, the lowest first; tables know nothing of floors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import index
from typing import SupportsIndex, cast

import numpy as np

from bake.arrays import AnyArray, Int64Array
from bake.errors import OutsideMapError, QueryError
from bake.runtime.reader.places import Cell, Place, Places

NextHop = Callable[[Place, Place], Place | None]

_ELSEWHERE = object()


def grid_cell(places: Places, place: object, said: str) -> tuple[int, int]:
    """The cell of the grid a place is.

    Args:
        places: of the level.
        place: (x, y), on levels of several floors (x, y, floor).
        said: the place as errors say it.

    Raises:
        OutsideMapError: no such cell.
        QueryError: not as many integers as it takes.
    """
    several = places.floor_height is not None
    rows = places.floor_height or places.height
    try:
        if several:
            x, y, floor = (index(number) for number in cast("Cell", place))
        else:
            x, y = (index(number) for number in cast("Cell", place))
            floor = 0
    except (TypeError, ValueError):
        expected = "(x, y, floor), three integers" if several else "(x, y), two integers"
        raise QueryError(f"{said} is no cell", expected=expected) from None
    if not (0 <= x < places.width and 0 <= y < rows and 0 <= floor < places.floors):
        raise OutsideMapError(
            f"cell {(x, y, floor) if several else (x, y)} lies outside the level",
            place=f"level {places.name!r}",
            expected=f"x from 0 to {places.width - 1}, y from 0 to {rows - 1}"
            + (f", floor from 0 to {places.floors - 1}" if several else ""),
        )
    return x, y + floor * rows


def grid_cells(places: Places, cells: AnyArray, what: str) -> Int64Array:
    """(m, 2) int64 cells of the grid, of (m, 3) integers x, y, floor.

    Raises:
        QueryError: an array of another kind, or a place that is none; the first one is named.
    """
    if cells.ndim != 2 or cells.shape[1] != 3 or cells.dtype.kind not in "iu":
        raise QueryError(f"{what} is {cells.dtype}{list(cells.shape)}", expected="integers [m, 3]")
    rows = places.floor_height or places.height
    outside = ((cells < 0) | (cells >= [places.width, rows, places.floors])).any(axis=1)
    if outside.any():
        place = tuple(cells[int(outside.argmax())].tolist())
        grid_cell(places, place, repr(place))
    wide = cells.astype(np.int64)
    return np.stack([wide[:, 0], wide[:, 1] + rows * wide[:, 2]], axis=1)


def floor_of(places: Places, point: Sequence[float], said: str) -> tuple[Sequence[float], int]:
    """A point (x, y, floor) as the point on its floor, and the floor.

    Raises:
        QueryError: not three numbers, or no such floor.
    """
    try:
        x, y, number = point
        floor = index(cast("SupportsIndex", number))
    except (TypeError, ValueError):
        raise QueryError(
            f"{said} is no point", expected="(x, y, floor), two finite numbers and an integer"
        ) from None
    if not 0 <= floor < places.floors:
        raise OutsideMapError(
            f"there is no floor {floor}",
            place=f"level {places.name!r}",
            expected=f"floor from 0 to {places.floors - 1}",
        )
    return (x, y), floor


def floored_lookup(places: Places, make: Callable[[NextHop], NextHop], careful: NextHop) -> NextHop:
    """A single lookup between places with a floor.

    Args:
        places: of several floors.
        make: makes the lookup between cells of the grid; given what to do with hard cases.
        careful: takes places with a floor, and whatever the quick way does not.
    """
    rows, floors = places.floor_height or 1, places.floors
    look_up = make(lambda _start, _goal: cast("Place", _ELSEWHERE))

    def next_hop(start: Place, goal: Place) -> Place | None:
        try:
            x, y, floor = cast("Cell", start)
            goal_x, goal_y, goal_floor = cast("Cell", goal)
            # Small numpy integers would wrap; other numbers are left to the careful way.
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
        return careful(start, goal)

    return next_hop
