"""Find how far clusters lie from each other.

The smallest distance between two clusters is a lower bound of that between any two of their places.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from bake.arrays import Int32Array
from bake.errors import in_units, over_budget
from bake.graph import INFINITY, UNREACHABLE
from bake.search.all_pairs.batch import LANES, BatchScratch, BatchSearch
from bake.tables.clusters import Clusters

#: "auto" leaves the table out where it would have more entries than this (16 MiB) ...
# limit: the table is left out; tests/tables/test_cluster_distances.py
AUTO_PAIRS = 2**22

#: ... or searches for more distances: some seconds.
# limit: the table is left out; tests/tables/test_cluster_distances.py
AUTO_DISTANCES = 2**30

#: Bytes that searching takes for each arc.
ARC_BYTES = 52

#: Bytes that every level takes, whatever its size.
FIXED_BYTES = 2**14

#: Rows that are looked at together, and the rest of their last cluster.
# limit: the work is done in parts; lowered by bakes
PIECE = 2**11


def fits_auto(rows: int, clusters: int) -> bool:
    """Tell whether "auto" makes a table of this size."""
    return clusters * clusters <= AUTO_PAIRS and clusters * rows <= AUTO_DISTANCES


def working_bytes(found: Clusters) -> int:
    """Estimate the peak memory of :func:`cluster_distances` in bytes, the table included."""
    rows, clusters = found.sub.graph.node_count, found.count
    searches = rows * (BatchScratch.BYTES + 8) + found.sub.graph.arc_count * ARC_BYTES
    piece = PIECE + int(np.bincount(found.label, minlength=1).max())
    return searches + 4 * (clusters * clusters + piece * LANES) + FIXED_BYTES


def cluster_distances(found: Clusters, *, budget: int) -> Int32Array:
    """Search toward every cluster, from all places at once.

    Args:
        found: the clusters.
        budget: bytes this may allocate.

    Returns:
        (c, c) int32 ticks, [from, to]: the smallest distance from a row of the one to a row of the
        other; UNREACHABLE where there is no path.

    Raises:
        BudgetError: the budget is too short.
        CostError: distances run off the integer scale.
    """
    sub, count = found.sub, found.count
    needed = working_bytes(found)
    if needed > budget:
        remedy = "raise memory_budget or [clusters] size, or leave cluster_distances out"
        needs = f"distances between {count:,} clusters need {in_units(needed)}"
        raise over_budget(needs, budget, remedy)
    first, member, _ = found.members
    distance = np.empty((count, count), dtype=np.int32)
    search = BatchSearch.of(sub.graph, sub.weight)
    scratch = search.scratch()
    begins = np.flatnonzero(np.diff(first[:-1] // PIECE, prepend=-1)).tolist()
    pieces = list(pairwise([*begins, count]))
    for start in range(0, count, LANES):
        stop = min(start + LANES, count)
        target = member[first[start] : first[stop]]
        dist = search.distances_to_sets(target, found.label[target] - np.int32(start), scratch)
        for begin, end in pieces:
            reached = dist[member[first[begin] : first[end]], : stop - start]
            least = np.minimum.reduceat(reached, first[begin:end] - first[begin])
            distance[begin:end, start:stop] = np.where(least == INFINITY, UNREACHABLE, least)
    return distance
