"""Answer a game's questions about many places at once: pairs, whole paths, and one goal for all."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bake.arrays import AnyArray, Float64Array, Int64Array
from bake.errors import QueryError
from bake.runtime.current import Current
from bake.runtime.reader.places import Name, Place
from bake.runtime.snapshot import Snapshot


class ManyQuestions:
    """The part of :class:`bake.runtime.Navigator` that answers for many places in one call."""

    def __init__(self, current: Current, name: str) -> None:
        self.name = name
        self._current = current
        self._units = current.places.ticks_per_unit

    @property
    def _now(self) -> Snapshot:
        """Return the newest snapshot. Every method takes it once, so that no answer mixes two."""
        return self._current.now(self.name)

    # -- pairs ------------------------------------------------------------------------------------

    def next_hops(self, starts: npt.ArrayLike, goals: npt.ArrayLike) -> AnyArray:
        """Return the :meth:`next_hop` of many pairs in one call.

        Args:
            starts, goals: (m, 2) integers (x, y) on grid levels, (m,) node names on graph levels.

        Returns:
            (m, 2) int32 cells with (-1, -1) where unreachable; on graph levels (m,) object names
            with None where unreachable.

        Raises:
            QueryError: as for :meth:`next_hop`, naming the first wrong place; the shapes differ.
        """
        now = self._now
        return now.rows.array(now.tables.next_rows(*now.rows.pairs(starts, goals)))

    def paths(
        self, starts: npt.ArrayLike, goals: npt.ArrayLike, method: str = "table"
    ) -> tuple[Int64Array, AnyArray]:
        """Return the :meth:`path` of many pairs in one call; compiled where numba is installed.

        Args:
            starts, goals: as for :meth:`next_hops`.
            method: "table" follows the baked next hops, "hpa" plans over the hierarchy.

        Returns:
            first: (m + 1) int64; path i is ``places[first[i]:first[i + 1]]``, both ends included,
            and empty where unreachable.
            places: (k, 2) int32 cells, or (k,) object names on graph levels.

        Raises:
            QueryError: as for :meth:`next_hops`; the method is another one.
        """
        if method not in ("table", "hpa"):
            raise QueryError(f"no method {method!r} for many paths", expected="'table' or 'hpa'")
        now, places = self._now, self._current.places
        rows, goal_rows = now.rows.pairs(starts, goals)
        if method == "table" and places.is_grid:
            first, cells = now.tables.walk_cells(rows, goal_rows)
            return first, places.with_floor(cells)
        walk = now.tables.walk if method == "table" else now.searches.hierarchy.many
        first, path = walk(rows, goal_rows)
        return first, now.rows.array(path)

    def distances(self, starts: npt.ArrayLike, goals: npt.ArrayLike) -> Float64Array:
        """Return the :meth:`distance` of many pairs in one call.

        Args:
            starts, goals: as for :meth:`next_hops`.

        Returns:
            (m) float64 units, inf where unreachable.

        Raises:
            QueryError: as for :meth:`next_hops`.
        """
        now = self._now
        return now.tables.ticks_between(*now.rows.pairs(starts, goals)) / self._units

    # -- one goal ---------------------------------------------------------------------------------

    def distances_to(self, goal: Place) -> Float64Array:
        """Return the distances of every place to one goal; no distance table is needed.

        The next hops are followed.

        Returns:
            (height, width) float64 units on grid levels, (floors, height, width) where they have
            several floors; on graph levels (n,) in the order of
            :attr:`node_names`. inf where unreachable or where the profile cannot stand.

        Raises:
            QueryError: as for :meth:`next_hop`.
        """
        now, places = self._now, self._current.places
        units = now.tables.ticks_toward(now.rows.row(goal)) / self._units
        row = now.tables.row_at
        spread = np.full(len(row), np.inf)
        spread[row >= 0] = units[row[row >= 0]]
        if places.floor_height is not None:
            return spread.reshape(places.floors, places.floor_height, places.width)
        return spread.reshape(places.height, places.width) if places.is_grid else spread

    @property
    def node_names(self) -> tuple[Name, ...]:
        """Return the names of a graph level's nodes, in the asset's order; empty on grid levels."""
        places = self._current.places
        return () if places.is_grid else places.names
