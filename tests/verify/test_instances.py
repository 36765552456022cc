"""The proof of where instances stand refuses what is wrong, and names it."""

import json
from pathlib import Path

import pytest

from bake.project.recipe import LevelRecipe
from levelbake.errors import CorruptAssetError
from tests.support.baked import bake
from tests.support.tampering import edited, proved

WIDTH = 14


@pytest.fixture
def asset(tmp_path: Path) -> Path:
    """Three houses of one kind on two floors, one of them turned."""
    source = tmp_path / "town.json"
    document = {
        "format": "bake-tiles",
        "version": 1,
        "legend": {".": "floor", "#": "wall"},
        "rows": ["." * WIDTH] * 12,
        "floor_height": 6,
        "prototypes": {"house": {"rows": ["#####", "#...#", "###.."]}},
        "instances": [
            {"of": "house", "at": [0, 0, 0]},
            {"of": "house", "at": [6, 1, 0], "turned": 90},
            {"of": "house", "at": [9, 2, 1], "mirrored": True},
        ],
    }
    source.write_text(json.dumps(document))
    return bake(source, LevelRecipe(tables=("next_hops",)))


def test_what_is_baked_is_proved(asset: Path) -> None:
    assert proved(asset).pairs > 0


@pytest.mark.parametrize(
    ("column", "place", "value", "wrong"),
    [
        ("/instance_at", 0, -1, "/instance_at has -1, not 0 to"),
        ("/instance_at", 0, 12 * WIDTH, "/instance_at has .*, not 0 to"),
        ("/instance_at", 0, 10, "leaves the level"),
        # The one that is turned is five cells high, and three wide.
        ("/instance_at", 1, 2 * WIDTH + 6, "two floors"),
        ("/instance_at", 1, WIDTH + 12, "leaves the level"),
        ("/instance_at", 2, 10 * WIDTH + 9, "leaves the level"),
        ("/instance_at", 2, 5 * WIDTH + 9, "two floors"),
        ("/instance_at", 0, 2, "share a cell"),
        ("/instance_turn", 0, 9, "/instance_turn has 9, not 0 to 7"),
        ("/instance_prototype", 0, 1, "/instance_prototype has 1, not 0 to 0"),
        ("/instance_prototype", 0, -1, "/instance_prototype has -1, not 0 to 0"),
        ("/prototype_width", 0, 0, "/prototype_width has 0, not 1 or more"),
        ("/prototype_height", 0, -1, "/prototype_height has -1, not 1 or more"),
    ],
)
def test_what_is_wrong_is_named(
    asset: Path, column: str, place: int, value: int, wrong: str
) -> None:
    with edited(asset) as file:
        numbers = file[column][()]
        numbers[place] = value
        file[column][...] = numbers
    with pytest.raises(CorruptAssetError, match=wrong):
        proved(asset)


@pytest.mark.parametrize("corner", [(11, 0), (11, 1), (11, 7), (6, 7)])
def test_a_house_that_is_turned_fits_where_it_is_as_wide_as_high(
    asset: Path, corner: tuple[int, int]
) -> None:
    with edited(asset) as file:
        places = file["/instance_at"][()]
        x, y = corner
        places[1:] = y * WIDTH + x, 3 * WIDTH
        file["/instance_at"][...] = places
    assert proved(asset).pairs > 0
