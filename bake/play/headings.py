"""Find the rows of places of levels with headings: a cell with a heading, or a cell alone.

A cell alone is the cell in any heading: of all pairs of headings, the cheapest counts.
"""

from __future__ import annotations

from typing import cast

import numpy as np

from bake.arrays import Int32Array
from bake.play.reader.engine import Engine
from bake.play.reader.places import NodePlaces
from bake.play.reader.rows import Rows
from levelbake.places import Cell, Place


def is_bare(places: NodePlaces, place: object) -> bool:
    """Tell whether a place is a cell without a heading, on a level that has headings."""
    return places.headings is not None and isinstance(place, tuple | list) and len(place) == 2


def in_all_headings(places: NodePlaces, cell: Place) -> list[Place]:
    """Return the places of a cell in every heading."""
    x, y = cast("Cell", cell)
    return [(x, y, heading) for heading in range(places.headings or 0)]


def ends(engine: Engine, rows: Rows, start: Place, goal: Place) -> tuple[int, int]:
    """Return the rows of a start and a goal, in the headings in which the way costs least.

    Raises:
        OutsideMapError, UnknownNodeError: there is no such place.
        BlockedCellError: the profile cannot stand on the place.
    """
    places = engine.version.places
    if not (is_bare(places, start) or is_bare(places, goal)):
        return rows.row(start), rows.row(goal)
    starts, goals = (_rows_of(places, rows, place) for place in (start, goal))
    tail, head = np.repeat(starts, len(goals)), np.tile(goals, len(starts))
    best = int(np.where(tail == head, 0, engine.all_ticks(tail, head)).argmin())
    return int(tail[best]), int(head[best])


def _rows_of(places: NodePlaces, rows: Rows, place: Place) -> Int32Array:
    """Return the rows of a place, of a cell alone those of all headings it can be stood on in."""
    if not is_bare(places, place):
        return np.array([rows.row(place)], dtype=np.int32)
    every = in_all_headings(places, place)
    standing = rows.existing(np.array(every), "places")
    # None of them can be stood on: the error of the first says so.
    return standing[standing >= 0] if (standing >= 0).any() else rows.along(every[:1])
