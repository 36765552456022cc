"""Read navigation meshes made elsewhere: JSON polygons, and OBJ as Recast's tools write it."""

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
    links_of,
)
from bake.levels.reading.files import check_version, read_text
from bake.levels.reading.limits import check_terrain_count
from bake.levels.reading.mistakes import Where, is_plain_text, refuse, shown
from bake.levels.reading.models import (
    FIRST_ONLY,
    StrictModel,
    TerrainName,
    Terrains,
    schema_of,
    terrain_rules,
    validated,
)
from bake.levels.reading.terrains import FLOOR, built_in

VERSION = 1
MAX_OBJ_BYTES = 2**26
MAX_MESH_WHOLES = 2**22
#: The number of a vertex or a floor; none has more digits.
_WHOLE = re.compile(r"-?[0-9]{1,9}")


class MeshFile(StrictModel):
    """Convex polygons over shared vertices."""

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
    """Read polygons from a parsed file.

    Raises:
        LevelError: there is a mistake in it.
        BakeErrors: there are several.
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
    rules, colours = terrain_rules(file.terrains, top.inside("terrains"))
    places = [top.inside("polygons", at) for at in range(count)]
    for where, polygon in zip(places, file.polygons, strict=True):
        for at, vertex in enumerate(polygon):
            if not 0 <= vertex < len(file.vertices):
                where.inside(at).refuse(
                    f"there is no vertex {vertex}", f"0 to {len(file.vertices) - 1}"
                )
    found = _level(
        path,
        np.array(file.vertices, dtype=np.float64).reshape(-1, 2),
        file.polygons,
        file.areas or [FLOOR] * count,
        file.floors or [0] * count,
        tuple(map(str, places)),
        tuple(file.terrains),
    )
    rules = {**found.terrain_rules, **rules}
    links = links_of(file.links, top)
    return replace(found, terrain_rules=rules, colours=colours, links=links)


def read_obj(path: Path) -> GeometryLevel:
    """Read polygons from a Wavefront OBJ file, whose y axis points up, as Recast's does.

    The plane is that of x and z. A material (``usemtl``) is the terrain of the faces after it;
    objects and groups named "floor N" say on which floor they lie. Heights are not kept.

    Raises:
        LevelError: there is a mistake in it.
    """
    text = read_text(path, MAX_OBJ_BYTES, "split the mesh into several")
    vertices: list[tuple[float, float]] = []
    polygons: list[list[int]] = []
    areas: list[str] = []
    floors: list[int] = []
    places: list[str] = []
    area, floor = FLOOR, 0
    for number, words in _obj_lines(text):
        place = f"line {number}"
        if words[0] == "v":
            vertices.append(_vertex(path, place, words))
        elif words[0] == "f":
            polygons.append([_corner(path, place, word, len(vertices)) for word in _corners(words)])
            areas.append(area)
            floors.append(floor)
            places.append(place)
        elif words[0] == "usemtl" and len(words) > 1:
            area = " ".join(words[1:])
            if not is_plain_text(area):
                refuse(path, place, f"the material is {shown(area)}", "the name of a terrain")
        elif words[0] in ("o", "g") and len(words) == 3 and words[1].lower() == "floor":
            floor = _floor(path, place, words[2])
    points = np.array(vertices, dtype=np.float64).reshape(-1, 2)
    return _level(path, points, polygons, areas, floors, tuple(places), ())


def _obj_lines(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the words of each line that has any and is no comment.

    A backslash at the end of a line joins the next one to it (Wavefront, "Object Files", "General
    statement syntax"). It means nothing in comments, where names of folders may end in one.
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


def _vertex(path: Path, place: str, words: list[str]) -> tuple[float, float]:
    try:
        # Python takes underscores for parts of numbers, and the format does not.
        x, _, z = (float(word.encode("ascii").replace(b"_", b"?")) for word in words[1:4])
    except ValueError:
        refuse(path, place, f"the vertex is {shown(' '.join(words))}", "v and three numbers")
    return x, z


def _corners(words: list[str]) -> list[str]:
    """Return the words of a face that are corners; a comment may follow them."""
    return list(takewhile(lambda word: not word.startswith("#"), words[1:]))


def _corner(path: Path, place: str, word: str, count: int) -> int:
    """Return the number of a vertex from 0, as written in a face: 7, 7/2, 7/2/3, 7//3 or -1."""
    text = word.partition("/")[0]
    number = int(text) if _WHOLE.fullmatch(text) else 0
    found = number - 1 if number > 0 else count + number
    if number == 0 or not 0 <= found < count:
        refuse(path, place, f"the face has the corner {shown(word)}", f"1 to {count:,}")
    return found


def _floor(path: Path, place: str, text: str) -> int:
    if not (_WHOLE.fullmatch(text) and 0 <= int(text) < MAX_FLOORS):
        refuse(path, place, f"the floor is {shown(text)}", f"0 to {MAX_FLOORS - 1}")
    return int(text)


def _level(
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
        built_in(terrains),
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
    """Make the JSON Schema of the format; it cannot say that polygons are convex."""
    return schema_of(MeshFile, "bake navigation mesh, version 1")
