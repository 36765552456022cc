"""From arc lists to tables, and what every table and every lookup must say."""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
from scipy.sparse import csgraph, csr_array

from bake.core.arrays import AnyArray, Float64Array, Int32Array
from bake.core.graph import INFINITY, UNREACHABLE, Graph, Metric, Subgraph, usable_subgraph
from bake.play import Navigator
from bake.search.all_pairs import batch
from bake.search.all_pairs.batch import BatchSearch
from bake.search.all_pairs.floyd_warshall import floyd_warshall
from bake.tables.all_pairs import choose_algorithm
from bake.tables.compressed import compressed_next_hops
from bake.tables.run_writer import RunTable
from tests.support.around import check_around
from tests.support.oracles import TICKS, arcs_of, distances_from
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


def same_runs(one: RunTable, other: RunTable) -> None:
    """Equal to the byte."""
    for name in ("run_count", "run_start", "run_slot"):
        a, b = getattr(one, name), getattr(other, name)
        assert a.dtype == b.dtype
        assert a.tobytes() == b.tobytes()


@dataclass(frozen=True)
class Pairs:
    """What a search says of all pairs: (r, r) slots, all ones for none, and (r, r) int32 ticks."""

    hop: AnyArray
    distance: Int32Array


def tables_of(sub: Subgraph, algorithm: Algorithm = "dijkstra") -> Pairs:
    """Next hops as a bake finds them, decoded, and the distances of the same algorithm."""
    n = sub.graph.node_count
    runs = compressed_next_hops(
        sub,
        None,
        unreachable_fits=False,
        algorithm=algorithm,
        budget=2**30,
        threads=1,
        progress=lambda done: None,
    )
    row = np.repeat(np.arange(n), runs.run_count)
    length = np.diff(row * n + runs.run_start, append=n * n)
    hop = np.repeat(runs.run_slot, length).reshape(n, n)
    # What a run says of the row itself means nothing.
    np.fill_diagonal(hop, np.iinfo(str(hop.dtype)).max)
    distance = np.empty((n, n), dtype=np.int32)
    if choose_algorithm(sub.graph.node_count, sub.graph.arc_count, algorithm) == "floyd_warshall":
        for _ in floyd_warshall(sub.graph, sub.weight, distance, 1):
            pass
    else:
        search = BatchSearch.build(sub.graph, sub.weight)
        scratch = search.scratch()
        for start in range(0, n, batch.LANES):
            goals = np.arange(start, min(start + batch.LANES, n), dtype=np.int32)
            distance[:, goals] = search.distances_to(goals, scratch)[:, : len(goals)]
    distance[distance == INFINITY] = UNREACHABLE
    return Pairs(hop, distance)


def ticks(distance: AnyArray) -> Float64Array:
    """Distances as floats, with inf where there is no path: what scipy says."""
    return np.where(distance == UNREACHABLE, np.inf, distance)


def check_hops(sub: Subgraph, pairs: Pairs) -> None:
    """Every hop begins a shortest path; "none" is where none can.

    ``pairs.distance`` must have been found right before.
    """
    dist = ticks(pairs.distance)
    none = np.iinfo(str(pairs.hop.dtype)).max
    for node in range(sub.graph.node_count):
        own = slice(*sub.graph.first_out[node : node + 2].tolist())
        takes = pairs.hop[node] == sub.slot[own, None]
        optimal = dist[sub.graph.head[own]] + sub.weight[own, None] == dist[node]
        begins = (takes & optimal).any(axis=0)
        expected = np.isfinite(dist[node])
        expected[node] = False
        assert np.array_equal(begins & expected, expected)
        assert np.array_equal(pairs.hop[node] == none, ~expected)


def assert_same(one: Pairs, other: Pairs) -> None:
    """Equal to the byte."""
    for a, b in ((one.hop, other.hop), (one.distance, other.distance)):
        assert (a.dtype, a.shape, a.tobytes()) == (b.dtype, b.shape, b.tobytes())


def by_scipy(sub: Subgraph) -> np.ndarray:
    """Distances of csgraph.dijkstra; the lightest of parallel arcs, which scipy would add up."""
    n, tail, head = sub.graph.node_count, sub.graph.tail(), sub.graph.head
    order = np.lexsort((sub.weight, head, tail))
    pair = np.stack([tail, head])[:, order]
    first = np.append(True, (np.diff(pair) != 0).any(axis=0))[: len(order)]
    matrix = csr_array((sub.weight[order][first], pair[:, first]), shape=(n, n))
    return csgraph.dijkstra(matrix)


def check_navigator(nav: Navigator, steps: dict, places: list, exact: dict | None = None) -> None:
    """All pairs: next hop, distance, reachability, path; one by one and in one call.

    Args:
        steps: ticks by (from, to).
        places: all of them.
        exact: cost by (from, to) before rounding, in units.
    """
    arcs = arcs_of(places, [(a, b, ticks) for (a, b), ticks in steps.items()])
    lengths = {place: distances_from(arcs, place) for place in places}
    starts, goals, hops = [], [], []
    for start in places:
        for goal in places:
            ticks = lengths[start].get(goal)
            hop = nav.next_hop(start, goal)
            path = nav.path(start, goal)
            starts.append(start)
            goals.append(goal)
            hops.append(hop)
            assert nav.reachable(start, goal) is (ticks is not None)
            if ticks is None:
                assert hop is None
                assert path is None
                assert nav.distance(start, goal) == math.inf
                continue
            assert nav.distance(start, goal) == ticks / TICKS
            assert path is not None
            assert (path[0], path[-1]) == (start, goal)
            assert sum(steps[step] for step in pairwise(path)) == ticks
            if start == goal:
                assert hop == goal
                assert path == [goal]
                continue
            assert hop == path[1]
            if exact is not None:
                walked = sum(exact[step] for step in pairwise(path))
                assert math.isclose(nav.length(path), walked, rel_tol=1e-12)
            best = min(steps[start, to] + lengths[to].get(goal, math.inf) for to, _ in arcs[start])
            assert steps[start, hop] + lengths[hop][goal] == best
    check_around(nav, places, steps, random.Random(len(places)))
    many = nav.next_hops(starts, goals)
    if isinstance(places[0], tuple):
        assert many.dtype == np.int32
        assert many.tolist() == [[-1, -1] if hop is None else list(hop) for hop in hops]
    else:
        assert many.tolist() == hops
