"""What goes straight through the plane: points of meshes, and paths pulled tight."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, cast

from bake.play.current import Current, Questions
from bake.play.follow import Follower, Paths
from bake.play.sight import Waypoints
from levelbake.errors import QueryError
from levelbake.places import AnyPlace, MaybeNone, Place, quoted

#: Neighboring places, or points of the plane.
Path = Sequence[Place | tuple[float, ...]]

#: How a path becomes straight.
Straight = Literal["funnel", "polyanya"]


class Plane(Questions):
    """Straight lines and points for one profile; get it from :attr:`bake.play.Navigator.plane`."""

    def __init__(self, current: Current, name: str, nav: Paths) -> None:
        super().__init__(current, name)
        self._nav = nav

    # -- points ------------------------------------------------------------------------------------

    def place_at(self, point: Sequence[float]) -> AnyPlace | MaybeNone:
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
    ) -> list[tuple[float, ...]] | MaybeNone:
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

    # -- paths -------------------------------------------------------------------------------------

    def smooth(self, path: Path) -> list[AnyPlace]:
        """Return the waypoints of a path pulled tight along straight lines.

        Agents go straight from each waypoint to the next, and no line costs more than what it
        replaces. On square grids no line cuts a corner the level's rule forbids, and on hexagonal
        ones it touches no closed cell; it crosses cells of one cost only, unless it runs along a
        row, column, diagonal or axis. On graphs only nodes at which the path goes straight on are
        left out. On navigation meshes and between walls a string is pulled.

        Args:
            path: neighbouring places, as :meth:`path` returns them; or points of a divided plane.

        Returns:
            Some of its places, both ends included; on navigation meshes and levels of points of
            visibility points of the plane, (x, y) or (x, y, floor), on the grid of 1/1024 of a
            unit.

        Raises:
            QueryError: agents of the level face headings; its nodes have no positions; no step
                joins two consecutive places.
        """
        return self._pull(cast("Sequence[Place]", path)).places

    def furthest_visible(self, path: Path, place: int) -> int:
        """Return the last place that a straight line from a place reaches at no higher cost.

        Args:
            path: as for :meth:`smooth`; both places belong to it.
            place: index of the place the agent stands on.

        Returns:
            An index, larger than ``place`` except at the path's end.

        Raises:
            QueryError: as for :meth:`smooth`; the index lies outside the path.
        """
        return self._now.sight.furthest(cast("Sequence[Place]", path), place)

    def any_angle_length(self, waypoints: Path) -> float:
        """Return the cost of going straight from each waypoint to the next, in units.

        Args:
            waypoints: as :meth:`smooth` returns them, or any places or points.

        Raises:
            QueryError: as for :meth:`smooth`; two waypoints have no straight way between them.
        """
        return self._now.sight.cost(cast("Sequence[Place]", waypoints))

    def follow(
        self,
        path: Path,
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
        pull = self._pull if smooth else None
        places = cast("Sequence[Place]", path)
        return Follower(
            self._nav, lambda: self._current.places, places, pull, reach, strayed, patience
        )

    def _pull(self, path: Sequence[Place]) -> Waypoints:
        return self._now.sight.smooth(path)
