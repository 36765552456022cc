"""Keep a hierarchy up to date with its graph: each version takes over what a change did not touch.

A. Botea, M. Mueller, J. Schaeffer, "Near optimal hierarchical path-finding", J. Game Development
1(1), 2004, section 5: after a change the clusters it lies in are built anew. Here the same is done
for clusters that fall apart or grow together, and everything is numbered as a build from scratch
would number it. The first layer alone is kept: plans of a changed level are searched for on it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from bake.core.arrays import BoolArray, Int32Array, Int64Array, offsets
from bake.core.graph import BLOCKED
from bake.search.hierarchy.bundles import (
    CLUSTER,
    END,
    FIRST,
    HEAD,
    RANK,
    ClusteredGraph,
    Members,
)
from bake.search.hierarchy.clusters import Partition, most_arcs_inside
from bake.search.hierarchy.entrances import find_crossings
from bake.search.hierarchy.landmarks import lowered_landmarks
from bake.search.hierarchy.layer import Layer
from bake.search.hierarchy.layer_builder import Base, Before, build_layer
from bake.search.live.graph import Adjacency, positions
from bake.search.live.rows import LiveRows

# -- crossings ------------------------------------------------------------------------------------


def crossings_of(
    cut: Int32Array,
    label: Int32Array,
    graph: ClusteredGraph,
    into: Adjacency,
    at: Int32Array | None,
    *,
    square: bool,
    spacing: int | None,
) -> Int32Array:
    """Choose where to cross from and into some clusters.

    Args:
        cut: all rows of the clusters, ascending.
        label: (r) int32, cluster of every row.
        graph: the arcs; clusters in it are not looked at.
        into: arcs by head.
        at, square, spacing: as for :func:`bake.search.hierarchy.entrances.find_crossings`.

    Returns:
        (k, 2) int32 rows on either side; the row in the cluster of lower number is first.
    """
    near = np.zeros(len(label), dtype=np.bool_)
    near[cut] = True
    heads = graph.arc[positions(graph.node[cut, FIRST], graph.node[cut, END]), HEAD]
    near[heads[heads >= 0]] = True
    before = positions(into.begin[cut], into.end[cut])
    near[into.to[before[into.weight[before] != BLOCKED]]] = True
    rows = np.flatnonzero(near).astype(np.int32)
    rank = np.full(len(label), -1, dtype=np.int32)
    rank[rows] = np.arange(len(rows), dtype=np.int32)
    own = np.zeros(len(rows), dtype=np.bool_)
    own[rank[cut]] = True
    # The graph of these rows, and its arcs that enter or leave one of the clusters.
    first, end = graph.node[rows, FIRST], graph.node[rows, END]
    heads, ticks = graph.arc[positions(first, end)].T
    inside = (heads >= 0) & (rank[heads] >= 0)
    tail = np.repeat(np.arange(len(rows), dtype=np.int32), end - first)[inside]
    head = rank[heads[inside]]
    first_out = offsets(np.bincount(tail, minlength=len(rows)))
    crosses = (label[rows[tail]] != label[rows[head]]) & (own[tail] | own[head])
    crossing = np.flatnonzero(crosses).astype(np.int32)
    crossings = find_crossings(
        first_out,
        head,
        np.ascontiguousarray(ticks[inside]),
        label[rows],
        (tail[crossing], crossing),
        at=None if at is None else np.ascontiguousarray(at[rows]),
        square=square,
        spacing=spacing,
    )
    chosen = crossings.chosen
    return np.stack([rows[crossings.near[chosen]], rows[crossings.far[chosen]]], axis=1)


# -- versions -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Layout:
    """Where rows lie; later rows are appended.

    Attributes:
        key: (r) int64, class of each row: only rows of one class share a cluster.
        tile: (r, 2) int32, the square each lies in.
        at: (r, 2) int32 chart coordinates; None on graphs.
    """

    key: Int64Array
    tile: Int32Array
    at: Int32Array | None


@dataclass(frozen=True)
class LiveHierarchy:
    """One version of a profile's clusters and of the layer above them.

    Attributes:
        square: whether diagonal steps may be replaced by two straight ones.
        spacing: see :func:`bake.search.hierarchy.entrances.find_crossings`.
        rows: of the graph; their clusters and ranks are those of ``partition``.
        partition, members: which cluster each row is in, and the rows of each.
        most_arcs: at least the most arcs that leave the rows of one cluster.
        chosen: (k, 2) int32, rows on either side of every transition between two clusters.
        layer: the first one; None = there are clusters alone.
        landmark: (t, k) int32, bounds as :mod:`bake.search.hierarchy.landmarks` keeps them.
    """

    square: bool
    spacing: int | None
    rows: LiveRows
    partition: Partition
    members: Members
    most_arcs: int
    chosen: Int32Array
    layer: Layer | None
    landmark: Int32Array

    @property
    def cluster_count(self) -> int:
        return len(self.members.first) - 1

    def edited(
        self,
        changed: Int32Array,
        standing: BoolArray,
        out: Adjacency,
        into: Adjacency,
        layout: Layout,
    ) -> LiveHierarchy:
        """Make the version for a changed graph.

        Args:
            changed: rows, each once: both ends of every arc that is different, and all rows that
                the profile can stand on only before or only after the change.
            standing: (r) bool.
            out, into: arcs by tail and by head.
            layout: of all rows.

        Raises:
            CostError: a distance inside a cluster is too long for the scale.
        """
        rows = self.rows.edited(out, changed)
        partition, cut, origin = self.partition.edited(
            changed, self.members, standing, layout.key, rows.graph
        )
        made = self._divided(rows, partition, origin, changed, cut)
        old = self.layer
        if old is None:
            return made
        chosen = self._chosen(partition, cut, standing, rows, into, layout)
        mask = np.zeros(len(standing), dtype=np.uint8)
        mask[chosen[:, 0]] = 1
        mask[chosen[:, 1]] = 1
        layer, kept, _ = build_layer(
            Base(rows.graph, made.members, partition.label),
            mask,
            None,
            before=Before(old, changed, origin),
            bits=old.bits,
        )
        landmark = lowered_landmarks(
            layer.first_out, layer.arcs, kept.before, kept.same, self.landmark
        )
        return replace(made, chosen=chosen, layer=layer, landmark=landmark)

    def warm_up(self, standing: BoolArray, out: Adjacency, into: Adjacency, layout: Layout) -> None:
        """Load or compile the kernels that :meth:`edited` calls; drop the version made."""
        self.edited(np.zeros(1, dtype=np.int32), standing, out, into, layout)

    def _divided(
        self,
        rows: LiveRows,
        partition: Partition,
        origin: Int32Array,
        changed: Int32Array,
        cut: Int32Array,
    ) -> LiveHierarchy:
        """Make the version with other rows and clusters; mostly only clusters cut again differ.

        Args:
            rows: their clusters and ranks are filled in.
            partition, cut, origin: from :meth:`Partition.edited`.
            changed: rows whose arcs lie elsewhere, or that are in another cluster or in none.
        """
        graph, label = rows.graph, partition.label
        every = np.arange(len(origin), dtype=np.int32)
        if len(origin) != self.cluster_count or (origin[origin >= 0] != every[origin >= 0]).any():
            base = Base.of(graph, label, len(origin))
            most = most_arcs_inside(graph)
            return replace(
                self, rows=rows, partition=partition, members=base.members, most_arcs=most
            )
        graph.node[changed, CLUSTER] = label[changed]
        cut = np.sort(cut)
        own, begin, most = label[cut], 0, self.most_arcs
        graph.node[cut, CLUSTER] = own
        first, node = self.members
        size = np.diff(first)
        parts: list[Int32Array] = []
        for cluster in np.unique(own).tolist():
            inside = cut[own == cluster]
            graph.node[inside, RANK] = np.arange(len(inside), dtype=np.int32)
            most = max(most, int((graph.node[inside, END] - graph.node[inside, FIRST]).sum()))
            parts += [node[begin : first[cluster]], inside]
            begin = first[cluster + 1]
            size[cluster] = len(inside)
        members = Members(np.zeros_like(first), np.concatenate([*parts, node[begin:]]))
        np.cumsum(size, out=members.first[1:])
        return replace(self, rows=rows, partition=partition, members=members, most_arcs=most)

    def _chosen(
        self,
        partition: Partition,
        cut: Int32Array,
        standing: BoolArray,
        rows: LiveRows,
        into: Adjacency,
        layout: Layout,
    ) -> Int32Array:
        """Choose where to cross now; keep entrances between clusters that were not cut again."""
        own = ~standing
        own[cut] = True
        stands = ~(own[self.chosen[:, 0]] | own[self.chosen[:, 1]])
        anew = crossings_of(
            cut,
            partition.label,
            rows.graph,
            into,
            layout.at,
            square=self.square,
            spacing=self.spacing,
        )
        return np.concatenate([self.chosen[stands], anew])
