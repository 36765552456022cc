"""Graphs and baked levels in the terms of networkx and scipy.

For checking, plotting and analysis outside a game: both packages are imported only when a function
here is called. Costs stay exact; what another library cannot express is told in each docstring.
"""

from __future__ import annotations

from collections.abc import Hashable
from operator import index
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bake.arrays import Int32Array, Int64Array
from bake.asset import Asset
from bake.errors import CostError, UnknownProfileError
from bake.graph import BLOCKED, MAX_WEIGHT, Graph
from bake.runtime.reader.places import Places
from bake.runtime.reader.tables import Tables

if TYPE_CHECKING:
    import networkx
    from scipy.sparse import csr_array


def to_networkx(graph: Graph, weight: Int32Array) -> networkx.DiGraph:
    """A graph as a networkx one.

    Args:
        graph: n nodes, m arcs.
        weight: (m) int32 ticks; arcs of weight BLOCKED are left out.

    Returns:
        Nodes 0 to n - 1. Of parallel arcs the lightest is kept, the first of equals. Every edge has
        `weight` in ticks and `slot`, its place among the arcs of its tail.

    Raises:
        ValueError: not one weight an arc.
    """
    import networkx

    arc = _lightest(graph, weight)
    tail, head = graph.tail()[arc], graph.head[arc]
    slot = arc - graph.first_out[tail]
    result = networkx.DiGraph()
    result.add_nodes_from(range(graph.node_count))
    columns = (tail.tolist(), head.tolist(), weight[arc].tolist(), slot.tolist())
    result.add_edges_from(
        (a, b, {"weight": ticks, "slot": place})
        for a, b, ticks, place in zip(*columns, strict=True)
    )
    return result


def from_networkx(
    source: networkx.Graph, weight: str = "weight"
) -> tuple[Graph, Int32Array, list[Hashable]]:
    """A networkx graph of any kind as rows.

    Args:
        source: directed or not, multigraph or not. An undirected edge becomes two arcs; parallel
            edges are kept; a self-loop stays one arc, which no shortest path takes.
        weight: name of the edge attribute that holds the weight; an edge without it weighs 1, as
            in networkx.

    Returns:
        The graph; (m) int32 ticks, one an arc; and the name of each of its n nodes, in the order
        of the source.

    Raises:
        CostError: a weight that is no whole number from 1 to MAX_WEIGHT.
    """
    names: list[Hashable] = list(source.nodes)
    node_of = {name: node for node, name in enumerate(names)}
    tails: list[int] = []
    heads: list[int] = []
    ticks: list[int] = []
    for a, b, value in source.edges(data=weight, default=1):
        cost = _whole(value, a, b)
        ends = [(a, b)] if source.is_directed() or a == b else [(a, b), (b, a)]
        for tail, head in ends:
            tails.append(node_of[tail])
            heads.append(node_of[head])
            ticks.append(cost)
    graph, order = Graph.from_arcs(
        len(names), np.array(tails, dtype=np.int32), np.array(heads, dtype=np.int32)
    )
    return graph, np.array(ticks, dtype=np.int32)[order], names


def to_scipy(graph: Graph, weight: Int32Array) -> csr_array[np.int32, tuple[int, int]]:
    """A graph as the sparse matrix that `scipy.sparse.csgraph` works on.

    Args:
        graph: n nodes, m arcs.
        weight: (m) int32 ticks; arcs of weight BLOCKED are left out.

    Returns:
        (n, n) int32, entry [tail, head] in ticks. Of parallel arcs the lightest is kept, where
        scipy would add them up; the columns of a row ascend. A self-loop is kept.

    Raises:
        ValueError: not one weight an arc.
    """
    from scipy.sparse import csr_array

    arc = _lightest(graph, weight)
    tail, head = graph.tail()[arc], graph.head[arc]
    arc = arc[np.lexsort((head, tail))]
    first = np.zeros(graph.node_count + 1, dtype=np.int32)
    np.cumsum(np.bincount(tail, minlength=graph.node_count), out=first[1:])
    shape = (graph.node_count, graph.node_count)
    return csr_array((weight[arc], graph.head[arc], first), shape=shape)


def asset_to_networkx(path: str | Path, profile: str | None = None) -> networkx.DiGraph:
    """A baked level, as one of its profiles sees it, as a networkx graph.

    Args:
        path: the asset.
        profile: may be left out where the asset holds only one.

    Returns:
        Nodes are cells (x, y), or the node names of a graph level; those the profile cannot stand
        on are left out. Every node has its `terrain` and, where it lies anywhere, `pos`: (x, y) for
        drawing, y down. Every edge has `weight` in units and `ticks`, exact. The graph has the
        level's `name`, the `profile` and its `ticks_per_unit`.

    Raises:
        AssetError: missing, not an asset, too old, too new, or damaged.
        UnknownProfileError: no such profile, or several and none named.
    """
    import networkx

    with Asset(path) as asset:
        name = _profile(asset, profile)
        places = Places(asset)
        tables = Tables(places, name)
        nodes = tables.node.tolist()
        terrains = [bytes(text).decode() for text in asset.read("/terrain/name")]
        terrain = asset.read("/world/node_terrain")
        points = tables.standing_points
        result = networkx.DiGraph(
            name=places.name, profile=name, ticks_per_unit=places.ticks_per_unit
        )
        for row, node in enumerate(nodes):
            data: dict[str, Any] = {"terrain": terrains[int(terrain[node])]}
            if points is not None:
                data["pos"] = tuple(points[row].tolist())
            result.add_node(places.place(node), **data)
        graph = Graph(places.first_out, places.head)
        arc = _lightest(graph, tables.weight)
        ends = (graph.tail()[arc].tolist(), graph.head[arc].tolist())
        result.add_edges_from(
            (
                places.place(tail),
                places.place(head),
                {"weight": ticks / places.ticks_per_unit, "ticks": ticks},
            )
            for tail, head, ticks in zip(*ends, tables.weight[arc].tolist(), strict=True)
        )
    return result


def _lightest(graph: Graph, weight: Int32Array) -> Int64Array:
    """Arcs that are not blocked, ascending; of parallel ones the lightest, the first of equals."""
    if weight.shape != (graph.arc_count,):
        raise ValueError(f"{graph.arc_count} arcs, but weights of shape {weight.shape}")
    tail = graph.tail()
    order = np.lexsort((weight, graph.head, tail))  # stable, so equals stay in order
    order = order[weight[order] != BLOCKED]
    pair = np.stack([tail[order], graph.head[order]])
    new = np.ones(len(order), dtype=np.bool_)
    new[1:] = (pair[:, 1:] != pair[:, :-1]).any(axis=0)
    return np.sort(order[new])


def _whole(value: Any, a: Hashable, b: Hashable) -> int:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    try:
        ticks = -1 if isinstance(value, bool) else index(value)
    except TypeError:
        ticks = -1
    if not 1 <= ticks <= MAX_WEIGHT:
        raise CostError(
            f"weight {value!r}",
            place=f"edge {a!r} to {b!r}",
            expected=f"a whole number from 1 to {MAX_WEIGHT}",
            remedy="scale weights to whole ticks",
        )
    return ticks


def _profile(asset: Asset, name: str | None) -> str:
    if name is None and len(asset.profiles) == 1:
        return asset.profiles[0]
    if name is None or name not in asset.profiles:
        raise UnknownProfileError(
            "several profiles, none named" if name is None else f"no profile {name!r}",
            file=asset.path,
            expected=" or ".join(repr(known) for known in asset.profiles),
        )
    return name
