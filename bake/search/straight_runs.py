"""How far one can go straight from every place of a lattice, at one weight a step.

Two such runs, one after the other, are the shortest way there can be over ground of one cost;
whether they are free is two lookups. As in jump point search plus (S. Rabin, "JPS+: over 100x
faster than A*", Game AI Pro 2, 2015) runs are worked out beforehand, but along arcs, so corner
rules, one-way steps and differing costs are respected whatever they are.

Places are in chart coordinates (:func:`bake.greedy.chart`); a direction (dx, dy) is number
``(dx + 1) * 3 + dy + 1``.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bake.graph import Int32Array
from bake.search.jit import kernel

#: Longest run told; longer ones are cut.
LONGEST = 255

#: Numbers of directions, the middle one of which is none.
DIRECTIONS = 9


@kernel
def step_weights(
    first_arc: Int32Array,
    end_arc: Int32Array,
    arc_data: Int32Array,
    at: Int32Array,
    weight: Int32Array,
) -> None:
    """(r, DIRECTIONS) int32 ticks of the cheapest arc that way, 0 = none."""
    weight[:] = 0
    for row in range(len(first_arc)):
        for arc in range(first_arc[row], end_arc[row]):
            other = arc_data[arc, 0]
            if other < 0:
                continue
            dx, dy = at[other, 0] - at[row, 0], at[other, 1] - at[row, 1]
            if abs(dx) > 1 or abs(dy) > 1:
                continue
            way = (dx + 1) * 3 + dy + 1
            ticks = arc_data[arc, 1]
            if weight[row, way] == 0 or ticks < weight[row, way]:
                weight[row, way] = ticks


@kernel
def straight_runs(
    row_at: Int32Array,
    width: int,
    weight: Int32Array,
    run: npt.NDArray[np.uint8],
) -> None:
    """Steps of equal weight from every row in every direction.

    Args:
        row_at: (h * w) int32 in reading order of the chart, framed by a border of -1.
        width: w.
        weight: from :func:`step_weights`.
        run: (r, DIRECTIONS) uint8, filled; at most LONGEST.
    """
    run[:] = 0
    for way in range(DIRECTIONS):
        offset = (way % 3 - 1) * width + way // 3 - 1
        if offset == 0:
            continue
        for count in range(len(row_at)):
            # The next place of a run is always done before.
            place = len(row_at) - 1 - count if offset > 0 else count
            row = row_at[place]
            if row < 0 or weight[row, way] == 0:
                continue
            beyond = row_at[place + offset]
            length = 1
            if beyond >= 0 and weight[beyond, way] == weight[row, way]:
                length = min(LONGEST, run[beyond, way] + 1)
            run[row, way] = length
