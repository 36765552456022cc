"""Prove the three prices of every two neighbouring clusters, by searches of their own.

They are the minimum, the maximin and the average of what it costs to go through the first cluster
into the second one; the column `cluster_cost` in docs/format-columns.md says which ways count.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bake.arrays import BoolArray, Int32Array, Int64Array
from bake.kernels.jit import kernel
from bake.verify.profile import Incoming, Profile


class Links(NamedTuple):
    """The arcs between clusters, in the order of the pairs of clusters they join.

    Attributes:
        pair: (p, 2) int64, the cluster the arcs leave and the one they lead to.
        first: (p + 1) int64, first arc of each pair.
        row: (l) int32, the row an arc leaves.
        weight: (l) int32 ticks.
    """

    pair: Int64Array
    first: Int64Array
    row: Int32Array
    weight: Int32Array


class Clusters(NamedTuple):
    """The rows, in the order of their clusters.

    Attributes:
        label: (r) int32, cluster of each row.
        first: (c + 1) int64, first row of each cluster in ``row``.
        row: (r) int32.
    """

    label: Int32Array
    first: Int64Array
    row: Int32Array


class Queue(NamedTuple):
    """The scratch arrays of a search: a ring of waiting rows, in which each row is at most once.

    Attributes:
        row: (r) int32, the ring.
        waits: (r) bool, True where a row waits; all False before and after a search.
    """

    row: Int32Array
    waits: BoolArray


@kernel
def price_pairs(
    links: Links,
    clusters: Clusters,
    arcs: Incoming,
    queue: Queue,
    dist: Int64Array,
    cost: Int64Array,
) -> None:
    """Find the three prices of every pair of clusters; search the first one breadth first.

    Args:
        links: the pairs, and the arcs between them.
        clusters: the rows of each.
        arcs: all arcs by the row they lead to.
        queue: scratch.
        dist: (r) scratch.
        cost: (p, 3) out: minimum, maximin, average; -1 where there is nothing to price.
    """
    far = np.int64(2**62)
    label, ring, waits = clusters.label, queue.row, queue.waits
    for place in range(len(links.pair)):
        here, there = links.pair[place, 0], links.pair[place, 1]
        members = clusters.row[clusters.first[here] : clusters.first[here + 1]]
        for row in members:
            dist[row] = far
        begin, waiting = 0, 0
        cheapest = far
        for link in range(links.first[place], links.first[place + 1]):
            row, price = links.row[link], np.int64(links.weight[link])
            cheapest = min(cheapest, price)
            if price < dist[row]:
                dist[row] = price
                if not waits[row]:
                    waits[row] = True
                    ring[(begin + waiting) % len(ring)] = row
                    waiting += 1
        while waiting:
            row = ring[begin]
            begin, waiting = (begin + 1) % len(ring), waiting - 1
            waits[row] = False
            for arc in range(arcs.first[row], arcs.first[row + 1]):
                other, length = arcs.tail[arc], dist[row] + arcs.weight[arc]
                if label[other] == here and length < dist[other]:
                    dist[other] = length
                    if not waits[other]:
                        waits[other] = True
                        ring[(begin + waiting) % len(ring)] = other
                        waiting += 1
        # Ways of three kinds: by arcs from third clusters, by arcs from any other, one a row.
        longest, total, count = np.zeros(3, np.int64), np.zeros(3, np.int64), np.zeros(3, np.int64)
        for row in members:
            if dist[row] == far:
                continue
            ways = np.zeros(3, np.int64)
            ways[2] = 1
            for arc in range(arcs.first[row], arcs.first[row + 1]):
                source = label[arcs.tail[arc]]
                outside = source != here
                ways[0] += outside and source != there
                ways[1] += outside
            for kind in range(3):
                if ways[kind]:
                    longest[kind] = max(longest[kind], dist[row])
                    total[kind] += ways[kind] * dist[row]
                    count[kind] += ways[kind]
        cost[place] = -1
        for kind in range(3):
            if count[kind]:
                cost[place, 0] = cheapest
                cost[place, 1] = longest[kind]
                cost[place, 2] = total[kind] // count[kind]
                break


def prove_prices(profile: Profile) -> None:
    """Prove which pairs of clusters arcs join, and the three prices of each pair.

    Raises:
        CorruptAssetError: a pair is missing or joined by no arc, or a price is another one.
    """
    arcs, label = profile.arcs, profile.whole("cluster")
    pair, cost = profile.column("cluster_pair"), profile.column("cluster_cost")
    crossing = arcs.where(label[arcs.tail] != label[arcs.head])
    between = np.stack([label[crossing.tail], label[crossing.head]], axis=1)
    order = np.lexsort((between[:, 1], between[:, 0]))
    joined, first = np.unique(between[order], axis=0, return_index=True)
    named = np.array_equal(joined, pair)
    profile.require(named, "cluster_pair does not name the clusters arcs join")
    profile.require(cost.shape == (len(pair), 3), "cluster_cost does not fit cluster_pair")
    links = Links(
        joined.astype(np.int64),
        np.append(first, len(order)).astype(np.int64),
        crossing.tail[order].astype(np.int32),
        crossing.weight[order].astype(np.int32),
    )
    member = np.argsort(label, kind="stable")
    begin = np.searchsorted(label[member], np.arange(int(label.max(initial=-1)) + 2))
    clusters = Clusters(label.astype(np.int32), begin.astype(np.int64), member.astype(np.int32))
    rows = arcs.count
    queue = Queue(np.empty(rows, dtype=np.int32), np.zeros(rows, dtype=np.bool_))
    real = np.empty((len(pair), 3), dtype=np.int64)
    price_pairs(links, clusters, arcs.incoming(), queue, np.empty(rows, dtype=np.int64), real)
    wrong = np.argwhere(real != cost)
    if len(wrong):
        at, kind = wrong[0]
        name = ("minimum", "maximin", "average")[kind]
        a, b = joined[at]
        raise profile.wrong(f"cluster_cost from cluster {a} to {b}: the {name} is wrong")
