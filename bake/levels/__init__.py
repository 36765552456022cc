"""Level files to levels: one module per format, :func:`load` chooses.

Formats are imported only when a file needs them, so that naming the suffixes costs nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from bake.editors import LdtkReading, TiledReading
from bake.errors import LevelError
from bake.level import Level
from bake.levels.allowance import allowance

IMAGE_SUFFIXES = frozenset({".png", ".bmp", ".gif", ".tga", ".tif", ".tiff", ".webp"})
LOSSY_SUFFIXES = frozenset({".jpg", ".jpeg", ".jpe", ".jfif"})
JSON_SUFFIX = ".json"
MOVINGAI_SUFFIX = ".map"
TILED_WORLD_SUFFIX = ".world"
TILED_SUFFIXES = frozenset({".tmx", ".tmj", TILED_WORLD_SUFFIX})
LDTK_SUFFIX = ".ldtk"
LDTK_LEVEL_SUFFIX = ".ldtkl"

#: Suffixes of level files, lower case.
SUFFIXES: frozenset[str] = (
    IMAGE_SUFFIXES | TILED_SUFFIXES | {JSON_SUFFIX, MOVINGAI_SUFFIX, LDTK_SUFFIX}
)


def parts(
    path: Path, *, tiled: TiledReading | None = None, ldtk: LdtkReading | None = None
) -> tuple[str, ...]:
    """Names of the levels a file gives, read as quickly as can be.

    Args:
        path: a level file.
        tiled: how Tiled maps are read; None = by the defaults.
        ldtk: how LDtk projects are read; None = by the defaults.

    Returns:
        At least one name, each once; ("",) where the file gives one level, called like itself.

    Raises:
        LevelError: the file cannot be read, or two of its levels have one name.
    """
    if path.suffix.lower() == LDTK_SUFFIX:
        from bake.levels.ldtk.contents import ldtk_parts

        return ldtk_parts(path, ldtk or LdtkReading())
    if path.suffix.lower() == TILED_WORLD_SUFFIX:
        from bake.levels.tiled import world_parts

        return world_parts(path, tiled or TiledReading())
    return ("",)


def load(
    path: Path,
    legend: Mapping[str, str],
    *,
    part: str = "",
    tiled: TiledReading | None = None,
    ldtk: LdtkReading | None = None,
    project: Path | None = None,
    memory_budget: int | None = None,
) -> Level:
    """Read one level.

    Args:
        path: the file; its suffix, in any case, says which format it is.
        legend: terrain by colour ("#rrggbb" or "#rrggbbaa"), for images.
        part: which of its levels, by a name of :func:`parts`.
        tiled: how Tiled maps are read; None = by the defaults.
        ldtk: how LDtk projects are read; None = by the defaults.
        project: folder that files a level refers to must lie in; None = the level's own.
        memory_budget: bytes; bounds what reading may take. None = 2 GiB.

    Raises:
        LevelError: the file is missing, unreadable, of no known format, or damaged.
        BakeErrors: several such mistakes, each with its own line.
    """
    path = Path(path)
    _check_suffix(path)
    with allowance(memory_budget):
        return _read(path, legend, part, tiled, ldtk, project)


def _check_suffix(path: Path) -> None:
    suffix = path.suffix.lower()
    if suffix in LOSSY_SUFFIXES:
        raise LevelError(
            f"{suffix} images blur colours, so terrains cannot be told apart",
            file=path,
            expected="a lossless image",
            remedy="save the original as .png",
        )
    if suffix == LDTK_LEVEL_SUFFIX:
        raise LevelError(
            "this is one level of an LDtk project, and what its values mean stands in the project",
            file=path,
            expected="the project's .ldtk file",
            remedy="bake that; it reads its level files itself",
        )
    if suffix not in SUFFIXES:
        raise LevelError(
            f"unknown kind of level file, its suffix is '{suffix}'"
            if suffix
            else "unknown kind of level file, its name has no suffix",
            file=path,
            expected=f"one of {', '.join(sorted(SUFFIXES))}",
        )


def _read(
    path: Path,
    legend: Mapping[str, str],
    part: str,
    tiled: TiledReading | None,
    ldtk: LdtkReading | None,
    project: Path | None,
) -> Level:
    suffix = path.suffix.lower()
    if suffix in IMAGE_SUFFIXES:
        from bake.levels.image import read_image

        return read_image(path, legend)
    if suffix == MOVINGAI_SUFFIX:
        from bake.levels.movingai import read_map

        return read_map(path)
    if suffix in TILED_SUFFIXES:
        from bake.levels.tiled import read_tiled

        return read_tiled(path, part, tiled or TiledReading(), project)
    if suffix == LDTK_SUFFIX:
        from bake.levels.ldtk.read import read_ldtk

        return read_ldtk(path, part, ldtk or LdtkReading(), project)
    from bake.levels.json_level import read_json_level

    return read_json_level(path)
