"""Arcs of a graph as roads: both directions between two nodes are one road."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bake.arrays import BoolArray, Int32Array
from bake.graph import BLOCKED
from bake.view.scene import Scene


@dataclass(frozen=True)
class Roads:
    """Pairs of joined nodes, each pair once.

    Attributes:
        a, b: (k) int32 nodes, a < b.
        there: (k) bool, whether the profile may go from a to b.
        back: (k) bool, whether it may go from b to a.
    """

    a: Int32Array
    b: Int32Array
    there: BoolArray
    back: BoolArray


def roads_of(scene: Scene) -> Roads:
    """The roads of a graph level."""
    places, tables = scene.places, scene.tables
    tail = np.repeat(np.arange(places.node_count, dtype=np.int64), np.diff(places.first_out))
    head = places.head.astype(np.int64)
    between = tail != head
    usable = (tables.weight != BLOCKED)[between]
    tail, head = tail[between], head[between]
    low, high = np.minimum(tail, head), np.maximum(tail, head)
    pair, number = np.unique(low * places.node_count + high, return_inverse=True)
    there = np.zeros(len(pair), dtype=np.bool_)
    back = np.zeros(len(pair), dtype=np.bool_)
    there[number[usable & (tail < head)]] = True
    back[number[usable & (tail > head)]] = True
    a, b = np.divmod(pair, max(1, places.node_count))
    return Roads(a.astype(np.int32), b.astype(np.int32), there, back)
