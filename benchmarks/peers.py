"""Wrap shortest paths of other libraries: distances from sampled sources to all nodes.

What each one gives besides distances differs, and is told beside its name. Handing results over in
the form its interface has is part of its work; turning them into arrays, to check them, is not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import coo_array, triu
from scipy.sparse.csgraph import dijkstra

from bake.core.arrays import Float64Array, Int64Array
from bake.interop import to_networkx
from benchmarks.ground import Ground
from benchmarks.packages import Package

Sources = Int64Array
Distances = Float64Array


@dataclass(frozen=True)
class Contender:
    """A library's solver for a map.

    Attributes:
        solve: the work that is timed.
        distances: what ``solve`` returned as (k, n) float64, inf where there is no path.
    """

    solve: Callable[[Sources], Any]
    distances: Callable[[Any], Distances]


@dataclass(frozen=True)
class Peer(Package):
    """A library, and the query that it is timed with.

    Attributes:
        gives: what it computes.
        threads: how many it uses.
        sources: how many sources make a sample that takes about a second.
        prepare: lays a map out for it.
    """

    gives: str
    threads: int
    sources: int
    prepare: Callable[[Ground], Contender]


def with_scipy(ground: Ground) -> Contender:
    """Return a solver that calls scipy.sparse.csgraph.dijkstra(return_predecessors=True)."""
    matrix = ground.matrix

    def solve(sources: Sources) -> Any:
        return dijkstra(matrix, indices=sources, return_predecessors=True)

    return Contender(solve, lambda result: np.asarray(result[0]))


def _edges(ground: Ground) -> coo_array:
    """Return each undirected edge once: costs are symmetric, and libraries use that for speed."""
    turned = ground.matrix - ground.matrix.T.tocsr()
    assert not turned.data.any(), f"{ground.name}: costs differ by direction"
    return coo_array(triu(ground.matrix, format="coo"))


def _networkit(ground: Ground, threads: int) -> Contender:
    import networkit

    edges = _edges(ground)
    # The library needs its own width of node numbers; narrower ones crash it.
    triplets = (edges.data, (edges.row.astype(np.uint64), edges.col.astype(np.uint64)))
    graph = networkit.GraphFromCoo(triplets, ground.nodes, weighted=True, directed=False)

    def solve(sources: Sources) -> Any:
        networkit.setNumberOfThreads(threads)
        return networkit.distance.SPSP(graph, sources.tolist()).run().getDistances(asarray=True)

    def distances(result: Any) -> Distances:
        far = np.array(result, dtype=np.float64)
        far[far >= np.finfo(np.float64).max / 2] = np.inf
        return far

    return Contender(solve, distances)


def _igraph(ground: Ground) -> Contender:
    import igraph

    edges = _edges(ground)
    graph = igraph.Graph(ground.nodes, np.stack([edges.row, edges.col], axis=1).tolist())
    weights = edges.data.tolist()

    def solve(sources: Sources) -> Any:
        return graph.distances(sources.tolist(), weights=weights, algorithm="dijkstra")

    return Contender(solve, lambda result: np.array(result, dtype=np.float64))


def _rustworkx(ground: Ground) -> Contender:
    import rustworkx

    edges = _edges(ground)
    graph = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from(range(ground.nodes))
    graph.add_edges_from(
        list(zip(edges.row.tolist(), edges.col.tolist(), edges.data.tolist(), strict=True))
    )

    def solve(sources: Sources) -> Any:
        one = rustworkx.graph_dijkstra_shortest_path_lengths
        return [(source, one(graph, source, float)) for source in sources.tolist()]

    return Contender(solve, lambda result: _from_maps(result, ground.nodes))


def _networkx(ground: Ground) -> Contender:
    import networkx

    graph = to_networkx(ground.sub.graph, ground.sub.weight)

    def solve(sources: Sources) -> Any:
        one = networkx.dijkstra_predecessor_and_distance
        return [(source, one(graph, source)[1]) for source in sources.tolist()]

    return Contender(solve, lambda result: _from_maps(result, ground.nodes))


def _from_maps(result: Iterable[tuple[int, Any]], nodes: int) -> Distances:
    rows = []
    for source, found in result:
        row = np.full(nodes, np.inf)
        row[np.fromiter(found.keys(), np.int64)] = np.fromiter(found.values(), np.float64)
        row[source] = 0
        rows.append(row)
    return np.stack(rows)


PEERS = (
    Peer("scipy", "distances, predecessors", 1, 200, with_scipy),
    Peer("networkit", "distances", 1, 200, lambda ground: _networkit(ground, 1)),
    Peer("networkit", "distances", 2, 200, lambda ground: _networkit(ground, 2)),
    Peer("igraph", "distances", 1, 200, _igraph),
    Peer("rustworkx", "distances, calling Python for weights", 1, 10, _rustworkx),
    Peer("networkx", "distances, predecessors", 1, 10, _networkx),
)


def check_contender(contender: Contender, ground: Ground) -> None:
    """Compare a few distances of a library with scipy's.

    Raises:
        AssertionError: they differ.
    """
    sources = ground.sample(3, seed=7)
    expected = dijkstra(ground.matrix, indices=sources)
    found = contender.distances(contender.solve(sources))
    assert np.array_equal(found, expected), f"{ground.name}: distances differ from scipy's"
