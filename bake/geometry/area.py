"""The data model of walkable geometry: for each floor, an area of the plane for each terrain."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import shapely

from bake.core.arrays import Float64Array
from bake.core.errors import LevelError
from bake.core.level import CharacteristicPoint, Colour, OffMeshLink, Polygons, TerrainRule

#: Steps of the grid in one unit of the plane. All corners are on the grid.
GRID = 1024
#: The farthest a corner may be from the origin, in units of the plane. Products of two differences
#: of corners then have less than 62 bits, so orientations are exact in int64.
# limit: a one-line error; tests/geometry/test_area.py
FARTHEST = 2**18

#: A shapely geometry of areas (Polygon, MultiPolygon, perhaps empty), in steps of the grid.
Region = Any


@dataclass(frozen=True)
class Area:
    """The area of one terrain on a floor."""

    terrain: str  #: its name
    region: Region  #: (Multi)Polygon with holes, in steps of the grid


@dataclass(frozen=True)
class Floor:
    """One floor; its areas do not overlap, and each terrain has at most one area."""

    areas: tuple[Area, ...]


@dataclass(frozen=True)
class Geometry:
    """All floors of a level as areas of the plane; points outside all areas are void."""

    name: str
    source: Path  #: the level's file, for messages
    floors: tuple[Floor, ...]  #: at least one, the lowest first
    terrains: tuple[str, ...]  #: unique names of the terrains that areas may have
    terrain_rules: Mapping[str, TerrainRule] = field(default_factory=dict)
    colours: Mapping[str, Colour] = field(default_factory=dict)
    links: tuple[OffMeshLink, ...] = ()  #: connections that walking does not join
    polygons: Polygons | None = None  #: a mesh from the file; the areas are its polygons
    points: tuple[CharacteristicPoint, ...] = ()  #: characteristic points of the level
    depends_on: tuple[Path, ...] = ()


def on_grid(points: Float64Array, source: Path, place: str) -> Float64Array:
    """Round points of the plane to steps of the grid, ties to even.

    Raises:
        LevelError: a point is not finite, or too far from the origin.

    >>> on_grid(np.array([[0.5, 1.0]]), Path("yard.json"), "").tolist()
    [[512.0, 1024.0]]
    """
    if not (np.isfinite(points).all() and (np.abs(points) <= FARTHEST).all()):
        raise LevelError(
            "a corner is too far away",
            file=source,
            place=place or None,
            expected=f"points at most {FARTHEST:,} units from the origin along each axis",
            remedy="move or scale the drawing",
        )
    return np.rint(points * GRID)


def plane_of(steps: Float64Array) -> Float64Array:
    """Convert steps of the grid to points of the plane; both are exact."""
    points: Float64Array = np.asarray(steps, dtype=np.float64) / GRID
    return points


def walkable(floor: Floor, terrains: Collection[str]) -> Region:
    """Return the region that has one of some terrains, in steps of the grid."""
    return joined([area.region for area in floor.areas if area.terrain in terrains])


def joined(regions: list[Region]) -> Region:
    """Return the union of regions, on the grid."""
    return areas_of(shapely.union_all(regions, grid_size=1.0))


def areas_of(region: Region) -> Region:
    """Return the polygons of a geometry, without the points and lines that overlays produce."""
    parts = shapely.get_parts(shapely.get_parts(region))
    polygons = parts[(shapely.get_type_id(parts) == 3) & (shapely.area(parts) > 0)]
    return shapely.multipolygons(polygons)
