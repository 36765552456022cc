"""The clusters of one profile and those above them, for whoever looks at a hierarchy.

Clusters of places are layer 1; each layer above joins those of the one below two by two.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bake.core.arrays import AnyArray, Int32Array
from bake.play.live.clusters import ClusterLayout
from bake.play.searching.context import SearchContext
from bake.search.graph.partition import classes, connected_parts, members, neighbours
from levelbake.errors import QueryError
from levelbake.places import AnyPlace, Place, quoted, whole_of


class _Division(NamedTuple):
    """One layer; of each cluster its first row, and which clusters an arc joins it to."""

    label: Int32Array  # (r) the cluster of each row; -1 where nobody can stand
    first: Int32Array  # (c + 1) where the rows of each cluster begin
    row: Int32Array  # (r) rows by cluster
    first_near: Int32Array  # (c + 1) where the neighbours of each cluster begin
    near: Int32Array  # neighbours of each cluster, ascending
    parent: Int32Array  # (c) the cluster of the next layer; empty on the last

    def rows(self, cluster: int) -> Int32Array:
        return self.row[slice(*self.first[cluster : cluster + 2].tolist())]


class ClusterTree:
    """The hierarchy of clusters at one moment; get it from ``nav.search.clusters``.

    After an update of the level ask for it anew. Threads may share it.

    Attributes:
        counts: how many clusters each layer has, lowest first; clusters have numbers from 0.
    """

    def __init__(self, context: SearchContext) -> None:
        """Divide the places as the level is now.

        Args:
            context: what searches of the profile share.

        Raises:
            MissingTableError: the asset was baked without clusters.
        """
        self._rows, self._version = context.rows, context.version
        self._layers = _layers(context)
        self.counts = tuple(len(each.first) - 1 for each in self._layers)

    def of(self, place: Place, layer: int = 1) -> int:
        """Return the cluster that a place belongs to.

        Raises:
            QueryError: as for ``nav.next_hop``; there is no such layer.
        """
        row = self._rows.row(place)
        return int(self._layer(layer).label[row])

    def members(self, cluster: int, layer: int = 1) -> AnyArray:
        """Return the places of a cluster, in reading order.

        Returns:
            (k, 2) int32 cells, (k, 3) where they have floors or headings, or (k,) object names on
            graph levels.

        Raises:
            QueryError: there is no such cluster or layer.
        """
        return self._rows.array(self._members(cluster, layer))

    def representative(self, cluster: int, layer: int = 1) -> AnyPlace:
        """Return the place that stands for a cluster: the one nearest to the middle of them all.

        On graphs without positions it is the one with the most arcs to others of the cluster. Of
        several it is the first in reading order.

        Raises:
            QueryError: there is no such cluster or layer.
        """
        rows = self._members(cluster, layer)
        points, places = self._version.standing_points, self._version.places
        if points is None:
            graph, label = self._version.usable.graph, self._layer(layer).label
            inside = label[graph.tail()] == label[graph.head]
            best = int(np.bincount(graph.tail()[inside], minlength=len(label))[rows].argmax())
        else:
            points = points[rows]
            if places.floor_height is not None:  # Floors lie over one another.
                points %= np.array([places.width, places.floor_height])
            away = points - points.mean(axis=0)
            best = int((away * away).sum(axis=1).argmin())
        return self._rows.place(int(rows[best]))

    def above(self, cluster: int, layer: int = 1) -> int | None:
        """Return the cluster of the next layer that a cluster is part of; None on the last layer.

        Raises:
            QueryError: there is no such cluster or layer.
        """
        cluster, layer = self._known(cluster, layer)
        parent = self._layer(layer).parent
        return int(parent[cluster]) if len(parent) else None

    def below(self, cluster: int, layer: int = 2) -> tuple[int, ...]:
        """Return the clusters of the layer below that a cluster is made of, ascending.

        On layer 1 there are none: a cluster is made of its :meth:`members`.

        Raises:
            QueryError: there is no such cluster or layer.
        """
        cluster, layer = self._known(cluster, layer)
        if layer == 1:
            return ()
        return tuple(np.flatnonzero(self._layer(layer - 1).parent == cluster).tolist())

    def neighbors(self, cluster: int, layer: int = 1) -> tuple[int, ...]:
        """Return the clusters of the same layer that a step joins to one, either way, ascending.

        Raises:
            QueryError: there is no such cluster or layer.
        """
        cluster, layer = self._known(cluster, layer)
        found = self._layer(layer)
        return tuple(found.near[slice(*found.first_near[cluster : cluster + 2].tolist())].tolist())

    def _members(self, cluster: int, layer: int) -> Int32Array:
        cluster, layer = self._known(cluster, layer)
        rows = self._layer(layer).rows(cluster)
        return rows[self._version.location[rows].argsort()]

    def _layer(self, layer: int) -> _Division:
        return self._layers[_known(layer, 1, len(self._layers), "layer") - 1]

    def _known(self, cluster: int, layer: int) -> tuple[int, int]:
        """Return the numbers of a cluster and its layer, converted to plain integers.

        Raises:
            QueryError: there is no such cluster or layer.
        """
        most = len(self._layer(layer).first) - 2
        return _known(cluster, 0, most, "cluster"), whole_of(layer)


def _known(number: int, least: int, most: int, what: str) -> int:
    found = whole_of(number)
    if not least <= found <= most:
        expected = f"{least} to {most}" if most >= least else "none: the profile can stand nowhere"
        raise QueryError(f"no {what} {quoted(number)}", expected=expected)
    return found


def _layers(context: SearchContext) -> list[_Division]:
    """Return the layers as a bake of the level as it is now would make them, lowest first."""
    version, label, count = context.version, context.bounds.cluster, context.bounds.cluster_count
    graph = version.usable.graph
    one, other = label[graph.tail()], label[graph.head]
    layout = ClusterLayout(context.columns)
    location = version.location[context.columns.row_count :]
    tile, most = layout.layout(location, version.places).tile, layout.levels
    layers: list[_Division] = []
    while True:
        across = one != other
        one, other = one[across], other[across]
        first, row, _ = members(label, count)
        near = neighbours(one, other, count)
        if not layers:
            tile = tile[row[first[:-1]]]
        square = tile // np.int32(2)
        parent, joined = connected_parts(*near, classes(square, None))
        # What joins nothing, or has nothing left to lead across, is no layer.
        last = len(layers) + 1 >= most or joined == count or (parent[one] == parent[other]).all()
        layers.append(_Division(label, first, row, *near, parent[: 0 if last else None]))
        if last:
            return layers
        tile = square[np.unique(parent, return_index=True)[1]]
        label = np.append(parent, np.int32(-1))[label]
        one, other, count = parent[one], parent[other], joined
