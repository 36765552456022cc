"""Say what lies under an agent's footprint, and which steps it can make.

A footprint of k x k cells stands where its north-west cell is, and fits where every cell under it
is passable. This is the clearance map of D. Harabor and A. Botea, "Hierarchical Path Planning for
Multi-Size Agents in Heterogeneous Environments" (CIG 2008), cut at k. A straight step sweeps the
two footprints at its ends. A diagonal step sweeps all (k + 1) x (k + 1) cells around both, which
are those of the footprints at its ends and at its two flanks. Corner rules therefore hold for the
north-west cells of footprints as they do for agents of a single cell.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy

import numpy as np

from bake.arrays import AnyArray, BoolArray, Float64Array, Int64Array, UInt8Array
from bake.movement.lattice import SQUARE_8, Lattice, Step, heading
from bake.movement.rules import LEVEL_GROUND, Mover, slope_units


def under_footprint(
    grid: AnyArray,
    size: int,
    combine: Callable[[AnyArray, AnyArray], AnyArray],
    outside: object,
    floor_height: int | None = None,
) -> AnyArray:
    """Combine the size x size cells under the footprint at each cell.

    The window doubles until it is wide enough, once for each axis: O(cells x log size).

    Args:
        grid: (height, width), of any dtype.
        size: cells along one side, at least 1.
        combine: an idempotent ufunc, such as ``numpy.maximum`` or ``numpy.logical_or``.
        outside: value of cells outside the level or on another floor.
        floor_height: rows of one floor; None = there is one floor.

    Returns:
        (height, width), entry [y, x] for the footprint of x to x + size - 1, y to y + size - 1.
    """
    if size == 1:
        return grid
    height, width = grid.shape
    rows = floor_height or height
    found = grid.reshape(height // rows, rows, width)
    for axis in (1, 2):
        covered = 1
        while covered < size:
            step = min(covered, size - covered)
            shifted = np.full_like(found, outside)
            length = found.shape[axis]
            if step < length:
                target = [slice(None)] * 3
                source = [slice(None)] * 3
                target[axis], source[axis] = slice(0, length - step), slice(step, length)
                shifted[tuple(target)] = found[tuple(source)]
            found = combine(found, shifted)
            covered += step
    return found.reshape(height, width)


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

    def on(self, lattice: Lattice) -> Footprints:
        """Return the same footprints on other steps between the same cells."""
        same = copy(self)
        same.lattice = lattice
        return same

    @property
    def makes_every_step(self) -> bool:
        """Tell whether the profile makes every step between neighbouring cells where it fits."""
        unbarred = self.lattice is None or self.lattice.barred is None
        steep = self._elevation is not None and self.mover.slope.bars
        return self.mover.goes_anywhere and unbarred and not steep

    def cost_at(self, cells: Int64Array) -> Float64Array:
        """Return the highest cost under the footprint at each cell; NaN where it does not fit."""
        dearest = self._cell_cost(cells)
        if self.mover.size == 1:
            return dearest
        assert self.lattice is not None
        width, rows = self.lattice.width, self.lattice.rows
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
        width = 0 if self.lattice is None else self.lattice.width
        for down, right in np.ndindex(self.mover.size, self.mover.size):
            away = down * width + right
            allowed &= self._cell_may_step(tail + away, head + away, headings)
        return allowed

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

    @property
    def pays_for_slopes(self) -> bool:
        """Tell whether rise and fall of the ground add to prices."""
        return self._elevation is not None

    def slope_units(self, tail: Int64Array, head: Int64Array) -> Float64Array:
        """Return (k) float64, what rise and fall add to the price of some steps, in units.

        Args:
            tail, head: (k) int64 cells at which the footprint fits, or nodes.
        """
        assert self._elevation is not None
        width = 0 if self.lattice is None else self.lattice.width
        return slope_units(self.mover.slope, self._elevation, tail, head, self.mover.size, width)


class FootprintMap(Footprints):
    """Footprints of several cells on a whole square lattice, as a bake needs them.

    Everything is computed for all cells at once, which doubling the window makes cheap, and then
    only looked up.
    """

    def __init__(
        self,
        mover: Mover,
        terrain: UInt8Array,
        lattice: Lattice,
        elevation: Float64Array | None = None,
    ) -> None:
        super().__init__(mover, terrain, lattice, elevation=elevation)
        self._cost = self._spread(lattice, mover.cost[terrain], np.maximum, np.nan)
        self._hindered: dict[int, BoolArray] = {}
        if not self.makes_every_step:
            for step in SQUARE_8:
                hindered = self._hindered_cells(lattice, step)
                self._hindered[heading(step)] = self._spread(
                    lattice, hindered, np.logical_or, False
                )

    def _spread(
        self,
        lattice: Lattice,
        cells: AnyArray,
        combine: Callable[[AnyArray, AnyArray], AnyArray],
        outside: object,
    ) -> AnyArray:
        """Return (cells), the result of :func:`under_footprint` for this profile."""
        grid = cells.reshape(lattice.height, lattice.width)
        found = under_footprint(grid, self.mover.size, combine, outside, lattice.floor_height)
        return found.reshape(-1)

    def _hindered_cells(self, lattice: Lattice, step: Step) -> BoolArray:
        """Return (height, width) bool, True at cells from which a single cell may not step."""
        (dx, dy), height, width = step, lattice.height, lattice.width
        here = (slice(max(0, -dy), height - max(0, dy)), slice(max(0, -dx), width - max(0, dx)))
        tail = np.arange(height * width).reshape(height, width)[here]
        hindered = np.zeros((height, width), dtype=np.bool_)
        hindered[here] = ~self._cell_may_step(tail, tail + (dy * width + dx), heading(step))
        return hindered

    def cost_at(self, cells: Int64Array) -> Float64Array:
        cost: Float64Array = self._cost[cells]
        return cost

    def may_step(self, tail: Int64Array, head: Int64Array, headings: AnyArray) -> BoolArray:
        allowed = np.ones(len(tail), dtype=np.bool_)
        for bits, hindered in self._hindered.items():
            mine = np.flatnonzero(headings == bits)
            allowed[mine] = ~hindered[tail[mine]]
        return allowed
