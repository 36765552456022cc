"""The rules of movement: steps between cells, corners, ledges, footprints, and what steps cost.

The bake prices every cell of a level with these functions, and an update of a game prices the cells
around a change. Both call the same functions, so an edited level and a new bake of it agree to the
tick. Wherever a cell is a number, that is y * width + x.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np

from levelbake.errors import BakeError

BoolArray = np.ndarray[Any, np.dtype[np.bool_]]
Int32Array = np.ndarray[Any, np.dtype[np.int32]]
Int64Array = np.ndarray[Any, np.dtype[np.int64]]
UInt8Array = np.ndarray[Any, np.dtype[np.uint8]]
Float64Array = np.ndarray[Any, np.dtype[np.float64]]
#: An array whose type is checked elsewhere, or one of several.
AnyArray = np.ndarray[Any, np.dtype[Any]]
#: Many places, as a game says them.
ArrayLike = Sequence[Any] | AnyArray

#: The weight of an arc that may not be used. In stored distances the same number means "no path".
BLOCKED = np.int32(2**31 - 1)

#: The distance inside kernels where there is no path yet. Every distance stays below it, so that a
#: distance plus a weight, or plus another distance, never wraps in int32.
INFINITY = 2**30

#: The largest weight of one arc, so that a distance plus a weight never wraps in int32.
# limit: a one-line error; tests/tables/test_limits.py
MAX_WEIGHT = 2**29

# -- rules ----------------------------------------------------------------------------------------

Connectivity = Literal[4, 6, 8]
#: How many ways an agent can face; heading 0 is the east (of hexagons in columns the south), and
#: the others follow clockwise.
Headings = Literal[4, 6, 8]
CornerCutting = Literal["never", "one_free", "always"]
CostRule = Literal["mean", "entered"]


class MovementRules(NamedTuple):
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


class Mover(NamedTuple):
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


# -- cells that are neighbours --------------------------------------------------------------------

HexLayout = Literal["odd-r", "even-r", "odd-q", "even-q"]


def in_rows(layout: str) -> bool:
    """Tell whether the lines of a layout are rows, which run from west to east."""
    return layout.endswith("r")


def shoved_parity(layout: str) -> int:
    """Return 1 where the odd lines of a layout are shoved on, and 0 where the even ones are."""
    return 1 if layout.startswith("odd") else 0


def hex_steps(layout: HexLayout, parity: int) -> tuple[tuple[int, int], ...]:
    """Return (dx, dy) of the six neighbours of a hexagon whose line has a parity."""
    on = 1 if parity == shoved_parity(layout) else 0
    if in_rows(layout):
        return ((1, 0), (on, 1), (on - 1, 1), (-1, 0), (on - 1, -1), (on, -1))
    return ((0, 1), (-1, on), (-1, on - 1), (0, -1), (1, on - 1), (1, on))


#: The headings of a step as bits; a diagonal step has two.
NORTH, EAST, SOUTH, WEST = 1, 2, 4, 8

Step = tuple[int, int]

#: The steps (dx, dy) in slot order: straight ones before diagonal ones, clockwise from east.
SQUARE_4: tuple[Step, ...] = ((1, 0), (0, 1), (-1, 0), (0, -1))
SQUARE_8: tuple[Step, ...] = (*SQUARE_4, (1, 1), (-1, 1), (-1, -1), (1, -1))

#: The headings of the six steps of :func:`hex_steps`, of lines that are rows and of columns.
HEX_ROWS = (EAST, SOUTH | EAST, SOUTH | WEST, WEST, NORTH | WEST, NORTH | EAST)
HEX_COLUMNS = (SOUTH, SOUTH | WEST, NORTH | WEST, NORTH, NORTH | EAST, SOUTH | EAST)

#: The slots of the diagonal steps, and of the straight steps to the two flanks of each.
DIAGONAL = slice(4, 8)
FLANKS = ([0, 2, 2, 0], [1, 1, 3, 3])


def heading(step: Step) -> int:
    """Return the heading of a step on a square lattice as bits."""
    dx, dy = step
    return (EAST if dx > 0 else WEST if dx < 0 else 0) | (
        SOUTH if dy > 0 else NORTH if dy < 0 else 0
    )


class Steps(NamedTuple):
    """The steps out of k cells, a row for each cell and a column for each slot.

    Attributes:
        tail: (k) int64 cells.
        head: (k, s) int64 cells; the tail itself where there is no such step.
        inside: (k, s) bool, True where the step stays in the level and on its floor.
    """

    tail: Int64Array
    head: Int64Array
    inside: BoolArray


class Lattice:
    """Cells, and which of them are neighbours.

    Attributes:
        width, height: in cells.
        connectivity: 4 or 8 on square lattices, 6 on hexagonal ones.
        hex_layout: None = square.
        floor_height: rows of one floor; None = there is one floor. No step leads to another one.
        barred: (cells) uint8 headings, or None. A ledge bars every step onto or off its cell that
            has one of these headings.
        headings: how many ways an agent can face, where each floor is the level as faced one of
            these ways; None = nobody faces any way. There are three slots then: a step along the
            heading, a turn clockwise, and one counter-clockwise.
        rows: how many rows one floor has.
        has_diagonals: whether steps lead to eight neighbours.
        slots: how many steps and turns each cell has, those that lead nowhere too.
    """

    def __init__(
        self,
        width: int,
        height: int,
        connectivity: Connectivity = 8,
        hex_layout: HexLayout | None = None,
        floor_height: int | None = None,
        barred: UInt8Array | None = None,
        headings: Headings | None = None,
    ) -> None:
        self.width, self.height, self.connectivity = width, height, connectivity
        self.hex_layout, self.floor_height = hex_layout, floor_height
        self.barred, self.headings = barred, headings
        self.rows = floor_height or max(1, height)
        self.has_diagonals = hex_layout is None and connectivity == 8
        self.slots = int(connectivity) if headings is None else 3

    @cached_property
    def plain(self) -> "Lattice":
        """Return the same cells, on which nobody faces any way."""
        cells = self.width, self.height, self.connectivity, self.hex_layout
        return Lattice(*cells, self.floor_height, self.barred)

    def slot_along(self, cells: Int64Array) -> Int64Array:
        """Return (k) int64, the slot of the plain lattice along the heading of each cell."""
        order = (0, 4, 1, 5, 2, 6, 3, 7) if self.headings == 8 else range(self.headings or 0)
        return np.array(order, dtype=np.int64)[cells // (self.width * self.rows)]

    def turned(self, cells: Int64Array, by: int) -> Int64Array:
        """Return (k) int64, the same cells some headings further clockwise."""
        assert self.headings is not None
        return (cells + by * (self.width * self.rows)) % (self.headings * self.width * self.rows)

    @cached_property
    def _moves(self) -> tuple[Int64Array, Int64Array]:
        """Return dx and dy of every slot, each (2, s), by the parity of a cell's row or column."""
        moves = np.array([self.moves(parity) for parity in (0, 1)], dtype=np.int64)
        return moves[:, :, 0], moves[:, :, 1]

    def moves(self, parity: int) -> tuple[Step, ...]:
        """Return (dx, dy) of every slot for cells whose row or column has a parity."""
        if self.hex_layout is None:
            return SQUARE_8 if self.has_diagonals else SQUARE_4
        return hex_steps(self.hex_layout, parity)

    @cached_property
    def heading(self) -> UInt8Array:
        """Return (s) uint8, the heading of every slot's step as bits."""
        if self.hex_layout is None:
            return np.array([heading(step) for step in self.moves(0)], dtype=np.uint8)
        return np.array(HEX_ROWS if in_rows(self.hex_layout) else HEX_COLUMNS, dtype=np.uint8)

    @cached_property
    def length(self) -> Float64Array:
        """Return (s) float64, the length of every slot's step in units."""
        length = np.ones(len(self.heading))
        if self.has_diagonals:
            length[DIAGONAL] = math.sqrt(2)
        return length

    def steps_from(self, cells: Int64Array) -> Steps:
        """Return all steps out of some cells, whatever their terrain."""
        if self.headings is not None:
            return self._steps_along(cells)
        y, x = np.divmod(cells, self.width)
        dx, dy = self._moves
        if self.hex_layout is None:
            dx, dy = dx[0], dy[0]
        else:
            parity = (y if in_rows(self.hex_layout) else x) & 1
            dx, dy = dx[parity], dy[parity]
        to_x, to_y = x[:, None] + dx, (y % self.rows)[:, None] + dy
        inside = (to_x >= 0) & (to_x < self.width) & (to_y >= 0) & (to_y < self.rows)
        return Steps(cells, cells[:, None] + np.where(inside, dy * self.width + dx, 0), inside)

    def _steps_along(self, cells: Int64Array) -> Steps:
        """Return the steps along the headings of some cells, and the turns."""
        every, at = self.plain.steps_from(cells), np.arange(len(cells))
        slot = self.slot_along(cells)
        head = [every.head[at, slot], self.turned(cells, 1), self.turned(cells, -1)]
        inside = np.ones((len(cells), 3), dtype=np.bool_)
        inside[:, 0] = every.inside[at, slot]
        return Steps(cells, np.stack(head, axis=1), inside)


def chart(cell: Int32Array, hex_layout: str | None) -> Int32Array:
    """Return coordinates in which neighbours differ by at most one: axial ones on hexagonal grids.

    Args:
        cell: (n, 2) int32 (x, y).
        hex_layout: odd-r, even-r, odd-q, even-q; None = square.

    Returns:
        (n, 2) int32 chart coordinates.
    """
    if hex_layout is None:
        return cell
    line = int(in_rows(hex_layout))
    found, lines = cell.astype(np.int32), cell[:, line]
    shoved = -(lines & 1) if shoved_parity(hex_layout) else lines & 1
    found[:, 1 - line] -= (lines + shoved) >> 1
    return found


# -- links ----------------------------------------------------------------------------------------


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
    def of(links: Sequence[tuple[Sequence[int], Iterable[int]]], terrains: int) -> "Vias | None":
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


# -- footprints -----------------------------------------------------------------------------------


class Footprints:
    """What lies under one profile's footprint, computed for the cells that are asked for.

    On a graph level, nodes take the place of cells.
    """

    def __init__(
        self,
        mover: Mover,
        terrain: UInt8Array,
        lattice: Lattice | None,
        obstacle: BoolArray | None = None,
        elevation: Float64Array | None = None,
    ) -> None:
        """Take the level in which the profile moves.

        Args:
            mover: the profile; its size is 1 where there are no square cells.
            terrain: (cells) uint8.
            lattice: None = a graph level.
            obstacle: (cells) bool, True where nobody can stand on any terrain; None = nowhere.
            elevation: (cells) float64, how high the ground lies; None = everywhere alike.
        """
        self.mover = mover
        self.lattice = lattice
        self._terrain = terrain
        self._obstacle = obstacle
        self._elevation = None if mover.slope == LEVEL_GROUND else elevation
        #: whether rise and fall of the ground add to prices
        self.pays_for_slopes = self._elevation is not None

    @property
    def grid(self) -> Lattice:
        """Return the lattice, which must not be None."""
        assert self.lattice is not None
        return self.lattice

    def on(self, lattice: Lattice) -> "Footprints":
        """Return the same footprints on other steps between the same cells."""
        same = copy(self)
        same.lattice = lattice
        return same

    @cached_property
    def makes_every_step(self) -> bool:
        """Tell whether the profile makes every step between neighbouring cells where it fits."""
        allowed = self.mover.allowed
        if not allowed.all():
            passable = ~np.isnan(self.mover.cost)
            allowed = allowed[np.ix_(passable, passable)]
        unbarred = self.lattice is None or self.lattice.barred is None
        steep = self._elevation is not None and self.mover.slope.bars
        return unbarred and not steep and bool(allowed.all())

    def cost_at(self, cells: Int64Array) -> Float64Array:
        """Return the highest cost under the footprint at each cell; NaN where it does not fit."""
        dearest = self._cell_cost(cells)
        if self.mover.size == 1:
            return dearest
        width, rows = self.grid.width, self.grid.rows
        y, x = np.divmod(cells, width)
        y %= rows
        for down, right in np.ndindex(self.mover.size, self.mover.size):
            fits = (x + right < width) & (y + down < rows)
            cost = self._cell_cost(np.where(fits, cells + (down * width + right), cells))
            # The maximum is NaN wherever the profile cannot stand on a cell.
            dearest = np.maximum(dearest, np.where(fits, cost, np.nan))
        return dearest

    def _cell_cost(self, cells: Int64Array) -> Float64Array:
        cost: Float64Array = self.mover.cost[self._terrain[cells]]
        if self._obstacle is not None:
            cost[self._obstacle[cells]] = np.nan
        return cost

    def may_step(self, tail: Int64Array, head: Int64Array, headings: AnyArray) -> BoolArray:
        """Return (k) bool, True where terrain and ledges let the whole footprint make a step.

        Args:
            tail, head: (k) int64, neighbouring cells at which the footprint fits.
            headings: (k) headings of these steps as bits.
        """
        allowed = np.ones(len(tail), dtype=np.bool_)
        for away in self._covered():
            allowed &= self._cell_may_step(tail + away, head + away, headings)
        return allowed

    def _covered(self) -> list[int]:
        """Return how far the cells under the footprint are from the one where it is."""
        width, size = 0 if self.lattice is None else self.lattice.width, range(self.mover.size)
        return [down * width + right for down in size for right in size]

    def _cell_may_step(
        self, tail: Int64Array, head: Int64Array, headings: AnyArray | int
    ) -> BoolArray:
        allowed: BoolArray = self.mover.allowed[self._terrain[tail], self._terrain[head]]
        if self.lattice is not None and self.lattice.barred is not None:
            barred = self.lattice.barred
            allowed &= ((barred[tail] | barred[head]) & headings) == 0
        if self._elevation is not None and self.mover.slope.bars:
            allowed &= self.mover.slope.fits(self._elevation[head] - self._elevation[tail])
        return allowed

    def slope_units(self, tail: Int64Array, head: Int64Array) -> Float64Array:
        """Return (k) float64, what rise and fall add to the price of some steps, in units.

        Each cell under a footprint makes the step, and the one that pays most counts.

        Args:
            tail, head: (k) int64 cells at which the footprint fits, or nodes.
        """
        most, elevation = np.zeros(len(tail)), self._elevation
        assert elevation is not None
        for away in self._covered():
            rise = elevation[head + away] - elevation[tail + away]
            np.maximum(most, self.mover.slope.units(rise), out=most)
        return most


# -- prices ---------------------------------------------------------------------------------------


class Prices(NamedTuple):
    """What steps or arcs cost one profile.

    Attributes:
        usable: bool, True where the profile may take the step or arc.
        units: float64, what each would cost in units; NaN where the profile does not fit.
    """

    usable: BoolArray
    units: Float64Array


def unit_cost(before: Float64Array, after: Float64Array, cost_rule: CostRule) -> Float64Array:
    """Return the cost of each unit of length from the costs of the cells at both ends."""
    return (before + after) / 2 if cost_rule == "mean" else after


def price_steps(footprints: Footprints, rules: MovementRules, steps: Steps) -> Prices:
    """Price the (k, s) steps of a lattice.

    A straight step costs the mean of both cells' costs (or the cost of the cell entered) times its
    length, and what rise or fall of the ground adds. A diagonal step also needs free flanks. A
    flank is free where the profile could walk round the corner through it.
    """
    lattice = footprints.grid
    if lattice.headings is not None:
        return _price_along(footprints, rules, lattice, steps)
    tail, head, inside = steps
    before = np.broadcast_to(footprints.cost_at(tail)[:, None], head.shape)
    after = footprints.cost_at(head)
    usable = open_steps(footprints, rules, steps, inside & ~np.isnan(before + after))
    units = unit_cost(before, after, rules.cost_rule) * lattice.length
    if footprints.pays_for_slopes:
        row, slot = np.nonzero(usable)
        units[row, slot] += footprints.slope_units(tail[row], head[row, slot])
    return Prices(usable, units)


def open_steps(
    footprints: Footprints, rules: MovementRules, steps: Steps, fits: BoolArray
) -> BoolArray:
    """Return (k, s) bool, True where the profile may take a step of a lattice without headings.

    Args:
        footprints, rules: the profile, and the rules of corners.
        steps: the steps; their heads are looked at only where terrain or ledges forbid some.
        fits: (k, s) bool, True where the profile fits at both ends; this array is changed.
    """
    lattice = footprints.grid
    if not footprints.makes_every_step:
        row, slot = np.nonzero(fits)
        fine = footprints.may_step(steps.tail[row], steps.head[row, slot], lattice.heading[slot])
        fits[row, slot] = fine
    if lattice.has_diagonals and rules.corner_cutting != "always":
        free = [_walks_round(footprints, steps, fits, flank) for flank in FLANKS]
        both = rules.corner_cutting == "never"
        fits[:, DIAGONAL] &= free[0] & free[1] if both else free[0] | free[1]
    return fits


def _price_along(
    footprints: Footprints, rules: MovementRules, lattice: Lattice, steps: Steps
) -> Prices:
    """Price steps along headings as those of the plain lattice, and turns by what they cost."""
    every = price_steps(footprints.on(lattice.plain), rules, lattice.plain.steps_from(steps.tail))
    at, slot = np.arange(len(steps.tail)), lattice.slot_along(steps.tail)
    units = np.full(steps.head.shape, footprints.mover.turn)
    units[:, 0] = every.units[at, slot]
    stands = ~np.isnan(footprints.cost_at(steps.tail))
    usable = stands[:, None] & ~np.isnan(footprints.cost_at(steps.head))
    usable[:, 0] = every.usable[at, slot]
    return Prices(usable, units)


def _walks_round(
    footprints: Footprints, steps: Steps, usable: BoolArray, flank_slot: list[int]
) -> BoolArray:
    """Return (k, 4) bool, True where the profile could walk by one flank of each diagonal step.

    Args:
        usable: (k, 8) bool, steps the profile may take if corners are disregarded.
        flank_slot: for each diagonal step, the slot of the straight step to the flank.
    """
    free = usable[:, flank_slot] & usable[:, DIAGONAL]
    lattice = footprints.grid
    if footprints.makes_every_step:
        return free
    row, corner = np.nonzero(free)
    flank, head = steps.head[:, flank_slot][row, corner], steps.head[:, DIAGONAL][row, corner]
    whole = lattice.heading[DIAGONAL][corner]
    fine = footprints.may_step(flank, head, whole & ~lattice.heading[flank_slot][corner])
    if lattice.barred is not None:
        # A ledge of the flank that bars any part of the diagonal step is a wall beside it.
        fine &= (lattice.barred[flank] & whole) == 0
    free[row, corner] = fine
    return free


def price_arcs(
    footprints: Footprints,
    rules: MovementRules,
    tail: Int64Array,
    head: Int64Array,
    length: Float64Array,
    open_link: BoolArray | None,
) -> Prices:
    """Price (k) arcs of a graph level, or links.

    An arc costs the mean of both nodes' costs (or the cost of the node entered) times its length,
    and what rise or fall add. A link costs what it says on any terrain and slope, and leads between
    cells where the profile fits.

    Args:
        tail, head: (k) int64 nodes, or cells.
        length: (k) float64 units; for a link its whole cost.
        open_link: (k) bool, True where a link is for the profile; None = these arcs are not links.
    """
    before, after = footprints.cost_at(tail), footprints.cost_at(head)
    usable = ~np.isnan(before + after)
    if open_link is not None:
        return Prices(usable & open_link, length)
    if not footprints.makes_every_step:
        at = np.flatnonzero(usable)
        usable[at] = footprints.may_step(tail[at], head[at], np.zeros(len(at), dtype=np.uint8))
    units = unit_cost(before, after, rules.cost_rule) * length
    if footprints.pays_for_slopes:
        units += footprints.slope_units(tail, head)
    return Prices(usable, units)


def to_ticks(
    prices: Prices, ticks_per_unit: int, off_the_scale: Callable[[int, float], BakeError]
) -> Int32Array:
    """Return int32 weights in ticks, BLOCKED where an arc may not be used.

    Args:
        prices: the prices of steps or arcs.
        ticks_per_unit: the scale.
        off_the_scale: returns the error for a usable arc, given its flat index and its ticks, which
            are fewer than 1 or more than MAX_WEIGHT.
    """
    ticks = np.rint(prices.units * ticks_per_unit)
    fits = (ticks >= 1) & (ticks <= MAX_WEIGHT)
    wrong = np.flatnonzero(prices.usable & ~fits)
    if len(wrong):
        raise off_the_scale(int(wrong[0]), float(ticks.reshape(-1)[wrong[0]]))
    return np.where(prices.usable, ticks, BLOCKED).astype(np.int32)
