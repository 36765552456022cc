"""Which relaxations can matter: after a step from p to u, only some arcs of u lead anywhere new.

If v can be had from p directly for no more than by way of u, or in two steps for strictly less,
relaxing u's arc to v cannot help any distance that came to u from p. On lattices this leaves about
three arcs of eight, the natural successors of D. Harabor and A. Grastien, "Online graph pruning for
pathfinding on grid maps", AAAI 2011; here it is a test of arc weights, so it holds for any positive
weights on any graph.

Why it is exact: suppose arcs are left that would still lower a distance, and take the one from u
to v that gives the smallest sum. d(u) came from some p, on whose account the arc was left out. Then
the arc from p to v, or one of the two steps, would lower a distance too and gives a smaller sum (or
an equal one from a smaller d), which contradicts the choice.
"""

from __future__ import annotations

import numpy as np

from bake.arrays import Int32Array, UInt32Array
from bake.kernels.jit import kernel

#: A node with more arcs than a mask has bits has all of them relaxed each time.
MASK_BITS = 32
ALL = np.uint32(0xFFFFFFFF)

_FAR = np.int32(2**31 - 1)


@kernel
def _mask_successors(
    first: Int32Array, to: Int32Array, weight: Int32Array, successors: UInt32Array
) -> None:
    n = len(first) - 1
    one = np.full(n, _FAR, np.int32)  # cheapest single arc from p
    two = np.full(n, _FAR, np.int32)  # cheapest two arcs from p
    for p in range(n):
        one[p] = 0
        for arc in range(first[p], first[p + 1]):
            one[to[arc]] = min(one[to[arc]], weight[arc])
            for onward in range(first[to[arc]], first[to[arc] + 1]):
                both = np.int32(weight[arc] + weight[onward])
                two[to[onward]] = min(two[to[onward]], both)
        for arc in range(first[p], first[p + 1]):
            u = to[arc]
            start = first[u]
            mask = np.uint32(0)
            if first[u + 1] - start > MASK_BITS:
                mask = ALL
            else:
                for onward in range(start, first[u + 1]):
                    both = np.int32(weight[arc] + weight[onward])
                    if one[to[onward]] > both and two[to[onward]] >= both:
                        mask |= np.uint32(1) << np.uint32(onward - start)
            successors[arc] = mask
        for arc in range(first[p], first[p + 1]):
            one[to[arc]] = _FAR
            for onward in range(first[to[arc]], first[to[arc] + 1]):
                two[to[onward]] = _FAR
        one[p] = _FAR


def successor_masks(first: Int32Array, to: Int32Array, weight: Int32Array) -> UInt32Array:
    """For every arc, which arcs of the node it leads to are worth relaxing next.

    Args:
        first, to, weight: the graph searched on; (n + 1), (m), (m) int32, weights in
            [1, MAX_WEIGHT].

    Returns:
        (m) uint32; bit j stands for arc first[to[arc]] + j. All ones where the node has more than
        MASK_BITS arcs.
    """
    successors = np.empty(len(to), dtype=np.uint32)
    _mask_successors(first, to, weight, successors)
    return successors
