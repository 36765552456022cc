"""Cells to nodes: square lattices with 4 or 8 neighbours and hexagonal ones in any offset layout.

Offset layouts are those of A. Patel, "Hexagonal Grids": odd-r and even-r shove every other row half
a cell right, odd-q and even-q every other column half a cell down.
"""

from __future__ import annotations

import math

import numpy as np

from bake.arrays import BoolArray, Float64Array, Int32Array
from bake.graph import Graph
from bake.level import EAST, NORTH, SOUTH, WEST, Connectivity, GridLevel, HexLayout
from bake.metric import NO_FLANK, WALL_FLANK, Topology

Step = tuple[int, int]

#: (dx, dy) in slot order: straight steps before diagonal ones, clockwise from east.
SQUARE_4: tuple[Step, ...] = ((1, 0), (0, 1), (-1, 0), (0, -1))
SQUARE_8: tuple[Step, ...] = (*SQUARE_4, (1, 1), (-1, 1), (-1, -1), (1, -1))


def hex_steps(layout: HexLayout, parity: int) -> tuple[Step, ...]:
    """(dx, dy) of the six neighbours of a cell whose row (r) or column (q) has this parity."""
    shoved = parity == (1 if layout.startswith("odd") else 0)
    if layout.endswith("r"):
        right = 1 if shoved else 0
        return ((1, 0), (right, 1), (right - 1, 1), (-1, 0), (right - 1, -1), (right, -1))
    down = 1 if shoved else 0
    return ((0, 1), (-1, down), (-1, down - 1), (0, -1), (1, down - 1), (1, down))


def hex_headings(layout: HexLayout) -> tuple[int, ...]:
    """Headings of the six steps of :func:`hex_steps`, as bits."""
    if layout.endswith("r"):
        return (EAST, SOUTH | EAST, SOUTH | WEST, WEST, NORTH | WEST, NORTH | EAST)
    return (SOUTH, SOUTH | WEST, NORTH | WEST, NORTH, NORTH | EAST, SOUTH | EAST)


def heading(step: Step) -> int:
    """Heading of a step on a square lattice, as bits."""
    dx, dy = step
    return (EAST if dx > 0 else WEST if dx < 0 else 0) | (
        SOUTH if dy > 0 else NORTH if dy < 0 else 0
    )


def lattice_topology(
    level: GridLevel, connectivity: Connectivity, standable: BoolArray
) -> tuple[Topology, Int32Array]:
    """Join every standable cell to its standable neighbours on the same floor.

    A ledge bars steps for everyone, so they are not made, and a corner that cannot be walked round
    on its account is a wall.

    Args:
        level: the cells.
        connectivity: 4 or 8 on square levels, 6 on hexagonal ones.
        standable: (height, width) bool, cells some profile can stand on.

    Returns:
        The topology, nodes in reading order, and (n, 2) int32 the cell (x, y) of each node.
    """
    ys, xs = (axis.astype(np.int32) for axis in np.nonzero(standable))
    node_at = np.full((level.height + 2, level.width + 2), WALL_FLANK, dtype=np.int32)
    node_at[1:-1, 1:-1][standable] = np.arange(len(xs), dtype=np.int32)
    tails: list[Int32Array] = []
    heads: list[Int32Array] = []
    lengths: list[Float64Array] = []
    flanks: list[Int32Array] = []

    barred = None
    if level.barred is not None:
        barred = np.zeros(node_at.shape, dtype=np.uint8)
        barred[1:-1, 1:-1] = level.barred

    def add(from_x: Int32Array, from_y: Int32Array, step: Step, bits: int) -> None:
        dx, dy = step
        x, y = from_x + 1, from_y + 1  # node_at has a border of walls
        head = node_at[y + dy, x + dx]
        here = head >= 0
        if level.floor_height is not None and dy:
            here &= from_y // level.floor_height == (from_y + dy) // level.floor_height
        if barred is not None:
            here &= ((barred[y, x] | barred[y + dy, x + dx]) & bits) == 0
        x, y = x[here], y[here]
        tails.append(node_at[y, x])
        heads.append(head[here])
        diagonal = level.hex_layout is None and dx != 0 and dy != 0
        lengths.append(np.full(len(x), math.sqrt(2) if diagonal else 1.0))
        flank = np.full((len(x), 2), NO_FLANK, dtype=np.int32)
        if diagonal:
            flank[:, 0] = node_at[y, x + dx]
            flank[:, 1] = node_at[y + dy, x]
            if barred is not None:
                flank[(barred[y, x + dx] & bits) != 0, 0] = WALL_FLANK
                flank[(barred[y + dy, x] & bits) != 0, 1] = WALL_FLANK
        flanks.append(flank)

    if level.hex_layout is None:
        for step in SQUARE_8 if connectivity == 8 else SQUARE_4:
            add(xs, ys, step, heading(step))
    else:
        line = ys if level.hex_layout.endswith("r") else xs
        for parity in (0, 1):
            mine = line % 2 == parity
            steps = hex_steps(level.hex_layout, parity)
            for step, bits in zip(steps, hex_headings(level.hex_layout), strict=True):
                add(xs[mine], ys[mine], step, bits)

    graph, order = Graph.from_arcs(len(xs), np.concatenate(tails), np.concatenate(heads))
    topology = Topology(
        graph,
        level.terrain[ys, xs],
        level.terrains,
        np.concatenate(lengths)[order],
        np.concatenate(flanks)[order],
    )
    return topology, np.stack([xs, ys], axis=1).astype(np.int32)
