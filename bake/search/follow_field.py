"""Walks along a flow field."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bake.graph import Int32Array
from bake.search.jit import kernel


@kernel
def count_steps(
    ahead: Int32Array, goal: int, rows: Int32Array, count: npt.NDArray[np.int64]
) -> None:
    """How many places the way from each row has, both ends included; 0 where there is none."""
    for place in range(len(rows)):
        row = rows[place]
        steps = 1
        while row != goal and row >= 0:
            row = ahead[row]
            steps += 1
        count[place] = steps if row == goal else 0


@kernel
def follow_field(
    ahead: Int32Array,
    rows: Int32Array,
    first: npt.NDArray[np.int64],
    count: npt.NDArray[np.int64],
    path: Int32Array,
) -> None:
    """Write the way from each row, ``count`` places from ``first`` on."""
    for place in range(len(rows)):
        row = rows[place]
        for step in range(count[place]):
            path[first[place] + step] = row
            row = ahead[row]
