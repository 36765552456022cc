"""Lay out the cells of a large lattice sheet by sheet, as they are read, and check what they say.

A sheet is made of whole squares of the clusters. Which cluster a row belongs to follows from the
steps inside its square, so no column by row is needed: the bake numbers clusters square by square,
and within one by their lowest rows (:func:`bake.search.hierarchy.clusters.connected_rows`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from bake.arrays import BoolArray, Int32Array, UInt8Array
from bake.graph import BLOCKED
from bake.kernels.jit import allocating, inlined, kernel
from bake.search.hierarchy.arcs import SLOTS, parity_of
from bake.search.hierarchy.bundles import CLUSTER, RANK, SQUARE, ClusteredGraph, LatticeArcs

#: What is wrong with a sheet: rows or clusters are not as many as told, a cluster has another size,
#: a step leads out of the grid or there is no such step, a step does not lead back at its cost, or
#: a step costs less or more than is told of all of them.
SOUND, ROWS, CLUSTERS, SIZES, OUTSIDE, ONE_WAY, RANGE = 0, 1, 2, 3, 4, 5, 6


class Squares(NamedTuple):
    """The squares of the clusters, in reading order, and the clusters in them.

    Attributes:
        side: cells along one side of a square.
        across: how many squares lie beside each other.
        first_row, first_cluster: (s + 1) int32, of each square.
        cluster_rows: (c) int32, rows of each cluster.
        move: (2, 8, 2) int32, what the step of a slot adds to x and to y, by the parity of the
            cell's row or column on hexagonal lattices.
        slots: how many steps there are.
        step_range: (2, 2) int32, ticks of the cheapest straight step and of the dearest, and of
            diagonal ones on the chart; 0 = there is none.
        slanted: (8) int32, 1 for the slots whose step is diagonal on the chart.
    """

    side: int
    across: int
    first_row: Int32Array
    first_cluster: Int32Array
    cluster_rows: Int32Array
    move: Int32Array
    slots: int
    step_range: Int32Array
    slanted: Int32Array


class SquareCells(NamedTuple):
    """What the cells of one square hold: see :class:`LatticeArcs`.

    Attributes:
        cells: (k) int32, the cells of the square that are in the grid, in reading order.
        row_at, steps, price: (k) of each of them.
        rows, cell: (r) int32 rows in the square, and the cell of each.
        node: (r, 2) int32, the cluster of each row and its rank there.
    """

    cells: Int32Array
    row_at: Int32Array
    steps: UInt8Array
    price: UInt8Array
    rows: Int32Array
    cell: Int32Array
    node: Int32Array

    @staticmethod
    def of(cells: Int32Array, rows: Int32Array, graph: ClusteredGraph) -> SquareCells:
        """Copy what a graph holds of a square."""
        lattice = graph.lattice
        return SquareCells(
            cells,
            lattice.row_at[cells],
            lattice.steps[cells],
            lattice.price[cells],
            rows,
            lattice.cell[rows],
            graph.node[rows],
        )

    def write(self, graph: ClusteredGraph) -> None:
        """Write it into a graph."""
        lattice = graph.lattice
        lattice.row_at[self.cells] = self.row_at
        lattice.steps[self.cells] = self.steps
        lattice.price[self.cells] = self.price
        lattice.cell[self.rows] = self.cell
        graph.node[self.rows] = self.node


@dataclass(frozen=True, eq=False)
class Dress:
    """What differs from the bake in one version of a large lattice.

    Attributes:
        line: the same object for versions whose flow fields lie in one pool.
        squares: what squares hold in which something differs.
        fresh: (e) int32, the cell of each row that was not baked; their rows follow the baked ones.
        flow, flow_used: flow fields of clusters that were built anew, and how many bytes there are.
        step_range: see :class:`Squares`.
    """

    line: object
    squares: Mapping[int, SquareCells]
    fresh: Int32Array
    flow: UInt8Array
    flow_used: int
    step_range: Int32Array


@inlined
def _root(low: Int32Array, one: int) -> int:
    while low[one] != one:
        low[one] = low[low[one]]
        one = low[one]
    return one


@allocating
def lay_sheet(
    left: int,
    top: int,
    steps: UInt8Array,
    price: UInt8Array,
    stands: BoolArray,
    squares: Squares,
    graph: ClusteredGraph,
) -> int:
    """Lay out the cells of one sheet, whose every step leads back at its cost.

    Args:
        left, top: the sheet's first cell; a multiple of the side of a square.
        steps, price, stands: (h, w) of the sheet: see :class:`LatticeArcs`; True where there is a
            row.
        squares: the squares of the whole lattice.
        graph: its rows; what is known of those in the sheet is filled in.

    Returns:
        SOUND, or what is wrong.
    """
    lattice = graph.lattice
    row_at, cell_of = lattice.row_at, lattice.cell
    steps_at, price_at = lattice.steps, lattice.price
    width, height = lattice.width, len(row_at) // lattice.width
    rows, columns, side = stands.shape[0], stands.shape[1], squares.side
    for y in range(rows):
        for x in range(columns):
            cell = (top + y) * width + left + x
            steps_at[cell] = steps[y, x]
            price_at[cell] = price[y, x]
            row_at[cell] = -1
    low = np.empty(side * side, np.int32)
    number = np.empty(side * side, np.int32)
    for square_y in range(0, rows, side):
        for square_x in range(0, columns, side):
            end_y, end_x = min(square_y + side, rows), min(square_x + side, columns)
            square = (top + square_y) // side * squares.across + (left + square_x) // side
            row = squares.first_row[square]
            for y in range(square_y, end_y):
                for x in range(square_x, end_x):
                    if not stands[y, x]:
                        continue
                    if row == squares.first_row[square + 1]:
                        return ROWS
                    cell = (top + y) * width + left + x
                    cell_of[row] = cell
                    row += 1
                    row_at[cell] = row
            if row != squares.first_row[square + 1]:
                return ROWS
            wrong = _cut_square(left, top, square_x, square_y, stands, square, squares, graph,
                                low, number)  # fmt: skip
            if wrong != SOUND:
                return wrong
    return _check_steps(left, top, stands, height, squares, lattice)


@kernel
def _cut_square(
    left: int,
    top: int,
    square_x: int,
    square_y: int,
    stands: BoolArray,
    square: int,
    squares: Squares,
    graph: ClusteredGraph,
    low: Int32Array,
    number: Int32Array,
) -> int:
    """Cut the rows of a square into clusters, and number those and the rows in each."""
    lattice, first, columns = graph.lattice, squares.first_row[square], graph.node
    row_at, cell_of, steps_at = lattice.row_at, lattice.cell, lattice.steps
    width, move = lattice.width, squares.move
    end_y = min(square_y + squares.side, stands.shape[0])
    end_x = min(square_x + squares.side, stands.shape[1])
    count = squares.first_row[square + 1] - first
    for one in range(count):
        low[one] = one
    for one in range(count):
        cell = cell_of[first + one]
        x, y = cell % width, cell // width
        parity = parity_of(lattice, cell)
        for slot in range(squares.slots):
            if not (steps_at[cell] >> slot) & 1:
                continue
            other_x, other_y = x + move[parity, slot, 0], y + move[parity, slot, 1]
            if not (left + square_x <= other_x < left + end_x):
                continue
            if not (top + square_y <= other_y < top + end_y):
                continue
            there = row_at[other_y * width + other_x] - 1 - first
            if there < 0:
                return ONE_WAY
            a, b = _root(low, one), _root(low, there)
            if a < b:
                low[b] = a
            elif b < a:
                low[a] = b
    clusters = 0
    begun = squares.first_cluster[square]
    limit = squares.first_cluster[square + 1] - begun
    for one in range(count):
        root = _root(low, one)
        if root == one:
            if clusters == limit:
                return CLUSTERS
            number[one] = clusters
            clusters += 1
        columns[first + one, CLUSTER] = begun + number[root]
    if clusters != limit:
        return CLUSTERS
    for cluster in range(clusters):
        low[cluster] = 0
    for one in range(count):
        cluster = columns[first + one, CLUSTER] - begun
        columns[first + one, RANK] = low[cluster]
        low[cluster] += 1
    for cluster in range(clusters):
        if low[cluster] != squares.cluster_rows[begun + cluster]:
            return SIZES
    return SOUND


@inlined
def _turned(slot: int, layout: int) -> int:
    """Return the slot of the step that leads back."""
    return (slot & 4) | ((slot + 2) & 3) if layout == SQUARE else (slot + 3) % 6


@kernel
def _check_steps(
    left: int,
    top: int,
    stands: BoolArray,
    height: int,
    squares: Squares,
    lattice: LatticeArcs,
) -> int:
    """Check the steps from the rows of a sheet, and those to them from sheets that are known."""
    row_at, steps_at, price_at = lattice.row_at, lattice.steps, lattice.price
    ticks_of, layout, width = lattice.ticks, lattice.layout, lattice.width
    move, bound, slanted_at = squares.move, squares.step_range, squares.slanted
    slots = squares.slots
    for y in range(top, top + stands.shape[0]):
        for x in range(left, left + stands.shape[1]):
            if not stands[y - top, x - left]:
                continue
            cell = y * width + x
            steps = steps_at[cell]
            parity = parity_of(lattice, cell)
            if slots < SLOTS and steps >> slots:
                return OUTSIDE
            for slot in range(slots):
                taken = (steps >> slot) & 1
                other_x, other_y = x + move[parity, slot, 0], y + move[parity, slot, 1]
                if not (0 <= other_x < width and 0 <= other_y < height):
                    if taken:
                        return OUTSIDE
                    continue
                other = other_y * width + other_x
                if row_at[other] == 0:
                    continue
                back = 0
                if row_at[other] > 0:
                    back = (steps_at[other] >> _turned(slot, layout)) & 1
                if taken != back:
                    return ONE_WAY
                if taken:
                    slanted = slanted_at[slot]
                    kind = slanted if layout == SQUARE else 0
                    ticks = ticks_of[price_at[cell], price_at[other], kind]
                    if ticks != ticks_of[price_at[other], price_at[cell], kind]:
                        return ONE_WAY
                    if ticks == BLOCKED or ticks < bound[slanted, 0] or ticks > bound[slanted, 1]:
                        return RANGE
    return SOUND
