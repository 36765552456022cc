"""The proof of domains drawn by hand refuses what is wrong, and names it."""

import json
from pathlib import Path

import pytest

from bake.core.arrays import AnyArray
from bake.project.recipe import LevelRecipe
from bake.verify import verify_asset
from levelbake.errors import CorruptAssetError
from tests.support.baked import bake
from tests.support.tampering import change_column

RING = [[1, 1], [5, 1], [5, 9], [1, 9]]
LEVEL = {
    "format": "bake-geometry",
    "version": 1,
    "shapes": [{"terrain": "floor", "rect": [0, 0, 20, 10]}],
    "points": [{"at": [4, 5], "domain": RING}, {"at": [12, 5]}, {"at": [18, 5]}],
}


def moved(corner: AnyArray) -> None:
    corner[:, 0] += 8 * 1024


def opened(corner: AnyArray) -> None:
    corner[-1] = corner[1]


def torn(node: AnyArray) -> None:
    node[2] = (node[2] + 1) % 3


@pytest.mark.parametrize(
    ("column", "edit", "found"),
    [
        ("/domain_corner", moved, "outside its domain"),
        ("/domain_corner", opened, "not a closed ring"),
        ("/domain_node", torn, "two domains"),
    ],
)
def test_wrong_domains(tmp_path: Path, column: str, edit: object, found: str) -> None:
    source = tmp_path / "room.json"
    source.write_text(json.dumps(LEVEL))
    asset = bake(source, LevelRecipe(division="dirichlet"))
    verify_asset(asset, None, lambda done: None)
    change_column(asset, column, edit)  # type: ignore[arg-type]
    with pytest.raises(CorruptAssetError, match=found):
        verify_asset(asset, None, lambda done: None)
