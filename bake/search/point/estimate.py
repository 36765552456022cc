"""Heuristics as data: what a kernel needs to tell how far a row lies from the goal, at least.

Kernels take no functions, so a heuristic is a number for its kind and a few arrays. A kind joins a
geometric part and a stored one; the estimate is the larger of the two, and the larger of two lower
bounds is one.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from bake.arrays import Float64Array, Int32Array, Int64Array
from bake.graph import UNREACHABLE
from bake.kernels.jit import inlined, kernel

#: Geometric parts, the low four bits of a kind.
NULL = 0
#: straight * larger + extra * smaller difference: Manhattan, octile, Chebyshev.
AXES = 1
HEX = 2
EUCLIDEAN = 3

#: Stored parts, the bits above.
#: table[row, 0] is the estimate itself, made for one goal.
ROWS = 1 << 4
#: table[row, j] is the distance between row and landmark j, the same both ways.
LANDMARKS = 2 << 4
#: table[row, j] is the distance to landmark j, table[row, k + j] the one from it, k = columns / 2.
LANDMARKS_DIRECTED = 3 << 4

#: Estimates are kept below every distance that counts as none.
LARGEST = 2**30 - 1

#: Weighted A* counts its weight in these.
INFLATION = 1024

_NONE = int(UNREACHABLE)


@dataclass(frozen=True)
class Estimate:
    """A heuristic, ready for kernels.

    Attributes:
        name: as users call it.
        kind: a geometric part, a stored part, or their sum.
        at: (r, 2) int32 coordinates of each row; any where the kind has no geometric part.
        straight, extra, shift: of AXES and HEX, see :mod:`bake.search.point.norms`.
        scale: of EUCLIDEAN, ticks a unit of distance.
        table: (r, k) int32 ticks; any where the kind has no stored part.
        admissible: whether no estimate is too large; None = nobody knows.
        consistent: whether it falls along no arc by more than the arc's weight; None = unknown.
    """

    name: str
    kind: int = NULL
    at: Int32Array = field(default_factory=lambda: np.zeros((0, 2), dtype=np.int32))
    straight: int = 0
    extra: int = 0
    shift: int = 0
    scale: float = 0.0
    table: Int32Array = field(default_factory=lambda: np.zeros((0, 1), dtype=np.int32))
    admissible: bool | None = True
    consistent: bool | None = True

    def numbers(self, inflation: int = INFLATION) -> Float64Array:
        """(6) float64: kind, straight, extra, shift, inflation, scale; all whole but the last."""
        return np.array(
            [self.kind, self.straight, self.extra, self.shift, inflation, self.scale],
            dtype=np.float64,
        )


@inlined
def spot(at: Int32Array, row: int) -> tuple[int, int]:
    """Coordinates of a row, where rows have any."""
    x = 0
    y = 0
    if len(at) > 0:
        x = int(at[row, 0])
        y = int(at[row, 1])
    return x, y


@inlined
def estimated(
    kind: int,
    straight: int,
    extra: int,
    shift: int,
    inflation: int,
    scale: float,
    at: Int32Array,
    table: Int32Array,
    row: int,
    goal: int,
    goal_x: int,
    goal_y: int,
) -> int:
    """Ticks from row to goal, at least (where admissible); (goal_x, goal_y) is at[goal]."""
    h = 0
    geometry = kind & 15
    if geometry != NULL:
        dx = int(at[row, 0]) - goal_x
        dy = int(at[row, 1]) - goal_y
        if geometry == AXES:
            dx = abs(dx)
            dy = abs(dy)
            h = (straight * max(dx, dy) + extra * min(dx, dy)) >> shift
        elif geometry == HEX:
            h = straight * max(abs(dx), abs(dy), abs(dx + dy))
        else:
            h = int(scale * np.sqrt(float(dx * dx + dy * dy)))
    stored = kind >> 4
    if stored == 1:
        h = max(h, int(table[row, 0]))
    elif stored == 2:
        for lane in range(table.shape[1]):
            here = int(table[row, lane])
            there = int(table[goal, lane])
            if max(here, there) != _NONE:
                h = max(h, abs(here - there))
    elif stored == 3:
        half = table.shape[1] >> 1
        for lane in range(half):
            here = int(table[row, lane])
            there = int(table[goal, lane])
            if max(here, there) != _NONE:
                h = max(h, here - there)
            here = int(table[row, half + lane])
            there = int(table[goal, half + lane])
            if max(here, there) != _NONE:
                h = max(h, there - here)
    if inflation != INFLATION:
        h = h * inflation // INFLATION
    return min(h, LARGEST)


@kernel
def fill_estimates(
    numbers: Float64Array,
    at: Int32Array,
    table: Int32Array,
    goal: int,
    h: Int64Array,
) -> None:
    """Write every row's estimate toward one goal into ``h`` (r)."""
    kind, straight, extra = int(numbers[0]), int(numbers[1]), int(numbers[2])
    shift, inflation, scale = int(numbers[3]), int(numbers[4]), numbers[5]
    x, y = spot(at, goal)
    for row in range(len(h)):
        h[row] = estimated(
            kind, straight, extra, shift, inflation, scale, at, table, row, goal, x, y
        )
