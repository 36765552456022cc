"""Define what is known of one profile at one moment: rows, arcs, prices and components.

Whatever answers, searches or draws takes a :class:`Version`. Those of a level as it was baked come
from :mod:`bake.play.reader.columns`, those of a changed one from
:mod:`bake.play.live.versions`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, cast, final

import numpy as np

from bake.core.arrays import AnyArray, BoolArray, Float64Array, Int32Array
from bake.core.graph import Subgraph
from bake.play.reader.places import NodePlaces
from levelbake.errors import CorruptAssetError, MissingTableError, QueryError
from levelbake.hops import view_of


class Priced(NamedTuple):
    """Arcs by row, and what each costs before it is rounded to ticks.

    Attributes:
        first, end: (r) int32, where the arcs out of each row begin and end.
        head: (m) int32, the row each arc leads to; -1 where the profile may not take it.
        units: (m) float64; inf where the profile may not take the arc.
    """

    first: Int32Array
    end: Int32Array
    head: Int32Array
    units: Float64Array


#: Makes a field of a version, of others where need be.
Make = Callable[["Version"], Any]


@final
class Version:
    """One profile at one moment; a record that never changes, and that threads may share.

    A *row* is a place the profile can stand on, numbered among those. All but the first four
    fields are made when they are first asked for, and may raise a CorruptAssetError then.
    """

    places: NodePlaces  # of the level
    profile: str  # its name
    level: Any  # its bake.play.live.ground.LevelState; None = as it was baked
    by_sheet: bool  # whether rows are read only near places asked for; whole arrays take a while

    row_count: int  # r
    location: Int32Array  # (r), where each row is: see levelbake.places.Places
    known_row: Int32Array  # (locations), the row that each has ever had, else -1
    standing: BoolArray | None  # (r), whether the profile can stand there; None = everywhere
    cell_of_row: Int32Array  # (r, 2), the cell (x, y) of each row of a grid level
    usable: Subgraph  # the arcs the profile may take, numbered by rows
    priced: Priced  # what arcs cost before rounding
    row_cost: Float64Array  # (r), units of crossing each row's place
    component_of_row: Int32Array  # (r); rows of one component can reach each other
    component_count: int  # of components with a row that the profile can stand on
    one_way: bool  # whether a path may lead from one component into another
    reach: AnyArray | None  # (components, bytes) uint8, numpy.packbits order; None = not known
    has_hops: bool  # whether the asset holds next hops for the profile
    has_distances: bool  # whether it holds distances
    #: Tells what each step between k rows costs, (k - 1) float64 units; inf where there is none.
    step_costs: Callable[[Int32Array], Float64Array]
    worn: Any  # by sheet: the rows, as bake.play.hierarchy.sheets.WornSheets
    group: Int32Array | None  # by sheet: (clusters), equal if connected; None = not known

    def __init__(
        self,
        places: NodePlaces,
        profile: str,
        made: Mapping[str, Make],
        level: Any = None,
        *,
        by_sheet: bool = False,
    ) -> None:
        """Make nothing yet.

        Args:
            made: what makes each of the other fields, by name.
        """
        self.places, self.profile = places, profile
        self.level, self.by_sheet = level, by_sheet
        self._made = made

    if not TYPE_CHECKING:  # Otherwise a checker would allow fields of any name.

        def __getattr__(self, name: str) -> Any:
            """Make a field that is asked for the first time."""
            make = self.__dict__.get("_made", {}).get(name)
            if make is None:
                raise AttributeError(f"a version has no {name}")
            # Threads that make it at once all take the first: some fields keep what was read.
            return self.__dict__.setdefault(name, make(self))

    @property
    def elevation(self) -> Float64Array | None:
        """Return (n) float64, how high each node of a graph lies; None on grids and without z."""
        if self.places.is_grid:
            return None
        if self.level is not None:
            return cast("Float64Array | None", self.level.rules.elevation)
        elevation = self.places.asset.get("/elevation")
        return None if elevation is None else elevation.astype(np.float64)

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

    def no_step(self, one: object, other: object) -> QueryError:
        """Return the error for two places of a path that no arc joins."""
        return QueryError(
            f"no step leads from {one!r} to {other!r} for profile {self.profile!r}",
            expected="neighbouring places, as path() returns them",
        )

    # -- rows -------------------------------------------------------------------------------------

    @cached_property
    def row_at(self) -> Int32Array:
        """Return (locations) int32, the row at each; -1 where the profile cannot stand."""
        if self.standing is None or self.standing.all():
            return self.known_row
        row = self.known_row.copy()
        row[self.location[~self.standing]] = -1
        return row

    @cached_property
    def stands(self) -> memoryview[int] | None:
        """Return :attr:`standing` as a view, which Python reads several times as fast."""
        return None if self.standing is None else view_of(self.standing)

    def rows_of(self, location: Int32Array) -> Int32Array:
        """Return (k) int32, the rows at some locations; -1 where the profile cannot stand."""
        if self.by_sheet:
            found: Int32Array = self.worn.rows_at(location)
            return found
        row, standing = self.known_row.take(location), self.standing
        if standing is None or standing.all():
            return row
        return np.where(standing[row], row, np.int32(-1))

    def locations_of(self, rows: Int32Array) -> Int32Array:
        """Return (k) int32, the locations of some rows."""
        found: Int32Array = self.worn.cells_of(rows) if self.by_sheet else self.location[rows]
        return found

    @cached_property
    def standing_points(self) -> Float64Array | None:
        """Return (r, 2) float64 (x, y) of every row, inf where the profile cannot stand any more.

        It is None on a graph without positions.
        """
        position = self.places.position
        if self.places.is_grid:
            points = self.cell_of_row.astype(float)
        elif position is None:
            return None
        else:
            points = position[self.location]
        if self.standing is not None:
            points[~self.standing] = np.inf
        return points

    # -- components -------------------------------------------------------------------------------

    def joined(self, row: int, goal: int) -> bool | None:
        """Tell whether there is a path; None where components alone do not show it."""
        if self.by_sheet and self.group is not None:
            here, there = self.worn.clusters_of(np.array([row, goal], dtype=np.int32)).tolist()
            return here == there or bool(self.group[here] == self.group[there])
        a, b = int(self.component_of_row[row]), int(self.component_of_row[goal])
        if a == b:
            return True
        if not self.one_way:
            return False
        reach = self.reach
        return None if reach is None else bool(reach[a, b >> 3] & (128 >> (b & 7)))
