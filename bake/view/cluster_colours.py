"""A colour for each cluster, such that neighbours differ."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bake.arrays import Int32Array, UInt8Array
from bake.view.colourmap import oklch
from bake.view.scene import Scene

#: Colours there are; a cluster with more neighbours than this may share one with some of them.
_COLOURS = 7


def cluster_colours(scene: Scene, cluster: Int32Array, count: int) -> UInt8Array:
    """(count, 3) uint8 pale colours.

    The lowest colour free among neighbours with lower numbers (D. Welsh, M. Powell, "An upper
    bound for the chromatic number of a graph", 1967, in the order of the clusters' numbers).

    Args:
        cluster: (r) int32, cluster of each row.
        count: of clusters.
    """
    pale = _pale()
    chosen = np.zeros(count, dtype=np.intp)
    for one, beside in enumerate(_lower_neighbours(scene, cluster, count)):
        taken = set(chosen[beside].tolist())
        # Begin elsewhere each time, so that all colours are used.
        order = [(one + step) % len(pale) for step in range(len(pale))]
        chosen[one] = next((colour for colour in order if colour not in taken), order[0])
    return pale[chosen]


def _pale() -> UInt8Array:
    place = np.arange(_COLOURS, dtype=np.float64)
    lightness = np.where(place % 2 == 0, 0.9, 0.82)
    hue = 2 * np.pi * place * 3 / _COLOURS
    return oklch(lightness, np.full(_COLOURS, 0.075), hue)


def _lower_neighbours(scene: Scene, cluster: Int32Array, count: int) -> list[npt.NDArray[np.intp]]:
    graph = scene.tables.usable.graph
    a, b = cluster[graph.tail()].astype(np.int64), cluster[graph.head].astype(np.int64)
    high, low = np.maximum(a, b)[a != b], np.minimum(a, b)[a != b]
    pairs = np.unique(high * max(1, count) + low)
    high, low = pairs // max(1, count), pairs % max(1, count)
    ends = np.searchsorted(high, np.arange(count + 1))
    return [low[ends[one] : ends[one + 1]] for one in range(count)]
