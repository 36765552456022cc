"""Keep one version of a profile on a level that changes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import NamedTuple

import numpy as np

from bake.core.arrays import BoolArray, Int32Array
from bake.core.graph import BLOCKED
from bake.play.live.clusters import ClusterVersion
from bake.search.live.graph import Adjacency, LiveGraph, positions
from bake.search.point.space import OwnArcs

#: About how many arcs an edit changes, by which differences are put together.
# limit: changes are merged; lowered by changes
_TOGETHER = 64

#: An arc by its tail, its head and its label.
ArcKey = tuple[int, int, int]


class Differences:
    """What the arcs cost that cost something else than when they were baked; it never changes.

    Most of it is shared with the version before: what is new lies beside that, and is put together
    with it when it has grown to about the square root of that. So an edit takes as long as it is
    large, and hardly longer after many others.
    """

    def __init__(
        self,
        most: dict[ArcKey, tuple[int, int]] | None = None,
        newest: dict[ArcKey, tuple[int, int]] | None = None,
        count: int = 0,
    ) -> None:
        """Keep ticks as baked and ticks now, which may be the same.

        Args:
            most, newest: both by arc; the latter holds where an arc is in both.
            count: how many arcs cost something else.
        """
        self._most = most or {}
        self._newest = newest or {}
        self._count = count

    def __len__(self) -> int:
        return self._count

    def _known(self, arc: ArcKey) -> tuple[int, int] | None:
        found = self._newest.get(arc)
        return self._most.get(arc) if found is None else found

    def fill(
        self, tail: Int32Array, head: Int32Array, label: Int32Array, ticks: Int32Array
    ) -> None:
        """Write into (k) ``ticks`` what those of k arcs cost now that are known here."""
        for at, arc in enumerate(zip(tail.tolist(), head.tolist(), label.tolist(), strict=True)):
            known = self._known(arc)
            if known is not None:
                ticks[at] = known[1]

    def all(self) -> dict[ArcKey, tuple[int, int]]:
        """Return the ticks as baked, and the ticks now, of every arc that costs something else."""
        both = {**self._most, **self._newest}
        return {arc: ticks for arc, ticks in both.items() if ticks[0] != ticks[1]}

    def edited(
        self,
        tail: Int32Array,
        head: Int32Array,
        label: Int32Array,
        old: Int32Array,
        new: Int32Array,
    ) -> Differences:
        """Return what differs after some arcs, (k) each, went from old ticks to new ones."""
        newest, count = dict(self._newest), self._count
        arcs = zip(tail.tolist(), head.tolist(), label.tolist(), strict=True)
        for arc, was, now in zip(arcs, old.tolist(), new.tolist(), strict=True):
            known = self._known(arc)
            baked = was if known is None else known[0]
            newest[arc] = baked, now
            count += (baked != now) - (baked != was)
        if not count:
            return Differences()
        after = Differences(self._most, newest, count)
        if len(newest) ** 2 > _TOGETHER * (len(self._most) + _TOGETHER):
            return Differences(after.all(), None, count)
        return after


class GraphVersion:
    """The arcs of one version; they are laid out when somebody asks, as most versions never need.

    Attributes:
        baked: arcs by row, as they were baked.
        row_count: how many rows there are.
        differs: the arcs that cost something else now.
    """

    def __init__(self, baked: LiveGraph, row_count: int, differs: Differences) -> None:
        self.baked = baked
        self.row_count = row_count
        self.differs = differs

    @cached_property
    def graph(self) -> LiveGraph:
        """Return the arcs by row, out of each and into it."""
        if self._is_baked:
            return self.baked
        return self.baked.edited(self.row_count, *self._arcs_that_differ)

    @cached_property
    def out(self) -> Adjacency:
        """Return the arcs out of each row alone, without masks of their own.

        That takes a fraction of the time.
        """
        if self._is_baked:
            return self.baked.out
        return self.baked.out.edited(self.row_count, *self._arcs_that_differ, masked=False)

    @property
    def _is_baked(self) -> bool:
        return not self.differs and self.row_count == self.baked.row_count

    @property
    def _arcs_that_differ(self) -> tuple[Int32Array, Int32Array, Int32Array, Int32Array]:
        differs = self.differs.all()
        arcs = np.fromiter(chain.from_iterable(differs), np.int32, 3 * len(differs))
        ticks = np.fromiter(chain.from_iterable(differs.values()), np.int32, 2 * len(differs))
        tail, head, label = arcs.reshape(-1, 3).T
        now = ticks[1::2]
        return tail.copy(), head.copy(), label.copy(), now.copy()

    def own_arcs(self) -> OwnArcs:
        """Return the arcs out of the rows near those that cost something else than as baked.

        This takes as long as those arcs are many.
        """
        out, into = self.baked.out, self.baked.into
        tail, head, label, now = self._arcs_that_differ
        near = np.zeros(self.row_count, dtype=np.bool_)
        near[tail] = True
        there = np.flatnonzero(near[: out.row_count])
        near[into.to[positions(into.begin[there], into.end[there])]] = True
        rows = np.flatnonzero(near).astype(np.int32)
        known = rows[: np.searchsorted(rows, out.row_count)]
        arcs = positions(out.begin[known], out.end[known])
        weight = out.weight[arcs]
        found = out.find(tail, head, label)
        here = found >= 0
        # Pieces lie in the order of their rows, as nothing was added to the baked graph.
        weight[np.searchsorted(arcs, found[here])] = now[here]
        new = np.flatnonzero(~here)
        new = new[np.lexsort((label[new], head[new], tail[new]))]
        tails = np.concatenate([np.repeat(known, out.end[known] - out.begin[known]), tail[new]])
        heads = np.concatenate([out.to[arcs], head[new]])
        weight = np.concatenate([weight, now[new]])
        usable = np.flatnonzero(weight != BLOCKED)
        usable = usable[np.argsort(tails[usable], kind="stable")]
        return OwnArcs(rows, tails[usable], heads[usable], weight[usable])

    def weights(self, tail: Int32Array, head: Int32Array, label: Int32Array) -> Int32Array:
        """Return (k) int32 ticks of arcs; BLOCKED where there are none, and for rows of -1."""
        ticks = self.baked.out.weights(tail, head, label)
        if self.differs:
            self.differs.fill(tail, head, label, ticks)
        return ticks


@dataclass(frozen=True, eq=False)
class ProfileState:
    """One version of a profile. Baked rows keep their numbers; rows that opened follow them."""

    arcs: GraphVersion  #: arcs by row
    baked_rows: int  #: how many rows the baked tables have
    location: Int32Array  #: (r) int32, the location of each row
    #: (locations) int32, the row of a location that has ever been one, else -1
    known_row: Int32Array
    standing: BoolArray  #: (r) bool, True where the profile can stand on the row
    heaviest: int  #: at least the largest weight there is
    #: the clusters and the layers above them; None where the asset has none
    clusters: ClusterVersion | None

    @property
    def row_count(self) -> int:
        """Return how many rows there are, with those that nobody can stand on any more."""
        return len(self.location)

    @cached_property
    def as_baked(self) -> bool:
        """Tell whether the baked tables answer: every arc costs what it did, and no row is new."""
        return not self.arcs.differs and not self.standing[self.baked_rows :].any()

    @property
    def graph(self) -> LiveGraph:
        """Return the arcs by row; it takes a while to lay them out."""
        return self.arcs.graph


class ChangedArcs(NamedTuple):
    """Arcs that an edit changed."""

    #: tail, head: (k) int32 rows
    tail: Int32Array
    head: Int32Array
    label: Int32Array  #: (k) int32, see :attr:`bake.play.live.rules.LevelRules.label`
    weight: Int32Array  #: (k) int32 ticks they cost now, BLOCKED where they may not be taken
