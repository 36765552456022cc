"""What a game asks: the next hop, the distance, the path, for one agent profile."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from operator import index
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from bake.errors import BlockedCellError, QueryError, UnknownNodeError
from bake.graph import UNREACHABLE
from bake.runtime.floors import floor_of, grid_cell, grid_cells
from bake.runtime.heuristics import Given
from bake.runtime.live.live import Live
from bake.runtime.live.report import UpdateReport
from bake.runtime.places import Int32Array, Name, Place, Places
from bake.runtime.search_result import SearchResult
from bake.runtime.searches import Request, Searches
from bake.runtime.sight import Sight
from bake.runtime.single import NextHop, QuickLookup
from bake.runtime.tables import Tables
from bake.runtime.walks import ticks_toward, walk, walk_cells, walked_ticks

_UNREACHABLE = int(UNREACHABLE)

#: Points are taken to lie no farther out than this, in cells or a graph's units.
FARTHEST = 1e15


class Navigator:
    """Lookups for one profile of an open level. Get it from :meth:`LevelAsset.profile`.

    Places are cells ``(x, y)`` on grid levels, ``(x, y, floor)`` where they have several floors,
    and node names on graph levels. A place the profile
    cannot stand on, or that does not exist, is a :class:`~bake.errors.QueryError`; a goal that
    cannot be reached is a value: ``None``, ``math.inf`` or ``False``.

    Attributes:
        name: the profile's name.
    """

    def __init__(self, places: Places, name: str, live: Live | None = None) -> None:
        self.name = name
        self._live = Live(places, ()) if live is None else live
        self._places = places
        self._tables = Tables(places, name)
        self._searches = Searches(self._tables)
        self._width = places.width
        self._height = places.height
        self._loaded = False
        self._quick: QuickLookup | None = None
        self._live.watch(self)

    def _load(self) -> None:
        # From here on a lookup goes straight to the function made for this table.
        self._quick = QuickLookup(self._tables, self._next_hop_carefully)
        self.next_hop = self._quick.next_hop  # type: ignore[method-assign,assignment]
        self._loaded = True
        if self._live.moments:  # changed meanwhile, by another thread
            self._superseded()

    def _lookup(self) -> NextHop:
        """:meth:`next_hop` without a detour: the function made for this table."""
        if not self._loaded:
            self._load()
        return self.next_hop

    def _superseded(self) -> None:
        """The level has changed: the quick lookup must not be asked again, whoever holds it."""
        if self._quick is not None:
            self._quick.revoke()
        self.__dict__.pop("next_hop", None)

    def _take_up_moment(self) -> NextHop:
        """The quick lookup of the moment, to go straight to from here on."""
        moment = self._live.moments[self.name]
        quick = moment._lookup()
        self.next_hop = quick  # type: ignore[method-assign,assignment]
        if self._live.moments[self.name] is not moment:  # changed meanwhile, by another thread
            self._superseded()
        return quick

    # -- single lookups ---------------------------------------------------------------------------

    def next_hop(self, start: Place, goal: Place) -> Place | None:
        """Where to step from ``start`` on a shortest path to ``goal``.

        Returns:
            A neighbouring place; ``goal`` itself when already there; None where unreachable.

        Raises:
            OutsideMapError, BlockedCellError, UnknownNodeError: a place that is none.
            MissingTableError: the asset was baked without next hops.
        """
        if self._live.moments:
            return self._take_up_moment()(start, goal)
        self._load()
        return self.next_hop(start, goal)

    def _next_hop_carefully(self, start: Place, goal: Place) -> Place | None:
        if self._live.moments:
            return self._live.moments[self.name].next_hop(start, goal)
        if not self._loaded:
            self._load()
        row, goal_row = self._row_of(start), self._row_of(goal)
        if row == goal_row:
            return self._place(row)
        arc = self._arc_toward(row, goal_row)
        return None if arc is None else self._places.place(int(self._places.head[arc]))

    def distance(self, start: Place, goal: Place) -> float:
        """Cost of a shortest path in units of the recipe; ``math.inf`` where unreachable.

        Exact on the asset's integer scale; read from the distance table where there is one, else
        summed along the next hops.

        Raises:
            QueryError: as for :meth:`next_hop`.
        """
        if self._live.moments:
            return self._live.moments[self.name].distance(start, goal)
        row, goal_row = self._row_of(start), self._row_of(goal)
        if row == goal_row:
            return 0.0
        table = self._tables.distance
        if table is not None:
            ticks = int(table[row, goal_row])
            return math.inf if ticks == _UNREACHABLE else ticks / self._places.ticks_per_unit
        arcs = self._arcs_between(row, goal_row)
        if arcs is None:
            return math.inf
        return int(self._tables.weight[arcs].sum(dtype=np.int64)) / self._places.ticks_per_unit

    def length(self, path: Sequence[Place]) -> float:
        """Cost of walking a path with every step priced before rounding to ticks, in units.

        Args:
            path: neighbouring places, as :meth:`path` returns them.

        Raises:
            QueryError: two places in a row that no arc of this profile joins.
        """
        if self._live.moments:
            return self._live.moments[self.name].length(path)
        rows = [self._row_of(place) for place in path]
        arcs = [self._arc_joining(a, b) for a, b in pairwise(rows)]
        return float(self._tables.exact_cost[arcs].sum()) if arcs else 0.0

    def reachable(self, start: Place, goal: Place) -> bool:
        """Whether there is a path; two labels and, with one-way arcs, one bit tell.

        Raises:
            QueryError: as for :meth:`next_hop`.
            MissingTableError: one-way arcs make more components than a stored closure may have, and
                the asset was baked without next hops.
        """
        if self._live.moments:
            return self._live.moments[self.name].reachable(start, goal)
        row, goal_row = self._row_of(start), self._row_of(goal)
        tables = self._tables
        a = int(tables.component[tables.node[row]])
        b = int(tables.component[tables.node[goal_row]])
        if a == b:
            return True
        if not tables.one_way:
            return False
        if tables.reach is not None:
            return bool(tables.reach[a, b >> 3] & (128 >> (b & 7)))
        return self._arc_toward(row, goal_row) is not None

    def nearest(self, point: Sequence[float]) -> Place:
        """The place the profile can stand on nearest to a point, by straight distance.

        Args:
            point: (x, y), in cells (the centre of cell (3, 4) is the point (3, 4); on hexagonal
                levels columns and rows count alike) or in the units of a graph's positions; on
                levels of several floors (x, y, floor). It may lie on a wall or outside the level.

        Returns:
            The nearest place, on the same floor; of several the northernmost, then the westernmost
            (on graphs: any one, always the same).

        Raises:
            QueryError: not two finite numbers (or three), no such floor, a graph without positions,
                or nowhere to stand.
        """
        if self._live.moments:
            return self._live.moments[self.name].nearest(point)
        floor_height = self._places.floor_height
        if floor_height is not None:
            point, floor = floor_of(self._places, point, _said(point))
        x, y = _point(point)
        near = self._tables.standing_points
        if near is None:
            raise QueryError(
                "nearest() needs positions, this graph has none",
                place=f"level {self._places.name!r}",
                remedy="give its nodes x and y",
            )
        if not len(near):
            raise QueryError(f"profile {self.name!r} can stand nowhere in this level")
        away = (near[:, 0] - x) ** 2 + (near[:, 1] - y) ** 2
        if floor_height is not None:
            away = (near[:, 0] - x) ** 2 + (near[:, 1] - floor * floor_height - y) ** 2
            away[near[:, 1] // floor_height != floor] = np.inf
            if np.isinf(away).all():
                raise QueryError(f"profile {self.name!r} can stand nowhere on floor {floor}")
        best = self._tables.node[np.flatnonzero(away == away.min())]
        if self._places.is_grid:
            best = best[[self._places.flat[best].argmin()]]
        return self._places.place(int(best[0]))

    def path(
        self,
        start: Place,
        goal: Place,
        method: str = "table",
        heuristic: str | Given | None = None,
    ) -> list[Place] | None:
        """A path, both ends included; None where unreachable.

        Args:
            method: "table" follows the baked next hops; others search: see :meth:`search`.
            heuristic: of searches.

        Raises:
            QueryError: as for :meth:`next_hop` and :meth:`search`.
            MissingTableError: method "table", and the asset was baked without next hops.
        """
        if self._live.moments:
            return self._live.moments[self.name].path(start, goal, method, heuristic)
        row, goal_row = self._row_of(start), self._row_of(goal)
        if method != "table" or heuristic is not None:
            found = self._searches.run(row, goal_row, Request(method, heuristic))
            return None if found.rows is None else self._searches.places(found.rows)
        arcs = self._arcs_between(row, goal_row)
        if arcs is None:
            return None
        place, head = self._places.place, self._places.head
        first = place(int(self._tables.node[row]))
        return [first, *(place(int(node)) for node in head[arcs].tolist())]

    def search(
        self,
        start: Place,
        goal: Place,
        method: str = "astar",
        heuristic: str | Given | None = None,
        *,
        weight: float = 1.0,
        queue: str = "auto",
        trace: bool = False,
        looked_at: bool = False,
    ) -> SearchResult:
        """Search for a path on the level's graph; needs no baked table.

        Args:
            method: "astar", "dijkstra", "greedy", "weighted", "bidirectional",
                "bidirectional_astar", or "table" for the next hops.
            heuristic: "null", "manhattan", "euclidean", "chebyshev", "octile" or "hex"; baked ones
                are "cluster", "landmark" and "maximum"; None for "maximum" in method "astar" where
                it was baked, else the one that fits the level's movement; or one's own, in units:
                a mapping from places or a function of a place.
            weight: of method "weighted": what the heuristic is multiplied with, 1 to 1000.
            queue: "bucket", "heap", or "auto" for the faster one.
            trace: tell the open and closed list step by step; slower.
            looked_at: tell which places were looked at; not while other threads search.

        Returns:
            The path, its cost, and how it was found.

        Raises:
            QueryError: as for :meth:`next_hop`; no such method, heuristic or queue; a heuristic
                that does not fit the level or the method.
        """
        if self._live.moments:
            return self._live.moments[self.name].search(
                start,
                goal,
                method,
                heuristic,
                weight=weight,
                queue=queue,
                trace=trace,
                looked_at=looked_at,
            )
        row, goal_row = self._row_of(start), self._row_of(goal)
        request = Request(method, heuristic, weight, queue, trace, looked_at)
        return self._searches.result(row, goal_row, request)

    def walk(self, start: Place, goal: Place) -> Iterator[Place] | None:
        """The cells of an HPA* path after ``start``, refined as they are asked for.

        The whole way is planned at once, over transitions between clusters; what lies between two
        of them is worked out when a step is due there. So the first moves are known long before
        the last ones, and a game that changes its mind has not paid for them. Pieces are smoothed
        by themselves, so the path may be a little longer than that of
        ``path(..., method="hpa")``.

        Returns:
            An iterator that ends with ``goal``; it has nothing to give when already there. None
            where unreachable.

        Raises:
            QueryError: as for :meth:`next_hop`.
            MissingTableError: the asset was baked without a hierarchy.
        """
        if self._live.moments:
            return self._live.moments[self.name].walk(start, goal)
        row, goal_row = self._row_of(start), self._row_of(goal)
        hierarchy = self._searches.hierarchy
        way = hierarchy.find(row, goal_row)
        if way.ticks < 0:
            return None
        places = self._searches.places
        return (place for piece in hierarchy.walk(way) for place in places(piece))

    def warm_up(self, *methods: str) -> None:
        """Load the tables, and compile or load the kernels, that later questions need.

        Args:
            methods: of :meth:`search`; none = next hops, where the asset has them, and "astar".

        Raises:
            QueryError: no such method.
        """
        if self._live.moments:
            return self._live.moments[self.name].warm_up(*methods)
        graph = self._tables.usable.graph
        if not methods:
            methods = ("table", "astar") if self._tables.has_hops else ("astar",)
        # Any two neighbours will do; without any, there is nothing to search.
        ends = graph.tail()[:1], graph.head[:1]
        for method in methods:
            if method == "table":
                self._load()
                walked_ticks(self._tables, *ends)
            for row, goal in zip(*(one.tolist() for one in ends), strict=True):
                self._searches.run(row, goal, Request(method))

    # -- straight lines ---------------------------------------------------------------------------

    @cached_property
    def _sight(self) -> Sight:
        return Sight(self._tables)

    def smooth(self, path: Sequence[Place]) -> list[Place]:
        """The waypoints of a path, pulled tight along straight lines over a square grid.

        Agents go straight from each to the next. No line cuts a corner the level's rule forbids,
        and none costs more than what it replaces: lines cross cells of one cost alone, but for
        those along rows, columns and diagonals.

        Args:
            path: neighbouring cells, as :meth:`path` returns them.

        Returns:
            Some of its cells, both ends included.

        Raises:
            QueryError: no square grid; cells in a row that no step joins.
        """
        if self._live.moments:
            return self._live.moments[self.name].smooth(path)
        sight, rows = self._sight, self._rows_along(path)
        return self._searches.places(rows if len(rows) < 2 else sight.smooth(rows))

    def furthest_visible(self, path: Sequence[Place], place: int) -> int:
        """The last place of a path in straight reach of one of its places, at no higher cost.

        Args:
            path: as for :meth:`smooth`.
            place: index of the cell the agent stands on.

        Returns:
            An index, larger than ``place`` but at the path's end.

        Raises:
            QueryError: as for :meth:`smooth`; an index outside the path.
        """
        if self._live.moments:
            return self._live.moments[self.name].furthest_visible(path, place)
        sight, rows = self._sight, self._rows_along(path)
        if not 0 <= place < len(rows):
            raise QueryError(f"no place {place} in the path", expected=f"0 to {len(rows) - 1}")
        return sight.furthest(rows, place)

    def any_angle_length(self, waypoints: Sequence[Place]) -> float:
        """Cost of going straight from each waypoint to the next, in units.

        Raises:
            QueryError: no square grid; two waypoints with no straight way between them.
        """
        if self._live.moments:
            return self._live.moments[self.name].any_angle_length(waypoints)
        return self._sight.cost(self._rows_along(waypoints))

    def _rows_along(self, path: Sequence[Place]) -> Int32Array:
        return np.array([self._row_of(place) for place in path], dtype=np.int32)

    # -- lower bounds -----------------------------------------------------------------------------

    def cluster(self, place: Place) -> int:
        """The cluster a place belongs to, from 0.

        Raises:
            QueryError: as for :meth:`next_hop`.
            MissingTableError: the asset was baked without clusters.
        """
        if self._live.moments:
            return self._live.moments[self.name].cluster(place)
        row = self._row_of(place)
        return int(self._searches.bounds.clusters.cluster[row])

    def cluster_distance(self, start: int, goal: int) -> float:
        """The smallest distance from any place of one cluster to any of another, in units.

        No way between places of the two costs less. ``math.inf`` where there is none at all.

        Args:
            start, goal: clusters, from :meth:`cluster`.

        Raises:
            QueryError: no such cluster.
            MissingTableError: the asset was baked without distances between clusters.
        """
        if self._live.moments:
            return self._live.moments[self.name].cluster_distance(start, goal)
        a, b = self._cluster_number(start), self._cluster_number(goal)
        return self._units(int(self._searches.bounds.cluster_distance[a, b]))

    def cluster_cost(self, start: int, goal: int, price: str = "average") -> float:
        """What to reckon with for going through one cluster into the next, in units.

        Args:
            start, goal: clusters, from :meth:`cluster`.
            price: "minimum", the cheapest step across, an optimist's; "maximin", the longest of
                the shortest ways through the first cluster from where it can be entered, a
                pessimist's; or "average", the mean of those.

        Returns:
            The price; ``math.inf`` where no step leads from one to the other.

        Raises:
            QueryError: no such cluster or price.
            MissingTableError: the asset was baked without distances between clusters.
        """
        if self._live.moments:
            return self._live.moments[self.name].cluster_cost(start, goal, price)
        a, b = self._cluster_number(start), self._cluster_number(goal)
        return self._units(self._searches.bounds.cluster_cost(a, b, price))

    def heuristic(
        self, start: Place, goal: Place, heuristic: str | Given | None = "maximum"
    ) -> float:
        """What a heuristic says of the distance, in units: no more than it is, if admissible.

        Args:
            heuristic: as for :meth:`search`; "maximum" is the baked one.

        Raises:
            QueryError: as for :meth:`search`.
            MissingTableError: the asset was baked without it.
        """
        row, goal_row = self._row_of(start), self._row_of(goal)
        return self._units(self._searches.told_by(heuristic, row, goal_row))

    def _cluster_number(self, cluster: int) -> int:
        count = self._searches.bounds.clusters.count
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
        if ticks >= _UNREACHABLE:
            return math.inf
        return ticks / self._places.ticks_per_unit

    # -- levels that change ------------------------------------------------------------------------

    def update(
        self,
        blocked: Iterable[Place] = (),
        opened: Iterable[Place] = (),
        terrain: Mapping[Place, str] | None = None,
        arcs: Mapping[tuple[Place, Place], float | None] | None = None,
    ) -> UpdateReport:
        """Change the level, for every profile: see :meth:`LevelAsset.update`.

        Returns:
            What it did for this profile.
        """
        return self._live.update(blocked, opened, terrain, arcs)[self.name]

    def repair(self, budget_ms: float | None = 2) -> int:
        """Make this profile's stale rows anew ahead of time: see :meth:`LevelAsset.repair`."""
        return self._live.repair([self.name], budget_ms)

    def set_state(self, door: str, state: str) -> UpdateReport:
        """Put a door into one of its states, for every profile: see :meth:`LevelAsset.set_state`.

        Returns:
            What it did for this profile.
        """
        return self._live.set_state(door, state)[self.name]

    def save_patch(self, path: str | Path) -> None:
        """Write what has become of the level to a file: see :meth:`LevelAsset.save_patch`."""
        self._live.save_patch(Path(path))

    def still_valid(self, path: Sequence[Place]) -> bool:
        """Whether a path found earlier can still be walked, every place and every step of it.

        Args:
            path: as :meth:`path` returned it, or what is left of it.

        Raises:
            QueryError: places that are none.
        """
        if self._live.moments:
            return self._live.moments[self.name].still_valid(path)
        try:
            rows = [self._row_of(place) for place in path]
        except BlockedCellError:
            return False
        try:
            for a, b in pairwise(rows):
                self._arc_joining(a, b)
        except QueryError:
            return False
        return True

    # -- many at once -----------------------------------------------------------------------------

    def next_hops(self, starts: npt.ArrayLike, goals: npt.ArrayLike) -> npt.NDArray[Any]:
        """:meth:`next_hop` for many pairs in one call.

        Args:
            starts, goals: (m, 2) integers (x, y) on grid levels, (m,) node names on graph levels.

        Returns:
            (m, 2) int32 cells with (-1, -1) where unreachable; on graph levels (m,) object names
            with None where unreachable.

        Raises:
            QueryError: as for :meth:`next_hop`, naming the first wrong place; shapes that differ.
        """
        if self._live.moments:
            return self._live.moments[self.name].next_hops(starts, goals)
        if not self._loaded:
            self._load()
        tables = self._tables
        rows, goal_rows = self._pairs(starts, goals)
        slot = tables.hops.slots(rows, goal_rows)
        stuck = np.flatnonzero(slot < 0)
        arc = tables.first_arc.take(rows)
        arc += slot.astype(np.int32, copy=False)
        if not len(stuck):
            return self._places_after(arc)
        there = stuck[rows[stuck] == goal_rows[stuck]]
        if not len(tables.head_row):  # no arc in the whole graph
            return self._standing_still(rows, there)
        arc[stuck] = 0
        hops = self._places_after(arc)
        hops[stuck] = -1 if self._places.is_grid else None
        hops[there] = self._standing_still(rows, there)[there]
        return hops

    def paths(
        self, starts: npt.ArrayLike, goals: npt.ArrayLike, method: str = "table"
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[Any]]:
        """:meth:`path` for many pairs in one call; compiled where numba is installed.

        Args:
            starts, goals: as for :meth:`next_hops`.
            method: "table" follows the baked next hops, "hpa" plans over the hierarchy.

        Returns:
            first: (m + 1) int64; path i is ``places[first[i]:first[i + 1]]``, both ends included,
            and empty where unreachable.
            places: (k, 2) int32 cells, or (k,) object names on graph levels.

        Raises:
            QueryError: as for :meth:`next_hops`; another method.
        """
        if self._live.moments:
            return self._live.moments[self.name].paths(starts, goals, method)
        if method not in ("table", "hpa"):
            raise QueryError(f"no method {method!r} for many paths", expected="'table' or 'hpa'")
        rows, goal_rows = self._pairs(starts, goals)
        if method == "hpa":
            first, path = self._searches.hierarchy.many(rows, goal_rows)
        elif self._places.is_grid:
            first, cells = walk_cells(self._tables, rows, goal_rows)
            return first, self._places.spoken(cells)
        else:
            first, path = walk(self._tables, rows, goal_rows)
        if self._places.is_grid:
            return first, self._places.spoken(self._tables.cell_of_row.take(path, axis=0))
        node = self._tables.node[path]
        names = np.empty(len(node), dtype=object)
        names[:] = [self._places.names[one] for one in node.tolist()]
        return first, names

    def distances(self, starts: npt.ArrayLike, goals: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """:meth:`distance` for many pairs in one call.

        Args:
            starts, goals: as for :meth:`next_hops`.

        Returns:
            (m) float64 units, inf where unreachable.

        Raises:
            QueryError: as for :meth:`next_hops`.
        """
        if self._live.moments:
            return self._live.moments[self.name].distances(starts, goals)
        rows, goal_rows = self._pairs(starts, goals)
        table = self._tables.distance
        if table is not None:
            ticks = table[rows, goal_rows].astype(np.float64)
            ticks[ticks == _UNREACHABLE] = np.inf
        else:
            ticks = walked_ticks(self._tables, rows, goal_rows)
        return ticks / self._places.ticks_per_unit

    def distances_to(self, goal: Place) -> npt.NDArray[np.float64]:
        """Distances of every place to one goal, without a distance table: the hops are followed.

        Returns:
            (height, width) float64 units on grid levels, (floors, height, width) where they have
            several floors; on graph levels (n,) in the order of
            :attr:`node_names`. inf where unreachable or where the profile cannot stand.

        Raises:
            QueryError: as for :meth:`next_hop`.
        """
        if self._live.moments:
            return self._live.moments[self.name].distances_to(goal)
        goal_row = self._row_of(goal)
        ticks = ticks_toward(self._tables, goal_row) / self._places.ticks_per_unit
        tables = self._tables
        if self._places.is_grid:
            row = tables.row_at_cell
        else:
            row = tables.row_at_node
        spread = np.full(len(row), np.inf)
        spread[row >= 0] = ticks[row[row >= 0]]
        if self._places.floor_height is not None:
            return spread.reshape(self._places.floors, self._places.floor_height, self._width)
        return spread.reshape(self._height, self._width) if self._places.is_grid else spread

    @property
    def node_names(self) -> tuple[Name, ...]:
        """Names of a graph level's nodes, in the asset's order; empty on grid levels."""
        return () if self._places.is_grid else self._places.names

    def _pairs(self, starts: npt.ArrayLike, goals: npt.ArrayLike) -> tuple[Int32Array, Int32Array]:
        rows, goal_rows = self._rows_of(starts, "starts"), self._rows_of(goals, "goals")
        if len(rows) != len(goal_rows):
            raise QueryError(f"{len(rows)} starts for {len(goal_rows)} goals", expected="as many")
        return rows, goal_rows

    def _places_after(self, arc: Int32Array) -> npt.NDArray[Any]:
        if self._places.is_grid:
            return self._tables.head_place.take(arc, axis=0)
        names = np.empty(len(arc), dtype=object)
        names[:] = [self._places.names[node] for node in self._places.head[arc].tolist()]
        return names

    def _standing_still(self, rows: Int32Array, there: npt.NDArray[Any]) -> npt.NDArray[Any]:
        still: npt.NDArray[Any]
        if self._places.is_grid:
            still = np.full((len(rows), self._places.dimensions), -1, dtype=np.int32)
        else:
            still = np.full(len(rows), None, dtype=object)
        for pair in there.tolist():
            still[pair] = self._place(int(rows[pair]))
        return still

    def _place(self, row: int) -> Place:
        return self._places.place(int(self._tables.node[row]))

    # -- rows and arcs ----------------------------------------------------------------------------

    def _row_of(self, place: Place) -> int:
        """The row of a place, or the error that says why it has none."""
        level = f"level {self._places.name!r}"
        if self._places.is_grid:
            x, y = grid_cell(self._places, place, _said(place))
            row = int(self._tables.row_at_cell[y * self._width + x])
        else:
            node = self._places.node_named(place)
            if node is None:
                raise UnknownNodeError(f"no node is named {_said(place)}", place=level)
            row = int(self._tables.row_at_node[node])
        if row < 0:
            raise BlockedCellError(
                f"profile {self.name!r} cannot stand on {place!r}",
                place=level,
                remedy="nearest() gives a place it can stand on",
            )
        return row

    def _rows_of(self, places: npt.ArrayLike, what: str) -> Int32Array:
        if not self._places.is_grid:
            names = np.asarray(places, dtype=object)
            if names.ndim != 1:
                raise QueryError(f"{what} has {names.ndim} dimensions", expected="names [m]")
            return np.array([self._row_of(name) for name in names], dtype=np.int32)
        try:
            cells = np.asarray(places)
        except (ValueError, OverflowError):
            raise QueryError(f"{what} is no array", expected="integers [m, 2]") from None
        if cells.size == 0:
            return np.empty(0, dtype=np.int32)
        if self._places.floor_height is not None:
            cells = grid_cells(self._places, cells, what)
        if cells.ndim != 2 or cells.shape[1] != 2 or cells.dtype.kind not in "iu":
            raise QueryError(
                f"{what} is {cells.dtype}{list(cells.shape)}", expected="integers [m, 2]"
            )
        x, y = cells[:, 0], cells[:, 1]
        if x.min() < 0 or x.max() >= self._width or y.min() < 0 or y.max() >= self._height:
            outside = (x < 0) | (x >= self._width) | (y < 0) | (y >= self._height)
            self._refuse(cells[int(outside.argmax())])
        flat = y.astype(np.int32)
        flat *= self._width
        flat += x.astype(np.int32, copy=False)
        rows = self._tables.row_at_cell.take(flat)
        if rows.min() < 0:
            self._refuse(cells[int((rows < 0).argmax())])
        return rows

    def _refuse(self, cell: npt.NDArray[Any]) -> None:
        """Raise what is wrong with a cell of the grid."""
        self._row_of(tuple(self._places.spoken(cell[None])[0].tolist()))

    def _arc_toward(self, row: int, goal_row: int) -> int | None:
        """The arc to take; None where there is none to take."""
        tables = self._tables
        slot = tables.hops.slot(row, goal_row)
        return None if slot < 0 else self._arc(row, slot)

    def _arc(self, row: int, slot: int) -> int:
        tables = self._tables
        node = int(tables.node[row])
        arc = int(self._places.first_out[node]) + slot
        if arc >= self._places.first_out[node + 1] or tables.head_row[arc] < 0:
            raise tables.damaged("a next hop leads nowhere")
        return arc

    def _arc_joining(self, row: int, next_row: int) -> int:
        tables = self._tables
        node = int(tables.node[row])
        arcs = np.arange(self._places.first_out[node], self._places.first_out[node + 1])
        usable = arcs[(tables.head_row[arcs] == next_row) & (tables.weight[arcs] != _UNREACHABLE)]
        if not len(usable):
            place = self._places.place
            raise QueryError(
                f"no step leads from {place(node)!r} to "
                f"{place(int(tables.node[next_row]))!r} for profile {self.name!r}"
            )
        return int(usable[tables.weight[usable].argmin()])

    def _arcs_between(self, row: int, goal_row: int) -> list[int] | None:
        """Arcs along the next hops; None where unreachable."""
        tables = self._tables
        arcs: list[int] = []
        while row != goal_row:
            arc = self._arc_toward(row, goal_row)
            if arc is None and not arcs:
                return None
            if arc is None or len(arcs) > tables.row_count:
                raise tables.damaged("next hops do not lead to the goal")
            arcs.append(arc)
            row = int(tables.head_row[arc])
        return arcs


def _said(place: object) -> str:
    """A wrong argument on one short line."""
    text = " ".join(repr(place).split())
    return text if len(text) <= 60 else text[:57] + "..."


def _point(point: object) -> tuple[float, float]:
    try:
        x, y = (float(number) for number in point)  # type: ignore[attr-defined]
    except (TypeError, ValueError, OverflowError):
        x = y = math.nan
    if isinstance(point, str | bytes) or not (math.isfinite(x) and math.isfinite(y)):
        raise QueryError(f"{_said(point)} is no point", expected="(x, y), two finite numbers")
    # Squares of larger numbers would overflow, and from there every place is as near.
    return min(max(x, -FARTHEST), FARTHEST), min(max(y, -FARTHEST), FARTHEST)
