"""Give searches on a changed graph their lower bounds: between clusters, and baked heuristics.

Distances between clusters are searched for again, one goal cluster at a time, when first asked for.

A baked bound holds for every path there was, and for every path whose arcs cost no less than then.
A path that takes an arc that is cheaper or new first goes to the tail of one and leaves from the
head of one; how far those are from a row is searched for once per snapshot. The smaller of both
bounds holds for all paths.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from bake.core.arrays import Int32Array, Int64Array
from bake.core.graph import INFINITY, UNREACHABLE, Graph
from bake.play.hierarchy.lattice import LatticePaths
from bake.play.hierarchy.paths import HierarchyPaths
from bake.play.live.changed import Changed
from bake.play.live.clusters import LiveHierarchyTables
from bake.play.live.lattice_version import LiveLattice
from bake.play.searching.bounds import Bounds, coordinates
from bake.play.searching.context import Ends, SearchContext
from bake.play.searching.heuristics import heuristic_for
from bake.search.live.flow_field import nearest_field
from bake.search.live.hierarchy import LiveHierarchy
from bake.search.point.estimates import LARGEST, NULL, ROWS, Estimate
from bake.search.point.space import ChangedSpace

#: The most groups of cheaper arcs; each takes two searches of the whole level.
# limit: the rest is one group; bounds are lower, paths the same; lowered by cheaper_arcs
MOST_GROUPS = 8


@dataclass(frozen=True)
class Detours:
    """Paths over arcs that cost less than as baked; arcs that share rows are a group."""

    toward: Int32Array  #: (k, r) int32 ticks from every row to the nearest tail of a group
    away: Int32Array  #: (k, r) int32 ticks to every row from the nearest head of a group
    #: (k, k) int64 ticks, a lower bound on the way from a tail of one group to the head of the last
    #: such arc, which is in another group
    between: Int64Array

    def shortest(self, goal: int) -> Int64Array:
        """Return (r) int64 ticks, the least that a path to a goal over any such arc costs."""
        onward = (self.between + self.away[:, goal].astype(np.int64)[None, :]).min(axis=1)
        best: Int64Array = (self.toward + onward[:, None]).min(axis=0)
        return best


class ChangedContext(SearchContext):
    """What searches share on a level that has changed; most of it is that of the baked level."""

    def __init__(self, engine: Changed, lattice: LiveLattice | None, baked: SearchContext) -> None:
        """Make nothing yet.

        Args:
            engine: what answers for the profile as it is now.
            lattice: its layers, if it is known sheet by sheet.
            baked: the context of the profile as it was baked.
        """
        super().__init__(engine, baked.columns, engine.searched)
        self._changed, self._lattice, self._baked = engine, lattice, baked

    @cached_property
    def bounds(self) -> Bounds:
        return ChangedBounds(self._changed, self._lattice, self._baked)

    @cached_property
    def hierarchy(self) -> HierarchyPaths:
        if self._lattice is not None:
            return LatticePaths(self._lattice)
        clusters = self._changed.state.clusters
        if clusters is None:
            raise self.version.missing("hierarchy")
        return HierarchyPaths(LiveHierarchyTables(clusters))

    @cached_property
    def space(self) -> ChangedSpace:
        arcs, version = self._changed.state.arcs, self.version

        def listed() -> tuple[Graph, Int32Array]:
            return version.usable.graph, version.usable.weight

        return ChangedSpace(self._baked.space, arcs.row_count, arcs.own_arcs(), listed)

    @cached_property
    def at(self) -> Int32Array:
        same = self.space.row_count == self._baked.space.row_count
        return self._baked.at if same else coordinates(self.version)

    def _deciding_arcs(self, name: str) -> Ends:
        """Return the cheapest arcs that are as baked, and all that are near changes."""
        own, rows = self.space.own, self.space.row_count
        if not self.version.places.is_grid and rows > self._baked.space.row_count:
            return self.arcs  # All positions are rounded in another way.
        near = np.zeros(rows, dtype=np.bool_)
        near[own.rows] = True
        tail, head, weight = self._baked.cheapest(name, near)
        return (
            np.concatenate([tail, own.tail]),
            np.concatenate([head, own.head]),
            np.concatenate([weight, own.weight]),
        )


class ChangedBounds(Bounds):
    """Lower bounds for one profile on a level that has changed."""

    def __init__(self, engine: Changed, lattice: LiveLattice | None, baked: SearchContext) -> None:
        super().__init__(baked.columns)
        self._engine, self._version = engine, engine.version
        self._lattice, self._baked = lattice, baked
        self._toward: dict[int, Int32Array] = {}

    # -- clusters ---------------------------------------------------------------------------------

    @property
    def _made(self) -> LiveHierarchy:
        clusters = self._engine.state.clusters
        if clusters is None:
            raise self._version.missing("clusters")
        return clusters.made()

    @property
    def cluster(self) -> Int32Array:
        return self._made.partition.label

    def cluster_of(self, row: int) -> int:
        if self._lattice is not None:
            return self._lattice.cluster_of(row)
        return super().cluster_of(row)

    @property
    def cluster_count(self) -> int:
        if self._lattice is not None:
            return self._lattice.cluster_count
        return self._made.cluster_count

    def toward_cluster(self, goal: int) -> Int32Array:
        found = self._toward.get(goal)
        if found is None:
            if not self.columns.has("cluster_distance"):
                raise self.columns.missing("cluster_distances")
            graph = self._engine.state.graph
            first, member = self._made.members
            dist = nearest_field(graph.into, member[first[goal] : first[goal + 1]], graph.shift)
            found = np.minimum.reduceat(dist[member], first[:-1])
            found[found >= INFINITY] = UNREACHABLE
            self._toward[goal] = found
        return found

    # -- the baked heuristic ----------------------------------------------------------------------

    @cached_property
    def _detours(self) -> Detours | None:
        """Find the paths over arcs that cost less than they did; None where no arc does."""
        tail, head, weight = self._cheaper
        if not len(tail):
            return None
        graph = self._engine.state.graph
        groups = _connected_groups(tail, head)
        count, rows = len(groups), self._engine.state.row_count
        toward, away = np.empty((2, count, rows), dtype=np.int32)
        for place, arcs in enumerate(groups):
            tails, heads = (np.unique(ends[arcs]).astype(np.int32) for ends in (tail, head))
            toward[place] = nearest_field(graph.into, tails, graph.shift)
            away[place] = nearest_field(graph.out, heads, graph.shift)
        between = np.empty((count, count), dtype=np.int64)
        for first, arcs in enumerate(groups):
            between[first] = toward[:, np.unique(tail[arcs])].min(axis=1)
            between[first, first] = 0
        between += np.array([weight[arcs].min() for arcs in groups])
        return Detours(toward, away, between)

    @cached_property
    def _cheaper(self) -> tuple[Int32Array, Int32Array, Int32Array]:
        """Return tail, head and ticks of every arc that costs less than when it was baked."""
        differs = self._engine.state.arcs.differs.all()
        arcs = np.array(list(differs), dtype=np.int32).reshape(-1, 3)
        tail, head, _ = np.ascontiguousarray(arcs.T)
        baked, weight = np.array(list(differs.values()), dtype=np.int32).reshape(-1, 2).T.copy()
        less = weight < baked
        return tail[less], head[less], weight[less]

    def landmark(self, goal: int) -> Estimate:
        return self._stored(goal, Estimate("landmark"))

    def maximum(self, goal: int, norm: Estimate) -> Estimate:
        return self._stored(goal, replace(norm, name="maximum"))

    def _stored(self, goal: int, norm: Estimate) -> Estimate:
        """Return the baked heuristic of the norm's name, or the norm itself where it is larger."""
        rows, baked_rows = self._engine.state.row_count, self._engine.baked.version.row_count
        bound = np.full(rows, LARGEST, dtype=np.int64)
        if goal < baked_rows:
            baked = self._baked
            estimate = heuristic_for(baked, norm.name, goal)
            bound[:baked_rows] = baked.space.estimates(estimate, goal)
        elif not self.has_heuristic:
            raise self._version.missing("heuristic")
        if self._detours is not None:
            bound = np.minimum(bound, self._detours.shortest(goal))
        bound[goal] = 0
        table = np.ascontiguousarray(bound[:, None].astype(np.int32))
        kind = (norm.kind if norm.admissible else NULL) | ROWS
        return replace(norm, kind=kind, table=table, admissible=True, consistent=False)


def _connected_groups(tail: Int32Array, head: Int32Array) -> list[Int64Array]:
    """Put arcs that share rows into groups; those beyond MOST_GROUPS go to the last one."""
    first: dict[int, int] = {}
    low = list(range(len(tail)))

    def root(arc: int) -> int:
        while low[arc] != arc:
            low[arc] = low[low[arc]]
            arc = low[arc]
        return arc

    for ends in (tail.tolist(), head.tolist()):
        for arc, row in enumerate(ends):
            a, b = root(first.setdefault(row, arc)), root(arc)
            low[max(a, b)] = min(a, b)
    number: dict[int, int] = {}
    group = [number.setdefault(root(arc), len(number)) for arc in range(len(low))]
    label = np.minimum(np.array(group), MOST_GROUPS - 1)
    return [np.flatnonzero(label == each) for each in range(int(label.max()) + 1)]
