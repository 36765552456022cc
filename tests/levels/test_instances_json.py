"""Prototypes and instances of tile levels: what they draw, and every mistake in them."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bake.core.level import GridLevel, Instance, Prototype
from bake.core.placement import TURNS, Placement, all_cells
from bake.levels import load
from levelbake.errors import BakeError

#: A corner, whose eight placements are all different.
CORNER = {"corner": {"rows": ["##.", "#.."]}}
PLAIN: dict[str, Any] = {
    "format": "bake-tiles",
    "version": 1,
    "legend": {".": "floor", "#": "wall", "m": "mud"},
    "terrains": {"floor": 1, "wall": "blocked", "mud": 2},
    "rows": ["mmmmm"] * 4,
    "prototypes": CORNER,
}


def read(folder: Path, **more: object) -> GridLevel:
    file = folder / "town.json"
    file.write_text(json.dumps({**PLAIN, **more}), encoding="utf-8")
    level = load(file, {})
    assert isinstance(level, GridLevel)
    return level


def drawn(level: GridLevel) -> list[str]:
    letters = {"floor": ".", "wall": "#", "mud": "m"}
    return ["".join(letters[level.terrains[code]] for code in row) for row in level.terrain]


@pytest.mark.parametrize(
    ("turned", "mirrored", "lines"),
    [
        (0, False, ["##.", "#.."]),
        (90, False, ["##", ".#", ".."]),
        (180, False, ["..#", ".##"]),
        (270, False, ["..", "#.", "##"]),
        (0, True, [".##", "..#"]),
        (90, True, ["..", ".#", "##"]),
        (180, True, ["#..", "##."]),
        (270, True, ["##", "#.", ".."]),
    ],
)
def test_it_is_mirrored_then_turned_clockwise(
    tmp_path: Path, turned: int, mirrored: bool, lines: list[str]
) -> None:
    instance = {"of": "corner", "at": [1, 1], "turned": turned, "mirrored": mirrored}
    level = read(tmp_path, instances=[instance])
    height, width = len(lines), len(lines[0])
    wanted = [list("mmmmm") for _ in range(4)]
    for y, line in enumerate(lines):
        wanted[y + 1][1 : 1 + width] = line
    assert drawn(level) == ["".join(row) for row in wanted]
    placement = Placement((1, 1), turned // 90, mirrored)
    assert level.prototypes == (Prototype("corner", 3, 2),)
    assert level.instances == (Instance(0, placement, "instances[0]"),)
    assert placement.size(3, 2) == (width, height)
    assert Placement.from_turn((1, 1), placement.turn) == placement


@pytest.mark.parametrize("turn", range(TURNS))
def test_a_placement_takes_each_cell_to_its_own(turn: int) -> None:
    placement = Placement.from_turn((10, 20), turn)
    cells = placement.cells(all_cells(3, 2), 3, 2)
    wide, high = placement.size(3, 2)
    assert sorted(map(tuple, cells.tolist())) == sorted(
        (10 + x, 20 + y) for x in range(wide) for y in range(high)
    )


def test_by_palette_and_on_floors(tmp_path: Path) -> None:
    file = tmp_path / "town.json"
    document = {
        "format": "bake-tiles",
        "version": 1,
        "palette": ["floor", "wall"],
        "cells": [[0, 0, 0]] * 4,
        "floor_height": 2,
        "prototypes": {"post": {"cells": [[1], [0]]}},
        "instances": [{"of": "post", "at": [2, 0, 1]}],
    }
    file.write_text(json.dumps(document))
    level = load(file, {})
    assert isinstance(level, GridLevel)
    assert level.terrain.tolist() == [[0, 0, 0], [0, 0, 0], [0, 0, 1], [0, 0, 0]]
    assert level.instances[0].placement.at == (2, 2)


def test_a_terrain_that_only_a_prototype_has(tmp_path: Path) -> None:
    instances = [{"of": "corner", "at": [0, 0]}]
    level = read(tmp_path, terrains={}, instances=instances)
    assert set(level.terrains) == {"floor", "wall", "mud"}
    # What is drawn and never placed is in no cell.
    assert read(tmp_path, terrains={}).terrains == ("mud",)
    assert np.array_equal(np.unique(level.terrain), [0, 1, 2])


@pytest.mark.parametrize(
    ("more", "line"),
    [
        (
            {"instances": [{"of": "corner", "at": [0, 0]}, {"of": "barn", "at": [0, 0]}]},
            'instances[1].of: there is no prototype "barn"; expected one of "corner"',
        ),
        (
            {"prototypes": {}, "instances": [{"of": "barn", "at": [0, 0]}]},
            'instances[0].of: there is no prototype "barn"; expected the name of a prototype; '
            "draw it under prototypes",
        ),
        (
            {"instances": [{"of": "corner", "at": [3, 0]}]},
            'instances[0].at: "corner" covers 3 x 2 cells here, which leave the level'
            "; expected x of at most 2, y of at most 2",
        ),
        (
            {"instances": [{"of": "corner", "at": [0, 2], "turned": 90}]},
            'instances[0].at: "corner" covers 2 x 3 cells here, which leave the level'
            "; expected x of at most 3, y of at most 1",
        ),
        (
            {"rows": ["mm"], "instances": [{"of": "corner", "at": [0, 0]}]},
            'instances[0].at: "corner" covers 3 x 2 cells here, which leave the level'
            "; expected at most 2 x 1 cells, as the level has",
        ),
        (
            {"instances": [{"of": "corner", "at": [9, 0]}]},
            "instances[0].at: [9, 0] lies outside the level; expected x from 0 to 4, y from 0 to 3",
        ),
        (
            {"instances": [{"of": "corner", "at": [0, 0]}, {"of": "corner", "at": [2, 1]}]},
            "instances[1]: it overlaps instances[0] at [2, 1]"
            "; expected instances that share no cell",
        ),
        (
            {"instances": [{"of": "corner", "at": [0, 0], "turned": 45}]},
            "instances[0].turned: found 45; expected 0, 90, 180 or 270",
        ),
        (
            {"instances": [{"of": "corner", "at": [0, 0], "flipped": True}]},
            "instances[0].flipped: unknown key; expected one of of, at, turned, mirrored",
        ),
        (
            {"prototypes": {"corner": {"rows": ["#?"]}}},
            'prototypes.corner.rows[0][1]: the legend has no entry for "?" '
            '(1 cell, first at (1, 0)); expected one of ".", "#", "m"; add "?" to legend',
        ),
        (
            {"prototypes": {"corner": {"rows": ["##", "#"]}}},
            "prototypes.corner.rows[1]: this row has 1 characters"
            "; expected 2 as in prototypes.corner.rows[0]",
        ),
        (
            {"prototypes": {"corner": {"rows": []}}},
            "prototypes.corner.rows: the level is empty, 0 x 0 cells; expected at least one "
            "cell; draw some cells, and save the level again",
        ),
        (
            {"prototypes": {"corner": {"cells": [[0]]}}},
            "prototypes.corner: found cells; expected rows, as the level has",
        ),
        (
            {"prototypes": {"corner": {}}},
            "prototypes.corner: found no cells; expected rows, as the level has",
        ),
        (
            {"grid": "hex", "hex_layout": "odd-r"},
            "prototypes: the grid is hexagonal, and hexagons have no quarter turns"
            "; expected prototypes on square grids",
        ),
    ],
)
def test_mistakes(tmp_path: Path, more: dict[str, object], line: str) -> None:
    with pytest.raises(BakeError) as caught:
        read(tmp_path, **more)
    assert str(caught.value) == f"{tmp_path / 'town.json'}: {line}"


def test_an_instance_stays_on_its_floor(tmp_path: Path) -> None:
    with pytest.raises(BakeError, match="y of at most 0"):
        read(tmp_path, floor_height=2, instances=[{"of": "corner", "at": [0, 1, 0]}])
