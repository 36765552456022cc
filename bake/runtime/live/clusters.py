"""Clusters and the hierarchy of a profile that changes, at one moment."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bake.arrays import BoolArray, Int32Array
from bake.runtime.live.chain import Chain
from bake.runtime.live.cluster_line import ClusterLine
from bake.runtime.live.live_runs import LiveRuns

if TYPE_CHECKING:
    from bake.search.live.graph import LiveGraph
    from bake.search.live.hierarchy import LiveHierarchy


class ClusterVersion:
    """A profile's clusters at one moment.

    Attributes:
        line: what all versions share.
        graph: arcs of the profile.
    """

    def __init__(
        self,
        line: ClusterLine,
        graph: LiveGraph,
        standing: BoolArray,
        spots: Int32Array,
        before: ClusterVersion | None,
        changed: Int32Array,
    ) -> None:
        """One more version; nothing is made yet.

        Args:
            standing: (r) bool.
            spots: of the rows that were not baked.
            before: the version before; None = as baked.
            changed: rows that are different from then; see
                :meth:`bake.search.live.hierarchy.LiveHierarchy.edited`.
        """
        self.line = line
        self.graph = graph
        self._standing = standing
        self._spots = spots
        self._layers: Chain[LiveHierarchy] = Chain(
            None if before is None else before._layers, changed
        )
        self._runs: Chain[LiveRuns] = Chain(None if before is None else before._runs, changed)

    def made(self) -> LiveHierarchy:
        """The clusters and layers."""
        return self._layers.get(self.line.lock, lambda: self.line.baked, self._edited)

    def warm_up(self) -> None:
        """Load or compile what making another version takes; a version of no use is made."""
        if len(self._standing):
            made, layout = self.made(), self.line.layout(self._spots)
            made.warm_up(self._standing, self.graph.out, self.graph.into, layout)
            if (runs := self.runs()) is not None:
                runs.edited(np.zeros(1, dtype=np.int32), made, layout)

    def runs(self) -> LiveRuns | None:
        """Straight runs, for smoothing; None on graphs."""
        if self.line.baked_runs is None:
            return None
        return self._runs.get(self.line.lock, self._baked_runs, self._edited_runs)

    def _edited(self, base: LiveHierarchy, changed: Int32Array) -> LiveHierarchy:
        layout = self.line.layout(self._spots)
        out, into = self.graph.out, self.graph.into
        return base.edited(changed, self._standing, out, into, layout)

    def _baked_runs(self) -> LiveRuns:
        assert self.line.baked_runs is not None
        return self.line.baked_runs

    def _edited_runs(self, base: LiveRuns, changed: Int32Array) -> LiveRuns:
        return base.edited(changed, self.made(), self.line.layout(self._spots))
