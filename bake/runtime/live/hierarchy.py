"""Paths by HPA* on a level that changes."""

from __future__ import annotations

from functools import cached_property
from typing import cast

import numpy as np

from bake.arrays import Int32Array
from bake.graph import BLOCKED
from bake.runtime.hierarchy.layers import HierarchyTables, LayerTable, most_arcs
from bake.runtime.hierarchy.paths import HierarchyPaths, Runs
from bake.runtime.hierarchy.stack import LayerStack, first_alone
from bake.runtime.live.clusters import ClusterVersion
from bake.runtime.live.live_tables import LiveTables


class LiveLayers(HierarchyTables):
    """The layers of one moment; they stand in for the baked ones."""

    def __init__(self, tables: LiveTables, clusters: ClusterVersion) -> None:
        line = clusters.line
        if not line.has_hierarchy:
            raise line.tables.missing("hierarchy")
        made = clusters.made()
        self.tables = tables
        self.mode = line.mode
        self.two_way = made.rows.two_way
        # As far as searches look, both kinds of layers have the same columns.
        self.layers = cast("tuple[LayerTable, ...]", made.layers)
        self.landmark = made.landmark
        # Known already; in a class that works them out when first asked.
        self.__dict__["row_data"] = made.ground.data
        self.__dict__["arc_data"] = made.rows.arcs
        self._most_arcs = made.ground.most_arcs
        self._into = clusters.graph.into

    @cached_property
    def stack(self) -> LayerStack:
        """The first layer alone: a table of the last one would take longer to follow a change."""
        return first_alone(self.layers[0], self.landmark, two_way=self.two_way)

    @cached_property
    def backwards(self) -> tuple[Int32Array, Int32Array]:
        """Rows and arcs with every arc turned round."""
        if self.two_way:
            return self.row_data, self.arc_data
        into, rows = self._into, len(self.row_data)
        back = self.row_data.copy()
        back[:, 2], back[:, 3] = into.begin[:rows], into.end[:rows]
        arcs = np.stack([into.to, into.weight], axis=1)
        arcs[into.weight == BLOCKED, 0] = -1
        return back, arcs

    @cached_property
    def most_arcs_inside(self) -> int:
        if self.two_way:
            return self._most_arcs
        return max(self._most_arcs, most_arcs(self.backwards[0]))


class LiveHierarchyPaths(HierarchyPaths):
    """Paths of one profile at one moment."""

    def __init__(self, tables: LiveTables, clusters: ClusterVersion) -> None:
        self.tables = LiveLayers(tables, clusters)
        self._clusters = clusters
        self._scratch = []

    @cached_property
    def ground(self) -> Runs | None:
        return self._clusters.runs()
