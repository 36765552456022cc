"""Read levels of shapes ("bake-geometry"): shapes in the plane with their terrain."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BeforeValidator, Field

from bake.core.arrays import Float64Array
from bake.core.level import CharacteristicPoint, FillRule, GeometryLevel, OffMeshLink, Shape
from bake.levels.plane.curves import ellipse, map_point, rotation_matrix
from bake.levels.plane.svg_paths import PathError, path_rings
from bake.levels.reading.files import check_version
from bake.levels.reading.limits import MAX_COST, check_terrain_count
from bake.levels.reading.mistakes import Where
from bake.levels.reading.models import (
    FIRST_ONLY,
    DistinctNames,
    StrictModel,
    TerrainName,
    Terrains,
    build_schema,
    terrain_rules,
    validated,
)
from bake.levels.reading.terrains import built_in_rules
from levelbake.places import MAX_PLACE, Point

VERSION = 1
MAX_FLOORS = 256

_Number = Annotated[float, Field(ge=-MAX_PLACE, le=MAX_PLACE)]


def _pair(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


PointValue = Annotated[tuple[_Number, _Number], BeforeValidator(_pair)]
_Ring = Annotated[list[PointValue], FIRST_ONLY]
_Box = Annotated[tuple[_Number, _Number, _Number, _Number], BeforeValidator(_pair)]
_FloorPlace = Annotated[int, Field(ge=0, lt=MAX_FLOORS)]


class ShapeTable(StrictModel):
    """A shape: its terrain, and one of rings, path, rect, ellipse and line."""

    terrain: TerrainName = Field(description="its terrain")
    rings: Annotated[list[_Ring], FIRST_ONLY] = Field(
        default=[], description="closed rings of [x, y]; holes are rings, too"
    )
    path: str = Field(default="", description="the data of an SVG path")
    rect: _Box = Field(default=(0, 0, 0, 0), description="[x, y, width, height]")
    ellipse: _Box = Field(
        default=(0, 0, 0, 0), description="[x, y, rx, ry] of its middle and radii"
    )
    line: _Ring = Field(default=[], description="corners of a wall as thin as a line")
    rotation: _Number = Field(
        default=0.0, description="degrees from the x axis toward the y axis, about its first point"
    )
    fill: Literal["evenodd", "nonzero"] = Field(
        default="evenodd", description="which points are inside where rings overlap"
    )
    floor: _FloorPlace = Field(default=0, description="its floor, the lowest is 0")


class PlaneLinkTable(StrictModel):
    """An off-mesh link: a jump, a ladder, a portal."""

    name: TerrainName = Field(default="", description="for messages")
    start: PointValue = Field(description="[x, y] where it begins")
    goal: PointValue = Field(description="[x, y] where it leads")
    start_floor: _FloorPlace = Field(default=0)
    goal_floor: _FloorPlace = Field(default=0)
    cost: Annotated[float, Field(gt=0, le=MAX_COST)] | None = Field(
        default=None, description="its length; the straight distance, at least 1, if left out"
    )
    both_ways: bool = Field(default=False, description="whether it is bidirectional")
    profiles: DistinctNames = Field(
        default=[], description="agent profiles that may take it; all if left out"
    )


class PointTable(StrictModel):
    """A characteristic point, which represents its Dirichlet domain if division = "dirichlet"."""

    name: TerrainName = Field(default="", description="for messages, joins and apart")
    at: PointValue = Field(description="[x, y] where it is")
    joins: DistinctNames = Field(
        default=[], description="points that it is joined to even if their domains do not border"
    )
    apart: DistinctNames = Field(
        default=[], description="points that it is not joined to even if their domains border"
    )
    weight: Annotated[float, Field(ge=0, le=MAX_PLACE)] = Field(
        default=0.0, description="additional reach of its domain, in units of the plane"
    )
    domain: _Ring = Field(
        default=[], description="corners of a region that is its domain, regardless of distances"
    )
    floor: _FloorPlace = Field(default=0, description="its floor, the lowest is 0")


class GeometryFile(StrictModel):
    """A level of shapes, painted one over another; the rest is void."""

    schema_reference: str = Field(default="", alias="$schema", description="not used")
    format: Literal["bake-geometry"] = Field(description="names the format")
    version: Literal[1] = Field(description="version of the format")
    description: str = Field(default="", description="a note for people; not used")
    terrains: Terrains = Field(
        default={}, description="costs by terrain; if given, it names every terrain of the level"
    )
    shapes: Annotated[list[ShapeTable], FIRST_ONLY] = Field(description="in painting order")
    links: Annotated[list[PlaneLinkTable], FIRST_ONLY] = Field(
        default=[], description="off-mesh links between two points"
    )
    points: Annotated[list[PointTable], FIRST_ONLY] = Field(
        default=[], description="characteristic points of Dirichlet domains"
    )


_DRAWN = ("rings", "path", "rect", "ellipse", "line")


def read_geometry(path: Path, document: dict[str, Any]) -> GeometryLevel:
    """Read a level of shapes from a parsed file.

    Raises:
        LevelError: the document has one mistake.
        BakeErrors: it has several mistakes.
    """
    top = Where(path)
    check_version(top, document.get("version"), VERSION)
    file = validated(GeometryFile, document, top)
    rules, colors = terrain_rules(file.terrains, top.inside("terrains"))
    shapes = []
    for number, table in enumerate(file.shapes):
        where = top.inside("shapes", number)
        if file.terrains and table.terrain not in file.terrains:
            where.inside("terrain").refuse(
                f"{table.terrain!r} is not among the level's terrains",
                f"one of {', '.join(file.terrains)}",
                "add it to terrains",
            )
        shapes.append(_read_shape(table, where))
    if not shapes:
        top.inside("shapes").refuse("the level is empty", "at least one shape")
    names = tuple(dict.fromkeys([*file.terrains, *(shape.terrain for shape in shapes)]))
    check_terrain_count(path, len(names), "shapes")
    return GeometryLevel(
        path.stem,
        path,
        tuple(shapes),
        names,
        {**built_in_rules(names), **rules},
        colors,
        read_links(file.links, top),
        points=read_points(file.points, top),
    )


def read_points(tables: list[PointTable], top: Where) -> tuple[CharacteristicPoint, ...]:
    """Return the characteristic points of a file.

    Raises:
        LevelError: a point names itself or an unknown or ambiguous point.
    """
    numbers: dict[str, list[int]] = {}
    for number, table in enumerate(tables):
        numbers.setdefault(table.name, []).append(number)

    def find_points(number: int, key: str, names: list[str]) -> tuple[int, ...]:
        for name in names:
            if numbers.get(name, [number]) == [number] or len(numbers[name]) > 1:
                count = len(numbers.get(name, ()))
                top.inside("points", number, key).refuse(
                    f"{name!r} is the name of {count} points" if count != 1 else "it names itself",
                    "the name of one other point",
                )
        return tuple(numbers[name][0] for name in names)

    return tuple(
        CharacteristicPoint(
            table.name or f"point {number}",
            table.at,
            table.weight,
            table.floor,
            str(top.inside("points", number)),
            find_points(number, "joins", table.joins),
            find_points(number, "apart", table.apart),
            tuple(table.domain),
            bool(table.name),
        )
        for number, table in enumerate(tables)
    )


def read_links(tables: list[PlaneLinkTable], top: Where) -> tuple[OffMeshLink, ...]:
    """Return the off-mesh links of a file."""
    return tuple(
        OffMeshLink(
            table.name or f"link {number}",
            table.start,
            table.goal,
            table.start_floor,
            table.goal_floor,
            table.cost,
            table.both_ways,
            tuple(table.profiles) or None,
            str(top.inside("links", number)),
        )
        for number, table in enumerate(tables)
    )


def _read_shape(table: ShapeTable, where: Where) -> Shape:
    drawn = [name for name in _DRAWN if name in table.model_fields_set]
    if len(drawn) != 1:
        where.refuse(
            f"the shape has {' and '.join(drawn) or 'no outline'}", f"one of {', '.join(_DRAWN)}"
        )
    rings, about = _read_rings(table, where.inside(drawn[0]))
    if table.rotation:
        matrix = rotation_matrix(table.rotation, about)
        rings = [
            np.array([map_point(matrix, (x, y)) for x, y in ring.tolist()], dtype=np.float64)
            for ring in rings
        ]
    fill: FillRule = table.fill
    return Shape(table.terrain, tuple(rings), fill, drawn[0] != "line", table.floor, str(where))


def _read_rings(table: ShapeTable, where: Where) -> tuple[list[Float64Array], Point]:
    """Return the rings of a shape, and the point about which it is rotated."""
    given = table.model_fields_set
    if "rect" in given:
        x, y, width, height = table.rect
        if not (width > 0 and height > 0):
            where.refuse(f"the size is {width:g} x {height:g}", "a width and a height above 0")
        box = [(x, y), (x + width, y), (x + width, y + height), (x, y + height)]
        return [np.array(box, dtype=np.float64)], (x, y)
    if "ellipse" in given:
        x, y, rx, ry = table.ellipse
        if not (rx > 0 and ry > 0):
            where.refuse(f"the radii are {rx:g} and {ry:g}", "radii above 0")
        return [ellipse((x, y), (rx, ry))], (x, y)
    if "path" in given:
        try:
            rings = path_rings(table.path)
        except PathError as error:
            where.refuse(str(error), "the data of an SVG path")
    else:
        lines = [table.line] if "line" in given else table.rings
        rings = [np.array(ring, dtype=np.float64).reshape(-1, 2) for ring in lines if ring]
    if not rings:
        where.refuse("it has no corners", "at least three, or two of a line")
    if not all(math.isfinite(axis) for ring in rings for axis in ring.ravel().tolist()):
        where.refuse("a corner is not finite", "numbers")
    return rings, (float(rings[0][0, 0]), float(rings[0][0, 1]))


def geometry_schema() -> dict[str, Any]:
    """Return the JSON Schema of levels of shapes, for editors and generators."""
    return build_schema(GeometryFile, "bake level of shapes, version 1")
