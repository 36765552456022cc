"""The belief of a side about a level: the arcs it has observed, and guesses about all others.

A belief is a graph beside the level, which allies share. Agents plan over the belief and correct it
by observations.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from bake.core.arrays import BoolArray, Int32Array, Int64Array
from bake.core.graph import BLOCKED, MAX_WEIGHT
from bake.extras.crowds.possible import (
    TrueArcs,
    are_neighbours,
    diagonals_past,
    flanks,
    guessed_weights,
    has_diagonals,
    norm_of,
    possible_arcs,
)
from bake.extras.crowds.sight import cells_in_sight, nodes_in_sight
from bake.play.navigator import Navigator
from bake.play.reader.places import NodePlaces
from bake.play.snapshot import Snapshot
from levelbake.errors import QueryError
from levelbake.places import AnyPlace, Place, number_of, quoted, whole_of

if TYPE_CHECKING:
    from bake.search.incremental.twins import TwinArcs
    from bake.search.point.estimates import Estimate

#: Guesses about cells that were not observed; a number is a cost in units.
UNKNOWN = ("optimistic", "pessimistic")


class Change:
    """The changes of a belief by one observation.

    Attributes:
        arcs: (k) int64, the arcs with new weights.
        cheaper: whether any of them costs less than before.
    """

    __slots__ = ("arcs", "cheaper")

    def __init__(self, arcs: Int64Array, cheaper: bool) -> None:
        self.arcs = arcs
        self.cheaper = cheaper


class Belief:
    """The belief of a side about a level, for one profile.

    The observation of a place reveals whether the profile can stand there, the costs of steps to
    all other observed places, and the links that begin or end there. A diagonal past an observed
    wall is closed where corners may not be cut. An observation is believed until the next one of
    the same place, even if the level has changed since.

    Attributes:
        places: the places of the level.
        arcs: every arc that the level may have, with the believed weights.
        changes: the changes by each observation so far; each plan stores how many it has read.
        epoch: the number of times that the heuristic was rebuilt because the level changed in an
            unforeseen way. Plans then start again.

    Example:
        >>> from bake.play import open_asset
        >>> with open_asset("baked/keep.h5") as level:
        ...     belief = Belief(level.profile())
        ...     _ = belief.observe(belief.around((3, 4), 2))
        ...     belief.seen((4, 5)), belief.seen((50, 41))
        (True, False)
    """

    def __init__(self, nav: Navigator, unknown: str | float = "optimistic") -> None:
        """Create a belief without observations.

        Args:
            nav: a profile of an open level.
            unknown: the guess about unobserved arcs. "optimistic": every step is possible, at the
                lowest cost of such a step in the current level, and stairs may lead from any cell
                to the next floor. "pessimistic": no step is possible. A number: every step is
                possible, and a straight step or stairs cost this many units.

        Raises:
            QueryError: ``unknown`` is something else, or the level has headings.
        """
        snapshot = nav._now
        self.places = snapshot.version.places
        unknown = _checked_unknown(unknown, self.places.ticks_per_unit)
        true = TrueArcs.from_version(snapshot.version)
        self.arcs: TwinArcs = possible_arcs(self.places, true)
        self._guess = guessed_weights(self.places, self.arcs, true, unknown)
        self.arcs.weight[:] = self._guess
        cutting = self.places.asset.text("corner_cutting") if has_diagonals(self.places) else None
        # The number of walls beside a diagonal step that close it; 3 = never closed.
        self._closing = {"never": 1, "one_free": 2}.get(cutting or "", 3)
        self.changes: list[Change] = []
        self.epoch = 0
        self._nav = nav
        self._truth = snapshot
        self._version = 1
        # The version of the level in which each location was last observed; 0 = never.
        self._seen = np.zeros(self.arcs.node_count, dtype=np.int32)
        # Locations where the profile could not stand when last observed.
        self._wall = np.zeros(self.arcs.node_count, dtype=np.bool_)
        self.estimate = self._norm(true)

    def _norm(self, true: TrueArcs) -> Estimate:
        """Return a heuristic that is consistent for the believed and the current arcs."""
        open_arcs = np.flatnonzero(self.arcs.weight != BLOCKED)
        tail = np.concatenate([self.arcs.tail(open_arcs), true.tail])
        head = np.concatenate([self.arcs.head[open_arcs], true.head])
        weight = np.concatenate([self.arcs.weight[open_arcs], true.weight])
        return norm_of(self.places, tail, head, weight)

    # -- looking ----------------------------------------------------------------------------------

    def observe(self, places: npt.ArrayLike | Iterable[Place]) -> int:
        """Observe the current state of some places.

        Args:
            places: any number of cells or node names; walls are places, too.

        Returns:
            The number of arcs whose believed cost has changed.

        Raises:
            QueryError: there is no such place.
        """
        given = cast("Iterable[Place]", places)
        listed: Any = places if isinstance(places, np.ndarray) else list(given)
        location = self.places.locations(listed, "places")
        if location.min(initial=0) < 0:
            first = int(np.flatnonzero(location < 0)[0])
            self.places.location(self.places.listed(listed)[first])
        return self.see(location)

    def observe_all(self) -> int:
        """Observe the whole level, as an agent with a map; later changes stay unobserved."""
        return self.see(np.arange(self.arcs.node_count, dtype=np.int32))

    def see(self, location: Int32Array) -> int:
        """Observe locations; see :meth:`observe`."""
        self._look_up()
        fresh = np.unique(location[self._seen[location] != self._version]).astype(np.int64)
        if not len(fresh):
            return 0
        self._seen[fresh] = self._version
        self._wall[fresh] = self._truth.version.rows_of(fresh.astype(np.int32)) < 0
        arcs = self.arcs.out_of(fresh)
        if self._closing < 3:
            arcs = np.concatenate([arcs, diagonals_past(self.places, self.arcs, fresh)])
        arcs = np.unique(np.concatenate([arcs, self.arcs.twin[arcs].astype(np.int64)]))
        weight = self._weights(arcs)
        other = np.flatnonzero(weight != self.arcs.weight[arcs])
        if not len(other):
            return 0
        arcs, weight = arcs[other], weight[other]
        cheaper = bool((weight < self.arcs.weight[arcs]).any())
        self.arcs.weight[arcs] = weight
        self.changes.append(Change(arcs, cheaper))
        return len(arcs)

    def _weights(self, arcs: Int64Array) -> Int32Array:
        """Return (k) int32, the believed ticks of some arcs."""
        tail, head, seen = self.arcs.tail(arcs), self.arcs.head[arcs], self._seen
        weight = self._guess[arcs]
        if self._closing < 3:
            diagonal, flank = flanks(self.places, tail, head)
            walls = self._wall[flank[diagonal]].sum(axis=1)
            weight[np.flatnonzero(diagonal)[walls >= self._closing]] = BLOCKED
        known = (seen[tail] > 0) & (seen[head] > 0)
        # All arcs to a wall are blocked.
        known |= self._wall[tail] | self._wall[head]
        if self.places.is_grid:  # A ladder is visible from either end.
            jumps = ~are_neighbours(self.places, tail, head)
            known |= jumps & ((seen[tail] > 0) | (seen[head] > 0))
        weight[known] = _true_weights(self._truth, tail[known], head[known])
        return weight

    def _look_up(self) -> None:
        """Adopt the newest version of the level."""
        now = self._nav._now
        if now is self._truth:
            return
        self._truth = now
        self._version += 1
        true = TrueArcs.from_version(now.version)
        others = self.places is not now.version.places
        if others:
            self._take(now.version.places)
        jumps = self.arcs.find(true.tail, true.head) < 0
        if jumps.any():
            self._add(true, jumps)
        estimate = self._norm(true)
        if others or _measure(estimate) != _measure(self.estimate) or jumps.any():
            self.estimate = estimate
            self.epoch += 1

    def _take(self, places: NodePlaces) -> None:
        """Extend the belief by nodes that were added to the level."""
        before, self.places = self.places, places
        more = len(places.names) - self.arcs.node_count
        first_out = np.append(self.arcs.first_out, np.full(more, self.arcs.first_out[-1]))
        self.arcs = self.arcs._replace(first_out=first_out)
        self._seen = np.append(self._seen, np.zeros(more, dtype=np.int32))
        self._wall = np.append(self._wall, np.zeros(more, dtype=np.bool_))
        renamed = [a != b for a, b in zip(before.names, places.names, strict=False)]
        self._seen[np.flatnonzero(renamed)] = 0

    def _add(self, true: TrueArcs, new: BoolArray) -> None:
        """Extend the belief by arcs that were added to the level."""
        from bake.search.incremental.twins import twin_arcs

        before, tail = self.arcs, self.arcs.tails()
        tails = np.concatenate([tail, true.tail[new]])
        heads = np.concatenate([before.head, true.head[new]])
        self.arcs = twin_arcs(before.node_count, tails, heads)
        where = self.arcs.find(tail, before.head)
        self.arcs.weight[where] = before.weight
        guess, self._guess = self._guess, np.full_like(self.arcs.weight, BLOCKED)
        self._guess[where] = guess
        # Arcs have new numbers, so plans start again.
        self.changes.clear()

    @property
    def profile(self) -> str:
        """The name of the profile."""
        return self._nav.name

    def standing(self, place: Place) -> int:
        """Return the location of a place on which the profile can stand in the current level.

        Raises:
            OutsideMapError, UnknownNodeError: there is no such place.
            BlockedCellError: the profile cannot stand there.
        """
        snapshot = self._nav._now
        return int(snapshot.version.location[snapshot.rows.row(place)])

    def seen(self, place: Place) -> bool:
        """Return True if a place was observed.

        Raises:
            QueryError: there is no such place.
        """
        return bool(self._seen[self.places.location(place)] > 0)

    def seen_everywhere(self) -> BoolArray:
        """Return a mask of observed places, (height, width) bool; (n) on graphs."""
        seen = self._seen > 0
        return seen.reshape(self.places.height, self.places.width) if self.places.is_grid else seen

    def around(self, place: Place, radius: int) -> list[AnyPlace]:
        """Return the places within a number of columns and rows, or of arcs on graphs.

        This is for agents that see through walls; :meth:`in_sight` is for others. A game with its
        own rule of sight passes its places to :meth:`observe`.

        Raises:
            QueryError: there is no such place, or the radius is no whole number from 0 on.
        """
        here = self.places.location(place)
        return [self.places.place_at(each) for each in self.locations_around(here, radius).tolist()]

    def in_sight(self, place: Place, radius: float) -> list[AnyPlace]:
        """Return the places in a straight line of sight from one.

        On grids, cells that the profile cannot cover in the current level are walls, and are
        visible with the open cells that they touch. On planes the lines are those of
        ``nav.plane.smooth``, and on graphs they follow arcs in a straight line.

        Args:
            place: a place of the level.
            radius: the range of sight in a straight line, in steps between neighboring cells or in
                units of the nodes' positions.

        Raises:
            QueryError: there is no such place, the radius is out of range, or nodes have no
                positions.
        """
        here = self.places.location(place)
        found = self.locations_in_sight(here, radius)
        return [self.places.place_at(each) for each in found.tolist()]

    def locations_around(self, here: int, radius: int) -> Int32Array:
        """Return (k) int32, the locations within a number of columns and rows, or of arcs."""
        places, most = self.places, self.arcs.node_count
        if whole_of(radius) < 0:
            raise QueryError(f"the radius is {quoted(radius)}", expected="a whole number from 0 on")
        radius = min(whole_of(radius), most)  # No location is farther away.
        if not places.is_grid:
            near = np.array([here], dtype=np.int64)
            for _ in range(radius):
                wider = np.union1d(near, self.arcs.head[self.arcs.out_of(near)]).astype(np.int64)
                if len(wider) == len(near):
                    break
                near = wider
            return near.astype(np.int32)
        y, x = divmod(here, places.width)
        floor = places.floor_height or places.height
        low, high = y // floor * floor, (y // floor + 1) * floor
        xs = np.arange(max(0, x - radius), min(places.width, x + radius + 1), dtype=np.int32)
        ys = np.arange(max(low, y - radius), min(high, y + radius + 1), dtype=np.int32)
        return (ys[:, None] * np.int32(places.width) + xs).ravel()

    def locations_in_sight(self, here: int, radius: float) -> Int32Array:
        """Return (k) int32, the locations visible from one; see :meth:`in_sight`."""
        self._look_up()
        places = self.places
        if not places.is_grid:
            far = number_of(radius)
            if not far >= 0:
                raise QueryError(f"the radius is {quoted(radius)}", expected="units from 0 on")
            return nodes_in_sight(self._truth, here, far)
        if not 0 <= whole_of(radius) <= 32:
            raise QueryError(f"the radius is {quoted(radius)}", expected="a whole number, 0 to 32")
        radius = whole_of(radius)
        # Rows of hexagons are closer to each other than the hexagons of a row.
        near = self.locations_around(here, radius + (radius + 5) // 6)
        size = places.asset.graph.mover(self.profile).size
        return cells_in_sight(self._truth.version, size, here, near, radius)

    # -- what is believed -------------------------------------------------------------------------

    def ticks(self, tail: int, head: int) -> int:
        """Return the believed ticks of a step between two neighboring locations."""
        first, end = self.arcs.first_out[tail : tail + 2].tolist()
        arc = first + int(np.searchsorted(self.arcs.head[first:end], head))
        return int(self.arcs.weight[arc])

    def steps_to(self, tail: int, head: int) -> bool:
        """Return True if a believed step leads from one location to another."""
        first, end = self.arcs.first_out[tail : tail + 2].tolist()
        joined = self.arcs.head[first:end] == head
        return bool((self.arcs.weight[first:end][joined] != BLOCKED).any())

    def length(self, locations: Int32Array) -> float:
        """Return the believed cost of a path in units; inf if a step is blocked."""
        ticks = [
            self.ticks(*ends)
            for ends in zip(locations[:-1].tolist(), locations[1:].tolist(), strict=True)
        ]
        blocked = int(BLOCKED) in ticks
        return math.inf if blocked else sum(ticks) / self.places.ticks_per_unit

    @property
    def nbytes(self) -> int:
        """The bytes of the belief, without its plans."""
        logged = sum(change.arcs.nbytes for change in self.changes)
        arrays = (*self.arcs, self._guess, self._seen, self._wall)
        return sum(each.nbytes for each in arrays) + logged


def _true_weights(truth: Snapshot, tail: Int32Array, head: Int32Array) -> Int32Array:
    """Return (k) int32 ticks of steps between locations as they are; BLOCKED where none is."""
    version = truth.version
    graph, weight = version.usable.graph, version.usable.weight
    row, ahead = version.rows_of(tail), version.rows_of(head)
    found = np.full(len(tail), BLOCKED, dtype=np.int32)
    there = np.flatnonzero((row >= 0) & (ahead >= 0))
    first, end = graph.first_out[row[there]], graph.first_out[row[there] + 1]
    for slot in range(int((end - first).max(initial=0))):
        has = np.flatnonzero(first + slot < end)
        arc = first[has] + slot
        leads = graph.head[arc] == ahead[there[has]]
        where = there[has[leads]]
        # Of parallel arcs the lightest counts.
        found[where] = np.minimum(found[where], weight[arc[leads]])
    return found


def _measure(estimate: Estimate) -> tuple[int, int, int, int, float]:
    return estimate.kind, estimate.straight, estimate.extra, estimate.shift, estimate.scale


def _checked_unknown(unknown: str | float, ticks_per_unit: int) -> str | float:
    most = MAX_WEIGHT / ticks_per_unit / 2
    if isinstance(unknown, str) and unknown in UNKNOWN:
        return unknown
    if 0 < (units := number_of(unknown)) <= most:
        return units
    raise QueryError(
        f"unknown is {quoted(unknown)}",
        expected=f"{' or '.join(map(repr, UNKNOWN))}, or a price above 0, at most {most:g} units",
    )
