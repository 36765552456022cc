"""Farthest-point samples of a graph, and the cells of the nodes nearest to each.

Every sample is the node farthest from all before it (T. Gonzalez, "Clustering to minimize the
maximum intercluster distance", Theoretical Computer Science 38, 1985). A new sample is searched
from only as far as it is the nearest one, so all samples together cost a few searches of the whole
graph (M. Erwig, "The graph Voronoi diagram with applications", Networks 36(3), 2000).
"""

from __future__ import annotations

from bake.arrays import BoolArray, Int32Array
from bake.kernels.heap import Heap, drop_first, push
from bake.kernels.jit import kernel

#: Distance of a node no sample reaches.
UNSEEN = 2**31 - 1


@kernel
def voronoi_cells(
    first_out: Int32Array,
    head: Int32Array,
    weight: Int32Array,
    wanted: BoolArray,
    heap: Heap,
    dist: Int32Array,
    label: Int32Array,
    sample: Int32Array,
) -> int:
    """Sample a graph and label every node with the sample it lies nearest to.

    Args:
        first_out, head, weight: arcs that a search takes; (n + 1), (m), (m) int32 ticks.
        wanted: (n) bool, nodes that may become samples; the first of them is the first sample.
        heap: room for m + 1 entries.
        dist: (n) int32, filled with the distance to the nearest sample; 2**31 - 1 = none reached.
        label: (n) int32, filled with the number of that sample; -1 = none.
        sample: (k) int32, filled with the samples.

    Returns:
        How many samples there are: k, or fewer where every wanted node is one.
    """
    n = len(first_out) - 1
    dist[:] = UNSEEN
    label[:] = -1
    for number in range(len(sample)):
        farthest = -1
        best = 0
        for node in range(n):
            if wanted[node] and dist[node] > best:
                best = int(dist[node])
                farthest = node
        if farthest < 0:
            return number
        sample[number] = farthest
        dist[farthest] = 0
        label[farthest] = number
        held = push(heap, 0, 0, farthest)
        while held > 0:
            reached, node = int(heap[0, 0]), int(heap[0, 1])
            held = drop_first(heap, held)
            if dist[node] != reached or label[node] != number:
                continue
            for arc in range(first_out[node], first_out[node + 1]):
                other = head[arc]
                ahead = reached + int(weight[arc])
                if ahead < dist[other]:
                    dist[other] = ahead
                    label[other] = number
                    held = push(heap, held, ahead, other)
    return len(sample)
