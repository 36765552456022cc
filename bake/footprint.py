"""Square footprints: what k x k cells, anchored at their north-west cell, have in common."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bake.arrays import AnyArray

#: Largest side of a footprint, in cells.
MAX_SIZE = 16

Array = AnyArray


def under_footprint(
    grid: Array,
    size: int,
    combine: Callable[[Array, Array], Array],
    outside: object,
    floor_height: int | None = None,
) -> Array:
    """Combine the size x size cells below a footprint anchored at each cell.

    Doubles the window until it is wide enough, once for each axis: O(cells x log size).

    Args:
        grid: (height, width), of any dtype.
        size: cells along one side, at least 1.
        combine: an idempotent ufunc, such as ``numpy.maximum`` or ``numpy.logical_or``.
        outside: value of cells outside the level, and of those of another floor.
        floor_height: rows of one floor; None = there is one floor.

    Returns:
        (height, width), entry [y, x] for the footprint of x to x + size - 1, y to y + size - 1.
    """
    if size == 1:
        return grid
    height, width = grid.shape
    rows = floor_height or height
    found = grid.reshape(height // rows, rows, width)
    for axis in (1, 2):
        covered = 1
        while covered < size:
            step = min(covered, size - covered)
            shifted = np.full_like(found, outside)
            length = found.shape[axis]
            if step < length:
                target = [slice(None)] * 3
                source = [slice(None)] * 3
                target[axis], source[axis] = slice(0, length - step), slice(step, length)
                shifted[tuple(target)] = found[tuple(source)]
            found = combine(found, shifted)
            covered += step
    return found.reshape(height, width)
