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


@pytest.mark.parametrize("file", sorted((DOCS / "decisions").glob("*.md")), ids=lambda f: f.name)
def test_decisions_have_one_shape(file: Path) -> None:
    text = file.read_text("utf-8")
    assert re.match(rf"# {int(file.name[:4])}\. ", text)
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
    withdrawn = "\n\nWithdrawn. " in text
    assert headings == ([] if withdrawn else ["Context", "Decision", "Consequences"])


def test_the_glossary_is_sorted() -> None:
    words = re.findall(
        r"^\| \*\*(.+?)\*\*", (DOCS / "glossary.md").read_text("utf-8"), re.MULTILINE
    )
    assert words == sorted(words)
    assert len(words) == len(set(words)) > 40
