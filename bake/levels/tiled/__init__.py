"""Levels of the Tiled editor: maps (.tmx, .tmj) and worlds of maps (.world)."""

from __future__ import annotations

from pathlib import Path

from bake.editors import TiledReading
from bake.level import GridLevel
from bake.levels.tiled.map import read_map


def read_tiled(path: Path, reading: TiledReading, project: Path | None) -> GridLevel:
    """Read a map, or a world of maps as one level.

    Args:
        path: .tmx, .tmj or .world.
        reading: the recipe's [tiled].
        project: folder that references must stay in; None = the file's own.

    Raises:
        LevelError: a mistake in the file or in one it refers to.
    """
    if path.suffix.lower() == ".world":
        from bake.levels.tiled.world import read_world

        return read_world(path, reading, project)
    return read_map(path, reading, project)
