"""A hierarchy that follows its graph: each version takes over what a change did not touch.

A. Botea, M. Mueller, J. Schaeffer, "Near optimal hierarchical path-finding", J. Game Development
1(1), 2004, section 5: after a change the clusters it lies in are built anew. Here the same is done
on every layer, clusters that fall apart or grow together included, and the numbers of everything
are those a build from scratch would give.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from bake.arrays import BoolArray, Int32Array, Int64Array
from bake.search.hierarchy.layer_ground import Ground
from bake.search.hierarchy.layer_members import lay_out_rows, mark_crossings
from bake.search.hierarchy.layer_rebuild import Passed, RebuiltLayer, Rows, rebuild_layer
from bake.search.hierarchy.lower_landmarks import lowered_landmarks
from bake.search.hierarchy.repartition import Partition, join_clusters
from bake.search.live.crossings import crossings_of
from bake.search.live.graph import Adjacency
from bake.search.live.rows import LiveRows


@dataclass(frozen=True)
class Layout:
    """Where rows lie; rows that come later are appended.

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
    """One version of a profile's clusters and of the layers above them.

    Attributes:
        square: whether diagonal steps may be replaced by two straight ones.
        spacing: see :func:`bake.search.hierarchy.entrances.find_crossings`.
        most_layers: how many layers were baked; 0 = clusters alone.
        rows, partition: of the graph.
        ground: the rows by cluster, as :mod:`bake.search.hierarchy.inside` wants them.
        chosen: (k, 2) int32, rows on either side of every transition between two clusters.
        layers: lowest first.
        landmark: (t, k) int32, bounds as :mod:`bake.search.hierarchy.lower_landmarks` keeps them.
        fresh: by layer, the clusters that were built anew for this version; int32.
    """

    square: bool
    spacing: int | None
    most_layers: int
    rows: LiveRows
    partition: Partition
    ground: Ground
    chosen: Int32Array
    layers: tuple[RebuiltLayer, ...]
    landmark: Int32Array
    fresh: tuple[Int32Array, ...]

    def edited(
        self,
        changed: Int32Array,
        standing: BoolArray,
        out: Adjacency,
        into: Adjacency,
        layout: Layout,
    ) -> LiveHierarchy:
        """The version for a changed graph.

        Args:
            changed: rows, each once: both ends of every arc that is different, and all that can be
                stood on from now on, or no longer.
            standing: (r) bool.
            out, into: arcs by tail and by head.
            layout: of all rows.

        Raises:
            CostError: a distance inside a cluster is too long for the scale.
        """
        rows = self.rows.edited(out, changed)
        members = self.ground.first_member, self.ground.member
        partition, cut, origin = self.partition.edited(
            changed, members, standing, layout.key, rows.span, rows.arcs
        )
        ground = self._ground(partition, origin, rows, changed, cut)
        made = replace(self, rows=rows, partition=partition, ground=ground)
        if not self.most_layers:
            return replace(made, fresh=(np.flatnonzero(origin < 0).astype(np.int32),))
        chosen = self._chosen(partition, cut, standing, rows, into, layout)
        mask = np.zeros(len(standing), dtype=np.uint8)
        mask[chosen[:, 0]] = 1
        mask[chosen[:, 1]] = 1
        first, passed, fresh = rebuild_layer(
            ground, mask, None, Rows(changed, origin), self.layers[0], self.layers[0].bits
        )
        landmark = lowered_landmarks(
            first.first_out, first.arcs, passed.before, passed.same, self.landmark
        )
        above, rebuilt = self._above(first, passed, layout.tile[partition.lowest], layout)
        return replace(
            made,
            chosen=chosen,
            layers=(first, *above),
            landmark=landmark,
            fresh=(fresh, *rebuilt),
        )

    def _above(
        self, first: RebuiltLayer, passed: Passed, tile: Int32Array, layout: Layout
    ) -> tuple[list[RebuiltLayer], list[Int32Array]]:
        """The layers above the first one, and the clusters of each that were built anew.

        Args:
            first, passed: the first layer, and how it goes together with the one before.
            tile: (c, 2) int32, squares of its clusters.
            layout: of rows.
        """
        layers: list[RebuiltLayer] = []
        rebuilt: list[Int32Array] = []
        below = first
        while len(layers) + 1 < self.most_layers:
            data = graph_of(below)
            if below is first and passed.nothing and self._alike(data, tile, layout):
                return list(self.layers[1:]), [tile[:0, 0]] * len(self.layers[1:])
            parent, wider = join_clusters(data, below.arcs, tile)
            if len(wider) == len(tile):
                break
            data[:, 0] = parent[data[:, 0]]
            chosen = np.empty(len(data), dtype=np.uint8)
            mark_crossings(data, below.arcs, chosen)
            if not chosen.any():
                break
            number = len(layers) + 1
            old = self.layers[number] if number < len(self.layers) else None
            below, passed, fresh = rebuild_layer(
                Ground.of(data, below.arcs, len(wider)),
                chosen,
                below.row,
                passed,
                old,
                first.bits if old is None else old.bits,
            )
            layers.append(below)
            rebuilt.append(fresh)
            tile = wider
        return layers, rebuilt

    def warm_up(self, standing: BoolArray, out: Adjacency, into: Adjacency, layout: Layout) -> None:
        """Load or compile what :meth:`edited` takes; the versions are of no use."""
        made = self.edited(np.zeros(1, dtype=np.int32), standing, out, into, layout)
        if made.layers:
            first = made.layers[0]
            every = np.arange(len(first.node), dtype=np.int32)
            other = Passed(every, np.zeros(len(every), dtype=np.bool_))
            made._above(first, other, layout.tile[made.partition.lowest], layout)

    def _ground(
        self,
        partition: Partition,
        origin: Int32Array,
        rows: LiveRows,
        changed: Int32Array,
        cut: Int32Array,
    ) -> Ground:
        """The rows by cluster; mostly as before, but for the clusters cut anew."""
        every = np.arange(len(origin), dtype=np.int32)
        if len(origin) == self.ground.count and (origin[origin >= 0] == every[origin >= 0]).all():
            ground = replace(self.ground, arcs=rows.arcs)
            return ground.patched(partition.label, rows.span, changed, cut)
        data = np.empty((len(partition.label), 4), dtype=np.int32)
        lay_out_rows(partition.label, rows.span, data)
        return Ground.of(data, rows.arcs, len(origin))

    def _alike(self, data: Int32Array, tile: Int32Array, layout: Layout) -> bool:
        """Whether clusters of the first layer are what they were, its transitions being so."""
        first = self.layers[0]
        old = layout.tile[self.partition.lowest]
        return np.array_equal(old, tile) and np.array_equal(
            data[:, 0], first.ground.data[first.node, 0]
        )

    def _chosen(
        self,
        partition: Partition,
        cut: Int32Array,
        standing: BoolArray,
        rows: LiveRows,
        into: Adjacency,
        layout: Layout,
    ) -> Int32Array:
        """Where to cross now: entrances between clusters that were not cut anew stand."""
        own = ~standing
        own[cut] = True
        stands = ~(own[self.chosen[:, 0]] | own[self.chosen[:, 1]])
        anew = crossings_of(
            cut,
            partition.label,
            rows.span,
            rows.arcs,
            into,
            layout.at,
            square=self.square,
            spacing=self.spacing,
        )
        return np.concatenate([self.chosen[stands], anew])


def graph_of(layer: RebuiltLayer) -> Int32Array:
    """(t, 4) int32, a layer as what another may stand on; its own clusters, places not filled."""
    data = np.zeros((len(layer.node), 4), dtype=np.int32)
    data[:, 0] = layer.ground.data[layer.node, 0]
    data[:, 2] = layer.first_out[:-1]
    data[:, 3] = layer.first_out[1:]
    return data
