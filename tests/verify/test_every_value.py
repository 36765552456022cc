"""Every attribute and every column that an answer depends on is proved, one value at a time.

What there is to change is read off the schema, so a new column is tried as soon as an original has
it. What only the level says (`given`) may pass, but must not make the proof fall over.
"""

import os
import random
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import h5py
import pytest

from bake.asset.schema import ATTRIBUTES, COLUMNS, Attribute, Column
from bake.errors import BakeError
from bake.verify import verify_asset
from fuzz.forged import original, proved
from fuzz.forging import (
    attributes_of,
    columns_of,
    forge_column,
    other_scalars,
    scalar,
    set_scalar,
)
from fuzz.originals import ORIGINALS
from tests.support.tampering import edited

#: Values tried of each column and of each attribute.
TRIED = int(os.environ.get("BAKE_VALUES", "5"))


def holders(tmp_path: Path, declared: Attribute | Column) -> Iterator[tuple[str, Path]]:
    """Originals that have a column, or may have an attribute, each in a file of its own."""
    for name in ORIGINALS:
        path = tmp_path / f"{name}.h5"
        path.write_bytes(original(name)[0])
        with h5py.File(path) as file:
            found = columns_of(file) if isinstance(declared, Column) else attributes_of(file)
            if any(each == declared for _, each in found):
                yield name, path


@pytest.mark.parametrize("declared", COLUMNS, ids=lambda declared: declared.path)
def test_a_value_of_a_column(tmp_path: Path, declared: Column) -> None:
    random_ = random.Random(declared.path)
    found = list(holders(tmp_path, declared))
    assert found, "no original has this column"
    outcomes = []
    for number in range(TRIED):
        name, path = found[number % len(found)]
        path.write_bytes(original(name)[0])
        with edited(path) as file:
            paths = [each for each, other in columns_of(file) if other == declared]
            what = forge_column(file, random_.choice(paths), declared, random_, single=True)
        if declared.given:
            with suppress(BakeError):
                verify_asset(path, None, lambda done: None)
            continue
        came = proved(name, path, given=False)
        assert came != "missed", f"{name}: {what}"
        outcomes.append(came)
    assert declared.given or "rejected" in outcomes, outcomes


@pytest.mark.parametrize("declared", ATTRIBUTES, ids=lambda declared: declared.name)
def test_each_other_value_of_an_attribute(tmp_path: Path, declared: Attribute) -> None:
    random_ = random.Random(declared.name)
    rejected = 0
    for name, path in list(holders(tmp_path, declared)):
        with h5py.File(path) as file:
            group = next(group for group, each in attributes_of(file) if each == declared)
            values = other_scalars(scalar(file[group].attrs, declared), declared)
        for value in values if declared.values else random_.sample(values, min(2, len(values))):
            path.write_bytes(original(name)[0])
            with edited(path) as file:
                what = set_scalar(file, group, declared, value)
            came = proved(name, path, given=False)
            assert came != "missed", f"{name}: {what}"
            rejected += came == "rejected"
    assert rejected
