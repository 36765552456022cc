"""Lower bounds of distances on a changed graph: between clusters, and the baked heuristics.

Distances between clusters are searched for anew, one goal cluster at a time, when first asked for.

A baked bound holds for every path there was, and for every path whose arcs cost no less than then.
A path that takes an arc that is cheaper or new first goes to the tail of one and leaves from the
head of one; how far those are from a place is searched for once a moment. The smaller of both
bounds holds for all paths.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from bake.arrays import Int32Array, Int64Array
from bake.graph import INFINITY, UNREACHABLE
from bake.runtime.live.live_tables import LiveTables
from bake.runtime.searching.bounds import Bounds
from bake.runtime.searching.methods import Searches

if TYPE_CHECKING:
    from bake.search.live.hierarchy import LiveHierarchy
    from bake.search.point.estimates import Estimate
    from bake.search.point.guide import Guide


#: Groups of cheaper arcs that are told apart: each takes two searches of the whole level.
MOST_GROUPS = 8


@dataclass(frozen=True)
class Detours:
    """Ways over arcs that cost less than they were baked with, by groups that hang together.

    Attributes:
        toward: (k, r) int32 ticks from every row to the nearest tail of a group.
        away: (k, r) int32 ticks to every row from the nearest head of a group.
        between: (k, k) int64, at least what lies between a tail of one group and the head of the
            last such arc, in another.
    """

    toward: Int32Array
    away: Int32Array
    between: Int64Array

    def shortest(self, goal: int) -> Int64Array:
        """(r) int64 ticks: what a path to a goal over any of them costs at least."""
        onward = (self.between + self.away[:, goal].astype(np.int64)[None, :]).min(axis=1)
        best: Int64Array = (self.toward + onward[:, None]).min(axis=0)
        return best


class LiveClusters:
    """The clusters of one moment.

    Attributes:
        cluster: (r) int32, cluster of each row, -1 where nobody can stand.
        count: c.
    """

    def __init__(self, made: LiveHierarchy) -> None:
        self.cluster = made.partition.label
        self.count = made.cluster_count


class LiveBounds(Bounds):
    """Bounds of one moment.

    Attributes:
        baked: searches of the level as it was baked.
    """

    tables: LiveTables

    def __init__(self, tables: LiveTables, baked: Searches) -> None:
        super().__init__(tables)
        self.baked = baked
        self._toward: dict[int, Int32Array] = {}

    # -- clusters ---------------------------------------------------------------------------------

    @property
    def _made(self) -> LiveHierarchy:
        clusters = self.tables.state.clusters
        if clusters is None:
            raise self.tables.baked.missing("clusters")
        return clusters.made()

    @cached_property
    def clusters(self) -> LiveClusters:
        return LiveClusters(self._made)

    def toward_cluster(self, goal: int) -> Int32Array:
        """(c) int32 ticks from every cluster to one; UNREACHABLE where there is no path."""
        found = self._toward.get(goal)
        if found is None:
            from bake.search.live.flow_field import nearest_field

            if not self.tables.baked.has("cluster_distance"):
                raise self.tables.baked.missing("cluster_distances")
            graph = self.tables.state.graph
            first, member = self._made.members
            dist, _ = nearest_field(graph.into, member[first[goal] : first[goal + 1]], graph.shift)
            found = np.minimum.reduceat(dist[member], first[:-1])
            found[found >= INFINITY] = UNREACHABLE
            self._toward[goal] = found
        return found

    @cached_property
    def _costs(self) -> dict[tuple[int, int], tuple[int, ...]]:
        if not self.tables.baked.has("cluster_cost"):
            raise self.tables.baked.missing("cluster_distances")
        from bake.search.hierarchy.link_costs import priced_pairs

        made, usable = self._made, self.tables.usable
        pair, cost = priced_pairs(usable.graph, usable.weight, made.partition.label, *made.members)
        return {
            (int(a), int(b)): tuple(prices)
            for (a, b), prices in zip(pair.tolist(), cost.tolist(), strict=True)
        }

    # -- the baked heuristic ----------------------------------------------------------------------

    @property
    def has_heuristic(self) -> bool:
        return self.baked.bounds.has_heuristic

    @cached_property
    def _detours(self) -> Detours | None:
        """None where nothing costs less than it did."""
        from bake.search.live.flow_field import nearest_field

        tail, head, weight = self._cheaper
        if not len(tail):
            return None
        graph = self.tables.state.graph
        groups = _hang_together(tail, head)
        count, rows = len(groups), self.tables.state.row_count
        toward, away = np.empty((2, count, rows), dtype=np.int32)
        for place, arcs in enumerate(groups):
            tails, heads = (np.unique(ends[arcs]).astype(np.int32) for ends in (tail, head))
            toward[place] = nearest_field(graph.into, tails, graph.shift)[0]
            away[place] = nearest_field(graph.out, heads, graph.shift)[0]
        between = np.empty((count, count), dtype=np.int64)
        for first, arcs in enumerate(groups):
            between[first] = toward[:, np.unique(tail[arcs])].min(axis=1)
            between[first, first] = 0
        between += np.array([weight[arcs].min() for arcs in groups])
        return Detours(toward, away, between)

    @cached_property
    def _cheaper(self) -> tuple[Int32Array, Int32Array, Int32Array]:
        """Tail, head and ticks of every arc that costs less than it was baked with."""
        state = self.tables.state
        arcs = np.array(list(state.differs), dtype=np.int32).reshape(-1, 3)
        tail, head, label = np.ascontiguousarray(arcs.T)
        baked = np.array(list(state.differs.values()), dtype=np.int32)
        weight = state.graph.out.weight[state.graph.out.find(tail, head, label)]
        less = weight < baked
        return tail[less], head[less], weight[less]

    def guide(self, norm: Estimate) -> Guide | None:
        """The baked heuristic as it is, where nothing costs less than it did; else None."""
        from bake.runtime.searching.heuristics import stored_guide

        if not self.has_heuristic or len(self._cheaper[0]):
            return None
        if self.tables.state.row_count != self.tables.baked.row_count:
            return None
        baked = stored_guide(self.baked)
        if baked is None:
            return None
        guide = replace(baked, norm=self._fitting(norm, baked))
        guide.__dict__["record"] = baked.record
        return guide

    def _fitting(self, norm: Estimate, baked: Guide) -> Estimate:
        from bake.search.point.estimates import NULL

        if norm.admissible and len(norm.at) == len(baked.at):
            return norm
        return replace(norm, kind=NULL, admissible=True, consistent=True)

    def stored(self, name: str, goal: int, norm: Estimate | None) -> Estimate:
        """The baked heuristic "landmark" or "maximum", and a norm of the moment where larger."""
        from bake.search.point.estimates import LARGEST, ROWS, Estimate

        rows, baked_rows = self.tables.state.row_count, self.tables.baked.row_count
        bound = np.full(rows, LARGEST, dtype=np.int64)
        if goal < baked_rows:
            baked = self.baked
            told = baked.space.estimates(baked.estimate(name, goal), goal)
            bound[:baked_rows] = told
        elif not self.has_heuristic:
            raise self.tables.baked.missing("heuristic")
        if self._detours is not None:
            bound = np.minimum(bound, self._detours.shortest(goal))
        bound[goal] = 0
        table = np.ascontiguousarray(bound[:, None].astype(np.int32))
        if norm is None or not norm.admissible:
            return Estimate(name, ROWS, table=table, admissible=True, consistent=False)
        kind = norm.kind | ROWS
        return replace(norm, name=name, kind=kind, table=table, admissible=True, consistent=False)


def _hang_together(tail: Int32Array, head: Int32Array) -> list[Int64Array]:
    """Arcs in groups that share rows; what is too many goes to the last."""
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
