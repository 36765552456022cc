"""Compute greedy moves: the arcs an agent would take that headed straight for its goal.

Compressed tables store "the greedy move" as one symbol: in the open it stands for long runs of
targets that different arcs lead to. It depends only on the direction to the goal, so the bake and
the reader both compute it from a small table for each node.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bake.arrays import AnyArray, BoolArray, Int32Array, Int64Array
from bake.hexagons import in_rows, shoved_parity

#: How many directions are distinguished: by the signs of dx and dy, and by which of them is longer.
SECTORS = 18


def chart(cell: Int32Array, hex_layout: str | None) -> Int32Array:
    """Return coordinates in which neighbours differ by at most one: axial ones on hexagonal grids.

    Args:
        cell: (n, 2) int32 (x, y).
        hex_layout: odd-r, even-r, odd-q, even-q; None = square.

    Returns:
        (n, 2) int32 chart coordinates.
    """
    if hex_layout is None:
        return cell
    x, y = cell[:, 0], cell[:, 1]
    odd = shoved_parity(hex_layout)
    if in_rows(hex_layout):
        x = x - ((y - (y & 1)) >> 1 if odd else (y + (y & 1)) >> 1)
    else:
        y = y - ((x - (x & 1)) >> 1 if odd else (x + (x & 1)) >> 1)
    return np.stack([x, y], axis=1).astype(np.int32)


def unchart(at: Int32Array, hex_layout: str | None) -> Int32Array:
    """Return the cells at chart coordinates, as the inverse of :func:`chart`."""
    if hex_layout is None:
        return at
    x, y = at[:, 0], at[:, 1]
    odd = shoved_parity(hex_layout)
    if in_rows(hex_layout):
        x = x + ((y - (y & 1)) >> 1 if odd else (y + (y & 1)) >> 1)
    else:
        y = y + ((x - (x & 1)) >> 1 if odd else (x + (x & 1)) >> 1)
    return np.stack([x, y], axis=1).astype(np.int32)


def sectors(dx: npt.NDArray[np.integer], dy: npt.NDArray[np.integer]) -> Int64Array:
    """Number directions: ((sign dx + 1) * 3 + sign dy + 1) * 2, plus 1 where |dy| > |dx|."""
    side = (np.sign(dx).astype(np.int64) + 1) * 3 + np.sign(dy) + 1
    sector: Int64Array = side * 2 + (np.abs(dy) > np.abs(dx))
    return sector


def greedy_slots(first_out: Int32Array, head: Int32Array, at: Int32Array) -> Int32Array:
    """Return the greedy move of every node in every direction.

    The move is diagonal if both coordinates differ and there is such an arc. Otherwise it goes
    along the longer difference, or, without such an arc, along the shorter one.

    Args:
        first_out, head: (n + 1), (m) int32, the arcs a profile may take.
        at: (n, 2) int32, from :func:`chart`.

    Returns:
        (n, SECTORS) int32, which arc of the node, counted from its first; -1 where there is none.
    """
    n = len(first_out) - 1
    tail = np.repeat(np.arange(n), np.diff(first_out))
    step = at[head] - at[tail]
    arc_at = np.full((n, 3, 3), -1, dtype=np.int32)
    near = (np.abs(step) <= 1).all(axis=1)
    place = np.arange(len(head)) - first_out[tail]
    # Arcs are written backwards, so that of several the first one stays.
    arc_at[tail[near][::-1], step[near, 0][::-1] + 1, step[near, 1][::-1] + 1] = place[near][::-1]
    greedy = np.full((n, 3, 3, 2), -1, dtype=np.int32)
    for x in range(3):
        for y in range(3):
            if (x, y) == (1, 1):
                continue
            choices = [arc_at[:, x, y]]
            if x != 1 and y != 1:
                choices += [arc_at[:, x, 1], arc_at[:, 1, y]]
            for longer_y in range(2):
                order = [choices[0], *choices[1:][:: -1 if longer_y else 1]]
                best = order[0].copy()
                for other in order[1:]:
                    best = np.where(best < 0, other, best)
                greedy[:, x, y, longer_y] = best
    return greedy.reshape(n, SECTORS)


def greedy_steps(opened: BoolArray, step: Int32Array) -> AnyArray:
    """Return what :func:`greedy_slots` does for nodes of a lattice, each with all its steps.

    Args:
        opened: (n, s) bool, True where a profile may take a step.
        step: (s, 2) int32, how far each leads in chart coordinates.

    Returns:
        (n, SECTORS) int8, which of the s steps; -1 where there is none.
    """
    slots = len(step)
    bits = np.packbits(opened, axis=1, bitorder="little")[:, 0]
    # One node for each set of steps, and one more where each step leads.
    every = np.arange(1 << slots, dtype=np.uint8)
    taken = np.unpackbits(every[:, None], axis=1, count=slots, bitorder="little")
    slot = np.nonzero(taken)[1].astype(np.int32)
    ends = np.cumsum(taken.sum(axis=1, dtype=np.int32), dtype=np.int32)
    first_out = np.concatenate([[0], ends, np.full(slots, len(slot))]).astype(np.int32)
    at = np.concatenate([np.zeros((len(every), 2), dtype=np.int32), step])
    local = greedy_slots(first_out, slot + np.int32(len(every)), at)[: len(every)]
    arc = np.minimum(first_out[: len(every), None] + np.maximum(local, 0), len(slot) - 1)
    return np.where(local < 0, -1, slot[arc]).astype(np.int8)[bits]
