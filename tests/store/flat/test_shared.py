"""Flat files of real maps: the answers of their assets, and small once packed."""

import zlib
from pathlib import Path

import numpy as np
import pytest

from bake.play import open_asset
from tests.support.command import bake
from tests.support.levels import shared_level

#: What assets of format version 5 took, packed once more.
PACKED = {"arena": 22_463, "den312d": 19_990, "lak110d": 5_328}


@pytest.mark.parametrize("name", PACKED)
def test_a_map(name: str, tmp_path: Path) -> None:
    source = shared_level(f"movingai/{name}.map")
    assert bake("build", source, "-o", tmp_path, "--export", "-q").code == 0
    asset, flat = tmp_path / f"{name}.h5", tmp_path / f"{name}.bake"
    assert len(zlib.compress(flat.read_bytes(), 9)) <= PACKED[name]
    with open_asset(asset) as one, open_asset(flat) as other:
        (profile,) = one.profiles
        a, b = one._columns(profile), other._columns(profile)
        assert np.array_equal(a.location, b.location)
        rng = np.random.default_rng(0)
        rows, goals = rng.integers(0, a.row_count, (2, 25_000)).astype(np.int32)
        assert np.array_equal(a.steps.next_rows(rows, goals), b.steps.next_rows(rows, goals))
        some = slice(0, 500)
        assert np.array_equal(
            a.steps.ticks_between(rows[some], goals[some]),
            b.steps.ticks_between(rows[some], goals[some]),
        )
