"""Make geometry of a level: shapes are painted one over another, over what its cells cover."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from pathlib import Path

import numpy as np
import shapely

from bake.arrays import Float64Array
from bake.errors import LevelError
from bake.geometry.area import GRID, Area, Floor, Geometry, Region, areas_of, on_grid
from bake.geometry.fill import filled, thickened
from bake.geometry.outline import cell_regions
from bake.level import (
    CharacteristicPoint,
    GeometryLevel,
    GridLevel,
    Link,
    OffMeshLink,
    Polygons,
    Shape,
    Spot,
    upright,
)
from levelbake.places import Point

#: The most corners all shapes of a level may have.
# limit: a one-line error; lowered by shapes
MAX_CORNERS = 2**22


def geometry_of(level: GridLevel | GeometryLevel) -> Geometry:
    """Return which part of the plane each terrain of a level covers.

    Of cells the outlines are traced, and a level's shapes are painted over them in order. A door's
    cells have the terrain of the state it is baked in; ledges are not looked at.

    Raises:
        LevelError: a corner lies too far from the origin, or there are too many.
    """
    _check_size(level)
    if isinstance(level, GridLevel):
        rows = level.floor_height or level.height
        cells = [cell_regions(level, floor) for floor in range(level.height // rows)]
        below = [{level.terrains[code]: each for code, each in found.items()} for found in cells]
        links = tuple(_off_mesh(link, level) for link in level.things.links)
        polygons = None
        points = tuple(_characteristic(spot, level) for spot in level.things.spots)
    else:
        links, polygons, points = level.links, level.polygons, level.points
        floors = [shape.floor for shape in level.shapes]
        if polygons is not None:
            floors += polygons.floor.tolist()
        below = [{} for _ in range(1 + max(floors, default=0))]
        if polygons is not None:
            below = _given(level, polygons, len(below))
    names = tuple(dict.fromkeys([*level.terrains, *(shape.terrain for shape in level.shapes)]))
    return Geometry(
        level.name,
        level.source,
        tuple(
            _painted(
                level.source, each, [shape for shape in level.shapes if shape.floor == floor], names
            )
            for floor, each in enumerate(below)
        ),
        names,
        level.terrain_rules,
        level.colours,
        links,
        polygons,
        points,
        level.depends_on,
    )


def _check_size(level: GridLevel | GeometryLevel) -> None:
    count = sum(len(ring) for shape in level.shapes for ring in shape.rings)
    if count > MAX_CORNERS:
        raise LevelError(
            f"its shapes have {count:,} corners",
            file=level.source,
            expected=f"at most {MAX_CORNERS:,}",
            remedy="split the level into several",
        )


def _painted(
    source: Path, below: dict[str, Region], shapes: list[Shape], names: tuple[str, ...]
) -> Floor:
    """Return a floor's areas: shapes in order, each over those before, over what lies below."""
    layers = list(below.items())
    # What is painted one after another in one terrain is one layer.
    layers += [
        (terrain, areas_of(shapely.union_all([region_of(one, source) for one in run], grid_size=1)))
        for terrain, run in groupby(shapes, key=lambda shape: shape.terrain)
    ]
    if not shapes:
        return Floor(tuple(Area(name, below[name]) for name in names if name in below))
    found: dict[str, list[Region]] = {}
    covered = shapely.MultiPolygon()
    for terrain, region in reversed(layers):
        found.setdefault(terrain, []).append(shapely.difference(region, covered, grid_size=1.0))
        covered = shapely.union(covered, region, grid_size=1.0)
    areas = [
        Area(name, areas_of(shapely.union_all(found[name], grid_size=1.0)))
        for name in names
        if name in found
    ]
    return Floor(tuple(area for area in areas if not area.region.is_empty))


def region_of(shape: Shape, source: Path) -> Region:
    """Return the area of one shape, in steps of the grid."""
    rings = [on_grid(ring, source, shape.place) for ring in shape.rings]
    return filled(rings, shape.fill) if shape.closed else thickened(rings)


def _given(level: GeometryLevel, polygons: Polygons, floors: int) -> list[dict[str, Region]]:
    """Return what the polygons of a given mesh cover on each floor."""
    found: list[dict[str, Region]] = []
    rings = [
        Shape("", (polygons.vertex[polygons.corner[first:end]],), "nonzero", place=place)
        for first, end, place in zip(
            polygons.first_corner[:-1].tolist(),
            polygons.first_corner[1:].tolist(),
            polygons.places,
            strict=True,
        )
    ]
    regions = np.array([region_of(ring, level.source) for ring in rings], dtype=object)
    for floor in range(floors):
        here = polygons.floor == floor
        found.append(
            {
                name: areas_of(shapely.union_all(regions[here & (polygons.terrain == code)]))
                for code, name in enumerate(level.terrains)
                if (here & (polygons.terrain == code)).any()
            }
        )
    return found


def _off_mesh(link: Link, level: GridLevel) -> OffMeshLink:
    """Return a link between cells as one between their middles."""
    rows = level.floor_height or level.height
    where = level.coordinates or upright(1.0, layout=level.hex_layout)
    cells = np.array([link.start, link.goal], dtype=np.int64)
    floors = cells[:, 1] // rows
    points = where.points(
        cells - np.stack([floors * 0, floors * rows], axis=1), floors, level.hex_layout
    )
    return OffMeshLink(
        link.name,
        _point(points[0]),
        _point(points[1]),
        int(floors[0]),
        int(floors[1]),
        link.cost,
        link.both_ways,
        link.profiles,
        link.place,
    )


def _characteristic(spot: Spot, level: GridLevel) -> CharacteristicPoint:
    """Return a spot of a cell as a point in its middle; a region of its name is its domain."""
    rows = level.floor_height or level.height
    where = level.coordinates or upright(1.0, layout=level.hex_layout)
    x, y = spot.cell
    floor = np.array([y // rows])
    point = where.points(np.array([[x, y % rows]]), floor, level.hex_layout)[0]
    place, domain = int(floor[0]), tuple[Point, ...]()
    for region in level.things.regions:
        if region.name == spot.name:
            own = np.zeros_like(level.terrain)
            own[region.cells[:, 1], region.cells[:, 0]] = 1
            found = cell_regions(replace(level, terrain=own), place).get(1)
            # Rings of holes and of further parts make it a drawing that is refused as a domain.
            corners = np.zeros((0, 2)) if found is None else shapely.get_coordinates(found) / GRID
            domain = tuple(map(_point, corners))
    return CharacteristicPoint(spot.name, _point(point), 0.0, place, spot.place, domain=domain)


def _point(point: Float64Array) -> Point:
    return float(point[0]), float(point[1])
