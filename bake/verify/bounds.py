"""Proofs of lower bounds: distances between clusters and their prices, pivots, basins.

What is stored for two clusters or basins is the smallest of something over all pairs of their rows.
Every such pair is looked at: where hops or distances were proved, as those are; else by searches
toward whole clusters. Columns of pivots need no pairs: what falls along no arc by more than the
arc's weight is a consistent heuristic, and so an admissible one.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np

from bake.arrays import AnyArray, Int32Array, Int64Array
from bake.verify import bounds_kernels as kernels
from bake.verify.bellman import NONE
from bake.verify.hierarchy import Below, Require
from bake.verify.kernels import FAR
from bake.verify.search import LANES, Search, Sets

Progress = Callable[[float], None]


class _Smallest:
    """What was found of a value of every pair of groups, and what is stored of it."""

    #: The column, what it is a column of, and what a value that is too small is not.
    COLUMN, GROUP, SMALLEST = "", "", ""

    def __init__(self, stored: Int32Array, require: Require) -> None:
        """Nothing is found yet; ``stored`` is (groups, groups) ticks."""
        self._stored, self._require = stored, require
        self._count = len(stored)
        self._least = np.full_like(stored, NONE)
        self._lock = threading.Lock()

    @property
    def pairs(self) -> int:
        """Pairs of groups, in order."""
        return self._count**2

    def judge(self, *, everything: bool) -> None:
        """Compare; where only some targets were looked at nothing may be larger than was found."""
        too_large = self._stored > self._least
        wrong = self._stored != self._least if everything else too_large
        if wrong.any():
            a, b = (int(place) for place in np.argwhere(wrong)[0])
            what = (
                "is no lower bound" if too_large[a, b] else f"is not the smallest {self.SMALLEST}"
            )
            self._require(False, f"{self.COLUMN} from {self.GROUP} {a} to {b} {what}")


class ClusterDistances(_Smallest):
    """The proof of distances between clusters. Called with the distances of a block of targets."""

    COLUMN, GROUP, SMALLEST = "cluster_distance", "cluster", "distance"

    def __init__(self, stored: AnyArray, label: Int64Array, require: Require) -> None:
        count = int(label.max(initial=-1)) + 1
        require(stored.shape == (count, count), "cluster_distance does not fit the clusters")
        super().__init__(stored.astype(np.int32), require)
        self._label = label.astype(np.int32)

    def __call__(self, targets: Int32Array, dist: Int32Array) -> None:
        least = self._least_of(dist)
        goal, behind = _by_group(self._label[targets])
        found = np.minimum.reduceat(least[:, behind], goal[1], axis=1)
        with self._lock:
            self._least[:, goal[0]] = np.minimum(self._least[:, goal[0]], found)

    def search(self, search: Search, progress: Progress) -> None:
        """Search toward every cluster."""
        order = np.argsort(self._label, kind="stable")
        first = np.searchsorted(self._label[order], np.arange(self._count + 1))

        def sets_of(begin: int) -> Sets:
            count = min(LANES, self._count - begin)
            rows = order[first[begin] : first[begin + count]]
            lane = self._label[rows].astype(np.int64) - begin
            return Sets(rows, lane, np.zeros_like(lane), count)

        def look(begin: int, dist: Int32Array) -> None:
            self._least[:, begin : begin + dist.shape[1]] = self._least_of(dist)

        blocks = range(0, self._count, LANES)
        search.toward(blocks, sets_of, look, progress)

    def _least_of(self, dist: Int32Array) -> Int32Array:
        least = np.empty((self._count, dist.shape[1]), dtype=np.int32)
        kernels.least_by_group(dist, self._label, least)
        least[least == FAR] = NONE
        return least


class BasinDistances(_Smallest):
    """The proof of a table between basins. Called with the distances of a block of targets."""

    COLUMN, GROUP, SMALLEST = "basin_distance", "basin", "there is"

    def __init__(
        self,
        label: Int64Array,
        stored: AnyArray,
        chosen: AnyArray,
        height: Int64Array,
        anchor: Int64Array,
        require: Require,
        *,
        two_way: bool,
    ) -> None:
        """Take in the columns.

        Args:
            label: (r) basin.
            stored, chosen: of every pair of basins, as they are stored.
            height: (r, f) ticks of each field.
            anchor: (c) rows at which they count as zero.
            two_way: whether a pair is stored once for both directions.
        """
        count, fields = len(anchor), height.shape[1]
        in_range = len(label) == 0 or 0 <= label.min() <= label.max() < count
        require(bool(in_range), "basin does not fit the rows")
        require(bool(((anchor >= 0) & (anchor < len(label))).all()), "basin_anchor is no row")
        require(bool((label[anchor] == np.arange(count)).all()), "basin_anchor is not of its basin")
        pairs = count * (count + 1) // 2 if two_way else count * count
        require(len(stored) == len(chosen) == pairs, "basin_distance does not fit the basins")
        start, goal = np.indices((count, count), sparse=True)
        low, high = np.minimum(start, goal), np.maximum(start, goal)
        place = high * (high + 1) // 2 + low if two_way else start * count + goal
        turned = (start > goal) & two_way
        code = chosen[place].astype(np.uint8)
        super().__init__(stored[place].astype(np.int32), require)
        self._of_start = np.where(turned, code & 15, code >> 4)
        self._of_goal = np.where(turned, code >> 4, code & 15)
        used = np.unique(np.concatenate([code.ravel() >> 4, code.ravel() & 15]))
        require(not len(used) or int(used.max()) < fields, "basin_fields names no field")
        height = height - height[anchor][label]
        steep = np.abs(height[:, used]).max(initial=0) >= FAR
        require(not steep, "field rises off the scale")
        keep = np.zeros(fields, dtype=np.bool_)
        keep[used] = True
        self._height = np.where(keep, height, 0).astype(np.int32)
        self._label = label.astype(np.int32)

    def __call__(self, targets: Int32Array, dist: Int32Array) -> None:
        goal, behind = _by_group(self._label[targets])
        where = np.searchsorted(goal[0], self._label[targets])
        least = np.empty((self._count, len(targets)), dtype=np.int32)
        field = np.ascontiguousarray(self._of_start[:, goal[0]][:, where])
        kernels.least_beyond(dist, self._label, self._height, field, least)
        lanes = np.arange(len(targets))
        lift = self._height[targets][lanes, self._of_goal[:, goal[0]][:, where]]
        beyond = np.where(least == NONE, NONE, least.astype(np.int64) - lift)
        found = np.minimum.reduceat(beyond[:, behind], goal[1], axis=1)
        with self._lock:
            self._least[:, goal[0]] = np.minimum(self._least[:, goal[0]], _narrow(found))

    def search(self, search: Search, progress: Progress) -> None:
        """Search toward every basin, under each field that counts for it as a goal."""
        order = np.argsort(self._label, kind="stable")
        first = np.searchsorted(self._label[order], np.arange(self._count + 1))
        wanted = np.zeros((self._count, self._height.shape[1]), dtype=np.bool_)
        goals = np.broadcast_to(np.arange(self._count), self._of_goal.shape)
        wanted[goals, self._of_goal] = True
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
            least = np.empty((self._count, len(basin)), dtype=np.int32)
            own = np.ascontiguousarray(self._of_start[:, basin])
            kernels.least_beyond(dist, self._label, self._height, own, least)
            raised = np.array([members(begin + lane)[1].max() for lane in range(len(basin))])
            beyond = np.where(least == NONE, NONE, least.astype(np.int64) - raised)
            counts = self._of_goal[:, basin] == field
            with self._lock:
                for lane, goal in enumerate(basin):
                    mine = counts[:, lane]
                    self._least[mine, goal] = _narrow(beyond[mine, lane])

        search.toward(range(0, len(lanes), LANES), sets_of, look, progress)


def prove_prices(
    rows: Below,
    label: Int64Array,
    pair: AnyArray,
    cost: AnyArray,
    require: Require,
) -> None:
    """The pairs of clusters that arcs join, and the three prices of each."""
    crossing = label[rows.tail] != label[rows.head]
    tail, head, weight = rows.tail[crossing], rows.head[crossing], rows.weight[crossing]
    order = np.lexsort((label[head], label[tail]))
    joined, first = np.unique(
        np.stack([label[tail], label[head]], axis=1)[order], axis=0, return_index=True
    )
    require(np.array_equal(joined, pair), "cluster_pair does not name the clusters arcs join")
    require(cost.shape == (len(pair), 3), "cluster_cost does not fit cluster_pair")
    into = np.argsort(rows.head, kind="stable")
    member = np.argsort(label, kind="stable")
    clusters = np.arange(int(label.max(initial=-1)) + 2)
    real = np.empty((len(pair), 3), dtype=np.int64)
    kernels.price_pairs(
        joined.astype(np.int64),
        np.append(first, len(tail)).astype(np.int64),
        tail[order].astype(np.int32),
        weight[order].astype(np.int32),
        np.searchsorted(label[member], clusters).astype(np.int64),
        member.astype(np.int32),
        label.astype(np.int32),
        np.searchsorted(rows.head[into], np.arange(rows.count + 1)).astype(np.int64),
        rows.tail[into].astype(np.int32),
        rows.weight[into].astype(np.int32),
        np.empty(rows.count, dtype=np.int32),
        np.zeros(rows.count, dtype=np.bool_),
        np.empty(rows.count, dtype=np.int64),
        real,
    )
    wrong = np.argwhere(real != cost)
    if len(wrong):
        place, kind = wrong[0]
        name = ("minimum", "maximin", "average")[kind]
        a, b = joined[place]
        require(False, f"cluster_cost from cluster {a} to {b}: the {name} is wrong")


def prove_pivots(rows: Below, pivot: AnyArray, require: Require, *, two_way: bool) -> None:
    """Distances to pivots and from them: consistent for every pair, and those of real pivots."""
    from scipy.sparse.csgraph import dijkstra

    require(len(pivot) == rows.count, "pivot_distance does not fit the rows")
    require(pivot.min(initial=0) >= 0, "pivot_distance is less than nothing")
    half = pivot.shape[1] if two_way else pivot.shape[1] // 2
    require(two_way or pivot.shape[1] == 2 * half, "pivot_distance has an odd number of columns")
    onward = rows.cheapest(np.ones(len(rows.tail), dtype=np.bool_))
    if two_way:
        require(abs(onward - onward.T).nnz == 0, "pivot_two_way is wrong")
    backward = onward.T.tocsr()
    for column, told in enumerate(pivot.T.astype(np.int64)):
        toward = two_way or column < half
        for back in (False, True) if two_way else (not toward,):
            tail, head = (rows.head, rows.tail) if back else (rows.tail, rows.head)
            fall = told[tail] - told[head]
            require(bool((fall <= rows.weight).all()), f"pivot column {column} is not consistent")
        if not told.any():
            continue  # a pivot that leads nowhere, which bounds nothing
        origin = np.flatnonzero(told == 0)
        require(len(origin) == 1, f"pivot column {column} has not one pivot")
        real = dijkstra(backward if toward else onward, indices=origin[0])
        reached = np.isfinite(real)
        filled = np.where(reached, real, real[reached].max())
        require(bool((told == filled).all()), f"pivot column {column} is not the distance")
        if not toward:
            other = pivot[:, column - half]
            same = not other.any() or other[origin[0]] == 0
            require(bool(same), f"pivot column {column} is of another pivot than {column - half}")


def field_heights(
    field: AnyArray,
    shift: int | None,
    at: Int64Array,
    pivot: AnyArray,
    require: Require,
) -> Int64Array:
    """(r, f) ticks of each field at each row."""
    require(shift is not None and 0 <= shift < 32, f"field_shift is {shift}")
    fits = field.ndim == 2 and field.shape[1] == 2 + pivot.shape[1]
    require(fits, "field does not fit the pivots")
    slope, sign = field[:, :2].astype(np.int64), field[:, 2:].astype(np.int64)
    require(bool((np.abs(sign) <= 1).all()), "a sign of field is none")
    require(bool((np.abs(slope) < 2**31).all()), "a slope of field is off the scale")
    rise = (at[:, :1] * slope[:, 0] + at[:, 1:] * slope[:, 1]) >> (shift or 0)
    return np.asarray(rise + pivot.astype(np.int64) @ sign.T)


def coordinates(
    cell: Int64Array | None,
    position: AnyArray | None,
    hex_layout: str | None,
    floor: tuple[int, int] | None,
    rows: int,
) -> Int64Array:
    """(r, 2) what fields are slopes over: see docs/format-searches.md, "Lower bounds".

    Args:
        cell: (r, 2) of each row, on grids; floor: width and height of a floor, where there are
            several.
        position: (r, 2), on graphs that have it.
    """
    from bake.verify.runs import on_chart

    if cell is not None:
        if floor is not None and hex_layout is None:
            return np.asarray(cell % np.array(floor))
        return on_chart(cell, hex_layout)
    if position is None or not len(position):
        return np.zeros((rows, 2), dtype=np.int64)
    low = position.min(axis=0)
    with np.errstate(over="ignore"):
        extent = (position - low).max()
    if not np.isfinite(extent) or extent == 0:
        return np.zeros((rows, 2), dtype=np.int64)
    return np.asarray(np.rint((position - low) / extent * (2**20 - 1)), dtype=np.int64)


def _by_group(
    group: AnyArray,
) -> tuple[tuple[AnyArray, AnyArray], AnyArray]:
    """Distinct groups and where each begins in the order that is returned too."""
    order = np.argsort(group, kind="stable")
    return np.unique(group[order], return_index=True), order


def _narrow(ticks: Int64Array) -> Int32Array:
    """As int32; what is stored is that small."""
    return np.clip(ticks, -(2**31), NONE).astype(np.int32)
