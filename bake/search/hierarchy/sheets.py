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

from bake.core.arrays import BoolArray, Int32Array, UInt8Array
from bake.core.graph import BLOCKED
from bake.core.kernels.jit import allocating, kernel
from bake.search.hierarchy.arcs import SLOTS, parity_of, slot_back
from bake.search.hierarchy.bundles import CLUSTER, RANK, SQUARE, ClusteredGraph, LatticeArcs
from bake.search.hierarchy.clusters import root, unite

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


@kernel
def cut_square(
    corner: int,
    stands: BoolArray,
    steps: UInt8Array,
    lattice: LatticeArcs,
    move: Int32Array,
    part: Int32Array,
    rank: Int32Array,
    size: Int32Array,
) -> int:
    """Cut the cells of a square into connected parts, numbered by their first cells.

    Args:
        corner: the first cell of the square, y * width + x.
        stands, steps: (h, w) of its cells that are in the grid: True where there is a row; see
            :class:`LatticeArcs`.
        move: see :class:`Squares`.
        part, rank, size: (h * w) int32 or more, written: the part of each cell, -1 where there is
            no row; how many cells of it come before; how many cells each part has.

    Returns:
        How many parts there are.
    """
    height, width = stands.shape
    for one in range(height * width):
        rank[one] = one
        size[one] = 0
    for one in range(height * width):
        y, x = one // width, one % width
        if not stands[y, x]:
            continue
        parity = parity_of(lattice, corner + y * lattice.width + x)
        for slot in range(SLOTS):
            if not (steps[y, x] >> slot) & 1:
                continue
            other_x, other_y = x + move[parity, slot, 0], y + move[parity, slot, 1]
            if 0 <= other_x < width and 0 <= other_y < height and stands[other_y, other_x]:
                unite(rank, one, other_y * width + other_x)
    count = 0
    for one in range(height * width):
        part[one] = -1
        if stands[one // width, one % width]:
            first = root(rank, one)
            if first == one:
                part[one] = count
                count += 1
            else:
                part[one] = part[first]
    for one in range(height * width):
        if part[one] >= 0:
            rank[one] = size[part[one]]
            size[part[one]] += 1
    return count


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
    part, rank, size = (
        np.empty(side * side, np.int32),
        np.empty(side * side, np.int32),
        np.empty(side * side, np.int32),
    )
    for square_y in range(0, rows, side):
        for square_x in range(0, columns, side):
            end_y, end_x = min(square_y + side, rows), min(square_x + side, columns)
            square = (top + square_y) // side * squares.across + (left + square_x) // side
            corner = (top + square_y) * width + left + square_x
            count = cut_square(
                corner,
                stands[square_y:end_y, square_x:end_x],
                steps[square_y:end_y, square_x:end_x],
                lattice,
                squares.move,
                part,
                rank,
                size,
            )
            row, one, begun = squares.first_row[square], 0, squares.first_cluster[square]
            for y in range(end_y - square_y):
                for x in range(end_x - square_x):
                    if part[one] >= 0:
                        if row == squares.first_row[square + 1]:
                            return ROWS
                        cell = corner + y * width + x
                        cell_of[row] = cell
                        graph.node[row, CLUSTER] = begun + part[one]
                        graph.node[row, RANK] = rank[one]
                        row += 1
                        row_at[cell] = row
                    one += 1
            if row != squares.first_row[square + 1]:
                return ROWS
            if count != squares.first_cluster[square + 1] - begun:
                return CLUSTERS
            for one in range(count):
                if size[one] != squares.cluster_rows[begun + one]:
                    return SIZES
    return _check_steps(left, top, stands, height, squares, lattice)


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
                    back = (steps_at[other] >> slot_back(slot, layout)) & 1
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
