"""Say how agents move: rules of corners, costs and slopes, and what an agent is to them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np

from bake.arrays import BoolArray, Float64Array, Int64Array

Connectivity = Literal[4, 6, 8]
#: How many ways an agent can face; heading 0 is the east (of hexagons in columns the south), and
#: the others follow clockwise.
Headings = Literal[4, 6, 8]
CornerCutting = Literal["never", "one_free", "always"]
CostRule = Literal["mean", "entered"]

CONNECTIVITIES: tuple[Connectivity, ...] = (4, 6, 8)
CORNER_CUTTING: tuple[CornerCutting, ...] = ("never", "one_free", "always")
COST_RULES: tuple[CostRule, ...] = ("mean", "entered")


#: Largest side of a footprint, in cells.
MAX_SIZE = 16


@dataclass(frozen=True)
class MovementRules:
    """The rules by which cells and corners make steps, the same for every profile of a level."""

    corner_cutting: CornerCutting
    cost_rule: CostRule
    ticks_per_unit: int


class SlopeRule(NamedTuple):
    """What it means to a profile that the ground rises and falls.

    Attributes:
        up, down: units that each unit of rise and of fall adds to the price of a step, at least 0.
        climb, drop: the most that a single step may rise and fall; infinite = any.
    """

    up: float = 0.0
    down: float = 0.0
    climb: float = math.inf
    drop: float = math.inf

    @property
    def bars(self) -> bool:
        """Tell whether a step can be too steep."""
        return not (math.isinf(self.climb) and math.isinf(self.drop))

    def units(self, rise: Float64Array) -> Float64Array:
        """Return what some rises add to prices in units; falls are negative rises."""
        return np.where(rise > 0, self.up * rise, self.down * -rise)

    def fits(self, rise: Float64Array) -> BoolArray:
        """Return where a rise is neither too steep up nor too steep down."""
        return (rise <= self.climb) & (-rise <= self.drop)


#: Ground that rises and falls at no price, and is never too steep.
LEVEL_GROUND = SlopeRule()


@dataclass(frozen=True)
class Mover:
    """An agent profile in numbers.

    Attributes:
        cost: (terrains) float64 units of crossing one cell; NaN where the profile cannot go.
        allowed: (terrains, terrains) bool, True where it may step from the first onto the second.
        size: cells along one side of its square footprint.
        slope: what rises and falls of the ground mean to it.
        turn: units that turning by one heading costs, on levels with headings.
    """

    cost: Float64Array
    allowed: BoolArray
    size: int = 1
    slope: SlopeRule = LEVEL_GROUND
    turn: float = 1.0

    @cached_property
    def goes_anywhere(self) -> bool:
        """Tell whether every step between passable terrains is allowed."""
        passable = ~np.isnan(self.cost)
        return bool(self.allowed[np.ix_(passable, passable)].all())


def slope_units(
    slope: SlopeRule,
    elevation: Float64Array,
    tail: Int64Array,
    head: Int64Array,
    size: int = 1,
    width: int = 0,
) -> Float64Array:
    """Return (k) float64, what rise and fall of the ground add to the price of some steps.

    Each cell under a footprint makes the step, and the one that pays most counts.

    Args:
        slope: what slopes mean to the profile.
        elevation: (locations) float64.
        tail, head: (k) int64 locations at which the footprint fits.
        size: cells along one side of the footprint.
        width: of the level in cells, where the footprint has several.
    """
    most = np.zeros(len(tail))
    for down, right in np.ndindex(size, size):
        away = down * width + right
        rise = elevation[head + away] - elevation[tail + away]
        np.maximum(most, slope.units(rise), out=most)
    return most
