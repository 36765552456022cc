"""What only whole levels need of movement: footprints everywhere at once, and numbers of moves."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from bake.arrays import AnyArray, BoolArray, Float64Array, Int32Array, Int64Array, UInt8Array
from levelbake.steps import (
    BLOCKED,
    MAX_WEIGHT,
    SQUARE_8,
    CornerCutting,
    CostRule,
    Footprints,
    HexLayout,
    Lattice,
    MovementRules,
    Mover,
    Step,
    heading,
    unit_cost,
)

CORNER_CUTTING: tuple[CornerCutting, ...] = ("never", "one_free", "always")
COST_RULES: tuple[CostRule, ...] = ("mean", "entered")
HEX_LAYOUTS: tuple[HexLayout, ...] = ("odd-r", "even-r", "odd-q", "even-q")

#: The link of an arc that is not a link.
NO_LINK = np.int32(-1)

#: Largest side of a footprint, in cells.
MAX_SIZE = 16

#: The most cells that a link passes through.
MAX_VIA = 4096


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


def lengths_of_steps(lattice: Lattice, cells: Int64Array, slot: Int64Array) -> Float64Array:
    """Return (k) float64, the length of one step of each of some cells, 1 for a turn."""
    if lattice.headings is None:
        return lattice.length[slot]
    return np.where(slot == 0, lattice.plain.length[lattice.slot_along(cells)], 1.0)


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


def footprints(
    mover: Mover,
    terrain: UInt8Array,
    lattice: Lattice | None,
    elevation: Float64Array | None = None,
) -> Footprints:
    """Return what lies under a footprint: of several cells, looked up everywhere at once."""
    if mover.size == 1 or lattice is None:
        return Footprints(mover, terrain, lattice, elevation=elevation)
    return FootprintMap(mover, terrain, lattice, elevation)


def step_ticks(cost: Float64Array, rules: MovementRules) -> Int32Array:
    """Return (c, c, 2) int32, what straight and diagonal steps cost from and to cells of (c) costs.

    The products are made in the order in which :func:`levelbake.steps.price_steps` makes them, so
    that they are rounded alike.
    """
    before, after = np.broadcast_arrays(cost[:, None], cost)
    units = unit_cost(before, after, rules.cost_rule)
    return whole_ticks(units[..., None] * np.sqrt([1.0, 2.0]), rules.ticks_per_unit)


def whole_ticks(units: Float64Array, ticks_per_unit: int) -> Int32Array:
    """Return prices in ticks, BLOCKED where an arc may not cost this, or nobody may take it."""
    ticks = np.rint(np.minimum(units, 2.0**31) * ticks_per_unit)
    return np.where((ticks >= 1) & (ticks <= MAX_WEIGHT), ticks, BLOCKED).astype(np.int32)


#: The cells at both ends of an arc, and the number of the link that it is of.
End = tuple[int, int, int]


class LinkMoves(NamedTuple):
    """The arcs of links, by the cell where they begin.

    Those that leave one cell come in the order of their slots, and those that nobody could take
    when the level was baked, which have no slots, last, by where they lead.

    Attributes:
        tail, head: (k) int32 cells.
        link: (k) int32, the link each is of.
    """

    tail: Int32Array
    head: Int32Array
    link: Int32Array

    @staticmethod
    def of(
        tail: Int32Array, head: Int32Array, link: Int32Array, wanted: Sequence[End]
    ) -> LinkMoves:
        """Put the arcs that a graph has before those that it lacks.

        Args:
            tail, head, link: (j) cells and links of the graph's arcs, in their order.
            wanted: every arc of every link.
        """
        there = np.stack([tail, head, link], axis=1).astype(np.int32)
        known = set(map(tuple, there.tolist()))
        more = sorted(each for each in wanted if each not in known)
        found = np.concatenate([there, np.array(more, dtype=np.int32).reshape(-1, 3)])
        found = found[np.argsort(found[:, 0], kind="stable")]
        return LinkMoves(*(found[:, place].copy() for place in range(3)))

    @property
    def most(self) -> int:
        """Return how many leave one cell at most."""
        return int(np.bincount(self.tail).max(initial=0)) if len(self.tail) else 0


def moves_of_arcs(
    lattice: Lattice, cell: Int32Array, tail: Int32Array, head: Int32Array, is_link: BoolArray
) -> Int32Array:
    """Return (m) int32, the move that each arc of a grid is.

    That is the step's direction, or the number of directions plus the arc's place among the links
    that leave its cell.

    Args:
        cell: (n) int32, the cell of each node.
        tail, head: (m) int32 nodes, by tail.
        is_link: (m) bool.
    """
    steps = lattice.steps_from(cell.astype(np.int64))
    same = steps.head[tail] == cell[head][:, None]
    same &= steps.inside[tail]
    move: Int32Array = same.argmax(axis=1).astype(np.int32)
    links = np.flatnonzero(is_link)
    if len(links):
        among = np.bincount(tail[links], minlength=len(cell))
        begins = np.cumsum(among) - among
        move[links] = len(lattice.heading) + np.arange(len(links)) - begins[tail[links]]
    return move
