"""A binary heap as kernels: J. W. J. Williams, "Algorithm 232: Heapsort", Comm. ACM 7(6), 1964.

A heap is one array, (e, 2) int64, of which the first ``size`` rows are in use: a key and its item.
Both are adjacent, so that moving an entry touches one cache line, and a kernel takes one argument
instead of two. The entry with the smallest key is ``heap[0]``.

Callers read that entry directly, track the size, and ensure the capacity.
"""

from __future__ import annotations

from bake.core.arrays import Int64Array
from bake.core.kernels.jit import kernel

Heap = Int64Array


@kernel
def push(heap: Heap, size: int, key: int, item: int) -> int:
    """Add an entry to a heap of ``size`` entries, and return the new size."""
    gap = size
    while gap > 0:
        above = (gap - 1) >> 1
        if heap[above, 0] <= key:
            break
        heap[gap, 0] = heap[above, 0]
        heap[gap, 1] = heap[above, 1]
        gap = above
    heap[gap, 0] = key
    heap[gap, 1] = item
    return size + 1


@kernel
def drop_first(heap: Heap, size: int) -> int:
    """Remove the entry with the smallest key from ``size`` entries, and return the new size."""
    size -= 1
    key, item = heap[size, 0], heap[size, 1]
    gap = 0
    while True:
        below = 2 * gap + 1
        if below >= size:
            break
        if below + 1 < size and heap[below + 1, 0] < heap[below, 0]:
            below += 1
        if heap[below, 0] >= key:
            break
        heap[gap, 0] = heap[below, 0]
        heap[gap, 1] = heap[below, 1]
        gap = below
    heap[gap, 0] = key
    heap[gap, 1] = item
    return size
