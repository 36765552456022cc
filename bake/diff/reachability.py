"""Pairs of places that can no longer be joined, or can be now, counted without visiting pairs.

Places that share a component before and one after behave alike, so groups are compared, not places.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bake.arrays import BoolArray, Int64Array
from bake.diff.matched import Matched
from bake.runtime.reader.tables import Tables

#: Groups whose pairs are looked at together.
_BLOCK = 1024


@dataclass(frozen=True)
class Reachability:
    """What became of the ways between k places.

    Attributes:
        lost, gained: ordered pairs of places that had a way and have none, and the reverse.
        lost_example, gained_example: places (start, goal) by number, from the largest groups that
            were parted or joined; None without any.
        cut_off: (k) bool, places that had a way from or to the largest part and lost one of them.
        joined: (k) bool, the reverse.
    """

    lost: int
    gained: int
    lost_example: tuple[int, int] | None
    gained_example: tuple[int, int] | None
    cut_off: BoolArray
    joined: BoolArray


def compare_reachability(matched: Matched) -> Reachability | None:
    """Compare; None where an asset holds no closure of its one-way components."""
    old, new = matched.old, matched.new
    if any(tables.one_way and tables.reach is None for tables in (old, new)):
        return None
    labels = [
        tables.component[tables.node[rows]].astype(np.int64)
        for tables, rows in ((old, matched.old_row), (new, matched.new_row))
    ]
    nothing = np.zeros(len(matched), dtype=np.bool_)
    if not len(matched):
        return Reachability(0, 0, None, None, nothing, nothing)
    after = int(labels[1].max()) + 1
    group, first, of_place, count = np.unique(
        labels[0] * after + labels[1], return_index=True, return_inverse=True, return_counts=True
    )
    before_of, after_of = group // after, group % after
    largest = int(count.argmax())
    lost = gained = 0
    examples: list[tuple[int, tuple[int, int]] | None] = [None, None]
    cut_off = np.zeros(len(group), dtype=np.bool_)
    joined = np.zeros(len(group), dtype=np.bool_)
    every = np.arange(len(group))
    for begin in range(0, len(group), _BLOCK):
        block = every[begin : begin + _BLOCK]
        had = _leads(old, before_of[block], before_of)
        has = _leads(new, after_of[block], after_of)
        weight = count[block, None].astype(np.float64) * count
        for number, changed in enumerate((had & ~has, has & ~had)):
            many = int((count[block] * (changed @ count)).sum())
            lost, gained = (lost + many, gained) if number == 0 else (lost, gained + many)
            if changed.any():
                a, b = np.unravel_index(int((weight * changed).argmax()), changed.shape)
                size = int(count[block[a]] * count[b])
                best = examples[number]
                if best is None or size > best[0]:
                    examples[number] = size, (int(first[block[a]]), int(first[b]))
            marked = cut_off if number == 0 else joined
            marked[block] |= changed[:, largest]
            if begin <= largest < begin + _BLOCK:
                marked |= changed[largest - begin]
    return Reachability(
        lost,
        gained,
        examples[0] and examples[0][1],
        examples[1] and examples[1][1],
        cut_off[of_place],
        joined[of_place],
    )


def _leads(tables: Tables, a: Int64Array, b: Int64Array) -> BoolArray:
    """(len a, len b) bool, whether component a leads to component b."""
    same = np.asarray(a[:, None] == b)
    if not tables.one_way or tables.reach is None:
        return same
    reach = tables.reach[a[:, None], (b >> 3)[None]]
    return np.asarray(same | ((reach & (128 >> (b & 7)).astype(np.uint8)) != 0))
