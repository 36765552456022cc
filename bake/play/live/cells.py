"""Keep what lies in each cell of a large lattice, version by version: only squares that differ.

A copy of a value for every cell would take longer than an update may. So a version shares the baked
values with all others, and has a small array of its own for each square in which some differ.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np

from bake.core.arrays import AnyArray, Int64Array


class Cells:
    """One value for each cell, as it was baked but for some squares; it never changes."""

    def __init__(
        self, baked: AnyArray, width: int, side: int, squares: Mapping[int, AnyArray] | None = None
    ) -> None:
        """Take the values of a version.

        Args:
            baked: (cells) the values as they were baked, in reading order; never written to.
            width: of the grid.
            side: cells along one side of a square.
            squares: (side * side) values of each square in which some differ, by its number in
                reading order; cells beyond the grid have any.
        """
        self.baked = baked
        self.squares = squares or {}
        self._width, self._side = width, side
        self._across = -(-width // side)

    def __len__(self) -> int:
        return len(self.baked)

    def _split(self, locations: AnyArray) -> tuple[AnyArray, AnyArray]:
        """Return the square of each location, and where in it the location lies."""
        y, x = np.divmod(locations, self._width)
        side = self._side
        return y // side * self._across + x // side, y % side * side + x % side

    def __getitem__(self, locations: AnyArray) -> AnyArray:
        """Return the values at some locations, an array of any shape."""
        found: AnyArray = np.asarray(self.baked[locations])
        if self.squares:
            square, place = self._split(np.asarray(locations))
            for number in self.squares.keys() & set(np.unique(square).tolist()):
                found = np.where(square == number, self.squares[number][place], found)
        return found

    def members(self, square: int) -> Int64Array:
        """Return (side * side) int64 locations of a square's cells, -1 beyond the grid."""
        down, along = divmod(square, self._across)
        inside = np.arange(self._side, dtype=np.int64)
        y, x = (down * self._side + inside)[:, None], (along * self._side + inside)[None, :]
        height = len(self.baked) // self._width
        location = np.where((y < height) & (x < self._width), y * self._width + x, -1)
        return location.reshape(-1)

    def edited(self, locations: Int64Array, values: AnyArray) -> Cells:
        """Return the values after those of some cells, (k) each, became others."""
        squares = dict(self.squares)
        square, place = self._split(locations)
        for number in np.unique(square).tolist():
            members = self.members(number)
            baked = np.where(members < 0, np.zeros(1, self.baked.dtype), self.baked[members])
            mine = square == number
            now = squares.get(number, baked).copy()
            now[place[mine]] = values[mine]
            squares[number] = now
            if np.array_equal(now, baked):
                del squares[number]
        return Cells(self.baked, self._width, self._side, squares)

    def unlike(self) -> Int64Array:
        """Return the locations whose values are not the baked ones, ascending."""
        found = [np.zeros(0, dtype=np.int64)]
        for number, now in self.squares.items():
            members = self.members(number)
            found.append(members[(members >= 0) & (self.baked[members] != now)])
        return np.sort(np.concatenate(found))

    def whole(self) -> AnyArray:
        """Return (cells) all values, which takes as much memory as the level has cells."""
        values, at = self.baked.copy(), self.unlike()
        values[at] = self[at]
        return values


#: Values of cells, or of nodes: an array of all of them, or on large lattices what differs.
Values: TypeAlias = "AnyArray | Cells"


def edited(values: Values, locations: Int64Array, new: AnyArray) -> Values:
    """Return values after those of some locations, (k) each, became others."""
    if isinstance(values, Cells):
        return values.edited(locations, new)
    after = values.copy()
    after[locations] = new
    return after


def whole(values: Values) -> AnyArray:
    """Return all values, as an array of its own."""
    return values.whole() if isinstance(values, Cells) else values.copy()


def window(values: Values, width: int, down: slice, along: slice) -> AnyArray:
    """Return the values in a rectangle of cells, (h, w)."""
    if isinstance(values, Cells):
        y, x = np.arange(down.start, down.stop), np.arange(along.start, along.stop)
        return values[y[:, None] * width + x[None, :]]
    part: AnyArray = values.reshape(-1, width)[down, along]
    return part


def unlike(values: Values, baked: AnyArray) -> Int64Array:
    """Return the locations whose values are not the baked ones, ascending."""
    if isinstance(values, Cells):
        return values.unlike()
    return np.flatnonzero(values != baked)


def all_unlike(values: Values, others: Values) -> Int64Array:
    """Return the locations where two versions differ, ascending."""
    if isinstance(values, Cells) and isinstance(others, Cells):
        near = np.union1d(values.unlike(), others.unlike())
        found: Int64Array = near[values[near] != others[near]]
        return found
    assert not isinstance(values, Cells)
    assert not isinstance(others, Cells)
    return np.flatnonzero(values != others)
