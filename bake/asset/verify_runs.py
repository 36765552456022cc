"""Compressed next hops, decoded for a proof: written from docs/format.md alone, not from the baker.

Runs become slots for a block of targets at a time, with every rule of the format applied the plain
way.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Int64Array = npt.NDArray[np.int64]


class Runs:
    """The runs of one profile.

    Attributes:
        problem: what is wrong with them at first sight; None where nothing is.
    """

    def __init__(
        self,
        count: Int64Array,
        start: Int64Array,
        symbol: npt.NDArray[Any],
        rows: int,
    ) -> None:
        self._symbol = symbol.astype(np.int64)
        self._none = int(np.iinfo(symbol.dtype).max)
        self._greedy = self._none - 1
        self._start = start
        self._rows = rows
        self.problem = self._first_problem(count)
        if self.problem is None:
            first = np.cumsum(count) - count
            self._stop = np.append(start[1:], rows)
            self._stop[first[1:] - 1] = rows

    def _first_problem(self, count: Int64Array) -> str | None:
        if len(count) != self._rows or (count < 1).any():
            return "run_count does not give every row its runs"
        if not count.sum() == len(self._start) == len(self._symbol):
            return "run_count, run_start and run_slot differ in length"
        first = np.cumsum(count) - count
        rises = np.diff(self._start) > 0
        rises[first[1:] - 1] = True
        if (self._start[first] != 0).any() or not rises.all() or (self._start >= self._rows).any():
            return "run_start is not in order"
        return None

    def slots(self, start: int, stop: int, greedy: Greedy | None) -> Int64Array:
        """(r, stop - start) slots toward targets start to stop, -1 where a run says "no path"."""
        length = np.clip(self._stop, start, stop) - np.clip(self._start, start, stop)
        block = np.repeat(self._symbol, length).reshape(self._rows, stop - start)
        row, lane = np.nonzero(block == self._greedy)
        if greedy is None:
            block[row, lane] = -1
        else:
            block[row, lane] = greedy.slots(row, lane + start)
        block[block == self._none] = -1
        return block


class Greedy:
    """The greedy move on a lattice."""

    def __init__(
        self,
        cell: Int64Array,
        hex_layout: str | None,
        first: Int64Array,
        degree: Int64Array,
        arc_row: Int64Array,
    ) -> None:
        """Index the arcs by direction.

        Args:
            cell: (r, 2) cell of each row.
            hex_layout: of the level.
            first, degree: (r) first arc and number of arcs of each row.
            arc_row: (m) row an arc leads to, -1 where the profile may not take it.
        """
        self._at = _axial(cell, hex_layout)
        rows = len(cell)
        self._slot = np.full((rows, 3, 3), -1, dtype=np.int64)
        for slot in reversed(range(int(degree.max(initial=0)))):
            row = np.flatnonzero(degree > slot)
            head = arc_row[first[row] + slot]
            row, head = row[head >= 0], head[head >= 0]
            step = self._at[head] - self._at[row]
            near = (np.abs(step) <= 1).all(axis=1)
            self._slot[row[near], step[near, 0] + 1, step[near, 1] + 1] = slot

    def slots(self, row: Int64Array, target: Int64Array) -> Int64Array:
        """(k) slot of the greedy move from rows toward targets, -1 where there is none."""
        away = self._at[target] - self._at[row]
        x, y = np.sign(away[:, 0]) + 1, np.sign(away[:, 1]) + 1
        diagonal = self._slot[row, x, y]
        along_x, along_y = self._slot[row, x, 1], self._slot[row, 1, y]
        flat = np.abs(away[:, 1]) <= np.abs(away[:, 0])
        longer, shorter = np.where(flat, along_x, along_y), np.where(flat, along_y, along_x)
        both = (x != 1) & (y != 1)
        detour = np.where(longer >= 0, longer, shorter)
        slot: Int64Array = np.where((diagonal < 0) & both, detour, diagonal)
        return slot


def _axial(cell: Int64Array, hex_layout: str | None) -> Int64Array:
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
