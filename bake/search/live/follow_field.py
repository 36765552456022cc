"""Walks along a flow field."""

from __future__ import annotations

from bake.arrays import Int32Array, Int64Array
from bake.kernels.jit import kernel


@kernel
def count_steps(ahead: Int32Array, goal: int, rows: Int32Array, count: Int64Array) -> None:
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
    first: Int64Array,
    count: Int64Array,
    path: Int32Array,
) -> None:
    """Write the way from each row, ``count`` places from ``first`` on."""
    for place in range(len(rows)):
        row = rows[place]
        for step in range(count[place]):
            path[first[place] + step] = row
            row = ahead[row]
