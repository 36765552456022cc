"""Find the rows of places of levels with headings: a cell with a heading, or a cell alone.

A cell alone is the cell in any heading: of all pairs of headings, the cheapest counts.
"""

from __future__ import annotations

import numpy as np

from bake.arrays import Int32Array
from bake.play.reader.engine import Engine
from bake.play.reader.rows import Rows
from levelbake.places import Place, Places


def ends(engine: Engine, rows: Rows, start: Place, goal: Place) -> tuple[int, int]:
    """Return the rows of a start and a goal, in the headings in which the way costs least.

    Raises:
        OutsideMapError, UnknownNodeError: there is no such place.
        BlockedCellError: the profile cannot stand on the place.
    """
    places = engine.version.places
    if not (places.is_bare(start) or places.is_bare(goal)):
        return rows.row(start), rows.row(goal)
    starts, goals = (_rows_of(places, rows, place) for place in (start, goal))
    tail, head = np.repeat(starts, len(goals)), np.tile(goals, len(starts))
    best = int(np.where(tail == head, 0, engine.all_ticks(tail, head)).argmin())
    return int(tail[best]), int(head[best])


def _rows_of(places: Places, rows: Rows, place: Place) -> Int32Array:
    """Return the rows of a place, of a cell alone those of all headings it can be stood on in."""
    if not places.is_bare(place):
        return np.array([rows.row(place)], dtype=np.int32)
    every = places.every(place)
    standing = rows.existing(np.array(every), "places")
    # None of them can be stood on: the error of the first says so.
    return standing[standing >= 0] if (standing >= 0).any() else rows.along(every[:1])
