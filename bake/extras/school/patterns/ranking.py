"""Ranks of placements of tiles on a board.

The number of a placement is its place among all of them in lexicographic order, which is the order
of ``itertools.permutations(range(cells), tiles)``.
"""

from __future__ import annotations

from bake.core.arrays import Int32Array
from bake.core.kernels.jit import kernel


@kernel
def rank_of(place: Int32Array, count: int, cells: int) -> int:
    """Return the number of a placement, in O(count²).

    Args:
        place: (count or more,) the cell of each tile, all of them different.
        count: tiles.
        cells: cells of the board.
    """
    rank = 0
    for i in range(count):
        free_before = place[i]
        for j in range(i):
            if place[j] < place[i]:
                free_before -= 1
        rank = rank * (cells - i) + free_before
    return rank


@kernel
def place_by_rank(rank: int, count: int, cells: int, place: Int32Array) -> None:
    """Write the placement of a number into ``place``, (count or more,)."""
    for i in range(count - 1, -1, -1):
        place[i] = rank % (cells - i)
        rank //= cells - i
        for j in range(i + 1, count):
            if place[j] >= place[i]:
                place[j] += 1
