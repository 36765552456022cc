"""Numbers far beyond those of any source are damage, and no arithmetic with them overflows."""

import json
import math
import warnings
from pathlib import Path

import numpy as np
import pytest

from bake.project.recipe import LevelRecipe
from bake.store import Asset, schema
from bake.store.columns.declared import MOST_ELEVATION, MOST_UNITS
from levelbake import open_level
from levelbake.errors import CorruptAssetError
from tests.support.baked import bake
from tests.support.command import bake as command
from tests.support.tampering import change_column

TILES = {
    "format": "bake-tiles",
    "version": 1,
    "legend": {".": "floor", "#": "wall"},
    "rows": ["....", "####", "...."],
    "elevation": [[0, 1, 2, 3], [0, 0, 0, 0], [1, 1, 1, 1]],
    "links": [{"name": "lift", "from": [0, 0], "to": [0, 2], "cost": 5, "both_ways": True}],
    "cell_size": [16, 16],
    "origin": [5, 5],
}
GRAPH = {
    "nodes": [{"id": "a", "x": 0, "y": 0}, {"id": "b", "x": 3, "y": 4}],
    "edges": [{"source": "a", "target": "b", "weight": 5}],
}


@pytest.fixture
def grid(tmp_path: Path) -> Path:
    path = tmp_path / "hill.json"
    path.write_text(json.dumps(TILES))
    return bake(path, LevelRecipe(slopes={"up": 2.0, "climb": 4.0}))


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    path = tmp_path / "roads.json"
    path.write_text(json.dumps(GRAPH))
    return bake(path)


COLUMNS = {
    "elevation": ("grid", "/elevation"),
    "centre": ("grid", "/centre"),
    "step": ("grid", "/step"),
    "link_cost": ("grid", "/link_cost"),
    "cost": ("grid", "/profiles/default/cost"),
    "slope": ("grid", "/profiles/default/slope"),
    "length": ("graph", "/length"),
}


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("value", [1.7e308, 1e300, 1e15])
def test_numbers_no_source_can_state(
    request: pytest.FixtureRequest, tmp_path: Path, name: str, value: float
) -> None:
    kind, column = COLUMNS[name]
    asset: Path = request.getfixturevalue(kind)

    def spread(array: np.ndarray) -> None:
        flat = array.reshape(-1)
        flat[::2] = value
        if name in ("elevation", "centre", "step"):
            flat[1::2] = -value

    change_column(asset, column, spread)
    if column == "/centre" and value < 2**42:
        pytest.skip("it is allowed")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with Asset(asset) as opened, pytest.raises(CorruptAssetError, match=f"{column} has"):
            opened.read(column)
        a, b = ("a", "b") if kind == "graph" else ("0,0", "3,2")
        picture = tmp_path / "x.png"
        for words in (
            ("info", asset),
            ("verify", asset),
            ("path", asset, a, b),
            ("export", asset, "-o", tmp_path / "x.bake"),
            ("render", asset, "-o", picture),
        ):
            done = command(*words)
            assert "Warning" not in done.err
        assert command("verify", asset).code == 1


def test_slopes_without_a_price(grid: Path) -> None:
    def forge(slope: np.ndarray) -> None:
        slope[0] = math.inf

    change_column(grid, "/profiles/default/slope", forge)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with open_level(grid) as level, pytest.raises(CorruptAssetError, match="slopes"):
            level.profile("default").next_hop((0, 0), (3, 2))


@pytest.mark.parametrize(
    ("column", "most"), [("/elevation", MOST_ELEVATION), ("/profiles/default/cost", MOST_UNITS)]
)
def test_the_largest_numbers_are_read(grid: Path, column: str, most: int) -> None:
    def grow(array: np.ndarray) -> None:
        array[0] = most

    def beyond(array: np.ndarray) -> None:
        array[0] = np.nextafter(most, np.inf)

    change_column(grid, column, grow)
    with Asset(grid) as opened:
        assert opened.read(column)[0] == most
    change_column(grid, column, beyond)
    with Asset(grid) as opened, pytest.raises(CorruptAssetError, match="has"):
        opened.read(column)


def test_floats_are_bounded() -> None:
    """Only positions of a graph's nodes may be any finite numbers."""
    floats = [each for each in schema.COLUMNS if "float64" in each.dtypes]
    assert {each.name for each in floats if each.most is None} == {"position"}
