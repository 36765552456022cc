"""Tests, benchmarks and the fuzzer share ``tests/support``, and nothing else of tests."""

import ast
import re
from collections import Counter
from pathlib import Path

from tests.support.messages import long_patterns
from tests.support.structure import names_imported

TESTS = Path(__file__).resolve().parent


def modules(folder: Path) -> dict[str, str]:
    """The text of every module by its path."""
    paths = sorted(folder.rglob("*.py"))
    return {
        path.relative_to(TESTS.parent).as_posix(): path.read_text("utf-8")
        for path in paths
        if path.name != "__init__.py"
    }


def taken_from(text: str) -> list[str]:
    """Modules of tests that one imports, those of ``tests/support`` apart."""
    return [
        name
        for name in names_imported(ast.parse(text), outermost=False)
        if name.partition(".")[0] == "tests" and not name.startswith("tests.support")
    ]


def test_no_module_takes_anything_from_another_one() -> None:
    """What two of them need is moved to where both find it."""
    every = modules(TESTS) | modules(TESTS.parent / "benchmarks") | modules(TESTS.parent / "fuzz")
    found = {path: taken_from(text) for path, text in every.items()}
    assert {path: names for path, names in found.items() if names} == {}


def test_what_is_shared_says_what_it_is_about() -> None:
    shared = modules(TESTS / "support")
    assert [path for path, text in shared.items() if not ast.get_docstring(ast.parse(text))] == []


def test_what_is_shared_is_used() -> None:
    users: Counter[str] = Counter()
    for text in {**modules(TESTS), **modules(TESTS.parent / "benchmarks")}.values():
        users.update(re.findall(r"\w+", text))
    unused = [
        (path, node.name)
        for path, text in modules(TESTS / "support").items()
        for node in ast.parse(text).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and users[node.name] < 2
    ]
    assert unused == []


def test_errors_are_expected_by_a_key_word() -> None:
    long = [
        f"{path}:{line}: {pattern}"
        for path, text in modules(TESTS).items()
        for line, pattern in long_patterns(text)
    ]
    assert not long, "expect an error's type, its place and one key word"


def test_long_patterns_are_found() -> None:
    text = """\
@pytest.mark.parametrize(("value", "told"), [
    (1, "one two three four"),
    (2, "one two three four five"),
    (3, r"'a b c' has \\d+ of [x y z]: one|two three four five"),
])
def test(value, told):
    with pytest.raises(ValueError, match=told):
        f("one two three four five six")
    with pytest.raises(ValueError, match=re.escape(f"a {value} in the middle of it")):
        f(told)
    assert "one two three four and five" in str(told)
    assert "one two three four and five" in told
    with pytest.raises(ValueError, match="file.json: rows[1]: --key 'of it' is not found"):
        f(told)
"""
    assert sorted(long_patterns(text)) == [
        (3, "one two three four five"),
        (9, "a {} in the middle of it"),
        (11, "one two three four and five"),
    ]
