"""Every constraint of every column: what meets it passes, and what breaks it is told of."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bake.asset import Asset, header_for
from bake.asset.check import faults
from bake.asset.column import PROFILE, Column
from bake.asset.columns import COLUMNS
from bake.asset.schema import COLUMNS as IN_ASSETS
from bake.asset.write import write_asset
from bake.errors import CorruptAssetError
from bake.flat.read import FlatFile
from bake.flat.schema import COLUMNS as IN_FLAT_FILES
from bake.flat.schema import checksum, column
from tests.support.constraints import broken, conforming
from tests.support.contents import SOURCES, full_contents, length, shape_of

VECTORS = Path(__file__).parents[1] / "vectors"


def name_of(declared: Column) -> str:
    return f"{declared.path} of {declared.world}, {declared.box}"


@pytest.mark.parametrize("declared", [*IN_ASSETS, *IN_FLAT_FILES], ids=name_of)
def test_every_constraint(declared: Column) -> None:
    for seed in range(3):
        rng = np.random.default_rng(seed)
        array = conforming(declared, shape_of(declared), length, rng)
        assert list(faults(declared, array, length)) == []
        for what, changed in broken(declared, array, length):
            told = list(faults(declared, changed, length))
            assert told, what
            assert all("\n" not in line for line in told)


def test_assets_whose_columns_are_all_broken(tmp_path: Path) -> None:
    """Shapes stay, so each column is told of when it is read, and not before."""
    whole, path = full_contents(), tmp_path / "full.h5"
    for number in range(5):
        columns = dict(whole.columns)
        found = {}
        for declared in IN_ASSETS:
            at = declared.path.replace(PROFILE, "default")
            some = list(broken(declared, columns[at], length))
            if number < len(some):
                found[at], columns[at] = some[number]
        write_asset(path, header_for("full", SOURCES, "c" * 64), replace(whole, columns=columns))
        with Asset(path) as asset:
            for at, what in found.items():
                with pytest.raises(CorruptAssetError) as caught:
                    pytest.fail(f"{at}, {what}: {asset.read(at)}")
                line = str(caught.value)
                assert line.startswith(f"{path}: damaged: column {at} ")
                assert "\n" not in line


@pytest.mark.parametrize("name", sorted(path.name for path in VECTORS.glob("*.bake")))
def test_flat_files_whose_columns_are_all_broken(tmp_path: Path, name: str) -> None:
    whole, path = FlatFile(VECTORS / name), tmp_path / name
    for number in range(5):
        data = bytearray(whole.bytes.tobytes())
        found = {}
        for (profile, key), entry in whole.entries.items():
            declared = column(profile, key)
            assert declared is not None
            # What opening a file asks for, and what columns of several profiles share, stays.
            if key == "numbers" or (entry.offset, entry.size) in found:
                continue
            lengths = whole.lengths[profile]
            some = list(broken(declared, whole.read(profile, key), lengths.__getitem__))
            if number < len(some):
                what, changed = some[number]
                data[entry.offset : entry.offset + entry.size] = changed.tobytes()
                found[entry.offset, entry.size] = profile, key, what
        data[56:64] = b"\0" * 8
        data[56:64] = np.array(checksum(np.frombuffer(data, dtype="<u4")), dtype="<u4").tobytes()
        path.write_bytes(data)
        flat = FlatFile(path)
        for profile, key, what in found.values():
            with pytest.raises(CorruptAssetError, match=f"column {key} ") as caught:
                pytest.fail(f"{key}, {what}: {flat.read(profile, key)}")
            assert "\n" not in str(caught.value)


def test_every_name_is_declared_once_in_each_file() -> None:
    for box in (IN_ASSETS, IN_FLAT_FILES):
        names = [(each.own, each.name) for each in box]
        assert len(set(names)) == len(names)
    assert {each.path for each in COLUMNS} == {each.path for each in (*IN_ASSETS, *IN_FLAT_FILES)}
