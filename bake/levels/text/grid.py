"""Build a level from a grid of symbols and a legend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Literal, NoReturn

import numpy as np

from bake.core.arrays import UInt8Array, UInt32Array
from bake.core.errors import counted
from bake.core.level import GridLevel, Spot, Things
from bake.core.toml import toml_line
from bake.levels.reading.limits import check_size, check_terrain_count
from bake.levels.reading.mistakes import one_of, refuse, shown
from bake.levels.reading.terrains import FLOOR, UNKNOWN, built_in_rules, describe_unknown
from bake.levels.reading.text import BLANK, BUILT_IN_SYMBOLS, TextReading
from bake.levels.reading.things import check_things

#: A file with more unknown symbols is not a level, so no lines for the recipe are suggested.
_MOST_LINES = 64
#: Longer values are not symbols of a level, and are not shown in messages.
_LONGEST_KEY = 60
#: The most spots; each takes far more memory than its byte of text.
MAX_SPOTS = 2**16

Unit = Literal["character", "cell"]


@dataclass(frozen=True)
class SymbolGrid:
    """A grid of symbols, stored by number."""

    numbers: UInt32Array  #: (height, width) uint32, keys of ``symbols``
    symbols: Mapping[int, str]  #: the symbol of every number in the grid
    lines: Sequence[int]  #: the line of each row in the file, from 1
    unit: Unit  #: the noun for a symbol

    def place(self, x: int, y: int) -> str:
        """Return the place of a cell in the file, for messages."""
        column = "column" if self.unit == "character" else "cell"
        return f"line {self.lines[y]}, {column} {x + 1}"


def stack_rows(
    path: Path,
    numbers: UInt32Array,
    lengths: Sequence[int],
    lines: Sequence[int],
    unit: Unit,
    blank: int | None,
) -> UInt32Array:
    """Return rows of symbols as a grid.

    Args:
        path: the file, for errors.
        numbers: the symbols of all rows, one row after another.
        lengths: the number of symbols in each row.
        lines: the line of each row in the file, from 1.
        unit: the noun for a symbol.
        blank: the symbol that pads short rows; None = rows must have equal lengths.

    Returns:
        (height, width) uint32.

    Raises:
        LevelError: there are no rows or too many cells, or rows differ in length.
    """
    height, width = len(lengths), max(lengths, default=0)
    check_size(path, width, height)
    if min(lengths) == width:
        return numbers.reshape(height, width)
    if blank is None:
        y = next(y for y, length in enumerate(lengths) if length != lengths[0])
        refuse(
            path,
            f"line {lines[y]}",
            f"this row has {counted(lengths[y], unit)}",
            f"{lengths[0]:,}, as in line {lines[0]}",
            f'make rows equally long, or name blanks in [text.legend], as in "{BLANK}" = "void"; '
            "they fill up short rows then",
        )
    grid = np.full((height, width), blank, dtype=np.uint32)
    start = 0
    for y, length in enumerate(lengths):
        grid[y, :length] = numbers[start : start + length]
        start += length
    return grid


def build_level(path: Path, grid: SymbolGrid, reading: TextReading) -> GridLevel:
    """Build a level from a grid of symbols by the legend.

    Only terrains of symbols in the grid are numbered, in the order of the legend, so entries for
    other symbols change nothing.

    Raises:
        LevelError: a symbol is not in the legend, or there are too many terrains or spots.
    """
    number_of = {symbol: number for number, symbol in grid.symbols.items()}
    legend = {**reading.legend}
    for symbol, terrain in BUILT_IN_SYMBOLS.items():
        legend.setdefault(symbol, terrain)
    used = {symbol: terrain for symbol, terrain in legend.items() if symbol in number_of}
    names = tuple(dict.fromkeys(used.values()))
    check_terrain_count(path, len(names), "[text.legend]")
    look_up = np.full(max(grid.symbols) + 1, UNKNOWN, dtype=np.uint8)
    for symbol, terrain in used.items():
        look_up[number_of[symbol]] = names.index(terrain)
    codes = look_up[grid.numbers]
    if len(used) < len(number_of):
        _reject_symbols(path, grid, codes, legend)
    named = dict.fromkeys([*reading.legend, *reading.spots])
    return check_things(
        GridLevel(
            name=path.stem,
            source=path,
            terrain=codes,
            terrains=names,
            terrain_rules=built_in_rules(names),
            things=Things(spots=_find_spots(path, grid, reading, number_of)),
            unmatched=tuple(symbol for symbol in named if symbol not in number_of),
        )
    )


def _find_spots(
    path: Path, grid: SymbolGrid, reading: TextReading, number_of: Mapping[str, int]
) -> tuple[Spot, ...]:
    """Return the spots in reading order; several of one kind are numbered from 1."""
    kinds = {
        number_of[symbol]: kind for symbol, kind in reading.spots.items() if symbol in number_of
    }
    if not kinds:
        return ()
    wanted = np.zeros(max(grid.symbols) + 1, dtype=np.bool_)
    wanted[list(kinds)] = True
    ys, xs = np.nonzero(wanted[grid.numbers])
    if len(ys) > MAX_SPOTS:
        refuse(
            path,
            "[text.spots]",
            f"the level has {len(ys):,} cells with these symbols",
            f"at most {MAX_SPOTS:,} spots",
            "name there only the symbols of single cells",
        )
    cells = [
        (x, y, kinds[int(grid.numbers[y, x])])
        for y, x in zip(ys.tolist(), xs.tolist(), strict=True)
    ]
    totals: dict[str, int] = {}
    for _, _, kind in cells:
        totals[kind] = totals.get(kind, 0) + 1
    counts = dict.fromkeys(totals, 0)
    spots = []
    for x, y, kind in cells:
        counts[kind] += 1
        name = f"{kind}_{counts[kind]}" if totals[kind] > 1 else kind
        spots.append(Spot(name, kind, (x, y), None, grid.place(x, y)))
    return tuple(spots)


def _reject_symbols(
    path: Path, grid: SymbolGrid, codes: UInt8Array, legend: Mapping[str, str]
) -> NoReturn:
    listed, (x, y), labels = describe_unknown(
        codes,
        lambda top, bottom: grid.numbers[top:bottom],
        lambda number: shown(grid.symbols[number]),
        "cells",
    )
    symbol = grid.symbols[int(grid.numbers[y, x])]
    near = _find_closest(symbol, legend)
    suggestion = f"did you mean {shown(near)}? Else " if near else ""
    if symbol == "\t":
        remedy = "replace tabs by blanks, or save values that tabs separate as .csv"
    elif len(labels) > _MOST_LINES or len(symbol) > _LONGEST_KEY:
        remedy = "leave it out of sources if it is not a level"
    else:
        line = toml_line(symbol, FLOOR)
        remedy = f"{suggestion}add a line such as {line} to [text.legend] in bake.toml"
    by_label = {shown(symbol): symbol for symbol in grid.symbols.values()}
    comment = 'or "wall", or any other terrain'
    lines = [
        ("text.legend", toml_line(by_label[label], FLOOR, comment))
        for label in labels
        if by_label[label].isprintable() and len(by_label[label]) <= _LONGEST_KEY
    ]
    refuse(
        path,
        grid.place(x, y),
        f"no terrain is known for {listed}",
        one_of(legend),
        remedy,
        lines if len(labels) <= _MOST_LINES else (),
    )


def _find_closest(symbol: str, legend: Mapping[str, str]) -> str | None:
    """Return the symbol of the legend that resembles an unknown symbol most, or None."""
    for known in legend:
        if known.casefold() == symbol.casefold():
            return known
    if len(symbol) < 3 or symbol.lstrip("-").isdigit():
        return None
    return next(iter(get_close_matches(symbol, legend, n=1)), None)
