"""Answers a game's questions for one agent profile: next hops, paths, distances, places."""

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

#: The errors that a wrong argument makes the fast lookup raise.
_WRONG = (TypeError, ValueError, IndexError, NotImplementedError)

NextHop = Callable[[Place, Place], Place | None]


class Profile:
    """The lookups of one profile of an open level. Get it from :meth:`Level.profile`.

    Places are cells ``(x, y)`` on grid levels, ``(x, y, floor)`` where they have several floors,
    and node names on graph levels. A place that does not exist, or that the profile cannot stand
    on, is a :class:`QueryError`; a goal that cannot be reached is a value: ``None``, ``math.inf``
    or ``False``. Threads may share it; each answer is about the level as it was at one moment.

    Attributes:
        name: the profile's name.
    """

    def __init__(
        self,
        name: str,
        places: Places,
        newest: Callable[[], ProfileVersion],
        changed: list[bool],
        level: object = None,
    ) -> None:
        """Take what answers.

        Args:
            newest: returns the version of now.
            changed: empty as long as the level is as it was baked.
            level: the level whose newest version answers; None = the profile is frozen.
        """
        self.name, self._level = name, level
        self._places, self._newest, self._changed = places, newest, changed
        self._units = places.ticks_per_unit

    def __repr__(self) -> str:
        frozen = "frozen " if self._level is None else ""
        return f"<{frozen}{type(self).__name__} {self.name!r} of level {self._places.name!r}>"

    @property
    def size(self) -> int:
        """Return how many cells long one side of the profile's footprint is."""
        return self._newest().hops.pricing.mover.size

    def frozen(self) -> Profile:
        """Return the same profile on the level as it is now, whatever becomes of that later."""
        now = self._newest()
        return Profile(self.name, self._places, lambda: now, [] if now.by_table else [True])

    def __reduce__(self) -> tuple[Any, ...]:
        if self._level is None:
            found = f"the frozen profile {self.name!r} cannot be copied or pickled"
            raise QueryError(found, remedy="copy the level, and freeze a profile of the copy")
        return methodcaller("profile", self.name), (self._level,)

    # -- one pair ---------------------------------------------------------------------------------

    def next_hop(self, start: PlaceT, goal: PlaceT) -> PlaceT | MaybeNone:
        """Return the place to step to from ``start`` on a shortest path to ``goal``.

        Returns:
            A neighbouring place; ``goal`` itself when already there; None where unreachable.

        Raises:
            OutsideMapError, UnknownNodeError: there is no such place.
            BlockedCellError: the profile cannot stand on the place.
        """
        now = self._newest()
        if self._places.is_grid and now.hops.has_hops:
            # From here on a lookup goes straight to the function made for this profile.
            lookup = _fast_lookup(now, self._places, self._changed, self._next_hop)
            self.__dict__["next_hop"] = lookup
        return self._next_hop(start, goal)

    def _next_hop(self, start: Place, goal: Place) -> Place | None:
        now, at, to = self._ends(start, goal)
        hop = now.hop(at, to)
        return None if hop < 0 else self._places.place_at(hop)

    def path(self, start: PlaceT, goal: PlaceT) -> list[PlaceT] | MaybeNone:
        """Return a shortest path, both ends included; None where unreachable.

        Raises:
            QueryError: as for :meth:`next_hop`.
        """
        now, at, to = self._ends(start, goal)
        found = now.path(at, to)
        return None if found is None else self._listed(np.array(found, dtype=np.int32))

    def distance(self, start: Place, goal: Place) -> float:
        """Return the cost of a shortest path in units; ``math.inf`` where unreachable.

        Raises:
            QueryError: as for :meth:`next_hop`.
        """
        now, at, to = self._ends(start, goal)
        return 0.0 if at == to else now.between(at, to) / self._units

    def reachable(self, start: Place, goal: Place) -> bool:
        """Tell whether there is a path.

        Raises:
            QueryError: as for :meth:`next_hop`.
        """
        return ProfileVersion.reaches(*self._ends(start, goal))

    # -- many pairs -------------------------------------------------------------------------------

    def next_hops(self, starts: ArrayLike, goals: ArrayLike, *, strict: bool = True) -> AnyArray:
        """Return the :meth:`next_hop` of many pairs in one call.

        Args:
            starts, goals: (m, 2) integers (x, y) on grid levels, (m, 3) where they have several
                floors, (m,) node names on graph levels.
            strict: whether a place that does not exist, or that the profile cannot stand on, is an
                error. Otherwise it is a place without paths.

        Returns:
            (m, 2) int32 cells with -1 throughout where unreachable, (m, 3) where there are several
            floors; on graph levels (m,) object names with None where unreachable.

        Raises:
            QueryError: as for :meth:`next_hop`, naming the first wrong place and which of the
                places are wrong; the arrays are of another kind; the shapes differ.
        """
        now, at, to, both = self._pairs(starts, goals, strict)
        found = np.full(len(both), -1, dtype=np.int32)
        found[both] = now.all_hops(at, to)
        return self._array(found)

    def paths(
        self, starts: ArrayLike, goals: ArrayLike, *, strict: bool = True
    ) -> tuple[AnyArray, AnyArray]:
        """Return the :meth:`path` of many pairs in one call.

        Args:
            starts, goals, strict: as for :meth:`next_hops`.

        Returns:
            first: (m + 1) int64; path i is ``places[first[i]:first[i + 1]]``, both ends included,
            and empty where unreachable.
            places: (k, 2) or (k, 3) int32 cells, or (k,) object names on graph levels.

        Raises:
            QueryError: as for :meth:`next_hops`.
        """
        now, at, to, both = self._pairs(starts, goals, strict)
        first, found = now.paths(at, to)
        count = np.zeros(len(both), dtype=np.int64)
        count[both] = np.diff(first)
        return np.append(0, np.cumsum(count)), self._array(found)

    def distances(
        self, starts: ArrayLike, goals: ArrayLike, *, strict: bool = True
    ) -> Float64Array:
        """Return the :meth:`distance` of many pairs in one call, (m) float64 units.

        Args:
            starts, goals, strict: as for :meth:`next_hops`.

        Raises:
            QueryError: as for :meth:`next_hops`.
        """
        now, at, to, both = self._pairs(starts, goals, strict)
        found = np.full(len(both), np.inf)
        found[both] = now.all_between(at, to) / self._units
        return found

    # -- one goal ---------------------------------------------------------------------------------

    def hops_to(self, goal: Place) -> AnyArray:
        """Return the next hop of every place toward one goal: a flow field for a crowd.

        Returns:
            (height, width, 2) int32 cells (x, y) on grid levels, (floors, height, width, 3) where
            they have several floors, -1 throughout where unreachable or where the profile cannot
            stand; on graph levels (n,) object names in the order of the nodes, None where
            unreachable. At the goal it is the goal.

        Raises:
            QueryError: as for :meth:`next_hop`.
        """
        now = self._newest()
        found = self._array(now.hops_to(self._standing_at(now, goal)))
        return found.reshape(*self._shape, *found.shape[1:])

    def distances_to(self, goal: Place) -> Float64Array:
        """Return the distances of every place to one goal.

        Returns:
            (height, width) float64 units on grid levels, (floors, height, width) where they have
            several floors; on graph levels (n,). inf where unreachable or where nobody can stand.

        Raises:
            QueryError: as for :meth:`next_hop`.
        """
        now = self._newest()
        ticks = now.ticks_to(self._standing_at(now, goal)) / self._units
        return ticks.reshape(self._shape)

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
        """Tell whether the profile can stand on a place, or on each of many.

        Returns:
            True or False, False for a place that does not exist; (m) bool for many places.

        Raises:
            QueryError: ``places`` is neither.
        """
        one, listed = self._places.as_many(places)
        stands = self._stand(self._newest(), self._places.locations(listed, "places"))
        return bool(stands[0]) if one else stands

    def places(self) -> list[AnyPlace]:
        """Return all places that the profile can stand on, in the order of their locations."""
        return self._listed(np.flatnonzero(self._newest().standing).astype(np.int32))

    def nearest(self, point: Sequence[float]) -> AnyPlace:
        """Return the place nearest to a point that the profile can stand on.

        Args:
            point: (x, y) as :meth:`Level.to_point` returns it; on levels of several floors
                (x, y, floor), and on graphs whose nodes have heights (x, y, z) as well, for a
                distance in space.

        Returns:
            The cell that the point lies in, if the profile can stand on it. Otherwise the place on
            the same floor at the shortest straight distance, which is measured in cells on square
            grids, and in the plane on all others; of several the northernmost, then the westernmost
            (on graphs the first).

        Raises:
            QueryError: the point is none, there is no such floor, the graph has no positions, or
                there is nowhere to stand.
        """
        now, places = self._newest(), self._places
        elevation = None if places.is_grid else places.file.get("/elevation")
        flat, z = places.split_height(point) if elevation is not None else (point, None)
        x, y, floor = places.point(flat)
        if places.is_grid:
            location = places.plane.location_at(x, y, floor)
            if location >= 0 and now.standing[location]:
                return places.place_at(location)
            begin, end = (each * places.rows * places.width for each in (floor, floor + 1))
            every = np.flatnonzero(now.standing[begin:end]) + begin
            here = places.plane.columns_and_lines(np.array([(x, y)]), np.array([floor]))
            dx, dy = ((places.plane.middles(every) - here) * places.plane.scale).T
        else:
            every = np.flatnonzero(now.standing)
            dx, dy = (places.known_position()[every] - (x, y)).T
        if not len(every):
            where = f"on floor {floor}" if now.standing.any() else "in this level"
            raise QueryError(f"profile {self.name!r} can stand nowhere {where}")
        below = dx * dx + dy * dy
        if z is not None and elevation is not None:
            below += (elevation[every] - z) ** 2
        if (weight := places.file.get("/domain_weight")) is not None:
            # The cone of a characteristic point is as high as its weight.
            below = np.hypot(dx, dy) - weight[every]
            if places.file.has("/domain_node"):
                node, inside = drawn_at(places.file, np.array([(x, y)]))
                below[np.isin(every, node[inside[0]])] = -np.inf
        return places.place_at(int(every[below.argmin()]))

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
        now = self._newest()
        at, to = self._standing_at(now, start), self._places.locations(goals, "goals")
        to = to[self._stand(now, to)]
        if not len(to):
            return None
        ticks = now.all_between(np.full_like(to, at), to)
        best = int(ticks.argmin())
        return self._places.place_at(int(to[best])) if np.isfinite(ticks[best]) else None

    # -- paths found earlier ----------------------------------------------------------------------

    def length(self, path: Sequence[Place]) -> float:
        """Return what walking along a path costs, in units.

        Args:
            path: neighbouring places, as :meth:`path` returns them.

        Raises:
            QueryError: as for :meth:`next_hop`; no arc joins two consecutive places.
        """
        now = self._newest()
        at = [self._standing_at(now, place) for place in path]
        total = 0
        for tail, head in pairwise(at):
            if (ticks := now.step(tail, head)) == BLOCKED:
                a, b = self._places.place_at(tail), self._places.place_at(head)
                raise QueryError(f"no step leads from {a!r} to {b!r} for profile {self.name!r}")
            total += ticks
        return total / self._units

    def still_valid(self, path: ArrayLike) -> bool:
        """Tell whether every place and step of a path found earlier can still be walked.

        Args:
            path: the path as :meth:`path` returned it, or the rest of it; one without places is
                valid.

        Raises:
            QueryError: a place does not exist.
        """
        now = self._newest()
        if not len(path):
            return True
        at = self._places.locations(path, "path")
        for wrong in np.flatnonzero(at < 0).tolist():
            self._places.location(self._places.listed(path)[wrong])
        walked = (now.step(*ends) < BLOCKED for ends in pairwise(at.tolist()))
        return bool(now.standing[at].all()) and all(walked)

    # -- arguments --------------------------------------------------------------------------------

    def _ends(self, start: Place, goal: Place) -> tuple[ProfileVersion, int, int]:
        """Return the version of now, and the locations of a start and a goal.

        A cell alone, where agents face headings, is the cell in the headings that cost least.
        """
        now, is_bare = self._newest(), self._places.is_bare
        if not (is_bare(start) or is_bare(goal)):
            return now, self._standing_at(now, start), self._standing_at(now, goal)
        starts, goals = (self._in_headings(now, place) for place in (start, goal))
        tail, head = np.repeat(starts, len(goals)), np.tile(goals, len(starts))
        best = int(np.where(tail == head, 0, now.all_between(tail, head)).argmin())
        return now, int(tail[best]), int(head[best])

    def _in_headings(self, now: ProfileVersion, place: Place) -> Int32Array:
        """Return the locations of a place, of a cell alone those in which one can stand."""
        every = self._places.every(place)
        found = np.array([*map(self._places.location, every)], dtype=np.int32)
        if not now.standing[found].any():
            self._standing_at(now, every[0])
        return found[now.standing[found]]

    def _standing_at(self, now: ProfileVersion, place: Place) -> int:
        """Return the location of a place; raise an error where the profile cannot stand there."""
        at = self._places.location(place)
        if not now.standing[at]:
            raise self._places.blocked(self.name, place)
        return at

    def _stand(self, now: ProfileVersion, at: Int32Array) -> BoolArray:
        """Return (k) bool, where the profile can stand; not at -1, which is no place."""
        return np.asarray(now.standing[at] & (at >= 0))

    def _pairs(
        self, starts: ArrayLike, goals: ArrayLike, strict: bool
    ) -> tuple[ProfileVersion, Int32Array, Int32Array, BoolArray]:
        """Return the version of now, the locations of pairs, and (m) bool which of all they are."""
        now, named = self._newest(), {"starts": starts, "goals": goals}
        at, to = (self._places.locations(places, what) for what, places in named.items())
        for (what, places), found in zip(named.items(), (at, to), strict=True):
            wrong = np.flatnonzero(~self._stand(now, found)).tolist() if strict else ()
            if wrong:
                try:
                    self._standing_at(now, self._places.listed(places)[wrong[0]])
                except QueryError as error:
                    error.place = f"{error.place}, {numbered(what, wrong)}"
                    raise
        if len(at) != len(to):
            raise QueryError(f"{len(at)} starts for {len(to)} goals", expected="as many")
        both = self._stand(now, at) & self._stand(now, to)
        return now, at[both], to[both], both

    # -- answers ----------------------------------------------------------------------------------

    def _listed(self, at: Int32Array) -> list[Place]:
        found = self._places.places_of(at).tolist()
        return [*map(tuple, found)] if self._places.is_grid else found

    def _array(self, at: Int32Array) -> AnyArray:
        """Return locations as a game's places; -1 is -1 throughout, on graphs None."""
        found = self._places.places_of(np.maximum(at, 0))
        found[at < 0] = -1 if self._places.is_grid else None
        return found


def _fast_lookup(
    now: ProfileVersion, places: Places, changed: list[bool], fallback: NextHop
) -> NextHop:
    """Return the next hop between cells as they were baked, as fast as Python can do it.

    A game calls it thousands of times a frame. Whatever it does not answer, a wrong argument or a
    level that has changed, is left to the fallback.
    """
    hops = now.hops
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
                        at = head[arc]
                        return at % width, at // width
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
                        at = head[arc]
                        return at % width, at // width % rows, at // (width * rows)
            except _WRONG:
                pass
        return fallback(start, goal)

    if places.floor_height is not None:
        return on_floors
    flat = view_of(hops.row_at, rows, width)
    return in_plane
