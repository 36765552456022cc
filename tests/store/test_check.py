"""Every constraint of every column: what meets it passes, and what breaks it is told of."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from bake.store import Asset, header_for
from bake.store.columns import COLUMNS
from bake.store.schema import COLUMNS as IN_ASSETS
from bake.store.schema import FLAT
from bake.store.write import write_asset
from levelbake.columns import PROFILE, Column, faults, profile_path
from levelbake.errors import CorruptAssetError
from levelbake.file import BORDER, LEVEL, FlatFile, checksum
from tests.support.constraints import broken, conforming
from tests.support.contents import SOURCES, full_contents, length, shape_of

VECTORS = Path(__file__).parents[1] / "vectors"
#: Columns that are read as a flat file is opened.
OPENING = ("numbers", "profile_name", "name", "recipe")


def name_of(declared: Column) -> str:
    return f"{declared.path} of {declared.world}, {declared.box}"


@pytest.mark.parametrize("declared", [*IN_ASSETS, *FLAT.columns], ids=name_of)
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
    file, path = FlatFile(VECTORS / name), tmp_path / name
    whole = Asset(VECTORS / name)
    for number in range(5):
        data = bytearray(file.bytes.tobytes())
        found = {}
        for (profile, key), entry in file.entries.items():
            of = None if profile == LEVEL else whole.profiles[profile]
            at = f"/{key}" if of is None else profile_path(of, key)
            # What opening a file asks for, and what columns of several profiles share, stays.
            if at.split("/")[-1] in OPENING or (entry.offset, entry.size) in found:
                continue
            lengths = partial(whole._length, profile=of)
            some = list(broken(whole.schema.column(at), whole.read(at), lengths))
            if number < len(some):
                what, changed = some[number]
                data[entry.offset : entry.offset + entry.size] = changed.tobytes()
                found[entry.offset, entry.size] = at, what
        path.write_bytes(_summed(data))
        flat = Asset(path)
        for at, what in found.values():
            with pytest.raises(CorruptAssetError, match=f"column {at} ") as caught:
                pytest.fail(f"{at}, {what}: {flat.read(at)}")
            assert "\n" not in str(caught.value)


def _summed(data: bytearray) -> bytearray:
    """The same bytes with a checksum that fits them."""
    data[56:64] = b"\0" * 8
    data[56:64] = np.array(checksum(np.frombuffer(data, dtype="<u4")), dtype="<u4").tobytes()
    return data


@pytest.mark.parametrize("key", ["profile_name", "name", "recipe", "terrain_name"])
@pytest.mark.parametrize("what", ["no UTF-8", "no end", "none", "another type"])
def test_texts_of_flat_files(tmp_path: Path, key: str, what: str) -> None:
    """Those that opening a file asks for are checked then."""
    file, path = FlatFile(VECTORS / "tower.bake"), tmp_path / "tower.bake"
    entry = file.entries[LEVEL, key]
    at = BORDER * (1 + list(file.entries).index((LEVEL, key)))
    data = bytearray(file.bytes.tobytes())
    if what == "no UTF-8":
        data[entry.offset] = 0xFF
    elif what == "no end":
        data[entry.offset + entry.shape[1] - 1] = 65
    elif what == "none":
        data[at + 32 : at + 40] = bytes(8)
    else:
        data[at + 28] = 1
    path.write_bytes(_summed(data))

    def opened() -> Asset:
        found = Asset(path)
        found.read(f"/{key}" if key == "terrain_name" else "/numbers")
        return found

    with pytest.raises(CorruptAssetError) as caught:
        opened()
    assert "\n" not in str(caught.value)


def test_every_name_is_declared_once_in_each_file() -> None:
    for box in (IN_ASSETS, FLAT.columns):
        names = [(each.own, each.name) for each in box]
        assert len(set(names)) == len(names)
    assert {each.path for each in COLUMNS} == {each.path for each in (*IN_ASSETS, *FLAT.columns)}
