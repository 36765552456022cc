"""Distances between clusters.

The smallest distance between two clusters is a lower bound of the distance between any two of their
rows.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from bake.core.arrays import Int32Array
from bake.core.errors import in_units, over_budget
from bake.core.graph import INFINITY, UNREACHABLE
from bake.search.all_pairs.batch import LANES, BatchScratch, BatchSearch
from bake.tables.clusters import Clusters

#: "auto" omits a table of more entries than this (16 MiB) ...
# limit: the table is left out; tests/tables/test_cluster_distances.py
AUTO_PAIRS = 2**22

#: ... or one that needs more distances than this: some seconds.
# limit: the table is left out; tests/tables/test_cluster_distances.py
AUTO_DISTANCES = 2**30

#: Bytes of the search for each arc.
ARC_BYTES = 52

#: Bytes for any level, whatever its size.
FIXED_BYTES = 2**14

#: Rows that are reduced together, not counting the rest of their last cluster.
# limit: the work is done in parts; lowered by bakes
PIECE = 2**11


def fits_auto(rows: int, clusters: int) -> bool:
    """Return whether "auto" includes a table of this size."""
    return clusters * clusters <= AUTO_PAIRS and clusters * rows <= AUTO_DISTANCES


def working_bytes(partition: Clusters) -> int:
    """Estimate the peak memory of :func:`cluster_distances` in bytes, including the table."""
    rows, clusters = partition.sub.graph.node_count, partition.count
    searches = rows * (BatchScratch.BYTES + 8) + partition.sub.graph.arc_count * ARC_BYTES
    band = PIECE + int(np.bincount(partition.label, minlength=1).max())
    return searches + 4 * (clusters * clusters + band * LANES) + FIXED_BYTES


def cluster_distances(partition: Clusters, *, budget: int) -> Int32Array:
    """Compute the smallest distance from each cluster to each other one.

    Args:
        partition: the clusters.
        budget: bytes this may allocate.

    Returns:
        (c, c) int32 ticks, [from, to]: the smallest distance from a row of one cluster to a row of
        the other; UNREACHABLE where there is no path.

    Raises:
        BudgetError: the budget is too small.
        CostError: distances exceed the integer scale.
    """
    sub, count = partition.sub, partition.count
    needed = working_bytes(partition)
    if needed > budget:
        remedy = "raise memory_budget or [clusters] size, or leave cluster_distances out"
        needs = f"distances between {count:,} clusters need {in_units(needed)}"
        raise over_budget(needs, budget, remedy)
    first, member, _ = partition.members
    distance = np.empty((count, count), dtype=np.int32)
    search = BatchSearch.build(sub.graph, sub.weight)
    scratch = search.scratch()
    begins = np.flatnonzero(np.diff(first[:-1] // PIECE, prepend=-1)).tolist()
    bands = list(pairwise([*begins, count]))
    for start in range(0, count, LANES):
        stop = min(start + LANES, count)
        target = member[first[start] : first[stop]]
        dist = search.distances_to_sets(target, partition.label[target] - np.int32(start), scratch)
        for begin, end in bands:
            reached = dist[member[first[begin] : first[end]], : stop - start]
            least = np.minimum.reduceat(reached, first[begin:end] - first[begin])
            distance[begin:end, start:stop] = np.where(least == INFINITY, UNREACHABLE, least)
    return distance
