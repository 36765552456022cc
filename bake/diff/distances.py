"""How far apart places are, before and after, toward every goal or a fair sample of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bake.arrays import Float64Array
from bake.diff.matched import Matched
from bake.runtime.reader.walk import ticks_toward

PERCENTILES = (50, 90, 99, 100)

#: Pairs named, those that changed most.
_NAMED = 5


@dataclass(frozen=True)
class ChangedPair:
    """Two places and the distance between them in units, before and after."""

    start: int
    goal: int
    before: float
    after: float


@dataclass(frozen=True)
class Distances:
    """Distances between k places that have a way before and after.

    Attributes:
        goals, places: how many goals were looked at, of how many places.
        pairs, longer, shorter: ordered pairs looked at, and how many changed.
        percent: change in percent of the old distance at PERCENTILES, over the changed pairs.
        most: the pairs that changed by most units, each other goal once.
    """

    goals: int
    places: int
    pairs: int
    longer: int
    shorter: int
    percent: tuple[float, ...]
    most: tuple[ChangedPair, ...]

    @property
    def most_longer(self) -> float:
        """Percent the worst pair of those named grew; 0 where none did."""
        grown = [100 * (pair.after / pair.before - 1) for pair in self.most if pair.before > 0]
        return max(0.0, *grown) if grown else 0.0


def compare_distances(matched: Matched, sample: int) -> Distances | None:
    """Follow the hops of both toward some goals; None where an asset holds no next hops.

    Args:
        matched: places of both.
        sample: goals to look at, evenly spread; all where there are no more.
    """
    if not (matched.old.has_hops and matched.new.has_hops):
        return None
    count = len(matched)
    goals = np.unique(np.linspace(0, count - 1, min(sample, count)).astype(np.int64))
    shares: list[Float64Array] = []
    most: list[ChangedPair] = []
    pairs = longer = shorter = 0
    for goal in goals.tolist() if count else []:
        before, after = _toward(matched, goal)
        both = np.isfinite(before) & np.isfinite(after) & (before > 0)
        change = np.zeros(count)
        np.subtract(after, before, out=change, where=both)
        # Scales may differ by rounding; a millionth of a unit is none.
        change[np.abs(change) < 1e-6] = 0.0
        pairs += int(both.sum())
        longer, shorter = longer + int((change > 0).sum()), shorter + int((change < 0).sum())
        moved = np.flatnonzero(change)
        if len(moved):
            shares.append(change[moved] / before[moved])
            start = int(np.abs(change).argmax())
            most.append(ChangedPair(start, goal, float(before[start]), float(after[start])))
    most.sort(key=lambda pair: -abs(pair.after - pair.before))
    every = np.abs(np.concatenate(shares)) if shares else np.zeros(1)
    percent = tuple(float(100 * share) for share in np.percentile(every, PERCENTILES))
    return Distances(len(goals), count, pairs, longer, shorter, percent, tuple(most[:_NAMED]))


def _toward(matched: Matched, goal: int) -> tuple[Float64Array, Float64Array]:
    """(k) units from each place to one, before and after."""
    fields = [
        ticks_toward(tables, int(rows[goal]))[rows] / tables.places.ticks_per_unit
        for tables, rows in ((matched.old, matched.old_row), (matched.new, matched.new_row))
    ]
    return fields[0], fields[1]
