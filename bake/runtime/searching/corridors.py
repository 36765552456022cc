"""Plan over clusters by one of their prices, and look for a path in the clusters of the plan.

I. Millington, J. Funge, "Artificial Intelligence for Games", 2nd edition, section 4.6: a search on
the level above limits the one below. Prices of clusters are guesses, so neither is exact: a path
costs as much as a shortest one or more, and nothing is promised. HPA* does better; this is what it
is measured against.
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING

import numpy as np

from bake.arrays import BoolArray, Int32Array
from bake.errors import QueryError
from bake.runtime.searching.bounds import PRICES, Bounds

if TYPE_CHECKING:
    from bake.graph import Subgraph
    from bake.search.point.estimates import Estimate

#: The clusters that can be entered from each, and the ticks of every price.
Links = dict[int, list[tuple[int, tuple[int, ...]]]]


def links_of(bounds: Bounds) -> Links:
    """Return which clusters lead into which."""
    links: Links = {}
    for (a, b), costs in sorted(bounds.pair_costs.items()):
        links.setdefault(a, []).append((b, costs))
    return links


def plan(links: Links, start: int, goal: int, price: str) -> tuple[list[int], int, int]:
    """Find the cheapest sequence of clusters by Dijkstra's algorithm.

    Args:
        links: from :func:`links_of`.
        start, goal: clusters.
        price: one of PRICES.

    Returns:
        The clusters from start to goal, empty where no sequence leads there; their price in ticks;
        and how many clusters were expanded. Of equal sequences it is always the same one.

    Raises:
        QueryError: there is no such price.
    """
    if price not in PRICES:
        raise QueryError(f"no price {price!r}", expected=" or ".join(PRICES))
    which = PRICES.index(price)
    cost, before = {start: 0}, {start: start}
    heap, done = [(0, start)], set[int]()
    while heap:
        ticks, cluster = heappop(heap)
        if cluster in done:
            continue
        done.add(cluster)
        if cluster == goal:
            sequence = [goal]
            while sequence[-1] != start:
                sequence.append(before[sequence[-1]])
            return sequence[::-1], ticks, len(done)
        for other, costs in links.get(cluster, ()):
            onward = ticks + costs[which]
            if onward < cost.get(other, onward + 1):
                cost[other], before[other] = onward, cluster
                heappush(heap, (onward, other))
    return [], 0, len(done)


def widened(corridor: BoolArray, links: Links) -> BoolArray:
    """Return a corridor with the neighbours of its clusters, those that lead into them as well."""
    wider = corridor.copy()
    for a, those in links.items():
        for b, _ in those:
            wider[a] |= corridor[b]
            wider[b] |= corridor[a]
    return wider


def path_inside(
    usable: Subgraph, inside: BoolArray, row: int, goal: int, norm: Estimate
) -> tuple[Int32Array | None, int, int]:
    """Find a shortest path that visits no row outside.

    Args:
        usable: what the profile can use; r rows.
        inside: (r) which rows may be visited; start and goal may.
        row, goal: where from and where to.
        norm: a heuristic that asks for no table.

    Returns:
        (k) int32 rows from start to goal, None where there is no path inside; its ticks; and how
        many rows were expanded.
    """
    from dataclasses import replace

    from bake.graph import Graph
    from bake.search.point.space import SearchSpace

    graph, weight = usable.graph, usable.weight
    tail = graph.tail()
    kept = np.flatnonzero(inside[tail] & inside[graph.head])
    rows = np.flatnonzero(inside).astype(np.int32)
    number = np.full(graph.node_count, -1, dtype=np.int32)
    number[rows] = np.arange(len(rows), dtype=np.int32)
    part, order = Graph.from_arcs(len(rows), number[tail[kept]], number[graph.head[kept]])
    space = SearchSpace(part, weight[kept][order])
    at = norm.at[rows] if len(norm.at) else norm.at
    found = space.astar(replace(norm, at=at), int(number[row]), int(number[goal]))
    if found.rows is None:
        return None, 0, found.expanded
    return rows[found.rows], found.ticks, found.expanded
