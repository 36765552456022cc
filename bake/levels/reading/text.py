"""Declare how levels of text are read: what their characters and values stand for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from unicodedata import category, normalize

from bake.levels.reading.terrains import FLOOR, WALL

#: The symbol of a blank in rows of characters, and of an empty cell in separated values.
BLANK = " "
#: Terrain by symbol, where no legend names the symbol.
BUILT_IN_SYMBOLS: Mapping[str, str] = {"#": WALL, ".": FLOOR}
#: Symbols that count whether a level has them or not: bake names them itself, or they decide how
#: long a row is.
ALWAYS_USED = frozenset({*BUILT_IN_SYMBOLS, BLANK})


@dataclass(frozen=True)
class TextReading:
    """How levels of text are read.

    A symbol is a character of a text file, or the value of a cell in a file of separated values.
    """

    legend: Mapping[str, str] = field(default_factory=dict)  #: terrain by symbol
    #: kind of spot by symbol, "spawn", "exit" or any other word; the legend has the terrain below
    spots: Mapping[str, str] = field(default_factory=dict)


def compose(text: str) -> str:
    """Return text in which each letter with an accent is one character where Unicode has one."""
    return text if text.isascii() else normalize("NFC", text)


def fills_a_cell(character: str) -> bool:
    """Return whether a character is visible and is not drawn over its neighbor."""
    return category(character) not in ("Mn", "Mc", "Me", "Cf", "Cc", "Cs")
