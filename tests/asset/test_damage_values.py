"""Columns of the right type and shape whose values are wrong."""

from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import pytest

from bake.asset import Asset
from bake.play import open_asset
from levelbake.errors import BakeError, CorruptAssetError
from tests.support.damage import NAMES, ask_everything, edit, holder, replaced
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


def test_a_terrain_there_is_not(asset: Path) -> None:
    name = "/terrain"
    edit(asset, replaced(name, lambda old: np.where(old == old.max(), 200, old).astype("u1")))
    with Asset(asset) as opened, pytest.raises(CorruptAssetError) as caught:
        opened.read(name)
    assert f"column {name} has 200, not 0 to 5" in str(caught.value)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_positions_that_are_nowhere(graph: Path, value: float) -> None:
    edit(graph, replaced("/position", lambda old: np.full_like(old, value)))
    with pytest.raises(CorruptAssetError, match="position"):
        ask_everything(graph)


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


WRONG_VALUES = [
    ("/first_out", lambda old: old[::-1].copy()),
    ("/first_out", lambda old: old + 1),
    ("/first_out", lambda old: old * 1000),
    ("/head", lambda old: old + 100_000),
    ("/head", lambda old: old - 100_000),
    ("/node_location", lambda old: old + 100),
    ("/node_location", lambda old: old - 100),
    ("/node_location", lambda old: old * 0),
    ("/terrain", lambda old: old + 200),
    ("/profiles/default/component", lambda old: old - 100),
    ("/profiles/default/component", lambda old: old + 100_000),
    ("/profiles/default/weight", lambda old: old * 0),
    ("/profiles/default/weight", lambda old: -old),
    ("/profiles/default/run_move", lambda old: old * 0 + 200),
]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("name", "make"), WRONG_VALUES)
def test_values_that_lead_nowhere(
    name: str, make: Callable[[np.ndarray], object], asset: Path, graph: Path
) -> None:
    asset = holder(name, asset, graph)
    edit(asset, replaced(name, make))
    with pytest.raises(CorruptAssetError):
        ask_everything(asset)


def test_hops_that_go_round_in_circles(asset: Path) -> None:
    store_hops(asset, first_moves(asset))
    with open_asset(asset) as level:
        nav = level.profile()
        for start, goal in (((0, 0), (0, 2)), ((0, 2), (1, 0))):
            with pytest.raises(CorruptAssetError, match="do not lead"):
                nav.path(start, goal)
