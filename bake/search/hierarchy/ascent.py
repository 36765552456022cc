"""Plans from the table on top of a hierarchy's layers, without a search.

A. Botea, M. Mueller, J. Schaeffer, "Near optimal hierarchical path-finding", J. Game Development
1(1), 2004, section 3.4, with all distances and next hops of the last layer at hand. Each transition
of the first layer knows the ways to those of the last one in the same cluster of the last one: its
*ascents*. So a start has a distance to a dozen transitions of the last layer, and so has the goal;
the table joins them, and the way across is taken apart layer by layer. All layers keep the
distances of the first, so it is a shortest way there.

Nodes of all layers are numbered through, those of the first layer from 0; so are clusters.
"""

from __future__ import annotations

import numpy as np

from bake.arrays import Int32Array, Int64Array, UInt8Array
from bake.graph import BLOCKED
from bake.kernels.heap import Heap, drop_first, push
from bake.kernels.jit import kernel
from bake.search.hierarchy.inside import ASTRAY, slot_at

#: Columns of ``node_data``: the node of the layer below (on the first layer, the row), the cluster
#: in its own layer, that in the next (-1 on the last), its place in the latter.
BELOW, OWN, ABOVE, RANK = 0, 1, 2, 3

#: Columns of ``layer_data``.
FIRST_NODE, BITS = 0, 1

#: Columns of ``cluster_data``; see :func:`bake.search.hierarchy.hpa.find_way`.
TRANSITION, FIELD, FIELD_BYTES = 0, 2, 3

_FAR = int(BLOCKED)


@kernel
def fill_ascents(
    first_in: Int32Array,
    arcs_in: Int32Array,
    last: Int32Array,
    lowest: Int32Array,
    first_top: Int32Array,
    first_ascent: Int64Array,
    heap: Heap,
    ascent: Int32Array,
) -> None:
    """Search from every transition of the last layer, inside its cluster.

    Args:
        first_in, arcs_in: the first layer with every arc turned round; (t + 1) int32, (a, 2) int32
            tail and ticks. As it is, to fill the ways back.
        last: (t) int32, cluster of the last layer, numbered from 0, of each node.
        lowest: (u) int32, node of the first layer each of the last layer is.
        first_top: (c + 1) int32, nodes of the last layer by cluster.
        first_ascent: (t + 1) int64, where each node's ascents begin: one to each node of the last
            layer in its cluster, in order.
        heap: room for all arcs and one more.
        ascent: (e, 2) int32, filled: ticks, and the next node of the first layer on the way; _FAR
            and -1 where there is no way inside the cluster.
    """
    ascent[:, 0] = _FAR
    ascent[:, 1] = -1
    for cluster in range(len(first_top) - 1):
        for top in range(first_top[cluster], first_top[cluster + 1]):
            place = top - first_top[cluster]
            ascent[first_ascent[lowest[top]] + place, 0] = 0
            size = push(heap, 0, 0, lowest[top])
            while size > 0:
                done, node = heap[0, 0], heap[0, 1]
                size = drop_first(heap, size)
                if done > ascent[first_ascent[node] + place, 0]:
                    continue
                for arc in range(first_in[node], first_in[node + 1]):
                    other = arcs_in[arc, 0]
                    if last[other] != cluster:
                        continue
                    new = done + arcs_in[arc, 1]
                    spot = first_ascent[other] + place
                    if new < ascent[spot, 0]:
                        ascent[spot, 0] = new
                        ascent[spot, 1] = node
                        size = push(heap, size, new, other)


@kernel
def ascend(
    ends: Int64Array,
    count: int,
    first_ascent: Int64Array,
    ascent: Int32Array,
    raised: Int64Array,
) -> int:
    """Distances of a start, or a goal, to the last layer's nodes in its cluster there.

    Args:
        ends: (e, 2) int64 nodes of the first layer and ticks, ``count`` of them.
        raised: (m, 2) int64, filled: ticks (_FAR or more = no way), and the node to ascend from.

    Returns:
        How many nodes of the last layer there are.
    """
    if count == 0:
        return 0
    nodes = first_ascent[ends[0, 0] + 1] - first_ascent[ends[0, 0]]
    raised[:nodes, 0] = _FAR
    for place in range(count):
        begin = first_ascent[ends[place, 0]]
        for top in range(nodes):
            ticks = ends[place, 1] + ascent[begin + top, 0]
            if ticks < raised[top, 0]:
                raised[top, 0] = ticks
                raised[top, 1] = ends[place, 0]
    return int(nodes)


@kernel
def join(
    begun: int,
    starts: Int64Array,
    start_count: int,
    ended: int,
    goals: Int64Array,
    goal_count: int,
    distance: Int32Array,
    best: int,
) -> tuple[int, int, int]:
    """The cheapest way from one of some nodes of the last layer to one of others.

    Args:
        begun, ended: the first of the nodes ``starts`` and ``goals`` are of, within the layer.
        starts, goals: from :func:`ascend`.
        distance: (u, u) int32 ticks between nodes of the last layer.
        best: cost of the best way known.

    Returns:
        Cost of the way, or ``best``; the nodes it joins, -1 and -1 where nothing is cheaper.
    """
    near, far = -1, -1
    for start in range(start_count):
        so_far = starts[start, 0]
        if so_far >= min(best, _FAR):
            continue
        for goal in range(goal_count):
            between = np.int64(distance[begun + start, ended + goal])
            ticks = so_far + between + goals[goal, 0]
            if between != _FAR and goals[goal, 0] < _FAR and ticks < best:
                best = ticks
                near, far = begun + start, ended + goal
    return int(best), int(near), int(far)


@kernel
def descend(
    near: int,
    far: int,
    first_out: Int32Array,
    arcs: Int32Array,
    node_data: Int32Array,
    cluster_data: Int64Array,
    layer_data: Int64Array,
    field: UInt8Array,
    hop: Int32Array,
    plan: Int32Array,
    spare: Int32Array,
) -> int:
    """The nodes of the first layer on the way from one node of the last layer to another.

    Args:
        near, far: within the last layer.
        first_out, arcs: of all layers; (n + 1) int32, (a, 2) int32 head and ticks.
        node_data: (n, 4) int32.
        cluster_data: see :func:`bake.search.hierarchy.hpa.find_way`, of all layers.
        layer_data: (k, 2) int64 first node of each layer, bits of a slot in its fields.
        field: ways to the nodes of all layers.
        hop: (u, u) int32 slots between nodes of the last layer, -1 = no way.
        plan: room for the nodes of the first layer; filled.
        spare: as long; working memory.

    Returns:
        How many nodes there are, or ASTRAY.
    """
    top = len(layer_data) - 1
    first_node = layer_data[top, FIRST_NODE]
    # Every layer's nodes go to one buffer, those of the next lower one to the other.
    here, below = (plan, spare) if top % 2 == 0 else (spare, plan)
    node = near + first_node
    here[0] = node
    count = 1
    while node != far + first_node:
        slot = int(hop[node - first_node, far])
        arc = first_out[node] + slot
        if slot < 0 or arc >= first_out[node + 1] or count >= len(here):
            return ASTRAY
        node = np.int64(arcs[arc, 0])
        here[count] = node
        count += 1
    for layer in range(top, 0, -1):
        bits = layer_data[layer, BITS]
        none = (1 << bits) - 1
        node = np.int64(node_data[here[0], BELOW])
        below[0] = node
        filled = 1
        for place in range(1, count):
            there = np.int64(node_data[here[place], BELOW])
            cluster = node_data[here[place], OWN]
            if cluster != node_data[here[place - 1], OWN]:
                if filled >= len(below):
                    return ASTRAY
                node = there
                below[filled] = node
                filled += 1
            begin = cluster_data[cluster, FIELD] + cluster_data[cluster, FIELD_BYTES] * (
                here[place] - cluster_data[cluster, TRANSITION]
            )
            while node != there:
                slot = slot_at(field, begin, bits, node_data[node, RANK])
                arc = first_out[node] + slot
                if slot == none or arc >= first_out[node + 1] or filled >= len(below):
                    return ASTRAY
                node = np.int64(arcs[arc, 0])
                if node_data[node, ABOVE] != cluster:
                    return ASTRAY
                below[filled] = node
                filled += 1
        here, below = below, here
        count = filled
    return count


@kernel
def with_ends(
    begun: int,
    start: int,
    ended: int,
    goal: int,
    up: Int32Array,
    first_ascent: Int64Array,
    down: Int32Array,
    plan: Int32Array,
    count: int,
    spare: Int32Array,
) -> int:
    """Put the ways up to the first node of a plan and down from its last one around it.

    Args:
        begun, ended: the nodes of the first layer to ascend from, and to descend to.
        start, goal: which ascents of theirs to take.
        up, down: ascents, and ways back.
        plan: ``count`` nodes; filled.
        spare: as long as ``plan``; working memory.

    Returns:
        How many nodes there are, or ASTRAY.
    """
    spare[:count] = plan[:count]
    filled = 0
    node = np.int64(begun)
    while node != spare[0]:
        if node < 0 or filled >= len(plan):
            return ASTRAY
        plan[filled] = node
        filled += 1
        node = np.int64(up[first_ascent[node] + start, 1])
    if filled + count > len(plan):
        return ASTRAY
    plan[filled : filled + count] = spare[:count]
    filled += count
    back = filled
    node = np.int64(ended)
    while node != spare[count - 1]:
        if node < 0 or filled >= len(plan):
            return ASTRAY
        plan[filled] = node
        filled += 1
        node = np.int64(down[first_ascent[node] + goal, 1])
    turn_round(plan, back, filled)
    return filled


@kernel
def turn_round(path: Int32Array, begin: int, end: int) -> None:
    """Reverse a part of a path."""
    for place in range((end - begin) // 2):
        kept = path[begin + place]
        path[begin + place] = path[end - 1 - place]
        path[end - 1 - place] = kept
