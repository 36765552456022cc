"""Find the nearest of many points by a k-d tree, with ties decided as a scan would decide them.

J. H. Friedman, J. L. Bentley, R. A. Finkel, "An Algorithm for Finding Best Matches in Logarithmic
Expected Time", ACM TOMS 3, 1977: halves along the widest axis down to buckets. A half is passed
over by its distance along all axes, as in S. Arya, D. M. Mount, "Algorithms for Fast Vector
Quantization", DCC 1993. Rounding never turns an order round, so a half that is passed over holds
nothing that a scan in the same arithmetic would have preferred.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bake.arrays import BoolArray, Float64Array, Int32Array
from bake.kernels.jit import allocating, kernel

#: About as many points are in a bucket: fewer take a longer way down, more a longer scan.
# limit: the order differs, answers do not; lowered by points
_BUCKET = 8
#: More halves than can wait on the way down a tree of 2**31 points.
_DEPTH = 40


class KdTree(NamedTuple):
    """Points halved again and again; inner node i has the children 2 i + 1 and 2 i + 2.

    Attributes:
        axis: (inner) int32, 0 = a node is cut at an x, 1 = at a y, 2 = at a z.
        split: (inner) float64, where. No point of the first child lies beyond it, and none of the
            second lies before it.
        x, y, z: (buckets * size) float64 points, bucket by bucket; in the plane every z is 0.
        row: (buckets * size) int32, the row of each point. The first point fills the buckets up, so
            it may come several times.
        location: (buckets * size) int32; of equally near points the one with the lowest counts.
    """

    axis: Int32Array
    split: Float64Array
    x: Float64Array
    y: Float64Array
    z: Float64Array
    row: Int32Array
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
    """The nearest point found so far.

    Attributes:
        away: square of its distance.
        location: its location.
        row: its row; -1 = none, and then away is infinite.
    """

    away: float
    location: int
    row: int


#: What a search begins with that knows nothing.
NONE = Candidate(float("inf"), 2**31 - 1, -1)


@allocating
def nearest_row(
    tree: KdTree, standing: BoolArray, x: float, y: float, z: float, known: Candidate, but: int
) -> int:
    """Return the row of the point nearest to (x, y, z); of several that of the lowest location.

    Args:
        z: 0 in the plane.
        standing: (r) bool, rows that count; without any element all of them do.
        known: a point that counts, or :data:`NONE`.
        but: a row that does not count, or -1.
    """
    axis, split, xs, ys, zs, rows, locations = tree
    away, location, row = known
    inner = len(axis)
    size = len(xs) // (inner + 1)
    everywhere = len(standing) == 0
    waiting = np.zeros(_DEPTH, np.int64)
    across = np.zeros(_DEPTH, np.float64)
    down = np.zeros(_DEPTH, np.float64)
    rise = np.zeros(_DEPTH, np.float64)
    count = 1
    while count > 0:
        count -= 1
        node, dx, dy, dz = waiting[count], across[count], down[count], rise[count]
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
                waiting[count], across[count], down[count] = other, other_dx, other_dy
                rise[count] = other_dz
                count += 1
        begin = (node - inner) * size
        for at in range(begin, begin + size):
            ax, ay, az = xs[at] - x, ys[at] - y, zs[at] - z
            new = ax * ax + ay * ay + az * az
            if new < away or (new == away and locations[at] < location):
                candidate = rows[at]
                if candidate != but and (everywhere or standing[candidate]):
                    away, location, row = new, locations[at], candidate
    return row


@kernel
def nearest_rows(
    tree: KdTree, standing: BoolArray, points: Float64Array, known: Candidate, found: Int32Array
) -> None:
    """Write into ``found``, (k) int32, the nearest row of each of some points.

    Args:
        points: (k, 2) float64, or (k, 3) for points in space.
    """
    in_space = points.shape[1] == 3
    for at in range(len(points)):
        z = points[at, 2] if in_space else 0.0
        found[at] = nearest_row(tree, standing, points[at, 0], points[at, 1], z, known, -1)
