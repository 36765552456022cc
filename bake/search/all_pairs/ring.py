"""A queue of nodes in a ring of buckets, each a doubly linked list.

R. B. Dial, "Algorithm 360: shortest-path forest with topological ordering", Comm. ACM 12(11), 1969,
with buckets wider than one: searches by it are label-correcting.

A queue is four arrays: ``first``, (RING) int32, the first node by bucket; ``bucket``,
``follower`` and ``leader``, (n) int32, its bucket and its neighbours there by node. -1 is none.

Kernels write its four steps out. As functions of their own, called or inlined by numba, they cost a
batch search 25 to 50 % and a flow field up to three times its time (measured on den520d, lak303d).
"""

from __future__ import annotations

import numpy as np

from bake.arrays import Int32Array

#: Buckets; keys beyond them wait in the last, which is only less tidy.
RING = 1024

#: ``bucket`` of a node that is not queued, and of one that was not reached yet either.
IDLE = -1
UNTOUCHED = -2


def shift_for(weight: Int32Array) -> int:
    """log2 of the width of one bucket, in ticks, that suits a graph.

    Args:
        weight: (m) int32 ticks, without BLOCKED.
    """
    # About half a typical arc; wider where the heaviest arcs would leave the ring.
    typical = int(np.median(weight)) // 2 if len(weight) else 1
    return max(typical, int(weight.max(initial=0)) // (RING // 2), 1).bit_length() - 1
