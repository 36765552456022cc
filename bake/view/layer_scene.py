"""One layer of a profile's hierarchy, in rows, ready to be drawn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bake.arrays import Int32Array
from bake.errors import QueryError
from bake.runtime.hierarchy.layers import ClusterTables, HierarchyTables, LayerTable
from bake.view.scene import Scene


@dataclass(frozen=True)
class LayerScene:
    """What a layer looks like from above.

    Attributes:
        number: 1 for the lowest.
        layers: how many there are; 0 where the asset holds clusters alone.
        cluster: (r) int32, cluster of each row in this layer.
        clusters: c.
        transition: (t) int32 rows.
        inside: (k, 2) int32 rows that arcs within a cluster join, each pair once.
        across: (k, 2) int32 rows that arcs between clusters join, each pair once.
    """

    number: int
    layers: int
    cluster: Int32Array
    clusters: int
    transition: Int32Array
    inside: Int32Array
    across: Int32Array


def read_layer(scene: Scene, number: int) -> LayerScene:
    """Read the layer of that number.

    Raises:
        QueryError: there are fewer layers.
        MissingTableError: the asset holds no clusters.
        CorruptAssetError: columns contradict each other.
    """
    tables = scene.tables
    if not tables.has("layer_nodes"):
        clusters = ClusterTables(tables)
        if number != 1:
            _refuse(scene, number, 1)
        nothing = np.empty((0, 2), dtype=np.int32)
        return LayerScene(1, 0, clusters.cluster, clusters.count, nothing[:, 0], nothing, nothing)
    hierarchy = HierarchyTables(tables)
    if not 1 <= number <= len(hierarchy.layers):
        _refuse(scene, number, len(hierarchy.layers))
    layer = hierarchy.layers[number - 1]
    ends = _joined(layer)
    within = layer.cluster[ends[:, 0]] == layer.cluster[ends[:, 1]]
    return LayerScene(
        number,
        len(hierarchy.layers),
        clusters_of_rows(scene, hierarchy, number),
        layer.cluster_count,
        layer.row,
        layer.row[ends[within]],
        layer.row[ends[~within]],
    )


def clusters_of_rows(scene: Scene, hierarchy: HierarchyTables, number: int) -> Int32Array:
    """(r) int32, cluster of each row in the layer of that number."""
    cluster = hierarchy.clusters.cluster
    parent = scene.tables.column("layer_parent", np.int32)
    first = 0
    for layer in hierarchy.layers[: number - 1]:
        cluster = parent[first : first + layer.cluster_count][cluster]
        first += layer.cluster_count
    return cluster


def _joined(layer: LayerTable) -> Int32Array:
    """(k, 2) int32 transitions some arc joins, the lower number first, each pair once."""
    tail = np.repeat(np.arange(len(layer.node), dtype=np.int32), np.diff(layer.first_out))
    ends = np.sort(np.stack([tail, layer.arcs[:, 0]], axis=1), axis=1)
    joined: Int32Array = np.unique(ends, axis=0).reshape(-1, 2)
    return joined


def _refuse(scene: Scene, number: int, count: int) -> None:
    raise QueryError(
        f"there is no layer {number}",
        place=f"level {scene.name!r}, profile {scene.profile!r}",
        expected="1" if count == 1 else f"1 to {count}",
    )
