"""Flat files of every version there ever was are read as they were meant."""

from pathlib import Path

import pytest

from bake.flat.schema import FLAT_VERSION
from bake.runtime import open_asset
from bake.verify import verify_asset

SAMPLES = Path(__file__).resolve().parents[1] / "samples"
VERSIONS = range(1, FLAT_VERSION + 1)


def sample(version: int) -> Path:
    return SAMPLES / f"five-flat-{version}.bake"


def test_there_is_one_of_every_version() -> None:
    names = [sample(version).name for version in VERSIONS]
    assert sorted(path.name for path in SAMPLES.glob("*.bake")) == names


@pytest.mark.parametrize("version", VERSIONS)
def test_it_answers(version: int) -> None:
    with open_asset(sample(version)) as level:
        nav = level.profile()
        assert nav.path("A", "D") == ["A", "E", "D"]
        assert nav.distance("A", "D") == 2
        assert nav.reachable("D", "B")
    assert verify_asset(sample(version), None, lambda done: None).pairs == 25
