"""Answer questions about a path: what it costs, what it goes through, how it becomes straight."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bake.arrays import Float64Array
from bake.play.current import Current, Questions
from bake.play.snapshot import Snapshot
from levelbake.errors import QueryError
from levelbake.places import Place, has_point

if TYPE_CHECKING:
    from bake.play.live.moves import Moves, Unfolded


class PathQuestions(Questions):
    """The part of :class:`bake.play.Navigator` that answers for paths that are known."""

    def __init__(self, current: Current, name: str) -> None:
        super().__init__(current, name)
        self._moves: tuple[Snapshot, Moves] | None = None

    def length(self, path: Sequence[Place]) -> float:
        """Return the cost of walking a path in units, each step priced before rounding to ticks.

        Args:
            path: neighbouring places, as :meth:`path` returns them; or points of a divided plane,
                as :meth:`path` and :meth:`straight_path` return them.

        Raises:
            QueryError: no arc of this profile joins two consecutive places.
        """
        now = self._now
        if not now.version.places.is_grid and has_point(*path):
            return now.sight.cost(path)
        return float(self._step_units(now, path).sum())

    def _step_units(self, now: Snapshot, path: Sequence[Place]) -> Float64Array:
        rows = now.rows.along(path)
        units = now.version.step_costs(rows)
        wrong = np.flatnonzero(np.isinf(units))
        if len(wrong):
            a, b = now.rows.places(rows[wrong[0] : wrong[0] + 2])
            raise QueryError(f"no step leads from {a!r} to {b!r} for profile {self.name!r}")
        return units

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
        units = self._step_units(now, path)
        if known is None or known[0] is not now:
            self._moves = known = now, Moves(now.version)
        return known[1].unfold(now.rows.places(now.rows.along(path)), units)

    def smooth(self, path: Sequence[Place]) -> list[Place]:
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
        return self._now.sight.smooth(path).places

    def furthest_visible(self, path: Sequence[Place], place: int) -> int:
        """Return the last place that a straight line from a place reaches at no higher cost.

        Args:
            path: as for :meth:`smooth`; both places belong to it.
            place: index of the place the agent stands on.

        Returns:
            An index, larger than ``place`` except at the path's end.

        Raises:
            QueryError: as for :meth:`smooth`; the index lies outside the path.
        """
        return self._now.sight.furthest(path, place)

    def any_angle_length(self, waypoints: Sequence[Place]) -> float:
        """Return the cost of going straight from each waypoint to the next, in units.

        Args:
            waypoints: as :meth:`smooth` returns them, or any places or points.

        Raises:
            QueryError: as for :meth:`smooth`; two waypoints have no straight way between them.
        """
        return self._now.sight.cost(waypoints)
