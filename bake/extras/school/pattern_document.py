"""Write the tables of docs/school.md from the schema.

``python -m bake.extras.school.pattern_document`` replaces only the section between the
two markers and keeps the prose around it.
"""

from __future__ import annotations

from pathlib import Path

from bake.extras.school.pattern_asset import PATTERNS
from bake.store.document import attributes, columns, with_section

PAGE = Path(__file__).parents[3] / "docs" / "school.md"

#: What the first marker names as the writer of the section.
MAKER = "bake.extras.school.pattern_document"


def format_tables() -> str:
    """Return the schema as Markdown tables, without the markers."""
    return f"{attributes(PATTERNS)}\n\n{columns(PATTERNS.columns)}\n"


def main() -> None:
    """Rewrite the section in docs/school.md."""
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(with_section(page, format_tables(), MAKER), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
