"""Movement rules: steps between cells, corners, ledges, footprints, and the costs of steps.

The bake computes the costs of all steps of a level with these functions, and a game's update those
around a change. An updated level and a new bake of it therefore agree to the tick. The number of a
cell is y * width + x.
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
#: An array whose dtype is checked elsewhere, or that has one of several dtypes.
AnyArray = np.ndarray[Any, np.dtype[Any]]
#: A list or array of places.
ArrayLike = Sequence[Any] | AnyArray

#: The weight of a closed arc. In stored distances, the same number means "no path".
BLOCKED = np.int32(2**31 - 1)

#: The distance without a path inside kernels. Every distance stays below it, so that a distance
#: plus a weight, or plus another distance, never overflows int32.
INFINITY = 2**30

#: The largest weight of one arc, so that a distance plus a weight never overflows int32.
# limit: a one-line error; tests/tables/test_limits.py
MAX_WEIGHT = 2**29

# -- rules ----------------------------------------------------------------------------------------

Connectivity = Literal[4, 6, 8]
#: The number of directions that an agent can face, clockwise from the east (on hexagonal grids in
#: columns, from the south).
Headings = Literal[4, 6, 8]
CornerCutting = Literal["never", "one_free", "always"]
CostRule = Literal["mean", "entered"]


class MovementRules(NamedTuple):
    """The movement rules of a level, the same for every profile."""

    corner_cutting: CornerCutting
    cost_rule: CostRule
    ticks_per_unit: int


class SlopeRule(NamedTuple):
    """The effect of slopes on a profile: additional cost, and limits on single steps."""

    up: float = 0.0  #: cost of each unit of rise, in units, at least 0
    down: float = 0.0  #: cost of each unit of fall, in units, at least 0
    climb: float = math.inf  #: largest rise of a step; infinite = any
    drop: float = math.inf  #: largest fall of a step; infinite = any

    @property
    def bars(self) -> bool:
        """Return whether a step can be too steep."""
        return not (math.isinf(self.climb) and math.isinf(self.drop))

    def units(self, rise: Float64Array) -> Float64Array:
        """Return the additional costs of rises, in units; falls are negative rises."""
        return np.where(rise > 0, self.up * rise, self.down * -rise)

    def fits(self, rise: Float64Array) -> BoolArray:
        """Return whether each rise is within the limits ``climb`` and ``drop``."""
        return (rise <= self.climb) & (-rise <= self.drop)


#: The rule for profiles that ignore slopes.
LEVEL_GROUND = SlopeRule()


class Mover(NamedTuple):
    """The movement parameters of an agent profile."""

    cost: Float64Array  #: (terrains) units to cross one cell; NaN = cannot enter
    allowed: BoolArray  #: (terrains, terrains), True = can step from the first onto the second
    size: int = 1  #: side length of the square footprint, in cells
    slope: SlopeRule = LEVEL_GROUND
    turn: float = 1.0  #: cost of turning by one heading, in units, on levels with headings


# -- adjacent cells -------------------------------------------------------------------------------

HexLayout = Literal["odd-r", "even-r", "odd-q", "even-q"]


def in_rows(layout: str) -> bool:
    """Return whether the shifted lines of a hexagonal layout are rows, and not columns."""
    return layout.endswith("r")


def shoved_parity(layout: str) -> int:
    """Return the parity of the lines that a hexagonal layout shifts forward: 1 = odd, 0 = even."""
    return 1 if layout.startswith("odd") else 0


def hex_steps(layout: HexLayout, parity: int) -> tuple[tuple[int, int], ...]:
    """Return (dx, dy) of the six neighbors of a hexagon, by the parity of its line."""
    shift = 1 if parity == shoved_parity(layout) else 0
    if in_rows(layout):
        return ((1, 0), (shift, 1), (shift - 1, 1), (-1, 0), (shift - 1, -1), (shift, -1))
    return ((0, 1), (-1, shift), (-1, shift - 1), (0, -1), (1, shift - 1), (1, shift))


#: The direction of a step as bits; a diagonal step has two.
NORTH, EAST, SOUTH, WEST = 1, 2, 4, 8

Step = tuple[int, int]

#: The steps (dx, dy) in slot order: straight steps before diagonal ones, each clockwise from east.
SQUARE_4: tuple[Step, ...] = ((1, 0), (0, 1), (-1, 0), (0, -1))
SQUARE_8: tuple[Step, ...] = (*SQUARE_4, (1, 1), (-1, 1), (-1, -1), (1, -1))

#: The directions of the six steps of :func:`hex_steps`, on layouts in rows and in columns.
HEX_ROWS = (EAST, SOUTH | EAST, SOUTH | WEST, WEST, NORTH | WEST, NORTH | EAST)
HEX_COLUMNS = (SOUTH, SOUTH | WEST, NORTH | WEST, NORTH, NORTH | EAST, SOUTH | EAST)

#: The slots of the diagonal steps, and of the straight steps to both flanks of each.
DIAGONAL = slice(4, 8)
FLANKS = ([0, 2, 2, 0], [1, 1, 3, 3])


def heading(step: Step) -> int:
    """Return the direction of a step on a square lattice as bits."""
    dx, dy = step
    return (EAST if dx > 0 else WEST if dx < 0 else 0) | (
        SOUTH if dy > 0 else NORTH if dy < 0 else 0
    )


class Steps(NamedTuple):
    """The steps out of k cells: one row per cell, one column per slot."""

    tail: Int64Array  #: (k) cells
    head: Int64Array  #: (k, s) cells; the tail where there is no step
    inside: BoolArray  #: (k, s), True if the step stays in the level and on its floor


class Lattice:
    """A grid of cells and its adjacency."""

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
        self.width, self.height = width, height
        #: 4 or 8 on square lattices, 6 on hexagonal ones
        self.connectivity = connectivity
        #: layout of a hexagonal lattice; None = square
        self.hex_layout = hex_layout
        #: rows of one floor; None = one floor. Steps do not connect floors.
        self.floor_height = floor_height
        #: (cells) uint8 directions as bits, or None. A ledge blocks all steps in these directions
        #: onto and off its cell.
        self.barred = barred
        #: number of directions that an agent can face, each stored as a floor; None = no headings.
        #: With headings there are three slots: forward, turn clockwise, turn counterclockwise.
        self.headings = headings
        #: rows of one floor
        self.rows = floor_height or max(1, height)
        self.has_diagonals = hex_layout is None and connectivity == 8
        #: number of steps and turns of each cell, including steps out of the level
        self.slots = int(connectivity) if headings is None else 3

    @cached_property
    def plain(self) -> "Lattice":
        """Return the same cells without headings."""
        cells = self.width, self.height, self.connectivity, self.hex_layout
        return Lattice(*cells, self.floor_height, self.barred)

    def slot_along(self, cells: Int64Array) -> Int64Array:
        """Return (k) int64, the slot in the plain lattice of the forward step from each cell."""
        order = (0, 4, 1, 5, 2, 6, 3, 7) if self.headings == 8 else range(self.headings or 0)
        return np.array(order, dtype=np.int64)[cells // (self.width * self.rows)]

    def turned(self, cells: Int64Array, by: int) -> Int64Array:
        """Return (k) int64, the same cells turned clockwise by a number of headings."""
        assert self.headings is not None
        return (cells + by * (self.width * self.rows)) % (self.headings * self.width * self.rows)

    @cached_property
    def _moves(self) -> tuple[Int64Array, Int64Array]:
        """Return dx and dy of each slot, both (2, s), by the parity of the cell's line."""
        moves = np.array([self.moves(parity) for parity in (0, 1)], dtype=np.int64)
        return moves[:, :, 0], moves[:, :, 1]

    def moves(self, parity: int) -> tuple[Step, ...]:
        """Return (dx, dy) of each slot, by the parity of the cell's line."""
        if self.hex_layout is None:
            return SQUARE_8 if self.has_diagonals else SQUARE_4
        return hex_steps(self.hex_layout, parity)

    @cached_property
    def heading(self) -> UInt8Array:
        """Return (s) uint8, the direction of each slot's step as bits."""
        if self.hex_layout is None:
            return np.array([heading(step) for step in self.moves(0)], dtype=np.uint8)
        return np.array(HEX_ROWS if in_rows(self.hex_layout) else HEX_COLUMNS, dtype=np.uint8)

    @cached_property
    def length(self) -> Float64Array:
        """Return (s) float64, the length of each slot's step in units."""
        length = np.ones(len(self.heading))
        if self.has_diagonals:
            length[DIAGONAL] = math.sqrt(2)
        return length

    def steps_from(self, cells: Int64Array) -> Steps:
        """Return all steps out of k cells, ignoring terrain and ledges."""
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
        """Return the forward steps and turns of k cells with headings."""
        plain, row = self.plain.steps_from(cells), np.arange(len(cells))
        slot = self.slot_along(cells)
        head = [plain.head[row, slot], self.turned(cells, 1), self.turned(cells, -1)]
        inside = np.ones((len(cells), 3), dtype=np.bool_)
        inside[:, 0] = plain.inside[row, slot]
        return Steps(cells, np.stack(head, axis=1), inside)


def chart(cell: Int32Array, hex_layout: str | None) -> Int32Array:
    """Convert cells to chart coordinates, in which adjacent cells differ by at most one.

    On hexagonal grids, these are axial coordinates; on square grids, the cells themselves.

    Args:
        cell: (n, 2) int32 (x, y).
        hex_layout: odd-r, even-r, odd-q, even-q; None = square.

    Returns:
        (n, 2) int32 chart coordinates.
    """
    if hex_layout is None:
        return cell
    axis = int(in_rows(hex_layout))
    coordinates, lines = cell.astype(np.int32), cell[:, axis]
    shift = -(lines & 1) if shoved_parity(hex_layout) else lines & 1
    coordinates[:, 1 - axis] -= (lines + shift) >> 1
    return coordinates


# -- links ----------------------------------------------------------------------------------------


class Vias(NamedTuple):
    """The cells that links pass through between their ends, in CSR form."""

    first: Int64Array  #: (links + 1); the cells of link i are cell[first[i]:first[i + 1]]
    cell: Int64Array  #: (k) cells
    over: BoolArray  #: (links, terrains), True if unwalkable terrain does not block the link

    @staticmethod
    def of(links: Sequence[tuple[Sequence[int], Iterable[int]]], terrains: int) -> "Vias | None":
        """Build the arrays from lists; None if no link passes through a cell.

        Args:
            links: for each link, its cells in order, and the terrain codes that do not block it.
            terrains: the number of terrains of the level.
        """
        if not any(len(cells) for cells, _ in links):
            return None
        over = np.zeros((len(links), terrains), dtype=np.bool_)
        for flags, (_, codes) in zip(over, links, strict=True):
            flags[list(codes)] = True
        first = np.cumsum([0, *(len(cells) for cells, _ in links)], dtype=np.int64)
        return Vias(first, np.array([c for cells, _ in links for c in cells], np.int64), over)

    def clear(
        self, cost: Float64Array, terrain: UInt8Array, obstacle: BoolArray | None
    ) -> BoolArray:
        """Return whether all cells of each link are free for a profile.

        A cell is free if it has no obstacle, and the profile can stand on its terrain or the link
        passes over this terrain.

        Args:
            cost: (terrains) float64 units, NaN = the profile cannot stand.
            terrain: (cells) uint8 terrain codes.
            obstacle: (cells) bool; None = no obstacles.

        Returns:
            (links) bool.
        """
        code, link = terrain[self.cell], np.repeat(np.arange(len(self.over)), np.diff(self.first))
        is_blocked = ~self.over[link, code] & np.isnan(cost[code])
        if obstacle is not None:
            is_blocked |= obstacle[self.cell]
        clear = np.ones(len(self.over), dtype=np.bool_)
        clear[link[is_blocked]] = False
        return clear


# -- footprints -----------------------------------------------------------------------------------


class Footprints:
    """The terrain and elevation under one profile's footprint, computed on demand.

    On a graph level, cells are nodes.
    """

    def __init__(
        self,
        mover: Mover,
        terrain: UInt8Array,
        lattice: Lattice | None,
        obstacle: BoolArray | None = None,
        elevation: Float64Array | None = None,
    ) -> None:
        """Store the profile and the level state.

        Args:
            mover: the profile; its size is 1 on levels without square cells.
            terrain: (cells) uint8 terrain codes.
            lattice: the cells; None = a graph level.
            obstacle: (cells) bool, True = blocked for every profile; None = no obstacles.
            elevation: (cells) float64 units; None = flat.
        """
        self.mover = mover
        self.lattice = lattice
        self._terrain = terrain
        self._obstacle = obstacle
        self._elevation = None if mover.slope == LEVEL_GROUND else elevation
        #: whether slopes add to costs
        self.pays_for_slopes = self._elevation is not None

    @property
    def grid(self) -> Lattice:
        """Return the lattice, which must not be None."""
        assert self.lattice is not None
        return self.lattice

    def on(self, lattice: Lattice) -> "Footprints":
        """Return a copy of these footprints for a different lattice of the same cells."""
        same = copy(self)
        same.lattice = lattice
        return same

    @cached_property
    def makes_every_step(self) -> bool:
        """Return whether the profile can step between any two adjacent cells where it fits."""
        allowed = self.mover.allowed
        if not allowed.all():
            passable = ~np.isnan(self.mover.cost)
            allowed = allowed[np.ix_(passable, passable)]
        unbarred = self.lattice is None or self.lattice.barred is None
        steep = self._elevation is not None and self.mover.slope.bars
        return unbarred and not steep and bool(allowed.all())

    def cost_at(self, cells: Int64Array) -> Float64Array:
        """Return (k) float64, the highest cost under the footprint; NaN where it does not fit."""
        highest = self._cell_cost(cells)
        if self.mover.size == 1:
            return highest
        width, rows = self.grid.width, self.grid.rows
        y, x = np.divmod(cells, width)
        y %= rows
        for down, right in np.ndindex(self.mover.size, self.mover.size):
            fits = (x + right < width) & (y + down < rows)
            cost = self._cell_cost(np.where(fits, cells + (down * width + right), cells))
            # The maximum is NaN wherever the profile cannot stand on a cell.
            highest = np.maximum(highest, np.where(fits, cost, np.nan))
        return highest

    def _cell_cost(self, cells: Int64Array) -> Float64Array:
        cost: Float64Array = self.mover.cost[self._terrain[cells]]
        if self._obstacle is not None:
            cost[self._obstacle[cells]] = np.nan
        return cost

    def may_step(self, tail: Int64Array, head: Int64Array, headings: AnyArray) -> BoolArray:
        """Return (k) bool, whether terrain, ledges and slopes allow the whole footprint's steps.

        Args:
            tail, head: (k) int64, adjacent cells at which the footprint fits.
            headings: (k) directions of the steps as bits.
        """
        allowed = np.ones(len(tail), dtype=np.bool_)
        for offset in self._offsets():
            allowed &= self._cell_may_step(tail + offset, head + offset, headings)
        return allowed

    def _offsets(self) -> list[int]:
        """Return the offsets of the footprint's cells from its north-west cell."""
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
        """Return (k) float64, the additional costs of steps for rise and fall, in units.

        The cost is the highest among the cells under the footprint.

        Args:
            tail, head: (k) int64 cells at which the footprint fits, or nodes.
        """
        most, elevation = np.zeros(len(tail)), self._elevation
        assert elevation is not None
        for offset in self._offsets():
            rise = elevation[head + offset] - elevation[tail + offset]
            np.maximum(most, self.mover.slope.units(rise), out=most)
        return most


# -- costs ----------------------------------------------------------------------------------------


class Prices(NamedTuple):
    """The costs of steps or arcs for one profile."""

    usable: BoolArray  #: whether the profile can take each step or arc
    units: Float64Array  #: costs in units; NaN where the profile does not fit


def unit_cost(before: Float64Array, after: Float64Array, cost_rule: CostRule) -> Float64Array:
    """Return the costs per unit of length from the costs of the cells at both ends."""
    return (before + after) / 2 if cost_rule == "mean" else after


def price_steps(footprints: Footprints, rules: MovementRules, steps: Steps) -> Prices:
    """Compute the costs of the (k, s) steps of a lattice.

    A step costs the mean of both cells' costs (or the cost of the cell entered) times its length,
    plus the cost of rise or fall. A diagonal step also needs free flanks: a flank is free if the
    profile can walk around the corner through it.
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
    """Return (k, s) bool, whether the profile can take each step of a lattice without headings.

    Args:
        footprints, rules: the profile, and the rules of the level.
        steps: the steps; heads are only read if terrain, ledges or slopes forbid some steps.
        fits: (k, s) bool, whether the profile fits at both ends; modified in place.
    """
    lattice = footprints.grid
    if not footprints.makes_every_step:
        row, slot = np.nonzero(fits)
        allowed = footprints.may_step(steps.tail[row], steps.head[row, slot], lattice.heading[slot])
        fits[row, slot] = allowed
    if lattice.has_diagonals and rules.corner_cutting != "always":
        free = [_is_flank_free(footprints, steps, fits, flank) for flank in FLANKS]
        needs_both = rules.corner_cutting == "never"
        fits[:, DIAGONAL] &= free[0] & free[1] if needs_both else free[0] | free[1]
    return fits


def _price_along(
    footprints: Footprints, rules: MovementRules, lattice: Lattice, steps: Steps
) -> Prices:
    """Compute the costs of forward steps, as on the plain lattice, and of turns."""
    plain = price_steps(footprints.on(lattice.plain), rules, lattice.plain.steps_from(steps.tail))
    row, slot = np.arange(len(steps.tail)), lattice.slot_along(steps.tail)
    units = np.full(steps.head.shape, footprints.mover.turn)
    units[:, 0] = plain.units[row, slot]
    fits = ~np.isnan(footprints.cost_at(steps.tail))
    usable = fits[:, None] & ~np.isnan(footprints.cost_at(steps.head))
    usable[:, 0] = plain.usable[row, slot]
    return Prices(usable, units)


def _is_flank_free(
    footprints: Footprints, steps: Steps, usable: BoolArray, flank_slot: list[int]
) -> BoolArray:
    """Return (k, 4) bool, whether the profile can walk through one flank of each diagonal step.

    Args:
        footprints: the profile.
        steps: the (k, 8) steps.
        usable: (k, 8) bool, the steps that the profile can take apart from corner rules.
        flank_slot: for each diagonal step, the slot of the straight step to the flank.
    """
    free = usable[:, flank_slot] & usable[:, DIAGONAL]
    lattice = footprints.grid
    if footprints.makes_every_step:
        return free
    row, corner = np.nonzero(free)
    flank, head = steps.head[:, flank_slot][row, corner], steps.head[:, DIAGONAL][row, corner]
    diagonal = lattice.heading[DIAGONAL][corner]
    allowed = footprints.may_step(flank, head, diagonal & ~lattice.heading[flank_slot][corner])
    if lattice.barred is not None:
        # A ledge of the flank that blocks either direction of the diagonal acts as a wall.
        allowed &= (lattice.barred[flank] & diagonal) == 0
    free[row, corner] = allowed
    return free


def price_arcs(
    footprints: Footprints,
    rules: MovementRules,
    tail: Int64Array,
    head: Int64Array,
    length: Float64Array,
    open_link: BoolArray | None,
) -> Prices:
    """Compute the costs of k arcs of a graph level, or of k links.

    An arc costs the mean of both nodes' costs (or the cost of the node entered) times its length,
    plus the cost of rise or fall. A link has a fixed cost on any terrain and slope, and connects
    cells where the profile fits.

    Args:
        footprints, rules: the profile, and the rules of the level.
        tail, head: (k) int64 nodes, or cells.
        length: (k) float64 units; for links, their costs.
        open_link: (k) bool, whether the profile can take each link; None = arcs.
    """
    before, after = footprints.cost_at(tail), footprints.cost_at(head)
    usable = ~np.isnan(before + after)
    if open_link is not None:
        return Prices(usable & open_link, length)
    if not footprints.makes_every_step:
        arc = np.flatnonzero(usable)
        usable[arc] = footprints.may_step(tail[arc], head[arc], np.zeros(len(arc), dtype=np.uint8))
    units = unit_cost(before, after, rules.cost_rule) * length
    if footprints.pays_for_slopes:
        units += footprints.slope_units(tail, head)
    return Prices(usable, units)


def to_ticks(
    prices: Prices, ticks_per_unit: int, off_the_scale: Callable[[int, float], BakeError]
) -> Int32Array:
    """Convert costs in units to int32 weights in ticks; BLOCKED = closed.

    Args:
        prices: the costs of steps or arcs.
        ticks_per_unit: the scale.
        off_the_scale: returns the error for a usable arc of less than 1 or more than MAX_WEIGHT
            ticks, from its flat index and its ticks.
    """
    ticks = np.rint(prices.units * ticks_per_unit)
    fits = (ticks >= 1) & (ticks <= MAX_WEIGHT)
    wrong = np.flatnonzero(prices.usable & ~fits)
    if len(wrong):
        raise off_the_scale(int(wrong[0]), float(ticks.reshape(-1)[wrong[0]]))
    return np.where(prices.usable, ticks, BLOCKED).astype(np.int32)
