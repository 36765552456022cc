"""From arc lists to tables, and what every table must say."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from bake.arrays import AnyArray, Float64Array, Int32Array
from bake.graph import UNREACHABLE, Graph, Metric, Subgraph, usable_subgraph
from bake.tables.all_pairs import AllPairs, all_pairs
from tests.support.strategies import Arc

Algorithm = Literal["auto", "dijkstra", "floyd_warshall"]


def weighted(n: int, arcs: Sequence[Arc]) -> tuple[Graph, Int32Array]:
    """A graph and the weight of each of its arcs."""
    table = np.array(arcs, dtype=np.int64).reshape(-1, 3)
    graph, order = Graph.from_arcs(n, table[:, 0], table[:, 1])
    return graph, table[order, 2].astype(np.int32)


def subgraph(n: int, arcs: Sequence[Arc]) -> Subgraph:
    """All of a graph, as a profile that may go anywhere sees it."""
    graph, weight = weighted(n, arcs)
    return usable_subgraph(graph, Metric(weight, np.ones(n, dtype=np.bool_), 1))


def tables_of(
    sub: Subgraph,
    algorithm: Algorithm = "dijkstra",
    *,
    hops: bool = True,
    distances: bool = True,
    threads: int = 1,
    budget: int = 2**30,
) -> AllPairs:
    return all_pairs(
        sub,
        algorithm=algorithm,
        hops=hops,
        distances=distances,
        budget=budget,
        threads=threads,
        progress=lambda done: None,
    )


def ticks(distance: AnyArray) -> Float64Array:
    """Distances as floats, with inf where there is no path: what scipy says."""
    return np.where(distance == UNREACHABLE, np.inf, distance)


def check_hops(sub: Subgraph, pairs: AllPairs) -> None:
    """Every hop begins a shortest path and is the first arc that does; "none" is where none can.

    ``pairs.distance`` must have been found right before.
    """
    assert pairs.hop is not None
    assert pairs.distance is not None
    dist = ticks(pairs.distance)
    none = np.iinfo(pairs.hop.dtype).max
    for node in range(sub.graph.node_count):
        expected = np.full(len(dist), none, dtype=np.int64)
        out = range(sub.graph.first_out[node], sub.graph.first_out[node + 1])
        for arc in reversed(out):
            begins = dist[sub.graph.head[arc]] + sub.weight[arc] == dist[node]
            expected[begins & np.isfinite(dist[node])] = sub.slot[arc]
        expected[node] = none
        assert expected.tolist() == pairs.hop[node].tolist()


def assert_same(one: AllPairs, other: AllPairs) -> None:
    """Equal to the byte."""
    for a, b in ((one.hop, other.hop), (one.distance, other.distance)):
        assert (a is None) == (b is None)
        if a is not None and b is not None:
            assert a.dtype == b.dtype
            assert a.shape == b.shape
            assert a.tobytes() == b.tobytes()
