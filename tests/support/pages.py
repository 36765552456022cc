"""The project's pages, and what is in them."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


def page(name: str) -> str:
    return (DOCS / name).read_text("utf-8")


def blocks(text: str, language: str) -> list[str]:
    """Code blocks in a language; "" = in none."""
    found = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    return [code for name, code in found if name == language]


def section(text: str, heading: str) -> str:
    """From a heading of the second level to the next."""
    return text.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
