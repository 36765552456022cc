"""All readers answer what is recorded, and files hold what is recorded: see CONTRIBUTING.md."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import pytest

from tests.support.recorded import compare
from tests.support.recorded.levels import LEVELS, column_digests
from tests.support.recorded.questions import Block, Draw, Script
from tests.support.stored import stored_asset


@pytest.mark.parametrize("name", LEVELS)
def test_files_and_answers_are_those_recorded(name: str) -> None:
    assert compare.differences(name) == []


def test_each_level_is_recorded() -> None:
    assert sorted(path.stem for path in compare.FOLDER.iterdir()) == sorted(LEVELS)
    assert len(LEVELS) == 24


def test_drawn_numbers_are_those_of_splitmix() -> None:
    """The reference implementation begins like this from the state 1234567."""
    draw = Draw("")
    draw._state = 1234567
    assert [draw.below(2**64) for _ in range(3)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
    ]


def test_a_column_that_differs_is_named(tmp_path: Path) -> None:
    baked, asset = stored_asset("five.json"), tmp_path / "five.h5"
    asset.write_bytes(baked.read_bytes())
    with h5py.File(asset, "r+") as file:
        file["length"][0] += 1
        file.attrs["ticks_per_unit"] = 7
        del file["position"]
    expected, actual = column_digests(baked), column_digests(asset)
    assert compare.unlike(expected, actual) == {
        ":ticks_per_unit": "differs",
        "/length": "differs",
        "/position": "is missing",
    }
    assert compare.unlike(actual, expected)["/position"] == "is new"


class Scene:
    """One block of three pairs, what is recorded of it, and what two readers answer."""

    def __init__(self) -> None:
        block = Block("walker", ((1, 3), (2, 3), (3, 3)))
        self.asked = {"baked": Script([block])}
        self.right = {"hops": [2, 3, 3], "paths": [[1, 2, 3], [2, 3], [3]], "distances": [9, 5, 0]}
        self.recording = {"baked": [compare.summary(block, self.right)]}

    def lines(self, wrong: dict[str, list[Any]], right: dict[str, Any] | None) -> list[str]:
        answered = {"c": {"baked": [self.right | wrong]}}
        if right is not None:
            answered["levelbake"] = {"baked": [right]}
        return compare.answer_differences(
            "level", self.recording, self.asked, answered, lambda number: f"place {number}"
        )


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scene:
    monkeypatch.setattr(compare, "CACHE", tmp_path / "cache")
    return Scene()


def test_equal_answers_do_not_differ(scene: Scene) -> None:
    assert scene.lines({}, scene.right) == []


@pytest.mark.parametrize(
    ("wrong", "question", "pair"),
    [
        (
            {"hops": [2, -1, 3]},
            "hops",
            "pair 1 from place 2 to place 3: expected place 3, found -1",
        ),
        (
            {"paths": [[1, 2, 3], [2, 1, 3], [3]]},
            "paths",
            "pair 1 from place 2 to place 3: after 1 places expected place 3, found place 1",
        ),
        (
            {"paths": [[1, 2], [2, 3], [3]]},
            "paths",
            "pair 0 from place 1 to place 3: after 2 places expected place 3, found -1",
        ),
        (
            {"distances": [9, 5, 1]},
            "distances",
            "pair 2 from place 3 to place 3: expected 0, found 1",
        ),
    ],
)
def test_the_first_pair_that_differs_is_named(
    scene: Scene, wrong: dict[str, list[Any]], question: str, pair: str
) -> None:
    """Expected answers come from a reader that agrees, or from an earlier comparison."""
    (line,) = scene.lines(wrong, scene.right)
    assert line.startswith(f"level: c, {question} baked: 1 of 1 blocks differ, first number 0 ")
    assert line.endswith(pair)
    compare.cache_answers(scene.recording, "level", {"baked": [scene.right]})
    assert scene.lines(wrong, None) == [line]


def test_a_recorded_sample_is_expected_where_nothing_else_is_known(scene: Scene) -> None:
    (line,) = scene.lines({"distances": [8, 5, 0]}, None)
    assert line.endswith("pair 0 from place 1 to place 3: expected 9, found 8")
    (line,) = scene.lines({"distances": [9, 4, 0]}, None)
    assert line.endswith("one of its 3 pairs, whose expected answers are not stored here")
