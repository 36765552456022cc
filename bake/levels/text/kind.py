"""Detect prose and tables of data in files with the suffixes of text levels."""

from __future__ import annotations

import codecs
import re
from pathlib import Path

from bake.levels.movingai import is_map
from bake.levels.reading.files import read_start
from bake.levels.reading.text import ALWAYS_USED, TextReading, compose
from bake.levels.text.separated import split_values
from levelbake.errors import BakeError

#: The number of bytes to inspect.
INSPECTED_BYTES = 2**18
#: The most different values of a level without a legend; a level has at most 255 terrains.
_MOST_VALUES = 255
#: A file is prose if at least this share of its lines has a word.
_SHARE_OF_PROSE = 0.2
_CONFLICT_MARKERS = ("<<<<<<< ", ">>>>>>> ")
_LETTERS = re.compile(r"[^\W\d_]{3,}")


def explain_exclusion(path: Path, reading: TextReading) -> str:
    """Return the reason to exclude a `.txt` or `.csv` file from the levels; "" for a level.

    An unreadable file counts as a level, so that its error is reported.

    Args:
        path: the file.
        reading: the options of the recipe; a legend of all symbols makes the file a level.
    """
    if path.is_file() and path.stat().st_size == 0:
        return "it is empty"
    lines = _first_lines(path)
    if lines is None or is_map(path):
        return ""
    is_rows = path.suffix.lower() == ".txt"
    return _explain_prose(lines, reading) if is_rows else _explain_data(path, lines, reading)


def _explain_prose(lines: list[str], reading: TextReading) -> str:
    symbols = set("".join(lines))
    filled = [line.rstrip() for line in lines if line.strip()]
    if not filled:
        return "it has nothing but blanks"
    if symbols <= {*reading.legend, *ALWAYS_USED}:
        return ""
    if len(filled) == 1:
        return "it has one line, not rows of cells"
    with_words = sum(map(_has_word, filled))
    is_even = len({len(line) for line in filled}) == 1 < len(filled[0])
    if with_words >= _SHARE_OF_PROSE * len(filled) and not is_even:
        return "it has lines of words, not rows of cells"
    if "\t" in symbols:
        return "it has tabs; save values that tabs separate as .csv"
    return ""


def _explain_data(path: Path, lines: list[str], reading: TextReading) -> str:
    try:
        rows = [[cell.strip() for cell in row] for _, row in split_values(path, "\n".join(lines))]
    except BakeError:
        return "it is a table of data: its quotes do not match"
    rows = [row for row in rows if any(row)]
    values = [value for row in rows for value in row if value]
    different = set(values)
    if not values:
        return "it has nothing but empty cells"
    if different <= {*reading.legend, *ALWAYS_USED}:
        return ""
    if any(" " in value for value in different):
        return "it is a table of data: some values are several words"
    header = rows[0]
    if len(set(header)) == len(header) > 1 and not any(map(_is_number, header)):
        return "it is a table of data: its first row names its columns"
    if len(different) > _MOST_VALUES or 2 * len(different) > max(len(values), 4):
        return f"it is a table of data: {len(different):,} different values in its cells"
    return ""


def _first_lines(path: Path) -> list[str] | None:
    """Return the first lines of a file, without markers of merge conflicts; None = unreadable.

    Invalid UTF-8 is replaced, so that prose is detected in any encoding.
    """
    try:
        data = read_start(path, INSPECTED_BYTES)
    except BakeError:
        return None
    is_wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    text = data.decode("utf-16" if is_wide else "utf-8", "replace")
    lines = compose(text).replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if len(data) == INSPECTED_BYTES and len(lines) > 1:
        lines.pop()
    return [line for line in lines if not line.startswith(_CONFLICT_MARKERS)]


def _has_word(line: str) -> bool:
    """Return whether a line has a word: a run of letters with at least three different ones."""
    return any(len(set(word.lower())) > 2 for word in _LETTERS.findall(line))


def _is_number(value: str) -> bool:
    return value.lstrip("-").isdigit()
