"""Damage to what only updates read: named at the first update, and nothing is changed by it."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from bake.errors import CorruptAssetError
from bake.runtime import open_asset
from tests.support.baked import bake, recipe_for, rows, write_grid
from tests.support.damage import UPDATE_COLUMNS, edit, replaced
from tests.support.tower import baked_tower

DRAWN = rows("..v==~", ".#v==~", "..v===")


@pytest.fixture(params=UPDATE_COLUMNS)
def damaged(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, str, tuple[int, ...]]:
    """An asset that has the column, the column, and a cell to close."""
    if request.param == "/terrain/barred":
        return baked_tower(tmp_path), request.param, (0, 0, 0)
    return bake(write_grid(tmp_path / "grid.json", DRAWN), recipe_for()), request.param, (0, 0)


@pytest.mark.parametrize(
    "make",
    [
        lambda old: np.zeros(old.shape, dtype=np.complex128),
        lambda old: np.zeros((*old.shape, 2), dtype=old.dtype),
        lambda old: old.reshape(-1)[0],
        lambda old: old[1:],
    ],
    ids=["dtype", "more dimensions", "no dimension", "one less"],
)
def test_a_column_of_another_kind(
    make: Callable[[np.ndarray], object], damaged: tuple[Path, str, tuple[int, ...]]
) -> None:
    path, name, cell = damaged
    edit(path, replaced(name, make))
    with pytest.raises(CorruptAssetError, match="damaged"), open_asset(path) as level:
        level.profile(level.profiles[0]).update(blocked=[cell])
