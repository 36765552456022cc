"""Follow a path in the plane: how far along an agent is, what to steer for, when to think again.

A path is places; an agent that moves freely is a point. What lies between them is told here: the
agent says where it is after each frame, and is told the next corner to steer for. Steering itself,
and keeping clear of others, is the game's.

Points are those of :meth:`bake.play.LevelAsset.to_point`: pixels where an editor drew the level,
positions on graphs, and otherwise cells one unit wide.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, cast

import numpy as np

from bake.core.arrays import Float64Array
from bake.play.reader.places import NodePlaces, is_point
from bake.play.sight import Waypoints
from levelbake.errors import QueryError
from levelbake.places import Place, number_of, quoted

#: How near a corner counts as reached, and how far from the path as strayed, in steps of the path.
_REACH = 0.5
_STRAYED = 1.5

#: How many places ahead an agent may come back to its path at.
# limit: the agent rejoins its path earlier; tests/play/test_follow.py
_REENTRY = 32

#: Sines of angles below this are straight on.
_STRAIGHT = 1e-9


class Paths(Protocol):
    """What a follower asks of a navigator."""

    def path(self, start: Place, goal: Place) -> list[Place] | None: ...

    def distance(self, start: Place, goal: Place) -> float: ...

    def length(self, path: Sequence[Place]) -> float: ...

    def nearest(self, place: Any) -> Any: ...

    @property
    def plane(self) -> Any: ...

    def still_valid(self, path: Sequence[Place]) -> Any: ...


@dataclass(frozen=True)
class Progress:
    """How an agent gets on along its path."""

    corner: tuple[float, float]  #: the point to steer for: where the path turns next, or its end
    along: float  #: how far along the path the agent is, in units of the plane
    left: float  #: how far it is to the end of the path from there
    off: float  #: how far the agent is from the path
    #: whether it is so far off that it should come back: see :meth:`Follower.reenter`
    strayed: bool
    stuck: bool  #: whether it has made no headway for as long as its patience lasts
    arrived: bool  #: whether it has reached the end


class Follower:
    """One agent on one path; get it from :meth:`bake.play.plane.Plane.follow`.

    Attributes:
        path: the places of the path, or the points it turns at; :meth:`reenter` replaces it.
        waypoints: what the agent goes straight between: places of the path, and points of the plane
            where the path is of points, or was smoothed on a navigation mesh.
    """

    def __init__(
        self,
        nav: Paths,
        places: Callable[[], NodePlaces],
        path: Sequence[Place],
        pull: Callable[[Sequence[Place]], Waypoints] | None,
        reach: float | None,
        strayed: float | None,
        patience: float,
    ) -> None:
        """Begin at the start of a path.

        Args:
            nav: what the path is on, and places: gives the places of the level as it is now.
            path, reach, strayed, patience: those of :meth:`bake.play.plane.Plane.follow`.
            pull: pulls a path tight; None = the agent follows it as it is.
        """
        if not len(path):
            raise QueryError("the path has no places", expected="at least one")
        self._nav, self._places_now, self._pull = nav, places, pull
        self.path: list[Place] = []
        self.waypoints: list[Place] = []
        self._take(list(path))
        step = self._step_length()
        self._reach = _positive("reach", reach, _REACH * step)
        self._strayed = _positive("strayed", strayed, _STRAYED * step)
        self._patience = _positive("patience", patience, 0)
        self._slack = step

    def _take(self, path: list[Place]) -> None:
        """Follow another path from its start."""
        self._nav.length(path)  # It is a path, or an error says what is wrong.
        self._places = self._places_now()
        self._points = self._places.plane
        self._of_points = not self._places.is_grid and any(map(is_point, path))
        waypoints, index = path, cast("Sequence[float]", range(len(path)))
        if self._pull is not None:
            waypoints, index = self._pull(path)
        points = self._points_of(waypoints)
        keep = _turns(points)
        index = [index[each] for each in keep]
        self.path, self.waypoints = path, [waypoints[each] for each in keep]
        self._line: Float64Array = points[keep]
        self._lengths = np.hypot(*np.diff(self._line, axis=0).T)
        self._begins = np.concatenate([[0.0], np.cumsum(self._lengths)])
        # How far along each place comes; what smoothing has passed over lies evenly in between.
        self._places_along = np.interp(np.arange(len(path)), index, self._begins)
        if self._pull is None:
            steps = np.hypot(*np.diff(self._points_of(path), axis=0).T)
            self._places_along = np.concatenate([[0.0], np.cumsum(steps)])
        self._along = self._furthest = self._waited = 0.0
        self._last: tuple[float, float] | None = None

    def _points_of(self, places: list[Place]) -> Float64Array:
        if not self._places.is_grid:
            found = [
                cast("Any", place if is_point(place) else self._points.points(place))[:2]
                for place in places
            ]
            return np.array(found, dtype=np.float64)
        return np.asarray(self._points.points(places), dtype=np.float64)[:, :2]

    def _step_length(self) -> float:
        """Return the length of the path's shortest step in the plane, 1 where it has none."""
        points = self._points_of(self.path)
        lengths = np.hypot(*np.diff(points, axis=0).T)
        lengths = lengths[lengths > 0]
        return float(lengths.min()) if len(lengths) else 1.0

    # -- each frame -------------------------------------------------------------------------------

    def update(self, point: Sequence[float], elapsed: float = 1.0) -> Progress:
        """Say where the agent is now, and hear what to steer for.

        The place along the path changes by no more than the agent has moved and one step, so a path
        that winds back behind a wall is not cut short.

        Args:
            point: (x, y), on levels of several floors (x, y, floor) as well.
            elapsed: the time since the last call.

        Raises:
            QueryError: the point is no point, or time runs backwards.
        """
        x, y = here = _plane(point)
        passed = number_of(elapsed)
        if not 0 <= passed < math.inf:
            raise QueryError(f"elapsed is {quoted(elapsed)}", expected="a number from 0 on")
        last = here if self._last is None else self._last
        moved = math.dist(here, last)
        self._last = here
        low, high = self._along - moved - self._slack, self._along + moved + self._slack
        self._along, off = self._nearest(x, y, low, high)
        if moved > self._strayed and self._along < self._furthest - self._strayed:
            self._furthest = self._along  # Pushed back at once, and not by walking.
        if self._along > self._furthest + self._reach / 2:
            self._furthest, self._waited = self._along, 0.0
        else:
            self._waited += passed
        return self._progress(here, off)

    def _nearest(self, x: float, y: float, low: float, high: float) -> tuple[float, float]:
        """Return how far along the nearest point of a part of the path is, and how far away."""
        if not len(self._lengths):
            return 0.0, math.dist((x, y), self._line[0].tolist())
        first = max(0, int(np.searchsorted(self._begins, low, side="right")) - 1)
        end = min(len(self._lengths), int(np.searchsorted(self._begins, high)))
        best = self._along, math.inf
        for segment in range(first, max(end, first + 1)):
            (ax, ay), (bx, by) = self._line[segment].tolist(), self._line[segment + 1].tolist()
            length, begin = float(self._lengths[segment]), float(self._begins[segment])
            share = ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length
            along = min(max(share, 0.0, low - begin), length, max(0.0, high - begin))
            px, py = ax + (bx - ax) * along / length, ay + (by - ay) * along / length
            off = math.hypot(x - px, y - py)
            if off < best[1] or (off == best[1] and begin + along > best[0]):
                best = begin + along, off
        return best

    def _progress(self, here: tuple[float, float], off: float) -> Progress:
        total = float(self._begins[-1])
        ends = np.searchsorted(self._begins, self._along, side="right")
        corner = min(int(ends), len(self._line) - 1)
        # A corner that is reached is none to steer for any more.
        while corner < len(self._line) - 1 and (
            math.dist(here, self._line[corner].tolist()) <= self._reach
        ):
            corner += 1
        arrived = math.dist(here, self._line[-1].tolist()) <= self._reach and (
            total - self._along <= 2 * self._reach
        )
        x, y = self._line[corner].tolist()
        return Progress(
            corner=(x, y),
            along=self._along,
            left=total - self._along,
            off=off,
            strayed=off > self._strayed,
            stuck=not arrived and self._waited > self._patience,
            arrived=arrived,
        )

    # -- the path ahead ---------------------------------------------------------------------------

    @property
    def ahead(self) -> list[Place]:
        """Return the part of the path that is still to be walked, from the place last passed on."""
        passed = np.searchsorted(self._places_along, self._along * (1 + 1e-12), side="right")
        return self.path[max(0, int(passed) - 1) :]

    def still_valid(self) -> bool:
        """Tell whether what lies ahead can still be walked; what lies behind does not matter."""
        if not self._of_points and not self._nav.still_valid(self.ahead):
            return False
        if not (self._of_points or self._pull) or len(self._line) == 1:
            return True
        segment = int(np.searchsorted(self._begins, self._along, side="right")) - 1
        segment = min(segment, len(self._lengths) - 1)
        share = (self._along - self._begins[segment]) / self._lengths[segment]
        here = self._line[segment] + share * (self._line[segment + 1] - self._line[segment])
        begin = self.waypoints[segment]
        firsts = [begin]
        # Beside the middle of a cell, or off the grid of points, the line from here is another one
        # than the rest of the whole line, so either will do.
        if self._places.is_grid or is_point(begin):
            point = (*here.tolist(), *cast("Sequence[int]", begin)[2:])
            firsts.insert(
                0, cast("Place", self._points.cells(point) if self._places.is_grid else point)
            )
        return any(self._is_free([first, *self.waypoints[segment + 1 :]]) for first in firsts)

    def _is_free(self, waypoints: list[Place]) -> bool:
        try:
            self._nav.plane.any_angle_length(waypoints)
        except QueryError:
            return False
        return True

    def reenter(self, point: Sequence[float]) -> bool:
        """Lead an agent that was pushed away, or whose way is blocked, back to its path.

        It walks from the place nearest to where it is to one of the next places of its path, the
        one by way of which the rest costs least, and follows the path from there. Where the path
        itself cannot be walked any more a new one is taken to its end.

        Args:
            point: as for :meth:`update`.

        Returns:
            Whether there is a way; where there is none the path stays as it is.

        Raises:
            QueryError: the point is no point, or the profile can stand nowhere.
        """
        nav = self._nav
        if self._of_points:
            return self._lead_back(point)
        here = self._place_near(point)
        ahead = self.ahead
        goal = ahead[-1]
        rejoin = goal
        if nav.still_valid(ahead):
            targets = ahead[:_REENTRY]
            onward = np.array([nav.length(ahead[place:]) for place in range(len(targets))])
            there = np.array([nav.distance(here, each) for each in targets])
            # Of equally good places the last one: the way to it is the straighter.
            best = int(len(targets) - 1 - np.argmin((there + onward)[::-1]))
            if not math.isfinite(there[best]):
                return False
            rejoin = targets[best]
            rest = ahead[best + 1 :]
        else:
            rest = []
        way = nav.path(here, rejoin)
        if way is None:
            return False
        self._take(way + rest)
        self._last = _plane(point)
        return True

    def _lead_back(self, point: Sequence[float]) -> bool:
        """Lead an agent to the end of a path of points, by the shortest way from where it is."""
        goal = self.path[-1]
        if not is_point(goal):
            goal = cast("Place", tuple(self._points_of([goal])[0].tolist()))
        way = self._nav.plane.straight_path(point, cast("Sequence[float]", goal))
        if way is None:
            return False
        self._take(cast("list[Place]", way))
        self._last = _plane(point)
        return True

    def _place_near(self, point: Sequence[float]) -> Place:
        """Return the place that a point lies in, or else the nearest to it."""
        return cast("Place", self._nav.nearest(point))


def _turns(points: Float64Array) -> list[int]:
    """Return the indices at which a line of points turns, both ends included, none twice."""
    kept = [0]
    for here in range(1, len(points)):
        if (points[here] == points[kept[-1]]).all():
            continue
        if len(kept) > 1:
            (ax, ay), (bx, by) = (
                points[kept[-1]] - points[kept[-2]],
                points[here] - points[kept[-1]],
            )
            straight = abs(ax * by - ay * bx) <= _STRAIGHT * math.hypot(ax, ay) * math.hypot(bx, by)
            if straight and ax * bx + ay * by > 0:
                kept[-1] = here
                continue
        kept.append(here)
    return kept


def _plane(point: Sequence[float]) -> tuple[float, float]:
    try:
        x, y = map(number_of, () if isinstance(point, bytes) else point[:2])
    except (TypeError, ValueError):
        x = y = math.nan
    if not (math.isfinite(x) and math.isfinite(y)):
        raise QueryError(f"{quoted(point)} is no point", expected="(x, y), two finite numbers")
    return x, y


def _positive(name: str, given: float | None, default: float) -> float:
    value = default if given is None else number_of(given)
    if not 0 < value < math.inf:
        raise QueryError(f"{name} is {quoted(given)}", expected="a finite number above 0")
    return value
