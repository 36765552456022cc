"""The squares that places lie in, and the classes that clusters are cut from.

On lattices squares of cells, on graphs with positions squares of the plane, on other graphs runs of
consecutive rows; or regions a designer drew.
"""

from __future__ import annotations

import numpy as np

from bake.arrays import Float64Array, Int32Array, Int64Array

#: Squares along a side of a graph's plane; what lies beyond is in the last.
MOST_SQUARES = 2**14


def squares(
    size: int,
    rows: int,
    *,
    cell: Int32Array | None = None,
    position: Float64Array | None = None,
    laid_by: int | None = None,
) -> Int32Array:
    """(r, 2) int32, column and row of the square each row lies in.

    Args:
        size: side of a square in cells; on graphs one has about size * size nodes.
        rows: r.
        cell: (r, 2) int32 (x, y) of each row of a lattice.
        position: (r, 2) float64 of each row of a graph.
        laid_by: how many of the first rows decide where squares of a plane lie; None = all.
    """
    if cell is not None:
        return (cell // np.int32(size)).astype(np.int32)
    if position is not None:
        return _squares_of_plane(position, size * size, rows if laid_by is None else laid_by)
    chunk = np.arange(rows, dtype=np.int32) // np.int32(min(size * size, 2**31 - 1))
    return np.stack([chunk, np.zeros_like(chunk)], axis=1)


def _squares_of_plane(position: Float64Array, mean: int, laid_by: int) -> Int32Array:
    """So many squares that one holds about ``mean`` nodes."""
    rows, laid = len(position), position[:laid_by]
    if not len(laid):
        return np.zeros((rows, 2), dtype=np.int32)
    low = laid.min(axis=0)
    with np.errstate(over="ignore"):  # told below by a side that is not finite
        extent = laid.max(axis=0) - low
    wanted = max(1.0, len(laid) / mean)
    longer, shorter = float(extent.max()), float(extent.min())
    if not np.isfinite(longer) or longer <= 0:
        return np.zeros((rows, 2), dtype=np.int32)
    # Squares of side a cover the rectangle: longer / a * max(1, shorter / a) = wanted.
    side = max(np.sqrt(longer * shorter / wanted), longer / wanted)
    last = np.clip(np.ceil((laid.max(axis=0) - low) / side) - 1, 0, MOST_SQUARES - 1)
    square: Int32Array = np.clip((position - low) // side, 0, last).astype(np.int32)
    return square


def classes(tile: Int32Array, region: Int32Array | None) -> Int64Array:
    """(r) int64, a number for each row that only rows of its square share, or of its region.

    Regions come first, then squares in reading order.

    Args:
        tile: from :func:`squares`.
        region: (r) int32, -1 outside all; None = there are none.
    """
    key: Int64Array = (tile[:, 1].astype(np.int64) << 32) + tile[:, 0]
    if region is not None:
        key = np.where(region < 0, key + 2**31, region)
    return key


def region_of_rows(
    regions: tuple[Int32Array, ...], cell: Int32Array, width: int, height: int
) -> Int32Array:
    """(r) int32, the first of several regions each row's cell lies in; -1 = in none.

    Args:
        regions: cells (k, 2) int32 (x, y) of each region, inside the level.
        cell: (r, 2) int32.
        width, height: of the level in cells.
    """
    drawn = np.full((height, width), -1, dtype=np.int32)
    for place in range(len(regions) - 1, -1, -1):
        drawn[regions[place][:, 1], regions[place][:, 0]] = place
    found: Int32Array = drawn[cell[:, 1], cell[:, 0]]
    return found
