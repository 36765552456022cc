"""Puzzles in JSON: what is read, and every mistake in one line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bake.extras.school import puzzle_json
from bake.extras.school.puzzle import Planning, Tiles
from bake.extras.school.puzzle_json import (
    MAX_ACTION_COST,
    MAX_TILE_CELLS,
    puzzle_schema,
    read_puzzle,
)
from bake.levels import is_puzzle, load
from levelbake.errors import BakeError
from tests.support.puzzles import EIGHT, PORTER, write_puzzle


def test_tiles(tmp_path: Path) -> None:
    start = [[0, 1, 3], [8, 2, 4], [7, 6, 5]]
    found = read_puzzle(write_puzzle(tmp_path / "eight.json", EIGHT, start=start))
    assert found.name == "eight"
    assert found.moves == Tiles(3, 3, (1, 2, 3, 8, 0, 4, 7, 6, 5))
    assert (found.patterns, found.combine) == (((1, 2, 3, 4), (5, 6, 7, 8)), "sum")
    assert found.start == (0, 1, 3, 8, 2, 4, 7, 6, 5)
    assert found.sizes == (3024, 3024)


def test_planning(tmp_path: Path) -> None:
    found = read_puzzle(write_puzzle(tmp_path / "porter.json", PORTER))
    assert isinstance(found.moves, Planning)
    assert found.moves.variables == ("porter", "crate", "vase")
    assert found.moves.values[0] == ("yard", "hall", "attic")
    assert found.moves.goal == {1: 2, 2: 1}
    assert (found.start, found.patterns, found.combine) == ((1, 0, 2), ((0, 1), (0, 2)), "max")
    first, leave = found.moves.actions[0], found.moves.actions[-1]
    assert (first.name, first.needs, first.sets, first.cost) == (
        "walk yard hall",
        {0: 0},
        {0: 1},
        2,
    )
    assert (leave.needs, leave.sets, leave.cost) == ({0: 2, 2: 3}, {2: 2}, 0)
    apart = read_puzzle(
        write_puzzle(tmp_path / "apart.json", PORTER, patterns=[["crate"], ["vase"]])
    )
    assert apart.combine == "sum"


def test_what_is_a_puzzle(tmp_path: Path) -> None:
    assert is_puzzle(write_puzzle(tmp_path / "eight.json", EIGHT))
    tiles = tmp_path / "tiles.json"
    tiles.write_text('{"format": "bake-tiles", "description": "\\"bake-puzzle\\""}')
    assert not is_puzzle(tiles)
    far = tmp_path / "far.json"
    far.write_text(" " * (2**20 - 5) + write_puzzle(tmp_path / "near.json", EIGHT).read_text())
    assert is_puzzle(far)
    broken = tmp_path / "broken.json"
    broken.write_text('{"format": "bake-puzzle"')
    assert not is_puzzle(broken)
    assert not is_puzzle(tmp_path / "none.json")
    assert not is_puzzle(tmp_path)
    with pytest.raises(BakeError, match=r"format: .*puzzle"):
        load(tmp_path / "eight.json", {})


BOARD = [[1, 2], [3, 0]]


@pytest.mark.parametrize(
    ("puzzle", "changed", "told"),
    [
        (EIGHT, {"version": 2}, "version: too new"),
        (EIGHT, {"kind": "cube"}, 'kind: found "cube"; expected "tiles" or "planning"'),
        (EIGHT, {"kind": None}, "kind: missing"),
        (EIGHT, {"goal": []}, "goal: 0 x 0"),
        (EIGHT, {"goal": [[0]]}, "goal: 1 x 1"),
        (
            EIGHT,
            {"goal": [[0] * (MAX_TILE_CELLS + 1)]},
            "goal: 33 x 1",
        ),
        (EIGHT, {"goal": [[1, 2], [0]]}, "goal[1]: 1 tiles"),
        (EIGHT, {"goal": [[1, 2], [4, 0]]}, "goal[1][0]: found 4"),
        (
            EIGHT,
            {"goal": [[1, 2], [2, 0]]},
            "goal[1][0]: goal[0][1] already",
        ),
        (EIGHT, {"goal": [[1, "2"]]}, 'goal[0][1]: found "2"'),
        (EIGHT, {"start": BOARD}, "start: 2 rows"),
        (EIGHT, {"patterns": []}, "patterns: no patterns"),
        (
            EIGHT,
            {"patterns": [[]]},
            "patterns[0]: empty",
        ),
        (EIGHT, {"patterns": [[9]]}, "patterns[0][0]: tile 9"),
        (EIGHT, {"patterns": [[0]]}, "patterns[0][0]: tile 0"),
        (
            EIGHT,
            {"patterns": [[1, 2], [3, 1]]},
            "patterns[1][1]: patterns[0] already",
        ),
        (EIGHT, {"tiles": 8}, "tiles: unknown key"),
        (PORTER, {"variables": {}}, "variables: no variables"),
        (
            PORTER,
            {"variables": {"porter": []}},
            "variables.porter: no values",
        ),
        (
            PORTER,
            {"variables": {"porter": ["a", "a"]}},
            'variables.porter: "a" is given twice',
        ),
        (
            PORTER,
            {"goal": {"cat": "yard"}},
            'goal.cat: no variable "cat"',
        ),
        (
            PORTER,
            {"goal": {"vase": "sea"}},
            'goal.vase: no value "sea"',
        ),
        (
            PORTER,
            {"start": {"porter": "hall"}},
            'start: "crate"',
        ),
        (
            PORTER,
            {"patterns": [["porter", "cat"]]},
            'patterns[0][1]: no variable "cat"',
        ),
        (PORTER, {"patterns": [[]]}, "patterns[0]: empty"),
        (
            PORTER,
            {"combine": "sum"},
            "combine: several patterns",
        ),
        (PORTER, {"combine": "min"}, "combine: found \"min\"; expected 'sum' or 'max'"),
        (
            PORTER,
            {"actions": [{"name": "nap", "sets": {}}]},
            "actions[0].sets: sets nothing",
        ),
        (
            PORTER,
            {"actions": [{"name": "nap", "sets": {"porter": "hall"}, "cost": -1}]},
            "actions[0].cost: -1",
        ),
        (
            PORTER,
            {
                "actions": [
                    {
                        "name": "nap",
                        "sets": {"porter": "hall"},
                        "cost": MAX_ACTION_COST + 1,
                    }
                ]
            },
            "actions[0].cost: 1000001",
        ),
        (
            PORTER,
            {"actions": [{"name": "nap", "sets": {"porter": "hall"}, "price": 1}]},
            "actions[0].price: unknown key",
        ),
        (
            PORTER,
            {"actions": [{"name": "nap", "sets": {"porter": "hall"}}] * 2},
            "actions[1].name: already",
        ),
    ],
    ids=lambda value: None if not isinstance(value, str) else value[:40],
)
def test_mistakes(
    puzzle: dict[str, Any], changed: dict[str, Any], told: str, tmp_path: Path
) -> None:
    path = write_puzzle(tmp_path / "puzzle.json", puzzle, **changed)
    with pytest.raises(BakeError) as caught:
        read_puzzle(path)
    line = str(caught.value).splitlines()[0]
    place, _, word = told.partition(": ")
    assert line.startswith(f"{path}: {place}: ")
    assert word in line


def test_actions_for_which_there_is_no_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_puzzle(tmp_path / "porter.json", PORTER)
    entries = len(PORTER["actions"]) * len(PORTER["variables"])
    monkeypatch.setattr(puzzle_json, "MAX_ACTION_ENTRIES", entries)
    assert read_puzzle(path).name == "porter"
    monkeypatch.setattr(puzzle_json, "MAX_ACTION_ENTRIES", entries - 1)
    with pytest.raises(BakeError, match=f"actions: .* at most {entries - 1} entries"):
        read_puzzle(path)


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    other.write_text("[]")
    with pytest.raises(BakeError, match="this is no puzzle"):
        read_puzzle(other)


def test_the_schema_knows_the_same_keys() -> None:
    tiles, planning = puzzle_schema()["oneOf"]
    assert set(tiles["properties"]) == {
        "$schema",
        "format",
        "version",
        "description",
        *EIGHT,
        "start",
    }
    assert set(planning["properties"]) - set(tiles["properties"]) == {
        *("variables", "actions", "combine"),
    }
    for kind in (tiles, planning):
        assert all(each.get("description") for each in kind["properties"].values())
