"""Distances between all pairs of clusters, stored as second differences.

Adjacent clusters usually have the same difference of distances to clusters far away, so the
difference of the differences along both axes is often 0, and small otherwise.
"""

from __future__ import annotations

import numpy as np

from bake.core.arrays import AnyArray, Int32Array, UInt32Array


def pair_differences(distance: Int32Array) -> UInt32Array:
    """Encode a table of distances; :func:`distances_of_pairs` decodes it.

    Args:
        distance: (c, c) int32, not negative.

    Returns:
        (k) uint32, each difference d of differences, modulo 2^32, as 2d, or as -2d - 1 if it is
        negative: row after row; of a symmetric table, only the first i + 1 entries of row i.

    >>> pair_differences(np.array([[0, 5], [5, 0]], dtype=np.int32)).tolist()
    [0, 10, 19]
    """
    step = np.diff(np.diff(distance, axis=0, prepend=0), axis=1, prepend=0).astype(np.int32)
    written = ((step << 1) ^ (step >> 31)).view(np.uint32)
    if np.array_equal(distance, distance.T):
        return written[np.tril_indices(len(written))]
    return written.reshape(-1)


def distances_of_pairs(written: AnyArray, count: int) -> Int32Array:
    """Decode a table from :func:`pair_differences`.

    Args:
        written: (k) uint32.
        count: the number of clusters.

    Returns:
        (count, count) int32, [from, to].

    Raises:
        ValueError: the size is not that of a table for ``count`` clusters, or a distance is
            negative.

    >>> distances_of_pairs(np.array([0, 10, 19], dtype=np.uint32), 2).tolist()
    [[0, 5], [5, 0]]
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
