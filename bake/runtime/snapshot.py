"""What one profile answers at one moment, whether baked or changed since.

:class:`~bake.runtime.navigator.Navigator` tells what each answer is; here is how it is found.
"""

from __future__ import annotations

import math
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from operator import index
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bake.arrays import AnyArray, Float64Array, Int32Array, Int64Array
from bake.errors import BlockedCellError, QueryError
from bake.graph import UNREACHABLE
from bake.runtime.reader.nearest import nearest_place
from bake.runtime.reader.places import Place
from bake.runtime.reader.rows import Rows
from bake.runtime.reader.tables import Tables

if TYPE_CHECKING:
    from bake.runtime.current import Current
    from bake.runtime.reader.lookup import NextHop, QuickLookup
    from bake.runtime.searching.heuristics import Given
    from bake.runtime.searching.methods import Request, Searches
    from bake.runtime.searching.result import SearchResult
    from bake.runtime.searching.sight import Sight

_UNREACHABLE = int(UNREACHABLE)


class Answers(ABC):
    """Answers of one profile; once made they never change. Threads may share them.

    Attributes:
        name: the profile's name.
        tables: what the answers are read from.
        rows: between places and rows of the tables.
    """

    def __init__(self, tables: Tables, current: Current) -> None:
        self.name = tables.profile
        self.tables = tables
        self.rows = Rows(tables)
        self._places = tables.places
        self._current = current
        self._making = threading.Lock()
        self._quick: QuickLookup | None = None

    # -- single lookups ---------------------------------------------------------------------------

    def lookup(self) -> NextHop:
        """:meth:`next_hop` as fast as it goes, until the level changes; then that of the moment."""
        with self._making:
            if self._quick is None:
                self._quick = self._quick_lookup(self._next_hop_of_the_moment)
            return self._quick.next_hop

    def revoke(self) -> None:
        """The level has changed: the quick lookup must not answer, whoever holds it."""
        with self._making:
            if self._quick is not None:
                self._quick.revoke()

    def _next_hop_of_the_moment(self, start: Place, goal: Place) -> Place | None:
        return self._current.now(self.name).next_hop(start, goal)

    @abstractmethod
    def _quick_lookup(self, careful: NextHop) -> QuickLookup:
        """Make the quick lookup; ``careful`` takes whatever it does not."""

    @abstractmethod
    def next_hop(self, start: Place, goal: Place) -> Place | None: ...

    @abstractmethod
    def distance(self, start: Place, goal: Place) -> float: ...

    @abstractmethod
    def length(self, path: Sequence[Place]) -> float: ...

    @abstractmethod
    def reachable(self, start: Place, goal: Place) -> bool: ...

    def nearest(self, point: Sequence[float]) -> Place:
        return nearest_place(self.tables, point)

    # -- many at once -----------------------------------------------------------------------------

    @abstractmethod
    def next_hops(self, starts: npt.ArrayLike, goals: npt.ArrayLike) -> AnyArray: ...

    def paths(
        self, starts: npt.ArrayLike, goals: npt.ArrayLike, method: str = "table"
    ) -> tuple[Int64Array, AnyArray]:
        from bake.runtime.reader.walk import walk, walk_cells

        if method not in ("table", "hpa"):
            raise QueryError(f"no method {method!r} for many paths", expected="'table' or 'hpa'")
        tables, places = self.tables, self._places
        rows, goal_rows = self.rows.pairs(starts, goals)
        if method == "hpa":
            first, path = self.searches.hierarchy.many(rows, goal_rows)
        elif places.is_grid:
            first, cells = walk_cells(tables, rows, goal_rows)
            return first, places.spoken(cells)
        else:
            first, path = walk(tables, rows, goal_rows)
        if places.is_grid:
            return first, self._places_of(path)
        node = tables.node[path]
        names = np.empty(len(node), dtype=object)
        names[:] = [places.names[one] for one in node.tolist()]
        return first, names

    def distances(self, starts: npt.ArrayLike, goals: npt.ArrayLike) -> Float64Array:
        from bake.runtime.reader.walk import walked_ticks

        rows, goal_rows = self.rows.pairs(starts, goals)
        table = self.tables.distance
        if table is not None:
            ticks = table[rows, goal_rows].astype(np.float64)
            ticks[ticks == _UNREACHABLE] = np.inf
        else:
            ticks = walked_ticks(self.tables, rows, goal_rows)
        return ticks / self._places.ticks_per_unit

    def distances_to(self, goal: Place) -> Float64Array:
        from bake.runtime.reader.walk import ticks_toward

        tables, places = self.tables, self._places
        ticks = ticks_toward(tables, self.rows.row(goal)) / places.ticks_per_unit
        row = tables.row_at_cell if places.is_grid else tables.row_at_node
        spread = np.full(len(row), np.inf)
        spread[row >= 0] = ticks[row[row >= 0]]
        if places.floor_height is not None:
            return spread.reshape(places.floors, places.floor_height, places.width)
        return spread.reshape(places.height, places.width) if places.is_grid else spread

    # -- searches ---------------------------------------------------------------------------------

    @cached_property
    def searches(self) -> Searches:
        from bake.runtime.searching.methods import Searches

        return Searches(self.tables)

    def path(
        self,
        start: Place,
        goal: Place,
        method: str = "table",
        heuristic: str | Given | None = None,
    ) -> list[Place] | None:
        row, goal_row = self.rows.row(start), self.rows.row(goal)
        if method == "table" and heuristic is None:
            return self._path_by_hops(row, goal_row)
        from bake.runtime.searching.methods import Request

        found = self.searches.run(row, goal_row, Request(method, heuristic))
        return None if found.rows is None else self.searches.places(found.rows)

    @abstractmethod
    def _path_by_hops(self, row: int, goal_row: int) -> list[Place] | None: ...

    def search(self, start: Place, goal: Place, request: Request) -> SearchResult:
        return self.searches.result(self.rows.row(start), self.rows.row(goal), request)

    def walk(self, start: Place, goal: Place) -> Iterator[Place] | None:
        row, goal_row = self.rows.row(start), self.rows.row(goal)
        pieces = self.searches.hierarchy.walk(row, goal_row)
        if pieces is None:
            return None
        places = self.searches.places
        return (place for piece in pieces for place in places(piece))

    def warm_up(self, *methods: str) -> None:
        from bake.runtime.reader.walk import walked_ticks
        from bake.runtime.searching.methods import Request

        graph = self.tables.usable.graph
        if not methods:
            methods = ("table", "astar") if self.tables.has_hops else ("astar",)
        # Any two neighbours will do; without any, there is nothing to search.
        ends = graph.tail()[:1], graph.head[:1]
        for method in methods:
            if method == "table":
                self.lookup()
                walked_ticks(self.tables, *ends)
            for row, goal in zip(*(one.tolist() for one in ends), strict=True):
                self.searches.run(row, goal, Request(method))

    # -- straight lines ---------------------------------------------------------------------------

    @cached_property
    def _sight(self) -> Sight:
        from bake.runtime.searching.sight import Sight

        return Sight(self.tables)

    def smooth(self, path: Sequence[Place]) -> list[Place]:
        sight, rows = self._sight, self.rows.along(path)
        return self.searches.places(rows if len(rows) < 2 else sight.smooth(rows))

    def furthest_visible(self, path: Sequence[Place], place: int) -> int:
        sight, rows = self._sight, self.rows.along(path)
        if not 0 <= place < len(rows):
            raise QueryError(f"no place {place} in the path", expected=f"0 to {len(rows) - 1}")
        return sight.furthest(rows, place)

    def any_angle_length(self, waypoints: Sequence[Place]) -> float:
        return self._sight.cost(self.rows.along(waypoints))

    # -- lower bounds -----------------------------------------------------------------------------

    def cluster(self, place: Place) -> int:
        row = self.rows.row(place)
        return int(self.searches.bounds.clusters.cluster[row])

    def cluster_distance(self, start: int, goal: int) -> float:
        a, b = self._cluster_number(start), self._cluster_number(goal)
        return self._units(int(self.searches.bounds.toward_cluster(b)[a]))

    def cluster_cost(self, start: int, goal: int, price: str) -> float:
        a, b = self._cluster_number(start), self._cluster_number(goal)
        return self._units(self.searches.bounds.cluster_cost(a, b, price))

    def heuristic(self, start: Place, goal: Place, heuristic: str | Given | None) -> float:
        row, goal_row = self.rows.row(start), self.rows.row(goal)
        return self._units(self.searches.told_by(heuristic, row, goal_row))

    def _cluster_number(self, cluster: int) -> int:
        count = self.searches.bounds.clusters.count
        try:
            number = index(cluster)
        except TypeError:
            number = -1
        if not 0 <= number < count:
            raise QueryError(
                f"no cluster {cluster!r}",
                expected=f"0 to {count - 1}" if count else "none: the profile can stand nowhere",
            )
        return number

    def _units(self, ticks: int) -> float:
        return math.inf if ticks >= _UNREACHABLE else ticks / self._places.ticks_per_unit

    # -- levels that change -----------------------------------------------------------------------

    def still_valid(self, path: Sequence[Place]) -> bool:
        try:
            rows = self.rows.along(path).tolist()
        except BlockedCellError:
            return False
        return all(self._joined(a, b) for a, b in pairwise(rows))

    @abstractmethod
    def _joined(self, row: int, next_row: int) -> bool:
        """Whether a step leads from one row to another."""

    def _no_step(self, row: int, next_row: int) -> QueryError:
        return QueryError(
            f"no step leads from {self.rows.place(row)!r} to {self.rows.place(next_row)!r} "
            f"for profile {self.name!r}"
        )

    def _places_of(self, rows: Int32Array) -> Int32Array:
        """(k, 2) int32 cells, or (k, 3) with their floor, as a game says them."""
        if not len(self.tables.cell_of_row):
            return np.empty((len(rows), self._places.dimensions), dtype=np.int32)
        return self._places.spoken(self.tables.cell_of_row.take(rows, axis=0))
