"""The options for reading levels of text: terrain and spots by character or value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from unicodedata import category, normalize

from bake.levels.reading.terrains import FLOOR, WALL

#: The symbol of a blank in rows of characters, and of an empty cell in separated values.
BLANK = " "
#: Terrain by symbol, where no legend names the symbol.
BUILT_IN_SYMBOLS: Mapping[str, str] = {"#": WALL, ".": FLOOR}
#: Symbols that affect every level: the built-in ones, and the blank, which decides the length of
#: rows.
ALWAYS_USED = frozenset({*BUILT_IN_SYMBOLS, BLANK})


@dataclass(frozen=True)
class TextReading:
    """The options for reading levels of text.

    A symbol is a character of a text file, or the value of a cell in a file of separated values.
    """

    legend: Mapping[str, str] = field(default_factory=dict)  #: terrain by symbol
    #: kind of spot by symbol, "spawn", "exit" or any other word; the legend has the terrain below
    spots: Mapping[str, str] = field(default_factory=dict)


def compose(text: str) -> str:
    """Return text in Unicode normalization form C, so that an accented letter is one character."""
    return text if text.isascii() else normalize("NFC", text)


def is_cell_character(character: str) -> bool:
    """Return whether a character occupies a cell: it is visible and not a combining mark."""
    return category(character) not in ("Mn", "Mc", "Me", "Cf", "Cc", "Cs")
