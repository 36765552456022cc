"""Read navigation meshes from other tools: JSON polygons, and OBJ files of Recast."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from bake.core.arrays import Float64Array
from bake.core.level import GeometryLevel, Polygons
from bake.levels.plane.geometry_json import (
    MAX_FLOORS,
    PlaneLinkTable,
    PointValue,
    read_links,
)
from bake.levels.reading.files import check_version, read_text
from bake.levels.reading.limits import check_terrain_count
from bake.levels.reading.mistakes import Where, is_plain_text, refuse, shown
from bake.levels.reading.models import (
    FIRST_ONLY,
    StrictModel,
    TerrainName,
    Terrains,
    build_schema,
    terrain_rules,
    validated,
)
from bake.levels.reading.terrains import FLOOR, built_in_rules

VERSION = 1
MAX_OBJ_BYTES = 2**26
MAX_MESH_WHOLES = 2**22
#: The number of a vertex or a floor.
_WHOLE = re.compile(r"-?[0-9]{1,9}")


class MeshFile(StrictModel):
    """A navigation mesh: convex polygons with shared vertices."""

    schema_reference: str = Field(default="", alias="$schema", description="not used")
    format: Literal["bake-mesh"] = Field(description="names the format")
    version: Literal[1] = Field(description="version of the format")
    description: str = Field(default="", description="a note for people; not used")
    terrains: Terrains = Field(default={}, description="costs by terrain")
    vertices: Annotated[list[PointValue], FIRST_ONLY] = Field(description="[x, y] of each")
    polygons: Annotated[list[list[int]], FIRST_ONLY] = Field(
        description="numbers of the vertices around each polygon"
    )
    areas: Annotated[list[TerrainName], FIRST_ONLY] = Field(
        default=[], description="terrain of each polygon; floor where it is left out"
    )
    floors: Annotated[list[Annotated[int, Field(ge=0, lt=MAX_FLOORS)]], FIRST_ONLY] = Field(
        default=[], description="floor of each polygon; 0 where it is left out"
    )
    links: Annotated[list[PlaneLinkTable], FIRST_ONLY] = Field(default=[], description="off-mesh")


def read_mesh_json(path: Path, document: dict[str, Any]) -> GeometryLevel:
    """Read a navigation mesh from a parsed JSON file.

    Raises:
        LevelError: the document has one mistake.
        BakeErrors: it has several mistakes.
    """
    top = Where(path)
    check_version(top, document.get("version"), VERSION)
    file = validated(MeshFile, document, top)
    count = len(file.polygons)
    for key, given in (("areas", file.areas), ("floors", file.floors)):
        if given and len(given) != count:
            top.inside(key).refuse(
                f"there are {len(given):,} of them and {count:,} polygons", "one for each polygon"
            )
    rules, colors = terrain_rules(file.terrains, top.inside("terrains"))
    places = [top.inside("polygons", number) for number in range(count)]
    for where, polygon in zip(places, file.polygons, strict=True):
        for corner, vertex in enumerate(polygon):
            if not 0 <= vertex < len(file.vertices):
                where.inside(corner).refuse(
                    f"there is no vertex {vertex}", f"0 to {len(file.vertices) - 1}"
                )
    level = _build_level(
        path,
        np.array(file.vertices, dtype=np.float64).reshape(-1, 2),
        file.polygons,
        file.areas or [FLOOR] * count,
        file.floors or [0] * count,
        tuple(map(str, places)),
        tuple(file.terrains),
    )
    rules = {**level.terrain_rules, **rules}
    links = read_links(file.links, top)
    return replace(level, terrain_rules=rules, colours=colors, links=links)


def read_obj(path: Path) -> GeometryLevel:
    """Read a navigation mesh from a Wavefront OBJ file with the y axis up, as in Recast.

    The plane has the axes x and z; heights are dropped. A material (``usemtl``) is the terrain of
    the following faces. Objects and groups named "floor N" set the floor.

    Raises:
        LevelError: the file has a mistake.
    """
    text = read_text(path, MAX_OBJ_BYTES, "split the mesh into several")
    vertices: list[tuple[float, float]] = []
    polygons: list[list[int]] = []
    areas: list[str] = []
    floors: list[int] = []
    places: list[str] = []
    area, floor = FLOOR, 0
    for number, words in _split_lines(text):
        place = f"line {number}"
        if words[0] == "v":
            vertices.append(_read_vertex(path, place, words))
        elif words[0] == "f":
            polygons.append(
                [_read_corner(path, place, word, len(vertices)) for word in _split_corners(words)]
            )
            areas.append(area)
            floors.append(floor)
            places.append(place)
        elif words[0] == "usemtl" and len(words) > 1:
            area = " ".join(words[1:])
            if not is_plain_text(area):
                refuse(path, place, f"the material is {shown(area)}", "the name of a terrain")
        elif words[0] in ("o", "g") and len(words) == 3 and words[1].lower() == "floor":
            floor = _read_floor(path, place, words[2])
    points = np.array(vertices, dtype=np.float64).reshape(-1, 2)
    return _build_level(path, points, polygons, areas, floors, tuple(places), ())


def _split_lines(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the words of each line, without empty lines and comments.

    A backslash at the end joins a line to the next one (Wavefront, "Object Files", "General
    statement syntax"), except in comments, where it may be the end of a path.
    """
    lines = enumerate(text.split("\n"), 1)
    for number, line in lines:
        if line.lstrip().startswith("#"):
            continue
        parts = [line]
        while parts[-1].rstrip().endswith("\\"):
            parts[-1] = parts[-1].rstrip()[:-1]
            parts.append(next(lines, (0, ""))[1])
        if words := " ".join(parts).split():
            yield number, words


def _read_vertex(path: Path, place: str, words: list[str]) -> tuple[float, float]:
    try:
        # Python allows underscores in numbers; OBJ does not.
        x, _, z = (float(word.encode("ascii").replace(b"_", b"?")) for word in words[1:4])
    except ValueError:
        refuse(path, place, f"the vertex is {shown(' '.join(words))}", "v and three numbers")
    return x, z


def _split_corners(words: list[str]) -> list[str]:
    """Return the words of a face that are corners, without a comment at the end."""
    return list(takewhile(lambda word: not word.startswith("#"), words[1:]))


def _read_corner(path: Path, place: str, word: str, count: int) -> int:
    """Return the vertex, from 0, of a corner in a face: 7, 7/2, 7/2/3, 7//3 or -1."""
    text = word.partition("/")[0]
    number = int(text) if _WHOLE.fullmatch(text) else 0
    vertex = number - 1 if number > 0 else count + number
    if number == 0 or not 0 <= vertex < count:
        refuse(path, place, f"the face has the corner {shown(word)}", f"1 to {count:,}")
    return vertex


def _read_floor(path: Path, place: str, text: str) -> int:
    if not (_WHOLE.fullmatch(text) and 0 <= int(text) < MAX_FLOORS):
        refuse(path, place, f"the floor is {shown(text)}", f"0 to {MAX_FLOORS - 1}")
    return int(text)


def _build_level(
    path: Path,
    vertices: Float64Array,
    polygons: list[list[int]],
    areas: list[str],
    floors: list[int],
    places: tuple[str, ...],
    named: tuple[str, ...],
) -> GeometryLevel:
    if not polygons:
        refuse(path, None, "the mesh is empty", "at least one polygon")
    corners = sum(map(len, polygons))
    if corners > MAX_MESH_WHOLES:
        refuse(path, None, f"the mesh has {corners:,} corners", f"at most {MAX_MESH_WHOLES:,}")
    for place, polygon in zip(places, polygons, strict=True):
        if len(polygon) < 3:
            refuse(path, place, f"the polygon has {len(polygon)} corners", "at least 3")
    terrains = tuple(dict.fromkeys([*named, *areas]))
    check_terrain_count(path, len(terrains), None)
    number = {name: code for code, name in enumerate(terrains)}
    return GeometryLevel(
        path.stem,
        path,
        (),
        terrains,
        built_in_rules(terrains),
        polygons=Polygons(
            vertices,
            np.cumsum([0, *map(len, polygons)]).astype(np.int32),
            np.array([vertex for polygon in polygons for vertex in polygon], dtype=np.int32),
            np.array([number[name] for name in areas], dtype=np.uint8),
            np.array(floors, dtype=np.int32),
            places,
        ),
    )


def mesh_schema() -> dict[str, Any]:
    """Return the JSON Schema of meshes; it cannot require convex polygons."""
    return build_schema(MeshFile, "bake navigation mesh, version 1")
