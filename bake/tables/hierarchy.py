"""HPA*: layers of transitions over clusters, and the table on top of them.

A. Botea, M. Mueller, J. Schaeffer, "Near optimal hierarchical path-finding", J. Game Development
1(1), 2004. The first layer thins crossings out (mode "hpa"), or keeps them all (mode "exact").
Every further layer joins clusters two by two and keeps every crossing of the layer below that
remains, so it adds no error: distances between its transitions are those of the first layer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from bake.arrays import Int32Array
from bake.errors import BudgetError, in_units
from bake.graph import Graph, Subgraph
from bake.search.graph.connectivity import is_two_way
from bake.search.graph.partition import connected_parts, crossing_arcs
from bake.search.hierarchy.entrances import Crossings, find_crossings
from bake.search.hierarchy.overlay_landmarks import farthest_landmarks
from bake.search.hierarchy.repartition import join_clusters
from bake.tables.all_pairs import all_pairs, working_bytes
from bake.tables.clusters import Clusters
from bake.tables.layers import Layer, build_layer

Mode = Literal["hpa", "exact"]

#: Landmarks on the first layer.
LANDMARKS = 4

#: "auto" adds layers until one has at most this many transitions, and makes a table of that one.
TOP_TRANSITIONS = 256

#: A top layer of more transitions gets no table.
MOST_TOP = 2048

#: "auto" stops where a further layer would not be smaller than this part of the one below.
WORTHWHILE = 0.8

#: Layers there may be.
MOST_LAYERS = 16

#: Fields are not kept where they would take more bytes a row: drawn regions may be of any size.
FIELD_BYTES_A_ROW = 64


@dataclass(frozen=True)
class Hierarchy:
    """Layers over a partition, lowest first.

    Attributes:
        mode: "hpa" or "exact".
        layers: at least one.
        clusters: how many each layer has.
        parents: by layer but the last, (c) int32, cluster of the next layer each one is part of.
        landmark: (t, k) int32 ticks from each landmark to every transition of the first layer,
            2**31 - 1 where there is no way.
        two_way: whether every arc of the profile leads back at the same cost.
        top_hop, top_distance: (t, t) next hops (slot in the top layer) and ticks between all
            transitions of the last layer; None where they are too many, or too many for the budget.
    """

    mode: Mode
    layers: tuple[Layer, ...]
    clusters: tuple[int, ...]
    parents: tuple[Int32Array, ...]
    landmark: Int32Array
    two_way: bool
    top_hop: npt.NDArray[np.unsignedinteger] | None
    top_distance: Int32Array | None


def transitions_between(
    partition: Clusters, at: Int32Array | None, *, square: bool, mode: Mode, spacing: int
) -> Crossings:
    """Crossings between clusters, their runs, and the chosen ones.

    Args:
        partition: of the rows of a profile.
        at: (r, 2) int32 chart coordinates; None on graphs, where every crossing is chosen.
        square: whether cells are square.
        mode: "exact" chooses every crossing.
        spacing: see :func:`bake.search.hierarchy.entrances.find_crossings`.
    """
    graph = partition.sub.graph
    every = mode == "exact" or at is None
    return find_crossings(
        graph.first_out,
        graph.head,
        partition.label,
        partition.crossing,
        at=at,
        square=square,
        spacing=None if every else spacing,
    )


def hierarchy(
    partition: Clusters,
    at: Int32Array | None,
    *,
    square: bool,
    mode: Mode,
    spacing: int,
    levels: int | None,
    keep_paths: bool,
    budget: int,
) -> Hierarchy:
    """Build the layers above a partition.

    Args:
        partition, at, square, mode, spacing: as for :func:`transitions_between`.
        levels: how many layers, at least 1; None = until the last is small enough for a table.
        keep_paths: keep the ways to transitions, else they are searched for anew.
        budget: bytes the result may take.

    Raises:
        BudgetError: it would take more.
        CostError: distances are too long for the scale.
    """
    sub = partition.sub
    crossings = transitions_between(partition, at, square=square, mode=mode, spacing=spacing)
    chosen = crossings.chosen
    rows = np.unique(np.concatenate([crossings.near[chosen], crossings.far[chosen]]))
    limit = min(FIELD_BYTES_A_ROW * sub.graph.node_count, budget // 2) if keep_paths else -1
    _check_budget(partition.label, partition.count, rows, budget)
    layer = build_layer(
        sub.graph,
        sub.weight,
        sub.slot,
        partition.label,
        partition.count,
        rows,
        partition.crossing,
        field_limit=limit,
    )
    layers, counts, parents = [layer], [partition.count], []
    label, count, tile = partition.label, partition.count, partition.tile
    while len(layers) < (MOST_LAYERS if levels is None else levels):
        below = layers[-1]
        own = label[below.node]
        if levels is None and len(own) <= TOP_TRANSITIONS:
            break
        first_out = below.graph.first_out
        # Joining asks for no places inside clusters, column 1, and for no ticks.
        data = np.stack([own, np.zeros_like(own), first_out[:-1], first_out[1:]], axis=1)
        parent, tile = join_clusters(data, below.graph.head[:, None], tile)
        joined = len(tile)
        if joined == count:
            break
        above = parent[own]
        crossing = crossing_arcs(below.graph.first_out, below.graph.head, above)
        nodes = np.unique(np.concatenate([crossing[0], below.graph.head[crossing[1]]]))
        if len(nodes) == 0 or (levels is None and len(nodes) > WORTHWHILE * len(own)):
            break
        _check_budget(above, joined, nodes, budget)
        slot = _slots(below.graph)
        layers.append(
            build_layer(
                below.graph,
                below.weight,
                slot,
                above,
                joined,
                nodes,
                crossing,
                field_limit=limit,
            )
        )
        parents.append(parent)
        counts.append(joined)
        label, count = above, joined
    first, top = layers[0], layers[-1]
    group, _ = connected_parts(
        first.graph.first_out, first.graph.head, np.zeros(len(first.node), dtype=np.int32)
    )
    hop, distance = _top_table(top, budget)
    return Hierarchy(
        mode,
        tuple(layers),
        tuple(counts),
        tuple(parents),
        farthest_landmarks(first.graph, first.weight, group, LANDMARKS),
        is_two_way(sub.graph.first_out, sub.graph.head, sub.weight),
        hop,
        distance,
    )


def _slots(graph: Graph) -> Int32Array:
    arc = np.arange(graph.arc_count, dtype=np.int32)
    return arc - np.repeat(graph.first_out[:-1], graph.out_degree())


def _check_budget(label: Int32Array, count: int, nodes: Int32Array, budget: int) -> None:
    """Refuse squares of distances that would not fit before they are made."""
    each = np.bincount(label[nodes], minlength=count).astype(np.int64)
    needed = 5 * int((each * each).sum())
    if needed > budget:
        raise BudgetError(
            f"distances between the transitions of clusters need about {in_units(needed)}",
            expected=f"at most {in_units(budget)} (memory_budget)",
            remedy="make clusters smaller, or their transitions fewer (spacing)",
        )


def _top_table(
    top: Layer, budget: int
) -> tuple[npt.NDArray[np.unsignedinteger] | None, Int32Array | None]:
    nodes = len(top.node)
    if not 0 < nodes <= MOST_TOP:
        return None, None
    everyone = np.arange(nodes, dtype=np.int32)
    sub = Subgraph(top.graph, top.weight, everyone, _slots(top.graph))
    if working_bytes(sub, 1, "dijkstra", hops=True, distances=True) > budget:
        return None, None
    pairs = all_pairs(
        sub,
        algorithm="dijkstra",
        hops=True,
        distances=True,
        budget=budget,
        threads=1,
        progress=lambda done: None,
    )
    return pairs.hop, pairs.distance
