"""Detect the format of a level file, and read its levels: :func:`load` and :func:`parts`.

Readers are imported when a file needs them, so listing the suffixes imports none of them.
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

#: The formats of levels: "rows" are rows of characters, "values" are separated values.
Format = Literal["image", "tiled", "ldtk", "movingai", "json", "svg", "obj", "rows", "values"]

IMAGE_SUFFIXES = frozenset({".png", ".bmp", ".gif", ".tga", ".tif", ".tiff", ".webp"})
LOSSY_SUFFIXES = frozenset({".jpg", ".jpeg", ".jpe", ".jfif"})
JSON_SUFFIX = ".json"
TILED_WORLD_SUFFIX = ".world"
LDTK_LEVEL_SUFFIX = ".ldtkl"
#: Suffixes that levels of text have in common with prose and tables of data.
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

#: The format of puzzles, which are not levels and have a reader of their own.
PUZZLE_FORMAT = "bake-puzzle"
_CHUNK_BYTES = 2**20
#: Keys of all maps and of all tilesets, in every version of Tiled.
_TILED_KEYS: Mapping[Literal["map", "tileset"], tuple[str, ...]] = {
    "map": ("layers", "tilesets", "tilewidth", "tileheight"),
    "tileset": ("tilewidth", "tileheight", "margin", "spacing"),
}


def format_of(path: Path) -> Format | None:
    """Return the format of a level file, or None if its suffix is unknown.

    The suffix decides, in upper or lower case. The contents decide whether JSON is a map of Tiled.
    """
    kind = _FORMATS.get(path.suffix.lower())
    return "tiled" if kind == "json" and is_tiled_json(path, "map") else kind


def is_puzzle(path: Path) -> bool:
    """Return whether a file is a puzzle, without parsing levels; False if unreadable."""
    if path.suffix.lower() != JSON_SUFFIX or not path.is_file():
        return False
    word, tail = f'"{PUZZLE_FORMAT}"'.encode(), b""
    try:
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK_BYTES):
                if word in tail + chunk:
                    # The word may also be a name in a level.
                    document = read_document(path)
                    return isinstance(document, dict) and document.get("format") == PUZZLE_FORMAT
                tail = chunk[-len(word) :]
    except (BakeError, OSError):  # Reading the file as a level reports the error.
        return False
    return False


def is_tiled_json(path: Path, kind: Literal["map", "tileset"]) -> bool:
    """Return whether a JSON file is a map or tileset of Tiled; False if unreadable.

    Tiled exports maps as ``NAME.json``, and engines such as Phaser use that suffix.
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
        # Levels of other formats may be large, so do not parse them here.
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
    """Return the names of the levels in a file, reading as little of it as possible.

    Args:
        path: a level file.
        tiled: options for Tiled maps; None = the defaults.
        ldtk: options for LDtk projects; None = the defaults.

    Returns:
        At least one name, without repeats; ("",) if the file is a single level, which is named
        after the file.

    Raises:
        LevelError: the file cannot be read, or two of its levels have the same name.

    Example:
        >>> from pathlib import Path
        >>> from bake.levels import parts
        >>> parts(Path("cave.png"))
        ('',)
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
    """Return the files that a level depends on although no file refers to them.

    These are the Tiled project files that define the custom types of a map.

    Args:
        path: a level file.
        tiled: options for Tiled maps; None = the defaults.
        project: the folder that all files must lie in; None = the folder of the level.

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
    """Read one level from a file of any format.

    Args:
        path: the file; :func:`format_of` detects its format.
        legend: terrain by color ("#rrggbb" or "#rrggbbaa"), for images and SVG.
        part: the name of the level in the file, from :func:`parts`.
        tiled: options for Tiled maps; None = the defaults.
        ldtk: options for LDtk projects; None = the defaults.
        text: options for rows of characters and separated values; None = the defaults.
        project: the folder that referenced files must lie in; None = the folder of the level.
        memory_budget: the most bytes of memory for reading; None = 2 GiB.

    Raises:
        LevelError: the file is missing, unreadable, of no known format, or damaged.
        BakeErrors: the file has several mistakes, each with its own line.

    Example:
        >>> import tempfile
        >>> from bake.levels import load
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = Path(folder, "room.txt")
        ...     _ = file.write_text("####.")
        ...     level = load(file, {})
        >>> level.terrains, level.terrain.tolist()
        (('wall', 'floor'), [[0, 0, 0, 0, 1]])
    """
    path = Path(path)
    _check_suffix(path)
    with allowance(memory_budget):
        return _read(path, legend, part, tiled, ldtk, text, project)


def _check_suffix(path: Path) -> None:
    suffix = path.suffix.lower()
    if suffix in LOSSY_SUFFIXES:
        # This import loads numpy, which listing the suffixes does not need.
        from bake.levels.painting import reduce_remedy

        problem = f"{suffix} images blur colors, so terrains cannot be distinguished"
        remedy = f"save the original as .png, or {reduce_remedy(path)}"
        refuse(path, None, problem, "a lossless image", remedy)
    if suffix == LDTK_LEVEL_SUFFIX:
        refuse(
            path,
            None,
            "this is one level of an LDtk project, and the meaning of its values is in the project",
            "the project's .ldtk file",
            "bake that file; it includes its levels",
        )
    if format_of(path) is None:
        if not os.path.lexists(path):
            refuse(path, None, "there is no such file", "a level file")
        says = f"its suffix is '{suffix}'" if suffix else "its name has no suffix"
        problem = f"the kind of level file is unknown, {says}"
        refuse(path, None, problem, f"one of {', '.join(sorted(SUFFIXES))}")


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
        # The format defines its letters, so no entry of the recipe matches.
        return replace(read_map(path), unmatched=(*reading.legend, *reading.spots))
    if kind == "values":
        from bake.levels.text.separated import read_separated

        return read_separated(path, text or TextReading())
    return _read_json(path)


def _read_json(path: Path) -> Drawn:
    """Read a tile level, shapes, a navigation mesh or an explicit graph from a JSON file."""
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
        problem = "this is a tileset of Tiled, which its maps refer to"
        refuse(path, None, problem, "a level", "list only levels in sources")
    keys = [shown(key) for key in document]
    if len(keys) > _SHOWN_KEYS:
        keys = [*keys[:_SHOWN_KEYS], "..."]
    says = f"its keys are {', '.join(keys)}" if keys else "it is an empty object"
    refuse(path, None, f"the JSON is not a level; {says}", _EXPECTED)
