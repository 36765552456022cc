"""Attributes and profiles that are missing, or are not what the schema says."""

from pathlib import Path

import h5py
import numpy as np
import pytest

from bake.play import open_asset
from bake.store.schema import ATTRIBUTES
from levelbake.columns import PROFILE
from levelbake.errors import BakeError, CorruptAssetError
from tests.support.damage import ask_everything, edit


@pytest.mark.parametrize("name", ["width", "height"])
@pytest.mark.parametrize("value", [-7, 0, 1, 2, 7, 2**40, 2**62])
def test_a_size_that_is_not_the_grids(asset: Path, name: str, value: int) -> None:
    edit(asset, lambda file: file.attrs.__setitem__(name, np.int64(value)))
    with pytest.raises(CorruptAssetError) as caught:
        open_asset(asset)
    assert "width and height" in str(caught.value)
    assert "column /terrain" in str(caught.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("kind", b"squart"),
        ("kind", b""),
        ("kind", b"hex"),
        ("cost_rule", b"median"),
        ("ticks_per_unit", 0),
        ("ticks_per_unit", -27720),
    ],
)
def test_attributes_that_say_nothing_the_format_knows(
    asset: Path, name: str, value: bytes | int
) -> None:
    stored = np.bytes_(value) if isinstance(value, bytes) else np.int64(value)
    edit(asset, lambda file: file.attrs.__setitem__(name, stored))
    with pytest.raises(CorruptAssetError, match=name):
        ask_everything(asset)


ASKED_ATTRIBUTES = [
    ("/", "corner_cutting"),
    ("/", "kind"),
    ("/", "width"),
    ("/", "height"),
    ("/", "ticks_per_unit"),
    ("/", "cost_rule"),
    ("/profiles/default", "one_way"),
]


@pytest.mark.parametrize(("group", "name"), ASKED_ATTRIBUTES)
@pytest.mark.parametrize(
    "value",
    [
        1.5,
        np.array([1, 2]),
        np.array([b"a", b"b"]),
        np.bytes_(b"\xff\xfe"),
        np.int64(-7),
        np.int64(0),
        np.int64(2**40),
        "variable",
        h5py.Empty("i4"),
    ],
    ids=str,
)
def test_an_attribute_that_is_not_what_the_schema_says(
    group: str, name: str, value: object, asset: Path
) -> None:
    """An error, or an answer where the value does no harm; never a traceback of another kind."""
    kind = next(
        a.kind
        for a in ATTRIBUTES
        if a.group.replace(PROFILE, "default") == group and a.name == name
    )
    edit(asset, lambda file: file[group].attrs.__setitem__(name, value))
    line = ""
    try:
        ask_everything(asset)
    except BakeError as error:
        line = str(error)
    assert "\n" not in line
    right_kind = np.bytes_ if kind == "text" else np.integer
    assert name in line or isinstance(value, right_kind)


@pytest.mark.parametrize(
    ("group", "name"),
    [(g, n) for g, n in ASKED_ATTRIBUTES if n not in ("width", "height")],
)
def test_a_missing_attribute_is_named(group: str, name: str, asset: Path) -> None:
    edit(asset, lambda file: file[group].attrs.__delitem__(name))
    with pytest.raises(CorruptAssetError, match=f"attribute {name}"):
        ask_everything(asset)


@pytest.mark.parametrize("name", ["width", "height"])
def test_a_grid_without_its_size(name: str, asset: Path) -> None:
    edit(asset, lambda file: file.attrs.__delitem__(name))
    with pytest.raises(CorruptAssetError):
        ask_everything(asset)


def test_profiles_that_are_none(asset: Path, originals: dict[str, bytes]) -> None:
    for make in (
        lambda file: file.__setitem__("profiles", np.arange(3)),
        lambda file: file.__setitem__("profiles", 3),
        lambda file: file.__setitem__("profiles", b"text"),
        lambda file: file.__setitem__("profiles", h5py.SoftLink("/nowhere")),
        lambda file: None,
    ):
        asset.write_bytes(originals["grid"])
        edit(asset, lambda file, make=make: (file.__delitem__("profiles"), make(file)))
        with pytest.raises(CorruptAssetError):
            ask_everything(asset)


def test_a_profile_that_is_an_array(asset: Path) -> None:
    edit(
        asset,
        lambda file: (
            file.__delitem__("profiles/default"),
            file.__setitem__("profiles/default", 5),
        ),
    )
    with pytest.raises(CorruptAssetError):
        ask_everything(asset)
