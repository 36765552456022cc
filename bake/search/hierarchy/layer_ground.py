"""What a layer of transitions stands on: nodes, arcs, and a partition of the nodes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bake.arrays import Int32Array
from bake.search.hierarchy.layer_members import place_members


@dataclass(frozen=True)
class Ground:
    """What a layer stands on, see :mod:`bake.search.hierarchy.layer_members`.

    Attributes:
        data: (n, 4) int32; arcs: (m, 2) int32.
        first_member, member: nodes by cluster, ascending within one; (c + 1), int32.
        most_arcs: the most arcs that leave the nodes of one cluster.
    """

    data: Int32Array
    arcs: Int32Array
    first_member: Int32Array
    member: Int32Array
    most_arcs: int

    @staticmethod
    def of(data: Int32Array, arcs: Int32Array, count: int) -> Ground:
        """Of ``count`` clusters; places are written into ``data``."""
        first_member = np.empty(count + 1, dtype=np.int32)
        member = np.empty(len(data), dtype=np.int32)
        most = place_members(data, first_member, member)
        return Ground(data, arcs, first_member, member[: first_member[-1]], most)

    def patched(
        self, label: Int32Array, span: Int32Array, changed: Int32Array, cut: Int32Array
    ) -> Ground:
        """Of rows of which some clusters have come to hold others; no number has moved.

        Args:
            label: (r) int32; span: (r, 2) int32, where arcs of each row are.
            changed: rows that lie elsewhere in ``arcs`` now, or in another cluster, or in none.
            cut: all rows of the clusters that are different.
        """
        more = np.zeros((len(label) - len(self.data), 4), dtype=np.int32)
        data = np.concatenate([self.data, more])
        data[changed, 2:] = span[changed]
        data[changed, 0] = label[changed]
        cut = np.sort(cut)
        own, begin, most = label[cut], 0, self.most_arcs
        data[cut, 0] = own
        size = np.diff(self.first_member)
        parts: list[Int32Array] = []
        for cluster in np.unique(own).tolist():
            rows = cut[own == cluster]
            data[rows, 1] = np.arange(len(rows), dtype=np.int32)
            most = max(most, int((span[rows, 1] - span[rows, 0]).sum()))
            parts += [self.member[begin : self.first_member[cluster]], rows]
            begin = self.first_member[cluster + 1]
            size[cluster] = len(rows)
        first_member = np.zeros_like(self.first_member)
        np.cumsum(size, out=first_member[1:])
        member = np.concatenate([*parts, self.member[begin:]])
        return Ground(data, self.arcs, first_member, member, most)

    @property
    def count(self) -> int:
        """Clusters."""
        return len(self.first_member) - 1
