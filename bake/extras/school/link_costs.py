"""Prices of paths through one cluster into the next, over all entrances.

I. Millington, J. Funge, "Artificial Intelligence for Games", 2nd edition, section 4.6.1.
"""

from __future__ import annotations

import numpy as np

from bake.core.arrays import Int32Array
from bake.core.graph import Graph
from bake.core.kernels.heap import Heap, drop_first, push
from bake.core.kernels.jit import kernel
from bake.search.graph.partition import crossing_arcs

_FAR = 2**31 - 1


@kernel
def price_links(
    first_in: Int32Array,
    tail: Int32Array,
    weight_in: Int32Array,
    label: Int32Array,
    first: Int32Array,
    member: Int32Array,
    pair: Int32Array,
    first_link: Int32Array,
    link_tail: Int32Array,
    link_weight: Int32Array,
    heap: Heap,
    dist: Int32Array,
    cost: Int32Array,
) -> None:
    """Price every pair of clusters that an arc joins.

    Args:
        first_in, tail, weight_in: arcs by their heads; (r + 1), (m), (m) int32 ticks.
        label: (r) int32, cluster of every row.
        first, member: rows by cluster; (c + 1), (r) int32.
        pair: (p, 2) int32, clusters (from, to).
        first_link: (p + 1) int32; link_tail, link_weight: (k) int32, the arcs that lead from one
            to the other, pair by pair.
        heap: room for m + k + 1 entries.
        dist: (r) int32 scratch.
        cost: (p, 3) int32, filled with ticks: minimum, maximin, average minimum.
    """
    for i in range(len(pair)):
        here = pair[i, 0]
        there = pair[i, 1]
        for one in range(first[here], first[here + 1]):
            dist[member[one]] = _FAR
        held = 0
        cheapest = _FAR
        for link in range(first_link[i], first_link[i + 1]):
            row = link_tail[link]
            price = int(link_weight[link])
            cheapest = min(cheapest, price)
            if price < dist[row]:
                dist[row] = price
                held = push(heap, held, price, row)
        while held > 0:
            reached, row = int(heap[0, 0]), int(heap[0, 1])
            held = drop_first(heap, held)
            if dist[row] != reached:
                continue
            for arc in range(first_in[row], first_in[row + 1]):
                other = tail[arc]
                ahead = reached + int(weight_in[arc])
                if label[other] == here and ahead < dist[other]:
                    dist[other] = ahead
                    held = push(heap, held, ahead, other)
        largest = 0
        total = 0
        count = 0
        # Entrances from other clusters; without any, all entrances; without those, all rows.
        for attempt in range(3):
            if count > 0:
                break
            for one in range(first[here], first[here + 1]):
                row = member[one]
                if dist[row] == _FAR:
                    continue
                ways = 1 if attempt == 2 else 0
                for arc in range(first_in[row], first_in[row + 1]):
                    source = label[tail[arc]]
                    if attempt < 2 and source != here and (attempt == 1 or source != there):
                        ways += 1
                if ways > 0:
                    largest = max(largest, int(dist[row]))
                    total += ways * int(dist[row])
                    count += ways
        cost[i, 0] = cheapest
        cost[i, 1] = largest
        cost[i, 2] = total // count


def priced_pairs(
    graph: Graph, weight: Int32Array, label: Int32Array, first: Int32Array, member: Int32Array
) -> tuple[Int32Array, Int32Array]:
    """Price every pair of clusters that an arc joins.

    Args:
        graph, weight: (m) int32 ticks.
        label: (r) int32; rows of no cluster have no arcs.
        first, member: rows by cluster; (c + 1), int32.

    Returns:
        (p, 2) int32 clusters, in order; (p, 3) int32 ticks: minimum, maximin, average.
    """
    tail, arc = crossing_arcs(graph.first_out, graph.head, label)
    here, there = label[tail], label[graph.head[arc]]
    order = np.lexsort((there, here))
    pair, first_link = _runs(here[order], there[order])
    backward, behind = graph.reverse()
    cost = np.empty((len(pair), 3), dtype=np.int32)
    room = graph.arc_count + len(arc) + 1
    price_links(
        backward.first_out,
        backward.head,
        weight[behind],
        label,
        first,
        member,
        pair,
        first_link,
        tail[order],
        weight[arc[order]],
        np.empty((room, 2), dtype=np.int64),
        np.empty(graph.node_count, dtype=np.int32),
        cost,
    )
    return pair, cost


def _runs(here: Int32Array, there: Int32Array) -> tuple[Int32Array, Int32Array]:
    """Return the distinct pairs of two sorted columns, (p, 2), and where each begins, (p + 1)."""
    fresh = np.ones(len(here), dtype=np.bool_)
    fresh[1:] = (here[1:] != here[:-1]) | (there[1:] != there[:-1])
    begins = np.flatnonzero(fresh)
    pair = np.ascontiguousarray(np.stack([here[begins], there[begins]], axis=1))
    return pair, np.append(begins, len(here)).astype(np.int32)
