"""Distances and next hops of all rows toward one goal."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bake.core.arrays import BoolArray, Int32Array, Int64Array
from bake.play import open_asset
from bake.play.reader.hops import RunHops
from bake.play.reader.walk import Steps
from bake.project.recipe import LevelRecipe
from bake.show.request import all_toward
from bake.show.scene import read_scene
from bake.store import Asset
from levelbake.errors import CorruptAssetError, MissingTableError
from tests.support.baked import cells_of_nodes
from tests.support.drawings import grid, picture
from tests.support.tampering import first_moves, hop_table, store_hops

ROWS = ("..m..", ".##m.", "...#.", "#.#..", "...#.")


@st.composite
def forests(draw: st.DrawFn) -> tuple[list[int], list[int]]:
    """Next rows that lead to lower rows, and the ticks of each step."""
    count = draw(st.integers(1, 60))
    next_row = [draw(st.integers(0, row)) for row in range(count)]
    ticks = [0 if up == row else draw(st.integers(1, 2**29)) for row, up in enumerate(next_row)]
    return next_row, ticks


def follow_toward(
    goal: int, next_row: Int32Array, ticks: Int64Array
) -> tuple[Int64Array, BoolArray]:
    """Follow steps of no asset; that needs nothing but the error to raise."""
    none = np.empty(0, dtype=np.int32)
    nobody = np.empty(0, np.uint8)
    hops = RunHops(none, none, none, nobody, none, none, none, None, stores_none=False)
    steps = Steps(hops, none, none, none, none, CorruptAssetError)
    found = steps.follow_toward(goal, next_row, ticks)
    reached = np.isfinite(found)
    return np.where(reached, found, 0).astype(np.int64), reached


def one_by_one(next_row: list[int], step: list[int], row: int) -> tuple[int, int]:
    """Where the steps from a row end, and their ticks."""
    total = 0
    while next_row[row] != row:
        total += step[row]
        row = next_row[row]
    return row, total


@given(forests(), st.integers(0, 59))
def test_following_all_at_once_is_following_one_by_one(
    forest: tuple[list[int], list[int]], goal: int
) -> None:
    next_row, step = forest
    ends = [one_by_one(next_row, step, row) for row in range(len(next_row))]
    goal = ends[goal % len(ends)][0]
    # Rows that move but do not arrive are damage; let them stay where they are.
    stays = [end != goal for end, _ in ends]
    still = [
        row if stay else ahead
        for row, (ahead, stay) in enumerate(zip(next_row, stays, strict=True))
    ]
    free = [0 if stay else ticks for ticks, stay in zip(step, stays, strict=True)]
    ticks, reached = follow_toward(
        goal, np.array(still, dtype=np.int32), np.array(free, dtype=np.int64)
    )
    assert reached.tolist() == [not stay for stay in stays]
    assert ticks.tolist() == [
        0 if stay else total for (_, total), stay in zip(ends, stays, strict=True)
    ]
    if still != next_row:
        with pytest.raises(CorruptAssetError, match="lead to the goal"):
            follow_toward(goal, np.array(next_row, dtype=np.int32), np.array(step, dtype=np.int64))


@pytest.mark.parametrize("length", [1, 2, 3, 4, 5, 63, 64, 65])
def test_the_longest_way_is_followed_to_its_end(length: int) -> None:
    """Rounds double the steps: right at, below and above powers of two."""
    next_row = np.maximum(np.arange(length) - 1, 0).astype(np.int32)
    step = np.where(np.arange(length) > 0, 7, 0).astype(np.int64)
    ticks, reached = follow_toward(0, next_row, step)
    assert ticks.tolist() == [7 * row for row in range(length)]
    assert reached.all()


def test_a_circle_is_damage() -> None:
    next_row = np.array([0, 2, 3, 1], dtype=np.int32)
    with pytest.raises(CorruptAssetError, match="lead to the goal"):
        follow_toward(0, next_row, np.array([0, 1, 1, 1], dtype=np.int64))


@pytest.mark.parametrize("tables", [("next_hops",), ("distances",), ("next_hops", "distances")])
def test_distances_are_those_of_the_runtime(tmp_path: Path, tables: tuple[str, ...]) -> None:
    (tmp_path / "whole").mkdir()
    whole = grid(tmp_path / "whole", *ROWS)
    asset = grid(tmp_path, *ROWS, recipe=LevelRecipe(tables=("components", *tables)))
    with Asset(asset) as opened, open_asset(whole) as level:
        scene = read_scene(opened, None)
        toward = all_toward(scene, (4, 4), need_hops=False)
        for row in range(scene.columns.row_count):
            place = scene.rows.place(row)
            assert toward.distance[row] == level.profile().distance(place, (4, 4))


def test_next_rows_are_those_of_the_runtime(tmp_path: Path) -> None:
    asset = grid(tmp_path, *ROWS)
    with Asset(asset) as opened, open_asset(asset) as level:
        scene = read_scene(opened, None)
        toward = all_toward(scene, (4, 4), need_hops=True)
        assert toward.next_row is not None
        for row, next_row in enumerate(toward.next_row.tolist()):
            place = scene.rows.place(row)
            hop = level.profile().next_hop(place, (4, 4))
            assert scene.rows.place(next_row) == (place if hop is None else hop)


def test_hops_need_next_hops(tmp_path: Path) -> None:
    asset = grid(tmp_path, "...", recipe=LevelRecipe(tables=("components", "distances")))
    picture(asset, show="distances", toward=(0, 0))
    with pytest.raises(MissingTableError, match="next_hops"):
        picture(asset, show="hops", toward=(0, 0))


def test_components_alone_can_be_drawn(tmp_path: Path) -> None:
    asset = grid(tmp_path, "..#.", recipe=LevelRecipe(tables=("components",)))
    picture(asset, show="components")
    picture(asset)
    with pytest.raises(MissingTableError):
        picture(asset, show="distances", toward=(0, 0))
    picture(asset, path=((0, 0), (1, 0)))


@pytest.mark.parametrize(("slot", "found"), [(0, "lead to the goal"), (7, "takes an arc")])
def test_damaged_next_hops_are_named(tmp_path: Path, slot: int, found: str) -> None:
    asset = grid(tmp_path, "....", recipe=LevelRecipe(tables=("next_hops",)))
    with Asset(asset) as opened:
        goal = cells_of_nodes(opened)[:, 0].tolist().index(0)
    hop = hop_table(asset)
    # The first move leads east where there is an east, so the two easternmost lead to each other.
    hop[:, goal] = slot or first_moves(asset)[:, goal]
    store_hops(asset, hop)
    with pytest.raises(CorruptAssetError, match=found):
        picture(asset, show="distances", toward=(0, 0))
