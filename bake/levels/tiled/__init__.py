"""Levels of the Tiled editor: maps (.tmx, .tmj) and worlds of maps (.world)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from bake.editors import TiledReading
from bake.level import GridLevel
from bake.levels.tiled.map import read_map


def read_tiled(path: Path, part: str, reading: TiledReading, project: Path | None) -> GridLevel:
    """Read a map, a world of maps as one level, or one map of a world.

    Args:
        path: .tmx, .tmj or .world.
        part: of a world, the map's file name without its extension; "" = all maps as one level.
        reading: the recipe's [tiled].
        project: folder that references must stay in; None = the file's own.

    Raises:
        LevelError: a mistake in the file or in one it refers to.
        BakeErrors: several, in links, regions, spots and doors.
    """
    if path.suffix.lower() != ".world":
        return read_map(path, reading, project)
    from bake.levels.tiled.world import read_member, read_world

    if part:
        return read_member(path, part, reading, project)
    return read_world(path, reading, project)


def world_parts(path: Path, reading: TiledReading) -> tuple[str, ...]:
    """Names of the levels a .world file gives: ("",) for one, else those of its maps.

    Raises:
        LevelError: no world, or two maps of one name.
    """
    if reading.world == "one":
        return ("",)
    from bake.levels.tiled.world import members

    # Whether its maps may be read is asked when they are.
    named = members(path, replace(reading, allow_outside=True), None)
    return tuple(member.path.stem for member in named)
