"""Measure changes of reachability and distances between the places that two bakes share.

Places that share their component both before and after the change form a group. Reachability is
counted by groups, without visiting pairs. Distances are compared for every goal or an even sample.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from bake.core.arrays import BoolArray, Float64Array, Int64Array
from bake.play.reader.columns import ProfileColumns
from bake.show.diff.matched import Matched

#: The number of groups whose pairs are compared at once.
_BLOCK = 1024

PERCENTILES = (50, 90, 99, 100)

#: The number of pairs that are listed, those with the largest changes.
_NAMED = 5


@dataclass(frozen=True)
class Reachability:
    """How reachability changed between k shared places."""

    lost: int  #: number of ordered pairs of places that lost their path
    gained: int  #: number of ordered pairs of places that gained a path
    #: lost_example, gained_example: (start, goal), numbers of shared places from the largest groups
    #: that were separated or joined; None without any
    lost_example: tuple[int, int] | None
    gained_example: tuple[int, int] | None
    cut_off: BoolArray  #: (k) bool, True for places that lost a path from or to the largest group
    joined: BoolArray  #: (k) bool, True for places that gained a path from or to the largest group


def compare_reachability(matched: Matched) -> Reachability | None:
    """Compare reachability; None if an asset lacks the closure of its one-way components."""
    old, new = matched.old, matched.new
    if any(columns.one_way and columns.reach is None for columns in (old, new)):
        return None
    labels = [
        columns.component[columns.node[rows]].astype(np.int64)
        for columns, rows in ((old, matched.old_row), (new, matched.new_row))
    ]
    nothing = np.zeros(len(matched), dtype=np.bool_)
    if not len(matched):
        return Reachability(0, 0, None, None, nothing, nothing)
    after = int(labels[1].max()) + 1
    group, first, of_place, count = np.unique(
        labels[0] * after + labels[1], return_index=True, return_inverse=True, return_counts=True
    )
    before_of, after_of = group // after, group % after
    largest = int(count.argmax())
    groups = np.arange(len(group))
    # Each for lost and for gained paths: pairs, the largest example, and marked groups.
    pairs, best, example = [0, 0], [0, 0], [(0, 0), (0, 0)]
    marked = np.zeros((2, len(group)), dtype=np.bool_)
    for begin in range(0, len(group), _BLOCK):
        block = groups[begin : begin + _BLOCK]
        had = _leads(old, before_of[block], before_of)
        has = _leads(new, after_of[block], after_of)
        weight = count[block, None].astype(np.float64) * count
        for kind, changed in enumerate((had & ~has, has & ~had)):
            if not changed.any():
                continue
            pairs[kind] += int((count[block] * (changed @ count)).sum())
            a, b = np.unravel_index(int((weight * changed).argmax()), changed.shape)
            size = int(count[block[a]] * count[b])
            if size > best[kind]:
                best[kind], example[kind] = size, (int(first[block[a]]), int(first[b]))
            marked[kind, block] |= changed[:, largest]
            if begin <= largest < begin + _BLOCK:
                marked[kind] |= changed[largest - begin]
    cut_off, joined = marked[:, of_place]
    return Reachability(
        pairs[0],
        pairs[1],
        example[0] if pairs[0] else None,
        example[1] if pairs[1] else None,
        cut_off,
        joined,
    )


def _leads(columns: ProfileColumns, a: Int64Array, b: Int64Array) -> BoolArray:
    """Return (len a, len b) bool, True where a path leads from component a to component b."""
    same = np.asarray(a[:, None] == b)
    if not columns.one_way or columns.reach is None:
        return same
    reach = columns.reach[a[:, None], (b >> 3)[None]]
    return np.asarray(same | ((reach & (128 >> (b & 7)).astype(np.uint8)) != 0))


@dataclass(frozen=True)
class ChangedPair:
    """The numbers of two shared places, and their distance in units before and after."""

    start: int
    goal: int
    before: float
    after: float


@dataclass(frozen=True)
class Distances:
    """Distances between shared nodes that have a path before and after."""

    #: goals, places: number of goals compared, and number of shared nodes
    goals: int
    places: int
    pairs: int  #: number of ordered pairs compared
    #: longer, shorter: number of pairs whose distance grew or shrank
    longer: int
    shorter: int
    #: change in percent of the old distance at PERCENTILES, over the changed pairs
    percent: tuple[float, ...]
    #: the pairs with the largest changes in units, at most one for each goal
    most: tuple[ChangedPair, ...]
    #: (k) float64 units, the largest growth of a distance from each place to a compared goal; 0 if
    #: none grew
    grown: Float64Array = field(compare=False)

    @property
    def most_longer(self) -> float:
        """The largest growth among the listed pairs in percent; 0 if none grew."""
        grown = (100 * (pair.after / pair.before - 1) for pair in self.most if pair.before > 0)
        return max(0.0, max(grown, default=0.0))


def compare_distances(matched: Matched, sample: int) -> Distances | None:
    """Compare distances toward some goals; None if an asset has no distances.

    Distances are computed by following next hops, or else read from the asset.

    Args:
        matched: the places of both bakes.
        sample: the number of goals, evenly spread; all goals if there are fewer.
    """
    if not all(columns.has_hops or columns.has_distances for columns in (matched.old, matched.new)):
        return None
    nodes = np.flatnonzero(matched.same)
    count = len(nodes)
    goals = nodes[np.unique(np.linspace(0, count - 1, min(sample, count)).astype(np.int64))]
    shares: list[Float64Array] = []
    most: list[ChangedPair] = []
    pairs = longer = shorter = 0
    grown = np.zeros(len(matched))
    for goal in goals.tolist() if count else []:
        before, after = _distances_to(matched, goal)
        comparable = matched.same & np.isfinite(before) & np.isfinite(after) & (before > 0)
        change = np.zeros(len(matched))
        np.subtract(after, before, out=change, where=comparable)
        # Ticks per unit may differ, so costs are rounded differently: ignore less than 1e-6.
        change[np.abs(change) < 1e-6] = 0.0
        np.maximum(grown, change, out=grown)
        pairs += int(comparable.sum())
        longer, shorter = longer + int((change > 0).sum()), shorter + int((change < 0).sum())
        moved = np.flatnonzero(change)
        if len(moved):
            shares.append(change[moved] / before[moved])
            start = int(np.abs(change).argmax())
            most.append(ChangedPair(start, goal, float(before[start]), float(after[start])))
    most.sort(key=lambda pair: -abs(pair.after - pair.before))
    every = np.abs(np.concatenate(shares)) if shares else np.zeros(1)
    percent = tuple(float(100 * share) for share in np.percentile(every, PERCENTILES))
    return Distances(
        len(goals), count, pairs, longer, shorter, percent, tuple(most[:_NAMED]), grown
    )


def _distances_to(matched: Matched, goal: int) -> tuple[Float64Array, Float64Array]:
    """Return (k) float64 units from each shared place to a goal, before and after."""
    before, after = (
        columns.ticks_toward(int(rows[goal]))[rows] / columns.places.ticks_per_unit
        for columns, rows in ((matched.old, matched.old_row), (matched.new, matched.new_row))
    )
    return before, after
