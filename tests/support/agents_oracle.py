"""Square lattices with ledges, floors, links and large agents, cell by cell in plain Python."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from tests.support.oracles import ROOT_TWO, Cell, Lattice

Steps = dict[tuple[Cell, Cell], int]


@dataclass(frozen=True)
class Agents:
    """A lattice and who moves on it.

    Attributes:
        lattice: cells and rules.
        size: cells along one side of the footprint.
        ledges: letters of n, e, s, w by cell: headings no step onto or off it has.
        floor_height: rows of one floor; None = one floor.
    """

    lattice: Lattice
    size: int = 1
    ledges: Mapping[Cell, str] = field(default_factory=dict)
    floor_height: int | None = None

    def covered(self, anchor: Cell) -> list[Cell]:
        x, y = anchor
        return [(x + dx, y + dy) for dy in range(self.size) for dx in range(self.size)]

    def floor(self, cell: Cell) -> int:
        return 0 if self.floor_height is None else cell[1] // self.floor_height

    def fits(self, anchor: Cell) -> bool:
        return all(
            self.lattice.open(cell) and self.floor(cell) == self.floor(anchor)
            for cell in self.covered(anchor)
        )

    def anchors(self) -> list[Cell]:
        return [cell for cell in self.lattice.cells() if self.fits(cell)]

    def may_step(self, here: Cell, there: Cell) -> bool:
        """Whether every cell under the footprint may make the step."""
        if not (self.fits(here) and self.fits(there)) or self.floor(here) != self.floor(there):
            return False
        dx, dy = there[0] - here[0], there[1] - here[1]
        heading = {("e", dx > 0), ("w", dx < 0), ("s", dy > 0), ("n", dy < 0)}
        letters = {letter for letter, headed in heading if headed}
        for x, y in self.covered(here):
            onto = (x + dx, y + dy)
            if not self.lattice.may_step((x, y), onto):
                return False
            if letters & {*self.ledges.get((x, y), ""), *self.ledges.get(onto, "")}:
                return False
        return True

    def unit(self, anchor: Cell) -> Fraction:
        """The dearest cell under the footprint."""
        ground = self.lattice.ground
        terrains = {self.lattice.terrain(cell) for cell in self.covered(anchor)}
        return max(Fraction(ground[terrain].cost or 0) for terrain in terrains)

    def ticks(self, here: Cell, there: Cell, length: Fraction) -> int:
        unit = self.unit(there)
        if self.lattice.cost_rule == "mean":
            unit = (unit + self.unit(here)) / 2
        return round(unit * length * self.lattice.ticks_per_unit)


def agent_arcs(agents: Agents, connectivity: int) -> Steps:
    """Ticks by (from, to) of every step, links apart."""
    steps = {}
    for here in agents.anchors():
        x, y = here
        for there in [(x + dx, y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy]:
            if not agents.may_step(here, there):
                continue
            if there[0] == x or there[1] == y:
                steps[here, there] = agents.ticks(here, there, Fraction(1))
            elif connectivity == 8:
                ways = [(x, there[1]), (there[0], y)]
                free = sum(
                    agents.may_step(here, way) and agents.may_step(way, there) for way in ways
                )
                if free >= {"never": 2, "one_free": 1, "always": 0}[agents.lattice.corner_cutting]:
                    steps[here, there] = agents.ticks(here, there, ROOT_TWO)
    return steps


def swept_cells(here: Cell, there: Cell, size: int) -> set[Cell]:
    """Cells that a square sliding from one anchor to the other touches, by exact geometry."""
    dx, dy = there[0] - here[0], there[1] - here[1]
    touched = set()
    for x in range(min(here[0], there[0]), max(here[0], there[0]) + size):
        for y in range(min(here[1], there[1]), max(here[1], there[1]) + size):
            # The square at time t covers anchor + t * step; the cell is met if the open intervals
            # of both axes overlap at one time in [0, 1].
            first, last = Fraction(0), Fraction(1)
            for cell, start, step in ((x, here[0], dx), (y, here[1], dy)):
                # start + t * step < cell + 1 and start + t * step + size > cell
                low, high = Fraction(cell - size - start), Fraction(cell + 1 - start)
                if step == 0:
                    if not low < 0 < high:
                        first, last = Fraction(1), Fraction(0)
                    continue
                a, b = sorted((low / step, high / step))
                first, last = max(first, a), min(last, b)
            if first < last:
                touched.add((x, y))
    return touched


def link_ticks(
    links: Sequence[tuple[Cell, Cell, float | None, bool]], agents: Agents
) -> list[tuple[Cell, Cell, int]]:
    """(from, to, ticks) of every link whose ends the agents can stand on."""
    found = []
    for start, goal, cost, both_ways in links:
        if not (agents.fits(start) and agents.fits(goal)):
            continue
        rows = agents.floor_height or 10**9
        away = math.dist((start[0], start[1] % rows), (goal[0], goal[1] % rows))
        unit = max(1.0, away) if cost is None else cost
        ticks = round(unit * agents.lattice.ticks_per_unit)
        found.append((start, goal, ticks))
        if both_ways:
            found.append((goal, start, ticks))
    return found
