"""A hierarchy that follows its graph: each version takes over what a change did not touch.

A. Botea, M. Mueller, J. Schaeffer, "Near optimal hierarchical path-finding", J. Game Development
1(1), 2004, section 5: after a change the clusters it lies in are built anew. Here the same is done
on every layer, clusters that fall apart or grow together included, and the numbers of everything
are those a build from scratch would give.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from bake.graph import Int32Array
from bake.search.adjacency import Adjacency
from bake.search.layer_kernels import lay_out_rows, mark_crossings
from bake.search.layer_rebuild import Ground, RebuiltLayer, Rows, rebuild_layer
from bake.search.live_crossings import crossings_of
from bake.search.live_rows import LiveRows
from bake.search.lower_landmarks import lowered_landmarks
from bake.search.repartition import Partition, join_clusters


@dataclass(frozen=True)
class Layout:
    """Where rows lie; rows that come later are appended.

    Attributes:
        key: (r) int64, class of each row: only rows of one class share a cluster.
        tile: (r, 2) int32, the square each lies in.
        at: (r, 2) int32 chart coordinates; None on graphs.
    """

    key: npt.NDArray[np.int64]
    tile: Int32Array
    at: Int32Array | None


@dataclass(frozen=True)
class LiveHierarchy:
    """One version of a profile's clusters and of the layers above them.

    Attributes:
        square: whether diagonal steps may be replaced by two straight ones.
        spacing: see :func:`bake.search.entrances.find_crossings`.
        most_layers: how many layers were baked; 0 = clusters alone.
        rows, partition: of the graph.
        ground: the rows by cluster, as :mod:`bake.search.inside` wants them.
        chosen: (k, 2) int32, rows on either side of every transition between two clusters.
        layers: lowest first.
        landmark: (t, k) int32, bounds as :mod:`bake.search.lower_landmarks` keeps them.
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
        standing: npt.NDArray[np.bool_],
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
        data = np.empty((len(standing), 4), dtype=np.int32)
        lay_out_rows(partition.label, rows.span, data)
        ground = Ground.of(data, rows.arcs, len(origin))
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
        landmark = lowered_landmarks(first.first_out, first.arcs, passed.before, self.landmark)
        layers, rebuilt = [first], [fresh]
        tile = layout.tile[partition.lowest]
        while len(layers) < self.most_layers:
            below = layers[-1]
            data_above = graph_of(below)
            if len(layers) == 1 and passed.nothing and self._alike(data_above, tile, layout):
                layers += self.layers[1:]
                rebuilt += [fresh[:0]] * len(self.layers[1:])
                break
            parent, wider = join_clusters(data_above, below.arcs, tile)
            if len(wider) == len(tile):
                break
            data_above[:, 0] = parent[data_above[:, 0]]
            chosen_above = np.empty(len(data_above), dtype=np.uint8)
            mark_crossings(data_above, below.arcs, chosen_above)
            if not chosen_above.any():
                break
            old = self.layers[len(layers)] if len(layers) < len(self.layers) else None
            layer, passed, fresh = rebuild_layer(
                Ground.of(data_above, below.arcs, len(wider)),
                chosen_above,
                below.row,
                passed,
                old,
                old.bits if old is not None else first.bits,
            )
            layers.append(layer)
            rebuilt.append(fresh)
            tile = wider
        return replace(
            made,
            chosen=chosen,
            layers=tuple(layers),
            landmark=landmark,
            fresh=tuple(rebuilt),
        )

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
        standing: npt.NDArray[np.bool_],
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
