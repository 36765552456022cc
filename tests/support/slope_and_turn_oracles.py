"""Arcs on slopes, and of agents that face a way, in plain Python: from those of plain steps."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from tests.support.baked import GROUND
from tests.support.oracles import Cell, Ground, Lattice, hex_arcs, square_arcs

#: Steps of headings, clockwise from the east.
EIGHT = [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)]
FOUR = EIGHT[::2]


def sloped_arcs(
    grid: list[list[str]],
    heights: list[list[float]],
    slope: Mapping[str, float],
    connectivity: int,
    corners: str,
    cost_rule: str,
    layout: str | None,
    ground: Mapping[str, Ground] = GROUND,
) -> dict[tuple[Cell, Cell], int]:
    """Ticks of every step on ground that rises and falls, by the oracle of flat ground."""

    class Hilly(Lattice):
        def may_step(self, here: Cell, there: Cell) -> bool:
            return super().may_step(here, there) and fits(rise(here, there))

        def ticks(self, here: Cell, there: Cell, length: Fraction) -> int:
            up = rise(here, there)
            more = Fraction(slope.get("up", 0)) * max(up, 0)
            more += Fraction(slope.get("down", 0)) * max(-up, 0)
            entered = Fraction(self.ground[self.terrain(there)].cost or 0)
            left = Fraction(self.ground[self.terrain(here)].cost or 0)
            unit = entered if self.cost_rule == "entered" else (entered + left) / 2
            return round((unit * length + more) * self.ticks_per_unit)

    def rise(here: Cell, there: Cell) -> Fraction:
        return Fraction(heights[there[1]][there[0]]) - Fraction(heights[here[1]][here[0]])

    def fits(up: Fraction) -> bool:
        return up <= slope.get("climb", 99) and -up <= slope.get("drop", 99)

    lattice = Hilly(grid, ground, corners, cost_rule)
    return square_arcs(lattice, connectivity) if layout is None else hex_arcs(lattice, layout)


def turning_arcs(
    lattice: Lattice, headings: int, layout: str | None, turn: int
) -> dict[tuple[int, int, int], list[tuple[tuple[int, int, int], int]]]:
    """Arcs by (x, y, heading): steps of the oracle, for the heading they go in, and turns."""
    if layout is None:
        plain = square_arcs(lattice, headings)
        facing = {step: at for at, step in enumerate(EIGHT if headings == 8 else FOUR)}
    else:
        plain, facing = hex_arcs(lattice, layout), {}
    out: dict[Any, list[Any]] = {(x, y, h): [] for x, y in lattice.cells() for h in range(headings)}
    for (a, b), ticks in plain.items():
        if layout is None:
            heading = facing[b[0] - a[0], b[1] - a[1]]
        else:
            angle = np.arctan2(*(np.subtract(centre(layout, b), centre(layout, a))[::-1]))
            first = 0 if layout.endswith("r") else 90
            heading = round((np.degrees(angle) - first) / 60) % 6
        out[(*a, heading)].append(((*b, heading), ticks))
    for (x, y, h), arcs in out.items():
        arcs += [((x, y, (h + by) % headings), turn) for by in (1, -1)]
    return out


def centre(layout: str, cell: Cell) -> tuple[float, float]:
    x, y = cell
    line = y if layout.endswith("r") else x
    shove = 0.5 if (line & 1) == (1 if layout.startswith("odd") else 0) else 0.0
    high = 0.75**0.5
    return (x + shove, y * high) if layout.endswith("r") else (x * high, y + shove)
