"""Write the tables of docs/format.md from the schema: ``python -m bake.store.flat.document``.

Only the section between the two markers is replaced; the prose around it is untouched.
"""

from __future__ import annotations

from math import isfinite, isnan
from pathlib import Path
from typing import Any

from bake.store.columns import COLUMNS
from bake.store.columns.numbers import LEVEL_NUMBERS, PROFILE_NUMBERS, Number
from bake.store.document import attributes, columns, table, with_section
from bake.store.flat.schema import ENTRY, HEADER, Field
from bake.store.schema import LEVELS
from levelbake.columns import Column

PAGE = Path(__file__).parents[3] / "docs" / "format.md"


def format_tables() -> str:
    """Return the tables of the schema in Markdown, without the markers."""
    parts = [
        ("Header of flat files", _fields(HEADER)),
        ("Entry of their table of columns", _fields(ENTRY)),
        ("Numbers of the level", _numbers(LEVEL_NUMBERS)),
        ("Numbers of a profile", _numbers(PROFILE_NUMBERS)),
        ("Attributes of assets", attributes(LEVELS)),
        ("Columns of the level", columns(column for column in COLUMNS if not column.own)),
        ("Columns of a profile", columns(column for column in COLUMNS if column.own)),
    ]
    return "\n\n".join(f"### {title}\n\n{content}" for title, content in parts) + "\n"


def table_of_columns() -> list[dict[str, Any]]:
    """Return all columns as JSON data, without the default values of :class:`Column`."""
    usual = Column._field_defaults
    rows = [
        {k: v for k, v in row._asdict().items() if k not in usual or v != usual[k]}
        for row in COLUMNS
    ]
    for row in rows:
        if "none" in row:
            none = row["none"]
            row["none"] = int(none) if isfinite(none) else "NaN" if isnan(none) else "Infinity"
    return rows


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


def main() -> None:
    """Rewrite the section in docs/format.md."""
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(with_section(page, format_tables(), MAKER), encoding="utf-8", newline="\n")


#: The name of the writer in the first marker.
MAKER = "bake.store.flat.document"

if __name__ == "__main__":
    main()
