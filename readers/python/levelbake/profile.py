"""Queries for one agent profile: next hops, paths, distances and places to stand on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from operator import methodcaller
from typing import Any, overload

import numpy as np

from levelbake.errors import QueryError
from levelbake.hops import view_of
from levelbake.places import (
    AnyPlace,
    MaybeNone,
    Place,
    Places,
    PlaceT,
    drawn_at,
    numbered,
)
from levelbake.steps import BLOCKED, AnyArray, ArrayLike, BoolArray, Float64Array, Int32Array
from levelbake.toward import ProfileVersion

#: The errors that the fast lookup raises on an invalid argument.
_WRONG = (TypeError, ValueError, IndexError, NotImplementedError)

NextHop = Callable[[Place, Place], Place | None]


class Profile:
    """The queries for one agent profile of an open level, from :meth:`Level.profile`.

    Places are cells ``(x, y)`` on grid levels, ``(x, y, floor)`` on levels with two or more floors,
    and node names on graph levels. A place that does not exist, or that the profile cannot stand
    on, raises a :class:`QueryError`. An unreachable goal is a value: ``None``, ``math.inf`` or
    ``False``. Threads may share a profile; each query reads one consistent state of the level.

    Example:
        >>> from levelbake import open_level
        >>> with open_level("baked/keep.h5") as level:
        ...     nav = level.profile()
        ...     nav.next_hop((3, 4), (50, 41)), nav.reachable((3, 4), (50, 41))
        ((3, 5), True)
    """

    def __init__(
        self,
        name: str,
        places: Places,
        newest: Callable[[], ProfileVersion],
        changed: list[bool],
        level: object = None,
    ) -> None:
        """Create the queries of a profile.

        Args:
            newest: returns the current version.
            changed: a list that is empty while the level is as baked.
            level: the level that ``newest`` belongs to; None = the profile is frozen.
        """
        #: name of the profile
        self.name = name
        self._level = level
        self._places, self._newest, self._changed = places, newest, changed
        self._units = places.ticks_per_unit

    def __repr__(self) -> str:
        frozen = "frozen " if self._level is None else ""
        return f"<{frozen}{type(self).__name__} {self.name!r} of level {self._places.name!r}>"

    @property
    def size(self) -> int:
        """Return the side length of the profile's square footprint, in cells."""
        return self._newest().hops.pricing.mover.size

    def frozen(self) -> Profile:
        """Return a snapshot of this profile that later changes of the level do not affect."""
        version = self._newest()
        changed = [] if version.by_table else [True]
        return Profile(self.name, self._places, lambda: version, changed)

    def __reduce__(self) -> tuple[Any, ...]:
        if self._level is None:
            found = f"the frozen profile {self.name!r} cannot be copied or pickled"
            raise QueryError(found, remedy="copy the level, and freeze a profile of the copy")
        return methodcaller("profile", self.name), (self._level,)

    # -- one pair ---------------------------------------------------------------------------------

    def next_hop(self, start: PlaceT, goal: PlaceT) -> PlaceT | MaybeNone:
        """Return the next place on a shortest path from ``start`` to ``goal``.

        Returns:
            A place one step away; ``goal`` when already there; None if the goal is unreachable.

        Raises:
            OutsideMapError, UnknownNodeError: a place does not exist.
            BlockedCellError: the profile cannot stand on a place.

        Example:
            >>> from levelbake import open_level
            >>> with open_level("baked/roads.h5") as level:
            ...     level.profile().next_hop("Harrowmere", "Castlebridge")
            'Wrendale'
        """
        version = self._newest()
        if self._places.is_grid and version.hops.has_hops:
            # Later calls skip this method and reach the lookup built for this profile directly.
            lookup = _fast_lookup(version, self._places, self._changed, self._next_hop)
            self.__dict__["next_hop"] = lookup
        return self._next_hop(start, goal)

    def _next_hop(self, start: Place, goal: Place) -> Place | None:
        version, tail, head = self._ends(start, goal)
        hop = version.hop(tail, head)
        return None if hop < 0 else self._places.place_at(hop)

    def path(self, start: PlaceT, goal: PlaceT) -> list[PlaceT] | MaybeNone:
        """Return a shortest path, both ends included; None if the goal is unreachable.

        Raises:
            QueryError: as for :meth:`next_hop`.

        Example:
            >>> from levelbake import open_level
            >>> with open_level("baked/keep.h5") as level:
            ...     level.profile().path((3, 4), (6, 6))
            [(3, 4), (4, 5), (5, 6), (6, 6)]
        """
        version, tail, head = self._ends(start, goal)
        path = version.path(tail, head)
        return None if path is None else self._place_list(np.array(path, dtype=np.int32))

    def distance(self, start: Place, goal: Place) -> float:
        """Return the cost of a shortest path in units; ``math.inf`` if the goal is unreachable.

        Raises:
            QueryError: as for :meth:`next_hop`.

        Example:
            >>> from levelbake import open_level
            >>> with open_level("baked/keep.h5") as level:
            ...     round(level.profile().distance((3, 4), (50, 41)), 3)
            82.653
        """
        version, tail, head = self._ends(start, goal)
        return 0.0 if tail == head else version.between(tail, head) / self._units

    def reachable(self, start: Place, goal: Place) -> bool:
        """Return whether a path leads from ``start`` to ``goal``.

        Raises:
            QueryError: as for :meth:`next_hop`.
        """
        return ProfileVersion.reaches(*self._ends(start, goal))

    # -- many pairs -------------------------------------------------------------------------------

    def next_hops(self, starts: ArrayLike, goals: ArrayLike, *, strict: bool = True) -> AnyArray:
        """Return the :meth:`next_hop` of m pairs in one call.

        Args:
            starts, goals: (m, 2) integers (x, y) on grid levels, (m, 3) with two or more floors,
                (m,) node names on graph levels.
            strict: whether to raise on places that do not exist or that the profile cannot stand
                on. If False, such places are unreachable.

        Returns:
            (m, 2) int32 cells, or (m, 3) with two or more floors; rows of -1 are unreachable. On
            graph levels, (m,) object names; None is unreachable.

        Raises:
            QueryError: as for :meth:`next_hop`, with the index of each wrong place; or an array has
                the wrong dtype or shape.

        Example:
            >>> from levelbake import open_level
            >>> with open_level("baked/keep.h5") as level:
            ...     level.profile().next_hops([(3, 4), (90, 70)], [(50, 41), (3, 4)]).tolist()
            [[3, 5], [90, 69]]
        """
        version, tails, heads, valid = self._pairs(starts, goals, strict)
        hops = np.full(len(valid), -1, dtype=np.int32)
        hops[valid] = version.all_hops(tails, heads)
        return self._place_array(hops)

    def paths(
        self, starts: ArrayLike, goals: ArrayLike, *, strict: bool = True
    ) -> tuple[AnyArray, AnyArray]:
        """Return the :meth:`path` of m pairs in one call.

        Args:
            starts, goals, strict: as for :meth:`next_hops`.

        Returns:
            first: (m + 1) int64; path i is ``places[first[i]:first[i + 1]]``, both ends included,
            and empty if the goal is unreachable.
            places: (k, 2) or (k, 3) int32 cells, or (k,) object names on graph levels.

        Raises:
            QueryError: as for :meth:`next_hops`.

        Example:
            >>> from levelbake import open_level
            >>> with open_level("baked/keep.h5") as level:
            ...     first, places = level.profile().paths([(3, 4)], [(6, 6)])
            >>> first.tolist(), places[-1].tolist()
            ([0, 4], [6, 6])
        """
        version, tails, heads, valid = self._pairs(starts, goals, strict)
        first, locations = version.paths(tails, heads)
        count = np.zeros(len(valid), dtype=np.int64)
        count[valid] = np.diff(first)
        return np.append(0, np.cumsum(count)), self._place_array(locations)

    def distances(
        self, starts: ArrayLike, goals: ArrayLike, *, strict: bool = True
    ) -> Float64Array:
        """Return the :meth:`distance` of m pairs in one call.

        Args:
            starts, goals, strict: as for :meth:`next_hops`.

        Returns:
            (m) float64 units; inf is unreachable.

        Raises:
            QueryError: as for :meth:`next_hops`.
        """
        version, tails, heads, valid = self._pairs(starts, goals, strict)
        units = np.full(len(valid), np.inf)
        units[valid] = version.all_between(tails, heads) / self._units
        return units

    # -- one goal ---------------------------------------------------------------------------------

    def hops_to(self, goal: Place) -> AnyArray:
        """Return the next hop of every place toward one goal: a flow field for a crowd.

        Returns:
            (height, width, 2) int32 cells (x, y) on grid levels, or (floors, height, width, 3) with
            two or more floors; -1 where the goal is unreachable or the profile cannot stand. On
            graph levels, (n,) object names in node order; None where the goal is unreachable. The
            next hop of the goal is the goal.

        Raises:
            QueryError: as for :meth:`next_hop`.

        Example:
            >>> from levelbake import open_level
            >>> with open_level("baked/keep.h5") as level:
            ...     hops = level.profile().hops_to((50, 41))
            >>> hops.shape, hops[4, 3].tolist()  # indexed [y, x]
            ((80, 96, 2), [3, 5])
        """
        version = self._newest()
        hops = self._place_array(version.hops_to(self._standing_at(version, goal)))
        return hops.reshape(*self._shape, *hops.shape[1:])

    def distances_to(self, goal: Place) -> Float64Array:
        """Return the distance of every place to one goal.

        Returns:
            (height, width) float64 units on grid levels, (floors, height, width) with two or more
            floors, (n,) on graph levels; inf where the goal is unreachable or the profile cannot
            stand.

        Raises:
            QueryError: as for :meth:`next_hop`.
        """
        version = self._newest()
        units = version.ticks_to(self._standing_at(version, goal)) / self._units
        return units.reshape(self._shape)

    @property
    def _shape(self) -> tuple[int, ...]:
        places = self._places
        floors = (places.floors,) * (places.dimensions == 3)
        return (*floors, places.rows, places.width) if places.is_grid else (-1,)

    # -- places -----------------------------------------------------------------------------------

    @overload
    def can_stand(self, places: Place) -> bool: ...

    @overload
    def can_stand(self, places: ArrayLike) -> BoolArray: ...

    def can_stand(self, places: Place | ArrayLike) -> bool | BoolArray:
        """Return whether the profile can stand on one place, or on each of many.

        Returns:
            A bool, False for a place that does not exist; (m) bool for many places.

        Raises:
            QueryError: ``places`` is neither a place nor a list of places.
        """
        is_one, rows = self._places.as_many(places)
        standing = self._stand(self._newest(), self._places.locations(rows, "places"))
        return bool(standing[0]) if is_one else standing

    def places(self) -> list[AnyPlace]:
        """Return all places that the profile can stand on, in reading order (on graphs by node)."""
        return self._place_list(np.flatnonzero(self._newest().standing).astype(np.int32))

    def nearest(self, point: Sequence[float]) -> AnyPlace:
        """Return the place nearest to a point that the profile can stand on.

        Args:
            point: (x, y) in the units of :meth:`Level.to_point`; (x, y, floor) with two or more
                floors. On graphs whose nodes have elevations also (x, y, z), for distances in
                space.

        Returns:
            The cell that contains the point, if the profile can stand on it. Otherwise the place on
            the same floor at the shortest straight-line distance, which is measured in cells on
            square grids and in the plane on all other levels. Ties go to the northernmost, then
            the westernmost cell (on graphs to the first node).

        Raises:
            QueryError: the argument is not a point, the floor does not exist, the graph has no
                positions, or the profile can stand nowhere.

        Example:
            >>> from levelbake import open_level
            >>> with open_level("baked/keep.h5") as level:
            ...     level.profile().nearest((48.5, 40.5))
            (50, 40)
        """
        version, places = self._newest(), self._places
        elevation = None if places.is_grid else places.file.get("/elevation")
        flat, z = places.split_height(point) if elevation is not None else (point, None)
        x, y, floor = places.point(flat)
        if places.is_grid:
            location = places.plane.location_at(x, y, floor)
            if location >= 0 and version.standing[location]:
                return places.place_at(location)
            cells_of_floor = places.rows * places.width
            first = floor * cells_of_floor
            candidates = np.flatnonzero(version.standing[first : first + cells_of_floor]) + first
            center = places.plane.columns_and_lines(np.array([(x, y)]), np.array([floor]))
            dx, dy = ((places.plane.middles(candidates) - center) * places.plane.scale).T
        else:
            candidates = np.flatnonzero(version.standing)
            dx, dy = (places.known_position()[candidates] - (x, y)).T
        if not len(candidates):
            where = f"on floor {floor}" if version.standing.any() else "in this level"
            raise QueryError(f"profile {self.name!r} can stand nowhere {where}")
        cost = dx * dx + dy * dy
        if z is not None and elevation is not None:
            cost += (elevation[candidates] - z) ** 2
        if (weight := places.file.get("/domain_weight")) is not None:
            # Weighted Voronoi domains: a node's weight is subtracted from its distance.
            cost = np.hypot(dx, dy) - weight[candidates]
            if places.file.has("/domain_node"):
                node, inside = drawn_at(places.file, np.array([(x, y)]))
                cost[np.isin(candidates, node[inside[0]])] = -np.inf
        return places.place_at(int(candidates[cost.argmin()]))

    def nearest_of(self, start: PlaceT, goals: ArrayLike) -> PlaceT | MaybeNone:
        """Return the goal with the shortest path from a start; None if all are unreachable.

        Args:
            goals: places as for :meth:`next_hops`. Goals that do not exist, or that the profile
                cannot stand on, are unreachable.

        Returns:
            The nearest goal; ties go to the first.

        Raises:
            QueryError: as for :meth:`next_hop` about the start; or ``goals`` is not a list of
                places.

        Example:
            >>> from levelbake import open_level
            >>> with open_level("baked/keep.h5") as level:
            ...     level.profile().nearest_of((3, 4), [(50, 41), (6, 6)])
            (6, 6)
        """
        version = self._newest()
        tail, heads = self._standing_at(version, start), self._places.locations(goals, "goals")
        heads = heads[self._stand(version, heads)]
        if not len(heads):
            return None
        ticks = version.all_between(np.full_like(heads, tail), heads)
        best = int(ticks.argmin())
        return self._places.place_at(int(heads[best])) if np.isfinite(ticks[best]) else None

    # -- cached paths -----------------------------------------------------------------------------

    def length(self, path: Sequence[Place]) -> float:
        """Return the cost of walking along a path, in units.

        Args:
            path: places as :meth:`path` returns them, each one step from the next.

        Raises:
            QueryError: as for :meth:`next_hop`; or two consecutive places have no arc.
        """
        version = self._newest()
        locations = [self._standing_at(version, place) for place in path]
        total = 0
        for tail, head in pairwise(locations):
            if (ticks := version.step(tail, head)) == BLOCKED:
                a, b = self._places.place_at(tail), self._places.place_at(head)
                raise QueryError(f"no step leads from {a!r} to {b!r} for profile {self.name!r}")
            total += ticks
        return total / self._units

    def still_valid(self, path: ArrayLike) -> bool:
        """Return whether the profile can still walk every step of an earlier path.

        Args:
            path: a path as :meth:`path` returned it, or the rest of one; an empty path is valid.

        Raises:
            QueryError: a place does not exist.

        Example:
            >>> from levelbake import open_level
            >>> with open_level("baked/keep.h5") as level:
            ...     nav = level.profile()
            ...     path = nav.path((3, 4), (6, 6))
            ...     _ = level.update(blocked=[(5, 6)])
            ...     nav.still_valid(path)
            False
        """
        version = self._newest()
        if not len(path):
            return True
        locations = self._places.locations(path, "path")
        for wrong in np.flatnonzero(locations < 0).tolist():
            self._places.location(self._places.listed(path)[wrong])
        is_open = (version.step(*ends) < BLOCKED for ends in pairwise(locations.tolist()))
        return bool(version.standing[locations].all()) and all(is_open)

    # -- arguments --------------------------------------------------------------------------------

    def _ends(self, start: Place, goal: Place) -> tuple[ProfileVersion, int, int]:
        """Return the current version, and the locations of a start and a goal.

        On levels with headings, a cell without a heading stands for the cheapest of its headings.
        """
        version, is_bare = self._newest(), self._places.is_bare
        if not (is_bare(start) or is_bare(goal)):
            return version, self._standing_at(version, start), self._standing_at(version, goal)
        starts, goals = (self._in_headings(version, place) for place in (start, goal))
        tail, head = np.repeat(starts, len(goals)), np.tile(goals, len(starts))
        best = int(np.where(tail == head, 0, version.all_between(tail, head)).argmin())
        return version, int(tail[best]), int(head[best])

    def _in_headings(self, version: ProfileVersion, place: Place) -> Int32Array:
        """Return the walkable locations of a place: one, or one for each heading of a cell."""
        places = self._places.every(place)
        locations = np.array([*map(self._places.location, places)], dtype=np.int32)
        if not version.standing[locations].any():
            self._standing_at(version, places[0])
        return locations[version.standing[locations]]

    def _standing_at(self, version: ProfileVersion, place: Place) -> int:
        """Return the location of a place; raise if the profile cannot stand there."""
        location = self._places.location(place)
        if not version.standing[location]:
            raise self._places.blocked(self.name, place)
        return location

    def _stand(self, version: ProfileVersion, locations: Int32Array) -> BoolArray:
        """Return (k) bool, whether the profile can stand; False for the missing place -1."""
        return np.asarray(version.standing[locations] & (locations >= 0))

    def _pairs(
        self, starts: ArrayLike, goals: ArrayLike, strict: bool
    ) -> tuple[ProfileVersion, Int32Array, Int32Array, BoolArray]:
        """Return the current version, the locations of k valid pairs, and (m) bool validity."""
        version, arguments = self._newest(), {"starts": starts, "goals": goals}
        tails, heads = (self._places.locations(rows, what) for what, rows in arguments.items())
        for (what, rows), locations in zip(arguments.items(), (tails, heads), strict=True):
            wrong = np.flatnonzero(~self._stand(version, locations)).tolist() if strict else ()
            if wrong:
                try:
                    self._standing_at(version, self._places.listed(rows)[wrong[0]])
                except QueryError as error:
                    error.place = f"{error.place}, {numbered(what, wrong)}"
                    raise
        if len(tails) != len(heads):
            raise QueryError(f"{len(tails)} starts for {len(heads)} goals", expected="as many")
        valid = self._stand(version, tails) & self._stand(version, heads)
        return version, tails[valid], heads[valid], valid

    # -- answers ----------------------------------------------------------------------------------

    def _place_list(self, locations: Int32Array) -> list[Place]:
        places = self._places.places_of(locations).tolist()
        return [*map(tuple, places)] if self._places.is_grid else places

    def _place_array(self, locations: Int32Array) -> AnyArray:
        """Return the places at locations; for -1, a row of -1 or on graphs None."""
        places = self._places.places_of(np.maximum(locations, 0))
        places[locations < 0] = -1 if self._places.is_grid else None
        return places


def _fast_lookup(
    version: ProfileVersion, places: Places, changed: list[bool], fallback: NextHop
) -> NextHop:
    """Return a fast next-hop function for the cells of an unchanged level.

    A game calls this function thousands of times per frame. Invalid arguments and changed levels
    go to the fallback.
    """
    hops = version.hops
    width, rows = places.width, places.rows
    plane = view_of(hops.row_at, places.floors, rows, width)
    arc_of, head = hops.arc_of, hops.views[1]

    def in_plane(start: Any, goal: Any) -> Place | None:
        if not changed:
            try:
                x, y = start
                goal_x, goal_y = goal
                if x >= 0 and y >= 0 and goal_x >= 0 and goal_y >= 0:
                    row, goal_row = flat[y, x], flat[goal_y, goal_x]
                    if row >= 0 and goal_row >= 0 and (arc := arc_of(row, goal_row)) >= 0:
                        hop = head[arc]
                        return hop % width, hop // width
            except _WRONG:
                pass
        return fallback(start, goal)

    def on_floors(start: Any, goal: Any) -> Place | None:
        if not changed:
            try:
                x, y, floor = start
                goal_x, goal_y, goal_floor = goal
                if min(x, y, floor, goal_x, goal_y, goal_floor) >= 0:
                    row, goal_row = plane[floor, y, x], plane[goal_floor, goal_y, goal_x]
                    if row >= 0 and goal_row >= 0 and (arc := arc_of(row, goal_row)) >= 0:
                        hop = head[arc]
                        return hop % width, hop // width % rows, hop // (width * rows)
            except _WRONG:
                pass
        return fallback(start, goal)

    if places.floor_height is not None:
        return on_floors
    flat = view_of(hops.row_at, rows, width)
    return in_plane
