"""Assets of every format version there ever was: read as they were meant, or refused by name."""

from pathlib import Path

import pytest

from bake.play import open_asset
from bake.verify import verify_asset
from levelbake.errors import AssetTooOldError
from levelbake.file import FORMAT_VERSION, OLDEST_READABLE

SAMPLES = Path(__file__).resolve().parents[1] / "samples"


def sample(version: int) -> Path:
    return SAMPLES / f"five-{version}.h5"


def test_there_is_one_of_every_version() -> None:
    names = [sample(version).name for version in range(1, FORMAT_VERSION + 1)]
    assert sorted(path.name for path in SAMPLES.glob("*.h5")) == names


@pytest.mark.parametrize("version", range(1, OLDEST_READABLE))
def test_what_is_too_old_says_so(version: int) -> None:
    with pytest.raises(AssetTooOldError, match=f"too old: format version {version}"):
        open_asset(sample(version))


@pytest.mark.parametrize("version", range(OLDEST_READABLE, FORMAT_VERSION + 1))
def test_what_can_be_read_answers(version: int) -> None:
    """The table of the first lecture note: A-B, A-E, B-C, B-E, C-D, D-E."""
    with open_asset(sample(version)) as level:
        nav = level.profile()
        assert nav.path("A", "B") == ["A", "B"]
        assert nav.path("A", "D") == ["A", "E", "D"]
        assert nav.distance("A", "D") == 2
        assert nav.reachable("D", "B")
    assert verify_asset(sample(version), None, lambda done: None).pairs == 25
