"""Level files: what is read from them, how they are refused, and where the real ones are."""

import os
from pathlib import Path

import pytest

from bake.core.errors import LevelError
from bake.core.level import GridLevel, Level
from bake.levels import load

#: The folder of real benchmark levels, which are not part of the project.
FOLDER = Path(
    os.environ.get("BAKE_SHARED_LEVELS", Path(__file__).resolve().parents[3] / "shared" / "levels")
)


def shared_level(relative: str) -> Path:
    """The path of a shared level; skips the test where it is absent."""
    path = FOLDER / relative
    if not path.exists():
        pytest.skip(f"{relative} is not here (set BAKE_SHARED_LEVELS to the folder of levels)")
    return path


def named(level: Level) -> list[list[str]]:
    """The terrain names of a grid level, row by row."""
    assert isinstance(level, GridLevel)
    return [[level.terrains[code] for code in row] for row in level.terrain]


def present(grid: list[list[str]]) -> set[str]:
    return {name for row in grid for name in row}


def refusal(path: Path, legend: dict[str, str] | None = None) -> str:
    """The one line a user sees for a file that must be refused."""
    with pytest.raises(LevelError) as caught:
        load(path, legend or {})
    line = str(caught.value)
    told = str(path).replace("\0", "\\x00")
    assert line.startswith(f"{told}: ")
    assert "\n" not in line
    return line.removeprefix(f"{told}: ")
