"""What the level tests share: grids of terrain names, and hypothesis strategies for them."""

from pathlib import Path

import pytest
from hypothesis import strategies as st

from bake.errors import LevelError
from bake.level import GridLevel, Level
from bake.levels import load


def grids(names: list[str], largest: int = 9) -> st.SearchStrategy[list[list[str]]]:
    """Rectangular grids of terrain names, 1 x 1 and up."""
    return st.tuples(st.integers(1, largest), st.integers(1, largest)).flatmap(
        lambda size: st.lists(
            st.lists(st.sampled_from(names), min_size=size[0], max_size=size[0]),
            min_size=size[1],
            max_size=size[1],
        )
    )


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
