"""The placement of a prototype in a level: mirrored, rotated and moved."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bake.core.arrays import AnyArray, Int32Array

#: Added to the quarter turns of a mirrored placement in its one-number form.
MIRRORED = 4

#: The number of such one-number forms.
TURNS = 8


class Placement(NamedTuple):
    """The placement of a prototype in a level: mirrored first, then rotated, then moved.

    >>> placement = Placement((10, 20), 1, mirrored=False)
    >>> placement.cells(np.array([[0, 0], [2, 0]]), width=3, height=2).tolist()
    [[11, 20], [11, 22]]
    """

    #: X and y of the north-west corner of the area it covers, in the whole grid.
    at: tuple[int, int]
    #: Quarter turns clockwise, 0 to 3.
    quarters: int
    #: Whether east and west are swapped before the rotation.
    mirrored: bool

    @property
    def turn(self) -> int:
        """Quarter turns and mirroring as one number, 0 to TURNS - 1."""
        return self.quarters + MIRRORED * self.mirrored

    @staticmethod
    def from_turn(at: tuple[int, int], turn: int) -> Placement:
        """Return the placement with a given :attr:`turn`."""
        return Placement(at, turn % MIRRORED, turn >= MIRRORED)

    def size(self, width: int, height: int) -> tuple[int, int]:
        """Return the width and height that a placed prototype of this size covers."""
        return (height, width) if self.quarters % 2 else (width, height)

    def cells(self, drawn: AnyArray, width: int, height: int) -> Int32Array:
        """Return the cells of the level that cells of a prototype become.

        Args:
            drawn: (k, 2) x and y of cells as the prototype is drawn.
            width, height: size of the prototype as it is drawn.

        Returns:
            (k, 2) int32 x and y in the whole grid.
        """
        x, y = drawn.astype(np.int32).T
        if self.mirrored:
            x = width - 1 - x
        for _ in range(self.quarters):
            x, y = height - 1 - y, x
            width, height = height, width
        return np.stack([x + self.at[0], y + self.at[1]], axis=1).astype(np.int32)


def all_cells(width: int, height: int) -> Int32Array:
    """Return (width * height, 2) int32 x and y of all cells of a rectangle, row by row."""
    y, x = np.divmod(np.arange(width * height, dtype=np.int32), np.int32(width))
    return np.stack([x, y], axis=1)
