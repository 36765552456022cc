"""Write the tables of docs/flat-format.md from the schema: ``python -m bake.flat.document``.

This replaces only the section between the two markers and keeps the prose around it.
"""

from __future__ import annotations

from pathlib import Path

from bake.asset.column import Column
from bake.asset.document import table, with_section
from bake.flat.schema import (
    COLUMNS,
    ENTRY,
    HEADER,
    LEVEL_NUMBERS,
    PROFILE_NUMBERS,
    Field,
    Number,
)

PAGE = Path(__file__).parents[2] / "docs" / "flat-format.md"


def format_tables() -> str:
    """Return what the schema declares as Markdown tables, without the markers."""
    parts = [
        ("Header", _fields(HEADER)),
        ("Entry of the table of columns", _fields(ENTRY)),
        ("Numbers of the level", _numbers(LEVEL_NUMBERS)),
        ("Numbers of a profile", _numbers(PROFILE_NUMBERS)),
        ("Columns of the level", _columns(own=False)),
        ("Columns of a profile", _columns(own=True)),
    ]
    return "\n\n".join(f"### {title}\n\n{content}" for title, content in parts) + "\n"


def _fields(fields: tuple[Field, ...]) -> str:
    head = ("byte", "type", "field", "meaning")
    return table(
        head, [(str(one.offset), one.dtype, f"`{one.name}`", one.description) for one in fields]
    )


def _numbers(numbers: tuple[Number, ...]) -> str:
    return table(
        ("element", "name", "meaning"),
        [(str(i), f"`{one.name}`", one.description) for i, one in enumerate(numbers)],
    )


def _columns(*, own: bool) -> str:
    return table(
        ("column", "type", "dimensions", "unit", "", "meaning"),
        [_column(one) for one in COLUMNS if one.own is own],
    )


def _column(column: Column) -> tuple[str, ...]:
    there = {"grid": "grids", "graph": "graphs", "both": "", "lattice": ""}[column.world]
    optional = "optional" if column.optional else ""
    return (
        f"`{column.name}`",
        " or ".join(column.dtypes),
        f"[{', '.join(column.dims)}]",
        column.unit,
        ", ".join(filter(None, (there, optional))),
        column.description,
    )


def main() -> None:
    """Rewrite the section in docs/flat-format.md."""
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(with_section(page, format_tables(), MAKER), encoding="utf-8", newline="\n")


#: What the first marker names as the writer of the section.
MAKER = "bake.flat.document"

if __name__ == "__main__":
    main()
