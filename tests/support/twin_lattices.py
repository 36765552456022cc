"""Small grids whose arcs know the ones that lead back, for searches that go on after changes."""

import random
from itertools import pairwise

import numpy as np

from bake.core.graph import BLOCKED
from bake.search.incremental.twins import TwinArcs, twin_arcs
from bake.search.point.estimates import Estimate, cell_norm

#: Cells along each side.
SIDE = 9


def with_weights(
    node_count: int,
    tail: np.ndarray,
    head: np.ndarray,
    weight: np.ndarray,
) -> TwinArcs:
    """Lay out arcs with their weights; of several between two nodes the lightest counts."""
    arcs = twin_arcs(node_count, tail, head)
    inner = np.flatnonzero(tail != head)
    np.minimum.at(arcs.weight, arcs.find(tail[inner], head[inner]), weight[inner])
    return arcs


def usable(arcs: TwinArcs) -> list[tuple[int, int, int]]:
    """Tail, head and ticks of every arc that may be taken now."""
    each = zip(arcs.tails().tolist(), arcs.head.tolist(), arcs.weight.tolist(), strict=True)
    return [arc for arc in each if arc[2] != BLOCKED]


def walked(arcs: TwinArcs, path: np.ndarray) -> int:
    price = {(tail, head): ticks for tail, head, ticks in usable(arcs)}
    return sum(price[ends] for ends in pairwise(path.tolist()))


def lattice(rng: random.Random, walls: float) -> tuple[TwinArcs, Estimate]:
    """A square grid with walls, where each free step costs 10 to 30, and its octile heuristic."""
    cell = np.array([(x, y) for y in range(SIDE) for x in range(SIDE)], dtype=np.int32)
    pairs = [
        (y * SIDE + x, (y + dy) * SIDE + x + dx)
        for y in range(SIDE)
        for x in range(SIDE)
        for dx, dy in ((1, 0), (0, 1), (1, 1), (-1, 1))
        if 0 <= x + dx < SIDE and y + dy < SIDE
    ]
    tail, head = np.array(pairs).T
    arcs = twin_arcs(SIDE * SIDE, tail, head)
    straight = (np.abs(cell[arcs.head] - cell[arcs.tails()]).sum(axis=1) == 1).astype(np.int32)
    least = np.where(straight, 10, 14).astype(np.int32)
    arcs.weight[:] = least
    norm = cell_norm("octile", cell, arcs.tails().astype(np.int32), arcs.head, least)
    assert norm.consistent
    for arc in range(len(arcs.head)):
        if rng.random() < walls:
            arcs.weight[arc] = BLOCKED
    return arcs, norm
