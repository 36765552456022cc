"""Write the tables of docs/format-columns.md from the schema: ``python -m bake.asset.document``.

This replaces only the section between the two markers and keeps the prose around it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from bake.asset.column import Attribute, Column
from bake.asset.schema import LEVELS, Schema

#: What begins the section, with the module that writes it.
BEGIN = "<!-- schema: written by `python -m {maker}`, not by hand -->"
MAKER = "bake.asset.document"
END = "<!-- end of schema -->"

PAGE = Path(__file__).parents[2] / "docs" / "format-columns.md"

_KINDS = {"text": "text", "integer": "int64", "flag": "int64, 0 or 1"}


def format_tables() -> str:
    """Return the attributes and columns of the schema as Markdown tables, without the markers."""
    return f"## Attributes\n\n{attributes(LEVELS)}\n\n## Columns\n\n{columns(LEVELS)}\n"


def attributes(schema: Schema) -> str:
    """Return the attributes of a schema as a Markdown table."""
    return table(
        ("group", "attribute", "type", "", "meaning"), map(_attribute_row, schema.attributes)
    )


def columns(schema: Schema) -> str:
    """Return the columns of a schema as a Markdown table."""
    headings = ("column", "type", "dimensions", "unit", "", "meaning")
    return table(headings, map(_column_row, schema.columns))


def section_of(page: str, maker: str = MAKER) -> str:
    """Return the part of a page between the markers."""
    return page.split(BEGIN.format(maker=maker) + "\n\n", 1)[1].split("\n" + END, 1)[0]


def with_section(page: str, section: str, maker: str = MAKER) -> str:
    """Return the page with the part between the markers replaced."""
    begin = BEGIN.format(maker=maker)
    before, after = page.split(begin, 1)[0], page.split(END, 1)[1]
    return f"{before}{begin}\n\n{section}\n{END}{after}"


def _attribute_row(attribute: Attribute) -> tuple[str, ...]:
    return (
        f"`{attribute.group}`",
        f"`{attribute.name}`",
        _KINDS[attribute.kind],
        _optional(attribute.optional),
        attribute.description,
    )


def _column_row(column: Column) -> tuple[str, ...]:
    return (
        f"`{column.path}`",
        " or ".join(column.dtypes),
        f"[{', '.join(column.dims)}]",
        column.unit,
        _optional(column.optional),
        column.description,
    )


def _optional(optional: bool) -> str:
    return "optional" if optional else ""


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table."""
    return "\n".join(_line(cells) for cells in [head, ["---"] * len(head), *rows])


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"


def main() -> None:
    """Rewrite the section in docs/format-columns.md."""
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(with_section(page, format_tables()), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
