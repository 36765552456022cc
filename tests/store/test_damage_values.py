"""Columns of the right type and shape whose values are wrong."""

from pathlib import Path

import h5py
import numpy as np
import pytest

from bake.play import open_asset
from bake.store import Asset
from levelbake.errors import BakeError, CorruptAssetError
from tests.support.damage import (
    ALL_COLUMNS,
    NAMES,
    UNASKED,
    ask_everything,
    check_values,
    edit,
    holder,
    replaced,
)
from tests.support.tampering import first_moves, store_hops


@pytest.mark.parametrize("name", ["/terrain_name", "/node_name"])
@pytest.mark.parametrize("text", [b"\xff\xfe", b"\xc3", "Ä".encode()[1:]])
def test_text_that_is_not_utf_8(name: str, text: bytes, asset: Path, graph: Path) -> None:
    path = holder(name, asset, graph)
    width = len(max(NAMES, key=len))

    def change(old: np.ndarray) -> np.ndarray:
        new = old.astype(f"S{width + 9}")
        new[1] = text
        # Two halves of one letter, side by side, are none.
        new[0] = b"\xc3"
        return new

    edit(path, replaced(name, change))
    with Asset(path) as opened, pytest.raises(CorruptAssetError, match=f"column {name} is not UTF"):
        opened.read(name)


@pytest.mark.parametrize("change", ["both", "neither", "other type"])
def test_names_and_numbers_of_nodes(graph: Path, change: str) -> None:
    def without(file: h5py.File) -> None:
        numbers = np.arange(len(NAMES))
        if change != "both":
            del file["node_name"]
        if change == "both":
            file["node_number"] = numbers
        elif change == "other type":
            file["node_name"] = numbers

    edit(graph, without)
    with pytest.raises(BakeError):
        ask_everything(graph)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", [name for name in ALL_COLUMNS if name not in UNASKED])
def test_values_that_the_table_forbids(name: str, asset: Path, graph: Path) -> None:
    """Whichever question needs the column, it is told of."""
    check_values(holder(name, asset, graph), name, ask_everything)


@pytest.mark.filterwarnings("error")
def test_a_move_there_is_not(asset: Path) -> None:
    edit(asset, replaced("/profiles/default/run_move", lambda old: old * 0 + 200))
    with pytest.raises(CorruptAssetError, match="run_move takes an arc"):
        ask_everything(asset)


def test_hops_that_go_round_in_circles(asset: Path) -> None:
    store_hops(asset, first_moves(asset))
    with open_asset(asset) as level:
        nav = level.profile()
        for start, goal in (((0, 0), (0, 2)), ((0, 2), (1, 0))):
            with pytest.raises(CorruptAssetError, match="do not lead"):
                nav.path(start, goal)
