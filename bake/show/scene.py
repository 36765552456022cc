"""Read the level and profile to draw from an asset."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from bake.core.arrays import BoolArray, Float64Array, Int32Array, Int64Array, UInt8Array
from bake.core.graph import BLOCKED, Graph, positions
from bake.play import LevelAsset, Navigator
from bake.play.hierarchy.layers import ClusterTables, HierarchyTables
from bake.play.reader.columns import ProfileColumns
from bake.play.reader.places import NodePlaces
from bake.play.reader.rows import Rows
from bake.store import Asset
from bake.store.records import as_names
from levelbake.errors import QueryError
from levelbake.places import Place


@dataclass(frozen=True)
class Components:
    """The components of a profile, sorted from the largest to the smallest."""

    rank: Int64Array  #: (r) int64, rank of each row's component
    size: Int64Array  #: (c) int64, number of rows of the component of each rank
    first: Int64Array  #: (c) int64, first row of the component of each rank


@dataclass(frozen=True)
class Scene:
    """A level and one of its profiles."""

    level: LevelAsset  #: the open level
    columns: ProfileColumns  #: the columns of the profile
    terrains: tuple[str, ...]  #: names of the terrains
    colours: UInt8Array  #: (terrain, 3) uint8, colors of the terrains
    costs: Float64Array  #: (terrain) float64 units, NaN for terrains blocked for the profile

    @property
    def places(self) -> NodePlaces:
        return self.columns.places

    @property
    def name(self) -> str:
        return self.places.name

    @property
    def profile(self) -> str:
        return self.columns.profile

    @cached_property
    def navigator(self) -> Navigator:
        """The navigator of the profile."""
        return self.level.profile(self.profile)

    @cached_property
    def rows(self) -> Rows:
        """The conversion between places and rows."""
        return Rows(self.columns.version)

    @cached_property
    def elevation(self) -> Float64Array | None:
        """(locations) float64, the elevation of each; None if the source has no elevation."""
        return self.places.asset.graph.elevation

    @cached_property
    def flat(self) -> Int32Array:
        """(r) int32, the location of each row: y * width + x of its cell on a grid level."""
        return self.columns.location

    @cached_property
    def terrain_grid(self) -> UInt8Array:
        """(height * width) uint8, the terrain of every cell in reading order."""
        return self.places.asset.graph.terrain

    @cached_property
    def node_terrain(self) -> UInt8Array:
        """(n) uint8, the terrain of every node."""
        graph = self.places.asset.graph
        return graph.terrain[graph.place]

    @cached_property
    def row_terrain(self) -> UInt8Array:
        """(r) uint8, the terrain of every row."""
        return self.node_terrain[self.columns.node]

    @cached_property
    def components(self) -> Components:
        """The components of all rows, ranked by size."""
        of_row = self.columns.component[self.columns.node]
        number, first, which, size = np.unique(
            of_row, return_index=True, return_inverse=True, return_counts=True
        )
        order = np.lexsort((number, -size))
        rank = positions(order, len(order))[which].astype(np.int64)
        return Components(rank, size[order], first[order])


def read_scene(asset: Asset, profile: str | None) -> Scene:
    """Read the scene of a profile.

    Raises:
        UnknownProfileError: the profile does not exist, or there are several and none is given.
        CorruptAssetError: columns contradict each other.
    """
    level = LevelAsset(asset)
    columns = level._columns(profile)
    places = columns.places
    if places.is_grid and (places.width < 1 or places.height < 1):
        raise asset.damaged("the level has no cells")
    return Scene(
        level,
        columns,
        tuple(as_names(asset.read("/terrain_name"))),
        asset.read("/terrain_colour"),
        columns.column("cost", np.float64),
    )


def place_text(place: Place) -> str:
    """Format a place as (x, y), or as the name of a node."""
    return f"({', '.join(map(str, place))})" if isinstance(place, tuple) else str(place)


def place_data(place: Place) -> Any:
    """Return a place in its JSON form."""
    return list(place) if isinstance(place, tuple) else place


# -- one layer of a hierarchy ---------------------------------------------------------------------


@dataclass(frozen=True)
class LayerScene:
    """One layer of a profile's hierarchy, in rows."""

    number: int  #: 1 for the lowest
    layers: int  #: number of layers; 0 if the asset contains only clusters
    cluster: Int32Array  #: (r) int32, cluster of each row in this layer
    clusters: int  #: number of clusters of the layer
    transition: Int32Array  #: (t) int32 rows of its transitions
    inside: Int32Array  #: (k, 2) int32 rows joined by arcs within a cluster, each pair once
    across: Int32Array  #: (k, 2) int32 rows joined by arcs between clusters, each pair once


def read_layer(scene: Scene, number: int) -> LayerScene:
    """Read one layer of a profile's hierarchy, by its number.

    Raises:
        QueryError: the layer does not exist.
        MissingTableError: the asset contains no clusters.
        CorruptAssetError: columns contradict each other.
    """
    columns = scene.columns
    if not columns.has("layer_nodes"):
        clusters = ClusterTables(columns)
        _check_layer(scene, number, 1)
        nothing = np.empty((0, 2), dtype=np.int32)
        return LayerScene(1, 0, clusters.cluster, clusters.count, nothing[:, 0], nothing, nothing)
    hierarchy = HierarchyTables(columns)
    _check_layer(scene, number, len(hierarchy.layers))
    cluster = hierarchy.clusters.cluster
    parent = columns.column("layer_parent", np.int32)
    for below in hierarchy.layers[: number - 1]:
        cluster = parent[: below.cluster_count][cluster]
        parent = parent[below.cluster_count :]
    layer = hierarchy.layers[number - 1]
    ends = _joined(layer.first_out, layer.arcs)
    within = layer.cluster[ends[:, 0]] == layer.cluster[ends[:, 1]]
    return LayerScene(
        number,
        len(hierarchy.layers),
        cluster,
        layer.cluster_count,
        layer.row,
        layer.row[ends[within]],
        layer.row[ends[~within]],
    )


def _check_layer(scene: Scene, number: int, count: int) -> None:
    if not 1 <= number <= count:
        raise QueryError(
            f"there is no layer {number}",
            place=f"level {scene.name!r}, profile {scene.profile!r}",
            expected="1" if count == 1 else f"1 to {count}",
        )


def _joined(first_out: Int32Array, arcs: Int32Array) -> Int32Array:
    """Return (k, 2) int32, the pairs of transitions joined by an arc, each once and ascending."""
    tail = np.repeat(np.arange(len(first_out) - 1, dtype=np.int32), np.diff(first_out))
    ends = np.sort(np.stack([tail, arcs[:, 0]], axis=1), axis=1)
    joined: Int32Array = np.unique(ends, axis=0).reshape(-1, 2)
    return joined


# -- roads of a graph level -----------------------------------------------------------------------


@dataclass(frozen=True)
class Roads:
    """The roads of a graph level: both directions between two nodes are one road."""

    #: a, b: (k) int32 nodes, a < b
    a: Int32Array
    b: Int32Array
    there: BoolArray  #: (k) bool, True if the profile may go from a to b
    back: BoolArray  #: (k) bool, True if the profile may go from b to a

    def among(self, nodes: BoolArray) -> Roads:
        """Return the roads with both ends in a mask of nodes."""
        within = nodes[self.a] & nodes[self.b]
        return Roads(self.a[within], self.b[within], self.there[within], self.back[within])


def roads_of(scene: Scene) -> Roads:
    """Return the roads of a graph level."""
    places = scene.places
    tail = Graph(places.first_out, places.head).tail().astype(np.int64)
    head = places.head.astype(np.int64)
    between = tail != head
    usable = (scene.columns.weight != BLOCKED)[between]
    tail, head = tail[between], head[between]
    low, high = np.minimum(tail, head), np.maximum(tail, head)
    pair, number = np.unique(low * places.node_count + high, return_inverse=True)
    there = np.zeros(len(pair), dtype=np.bool_)
    back = np.zeros(len(pair), dtype=np.bool_)
    there[number[usable & (tail < head)]] = True
    back[number[usable & (tail > head)]] = True
    a, b = np.divmod(pair, max(1, places.node_count))
    return Roads(a.astype(np.int32), b.astype(np.int32), there, back)
