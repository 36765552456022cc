"""Keep what a side knows of a level: which arcs it has seen, and what it thinks of the others.

A belief is a graph of its own beside the level, the same for all allies who share it. Agents plan
over it, so where the level is not what they think they find out by looking.
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

#: What may be thought of cells that nobody has seen; a number is a price in units.
UNKNOWN = ("optimistic", "pessimistic")


class Change:
    """What one look has changed.

    Attributes:
        arcs: (k) int64, the arcs whose weights are others now.
        cheaper: whether any of them costs less than before.
    """

    __slots__ = ("arcs", "cheaper")

    def __init__(self, arcs: Int64Array, cheaper: bool) -> None:
        self.arcs = arcs
        self.cheaper = cheaper


class Belief:
    """What a side knows of a level, for one profile.

    Seeing a place tells whether the profile can stand there, what the steps between it and all
    other places cost that have been seen, and which links begin or end there. A diagonal past a
    wall that was seen is closed where corners may not be cut. What was seen is believed until it is
    seen again, even if the level has changed since.

    Attributes:
        places: the places of the level.
        arcs: every arc that the level may have, with the weights that are believed now.
        changes: what each look has changed so far; whoever plans keeps how many it has read.
        epoch: how often the heuristic had to be made anew, because the level changed in a way that
            nobody could foresee. Plans begin anew then.
    """

    def __init__(self, nav: Navigator, unknown: str | float = "optimistic") -> None:
        """Begin with nothing seen.

        Args:
            nav: a profile of an open level.
            unknown: what to think of what was not seen. "optimistic": that one can go anywhere, at
                the least that such a step costs in the level as it is now, and that stairs may lead
                from any cell to the next floor. "pessimistic": that one can go nowhere. A number:
                that one can go anywhere, and a straight step or stairs cost so many units.

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
        # How many walls beside a diagonal step close it; more than there are where none does.
        self._closing = {"never": 1, "one_free": 2}.get(cutting or "", 3)
        self.changes: list[Change] = []
        self.epoch = 0
        self._nav = nav
        self._truth = snapshot
        self._version = 1
        # When each location was last seen, as the number of the level's version; 0 = never.
        self._seen = np.zeros(self.arcs.node_count, dtype=np.int32)
        # Where nobody could stand when that was last seen.
        self._wall = np.zeros(self.arcs.node_count, dtype=np.bool_)
        self.estimate = self._norm(true)

    def _norm(self, true: TrueArcs) -> Estimate:
        """Return a heuristic that holds for what is believed, and for what can be seen now."""
        open_arcs = np.flatnonzero(self.arcs.weight != BLOCKED)
        tail = np.concatenate([self.arcs.tail(open_arcs), true.tail])
        head = np.concatenate([self.arcs.head[open_arcs], true.head])
        weight = np.concatenate([self.arcs.weight[open_arcs], true.weight])
        return norm_of(self.places, tail, head, weight)

    # -- looking ----------------------------------------------------------------------------------

    def observe(self, places: npt.ArrayLike | Iterable[Place]) -> int:
        """See some places as they are now.

        Args:
            places: cells or node names, as many as you like; walls are places, too.

        Returns:
            How many arcs are believed to cost something else than before.

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
        """See the whole level as it is now, as an agent with a map; later changes stay unseen."""
        return self.see(np.arange(self.arcs.node_count, dtype=np.int32))

    def see(self, location: Int32Array) -> int:
        """See some locations: see :meth:`observe`."""
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
        """Return (k) int32 ticks, what is to be believed of some arcs by what has been seen."""
        tail, head, seen = self.arcs.tail(arcs), self.arcs.head[arcs], self._seen
        weight = self._guess[arcs]
        if self._closing < 3:
            diagonal, flank = flanks(self.places, tail, head)
            walls = self._wall[flank[diagonal]].sum(axis=1)
            weight[np.flatnonzero(diagonal)[walls >= self._closing]] = BLOCKED
        known = (seen[tail] > 0) & (seen[head] > 0)
        # What leads to a place where nobody can stand is blocked, wherever it comes from.
        known |= self._wall[tail] | self._wall[head]
        if self.places.is_grid:  # A ladder is seen from either end.
            jumps = ~are_neighbours(self.places, tail, head)
            known |= jumps & ((seen[tail] > 0) | (seen[head] > 0))
        weight[known] = _true_weights(self._truth, tail[known], head[known])
        return weight

    def _look_up(self) -> None:
        """Notice whether the level has changed since somebody last looked."""
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
        """Take nodes into account that came into the level after the belief was made."""
        before, self.places = self.places, places
        more = len(places.names) - self.arcs.node_count
        first_out = np.append(self.arcs.first_out, np.full(more, self.arcs.first_out[-1]))
        self.arcs = self.arcs._replace(first_out=first_out)
        self._seen = np.append(self._seen, np.zeros(more, dtype=np.int32))
        self._wall = np.append(self._wall, np.zeros(more, dtype=np.bool_))
        renamed = [a != b for a, b in zip(before.names, places.names, strict=False)]
        self._seen[np.flatnonzero(renamed)] = 0

    def _add(self, true: TrueArcs, new: BoolArray) -> None:
        """Take arcs into account that came into the level after the belief was made."""
        from bake.search.incremental.twins import twin_arcs

        before, tail = self.arcs, self.arcs.tails()
        tails = np.concatenate([tail, true.tail[new]])
        heads = np.concatenate([before.head, true.head[new]])
        self.arcs = twin_arcs(before.node_count, tails, heads)
        where = self.arcs.find(tail, before.head)
        self.arcs.weight[where] = before.weight
        guess, self._guess = self._guess, np.full_like(self.arcs.weight, BLOCKED)
        self._guess[where] = guess
        # Numbers of arcs are others now, and plans begin anew.
        self.changes.clear()

    @property
    def profile(self) -> str:
        """Return the name of the profile."""
        return self._nav.name

    def standing(self, place: Place) -> int:
        """Return the location of a place that the profile can stand on, as the level is now.

        Raises:
            OutsideMapError, UnknownNodeError: there is no such place.
            BlockedCellError: the profile cannot stand there.
        """
        snapshot = self._nav._now
        return int(snapshot.version.location[snapshot.rows.row(place)])

    def seen(self, place: Place) -> bool:
        """Tell whether a place was ever seen.

        Raises:
            QueryError: there is no such place.
        """
        return bool(self._seen[self.places.location(place)] > 0)

    def seen_everywhere(self) -> BoolArray:
        """Return which places were ever seen: (height, width) bool; (n) on graphs."""
        seen = self._seen > 0
        return seen.reshape(self.places.height, self.places.width) if self.places.is_grid else seen

    def around(self, place: Place, radius: int) -> list[AnyPlace]:
        """Return the places at most so many columns and rows away, on graphs so many arcs.

        This is for agents who see through walls; :meth:`in_sight` is for others. A game that knows
        better passes its own places to :meth:`observe`.

        Raises:
            QueryError: there is no such place, or the radius is no whole number from 0 on.
        """
        here = self.places.location(place)
        return [self.places.place_at(each) for each in self.locations_around(here, radius).tolist()]

    def in_sight(self, place: Place, radius: float) -> list[AnyPlace]:
        """Return the places that can be seen from one, in a straight line past no wall.

        On grids walls are cells that the profile cannot cover, as the level is now, and they are
        seen with the open cells that they touch. On planes lines are those of ``nav.plane.smooth``,
        and on graphs they follow arcs that lead straight on.

        Args:
            place: a place of the level.
            radius: how far one sees as the crow flies, in steps between neighbouring cells or in
                units of the nodes' positions.

        Raises:
            QueryError: there is no such place, the radius is out of range, or nodes have no
                positions.
        """
        here = self.places.location(place)
        found = self.locations_in_sight(here, radius)
        return [self.places.place_at(each) for each in found.tolist()]

    def locations_around(self, here: int, radius: int) -> Int32Array:
        """Return (k) int32, the locations at most so many columns and rows, or arcs, away."""
        places, most = self.places, self.arcs.node_count
        if whole_of(radius) < 0:
            raise QueryError(f"the radius is {quoted(radius)}", expected="a whole number from 0 on")
        radius = min(whole_of(radius), most)  # Nothing lies farther away than that.
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
        """Return (k) int32, the locations that can be seen from one: see :meth:`in_sight`."""
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
        # Rows of hexagons lie nearer to one another than hexagons of a row do.
        near = self.locations_around(here, radius + (radius + 5) // 6)
        size = places.asset.graph.mover(self.profile).size
        return cells_in_sight(self._truth.version, size, here, near, radius)

    # -- what is believed -------------------------------------------------------------------------

    def ticks(self, tail: int, head: int) -> int:
        """Return what a step between two neighbouring locations is believed to cost."""
        first, end = self.arcs.first_out[tail : tail + 2].tolist()
        arc = first + int(np.searchsorted(self.arcs.head[first:end], head))
        return int(self.arcs.weight[arc])

    def steps_to(self, tail: int, head: int) -> bool:
        """Tell whether a step that is believed in leads from one location to another."""
        first, end = self.arcs.first_out[tail : tail + 2].tolist()
        joined = self.arcs.head[first:end] == head
        return bool((self.arcs.weight[first:end][joined] != BLOCKED).any())

    def length(self, locations: Int32Array) -> float:
        """Return what a way is believed to cost, in units; inf where a step is blocked."""
        ticks = [
            self.ticks(*ends)
            for ends in zip(locations[:-1].tolist(), locations[1:].tolist(), strict=True)
        ]
        blocked = int(BLOCKED) in ticks
        return math.inf if blocked else sum(ticks) / self.places.ticks_per_unit

    @property
    def nbytes(self) -> int:
        """Return the bytes of the belief, without what each plan over it takes."""
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
