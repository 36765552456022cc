"""Each system of the lecture notes has tests, and docs/notes.md names them."""

from pathlib import Path

import pytest

from tests.support.notes import PAGE, filled, marked_tests, marks_in, numbers

RENEW = "run `python -m tests.support.notes`"


def test_the_page_names_the_tests_that_are_marked() -> None:
    page = PAGE.read_text("utf-8")
    assert page == filled(page, marked_tests()), RENEW


def test_each_system_has_a_test_and_each_mark_a_system() -> None:
    rows = numbers(PAGE.read_text("utf-8"))
    assert rows == list(range(1, len(rows) + 1))
    assert len(rows) >= 120
    assert sorted(marked_tests()) == rows


def test_marks_are_read(tmp_path: Path) -> None:
    text = (
        "pytestmark = [pytest.mark.note(3, 'scipy'), pytest.mark.slow]\n"
        "@pytest.mark.note(2, 'by hand')\ndef test_one(): ...\n"
        "@pytest.mark.note(4, 'networkx')\nclass TestTwo:\n"
        "    @pytest.mark.note(2, 'a second time')\n    def test_three(self): ...\n"
    )
    marks = [(3, "scipy"), (2, "by hand"), (4, "networkx"), (2, "a second time")]
    assert list(marks_in(text)) == marks
    folder = tmp_path / "tests"
    (folder / "docs").mkdir(parents=True)
    (folder / "docs" / "test_b.py").write_text(text)
    (folder / "test_a.py").write_text("@pytest.mark.note(2, 'plain')\ndef test(): ...\n")
    tests = marked_tests(folder)
    assert tests == {
        3: {"tests/docs/test_b.py": "scipy"},
        2: {"tests/docs/test_b.py": "by hand", "tests/test_a.py": "plain"},
        4: {"tests/docs/test_b.py": "networkx"},
    }
    page = "| | system | tests |\n|---:|---|---|\n| 2 | A\\* | old |\n| 5 | beam | gone |\n"
    assert filled(page, tests) == (
        "| | system | tests |\n|---:|---|---|\n"
        "| 2 | A\\* | [by hand](../tests/docs/test_b.py), [plain](../tests/test_a.py) |\n"
        "| 5 | beam |  |\n"
    )
    assert numbers(page) == [2, 5]


@pytest.mark.parametrize(
    "text",
    [
        "@pytest.mark.note(2)\ndef test_one(): ...\n",
        "@pytest.mark.note('two', 'by hand')\ndef test_one(): ...\n",
        "@pytest.mark.note(2, 'by hand')\ndef helper(): ...\n",
        "unused = pytest.mark.note(2, 'by hand')\n",
    ],
)
def test_a_mark_without_a_comparison_or_a_test_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match="line 1"):
        list(marks_in(text))
