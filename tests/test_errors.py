"""An error is one line that can be printed, whatever the names in it."""

import ast
import pickle

import pytest

from bake.core.errors import BakeErrors, LevelError, recipe_lines
from levelbake import errors
from tests.support.structure import modules, naming, parsed


def test_all_parts() -> None:
    error = LevelError("found", file="a.json", place="rows[1]", expected="this", remedy="do that")
    assert str(error) == "a.json: rows[1]: found; expected this; do that"
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


@pytest.mark.parametrize(
    ("letter", "escape"), [("\n", "\\n"), ("\u2028", "\\u2028"), ("\x1b", "\\x1b")]
)
def test_what_would_break_the_line_or_a_terminal_is_escaped(letter: str, escape: str) -> None:
    error = LevelError(f"terrain '{letter}'", file=f"{letter}.json", remedy=f"add {letter}")
    assert str(error) == f"{escape}.json: terrain '{escape}'; add {escape}"


def test_file_names_that_are_no_text() -> None:
    assert str(LevelError("odd", file="\udcff.json")) == "\\udcff.json: odd"


def test_long_parts_are_cut() -> None:
    longest = errors._LONGEST_PART
    error = LevelError("a" * 5000, expected="b" * longest, remedy="c" * (longest + 1))
    assert str(error) == f"{'a' * 997}...; expected {'b' * 1000}; {'c' * 997}..."


def test_long_numbers_are_cut_in_every_part() -> None:
    digits = "7" * 5000
    shown = "7" * 20 + "..."
    error = LevelError(f"x={digits},", file=f"{digits}.json", place=digits, expected=f"-{digits}")
    assert str(error) == f"{shown}.json: {shown}: x={shown},; expected -{shown}"
    assert str(LevelError("7" * 39)) == "7" * 39


def test_several_mistakes_have_a_line_each() -> None:
    errors = BakeErrors([LevelError("one\ntwo"), LevelError("three")])
    assert str(errors) == "one\\ntwo\nthree"
    assert str(pickle.loads(pickle.dumps(errors))) == str(errors)


def test_lines_for_recipes_are_gathered_once_each() -> None:
    one = LevelError("one", lines=[("terrain", "mud = 3"), ("legend", "a = 1")])
    two = LevelError("two", lines=[("terrain", "mud = 3"), ("terrain", "sand = 2")])
    both = pickle.loads(pickle.dumps(BakeErrors([one, BakeErrors([two, LevelError("three")])])))
    assert recipe_lines(both) == [*one.lines, two.lines[1]]


def test_one_function_makes_every_error_about_a_damaged_asset() -> None:
    makers = [
        name
        for name, file in modules().items()
        if naming(file, "CorruptAssetError")
        for node in ast.walk(parsed(file))
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("CorruptAssetError")
    ]
    assert makers == ["levelbake.file"]
