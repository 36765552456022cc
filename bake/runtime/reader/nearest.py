"""The nearest place a profile can stand on."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from bake.errors import QueryError
from bake.runtime.reader.floors import floor_of
from bake.runtime.reader.places import Place
from bake.runtime.reader.rows import said
from bake.runtime.reader.tables import Tables

#: Points are taken to lie no farther out than this, in cells or a graph's units.
FARTHEST = 1e15


def nearest_place(tables: Tables, point: Sequence[float]) -> Place:
    """The place nearest to a point: see :meth:`bake.runtime.Navigator.nearest`."""
    places, profile = tables.places, tables.profile
    floor_height = places.floor_height
    floor = 0
    if floor_height is not None:
        point, floor = floor_of(places, point, said(point))
    x, y = _point(point)
    near = tables.standing_points
    if near is None:
        raise QueryError(
            "nearest() needs positions, this graph has none",
            place=f"level {places.name!r}",
            remedy="give its nodes x and y",
        )
    if not len(near):
        raise QueryError(f"profile {profile!r} can stand nowhere in this level")
    away = (near[:, 0] - x) ** 2 + (near[:, 1] - y) ** 2
    if floor_height is not None:
        away = (near[:, 0] - x) ** 2 + (near[:, 1] - floor * floor_height - y) ** 2
        away[near[:, 1] // floor_height != floor] = np.inf
        if np.isinf(away).all():
            raise QueryError(f"profile {profile!r} can stand nowhere on floor {floor}")
    best = tables.node[np.flatnonzero(away == away.min())]
    if places.is_grid:
        best = best[[places.flat[best].argmin()]]
    return places.place(int(best[0]))


def _point(point: Sequence[float]) -> tuple[float, float]:
    try:
        x, y = (float(number) for number in point)
    except (TypeError, ValueError, OverflowError):
        x = y = math.nan
    if isinstance(point, str | bytes) or not (math.isfinite(x) and math.isfinite(y)):
        raise QueryError(f"{said(point)} is no point", expected="(x, y), two finite numbers")
    # Squares of larger numbers would overflow, and from there every place is as near.
    return min(max(x, -FARTHEST), FARTHEST), min(max(y, -FARTHEST), FARTHEST)
