"""Convert graphs and baked levels to networkx and scipy, and back.

These functions serve checks, plots and analysis outside a game; both packages are imported only
when a function needs them. Costs stay exact; docstrings name what the other library cannot express.
"""

from __future__ import annotations

from collections.abc import Hashable
from operator import index
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bake.core.arrays import Int32Array, offsets
from bake.core.errors import CostError
from bake.core.extras import require_package
from bake.core.graph import MAX_WEIGHT, Graph, lightest_arcs
from bake.play import open_asset
from bake.store.records import as_names

if TYPE_CHECKING:
    import networkx
    from scipy.sparse import csr_array


def to_networkx(graph: Graph, weight: Int32Array) -> networkx.DiGraph:
    """Convert a graph to a networkx graph.

    Args:
        graph: n nodes, m arcs.
        weight: (m) int32 ticks; arcs of weight BLOCKED are omitted.

    Returns:
        A graph with nodes 0 to n - 1. Of parallel arcs the lightest remains, the first of equals.
        Every edge has `weight` in ticks and `slot`, its number among the arcs of its tail.

    Raises:
        ValueError: the number of weights differs from the number of arcs.

    >>> graph, _ = Graph.from_arcs(2, np.array([0]), np.array([1]))
    >>> list(to_networkx(graph, np.array([5], dtype=np.int32)).edges(data=True))
    [(0, 1, {'weight': 5, 'slot': 0})]
    """
    import networkx

    arc = lightest_arcs(graph, weight)
    tail, head = graph.tail()[arc], graph.head[arc]
    slot = arc - graph.first_out[tail]
    result = networkx.DiGraph()
    result.add_nodes_from(range(graph.node_count))
    columns = (tail.tolist(), head.tolist(), weight[arc].tolist(), slot.tolist())
    result.add_edges_from(
        (a, b, {"weight": ticks, "slot": slot}) for a, b, ticks, slot in zip(*columns, strict=True)
    )
    return result


def from_networkx(
    source: networkx.Graph, weight: str = "weight"
) -> tuple[Graph, Int32Array, list[Hashable]]:
    """Convert a networkx graph of any kind to compressed sparse rows.

    Args:
        source: directed or not, multigraph or not. An undirected edge becomes two arcs; parallel
            edges remain; a self-loop stays one arc, which no shortest path takes.
        weight: name of the edge attribute with the weight; an edge without it weighs 1, as in
            networkx.

    Returns:
        The graph; (m) int32 ticks, one for each arc; and the name of each of its n nodes, in the
        order of the source.

    Raises:
        CostError: a weight is not a whole number from 1 to MAX_WEIGHT.

    >>> import networkx
    >>> graph, weight, names = from_networkx(networkx.path_graph(["a", "b", "c"]))
    >>> graph.head.tolist(), weight.tolist(), names
    ([1, 0, 2, 1], [1, 1, 1, 1], ['a', 'b', 'c'])
    """
    names: list[Hashable] = list(source.nodes)
    node_of = {name: node for node, name in enumerate(names)}
    tails: list[int] = []
    heads: list[int] = []
    ticks: list[int] = []
    for a, b, value in source.edges(data=weight, default=1):
        cost = _to_ticks(value, a, b)
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
    """Convert a graph to a sparse matrix for `scipy.sparse.csgraph`.

    Args:
        graph: n nodes, m arcs.
        weight: (m) int32 ticks; arcs of weight BLOCKED are omitted.

    Returns:
        (n, n) int32, entry [tail, head] in ticks. Of parallel arcs the lightest remains, since
        scipy would add them up; the columns of a row ascend. Self-loops remain.

    Raises:
        ValueError: the number of weights differs from the number of arcs.
        BakeError: scipy is not installed.

    >>> graph, _ = Graph.from_arcs(2, np.array([0]), np.array([1]))
    >>> to_scipy(graph, np.array([5], dtype=np.int32)).toarray().tolist()
    [[0, 5], [0, 0]]
    """
    require_package("scipy", "verify", "`to_scipy`")
    from scipy.sparse import csr_array

    arc = lightest_arcs(graph, weight)
    tail, head = graph.tail()[arc], graph.head[arc]
    arc = arc[np.lexsort((head, tail))]
    first = offsets(np.bincount(tail, minlength=graph.node_count))
    shape = (graph.node_count, graph.node_count)
    return csr_array((weight[arc], graph.head[arc], first), shape=shape)


def asset_to_networkx(path: str | Path, profile: str | None = None) -> networkx.DiGraph:
    """Read one profile of a baked level into a networkx graph.

    Args:
        path: the asset.
        profile: the name of the profile; optional if the asset has only one.

    Returns:
        A graph whose nodes are cells (x, y), or the node names of a graph level; nodes that the
        profile cannot stand on are omitted. Every node has its `terrain` and, if it has a position,
        `pos`: (x, y) for drawing, y down. Cells have their `point`, as `level.to_point` returns it.
        Every edge has `weight` in units and `ticks`, exact. The graph has the level's `name`, the
        `profile` and its `ticks_per_unit`.

    Raises:
        AssetError: the file is missing, not an asset, too old, too new, or damaged.
        UnknownProfileError: there is no such profile, or there are several and none is named.
    """
    import networkx

    with open_asset(path) as level:
        tables = level._columns(profile)
        places = tables.places
        asset = places.asset
        terrains = as_names(asset.read("/terrain_name"))
        terrain = asset.graph.terrain[asset.graph.place]
        points = tables.version.standing_points
        centers = None
        if places.is_grid:
            centers = np.asarray(level.to_point(places.with_floor(tables.version.cell_of_row)))
        result = networkx.DiGraph(
            name=places.name, profile=tables.profile, ticks_per_unit=places.ticks_per_unit
        )
        for row, node in enumerate(tables.node.tolist()):
            data: dict[str, Any] = {"terrain": terrains[int(terrain[node])]}
            if points is not None:
                data["pos"] = tuple(points[row].tolist())
            if centers is not None:
                data["point"] = tuple(centers[row].tolist())
            result.add_node(places.place(node), **data)
        graph = Graph(places.first_out, places.head)
        arc = lightest_arcs(graph, tables.weight)
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


def _to_ticks(value: Any, a: Hashable, b: Hashable) -> int:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    try:
        ticks = -1 if isinstance(value, bool) else index(value)
    except TypeError:
        ticks = -1
    if not 1 <= ticks <= MAX_WEIGHT:
        raise CostError(
            f"the weight is {value!r}",
            place=f"edge {a!r} to {b!r}",
            expected=f"a whole number from 1 to {MAX_WEIGHT}",
            remedy="scale weights to whole ticks",
        )
    return ticks
