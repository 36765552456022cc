"""The tests that docs/notes.md names: ``python -m tests.support.notes`` writes its last column.

A test carries the number of a row and what it compares the system with:
``pytest.mark.note(17, "every small map")``, on a function, a class or a module.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "notes.md"

#: A row of the tables: its number, what comes between, and the column that is written.
ROW = re.compile(r"^\| (?P<number>\d+) \|(?P<middle>.*) \| (?P<tests>[^|]*) \|$", re.MULTILINE)


def marks_in(text: str) -> Iterator[tuple[int, str]]:
    """Yield the number and the comparison of each mark in a module, in the order of the file.

    Raises:
        ValueError: a mark is not a number and a text, or marks no test.
    """
    marking: list[ast.expr] = []
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name.lower().startswith(
            "test"
        ):
            marking += node.decorator_list
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "pytestmark":
            marking.append(node.value)
    calls = {id(call): call for node in marking for call in _note_calls(node)}
    for call in _note_calls(tree):
        match [each.value for each in call.args if isinstance(each, ast.Constant)]:
            case [int(number), str(against)] if id(call) in calls:
                yield number, against
            case _:
                raise ValueError(f"line {call.lineno}: {ast.unparse(call)}")


def _note_calls(tree: ast.AST) -> list[ast.Call]:
    calls = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.note"
    ]
    return sorted(calls, key=lambda call: (call.lineno, call.col_offset))


def marked_tests(folder: Path = ROOT / "tests") -> dict[int, dict[str, str]]:
    """Return the comparison of each test file, by the number of the row and the file's path."""
    found: dict[int, dict[str, str]] = defaultdict(dict)
    for path in sorted(folder.rglob("test_*.py")):
        text = path.read_text("utf-8")
        if "mark.note" in text:
            for number, against in marks_in(text):
                found[number].setdefault(path.relative_to(folder.parent).as_posix(), against)
    return dict(found)


def filled(page: str, tests: Mapping[int, Mapping[str, str]]) -> str:
    """Return the page with the tests of each row in its last column."""

    def row(match: re.Match[str]) -> str:
        links = (
            f"[{text}](../{path})" for path, text in tests.get(int(match["number"]), {}).items()
        )
        return f"| {match['number']} |{match['middle']} | {', '.join(links)} |"

    return ROW.sub(row, page)


def numbers(page: str) -> Iterable[int]:
    """Return the numbers of the rows, in their order."""
    return [int(match["number"]) for match in ROW.finditer(page)]


def main() -> None:
    """Write the last column of the page."""
    page = filled(PAGE.read_text("utf-8"), marked_tests())
    PAGE.write_text(page, "utf-8", newline="\n")


if __name__ == "__main__":
    main()
