"""Searches of one profile: paths, what lies within a budget, lower bounds of distances."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from bake.core.arrays import AnyArray, ArrayLike, Float64Array
from bake.core.graph import INFINITY, UNREACHABLE
from bake.play.current import Questions
from bake.play.requests import OnChange, RequestQueue
from bake.play.searching.bounds import cluster_number
from bake.play.searching.heuristics import Given, estimated_ticks, overestimate
from bake.play.searching.methods import Request, nearest_result, result, run
from bake.play.searching.result import SearchResult
from bake.play.searching.under_way import LevelSearch
from levelbake.errors import QueryError
from levelbake.places import AnyPlace, MaybeNone, Place, PlaceT, number_of, quoted

if TYPE_CHECKING:
    from bake.play.clusters import ClusterTree


class Searches(Questions):
    """The searches of one profile; get them from :attr:`bake.play.Navigator.search`.

    They look at the level's graph itself, and need no baked table unless they say so.
    """

    def __call__(
        self,
        start: Place,
        goal: Place,
        method: str = "astar",
        heuristic: str | Given | None = None,
        *,
        weight: float = 1.0,
        queue: str = "auto",
        looked_at: bool = False,
        reopen: bool = False,
        width: int | None = None,
        memory: int | None = None,
        price: str | None = None,
    ) -> SearchResult:
        """Search for a path on the level's graph; no baked table is needed.

        Method "table" does not search: it answers as ``nav.path`` does.

        Args:
            method: "astar", "dijkstra", "greedy", "weighted", "bidirectional",
                "bidirectional_astar", "hpa", "table", or, of
                `bake.extras.school`, "beam", "bfs", "clusters", "dfs", "ida", "iddfs" or "sma".
            heuristic: "null", "manhattan", "euclidean", "chebyshev", "octile" or "hex"; "exact" for
                the distance itself, from a contraction hierarchy; baked ones
                are "cluster", "landmark" and "maximum"; None for "maximum" in methods "astar" and
                "weighted" where it was baked, otherwise the one that fits the level's movement; or
                your own, in units: a mapping from places or a function of a place.
            weight: for methods "astar" and "weighted", what the heuristic is multiplied with, 0 to
                1000 (rounded down to 1024ths). If the heuristic is admissible, the path costs at
                most that many times as much as a shortest one, and is one for weights up to 1.
            queue: "bucket", "heap", or "auto" for the faster one; searches with a weight, and by
                heuristics known to be inadmissible, take a heap.
            looked_at: whether to report which places were looked at; do not ask for it while other
                threads search.
            reopen: whether "astar" by a heuristic that is not admissible expands places again to
                which it finds a shorter way. Then the path costs at most :meth:`overestimate` more
                than a shortest one.
            width, memory: the size of "beam" and of "sma", as for
                :func:`bake.extras.school.search`.
            price: what "clusters" plans by, as for :func:`bake.extras.school.cluster_cost`.

        Returns:
            The path, its cost, and how it was found.

        Raises:
            QueryError: as for ``nav.next_hop``; there is no such method, heuristic or queue; the
                heuristic does not fit the level or the method; or the weight is out of range, or
                the method takes none.
        """
        now = self._now
        row, goal_row = now.ends(start, goal)
        options = _options(width, memory, price)
        request = Request(method, heuristic, weight, queue, looked_at, reopen, options)
        return result(now.searches, row, goal_row, request)

    def path(
        self,
        start: PlaceT,
        goal: PlaceT,
        method: str = "astar",
        heuristic: str | Given | None = None,
        *,
        weight: float = 1.0,
        width: int | None = None,
        memory: int | None = None,
        price: str | None = None,
    ) -> list[PlaceT] | MaybeNone:
        """Return the path alone that a search finds, both ends included; None where unreachable.

        Args:
            method, heuristic, weight, width, memory, price: those of a search.

        Raises:
            QueryError: as for a search.
        """
        now = self._now
        row, goal_row = now.ends(start, goal)
        options = _options(width, memory, price)
        request = Request(method, heuristic, weight, options=options)
        rows = run(now.searches, row, goal_row, request).rows
        return None if rows is None else now.rows.places(rows)

    def nearest(
        self,
        start: Place,
        goals: ArrayLike,
        method: str = "astar",
        heuristic: str | None = None,
        *,
        weight: float = 1.0,
    ) -> SearchResult:
        """Search for a path to the nearest of many goals; no baked table is needed.

        Goals are searched for one by one, those first that may be nearest, until no other one can
        be nearer. Where there are hundreds, ``nav.path_to_nearest`` takes less
        time.

        Args:
            goals: as for ``nav.nearest_of``.
            method, heuristic, weight: as for a search.

        Returns:
            The path, which ends at the goal, its cost, and how it was found; expansions are those
            for all goals. Where the method promises shortest paths, no goal is nearer.

        Raises:
            QueryError: as for a search; the goals are no list of places.
        """
        now = self._now
        row, rows = now.rows.row(start), now.rows.standing(goals, "goals")
        request = Request(method, heuristic, weight)
        return nearest_result(now.searches, row, rows[rows >= 0].tolist(), request)

    def begin(
        self,
        start: Place,
        goal: Place,
        method: str = "astar",
        heuristic: str | Given | None = None,
        *,
        queue: str = "auto",
    ) -> LevelSearch:
        """Begin a search for a shortest path that goes on a part at a time; nothing is done yet.

        ``run(budget_ms=1)`` on what is returned goes on for a millisecond, ``step()`` expands one
        place. The path found in the end is that of a search by the same heuristic and queue,
        where it is not the baked one, and otherwise one of the same cost. An update of the level
        does not change what a search under way looks at.

        Args:
            method: "astar" or "dijkstra".
            heuristic: as for a search; it must be known to be admissible.
            queue: "bucket", "heap", or "auto".

        Raises:
            QueryError: as for a search.
        """
        now = self._now
        row, goal_row = now.ends(start, goal)
        return LevelSearch(now.searches, (row, goal_row), method, heuristic, queue)

    def requests(
        self, budget_ms: float = 1, *, at_once: int = 4, on_change: OnChange = "restart"
    ) -> RequestQueue:
        """Return a queue of requests for paths, which are searched for within a budget a frame.

        Args:
            budget_ms: milliseconds for each frame.
            at_once: how many requests are searched in turns; the others wait.
            on_change: whether requests begin again when the level changes ("restart"), or are
                cancelled and say so ("cancel").

        Raises:
            QueryError: an argument is none of these.
        """
        return RequestQueue(lambda: self._now, budget_ms, at_once, on_change)

    def walk(self, start: PlaceT, goal: PlaceT) -> Iterator[PlaceT] | MaybeNone:
        """Return the cells of an HPA* path after ``start``, refined as they are asked for.

        The whole way is planned at once, over transitions between clusters; the part between two
        of them is worked out when a step is due there. So the first moves are known long before
        the last ones, and a game that changes its mind has not paid for the last ones. Pieces are
        smoothed by themselves, so the path may be a little longer than that of
        ``path(..., method="hpa")``. To a goal at most 8 cells away the path is a shortest one.

        Returns:
            An iterator that ends with ``goal``; it is empty when already there. None where
            unreachable.

        Raises:
            QueryError: as for ``nav.next_hop``.
            MissingTableError: the asset was baked without a hierarchy.
        """
        now = self._now
        row, goal_row = now.ends(start, goal)
        pieces = now.searches.walk(row, goal_row)
        if pieces is None:
            return None
        return (place for piece in pieces for place in now.rows.places(piece))

    # -- one place and all others ------------------------------------------------------------------

    def distances_from(self, start: Place) -> Float64Array:
        """Return the distances from one start to every place; no baked table is needed.

        Returns:
            As for ``nav.distances_to``.

        Raises:
            QueryError: as for ``nav.next_hop``.
        """
        now = self._now
        ticks = now.around.ticks_from(now.rows.row(start))
        return now.rows.over_places(ticks / self._units, np.inf)

    def within(self, start: Place, budget: float) -> tuple[AnyArray, Float64Array]:
        """Return the places that can be reached for no more than a budget: a movement range.

        Only what lies within the budget is looked at; no baked table is needed.

        Args:
            budget: units, 0 or more; infinity for everything that can be reached.

        Returns:
            places: (k, 2) int32 cells, or (k,) object names on graph levels, the start among them;
            the nearest first, and of equals in reading order.
            distances: (k) float64 units from the start.

        Raises:
            QueryError: as for ``nav.next_hop``; the budget is not a number from 0.
        """
        now = self._now
        row = now.rows.row(start)
        rows, ticks = now.around.within(row, _largest_ticks(budget, self._units))
        location = now.version.location[rows]
        order = np.lexsort((location, ticks))
        return now.rows.array(rows[order]), ticks[order] / self._units

    def nearest_reachable(self, start: PlaceT, goal: PlaceT) -> PlaceT:
        """Return the place nearest to a goal that can be reached: where to go instead.

        Args:
            goal: a place of the level, also one that the profile cannot stand on.

        Returns:
            The goal itself where there is a path to it. Otherwise, of the places that a path leads
            to, the one at the shortest straight distance from the goal, measured as for
            ``nav.nearest``, on its floor if any can be reached there; of several the one with the
            shortest path, then the northernmost, then the westernmost.

        Raises:
            QueryError: as for ``nav.next_hop`` about the start; there is no such goal; the graph
                has no positions.
        """
        now = self._now
        row = now.rows.row(start)
        location = now.version.places.location(goal)
        place: Any = now.rows.place(now.around.nearest_reached(row, location))
        return cast("PlaceT", place)

    # -- lower bounds, and clusters ----------------------------------------------------------------

    def estimate(
        self, start: Place, goal: Place, heuristic: str | Given | None = "maximum"
    ) -> float:
        """Return a heuristic's estimate of the distance, in units.

        An admissible heuristic never says more than the distance.

        Args:
            heuristic: as for a search; "maximum" is the baked one.

        Raises:
            QueryError: as for a search.
            MissingTableError: the asset was baked without the heuristic.
        """
        now = self._now
        row, goal_row = now.ends(start, goal)
        return self._in_units(estimated_ticks(now.searches, heuristic, row, goal_row))

    def overestimate(
        self, goal: Place, heuristic: str | None = None
    ) -> tuple[float, AnyPlace, int]:
        """Return the most by which a heuristic says more than the distance to a goal.

        A path to the goal that A* finds by it, without a weight and with ``reopen``, costs at most
        that much more than a shortest one.

        Args:
            heuristic: a name, as for a search.

        Returns:
            Units, 0 where the heuristic is admissible; the place from which it says most above the
            distance; and from how many places a path leads to the goal.

        Raises:
            QueryError: as for a search.
            MissingTableError: the asset was baked without the heuristic.
        """
        now = self._now
        ticks, row, count = overestimate(now.searches, heuristic, now.rows.row(goal))
        return ticks / self._units, now.rows.place(row), count

    def cluster(self, place: Place) -> int:
        """Return the number, from 0, of the cluster a place belongs to.

        Raises:
            QueryError: as for ``nav.next_hop``.
            MissingTableError: the asset was baked without clusters.
        """
        now = self._now
        row = now.rows.row(place)
        return now.searches.bounds.cluster_of(row)

    @property
    def clusters(self) -> ClusterTree:
        """Return the hierarchy of clusters as it is now, which does not follow later updates.

        Raises:
            MissingTableError: the asset was baked without clusters.
        """
        from bake.play.clusters import ClusterTree

        now = self._now.searches
        return now.kept("clusters", lambda: ClusterTree(now))

    def cluster_distance(self, start: int, goal: int) -> float:
        """Return the smallest distance from any place of one cluster to any of another, in units.

        No way between places of the two costs less. It is ``math.inf`` where there is no way.

        Args:
            start, goal: clusters, from :meth:`cluster`.

        Raises:
            QueryError: there is no such cluster.
            MissingTableError: the asset was baked without distances between clusters.
        """
        bounds = self._now.searches.bounds
        a, b = cluster_number(bounds, start), cluster_number(bounds, goal)
        return self._in_units(int(bounds.toward_cluster(b)[a]))

    def _in_units(self, ticks: int) -> float:
        return math.inf if ticks >= int(UNREACHABLE) else ticks / self._units


def _options(width: int | None, memory: int | None, price: str | None) -> dict[str, int | str]:
    """Return the options of a method that were passed, by name."""
    options = {"width": width, "memory": memory, "price": price}
    return {name: value for name, value in options.items() if value is not None}


def _largest_ticks(budget: float, units: int) -> int:
    """Return the largest number of ticks that are no more units than a budget."""
    wanted = number_of(budget)
    if not wanted >= 0:
        raise QueryError(f"the budget is {quoted(budget)}", expected="a number of units from 0")
    if wanted >= INFINITY / units:
        return INFINITY
    ticks = int(wanted * units) + 1
    while ticks / units > wanted:
        ticks -= 1
    return ticks
