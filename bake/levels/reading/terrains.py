"""Handle terrains while a level is read: their numbers and colours, and cells without terrain."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from bake.core.arrays import BoolArray, Int64Array, UInt8Array
from bake.core.level import Colour, TerrainRule

WALL, FLOOR = "wall", "floor"
#: The terrain of cells that are in a level only because levels are rectangles.
VOID = "void"

#: Terrain by color, where no legend names the color. Clear pixels of images are VOID then.
BUILT_IN_COLOURS: Mapping[str, str] = {"#000000": WALL, "#ffffff": FLOOR}
#: What terrains cost that need no entry in any legend, in every format.
BUILT_IN_RULES: Mapping[str, TerrainRule] = {
    WALL: TerrainRule(cost=None),
    FLOOR: TerrainRule(cost=1.0),
    VOID: TerrainRule(cost=None),
}


def built_in(names: Iterable[str]) -> dict[str, TerrainRule]:
    """Return the rules of the terrains among some names that have one in every format."""
    return {name: BUILT_IN_RULES[name] for name in names if name in BUILT_IN_RULES}


_COLOUR = re.compile(r"#(?:[0-9a-f]{3}|[0-9a-f]{6}|[0-9a-f]{8})", re.IGNORECASE)
#: Marks a cell without terrain while a level is read; terrains are numbered below it.
UNKNOWN = 255

_STRIP_CELLS = 2**20
# A file with more kinds of unknown cells is not a level, so counting further would not help.
_MAX_KINDS = 2**12
_SHOWN = 8


def strips(width: int, height: int) -> Iterator[tuple[int, int]]:
    """Cut a grid into ranges of rows, top to bottom, of about a million cells each."""
    step = max(1, _STRIP_CELLS // max(1, width))
    for top in range(0, height, step):
        yield top, min(top + step, height)


def describe_unknown(
    terrain: UInt8Array,
    values: Callable[[int, int], npt.NDArray[np.integer]],
    label: Callable[[int], str],
    cells: str,
) -> tuple[str, tuple[int, int], list[str]]:
    """List the values that the UNKNOWN cells hold, the most frequent first.

    Args:
        terrain: (height, width) with UNKNOWN where no legend entry matched, at least once.
        values: for rows [top, bottom), the (bottom - top, width) values that were looked up.
        label: how to write one value.
        cells: what to call the cells ("pixels", "cells").

    Returns:
        The list as text, the first cell (x, y) of the most frequent value, and the labels of all
        values, the most frequent first.
    """
    kinds, counts, firsts, bottom = _tally(terrain, values)
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


def _tally(
    terrain: UInt8Array, values: Callable[[int, int], npt.NDArray[np.integer]]
) -> tuple[npt.NDArray[np.integer], Int64Array, Int64Array, int]:
    height, width = terrain.shape
    kinds: npt.NDArray[np.integer] = np.zeros(0, dtype=np.uint32)
    counts = np.zeros(0, dtype=np.int64)
    firsts = np.zeros(0, dtype=np.int64)
    bottom = 0
    for top, bottom in strips(width, height):
        cell = np.flatnonzero(terrain[top:bottom] == UNKNOWN)
        if len(cell) == 0:
            continue
        found, first, count = np.unique(
            values(top, bottom).ravel()[cell], return_index=True, return_counts=True
        )
        old_counts, old_firsts = counts, firsts
        kinds, slot = np.unique(np.concatenate((kinds, found)), return_inverse=True)
        counts = np.zeros(len(kinds), dtype=np.int64)
        np.add.at(counts, slot, np.concatenate((old_counts, count)))
        firsts = np.full(len(kinds), height * width, dtype=np.int64)
        np.minimum.at(firsts, slot, np.concatenate((old_firsts, cell[first] + top * width)))
        if len(kinds) > _MAX_KINDS:
            break
    return kinds, counts, firsts, bottom


def used_numbers(terrain: UInt8Array) -> BoolArray:
    """Return (256) bool, True for the numbers that some cell has."""
    used = np.zeros(256, dtype=np.bool_)
    for top, bottom in strips(terrain.shape[1], terrain.shape[0]):
        used[terrain[top:bottom]] = True
    return used


def keep_used(
    names: Sequence[str],
    terrain: UInt8Array,
    used: BoolArray | None = None,
    *,
    order: Sequence[int] | None = None,
) -> tuple[str, ...]:
    """Drop the terrains that no cell has, and renumber the cells of ``terrain`` in place.

    Args:
        names: terrains by number.
        terrain: (height, width) index into ``names``; no cell is UNKNOWN.
        used: what :func:`used_numbers` says, where that is known already.
        order: the numbers in use, in the order of the result; None = ascending.

    Returns:
        The terrains that some cell has.
    """
    if order is None:
        order = np.flatnonzero(used_numbers(terrain) if used is None else used).tolist()
    present = np.array(order, dtype=np.intp)
    renumber = np.zeros(256, dtype=np.uint8)
    renumber[present] = np.arange(len(present))
    for top, bottom in strips(terrain.shape[1], terrain.shape[0]):
        terrain[top:bottom] = renumber[terrain[top:bottom]]
    return tuple(names[number] for number in present.tolist())


def pack_colour(text: str) -> int | None:
    """Return a colour as 0xrrggbbaa, opaque if it names no alpha; None if it is not a colour."""
    if _COLOUR.fullmatch(text) is None:
        return None
    digits = text[1:]
    if len(digits) == 3:
        digits = "".join(2 * digit for digit in digits)
    return int(digits.ljust(8, "f"), 16)


def colour_text(packed: int) -> str:
    """Write 0xrrggbbaa as "#rrggbb" where it is opaque, else as "#rrggbbaa"."""
    return f"#{packed >> 8:06x}" if packed & 0xFF == 0xFF else f"#{packed:08x}"


def rgb(packed: int) -> Colour:
    """Return red, green and blue of 0xrrggbbaa, each from 0 to 255."""
    return packed >> 24, packed >> 16 & 0xFF, packed >> 8 & 0xFF
