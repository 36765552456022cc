"""What readers in other languages know of columns is what the schema declares."""

from __future__ import annotations

import re

import pytest

from bake.store.columns.numbers import LEVEL_NUMBERS, PROFILE_NUMBERS
from bake.store.flat.schema import DTYPES
from bake.store.schema import FLAT
from levelbake.columns import Column
from tests.support.readers import READERS

#: Where each reader lists columns, a line for each.
LISTS = {
    "csharp": "csharp/LevelBake.cs",
    "gdscript": "godot/addons/levelbake/flat_file.gd",
    "javascript": "js/file.js",
}
#: Columns that no reader but Python's needs.
NOT_READ = ("node_at", "cluster", "layer_")

LINE = re.compile(r"^\W*([a-z_]+) ([1-7]+) (\S+) ([*#&?=l-])(?: (\S\S?))?\W*$", re.MULTILINE)


@pytest.mark.parametrize("reader", sorted(LISTS))
def test_columns(reader: str) -> None:
    lines = LINE.findall((READERS / LISTS[reader]).read_text("utf-8"))
    begins = [i for i, line in enumerate(lines) if line[0] == "numbers"]
    assert len(begins) == 2
    for own, listed in ((False, lines[: begins[1]]), (True, lines[begins[1] :])):
        declared = {each.name: each for each in FLAT.columns if each.own is own}
        names = [name for name, *_ in listed]
        assert len(set(names)) == len(names)
        unread = declared.keys() - set(names)
        assert all(name.startswith(NOT_READ) for name in unread), unread
        lengths: dict[str, str] = {}
        for name, types, dims, needed, _ in listed:
            column = declared[name]
            assert types == "".join(str(DTYPES[each]) for each in column.dtypes), name
            # Texts are told apart by zero bytes, so their bytes are one dimension more.
            full_dims = (*column.dims, "z") if column.dtypes == ("text",) else column.dims
            for short, full in zip(dims.split(","), full_dims, strict=True):
                assert short.endswith("+") == full.endswith(" + 1"), name
                if short[0].isalpha() and short != "z":
                    # Each node of a graph is a location.
                    long = full.replace("node", "location") if column.world == "graph" else full
                    assert lengths.setdefault(short[0], long.removesuffix(" + 1")) in long, name
            check_need(column, needed)


def check_need(column: Column, needed: str) -> None:
    if not column.optional:
        assert needed == {"grid": "#", "graph": "&", "both": "*"}[column.world], column.name
    else:
        assert needed in "?=-l", column.name


@pytest.mark.parametrize("reader", sorted(LISTS))
def test_how_many_numbers(reader: str) -> None:
    lines = LINE.findall((READERS / LISTS[reader]).read_text("utf-8"))
    counts = [int(dims) for name, _, dims, _, _ in lines if name == "numbers"]
    assert counts == [len(LEVEL_NUMBERS), len(PROFILE_NUMBERS)]
