"""How far one can go straight from every place of a lattice, at one weight a step.

Two such runs, one after the other, are the shortest way there can be over ground of one cost;
whether they are free is two lookups. As in jump point search plus (S. Rabin, "JPS+: over 100x
faster than A*", Game AI Pro 2, 2015) runs are worked out beforehand, but along arcs, so corner
rules, one-way steps and differing costs are respected whatever they are.

Places are in chart coordinates (:func:`bake.greedy.chart`), framed by a border of one. A place's
*spot* is y * width + x; a *heading* numbers the eight directions (dx, dy).
"""

from __future__ import annotations

import numpy as np

from bake.arrays import Int32Array, UInt8Array
from bake.kernels.jit import inlined, kernel

#: Longest run told; longer ones are cut.
LONGEST = 255

HEADINGS = 8

#: A bit for each heading that is diagonal.
SLANTED = 0b10100101


@inlined
def heading(dx: int, dy: int) -> int:
    """Number of a direction: -1, 0 or 1 either way, not both 0."""
    way = (dx + 1) * 3 + dy + 1
    return way - 1 if way > 4 else way


@inlined
def offset(way: int, width: int) -> int:
    """What a step in a direction adds to a spot."""
    full = way + 1 if way > 3 else way
    return (full % 3 - 1) * width + full // 3 - 1


@kernel
def step_weights(
    row_data: Int32Array, arc_data: Int32Array, at: Int32Array, weight: Int32Array
) -> bool:
    """Ticks of the cheapest step from every row in every direction.

    Args:
        row_data, arc_data: see :mod:`bake.search.hierarchy.inside`.
        at: (r, 2) int32 chart coordinates.
        weight: (r, HEADINGS) int32, filled; 0 = no step.

    Returns:
        Whether all straight steps weigh the same, and all diagonal ones.
    """
    weight[:] = 0
    for row in range(len(row_data)):
        for arc in range(row_data[row, 2], row_data[row, 3]):
            other = arc_data[arc, 0]
            if other < 0 or other == row:
                continue
            dx, dy = at[other, 0] - at[row, 0], at[other, 1] - at[row, 1]
            if abs(dx) > 1 or abs(dy) > 1:
                continue
            way = heading(dx, dy)
            ticks = arc_data[arc, 1]
            if weight[row, way] == 0 or ticks < weight[row, way]:
                weight[row, way] = ticks
    seen = np.zeros(2, np.int32)
    for row in range(len(row_data)):
        for way in range(HEADINGS):
            ticks = weight[row, way]
            if ticks == 0:
                continue
            slanted = (SLANTED >> way) & 1
            if seen[slanted] == 0:
                seen[slanted] = ticks
            if ticks != seen[slanted]:
                return False
    return True


@kernel
def straight_runs(row_at: Int32Array, width: int, weight: Int32Array, run: UInt8Array) -> None:
    """Steps of equal weight from every spot in every direction.

    Args:
        row_at: (h * w) int32 in reading order of the chart; -1 where no row is, as on the border.
        width: w.
        weight: from :func:`step_weights`.
        run: (h * w, HEADINGS) uint8, filled; at most LONGEST.
    """
    run[:] = 0
    for way in range(HEADINGS):
        step = offset(way, width)
        for count in range(len(row_at)):
            # The next place of a run is always done before.
            spot = len(row_at) - 1 - count if step > 0 else count
            row = row_at[spot]
            if row < 0 or weight[row, way] == 0:
                continue
            beyond = row_at[spot + step]
            length = 1
            if beyond >= 0 and weight[beyond, way] == weight[row, way]:
                length = min(LONGEST, run[spot + step, way] + 1)
            run[spot, way] = length
