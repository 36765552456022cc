"""A binary heap in two columns of an array: keys, and what they belong to.

J. W. J. Williams, "Algorithm 232: Heapsort", Comm. ACM 7(6), 1964.
"""

from __future__ import annotations

from bake.arrays import Int64Array
from bake.kernels.jit import kernel

Heap = Int64Array


@kernel
def push(heap: Heap, size: int, key: int, item: int) -> int:
    """Put an item in; returns the new size. The caller sees to there being room."""
    spot = size
    while spot > 0:
        above = (spot - 1) >> 1
        if heap[above, 0] <= key:
            break
        heap[spot, 0] = heap[above, 0]
        heap[spot, 1] = heap[above, 1]
        spot = above
    heap[spot, 0] = key
    heap[spot, 1] = item
    return size + 1


@kernel
def drop_first(heap: Heap, size: int) -> int:
    """Take the item of the smallest key, heap[0], out; returns the new size."""
    size -= 1
    key, item = heap[size, 0], heap[size, 1]
    spot = 0
    while True:
        below = 2 * spot + 1
        if below >= size:
            break
        if below + 1 < size and heap[below + 1, 0] < heap[below, 0]:
            below += 1
        if heap[below, 0] >= key:
            break
        heap[spot, 0] = heap[below, 0]
        heap[spot, 1] = heap[below, 1]
        spot = below
    heap[spot, 0] = key
    heap[spot, 1] = item
    return size
