"""Distances from every node to a few goals, by one sweep down the ranks of a contracted graph.

Climbing from a goal gives the distances of its ancestors. From the roots down, the distance of each
other node is the minimum over its higher neighbors (D. Delling, A. Goldberg, A. Nowatzyk,
R. Werneck, "PHAST: Hardware-Accelerated Shortest Path Trees", JPDC 73(7), 2013). The distances to
all goals are adjacent in memory, so that a step of the sweep is one vectorized loop. Unlike in a
batch search, the goals may be far apart.
"""

from __future__ import annotations

import numpy as np

from bake.core.arrays import Int32Array
from bake.core.graph import INFINITY
from bake.core.kernels.jit import kernel
from bake.search.contraction.metric import Weights
from bake.search.contraction.tree import Tree

#: Goals of one sweep: one cache line of int32.
# limit: more goals take another sweep; lowered by contracted_changes
LANES = 16


@kernel
def sweep(tree: Tree, weights: Weights, goals: Int32Array, dist: Int32Array) -> None:
    """Compute the distances to some goals.

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
            climbed = int(dist[rank, lane])
            if climbed < INFINITY:
                for arc in range(first_up[rank], first_up[rank + 1]):
                    onward = climbed + int(weights.down[arc])
                    dist[up[arc], lane] = min(int(dist[up[arc], lane]), onward)
            rank = int(parent[rank])
    for rank in range(len(parent) - 1, -1, -1):
        node_dist = dist[rank]
        for arc in range(first_up[rank], first_up[rank + 1]):
            cost = weights.up[arc]
            if cost >= INFINITY:
                continue
            above = dist[up[arc]]
            # With a constant length, this loop would not be vectorized.
            for lane in range(len(node_dist)):
                new = np.int32(above[lane] + cost)
                old = node_dist[lane]
                node_dist[lane] = new if new < old else old


#: The kernels that Python calls.
KERNELS = (sweep,)
