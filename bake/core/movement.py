"""Movement on whole levels: footprints of all cells at once, and the numbering of moves."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from bake.core.arrays import AnyArray, BoolArray, Float64Array, Int32Array, Int64Array, UInt8Array
from levelbake.steps import (
    BLOCKED,
    MAX_WEIGHT,
    SQUARE_8,
    Footprints,
    HexLayout,
    Lattice,
    MovementRules,
    Mover,
    Step,
    heading,
    in_rows,
    unit_cost,
)

HEX_LAYOUTS: tuple[HexLayout, ...] = ("odd-r", "even-r", "odd-q", "even-q")

#: The link of an arc that is not a link.
NO_LINK = np.int32(-1)

#: Largest side of a footprint, in cells.
# limit: a one-line error; tests/store/test_damage_things.py
MAX_SIZE = 16

#: The most cells that a link passes through.
# limit: a one-line error; tests/play/live/test_moves.py
MAX_VIA = 4096


def straight_way(start: tuple[int, int], goal: tuple[int, int], floor_height: int | None) -> float:
    """Return the default cost of a link in units: the straight distance, at least 1.

    Floors lie above one another, so the distance between two floors is that between the same
    positions on one floor.

    Args:
        start, goal: cells (x, y) of the whole grid.
        floor_height: rows of each floor if there are several.

    >>> straight_way((0, 0), (3, 4), None), straight_way((0, 0), (0, 10), 10)
    (5.0, 1.0)
    """
    (x, y), (goal_x, goal_y) = start, goal
    if floor_height is not None:
        y, goal_y = y % floor_height, goal_y % floor_height
    return max(1.0, math.sqrt((goal_x - x) ** 2 + (goal_y - y) ** 2))


def lengths_of_steps(lattice: Lattice, cells: Int64Array, slot: Int64Array) -> Float64Array:
    """Return (k) float64, the length of one step from each of some cells, 1 for a turn."""
    if lattice.headings is None:
        return lattice.length[slot]
    return np.where(slot == 0, lattice.plain.length[lattice.slot_along(cells)], 1.0)


def slots_between(lattice: Lattice, cells: Int64Array, next_cells: Int64Array) -> Int64Array:
    """Return (k) int64, the slot of the step from each cell to a neighbor; 0 = no step."""
    floor, width = lattice.width * lattice.rows, lattice.width
    if lattice.headings is not None:
        turned: Int64Array = (next_cells // floor - cells // floor) % lattice.headings
        return np.minimum(2, turned)
    slot = np.zeros((2, 3, 3), dtype=np.int64)
    for parity in (0, 1):
        for place, (dx, dy) in enumerate(lattice.moves(parity)):
            slot[parity, dy + 1, dx + 1] = place
    (y, x), (to_y, to_x) = np.divmod(cells, width), np.divmod(next_cells, width)
    line = y if lattice.hex_layout is not None and in_rows(lattice.hex_layout) else x
    steps: Int64Array = slot[line & 1, to_y - y + 1, to_x - x + 1]
    return steps


def ahead(lattice: Lattice, cells: Int64Array, values: Int32Array) -> Int32Array:
    """Return (k, s) int32, the values at the cells that steps lead to; -1 outside the grid.

    This takes a fraction of the memory of :meth:`levelbake.steps.Lattice.steps_from`.

    Args:
        lattice: the cells; lattices with headings do not save memory.
        cells: (k) int64.
        values: (cells) int32.
    """
    if lattice.headings is not None:
        steps = lattice.steps_from(cells)
        return np.where(steps.inside, values[steps.head], np.int32(-1))
    rows, across = lattice.rows, lattice.width + 2
    floors = max(1, lattice.height) // rows
    framed = np.full((floors, rows + 2, across), -1, dtype=np.int32)
    framed[:, 1:-1, 1:-1] = values.reshape(floors, rows, lattice.width)
    y, x = np.divmod(cells, lattice.width)
    at = (y // rows * (rows + 2) + y % rows + 1) * across + x + 1
    dx, dy = np.moveaxis(np.array([lattice.moves(0), lattice.moves(1)], dtype=np.int64), 2, 0)
    away = dy * across + dx
    parity = (y if lattice.hex_layout is None or in_rows(lattice.hex_layout) else x) & 1
    heads = np.empty((len(cells), away.shape[1]), dtype=np.int32)
    for slot in range(heads.shape[1]):
        heads[:, slot] = framed.reshape(-1)[at + away[parity, slot]]
    return heads


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

    >>> under_footprint(np.array([[1, 5, 2, 0]]), 2, np.maximum, 9).tolist()
    [[9, 9, 9, 9]]
    >>> under_footprint(np.array([[1, 5], [2, 0]]), 2, np.maximum, 9).tolist()
    [[5, 9], [9, 9]]
    """
    if size == 1:
        return grid
    height, width = grid.shape
    rows = floor_height or height
    combined = grid.reshape(height // rows, rows, width)
    for axis in (1, 2):
        covered = 1
        while covered < size:
            step = min(covered, size - covered)
            shifted = np.full_like(combined, outside)
            length = combined.shape[axis]
            if step < length:
                target = [slice(None)] * 3
                source = [slice(None)] * 3
                target[axis], source[axis] = slice(0, length - step), slice(step, length)
                shifted[tuple(target)] = combined[tuple(source)]
            combined = combine(combined, shifted)
            covered += step
    return combined.reshape(height, width)


class FootprintMap(Footprints):
    """Footprints of several cells on a whole square lattice, precomputed for a bake.

    All cells are computed at once, which doubling the window makes cheap, and then only looked up.
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
        self._blocked: dict[int, BoolArray] = {}
        if not self.makes_every_step:
            for step in SQUARE_8:
                is_blocked = self._find_blocked(lattice, step)
                self._blocked[heading(step)] = self._spread(
                    lattice, is_blocked, np.logical_or, False
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
        combined = under_footprint(grid, self.mover.size, combine, outside, lattice.floor_height)
        return combined.reshape(-1)

    def _find_blocked(self, lattice: Lattice, step: Step) -> BoolArray:
        """Return (height, width) bool, True at cells from which a single cell may not step."""
        (dx, dy), height, width = step, lattice.height, lattice.width
        inside = (slice(max(0, -dy), height - max(0, dy)), slice(max(0, -dx), width - max(0, dx)))
        tail = np.arange(height * width).reshape(height, width)[inside]
        is_blocked = np.zeros((height, width), dtype=np.bool_)
        is_blocked[inside] = ~self._cell_may_step(tail, tail + (dy * width + dx), heading(step))
        return is_blocked

    def cost_at(self, cells: Int64Array) -> Float64Array:
        cost: Float64Array = self._cost[cells]
        return cost

    def may_step(self, tail: Int64Array, head: Int64Array, headings: AnyArray) -> BoolArray:
        allowed = np.ones(len(tail), dtype=np.bool_)
        for bits, is_blocked in self._blocked.items():
            is_heading = np.flatnonzero(headings == bits)
            allowed[is_heading] = ~is_blocked[tail[is_heading]]
        return allowed


def footprints(
    mover: Mover,
    terrain: UInt8Array,
    lattice: Lattice | None,
    elevation: Float64Array | None = None,
) -> Footprints:
    """Return the footprints of a mover, precomputed if it covers several cells."""
    if mover.size == 1 or lattice is None:
        return Footprints(mover, terrain, lattice, elevation=elevation)
    return FootprintMap(mover, terrain, lattice, elevation)


def step_ticks(cost: Float64Array, rules: MovementRules) -> Int32Array:
    """Return (c, c, 2) int32, the ticks of straight and diagonal steps between cells of (c) costs.

    The products are computed in the same order as in :func:`levelbake.steps.price_steps`, so that
    they round alike.
    """
    before, after = np.broadcast_arrays(cost[:, None], cost)
    units = unit_cost(before, after, rules.cost_rule)
    return whole_ticks(units[..., None] * np.sqrt([1.0, 2.0]), rules.ticks_per_unit)


def whole_ticks(units: Float64Array, ticks_per_unit: int) -> Int32Array:
    """Convert prices to ticks, or BLOCKED if out of range or not a number.

    >>> whole_ticks(np.array([1.0, 0.5, np.nan]), 100).tolist()
    [100, 50, 2147483647]
    """
    ticks = np.rint(np.minimum(units, 2.0**31) * ticks_per_unit)
    return np.where((ticks >= 1) & (ticks <= MAX_WEIGHT), ticks, BLOCKED).astype(np.int32)


#: The cells at both ends of an arc, and the number of its link.
End = tuple[int, int, int]


class LinkMoves(NamedTuple):
    """The arcs of links, by the cell where they begin.

    Arcs out of one cell are in the order of their slots. Arcs that were blocked for every profile
    at the bake have no slots; they come last, ordered by their heads.
    """

    #: (k) int32 cells.
    tail: Int32Array
    head: Int32Array
    #: (k) int32, the link of each arc.
    link: Int32Array

    @staticmethod
    def from_arcs(
        tail: Int32Array, head: Int32Array, link: Int32Array, wanted: Sequence[End]
    ) -> LinkMoves:
        """Combine the arcs of a graph and those that it lacks, in this order for each cell.

        Args:
            tail, head, link: (j) cells and links of the graph's arcs, in their order.
            wanted: every arc of every link.
        """
        known_arcs = np.stack([tail, head, link], axis=1).astype(np.int32)
        known = set(map(tuple, known_arcs.tolist()))
        more = sorted(end for end in wanted if end not in known)
        arcs = np.concatenate([known_arcs, np.array(more, dtype=np.int32).reshape(-1, 3)])
        arcs = arcs[np.argsort(arcs[:, 0], kind="stable")]
        return LinkMoves(*(arcs[:, place].copy() for place in range(3)))

    @property
    def most(self) -> int:
        """The largest number of links that leave one cell."""
        return int(np.bincount(self.tail).max(initial=0)) if len(self.tail) else 0


def moves_of_arcs(
    lattice: Lattice, cell: Int32Array, tail: Int32Array, head: Int32Array, is_link: BoolArray
) -> Int32Array:
    """Return (m) int32, the move of each arc of a grid.

    A move is the direction of the step, or the number of directions plus the arc's index among the
    links that leave its cell.

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
        move[links] = lattice.slots + np.arange(len(links)) - begins[tail[links]]
    return move


# -- greedy moves ---------------------------------------------------------------------------------

#: The number of directions that are distinguished: by the signs of dx and dy, and the longer one.
SECTORS = 18


def sectors(dx: AnyArray, dy: AnyArray) -> Int64Array:
    """Number directions: ((sign dx + 1) * 3 + sign dy + 1) * 2, plus 1 where |dy| > |dx|.

    >>> sectors(np.array([3, 0]), np.array([-1, 2])).tolist()
    [12, 11]
    """
    side = (np.sign(dx).astype(np.int64) + 1) * 3 + np.sign(dy) + 1
    sector: Int64Array = side * 2 + (np.abs(dy) > np.abs(dx))
    return sector


def greedy_slots(first_out: Int32Array, head: Int32Array, at: Int32Array) -> Int32Array:
    """Return the compass move of every node in every direction.

    The move is diagonal if both coordinates differ and there is such an arc. Otherwise it follows
    the longer difference, or, without such an arc, the shorter one.

    Args:
        first_out, head: (n + 1), (m) int32, the arcs a profile may take.
        at: (n, 2) int32, from :func:`levelbake.steps.chart`.

    Returns:
        (n, SECTORS) int32, the slot of an arc of the node, or -1.
    """
    n = len(first_out) - 1
    tail = np.repeat(np.arange(n), np.diff(first_out))
    step = at[head] - at[tail]
    arc_at = np.full((n, 3, 3), -1, dtype=np.int32)
    near = (np.abs(step) <= 1).all(axis=1)
    place = np.arange(len(head)) - first_out[tail]
    # Arcs are written in reverse order, so that the first of several remains.
    arc_at[tail[near][::-1], step[near, 0][::-1] + 1, step[near, 1][::-1] + 1] = place[near][::-1]
    arc_at[:, 1, 1] = -1
    greedy = np.full((n, 3, 3, 2), -1, dtype=np.int32)
    for x, y, steep in np.ndindex(3, 3, 2):
        shorter, longer = ((x, 1), (1, y)) if steep else ((1, y), (x, 1))
        for i, j in (shorter, longer, (x, y)):  # Better moves overwrite worse ones.
            has_arc = arc_at[:, i, j] >= 0
            greedy[has_arc, x, y, steep] = arc_at[has_arc, i, j]
    return greedy.reshape(n, SECTORS)


def greedy_steps(opened: BoolArray, step: Int32Array) -> AnyArray:
    """Return the result of :func:`greedy_slots` for lattice nodes, each with all its steps.

    Args:
        opened: (n, s) bool, True if a profile may take a step.
        step: (s, 2) int32, the offset of each step in chart coordinates.

    Returns:
        (n, SECTORS) int8, one of the s steps, or -1.
    """
    slots = len(step)
    bits = np.packbits(opened, axis=1, bitorder="little")[:, 0]
    # One node for each set of steps, and one more for the head of each step.
    every = np.arange(1 << slots, dtype=np.uint8)
    taken = np.unpackbits(every[:, None], axis=1, count=slots, bitorder="little")
    slot = np.nonzero(taken)[1].astype(np.int32)
    ends = np.cumsum(taken.sum(axis=1, dtype=np.int32), dtype=np.int32)
    first_out = np.concatenate([[0], ends, np.full(slots, len(slot))]).astype(np.int32)
    at = np.concatenate([np.zeros((len(every), 2), dtype=np.int32), step])
    local = greedy_slots(first_out, slot + np.int32(len(every)), at)[: len(every)]
    arc = np.minimum(first_out[: len(every), None] + np.maximum(local, 0), len(slot) - 1)
    return np.where(local < 0, -1, slot[arc]).astype(np.int8)[bits]
