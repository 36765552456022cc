"""Searches on a changed graph: layers and lower bounds follow it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from bake.runtime.hierarchy.paths import HierarchyPaths
from bake.runtime.live.clusters import LiveHierarchyTables
from bake.runtime.live.live_bounds import LiveBounds
from bake.runtime.live.live_tables import LiveTables
from bake.runtime.searching.heuristics import fitting_norm
from bake.runtime.searching.methods import Searches

if TYPE_CHECKING:
    from bake.runtime.searching.heuristics import Given
    from bake.search.point.estimates import Estimate


class LiveSearches(Searches):
    """Searches of one profile at one moment."""

    tables: LiveTables

    def __init__(self, tables: LiveTables, baked: Searches) -> None:
        super().__init__(tables)
        self._baked = baked

    @cached_property
    def hierarchy(self) -> HierarchyPaths:
        clusters = self.tables.state.clusters
        if clusters is None:
            raise self.tables.baked.missing("hierarchy")
        return HierarchyPaths(LiveHierarchyTables(clusters))

    @cached_property
    def bounds(self) -> LiveBounds:
        return LiveBounds(self.tables, self._baked)

    def estimate(self, heuristic: str | Given | None, goal: int) -> Estimate:
        if heuristic == "landmark":
            return self.bounds.stored("landmark", goal, None)
        if heuristic == "maximum":
            return self.bounds.stored("maximum", goal, fitting_norm(self))
        return super().estimate(heuristic, goal)
