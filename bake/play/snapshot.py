"""Keep one profile at one moment; lookups and searches use it until the level changes."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from bake.core.arrays import Float64Array
from bake.play.nearest import NearestPlaces
from bake.play.reader.engine import Engine
from bake.play.reader.lookup import FastLookup, NextHop
from bake.play.reader.rows import Rows
from levelbake.places import Place

if TYPE_CHECKING:
    from bake.play.mesh.ways import MeshWays
    from bake.play.searching.around import Around
    from bake.play.searching.context import SearchContext
    from bake.play.sight import Sight
    from bake.play.walls import PlaneWays


class Snapshot:
    """One profile at one moment. Once made it never changes; threads may share it.

    Attributes:
        engine: what answers how to get from row to row.
        version: the rows, and what steps cost.
        rows: the translation between places and rows.
        newest: :meth:`next_hop` of the profile's newest snapshot, whichever that is when it is
            called.
    """

    def __init__(
        self,
        engine: Engine,
        newest: NextHop,
        make_searches: Callable[[], SearchContext],
        baked: Snapshot | None = None,
    ) -> None:
        """Make the snapshot; nothing is read or computed yet.

        Args:
            engine: see above.
            newest: see above.
            make_searches: called when a question first needs searches.
            baked: the profile as it was baked, if the level has changed since.
        """
        self.engine, self.version = engine, engine.version
        self.rows = Rows(engine.version)
        self.newest = newest
        self._make_searches = make_searches
        self._baked = baked
        self._making = threading.Lock()
        self._lookup: FastLookup | None = None

    def detached(self, newest: NextHop) -> Snapshot:
        """Return the same moment with a fast lookup of its own, which no change revokes.

        Args:
            newest: the fallback of that lookup, which answers from the same moment.
        """
        return Snapshot(self.engine, newest, lambda: self.searches, self._baked)

    @cached_property
    def searches(self) -> SearchContext:
        """Return what searches of this snapshot share."""
        return self._make_searches()

    @cached_property
    def nearest(self) -> NearestPlaces:
        """Return the places nearest to points."""
        return NearestPlaces(self.version, None if self._baked is None else self._baked.nearest)

    @cached_property
    def ways(self) -> MeshWays:
        """Return what is known of points of a navigation mesh."""
        from bake.play.mesh.ways import MeshWays

        return MeshWays(self.engine, None if self._baked is None else self._baked.ways)

    @cached_property
    def has_corners(self) -> bool:
        """Tell whether the level is divided by points of visibility."""
        places = self.version.places
        return not places.is_grid and places.asset.has("/wall_node")

    @cached_property
    def plane(self) -> PlaneWays:
        """Return what is known of points between walls."""
        from bake.play.walls import PlaneWays

        return PlaneWays(self.engine, None if self._baked is None else self._baked.plane)

    @cached_property
    def around(self) -> Around:
        """Return the searches from one row, or toward one row."""
        from bake.play.searching.around import Around

        return Around(self.engine, self.nearest)

    @cached_property
    def sight(self) -> Sight:
        """Return the straight lines between places.

        Raises:
            QueryError: agents of the level face headings, or its nodes have no positions.
        """
        from bake.play.sight import GraphSight, GridSight
        from bake.play.sight.plane import MeshSight, WallSight

        places = self.version.places
        if places.is_grid:
            return GridSight(self.version, self.rows)
        if self.has_corners:
            return WallSight(self.rows, self.plane)
        if places.asset.has("/mesh_vertex"):
            return MeshSight(self.rows, self.ways)
        return GraphSight(self.version, self.rows)

    def ends(self, start: Place, goal: Place) -> tuple[int, int]:
        """Return the rows of a start and a goal.

        A cell alone, where agents face headings, is the cell in the headings that cost least.

        Raises:
            OutsideMapError, UnknownNodeError: there is no such place.
            BlockedCellError: the profile cannot stand on the place.
        """
        rows, places = self.rows, self.version.places
        if not (places.is_bare(start) or places.is_bare(goal)):
            return rows.row(start), rows.row(goal)
        starts, goals = rows.in_headings(start), rows.in_headings(goal)
        tail, head = np.repeat(starts, len(goals)), np.tile(goals, len(starts))
        best = int(np.where(tail == head, 0, self.engine.all_ticks(tail, head)).argmin())
        return int(tail[best]), int(head[best])

    def next_hop(self, start: Place, goal: Place) -> Place | None:
        """Answer :meth:`bake.play.Navigator.next_hop`; every argument is checked."""
        row, goal_row = self.ends(start, goal)
        if row == goal_row:
            return self.rows.place(row)
        ahead = self.engine.hop(row, goal_row)
        return None if ahead < 0 else self.rows.place(ahead)

    def ticks_toward(self, goal: int) -> Float64Array:
        """Return (r) float64 ticks from every row to one goal; inf where there is no path.

        Next hops are followed, and where the asset has none, the goal is searched from.
        """
        if self.version.has_hops:
            return self.engine.toward(goal)
        return self.around.ticks_toward(goal)

    def lookup(self) -> NextHop:
        """Return a fast :meth:`next_hop`; once revoked it answers from the newest snapshot."""
        with self._making:
            if self._lookup is None:
                self._lookup = self.engine.lookup(self.newest)
            return self._lookup.next_hop

    def revoke(self) -> None:
        """Revoke the fast lookup, for the level has changed: no holder may get its answers now."""
        with self._making:
            if self._lookup is not None:
                self._lookup.revoke()
