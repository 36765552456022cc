"""Grow obstacles by an agent's radius: the Minkowski sum with a disc, seen from the walkable side.

Around corners a disc is the polygon that the arcs of GEOS buffers are made of. It is taken so much
larger that its sides, not its corners, are as far away as the radius, so no agent ever touches an
obstacle; it keeps away at most 2 % of the radius, and 3/1024 of a unit, more than it has to.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import replace

import shapely

from bake.errors import LevelError
from bake.geometry.area import FARTHEST, GRID, Area, Floor, Geometry, areas_of, walkable
from bake.geometry.shrink import shrunk

#: Segments of a quarter of a circle. GEOS rounds their number in each arc, so that one may span one
#: and a half times the angle.
QUARTER = 6
#: Steps of the grid that snapping the corners may bring an outline nearer, rounded up.
_SNAPPED = 1.5


def grown(geometry: Geometry, terrains: Collection[str], radius: float) -> Geometry:
    """Return where the middle of an agent may be that stands on some terrains alone.

    Args:
        geometry: of a level.
        terrains: what the agent may stand on; everything else, void included, is an obstacle.
        radius: of the agent, in units of the plane; 0 = a point.

    Returns:
        Areas of those terrains, none of them nearer than the radius to an obstacle.

    Raises:
        LevelError: the radius is no size.
    """
    if not 0 <= radius <= FARTHEST:
        raise LevelError(
            f"an agent's radius is {radius:g}",
            file=geometry.source,
            expected=f"a number from 0 to {FARTHEST:,}",
        )
    return replace(
        geometry, floors=tuple(_floor(floor, terrains, radius) for floor in geometry.floors)
    )


def kept_away(radius: float) -> float:
    """Return by how many steps of the grid obstacles grow for a radius in units of the plane."""
    if radius == 0:
        return 0.0
    return radius * GRID / math.cos(1.5 * math.pi / (4 * QUARTER)) + _SNAPPED


def _floor(floor: Floor, terrains: Collection[str], radius: float) -> Floor:
    areas = [area for area in floor.areas if area.terrain in terrains]
    if radius == 0:
        return Floor(tuple(areas))
    free = shrunk(walkable(floor, terrains), kept_away(radius), QUARTER)
    left = [
        Area(each.terrain, areas_of(shapely.intersection(each.region, free, grid_size=1.0)))
        for each in areas
    ]
    return Floor(tuple(area for area in left if not area.region.is_empty))
