"""Say how a prototype stands in a level: mirrored, turned, and where."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bake.arrays import AnyArray, Int32Array

#: What is added to the quarter turns of a placement that is mirrored, where both are one number.
MIRRORED = 4

#: How many such numbers there are.
TURNS = 8


class Placement(NamedTuple):
    """How a prototype stands in a level: mirrored first, then turned, then moved.

    Attributes:
        at: x and y of the north-west corner of what it covers, in the whole grid.
        quarters: quarter turns clockwise, 0 to 3.
        mirrored: whether east and west are swapped before it is turned.
    """

    at: tuple[int, int]
    quarters: int
    mirrored: bool

    @property
    def turn(self) -> int:
        """Return quarter turns and mirroring as one number."""
        return self.quarters + MIRRORED * self.mirrored

    @staticmethod
    def of(at: tuple[int, int], turn: int) -> Placement:
        """Return the placement of a number that :attr:`turn` gave."""
        return Placement(at, turn % MIRRORED, turn >= MIRRORED)

    def size(self, width: int, height: int) -> tuple[int, int]:
        """Return how many cells wide and high a prototype of this size is where it stands."""
        return (height, width) if self.quarters % 2 else (width, height)

    def cells(self, drawn: AnyArray, width: int, height: int) -> Int32Array:
        """Return where cells of a prototype lie in the level.

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
