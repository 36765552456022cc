"""Build the geometry of a level: shapes in painting order over the areas of its cells."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from pathlib import Path

import numpy as np
import shapely

from bake.core.arrays import Float64Array
from bake.core.errors import LevelError
from bake.core.level import (
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
from bake.geometry.area import GRID, Area, Floor, Geometry, Region, areas_of, on_grid
from bake.geometry.fill import fill_rings, thicken_lines
from bake.geometry.outline import cell_regions
from levelbake.places import Point

#: The most corners of all shapes of a level.
# limit: a one-line error; lowered by shapes
MAX_CORNERS = 2**22


def geometry_of(level: GridLevel | GeometryLevel) -> Geometry:
    """Return the part of the plane that each terrain of a level covers.

    Outlines of cells are traced, and a level's shapes are painted over them in order. A door's
    cells have the terrain of its baked state; ledges are ignored.

    Raises:
        LevelError: a corner is too far from the origin, or there are too many corners.
    """
    _check_size(level)
    if isinstance(level, GridLevel):
        rows = level.floor_height or level.height
        cells = [cell_regions(level, floor) for floor in range(level.height // rows)]
        below = [{level.terrains[code]: each for code, each in found.items()} for found in cells]
        links = tuple(_to_off_mesh_link(link, level) for link in level.things.links)
        polygons = None
        points = tuple(_to_characteristic_point(spot, level) for spot in level.things.spots)
    else:
        links, polygons, points = level.links, level.polygons, level.points
        floors = [shape.floor for shape in level.shapes]
        if polygons is not None:
            floors += polygons.floor.tolist()
        below = [{} for _ in range(1 + max(floors, default=0))]
        if polygons is not None:
            below = _mesh_areas(level, polygons, len(below))
    names = tuple(dict.fromkeys([*level.terrains, *(shape.terrain for shape in level.shapes)]))
    return Geometry(
        level.name,
        level.source,
        tuple(
            _paint_floor(
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


def _paint_floor(
    source: Path, below: dict[str, Region], shapes: list[Shape], names: tuple[str, ...]
) -> Floor:
    """Return a floor's areas: the shapes in painting order, over the areas below."""
    layers = list(below.items())
    # Consecutive shapes of one terrain form one layer.
    layers += [
        (terrain, areas_of(shapely.union_all([region_of(one, source) for one in run], grid_size=1)))
        for terrain, run in groupby(shapes, key=lambda shape: shape.terrain)
    ]
    if not shapes:
        return Floor(tuple(Area(name, below[name]) for name in names if name in below))
    visible: dict[str, list[Region]] = {}
    covered = shapely.MultiPolygon()
    for terrain, region in reversed(layers):
        visible.setdefault(terrain, []).append(shapely.difference(region, covered, grid_size=1.0))
        covered = shapely.union(covered, region, grid_size=1.0)
    areas = [
        Area(name, areas_of(shapely.union_all(visible[name], grid_size=1.0)))
        for name in names
        if name in visible
    ]
    return Floor(tuple(area for area in areas if not area.region.is_empty))


def region_of(shape: Shape, source: Path) -> Region:
    """Return the area of one shape, in steps of the grid."""
    rings = [on_grid(ring, source, shape.place) for ring in shape.rings]
    return fill_rings(rings, shape.fill) if shape.closed else thicken_lines(rings)


def _mesh_areas(level: GeometryLevel, polygons: Polygons, floors: int) -> list[dict[str, Region]]:
    """Return the areas that the polygons of a given mesh cover on each floor."""
    areas: list[dict[str, Region]] = []
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
        on_floor = polygons.floor == floor
        areas.append(
            {
                name: areas_of(shapely.union_all(regions[on_floor & (polygons.terrain == code)]))
                for code, name in enumerate(level.terrains)
                if (on_floor & (polygons.terrain == code)).any()
            }
        )
    return areas


def _to_off_mesh_link(link: Link, level: GridLevel) -> OffMeshLink:
    """Return a link between cells as a link between their centers."""
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


def _to_characteristic_point(spot: Spot, level: GridLevel) -> CharacteristicPoint:
    """Return a spot as a point at its cell's center; a region of the same name is its domain."""
    rows = level.floor_height or level.height
    where = level.coordinates or upright(1.0, layout=level.hex_layout)
    x, y = spot.cell
    floor = np.array([y // rows])
    point = where.points(np.array([[x, y % rows]]), floor, level.hex_layout)[0]
    place, domain = int(floor[0]), tuple[Point, ...]()
    for region in level.things.regions:
        if region.name == spot.name:
            mask = np.zeros_like(level.terrain)
            mask[region.cells[:, 1], region.cells[:, 0]] = 1
            outline = cell_regions(replace(level, terrain=mask), place).get(1)
            # Rings of holes and further parts make it an invalid drawing, which is rejected as a
            # domain.
            corners = (
                np.zeros((0, 2)) if outline is None else shapely.get_coordinates(outline) / GRID
            )
            domain = tuple(map(_point, corners))
    return CharacteristicPoint(spot.name, _point(point), 0.0, place, spot.place, domain=domain)


def _point(point: Float64Array) -> Point:
    return float(point[0]), float(point[1])
