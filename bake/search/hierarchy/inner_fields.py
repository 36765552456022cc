"""Inside every cluster: distances between its transitions, and the way to each from everywhere.

One search a transition, backwards, bounded by the cluster; a bucket queue as in
:mod:`bake.search.all_pairs.batch`, on arcs renumbered so that a cluster's stay in the cache. The
way to a
transition is kept as a *field*: for every node of the cluster the slot of the first arc of a
shortest path, the lowest one of several. Fields follow from distances alone, and the paths of all
inner edges lie in them.
"""

from __future__ import annotations

import numpy as np

from bake.arrays import BoolArray, Int32Array, Int64Array, UInt8Array
from bake.errors import CostError
from bake.graph import INFINITY
from bake.kernels.jit import kernel
from bake.search.graph.label_correcting import IDLE, RING

#: Slot of a node in a field from which the transition cannot be reached, by bits a slot.
NO_SLOT = {4: 15, 8: 255, 16: 65535}


def slot_bits(largest: int) -> int:
    """Bits of a slot in a field where ``largest`` is the highest.

    Raises:
        CostError: a node has more arcs than fields can tell apart.
    """
    for bits, none in NO_SLOT.items():
        if largest < none:
            return bits
    raise CostError(
        f"a node has {largest + 1:,} arcs", expected=f"at most {NO_SLOT[16]:,} for a hierarchy"
    )


@kernel
def _put(field: UInt8Array, base: int, bits: int, place: int, slot: int) -> None:
    if bits == 8:
        field[base + place] = slot
    else:
        field[base + 2 * place] = slot & 255
        field[base + 2 * place + 1] = slot >> 8


@kernel
def inner_fields(
    first_out: Int32Array,
    head: Int32Array,
    weight: Int32Array,
    slot: Int32Array,
    label: Int32Array,
    first_member: Int32Array,
    member: Int32Array,
    place: Int32Array,
    first_transition: Int32Array,
    transition: Int32Array,
    shift: int,
    first_distance: Int64Array,
    distance: Int32Array,
    bits: int,
    first_field: Int64Array,
    field: UInt8Array,
) -> int:
    """Search every cluster from each of its transitions.

    Args:
        first_out, head, weight: the graph; (n + 1), (m), (m) int32.
        slot: (m) int32, what a field says where the arc is to be taken.
        label: (n) int32, cluster of each node.
        first_member, member, place: from :func:`bake.search.graph.partition.members`.
        first_transition, transition: (c + 1), (t) int32, nodes that are transitions by cluster.
        shift: log2 of the width of one bucket in ticks.
        first_distance: (c + 1) int64, where each cluster's square of distances begins.
        distance: filled: [from, to] between a cluster's transitions, INFINITY = no way inside.
        bits: of one slot in a field: 4, 8 or 16; 0 = make none.
        first_field: (t + 1) int64, byte each transition's field begins at.
        field: filled; a cluster's nodes in order, the first in the lower bits of a byte.

    Returns:
        The longest distance met.
    """
    clusters = len(first_member) - 1
    most_nodes = 0
    most_arcs = 0
    for cluster in range(clusters):
        arcs = 0
        for spot in range(first_member[cluster], first_member[cluster + 1]):
            arcs += first_out[member[spot] + 1] - first_out[member[spot]]
        most_nodes = max(most_nodes, first_member[cluster + 1] - first_member[cluster])
        most_arcs = max(most_arcs, arcs)
    first_in = np.zeros(most_nodes + 1, np.int32)
    tail = np.empty(most_arcs, np.int32)
    cost = np.empty(most_arcs, np.int32)
    taken = np.empty(most_arcs, np.int32)
    dist = np.empty(most_nodes, np.int32)
    step = np.empty(most_nodes, np.int32)
    bucket = np.empty(most_nodes, np.int32)
    follower = np.empty(most_nodes, np.int32)
    leader = np.empty(most_nodes, np.int32)
    first = np.full(RING, -1, np.int32)
    none = (1 << bits) - 1
    longest = np.int32(0)
    for cluster in range(clusters):
        start = first_member[cluster]
        n = first_member[cluster + 1] - start
        count = first_transition[cluster + 1] - first_transition[cluster]
        if count == 0:
            continue
        first_in[: n + 1] = 0
        for here in range(n):
            node = member[start + here]
            for arc in range(first_out[node], first_out[node + 1]):
                if label[head[arc]] == cluster:
                    first_in[place[head[arc]] + 1] += 1
        for here in range(n):
            first_in[here + 1] += first_in[here]
        for back in range(n):
            here = n - 1 - back
            node = member[start + here]
            for arc in range(first_out[node + 1] - 1, first_out[node] - 1, -1):
                if label[head[arc]] == cluster:
                    there = place[head[arc]]
                    first_in[there + 1] -= 1
                    spot = first_in[there + 1]
                    tail[spot] = here
                    cost[spot] = weight[arc]
                    taken[spot] = slot[arc]
        # Filling from behind has moved every end to its beginning: first_in[i + 1] is i's first.
        total = 0
        for here in range(n):
            node = member[start + here]
            for arc in range(first_out[node], first_out[node + 1]):
                total += label[head[arc]] == cluster
        for here in range(n):
            first_in[here] = first_in[here + 1]
        first_in[n] = total
        for goal in range(count):
            origin = place[transition[first_transition[cluster] + goal]]
            for here in range(n):
                dist[here] = INFINITY
                step[here] = none
                bucket[here] = IDLE
            dist[origin] = 0
            bucket[origin] = 0
            follower[origin] = -1
            leader[origin] = -1
            first[0] = origin
            queued = 1
            current = 0
            while queued > 0:
                here = first[current & (RING - 1)]
                if here < 0:
                    current += 1
                    continue
                after = follower[here]
                first[current & (RING - 1)] = after
                if after >= 0:
                    leader[after] = -1
                bucket[here] = IDLE
                queued -= 1
                for arc in range(first_in[here], first_in[here + 1]):
                    other = tail[arc]
                    new = np.int32(dist[here] + cost[arc])
                    if new > dist[other]:
                        continue
                    if new == dist[other]:
                        step[other] = min(step[other], taken[arc]) if other != origin else none
                        continue
                    if new >= INFINITY:
                        longest = max(longest, new)
                        continue
                    dist[other] = new
                    step[other] = taken[arc]
                    longest = max(longest, new)
                    key = min(max(int(new) >> shift, current), current + RING - 1)
                    was = bucket[other]
                    if was >= 0:
                        if was <= key:
                            continue
                        before = leader[other]
                        after = follower[other]
                        if before >= 0:
                            follower[before] = after
                        else:
                            first[was & (RING - 1)] = after
                        if after >= 0:
                            leader[after] = before
                        queued -= 1
                    bucket[other] = key
                    leader[other] = -1
                    after = first[key & (RING - 1)]
                    follower[other] = after
                    if after >= 0:
                        leader[after] = other
                    first[key & (RING - 1)] = other
                    queued += 1
            base = first_distance[cluster]
            for source in range(count):
                from_place = place[transition[first_transition[cluster] + source]]
                distance[base + source * count + goal] = dist[from_place]
            if bits > 0:
                begin = first_field[first_transition[cluster] + goal]
                if bits == 4:
                    for here in range(0, n - 1, 2):
                        field[begin + (here >> 1)] = step[here] | (step[here + 1] << 4)
                    if n & 1:
                        field[begin + (n >> 1)] = step[n - 1] | 240
                else:
                    for here in range(n):
                        _put(field, begin, bits, here, step[here])
    return int(longest)


@kernel
def keep_undominated(
    first_transition: Int32Array,
    first_distance: Int64Array,
    distance: Int32Array,
    keep: BoolArray,
) -> None:
    """Mark the inner edges no two others make up for, so that the rest keep all distances.

    Dropping an edge whose length two shorter ones add up to is safe even if those are dropped in
    their turn: weights are positive, so what replaces an edge is always made of shorter ones.

    Args:
        first_transition, first_distance, distance: as for :func:`inner_fields`.
        keep: like ``distance``; filled.
    """
    for cluster in range(len(first_transition) - 1):
        count = first_transition[cluster + 1] - first_transition[cluster]
        base = first_distance[cluster]
        square = distance[base : base + count * count].reshape((count, count))
        kept = keep[base : base + count * count].reshape((count, count))
        for source in range(count):
            square[source, source] = INFINITY - 1
        for source in range(count):
            for goal in range(count):
                kept[source, goal] = square[source, goal] < INFINITY - 1
            for via in range(count):
                if via == source:
                    continue
                begun = square[source, via]
                if begun >= INFINITY - 1:
                    continue
                for goal in range(count):
                    kept[source, goal] &= begun + square[via, goal] != square[source, goal]
        for source in range(count):
            square[source, source] = 0


def undominated(
    longest: int,
    first_transition: Int32Array,
    first_distance: Int64Array,
    distance: Int32Array,
) -> BoolArray:
    """Which inner edges to keep: see :func:`keep_undominated`.

    Args:
        longest: what :func:`inner_fields` returned.
        first_transition, first_distance, distance: as for it.

    Raises:
        CostError: a distance inside a cluster is too long for the scale.
    """
    if longest >= INFINITY - 1:
        raise CostError(
            f"distances inside a cluster reach {longest} ticks",
            expected=f"fewer than {INFINITY - 1} ticks",
            remedy="lower ticks_per_unit, or make clusters smaller",
        )
    keep = np.empty(len(distance), dtype=np.bool_)
    keep_undominated(first_transition, first_distance, distance, keep)
    return keep
