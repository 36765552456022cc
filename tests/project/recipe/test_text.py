"""`[text]` in a recipe: what its tables may hold, and what levels make of them."""

import json
import re
from pathlib import Path

import pytest

from bake.levels import TextReading
from bake.project.recipe import LevelRecipe, load_recipe
from bake.project.recipe.whole import recipe_schema
from tests.support.recipes import told


def read(folder: Path, text: str) -> TextReading:
    path = folder / "bake.toml"
    path.write_text(text, "utf-8")
    return load_recipe(path).for_level("cave").text


def test_symbols_are_sorted_and_composed(tmp_path: Path) -> None:
    reading = read(
        tmp_path,
        '[text.legend]\n"~" = "water"\n" " = "void"\n"e\\u0301" = "mud"\n-1 = "void"\n12 = "wall"\n'
        '[text.spots]\n"@" = "spawn"\n',
    )
    assert list(reading.legend) == [" ", "-1", "12", "~", "é"]
    assert reading.spots == {"@": "spawn"}


def test_a_level_adds_entries_and_replaces_single_ones(tmp_path: Path) -> None:
    reading = read(
        tmp_path,
        '[text]\nlegend = { "~" = "water", "," = "grass" }\nspots = { "@" = "spawn" }\n'
        '[levels.cave.text]\nlegend = { "~" = "lava" }\nspots = { "@" = "exit" }\n',
    )
    assert reading == TextReading({",": "grass", "~": "lava"}, {"@": "exit"})


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ('[text.legend]\n"" = "wall"', 'write " " for blanks'),
        ('[text.legend]\n"  " = "wall"', 'write " " for blanks'),
        ('[text.legend]\n" x" = "wall"', 'write " " for blanks'),
        ('[text.legend]\n"\\t" = "wall"', 'write " " for blanks'),
        ('[text.legend]\n"a\\tb" = "wall"', "visible"),
        ('[text.legend]\n"\\u0301" = "wall"', "visible"),
        ('[text.legend]\n"\\u200b" = "wall"', "visible"),
        ('[text.legend]\n"~" = 3', "the name of a terrain"),
        ('[text.spots]\n"@" = true', "the kind of a spot"),
        ('[text.legend]\n"é" = "a"\n"e\\u0301" = "b"', "the same character"),
        ('[text]\n"~" = "water"', 'unknown key "~"; expected legend or spots'),
        ('[legend]\n"#" = "wall"', "[text.legend]"),
        ("text = 3", "a table, as in [text.legend]"),
    ],
)
def test_mistakes(tmp_path: Path, text: str, word: str) -> None:
    (line,) = told(tmp_path, text)
    assert word in line


@pytest.mark.parametrize(
    ("symbol", "valid"), [(" ", True), ("~", True), ("a b", True), ("", False), (" a", False)]
)
def test_the_schema_allows_the_same_symbols(symbol: str, valid: bool) -> None:
    (pattern,) = recipe_schema()["$defs"]["TextTable"]["properties"]["legend"]["patternProperties"]
    assert bool(re.search(pattern, symbol)) is valid


def test_a_recipe_without_the_table_states_nothing_of_it() -> None:
    assert "text" not in json.loads(LevelRecipe().canonical())
    stated = json.loads(LevelRecipe(text=TextReading({"~": "water"})).canonical())
    assert stated["text"] == {"legend": {"~": "water"}, "spots": {}}
