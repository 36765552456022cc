"""What steps cost one profile on the ground of a moment: the rules of a bake, a few arcs at a time.

The same rules as when a level is baked, to the last bit of the floating-point sums, so that an
edited level and a fresh bake of it agree tick by tick.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bake.arrays import BoolArray, Float64Array, Int32Array, Int64Array
from bake.errors import QueryError
from bake.graph import BLOCKED, MAX_WEIGHT
from bake.runtime.live.ground import CLOSED, Ground
from bake.runtime.live.rules import LevelRules, ProfileRules, lattice_steps

#: Label of an arc that is a lattice step; links and arcs of graphs have their number in the asset.
STEP = -1


@dataclass(frozen=True)
class Arcs:
    """Arcs and what they cost.

    Attributes:
        tail, head: (k) int64 spots.
        label: (k) int32, STEP or the arc's number in the asset.
        weight: (k) int32 ticks, BLOCKED where it may not be taken.
        units: (k) float64, the same before rounding; inf where it may not be taken.
    """

    tail: Int64Array
    head: Int64Array
    label: Int32Array
    weight: Int32Array
    units: Float64Array

    @staticmethod
    def together(parts: list[Arcs]) -> Arcs:
        return Arcs(
            np.concatenate([part.tail for part in parts]),
            np.concatenate([part.head for part in parts]),
            np.concatenate([part.label for part in parts]),
            np.concatenate([part.weight for part in parts]),
            np.concatenate([part.units for part in parts]),
        )


class Pricing:
    """Prices for one profile.

    Attributes:
        rules: the level's.
        profile: the profile's.
    """

    def __init__(self, rules: LevelRules, profile: ProfileRules) -> None:
        self.rules = rules
        self.profile = profile
        self._lattice = _Lattice(rules, profile) if rules.places.is_grid else None

    def standing(self, ground: Ground, spots: Int64Array) -> BoolArray:
        """(k) bool, whether the profile can stand there."""
        return ~np.isnan(self.cost_at(ground, spots))

    def cost_at(self, ground: Ground, spots: Int64Array) -> Float64Array:
        """(k) float64 units, the dearest ground under the footprint; NaN where it does not fit."""
        if self._lattice is not None:
            return self._lattice.cost_at(ground, spots)
        cost = self.profile.cost[ground.terrain[spots]]
        cost[ground.obstacle[spots]] = np.nan
        return cost

    def touched(self, spots: Int64Array) -> Int64Array:
        """Spots whose arcs, out or in, may cost something else once these have changed."""
        if self._lattice is not None:
            return self._lattice.touched(spots)
        return spots

    def arcs_out_of(self, ground: Ground, spots: Int64Array) -> Arcs:
        """Every arc there can be out of some spots.

        Raises:
            QueryError: a price that does not fit the integer scale.
        """
        if self._lattice is None:
            own = np.flatnonzero(np.isin(self.rules.tail, spots))
            return self._with_own_prices(ground, self._baked_arcs(ground, own))
        parts = [self._lattice.steps(ground, spots)]
        links = self.rules.link_arcs
        if len(links):
            ends = self.rules.spot_of_node[self.rules.tail[links]]
            parts.append(self._baked_arcs(ground, links[np.isin(ends, spots)]))
        return self._with_own_prices(ground, Arcs.together(parts))

    def arcs_at(self, ground: Ground, spots: Int64Array) -> Arcs:
        """Every arc that leaves or enters some spots, and every other they bear upon."""
        if self._lattice is None:
            near = np.isin(self.rules.tail, spots) | np.isin(self.rules.places.head, spots)
            return self._with_own_prices(ground, self._baked_arcs(ground, np.flatnonzero(near)))
        parts = [self._lattice.steps(ground, self._lattice.touched(spots))]
        links = self.rules.link_arcs
        if len(links):
            parts.append(self._baked_arcs(ground, links))
        return self._with_own_prices(ground, Arcs.together(parts))

    def _baked_arcs(self, ground: Ground, arcs: npt.NDArray[np.integer]) -> Arcs:
        """Arcs of a graph, and links."""
        rules, spot = self.rules, self.rules.spot_of_node
        tail = spot[rules.tail[arcs]].astype(np.int64)
        head = spot[rules.places.head[arcs]].astype(np.int64)
        before, after = self.cost_at(ground, tail), self.cost_at(ground, head)
        usable = ~np.isnan(before) & ~np.isnan(after)
        unit = (before + after) / 2 if rules.cost_rule == "mean" else after.copy()
        link = rules.link[arcs]
        is_link = link >= 0
        unit[is_link] = 1.0
        if is_link.any():
            usable[is_link] &= self.profile.takes[link[is_link]]
        step = ~is_link
        terrain = ground.terrain
        usable[step] &= self.profile.allowed[terrain[tail[step]], terrain[head[step]]]
        label = np.asarray(arcs, dtype=np.int32)
        return self._priced(tail, head, label, usable, unit * rules.length[arcs])

    def _priced(
        self,
        tail: Int64Array,
        head: Int64Array,
        label: Int32Array,
        usable: BoolArray,
        units: Float64Array,
    ) -> Arcs:
        ticks = np.rint(units * self.rules.places.ticks_per_unit)
        bad = np.flatnonzero(usable & ~((ticks >= 1) & (ticks <= MAX_WEIGHT)))
        if len(bad):
            raise off_the_scale(float(ticks[bad[0]]), self.profile.name)
        weight = np.full(len(tail), BLOCKED, dtype=np.int32)
        weight[usable] = ticks[usable].astype(np.int32)
        return Arcs(tail, head, label, weight, np.where(usable, units, np.inf))

    def _with_own_prices(self, ground: Ground, arcs: Arcs) -> Arcs:
        """Arcs a game has priced cost that, where they may be taken at all."""
        if not ground.prices:
            return arcs
        count = self.rules.spot_count
        own = sorted((a * count + b, units) for (a, b), units in ground.prices.items())
        keys = np.array([key for key, _ in own], dtype=np.int64)
        units = np.array([each for _, each in own])
        wanted = arcs.tail * count + arcs.head
        place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        mine = np.flatnonzero((keys[place] == wanted) & (arcs.weight != BLOCKED))
        price = units[place[mine]]
        weight, told = arcs.weight.copy(), arcs.units.copy()
        told[mine] = price
        ticks = np.rint(price * self.rules.places.ticks_per_unit)
        closed = price == CLOSED
        ticks[closed] = BLOCKED
        bad = np.flatnonzero(~closed & ~((ticks >= 1) & (ticks <= MAX_WEIGHT)))
        if len(bad):
            raise off_the_scale(float(ticks[bad[0]]), self.profile.name)
        weight[mine] = ticks.astype(np.int32)
        return Arcs(arcs.tail, arcs.head, arcs.label, weight, told)


def off_the_scale(ticks: float, profile: str) -> QueryError:
    return QueryError(
        f"a step would weigh {ticks:.4g} ticks",
        place=f"profile {profile!r}",
        expected=f"1 to {MAX_WEIGHT} ticks",
    )


class _Lattice:
    """Steps of a grid level."""

    def __init__(self, rules: LevelRules, profile: ProfileRules) -> None:
        self.rules = rules
        self.profile = profile
        self.width, self.height = rules.places.width, rules.places.height
        self.steps_of = lattice_steps(rules)

    def touched(self, spots: Int64Array) -> Int64Array:
        # An arc bears upon the footprints of both ends and of the two between them.
        size = self.profile.size
        y, x = np.divmod(spots, self.width)
        reach = np.arange(-size, 2)
        ys = (y[:, None, None] + reach[None, :, None]) + np.zeros((1, 1, len(reach)), np.int64)
        xs = (x[:, None, None] + reach[None, None, :]) + np.zeros((1, len(reach), 1), np.int64)
        inside = (ys >= 0) & (ys < self.height) & (xs >= 0) & (xs < self.width)
        return np.unique(ys[inside] * self.width + xs[inside])

    def cost_at(self, ground: Ground, spots: Int64Array) -> Float64Array:
        if self.profile.size == 1:
            cost = self.profile.cost[ground.terrain[spots]]
            cost[ground.obstacle[spots]] = np.nan
            return cost
        y, x = np.divmod(spots, self.width)
        worst = np.zeros(len(spots))
        for down in range(self.profile.size):
            for across in range(self.profile.size):
                inside = self._inside(x + across, y + down, y)
                at = np.where(inside, (y + down) * self.width + x + across, 0)
                cost = self.profile.cost[ground.terrain[at]]
                cost[ground.obstacle[at] | ~inside] = np.nan
                worst = np.maximum(worst, cost)
        return worst

    def _inside(self, x: Int64Array, y: Int64Array, from_y: Int64Array) -> BoolArray:
        """Whether a cell lies in the level, on the same floor as another row."""
        floor = self.rules.floor_height
        within: BoolArray = (x >= 0) & (x < self.width) & (y >= 0) & (y < self.height)
        within &= y // floor == from_y // floor
        return within

    def steps(self, ground: Ground, spots: Int64Array) -> Arcs:
        """All steps out of some cells."""
        y, x = np.divmod(spots, self.width)
        parity = y & 1 if (self.rules.places.hex_layout or "r").endswith("r") else x & 1
        dx, dy, bits = (each[parity] for each in self.steps_of)
        to_x, to_y = x[:, None] + dx, y[:, None] + dy
        inside = self._inside(to_x, to_y, y[:, None])
        tail = np.broadcast_to(spots[:, None], dx.shape)[inside]
        head = (to_y * self.width + to_x)[inside]
        dx, dy, bits = dx[inside], dy[inside], bits[inside]
        before, after = self.cost_at(ground, tail), self.cost_at(ground, head)
        usable = self._free(ground, tail, head, bits, before, after)
        barred = self.rules.barred
        if barred is not None:
            usable &= ((barred[tail] | barred[head]) & bits) == 0
        diagonal = (dx != 0) & (dy != 0) & (self.rules.places.hex_layout is None)
        if self.rules.corner_cutting != "always":
            at = np.flatnonzero(diagonal)
            free = [
                self._round(ground, tail[at], head[at], aside[at], bits[at])
                for aside in (tail + dx, tail + dy * self.width)
            ]
            both = self.rules.corner_cutting == "never"
            usable[at] &= free[0] & free[1] if both else free[0] | free[1]
        unit = (before + after) / 2 if self.rules.cost_rule == "mean" else after
        length = np.where(diagonal, math.sqrt(2), 1.0)
        ticks = np.rint(unit * length * self.rules.places.ticks_per_unit)
        bad = np.flatnonzero(usable & ~((ticks >= 1) & (ticks <= MAX_WEIGHT)))
        if len(bad):
            raise off_the_scale(float(ticks[bad[0]]), self.profile.name)
        weight = np.full(len(tail), BLOCKED, dtype=np.int32)
        weight[usable] = ticks[usable].astype(np.int32)
        label = np.full(len(tail), STEP, dtype=np.int32)
        return Arcs(tail, head, label, weight, np.where(usable, unit * length, np.inf))

    def _round(
        self,
        ground: Ground,
        tail: Int64Array,
        head: Int64Array,
        flank: Int64Array,
        bits: Int64Array,
    ) -> BoolArray:
        """Whether the profile could walk round a corner through this flank."""
        costs = [self.cost_at(ground, spots) for spots in (tail, flank, head)]
        # Headings of the two straight steps: the part of the diagonal one each of them is.
        first = np.where(flank // self.width == tail // self.width, bits & 0b1010, bits & 0b0101)
        free = self._free(ground, tail, flank, first, costs[0], costs[1])
        free &= self._free(ground, flank, head, bits & ~first, costs[1], costs[2])
        if self.rules.barred is not None:
            free &= (self.rules.barred[flank] & bits) == 0
        return free

    def _free(
        self,
        ground: Ground,
        tail: Int64Array,
        head: Int64Array,
        bits: Int64Array,
        before: Float64Array,
        after: Float64Array,
    ) -> BoolArray:
        """Whether terrain lets the profile step from one cell to a neighbouring one."""
        free: BoolArray = ~np.isnan(before) & ~np.isnan(after)
        if self.profile.size == 1:
            if not self.profile.for_all:
                free &= self.profile.allowed[ground.terrain[tail], ground.terrain[head]]
            return free
        barred = self.rules.barred
        if self.profile.for_all and barred is None:
            return free
        away = head - tail
        y, x = np.divmod(tail, self.width)
        head_y, head_x = np.divmod(head, self.width)
        dx, dy = head_x - x, head_y - y
        for down in range(self.profile.size):
            for across in range(self.profile.size):
                # A cell that is passable has both its ends in the level: the footprint fits.
                inside = self._inside(x + across, y + down, y)
                inside &= (x + across + dx >= 0) & (x + across + dx < self.width)
                inside &= (y + down + dy >= 0) & (y + down + dy < self.height)
                a = np.where(inside, (y + down) * self.width + x + across, 0)
                b = np.where(inside, a + away, 0)
                fine = self.profile.allowed[ground.terrain[a], ground.terrain[b]]
                if barred is not None:
                    fine &= ((barred[a] | barred[b]) & bits) == 0
                free &= fine | ~inside
        return free
