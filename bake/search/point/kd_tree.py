"""Nearest-point queries on a k-d tree, with the same ties as a linear scan.

J. H. Friedman, J. L. Bentley, R. A. Finkel, "An Algorithm for Finding Best Matches in Logarithmic
Expected Time", ACM TOMS 3, 1977: halves along the widest axis down to buckets. A half is pruned by
its distance along all axes, as in S. Arya, D. M. Mount, "Algorithms for Fast Vector Quantization",
DCC 1993. Rounding is monotonic, so a pruned half contains no point that a scan in the same
arithmetic would prefer.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bake.core.arrays import BoolArray, Float64Array, Int32Array
from bake.core.kernels.jit import allocating, kernel

#: The approximate number of points in a bucket: fewer make the tree deeper, more the scan longer.
# limit: the order differs, answers do not; lowered by points
_BUCKET = 8
#: More halves than can be stacked on the way down a tree of 2**31 points.
_DEPTH = 40


class KdTree(NamedTuple):
    """Points in recursively halved sets; inner node i has the children 2 i + 1 and 2 i + 2."""

    #: (inner) int32, the axis of the cut: 0 = x, 1 = y, 2 = z.
    axis: Int32Array
    #: (inner) float64, the coordinate of the cut. No point of the first child lies beyond it, and
    #: no point of the second lies before it.
    split: Float64Array
    #: (buckets * size) float64 points, bucket by bucket; in the plane every z is 0.
    x: Float64Array
    y: Float64Array
    z: Float64Array
    #: (buckets * size) int32, the row of each point. Copies of the first point fill up the buckets.
    row: Int32Array
    #: (buckets * size) int32; breaks ties between equally near points, the lowest first.
    location: Int32Array

    @staticmethod
    def of(points: Float64Array, row: Int32Array, location: Int32Array) -> KdTree:
        """Build the tree of some points.

        Args:
            points: (k, 2) or (k, 3) float64, finite, k >= 1.
            row: (k) int32, unique.
            location: (k) int32, unique.
        """
        count = len(points)
        levels = max(0, (count - 1) // _BUCKET).bit_length()
        size = -(-count >> levels)
        order = np.zeros(size << levels, dtype=np.int64)
        order[:count] = np.arange(count)
        axes, splits = [np.empty(0, np.int32)], [np.empty(0)]
        for level in range(levels):
            parts = order.reshape(1 << level, -1)
            at = points[parts]
            axis = np.ptp(at, axis=1).argmax(axis=1)
            value = np.take_along_axis(at, axis[:, None, None], axis=2)[:, :, 0]
            half = parts.shape[1] // 2
            cut = np.argpartition(value, half, axis=1)
            order = np.take_along_axis(parts, cut, axis=1).reshape(-1)
            axes.append(axis.astype(np.int32))
            splits.append(np.take_along_axis(value, cut[:, half : half + 1], axis=1)[:, 0])
        x, y, *above = np.ascontiguousarray(points[order].T)
        z = above[0] if above else np.zeros(len(order))
        return KdTree(
            np.concatenate(axes), np.concatenate(splits), x, y, z, row[order], location[order]
        )


class Candidate(NamedTuple):
    """The nearest point so far."""

    #: The square of its distance.
    away: float
    #: Its location.
    location: int
    #: Its row; -1 = none, and then ``away`` is infinite.
    row: int


#: The candidate at the start of a search.
NONE = Candidate(float("inf"), 2**31 - 1, -1)


@allocating
def nearest_row(
    tree: KdTree, standing: BoolArray, x: float, y: float, z: float, known: Candidate, excluded: int
) -> int:
    """Return the row of the point nearest to (x, y, z); ties go to the lowest location.

    Args:
        z: 0 in the plane.
        standing: (r) bool, rows that count; empty = all rows.
        known: a point that counts, or :data:`NONE`.
        excluded: a row that does not count, or -1.
    """
    axis, split, xs, ys, zs, rows, locations = tree
    away, location, row = known
    inner = len(axis)
    size = len(xs) // (inner + 1)
    all_count = len(standing) == 0
    stacked = np.zeros(_DEPTH, np.int64)
    across = np.zeros(_DEPTH, np.float64)
    down = np.zeros(_DEPTH, np.float64)
    rise = np.zeros(_DEPTH, np.float64)
    count = 1
    while count > 0:
        count -= 1
        node, dx, dy, dz = stacked[count], across[count], down[count], rise[count]
        if dx * dx + dy * dy + dz * dz > away:
            continue
        while node < inner:
            other_dx, other_dy, other_dz = dx, dy, dz
            if axis[node] == 0:
                far = x - split[node]
                other_dx = abs(far)
            elif axis[node] == 1:
                far = y - split[node]
                other_dy = abs(far)
            else:
                far = z - split[node]
                other_dz = abs(far)
            first = 2 * node + 1
            second = first + 1
            if far < 0:
                node, other = first, second
            else:
                node, other = second, first
            if other_dx * other_dx + other_dy * other_dy + other_dz * other_dz <= away:
                stacked[count], across[count], down[count] = other, other_dx, other_dy
                rise[count] = other_dz
                count += 1
        begin = (node - inner) * size
        for at in range(begin, begin + size):
            ax, ay, az = xs[at] - x, ys[at] - y, zs[at] - z
            new = ax * ax + ay * ay + az * az
            if new < away or (new == away and locations[at] < location):
                candidate = rows[at]
                if candidate != excluded and (all_count or standing[candidate]):
                    away, location, row = new, locations[at], candidate
    return row


@kernel
def nearest_rows(
    tree: KdTree, standing: BoolArray, points: Float64Array, known: Candidate, result: Int32Array
) -> None:
    """Write the nearest row of each of some points to ``result``, (k) int32.

    Args:
        points: (k, 2) float64, or (k, 3) for points in space.
    """
    in_space = points.shape[1] == 3
    for at in range(len(points)):
        z = points[at, 2] if in_space else 0.0
        result[at] = nearest_row(tree, standing, points[at, 0], points[at, 1], z, known, -1)
