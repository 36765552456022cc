"""Price the arcs near a change for one profile, by the movement rules of a bake."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple, cast

import numpy as np
import numpy.typing as npt

from bake.core.arrays import AnyArray, BoolArray, Float64Array, Int32Array, Int64Array, UInt8Array
from bake.core.graph import BLOCKED, MAX_WEIGHT
from bake.play.live.cells import Values, window
from bake.play.live.ground import LevelState
from bake.play.live.links import LinkState
from bake.play.live.rules import STEPS, LevelRules
from levelbake.changes import CLOSED
from levelbake.errors import QueryError
from levelbake.hops import links_for, touched
from levelbake.steps import Footprints, Lattice, Prices, Vias, price_arcs, price_steps, to_ticks

#: Changes that lie closer together than this are looked at as one patch, in cells; and how many
#: cells with priced steps are remembered.
# limit: cells are priced one by one, old prices are dropped; lowered by changes
_NEAR, _REMEMBERED = 8, 2**14


class Arcs(NamedTuple):
    """Arcs and what they cost."""

    #: tail, head: (k) int64 locations
    tail: Int64Array
    head: Int64Array
    label: Int32Array  #: (k) int32, see :attr:`LevelRules.label`
    weight: Int32Array  #: (k) int32 ticks, BLOCKED where the arc may not be taken
    #: (k) float64, the cost before rounding; inf where the arc may not be taken
    units: Float64Array


class Patch(NamedTuple):
    """Locations near a change, and the steps out of them."""

    near: Int64Array  #: (k) int64 locations
    stands: BoolArray  #: (k) bool, True where the profile can stand
    steps: Arcs  #: the steps; none on graphs

    def moved(self, by: int) -> Patch:
        """Return the same patch at other locations."""
        near, stands, steps = self
        tail, head = steps.tail + by, steps.head + by
        return Patch(near + by, stands, Arcs(tail, head, *steps[2:]))


class Pricing:
    """Prices for one profile.

    Attributes:
        rules: the movement rules of the level.
        profile: the name of the profile.
        mover: what terrain means to it, and its size.
    """

    def __init__(self, rules: LevelRules, profile: str) -> None:
        self.rules, self.profile = rules, profile
        self.mover = rules.asset.graph.mover(profile)
        self._patches: dict[tuple[bytes, ...], Patch] = {}
        self._remembered = 0

    @cached_property
    def _takes(self) -> BoolArray:
        """Return (links) bool, True where a baked link is for the profile."""
        return links_for(self.profile, self.rules.links.values())

    def _footprints(self, level: LevelState) -> Footprints:
        mover, lattice = self.mover, self.rules.lattice
        elevation = level.rules.elevation
        # Values of cells are asked for like arrays, whether or not they are any.
        terrain, obstacle = cast("UInt8Array", level.terrain), cast("BoolArray", level.obstacle)
        return Footprints(mover, terrain, lattice, obstacle, elevation)

    def standing(self, level: LevelState, locations: Int64Array) -> BoolArray:
        """Return (k) bool, True where the profile can stand on the location."""
        return ~np.isnan(self.cost_at(level, locations))

    def cost_at(self, level: LevelState, locations: Int64Array) -> Float64Array:
        """Find what the dearest cell under the footprint costs at some locations.

        Returns:
            (k) float64 units; NaN where the footprint does not fit.
        """
        return self._footprints(level).cost_at(locations)

    def patch(self, level: LevelState, changed: Int64Array) -> Patch:
        """Find the locations whose arcs, out or in, may cost another price once some changed.

        What is near decides what steps cost, and doors open and close again and again. So patches
        are remembered, and used wherever the level looks the same.

        Args:
            level: the level after the change.
            changed: (k) int64 ascending.

        Raises:
            QueryError: a price does not fit the integer scale.
        """
        look = self._look(level, changed) if len(changed) else None
        if look is None:
            return self._patch(level, changed)
        found = self._patches.get(look)
        if found is None:
            found = self._patch(level, changed).moved(-int(changed[0]))
            if self._remembered > _REMEMBERED:
                self._patches, self._remembered = {}, 0
            self._remembered += len(found.near)
            self._patches[look] = found
        return found.moved(int(changed[0]))

    def _look(self, level: LevelState, changed: Int64Array) -> tuple[bytes, ...] | None:
        """Return all that prices near a change depend on, as bytes.

        It is None for changes far apart or near a border, and on graphs.
        """
        lattice, size = self.rules.lattice, self.mover.size
        if lattice is None or lattice.headings is not None:
            return None
        width, rows = lattice.width, lattice.rows
        first, last = int(changed[0]), int(changed[-1])
        (y, x), (end_y, end_x) = divmod(first, width), divmod(last, width)
        if len(changed) > 1:
            if end_y - y > _NEAR:
                return None
            columns = changed % width
            x, end_x = int(columns.min()), int(columns.max())
            if end_x - x > _NEAR:
                return None
        # Footprints at both ends of a step and at its flanks, of steps that touch a change.
        y, end_y, x, end_x = y - size - 1, end_y + size + 2, x - size - 1, end_x + size + 2
        floor = y // rows * rows
        if y < 0 or y < floor or end_y > floor + rows or x < 0 or end_x > width:
            return None
        kinds: list[Values] = [level.terrain, level.obstacle]
        if lattice.barred is not None:
            kinds.append(lattice.barred)
        if self.rules.elevation is not None:
            kinds.append(self.rules.elevation)
        down, along = slice(y, end_y), slice(x, end_x)
        seen = [window(kind, width, down, along).tobytes() for kind in kinds]
        # Where rows or columns are shoved, every other one looks another way.
        parity = b"" if lattice.hex_layout is None else bytes([y & 1, x & 1])
        return (parity, (changed - first).tobytes(), *seen)

    def _patch(self, level: LevelState, changed: Int64Array) -> Patch:
        lattice = self.rules.lattice
        near = touched(lattice, changed, self.mover.size)
        steps = _NONE if lattice is None else self._steps(lattice, level, near)
        return Patch(near, self.standing(level, near), steps)

    def steps_of(
        self, level: LevelState, cells: Int64Array
    ) -> tuple[BoolArray, UInt8Array, UInt8Array]:
        """Say of some cells of a large lattice what its asset says of every cell.

        Returns:
            (k) bool, True where the profile can stand; (k) uint8, the terrain of the dearest cell
            under its footprint there; and (k) uint8, bit s is set where it may take the step of
            slot s.

        Raises:
            QueryError: a price does not fit the integer scale.
        """
        lattice, cost = self.rules.lattice, self.cost_at(level, cells)
        assert lattice is not None
        stands = ~np.isnan(cost)
        price: UInt8Array = level.terrain[cells].astype(np.uint8)
        if self.mover.size > 1:
            paid = self.mover.cost
            order = np.argsort(paid)
            price[stands] = order[np.searchsorted(paid, cost[stands], sorter=order)]
        steps = np.zeros(len(cells), dtype=np.uint8)
        every = lattice.steps_from(cells[stands])
        prices = price_steps(self._footprints(level), self.rules.movement, every)
        takes = (self._ticks(prices) != BLOCKED).astype(np.uint8)
        takes <<= np.arange(takes.shape[1], dtype=np.uint8)
        steps[stands] = np.bitwise_or.reduce(takes, axis=1)
        return stands, price, steps

    def arcs_out_of(self, level: LevelState, locations: Int64Array) -> Arcs:
        """Price every arc there can be out of some locations.

        Raises:
            QueryError: a price does not fit the integer scale.
        """
        rules, lattice = self.rules, self.rules.lattice
        if lattice is None:
            arcs = self._baked_arcs(level, np.flatnonzero(np.isin(rules.tail, locations)))
        else:
            arcs = self._steps(lattice, level, locations)
            if len(rules.link_arcs):
                ends = rules.location_of_node[rules.tail[rules.link_arcs]]
                links = self._baked_arcs(level, rules.link_arcs[np.isin(ends, locations)])
                arcs = _together(arcs, links)
        if len(level.links.keys):
            own = np.isin(level.links.arcs.tail, locations)
            arcs = _together(arcs, self._new_arcs(level, np.flatnonzero(own)))
        return self._with_own_prices(level, arcs)

    def arcs_at(
        self, level: LevelState, locations: Int64Array, patch: Patch, before: LinkState
    ) -> Arcs:
        """Price every arc that leaves or enters some locations, or whose price depends on them.

        Args:
            patch: what :meth:`patch` says of the locations.
            before: links and arcs that may be gone now; those come with the weight BLOCKED.
        """
        rules, lattice = self.rules, self.rules.lattice
        if lattice is None:
            near = np.isin(rules.tail, locations) | np.isin(rules.places.head, locations)
            arcs = self._baked_arcs(level, np.flatnonzero(near))
        else:
            arcs = patch.steps
            if len(rules.link_arcs):
                arcs = _together(arcs, self._baked_arcs(level, rules.link_arcs))
        if len(level.links.keys):
            new = level.links.arcs
            near = np.isin(new.tail, patch.near) | np.isin(new.head, patch.near)
            if level.links.vias is not None:
                near |= np.diff(level.links.vias.first) > 0
            arcs = _together(arcs, self._new_arcs(level, np.flatnonzero(near)))
        if before is not level.links and len(before.keys):
            gone = np.setdiff1d(before.keys, level.links.keys, assume_unique=True)
            arcs = _together(arcs, self._closed(gone))
        return self._with_own_prices(level, arcs)

    def _steps(self, lattice: Lattice, level: LevelState, cells: Int64Array) -> Arcs:
        """Price all steps out of some cells."""
        steps = lattice.steps_from(cells)
        prices = price_steps(self._footprints(level), self.rules.movement, steps)
        weight, inside = self._ticks(prices), steps.inside
        tail = np.broadcast_to(cells[:, None], inside.shape)[inside]
        slot = np.arange(STEPS, STEPS + inside.shape[1], dtype=np.int32)
        label = np.broadcast_to(slot, inside.shape)[inside]
        return Arcs(tail, steps.head[inside], label, weight[inside], _units(prices)[inside])

    def _baked_arcs(self, level: LevelState, arcs: npt.NDArray[np.integer]) -> Arcs:
        """Price arcs of a graph level, or links."""
        rules, location = self.rules, self.rules.location_of_node
        tail = location[rules.tail[arcs]].astype(np.int64)
        head = location[rules.places.head[arcs]].astype(np.int64)
        taken = None
        if rules.lattice is not None:
            taken = self._takes & ~level.links.gone
            if rules.baked_vias is not None:
                taken &= self.clear(level, rules.baked_vias)
            taken = taken[rules.link[arcs]]
        footprints, length = self._footprints(level), rules.length[arcs]
        prices = price_arcs(footprints, rules.movement, tail, head, length, taken)
        label = np.asarray(arcs, dtype=np.int32)
        return Arcs(tail, head, label, self._ticks(prices), _units(prices))

    def clear(self, level: LevelState, vias: Vias) -> BoolArray:
        """Tell of which links nothing stands in the way: see :class:`levelbake.steps.Vias`."""
        terrain, obstacle = cast("UInt8Array", level.terrain), cast("BoolArray", level.obstacle)
        return vias.clear(self.mover.cost, terrain, obstacle)

    def _new_arcs(self, level: LevelState, arcs: Int64Array) -> Arcs:
        """Price arcs that the level was not baked with, and return the cheapest of each pair.

        Args:
            arcs: (k) int64, which of ``level.links.arcs``.
        """
        rules, links = self.rules, level.links
        tail, head = links.arcs.tail[arcs], links.arcs.head[arcs]
        units, taken = links.arcs.units[arcs], links.taken_by(self.profile)[arcs]
        if links.vias is not None:
            taken &= self.clear(level, links.vias)[arcs]
        footprints = self._footprints(level)
        prices = price_arcs(footprints, rules.movement, tail, head, units, taken)
        if rules.lattice is None and (links.rules.lengths or not footprints.makes_every_step):
            # Arcs of graphs obey terrain and slopes, which do not matter to links.
            steps = np.array([link is None for link in links.arcs.link], dtype=np.bool_)[arcs]
            bare = price_arcs(footprints, rules.movement, tail, head, units, None)
            pairs = zip(tail.tolist(), head.tolist(), strict=True)
            far = steps & np.array([pair in links.rules.lengths for pair in pairs], dtype=np.bool_)
            usable = np.where(steps, bare.usable, prices.usable)
            prices = Prices(usable, np.where(far, bare.units, units))
        weight = self._ticks(prices)
        order = np.lexsort((_units(prices), weight, head, tail))
        pair = tail[order] * rules.span + head[order]
        first = order[np.flatnonzero(np.diff(pair, prepend=-1))]
        ends, label = (tail[first], head[first]), rules.label_of_new(head[first])
        return Arcs(*ends, label, weight[first], _units(prices)[first])

    def _with_own_prices(self, level: LevelState, arcs: Arcs) -> Arcs:
        """Give arcs that may be taken the prices the game set for them, where it set any."""
        if not level.prices:
            return arcs
        count = self.rules.span
        own = sorted((a * count + b, units) for (a, b), units in level.prices.items())
        keys = np.array([key for key, _ in own], dtype=np.int64)
        wanted = arcs.tail * count + arcs.head
        place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        mine = np.flatnonzero((keys[place] == wanted) & (arcs.weight != BLOCKED))
        price = np.array([units for _, units in own])[place[mine]]
        weight, units = arcs.weight.copy(), arcs.units.copy()
        weight[mine], units[mine] = self._ticks(Prices(price != CLOSED, price)), price
        return arcs._replace(weight=weight, units=units)

    def _closed(self, keys: Int64Array) -> Arcs:
        """Return new arcs that are gone.

        Args:
            keys: (k) int64, see :attr:`LinkState.keys`.
        """
        tail, head = np.divmod(keys, self.rules.span)
        weight = np.full(len(keys), BLOCKED, dtype=np.int32)
        units = np.full(len(keys), np.inf)
        return Arcs(tail, head, self.rules.label_of_new(head), weight, units)

    def _ticks(self, prices: Prices) -> Int32Array:
        return to_ticks(prices, self.rules.movement.ticks_per_unit, self._off_the_scale)

    def _off_the_scale(self, arc: int, ticks: float) -> QueryError:
        return QueryError(
            f"a step would weigh {ticks:.4g} ticks",
            place=f"profile {self.profile!r}",
            expected=f"1 to {MAX_WEIGHT} ticks",
        )


_NONE = Arcs(
    np.empty(0, dtype=np.int64),
    np.empty(0, dtype=np.int64),
    np.empty(0, dtype=np.int32),
    np.empty(0, dtype=np.int32),
    np.empty(0, dtype=np.float64),
)


def _units(prices: Prices) -> Float64Array:
    return np.where(prices.usable, prices.units, np.inf)


def _together(arcs: Arcs, links: Arcs) -> Arcs:
    pairs: zip[tuple[AnyArray, AnyArray]] = zip(arcs, links, strict=True)
    return Arcs(*(np.concatenate(pair) for pair in pairs))
