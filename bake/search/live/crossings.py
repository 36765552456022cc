"""Transitions between clusters after a change: only entrances of touched clusters are laid anew."""

from __future__ import annotations

import numpy as np

from bake.arrays import Int32Array, UInt8Array
from bake.graph import BLOCKED
from bake.kernels.jit import kernel
from bake.search.hierarchy.entrances import find_crossings
from bake.search.live.graph import Adjacency


@kernel
def _with_neighbours(
    rows: Int32Array,
    span: Int32Array,
    arcs: Int32Array,
    begin_in: Int32Array,
    end_in: Int32Array,
    to_in: Int32Array,
    weight_in: Int32Array,
    rank: Int32Array,
    found: Int32Array,
) -> int:
    """Rows, and those an arc leads to or comes from: ``rank`` (r) is 0 for them, else -1."""
    rank[:] = -1
    count = 0
    for place in range(len(rows)):
        rank[rows[place]] = 0
        found[count] = rows[place]
        count += 1
    for place in range(len(rows)):
        row = rows[place]
        for arc in range(span[row, 0], span[row, 1]):
            other = arcs[arc, 0]
            if other >= 0 and rank[other] < 0:
                rank[other] = 0
                found[count] = other
                count += 1
        for arc in range(begin_in[row], end_in[row]):
            if weight_in[arc] != BLOCKED and rank[to_in[arc]] < 0:
                rank[to_in[arc]] = 0
                found[count] = to_in[arc]
                count += 1
    return count


@kernel
def _arcs_among(
    rows: Int32Array,
    own: UInt8Array,
    span: Int32Array,
    arcs: Int32Array,
    label: Int32Array,
    rank: Int32Array,
    first_out: Int32Array,
    head: Int32Array,
    tail: Int32Array,
    crossing: Int32Array,
) -> tuple[int, int]:
    """The graph of some rows, and its arcs that enter or leave a touched cluster.

    Args:
        rows: ascending; rank: (r), the place of each among them.
        own: (number of rows), 1 for rows of touched clusters.
        first_out, head: filled; tail, crossing: filled with tails and numbers of those arcs.

    Returns:
        How many arcs there are, and how many of those.
    """
    count = 0
    crosses = 0
    first_out[0] = 0
    for place in range(len(rows)):
        row = rows[place]
        for arc in range(span[row, 0], span[row, 1]):
            other = arcs[arc, 0]
            if other < 0 or rank[other] < 0:
                continue
            head[count] = rank[other]
            if label[other] != label[row] and (own[place] or own[rank[other]]):
                tail[crosses] = place
                crossing[crosses] = count
                crosses += 1
            count += 1
        first_out[place + 1] = count
    return count, crosses


def crossings_of(
    cut: Int32Array,
    label: Int32Array,
    span: Int32Array,
    arcs: Int32Array,
    into: Adjacency,
    at: Int32Array | None,
    *,
    square: bool,
    spacing: int | None,
) -> Int32Array:
    """Where to cross from and into some clusters.

    Args:
        cut: all rows of the clusters, ascending.
        label: (r) int32.
        span, arcs: see :class:`bake.search.live.rows.LiveRows`; into: arcs by head.
        at, square, spacing: as for :func:`bake.search.hierarchy.entrances.find_crossings`.

    Returns:
        (k, 2) int32 rows on either side, the one in the cluster of lower number first.
    """
    rank = np.empty(len(label), dtype=np.int32)
    found = np.empty(len(label), dtype=np.int32)
    count = _with_neighbours(
        cut, span, arcs, into.begin, into.end, into.to, into.weight, rank, found
    )
    rows = np.sort(found[:count])
    own = np.zeros(count, dtype=np.uint8)
    rank[rows] = np.arange(count, dtype=np.int32)
    own[rank[cut]] = 1
    room = int((span[rows, 1] - span[rows, 0]).sum())
    first_out = np.empty(count + 1, dtype=np.int32)
    head, tail, crossing = np.empty((3, room), dtype=np.int32)
    arc_count, crosses = _arcs_among(
        rows, own, span, arcs, label, rank, first_out, head, tail, crossing
    )
    crossings = find_crossings(
        first_out,
        head[:arc_count],
        label[rows],
        (tail[:crosses], crossing[:crosses]),
        at=None if at is None else np.ascontiguousarray(at[rows]),
        square=square,
        spacing=spacing,
    )
    chosen = crossings.chosen
    return np.stack([rows[crossings.near[chosen]], rows[crossings.far[chosen]]], axis=1)
