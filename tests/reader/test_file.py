"""The reader opens both kinds of files, and reads of them what the bake reads."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest

from bake.store import Asset, document
from bake.store.columns import COLUMNS
from bake.store.columns.numbers import COUNTS, NUMBERS
from bake.store.schema import ATTRIBUTES
from levelbake import columns
from levelbake.errors import AssetError, NotAnAssetError
from levelbake.file import File, Hdf5File
from tests.support.stored import stored_asset

VECTORS = Path(__file__).parents[1] / "vectors"
FLAT = sorted(VECTORS.glob("*.bake"))


def test_the_lists_are_made_from_those_of_the_bake() -> None:
    source = document.READER.read_text("utf-8")
    assert document.lists_of_the_reader() in source, "run `python -m bake.store.document`"


def test_the_reader_checks_what_the_bake_declares() -> None:
    read = {(each.box, each.path): each for each in columns.COLUMNS}
    left_out = set()
    for each in COLUMNS:
        found = read.pop((each.box, each.path), None)
        if found is None:
            left_out.add(each.name)
        else:
            bare = each._replace(unit="", description="", encoding="", shuffle=True, given=False)
            # As text, because NaN is not equal to itself.
            assert list(map(str, found)) == list(map(str, bare))
    assert not read
    asked = {"terrain", "link", "price", "region", "spot", "door", "run", "label"}
    not_asked = {"terrain_colour", "link_ticks", "price_ticks", "link_open", "label_top"}
    assert {name for name in left_out if name.split("_")[0] in asked} == not_asked
    for mine, theirs, left in (
        (columns.ATTRIBUTES, ATTRIBUTES, {"pivot_two_way"}),
        (columns.COUNTS, COUNTS, set()),
    ):
        kept = [each._replace(description="") for each in theirs if each.name not in left]
        # Those of one line stand together.
        assert sorted(map(str, mine)) == sorted(map(str, kept))
    assert [tuple(each) for each in columns.NUMBERS] == list(NUMBERS)


def check_columns(path: Path) -> None:
    with File(path) as file, Asset(path) as whole:
        assert (file.name, file.profiles) == (whole.name, whole.profiles)
        assert file.header.fingerprint() == whole.header.fingerprint()
        columns = [each for each in whole.columns() if file.has(each)]
        assert set(columns) >= {"/terrain", "/terrain_name"}
        for column in columns:
            np.testing.assert_array_equal(file.read(column), whole.read(column))
        for each in file.schema.attributes:
            for name in file.profiles if "{" in each.group else ("",):
                group = each.group.format(profile=name)
                found = file.attribute(each.name, group)
                assert found == whole.attribute(each.name, group), each


@pytest.mark.parametrize("path", FLAT, ids=lambda path: path.stem)
def test_flat_files(path: Path) -> None:
    check_columns(path)


@pytest.mark.parametrize("name", ["grove.json", "depot.json"])
def test_assets(name: str) -> None:
    check_columns(stored_asset(name))


def test_a_closed_file_answers_nothing() -> None:
    with File(FLAT[0]) as file:
        file.read("/terrain_name")
    with pytest.raises(AssetError, match="the asset is closed"):
        file.read("/terrain_name")


def test_nothing_of_a_closed_asset_is_open() -> None:
    """Or it could not be replaced on Windows; arrays that were handed out stay."""

    def held() -> int:
        found: int = h5py.h5f.get_obj_count(h5py.h5f.OBJ_ALL, h5py.h5f.OBJ_ALL)
        return found

    before = held()
    with File(stored_asset("grove.json")) as file:
        terrain = file.read("/terrain")
        assert file.profiles
        assert held() > before
    assert held() == before
    assert len(terrain)


def test_neither_of_them(tmp_path: Path) -> None:
    path = tmp_path / "level.json"
    path.write_text("{}")
    with pytest.raises(NotAnAssetError, match="HDF5 file"):
        File(path)
    with pytest.raises(NotAnAssetError, match="HDF5 file"):
        Hdf5File(path, File.in_assets)
