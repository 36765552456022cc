"""Cells to points and back, as a game asks for them."""

import math
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bake.apply import apply_patch
from bake.core.movement import HEX_LAYOUTS
from bake.play import LevelAsset, open_asset
from bake.show.diff import compare
from bake.show.diff_report import as_data, lines_of
from bake.store import Asset
from bake.verify import verify_asset
from levelbake.errors import (
    BakeError,
    CorruptAssetError,
    OutsideMapError,
    QueryError,
    UnknownNodeError,
)
from levelbake.steps import HexLayout
from tests.support.baked import bake, recipe_for, rows, write_graph, write_grid
from tests.support.command import bake as command
from tests.support.damage import replaced
from tests.support.tampering import edited
from tests.support.tower import baked_tower, tower_recipe, write_tower

DRAWN = rows("..m.", ".##.", "....")


def grid(folder: Path, layout: HexLayout | None = None, **more: object) -> Path:
    return bake(write_grid(folder / "level.json", DRAWN, layout, **more), recipe_for())


def all_cells(level: LevelAsset) -> np.ndarray:
    found = product(range(level.floors), range(level.height), range(level.width))
    cells = np.array([(x, y, floor) for floor, y, x in found])
    return cells if level.floors > 1 else cells[:, :2]


@pytest.mark.parametrize("layout", [None, *HEX_LAYOUTS])
@pytest.mark.parametrize(
    "stated",
    [
        {},
        {"cell_size": 16},
        {"cell_size": [31, 17.5], "origin": [-1000.25, 3]},
        {"origin": [1e6, -1e6]},
        {"cell_size": 0.1, "origin": [0.3, 0.7]},
    ],
)
def test_every_cell_comes_back(
    tmp_path: Path, layout: HexLayout | None, stated: dict[str, Any]
) -> None:
    asset = grid(tmp_path, layout, **stated)
    verify_asset(asset, None, lambda done: None)
    with open_asset(asset) as level:
        cells = all_cells(level)
        points = level.to_point(cells)
        assert points.dtype == np.float64
        found = level.to_cell(points)
        assert found.dtype == np.int32
        assert found.tolist() == cells.tolist()
        for cell, point in zip(cells.tolist(), points.tolist(), strict=True):
            assert level.to_point(tuple(cell)) == tuple(point)
            assert level.to_cell(tuple(point)) == tuple(cell)
        # Points between the middles of a cell and its corner belong to the cell, too.
        width, height = stated.get("cell_size", 1), stated.get("cell_size", 1)
        if isinstance(width, list):
            width, height = width
        near = points + np.array([width * 0.24, -height * 0.24])
        assert level.to_cell(near).tolist() == cells.tolist()


def test_by_hand(tmp_path: Path) -> None:
    with open_asset(grid(tmp_path, cell_size=[16, 8], origin=[-32, 100])) as level:
        assert level.to_point((0, 0)) == (-24, 104)
        assert level.to_point((3, 2)) == (24, 120)
        assert level.to_cell((-32, 100)) == (0, 0)
        assert level.to_cell((-16.0001, 107.9999)) == (0, 0)
        assert level.to_cell((-16, 108)) == (1, 1)
        assert level.to_cell([31.9, 123.9]) == (3, 2)
        assert level.to_cell((-32.5, 99)) == (-1, -1)
        assert level.to_cell(np.array([[0, 100], [-33, 132]])).tolist() == [[2, 0], [-1, 4]]
        assert [level.inside(cell) for cell in ((0, 0), (3, 2), (4, 2), (3, 3), (-1, 0))] == [
            *(True, True, False, False, False)
        ]
        assert level.inside(np.array([(1, 1), (0, -1)])).tolist() == [True, False]
        assert level.coordinates.centres == ((-24, 104),)
        assert level.to_cell(np.empty((0, 2))).shape == (0, 2)


@pytest.mark.parametrize("seed", range(3))
def test_one_point_and_many_agree(tmp_path: Path, seed: int) -> None:
    """Single questions take a way of their own; also far from the level, and to the last bit."""
    rng = np.random.default_rng(seed)
    stated = {"cell_size": [7.3, 0.1 + seed], "origin": [-0.7, 1e6]}
    with open_asset(grid(tmp_path, **stated)) as level:
        points = np.concatenate(
            [rng.normal(0, 10.0**scale, (200, 2)) for scale in (0, 2, 5, 7)]
            + [level.to_point(all_cells(level)) - [7.3 / 2, (0.1 + seed) / 2]]
        )
        cells = level.to_cell(points)
        assert [level.to_cell(tuple(each)) for each in points.tolist()] == [
            tuple(each) for each in cells.tolist()
        ]
        middles = level.to_point(cells)
        assert [level.to_point(tuple(each)) for each in cells.tolist()] == [
            tuple(each) for each in middles.tolist()
        ]
        whole = np.round(points).astype(np.int64)
        assert [level.to_cell(tuple(each)) for each in whole.tolist()] == [
            tuple(each) for each in level.to_cell(whole).tolist()
        ]


def test_nothing_stated_is_one_unit_a_cell(tmp_path: Path) -> None:
    with open_asset(grid(tmp_path)) as level:
        assert level.to_point((0, 0)) == (0.5, 0.5)
        assert level.to_cell((3.999, 2.0)) == (3, 2)
    with open_asset(grid(tmp_path, "odd-r")) as level:
        assert level.to_point((0, 0)) == pytest.approx((0.5, 1 / math.sqrt(3)))
        assert level.to_point((0, 1)) == pytest.approx((1.0, 2.5 / math.sqrt(3)))
    with open_asset(grid(tmp_path, "even-q")) as level:
        assert level.to_point((0, 0)) == pytest.approx((1 / math.sqrt(3), 1.0))
        assert level.to_point((1, 0)) == pytest.approx((2.5 / math.sqrt(3), 0.5))


def test_the_recipe_states_what_a_file_does_not(tmp_path: Path) -> None:
    bare = write_grid(tmp_path / "bare.json", DRAWN)
    stated = write_grid(tmp_path / "stated.json", DRAWN, origin=[5, 5])
    recipe = recipe_for(cell_size=(20.0, 10.0), origin=(100.0, 0.0))
    with open_asset(bake(bare, recipe)) as level:
        assert level.to_point((1, 1)) == (130, 15)
    with open_asset(bake(stated, recipe)) as level:
        assert level.to_point((1, 1)) == (6.5, 6.5)


def test_floors(tmp_path: Path) -> None:
    asset = bake(write_tower(tmp_path, cell_size=10), tower_recipe())
    with open_asset(asset) as level:
        assert level.to_point((8, 4, 1)) == (85, 45, 1)
        assert level.to_cell((85.5, 49.9, 1)) == (8, 4, 1)
        cells = all_cells(level)
        assert level.to_cell(level.to_point(cells)).tolist() == cells.tolist()
        assert level.inside(np.array([(0, 0, 1), (0, 0, 2), (0, 5, 0)])).tolist() == [
            *(True, False, False)
        ]
        for floor in (2, -1, 0.5):
            with pytest.raises(OutsideMapError, match=f"there is no floor {floor}"):
                level.to_cell((0.0, 0.0, floor))
        with pytest.raises(QueryError, match=r"\(x, y, floor\), two numbers"):
            level.to_cell((0.0, 0.0))


@pytest.mark.parametrize(
    "point",
    [
        *((), (1,), (1, 2, 3), "here", None, 5, [(1, 2), (3,)], np.zeros((2, 2, 2)), (1, "2")),
        *((math.nan, 0), (0, math.inf), (1e300, 0), (2.0**31, 0), (True, False), (1, 2j)),
        [(0.0, 0.0), (0.0, math.nan)],
    ],
)
def test_what_is_no_point(tmp_path: Path, point: Any) -> None:
    with open_asset(grid(tmp_path)) as level, pytest.raises(QueryError, match="point") as one:
        level.to_cell(point)
    assert "\n" not in str(one.value)


@pytest.mark.parametrize("cell", [(), (1,), (1, 2, 3), (0.5, 1), (1.0, 2.0), "x", None, (2**70, 0)])
def test_what_is_no_cell(tmp_path: Path, cell: Any) -> None:
    with open_asset(grid(tmp_path)) as level:
        for ask in (level.to_point, level.inside):
            with pytest.raises(QueryError, match="cell"):
                ask(cell)


def test_graphs_have_positions(tmp_path: Path) -> None:
    source = write_graph(
        tmp_path / "roads.json", ["a", "b"], [("a", "b", 1)], positions={"a": (1, 2), "b": (3, 4)}
    )
    with open_asset(bake(source)) as level:
        assert level.to_point("b") == (3, 4)
        assert level.to_point(["b", "a"]).tolist() == [[3, 4], [1, 2]]
        with pytest.raises(UnknownNodeError):
            level.to_point("c")
        for ask in (level.to_cell, level.inside):
            with pytest.raises(QueryError, match="no cells"):
                ask((1, 2))
        with pytest.raises(QueryError, match="no cells"):
            assert level.coordinates
    bare = bake(write_graph(tmp_path / "bare.json", [1, 2], [(1, 2, 1)]))
    with open_asset(bare) as level, pytest.raises(QueryError, match="have no positions"):
        level.to_point(1)


# -- forged assets ---------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=[None, "even-r"])
def whole(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("whole")
    return grid(folder, request.param, cell_size=16, origin=[3, 4]).read_bytes()


@pytest.mark.parametrize(
    ("column", "change"),
    [
        ("/centre", lambda old: old * math.nan),
        ("/centre", lambda old: old + math.inf),
        ("/centre", lambda old: old + 2.0**43),
        ("/centre", lambda old: np.concatenate([old, old])),
        ("/step", lambda old: old * 0),
        ("/step", lambda old: -old),
        ("/step", lambda old: old * [[1], [-1], [1]][: len(old)]),
        ("/step", lambda old: old[:, ::-1].copy()),
        ("/step", lambda old: old * 2.0**22),
        ("/step", lambda old: old * 2.0**-50),
        ("/step", lambda old: old[:-1]),
        ("/step", lambda old: old * [[1], [1], [2]] if len(old) == 3 else old * [[1], [0]]),
    ],
)
def test_coordinates_that_are_none(whole: bytes, tmp_path: Path, column: str, change: Any) -> None:
    asset = tmp_path / "changed.h5"
    asset.write_bytes(whole)
    with edited(asset) as file:
        replaced(column, change)(file)
    with open_asset(asset) as level, pytest.raises(CorruptAssetError):
        level.to_cell((0.0, 0.0))
    with pytest.raises(CorruptAssetError):
        verify_asset(asset, None, lambda done: None)


def test_a_column_that_is_missing(tmp_path: Path) -> None:
    asset = grid(tmp_path, cell_size=16)
    with edited(asset) as file:
        del file["/step"]
    with open_asset(asset) as level, pytest.raises(CorruptAssetError, match="/step"):
        level.to_point((0, 0))


# -- where else coordinates show -------------------------------------------------------------------


def test_patches_keep_coordinates_and_ids(tmp_path: Path) -> None:
    asset = bake(write_tower(tmp_path, cell_size=10, origin=[7, 7]), tower_recipe())
    output, patch = tmp_path / "new.h5", tmp_path / "saved.patch"
    with open_asset(asset) as level:
        level.update(blocked=[(3, 0, 0)])
        level.save_patch(patch)
        before = level.coordinates
        ids = [each.id for each in (*level.spots(), *level.links.values(), *level.doors.values())]
    apply_patch(asset, patch, output, 1, lambda stage, done: None)
    with open_asset(output) as level:
        assert level.coordinates == before
        assert ids == [
            each.id for each in (*level.spots(), *level.links.values(), *level.doors.values())
        ]
        assert level.regions["yard"].id == "6e9f"
    assert "18" in ids
    assert None in ids


def test_a_moved_origin_is_told(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    one = grid(tmp_path / "one", cell_size=16)
    two = grid(tmp_path / "two", cell_size=16, origin=[-16, 0])
    with Asset(one) as before, Asset(two) as after:
        found = compare(before, after, None, 10)
        assert (
            "  coordinates  cell (0, 0) at (8, 8), the next ones (16, 0) and (0, 16) on -> "
            "cell (0, 0) at (-8, 8), the next ones (16, 0) and (0, 16) on" in lines_of(found)
        )
        data = as_data(found, [])["coordinates"]
        assert [each["centres"] for each in data] == [((8, 8),), ((-8, 8),)]
        same = compare(before, before, None, 10)
        assert same.coordinates is None
        assert not any("coordinates" in line for line in lines_of(same))


def test_info_says_where_cells_lie(tmp_path: Path) -> None:
    asset = grid(tmp_path, cell_size=16)
    assert "cell (0, 0) at (8, 8), the next ones (16, 0)" in command("info", asset).out
    assert command("info", asset, "--json").data["coordinates"] == {
        "centres": [[8.0, 8.0]],
        "east": [16.0, 0.0],
        "south": [0.0, 16.0],
        "side": 0.0,
    }
    bare = grid(tmp_path)
    assert "none stated, one unit a cell" in command("info", bare).out
    assert command("info", bare, "--json").data["coordinates"] is None


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"cell_size": 0}, "cell_size: the size is 0"),
        ({"cell_size": [16, "16"]}, "cell_size: the size is"),
        ({"cell_size": True}, "cell_size: the size is true"),
        ({"cell_size": 10**400}, "cell_size: the size is"),
        ({"origin": 16}, "origin: the origin is 16"),
        ({"origin": [1e14, 0]}, "origin: the origin is"),
        ({"cell_size": 1e-9, "origin": [1e9, 0]}, "be told apart"),
    ],
)
def test_wrong_files(tmp_path: Path, more: dict[str, Any], told: str) -> None:
    with pytest.raises(BakeError) as caught:
        grid(tmp_path, **more)
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_wrong_recipe_names_itself(tmp_path: Path) -> None:
    source = write_grid(tmp_path / "level.json", DRAWN)
    with pytest.raises(BakeError, match="change cell_size"):
        bake(source, recipe_for(cell_size=1e-9, origin=(1e9, 0.0)))


def test_ids_come_from_tile_levels(tmp_path: Path) -> None:
    with open_asset(baked_tower(tmp_path)) as level:
        assert level.links["jump"].id == "17"
        assert level.links["stairs"].id is None
        assert [spot.id for spot in level.spots()] == ["18", None, None]
        assert level.doors["gate"].id == "gate-1"
