"""Guessed lines are merged over levels, and written as TOML whatever strangers call things."""

import tomllib

from hypothesis import given
from hypothesis import strategies as st

from bake.core.toml import toml_line
from bake.project.init.entries import Entry, comment, format_recipe, merge_guesses

TERRAIN, LEGEND = ("terrain",), ("tiled", "legend")
TEXT = st.text(st.characters(exclude_categories=["Cs"]))


@given(name=TEXT, value=TEXT, why=TEXT)
def test_any_text_is_written_as_toml(name: str, value: str, why: str) -> None:
    line = toml_line(name, (value, name), comment(why))
    assert tomllib.loads(line + "\n") == {name: [value, name]}


def test_what_levels_agree_on_is_said_once() -> None:
    one = Entry(TERRAIN, "water", "blocked", "its name")
    lines = merge_guesses({"a": [one], "b": [one, Entry(TERRAIN, "mud", 3.0)]})
    assert [(line.table, line.entry.key, line.levels) for line in lines] == [
        (TERRAIN, "mud", ("b",)),
        (TERRAIN, "water", ("a", "b")),
    ]


def test_what_most_say_goes_before_the_tables_of_levels() -> None:
    wall, below = Entry(LEGEND, "layer:Two", "wall"), Entry(LEGEND, "layer:Two", "below")
    lines = merge_guesses(
        {"a": [wall], "b.c": [below], "d": [wall], "e": [Entry(TERRAIN, "x", 1.0)]}
    )
    data = tomllib.loads(format_recipe(["*.tmx"], "baked", [], lines))
    assert data["tiled"] == {"legend": {"layer:Two": "wall"}}
    assert data["levels"] == {"b.c": {"tiled": {"legend": {"layer:Two": "below"}}}}


def test_what_a_level_must_not_be_told_stands_in_the_tables_of_others() -> None:
    empty = Entry(("tiled",), "empty", "floor")
    lines = merge_guesses({"a": [empty], "b": [empty], "c": [Entry(("tiled",), "empty", None)]})
    data = tomllib.loads(format_recipe(["*.tmx"], "baked", [], lines))
    assert "tiled" not in data
    assert data["levels"] == {name: {"tiled": {"empty": "floor"}} for name in "ab"}


def test_a_cost_that_a_file_states_is_not_overridden() -> None:
    stated = Entry(TERRAIN, "mud", 5.0, stated=True)
    same = Entry(TERRAIN, "floor", 1.0, stated=True)
    lines = merge_guesses(
        {
            "says": [stated, same],
            "asks": [Entry(TERRAIN, "mud", 3.0), Entry(TERRAIN, "floor", 1.0)],
        }
    )
    assert [(line.table, line.entry.key) for line in lines] == [
        (TERRAIN, "floor"),
        (("levels", "asks", "terrain"), "mud"),
    ]


def test_a_sure_guess_speaks_for_all() -> None:
    weak, sure = Entry(TERRAIN, "a", 1.0, "weak", sure=False), Entry(TERRAIN, "a", 1.0, "sure")
    (line,) = merge_guesses({"x": [weak], "y": [sure]})
    assert line.entry.why == "sure"
