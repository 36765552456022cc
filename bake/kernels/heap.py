"""A binary heap in two arrays. J. Williams, "Algorithm 232: Heapsort", Comm. ACM 7(6), 1964."""

from __future__ import annotations

from bake.arrays import Int32Array, Int64Array
from bake.kernels.jit import inlined


@inlined
def push(key: Int64Array, item: Int32Array, held: int, new_key: int, new_item: int) -> int:
    """Add to a heap of ``held`` entries; returns how many there are then."""
    place = held
    while place > 0:
        above = (place - 1) >> 1
        if key[above] <= new_key:
            break
        key[place] = key[above]
        item[place] = item[above]
        place = above
    key[place] = new_key
    item[place] = new_item
    return held + 1


@inlined
def pop(key: Int64Array, item: Int32Array, held: int) -> int:
    """Drop the smallest of ``held`` entries, the first one; returns how many are left."""
    last = held - 1
    moved_key = key[last]
    moved_item = item[last]
    place = 0
    below = 1
    while below < last:
        if below + 1 < last and key[below + 1] < key[below]:
            below += 1
        if key[below] >= moved_key:
            break
        key[place] = key[below]
        item[place] = item[below]
        place = below
        below = 2 * place + 1
    key[place] = moved_key
    item[place] = moved_item
    return last
