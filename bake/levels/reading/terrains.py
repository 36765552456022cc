"""Number terrains while a level is read, parse colors, and describe cells without terrain."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from bake.core.arrays import BoolArray, Int64Array, UInt8Array
from bake.core.level import Colour, TerrainRule

WALL, FLOOR = "wall", "floor"
#: The terrain of cells outside the drawn part of a level, which pad it to a rectangle.
VOID = "void"

#: Default terrain by color. Clear pixels of images are VOID by default.
BUILT_IN_COLORS: Mapping[str, str] = {"#000000": WALL, "#ffffff": FLOOR}
#: The rules of the terrains that need no entry in a legend, in every format.
BUILT_IN_RULES: Mapping[str, TerrainRule] = {
    WALL: TerrainRule(cost=None),
    FLOOR: TerrainRule(cost=1.0),
    VOID: TerrainRule(cost=None),
}


def built_in_rules(names: Iterable[str]) -> dict[str, TerrainRule]:
    """Return the built-in rules of those names that have one."""
    return {name: BUILT_IN_RULES[name] for name in names if name in BUILT_IN_RULES}


_COLOUR = re.compile(r"#(?:[0-9a-f]{3}|[0-9a-f]{6}|[0-9a-f]{8})", re.IGNORECASE)
#: The number of a cell without terrain while a level is read; terrains have lower numbers.
UNKNOWN = 255

_STRIP_CELLS = 2**20
# A file with more unknown values is not a level, so counting stops.
_MAX_KINDS = 2**12
_SHOWN = 8


def split_rows(width: int, height: int) -> Iterator[tuple[int, int]]:
    """Yield ranges of rows, top to bottom, with about a million cells each."""
    step = max(1, _STRIP_CELLS // max(1, width))
    for top in range(0, height, step):
        yield top, min(top + step, height)


def describe_unknown(
    terrain: UInt8Array,
    values: Callable[[int, int], npt.NDArray[np.integer]],
    label: Callable[[int], str],
    cells: str,
) -> tuple[str, tuple[int, int], list[str]]:
    """Describe the values of UNKNOWN cells, the most frequent first.

    Args:
        terrain: (height, width) with UNKNOWN where no legend entry matched, at least once.
        values: called with (top, bottom); returns the (bottom - top, width) values of these rows.
        label: formats one value.
        cells: the noun for cells: "pixels" or "cells".

    Returns:
        The list as text, the first cell (x, y) of the most frequent value, and the labels of all
        values, the most frequent first.
    """
    kinds, counts, firsts, bottom = _count_values(terrain, values)
    order = np.lexsort((firsts, -counts))
    width = terrain.shape[1]

    def place(kind: int) -> tuple[int, int]:
        y, x = divmod(int(firsts[kind]), width)
        return x, y

    parts = [
        f"{label(int(kinds[kind]))} ({int(counts[kind]):,} "
        f"{cells if counts[kind] != 1 else cells.removesuffix('s')}, first at {place(kind)})"
        for kind in order[:_SHOWN]
    ]
    if len(kinds) > _SHOWN:
        parts.append(f"and {len(kinds) - _SHOWN:,} more")
    text = ", ".join(parts)
    if bottom < terrain.shape[0]:
        text += f" in the first {bottom:,} rows alone"
    return text, place(order[0]), [label(int(kinds[kind])) for kind in order]


def _count_values(
    terrain: UInt8Array, values: Callable[[int, int], npt.NDArray[np.integer]]
) -> tuple[npt.NDArray[np.integer], Int64Array, Int64Array, int]:
    height, width = terrain.shape
    kinds: npt.NDArray[np.integer] = np.zeros(0, dtype=np.uint32)
    counts = np.zeros(0, dtype=np.int64)
    firsts = np.zeros(0, dtype=np.int64)
    bottom = 0
    for top, bottom in split_rows(width, height):
        cell = np.flatnonzero(terrain[top:bottom] == UNKNOWN)
        if len(cell) == 0:
            continue
        strip_kinds, first, count = np.unique(
            values(top, bottom).ravel()[cell], return_index=True, return_counts=True
        )
        old_counts, old_firsts = counts, firsts
        kinds, slot = np.unique(np.concatenate((kinds, strip_kinds)), return_inverse=True)
        counts = np.zeros(len(kinds), dtype=np.int64)
        np.add.at(counts, slot, np.concatenate((old_counts, count)))
        firsts = np.full(len(kinds), height * width, dtype=np.int64)
        np.minimum.at(firsts, slot, np.concatenate((old_firsts, cell[first] + top * width)))
        if len(kinds) > _MAX_KINDS:
            break
    return kinds, counts, firsts, bottom


def used_numbers(terrain: UInt8Array) -> BoolArray:
    """Return (256) bool, True for the terrain numbers that some cell has."""
    used = np.zeros(256, dtype=np.bool_)
    for top, bottom in split_rows(terrain.shape[1], terrain.shape[0]):
        used[terrain[top:bottom]] = True
    return used


def remove_unused(
    names: Sequence[str],
    terrain: UInt8Array,
    used: BoolArray | None = None,
    *,
    order: Sequence[int] | None = None,
) -> tuple[str, ...]:
    """Return the terrains that some cell has, and renumber ``terrain`` in place to match.

    Args:
        names: terrains by number.
        terrain: (height, width) uint8, indices into ``names``; no cell is UNKNOWN.
        used: the result of :func:`used_numbers`, if known.
        order: the numbers in use, in the order of the result; None = ascending.
    """
    if order is None:
        order = np.flatnonzero(used_numbers(terrain) if used is None else used).tolist()
    present = np.array(order, dtype=np.intp)
    renumber = np.zeros(256, dtype=np.uint8)
    renumber[present] = np.arange(len(present))
    for top, bottom in split_rows(terrain.shape[1], terrain.shape[0]):
        terrain[top:bottom] = renumber[terrain[top:bottom]]
    return tuple(names[number] for number in present.tolist())


def parse_color(text: str) -> int | None:
    """Return a color such as "#rrggbb" as 0xrrggbbaa, or None if the text is not a color.

    Example:
        >>> hex(parse_color("#3a7d44"))
        '0x3a7d44ff'
    """
    if _COLOUR.fullmatch(text) is None:
        return None
    digits = text[1:]
    if len(digits) == 3:
        digits = "".join(2 * digit for digit in digits)
    return int(digits.ljust(8, "f"), 16)


def format_color(packed: int) -> str:
    """Format 0xrrggbbaa as "#rrggbb" if opaque, or else as "#rrggbbaa".

    Example:
        >>> format_color(0x3A7D44FF)
        '#3a7d44'
    """
    return f"#{packed >> 8:06x}" if packed & 0xFF == 0xFF else f"#{packed:08x}"


def rgb(packed: int) -> Colour:
    """Return the red, green and blue channels of 0xrrggbbaa, each from 0 to 255."""
    return packed >> 24, packed >> 16 & 0xFF, packed >> 8 & 0xFF
