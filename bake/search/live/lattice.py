"""Keep the first layer of a large lattice up to date where it changes, and nowhere else.

A. Botea, M. Mueller, J. Schaeffer, "Near optimal hierarchical path-finding", J. Game Development
1(1), 2004, section 5: after a change the clusters it lies in are built anew. On a large lattice not
even the numbers of all others may be looked at. So clusters and transitions that are built anew get
numbers after all there are, in arrays that only grow and that versions share, and what they replace
is left where it is: no arc leads there any more. Entrances are found in the order in which a
bake would number the rows, so the same transitions are chosen, and the same distances come out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from bake.core.arrays import AnyArray, BoolArray, Int32Array, Int64Array, UInt8Array, offsets
from bake.search.graph.partition import connected_parts
from bake.search.hierarchy.bundles import (
    HEAD,
    TRANSITION,
    LatticeArcs,
)
from bake.search.hierarchy.layer import Layer
from bake.search.hierarchy.sheets import Dress, SquareCells, Squares, cut_square

#: What was built anew may be as much as was baked, and this many transitions more.
# limit: the layer is rebuilt from the bake; lowered by large_lattices
_LEAST_WASTE = 2**16


class SquareNow(NamedTuple):
    """What a square is made of after a change.

    Attributes:
        cells: (h, w) int32, its cells in the grid.
        stands, steps, price: (h, w) of each of them: see :class:`SquareCells`.
        rows: (r) int32, the rows of the cells that somebody can stand on, in reading order.
    """

    cells: Int32Array
    stands: BoolArray
    steps: UInt8Array
    price: UInt8Array
    rows: Int32Array


def around(some: Iterable[int], reach: int, squares: Squares) -> list[int]:
    """Return the squares no farther from some others than so many squares, ascending."""
    across = squares.across
    down = (len(squares.first_row) - 1) // across
    found = {
        other_y * across + other_x
        for y, x in (divmod(square, across) for square in some)
        for other_y in range(max(0, y - reach), min(down, y + reach + 1))
        for other_x in range(max(0, x - reach), min(across, x + reach + 1))
    }
    return sorted(found)


# -- versions -------------------------------------------------------------------------------------


class LayerPool:
    """What all versions of a layer share: arrays with room at the end, where only a new version
    writes, under a lock.

    Attributes:
        row, own: (room) int32, the row of each transition and its cluster.
        arcs: (room, 2) int32.
        flow: uint8, flow fields of clusters that were built anew.
        transitions, arc_count, flow_used, clusters: how much of it is taken.
        baked: how many transitions were baked.
        bits: of a slot in a flow field.
    """

    def __init__(self, first: Layer) -> None:
        count = self.transitions = self.baked = len(first.row)
        self.row, self.own = (wider(each, count + 1024) for each in (first.row, first.cluster))
        self.arc_count = len(first.arcs)
        self.arcs = wider(first.arcs, self.arc_count + 2**14)
        self.flow: UInt8Array = np.zeros(2**16, dtype=np.uint8)
        self.flow_used = 0
        self.clusters = first.cluster_count
        self.bits = first.bits

    @property
    def is_wasteful(self) -> bool:
        """Tell whether so much was built anew that it is time to begin again."""
        return self.transitions > 2 * self.baked + _LEAST_WASTE

    def add_transitions(self, rows: Int32Array, clusters: Int32Array) -> None:
        begin, end = self.transitions, self.transitions + len(rows)
        self.row, self.own = wider(self.row, end), wider(self.own, end)
        self.row[begin:end] = rows
        self.own[begin:end] = clusters
        self.transitions = end

    def add_arcs(self, arcs: Int32Array) -> int:
        """Add arcs, and return the number of the first of them."""
        begin, end = self.arc_count, self.arc_count + len(arcs)
        self.arcs = wider(self.arcs, end)
        self.arcs[begin:end] = arcs
        self.arc_count = end
        return begin

    def add_flow(self, flow: UInt8Array) -> int:
        """Add flow fields, and return where they begin."""
        begin, end = self.flow_used, self.flow_used + len(flow)
        self.flow = wider(self.flow, end)
        self.flow[begin:end] = flow
        self.flow_used = end
        return begin


def wider(array: AnyArray, needed: int) -> AnyArray:
    """Return an array with room for so many entries: itself, or a copy half as large again."""
    if needed <= len(array):
        return array
    wide = np.empty((max(needed, len(array) + len(array) // 2), *array.shape[1:]), array.dtype)
    wide[: len(array)] = array
    return wide


@dataclass(frozen=True, eq=False)
class LatticeLayer:
    """One version of the first layer of a large lattice, whose every step leads back at its cost.

    Attributes:
        pool: what all versions share.
        row, own, arcs, flow: those of the pool when this version was made.
        first_out, end_out: (t) int32, where the arcs of each transition begin and end.
        cluster: (c, 4) int64; end_transition: (c) int64: see
            :class:`bake.search.hierarchy.bundles.LayerStack`.
        landmark: (t, k) int32, with room for more.
        numbered: the first cluster, and how many there are, of squares whose clusters have other
            numbers than in the bake.
        border: (b, 2) int32, every two clusters that an arc joins; the lower number is first.
        dress: what differs from the bake.
        ranges: what steps from each square that differs cost: see :class:`Squares`.
        rebuilt: (f) int32, the clusters that were searched again for this version.
    """

    pool: LayerPool
    row: Int32Array
    own: Int32Array
    arcs: Int32Array
    first_out: Int32Array
    end_out: Int32Array
    cluster: Int64Array
    end_transition: Int64Array
    landmark: Int32Array
    numbered: Mapping[int, tuple[int, int]]
    border: Int32Array
    dress: Dress
    ranges: Mapping[int, Int32Array] = field(repr=False)
    rebuilt: Int32Array = field(default_factory=lambda: np.zeros(0, dtype=np.int32))

    @staticmethod
    def of(first: Layer, landmark: Int32Array, dress: Dress) -> LatticeLayer:
        """Take the layer as it was baked.

        Args:
            dress: that of the bake.
        """
        pool = LayerPool(first)
        data = first.cluster_data
        tail = np.repeat(first.cluster, np.diff(first.first_out))
        border = pairs_of(tail, first.cluster[first.arcs[:, HEAD]])
        return LatticeLayer(
            pool,
            pool.row,
            pool.own,
            pool.arcs,
            first.first_out[:-1],
            first.first_out[1:],
            data[:-1],
            np.ascontiguousarray(data[1:, TRANSITION]),
            wider(landmark, len(landmark) + 1024),
            {},
            border,
            dress,
            {},
        )

    @property
    def transition_count(self) -> int:
        """Return how many transitions there are, with those that were replaced."""
        return len(self.first_out)

    @property
    def bits(self) -> int:
        """Return the bits of a slot in a flow field; 0 = there are none."""
        return self.pool.bits

    # -- what is where ----------------------------------------------------------------------------

    def clusters_in(self, square: int, squares: Squares) -> range:
        """Return the numbers of the clusters in a square, by their lowest rows."""
        found = self.numbered.get(square)
        if found is not None:
            return range(found[0], sum(found))
        first, last = squares.first_cluster[square : square + 2].tolist()
        return range(first, last)

    def rows_in(self, square: int, squares: Squares) -> Int32Array:
        """Return (r) int32, the rows of a square on which somebody can stand, in reading order."""
        cells = self.dress.squares.get(square)
        if cells is not None:
            return cells.rows
        first, last = squares.first_row[square : square + 2].tolist()
        return np.arange(first, last, dtype=np.int32)

    def baked_number(self, square: int, cluster: int, squares: Squares) -> int:
        """Return the number that a bake would give to a cluster of a square."""
        count = int(squares.first_cluster[square])
        for other, (_, now) in self.numbered.items():
            if other < square:
                first, last = squares.first_cluster[other : other + 2].tolist()
                count += now - (last - first)
        return count + cluster - self.clusters_in(square, squares).start

    def cluster_count(self, squares: Squares) -> int:
        """Return how many clusters a bake would find."""
        count = int(squares.first_cluster[-1])
        for square, (_, now) in self.numbered.items():
            first, last = squares.first_cluster[square : square + 2].tolist()
            count += now - (last - first)
        return count

    @cached_property
    def group(self) -> Int32Array:
        """Return (c) int32, equal numbers for clusters between which there are paths."""
        count = len(self.cluster)
        order = np.argsort(self.border[:, 0], kind="stable")
        first = offsets(np.bincount(self.border[:, 0], minlength=count))
        heads = np.ascontiguousarray(self.border[order, 1])
        return connected_parts(first, heads, np.zeros(count, dtype=np.int32))[0]

    def component_count(self, squares: Squares) -> int:
        """Return how many groups of clusters there are that somebody can stand in."""
        live = np.zeros(len(self.cluster), dtype=np.bool_)
        live[: int(squares.first_cluster[-1])] = True
        for square, (first, count) in self.numbered.items():
            live[slice(*squares.first_cluster[square : square + 2].tolist())] = False
            live[first : first + count] = True
        return len(np.unique(self.group[live]))

    # -- changes ----------------------------------------------------------------------------------

    def dressed(
        self,
        changes: Mapping[int, SquareNow | None],
        fresh: Int32Array,
        lattice: LatticeArcs,
        squares: Squares,
    ) -> tuple[Dress, dict[int, tuple[int, int]]]:
        """Cut the squares that changed into clusters.

        Args:
            changes: what each of them is made of now; None = it is as it was baked.
            fresh: see :class:`Dress`.

        Returns:
            What differs from the bake then, and :attr:`numbered`.
        """
        worn, numbered = dict(self.dress.squares), dict(self.numbered)
        for square, now in changes.items():
            if now is None:
                worn.pop(square, None)
                numbered.pop(square, None)
                continue
            part, rank, size = np.empty((3, now.cells.size), dtype=np.int32)
            ground = int(now.cells[0, 0]), now.stands, now.steps, lattice, squares.move
            count = cut_square(*ground, part, rank, size)
            own = part >= 0
            node = np.stack([part[own] + np.int32(self.pool.clusters), rank[own]], axis=1)
            row_at = np.full(now.cells.size, -1, dtype=np.int32)
            row_at[own] = now.rows + 1
            cells = now.cells.reshape(-1)
            worn[square] = SquareCells(
                cells,
                row_at,
                now.steps.reshape(-1),
                now.price.reshape(-1),
                now.rows,
                cells[own],
                node,
            )
            numbered[square] = self.pool.clusters, count
            self.pool.clusters += count
        # Flow fields of this version are added later, and where they lie is not said by the dress.
        dress = Dress(self.pool, worn, fresh, self.dress.flow, 0, self.dress.step_range)
        return dress, numbered

    def rows_at(self, cluster: int) -> Int32Array:
        """Return the rows of a cluster's transitions."""
        begin, end = int(self.cluster[cluster, TRANSITION]), int(self.end_transition[cluster])
        return self.row[begin:end]


def pairs_of(some: Int32Array, others: Int32Array) -> Int32Array:
    """Return (b, 2) int32, every two clusters that some arcs join, the lower number first."""
    apart = some != others
    low = np.minimum(some, others)[apart].astype(np.int64)
    both = np.unique(low << 32 | np.maximum(some, others)[apart])
    return np.stack([both >> 32, both & 0xFFFFFFFF], axis=1).astype(np.int32)
