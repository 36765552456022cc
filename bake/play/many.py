"""Answer a game's questions about many places at once: pairs, whole paths, and one goal for all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np
import numpy.typing as npt

from bake.arrays import AnyArray, BoolArray, Float64Array, Int32Array, Int64Array
from bake.graph import INFINITY
from bake.play.current import Questions
from bake.play.snapshot import Snapshot
from levelbake.errors import QueryError
from levelbake.places import Name, Place, number_of, quoted


class ManyQuestions(Questions):
    """The part of :class:`bake.play.Navigator` that answers for many places in one call."""

    # -- pairs ------------------------------------------------------------------------------------

    def next_hops(
        self, starts: npt.ArrayLike, goals: npt.ArrayLike, *, strict: bool = True
    ) -> AnyArray:
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
        rows, goal_rows, stood = _pairs(now, starts, goals, strict)
        ahead = now.engine.hops(rows, goal_rows)
        if stood is not None:
            every = np.full(len(stood), -1, dtype=np.int32)
            every[stood] = ahead
            ahead = every
        return now.rows.array(ahead)

    def paths(
        self,
        starts: npt.ArrayLike,
        goals: npt.ArrayLike,
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
        rows, goal_rows, stood = _pairs(now, starts, goals, strict)
        walked: AnyArray
        if method == "table" and places.is_grid:
            first, cells = now.engine.ways_in_cells(rows, goal_rows)
            walked = places.with_floor(cells)
        else:
            walk = now.engine.ways if method == "table" else now.searches.hierarchy.many
            first, path = walk(rows, goal_rows)
            walked = now.rows.array(path)
        if stood is not None:
            count = np.zeros(len(stood) + 1, dtype=np.int64)
            count[1:][stood] = np.diff(first)
            first = np.cumsum(count)
        return first, walked

    def distances(
        self, starts: npt.ArrayLike, goals: npt.ArrayLike, *, strict: bool = True
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
        rows, goal_rows, stood = _pairs(now, starts, goals, strict)
        units = now.engine.all_ticks(rows, goal_rows) / self._units
        if stood is None:
            return units
        every = np.full(len(stood), np.inf)
        every[stood] = units
        return every

    def still_valid(
        self, path: npt.ArrayLike | Sequence[Place], first: npt.ArrayLike | None = None
    ) -> bool | BoolArray:
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
            if not len(cast("Sequence[Place]", path)):
                return True
            begin = np.array([0, len(cast("Sequence[Place]", path))], dtype=np.int64)
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

    # -- one place after the other -----------------------------------------------------------------

    def can_stand(self, places: Place | npt.ArrayLike) -> bool | BoolArray:
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

    def cost_at(self, places: Place | npt.ArrayLike) -> float | Float64Array:
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

    def neighbours(
        self, places: Place | npt.ArrayLike
    ) -> list[tuple[Place, float]] | tuple[Int64Array, AnyArray, Float64Array]:
        """Return where one step leads from a place, or from each of many, and what it costs.

        Links are steps, too. Where several lead to one place, the cheapest counts.

        Args:
            places: a place, or many as for :meth:`next_hops`.

        Returns:
            For one place (place, units) of each neighbour, in the asset's order. For many places
            first: (m + 1) int64; places: (k, 2) int32 cells, or (k,) object names on graph levels;
            and (k) float64 units: the neighbours of place i are ``places[first[i]:first[i + 1]]``.

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

    # -- one place and all others ------------------------------------------------------------------

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
        return self._over_places(now, now.ticks_toward(row) / self._units, np.inf)

    def distances_from(self, start: Place) -> Float64Array:
        """Return the distances from one start to every place; no baked table is needed.

        Returns:
            As for :meth:`distances_to`.

        Raises:
            QueryError: as for :meth:`next_hop`.
        """
        now = self._now
        ticks = now.around.ticks_from(now.rows.row(start))
        return self._over_places(now, ticks / self._units, np.inf)

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
        return self._over_places(now, now.rows.array(ahead), -1)

    def _over_places(self, now: Snapshot, values: AnyArray, nowhere: float) -> AnyArray:
        """Lay out a value of each row over the places of the level."""
        places, row = self._current.places, now.version.row_at
        spread = np.full((len(row), *values.shape[1:]), nowhere, dtype=values.dtype)
        if values.dtype == object:
            spread[:] = None
        spread[row >= 0] = values[row[row >= 0]]
        if places.floor_height is not None:
            shape: tuple[int, ...] = (places.floors, places.floor_height, places.width)
        else:
            shape = (places.height, places.width) if places.is_grid else (len(row),)
        return spread.reshape(*shape, *values.shape[1:])

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
            QueryError: as for :meth:`next_hop`; the budget is not a number from 0.
        """
        now = self._now
        row = now.rows.row(start)
        rows, ticks = now.around.within(row, _largest_ticks(budget, self._units))
        location = now.version.location[rows]
        order = np.lexsort((location, ticks))
        return now.rows.array(rows[order]), ticks[order] / self._units

    def nearest_of(self, start: Place, goals: npt.ArrayLike) -> Place | None:
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

    def next_hop_to_nearest(self, start: Place, goals: npt.ArrayLike) -> Place | None:
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
            return None if goal_row < 0 else start
        return now.rows.place(now.engine.hop(row, goal_row))

    def path_to_nearest(self, start: Place, goals: npt.ArrayLike) -> list[Place] | None:
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

    def nearest_reachable(self, start: Place, goal: Place) -> Place:
        """Return the place nearest to a goal that can be reached: where to go instead.

        Args:
            goal: a place of the level, also one that the profile cannot stand on.

        Returns:
            The goal itself where there is a path to it. Otherwise, of the places that a path leads
            to, the one at the shortest straight distance from the goal, measured as for
            :meth:`nearest`, on its floor if any can be reached there; of several the one with the
            shortest path, then the northernmost, then the westernmost.

        Raises:
            QueryError: as for :meth:`next_hop` about the start; there is no such goal; the graph
                has no positions.
        """
        now = self._now
        row = now.rows.row(start)
        location = self._current.places.location(goal)
        return now.rows.place(now.around.nearest_reached(row, location))

    def places(self) -> list[Place]:
        """Return all places that the profile can stand on, in the asset's order."""
        now = self._now
        row = now.version.row_at
        return now.rows.places(np.sort(row[row >= 0]))

    @property
    def node_names(self) -> tuple[Name, ...]:
        """Return the names of a graph level's nodes, in the asset's order; empty on grid levels."""
        places = self._current.places
        return () if places.is_grid else places.names


def _pairs(
    now: Snapshot, starts: npt.ArrayLike, goals: npt.ArrayLike, strict: bool
) -> tuple[Int32Array, Int32Array, BoolArray | None]:
    """Return the rows of starts and goals.

    If they are not checked strictly, only the pairs are returned of which the profile can stand on
    both places, and (m) bool which ones these are.
    """
    if strict:
        return *now.rows.pairs(starts, goals), None
    rows, goal_rows = now.rows.pairs_standing(starts, goals)
    stood = (rows >= 0) & (goal_rows >= 0)
    return rows[stood], goal_rows[stood], stood


def _nearest_row(now: Snapshot, row: int, goals: npt.ArrayLike) -> int:
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


def _beginnings(first: npt.ArrayLike, count: int) -> Int64Array:
    begin = np.asarray(first)
    if (
        begin.ndim != 1
        or begin.dtype.kind not in "iu"
        or not len(begin)
        or begin[0] != 0
        or begin[-1] != count
        or (np.diff(begin.astype(np.int64)) < 0).any()
    ):
        raise QueryError(
            "first does not divide the path", expected=f"ascending integers from 0 to {count}"
        )
    return begin.astype(np.int64)


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
