"""Write declarations of columns: as Markdown tables into pages, and as lists for the Python reader.

``python -m bake.store.document`` writes these lists into the source of the reader.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isnan
from pathlib import Path
from textwrap import fill

from bake.store import schema
from bake.store.columns import COLUMNS, layers, places
from bake.store.columns.numbers import COUNTS, NUMBERS
from levelbake.columns import Attribute, Column, Schema

#: The first line of a generated section, with the module that writes it.
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
    headings = ("column", "type", "dimensions", "unit", "encoding", "where", "holds", "meaning")
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
        column.encoding,
        ", ".join(word for word, holds in where.items() if word and holds),
        words(column),
        column.description,
    )


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table.

    >>> print(table(("a", "b"), [("1", "2")]))
    | a | b |
    | --- | --- |
    | 1 | 2 |
    """
    return "\n".join(_line(cells) for cells in [head, ["---"] * len(head), *rows])


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"


def words(column: Column) -> str:
    """Return the constraints on a column's elements in words; empty without constraints."""
    phrases = []
    if column.refers:
        phrases.append(f"number of a {column.refers}")
    if column.offsets:
        phrases.append(f"ascends from 0 to the number of {column.offsets}")
        if column.least:
            phrases.append(f"by {column.least:.0f} or more")
    if column.sums:
        phrases.append(f"adds up to the number of {column.sums}")
    if column.bits:
        phrases.append(f"a bit for each {column.bits}")
    if column.one_of:
        phrases.append(" or ".join(map(str, column.one_of)))
    if not column.offsets:
        for word, bound in (("above", column.above), ("from", column.least), ("to", column.most)):
            if bound is not None:
                phrases.append(f"{word} {bound:.0f}")
    if column.finite:
        phrases.append("finite")
    if column.order:
        phrases.append(
            {"unique": "none twice", "numbered": "each from 0 on"}.get(column.order, column.order)
        )
    if column.none is not None:
        phrases.append(f"or {'NaN' if isnan(column.none) else f'{column.none:.0f}'}")
    return ", ".join(phrases)


# -- the lists of the reader -----------------------------------------------------------------------

#: The source file with the lists, and the lines around them.
READER = Path(__file__).parents[2] / "readers" / "python" / "levelbake" / "columns.py"
LISTS = "# -- the lists: written by `python -m bake.store.document`, not by hand {}\n# fmt: off\n"
END_OF_LISTS = "# fmt: on\n# -- end of the lists"

#: The fields of declarations that the reader does not check.
_PROSE = {"unit", "description", "encoding", "shuffle", "given"}

#: Attributes, and columns of flat files, that the reader never reads: colors are for display, and
#: prices by class, compass moves and labels' tops follow from other columns.
_UNREAD = {
    "pivot_two_way",
    *("terrain_colour", "link_ticks", "price_ticks", "class", "step_ticks", "link_open"),
    *("greedy_kind", "greedy_move", "label_top", "first_label", "cut_height", "node_at"),
}


def lists_of_the_reader() -> str:
    """Return the source of the lists: the declarations that the reader reads, without prose."""
    lists: dict[str, Sequence[Attribute | Column]] = {
        "ATTRIBUTES = listed(Attribute": schema.ATTRIBUTES,
        "COUNTS = listed(Attribute": COUNTS,
        "COLUMNS = listed(Column": COLUMNS,
    }
    return "".join(
        f'{begin}, """\n{_lines([*filter(is_read, listed)])}""")\n'
        for begin, listed in lists.items()
    ) + 'NUMBERS = [names.split() for names in ("""\n{}\n""", """\n{}\n""")]\n'.format(
        *(fill(" ".join(names), 100) for names in NUMBERS)
    )


def is_read(one: Attribute | Column) -> bool:
    """Return whether the reader reads an attribute or column; the others are for `bake.play`."""
    if one.name in _DOMAINS:
        return True
    if isinstance(one, Column) and (one.world == "lattice" or one in _OF_PLAY):
        return False
    return one.name not in _UNREAD


_DOMAINS = {"domain_weight", "domain_corner", "domain_node", "wall_corner"}
_OF_PLAY = {*places.COLUMNS, *layers.COLUMNS}


def _lines(declared: Sequence[Attribute | Column]) -> str:
    """Return a line for each declaration, in the form that `levelbake.columns.listed` parses.

    Declarations that differ only in their names share a line.
    """
    lines: dict[str, list[str]] = {}
    for one in declared:
        fields = []
        for field, value in one._asdict().items():
            apart = ", " if field == "dims" else " "
            text = apart.join(map(str, value)) if isinstance(value, tuple) else str(value)
            if field not in one._field_defaults:
                fields.append("\0" if field == "name" else text)
            elif field not in _PROSE and value != one._field_defaults[field]:
                fields.append(field if value is True else f"{field}={text}")
        lines.setdefault(";".join(fields), []).append(one.name)
    return "".join(line.replace("\0", " ".join(names)) + "\n" for line, names in lines.items())


def main() -> None:
    """Rewrite the lists in the source of the reader."""
    source = READER.read_text("utf-8")
    begin = LISTS.format("-" * 24)
    before, after = source.split(begin)[0], source.split(END_OF_LISTS)[1]
    text = f"{before}{begin}{lists_of_the_reader()}{END_OF_LISTS}{after}"
    READER.write_text(text, "utf-8", newline="\n")


if __name__ == "__main__":
    main()
