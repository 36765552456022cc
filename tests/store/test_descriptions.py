"""Descriptions, units and encodings are for people: forged ones change no answer."""

from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import pytest

from bake.play import open_asset
from bake.store import Asset
from bake.store.header import read_header
from bake.store.write import DESCRIPTIONS
from bake.verify import verify_asset
from tests.support.baked import bake_grid, rows
from tests.support.tampering import sign_body


@pytest.fixture
def asset(tmp_path: Path) -> Path:
    return bake_grid(tmp_path, rows("....", ".##.", "...."))


def forge(asset: Path, change: Callable[[h5py.File], None]) -> None:
    header = read_header(asset)
    with h5py.File(asset, "r+") as file:
        change(file)
    sign_body(asset, header)


def forge_attributes(file: h5py.File) -> None:
    """Write other units and encodings, and attributes that nothing declares."""
    for path in ("terrain", "profiles/default/run_length"):
        file[path].attrs["unit"] = np.bytes_("parsecs")
        file[path].attrs["encoding"] = np.arange(5)
        file[path].attrs["description"] = "x" * 1000


def remove_descriptions(file: h5py.File) -> None:
    del file[DESCRIPTIONS]


def forge_descriptions(file: h5py.File) -> None:
    del file[DESCRIPTIONS]
    file[DESCRIPTIONS] = np.zeros((3, 3))


def group_in_place_of_descriptions(file: h5py.File) -> None:
    del file[DESCRIPTIONS]
    file.create_group(DESCRIPTIONS)["terrain"] = np.arange(3)


@pytest.mark.parametrize(
    "change",
    [
        forge_attributes,
        remove_descriptions,
        forge_descriptions,
        group_in_place_of_descriptions,
    ],
)
def test_forged_descriptions(asset: Path, change: Callable[[h5py.File], None]) -> None:
    with open_asset(asset) as level:
        expected = level.profile().path((0, 0), (3, 2))
    forge(asset, change)
    with Asset(asset) as opened:
        assert f"/{DESCRIPTIONS}" not in opened.columns()
    with open_asset(asset) as level:
        assert level.profile().path((0, 0), (3, 2)) == expected
    verify_asset(asset, None, lambda done: None)


def test_encodings_of_columns(asset: Path) -> None:
    """What a person finds in the file, by the tools of HDF5."""
    with h5py.File(asset) as file:
        lines = [line.decode() for line in file[DESCRIPTIONS][()]]
        assert any(line.startswith("run_length: how many targets each run has") for line in lines)
        run_length = file["profiles/default/run_length"]
        assert run_length.attrs["encoding"] == b"LEB128 run lengths"
        distance = file["profiles/default/cluster_distance"]
        assert distance.attrs["encoding"] == b"folded second differences"
        assert b"differences" in distance.attrs["unit"]
        assert "encoding" not in file["terrain"].attrs
