"""Distances from every node to a few goals, by one sweep down the ranks of a contracted graph.

Climbing from a goal gives the distances of all nodes above it; from the roots down, each other
node's is the least by way of its higher neighbours (D. Delling, A. Goldberg, A. Nowatzyk,
R. Werneck, "PHAST: Hardware-Accelerated Shortest Path Trees", JPDC 73(7), 2013). Goals lie side by
side, so that a step of the sweep is one vectorised loop; unlike in a batch search, they may lie
anywhere.
"""

from __future__ import annotations

import numpy as np

from bake.arrays import Int32Array
from bake.graph import INFINITY
from bake.kernels.jit import kernel
from bake.search.contraction.metric import Weights
from bake.search.contraction.tree import Tree

#: Goals of one sweep: one cache line of int32.
# limit: more goals take another sweep; lowered by contracted_changes
LANES = 16


@kernel
def sweep(tree: Tree, weights: Weights, goals: Int32Array, dist: Int32Array) -> None:
    """Find the distances to some goals.

    Args:
        goals: (k) int32 ranks.
        dist: (n, lanes) int32 with a lane for each goal, written: ticks from each rank to it,
            INFINITY where there is no path; lanes past k hold no path.
    """
    parent, first_up, up = tree.parent, tree.first_up, tree.up
    dist[:, :] = INFINITY
    for lane in range(len(goals)):
        rank = int(goals[lane])
        dist[rank, lane] = 0
        while rank >= 0:
            here = int(dist[rank, lane])
            if here < INFINITY:
                for arc in range(first_up[rank], first_up[rank + 1]):
                    onward = here + int(weights.down[arc])
                    dist[up[arc], lane] = min(int(dist[up[arc], lane]), onward)
            rank = int(parent[rank])
    for rank in range(len(parent) - 1, -1, -1):
        own = dist[rank]
        for arc in range(first_up[rank], first_up[rank + 1]):
            cost = weights.up[arc]
            if cost >= INFINITY:
                continue
            above = dist[up[arc]]
            for lane in range(len(own)):  # Of a length that is known, it would not be vectorised.
                new = np.int32(above[lane] + cost)
                old = own[lane]
                own[lane] = new if new < old else old


#: The kernels that Python calls.
KERNELS = (sweep,)
