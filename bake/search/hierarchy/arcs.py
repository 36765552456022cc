"""Reach the arcs of a clustered graph, whether they are listed or follow from a lattice.

A graph in compressed sparse rows takes about sixty bytes for the arcs of a cell with eight
neighbours. On a lattice a byte a cell and a small table of prices say the same.
"""

from __future__ import annotations

import numpy as np

from bake.core.arrays import BoolArray, Int32Array
from bake.core.kernels.jit import accessor, inlined, kernel
from bake.search.hierarchy.bundles import (
    END,
    EVEN_R,
    FIRST,
    HEAD,
    SQUARE,
    TICKS,
    ClusteredGraph,
    LatticeArcs,
)

#: The slots of every row of a lattice.
SLOTS = 8

#: A bit for each heading of :mod:`bake.search.hierarchy.straight_runs` that is diagonal.
SLANTED = 0b10100101

#: The first slot of a square lattice whose step is diagonal.
FIRST_DIAGONAL = 4


@accessor
def parity_of(lattice: LatticeArcs, cell: int) -> int:
    """Return the parity of the row or column that decides where a cell's neighbours are."""
    parity = 0
    if lattice.layout != SQUARE:
        across = cell // lattice.width if lattice.layout <= EVEN_R else cell % lattice.width
        parity = across & 1
    return parity


@accessor
def beside(lattice: LatticeArcs, cell: int, slot: int) -> int:
    """Return the cell that the step of a slot leads to from a cell that has this step."""
    return int(cell + lattice.offset[parity_of(lattice, cell), slot])


@accessor
def step_ticks(lattice: LatticeArcs, cell: int, slot: int) -> int:
    """Return the ticks of the step of a slot from a cell that has this step."""
    slanted = 1 if lattice.layout == SQUARE and slot >= FIRST_DIAGONAL else 0
    other = beside(lattice, cell, slot)
    return int(lattice.ticks[lattice.price[cell], lattice.price[other], slanted])


@accessor
def row_on(lattice: LatticeArcs, cell: int) -> int:
    """Return the row in a cell, -1 where there is none or the cell has not been read yet.

    In the latter case ``lattice.missing`` says so.
    """
    row = lattice.row_at[cell] - 1
    if row == -1 and lattice.sheet > 0:
        across = (lattice.width + lattice.sheet - 1) // lattice.sheet
        y, x = cell // lattice.width // lattice.sheet, cell % lattice.width // lattice.sheet
        lattice.missing[0] = 1
        lattice.missing[1 + y * across + x] = 1
    return int(max(row, -1))


@accessor
def first_arc(graph: ClusteredGraph, node: int) -> int:
    """Return the number of a node's first arc."""
    arc = node << 3
    if len(graph.lattice.cell) == 0:
        arc = graph.node[node, FIRST]
    return arc


@accessor
def end_arc(graph: ClusteredGraph, node: int) -> int:
    """Return one past the number of a node's last arc."""
    arc = (node << 3) + 8
    if len(graph.lattice.cell) == 0:
        arc = graph.node[node, END]
    return arc


@accessor
def head_of(graph: ClusteredGraph, arc: int) -> int:
    """Return the node an arc leads to, -1 where it may not be taken."""
    head = -1
    if len(graph.lattice.cell) == 0:
        head = graph.arc[arc, HEAD]
    else:
        cell = graph.lattice.cell[arc >> 3]
        if (graph.lattice.steps[cell] >> (arc & 7)) & 1:
            head = row_on(graph.lattice, beside(graph.lattice, cell, arc & 7))
    return head


@accessor
def ticks_of(graph: ClusteredGraph, arc: int) -> int:
    """Return the ticks of an arc that may be taken."""
    ticks = 0
    if len(graph.lattice.cell) == 0:
        ticks = graph.arc[arc, TICKS]
    else:
        ticks = step_ticks(graph.lattice, graph.lattice.cell[arc >> 3], arc & 7)
    return ticks


@inlined
def slot_back(slot: int, layout: int) -> int:
    """Return the slot of the step that leads back."""
    return (slot & 4) | ((slot + 2) & 3) if layout == SQUARE else (slot + 3) % 6


@kernel
def leads_back(lattice: LatticeArcs, diagonal: Int32Array, seen: BoolArray) -> bool:
    """Tell whether every step from a row leads to a row, and back at the same weight.

    Args:
        diagonal: from :func:`diagonal_slots`.
        seen: (2, p, p) bool; becomes True for the prices at both ends of a straight step, and of a
            diagonal one on the chart, that there is.
    """
    square = lattice.layout == SQUARE
    back = True
    for row in range(len(lattice.cell)):
        cell = lattice.cell[row]
        price = lattice.price[cell]
        for slot in range(SLOTS):
            if not (lattice.steps[cell] >> slot) & 1:
                continue
            other = beside(lattice, cell, slot)
            if row_on(lattice, other) < 0:
                back = False
                continue
            slanted = diagonal[slot] if square else 0
            there = lattice.price[other]
            seen[diagonal[slot], price, there] = True
            same = lattice.ticks[price, there, slanted] == lattice.ticks[there, price, slanted]
            back = (
                back
                and same
                and ((lattice.steps[other] >> slot_back(slot, lattice.layout)) & 1) == 1
            )
    return bool(back)


def step_range(lattice: LatticeArcs, seen: BoolArray) -> Int32Array:
    """Find what steps cost at least and at most.

    Args:
        seen: from :func:`leads_back`.

    Returns:
        (2, 2) int32, the ticks of the cheapest straight step and the dearest one, and of diagonal
        ones on the chart; 0 = there is none.
    """
    found = np.zeros((2, 2), dtype=np.int32)
    for kind in range(2):
        ticks = lattice.ticks[:, :, kind if lattice.layout == SQUARE else 0][seen[kind]]
        if len(ticks):
            found[kind] = ticks.min(), ticks.max()
    return found


def diagonal_slots(lattice: LatticeArcs) -> Int32Array:
    """Return (SLOTS) int32, 1 for the slots whose step is diagonal on the chart."""
    slanted = np.zeros(SLOTS, dtype=np.int32)
    for way in range(SLOTS):
        if (SLANTED >> way) & 1 and lattice.slot[way] >= 0:
            slanted[lattice.slot[way]] = 1
    return slanted


@kernel
def list_arcs(
    graph: ClusteredGraph,
    number: Int32Array,
    first_out: Int32Array,
    head: Int32Array,
    ticks: Int32Array,
) -> None:
    """List the arcs between some nodes, in order.

    Args:
        number: (n) int32, what to call each of these nodes, ascending; -1 for all others.
        first_out: (k + 1) int32, filled.
        head, ticks: filled as far as there is room; with none, arcs are only counted.
    """
    filled = 0
    first_out[0] = 0
    for node in range(len(graph.node)):
        if number[node] < 0:
            continue
        for arc in range(first_arc(graph, node), end_arc(graph, node)):
            other = head_of(graph, arc)
            if other >= 0 and number[other] >= 0:
                if filled < len(head):
                    head[filled] = number[other]
                    ticks[filled] = ticks_of(graph, arc)
                filled += 1
        first_out[number[node] + 1] = filled


def most_slots(graph: ClusteredGraph) -> int:
    """Return how many arcs the node with the most has, those not taken included; at least 1."""
    if graph.lattice.width:
        return SLOTS
    return int((graph.node[:, END] - graph.node[:, FIRST]).max(initial=1))


def slots_of(graph: ClusteredGraph, nodes: Int32Array) -> int:
    """Return how many arcs some nodes have together, those not taken included."""
    if graph.lattice.width:
        return SLOTS * len(nodes)
    return int((graph.node[nodes, END] - graph.node[nodes, FIRST]).sum())
