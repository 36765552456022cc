"""Find out which format a level file has, and read it: :func:`load` and :func:`parts`.

Formats are imported only when a file needs them, so that naming the suffixes costs nothing.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Literal

from bake.core.level import Drawn
from bake.levels.reading.editors import LdtkReading, TiledReading
from bake.levels.reading.files import MAX_JSON_BYTES, read_document, read_start
from bake.levels.reading.limits import allowance
from bake.levels.reading.mistakes import refuse, shown
from bake.levels.reading.text import TextReading
from levelbake.errors import BakeError

#: What levels are stored in. Rows are characters, and values have delimiters between them.
Format = Literal["image", "tiled", "ldtk", "movingai", "json", "svg", "obj", "rows", "values"]

IMAGE_SUFFIXES = frozenset({".png", ".bmp", ".gif", ".tga", ".tif", ".tiff", ".webp"})
LOSSY_SUFFIXES = frozenset({".jpg", ".jpeg", ".jpe", ".jfif"})
JSON_SUFFIX = ".json"
TILED_WORLD_SUFFIX = ".world"
LDTK_LEVEL_SUFFIX = ".ldtkl"
#: Suffixes that levels of text share with prose and tables of data.
TEXT_SUFFIXES = frozenset({".txt", ".csv"})

_FORMATS: Mapping[str, Format] = {
    **dict.fromkeys(IMAGE_SUFFIXES, "image"),
    **dict.fromkeys((".tmx", ".tmj", TILED_WORLD_SUFFIX), "tiled"),
    **{".ldtk": "ldtk", ".map": "movingai", JSON_SUFFIX: "json", ".svg": "svg", ".obj": "obj"},
    **{".txt": "rows", ".csv": "values"},
}
#: The suffixes of all level files, in lower case.
SUFFIXES = frozenset(_FORMATS)

_EXPECTED = (
    'a tile level ("format": "bake-tiles", "version": 1, "legend", "rows"), shapes '
    '("format": "bake-geometry"), a mesh ("format": "bake-mesh") or a networkx '
    'node-link graph ("nodes" and "edges" or "links")'
)
_JSON_FORMATS = ("bake-tiles", "bake-graph", "bake-geometry", "bake-mesh")
_SHOWN_KEYS = 6

#: The format of puzzles, which are no levels and have a reader of their own.
PUZZLE_FORMAT = "bake-puzzle"
_PIECE = 2**20
#: Keys that all maps and all tilesets of Tiled have, whatever version saved them.
_TILED_KEYS: Mapping[Literal["map", "tileset"], tuple[str, ...]] = {
    "map": ("layers", "tilesets", "tilewidth", "tileheight"),
    "tileset": ("tilewidth", "tileheight", "margin", "spacing"),
}


def format_of(path: Path) -> Format | None:
    """Return the format of a level file, or None where it has none.

    Its suffix decides, in any case. A file of JSON may be a map of Tiled, as its contents show.
    """
    found = _FORMATS.get(path.suffix.lower())
    return "tiled" if found == "json" and is_tiled_json(path, "map") else found


def is_puzzle(path: Path) -> bool:
    """Tell whether a file is a puzzle; False where it cannot be read. Levels are not parsed."""
    if path.suffix.lower() != JSON_SUFFIX or not path.is_file():
        return False
    word, tail = f'"{PUZZLE_FORMAT}"'.encode(), b""
    try:
        with path.open("rb") as file:
            while piece := file.read(_PIECE):
                if word in tail + piece:
                    # A level may have the word among its names.
                    document = read_document(path)
                    return isinstance(document, dict) and document.get("format") == PUZZLE_FORMAT
                tail = piece[-len(word) :]
    except (BakeError, OSError):  # Whoever reads it as a level says what is wrong.
        return False
    return False


def is_tiled_json(path: Path, kind: Literal["map", "tileset"]) -> bool:
    """Return whether a file of JSON is a map or tileset of Tiled; False where it cannot be read.

    Tiled calls exported maps ``NAME.json``, and so do engines such as Phaser.
    """
    try:
        status = path.stat()
    except OSError:
        return False
    return _is_tiled_json(path, kind, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=4096)
def _is_tiled_json(path: Path, kind: Literal["map", "tileset"], _changed: int, size: int) -> bool:
    keys = _TILED_KEYS[kind]
    if size > MAX_JSON_BYTES:
        return False
    try:
        text = read_start(path, size)
        # Levels of other formats may be large, and are not parsed here.
        if not all(f'"{key}"'.encode() in text for key in keys):
            return False
        with allowance(None):
            document = read_document(path)
    except BakeError:
        return False
    if not isinstance(document, dict) or "format" in document:
        return False
    return document.keys() >= {*keys} and document.get("type", kind) == kind


def parts(
    path: Path, *, tiled: TiledReading | None = None, ldtk: LdtkReading | None = None
) -> tuple[str, ...]:
    """Name the levels that a file gives, reading as little of it as possible.

    Args:
        path: a level file.
        tiled: how Tiled maps are read; None = by the defaults.
        ldtk: how LDtk projects are read; None = by the defaults.

    Returns:
        At least one name, each once; ("",) where the file gives one level, which has the file's
        name.

    Raises:
        LevelError: the file cannot be read, or two of its levels have one name.
    """
    if format_of(path) == "ldtk":
        from bake.levels.ldtk.outline import ldtk_parts

        return ldtk_parts(path, ldtk or LdtkReading())
    if path.suffix.lower() == TILED_WORLD_SUFFIX and tiled is not None and tiled.world == "each":
        from bake.levels.tiled.maps import world_parts

        return world_parts(path, tiled)
    return ("",)


def implied_files(
    path: Path, tiled: TiledReading | None = None, project: Path | None = None
) -> tuple[Path, ...]:
    """Return the files that a level is read from though no file refers to them.

    They are the project files that define the custom types of a map of Tiled.

    Args:
        path: a level file.
        tiled: how Tiled maps are read; None = by the defaults.
        project: folder that files a level refers to must lie in; None = the level's own.

    Raises:
        LevelError: a project file lies outside that folder.
    """
    if format_of(path) != "tiled":
        return ()
    from bake.levels.tiled.custom_types import find_custom_types

    outside = tiled is not None and tiled.allow_outside
    return tuple(find_custom_types(path, project, allow_outside=outside).files)


def load(
    path: Path,
    legend: Mapping[str, str],
    *,
    part: str = "",
    tiled: TiledReading | None = None,
    ldtk: LdtkReading | None = None,
    text: TextReading | None = None,
    project: Path | None = None,
    memory_budget: int | None = None,
) -> Drawn:
    """Read one level.

    Args:
        path: the file, whose format is that of :func:`format_of`.
        legend: terrain by colour ("#rrggbb" or "#rrggbbaa"), for images and drawings.
        part: which of its levels, by a name of :func:`parts`.
        tiled: how Tiled maps are read; None = by the defaults.
        ldtk: how LDtk projects are read; None = by the defaults.
        text: how rows of characters and separated values are read; None = by the defaults.
        project: folder that files a level refers to must lie in; None = the level's own.
        memory_budget: bytes; bounds what reading may take. None = 2 GiB.

    Raises:
        LevelError: the file is missing, unreadable, of no known format, or damaged.
        BakeErrors: there are several such mistakes, each with its own line.
    """
    path = Path(path)
    _check_suffix(path)
    with allowance(memory_budget):
        return _read(path, legend, part, tiled, ldtk, text, project)


def _check_suffix(path: Path) -> None:
    suffix = path.suffix.lower()
    if suffix in LOSSY_SUFFIXES:
        # Naming the suffixes loads no library, and this loads numpy.
        from bake.levels.painting import reduce_remedy

        found = f"{suffix} images blur colours, so terrains cannot be told apart"
        remedy = f"save the original as .png, or {reduce_remedy(path)}"
        refuse(path, None, found, "a lossless image", remedy)
    if suffix == LDTK_LEVEL_SUFFIX:
        refuse(
            path,
            None,
            "this is one level of an LDtk project, and what its values mean stands in the project",
            "the project's .ldtk file",
            "bake that; it reads its level files itself",
        )
    if format_of(path) is None:
        if not os.path.lexists(path):
            refuse(path, None, "there is no such file", "a level file")
        says = f"its suffix is '{suffix}'" if suffix else "its name has no suffix"
        found = f"the kind of level file is unknown, {says}"
        refuse(path, None, found, f"one of {', '.join(sorted(SUFFIXES))}")


def _read(
    path: Path,
    legend: Mapping[str, str],
    part: str,
    tiled: TiledReading | None,
    ldtk: LdtkReading | None,
    text: TextReading | None,
    project: Path | None,
) -> Drawn:
    kind = format_of(path)
    if kind == "image":
        from bake.levels.image import read_image

        return read_image(path, legend)
    if kind == "movingai":
        from bake.levels.movingai import read_map

        return read_map(path)
    if kind == "tiled":
        from bake.levels.tiled.maps import read_tiled

        return read_tiled(path, part, tiled or TiledReading(), project)
    if kind == "ldtk":
        from bake.levels.ldtk.level import read_ldtk

        return read_ldtk(path, part, ldtk or LdtkReading(), project)
    if kind == "svg":
        from bake.levels.plane.svg import read_svg

        return read_svg(path, legend)
    if kind == "obj":
        from bake.levels.plane.meshes import read_obj

        return read_obj(path)
    if kind == "rows":
        from bake.levels.movingai import is_map, read_map
        from bake.levels.text.rows import read_rows

        reading = text or TextReading()
        if not is_map(path):
            return read_rows(path, reading)
        # The format has letters of its own, so that no entry of the recipe matches.
        return replace(read_map(path), unmatched=(*reading.legend, *reading.spots))
    if kind == "values":
        from bake.levels.text.separated import read_separated

        return read_separated(path, text or TextReading())
    return _read_json(path)


def _read_json(path: Path) -> Drawn:
    """Read a tile level, shapes, a mesh or an explicit graph, whichever the file holds."""
    document = read_document(path)
    if not isinstance(document, dict):
        refuse(path, "top level", f"the file holds {shown(document)}", _EXPECTED)
    kind = document.get("format")
    if kind == PUZZLE_FORMAT:
        refuse(path, "format", "this is a puzzle, and has no cells or nodes", "a level")
    if "format" in document and kind not in _JSON_FORMATS:
        refuse(path, "format", f"the format is {shown(kind)}, which is unknown", _EXPECTED)
    if kind == "bake-tiles":
        from bake.levels.tiles_json import read_tiles

        return read_tiles(path, document)
    if kind == "bake-geometry":
        from bake.levels.plane.geometry_json import read_geometry

        return read_geometry(path, document)
    if kind == "bake-mesh":
        from bake.levels.plane.meshes import read_mesh_json

        return read_mesh_json(path, document)
    if kind == "bake-graph" or ("nodes" in document and document.keys() & {"edges", "links"}):
        from bake.levels.graph_json import read_graph

        return read_graph(path, document)

    if document.get("type") == "tileset" or is_tiled_json(path, "tileset"):
        found = "this is a tileset of Tiled, which its maps refer to"
        refuse(path, None, found, "a level", "name in sources the levels alone")
    keys = [shown(key) for key in document]
    if len(keys) > _SHOWN_KEYS:
        keys = [*keys[:_SHOWN_KEYS], "..."]
    says = f"its keys are {', '.join(keys)}" if keys else "it is an empty object"
    refuse(path, None, f"the JSON is not a level; {says}", _EXPECTED)
