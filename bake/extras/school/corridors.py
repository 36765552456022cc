"""Plans over clusters by one of their prices, and paths inside the clusters of a plan.

I. Millington, J. Funge, "Artificial Intelligence for Games", 2nd edition, section 4.6: a search on
the level above limits the one below. Prices of clusters are guesses, so neither is exact: a path
costs as much as a shortest one or more, and nothing is promised. HPA* does better; this is what it
is measured against.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from heapq import heappop, heappush

import numpy as np

from bake.core.arrays import BoolArray, Int32Array
from bake.core.graph import UNREACHABLE, Graph
from bake.extras.school.link_costs import priced_pairs
from bake.play.navigator import Navigator
from bake.play.searching.bounds import cluster_number
from bake.play.searching.context import SearchContext
from bake.play.searching.heuristics import best_name, heuristic_for
from bake.play.searching.methods import Outcome, Request, refuse_options, without_heuristic
from bake.search.graph.partition import members
from bake.search.point.estimates import Estimate
from bake.search.point.space import Found, SearchSpace
from levelbake.errors import QueryError
from levelbake.places import MaybeNone, Place

#: The prices of going from one cluster to the next, in the order of their columns.
PRICES = ("minimum", "maximin", "average")

#: The ticks of each price, by the two clusters.
PairCosts = Mapping[tuple[int, int], tuple[int, ...]]

#: The clusters that can be entered from each, and the ticks of every price.
Links = dict[int, list[tuple[int, tuple[int, ...]]]]


def members_of(context: SearchContext) -> tuple[Int32Array, Int32Array, Int32Array]:
    """Return rows by cluster: see :func:`bake.search.graph.partition.members`."""
    bounds = context.bounds
    return context.kept("cluster members", lambda: members(bounds.cluster, bounds.cluster_count))


def prices_of(context: SearchContext) -> PairCosts:
    """Return the price of every pair of adjacent clusters, in ticks."""

    def compute_prices() -> PairCosts:
        label, usable = context.bounds.cluster, context.version.usable
        first, member, _ = members_of(context)
        pair, cost = priced_pairs(usable.graph, usable.weight, label, first, member)
        priced = zip(pair.tolist(), cost.tolist(), strict=True)
        return {(a, b): tuple(prices) for (a, b), prices in priced}

    return context.kept("cluster prices", compute_prices)


def links_of(context: SearchContext) -> Links:
    """Return the links between clusters."""

    def build_links() -> Links:
        links: Links = {}
        for (a, b), costs in sorted(prices_of(context).items()):
            links.setdefault(a, []).append((b, costs))
        return links

    return context.kept("links", build_links)


def cluster_cost(nav: Navigator, start: int, goal: int, price: str = "average") -> float:
    """Return the expected price of a path through one cluster into the next, in units.

    All prices are found when one is first asked for, and again on a level that has changed.

    Args:
        nav: a profile of a level that was baked with clusters.
        start, goal: clusters, from :meth:`bake.play.searches.Searches.cluster`.
        price: "minimum", the cheapest step across, for optimists; "maximin", the longest of the
            shortest ways through the first cluster from where it can be entered, for pessimists; or
            "average", the mean of those ways.

    Returns:
        The price; ``math.inf`` where no step leads from one to the other.

    Raises:
        QueryError: there is no such cluster or price.
        MissingTableError: the asset was baked without clusters.
    """
    now = nav._now
    a, b = (cluster_number(now.searches.bounds, each) for each in (start, goal))
    which = _which(price)
    costs = prices_of(now.searches).get((a, b))
    ticks = int(UNREACHABLE) if costs is None else costs[which]
    return math.inf if ticks >= int(UNREACHABLE) else ticks / now.version.places.ticks_per_unit


def plan_clusters(
    nav: Navigator, start: Place, goal: Place, price: str = "average"
) -> tuple[list[int], float] | MaybeNone:
    """Return the cheapest sequence of clusters by one of their prices.

    Args:
        nav: a profile of a level that was baked with clusters.
        start, goal: places.
        price: as for :func:`cluster_cost`.

    Returns:
        The clusters from that of the start to that of the goal, and the sum of their prices in
        units, which is no bound of what a path costs; None where no clusters lead there.

    Raises:
        QueryError: as for :meth:`bake.play.Navigator.next_hop`, or there is no such price.
        MissingTableError: the asset was baked without clusters.
    """
    now = nav._now
    label = now.searches.bounds.cluster
    here, there = (int(label[now.rows.row(place)]) for place in (start, goal))
    sequence, ticks, _ = plan(links_of(now.searches), here, there, price)
    return (sequence, ticks / now.version.places.ticks_per_unit) if sequence else None


def search_clusters(context: SearchContext, row: int, goal: int, request: Request) -> Outcome:
    """Search inside the clusters of a plan: the method "clusters" of ``nav.search``."""
    without_heuristic(request, "the method 'clusters'")
    refuse_options(request, "price")
    if context.unreachable(row, goal):
        return Outcome(None, 0, 0, bound=math.inf)
    bounds = context.bounds
    links = links_of(context)
    price = request.options.get("price") or "average"
    label = bounds.cluster
    sequence, _, expanded = plan(links, int(label[row]), int(label[goal]), price)
    if not sequence:  # Every path would be a sequence of clusters.
        return Outcome(None, 0, expanded, bound=math.inf)
    generated = 0
    corridor = np.zeros(bounds.cluster_count, dtype=np.bool_)
    corridor[sequence] = True
    norm = heuristic_for(context, best_name(context), goal)
    while True:
        found = path_inside(context, corridor, row, goal, norm)
        expanded, generated = expanded + found.expanded, generated + found.generated
        if found.rows is not None:
            return Outcome(found.rows, found.ticks, expanded, generated, bound=math.inf)
        # The path may be unable to use the connections between the clusters of the plan.
        wider = widened(corridor, links)
        if (wider == corridor).all():
            return Outcome(None, 0, expanded, generated, bound=math.inf)
        corridor = wider


def _which(price: str) -> int:
    if price not in PRICES:
        raise QueryError(f"no price {price!r}", expected=" or ".join(PRICES))
    return PRICES.index(price)


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
    which = _which(price)
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
    """Return a corridor extended by the successors and predecessors of its clusters."""
    wider = corridor.copy()
    for a, those in links.items():
        for b, _ in those:
            wider[a] |= corridor[b]
            wider[b] |= corridor[a]
    return wider


def path_inside(
    context: SearchContext, corridor: BoolArray, row: int, goal: int, norm: Estimate
) -> Found:
    """Find a shortest path inside some clusters.

    Args:
        context: of the profile; r rows.
        corridor: (c) which clusters may be visited; those of start and goal may.
        row, goal: where from and where to.
        norm: a heuristic that asks for no table.

    Returns:
        The path, None where there is none inside, and what was expanded and generated.
    """
    usable, label = context.version.usable, context.bounds.cluster
    first, member, rank = members_of(context)
    clusters = np.flatnonzero(corridor)
    rows = np.concatenate([member[first[each] : first[each + 1]] for each in clusters])
    before = np.zeros(len(corridor), dtype=np.int32)
    before[clusters[1:]] = np.cumsum(np.diff(first)[clusters])[:-1]
    # The arcs out of these rows, and of those the ones that stay inside.
    begin, end = usable.graph.first_out[rows], usable.graph.first_out[rows + 1]
    count = end - begin
    arc = np.arange(count.sum()) + np.repeat(end - np.cumsum(count), count)
    head = usable.graph.head[arc]
    inside = corridor[label[head]] & (label[head] >= 0)
    head, kept = head[inside], np.append(0, np.cumsum(inside))
    first_out = np.append(0, kept[np.cumsum(count)]).astype(np.int32)
    part = Graph(first_out, before[label[head]] + rank[head])
    space = SearchSpace(part, usable.weight[arc[inside]])
    at = norm.at[rows] if len(norm.at) else norm.at
    start, end_row = (int(before[label[each]] + rank[each]) for each in (row, goal))
    found = space.astar(replace(norm, at=at), start, end_row)
    return found if found.rows is None else replace(found, rows=rows[found.rows])
