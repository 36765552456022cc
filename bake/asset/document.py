"""Write declarations as Markdown tables, into the part of a page that lies between two markers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isnan

from bake.asset.column import Attribute, Column, Schema

#: What begins the section, with the module that writes it.
BEGIN = "<!-- schema: written by `python -m {maker}`, not by hand -->"
END = "<!-- end of schema -->"

_BOXES = {"both": "", "asset": "assets", "flat": "flat files"}
_WORLDS = {"both": "", "grid": "grids", "graph": "graphs", "lattice": "large lattices"}
_KINDS = {"text": "text", "integer": "int64", "flag": "int64, 0 or 1"}


def attributes(schema: Schema) -> str:
    """Return the attributes of a schema as a Markdown table."""
    return table(
        ("group", "attribute", "type", "", "meaning"), map(_attribute_row, schema.attributes)
    )


def columns(declared: Iterable[Column]) -> str:
    """Return declarations of columns as a Markdown table."""
    headings = ("column", "type", "dimensions", "unit", "where", "holds", "meaning")
    return table(headings, map(_column_row, declared))


def section_of(page: str, maker: str) -> str:
    """Return the part of a page between the markers."""
    return page.split(BEGIN.format(maker=maker) + "\n\n", 1)[1].split("\n" + END, 1)[0]


def with_section(page: str, section: str, maker: str) -> str:
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
    where = {
        _BOXES[column.box]: True,
        _WORLDS[column.world]: True,
        "optional": column.optional,
        f"with {column.needs}": bool(column.needs),
    }
    return (
        f"`{column.name}`",
        " or ".join(column.dtypes),
        f"[{', '.join(column.dims)}]",
        column.unit,
        ", ".join(word for word, holds in where.items() if word and holds),
        words(column),
        column.description,
    )


def _optional(optional: bool) -> str:
    return "optional" if optional else ""


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table."""
    return "\n".join(_line(cells) for cells in [head, ["---"] * len(head), *rows])


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"


def words(column: Column) -> str:
    """Say in words what the table says of the elements of a column; empty where it says nothing."""
    found = []
    if column.refers:
        found.append(f"number of a {column.refers}")
    if column.offsets:
        found.append(f"ascends from 0 to the number of {column.offsets}")
        if column.least:
            found.append(f"by {column.least:.0f} or more")
    if column.sums:
        found.append(f"adds up to the number of {column.sums}")
    if column.bits:
        found.append(f"a bit for each {column.bits}")
    if column.one_of:
        found.append(" or ".join(map(str, column.one_of)))
    if not column.offsets:
        for word, bound in (("above", column.above), ("from", column.least), ("to", column.most)):
            if bound is not None:
                found.append(f"{word} {bound:.0f}")
    if column.finite:
        found.append("finite")
    if column.order:
        found.append(
            {"unique": "none twice", "numbered": "each from 0 on"}.get(column.order, column.order)
        )
    if column.none is not None:
        found.append(f"or {'NaN' if isnan(column.none) else f'{column.none:.0f}'}")
    return ", ".join(found)
