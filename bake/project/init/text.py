"""Guess the terrain of characters and values in text levels by common conventions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from bake.core.errors import LevelError
from bake.levels.movingai import is_map
from bake.levels.reading.mistakes import shown
from bake.levels.reading.text import BLANK, BUILT_IN_SYMBOLS
from bake.levels.text.grid import SymbolGrid
from bake.levels.text.rows import read_characters
from bake.levels.text.separated import read_values
from bake.project.init.entries import TEXT_LEGEND, TEXT_SPOTS, Entry, Guesses
from bake.project.init.words import FLOOR, WALL, Meaning, guess_terrain, usual_cost

#: The most cells of a character that is guessed to be a spawn or an exit.
_MOST_SPOTS = 8
_VOID = Meaning("void", None)
#: The usual terrain of characters in roguelikes, besides the built-in ones.
_CUSTOMS: Mapping[str, Meaning] = {
    **dict.fromkeys("~≈wW", Meaning("water", None)),
    **dict.fromkeys("TtYy&♣♠", Meaning("trees", None)),
    **dict.fromkeys("^▲", Meaning("mountain", None)),
    **dict.fromkeys("%Xx|-─│┌┐└┘├┤┬┴┼═║╔╗╚╝╠╣╦╩╬█▓▒░■", WALL),
    **dict.fromkeys("+'/", Meaning("door", 1.0)),
    **dict.fromkeys(',"`Gg', Meaning("grass", 1.0)),
    **dict.fromkeys("=", Meaning("bridge", 1.0)),
    **dict.fromkeys("<>", Meaning("stairs", 1.0)),
    **dict.fromkeys("_·:;", FLOOR),
}
#: The characters of spawns and exits; exits count only if there is a spawn.
_STARTS, _GOALS = "@Ss", "Ee"


def guess_text(path: Path) -> list[Entry]:
    """Guess the terrain or spot of each character or value of a text level.

    Raises:
        LevelError: the file cannot be read.
    """
    if is_map(path):
        return []
    grid = _read(path)
    numbers, counts = np.unique(grid.numbers, return_counts=True)
    by_count = sorted(zip((-counts).tolist(), numbers.tolist(), strict=True))
    totals = {grid.symbols[number]: -count for count, number in by_count}
    guesses = Guesses(TEXT_LEGEND)
    kinds = dict(_guess_spots(totals))
    for symbol, total in totals.items():
        if symbol in BUILT_IN_SYMBOLS:
            continue
        share = f"{total / grid.numbers.size:.1%} of {path.name}"
        if symbol in kinds:
            why = f"{shown(symbol)} is a usual {kinds[symbol]}, {share}"
            guesses.add(Entry(TEXT_SPOTS, symbol, kinds[symbol], why, sure=False))
            guesses.add(Entry(TEXT_LEGEND, symbol, "floor", "what agents stand on", sure=False))
            continue
        means, reason = _guess_meaning(symbol, totals, grid)
        guesses.add_meaning(symbol, means, f"{reason}, {share}", usual_cost(means), sure=False)
    return guesses.entries()


def _read(path: Path) -> SymbolGrid:
    """Read the symbols; blanks are cells if the rows would otherwise differ in length."""
    read = read_characters if path.suffix.lower() == ".txt" else read_values
    try:
        return read(path, blanks=False)
    except LevelError as error:
        try:
            return read(path, blanks=True)
        except LevelError:
            raise error from None


def _guess_spots(totals: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    """Yield the symbols of spots with their kinds."""
    starts = [symbol for symbol in _STARTS if 0 < totals.get(symbol, 0) <= _MOST_SPOTS]
    if not starts:
        return
    yield starts[0], "spawn"
    for symbol in _GOALS:
        if 0 < totals.get(symbol, 0) <= _MOST_SPOTS:
            yield symbol, "exit"
            return


def _guess_meaning(symbol: str, totals: Mapping[str, int], grid: SymbolGrid) -> tuple[Meaning, str]:
    """Return the guessed terrain of a symbol and the reason."""
    if symbol == BLANK:
        if "." in totals or _is_outer(symbol, grid):
            return _VOID, "blanks around the level"
        return FLOOR, "blanks in a level without other floor"
    if symbol == "@":
        return WALL, "out of bounds in maps of the Moving AI benchmark"
    if symbol in _CUSTOMS:
        return _CUSTOMS[symbol], f"usual for {_CUSTOMS[symbol].word}"
    if symbol == "-1":
        return _VOID, "what Tiled exports where there is no tile"
    if totals.keys() <= {"0", "1", "-1", BLANK}:
        return (WALL, "of 0 and 1") if symbol == "1" else (FLOOR, "of 0 and 1")
    if len(symbol) > 1 and (named := guess_terrain(symbol)) is not None:
        return named, f"the value says {shown(named.word)}"
    if symbol.isdigit() and _is_outer(symbol, grid):
        return WALL, "along the border"
    return FLOOR, "of no meaning that maps agree on"


def _is_outer(symbol: str, grid: SymbolGrid) -> bool:
    """Return whether a symbol is the most frequent one along the border."""
    cells = grid.numbers
    border = np.concatenate((cells[0], cells[-1], cells[:, 0], cells[:, -1]))
    numbers, counts = np.unique(border, return_counts=True)
    return grid.symbols[int(numbers[counts.argmax()])] == symbol
