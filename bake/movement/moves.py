"""Number the arcs that leave a cell by what they are: steps by direction, then links."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bake.arrays import BoolArray, Int32Array
from bake.movement.lattice import Lattice

#: The cells at both ends of an arc, and the number of the link that it is of.
End = tuple[int, int, int]


class LinkMoves(NamedTuple):
    """The arcs of links, by the cell where they begin.

    Those that leave one cell come in the order of their slots, and those that nobody could take
    when the level was baked, which have no slots, last, by where they lead.

    Attributes:
        tail, head: (k) int32 cells.
        link: (k) int32, the link each is of.
    """

    tail: Int32Array
    head: Int32Array
    link: Int32Array

    @staticmethod
    def of(
        tail: Int32Array, head: Int32Array, link: Int32Array, wanted: Sequence[End]
    ) -> LinkMoves:
        """Put the arcs that a graph has before those that it lacks.

        Args:
            tail, head, link: (j) cells and links of the graph's arcs, in their order.
            wanted: every arc of every link.
        """
        there = np.stack([tail, head, link], axis=1).astype(np.int32)
        known = set(map(tuple, there.tolist()))
        more = sorted(each for each in wanted if each not in known)
        found = np.concatenate([there, np.array(more, dtype=np.int32).reshape(-1, 3)])
        found = found[np.argsort(found[:, 0], kind="stable")]
        return LinkMoves(*(found[:, place].copy() for place in range(3)))

    @property
    def most(self) -> int:
        """Return how many leave one cell at most."""
        return int(np.bincount(self.tail).max(initial=0)) if len(self.tail) else 0


def moves_of_arcs(
    lattice: Lattice, cell: Int32Array, tail: Int32Array, head: Int32Array, is_link: BoolArray
) -> Int32Array:
    """Return (m) int32, the move that each arc of a grid is.

    That is the step's direction, or the number of directions plus the arc's place among the links
    that leave its cell.

    Args:
        cell: (n) int32, the cell of each node.
        tail, head: (m) int32 nodes, by tail.
        is_link: (m) bool.
    """
    steps = lattice.steps_from(cell.astype(np.int64))
    same = steps.head[tail] == cell[head][:, None]
    same &= steps.inside[tail]
    move: Int32Array = same.argmax(axis=1).astype(np.int32)
    links = np.flatnonzero(is_link)
    if len(links):
        among = np.bincount(tail[links], minlength=len(cell))
        begins = np.cumsum(among) - among
        move[links] = len(lattice.heading) + np.arange(len(links)) - begins[tail[links]]
    return move
