"""Define what lookups and searches ask about one profile of a level, as baked or as it is now.

:class:`~bake.runtime.reader.baked.BakedTables` answers from the columns of an asset,
:class:`~bake.runtime.live.tables.ChangedTables` for a level that has changed since.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from bake.arrays import AnyArray, BoolArray, Float64Array, Int32Array, Int64Array, UInt8Array
from bake.errors import CorruptAssetError, MissingTableError
from bake.graph import Subgraph
from bake.runtime.reader.lookup import FastLookup, NextHop
from bake.runtime.reader.places import Places


class Tables(ABC):
    """One profile's rows, its arcs and the paths between rows; they never change.

    A *row* is a place the profile can stand on, numbered among those.

    Attributes:
        places: the places of the level.
        profile: the name of the profile.
        by_sheet: whether rows are known only near places that were asked for; arrays of all of
            them, and of arcs, take a while then.
    """

    by_sheet: bool = False

    def __init__(self, places: Places, profile: str) -> None:
        self.places = places
        self.profile = profile

    def damaged(self, found: str) -> CorruptAssetError:
        """Return the error for columns that contradict each other."""
        return self.places.asset.damaged(found)

    def missing(self, table: str) -> MissingTableError:
        """Return the error for a table that the asset was baked without."""
        return MissingTableError(
            f"the asset holds no {table} for profile {self.profile!r}",
            file=self.places.asset.path,
            remedy=f"add {table} to tables in bake.toml and rebake",
        )

    @property
    def changed_terrain(self) -> UInt8Array | None:
        """Return (locations) uint8 terrain; None where the level is as it was baked."""
        return None

    @property
    def changed_links(self) -> Mapping[str, Any] | None:
        """Return the level's links by name; None where the level is as it was baked."""
        return None

    @property
    def changed_level(self) -> Any:
        """Return what the level is made of; None where it is as it was baked."""
        return None

    # -- rows and arcs ----------------------------------------------------------------------------

    @property
    @abstractmethod
    def location(self) -> Int32Array:
        """Return (r) int32, the location of each row: see :class:`Places`."""

    @property
    @abstractmethod
    def row_at(self) -> Int32Array:
        """Return (locations) int32, the row at each; -1 where the profile cannot stand."""

    @property
    def known_row(self) -> Int32Array:
        """Return (locations) int32, the row that each has ever had, else -1."""
        return self.row_at

    @property
    def standing(self) -> BoolArray | None:
        """Return (r) bool, True where the profile can stand on the row; None = on all of them."""
        return None

    def rows_of(self, location: Int32Array) -> Int32Array:
        """Return (k) int32, the rows at some locations; -1 where the profile cannot stand."""
        row, standing = self.known_row.take(location), self.standing
        if standing is None or standing.all():
            return row
        return np.where(standing[row], row, np.int32(-1))

    def locations_of(self, rows: Int32Array) -> Int32Array:
        """Return (k) int32, the locations of some rows."""
        return self.location[rows]

    @property
    @abstractmethod
    def component_of_row(self) -> Int32Array:
        """Return (r) int32 components; rows of one component can reach each other."""

    @property
    @abstractmethod
    def component_count(self) -> int:
        """Return how many components hold a row the profile can stand on."""

    @property
    @abstractmethod
    def one_way(self) -> bool:
        """Tell whether a path may lead from one component into another."""

    @property
    @abstractmethod
    def reach(self) -> AnyArray | None:
        """Return (components, bytes) uint8 in numpy.packbits order; None where not known."""

    @property
    @abstractmethod
    def usable(self) -> Subgraph:
        """Return the arcs the profile may take, numbered by rows."""

    @property
    @abstractmethod
    def has_hops(self) -> bool:
        """Tell whether the asset holds next hops for the profile."""

    @property
    @abstractmethod
    def has_distances(self) -> bool:
        """Tell whether the asset holds distances for the profile, in whichever form."""

    @property
    @abstractmethod
    def first_arc(self) -> Int32Array:
        """Return (r) int32, the first arc out of each row."""

    @property
    @abstractmethod
    def end_arc(self) -> Int32Array:
        """Return (r) int32, one past the last arc out of each row."""

    @property
    @abstractmethod
    def head_row(self) -> Int32Array:
        """Return (m) int32, the row each arc leads to; -1 where the profile may not take it."""

    @property
    @abstractmethod
    def exact_cost(self) -> Float64Array:
        """Return (m) float64 units of each arc before rounding to ticks; inf where blocked."""

    @property
    @abstractmethod
    def row_cost(self) -> Float64Array:
        """Return (r) float64 units of crossing each row's place."""

    @property
    def row_count(self) -> int:
        """Return how many rows there are."""
        return len(self.location)

    @cached_property
    def cell_of_row(self) -> Int32Array:
        """Return (r, 2) int32, the cell (x, y) of each row of a grid level."""
        return self.places.cells_of(self.location)

    @cached_property
    def standing_points(self) -> Float64Array | None:
        """Return (r, 2) float64 (x, y) of every row, inf where the profile cannot stand any more.

        It is None on a graph without positions.
        """
        return self._points()

    def _points(self) -> Float64Array | None:
        if self.places.is_grid:
            return self.cell_of_row.astype(float)
        position = self.places.position
        return None if position is None else position[self.location]

    # -- paths between rows -----------------------------------------------------------------------

    def joined(self, row: int, goal: int) -> bool | None:
        """Tell whether there is a path; None where components alone do not show it."""
        a, b = int(self.component_of_row[row]), int(self.component_of_row[goal])
        if a == b:
            return True
        if not self.one_way:
            return False
        reach = self.reach
        return None if reach is None else bool(reach[a, b >> 3] & (128 >> (b & 7)))

    def known_apart(self, row: int, goal: int) -> bool:
        """Tell whether it is known without a look at the whole level that there is no path."""
        return self.joined(row, goal) is False

    def reaches(self, row: int, goal: int) -> bool:
        """Tell whether there is a path."""
        joined = self.joined(row, goal)
        return self.next_row(row, goal) >= 0 if joined is None else joined

    @abstractmethod
    def next_row(self, row: int, goal: int) -> int:
        """Return the row to step to, -1 where there is no path. The row must not be the goal."""

    @abstractmethod
    def next_rows(self, rows: Int32Array, goals: Int32Array) -> Int32Array:
        """Return (k) int32, the rows to step to; at its goal the row itself, -1 without a path."""

    @abstractmethod
    def ticks(self, row: int, goal: int) -> float:
        """Return the ticks of a shortest path; inf where there is none."""

    @abstractmethod
    def ticks_between(self, rows: Int32Array, goals: Int32Array) -> Float64Array:
        """Return (k) float64 ticks of shortest paths; inf where there is none."""

    @abstractmethod
    def ticks_toward(self, goal: int) -> Float64Array:
        """Return (r) float64 ticks from every row to one goal; inf where there is no path."""

    @abstractmethod
    def path(self, row: int, goal: int) -> Int32Array | None:
        """Return the rows of a shortest path, both ends included; None where there is none."""

    @abstractmethod
    def walk(self, rows: Int32Array, goals: Int32Array) -> tuple[Int64Array, Int32Array]:
        """Return the rows of many shortest paths.

        Returns:
            (k + 1) int64 where each path begins, and (s) int32 rows, both ends included; nothing
            where there is no path.
        """

    def walk_cells(self, rows: Int32Array, goals: Int32Array) -> tuple[Int64Array, Int32Array]:
        """Call :meth:`walk` on a grid level; return (s, 2) int32 cells in place of rows."""
        first, path = self.walk(rows, goals)
        return first, self.cell_of_row.take(path, axis=0)

    @abstractmethod
    def step_costs(self, rows: Int32Array) -> Float64Array:
        """Return (k - 1) float64 units of each step between k rows before rounding to ticks.

        A step is inf where no arc leads from one row to the next.
        """

    @abstractmethod
    def lookup(self, fallback: NextHop) -> FastLookup:
        """Make the fast single lookup; ``fallback`` answers whatever the lookup does not."""
