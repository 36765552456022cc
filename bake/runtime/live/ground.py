"""What the ground is at one moment: terrain, obstacles, and arcs with a price of their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from bake.arrays import BoolArray, Int64Array, UInt8Array
from bake.runtime.live.rules import LevelRules

#: Price of an arc that is closed.
CLOSED = float("inf")


@dataclass(frozen=True)
class Edit:
    """One batch of changes, by spots.

    Attributes:
        blocked, opened: spots that get, or lose, an obstacle.
        terrain: new terrain by spot.
        arcs: new price in units by (tail, head) spot; CLOSED, or None for the usual one.
    """

    blocked: tuple[int, ...] = ()
    opened: tuple[int, ...] = ()
    terrain: Mapping[int, int] | None = None
    arcs: Mapping[tuple[int, int], float | None] | None = None


@dataclass(frozen=True)
class Ground:
    """The ground at one moment.

    Attributes:
        terrain: (spots) uint8.
        obstacle: (spots) bool, where nobody can stand whatever the terrain.
        prices: units by (tail, head) spot, of arcs that do not cost what the terrain says.
    """

    terrain: UInt8Array
    obstacle: BoolArray
    prices: Mapping[tuple[int, int], float]

    @staticmethod
    def baked(rules: LevelRules) -> Ground:
        """The ground as it was baked."""
        return Ground(rules.terrain, np.zeros(rules.spot_count, dtype=np.bool_), {})

    def edited(self, edit: Edit, floor: BoolArray, usual: int) -> Ground:
        """The ground after a batch.

        Args:
            floor: (terrain) bool, what some profile can stand on.
            usual: the terrain an opened wall becomes.
        """
        terrain, obstacle, prices = self.terrain.copy(), self.obstacle.copy(), dict(self.prices)
        obstacle[list(edit.blocked)] = True
        opened = np.array(edit.opened, dtype=np.int64)
        obstacle[opened] = False
        walls = opened[~floor[terrain[opened]]]
        terrain[walls] = usual
        for spot, code in (edit.terrain or {}).items():
            terrain[spot] = code
        for arc, units in (edit.arcs or {}).items():
            prices.pop(arc, None)
            if units is not None:
                prices[arc] = units
        return Ground(terrain, obstacle, prices)

    def changed_spots(self, other: Ground) -> Int64Array:
        """Spots that are not the same in both."""
        return np.flatnonzero((self.terrain != other.terrain) | (self.obstacle != other.obstacle))

    def changed_prices(self, other: Ground) -> set[tuple[int, int]]:
        """Arcs whose own price is not the same in both."""
        both = set(self.prices.items()) ^ set(other.prices.items())
        return {arc for arc, _ in both}
