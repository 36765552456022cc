"""Rows of characters: which cells they make, and how mistakes are reported."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

import bake.levels.text.grid
from bake.core.errors import LevelError
from bake.core.level import GridLevel, TerrainRule
from bake.levels import TextReading, load
from bake.levels.text.rows import MAX_TEXT_BYTES
from tests.support.levels import named
from tests.support.strategies import any_grids

LEGEND = {"~": "water", ",": "grass", "·": "floor", "壁": "wall", "é": "mud"}
SYMBOLS = {"floor": ".", "wall": "#", "water": "~", "grass": ",", "mud": "é"}


def write(folder: Path, text: str | bytes, name: str = "cave.txt") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def read(path: Path, legend: dict[str, str] | None = None, **spots: str) -> GridLevel:
    level = load(path, {}, text=TextReading(LEGEND if legend is None else legend, spots))
    assert isinstance(level, GridLevel)
    return level


def mistake(path: Path, legend: dict[str, str] | None = None, **spots: str) -> LevelError:
    with pytest.raises(LevelError) as caught:
        read(path, legend, **spots)
    assert caught.value.file == path
    assert "\n" not in str(caught.value)
    return caught.value


def test_a_level(tmp_path: Path) -> None:
    level = read(write(tmp_path, "###\n#~.\n#,.\n"))
    assert named(level) == [
        ["wall", "wall", "wall"],
        ["wall", "water", "floor"],
        ["wall", "grass", "floor"],
    ]
    assert level.name == "cave"
    assert level.terrain_rules == {"wall": TerrainRule(None), "floor": TerrainRule(1.0)}
    assert level.unmatched == ("·", "壁", "é")


def test_walls_and_floors_need_no_legend_but_one_replaces_them(tmp_path: Path) -> None:
    path = write(tmp_path, "#.\n")
    assert named(read(path, {})) == [["wall", "floor"]]
    assert named(read(path, {"#": "grass", ".": "mud"})) == [["grass", "mud"]]


@pytest.mark.parametrize(
    "text",
    [
        "#.\n.#\n",
        "#.\n.#",
        "#.\r\n.#\r\n",
        "#.\r.#",
        "\ufeff#.\n.#\n",
        "#.\n.#\n\n\n",
        "#.  \n.#\t\n  \n\n",
    ],
)
def test_line_ends_and_what_lies_behind_rows(tmp_path: Path, text: str) -> None:
    assert named(read(write(tmp_path, text))) == [["wall", "floor"], ["floor", "wall"]]


def test_blanks_are_cells_where_the_legend_names_them(tmp_path: Path) -> None:
    """They fill up the rows that an editor has cut at their ends."""
    path = write(tmp_path, " .#\n.\n\n #  \n")
    grid = named(read(path, {" ": "void"}))
    void = "void"
    assert grid == [
        [void, "floor", "wall", void],
        ["floor", void, void, void],
        [void, void, void, void],
        [void, "wall", void, void],
    ]


def test_characters_outside_of_ascii(tmp_path: Path) -> None:
    grid = [["wall", "floor", "mud"]]
    assert named(read(write(tmp_path, "壁·é\n"))) == grid
    # The accent is a character of its own in this file.
    assert named(read(write(tmp_path, "壁·e\u0301\n"))) == grid


def test_terrains_do_not_depend_on_entries_that_match_nothing(tmp_path: Path) -> None:
    path = write(tmp_path, "~,.\n")
    level = read(path, {",": "grass", "~": "water"})
    more = read(path, {"!": "water", ",": "grass", "~": "water"})
    assert level.terrains == more.terrains == ("grass", "water", "floor")
    assert np.array_equal(level.terrain, more.terrain)


def test_more_terrains_than_a_level_may_have_in_a_legend_that_matches_few(tmp_path: Path) -> None:
    legend = {chr(0x4E00 + number): f"t{number}" for number in range(300)}
    assert read(write(tmp_path, "一.\n"), legend).terrains == ("t0", "floor")
    every = "".join(legend)
    assert read(write(tmp_path, every[:255]), legend).terrain.max() == 254
    assert "255" in (mistake(write(tmp_path, every[:256]), legend).expected or "")


# -- mistakes --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "place", "word"),
    [
        ("##\n#\n##\n", "line 2", "1 character"),
        ("##\n###\n", "line 2", "3 characters"),
        ("##\n\n##\n", "line 2", "0 characters"),
        ("\n##\n", "line 2", "2 characters"),
        ("..\n.x\nx.\n", "line 2, column 2", '"x" (2 cells, first at (1, 1))'),
        ("..\n. \n", "line 2", "1 character"),
        (". .\n...\n", "line 1, column 2", '" "'),
        (".\t.\n...\n", "line 1, column 2", "\\t"),
        ("....\0\n", "line 1, column 5", "\\u0000"),
        (".é\u0301\n..\n", "line 1, column 3", "U+0301"),
        (".❤\ufe0f\n", "line 1, column 3", "VARIATION SELECTOR"),
        ("..\n.\u200b\n", "line 2, column 2", "ZERO WIDTH"),
        ("<<<<<<< HEAD\n##\n=======\n..\n>>>>>>> main\n", "line 1", "merge"),
    ],
)
def test_mistakes(tmp_path: Path, text: str, place: str, word: str) -> None:
    error = mistake(write(tmp_path, text))
    assert error.place == place
    assert word in error.found


def test_unknown_characters_bring_lines_for_the_recipe(tmp_path: Path) -> None:
    error = mistake(write(tmp_path, '..Tt"\n.TT\\.\n'), {"t": "trees"})
    assert error.found.index('"T" (3 cells') < error.found.index('"\\"" (1 cell')
    assert [line.partition(" =")[0] for _, line in error.lines] == ["T", '"\\""', '"\\\\"']
    assert {table for table, _ in error.lines} == {"text.legend"}
    assert 'did you mean "t"' in (error.remedy or "")


def test_lines_for_the_recipe_only_where_few_characters_are_unknown(tmp_path: Path) -> None:
    letters = "".join(chr(0x4E00 + number) for number in range(65))
    assert len(mistake(write(tmp_path, letters[:64])).lines) == 64
    error = mistake(write(tmp_path, letters))
    assert error.lines == ()
    assert "sources" in (error.remedy or "")


@pytest.mark.parametrize("text", ["\n", "  \n\t\n", "\r\n\r\n", "\ufeff"])
def test_a_file_without_cells(tmp_path: Path, text: str) -> None:
    assert "empty" in mistake(write(tmp_path, text)).found
    assert "empty" in mistake(write(tmp_path, "\n\n"), {" ": "void"}).found


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32", "latin-1"])
def test_other_encodings(tmp_path: Path, encoding: str) -> None:
    error = mistake(write(tmp_path, "##\n.é\n".encode(encoding)))
    assert "UTF" in error.found
    assert error.remedy == "save it again as UTF-8"


def test_a_file_that_is_too_large(tmp_path: Path) -> None:
    path = tmp_path / "cave.txt"
    with path.open("wb") as file:
        file.truncate(MAX_TEXT_BYTES + 1)
    assert f"{MAX_TEXT_BYTES:,}" in (mistake(path).expected or "")
    # This one may be read, and its first byte is no character of the legend.
    with path.open("wb") as file:
        file.write(b"." * 10)
    text = TextReading()
    with pytest.raises(LevelError, match="memory_budget"):
        load(path, {}, text=text, memory_budget=9 * 32)
    assert load(path, {}, text=text, memory_budget=10 * 32).terrains == ("floor",)


# -- spots -----------------------------------------------------------------------------------------


def test_spots(tmp_path: Path) -> None:
    legend = {"@": "floor", "<": "stairs", "a": "mud"}
    path = write(tmp_path, "@a.\n.a<\n")
    level = read(path, legend, **{"@": "spawn", "<": "exit", "a": "camp", "?": "exit"})
    assert named(level)[0] == ["floor", "mud", "floor"]
    spots = [(spot.name, spot.kind, spot.cell, spot.profiles) for spot in level.things.spots]
    assert spots == [
        ("spawn", "spawn", (0, 0), None),
        ("camp_1", "camp", (1, 0), None),
        ("camp_2", "camp", (1, 1), None),
        ("exit", "exit", (2, 1), None),
    ]
    assert level.things.spots[3].place == "line 2, column 3"
    assert level.unmatched == ("?",)


def test_a_spot_needs_a_terrain(tmp_path: Path) -> None:
    assert '"@"' in mistake(write(tmp_path, "@.\n"), {}, **{"@": "spawn"}).found


def test_a_symbol_of_too_many_spots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bake.levels.text.grid, "MAX_SPOTS", 6)
    assert len(read(write(tmp_path, "...\n...\n"), {}, **{".": "camp"}).things.spots) == 6
    error = mistake(write(tmp_path, "....\n...#\n"), {}, **{".": "camp"})
    assert error.place == "[text.spots]"
    assert "7 cells" in error.found


# -- other formats ---------------------------------------------------------------------------------


@given(any_grids(list(SYMBOLS)), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_a_random_grid_is_what_json_and_images_hold(
    tmp_path_factory: pytest.TempPathFactory, grid: list[list[str]], end: str, last: bool
) -> None:
    folder = tmp_path_factory.mktemp("levels")
    rows = ["".join(SYMBOLS[name] for name in row) for row in grid]
    level = read(write(folder, end.join(rows) + end * last))
    legend = {symbol: name for name, symbol in sorted(SYMBOLS.items(), key=lambda each: each[1])}
    tiles = {"format": "bake-tiles", "version": 1, "legend": legend, "rows": rows}
    drawn = load(write(folder, json.dumps(tiles), "cave.json"), {})
    assert isinstance(drawn, GridLevel)
    assert named(level) == named(drawn) == grid
    assert level.terrain_rules == drawn.terrain_rules
    assert (level.rules, level.coordinates) == (drawn.rules, drawn.coordinates)
    pixels = [[[40 * list(SYMBOLS).index(name), 7, 9] for name in row] for row in grid]
    Image.fromarray(np.array(pixels, dtype=np.uint8)).save(folder / "cave.png")
    colors = {f"#{40 * code:02x}0709": name for code, name in enumerate(SYMBOLS)}
    assert named(load(folder / "cave.png", colors)) == grid


MAP = "type octile\nheight 1\nwidth 3\nmap\n.@T\n"


def test_a_moving_ai_map_with_this_suffix(tmp_path: Path) -> None:
    level = read(write(tmp_path, MAP))
    assert named(level) == [["ground", "out_of_bounds", "trees"]]
    assert level.unmatched == tuple(LEGEND)
    assert "type" in mistake(write(tmp_path, MAP.replace("octile", "hex"))).found
