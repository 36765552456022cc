"""Write declarations: as Markdown tables into pages, and as the lists of the reader in Python.

``python -m bake.asset.document`` writes these lists into the source of the reader.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from math import isnan
from pathlib import Path

from bake.asset import schema
from bake.asset.columns import COLUMNS, layers, places
from bake.asset.columns.numbers import LEVEL_NUMBERS, PROFILE_NUMBERS
from levelbake.columns import Attribute, Column, Number, Schema

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
        "optional" * attribute.optional,
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


# -- the lists of the reader -----------------------------------------------------------------------

#: The source that holds the lists, and the lines around them.
READER = Path(__file__).parents[2] / "readers" / "python" / "levelbake" / "columns.py"
LISTS = "# -- the lists: written by `python -m bake.asset.document`, not by hand {}\n# fmt: off\n"
END_OF_LISTS = "# fmt: on\n# -- end of the lists"

#: What declarations say beside what the reader checks.
_PROSE = {"unit", "description", "shuffle", "given"}


def lists_of_the_reader() -> str:
    """Return the source of the lists: what the reader reads, without prose."""
    attributes = (_call(each, ("group", "name", "kind")) for each in schema.ATTRIBUTES)
    numbers = [[_call(each, ("name",)) for each in own] for own in (LEVEL_NUMBERS, PROFILE_NUMBERS)]
    columns = "".join(_listed(each) for each in COLUMNS if _is_read(each))
    return (
        f"ATTRIBUTES: tuple[Attribute, ...] = (\n{''.join(attributes)})\n"
        f'COLUMNS = listed("""\n{columns}""")\n'
        f"LEVEL_NUMBERS: tuple[Number, ...] = (\n{''.join(numbers[0])})\n"
        f"PROFILE_NUMBERS: tuple[Number, ...] = (\n{''.join(numbers[1])})\n"
    )


def _is_read(column: Column) -> bool:
    """Return whether the reader reads a column: `bake.play` alone reads what is left out."""
    if column.name in ("domain_weight", "wall_corner"):
        return True
    others = {*places.COLUMNS, *layers.COLUMNS}
    return column not in others and column.world != "lattice" and column.name != "cut_height"


def _listed(column: Column) -> str:
    """Return the line that declares a column, as `levelbake.columns.listed` reads it."""
    said = [column.name, " ".join(column.dtypes), ", ".join(column.dims)]
    for field, value in _unusual(column, ("name", "dtypes", "dims")):
        text = " ".join(map(str, value)) if isinstance(value, tuple) else str(value)
        said.append(field if value is True else f"{field}={text}")
    return ";".join(said) + "\n"


def _call(one: Attribute | Number, first: tuple[str, ...]) -> str:
    """Return the line of an entry: arguments by place, then those that are not as usual."""
    said = [repr(getattr(one, name)) for name in first]
    said += [f"{field}={value!r}" for field, value in _unusual(one, first)]
    line = f"    {type(one).__name__}({', '.join(said)}),\n".replace("'", '"')
    return line if len(line) <= 100 else line.replace(" values=", "\n        values=")


def _unusual(
    one: Attribute | Column | Number, known: tuple[str, ...]
) -> Iterator[tuple[str, object]]:
    """Yield what the reader checks of an entry, by name, where it is not as usual."""
    for field in fields(one):
        value = getattr(one, field.name)
        if field.name not in (*known, *_PROSE) and value != field.default:
            yield field.name, value


def main() -> None:
    """Rewrite the lists in the source of the reader."""
    source = READER.read_text("utf-8")
    begin = LISTS.format("-" * 24)
    before, after = source.split(begin)[0], source.split(END_OF_LISTS)[1]
    text = f"{before}{begin}{lists_of_the_reader()}{END_OF_LISTS}{after}"
    READER.write_text(text, "utf-8", newline="\n")


if __name__ == "__main__":
    main()
