"""The lookups of one agent profile, and where its searches and its straight lines are asked for."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from operator import methodcaller
from typing import TYPE_CHECKING, Any, cast, overload

import numpy as np

from bake.core.arrays import AnyArray, ArrayLike, BoolArray, Float64Array, Int64Array
from bake.core.kernels.jit import waiting
from bake.play.current import Current, Questions
from bake.play.nearest import are_many
from bake.play.reader.places import is_point
from bake.play.report import DetailedReport
from bake.play.snapshot import Snapshot
from levelbake.errors import QueryError
from levelbake.places import (
    AnyPlace,
    MaybeNone,
    Name,
    NameT,
    Place,
    PlaceT,
    numbers_in,
    quoted,
)
from levelbake.things import Link

if TYPE_CHECKING:
    from bake.play.live.moves import Moves, Unfolded
    from bake.play.plane import Plane
    from bake.play.searches import Searches
    from bake.play.searching.heuristics import Given
    from bake.play.walls import Path as PlanePath

#: An end of a path: a place, or on levels of points of visibility a point of the plane.
End = Place | Sequence[float]


class Navigator(Questions):
    """Lookups for one profile of an open level. Get it from :meth:`LevelAsset.profile`.

    What searches is in :attr:`search`, and what goes straight through the plane in :attr:`plane`.

    Places are cells ``(x, y)`` on grid levels, ``(x, y, floor)`` where they have several floors,
    and node names on graph levels. A place that does not exist, or that the profile cannot stand
    on, is a :class:`~levelbake.errors.QueryError`; a goal that cannot be reached is a value:
    ``None``, ``math.inf`` or ``False``.

    Attributes:
        name: the profile's name.
    """

    def __init__(self, current: Current, name: str) -> None:
        super().__init__(current, name)
        self._moves: tuple[Snapshot, Moves] | None = None
        current.watch(self, Navigator._superseded)

    def __repr__(self) -> str:
        frozen = "frozen " if self._current.level is None else ""
        level = self._current.places.name
        return f"<{frozen}{type(self).__name__} {self.name!r} of level {level!r}>"

    def __reduce__(self) -> tuple[Any, ...]:
        if self._current.level is None:
            return super().__reduce__()
        return methodcaller("profile", self.name), (self._current.level,)

    def _superseded(self) -> None:
        """Forget the fast lookup: the level has changed, and the next lookup makes another."""
        self.__dict__.pop("next_hop", None)

    @property
    def size(self) -> int:
        """Return the side of the profile's footprint, in cells."""
        return self._current.places.asset.number("size", f"/profiles/{self.name}") or 1

    def frozen(self) -> Navigator:
        """Return the same profile on the level as it is now, whatever becomes of that later.

        It cannot change the level: its ``update`` and ``set_state`` raise a QueryError.
        """
        return Navigator(self._current.frozen(), self.name)

    @cached_property
    def search(self) -> Searches:
        """Return the searches, which need no baked table: call it, or one of its methods."""
        from bake.play.searches import Searches

        return Searches(self._current, self.name)

    @cached_property
    def plane(self) -> Plane:
        """Return what goes straight through the plane: points of meshes, and paths pulled tight."""
        from bake.play.plane import Plane

        return Plane(self._current, self.name, self)

    # -- one pair ----------------------------------------------------------------------------------

    def next_hop(self, start: PlaceT, goal: PlaceT) -> PlaceT | MaybeNone:
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

    @overload
    def path(
        self,
        start: PlaceT,
        goal: PlaceT,
        method: str = "table",
        heuristic: str | Given | None = None,
        *,
        weight: float = 1.0,
        width: int | None = None,
        memory: int | None = None,
        price: str | None = None,
    ) -> list[PlaceT] | MaybeNone: ...

    @overload
    def path(self, start: End, goal: End) -> list[AnyPlace] | MaybeNone: ...

    def path(
        self,
        start: End,
        goal: End,
        method: str = "table",
        heuristic: str | Given | None = None,
        *,
        weight: float = 1.0,
        width: int | None = None,
        memory: int | None = None,
        price: str | None = None,
    ) -> list[AnyPlace] | MaybeNone:
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
            width, memory, price: as for :meth:`search`.

        Raises:
            BlockedCellError: the profile cannot be at a point.
            QueryError: as for :meth:`next_hop` and :meth:`search`; points are asked for with
                another method than "table".
        """
        now = self._now
        by_table = method == "table" and weight == 1
        by_table = by_table and all(each is None for each in (heuristic, width, memory, price))
        if now.has_corners and (is_point(start) or is_point(goal)):
            if not by_table:
                raise QueryError(
                    f"points are no places that method {method!r} can search from",
                    expected="nodes, or method 'table'",
                )
            way = self._between(now, start, goal)
            return None if way is None else way.points
        start, goal = cast("Place", start), cast("Place", goal)
        if not by_table:
            return self.search.path(
                *(start, goal, method, heuristic),
                weight=weight,
                width=width,
                memory=memory,
                price=price,
            )
        rows = now.engine.way(*now.ends(start, goal))
        return None if rows is None else now.rows.places(rows)

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
        if now.has_corners and (is_point(start) or is_point(goal)):
            way = self._between(now, start, goal)
            return math.inf if way is None else way.cost
        start, goal = cast("Place", start), cast("Place", goal)
        row, goal_row = now.ends(start, goal)
        return 0.0 if row == goal_row else now.engine.ticks(row, goal_row) / self._units

    def _between(self, now: Snapshot, start: End, goal: End) -> PlanePath | None:
        plane = now.plane
        return plane.shortest(plane.end(start), plane.end(goal))

    def reachable(self, start: Place, goal: Place) -> bool:
        """Tell whether there is a path, by two labels and, with one-way arcs, by one bit.

        Raises:
            QueryError: as for :meth:`next_hop`.
        """
        now = self._now
        return now.engine.reaches(*now.ends(start, goal))

    # -- many pairs --------------------------------------------------------------------------------

    def next_hops(self, starts: ArrayLike, goals: ArrayLike, *, strict: bool = True) -> AnyArray:
        """Return the :meth:`next_hop` of many pairs in one call.

        Args:
            starts, goals: (m, 2) integers (x, y) on grid levels, (m,) node names on graph levels.
            strict: whether a place that does not exist, or that the profile cannot stand on, is an
                error. Otherwise it is a place without paths.

        Returns:
            (m, 2) int32 cells with (-1, -1) where unreachable; on graph levels (m,) object names
            with None where unreachable.

        Raises:
            QueryError: as for :meth:`next_hop`, naming the first wrong place and which of the
                places are wrong; the arrays are of another kind; the shapes differ.
        """
        now = self._now
        rows, goal_rows, both = now.rows.pairs(starts, goals, strict)
        return now.rows.array(_spread(now.engine.hops(rows, goal_rows), both, -1))

    def paths(
        self,
        starts: ArrayLike,
        goals: ArrayLike,
        method: str = "table",
        *,
        strict: bool = True,
    ) -> tuple[Int64Array, AnyArray]:
        """Return the :meth:`path` of many pairs in one call; compiled where numba is installed.

        Args:
            starts, goals, strict: as for :meth:`next_hops`.
            method: "table" answers as :meth:`path` does, "hpa" plans over the hierarchy.

        Returns:
            first: (m + 1) int64; path i is ``places[first[i]:first[i + 1]]``, both ends included,
            and empty where unreachable.
            places: (k, 2) int32 cells, or (k,) object names on graph levels.

        Raises:
            QueryError: as for :meth:`next_hops`; the method is another one.
        """
        if method not in ("table", "hpa"):
            raise QueryError(
                f"no method {quoted(method)} for many paths", expected="'table' or 'hpa'"
            )
        now, places = self._now, self._current.places
        rows, goal_rows, both = now.rows.pairs(starts, goals, strict)
        walked: AnyArray
        if method == "table" and places.is_grid:
            first, cells = now.engine.ways_in_cells(rows, goal_rows)
            walked = places.with_floor(cells)
        else:
            walk = now.engine.ways if method == "table" else now.searches.hierarchy.many
            first, path = walk(rows, goal_rows)
            walked = now.rows.array(path)
        if both is not None:
            first = np.append(0, np.cumsum(_spread(np.diff(first), both, 0)))
        return first, walked

    def distances(
        self, starts: ArrayLike, goals: ArrayLike, *, strict: bool = True
    ) -> Float64Array:
        """Return the :meth:`distance` of many pairs in one call.

        Args:
            starts, goals, strict: as for :meth:`next_hops`.

        Returns:
            (m) float64 units, inf where unreachable.

        Raises:
            QueryError: as for :meth:`next_hops`.
        """
        now = self._now
        rows, goal_rows, both = now.rows.pairs(starts, goals, strict)
        return _spread(now.engine.all_ticks(rows, goal_rows) / self._units, both, np.inf)

    # -- one goal ----------------------------------------------------------------------------------

    def hops_to(self, goal: Place) -> AnyArray:
        """Return the next hop of every place toward one goal: a flow field for a crowd.

        Baked next hops are used where the asset has them; otherwise the goal is searched from.

        Returns:
            (height, width, 2) int32 cells (x, y) on grid levels, (floors, height, width, 3) cells
            (x, y, floor) where they have several floors, -1 throughout where unreachable or where
            the profile cannot stand; on graph levels (n,) object names in the order of
            :attr:`node_names`, None where unreachable. At the goal it is the goal.

        Raises:
            QueryError: as for :meth:`next_hop`.
        """
        now = self._now
        goal_row = now.rows.row(goal)
        if now.version.has_hops:
            rows = np.arange(now.version.row_count, dtype=np.int32)
            ahead = now.engine.hops(rows, np.full_like(rows, goal_row))
        else:
            ahead = now.around.toward(goal_row)
        return now.rows.over_places(now.rows.array(ahead), -1)

    def distances_to(self, goal: Place) -> Float64Array:
        """Return the distances of every place to one goal.

        Next hops are followed, and where the asset has none, the goal is searched from.

        Returns:
            (height, width) float64 units on grid levels, (floors, height, width) where they have
            several floors; on graph levels (n,) in the order of
            :attr:`node_names`. inf where unreachable or where the profile cannot stand.

        Raises:
            QueryError: as for :meth:`next_hop`.
        """
        now = self._now
        row = now.rows.row(goal)
        return now.rows.over_places(now.ticks_toward(row) / self._units, np.inf)

    def nearest_of(self, start: PlaceT, goals: ArrayLike) -> PlaceT | MaybeNone:
        """Return the goal with the shortest path from a start; None where none can be reached.

        Args:
            goals: places as for :meth:`next_hops`; those nobody can stand on, or that do not
                exist, count as out of reach.

        Returns:
            A goal; of several equally near the first.

        Raises:
            QueryError: as for :meth:`next_hop` about the start; the goals are no list of places.
        """
        now = self._now
        goal_row = _nearest_row(now, now.rows.row(start), goals)
        return None if goal_row < 0 else now.rows.place(goal_row)

    def next_hop_to_nearest(self, start: PlaceT, goals: ArrayLike) -> PlaceT | MaybeNone:
        """Return the place to step to on a shortest path to the nearest of many goals.

        Args:
            goals: as for :meth:`nearest_of`.

        Returns:
            A neighbouring place, or the start where it is a goal; None where none can be reached.

        Raises:
            QueryError: as for :meth:`nearest_of`.
        """
        now = self._now
        row = now.rows.row(start)
        goal_row = _nearest_row(now, row, goals)
        if goal_row in (-1, row):
            return None if goal_row < 0 else now.rows.place(row)
        return now.rows.place(now.engine.hop(row, goal_row))

    def path_to_nearest(self, start: PlaceT, goals: ArrayLike) -> list[PlaceT] | MaybeNone:
        """Return a shortest path to the nearest of many goals, both ends included.

        Args:
            goals: as for :meth:`nearest_of`.

        Returns:
            Its places; None where no goal can be reached.

        Raises:
            QueryError: as for :meth:`nearest_of`.
        """
        now = self._now
        row = now.rows.row(start)
        goal_row = _nearest_row(now, row, goals)
        rows = None if goal_row < 0 else now.engine.way(row, goal_row)
        return None if rows is None else now.rows.places(rows)

    # -- paths that are known ----------------------------------------------------------------------

    def length(self, path: Sequence[Place | tuple[float, ...]]) -> float:
        """Return the cost of walking a path in units, each step priced before rounding to ticks.

        Args:
            path: neighbouring places, as :meth:`path` returns them; or points of a divided plane,
                as :meth:`path` and :meth:`straight_path` return them.

        Raises:
            QueryError: no arc of this profile joins two consecutive places.
        """
        now, places = self._now, cast("Sequence[Place]", path)
        if not now.version.places.is_grid and any(map(is_point, places)):
            return now.sight.cost(places)
        return float(now.rows.priced(places)[1].sum())

    def unfold(self, path: Sequence[Place]) -> Unfolded:
        """Say by which links a path goes, and put in the places that these pass through.

        Where several ways lead from a place to the next one, the cheapest is meant, and of equals
        the first link of the level.

        Args:
            path: a path of any method, place by place.

        Returns:
            The places, and for each the name of the link by which it is reached, or None.

        Raises:
            QueryError: no arc of this profile joins two consecutive places.
        """
        from bake.play.live.moves import Moves

        now, known = self._now, self._moves
        rows, units = now.rows.priced(path)
        if known is None or known[0] is not now:
            self._moves = known = now, Moves(now.version)
        return known[1].unfold(now.rows.places(rows), units)

    @overload
    def still_valid(self, path: ArrayLike, first: None = None) -> bool: ...

    @overload
    def still_valid(self, path: ArrayLike, first: ArrayLike) -> BoolArray: ...

    def still_valid(self, path: ArrayLike, first: ArrayLike | None = None) -> bool | BoolArray:
        """Tell whether every place and step of a path found earlier can still be walked.

        Args:
            path: the path as :meth:`path` returned it, or the rest of it; or the places of many
                paths as :meth:`paths` returned them.
            first: (m + 1) integers, where each of many paths begins in ``path``.

        Returns:
            True or False; for many paths (m) bool. A path without places is valid.

        Raises:
            QueryError: a place does not exist; ``first`` does not divide the path.
        """
        now = self._now
        if first is None:
            if not len(path):
                return True
            begin = np.array([0, len(path)], dtype=np.int64)
        else:
            begin = _beginnings(first, len(np.asarray(path, dtype=object)))
        rows = now.rows.existing(path, "path")
        wrong = np.zeros(len(rows) + 1, dtype=np.int64)
        broken = rows < 0
        steps = ~(broken[:-1] | broken[1:])
        steps[begin[(begin > 0) & (begin < len(rows))] - 1] = False
        at = np.flatnonzero(steps)
        broken[at[~now.around.joined(rows[at], rows[at + 1])]] = True
        np.cumsum(broken, out=wrong[1:])
        valid = np.asarray(wrong[begin[1:]] == wrong[begin[:-1]])
        return bool(valid[0]) if first is None else valid

    # -- places ------------------------------------------------------------------------------------

    @overload
    def nearest(self, point: Sequence[float], *, last: Place | None = None) -> AnyPlace: ...

    @overload
    def nearest(self, point: Sequence[Sequence[float]] | AnyArray) -> AnyArray: ...

    def nearest(self, point: ArrayLike, *, last: Place | None = None) -> Any:
        """Return the place nearest to a point that the profile can stand on.

        Args:
            point: (x, y) as :meth:`LevelAsset.to_point` returns it; on levels of several floors
                (x, y, floor), and on graphs whose nodes have heights (x, y, z) as well, for a
                distance in space. It may lie on a wall or outside the level. Or many points, as an
                array with a row for each.
            last: the place that was the answer a moment ago. The answer is the same; on graphs it
                is found sooner if the point has not gone far. It counts with a single point only.

        Returns:
            The cell that the point lies in, if the profile can stand on it. Otherwise the place on
            the same floor at the shortest straight distance, which is measured in cells on square
            grids, and in the plane on all others; of several the northernmost, then the westernmost
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

    @overload
    def can_stand(self, places: Place) -> bool: ...

    @overload
    def can_stand(self, places: ArrayLike) -> BoolArray: ...

    def can_stand(self, places: Place | ArrayLike) -> bool | BoolArray:
        """Tell whether the profile can stand on a place, or on each of many.

        Args:
            places: a place, or many as for :meth:`next_hops`.

        Returns:
            True or False, False for a place that does not exist; (m) bool for many places.

        Raises:
            QueryError: ``places`` is neither.
        """
        now = self._now
        one, listed = self._current.places.as_many(places)
        stands = np.asarray(now.rows.standing(listed, "places") >= 0)
        return bool(stands[0]) if one else stands

    @overload
    def cost_at(self, places: Place) -> float: ...

    @overload
    def cost_at(self, places: ArrayLike) -> Float64Array: ...

    def cost_at(self, places: Place | ArrayLike) -> float | Float64Array:
        """Return what it costs the profile to cross a place, or each of many.

        Args:
            places: a place, or many as for :meth:`next_hops`.

        Returns:
            Units for a step of one cell; inf where the profile cannot stand, and for a place that
            does not exist; (m) float64 for many places.

        Raises:
            QueryError: ``places`` is neither.
        """
        now = self._now
        one, listed = self._current.places.as_many(places)
        rows = now.rows.standing(listed, "places")
        cost = np.full(len(rows), np.inf)
        stood = rows >= 0
        cost[stood] = now.version.row_cost[rows[stood]]
        return float(cost[0]) if one else cost

    @overload
    def neighbors(self, places: PlaceT) -> list[tuple[PlaceT, float]]: ...

    @overload
    def neighbors(self, places: ArrayLike) -> tuple[Int64Array, AnyArray, Float64Array]: ...

    def neighbors(self, places: Place | ArrayLike) -> Any:
        """Return where one step leads from a place, or from each of many, and what it costs.

        Links are steps, too. Where several lead to one place, the cheapest counts.

        Args:
            places: a place, or many as for :meth:`next_hops`.

        Returns:
            For one place (place, units) of each neighbor, in the asset's order. For many places
            first: (m + 1) int64; places: (k, 2) int32 cells, or (k,) object names on graph levels;
            and (k) float64 units: the neighbors of place i are ``places[first[i]:first[i + 1]]``.

        Raises:
            QueryError: as for :meth:`next_hop`; ``places`` is neither.
        """
        now = self._now
        one, listed = self._current.places.as_many(places)
        first, rows, ticks = now.searches.space.arcs_from(now.rows.many(listed, "places"))
        units = ticks / self._units
        if one:
            return list(zip(now.rows.places(rows), units.tolist(), strict=True))
        return first, now.rows.array(rows), units

    def places(self) -> list[AnyPlace]:
        """Return all places that the profile can stand on, in the order of their locations."""
        now = self._now
        row = now.version.row_at
        return now.rows.places(row[row >= 0])

    @property
    def node_names(self) -> tuple[Name, ...]:
        """Return the names of a graph level's nodes, in the asset's order; empty on grid levels."""
        places = self._current.places
        if places.is_grid:
            return ()
        if isinstance(places.here, slice):
            return places.names
        return tuple(places.names[at] for at in places.here.tolist())

    # -- compiled code, and levels that change -----------------------------------------------------

    @waiting()
    def warm_up(self, *methods: str) -> None:
        """Load the tables, and compile or load the kernels, that later questions need.

        Args:
            methods: methods of :meth:`search`; none = next hops and distances, where the asset has
                them, and "astar". With "table" distances are made ready, too, and the contraction
                hierarchy where the asset has no next hops.

        Raises:
            QueryError: there is no such method.
        """
        from bake.play.searching.methods import Request, run

        now = self._now
        measured = "table" in methods or (
            not methods and (now.version.has_hops or now.version.has_distances)
        )
        if not methods:
            methods = ("table", "astar") if now.version.has_hops else ("astar",)
        if now.version.by_sheet and set(methods) == {"hpa"} and now.version.row_count:
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

    def update(
        self,
        blocked: Iterable[Place] = (),
        opened: Iterable[Place] = (),
        terrain: Mapping[PlaceT, str] | None = None,
        arcs: Mapping[tuple[PlaceT, PlaceT], float | None] | None = None,
        links: Mapping[str, Mapping[str, object] | Link | None] | None = None,
        nodes: Mapping[NameT, Mapping[str, object] | None] | None = None,
        obstacles: Mapping[str, Sequence[Sequence[float]] | None] | None = None,
    ) -> DetailedReport:
        """Change the level, for every profile: see :meth:`LevelAsset.update`.

        Returns:
            What it did for this profile.
        """
        writer = self._current.writer
        return writer.update(blocked, opened, terrain, arcs, links, nodes, obstacles)[self.name]

    def set_state(self, door: str, state: str) -> DetailedReport:
        """Put a door into one of its states, for every profile: see :meth:`LevelAsset.set_state`.

        Returns:
            What it did for this profile.
        """
        return self._current.writer.set_state(self._current.things, door, state)[self.name]


def _spread(found: AnyArray, both: BoolArray | None, nowhere: float) -> AnyArray:
    """Return what was found of some pairs as one value of each; None = all of them were asked."""
    if both is None:
        return found
    every = np.full(len(both), nowhere, dtype=found.dtype)
    every[both] = found
    return every


def _nearest_row(now: Snapshot, row: int, goals: ArrayLike) -> int:
    """Return the row of the goal with the shortest path from a row; -1 where none can be reached.

    Of several equally near it is the first.
    """
    goal_rows = now.rows.standing(goals, "goals")
    goal_rows = goal_rows[goal_rows >= 0]
    if not len(goal_rows):
        return -1
    if now.version.has_hops:
        ticks = now.engine.all_ticks(np.full_like(goal_rows, row), goal_rows)
    else:
        ticks = now.around.ticks_from(row)[goal_rows]
    best = int(ticks.argmin())
    return int(goal_rows[best]) if np.isfinite(ticks[best]) else -1


def _beginnings(first: ArrayLike, count: int) -> Int64Array:
    begin = numbers_in(first, "iu")
    if begin is not None and begin.ndim == 1 and len(begin) > 0:
        begin = begin.astype(np.int64)
        if begin[0] == 0 and begin[-1] == count and (np.diff(begin) >= 0).all():
            return begin
    expected = f"ascending integers from 0 to {count}"
    raise QueryError("first does not divide the path", expected=expected)
