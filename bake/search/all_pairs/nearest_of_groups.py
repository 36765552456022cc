"""Find the nearest row of each group to many goals at once."""

from __future__ import annotations

from bake.arrays import Int32Array
from bake.graph import INFINITY
from bake.kernels.jit import kernel
from bake.search.all_pairs.batch import LANES


@kernel
def nearest_of_groups(
    dist: Int32Array, member: Int32Array, first: Int32Array, least: Int32Array
) -> None:
    """Write the smallest distance from any row of every group, for every lane.

    Args:
        dist: (r, LANES) int32 ticks, INFINITY = no path.
        member, first: rows by group; (r), (c + 1) int32.
        least: (c, LANES) int32, filled; INFINITY where there is no path.
    """
    for group in range(len(first) - 1):
        least[group, :] = INFINITY
        for i in range(first[group], first[group + 1]):
            for lane in range(LANES):
                least[group, lane] = min(least[group, lane], dist[member[i], lane])
