"""Read separated values as a level, one value per cell, as Tiled and spreadsheets export them."""

from __future__ import annotations

import csv
from array import array
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from bake.core.level import GridLevel
from bake.levels.reading.files import read_text
from bake.levels.reading.mistakes import refuse
from bake.levels.reading.text import BLANK, TextReading, compose
from bake.levels.text.grid import SymbolGrid, build_level, stack_rows
from bake.levels.text.rows import MAX_TEXT_BYTES, REMEDY_FOR_SIZE

#: The most different values in a file, far more than a legend needs.
MAX_VALUES = 2**16
#: Delimiters in the order in which the first row is searched for them; the default is a comma.
_DELIMITERS = ("\t", ";", ",")
#: The start of a line in which spreadsheets name the delimiter.
_NAMED_DELIMITER = "sep="


def read_separated(path: Path, reading: TextReading) -> GridLevel:
    """Read a level with one value per cell, separated by commas, semicolons or tabs.

    Args:
        path: text in UTF-8.
        reading: the legend and the values of spots.

    Raises:
        LevelError: as for :func:`read_values`, or a value is not in the legend.
    """
    return build_level(path, read_values(path, blanks=BLANK in reading.legend), reading)


def read_values(path: Path, *, blanks: bool) -> SymbolGrid:
    """Read the values of a level without applying a legend.

    Values are text without quotes and without the blanks around them. Empty lines at the end are
    ignored, and so are empty cells at the ends of rows unless blanks are cells.

    Args:
        path: a text file in UTF-8.
        blanks: whether empty values are cells. If so, they pad short rows.

    Raises:
        LevelError: the file cannot be read, its quotes do not match, its rows differ in length, or
            it has more than MAX_VALUES different values.
    """
    text = compose(read_text(path, MAX_TEXT_BYTES, REMEDY_FOR_SIZE))
    numbers, lengths, lines = array("I"), array("I"), array("I")
    number_of: dict[str, int] = {BLANK: 0}
    for line, cells in split_values(path, text):
        row = [cell.strip() or BLANK for cell in cells]
        while row and row[-1] == BLANK and not blanks:
            row.pop()
        for value in row:
            if value not in number_of:
                number_of[value] = len(number_of)
        if len(number_of) > MAX_VALUES:
            refuse(
                path,
                f"line {line}",
                f"there are more than {MAX_VALUES:,} different values up to here",
                "the same few values in most cells",
                "leave it out of sources if it is not a level",
            )
        numbers.extend([number_of[value] for value in row])
        lengths.append(len(row))
        lines.append(line)
    while lengths and not lengths[-1]:
        lengths.pop()
        lines.pop()
    flat = np.array(numbers, dtype=np.uint32)
    grid = stack_rows(path, flat, lengths, lines, "cell", number_of[BLANK] if blanks else None)
    symbols = {number: value for value, number in number_of.items()}
    if not (grid == number_of[BLANK]).any():
        del symbols[number_of[BLANK]]
    return SymbolGrid(grid, symbols, lines, "cell")


def split_values(path: Path, text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the line number and the values of each row; an empty line has no values.

    Raises:
        LevelError: quotes do not match, or a value is too long.
    """
    lines = text.split("\n")
    first, delimiter = 1, find_delimiter(lines)
    if lines[0].lower().startswith(_NAMED_DELIMITER):
        del lines[0]
        first = 2
    reader = csv.reader(
        (f"{line}\n" for line in lines), delimiter=delimiter, skipinitialspace=True, strict=True
    )
    line = first
    try:
        for row in reader:
            yield line, row
            line = reader.line_num + first
    except csv.Error as error:
        refuse(
            path,
            f"line {line}",
            f"the values cannot be separated: {error}",
            'values between delimiters, and "" for a quote inside of quotes',
        )


def find_delimiter(lines: list[str]) -> str:
    """Return the delimiter that the first line with values has outside quotes.

    Tabs around that line count only if the line has no other delimiter.
    """
    if lines[0].lower().startswith(_NAMED_DELIMITER):
        named = lines[0][len(_NAMED_DELIMITER) :].strip(" ")
        return named if named in _DELIMITERS else ","
    filled = next((line for line in lines if line.strip()), "")
    unquoted = "".join(filled.split('"')[::2])
    candidates = (
        delimiter
        for text in (unquoted.strip(), unquoted)
        for delimiter in _DELIMITERS
        if delimiter in text
    )
    return next(candidates, ",")
