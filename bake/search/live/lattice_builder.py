"""Build anew what lies near a change of a large lattice: see :mod:`bake.search.live.lattice`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from bake.core.arrays import AnyArray, BoolArray, Int32Array, Int64Array, UInt8Array, offsets
from bake.core.graph import UNREACHABLE
from bake.search.graph.partition import crossing_arcs
from bake.search.hierarchy.arcs import FIRST_DIAGONAL, SLOTS
from bake.search.hierarchy.bundles import (
    CLUSTER,
    EVEN_R,
    FLOW,
    FLOW_BYTES,
    HEAD,
    SIZE,
    SQUARE,
    TRANSITION,
    ClusteredGraph,
    Members,
    Transitions,
)
from bake.search.hierarchy.entrances import find_crossings
from bake.search.hierarchy.landmarks import lower
from bake.search.hierarchy.layer_builder import Base, InnerEdges, search_fresh
from bake.search.hierarchy.sheets import Dress, Squares
from bake.search.live.graph import positions
from bake.search.live.lattice import LatticeLayer, around, pairs_of, wider
from levelbake.steps import chart

#: How far from a change, in squares, it matters what lies there.
REACH = 3


class Ground(NamedTuple):
    """The rows of a large lattice, and how its layers are built.

    Attributes:
        graph: the rows; what lies up to REACH squares from a change has been read.
        squares: the squares of the clusters as they were baked.
        hex_layout: odd-r, even-r, odd-q, even-q; None = square.
        spacing: see :func:`bake.search.hierarchy.entrances.find_crossings`.
        bits: of a slot in a flow field; 0 = there are none.
        flow_at: where in the flow fields those of clusters that were built anew begin.
    """

    graph: ClusteredGraph
    squares: Squares
    hex_layout: str | None
    spacing: int
    bits: int
    flow_at: int

    def around(self, some: Iterable[int], reach: int) -> list[int]:
        """Return the squares no farther from some others than so many squares, ascending."""
        return around(some, reach, self.squares)


def build(
    before: LatticeLayer,
    dress: Dress,
    numbered: dict[int, tuple[int, int]],
    changed: Iterable[int],
    ground: Ground,
) -> LatticeLayer:
    """Build anew what lies in some squares and around them.

    Args:
        before: the version before.
        dress, numbered: from :meth:`LatticeLayer.dressed`.
        changed: the squares.
        ground: the rows, as they are with this dress.

    Raises:
        CostError: a distance inside a cluster is too long for the scale.
    """
    changed = sorted(changed)
    squares = ground.squares
    # What follows asks for clusters and rows of this version.
    now = replace(before, dress=dress, numbered=numbered)
    near = ground.around(changed, 1)
    rows, own = _chosen(now, ground.around(changed, 2), near, ground)
    chosen = {cluster: rows[own == cluster] for cluster in np.unique(own).tolist()}
    nothing = np.zeros(0, dtype=np.int32)
    fresh: dict[int, tuple[int, Int32Array]] = {}
    for square in near:
        for cluster in now.clusters_in(square, squares):
            found = chosen.get(cluster, nothing)
            if square in changed or not np.array_equal(found, before.rows_at(cluster)):
                fresh[cluster] = square, found
    return _rebuilt(before, now, ground, changed, fresh)


class _Arcs(NamedTuple):
    """All arcs out of some rows, (k, 8) each.

    Attributes:
        head: int32 rows, -1 where there is no arc.
        ticks: int32.
        slanted: bool, whether the step is diagonal on the chart.
    """

    head: Int32Array
    ticks: Int32Array
    slanted: BoolArray


def _arcs_of(rows: Int32Array, ground: Ground) -> _Arcs:
    lattice = ground.graph.lattice
    cell = lattice.cell[rows].astype(np.int64)
    parity = np.zeros(len(cell), dtype=np.int64)
    if lattice.layout != SQUARE:
        y, x = np.divmod(cell, lattice.width)
        parity = (y if lattice.layout <= EVEN_R else x) & 1
    slot = np.arange(SLOTS)
    taken = ((lattice.steps[cell][:, None] >> slot) & 1).astype(np.bool_)
    other = np.where(taken, cell[:, None] + lattice.offset[parity], cell[:, None])
    head = np.where(taken, lattice.row_at[other] - 1, -1).astype(np.int32)
    kind = (slot >= FIRST_DIAGONAL) & (lattice.layout == SQUARE)
    price = lattice.price
    ticks = lattice.ticks[price[cell][:, None], price[other], kind.astype(np.int64)[None, :]]
    slanted = np.broadcast_to(ground.squares.slanted.astype(np.bool_), head.shape)
    return _Arcs(head, ticks, slanted)


def _chosen(
    now: LatticeLayer, window: list[int], near: list[int], ground: Ground
) -> tuple[Int32Array, Int32Array]:
    """Choose the transitions of the clusters in some squares, as a bake would.

    Args:
        window: squares with all those around them.
        near: the squares.

    Returns:
        (k) int32 rows, by square and in reading order in each, and the cluster of each.
    """
    graph, side, width = ground.graph, ground.squares.side, ground.graph.lattice.width
    each = [now.rows_in(square, ground.squares) for square in window]
    rows = np.concatenate(each)
    place = np.repeat(np.arange(len(window)), [len(some) for some in each])
    y, x = np.divmod(graph.lattice.cell[rows], np.int32(width))
    edge = (x % side == 0) | (x % side == side - 1) | (y % side == 0) | (y % side == side - 1)
    rows, place = rows[edge], place[edge]
    arcs, own = _arcs_of(rows, ground), graph.node[rows, CLUSTER]
    heads, ticks = arcs.head, arcs.ticks
    crosses = (heads >= 0) & (graph.node[heads, CLUSTER] != own[:, None])
    ends = crosses.any(axis=1)
    rows, place, own, heads, ticks = (each[ends] for each in (rows, place, own, heads, ticks))
    number = _numbers(rows, heads)
    joined = number >= 0
    first_out = offsets(joined.sum(axis=1))
    head = number[joined]
    # Clusters are numbered as in a bake: by squares, and by their lowest rows.
    key = place.astype(np.int64) << 32 | own
    label = np.unique(key, return_inverse=True)[1].astype(np.int32)
    y, x = np.divmod(graph.lattice.cell[rows], np.int32(width))
    found = find_crossings(
        first_out,
        head,
        ticks[joined],
        label,
        crossing_arcs(first_out, head, label),
        at=np.ascontiguousarray(chart(np.stack([x, y], axis=1), ground.hex_layout)),
        square=ground.hex_layout is None,
        spacing=ground.spacing,
    )
    chosen = np.unique(np.concatenate([side[found.chosen] for side in (found.near, found.far)]))
    chosen = chosen[np.isin(place[chosen], np.flatnonzero(np.isin(window, near)))]
    return rows[chosen], own[chosen]


def _numbers(rows: Int32Array, wanted: Int32Array) -> Int32Array:
    """Return the place of each wanted row among some rows, -1 where it is none of them."""
    if not len(rows):
        return np.full(wanted.shape, -1, dtype=np.int32)
    order = np.argsort(rows)
    place = np.minimum(np.searchsorted(rows, wanted, sorter=order), len(rows) - 1)
    at = order[place].astype(np.int32)
    return np.where(rows[at] == wanted, at, np.int32(-1))


def _transitions_of(
    clusters: list[int], cluster: Int64Array, end_transition: Int64Array
) -> Int32Array:
    """Return the transitions of some clusters, one cluster after another."""
    begin = cluster[clusters, TRANSITION].astype(np.int32)
    return positions(begin, end_transition[clusters].astype(np.int32)).astype(np.int32)


class _Found(NamedTuple):
    """What a search of some clusters found.

    Attributes:
        first: (f + 1), where the transitions of each begin among those of all.
        rows: (k) int32, the row of each transition.
        edges: distances between transitions.
        data: (c + 1, 4) int64, sizes of clusters, and where their flow fields begin.
        flow: flow fields.
    """

    first: Int64Array
    rows: Int32Array
    edges: InnerEdges
    data: Int64Array
    flow: UInt8Array


def _searched(
    now: LatticeLayer, fresh: Mapping[int, tuple[int, Int32Array]], ground: Ground
) -> _Found:
    """Search some clusters from each of their transitions.

    Args:
        fresh: the square of each cluster, and the rows of its transitions; clusters ascend.
    """
    graph, count = ground.graph, now.pool.clusters
    clusters = np.array(list(fresh), dtype=np.int32)
    parts = []
    for cluster, (square, _) in fresh.items():
        rows = now.rows_in(square, ground.squares)
        parts.append(rows[graph.node[rows, CLUSTER] == cluster])
    size = np.zeros(count, dtype=np.int64)
    held = np.zeros(count, dtype=np.int64)
    size[clusters] = [len(rows) for rows in parts]
    held[clusters] = [len(rows) for _, rows in fresh.values()]
    first_row, first = np.zeros((2, count + 1), dtype=np.int32)
    np.cumsum(size, out=first_row[1:])
    np.cumsum(held, out=first[1:])
    nothing = np.zeros(0, dtype=np.int32)
    rows = np.concatenate([nothing, *(rows for _, rows in fresh.values())])
    data = np.zeros((count + 1, 4), dtype=np.int64)
    data[:-1, SIZE] = size
    data[:-1, FLOW_BYTES] = (size * ground.bits + 7) // 8
    np.cumsum(held * data[:-1, FLOW_BYTES], out=data[1:, FLOW])
    flow = np.zeros(int(data[-1, FLOW]), dtype=np.uint8)
    members = Members(first_row, np.concatenate([nothing, *parts]))
    edges = search_fresh(
        Base(graph, members, nothing),
        Transitions(first, rows, nothing),
        clusters,
        ground.bits,
        data,
        flow,
    )
    return _Found(np.append(first[clusters], first[-1]).astype(np.int64), rows, edges, data, flow)


def _rebuilt(
    before: LatticeLayer,
    now: LatticeLayer,
    ground: Ground,
    changed: list[int],
    fresh: Mapping[int, tuple[int, Int32Array]],
) -> LatticeLayer:
    """Return the version in which some clusters are built anew.

    Args:
        now: the same version, as far as is known: clusters of squares, and what those hold.
        changed: the squares in which something differs.
        fresh: as for :func:`_searched`.
    """
    pool, squares = now.pool, ground.squares
    fresh = dict(sorted(fresh.items()))
    found = _searched(now, fresh, ground)
    begun, clusters = pool.transitions, np.array(list(fresh), dtype=np.int64)
    held = np.diff(found.first)
    pool.add_transitions(found.rows, np.repeat(clusters, held).astype(np.int32))
    flow_at = ground.flow_at + pool.add_flow(found.flow)
    cluster = np.zeros((pool.clusters, 4), dtype=np.int64)
    cluster[: len(before.cluster)] = before.cluster
    end_transition = np.zeros(pool.clusters, dtype=np.int64)
    end_transition[: len(before.cluster)] = before.end_transition
    first_out, end_out = np.zeros((2, pool.transitions), dtype=np.int32)
    first_out[: len(before.first_out)] = before.first_out
    end_out[: len(before.end_out)] = before.end_out
    # What is replaced stays where it is, and nothing leads there.
    vanished = {each for square in changed for each in before.clusters_in(square, squares)}
    old = sorted(vanished | {each for each in fresh if each < len(before.cluster)})
    gone = _transitions_of(old, before.cluster, before.end_transition)
    end_out[gone] = first_out[gone]
    end_transition[old] = cluster[old, TRANSITION]
    cluster[clusters] = found.data[clusters]
    cluster[clusters, TRANSITION] = begun + found.first[:-1]
    cluster[clusters, FLOW] += flow_at
    end_transition[clusters] = begun + found.first[1:]
    # Arcs to what was built anew lead from there and from around it.
    touched = ground.around({*changed, *(square for square, _ in fresh.values())}, 1)
    here = [each for square in touched for each in now.clusters_in(square, squares)]
    there = [
        each for square in ground.around(touched, 1) for each in now.clusters_in(square, squares)
    ]
    known = _transitions_of(there, cluster, end_transition)
    tails = _transitions_of(here, cluster, end_transition)
    rows = pool.row[tails]
    arcs, own = _arcs_of(rows, ground), pool.own[tails]
    number = _numbers(pool.row[known], arcs.head)
    across = (arcs.head >= 0) & (number >= 0)
    across &= ground.graph.node[arcs.head, CLUSTER] != own[:, None]
    at, slot = np.nonzero(across)
    pieces: list[tuple[AnyArray, ...]] = [
        (tails[at], known[number[at, slot]], arcs.ticks[at, slot])
    ]
    border = pairs_of(own[at], pool.own[pieces[0][1]])
    others = tails[tails < begun]
    arc = positions(first_out[others], end_out[others])
    tail = np.repeat(others, end_out[others] - first_out[others])
    inside = pool.own[before.arcs[arc, HEAD]] == pool.own[tail]
    pieces.append((tail[inside], *before.arcs[arc[inside]].T))
    for i, count in enumerate(held.tolist()):
        part = slice(int(found.edges.first[i]), int(found.edges.first[i + 1]))
        some, other = np.nonzero(found.edges.keep[part].reshape(count, count))
        first = begun + int(found.first[i])
        ticks = found.edges.distance[part].reshape(count, count)[some, other]
        pieces.append((first + some, first + other, ticks))
    every = [np.concatenate(each).astype(np.int32) for each in zip(*pieces, strict=True)]
    order = np.lexsort((every[1], every[0]))
    tail = every[0][order]
    first_arc = pool.add_arcs(np.stack([every[1][order], every[2][order]], axis=1))
    first_out[tails] = first_arc + np.searchsorted(tail, tails)
    end_out[tails] = first_arc + np.searchsorted(tail, tails, side="right")
    landmark = _lowered(before.landmark, begun, first_out, end_out, pool.arcs, tails)
    left = np.isin(before.border, [*here, *vanished]).any(axis=1)
    ranges = {square: each for square, each in before.ranges.items() if square in now.numbered}
    for square in changed:
        if square in now.numbered:
            ranges[square] = _range(now.rows_in(square, squares), ground)
    step_range = _widest(squares.step_range, ranges)
    dress = replace(now.dress, flow=pool.flow, flow_used=pool.flow_used, step_range=step_range)
    return replace(
        now,
        row=pool.row,
        own=pool.own,
        arcs=pool.arcs,
        first_out=first_out,
        end_out=end_out,
        cluster=cluster,
        end_transition=end_transition,
        landmark=landmark,
        border=np.concatenate([before.border[~left], border]),
        dress=dress,
        ranges=ranges,
        rebuilt=clusters.astype(np.int32),
    )


def _lowered(
    landmark: Int32Array,
    old: int,
    first_out: Int32Array,
    end_out: Int32Array,
    arcs: Int32Array,
    tails: Int32Array,
) -> Int32Array:
    """Return bounds for new transitions, and lower those before them where arcs ask for it.

    Args:
        landmark: (t, k) int32, bounds of the version before, with room for more.
        old: transitions from this one on are new.
        tails: those whose arcs are others than before.
    """
    landmark = wider(landmark, len(first_out))
    landmark[old : len(first_out)] = UNREACHABLE
    heap = np.empty((len(arcs) + len(tails) + 1, 2), dtype=np.int64)
    ends = first_out, end_out, arcs, tails
    marks = range(landmark.shape[1])
    too_high = [mark for mark in marks if lower(*ends, landmark, mark, heap, old)]
    if too_high:
        # Versions before would find paths that are too long by lower bounds.
        landmark = landmark.copy()
        for mark in too_high:
            lower(*ends, landmark, mark, heap, 0)
    return landmark


def _range(rows: Int32Array, ground: Ground) -> Int32Array:
    """Return (2, 2) int32, what the steps from some rows cost: see :class:`Squares`."""
    arcs, found = _arcs_of(rows, ground), np.zeros((2, 2), dtype=np.int32)
    for kind in (0, 1):
        ticks = arcs.ticks[(arcs.head >= 0) & (arcs.slanted == bool(kind))]
        if len(ticks):
            found[kind] = ticks.min(), ticks.max()
    return found


def _widest(baked: Int32Array, ranges: Mapping[int, Int32Array]) -> Int32Array:
    """Return a range that holds for all steps, given those of the bake and of some squares."""
    every = np.stack([baked, *ranges.values()])
    least = np.where(every[:, :, 0] == 0, np.iinfo(np.int32).max, every[:, :, 0]).min(axis=0)
    most = every[:, :, 1].max(axis=0)
    return np.stack([np.where(most == 0, 0, least), most], axis=1).astype(np.int32)
