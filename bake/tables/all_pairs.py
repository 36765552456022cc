"""The choice of an algorithm for all-pairs next hops, and the dtype of their slots.

Both algorithms compute the same distances, and next hops follow from distances, so the runs are
identical to the byte.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from bake.core.graph import Subgraph

Algorithm = Literal["auto", "dijkstra", "floyd_warshall"]
#: An algorithm after "auto" was resolved.
ChosenAlgorithm = Literal["dijkstra", "floyd_warshall"]
Progress = Callable[[float], None]

#: Cost of relaxing one arc in one lane, in minima of the Floyd-Warshall inner loop. Measured on
#: about 2,000 nodes it is 75 on lattices and 240 on random graphs.
# limit: another algorithm gives the same answer; lowered by all_pairs
RELAX_RATIO = 64


def slot_dtype(sub: Subgraph) -> np.dtype[np.unsignedinteger]:
    """Return the smallest unsigned dtype for every slot, the compass move and "no path"."""
    largest = int(sub.slot.max(initial=0))
    for kind in (np.uint8, np.uint16, np.uint32):
        if largest + 2 <= np.iinfo(kind).max:
            return np.dtype(kind)
    raise AssertionError("slots are int32")


def choose_algorithm(nodes: int, arcs: int, algorithm: Algorithm) -> ChosenAlgorithm:
    """Resolve "auto" by comparing the work: n^3 vectorized minima against n * m relaxations.

    A relaxation costs about RELAX_RATIO minima: it also maintains the queue and sometimes repeats.
    """
    if algorithm != "auto":
        return algorithm
    return "floyd_warshall" if nodes**2 < RELAX_RATIO * arcs else "dijkstra"
