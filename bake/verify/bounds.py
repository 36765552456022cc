"""Prove lower bounds: distances between clusters, pivots and basins.

What is stored for two clusters or basins is the smallest of something over all pairs of their rows.
The proofs look at every such pair. They use the distances of the blocks of targets whose hops are
proved; without next hops they search toward whole clusters. Columns of pivots need no pairs: what
falls along no arc by more than the arc's weight is a consistent heuristic, and so admissible.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from bake.arrays import AnyArray, Int32Array, Int64Array, UInt8Array
from bake.graph import INFINITY, UNREACHABLE
from bake.kernels.jit import kernel
from bake.verify.profile import Profile, Progress
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


@kernel
def least_beyond(
    dist: Int32Array, group: Int32Array, height: Int32Array, field: UInt8Array, least: Int32Array
) -> None:
    """Find the smallest distance less a field from any row of each group.

    Args:
        dist: (r, k) ticks, INFINITY where there is no path.
        group: (r) group of each row.
        height: (r, f) ticks of each field, above -2**30.
        field: (groups, k) the field that counts for the rows of a group.
        least: (groups, k) out; UNREACHABLE where there is no path.
    """
    least[:] = UNREACHABLE
    for row in range(len(group)):
        mine, found, lifts = dist[row], least[group[row]], height[row]
        chosen = field[group[row]]
        for lane in range(len(mine)):
            beyond = np.int32(mine[lane] - lifts[chosen[lane]])
            found[lane] = min(found[lane], beyond if mine[lane] < INFINITY else UNREACHABLE)


class Bound(ABC):
    """What is stored as a value of every pair of groups, and what was found for it.

    A bound is called with the distances of a block of targets, and looks at them.
    """

    #: The column, what its groups are called, and what a stored value has to be the smallest of.
    COLUMN, GROUP, SMALLEST = "", "", ""

    def __init__(self, profile: Profile, label: AnyArray, stored: AnyArray) -> None:
        """Begin with nothing found; take the (r) group of each row and (groups, groups) ticks."""
        self._profile = profile
        self._label, self._stored = label.astype(np.int32), stored.astype(np.int32)
        self._count = len(stored)
        self._least = np.full_like(self._stored, UNREACHABLE)
        self._lock = threading.Lock()

    @property
    def pairs(self) -> int:
        """Return how many ordered pairs of groups there are."""
        return self._count**2

    @abstractmethod
    def __call__(self, targets: Int32Array, dist: Int32Array) -> None:
        """Look at (k) targets and the (r, k) ticks of the distances to them."""

    @abstractmethod
    def search(self, search: Search, progress: Progress) -> None:
        """Look at every pair of rows by searches toward whole groups."""

    def judge(self, *, everything: bool) -> None:
        """Compare what is stored with what was found.

        Where only some targets were looked at, nothing stored may be larger than what was found.
        """
        too_large = self._stored > self._least
        wrong = self._stored != self._least if everything else too_large
        if wrong.any():
            a, b = (int(group) for group in np.argwhere(wrong)[0])
            smallest = f"is not the smallest {self.SMALLEST}"
            what = "is no lower bound" if too_large[a, b] else smallest
            raise self._profile.wrong(f"{self.COLUMN} from {self.GROUP} {a} to {b} {what}")

    def _note(self, targets: Int32Array, found: AnyArray) -> None:
        """Keep (groups, k) ticks toward targets where they are less than those found before."""
        group = self._label[targets]
        order = np.argsort(group, kind="stable")
        goal, begin = np.unique(group[order], return_index=True)
        least = np.minimum.reduceat(found[:, order], begin, axis=1)
        with self._lock:
            self._least[:, goal] = np.minimum(self._least[:, goal], _narrow(least))

    def _members(self) -> tuple[Int64Array, Int64Array]:
        """Return the rows by group, and where each group begins among them."""
        order = np.argsort(self._label, kind="stable")
        return order, np.searchsorted(self._label[order], np.arange(self._count + 1))


class ClusterDistances(Bound):
    """The proof of distances between clusters."""

    COLUMN, GROUP, SMALLEST = "cluster_distance", "cluster", "distance"

    def __init__(self, profile: Profile) -> None:
        profile.require(profile.has("cluster"), "cluster_distance, but no cluster")
        label = profile.whole("cluster")
        stored = profile.asset.cluster_distances(profile.name, int(label.max(initial=-1)) + 1)
        super().__init__(profile, label, stored)

    def __call__(self, targets: Int32Array, dist: Int32Array) -> None:
        self._note(targets, self._least_of(dist))

    def search(self, search: Search, progress: Progress) -> None:
        order, first = self._members()

        def sets_of(begin: int) -> Sets:
            count = min(LANES, self._count - begin)
            rows = order[first[begin] : first[begin + count]]
            lane = self._label[rows].astype(np.int64) - begin
            return Sets(rows, lane, np.zeros_like(lane), count)

        def look(begin: int, dist: Int32Array) -> None:
            self._least[:, begin : begin + dist.shape[1]] = self._least_of(dist)

        search.toward(range(0, self._count, LANES), sets_of, look, progress)

    def _least_of(self, dist: Int32Array) -> Int32Array:
        least = np.empty((self._count, dist.shape[1]), dtype=np.int32)
        least_by_group(dist, self._label, least)
        least[least == INFINITY] = UNREACHABLE
        return least


class BasinDistances(Bound):
    """The proof of distances between basins, under the fields that the table names."""

    COLUMN, GROUP, SMALLEST = "basin_distance", "basin", "there is"

    def __init__(self, profile: Profile, height: Int64Array, *, two_way: bool) -> None:
        """Take in the columns.

        Args:
            profile: the profile the columns belong to.
            height: (r, f) ticks of each field.
            two_way: whether a pair is stored once for both directions.
        """
        require = profile.require
        label, anchor = profile.whole("basin"), profile.whole("basin_anchor")
        stored, chosen = profile.column("basin_distance"), profile.column("basin_fields")
        count, fields = len(anchor), height.shape[1]
        require((label[anchor] == np.arange(count)).all(), "basin_anchor is not of its basin")
        pairs = count * (count + 1) // 2 if two_way else count * count
        require(len(stored) == pairs, "basin_distance does not fit the basins")
        start, goal = np.indices((count, count), sparse=True)
        low, high = np.minimum(start, goal), np.maximum(start, goal)
        at = high * (high + 1) // 2 + low if two_way else start * count + goal
        turned = (start > goal) & two_way
        code = chosen[at].astype(np.uint8)
        super().__init__(profile, label, stored[at])
        self._of_start = np.where(turned, code & 15, code >> 4)
        self._of_goal = np.where(turned, code >> 4, code & 15)
        used = np.unique(np.concatenate([code.ravel() >> 4, code.ravel() & 15]))
        require(not len(used) or int(used.max()) < fields, "basin_fields names no field")
        height = height - height[anchor][label]
        steep = np.abs(height[:, used]).max(initial=0) >= INFINITY
        require(not steep, "field rises off the scale")
        keep = np.zeros(fields, dtype=np.bool_)
        keep[used] = True
        self._height = np.where(keep, height, 0).astype(np.int32)

    def __call__(self, targets: Int32Array, dist: Int32Array) -> None:
        goal = self._label[targets]
        field = self._of_goal[:, goal]
        self._note(targets, self._beyond(dist, goal, self._height[targets][_each(goal), field]))

    def search(self, search: Search, progress: Progress) -> None:
        """Look at every pair by searches toward each basin, one for each field it has as a goal."""
        order, first = self._members()
        wanted = np.zeros((self._count, self._height.shape[1]), dtype=np.bool_)
        wanted[np.broadcast_to(np.arange(self._count), self._of_goal.shape), self._of_goal] = True
        lanes = np.argwhere(wanted)

        def members(lane: int) -> tuple[Int64Array, Int32Array]:
            basin, field = lanes[lane]
            rows = order[first[basin] : first[basin + 1]]
            return rows, self._height[rows, field]

        def sets_of(begin: int) -> Sets:
            stop = min(begin + LANES, len(lanes))
            each = [members(lane) for lane in range(begin, stop)]
            return Sets(
                np.concatenate([rows for rows, _ in each]),
                np.repeat(np.arange(stop - begin), [len(rows) for rows, _ in each]),
                np.concatenate([lift.max() - lift.astype(np.int64) for _, lift in each]),
                stop - begin,
            )

        def look(begin: int, dist: Int32Array) -> None:
            basin, field = lanes[begin : begin + dist.shape[1]].T
            raised = np.array([members(begin + lane)[1].max() for lane in range(len(basin))])
            beyond = _narrow(self._beyond(dist, basin, raised))
            counts = self._of_goal[:, basin] == field
            with self._lock:
                for lane, goal in enumerate(basin):
                    mine = counts[:, lane]
                    self._least[mine, goal] = beyond[mine, lane]

        search.toward(range(0, len(lanes), LANES), sets_of, look, progress)

    def _beyond(self, dist: Int32Array, goal: AnyArray, lift: AnyArray) -> Int64Array:
        """Return (groups, k), the smallest distance to each lane less the fields of both ends.

        Args:
            dist: (r, k) ticks.
            goal: (k) basin of each lane.
            lift: ticks of the goal's field, for each lane or each group and lane.
        """
        least = np.empty((self._count, len(goal)), dtype=np.int32)
        field = np.ascontiguousarray(self._of_start[:, goal])
        least_beyond(dist, self._label, self._height, field, least)
        return np.where(least == UNREACHABLE, least, least.astype(np.int64) - lift)


def read_bounds(profile: Profile) -> list[Bound]:
    """Return the lower bounds that have to be proved pair by pair, and prove the others."""
    found: list[Bound] = []
    if profile.has("cluster_distance"):
        found.append(ClusterDistances(profile))
    if profile.has("pivot_distance"):
        two_way = bool(profile.number("pivot_two_way"))
        pivot = profile.column("pivot_distance")
        _prove_pivots(profile, pivot, two_way=two_way)
        if profile.has("basin"):
            found.append(BasinDistances(profile, _field_heights(profile, pivot), two_way=two_way))
    else:
        # Without pivots it says nothing, and a reader that believes it finds no arcs to match.
        profile.require(profile.number("pivot_two_way") is None, "pivot_two_way is of no pivots")
    return found


def search_bounds(
    profile: Profile, targets: Int64Array, bounds: Sequence[Bound], progress: Progress
) -> None:
    """Search for the distances that no table states, toward all rows or a sample of them."""
    search = Search(profile.arcs)
    if len(targets) == profile.rows:
        for number, bound in enumerate(bounds):
            bound.search(search, part_of(progress, number, len(bounds)))
        return

    def look(block: Int64Array, dist: Int32Array) -> None:
        for bound in bounds:
            bound(block.astype(np.int32), dist)

    search.toward(
        [targets[begin : begin + LANES] for begin in range(0, len(targets), LANES)],
        lambda block: Sets(block, _each(block), np.zeros_like(block), len(block)),
        look,
        progress,
    )


def part_of(progress: Progress, number: int, count: int) -> Progress:
    """Return a function that turns the progress of one part into the progress of all parts."""
    return lambda done: progress((number + done) / count)


def _prove_pivots(profile: Profile, pivot: AnyArray, *, two_way: bool) -> None:
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


def _field_heights(profile: Profile, pivot: AnyArray) -> Int64Array:
    """Return (r, f), the ticks of each field at each row."""
    field, shift, require = profile.column("field"), profile.number("field_shift"), profile.require
    require(shift is not None, "field_shift is missing")
    require(field.shape[1] == 2 + pivot.shape[1], "field does not fit the pivots")
    slope, sign = field[:, :2].astype(np.int64), field[:, 2:].astype(np.int64)
    require((np.abs(sign) <= 1).all(), "a sign of field is none")
    require((np.abs(slope) < 2**31).all(), "a slope of field is off the scale")
    rise = (_coordinates(profile) @ slope.T) >> (shift or 0)
    return np.asarray(rise + pivot.astype(np.int64) @ sign.T)


def _coordinates(profile: Profile) -> Int64Array:
    """Return (r, 2), what fields rise along (docs/format.md#hierarchies, "Lower bounds")."""
    asset = profile.asset
    if profile.chart is not None:
        width, height = asset.number("width"), asset.number("floor_height")
        if width and height and asset.text("hex_layout") is None:
            return np.asarray(profile.chart % np.array([width, height]))
        return profile.chart
    nowhere = np.zeros((profile.rows, 2), dtype=np.int64)
    if not asset.has("/position") or not profile.rows:
        return nowhere
    position = asset.read("/position")[profile.node]
    low = position.min(axis=0)
    with np.errstate(over="ignore"):
        extent = (position - low).max()
    if not np.isfinite(extent) or extent == 0:
        return nowhere
    return np.asarray(np.rint((position - low) / extent * (2**20 - 1)), dtype=np.int64)


def _each(lanes: AnyArray) -> Int64Array:
    """Return (k), the number of each lane."""
    return np.arange(len(lanes))


def _narrow(ticks: AnyArray) -> Int32Array:
    """Return ticks as int32, clipped to its range; what is stored fits into it."""
    return np.clip(ticks, -(2**31), 2**31 - 1).astype(np.int32)
