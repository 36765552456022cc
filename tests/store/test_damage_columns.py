"""Columns that are not what the schema says: their type, their shape, their length."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import h5py
import numpy as np
import pytest

from bake.play import open_asset
from bake.store import Asset
from bake.store.schema import COLUMNS
from levelbake.columns import PROFILE
from levelbake.errors import CorruptAssetError
from tests.support.baked import GROUND, bake_grid, profile_for
from tests.support.damage import (
    ALL_COLUMNS,
    DRAWN,
    UNASKED,
    ask_everything,
    each_held,
    edit,
    holder,
    lengthened,
    replaced,
)


@pytest.mark.parametrize(
    "make",
    [
        lambda old: np.zeros(old.shape, dtype=np.complex128),
        lambda old: np.zeros((*old.shape, 2), dtype=old.dtype),
        lambda old: old.reshape(-1)[0],
        lambda old: np.zeros(old.shape, dtype=[("a", "i4")]),
        lambda old: h5py.Empty(old.dtype),
    ],
    ids=["dtype", "more dimensions", "no dimension", "compound", "empty"],
)
def test_a_column_that_is_not_what_the_schema_says_is_named(
    make: Callable[[np.ndarray], object], asset: Path, graph: Path
) -> None:
    for name, path, looking in each_held(ALL_COLUMNS, asset, graph):
        with looking:
            edit(path, replaced(name, make))
            for read in (Asset.read, Asset.shape):
                with Asset(path) as opened, pytest.raises(CorruptAssetError) as caught:
                    read(opened, name)
                line = str(caught.value)
                assert line.startswith(f"{path}: damaged: column {name} ")
                assert "\n" not in line
            if name not in UNASKED:
                with pytest.raises(CorruptAssetError, match=name):
                    ask_everything(path)


def test_a_column_that_is_a_folder(asset: Path, graph: Path) -> None:
    for name, path, looking in each_held(ALL_COLUMNS, asset, graph):
        with looking:

            def change(file: h5py.File, name: str = name) -> None:
                del file[name]
                file.create_group(name)

            edit(path, change)
            with (
                Asset(path) as opened,
                pytest.raises(CorruptAssetError, match=f"column {name} is no array"),
            ):
                opened.read(name)


def test_a_missing_column_is_named(asset: Path, graph: Path) -> None:
    needed = [
        c.path.replace(PROFILE, "default")
        for c in COLUMNS
        if not c.optional and c.world != "lattice"
    ]
    for name, path, looking in each_held(needed, asset, graph):
        with looking:
            edit(path, lambda file, name=name: file.__delitem__(name))
            with Asset(path) as opened, pytest.raises(CorruptAssetError, match=f"column {name}"):
                opened.read(name)
            if name not in UNASKED:
                with pytest.raises(CorruptAssetError, match=name):
                    ask_everything(path)


@pytest.mark.parametrize(
    "make",
    [
        lambda old: old[:-1],
        lambda old: np.concatenate([old, old[-1:]]),
        lambda old: old[:0],
        lambda old: old[..., :-1] if old.ndim > 1 else old[:1],
    ],
    ids=["one less", "one more", "none", "narrower"],
)
def test_columns_of_lengths_that_do_not_fit(
    make: Callable[[np.ndarray], object], asset: Path, graph: Path
) -> None:
    """Right type, wrong length: damage, or else every answer is right all the same."""
    expected = {path: ask_everything(path) for path in (asset, graph)}
    names = [name for name in ALL_COLUMNS if name not in UNASKED]
    for name, path, looking in each_held(names, asset, graph):
        with looking:
            edit(path, replaced(name, make))
            with suppress(CorruptAssetError):
                assert ask_everything(path) == expected[path], name


@pytest.mark.parametrize(
    "name",
    [
        "/terrain_colour",
        "/first_out",
        "/head",
        "/length",
        "/position",
        "/node_name",
        "/profiles/default/cost",
        "/profiles/default/weight",
        "/profiles/default/cluster",
    ],
)
def test_a_column_that_is_longer_than_the_others_is_named(
    name: str, asset: Path, graph: Path
) -> None:
    """Whichever column is asked for, the one that is not like the others is to blame."""
    path = holder(name, asset, graph)
    edit(path, lengthened(name))
    declared = next(c for c in COLUMNS if c.path.replace(PROFILE, "default") == name)
    dim = declared.dims[0].removesuffix(" + 1")
    # Beside a single other one, no telling which is wrong: both are named.
    with Asset(path) as opened:
        with pytest.raises(CorruptAssetError) as caught:
            opened.read(name)
        assert f"column {name} " in str(caught.value)
        assert f" of {dim}, " in str(caught.value)
        others = [
            c.path.replace(PROFILE, "default")
            for c in COLUMNS
            if dim in [each.removesuffix(" + 1") for each in c.dims]
            and ("profiles" in c.path) >= ("profiles" in name)
        ]
        for other in filter(opened.has, others):
            with pytest.raises(CorruptAssetError) as caught:
                opened.read(other)
            assert f"column {name} " in str(caught.value)


def test_damage_to_one_profile_leaves_the_others_alone(tmp_path: Path) -> None:
    profiles = tuple(profile_for(name, GROUND) for name in ("a", "b"))
    path = bake_grid(tmp_path, DRAWN, name="two", profiles=profiles)
    edit(path, lengthened("/profiles/a/cost"))
    with open_asset(path) as level:
        assert level.profile("b").length([(0, 0), (1, 0)]) == 1
        with pytest.raises(CorruptAssetError, match="column /profiles/a/cost "):
            level.profile("a").length([(0, 0), (1, 0)])


def test_points_of_three_coordinates_and_colours_of_four(asset: Path, graph: Path) -> None:
    name = "/position"
    edit(graph, replaced(name, lambda old: np.concatenate([old, old[:, :1]], axis=1)))
    with Asset(graph) as opened, pytest.raises(CorruptAssetError, match=f"column {name} has 3"):
        opened.read(name)
    name = "/terrain_colour"
    edit(asset, replaced(name, lambda old: np.concatenate([old, old[:, :1]], axis=1)))
    with Asset(asset) as opened, pytest.raises(CorruptAssetError, match=f"column {name} has 4"):
        opened.read(name)


def test_a_column_that_claims_more_than_the_file_holds(asset: Path) -> None:
    """HDF5 would fill what was never written, gigabytes of it."""

    def change(file: h5py.File) -> None:
        for name in ("terrain", "terrain_name"):
            dtype = file[name].dtype
            del file[name]
            shape = (2**32 if name == "terrain" else 2**36,)
            file.create_dataset(name, shape, dtype, chunks=(2**12,), compression="gzip")
        del file["terrain_colour"], file["profiles/default/cost"]
        file.attrs["width"] = file.attrs["height"] = np.int64(2**16)

    edit(asset, change)
    with Asset(asset) as opened:
        for name in ("/terrain", "/terrain_name"):
            with pytest.raises(CorruptAssetError, match=f"column {name} is stored only"):
                opened.read(name)
