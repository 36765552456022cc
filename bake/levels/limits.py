"""Sizes no reader goes beyond."""

from __future__ import annotations

from pathlib import Path

from bake.errors import LevelError
from bake.level import MAX_TERRAINS
from bake.levels.allowance import most_cells

#: Largest cost or arc length a level file may state, in units. Costs are stored in int32 ticks of
#: at least one a unit, so anything larger has no place in any asset.
MAX_COST = 1e9


def check_size(path: Path, width: int, height: int, place: str | None = None) -> None:
    """Refuse a grid without cells, or with more of them than a level may have.

    Raises:
        LevelError: the grid is empty or too large.
    """
    if width == 0 or height == 0:
        raise LevelError(
            f"empty level, {width} x {height} cells",
            file=path,
            place=place,
            expected="at least one cell",
        )
    if width * height > most_cells():
        raise LevelError(
            f"the level is {width:,} x {height:,}, {width * height:,} cells",
            file=path,
            place=place,
            expected=f"at most {most_cells():,}",
            remedy="split it into several levels",
        )


def check_terrain_count(path: Path, count: int, place: str) -> None:
    """Refuse more terrains than a level's cells can number.

    Raises:
        LevelError: there are more than MAX_TERRAINS.
    """
    if count > MAX_TERRAINS:
        raise LevelError(
            f"{count:,} terrains", file=path, place=place, expected=f"at most {MAX_TERRAINS}"
        )
