"""Pages point only at what is there, and words are told once and in order."""

import re
from pathlib import Path

import pytest

from tests.support.pages import DOCS, ROOT

PAGES = [
    *sorted(DOCS.rglob("*.md")),
    *(ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")),
    *(ROOT / folder / "README.md" for folder in ("examples", "benchmarks")),
]


def anchors(text: str) -> set[str]:
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("file", PAGES, ids=lambda file: str(file.relative_to(ROOT)))
def test_links_lead_somewhere(file: Path) -> None:
    text = file.read_text("utf-8")
    for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"```.*?```", "", text, flags=re.DOTALL)):
        if target.startswith("https://"):
            continue
        path, _, anchor = target.partition("#")
        other = (file.parent / path).resolve() if path else file
        assert other.exists(), target
        if anchor:
            assert anchor in anchors(other.read_text("utf-8")), target


DECISIONS = {
    int(file.name[:4]): file
    for file in sorted((DOCS / "decisions").glob("[0-9][0-9][0-9][0-9]-*.md"))
}
#: A line of the index: number, title, date and status.
LINE = re.compile(r"^\| (\d+) \| (.+) \| (\d{4}-\d\d-\d\d) \| (.+) \|$", re.MULTILINE)
STATUS = re.compile(r"in force|gone|(in part|gone,) replaced by \[\d.*")


@pytest.mark.parametrize("file", DECISIONS.values(), ids=lambda file: file.name)
def test_decisions_have_one_shape(file: Path) -> None:
    text = file.read_text("utf-8")
    assert re.match(rf"# {int(file.name[:4])}\. ", text)
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert headings == ["Context", "Decision", "Consequences"]


def test_every_decision_is_in_the_index() -> None:
    lines = LINE.findall((DOCS / "decisions" / "README.md").read_text("utf-8"))
    numbers = [int(number) for number, *_ in lines]
    assert numbers == sorted(set(numbers))
    assert DECISIONS.keys() <= set(numbers)
    for number, title, _, status in lines:
        file = DECISIONS.get(int(number))
        assert STATUS.fullmatch(status), number
        assert status.startswith("gone") == (file is None), number
        if file is not None:
            heading = file.read_text("utf-8").partition("\n")[0].removeprefix(f"# {number}. ")
            assert title == f"[{heading}]({file.name})"


def test_a_decision_is_replaced_by_later_ones() -> None:
    lines = LINE.findall((DOCS / "decisions" / "README.md").read_text("utf-8"))
    for number, _, _, status in lines:
        links = re.findall(r"\[(\d+)\]\((.+?)\)", status)
        assert ("replaced" in status) == bool(links), number
        for successor, name in links:
            assert int(successor) > int(number)
            assert DECISIONS[int(successor)].name == name


def test_the_glossary_is_sorted() -> None:
    words = re.findall(
        r"^\| \*\*(.+?)\*\*", (DOCS / "glossary.md").read_text("utf-8"), re.MULTILINE
    )
    assert words == sorted(words, key=str.lower)
    assert len(words) == len(set(words)) > 40
