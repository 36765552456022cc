"""Say which cells are neighbours: the steps of square and hexagonal lattices, with headings.

Offset layouts are those of A. Patel, "Hexagonal Grids": odd-r and even-r shift every other row half
a cell right, odd-q and even-q every other column half a cell down.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from bake.arrays import BoolArray, Float64Array, Int32Array, Int64Array, UInt8Array
from bake.hexagons import HexLayout, hex_steps, in_rows
from bake.movement.rules import Connectivity, Headings

#: The headings of a step as bits; a diagonal step has two.
NORTH, EAST, SOUTH, WEST = 1, 2, 4, 8

Step = tuple[int, int]

#: The steps (dx, dy) in slot order: straight ones before diagonal ones, clockwise from east.
SQUARE_4: tuple[Step, ...] = ((1, 0), (0, 1), (-1, 0), (0, -1))
SQUARE_8: tuple[Step, ...] = (*SQUARE_4, (1, 1), (-1, 1), (-1, -1), (1, -1))

#: The slots of the diagonal steps, and of the straight steps to the two flanks of each.
DIAGONAL = slice(4, 8)
FLANKS = ([0, 2, 2, 0], [1, 1, 3, 3])


def hex_headings(layout: HexLayout) -> tuple[int, ...]:
    """Return the headings of the six steps of :func:`hex_steps` as bits."""
    if in_rows(layout):
        return (EAST, SOUTH | EAST, SOUTH | WEST, WEST, NORTH | WEST, NORTH | EAST)
    return (SOUTH, SOUTH | WEST, NORTH | WEST, NORTH, NORTH | EAST, SOUTH | EAST)


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


@dataclass(frozen=True)
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
    """

    width: int
    height: int
    connectivity: Connectivity = 8
    hex_layout: HexLayout | None = None
    floor_height: int | None = None
    barred: UInt8Array | None = None
    headings: Headings | None = None

    @cached_property
    def plain(self) -> Lattice:
        """Return the same cells, on which nobody faces any way."""
        return replace(self, headings=None)

    def slot_along(self, cells: Int64Array) -> Int64Array:
        """Return (k) int64, the slot of the plain lattice along the heading of each cell."""
        order = (0, 4, 1, 5, 2, 6, 3, 7) if self.headings == 8 else range(self.headings or 0)
        return np.array(order, dtype=np.int64)[cells // (self.width * self.rows)]

    def turned(self, cells: Int64Array, by: int) -> Int64Array:
        """Return (k) int64, the same cells some headings further clockwise."""
        assert self.headings is not None
        return (cells + by * (self.width * self.rows)) % (self.headings * self.width * self.rows)

    def length_of(self, cells: Int64Array, slot: Int64Array) -> Float64Array:
        """Return (k) float64, the length of one step of each of some cells, 1 for a turn."""
        if self.headings is None:
            return self.length[slot]
        return np.where(slot == 0, self.plain.length[self.slot_along(cells)], 1.0)

    @property
    def rows(self) -> int:
        """Return how many rows one floor has."""
        return self.floor_height or max(1, self.height)

    @property
    def has_diagonals(self) -> bool:
        return self.hex_layout is None and self.connectivity == 8

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
        if self.hex_layout is not None:
            return np.array(hex_headings(self.hex_layout), dtype=np.uint8)
        steps = SQUARE_8 if self.has_diagonals else SQUARE_4
        return np.array([heading(step) for step in steps], dtype=np.uint8)

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

    def ahead(self, cells: Int64Array, written: Int32Array) -> Int32Array:
        """Return (k, s) int32, what is written where each step leads; -1 where there is no step.

        On lattices without headings this takes a fraction of the memory of :meth:`steps_from`.

        Args:
            cells: (k) int64.
            written: (cells) int32.
        """
        rows, across = self.rows, self.width + 2
        floors = max(1, self.height) // rows
        framed = np.full((floors, rows + 2, across), -1, dtype=np.int32)
        framed[:, 1:-1, 1:-1] = written.reshape(floors, rows, self.width)
        y, x = np.divmod(cells, self.width)
        at = (y // rows * (rows + 2) + y % rows + 1) * across + x + 1
        dx, dy = self._moves
        away = dy * across + dx
        parity = (y if self.hex_layout is None or in_rows(self.hex_layout) else x) & 1
        found = np.empty((len(cells), away.shape[1]), dtype=np.int32)
        for slot in range(found.shape[1]):
            found[:, slot] = framed.reshape(-1)[at + away[parity, slot]]
        return found

    def slots_between(self, cells: Int64Array, next_cells: Int64Array) -> Int64Array:
        """Return (k) int64, the slot of the step from each cell to a neighbour; 0 from it to it."""
        floor, width = self.width * self.rows, self.width
        if self.headings is not None:
            turned: Int64Array = (next_cells // floor - cells // floor) % self.headings
            return np.minimum(2, turned)
        slot = np.zeros((2, 3, 3), dtype=np.int64)
        for parity in (0, 1):
            for place, (dx, dy) in enumerate(self.moves(parity)):
                slot[parity, dy + 1, dx + 1] = place
        (y, x), (to_y, to_x) = np.divmod(cells, width), np.divmod(next_cells, width)
        line = y if self.hex_layout is not None and in_rows(self.hex_layout) else x
        found: Int64Array = slot[line & 1, to_y - y + 1, to_x - x + 1]
        return found

    def _steps_along(self, cells: Int64Array) -> Steps:
        """Return the steps along the headings of some cells, and the turns."""
        every, at = self.plain.steps_from(cells), np.arange(len(cells))
        slot = self.slot_along(cells)
        head = [every.head[at, slot], self.turned(cells, 1), self.turned(cells, -1)]
        inside = np.ones((len(cells), 3), dtype=np.bool_)
        inside[:, 0] = every.inside[at, slot]
        return Steps(cells, np.stack(head, axis=1), inside)
