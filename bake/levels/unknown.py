"""Cells whose value no legend knows: what they are, how many, and where each kind comes first."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from bake.arrays import Int64Array, UInt8Array

#: Marks a cell without terrain while a level is read; terrains are numbered below it.
UNKNOWN = 255

_STRIP_CELLS = 2**20
# A file with more kinds of unknown cells than this is no level, so counting on tells nobody more.
_MAX_KINDS = 2**12
_SHOWN = 8


def strips(width: int, height: int) -> Iterator[tuple[int, int]]:
    """Ranges of rows, top to bottom, of about a million cells each."""
    step = max(1, _STRIP_CELLS // max(1, width))
    for top in range(0, height, step):
        yield top, min(top + step, height)


def describe_unknown(
    terrain: UInt8Array,
    values: Callable[[int, int], npt.NDArray[np.integer]],
    label: Callable[[int], str],
    cells: str,
) -> tuple[str, tuple[int, int], str]:
    """Tell which values the UNKNOWN cells hold, most frequent first.

    Args:
        terrain: (height, width) with UNKNOWN where no legend entry matched, at least once.
        values: for rows [top, bottom), the (bottom - top, width) values that were looked up.
        label: how to write one value.
        cells: what to call the cells ("pixels", "cells").

    Returns:
        The list as text, the first cell (x, y) of the most frequent value, and that value's label.
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
    return text, place(order[0]), label(int(kinds[order[0]]))


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
