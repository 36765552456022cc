"""Distances from landmarks kept below all true ones while a graph changes.

A. Goldberg, C. Harrelson, "Computing the shortest path: A* search meets graph theory", SODA 2005:
any numbers that rise along no arc by more than the arc's weight bound distances as those from a
landmark do, and the bounds are consistent. Where an arc is new or cheaper they are lowered, as far
as it takes; where arcs are gone or dearer they stand.
"""

from __future__ import annotations

import numpy as np

from bake.arrays import BoolArray, Int32Array
from bake.graph import BLOCKED
from bake.kernels.heap import Heap, drop_first, push
from bake.kernels.jit import kernel

_FAR = int(BLOCKED)


@kernel
def _lower(
    first_out: Int32Array,
    arcs: Int32Array,
    same: BoolArray,
    landmark: Int32Array,
    heap: Heap,
) -> None:
    for mark in range(landmark.shape[1]):
        size = 0
        for node in range(len(landmark)):
            here = np.int64(landmark[node, mark])
            if here == _FAR or same[node]:
                continue
            for arc in range(first_out[node], first_out[node + 1]):
                other = arcs[arc, 0]
                new = here + arcs[arc, 1]
                if new < landmark[other, mark]:
                    landmark[other, mark] = new
                    size = push(heap, size, new, other)
        while size > 0:
            done, node = heap[0, 0], heap[0, 1]
            size = drop_first(heap, size)
            if done > landmark[node, mark]:
                continue
            for arc in range(first_out[node], first_out[node + 1]):
                other = arcs[arc, 0]
                new = done + arcs[arc, 1]
                if new < landmark[other, mark]:
                    landmark[other, mark] = new
                    size = push(heap, size, new, other)


def lowered_landmarks(
    first_out: Int32Array,
    arcs: Int32Array,
    came: Int32Array,
    same: BoolArray,
    old: Int32Array,
) -> Int32Array:
    """Bounds for a changed graph of transitions.

    Args:
        first_out, arcs: the graph; (t + 1), (a, 2) int32 heads and ticks.
        came: (t) int32, the transition each one was, -1 for new ones.
        same: (t) bool, whether its arcs are what they were.
        old: (s, k) int32 ticks, 2**31 - 1 where there is no way.

    Returns:
        (t, k) int32.
    """
    landmark = np.full((len(came), old.shape[1]), _FAR, dtype=np.int32)
    known = came >= 0
    landmark[known] = old[came[known]]
    heap = np.empty((2 * len(arcs) + 1, 2), dtype=np.int64)
    _lower(first_out, arcs, same, landmark, heap)
    return landmark
