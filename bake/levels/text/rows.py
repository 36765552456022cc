"""Read rows of characters as a level, one character per cell, as in maps of roguelikes."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import numpy as np

from bake.core.level import GridLevel
from bake.levels.reading.files import read_text
from bake.levels.reading.mistakes import refuse
from bake.levels.reading.text import BLANK, TextReading, compose, is_cell_character
from bake.levels.text.grid import SymbolGrid, build_level, stack_rows

#: The largest text file in bytes, the same as for JSON.
MAX_TEXT_BYTES = 2**26
REMEDY_FOR_SIZE = "save large levels as an image, or split the level into several"
_CODE_POINTS = 0x110000


def read_rows(path: Path, reading: TextReading) -> GridLevel:
    """Read a level with one character per cell.

    Args:
        path: text in UTF-8.
        reading: the legend and the symbols of spots.

    Raises:
        LevelError: as for :func:`read_characters`, or a character is not in the legend.
    """
    return build_level(path, read_characters(path, blanks=BLANK in reading.legend), reading)


def read_characters(path: Path, *, blanks: bool) -> SymbolGrid:
    """Read the characters of a level without applying a legend.

    Empty lines at the end are ignored, and so are blanks and tabs at the ends of lines unless
    blanks are cells.

    Args:
        path: a text file in UTF-8.
        blanks: whether blanks are cells. If so, they pad short rows, since editors remove blanks at
            the ends of lines.

    Raises:
        LevelError: the file cannot be read, its rows differ in length, or a character is invisible
            or a combining mark.
    """
    text = compose(read_text(path, MAX_TEXT_BYTES, REMEDY_FOR_SIZE))
    if not text.isascii():
        _check_marks(path, text)
    rows = text.rstrip("\n").split("\n")
    if not blanks:
        rows = [row.rstrip(" \t") for row in rows]
        while rows and not rows[-1]:
            rows.pop()
    lengths = [len(row) for row in rows]
    joined = "".join(rows)
    numbers = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    lines = range(1, len(rows) + 1)
    blank = ord(BLANK) if blanks else None
    grid = stack_rows(path, numbers, lengths, lines, "character", blank)
    seen = np.zeros(_CODE_POINTS, dtype=np.bool_)
    seen[grid] = True
    symbols = {number: chr(number) for number in np.flatnonzero(seen).tolist()}
    return SymbolGrid(grid, symbols, lines, "character")


def _check_marks(path: Path, text: str) -> None:
    """Raise on invisible characters and combining marks, such as accents."""
    marks = [mark for mark in set(text) - {"\n", "\t"} if not is_cell_character(mark)]
    if not marks:
        return
    offset = min(text.index(mark) for mark in marks)
    line, start = text.count("\n", 0, offset) + 1, text.rfind("\n", 0, offset) + 1
    mark = text[offset]
    name = unicodedata.name(mark, "a control character")
    refuse(
        path,
        f"line {line}, column {offset - start + 1}",
        f"U+{ord(mark):04X} ({name}) is not drawn as a cell of its own",
        "one character a cell",
        "remove it, or draw the cell as another character",
    )
