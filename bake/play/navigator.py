"""Answer a game's questions for one agent profile: the next hop, the distance, the path."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast, overload

from bake.arrays import AnyArray, Float64Array
from bake.play.along import PathQuestions
from bake.play.current import Current
from bake.play.estimates import ClusterQuestions
from bake.play.headings import ends
from bake.play.live.report import DetailedReport
from bake.play.many import ManyQuestions
from bake.play.nearest import are_many
from bake.play.searching.result import SearchResult
from bake.play.snapshot import Snapshot
from levelbake.errors import QueryError
from levelbake.places import Place, has_point, quoted
from levelbake.things import Link

if TYPE_CHECKING:
    import numpy.typing as npt

    from bake.play.follow import Follower
    from bake.play.requests import OnChange, RequestQueue
    from bake.play.searching.heuristics import Given
    from bake.play.searching.under_way import LevelSearch
    from bake.play.sight import Waypoints
    from bake.play.walls import Path as PlanePath

#: An end of a path: a place, or on levels of points of visibility a point of the plane.
End = Place | Sequence[float]
#: How a path becomes straight.
Straight = Literal["funnel", "polyanya"]


class Navigator(PathQuestions, ClusterQuestions, ManyQuestions):
    """Lookups for one profile of an open level. Get it from :meth:`LevelAsset.profile`.

    Places are cells ``(x, y)`` on grid levels, ``(x, y, floor)`` where they have several floors,
    and node names on graph levels. A place that does not exist, or that the profile cannot stand
    on, is a :class:`~levelbake.errors.QueryError`; a goal that cannot be reached is a value:
    ``None``, ``math.inf`` or ``False``.

    Attributes:
        name: the profile's name.
    """

    def __init__(self, current: Current, name: str) -> None:
        super().__init__(current, name)
        current.watch(self, Navigator._superseded)

    def _superseded(self) -> None:
        """Forget the fast lookup: the level has changed, and the next lookup makes another."""
        self.__dict__.pop("next_hop", None)

    # -- single lookups ---------------------------------------------------------------------------

    def next_hop(self, start: Place, goal: Place) -> Place | None:
        """Return the place to step to from ``start`` on a shortest path to ``goal``.

        Returns:
            A neighbouring place; ``goal`` itself when already there; None where unreachable.

        Raises:
            OutsideMapError, UnknownNodeError: there is no such place.
            BlockedCellError: the profile cannot stand on the place.
        """
        now = self._now
        # From here on a lookup goes straight to the function made for this snapshot.
        self.__dict__["next_hop"] = look_up = now.lookup()
        if self._now is not now:  # changed meanwhile, by another thread
            now.revoke()
            self._superseded()
        return look_up(start, goal)

    def distance(self, start: End, goal: End) -> float:
        """Return the cost of a shortest path in units; ``math.inf`` where unreachable.

        Points of the plane may be asked for as :meth:`path` takes them.

        It is exact on the asset's integer scale. It is read from the distance table where there is
        one, and otherwise summed along the next hops. Where there are none, a contraction hierarchy
        tells it, which is made at the first such question.

        Raises:
            QueryError: as for :meth:`next_hop`.
        """
        now = self._now
        if now.has_corners and has_point(start, goal):
            way = self._between(now, start, goal)
            return math.inf if way is None else way.cost
        start, goal = cast("Place", start), cast("Place", goal)
        row, goal_row = ends(now.engine, now.rows, start, goal)
        return 0.0 if row == goal_row else now.engine.ticks(row, goal_row) / self._units

    def reachable(self, start: Place, goal: Place) -> bool:
        """Tell whether there is a path, by two labels and, with one-way arcs, by one bit.

        Raises:
            QueryError: as for :meth:`next_hop`.
        """
        now = self._now
        return now.engine.reaches(*ends(now.engine, now.rows, start, goal))

    @overload
    def nearest(self, point: Sequence[float], *, last: Place | None = None) -> Place: ...

    @overload
    def nearest(self, point: Float64Array, *, last: None = None) -> Any: ...

    @overload
    def nearest(self, point: Sequence[Sequence[float]]) -> AnyArray: ...

    def nearest(
        self,
        point: Sequence[float] | Float64Array | Sequence[Sequence[float]],
        *,
        last: Place | None = None,
    ) -> Place | AnyArray:
        """Return the place nearest to a point, by straight distance, that the profile can stand on.

        Args:
            point: (x, y), in cells (the centre of cell (3, 4) is the point (3, 4); on hexagonal
                levels columns and rows count alike) or in the units of a graph's positions; on
                levels of several floors (x, y, floor). It may lie on a wall or outside the level.
                Or many points, as an array with a row for each.
            last: the place that was the answer a moment ago. The answer is the same; on graphs it
                is found sooner if the point has not gone far. It counts with a single point only.

        Returns:
            The nearest place, on the same floor; of several the northernmost, then the westernmost
            (on graphs the one that comes first in the asset). For many points (m, 2) int32 cells,
            (m, 3) on levels of several floors, or (m,) object names.

        Raises:
            QueryError: a point is not two finite numbers (or three), there is no such floor, the
                graph has no positions, or there is nowhere to stand; there is no place ``last``.
        """
        now = self._now
        near = now.nearest
        if are_many(point):
            return now.rows.array(near.many(point))
        return now.rows.place(near.one(cast("Sequence[float]", point), last))

    def place_at(self, point: Sequence[float]) -> Place | None:
        """Return the place whose polygon a point of a navigation mesh lies in.

        The polygon of the point before is tried first, as agents move little from frame to frame.
        Where nodes lie on shared edges, it is the node of the polygon that is nearest to the point.

        Args:
            point: (x, y) in units of the plane; on levels of several floors (x, y, floor).

        Returns:
            The place; None where the profile cannot be. A point on a border belongs to either side.

        Raises:
            QueryError: the level has no mesh, or the point is none.
        """
        now = self._now
        row = now.ways.row_at(point)
        return None if row is None else now.rows.place(row)

    def straight_path(
        self, start: Sequence[float], goal: Sequence[float], method: Straight = "funnel"
    ) -> list[tuple[float, ...]] | None:
        """Return where a path between two points of a divided plane turns, both ends included.

        Between points of visibility it is the shortest path, whatever the method. On navigation
        meshes:

        Args:
            start, goal: points, as for :meth:`place_at`.
            method: "funnel" pulls a string through the polygons of the shortest path of the graph,
                which costs of areas and links shape; "polyanya" finds the shortest path there is
                that walking alone makes, whatever areas cost.

        Returns:
            Points, (x, y) or (x, y, floor), all of them on the grid of 1/1024 of a unit; None where
            there is no path, or one of the points lies where the profile cannot be.

        Raises:
            QueryError: the level has neither a mesh nor points of visibility, a point is none, or
                there is no such method.
        """
        if method not in ("funnel", "polyanya"):
            raise QueryError(f"no method {quoted(method)}", expected="'funnel' or 'polyanya'")
        now = self._now
        if now.has_corners:
            way = now.plane.shortest(start, goal)
            return None if way is None else way.points
        ways = now.ways
        return ways.pulled(start, goal) if method == "funnel" else ways.shortest(start, goal)

    def path(
        self,
        start: End,
        goal: End,
        method: str = "table",
        heuristic: str | Given | None = None,
        *,
        weight: float = 1.0,
        **options: object,
    ) -> list[Place] | None:
        """Return a path, both ends included; None where unreachable.

        On levels of points of visibility the start, the goal or both may be points of the plane,
        ``(x, y)``, on levels of several floors ``(x, y, floor)``. Then the path is the shortest in
        the plane, and consists of points: both ends, rounded to the grid of 1/1024 of a unit, and
        the corners in between.

        Args:
            method: "table" follows the baked next hops, or asks a contraction hierarchy where there
                are none; others search: see :meth:`search`.
            heuristic: the heuristic of a search.
            weight: what the heuristic of method "astar" or "weighted" is multiplied with.
            options: as for :meth:`search`.

        Raises:
            BlockedCellError: the profile cannot be at a point.
            QueryError: as for :meth:`next_hop` and :meth:`search`; points are asked for with
                another method than "table".
        """
        now = self._now
        if now.has_corners and has_point(start, goal):
            if method != "table" or heuristic is not None or weight != 1 or options:
                raise QueryError(
                    f"points are no places that method {method!r} can search from",
                    expected="nodes, or method 'table'",
                )
            way = self._between(now, start, goal)
            return None if way is None else cast("list[Place]", way.points)
        start, goal = cast("Place", start), cast("Place", goal)
        row, goal_row = ends(now.engine, now.rows, start, goal)
        if method == "table" and heuristic is None and weight == 1 and not options:
            rows = now.engine.way(row, goal_row)
        else:
            from bake.play.searching.methods import Request, run

            request = Request(method, heuristic, weight, options=options)
            rows = run(now.searches, row, goal_row, request).rows
        return None if rows is None else now.rows.places(rows)

    def _between(self, now: Snapshot, start: End, goal: End) -> PlanePath | None:
        plane = now.plane
        return plane.shortest(plane.end(start), plane.end(goal))

    def search(
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
        **options: object,
    ) -> SearchResult:
        """Search for a path on the level's graph; no baked table is needed.

        Method "table" does not search: it answers as :meth:`path` does.

        Args:
            method: "astar", "dijkstra", "greedy", "weighted", "bidirectional",
                "bidirectional_astar", "hpa", "table", or, where `bake.school.register()` was
                called, "beam", "clusters", "ida" or "sma".
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
            options: what a method of the school is told besides: `width` of "beam" and `memory` of
                "sma", as for :func:`bake.school.search`; and `price`, what "clusters" plans by, as
                for :func:`bake.school.cluster_cost`.

        Returns:
            The path, its cost, and how it was found.

        Raises:
            QueryError: as for :meth:`next_hop`; there is no such method, heuristic or queue; the
                heuristic does not fit the level or the method; or the weight is out of range, or
                the method takes none.
        """
        from bake.play.searching.methods import Request, result

        now = self._now
        row, goal_row = ends(now.engine, now.rows, start, goal)
        request = Request(method, heuristic, weight, queue, looked_at, reopen, options)
        return result(now.searches, row, goal_row, request)

    def search_nearest(
        self,
        start: Place,
        goals: npt.ArrayLike,
        method: str = "astar",
        heuristic: str | None = None,
        *,
        weight: float = 1.0,
    ) -> SearchResult:
        """Search for a path to the nearest of many goals; no baked table is needed.

        Goals are searched for one by one, those first that may be nearest, until no other one can
        be nearer. Where there are hundreds, :meth:`path_to_nearest` takes less time.

        Args:
            goals: as for :meth:`nearest_of`.
            method, heuristic, weight: as for :meth:`search`.

        Returns:
            The path, which ends at the goal, its cost, and how it was found; expansions are those
            for all goals. Where the method promises shortest paths, no goal is nearer.

        Raises:
            QueryError: as for :meth:`search`; the goals are no list of places.
        """
        from bake.play.searching.methods import Request, nearest_result

        now = self._now
        row, rows = now.rows.row(start), now.rows.standing(goals, "goals")
        request = Request(method, heuristic, weight)
        return nearest_result(now.searches, row, rows[rows >= 0].tolist(), request)

    def searching(
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
        place. The path found in the end is that of :meth:`search` by the same heuristic and queue,
        where it is not the baked one, and otherwise one of the same cost. An update of the level
        does not change what a search under way looks at.

        Args:
            method: "astar" or "dijkstra".
            heuristic: as for :meth:`search`; it must be known to be admissible.
            queue: "bucket", "heap", or "auto".

        Raises:
            QueryError: as for :meth:`search`.
        """
        from bake.play.searching.under_way import LevelSearch

        now = self._now
        row, goal_row = ends(now.engine, now.rows, start, goal)
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
        from bake.play.requests import RequestQueue

        return RequestQueue(lambda: self._now, budget_ms, at_once, on_change)

    def walk(self, start: Place, goal: Place) -> Iterator[Place] | None:
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
            QueryError: as for :meth:`next_hop`.
            MissingTableError: the asset was baked without a hierarchy.
        """
        now = self._now
        row, goal_row = ends(now.engine, now.rows, start, goal)
        pieces = now.searches.walk(row, goal_row)
        if pieces is None:
            return None
        return (place for piece in pieces for place in now.rows.places(piece))

    def follow(
        self,
        path: Sequence[Place],
        *,
        smooth: bool = False,
        reach: float | None = None,
        strayed: float | None = None,
        patience: float = 3.0,
    ) -> Follower:
        """Return a follower at the start of a path, for an agent that moves freely in the plane.

        Args:
            path: neighbouring places, as :meth:`path` returns them, or points, as
                :meth:`straight_path` does; at least one.
            smooth: whether the agent goes straight between the waypoints that :meth:`smooth` finds.
            reach: how near a corner counts as reached, in units of the plane; None = half a step.
            strayed: how far off the path is too far; None = one and a half steps.
            patience: for how long an agent may make no headway before it is stuck, in whatever
                :meth:`bake.play.follow.Follower.update` counts time in.

        Raises:
            QueryError: the path is empty or no path, the level has no points, a number is not above
                0, or as for :meth:`smooth`.
        """
        from bake.play.follow import Follower

        places = self._now.version.places

        def pull(path: Sequence[Place]) -> Waypoints:
            return self._now.sight.smooth(path)

        return Follower(
            self,
            places,
            path,
            pull=pull if smooth else None,
            reach=reach,
            strayed=strayed,
            patience=patience,
        )

    def warm_up(self, *methods: str) -> None:
        """Load the tables, and compile or load the kernels, that later questions need.

        Args:
            methods: methods of :meth:`search`; none = next hops and distances, where the asset has
                them, and "astar". With "table" distances are made ready, too, and the contraction
                hierarchy where the asset has no next hops.

        Raises:
            QueryError: there is no such method.
        """
        from bake.kernels.jit import waiting

        with waiting():
            self._warm_up(methods)

    def _warm_up(self, methods: tuple[str, ...]) -> None:
        from bake.play.searching.methods import Request, run

        now = self._now
        measured = "table" in methods or (
            not methods and (now.version.has_hops or now.version.has_distances)
        )
        if not methods:
            methods = ("table", "astar") if now.version.has_hops else ("astar",)
        if now.by_sheet and set(methods) == {"hpa"} and now.version.row_count:
            # Two neighbours would have to be looked for among all arcs, which are not listed.
            run(now.searches, 0, 0, Request("hpa"))
            return
        # Any two neighbours will do; without any, there is nothing to search.
        graph = now.version.usable.graph
        ends = graph.tail()[:1], graph.head[:1]
        for method in methods:
            if method == "table":
                now.lookup()
                now.engine.ways(*ends)
                now.engine.hops(*ends)
            for row, goal_row in zip(*(end.tolist() for end in ends), strict=True):
                run(now.searches, row, goal_row, Request(method))
        if measured and len(ends[0]):
            now.engine.ticks(int(ends[0][0]), int(ends[1][0]))
            now.engine.all_ticks(*ends)

    # -- levels that change ------------------------------------------------------------------------

    def update(
        self,
        blocked: Iterable[Place] = (),
        opened: Iterable[Place] = (),
        terrain: Mapping[Place, str] | None = None,
        arcs: Mapping[tuple[Place, Place], float | None] | None = None,
        links: Mapping[str, Mapping[str, object] | Link | None] | None = None,
    ) -> DetailedReport:
        """Change the level, for every profile: see :meth:`LevelAsset.update`.

        Returns:
            What it did for this profile.
        """
        writer = self._current.writer
        return writer.update(blocked, opened, terrain, arcs, links)[self.name]

    def repair(self, budget_ms: float | None = 2) -> int:
        """Make what questions about this profile would wait for: see :meth:`LevelAsset.repair`."""
        return self._current.writer.repair([self.name], budget_ms)

    def set_state(self, door: str, state: str) -> DetailedReport:
        """Put a door into one of its states, for every profile: see :meth:`LevelAsset.set_state`.

        Returns:
            What it did for this profile.
        """
        return self._current.writer.set_state(self._current.things, door, state)[self.name]

    def save_patch(self, path: str | Path) -> None:
        """Write how the level has changed to a file: see :meth:`LevelAsset.save_patch`."""
        self._current.writer.save_patch(Path(path))
