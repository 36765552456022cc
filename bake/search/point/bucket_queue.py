"""The queue of A* with buckets: entries in stacks, by estimated cost.

``entry`` (e, 3) int32 holds a row, its distance when it was put in, and the next entry of its
bucket; ``bucket`` (b + 1) int32 the first entry of each, -1 = none. The last bucket holds what is
too far for the others. ``seen[row, 1]`` is a row's estimate.

Putting one entry in is written out in the searches: as a function it costs them 4 to 25 %.
"""

from __future__ import annotations

import numpy as np

from bake.arrays import Int32Array
from bake.kernels.jit import kernel

#: What searches return: there is a path, there is none, the queue needs more room.
FOUND = 1
NO_PATH = 0
FULL = -1

#: More than any distance.
UNREACHED = 2**31 - 1


@kernel
def spread(entry: Int32Array, bucket: Int32Array, seen: Int32Array, width: int) -> int:
    """Put what is in the last bucket, the only one in use, into all of them.

    Returns:
        The least estimated cost, where the first bucket begins.
    """
    far = len(bucket) - 1
    one = int(bucket[far])
    bucket[far] = -1
    base = UNREACHED
    other = one
    while other >= 0:
        base = min(base, int(entry[other, 1]) + int(seen[entry[other, 0], 1]))
        other = int(entry[other, 2])
    while one >= 0:
        after = int(entry[one, 2])
        f = int(entry[one, 1]) + int(seen[entry[one, 0], 1])
        place = min((f - base) >> width, far)
        entry[one, 2] = bucket[place]
        bucket[place] = one
        one = after
    return base


@kernel
def clear(bucket: Int32Array, first: int, last: int) -> None:
    """Empty some buckets, both ends included, and the last one."""
    for place in range(first, last + 1):
        bucket[place] = -1
    bucket[len(bucket) - 1] = np.int32(-1)
