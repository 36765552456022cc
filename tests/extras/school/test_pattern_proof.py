"""`bake verify` on pattern databases: right ones are proved, and each wrong entry is found."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bake.baking.sources import Task
from bake.extras.school import pattern_proof
from bake.extras.school.pattern_asset import PATTERNS, PatternAsset
from bake.extras.school.puzzle_bake import bake_puzzle
from bake.project.recipe import LevelRecipe
from bake.verify import Proof, verify_asset
from levelbake.errors import CorruptAssetError
from tests.support.puzzles import EIGHT, PORTER, write_puzzle
from tests.support.tampering import change_attribute, change_column

#: A table in which several actions cost nothing and run in a circle.
CIRCLE: dict[str, Any] = {
    "kind": "planning",
    "variables": {"a": ["0", "1", "2", "3", "4"], "b": ["0", "1"]},
    "actions": [
        *(
            {"name": f"{x}{y}", "needs": {"a": x}, "sets": {"a": y}, "cost": 0}
            for x, y in (("1", "2"), ("2", "3"), ("3", "1"))
        ),
        {"name": "out", "needs": {"a": "3"}, "sets": {"a": "0"}, "cost": 2},
        {"name": "flip", "sets": {"b": "1"}, "cost": 1},
    ],
    "goal": {"a": "0", "b": "1"},
    "patterns": [["a"], ["b"], ["a", "b"]],
    "combine": "max",
}
#: As small as tiles come, with a pattern of all of them.
THREE = {"kind": "tiles", "goal": [[1, 2], [3, 0]], "patterns": [[1, 2, 3]]}
SIX = {"kind": "tiles", "goal": [[1, 2, 3], [4, 5, 0]], "patterns": [[5, 1, 2], [3]]}
CASES = {"eight": EIGHT, "porter": PORTER, "circle": CIRCLE, "three": THREE, "six": SIX}


def made(folder: Path, name: str) -> Path:
    """The asset of a case as it was baked, to be damaged."""
    asset, kept = folder / f"{name}.h5", folder / f"{name}.kept"
    if not kept.exists():
        source = write_puzzle(folder / f"{name}.json", CASES[name])
        bake_puzzle(Task(source, kept, LevelRecipe()), lambda stage, done: None)
    shutil.copyfile(kept, asset)
    return asset


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("patterns")


def proved(path: Path) -> Proof:
    return verify_asset(path, None, lambda done: None)


@pytest.mark.parametrize("name", CASES)
def test_right_tables_are_proved(name: str, folder: Path) -> None:
    path = made(folder, name)
    with PatternAsset(path) as asset:
        assert proved(path) == Proof(entries=asset.shape("/patterns_distance")[0])


@pytest.mark.parametrize("piece", [1, 2, 7])
def test_states_are_taken_in_pieces(
    piece: int, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pattern_proof, "_PIECE", piece)
    for name in ("three", "six"):
        path = made(folder, name)
        with PatternAsset(path) as asset:
            assert proved(path) == Proof(entries=asset.shape("/patterns_distance")[0])


@given(st.data())
def test_wrong_entries_are_found(folder: Path, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from([*CASES]))
    path = made(folder, name)
    with PatternAsset(path) as asset:
        table = asset.read("/patterns_distance")
    at = data.draw(st.integers(0, len(table) - 1))
    none = np.iinfo(table.dtype).max
    wrong = data.draw(
        st.sampled_from([int(table[at]) + 1 & none, max(int(table[at]), 1) - 1, none, 0])
    )
    if wrong == table[at]:
        return

    def edit(array: np.ndarray) -> None:
        array[at] = wrong

    change_column(path, "/patterns_distance", edit)
    with pytest.raises(CorruptAssetError, match=r"wrong: entry .*least"):
        proved(path)


def test_circles_that_cost_nothing_prove_nothing(folder: Path) -> None:
    """All three states of the circle say 1 in place of 2: each has another at the same value."""
    path = made(folder, "circle")

    def edit(array: np.ndarray) -> None:
        assert array[:5].tolist() == [0, 2, 2, 2, 255]
        array[1:4] = 1

    change_column(path, "/patterns_distance", edit)
    with pytest.raises(CorruptAssetError, match="entry 1 of pattern 0 is 1"):
        proved(path)


def test_sums_of_patterns_that_share_steps_are_refused(folder: Path) -> None:
    path = made(folder, "porter")
    change_attribute(path, "/", "combine", np.bytes_("sum"))
    with pytest.raises(CorruptAssetError, match="count the same step"):
        proved(path)


BREAKS: dict[str, tuple[str, str, object, str]] = {
    "a board with a tile twice": ("six", "/tiles_goal", 1, "/tiles_goal is no board"),
    "a member that is none": ("six", "/patterns_member", 9, "/patterns_member names no pattern"),
    "the gap as a member": ("six", "/patterns_member", 0, "/patterns_member names no pattern"),
    "cuts out of order": (
        *("six", "/patterns_first_member", 4),
        "first_member leaves a part with fewer than 1 of member",
    ),
    "a goal that is no value": ("porter", "/variables_goal", 4, "/variables_goal names no value"),
    "a need that is no value": ("porter", "/actions_needs", 7, "/actions_needs names no value"),
    "an action below 0": ("porter", "/actions_cost", -1, "/actions_cost has -1, not 0 or more"),
    "a start that is no state": ("porter", "/variables_start", 5, "is no state of the puzzle"),
}


@pytest.mark.parametrize("case", BREAKS.values(), ids=BREAKS.keys())
def test_puzzles_that_are_none_are_damaged(case: tuple[str, str, Any, str], folder: Path) -> None:
    name, column, value, told = case
    path = made(folder, name)

    def edit(array: np.ndarray) -> None:
        array.reshape(-1)[1] = value

    change_column(path, column, edit)
    with pytest.raises(CorruptAssetError, match=told):
        proved(path)


def test_every_column_is_in_one_of_the_cases(folder: Path) -> None:
    held = set()
    for name in CASES:
        with PatternAsset(made(folder, name)) as asset:
            held.update(asset.columns())
    assert {declared.path for declared in PATTERNS.columns} - held == {"/tiles_start"}
