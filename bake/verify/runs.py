"""Compressed next hops as a proof reads them: from docs/format.md alone, not from the baker."""

from __future__ import annotations

import numpy as np

from bake.arrays import AnyArray, Int64Array
from bake.verify.kernels import GREEDY, NO_PATH


class Runs:
    """The runs of one profile.

    Attributes:
        problem: what is wrong with them at first sight; None where nothing is.
        first: (r + 1) int64, first run of each row.
        start: (k) int32, first target of each run.
        symbol: (k) int32, slot, NO_PATH or GREEDY.
    """

    def __init__(self, count: Int64Array, start: Int64Array, symbol: AnyArray, rows: int) -> None:
        none = int(np.iinfo(str(symbol.dtype)).max)
        slot = symbol.astype(np.int64)
        self.problem = _first_problem(count, start, slot, rows)
        self.first = np.append(0, np.cumsum(count)).astype(np.int64)
        self.start = start.astype(np.int32)
        slot[slot == none] = NO_PATH
        slot[slot == none - 1] = GREEDY
        self.symbol = np.minimum(slot, 2**31 - 1).astype(np.int32)


def _first_problem(
    count: Int64Array, start: Int64Array, symbol: Int64Array, rows: int
) -> str | None:
    if len(count) != rows or (count < 1).any():
        return "run_count does not give every row its runs"
    if not count.sum() == len(start) == len(symbol):
        return "run_count, run_start and run_slot differ in length"
    first = np.cumsum(count) - count
    rises = np.diff(start) > 0
    rises[first[1:] - 1] = True
    if (start[first] != 0).any() or not rises.all() or (start >= rows).any():
        return "run_start is not in order"
    return None


def directions(
    at: Int64Array, first: Int64Array, degree: Int64Array, arc_row: AnyArray
) -> Int64Array:
    """(r, 3, 3) lowest slot of an arc to the place (x - 1, y - 1) away, -1 where there is none.

    Args:
        at: (r, 2) place of each row, from :func:`on_chart`.
        first, degree: (r) first arc and number of arcs of each row.
        arc_row: (m) row an arc leads to, -1 where the profile may not take it.
    """
    found = np.full((len(at), 3, 3), -1, dtype=np.int64)
    for slot in reversed(range(int(degree.max(initial=0)))):
        row = np.flatnonzero(degree > slot)
        head = arc_row[first[row] + slot]
        row, head = row[head >= 0], head[head >= 0]
        step = at[head] - at[row]
        near = (np.abs(step) <= 1).all(axis=1)
        found[row[near], step[near, 0] + 1, step[near, 1] + 1] = slot
    return found


def on_chart(cell: Int64Array, hex_layout: str | None) -> Int64Array:
    """(r, 2) places in which neighbours differ by at most one."""
    x, y = cell[:, 0].copy(), cell[:, 1].copy()
    if hex_layout == "odd-r":
        x -= y // 2
    elif hex_layout == "even-r":
        x -= (y + 1) // 2
    elif hex_layout == "odd-q":
        y -= x // 2
    elif hex_layout == "even-q":
        y -= (x + 1) // 2
    return np.stack([x, y], axis=1)
