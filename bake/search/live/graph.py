"""A profile's graph that changes, version by version, and what a change leaves standing.

Let P be a set of nodes that holds both ends of every changed arc. A path to a goal outside P
leaves P for good after its last changed arc, through a border node of P; so a source none of whose
distances to border nodes changed has kept every distance beyond P, and, if the same holds for its
neighbours, every optimal move. Turned round, a goal none of whose distances from border nodes
changed has kept every distance from outside P. A pair is stale only if both tests fail.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bake.arrays import Int32Array, UInt8Array, UInt32Array
from bake.errors import CostError
from bake.graph import BLOCKED, INFINITY, Graph
from bake.kernels.jit import COMPILED, kernel
from bake.search.all_pairs.ring import shift_for
from bake.search.live.adjacency import Adjacency
from bake.search.live.lanes import (
    LINE,
    border_of,
    grow_ball,
    relax_lanes,
    rows_that_differ,
    spread_to_tails,
)

#: Nodes of P beside the ends of changed arcs. More of them make fewer sources stale, and more
#: goals whose flow field must be rebuilt.
HALO = 24

#: Most lanes searched for at once, and most border nodes before an edit is not worth judging.
WIDEST = 64
TOO_MANY = 512

#: What is known of a node as a source, or as a goal: a pair is stale where the sum reaches 2.
FRESH = 0
DOUBTFUL = 1
STALE = 2


@kernel
def _goes_back(
    begin: Int32Array, end: Int32Array, to: Int32Array, weight: Int32Array, rows: Int32Array
) -> bool:
    """Whether each arc of these rows has one that leads back for no more."""
    for place in range(len(rows)):
        row = rows[place]
        for arc in range(begin[row], end[row]):
            if weight[arc] == BLOCKED:
                continue
            other = to[arc]
            back = False
            for onward in range(begin[other], end[other]):
                if to[onward] == row and weight[onward] <= weight[arc]:
                    back = True
                    break
            if not back:
                return False
    return True


@dataclass(frozen=True)
class Doubts:
    """What an edit leaves standing.

    Attributes:
        source, goal: (r) uint8, FRESH, DOUBTFUL or STALE.
        patch: int32, the nodes of P.
    """

    source: UInt8Array
    goal: UInt8Array
    patch: Int32Array


@dataclass(frozen=True)
class LiveGraph:
    """One version of a graph.

    Attributes:
        out, into: arcs by tail and by head.
        shift: log2 of the width of a bucket in ticks.
        heaviest: at least the largest weight.
        symmetric: whether distances are known to be the same both ways.
    """

    out: Adjacency
    into: Adjacency
    shift: int
    heaviest: int
    symmetric: bool

    @staticmethod
    def of(graph: Graph, weight: Int32Array, label: Int32Array) -> LiveGraph:
        """The first version.

        Args:
            graph: n nodes.
            weight: (m) int32 ticks, BLOCKED where an arc may not be taken now.
            label: (m) int32, what tells parallel arcs apart.
        """
        backward, order = graph.reverse()
        out = Adjacency.of(graph, weight, label)
        into = Adjacency.of(backward, weight[order], label[order])
        usable = weight[weight != BLOCKED]
        heaviest = int(usable.max(initial=1))
        every = np.arange(graph.node_count, dtype=np.int32)
        symmetric = COMPILED and bool(_goes_back(out.begin, out.end, out.to, out.weight, every))
        if COMPILED:
            into.mask(every)
            out.mask(every)
        return LiveGraph(out, into, shift_for(usable), heaviest, symmetric)

    @property
    def row_count(self) -> int:
        return self.out.row_count

    def edited(
        self,
        row_count: int,
        tails: Int32Array,
        heads: Int32Array,
        labels: Int32Array,
        weights: Int32Array,
    ) -> LiveGraph:
        """A version with these weights: see :meth:`Adjacency.edited`."""
        out = self.out.edited(row_count, tails, heads, labels, weights)
        into = self.into.edited(row_count, heads, tails, labels, weights)
        symmetric = self.symmetric
        if COMPILED:
            near = np.unique(np.concatenate([tails, heads])).astype(np.int32)
            symmetric = symmetric and bool(_goes_back(out.begin, out.end, out.to, out.weight, near))
            into.mask(out.neighbours(near))
            out.mask(into.neighbours(near))
        usable = weights[weights != BLOCKED]
        heaviest = max(self.heaviest, int(usable.max(initial=0)))
        return LiveGraph(out, into, self.shift, heaviest, symmetric)


class Lanes:
    """Working memory of :func:`doubts`; one for each profile, used by one thread at a time."""

    def __init__(self) -> None:
        self._size = -1

    def of(self, rows: int) -> tuple[Int32Array, Int32Array, Int32Array, UInt32Array]:
        """(r * WIDEST) int32 twice, (3, r) int32, (r) uint32."""
        if self._size < rows:
            self._size = rows + rows // 64 + 16
            self._dist = np.empty((2, self._size * WIDEST), dtype=np.int32)
            self._links = np.empty((3, self._size), dtype=np.int32)
            self._pending = np.empty(self._size, dtype=np.uint32)
        return self._dist[0], self._dist[1], self._links[:, :rows], self._pending[:rows]


def doubts(before: LiveGraph, after: LiveGraph, ends: Int32Array, lanes: Lanes) -> Doubts:
    """Which sources and goals an edit puts in doubt.

    Args:
        before, after: versions of equally many rows.
        ends: int32, every node at either end of a changed arc, each once.
        lanes: working memory.

    Raises:
        CostError: distances come too near the end of the integer scale.
    """
    rows = after.row_count
    source, goal = np.zeros((2, rows), dtype=np.uint8)
    limit = min(rows, len(ends) + HALO)
    if not COMPILED or len(ends) > rows // 2:
        return _all_stale(rows)
    member = np.zeros(rows, dtype=np.uint8)
    member[ends] = 1
    ball = np.empty(max(limit, len(ends)), dtype=np.int32)
    ball[: len(ends)] = ends
    out, into = after.out, after.into
    arcs_in = into.begin, into.end, into.to
    count = grow_ball(out.begin, out.end, out.to, *arcs_in, limit, len(ends), member, ball)
    patch = ball[:count]
    border = np.empty(count, dtype=np.int32)
    leaving = border[: border_of(out.begin, out.end, out.to, member, patch, border)].copy()
    entering = border[: border_of(*arcs_in, member, patch, border)].copy()
    if max(len(leaving), len(entering)) > TOO_MANY:
        return _all_stale(rows)
    if before.symmetric and after.symmetric:
        both = np.union1d(leaving, entering).astype(np.int32)
        differs = _differs(before.into, after.into, both, after, lanes)
        goal[:] = differs
    else:
        differs = _differs(before.into, after.into, leaving, after, lanes)
        goal[:] = _differs(before.out, after.out, entering, after, lanes)
    spread_to_tails(*arcs_in, differs, source)
    # Inside P only the test on sources holds, and goals there have no test at all.
    source[patch] *= STALE
    source[ends] = STALE
    goal[patch] = STALE
    return Doubts(source, goal, patch)


def _all_stale(rows: int) -> Doubts:
    stale = np.full(rows, STALE, dtype=np.uint8)
    return Doubts(stale, stale, np.arange(rows, dtype=np.int32))


def _differs(
    before: Adjacency, after: Adjacency, targets: Int32Array, scale: LiveGraph, lanes: Lanes
) -> UInt8Array:
    """(r) uint8, whether some distance to one of the targets is not what it was."""
    rows = after.row_count
    found = np.zeros(rows, dtype=np.uint8)
    change = np.empty(rows, dtype=np.uint8)
    old, new, links, pending = lanes.of(rows)
    for start in range(0, len(targets), WIDEST):
        part = targets[start : start + WIDEST]
        width = -(-len(part) // LINE) * LINE
        pair = [room[: rows * width].reshape(rows, width) for room in (old, new)]
        for arcs, dist in zip((before, after), pair, strict=True):
            longest = relax_lanes(
                arcs.begin,
                arcs.end,
                arcs.to,
                arcs.weight,
                arcs.masks,
                part,
                scale.shift,
                dist,
                links[0],
                links[1],
                links[2],
                pending,
            )
            if longest >= INFINITY - scale.heaviest:
                raise CostError(
                    f"distances would reach {longest} ticks",
                    expected=f"fewer than {INFINITY - scale.heaviest} ticks",
                    remedy="lower the costs, or ticks_per_unit",
                )
        rows_that_differ(pair[0], pair[1], change)
        found |= change
    return found
