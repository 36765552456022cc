"""Compiled parts of proofs of lower bounds, written from docs/format-searches.md."""

from __future__ import annotations

import numpy as np

from bake.arrays import BoolArray, Int32Array, Int64Array, UInt8Array
from bake.kernels.jit import kernel
from bake.verify.bellman import NONE
from bake.verify.kernels import FAR


@kernel
def least_by_group(dist: Int32Array, group: Int32Array, least: Int32Array) -> None:
    """The smallest distance from any row of each group.

    Args:
        dist: (r, k) ticks, FAR where there is no path.
        group: (r) group of each row.
        least: (groups, k) out; FAR where there is no path.
    """
    least[:] = FAR
    for row in range(len(group)):
        mine, found = dist[row], least[group[row]]
        for lane in range(len(mine)):
            found[lane] = min(found[lane], mine[lane])


@kernel
def least_beyond(
    dist: Int32Array, group: Int32Array, height: Int32Array, field: UInt8Array, least: Int32Array
) -> None:
    """The smallest distance less a field from any row of each group.

    Args:
        dist: (r, k) ticks, FAR where there is no path.
        group: (r) group of each row.
        height: (r, f) ticks of each field, above -2**30.
        field: (groups, k) the field that counts for the rows of a group.
        least: (groups, k) out; NONE where there is no path.
    """
    least[:] = NONE
    for row in range(len(group)):
        mine, found, lifts = dist[row], least[group[row]], height[row]
        chosen = field[group[row]]
        for lane in range(len(mine)):
            beyond = np.int32(mine[lane] - lifts[chosen[lane]])
            found[lane] = min(found[lane], beyond if mine[lane] < FAR else np.int32(NONE))


@kernel
def price_pairs(
    pair: Int64Array,
    first_link: Int64Array,
    link_row: Int32Array,
    link_weight: Int32Array,
    first_member: Int64Array,
    member: Int32Array,
    label: Int32Array,
    first_in: Int64Array,
    tail: Int32Array,
    weight_in: Int32Array,
    queue: Int32Array,
    queued: BoolArray,
    dist: Int64Array,
    cost: Int64Array,
) -> None:
    """The three prices of every pair of clusters, by searching the first one breadth first.

    Args:
        pair: (p, 2) clusters.
        first_link: (p + 1); link_row, link_weight: rows of the first cluster from which arcs lead
            into the second, and their ticks.
        first_member, member: rows by cluster.
        label: (r) cluster of each row.
        first_in, tail, weight_in: arcs by the row they lead to.
        queue, queued, dist: (r) scratch; queued all False.
        cost: (p, 3) out: minimum, maximin, average; -1 where there is nothing to price.
    """
    far = np.int64(2**62)
    for place in range(len(pair)):
        here, there = pair[place, 0], pair[place, 1]
        members = member[first_member[here] : first_member[here + 1]]
        for row in members:
            dist[row] = far
        begin, waiting = 0, 0
        cheapest = far
        for link in range(first_link[place], first_link[place + 1]):
            row, price = link_row[link], np.int64(link_weight[link])
            cheapest = min(cheapest, price)
            if price < dist[row]:
                dist[row] = price
                if not queued[row]:
                    queued[row] = True
                    queue[(begin + waiting) % len(queue)] = row
                    waiting += 1
        while waiting:
            row = queue[begin]
            begin, waiting = (begin + 1) % len(queue), waiting - 1
            queued[row] = False
            for arc in range(first_in[row], first_in[row + 1]):
                other = tail[arc]
                if label[other] == here and dist[row] + weight_in[arc] < dist[other]:
                    dist[other] = dist[row] + weight_in[arc]
                    if not queued[other]:
                        queued[other] = True
                        queue[(begin + waiting) % len(queue)] = other
                        waiting += 1
        # What arcs from third clusters, from any other one, and rows themselves come to.
        longest, total, count = np.zeros(3, np.int64), np.zeros(3, np.int64), np.zeros(3, np.int64)
        for row in members:
            if dist[row] == far:
                continue
            ways = np.zeros(3, np.int64)
            ways[2] = 1
            for arc in range(first_in[row], first_in[row + 1]):
                source = label[tail[arc]]
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
