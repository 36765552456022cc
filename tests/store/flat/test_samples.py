"""Flat files of every version there ever was: read as they were meant, or refused by name."""

from pathlib import Path

import pytest

from bake.play import open_asset
from bake.verify import verify_asset
from levelbake.errors import AssetTooOldError
from levelbake.file import FLAT_VERSION

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
VERSIONS = range(1, FLAT_VERSION + 1)


def sample(version: int) -> Path:
    return SAMPLES / f"five-flat-{version}.bake"


def test_there_is_one_of_every_version() -> None:
    names = [sample(version).name for version in VERSIONS]
    assert sorted(path.name for path in SAMPLES.glob("*.bake")) == names


@pytest.mark.parametrize("version", range(1, FLAT_VERSION))
def test_what_is_too_old_says_so(version: int) -> None:
    line = f"too old: flat format version {version}.*export it again"
    with pytest.raises(AssetTooOldError, match=line):
        open_asset(sample(version))


def test_it_answers() -> None:
    version = FLAT_VERSION
    with open_asset(sample(version)) as level:
        nav = level.profile()
        assert nav.path("A", "D") == ["A", "E", "D"]
        assert nav.distance("A", "D") == 2
        assert nav.reachable("D", "B")
    assert verify_asset(sample(version), None, lambda done: None).pairs == 25
