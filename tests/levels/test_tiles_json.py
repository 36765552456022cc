"""Tile levels in JSON."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from bake.core.errors import BakeErrors
from bake.core.level import GridLevel, Rules, TerrainRule
from bake.levels import load
from tests.support.levels import named, present, refusal
from tests.support.strategies import any_grids

NAMES = ["grass", "deep water", "墙", "road"]
SYMBOLS = {"grass": ".", "deep water": "~", "墙": "墙", "road": "🛣"}


def written(folder: Path, **keys: object) -> Path:
    path = folder / "keep.json"
    path.write_text(
        json.dumps({"format": "bake-tiles", "version": 1, **keys}, ensure_ascii=False), "utf-8"
    )
    return path


def read(folder: Path, **keys: object) -> GridLevel:
    level = load(written(folder, **keys), {})
    assert isinstance(level, GridLevel)
    return level


SMALL: dict[str, Any] = {"legend": {".": "grass", "#": "wall"}, "rows": ["..#", "#.."]}
NUMBERED: dict[str, Any] = {"palette": ["grass", "wall"], "cells": [[0, 0, 1], [1, 0, 0]]}


@given(grid=any_grids(NAMES))
def test_rows_round_trip(tmp_path_factory: pytest.TempPathFactory, grid: list[list[str]]) -> None:
    legend = {symbol: name for name, symbol in SYMBOLS.items()}
    rows = ["".join(SYMBOLS[name] for name in row) for row in grid]
    level = read(tmp_path_factory.mktemp("tiles"), legend=legend, rows=rows)
    assert named(level) == grid
    assert list(level.terrains) == [name for name in NAMES if name in present(grid)]
    assert level.terrain.dtype == np.uint8


@given(grid=any_grids(NAMES), palette=st.permutations(NAMES))
def test_cells_round_trip(
    tmp_path_factory: pytest.TempPathFactory, grid: list[list[str]], palette: list[str]
) -> None:
    cells = [[palette.index(name) for name in row] for row in grid]
    level = read(tmp_path_factory.mktemp("tiles"), palette=palette, cells=cells)
    assert named(level) == grid
    assert list(level.terrains) == [name for name in palette if name in present(grid)]


@given(grid=any_grids(NAMES), declared=st.permutations(NAMES), palette=st.permutations(NAMES))
def test_declared_terrains_are_numbered_as_declared(
    tmp_path_factory: pytest.TempPathFactory,
    grid: list[list[str]],
    declared: list[str],
    palette: list[str],
) -> None:
    cells = [[palette.index(name) for name in row] for row in grid]
    level = read(
        tmp_path_factory.mktemp("tiles"),
        terrains=dict.fromkeys(declared, 1),
        palette=palette,
        cells=cells,
    )
    assert level.terrains == tuple(declared)
    assert named(level) == grid


def test_usual_terrains_cost_what_they_cost_in_images(tmp_path: Path) -> None:
    image = tmp_path / "same.png"
    Image.fromarray(np.array([[255, 0]], dtype=np.uint8)).save(image)
    symbols = {".": "floor", "#": "wall"}
    level = read(tmp_path, legend=symbols, rows=[".#"])
    assert level.terrain_rules == load(image, {}).terrain_rules
    assert level.terrain_rules == {"floor": TerrainRule(1.0), "wall": TerrainRule(None)}
    # What the file says goes before that.
    listed = {"floor": 4, "wall": {"colour": "#123456"}}
    level = read(tmp_path, legend=symbols, rows=[".#"], terrains=listed)
    assert level.terrain_rules == {"floor": TerrainRule(4.0), "wall": TerrainRule(None)}


def test_the_smallest_file_says_nothing_else(tmp_path: Path) -> None:
    level = read(tmp_path, **SMALL)
    assert level.name == "keep"
    assert level.terrain.tolist() == [[0, 0, 1], [1, 0, 0]]
    assert level.terrains == ("grass", "wall")
    assert level.terrain_rules == {"wall": TerrainRule(None)}
    assert level.colours == {}
    assert level.hex_layout is None
    assert level.rules == Rules()


def test_everything_a_file_can_say(tmp_path: Path) -> None:
    level = read(
        tmp_path,
        **{"$schema": "bake-tiles.schema.json"},
        description="the keep",
        grid="square",
        connectivity=4,
        corner_cutting="one_free",
        cost_rule="entered",
        terrains={
            "grass": 1.5,
            "wall": "blocked",
            "water": {"cost": 2, "enter_from": ["water", "elsewhere"], "colour": "#4A81ac"},
            "rock": {"cost": "blocked", "colour": "#222222"},
            "sand": {"colour": "#eeddaa"},
            "island": {"cost": 1, "enter_from": []},
        },
        legend={".": "grass", "#": "wall", ",": "grass"},
        rows=[".,", "#."],
    )
    assert level.rules == Rules(4, "one_free", "entered")
    assert level.terrains == ("grass", "wall", "water", "rock", "sand", "island")
    assert level.terrain_rules == {
        "grass": TerrainRule(1.5),
        "wall": TerrainRule(None),
        "water": TerrainRule(2.0, ("water", "elsewhere")),
        "rock": TerrainRule(None),
        "island": TerrainRule(1.0, ()),
    }
    assert level.colours == {
        "water": (0x4A, 0x81, 0xAC),
        "rock": (0x22, 0x22, 0x22),
        "sand": (0xEE, 0xDD, 0xAA),
    }
    assert named(level) == [["grass", "grass"], ["wall", "grass"]]


@pytest.mark.parametrize("layout", ["odd-r", "even-r", "odd-q", "even-q"])
def test_hex(tmp_path: Path, layout: str) -> None:
    level = read(tmp_path, **SMALL, grid="hex", hex_layout=layout)
    assert level.hex_layout == layout
    assert level.rules.connectivity == 6


def test_byte_order_mark_and_crlf(tmp_path: Path) -> None:
    path = tmp_path / "keep.json"
    text = json.dumps({"format": "bake-tiles", "version": 1, **SMALL}, indent=2)
    path.write_bytes(text.replace("\n", "\r\n").encode("utf-8-sig"))
    assert load(path, {}).terrains == ("grass", "wall")


def test_255_terrains_fit_and_256_do_not(tmp_path: Path) -> None:
    palette = [f"t{at}" for at in range(256)]
    level = read(tmp_path, palette=palette[:255], cells=[list(range(255))])
    assert level.terrain.tolist() == [list(range(255))]
    path = written(tmp_path, palette=palette, cells=[[0]])
    assert refusal(path).startswith("palette: the level has 256 terrains; expected at most 255")


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        # The cells.
        ({**SMALL, "rows": []}, "rows: the level is empty, 0 x 0 cells"),
        ({**SMALL, "rows": ["", ""]}, "rows: the level is empty, 0 x 2 cells"),
        ({**NUMBERED, "cells": []}, "cells: the level is empty"),
        ({**NUMBERED, "cells": [[]]}, "cells: the level is empty"),
        ({**SMALL, "rows": ["..", "...", "."]}, "rows[1]: this row has 3 characters; expected 2"),
        ({**NUMBERED, "cells": [[0], []]}, "cells[1]: this row has 0 cells; expected 1"),
        (
            {**SMALL, "rows": ["..?", "?x."]},
            'rows[0][2]: the legend has no entry for "?" (2 cells, first at (2, 0)), '
            '"x" (1 cell, first at (1, 1)); expected one of ".", "#"; add "?" to legend',
        ),
        ({**SMALL, "legend": {}}, 'rows[0][0]: the legend has no entry for "." (4 cells, '),
        ({**SMALL, "rows": "..#"}, 'rows: found "..#"; expected a list'),
        ({**SMALL, "rows": ["..#", 5]}, "rows[1]: found 5; expected a string"),
        ({**SMALL, "rows": {"0": ".."}}, "rows: found an object; expected a list"),
        ({**SMALL, "rows": None}, "rows: found null; expected a list"),
        ({**NUMBERED, "cells": [[0, 2]]}, "cells[0][1]: found 2 at x 1, y 0; expected a whole"),
        ({**NUMBERED, "cells": [[0], [-1]]}, "cells[1][0]: found -1 at x 0, y 1"),
        ({**NUMBERED, "cells": [[0, True]]}, "cells[0][1]: found true"),
        ({**NUMBERED, "cells": [[0, 1.0]]}, "cells[0][1]: found 1.0"),
        ({**NUMBERED, "cells": [[0, 10**30]]}, "cells[0][1]: found 1000000000"),
        ({**NUMBERED, "cells": [[float("nan")]]}, "cells[0][0]: found NaN"),
        ({**NUMBERED, "cells": [[0], "01"]}, 'cells[1]: found "01"; expected a list of palette'),
        ({**NUMBERED, "cells": [[0, [1]]]}, "cells[0][1]: found a list"),
        ({**NUMBERED, "cells": 7}, "cells: found 7; expected a list"),
        ({**NUMBERED, "palette": []}, "cells[0][0]: found 0 at x 0, y 0; expected no cells"),
        # One way to give them, or the other.
        ({}, 'top level: the level has no cells; expected "legend" and "rows", or'),
        ({"rows": ["."]}, "top level: found rows; expected"),
        ({**SMALL, "palette": ["a"]}, "top level: found legend, palette, rows; expected"),
        ({**SMALL, **NUMBERED}, "top level: found cells, legend, palette, rows"),
        # Names.
        (
            {**SMALL, "legend": {"..": "a"}},
            'legend[".."]: the key: ".." is not a legend character; expected a single character',
        ),
        ({**SMALL, "legend": {"": "a"}}, 'legend[""]: the key: "" is not a legend character'),
        ({**SMALL, "legend": {"\t": "a"}}, 'legend["\\t"]: the key: "\\t" is not a legend'),
        ({**SMALL, "legend": {".": ""}}, 'legend["."]: "" is not a name; expected some text'),
        ({**SMALL, "legend": {".": "a\nb"}}, 'legend["."]: "a\\nb" is not a name'),
        ({**SMALL, "legend": {".": 1}}, 'legend["."]: found 1; expected a string'),
        ({**SMALL, "legend": ["."]}, "legend: found a list; expected an object"),
        ({**NUMBERED, "palette": ["a", "b", "a"]}, 'palette: "a" is given twice'),
        (
            {**SMALL, "terrains": {"wall": "blocked"}},
            'legend["."]: the terrain "grass" is not among the level\'s terrains; '
            'expected one of "wall"; add it to terrains',
        ),
        ({**NUMBERED, "terrains": {"grass": 1}}, 'palette[1]: the terrain "wall" is not among'),
        # Costs.
        *(
            (
                {**SMALL, "terrains": {"grass": cost, "wall": "blocked"}},
                f"terrains.grass: the cost is {text}; "
                'expected a number above 0, at most 1e+09, or "blocked"',
            )
            for cost, text in [
                (0, "0"),
                (-1, "-1"),
                (-0.5, "-0.5"),
                (float("nan"), "NaN"),
                (float("inf"), "Infinity"),
                (1.1e9, "1100000000.0"),
                (10**400, "a number of very many digits"),
                (True, "true"),
                (None, "null"),
                ("1", '"1"'),
                ("wall", '"wall"'),
                ([1], "a list"),
            ]
        ),
        ({**SMALL, "terrains": {"grass": {"cost": 0}}}, "terrains.grass.cost: the cost is 0"),
        ({**SMALL, "terrains": {"grass": {"cost": None}}}, "terrains.grass.cost: the cost is null"),
        (
            {**SMALL, "terrains": {"grass": {"price": 1}}},
            "terrains.grass.price: unknown key; expected one of cost, enter_from, colour",
        ),
        (
            {**SMALL, "terrains": {"grass": {"cost": 1, "enter_from": "sea"}}},
            'terrains.grass.enter_from: found "sea"; expected a list',
        ),
        (
            {**SMALL, "terrains": {"grass": {"cost": 1, "enter_from": ["a", "a"]}}},
            'terrains.grass.enter_from: "a" is given twice; expected each name once',
        ),
        (
            {**SMALL, "terrains": {"tall grass": {"enter_from": ["a"]}}},
            'terrains["tall grass"]: the terrain has enter_from but no',
        ),
        (
            {**SMALL, "terrains": {"grass": {"cost": 1, "colour": "green"}}},
            'terrains.grass.colour: the color is "green"; expected "#rrggbb"',
        ),
        ({**SMALL, "terrains": {"": 1}}, 'terrains[""]: the key: "" is not a name'),
        ({**SMALL, "terrains": ["grass"]}, "terrains: found a list; expected an object"),
        # Rules.
        ({**SMALL, "grid": "hexagonal"}, "grid: found \"hexagonal\"; expected 'square' or 'hex'"),
        ({**SMALL, "grid": "hex"}, 'hex_layout: the hex grid has no layout; expected "odd-r"'),
        (
            {**SMALL, "grid": "hex", "hex_layout": "odd"},
            "hex_layout: found \"odd\"; expected 'odd-r', 'even-r', 'odd-q' or 'even-q'",
        ),
        ({**SMALL, "hex_layout": "odd-r"}, "hex_layout: the grid is square, but has a hex layout"),
        (
            {**SMALL, "grid": "hex", "hex_layout": "odd-r", "connectivity": 8},
            "connectivity: found 8; expected 6 on a hex grid",
        ),
        (
            {**SMALL, "grid": "hex", "hex_layout": "odd-r", "corner_cutting": "never"},
            "corner_cutting: hexagons meet at their sides alone",
        ),
        ({**SMALL, "connectivity": 6}, "connectivity: found 6; expected 4 or 8 on a square grid"),
        ({**SMALL, "connectivity": 5}, "connectivity: found 5; expected 4, 6 or 8"),
        ({**SMALL, "connectivity": True}, "connectivity: found true; expected 4, 6 or 8"),
        ({**SMALL, "corner_cutting": False}, "corner_cutting: found false; expected 'never', "),
        ({**SMALL, "cost_rule": "max"}, "cost_rule: found \"max\"; expected 'mean' or 'entered'"),
        ({**SMALL, "tiles": 1}, "tiles: unknown key; expected one of $schema, format, version"),
        # Versions.
        ({**SMALL, "version": 2}, "version: version 2 of the format is too new for this bake"),
        ({"version": 99, "chunks": []}, "version: version 99 of the format is too new"),
        ({**SMALL, "version": 0}, "version: version 0 of the format"),
        ({**SMALL, "version": None}, "version: the version is missing; expected 1"),
        ({**SMALL, "version": "1"}, 'version: the version is "1"; expected 1'),
        ({**SMALL, "version": True}, "version: the version is true; expected 1"),
        ({**SMALL, "version": 1.0}, "version: the version is 1.0; expected 1"),
    ],
)
def test_refused(tmp_path: Path, keys: dict[str, Any], line: str) -> None:
    assert refusal(written(tmp_path, **keys)).startswith(line)


@pytest.mark.parametrize(
    ("keys", "place", "found"),
    [
        ({**SMALL, "rows": ["\ud800"]}, "rows[0][0]: ", 'the legend has no entry for "\\ud800"'),
        ({**SMALL, "legend": {"\ud800": "a"}}, "legend[", '"\\ud800" is not a legend character'),
        ({**SMALL, "legend": {".": "\ud800"}}, 'legend["."]: ', '"\\ud800"'),
        ({**SMALL, "terrains": {"\ud800": 1}}, "terrains[", '"\\ud800" is not a name'),
        ({**NUMBERED, "palette": ["a", "\ud800"]}, "palette[1]: ", '"\\ud800"'),
    ],
)
def test_text_that_is_no_unicode(
    tmp_path: Path, keys: dict[str, Any], place: str, found: str
) -> None:
    path = tmp_path / "keep.json"
    path.write_text(json.dumps({"format": "bake-tiles", "version": 1, **keys}))
    line = refusal(path)
    assert line.startswith(place)
    assert found in line
    line.encode()


def test_a_key_given_twice(tmp_path: Path) -> None:
    path = tmp_path / "keep.json"
    path.write_text('{"format": "bake-tiles", "version": 1,\n"rows": ["."],\n"rows": ["."]}')
    assert refusal(path).startswith("rows (line 3): this key is given twice")


def test_several_mistakes_have_a_line_each(tmp_path: Path) -> None:
    path = written(tmp_path, **SMALL, terrains={"grass": 0, "wall": -1}, cost_rule="max")
    with pytest.raises(BakeErrors) as caught:
        load(path, {})
    assert [str(each).split(": ")[1] for each in caught.value.problems] == [
        "cost_rule",
        "terrains.grass",
        "terrains.wall",
    ]


def test_many_mistakes_are_cut_short(tmp_path: Path) -> None:
    path = written(tmp_path, **SMALL, terrains={f"t{at}": 0 for at in range(20)})
    with pytest.raises(BakeErrors) as caught:
        load(path, {})
    lines = str(caught.value).split("\n")
    assert len(lines) == 9
    assert lines[-1] == f"{path}: and 12 more mistakes"
