"""Distances between all pairs of a few things, stored as what neighbours in the table differ by.

Two clusters beside each other mostly differ by the same from clusters that lie far away, so the
difference of the differences along both axes is often 0, and small where it is not.
"""

from __future__ import annotations

import numpy as np

from bake.arrays import AnyArray, Int32Array, UInt32Array


def pair_differences(distance: Int32Array) -> UInt32Array:
    """Return what a table of distances is stored as; :func:`distances_of_pairs` is the way back.

    Args:
        distance: (c, c) int32, not negative.

    Returns:
        (k) uint32, each difference d of differences, modulo 2^32, as 2d, or -2d - 1 where it is
        negative: row after row, and where the table is symmetric only the first i + 1 of row i.
    """
    step = np.diff(np.diff(distance, axis=0, prepend=0), axis=1, prepend=0).astype(np.int32)
    written = ((step << 1) ^ (step >> 31)).view(np.uint32)
    if np.array_equal(distance, distance.T):
        return written[np.tril_indices(len(written))]
    return written.reshape(-1)


def distances_of_pairs(written: AnyArray, count: int) -> Int32Array:
    """Return the table that :func:`pair_differences` was given.

    Args:
        written: (k) uint32.
        count: of the things that have distances.

    Returns:
        (count, count) int32, [from, to].

    Raises:
        ValueError: it is no table of so many things, or one with a negative distance.
    """
    half = count * (count + 1) // 2
    if len(written) not in (half, count * count):
        raise ValueError(f"has {len(written):,} distances of {count:,} clusters")
    step = np.empty((count, count), dtype=np.uint32)
    if len(written) == half:
        lower = np.tril_indices(count)
        step[lower] = step.T[lower] = written
    else:
        step[...] = written.reshape(count, count)
    step = np.where(step & 1, ~(step >> 1), step >> 1)
    distance = step.cumsum(axis=0, dtype=np.uint32).cumsum(axis=1, dtype=np.uint32).view(np.int32)
    if (distance < 0).any():
        raise ValueError("has a negative distance")
    return distance
