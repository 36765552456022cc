"""The layers of HPA*: transitions over clusters.

A. Botea, M. Mueller, J. Schaeffer, "Near optimal hierarchical path-finding", J. Game Development
4 1(1), 2004. On grids the first layer selects some of the crossings, on graphs all of them. Every
further layer joins pairs of clusters and uses every remaining crossing of the layer below, so it
adds no error: distances between its transitions are those of the first layer.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bake.core.arrays import Int32Array, UInt8Array
from bake.core.errors import in_units, over_budget
from bake.core.graph import leads_back
from bake.search.hierarchy.bundles import Members
from bake.search.hierarchy.clusters import clustered
from bake.search.hierarchy.entrances import Crossings, find_crossings
from bake.search.hierarchy.landmarks import farthest_landmarks
from bake.search.hierarchy.layer import Layer
from bake.search.hierarchy.layer_builder import Base, Joined, build_layer
from bake.tables.clusters import Clusters

#: Landmarks on the first layer: see docs/decisions/0070-plans-by-search.md.
# limit: searches expand more, paths are the same; lowered by sound_bakes
LANDMARKS = 16

#: Most bytes of flow fields for each row: above it they are not stored, as drawn regions may be of
#: any size.
# limit: clusters are searched without flow fields; lowered by sound_bakes
FLOW_BYTES_A_ROW = 64


@dataclass(frozen=True)
class Hierarchy:
    """Layers over a partition, lowest first."""

    layers: tuple[Layer, ...]  #: at least one
    clusters: tuple[int, ...]  #: the number of clusters of each layer
    #: for every layer but the last, (c) int32, the cluster of the next layer that contains each
    #: cluster
    parents: tuple[Int32Array, ...]
    #: (t, k) int32 ticks to every transition of the first layer from each landmark of its connected
    #: part, 2**31 - 1 where there is no path
    landmark: Int32Array
    two_way: bool  #: whether every arc of the profile has a reverse arc of the same weight


def select_transitions(
    partition: Clusters, at: Int32Array | None, *, square: bool, spacing: int
) -> Crossings:
    """Find the crossings between clusters and their entrances, and select transitions.

    Args:
        partition: the clusters of a profile.
        at: (r, 2) int32 chart coordinates; None on graphs, where every crossing is selected.
        square: whether cells are square.
        spacing: see :func:`bake.search.hierarchy.entrances.find_crossings`.
    """
    graph = partition.sub.graph
    return find_crossings(
        graph.first_out,
        graph.head,
        partition.sub.weight,
        partition.label,
        partition.crossing,
        at=at,
        square=square,
        spacing=None if at is None else spacing,
    )


def hierarchy(
    partition: Clusters,
    at: Int32Array | None,
    *,
    square: bool,
    spacing: int,
    levels: int,
    keep_paths: bool,
    budget: int,
) -> Hierarchy:
    """Build the layers of HPA* above a partition.

    Args:
        partition, at, square, spacing: as for :func:`select_transitions`.
        levels: the number of layers, at least 1; fewer if no clusters are left to join.
        keep_paths: whether to store the paths to transitions of the first layer; without them every
            query searches for them.
        budget: bytes the result may take.

    Raises:
        BudgetError: the result would exceed the budget.
        CostError: distances exceed the integer scale.
    """
    sub = partition.sub
    crossings = select_transitions(partition, at, square=square, spacing=spacing)
    first, member, rank = partition.members
    base = Base(clustered(sub, partition.label, rank), Members(first, member), partition.label)
    chosen = np.zeros(sub.graph.node_count, dtype=np.uint8)
    for side in (crossings.near, crossings.far):
        chosen[side[crossings.chosen]] = 1
    return build_layers(
        base,
        chosen,
        partition.tile,
        two_way=leads_back(sub.graph, sub.weight),
        levels=levels,
        keep_paths=keep_paths,
        budget=budget,
    )


def build_layers(
    base: Base,
    chosen: UInt8Array,
    tile: Int32Array,
    *,
    two_way: bool,
    levels: int,
    keep_paths: bool,
    budget: int,
) -> Hierarchy:
    """Build the layers of HPA* above a graph that is divided into clusters.

    Args:
        base: the graph.
        chosen: (n) uint8, 1 for the nodes that become transitions of the first layer.
        tile: (c, 2) int32, the square of each cluster.
        two_way: whether every arc has a reverse arc of the same weight.
        levels, keep_paths, budget: as for :func:`hierarchy`.

    Raises:
        BudgetError, CostError: as for :func:`hierarchy`.
    """
    limit = min(FLOW_BYTES_A_ROW * len(base.label), budget // 2) if keep_paths else -1
    _check_budget(base, chosen, budget)
    layer, _, _ = build_layer(base, chosen, None, flow_limit=limit)
    layers, parents = [layer], []
    while len(layers) < levels:
        joined = Joined.of(layer, tile)
        if joined is None:
            break
        _check_budget(joined.base, joined.chosen, budget)
        layer, _, _ = build_layer(joined.base, joined.chosen, layer.row, bits=0)
        layers.append(layer)
        parents.append(joined.parent)
        tile = joined.tile
    return Hierarchy(
        tuple(layers),
        tuple(layer.cluster_count for layer in layers),
        tuple(parents),
        farthest_landmarks(layers[0].first_out, layers[0].arcs, layers[0].group, LANDMARKS),
        two_way,
    )


def _check_budget(base: Base, chosen: UInt8Array, budget: int) -> None:
    """Raise BudgetError if the distance tables of all clusters would exceed the budget."""
    sizes = np.bincount(base.label[chosen > 0]).astype(np.int64)
    needed = 5 * int((sizes * sizes).sum())
    if needed > budget:
        needs = f"distances between the transitions of clusters need about {in_units(needed)}"
        remedy = "make clusters smaller, or their transitions fewer (spacing)"
        raise over_budget(needs, budget, remedy)
