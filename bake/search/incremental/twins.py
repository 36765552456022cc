"""Graphs in which each arc knows its reverse arc, for searches in both directions.

A search that repairs itself reads the arcs into a node as often as those out of it. If every arc
has a reverse arc, its twin, one list of arcs serves both; an arc that no agent may take is blocked.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bake.core.arrays import Int32Array, Int64Array, offsets
from bake.core.graph import BLOCKED


class TwinArcs(NamedTuple):
    """A graph in compressed sparse rows, in which each arc has exactly one reverse arc.

    Weights may change; everything else is fixed.
    """

    #: (n + 1) int32, offsets into ``head``.
    first_out: Int32Array
    #: (m) int32, the node each arc leads to, ascending for each node.
    head: Int32Array
    #: (m) int32, the reverse arc.
    twin: Int32Array
    #: (m) int32 ticks, BLOCKED if the arc is blocked.
    weight: Int32Array

    @property
    def node_count(self) -> int:
        return len(self.first_out) - 1

    def tail(self, arcs: Int64Array) -> Int32Array:
        """Return (k) int32, the tails of some arcs."""
        return self.head[self.twin[arcs]]

    def out_of(self, nodes: Int64Array) -> Int64Array:
        """Return (k) int64, all arcs out of some nodes, node by node."""
        first = self.first_out[nodes].astype(np.int64)
        degree: Int64Array = self.first_out[nodes + 1] - first
        skipped = np.cumsum(degree) - degree
        arcs: Int64Array = np.arange(int(degree.sum())) + np.repeat(first - skipped, degree)
        return arcs

    def find(self, tail: npt.NDArray[np.integer], head: npt.NDArray[np.integer]) -> Int64Array:
        """Return (k) int64, the arcs between pairs of nodes, or -1."""
        n = self.node_count
        key = self.tails() * np.int64(n) + self.head
        pair_key = tail.astype(np.int64) * n + head
        arc = np.searchsorted(key, pair_key)
        in_range = np.flatnonzero(arc < len(key))
        missing = np.ones(len(pair_key), dtype=np.bool_)
        missing[in_range] = key[arc[in_range]] != pair_key[in_range]
        return np.where(missing, -1, arc)

    def tails(self) -> Int64Array:
        """Return (m) int64, the tail of each arc."""
        return np.repeat(np.arange(self.node_count, dtype=np.int64), np.diff(self.first_out))


def twin_arcs(
    node_count: int, tail: npt.NDArray[np.integer], head: npt.NDArray[np.integer]
) -> TwinArcs:
    """Build arcs between pairs of nodes and their reverse arcs, all of them blocked.

    Args:
        node_count: n.
        tail, head: (k) nodes; duplicate pairs, in either direction, are merged, and loops dropped.
    """
    forward = tail.astype(np.int64) * node_count + head
    backward = head.astype(np.int64) * node_count + tail
    key = np.unique(np.concatenate([forward, backward])[np.tile(tail != head, 2)])
    tails, heads = np.divmod(key, max(1, node_count))
    first_out = offsets(np.bincount(tails, minlength=node_count))
    twin = np.empty(len(key), dtype=np.int32)
    # Both directions exist, so the reverse arcs are the same arcs in another order.
    twin[np.argsort(heads * node_count + tails, kind="stable")] = np.arange(len(key))
    weight = np.full(len(key), BLOCKED, dtype=np.int32)
    return TwinArcs(first_out, heads.astype(np.int32), twin, weight)
