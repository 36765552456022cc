"""Lay a graph out so that each arc knows the one that leads back, for searches in both directions.

A search that repairs itself asks for the arcs into a node as often as for those out of it. Where
every arc has a twin that leads back, one list of arcs answers both; an arc that nobody may take is
blocked.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bake.arrays import Int32Array, Int64Array, offsets
from bake.graph import BLOCKED


class TwinArcs(NamedTuple):
    """A graph in compressed sparse rows, in which each arc has exactly one that leads back.

    Weights may change; the rest never does.

    Attributes:
        first_out: (n + 1) int32, offsets into ``head``.
        head: (m) int32, the node each arc leads to, ascending for each node.
        twin: (m) int32, the arc that leads back.
        weight: (m) int32 ticks, BLOCKED where nobody may go.
    """

    first_out: Int32Array
    head: Int32Array
    twin: Int32Array
    weight: Int32Array

    @property
    def node_count(self) -> int:
        return len(self.first_out) - 1

    def tail(self, arcs: Int64Array) -> Int32Array:
        """Return (k) int32, the nodes that some arcs leave."""
        return self.head[self.twin[arcs]]

    def out_of(self, nodes: Int64Array) -> Int64Array:
        """Return (k) int64, all arcs that leave some nodes, node by node."""
        first = self.first_out[nodes].astype(np.int64)
        degree: Int64Array = self.first_out[nodes + 1] - first
        skipped = np.cumsum(degree) - degree
        found: Int64Array = np.arange(int(degree.sum())) + np.repeat(first - skipped, degree)
        return found

    def find(self, tail: npt.NDArray[np.integer], head: npt.NDArray[np.integer]) -> Int64Array:
        """Return (k) int64, the arcs between pairs of nodes; -1 where there is none."""
        n = self.node_count
        key = self.tails() * np.int64(n) + self.head
        wanted = tail.astype(np.int64) * n + head
        arc = np.searchsorted(key, wanted)
        found = np.flatnonzero(arc < len(key))
        missing = np.ones(len(wanted), dtype=np.bool_)
        missing[found] = key[arc[found]] != wanted[found]
        return np.where(missing, -1, arc)

    def tails(self) -> Int64Array:
        """Return (m) int64, the node each arc leaves."""
        return np.repeat(np.arange(self.node_count, dtype=np.int64), np.diff(self.first_out))


def twin_arcs(
    node_count: int, tail: npt.NDArray[np.integer], head: npt.NDArray[np.integer]
) -> TwinArcs:
    """Lay out arcs between pairs of nodes and the arcs that lead back, all of them blocked.

    Args:
        node_count: n.
        tail, head: (k) nodes; pairs may come several times, in one direction or in both, and loops
            are left out.
    """
    there = tail.astype(np.int64) * node_count + head
    back = head.astype(np.int64) * node_count + tail
    key = np.unique(np.concatenate([there, back])[np.tile(tail != head, 2)])
    tails, heads = np.divmod(key, max(1, node_count))
    first_out = offsets(np.bincount(tails, minlength=node_count))
    twin = np.empty(len(key), dtype=np.int32)
    # Both directions are there, so the arcs that lead back are the same arcs in another order.
    twin[np.argsort(heads * node_count + tails, kind="stable")] = np.arange(len(key))
    weight = np.full(len(key), BLOCKED, dtype=np.int32)
    return TwinArcs(first_out, heads.astype(np.int32), twin, weight)
