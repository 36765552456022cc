"""Keep one version of a profile on a level that changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bake.arrays import BoolArray, Int32Array
from bake.runtime.live.clusters import ClusterVersion
from bake.runtime.live.fields import FlowFields

if TYPE_CHECKING:
    from bake.search.live.graph import Adjacency, LiveGraph

ArcKey = tuple[int, int, int]


class GraphVersion:
    """The arcs of one version; they are laid out when somebody asks, as most versions never need.

    Attributes:
        baked: arcs by row, as they were baked.
        row_count: how many rows there are.
        differs: the baked ticks, and the ticks now, of every arc that costs something else now, by
            (tail, head, label).
    """

    def __init__(
        self, baked: LiveGraph, row_count: int, differs: Mapping[ArcKey, tuple[int, int]]
    ) -> None:
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
        tail, head, label = np.array(list(self.differs), dtype=np.int32).reshape(-1, 3).T.copy()
        now = np.array([ticks for _, ticks in self.differs.values()], dtype=np.int32)
        return tail, head, label, now

    def weights(self, tail: Int32Array, head: Int32Array, label: Int32Array) -> Int32Array:
        """Return (k) int32 ticks of arcs; BLOCKED where there are none, and for rows of -1."""
        ticks = self.baked.out.weights(tail, head, label)
        if self.differs:
            differs = self.differs
            keys = zip(tail.tolist(), head.tolist(), label.tolist(), strict=True)
            for at, key in enumerate(keys):
                if key in differs:
                    ticks[at] = differs[key][1]
        return ticks


@dataclass(frozen=True, eq=False)
class ProfileState:
    """One version of a profile. Baked rows keep their numbers; rows that opened follow them.

    Attributes:
        arcs: arcs by row.
        baked_rows: how many rows the baked tables have.
        location: (r) int32, the location of each row.
        known_row: (locations) int32, the row of a location that has ever been one, else -1.
        standing: (r) bool, True where the profile can stand on the row.
        heaviest: at least the largest weight there is.
        clusters: the clusters and the layers above them; None where the asset has none.
    """

    arcs: GraphVersion
    baked_rows: int
    location: Int32Array
    known_row: Int32Array
    standing: BoolArray
    heaviest: int
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

    @cached_property
    def fields(self) -> FlowFields:
        """Return the flow fields of goals asked for."""
        return FlowFields(self.arcs)


class Repriced(NamedTuple):
    """Arcs between pairs of rows that an edit changed, each pair once.

    Attributes:
        tail, head: (k) int32 rows.
        ticks: (k) int32, what the cheapest arc between them weighs now; INFINITY where none does.
    """

    tail: Int32Array
    head: Int32Array
    ticks: Int32Array
