"""Put together what the arcs of a lattice follow from.

This stands apart from the kernels that look at it, as compiled code follows from all that the
modules of kernels import, and nothing of the movement of agents is part of it.
"""

from __future__ import annotations

import numpy as np

from bake.core.arrays import Int32Array, UInt8Array
from bake.core.movement import HEX_LAYOUTS
from bake.search.hierarchy.arcs import SLOTS
from bake.search.hierarchy.bundles import SQUARE, LatticeArcs
from levelbake.steps import Lattice, chart


def lattice_arcs(
    lattice: Lattice,
    cell: Int32Array,
    row_at: Int32Array,
    steps: UInt8Array,
    price: UInt8Array,
    ticks: Int32Array,
    sheet: int = 0,
) -> LatticeArcs:
    """Put together what the arcs of a lattice follow from.

    Args:
        lattice: the cells.
        cell, row_at, steps, price, ticks, sheet: see :class:`LatticeArcs`.
    """
    layout = lattice.hex_layout
    offset = np.zeros((2, SLOTS), dtype=np.int32)
    slot = np.full(SLOTS, -1, dtype=np.int32)
    for parity in range(2):
        here = np.array([[2 + parity, 2 + parity]], dtype=np.int32)
        for number, (dx, dy) in enumerate(lattice.moves(parity)):
            offset[parity, number] = dy * lattice.width + dx
            there = here + np.array([[dx, dy]], dtype=np.int32)
            along, down = (chart(there, layout) - chart(here, layout))[0].tolist()
            way = (along + 1) * 3 + down + 1
            slot[way - 1 if way > 4 else way] = number
    return LatticeArcs(
        cell,
        row_at,
        steps,
        price,
        ticks,
        offset,
        slot,
        lattice.width,
        SQUARE if layout is None else 1 + HEX_LAYOUTS.index(layout),
        sheet,
        np.zeros(1 + (0 if not sheet else sheets_of(lattice, sheet)), dtype=np.uint8),
    )


def sheets_of(lattice: Lattice, sheet: int) -> int:
    """Return how many squares of so many cells a side cover a lattice."""
    return -(-lattice.width // sheet) * -(-lattice.height // sheet)
