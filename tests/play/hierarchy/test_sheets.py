"""Large lattices that are read sheet by sheet: the answers of those that are read at once."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from unittest.mock import patch

import h5py
import numpy as np
import pytest

from bake.play import LevelAsset, open_asset
from bake.play.hierarchy import sheets
from bake.play.hierarchy.lattice import LatticeHierarchy, LatticePaths
from bake.play.hierarchy.layers import HierarchyTables
from bake.play.hierarchy.paths import HierarchyPaths
from bake.project.recipe import ProfileRecipe
from bake.store import lattice as stored
from levelbake.errors import AssetError, CorruptAssetError
from tests.support.baked import recipe_for, rules_of, write_grid
from tests.support.lattices import FREE, TABLES, bake_on_cells, some_places
from tests.support.strategies import random_grid
from tests.support.tampering import edited

GIANT = (ProfileRecipe("default", rules_of(FREE), 2),)
COLUMNS = sheets.COLUMNS


@contextmanager
def small_sheets(most_bytes: int = 2**30) -> Iterator[None]:
    """Take sheets of eight cells a side, and keep no more than so many bytes of them."""
    with patch.object(stored, "_SHEET", 8), patch.object(sheets, "MOST_BYTES", most_bytes):
        yield


def baked(tmp_path: Path, seed: int, *, walls: float = 0.25, **more: object) -> Path:
    """Bake a random level of 60 x 50 cells."""
    source = write_grid(tmp_path / f"drawn{seed}.json", random_grid(seed, 60, 50, walls))
    recipe = replace(recipe_for(FREE, tables=TABLES, cluster_size=4), **more)  # type: ignore[arg-type]
    return bake_on_cells(source, recipe)


def in_one_piece(level: LevelAsset) -> HierarchyPaths:
    columns = level._columns()
    assert level.profile()._now.version.by_sheet
    return HierarchyPaths(HierarchyTables(columns))


@pytest.mark.parametrize("levels", [1, 3])
@pytest.mark.parametrize("giant", [True, False])
@pytest.mark.parametrize("most_bytes", [0, 2**30])
def test_answers_are_those_of_the_whole(
    levels: int, giant: bool, most_bytes: int, tmp_path: Path
) -> None:
    """Step by step, also where everything is forgotten whenever something is read."""
    more = {"profiles": GIANT} if giant else {}
    path = baked(tmp_path, 3 + giant, levels=levels, **more)
    with small_sheets(most_bytes), open_asset(path) as level:
        nav = level.profile()
        whole, by_sheet = in_one_piece(level), nav._now.searches.hierarchy
        assert isinstance(by_sheet, LatticePaths)
        places = some_places(level, nav, 1, 24)
        for start, goal in pairwise(places):
            row, goal_row = nav._now.rows.row(start), nav._now.rows.row(goal)
            expected, found = whole.path(row, goal_row), by_sheet.path(row, goal_row)
            assert found[1:] == expected[1:]
            assert (found[0] is None) == (expected[0] is None)
            if found[0] is not None and expected[0] is not None:
                assert found[0].tolist() == expected[0].tolist()
                assert nav._now.rows.places(found[0]) == [
                    (x, y) for x, y in whole.tables.version.cell_of_row[found[0]].tolist()
                ]
            expected_walk, walk = whole.walk(row, goal_row), by_sheet.walk(row, goal_row)
            assert [each.tolist() for each in walk or ()] == [
                each.tolist() for each in expected_walk or ()
            ]
            plan, other = by_sheet.find(row, goal_row), whole.find(row, goal_row)
            assert plan.plan.tolist() == other.plan.tolist()
            if plan.ticks >= 0:
                assert by_sheet.rows(plan).tolist() == whole.rows(other).tolist()
            apart = by_sheet.tables.apart(row, goal_row)
            assert apart == (expected[0] is None)
        ends = np.array([nav._now.rows.row(place) for place in places], dtype=np.int32)
        for found_many, expected_many in zip(
            by_sheet.many(ends[:-1], ends[1:]), whole.many(ends[:-1], ends[1:]), strict=True
        ):
            assert found_many.tolist() == expected_many.tolist()


def test_only_sheets_near_a_question_are_read(tmp_path: Path) -> None:
    path = baked(tmp_path, 5, walls=0.0)
    with small_sheets(), open_asset(path) as level:
        nav = level.profile()
        assert nav.path((1, 1), (5, 2), "hpa") is not None
        hierarchy = nav._now.searches.hierarchy.tables
        assert isinstance(hierarchy, LatticeHierarchy)
        read = np.flatnonzero(hierarchy.sheets.sheets._read)
        assert 1 <= len(read) <= 4
        assert nav.path((1, 1), (55, 2), "hpa") is not None
        assert (
            len(read)
            < np.count_nonzero(hierarchy.sheets.sheets._read)
            < len(hierarchy.sheets.sheets._read)
        )


def test_threads_read_at_once(tmp_path: Path) -> None:
    """Each of them reads what others forget, and all get the same answers."""
    path = baked(tmp_path, 7, walls=0.15)
    with small_sheets(), open_asset(path) as level:
        nav = level.profile()
        places = some_places(level, nav, 2, 16)
        pairs = list(pairwise(places))
        expected = [nav.path(*pair, "hpa") for pair in pairs]
    with small_sheets(most_bytes=20_000), open_asset(path) as level:
        nav = level.profile()
        wrong: list[object] = []
        begin = threading.Barrier(4)

        def ask(first: int) -> None:
            begin.wait()
            for number in range(first, first + len(pairs)):
                which = number % len(pairs)
                try:
                    found = nav.path(*pairs[which], "hpa")
                    if found != expected[which]:
                        wrong.append((pairs[which], found))
                except Exception as error:
                    wrong.append(error)

        threads = [threading.Thread(target=ask, args=(4 * number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not wrong


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("by", [1, -1])
def test_counts_that_are_wrong_are_damage(column: str, by: int, tmp_path: Path) -> None:
    path = baked(tmp_path, 9)
    with edited(path) as file:
        old = file[f"/profiles/default/{column}"][()]
        # One more here and one less there: sums stay what they were.
        flat = old.reshape(-1).astype(np.int64)
        flat[len(flat) // 2] += by if column != "step_range" else 1
        flat[len(flat) // 2 + 1] -= by if column != "step_range" else 1
        del file[f"/profiles/default/{column}"]
        file[f"/profiles/default/{column}"] = flat.reshape(old.shape).astype(old.dtype)
    with small_sheets(), pytest.raises(CorruptAssetError) as caught:
        ask(path)
    assert "\n" not in str(caught.value)


def ask(path: Path, *, check: bool = True) -> None:
    with open_asset(path, check=check) as level:
        nav = level.profile()
        for start, goal in pairwise(some_places(level, nav, 4, 40)):
            nav.path(start, goal, "hpa")


def test_a_step_that_does_not_lead_back_is_damage_where_it_is_met(tmp_path: Path) -> None:
    path = baked(tmp_path, 11, walls=0.0)
    with edited(path) as file:
        steps = file["/profiles/default/steps"][()]
        steps[3, 55] &= 0b11111110
        del file["/profiles/default/steps"]
        file["/profiles/default/steps"] = steps
    with small_sheets(), open_asset(path) as level:
        nav = level.profile()
        assert nav.path((1, 40), (9, 45), "hpa") is not None
        with pytest.raises(CorruptAssetError, match="two_way is 1"):
            nav.path((52, 2), (58, 5), "hpa")
        # What has been read of the wrong sheet is gone, and the rest still answers.
        assert nav.path((1, 40), (9, 45), "hpa") is not None


def test_a_chunk_that_cannot_be_unpacked_is_damage(tmp_path: Path) -> None:
    path = baked(tmp_path, 13)
    with h5py.File(path) as file:
        chunk = file["/profiles/default/steps"].id.get_chunk_info(0)
    data = bytearray(path.read_bytes())
    middle = chunk.byte_offset + chunk.size // 2
    data[middle : middle + 8] = bytes(255 - each for each in data[middle : middle + 8])
    path.write_bytes(bytes(data))
    with pytest.raises(CorruptAssetError) as caught:
        ask(path, check=False)
    assert "column /profiles/default/steps" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_nothing_is_read_of_a_closed_asset(tmp_path: Path) -> None:
    path = baked(tmp_path, 15, walls=0.0)
    with small_sheets(), open_asset(path) as level:
        nav = level.profile()
        assert nav.path((1, 1), (5, 2), "hpa") is not None
    assert nav.path((1, 1), (5, 2), "hpa") is not None  # all of it is in memory
    with pytest.raises(AssetError, match="the asset is closed"):
        nav.path((1, 1), (50, 40), "hpa")
