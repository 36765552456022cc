"""Say what links cost that state nothing, and which of them nothing stands in the way of."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from bake.arrays import BoolArray, Float64Array, Int64Array, UInt8Array

#: The link of an arc that is not a link.
NO_LINK = np.int32(-1)


def straight_way(start: tuple[int, int], goal: tuple[int, int], floor_height: int | None) -> float:
    """Return what a link costs in units that states no cost: the straight way, at least 1.

    Floors lie above one another, so the straight way between two of them is that between the same
    places of one floor.

    Args:
        start, goal: cells (x, y) of the whole grid.
        floor_height: rows of each floor where there are several.
    """
    (x, y), (goal_x, goal_y) = start, goal
    if floor_height is not None:
        y, goal_y = y % floor_height, goal_y % floor_height
    return max(1.0, math.sqrt((goal_x - x) ** 2 + (goal_y - y) ** 2))


#: The most cells that a link passes through.
MAX_VIA = 4096


class Vias(NamedTuple):
    """The cells that links pass through between their ends.

    Attributes:
        first: (links + 1) int64; the cells of link i are first[i] to first[i + 1] - 1.
        cell: (k) int64 cells.
        over: (links, terrains) bool, True where a link passes over a terrain that nobody can
            stand on.
    """

    first: Int64Array
    cell: Int64Array
    over: BoolArray

    @staticmethod
    def of(links: Sequence[tuple[Sequence[int], Iterable[int]]], terrains: int) -> Vias | None:
        """Make them of each link's cells and the terrains it passes over; None without cells.

        Args:
            links: cells, in order, and codes of terrains.
            terrains: how many terrains the level has.
        """
        if not any(len(cells) for cells, _ in links):
            return None
        over = np.zeros((len(links), terrains), dtype=np.bool_)
        for own, (_, codes) in zip(over, links, strict=True):
            own[list(codes)] = True
        first = np.cumsum([0, *(len(cells) for cells, _ in links)], dtype=np.int64)
        return Vias(first, np.array([c for cells, _ in links for c in cells], np.int64), over)

    def clear(
        self, cost: Float64Array, terrain: UInt8Array, obstacle: BoolArray | None
    ) -> BoolArray:
        """Tell which links nothing stands in the way of.

        A cell is clear that has no obstacle, and a terrain that the profile can stand on or that
        the link passes over.

        Args:
            cost: (terrains) float64 units, NaN where the profile cannot stand.
            terrain: (cells) uint8.
            obstacle: (cells) bool; None = there are none.

        Returns:
            (links) bool.
        """
        code, link = terrain[self.cell], np.repeat(np.arange(len(self.over)), np.diff(self.first))
        wrong = ~self.over[link, code] & np.isnan(cost[code])
        if obstacle is not None:
            wrong |= obstacle[self.cell]
        clear = np.ones(len(self.over), dtype=np.bool_)
        clear[link[wrong]] = False
        return clear
