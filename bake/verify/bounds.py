"""Verify lower bounds: distances between clusters, and to and from pivots.

The value stored for two clusters is the smallest distance over all pairs of their rows, and every
such pair is checked. The distances come from the blocks of targets whose hops are verified; without
next hops scipy searches toward whole clusters. Columns of pivots need no pairs: a function that
falls along no arc by more than the arc's weight is a consistent heuristic, and so admissible.
"""

from __future__ import annotations

import threading
from itertools import pairwise

import numpy as np

from bake.core.arrays import AnyArray, Int32Array, Int64Array
from bake.core.graph import INFINITY, UNREACHABLE
from bake.verify.profile import FileProfile, Progress, search_distances


class ClusterDistances:
    """The stored distances of every pair of clusters, and the smallest distances seen so far.

    It is called with the distances of each verified block of targets.
    """

    def __init__(self, profile: FileProfile) -> None:
        """Start without any distances seen."""
        self.label = profile.int_column("cluster")
        count = int(self.label.max(initial=-1)) + 1
        self._order = np.argsort(self.label, kind="stable")
        self._first = np.searchsorted(self.label[self._order], np.arange(count))
        self._stored = profile.asset.cluster_distances(profile.name, count).astype(np.int32)
        self._least = np.full_like(self._stored, UNREACHABLE)
        self._profile, self._lock = profile, threading.Lock()

    @property
    def pairs(self) -> int:
        """The number of ordered pairs of clusters."""
        return len(self._first) ** 2

    @property
    def members(self) -> list[Int64Array]:
        """The rows of each cluster."""
        ends = [*self._first.tolist(), len(self._order)]
        return [self._order[begin:end] for begin, end in pairwise(ends)]

    def __call__(self, targets: Int32Array, dist: Int32Array) -> None:
        """Add (k) targets and the (r, k) ticks of the distances to them."""
        by_cluster = np.minimum.reduceat(dist[self._order], self._first, axis=0)
        by_cluster[by_cluster == INFINITY] = UNREACHABLE
        cluster = self.label[targets]
        order = np.argsort(cluster, kind="stable")
        goal, begin = np.unique(cluster[order], return_index=True)
        least = np.minimum.reduceat(by_cluster[:, order], begin, axis=1)
        with self._lock:
            self._least[:, goal] = np.minimum(self._least[:, goal], least)

    def compare(self, *, everything: bool) -> None:
        """Compare the stored distances with the smallest ones seen.

        After a sample of targets, a stored distance must only not exceed the smallest one seen.
        """
        too_large = self._stored > self._least
        wrong = self._stored != self._least if everything else too_large
        if wrong.any():
            a, b = (int(cluster) for cluster in np.argwhere(wrong)[0])
            smallest = "is not the smallest distance"
            what = "is no lower bound" if too_large[a, b] else smallest
            raise self._profile.wrong(f"cluster_distance from cluster {a} to {b} {what}")


def read_bounds(profile: FileProfile) -> ClusterDistances | None:
    """Return the bounds to verify pair by pair, and verify all others."""
    if profile.has("pivot_distance"):
        two_way = bool(profile.number("pivot_two_way"))
        pivot = profile.column("pivot_distance")
        _verify_pivots(profile, pivot, two_way=two_way)
    else:
        # Without pivots the attribute has no meaning, and a reader that uses it finds no arcs to
        # match.
        profile.require(profile.number("pivot_two_way") is None, "pivot_two_way without pivots")
    return ClusterDistances(profile) if profile.has("cluster_distance") else None


def search_bounds(
    profile: FileProfile, targets: Int64Array, bounds: ClusterDistances, progress: Progress
) -> None:
    """Search for distances that no table contains: to whole clusters, or to a sample of rows."""
    backward = profile.arcs.cheapest().T.tocsr()
    every = len(targets) == profile.rows
    sets = bounds.members if every else np.split(targets, len(targets))
    for done, rows in enumerate(sets, start=1):
        ticks = np.minimum(search_distances(backward, indices=rows, min_only=True), INFINITY)
        bounds(rows[:1].astype(np.int32), ticks.astype(np.int32)[:, None])
        progress(done / len(sets))


def part_of(progress: Progress, number: int, count: int) -> Progress:
    """Return a function that converts the progress of one part to the progress of all parts."""
    return lambda done: progress((number + done) / count)


def _verify_pivots(profile: FileProfile, pivot: AnyArray, *, two_way: bool) -> None:
    """Verify that distances to and from pivots are consistent and belong to actual pivots."""
    arcs, require = profile.arcs, profile.require
    half = pivot.shape[1] if two_way else pivot.shape[1] // 2
    require(two_way or pivot.shape[1] == 2 * half, "pivot_distance has an odd number of columns")
    onward = arcs.cheapest()
    if two_way:
        require(abs(onward - onward.T).nnz == 0, "pivot_two_way is wrong")
    backward = onward.T.tocsr()
    for column, stored in enumerate(pivot.T.astype(np.int64)):
        toward = two_way or column < half
        for back in (False, True) if two_way else (not toward,):
            tail, head = (arcs.head, arcs.tail) if back else (arcs.tail, arcs.head)
            consistent = (stored[tail] - stored[head] <= arcs.weight).all()
            require(consistent, f"pivot column {column} is not consistent")
        if not stored.any():
            continue  # This pivot reaches nothing, and bounds nothing.
        origin = np.flatnonzero(stored == 0)
        require(len(origin) == 1, f"pivot column {column} has not one pivot")
        real = search_distances(backward if toward else onward, indices=origin[0])
        reached = np.isfinite(real)
        filled = np.where(reached, real, real[reached].max())
        require((stored == filled).all(), f"pivot column {column} is not the distance")
        if not toward:
            other = pivot[:, column - half]
            same = not other.any() or other[origin[0]] == 0
            require(same, f"pivot column {column} is of another pivot than {column - half}")
