"""Every attribute and every column that an answer depends on is proved, one value at a time.

What there is to change is read off the schema, so a new column is tried as soon as an original has
it. What only the level says (`given`) may pass, but must not make the proof fall over.
"""

import io
import os
import random
from contextlib import suppress
from functools import cache
from pathlib import Path

import h5py
import pytest

from bake.store.schema import ATTRIBUTES, COLUMNS
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
from levelbake.columns import Attribute, Column
from levelbake.errors import BakeError
from tests.support.tampering import edited

#: Values tried of each column, and originals whose attribute is changed.
TRIED = int(os.environ.get("BAKE_VALUES", "3"))

#: Columns that bear on how long answers take, and on no answer.
BEARS_ON_NOTHING = {"cut_height"}


@cache
def held(name: str) -> list[tuple[str, Attribute | Column]]:
    """The columns that an original has, and the attributes that it may have, by where they are."""
    with h5py.File(io.BytesIO(original(name))) as file:
        return [*columns_of(file), *attributes_of(file)]


def places_of(name: str, declared: Attribute | Column) -> list[str]:
    """Where an original has a column, or the groups in which it may have an attribute."""
    return [place for place, each in held(name) if each == declared]


def holders(tmp_path: Path, declared: Attribute | Column) -> list[tuple[str, Path]]:
    """Some originals that have a column, or may have an attribute, each in a file of its own."""
    names = [name for name in ORIGINALS if places_of(name, declared)]
    random.Random(str(declared)).shuffle(names)
    chosen = [(name, tmp_path / f"{name}.h5") for name in names[:TRIED]]
    for name, path in chosen:
        path.write_bytes(original(name))
    return chosen


@pytest.mark.parametrize("declared", COLUMNS, ids=lambda declared: declared.path)
def test_a_value_of_a_column(tmp_path: Path, declared: Column) -> None:
    random_ = random.Random(declared.path)
    found = holders(tmp_path, declared)
    assert found, "no original has this column"
    outcomes: list[str] = []
    # Some values of some columns matter seldom, so more are tried where none did.
    for number in range(5 * TRIED):
        if number >= TRIED and (
            declared.given or declared.name in BEARS_ON_NOTHING or "rejected" in outcomes
        ):
            break
        name, path = found[number % len(found)]
        path.write_bytes(original(name))
        with edited(path, ()) as file:
            place = random_.choice(places_of(name, declared))
            what = forge_column(file, place, declared, random_, single=True)
        if declared.given:
            with suppress(BakeError):
                verify_asset(path, None, lambda done: None)
            continue
        came = proved(name, path, given=False)
        assert came != "missed", f"{name}: {what}"
        outcomes.append(came)
    if declared.name in BEARS_ON_NOTHING:
        assert set(outcomes) == {"harmless"}
    else:
        assert declared.given or "rejected" in outcomes, outcomes


@pytest.mark.parametrize("declared", ATTRIBUTES, ids=lambda declared: declared.name)
def test_each_other_value_of_an_attribute(tmp_path: Path, declared: Attribute) -> None:
    random_ = random.Random(declared.name)
    rejected = 0
    for name, path in holders(tmp_path, declared):
        group = places_of(name, declared)[0]
        with h5py.File(path) as file:
            values = other_scalars(scalar(file[group].attrs, declared), declared)
        for value in values if declared.values else random_.sample(values, min(2, len(values))):
            path.write_bytes(original(name))
            with edited(path, ()) as file:
                what = set_scalar(file, group, declared, value)
            came = proved(name, path, given=False)
            assert came != "missed", f"{name}: {what}"
            rejected += came == "rejected"
    assert rejected
