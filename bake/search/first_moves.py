"""Which arcs begin a shortest path: a local test on distances, so no second search is needed.

An arc from s to h of weight w begins a shortest path to t exactly if d(h, t) + w = d(s, t).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bake.graph import Int32Array
from bake.search.jit import kernel

SlotArray = npt.NDArray[np.uint8] | npt.NDArray[np.uint16] | npt.NDArray[np.uint32]


@kernel
def lowest_first_moves(
    first_out: Int32Array,
    head: Int32Array,
    weight: Int32Array,
    slot: Int32Array,
    dist: Int32Array,
    none: int,
    start: int,
    stop: int,
    hop: SlotArray,
) -> None:
    """The first arc, in arc order, that begins a shortest path to each target.

    Args:
        first_out, head, weight: the graph; (n + 1), (m), (m) int32.
        slot: (m) int32, what to store for an arc.
        dist: (n, k) int32 distances to k targets, k >= stop - start.
        none: what to store where no arc does: no path, or already there.
        start, stop: columns of ``hop`` that the targets stand for.
        hop: (n, n) unsigned; columns start to stop are filled.
    """
    lanes = stop - start
    row = np.empty(lanes, hop.dtype)
    for node in range(len(first_out) - 1):
        for lane in range(lanes):
            row[lane] = none
        # Backwards, so that the lowest of several tied arcs is written last.
        for back in range(first_out[node + 1] - first_out[node]):
            arc = first_out[node + 1] - 1 - back
            other = head[arc]
            cost = weight[arc]
            value = slot[arc]
            for lane in range(lanes):
                begins = dist[other, lane] + cost == dist[node, lane]
                row[lane] = value if begins else row[lane]
        for lane in range(lanes):
            hop[node, start + lane] = row[lane]
