"""What a game asks: the next hop, the distance, the path, for one agent profile."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy.typing as npt

from bake.arrays import AnyArray, Float64Array, Int64Array
from bake.runtime.reader.places import Name, Place

if TYPE_CHECKING:
    from bake.runtime.current import Current
    from bake.runtime.live.report import UpdateReport
    from bake.runtime.searching.heuristics import Given
    from bake.runtime.searching.result import SearchResult
    from bake.runtime.snapshot import Answers


class Navigator:
    """Lookups for one profile of an open level. Get it from :meth:`LevelAsset.profile`.

    Places are cells ``(x, y)`` on grid levels, ``(x, y, floor)`` where they have several floors,
    and node names on graph levels. A place the profile
    cannot stand on, or that does not exist, is a :class:`~bake.errors.QueryError`; a goal that
    cannot be reached is a value: ``None``, ``math.inf`` or ``False``.

    Attributes:
        name: the profile's name.
    """

    def __init__(self, current: Current, name: str) -> None:
        self.name = name
        self._current = current
        current.watch(self)

    @property
    def _now(self) -> Answers:
        return self._current.now(self.name)

    def _superseded(self) -> None:
        """The level has changed: the next lookup is to ask anew which answers hold."""
        self.__dict__.pop("next_hop", None)

    # -- single lookups ---------------------------------------------------------------------------

    def next_hop(self, start: Place, goal: Place) -> Place | None:
        """Where to step from ``start`` on a shortest path to ``goal``.

        Returns:
            A neighbouring place; ``goal`` itself when already there; None where unreachable.

        Raises:
            OutsideMapError, BlockedCellError, UnknownNodeError: a place that is none.
            MissingTableError: the asset was baked without next hops.
        """
        answers = self._now
        # From here on a lookup goes straight to the function made for these tables.
        self.__dict__["next_hop"] = quick = answers.lookup()
        if self._now is not answers:  # changed meanwhile, by another thread
            answers.revoke()
            self._superseded()
        return quick(start, goal)

    def distance(self, start: Place, goal: Place) -> float:
        """Cost of a shortest path in units of the recipe; ``math.inf`` where unreachable.

        Exact on the asset's integer scale; read from the distance table where there is one, else
        summed along the next hops.

        Raises:
            QueryError: as for :meth:`next_hop`.
        """
        return self._now.distance(start, goal)

    def length(self, path: Sequence[Place]) -> float:
        """Cost of walking a path with every step priced before rounding to ticks, in units.

        Args:
            path: neighbouring places, as :meth:`path` returns them.

        Raises:
            QueryError: two places in a row that no arc of this profile joins.
        """
        return self._now.length(path)

    def reachable(self, start: Place, goal: Place) -> bool:
        """Whether there is a path; two labels and, with one-way arcs, one bit tell.

        Raises:
            QueryError: as for :meth:`next_hop`.
            MissingTableError: one-way arcs make more components than a stored closure may have, and
                the asset was baked without next hops.
        """
        return self._now.reachable(start, goal)

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
        return self._now.nearest(point)

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
        return self._now.path(start, goal, method, heuristic)

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
        from bake.runtime.searching.methods import Request

        request = Request(method, heuristic, weight, queue, trace, looked_at)
        return self._now.search(start, goal, request)

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
        return self._now.walk(start, goal)

    def warm_up(self, *methods: str) -> None:
        """Load the tables, and compile or load the kernels, that later questions need.

        Args:
            methods: of :meth:`search`; none = next hops, where the asset has them, and "astar".

        Raises:
            QueryError: no such method.
        """
        return self._now.warm_up(*methods)

    # -- straight lines ---------------------------------------------------------------------------

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
        return self._now.smooth(path)

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
        return self._now.furthest_visible(path, place)

    def any_angle_length(self, waypoints: Sequence[Place]) -> float:
        """Cost of going straight from each waypoint to the next, in units.

        Raises:
            QueryError: no square grid; two waypoints with no straight way between them.
        """
        return self._now.any_angle_length(waypoints)

    # -- lower bounds -----------------------------------------------------------------------------

    def cluster(self, place: Place) -> int:
        """The cluster a place belongs to, from 0.

        Raises:
            QueryError: as for :meth:`next_hop`.
            MissingTableError: the asset was baked without clusters.
        """
        return self._now.cluster(place)

    def cluster_distance(self, start: int, goal: int) -> float:
        """The smallest distance from any place of one cluster to any of another, in units.

        No way between places of the two costs less. ``math.inf`` where there is none at all.

        Args:
            start, goal: clusters, from :meth:`cluster`.

        Raises:
            QueryError: no such cluster.
            MissingTableError: the asset was baked without distances between clusters.
        """
        return self._now.cluster_distance(start, goal)

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
        return self._now.cluster_cost(start, goal, price)

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
        return self._now.heuristic(start, goal, heuristic)

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
        return self._current.live.update(blocked, opened, terrain, arcs)[self.name]

    def repair(self, budget_ms: float | None = 2) -> int:
        """Make this profile's stale rows anew ahead of time: see :meth:`LevelAsset.repair`."""
        return self._current.live.repair([self.name], budget_ms)

    def set_state(self, door: str, state: str) -> UpdateReport:
        """Put a door into one of its states, for every profile: see :meth:`LevelAsset.set_state`.

        Returns:
            What it did for this profile.
        """
        return self._current.live.set_state(door, state)[self.name]

    def save_patch(self, path: str | Path) -> None:
        """Write what has become of the level to a file: see :meth:`LevelAsset.save_patch`."""
        self._current.live.save_patch(Path(path))

    def still_valid(self, path: Sequence[Place]) -> bool:
        """Whether a path found earlier can still be walked, every place and every step of it.

        Args:
            path: as :meth:`path` returned it, or what is left of it.

        Raises:
            QueryError: places that are none.
        """
        return self._now.still_valid(path)

    # -- many at once -----------------------------------------------------------------------------

    def next_hops(self, starts: npt.ArrayLike, goals: npt.ArrayLike) -> AnyArray:
        """:meth:`next_hop` for many pairs in one call.

        Args:
            starts, goals: (m, 2) integers (x, y) on grid levels, (m,) node names on graph levels.

        Returns:
            (m, 2) int32 cells with (-1, -1) where unreachable; on graph levels (m,) object names
            with None where unreachable.

        Raises:
            QueryError: as for :meth:`next_hop`, naming the first wrong place; shapes that differ.
        """
        return self._now.next_hops(starts, goals)

    def paths(
        self, starts: npt.ArrayLike, goals: npt.ArrayLike, method: str = "table"
    ) -> tuple[Int64Array, AnyArray]:
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
        return self._now.paths(starts, goals, method)

    def distances(self, starts: npt.ArrayLike, goals: npt.ArrayLike) -> Float64Array:
        """:meth:`distance` for many pairs in one call.

        Args:
            starts, goals: as for :meth:`next_hops`.

        Returns:
            (m) float64 units, inf where unreachable.

        Raises:
            QueryError: as for :meth:`next_hops`.
        """
        return self._now.distances(starts, goals)

    def distances_to(self, goal: Place) -> Float64Array:
        """Distances of every place to one goal, without a distance table: the hops are followed.

        Returns:
            (height, width) float64 units on grid levels, (floors, height, width) where they have
            several floors; on graph levels (n,) in the order of
            :attr:`node_names`. inf where unreachable or where the profile cannot stand.

        Raises:
            QueryError: as for :meth:`next_hop`.
        """
        return self._now.distances_to(goal)

    @property
    def node_names(self) -> tuple[Name, ...]:
        """Names of a graph level's nodes, in the asset's order; empty on grid levels."""
        places = self._current.places
        return () if places.is_grid else places.names
