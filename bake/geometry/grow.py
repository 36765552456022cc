"""Grow obstacles by an agent's radius: the Minkowski sum with a disc, from the walkable side.

The disc is the polygon that GEOS uses for the arcs of buffers, enlarged so that its sides rather
than its corners are at the distance of the radius. So no agent ever touches an obstacle; the extra
distance is at most 2 % of the radius plus 3/1024 of a unit.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import replace

import shapely

from bake.core.errors import LevelError
from bake.geometry.area import FARTHEST, GRID, Area, Floor, Geometry, areas_of, walkable
from bake.geometry.shrink import shrink_region

#: Segments of a quarter of a circle. GEOS rounds their number in each arc, so that one may span one
#: and a half times the angle.
QUARTER = 6
#: Steps of the grid by which snapping may move an outline closer, rounded up.
_SNAPPED = 1.5


def grown(geometry: Geometry, terrains: Collection[str], radius: float) -> Geometry:
    """Return the area for the center of an agent that may stand only on some terrains.

    Args:
        geometry: of a level.
        terrains: the terrains the agent may stand on; all others, including void, are obstacles.
        radius: of the agent, in units of the plane; 0 = a point.

    Returns:
        Areas of those terrains, at least the radius away from obstacles.

    Raises:
        LevelError: the radius is invalid.
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


def growth_steps(radius: float) -> float:
    """Return the growth of obstacles in steps of the grid for a radius in units of the plane."""
    if radius == 0:
        return 0.0
    return radius * GRID / math.cos(1.5 * math.pi / (4 * QUARTER)) + _SNAPPED


def _floor(floor: Floor, terrains: Collection[str], radius: float) -> Floor:
    areas = [area for area in floor.areas if area.terrain in terrains]
    if radius == 0:
        return Floor(tuple(areas))
    free = shrink_region(walkable(floor, terrains), growth_steps(radius), QUARTER)
    remaining = [
        Area(area.terrain, areas_of(shapely.intersection(area.region, free, grid_size=1.0)))
        for area in areas
    ]
    return Floor(tuple(area for area in remaining if not area.region.is_empty))
