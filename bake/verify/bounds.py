"""Prove lower bounds: distances between clusters, and those of pivots.

What is stored for two clusters is the smallest distance over all pairs of their rows. The proof
looks at every such pair. It uses the distances of the blocks of targets whose hops are proved;
without next hops it searches toward whole clusters. Columns of pivots need no pairs: what
falls along no arc by more than the arc's weight is a consistent heuristic, and so admissible.
"""

from __future__ import annotations

import threading

import numpy as np

from bake.arrays import AnyArray, Int32Array, Int64Array
from bake.graph import INFINITY, UNREACHABLE
from bake.kernels.jit import kernel
from bake.verify.profile import FileProfile, Progress
from bake.verify.search import LANES, Search, Sets


@kernel
def least_by_group(dist: Int32Array, group: Int32Array, least: Int32Array) -> None:
    """Find the smallest distance from any row of each group.

    Args:
        dist: (r, k) ticks, INFINITY where there is no path.
        group: (r) group of each row.
        least: (groups, k) out; INFINITY where there is no path.
    """
    least[:] = INFINITY
    for row in range(len(group)):
        mine, found = dist[row], least[group[row]]
        for lane in range(len(mine)):
            found[lane] = min(found[lane], mine[lane])


class ClusterDistances:
    """The distances that are stored for every pair of clusters, and what was found for them.

    It is called with the distances of a block of targets, and looks at them.
    """

    def __init__(self, profile: FileProfile) -> None:
        """Begin with nothing found."""
        label = profile.whole("cluster")
        self._count = int(label.max(initial=-1)) + 1
        stored = profile.asset.cluster_distances(profile.name, self._count)
        self._profile = profile
        self._label, self._stored = label.astype(np.int32), stored.astype(np.int32)
        self._least = np.full_like(self._stored, UNREACHABLE)
        self._lock = threading.Lock()

    @property
    def pairs(self) -> int:
        """Return how many ordered pairs of clusters there are."""
        return self._count**2

    def __call__(self, targets: Int32Array, dist: Int32Array) -> None:
        """Look at (k) targets and the (r, k) ticks of the distances to them."""
        found = self._least_of(dist)
        cluster = self._label[targets]
        order = np.argsort(cluster, kind="stable")
        goal, begin = np.unique(cluster[order], return_index=True)
        least = np.minimum.reduceat(found[:, order], begin, axis=1)
        with self._lock:
            self._least[:, goal] = np.minimum(self._least[:, goal], least)

    def search(self, search: Search, progress: Progress) -> None:
        """Look at every pair of rows by searches toward whole clusters."""
        order = np.argsort(self._label, kind="stable")
        first = np.searchsorted(self._label[order], np.arange(self._count + 1))

        def sets_of(begin: int) -> Sets:
            count = min(LANES, self._count - begin)
            rows = order[first[begin] : first[begin + count]]
            lane = self._label[rows].astype(np.int64) - begin
            return Sets(rows, lane, count)

        def look(begin: int, dist: Int32Array) -> None:
            self._least[:, begin : begin + dist.shape[1]] = self._least_of(dist)

        search.toward(range(0, self._count, LANES), sets_of, look, progress)

    def judge(self, *, everything: bool) -> None:
        """Compare what is stored with what was found.

        Where only some targets were looked at, nothing stored may be larger than what was found.
        """
        too_large = self._stored > self._least
        wrong = self._stored != self._least if everything else too_large
        if wrong.any():
            a, b = (int(cluster) for cluster in np.argwhere(wrong)[0])
            smallest = "is not the smallest distance"
            what = "is no lower bound" if too_large[a, b] else smallest
            raise self._profile.wrong(f"cluster_distance from cluster {a} to {b} {what}")

    def _least_of(self, dist: Int32Array) -> Int32Array:
        least = np.empty((self._count, dist.shape[1]), dtype=np.int32)
        least_by_group(dist, self._label, least)
        least[least == INFINITY] = UNREACHABLE
        return least


def read_bounds(profile: FileProfile) -> ClusterDistances | None:
    """Return the lower bounds that have to be proved pair by pair, and prove the others."""
    if profile.has("pivot_distance"):
        two_way = bool(profile.number("pivot_two_way"))
        pivot = profile.column("pivot_distance")
        _prove_pivots(profile, pivot, two_way=two_way)
    else:
        # Without pivots it says nothing, and a reader that believes it finds no arcs to match.
        profile.require(profile.number("pivot_two_way") is None, "pivot_two_way is of no pivots")
    return ClusterDistances(profile) if profile.has("cluster_distance") else None


def search_bounds(
    profile: FileProfile, targets: Int64Array, bounds: ClusterDistances, progress: Progress
) -> None:
    """Search for the distances that no table states, toward all rows or a sample of them."""
    search = Search(profile.arcs)
    if len(targets) == profile.rows:
        bounds.search(search, progress)
        return
    search.toward(
        [targets[begin : begin + LANES] for begin in range(0, len(targets), LANES)],
        lambda block: Sets(block, np.arange(len(block)), len(block)),
        lambda block, dist: bounds(block.astype(np.int32), dist),
        progress,
    )


def part_of(progress: Progress, number: int, count: int) -> Progress:
    """Return a function that turns the progress of one part into the progress of all parts."""
    return lambda done: progress((number + done) / count)


def _prove_pivots(profile: FileProfile, pivot: AnyArray, *, two_way: bool) -> None:
    """Prove that distances to and from pivots are consistent and belong to real pivots."""
    from scipy.sparse.csgraph import dijkstra

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
            continue  # This pivot leads nowhere, and bounds nothing.
        origin = np.flatnonzero(stored == 0)
        require(len(origin) == 1, f"pivot column {column} has not one pivot")
        real = dijkstra(backward if toward else onward, indices=origin[0])
        reached = np.isfinite(real)
        filled = np.where(reached, real, real[reached].max())
        require((stored == filled).all(), f"pivot column {column} is not the distance")
        if not toward:
            other = pivot[:, column - half]
            same = not other.any() or other[origin[0]] == 0
            require(same, f"pivot column {column} is of another pivot than {column - half}")
