"""Backward search from the goal of sliding tiles, projected to the tiles of one pattern.

J. Culberson, J. Schaeffer, "Pattern Databases", 1998. Only moves of the pattern's own tiles count,
so that tables of patterns without a common tile add up (R. Korf, A. Felner, "Disjoint Pattern
Database Heuristics", 2002). The gap passes through all other tiles at no cost, so of each placement
it is a set of cells that the gap has been seen in; as in the paper, the table forgets where the gap
is and keeps the least.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bake.core.arrays import Int32Array, UInt16Array, UInt32Array
from bake.core.kernels.jit import kernel
from bake.extras.school.patterns.ranking import place_by_rank, rank_of
from bake.extras.school.puzzle import Tiles, entries

#: The value of placements that are not reached yet.
NONE = np.uint16(65535)

#: Peak memory of the search for each entry: three sets of cells, and the table in 16 and 8 bits.
ENTRY_BYTES = 3 * 4 + 2 + 1


class Board(NamedTuple):
    """The board of a search; sets of cells have bit i for cell i."""

    beside: UInt32Array  #: (cells,) the set of cells beside each
    members: int  #: tiles of the pattern


class Wave(NamedTuple):
    """The state of a search, with one element for each placement."""

    now: UInt32Array  #: where the gap can be after this many moves, and was not before
    after: UInt32Array  #: the same after one move more
    seen: UInt32Array  #: where the gap has been
    moves: UInt16Array  #: the fewest moves; NONE until reached


def tile_distances(tiles: Tiles, pattern: tuple[int, ...]) -> UInt16Array:
    """Return the fewest moves of the pattern's tiles from each placement to the goal.

    Args:
        tiles: the board, of at most 32 cells.
        pattern: the tiles that are told apart.

    Returns:
        uint16, (entries,) by the rank of the placement; NONE where no moves do it.
    """
    beside = np.zeros(tiles.cells, dtype=np.uint32)
    for cell, around in enumerate(tiles.neighbours):
        beside[cell] = sum(1 << other for other in around)
    board = Board(beside, len(pattern))
    size = entries(tiles, pattern)
    now, after, seen = (np.zeros(size, dtype=np.uint32) for _ in range(3))
    moves = np.full(size, NONE, dtype=np.uint16)
    place = np.array([*map(tiles.goal.index, pattern), 0], dtype=np.int32)
    now[rank_of(place, len(pattern), tiles.cells)] = 1 << tiles.goal.index(0)
    level = 0
    while spread(board, Wave(now, after, seen, moves), level, place):
        now, after = after, now
        level += 1
    return moves


@kernel
def spread(board: Board, wave: Wave, level: int, place: Int32Array) -> bool:
    """Expand all placements of one level, and return True if any of the next one was found.

    Args:
        board: the board.
        wave: how far the search has come; ``now`` is empty afterwards.
        level: moves made so far.
        place: (members + 1,) room for a placement.
    """
    cells = len(board.beside)
    one = np.uint32(1)
    found = False
    for row in range(len(wave.now)):
        gaps = wave.now[row] & ~wave.seen[row]
        wave.now[row] = 0
        if gaps == 0:
            continue
        place_by_rank(row, board.members, cells, place)
        free = ~np.uint32(0)
        for i in range(board.members):
            free &= ~(one << np.uint32(place[i]))
        # The gap goes through all that is free at no cost.
        edge = gaps
        while edge != 0:
            beyond = np.uint32(0)
            for cell in range(cells):
                if edge >> np.uint32(cell) & one:
                    beyond |= board.beside[cell]
            edge = beyond & free & ~gaps
            gaps |= edge
        wave.seen[row] |= gaps
        if wave.moves[row] == NONE:
            wave.moves[row] = level
        for i in range(board.members):
            cell = place[i]
            gap = np.uint32(cell)
            onto = board.beside[cell] & gaps
            for other in range(cells):
                if onto >> np.uint32(other) & one:
                    place[i] = other
                    beyond_row = rank_of(place, board.members, cells)
                    if not wave.seen[beyond_row] >> gap & one:
                        wave.after[beyond_row] |= one << gap
                        found = True
            place[i] = cell
    return found
